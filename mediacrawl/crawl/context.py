"""What the components of one crawl share."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, cast
from weakref import WeakKeyDictionary

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.utils.misc import load_object

from mediacrawl.base.clock import Clock, Heartbeat, today
from mediacrawl.base.files import HeldFolder
from mediacrawl.base.format import plural
from mediacrawl.base.notes import Later, NoNotes, Notes
from mediacrawl.crawl.adapters import CrawlAdapters
from mediacrawl.crawl.arguments import ArgumentError
from mediacrawl.crawl.connection import hidden, redis_url
from mediacrawl.crawl.open_lists import OpenLists
from mediacrawl.crawl.own_settings import (
    REDIS,
    OwnSettings,
    catalogue_path,
    locate,
    log_folder,
    spider_folder,
    state_folder,
    store_of,
)
from mediacrawl.crawl.policies import (
    address_policy,
    class_scores,
    duplicate_policy,
    frontier_policy,
    guard_of,
    is_anonymous,
    load_nevercrawl,
    nugget_function,
    robots_times,
    scope_rules,
)
from mediacrawl.crawl.range_support import RangeSupport
from mediacrawl.crawl.request_serialization import is_ours
from mediacrawl.crawl.setting_checks import SettingsError, check_settings
from mediacrawl.crawl.signals import listen_to_visits
from mediacrawl.crawl.storage import lease_seconds, make_priority, open_frontier
from mediacrawl.encoding import History
from mediacrawl.frontier import Counts, Frontier, FrontierError
from mediacrawl.frontier.contract import Remote
from mediacrawl.log.request_log import RequestLog
from mediacrawl.log.text import make_safe
from mediacrawl.log.totals import Tally, Totals
from mediacrawl.politeness.address_clocks import AddressClocks, SharedAddressClocks
from mediacrawl.politeness.addresses import Guard
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.politeness.robots_book import RobotsBook
from mediacrawl.priority.hubs import Hubs
from mediacrawl.priority.nuggets import Nuggets
from mediacrawl.priority.orders import Priority
from mediacrawl.record import Description
from mediacrawl.scope import Duplicates, NeverCrawlError, Scope
from mediacrawl.scope.exclusions import NeverCrawl
from mediacrawl.scope.include import Include
from mediacrawl.scope.urls import authority_of
from mediacrawl.site_adapters import SiteAdapters
from mediacrawl.watch.status import CrawlStatus

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from mediacrawl.base.visit import Visit


logger = logging.getLogger(__name__)

NOTHING = Counts(0, 0, 0, 0, 0, {})
"""The counts of a frontier that is not open."""

_BY_NAME = {"drop": "drops", "trouble": "troubles", "limit": "limits"}
"""How the names of stats begin, and their totals."""

_MOST_LOG = 64 << 20
"""Bytes of a request log that is counted again at a start after a kill: two seconds."""

_SCHEDULER = ("mediacrawl.scheduler", "PenaltyBoxScheduler")

_CONTEXTS: WeakKeyDictionary[Crawler, CrawlContext] = WeakKeyDictionary()


class _NotOpen:
    """The frontier of a crawl before it is open: each use of it raises `FrontierError`."""

    def __getattr__(self, name: str) -> NoReturn:
        raise FrontierError("the frontier is not open")


class CrawlContext:
    """What the components of one crawl share: clock, frontier, policies, robots.txt cache, guard, request log, counts.

    Life cycle: `of` makes it for the first component of a crawl, with the settings, and without file or connection.
    `PenaltyBoxScheduler.open` calls `open`, which opens the frontier, loads the learned order, and makes what is kept
    in the frontier. `PenaltyBoxScheduler.close` calls `save` and `close`. With another scheduler there is no frontier,
    and nothing is stored: then `of` makes the rest, too.

    Args:
        is_ours: whether it is one of our spiders. Other spiders of a project have a frontier each.

    Attributes:
        policy: delays, order and limits of the frontier. A spider may replace it before `open`.
        frontier_folder: the folder of the frontier. A spider may replace it before `open`.
        leases: whether the scheduler is ours, or a subclass, and gives a lease with every request.
        folder: the state folder, in which the crawl's files are.
        keeps_frontier: whether the frontier is kept for the next start.
        encodings: encodings of pages and lists, by host, for those that declare none. It is not stored.
        tally: counts the requests and records of this process.
        counted: counters that are not in the stats yet. A call to the collector for each link would cost a tenth of a
            page's time.
        earlier: the state that earlier processes left, whose counts this one continues; blank for a new crawl.
        describe: called with what a page or list says of a file that the crawl knows. `CataloguePipeline` sets it, and
            counts the records; it is None where no records are stored.
        first_request: called with the request of a lease and its visit; returns the request of the robots.txt that is
            to be sent first, or None. `RobotsMiddleware` sets it; None where robots.txt is not obeyed.
        refused_seeds: seeds that the scope refused, by reason; None for a spider that does not begin with seeds.
        open_lists: the lists that are being downloaded or read, if `ListsMiddleware` is switched on, which makes it.
        request_log: the log of every request, if `RequestLogMiddleware` is switched on, which makes it.
        hubs: the pages that are revisited, if there are revisits; `Revisiting` makes it.
        adapters: the site adapters, and which of them are switched off; none without our scheduler and spider.
        keeps_address_clocks: whether the clocks of IP addresses apply; `AddressMiddleware` sets it.
        resumes: whether the frontier had URLs when it was opened.
        final: the counts of the frontier when it was closed; None until then.
        frontier: the frontier. Before `open` each use of it raises `FrontierError`.
        remote: the same, if another machine keeps it; otherwise None.

    Raises:
        ValueError: a setting cannot be used.
    """

    priority: Priority
    """The order, which scores link classes; set by `open`."""
    notes: Notes
    """Where the parts below are kept: the frontier, or nowhere with another scheduler. It and they are set by `open`,
    or with another scheduler at once."""
    later: Later | None
    """The function that changes a note which other workers write, too; None with one worker."""
    robots: RobotsBook
    """The robots.txt cache."""
    duplicates: Duplicates
    """Recognises pages that were seen under another URL."""
    nuggets: Nuggets
    """Calls the nugget function, and knows which nuggets are new."""
    habits: RangeSupport
    """Which servers ignore Range."""
    address_clocks: AddressClocks | SharedAddressClocks
    """When each IP address may be requested again; only with our scheduler."""

    def __init__(self, settings: BaseSettings, spider: str = "media", *, is_ours: bool = True) -> None:
        self.settings = settings
        self.spider = spider
        self.is_ours = is_ours
        self.clock = Clock()
        self.heartbeat = Heartbeat(self.clock)
        self.store = store_of(settings, is_ours=is_ours)
        self.folder = state_folder(settings)
        self.frontier_folder: Path = self.folder if is_ours else spider_folder(self.folder, spider)
        self.keeps_frontier = is_ours or self.store != "memory"
        self.leases = gives_leases(settings.get("SCHEDULER"))
        self.policy = frontier_policy(settings)
        self.address_policy = address_policy(settings)
        self.scope_rules = scope_rules(settings)
        self.nugget_function = nugget_function(settings)
        self._is_anonymous = is_anonymous(settings)
        self.scores = class_scores(settings)
        self.encodings = History()
        self.tally = Tally()
        self.counted: Counter[str] = Counter()
        self.earlier = CrawlStatus()
        self.describe: Callable[[Description], None] | None = None
        self.first_request: Callable[[Request, Visit], Request | None] | None = None
        self.refused_seeds: Counter[str] | None = None
        self.open_lists: OpenLists | None = None
        self.request_log: RequestLog | None = None
        self.hubs: Hubs | None = None
        self.adapters = CrawlAdapters(SiteAdapters(), NoNotes())
        self.keeps_address_clocks = False
        self.resumes = False
        self.final: Counts | None = None
        self.frontier = cast("Frontier", _NotOpen())
        self.remote: Remote | None = None
        self._known = NOTHING
        self._held: HeldFolder | None = None
        self._is_open = False
        if not self.leases:
            self._keep_in(NoNotes(), None)

    @classmethod
    def of(cls, crawler: Crawler) -> CrawlContext:
        """Return the context of a crawl. When it is made all settings are checked.

        Raises:
            ValueError: a setting cannot be used. The log says so, since Scrapy may report an error of its own instead.
        """
        if crawler not in _CONTEXTS:
            if is_ours(crawler.spidercls):
                # The spider logs before there is a LOG_FORMATTER.
                make_safe(logging.getLogger(), logging.getLogger("mediacrawl"))
            logging.getLogger("asyncio").addFilter(_leave_out_mistakes)
            try:
                check_settings(crawler.settings, logger.warning)
                made = cls(crawler.settings, crawler.spidercls.name, is_ours=is_ours(crawler.spidercls))
            except SettingsError as error:
                for sentence in str(error).splitlines():
                    logger.critical("%s", sentence)
                raise
            except ValueError as error:
                logger.critical("A setting cannot be used: %s", error)
                raise SettingsError(str(error)) from error
            listen_to_visits(crawler, made.tally.visit_ended)
            crawler.signals.connect(made._item_scraped, signals.item_scraped)
            _CONTEXTS[crawler] = made
        return _CONTEXTS[crawler]

    # -- the frontier --------------------------------------------------------------------------------------------

    def open(self) -> Frontier:
        """Open the frontier, unless it is open, and load the learned order.

        Raises:
            FrontierError: the frontier cannot be used. The message says what to do.
            OrderModelError: the model of ``PRIORITY_MODEL`` cannot be read. The frontier is open.
        """
        if self._is_open:
            return self.frontier
        if self.store == REDIS:
            # A worker's first start. Other stores make it.
            with suppress(OSError):
                self.frontier_folder.mkdir(parents=True, exist_ok=True)
        opened = open_frontier(
            self.settings,
            self.policy,
            store=self.store,
            folder=self.frontier_folder,
            spider=self.spider,
            clock=self.clock,
        )
        try:
            self.resumes = opened.counts().seen > 0
        except BaseException:
            # Nothing else can close it, and while it is open no other crawl can use its folder.
            opened.close()
            raise
        self.frontier, self._is_open = opened, True
        self.remote = opened if isinstance(opened, Remote) else None
        folder = self.frontier_folder if self.keeps_frontier else None
        self._held = HeldFolder(self.frontier_folder)
        if self.resumes and folder is not None:
            self.earlier = CrawlStatus.load(folder) or self.earlier
            if self.earlier.written and not self.earlier.reason and self.remote is None:
                self.earlier = self._recounted(self.earlier)
        self.priority = make_priority(self.settings, opened, folder, resumes=self.resumes)
        self._keep_in(opened, self.remote.later if self.remote is not None else None)
        self.address_clocks = self._new_address_clocks()
        if self.is_ours:
            self.adapters = self._read_adapters()
        return opened

    def _keep_in(self, notes: Notes, later: Later | None) -> None:
        """Make what is kept in the frontier."""
        self.notes, self.later = notes, later
        times, delay = robots_times(self.settings), self.policy.delay
        if not self.is_ours and self.leases and self.settings.getbool("RETRY_ENABLED"):
            # Scrapy's retries, since a spider waits for its errback. A site that rests would end the crawl before.
            most = (delay.backoff.rest_after or inf) - 1
            times = replace(times, retries=min(self.settings.getint("RETRY_TIMES"), most))
        self.robots = RobotsBook(OwnSettings(self.settings).getstr("ROBOTS_TOKEN"), times, notes)
        self.duplicates = Duplicates(notes, duplicate_policy(self.settings))
        self.nuggets = Nuggets(self.nugget_function, notes, later)
        self.habits = RangeSupport(notes)

    def _new_address_clocks(self) -> AddressClocks | SharedAddressClocks:
        if self.remote is None:
            return AddressClocks(self.address_policy, self.notes, self.clock.now(), resumes=self.resumes)
        lease = lease_seconds(self.settings)
        return SharedAddressClocks(self.address_policy, self.remote.later, self.remote.server_time, lease)

    def _read_adapters(self) -> CrawlAdapters:
        """Read the site adapters.

        Raises:
            AdapterError: a file of ``ADAPTERS_DIR`` has faults.
        """
        own = OwnSettings(self.settings)
        folder = own.getstr("ADAPTERS_DIR")
        misses, pages = own.getint("ADAPTER_MISSES"), own.getint("ADAPTER_PAGES")
        found = SiteAdapters.load(locate(folder)) if folder else SiteAdapters()
        if folder:
            level = logging.INFO if len(found) else logging.WARNING
            logger.log(level, "%s (*.json) in %s", plural(len(found), "site adapter"), locate(folder))
        return CrawlAdapters(found, self.notes, self.later, misses=misses, pages=pages)

    @property
    def has_folder(self) -> bool:
        """Whether the folder of the frontier is still the one that `open` found."""
        return self._held is None or self._held.is_in_place

    def _recounted(self, killed: CrawlStatus) -> CrawlStatus:
        """Return the state that a kill has left, with what log and catalogue have of its last moment."""
        # Importing the report takes 70 ms, and few crawls were killed.
        from mediacrawl.store import Catalogue, StoreError  # noqa: PLC0415
        from mediacrawl.watch.facts import Sources, totals_of  # noqa: PLC0415
        from mediacrawl.watch.log_digest import digest  # noqa: PLC0415

        log, found = self.log_folder, None
        if sum(path.stat().st_size for path in log.glob("requests-*")) > _MOST_LOG:
            return killed
        lines = digest([log], since=killed.first_began)
        if killed.catalogue:
            with suppress(StoreError), Catalogue(killed.catalogue, read_only=True) as catalogue:
                found = catalogue.figures(killed.first_began)
        return replace(killed, **totals_of(Sources([killed], log=lines, found=found)).by_name())

    @property
    def place(self) -> str:
        """Where the frontier is, for messages, without secrets."""
        return hidden(redis_url(self.settings) or "") if self.store == REDIS else str(self.frontier_folder)

    @property
    def catalogue(self) -> Path | None:
        """The file of the catalogue; None if `CataloguePipeline` is switched off."""
        return catalogue_path(self.settings) if self.describe is not None else None

    @cached_property
    def log_folder(self) -> Path:
        """The folder of the request log. It is read at its first use, when the settings of all addons are known."""
        return log_folder(self.settings)

    def counts(self) -> Counts:
        """The counts of the frontier, also after it was closed; the last ones if it failed, all zero without one."""
        if self.final is None and self._is_open:
            with suppress(FrontierError):
                self._known = self.frontier.counts()
            return self._known
        return self.final or NOTHING

    def next_release(self) -> float | None:
        """Return when the next site may be requested, seconds since the epoch; None if none waits or can be read."""
        with suppress(FrontierError):
            return self.frontier.next_release() if self.final is None else None
        return None

    def totals(self, stats: Mapping[str, Any]) -> Totals:
        """Return the totals of this process. Those of the crawl are `summed` with `earlier`."""
        counts, next_release = self.counts(), self.next_release()
        waiting = counts.waiting + counts.leased
        (paused, retired), waits = counts.shelved_sites, max(counts.penalty - counts.resting, 0)
        by_name: dict[str, Any] = {total: {} for total in _BY_NAME.values()}
        for stat, number in stats.items():
            kind, _, name = stat.partition("/")
            if kind in _BY_NAME:
                by_name[_BY_NAME[kind]][name] = number
        return replace(
            self.tally.totals,
            pages=stats.get("page/read", 0),
            updated=stats.get("catalogue/updated", 0),
            faults=stats.get("errors/faults", 0),
            lost_lines=stats.get("request_log/lost", 0),
            known=counts.seen,
            done=counts.seen - waiting,
            waiting=waiting - counts.shelved,
            shelved=counts.shelved,
            sites={"ready": counts.ready, "waiting": waits, "resting": counts.resting}
            | {"paused": paused, "retired": retired},
            next_release=next_release,
            **by_name,
        )

    def _item_scraped(self, item: Any) -> None:
        """Count an item that `CataloguePipeline` does not."""
        if self.describe is None and isinstance(url := (record := ItemAdapter(item)).get("content_url"), str):
            self.tally.add_once(record, url)

    def save(self) -> None:
        """Write what was learned since the last commit to the frontier.

        Raises:
            FrontierError: the frontier cannot be used.
        """
        self.duplicates.save()
        if self.has_folder:
            self.priority.save(self.clock.now(), last=True)
        self.adapters.save_all()
        if self.hubs is not None:
            self.hubs.save_all()

    def close(self) -> None:
        """Close the frontier, if it was opened. May be called twice.

        Raises:
            FrontierError: it could not be closed cleanly.
        """
        if self._is_open:
            self.frontier.close()

    def ignores_ranges(self, url: str) -> bool:
        """Whether the server of a URL is known to ignore Range; False while the frontier cannot be read."""
        try:
            return self.habits.ignores(authority_of(url))
        except FrontierError:
            # The next component that writes to it stops the crawl, with the reason.
            return False

    # -- what may be requested -----------------------------------------------------------------------------------------

    @property
    def applied_delay(self) -> DelayPolicy:
        """The delays that apply to a site which has its IP address alone: the later of the two clocks counts."""
        delay, address = self.policy.delay, self.address_policy
        if not self.keeps_address_clocks:
            return delay
        minimum, first = max(delay.minimum, address.minimum), max(delay.first, address.minimum)
        factor, maximum = max(delay.factor, address.factor), max(delay.maximum, minimum)
        return replace(delay, factor=factor, minimum=minimum, maximum=maximum, first=first)

    def scope(self, include: Include | None = None, only_sites: frozenset[str] | None = None) -> Scope:
        """Make the scope, which decides whether a URL is accepted.

        Args:
            include: the whitelist, if there is one.
            only_sites: the sites to keep to; None for the whole web.
        """
        return Scope(
            today,
            self.scope_rules,
            nevercrawl=self.nevercrawl,
            include=include,
            only_sites=only_sites,
            loopback_only=self._is_anonymous,
        )

    @cached_property
    def nevercrawl(self) -> NeverCrawl:
        """The domains that are never requested.

        Raises:
            NeverCrawlError: the list cannot be read.
        """
        try:
            return load_nevercrawl(self.settings)
        except NeverCrawlError as error:
            # In a project of others Scrapy reports it as an unhandled error.
            logger.critical("%s (setting NEVERCRAWL_FILES)", error)
            raise

    @cached_property
    def guard(self) -> Guard:
        """Checks addresses before a connection is made. Middlewares add checks to its list.

        It is made for the first of them: what the settings of a project with our addon say is known then.

        Raises:
            ValueError: the setting ``GUARD_ALLOW`` or ``RESOLVER_HOSTS`` cannot be used.
        """
        return guard_of(self.settings)


@cache
def gives_leases(named: object) -> bool:
    """Whether the value of ``SCHEDULER`` is our scheduler, or a subclass of it."""
    try:
        scheduler = load_object(named)  # type: ignore[arg-type]
    except (ImportError, NameError, TypeError, ValueError):
        # Scrapy reports it when it makes the scheduler.
        return False
    return any((each.__module__, each.__name__) == _SCHEDULER for each in getattr(scheduler, "__mro__", ()))


def _leave_out_mistakes(record: logging.LogRecord) -> bool:
    """Leave the traceback out with which asyncio logs a mistake of the user: a crawl could not begin."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, ArgumentError):
        for sentence in str(error).splitlines():
            logger.critical("%s", sentence)
    return not isinstance(error, ArgumentError | SettingsError | NeverCrawlError)
