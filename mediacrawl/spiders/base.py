"""The base classes of the spiders."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, Self, TypeVar, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.settings import BaseSettings, default_settings
from twisted.python.failure import Failure

from mediacrawl.base.clock import Clock
from mediacrawl.base.queued import WAITS
from mediacrawl.base.sqlite_file import StateFile, StateFileError
from mediacrawl.base.terms import Candidate, Drop, End, Kind, Limit, Outcome, SiteState, Trouble
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.arguments import Argument, ArgumentError, check_frontier, check_nevercrawl, refuse_unknown
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import find_lease_holder
from mediacrawl.crawl.own_settings import REDIS, is_of_fleet, state_folder, store_of
from mediacrawl.crawl.policies import frontier_policy, probe_policy, user_agent_of
from mediacrawl.crawl.signals import listen_to_visits
from mediacrawl.frontier import Frontier, FrontierError, FrontierPolicy
from mediacrawl.frontier.stores import SQLITE_FILE, delete_store, open_store
from mediacrawl.politeness.caching import is_conditional
from mediacrawl.priority.revisits import is_revisit
from mediacrawl.probe import Session
from mediacrawl.reading.reader import Reader
from mediacrawl.record import MediaItem
from mediacrawl.scope import Scope
from mediacrawl.scope.urls import authority_of, referer

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from mediacrawl.scheduler import PenaltyBoxScheduler
    from mediacrawl.scope.include import Include


class MediaCrawlClocks:
    """The clocks of sites in the media crawl's frontier. Every visit of the other crawl is committed there.

    While it is open no media crawl can run in the state folder.
    """

    def __init__(self, store: Frontier) -> None:
        self._store = store
        self._met: set[str] = set()

    @classmethod
    def of(cls, folder: Path, policy: FrontierPolicy, clock: Clock) -> Self | None:
        """Return the frontier in a state folder; None if no crawl has been there.

        Raises:
            FrontierError: a crawl is working on it, or it cannot be used.
        """
        if not (folder / SQLITE_FILE).exists():
            return None
        return cls(open_store("sqlite", folder, policy, clock.now(), offset=clock.offset))

    def copy(self, site: str, own: Frontier, now: float) -> None:
        """Copy the release time of a site into another frontier, the first time that it is named."""
        if site in self._met:
            return
        self._met.add(site)
        known = self._store.site(site)
        if known is None or known.release <= now:
            return
        # As a visit now: the site waits a whole delay, and what its troubles add to it.
        last, left = known.samples[-1] if known.samples else None, known.release - now
        visit = Outcome(End.DONE, response_time=last, crawl_delay=known.crawl_delay or None, retry_after=left)
        own.charge(site, visit, now)

    def excludes(self, site: str) -> bool:
        """Whether the media crawl has retired a site for trouble, or the operator has paused it."""
        known = self._store.site(site)
        return known is not None and (known.gone or known.state is SiteState.PAUSED)

    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        """Count a visit of the other crawl."""
        if outcome.asked:
            self._store.charge(site, outcome, now)
            self._store.commit()

    def close(self) -> None:
        """Close the frontier."""
        self._store.close()


_SLOW = 0.5
"""Seconds of processor time: no page may take more of the reactor, in which nothing else happens meanwhile."""
Items = list[MediaItem] | None
"""The return value of a callback."""
NEEDS_SCHEDULER = (
    "The spider %s needs SCHEDULER = 'mediacrawl.scheduler.PenaltyBoxScheduler', which keeps the delays of sites;"
    " to share a crawl between workers, as with scrapy-redis, add SCHEDULER_STORE = 'redis'"
)
"""What to do about another scheduler; the name of the spider is filled in."""


class ProbingSpider(Spider):
    """Base class of the spiders: makes the requests of leases and reads the responses."""

    makes_requests_of_leases = True
    """Whether the scheduler calls `make_request` for each lease. The spiders of other projects yield their requests."""
    follows = True
    """Whether pages and feeds are read for their links."""
    takes: ClassVar[tuple[Argument, ...]] = ()
    """The arguments of ``-a``, as ``scrapy crawl NAME -h`` shows them. A subclass outside mediacrawl accepts others,
    too, unless it declares ``takes`` itself."""
    logs_start = False
    """Whether the spider logs how the crawl starts; otherwise the scheduler does."""
    stop_below = 0
    """The crawl ends when fewer sites have waiting URLs, after it had more; 0 for never."""
    explores = False
    """Whether the sitemaps of a robots.txt are added."""

    def __init__(self, crawler: Crawler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._context = CrawlContext.of(crawler)
        agent = user_agent_of(crawler.settings)
        self._probe_policy = probe_policy(crawler.settings)
        self._page_headers = {
            "User-Agent": agent,
            "Accept": "text/html,application/xhtml+xml,application/rss+xml,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        }
        # A range of a compressed response is not a range of the file.
        self._media_headers = {
            "User-Agent": agent,
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            # Icecast servers send the current title only on request.
            "Icy-MetaData": "1",
        }
        if not self._context.leases and not crawler.settings.frozen:
            # Another one may not open without settings of its own, before `scheduler` can say what to do.
            crawler.settings.set("SCHEDULER", default_settings.SCHEDULER, "cmdline")
        self._scope: Scope | None = None
        self._scheduler: PenaltyBoxScheduler | None = None
        self._reader: Reader | None = None

    # -- used by middlewares and extensions ------------------------------------------------------------------

    @property
    def scheduler(self) -> PenaltyBoxScheduler:
        """The scheduler that this spider needs.

        Raises:
            CloseSpider: the project's setting ``SCHEDULER`` names another one; the log says what to do.
        """
        if self._scheduler is None:
            holder = find_lease_holder(self.crawler)
            if holder is None:
                self.logger.critical(NEEDS_SCHEDULER, self.name)
                raise CloseSpider("start_error")
            self._scheduler = cast("PenaltyBoxScheduler", holder)
        return self._scheduler

    @property
    def scope(self) -> Scope:
        """Decides whether a URL is accepted; created when the seeds are known."""
        if self._scope is None:
            self._scope = self._context.scope(self.include, self.only_sites)
        return self._scope

    @property
    def revisit(self) -> float:
        """Share of the requests that may be revisits."""
        return 0.0

    @property
    def include(self) -> Include | None:
        """The whitelist, if there is one."""
        return None

    @property
    def only_sites(self) -> frozenset[str] | None:
        """The sites to keep to; None for the whole web."""
        return None

    @property
    def reader(self) -> Reader:
        """The reader of responses."""
        if self._reader is None:
            stats = self.crawler.stats
            self._reader = Reader(self._context, self.scheduler, self.scope, stats, follows=self.follows)
        return self._reader

    def admit(self, candidate: Candidate) -> bool:
        """Whether a URL that was not found on a page is accepted; a refusal is counted."""
        return self.refusal(candidate) is None

    def refusal(self, candidate: Candidate) -> Drop | None:
        """Return the reason to drop a URL that was not found on a page, which is counted; None if it is accepted."""
        is_data = candidate.evidence.via == WAITS
        url = candidate.url.partition("#")[0] if is_data else candidate.url
        # What is expected to be a list or a file was declared so where it was found.
        reason = self.scope.check(url, candidate.depth, any_extension=candidate.kind is not Kind.PAGE or is_data)
        if reason is not None:
            self.crawler.stats.inc_value(f"drop/{reason}")
        return reason

    def admits_site(self, url: str) -> bool:
        """Whether any request may go to the host of a URL, such as one for a robots.txt after a redirect."""
        return self.scope.check_host(authority_of(url).partition("://")[2]) is None

    def make_request(self, visit: Visit) -> Request:
        """Return the request of a lease: a page as a whole, a media file by the next range of its probe."""
        meta = {VISIT: visit, "verbatim_url": True, "download_slot": visit.lease.site}
        if visit.lease.evidence.via == WAITS:
            headers = {**self._page_headers, **self._context.adapters.headers(visit.lease.evidence)}
            return Request(visit.fetch.url, headers=headers, meta=meta)
        said = referer(visit.lease.parent, visit.fetch.url)
        found_at = {"Referer": said} if said else {}
        if visit.fetch.kind is not Kind.MEDIA:
            if self._context.hubs is not None and is_revisit(visit.lease):
                # An unchanged page is not sent again.
                found_at |= self._context.hubs.conditional(visit.lease.url)
            return Request(visit.fetch.url, headers=self._page_headers | found_at, meta=meta)
        once = self._context.ignores_ranges(visit.fetch.url)
        session = Session.load(visit.lease.state, self._probe_policy, once=once)
        headers = self._media_headers | found_at
        if session.asks_range:
            start, stop = session.probe.next_range() or (0, 1)
            visit.request_range(stop - start)
            headers["Range"] = f"bytes={start}-{stop - 1}"
            if session.first.validator and start:
                headers["If-Range"] = session.first.validator
        return Request(
            visit.fetch.url, headers=headers, meta=meta, errback=self.range_failed if visit.lease.state else None
        )

    # -- responses -------------------------------------------------------------------------------------------

    def parse(self, response: Response, **_: Any) -> Items | Coroutine[Any, Any, Items]:
        """Read a response. The visit ends here, or, if there are items, when the pipelines have stored them."""
        visit: Visit = response.meta[VISIT]
        if visit.decision.outcome is None and _is_unchanged(response):
            visit.decision.outcome = Outcome(End.DONE)
        if visit.decision.outcome is not None:
            return self._finish(visit, [])
        began = time.thread_time()
        try:
            found = self.reader.read(visit, response)
        except FrontierError as error:
            found = self._cannot_store(visit, error)
        if time.thread_time() - began > _SLOW:
            visit.decision.limits.add(Limit.SLOW)
        if not isinstance(found, list):
            return self._read_in_thread(visit, response, found)
        waiting = None if found else self._show_response(visit, response)
        return self._finish(visit, found) if waiting is None else self._end_when_judged(visit, waiting)

    async def parsed(self, response: Response) -> Items:
        """Return the result of `parse`, for spiders that do more with it."""
        given = ProbingSpider.parse(self, response)
        return await given if isinstance(given, Coroutine) else given

    async def _read_in_thread(
        self, visit: Visit, response: Response, found: Coroutine[Any, Any, list[MediaItem]]
    ) -> Items:
        try:
            items = await found
        except FrontierError as error:
            items = self._cannot_store(visit, error)
        waiting = None if items else self._show_response(visit, response)
        return self._finish(visit, items) if waiting is None else await self._end_when_judged(visit, waiting)

    def _show_response(self, visit: Visit, response: Response) -> Coroutine[Any, Any, None] | None:
        """Show a response without a record to the nugget function; not a cut one, which will be requested again."""
        return None if visit.decision.trouble is Trouble.CUT else self.scheduler.rewards.answer(visit, response)

    async def _end_when_judged(self, visit: Visit, waiting: Coroutine[Any, Any, None]) -> Items:
        await waiting
        return self._finish(visit, [])

    def _finish(self, visit: Visit, items: list[MediaItem]) -> Items:
        # A visit that ended while the thread was working is requested again.
        if not items or visit.decision.over:
            self.scheduler.leases.end(visit)
            return None
        visit.decision.items = len(items)
        return items

    def _cannot_store(self, visit: Visit, error: FrontierError) -> list[MediaItem]:
        """Leave the URL to the next crawl, since the frontier cannot store what was found."""
        visit.decision.found.clear()
        visit.decision.outcome = Outcome(End.CONTINUE, state=visit.lease.state)
        self.scheduler.stop("frontier_error", error)
        return []

    async def range_failed(self, failure: Failure) -> Items:
        """Errback of a probe's later ranges."""
        visit: Visit = failure.request.meta[VISIT]  # type: ignore[attr-defined]
        if (
            visit.decision.outcome is None
            and visit.fetch.sent is not None
            and not isinstance(failure.value, IgnoreRequest)
        ):
            item = await self.reader.without_range(visit, type(failure.value).__name__)
            if item is not None:
                return self._finish(visit, [item])
        self.scheduler.failed(failure)
        return None


def _is_unchanged(response: Response) -> bool:
    """Whether a conditional request was answered with 304 Not Modified."""
    return response.status == 304 and response.request is not None and is_conditional(response.request.headers)


class OwnArguments(Protocol):
    """The arguments of a spider with a frontier of its own."""

    @property
    def fresh(self) -> bool:
        """Whether the files of an earlier run are deleted."""
        ...


F = TypeVar("F", bound=StateFile)


class OwnFrontierSpider(ProbingSpider, Generic[F]):
    """Base class of the spiders that request a known list of URLs from a frontier of their own.

    The frontier is ``frontier.db`` in a folder within the state folder. The clocks of a media crawl in the same state
    folder apply to both (`MediaCrawlClocks`), and only one of the two runs at a time.
    """

    # All URLs are requested, so nothing is to be learned.
    custom_settings = {"PRIORITY": "rules"}  # noqa: RUF012 - as Scrapy declares it
    follows = False

    folder: ClassVar[str] = ""
    """Name of its folder within the state folder."""
    state_file: type[F]
    """The class of the file that it keeps beside its frontier."""
    file: F
    """That file; set when the spider opens."""
    renews: ClassVar[bool] = False
    """Whether what is left of a frontier without its file is deleted."""
    errors: ClassVar[tuple[type[Exception], ...]] = (StateFileError, FrontierError)
    """Exceptions of its own files; their message is one sentence, and the crawl ends."""

    def __init__(self, arguments: OwnArguments, crawler: Crawler, **kwargs: Any) -> None:
        super().__init__(crawler, **kwargs)
        self.arguments = arguments
        self._media_clocks: MediaCrawlClocks | None = None
        self._is_open = False

    @classmethod
    def from_crawler(cls, crawler: Crawler, **kwargs: Any) -> Self:
        """Make it for a crawl; scrapyd's ``_job`` and ``_version`` become attributes.

        Raises:
            ArgumentError: an argument cannot be used, or there is none of its name.
        """
        context = CrawlContext.of(crawler)
        refuse_unknown(kwargs, cls)
        given = {each.name: kwargs.pop(each.name) for each in cls.takes if each.name in kwargs}
        arguments = cls.read_arguments(crawler.settings, **given)
        context.frontier_folder = cls.own_folder(crawler.settings)
        # Every URL is to be requested, so sites have no budget.
        context.policy = replace(context.policy, budget=0)
        spider = cls(arguments, crawler, **kwargs)
        spider._set_crawler(crawler)
        if arguments.fresh:
            for path in [*delete_store(context.frontier_folder), *cls.state_file.delete(context.frontier_folder)]:
                spider.logger.info("fresh: deleted %s", path)
        elif cls._begins_anew(context.frontier_folder):
            delete_store(context.frontier_folder)
        crawler.signals.connect(spider._opened, signals.spider_opened)
        listen_to_visits(crawler, spider._visit_ended)
        crawler.signals.connect(spider._closed, signals.spider_closed)
        return spider

    @classmethod
    def check_arguments(cls, arguments: dict[str, str], settings: BaseSettings) -> None:
        """Check before the crawl starts that it can.

        Raises:
            ArgumentError: it cannot start; the message says why and what to do.
        """
        own = cls.own_folder(settings)
        known = {each.name: arguments[each.name] for each in cls.takes if each.name in arguments}
        fresh = cls.read_arguments(settings, **known).fresh
        check_nevercrawl(settings)
        check_frontier(settings, own, fresh=fresh or cls._begins_anew(own))
        if (state_folder(settings) / SQLITE_FILE).exists():
            check_frontier(settings, state_folder(settings), fresh=False)

    @classmethod
    def _begins_anew(cls, folder: Path) -> bool:
        return cls.renews and not (folder / SQLITE_FILE).exists()

    @classmethod
    def read_arguments(cls, settings: BaseSettings, **given: str) -> OwnArguments:
        """Read the arguments of the command line.

        Raises:
            ArgumentError: one of them cannot be used, or the crawl names no contact for its URLs.
        """
        raise NotImplementedError

    @classmethod
    def own_folder(cls, settings: BaseSettings) -> Path:
        """Return the folder of its frontier.

        Raises:
            ArgumentError: the media crawl's frontier is in Redis, and its clocks cannot be read from there.
        """
        if store_of(settings) == REDIS or is_of_fleet(settings):
            raise ArgumentError(
                f"{cls.name} shares the delays of sites with the frontier file of a crawl on this machine;"
                " with a fleet or SCHEDULER_STORE = 'redis' it cannot see"
                " what the workers request, so it does not start"
            )
        return state_folder(settings) / cls.folder

    def _opened(self) -> None:
        policy = frontier_policy(self.crawler.settings)
        try:
            self._media_clocks = MediaCrawlClocks.of(self._context.folder, policy, self._context.clock)
            for site in self._waiting_sites() if self._media_clocks is not None else ():
                self._copy_clocks(site)
            self.file = self.state_file(self._context.frontier_folder)
            self._is_open = True
            self._begin()
        except (ArgumentError, StateFileError, FrontierError) as error:
            self.logger.critical("%s", error)
            raise CloseSpider("start_error") from error

    def _begin(self) -> None:
        """Called when the frontier and the file are open."""
        raise NotImplementedError

    async def start(self) -> AsyncIterator[Any]:
        """Add URLs to the frontier; nothing is yielded."""
        with self._stopping():
            await self._work()
        return
        yield  # type: ignore[unreachable]  # Scrapy requires an asynchronous generator

    async def _work(self) -> None:
        """Add URLs to the frontier, until there are no more."""
        raise NotImplementedError

    def _waiting_sites(self) -> Iterator[str]:
        """Yield all sites in this spider's frontier where a URL waits."""
        after = ""
        while sites := self.scheduler.frontier.sites_under(after=after):
            yield from sites
            after = sites[-1]

    def _add(self, candidates: list[Candidate]) -> None:
        """Add URLs to the frontier, with the media crawl's clocks of their sites."""
        for site in {candidate.site for candidate in candidates}:
            self._copy_clocks(site)
        self.scheduler.add(candidates)

    def _copy_clocks(self, site: str) -> None:
        if self._media_clocks is not None:
            self._media_clocks.copy(site, self.scheduler.frontier, self._context.clock.now())

    def _is_left_alone(self, site: str) -> bool:
        return self._media_clocks is not None and self._media_clocks.excludes(site)

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        """Charge the media crawl for a visit, and copy its clocks of the sites that the visit leads to."""
        with self._stopping():
            if self._media_clocks is not None:
                self._media_clocks.charge(visit.lease.site, outcome, self._context.clock.now())
                for found in visit.decision.found:
                    self._copy_clocks(found.site)
            self._note_end(visit, outcome)

    def _note_end(self, visit: Visit, outcome: Outcome) -> None:
        """Note in the file what came of a visit."""
        raise NotImplementedError

    def _closed(self, reason: str) -> None:  # noqa: ARG002 - as Scrapy sends it
        if self._is_open:
            self.file.close()
        if self._media_clocks is not None:
            self._media_clocks.close()

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """End the crawl with one sentence if one of its files cannot be read or written."""
        try:
            yield
        except self.errors as error:
            self.scheduler.stop("store_error", error)
