"""The domain objects that one crawl shares, made from its settings once, when the first door asks for them."""

from __future__ import annotations

import atexit
import datetime as dt
import logging
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.settings import SETTINGS_PRIORITIES
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.misc import load_object

from mediacrawl.clock import Clock
from mediacrawl.connection import Client, ConnectionSettingError, connect, hidden, redis_url
from mediacrawl.encoding.history import History
from mediacrawl.fleet import server
from mediacrawl.folders import spider_folder, state_folder
from mediacrawl.foreign import is_ours
from mediacrawl.frontier import Counts, Frontier, FrontierError, FrontierPolicy
from mediacrawl.frontier.contract import Remote
from mediacrawl.frontier.order import BestFirst, Levels, RankOrder
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.stores import SQLITE_FILE, open_store
from mediacrawl.notes import NoNotes
from mediacrawl.observe import RequestLog
from mediacrawl.observe.dead_end import Fates
from mediacrawl.observe.finds import Finds
from mediacrawl.politeness.address_clocks import AddressClocks, AddressPolicy
from mediacrawl.politeness.backoff import BackoffPolicy
from mediacrawl.politeness.delay import ANY_HOUR, DelayPolicy, factors_by_hour
from mediacrawl.politeness.dns_cache import DnsLimits
from mediacrawl.politeness.guard import LOOPBACK, Guard
from mediacrawl.politeness.names import NamePolicy, fixed_hosts, server_of
from mediacrawl.politeness.robots_book import RobotsBook, RobotsTimes
from mediacrawl.politeness.shared_clocks import SharedAddressClocks
from mediacrawl.priority.credit import CreditPolicy
from mediacrawl.priority.hubs import Hubs
from mediacrawl.priority.nuggets import Nuggets, UserFunction
from mediacrawl.priority.orders import MODEL, RECORDS, Alike, ModelError, Priority, Rules, SiteRate
from mediacrawl.priority.score import RULES, Scores
from mediacrawl.probe import ProbePolicy
from mediacrawl.probe.habits import RangeHabits
from mediacrawl.probe.open_lists import OpenLists
from mediacrawl.scope import DuplicatePolicy, Duplicates, Scope, ScopeRules, Traps
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.exclusions import NeverCrawl
from mediacrawl.scope.hosts import canonical_host
from mediacrawl.scope.include import Include
from mediacrawl.scope.ports import REFUSED_PORTS
from mediacrawl.scope.reach import Reach
from mediacrawl.scope.sessions import SESSION_NAMES
from mediacrawl.scope.sites import authority_of
from mediacrawl.setting_kinds import SettingsError, check_settings, user_function

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from mediacrawl.frontier.redis.store import RedisFrontier
    from mediacrawl.frontier.redis.worker import RedisWorker
    from mediacrawl.names import GuardedNames
    from mediacrawl.priority.adaptive import AdaptivePolicy
    from mediacrawl.priority.classes import ScorePolicy
    from mediacrawl.priority.learner import Learner

logger = logging.getLogger(__name__)

PLACEHOLDER = "example.invalid"
REDIS = "redis"
MODEL_FILE = "model.npz"
"""What an adaptive crawl has learned of links, in the folder of its frontier."""
OLD_MODEL = "model.old.npz"
"""Where that of a crawl before stays when one begins afresh."""

_LOOKED_AT_REDIS = 1
"""Sites that a worker on Redis looks at again with each fetch, at most: there each site that has moved costs a message,
and several workers look at the same sites."""
_RETRY = 0.5
"""Seconds between two tries to reach Redis at the start."""

_GRACE = 2.0
"""Seconds between the end of a visit that took as long as it may and the time when its lease may be given away."""

_OUR_SCHEDULER = ("mediacrawl.scheduler", "PenaltyBoxScheduler")

NOTHING = Counts(0, 0, 0, 0, 0, {})
"""The numbers of a frontier that is not there."""

_UNPACKED = ExitStack()
atexit.register(_UNPACKED.close)

_PARTS: WeakKeyDictionary[Crawler, Parts] = WeakKeyDictionary()


class Parts:
    """What the doors of one crawl share.

    Args:
        settings: the crawl's; every value is read once, on first use.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self.settings = settings
        self.spider = "media"
        """Name of the spider: keys in Redis begin with it."""
        self.is_ours = True
        """Whether it is one of our spiders. Other people's may be several in a project, each with state of its own."""
        self.clock = Clock()
        hosts = settings.getint("MOJIBAKE_HISTORY_HOSTS", 10_000)
        self.encodings = History(hosts) if hosts > 0 else None
        """Encodings in which pages and lists of a host were read, for those that declare none. It is not kept."""
        self.finds = Finds()
        """The records of this crawl, in numbers."""
        self.fates = Fates()
        """What became of the seeds, if the spider begins with some."""
        self.tells_fates = False
        """Whether `fates` is filled."""
        self.final: Counts | None = None
        """The frontier in numbers when it was closed."""
        self._resumes = False

    @classmethod
    def of(cls, crawler: Crawler) -> Parts:
        """The parts of this crawl. When they are made the settings are looked at.

        Raises:
            SettingsError: a setting cannot be used. The log says so, since Scrapy may tell of an error of its own then.
        """
        if crawler not in _PARTS:
            try:
                check_settings(crawler.settings, logger.warning)
            except SettingsError as error:
                for sentence in str(error).splitlines():
                    logger.critical("%s", sentence)
                raise
            _PARTS[crawler] = cls(crawler.settings)
            _PARTS[crawler].spider = crawler.spidercls.name
            _PARTS[crawler].is_ours = is_ours(crawler.spidercls)
        return _PARTS[crawler]

    @cached_property
    def folder(self) -> Path:
        """Where the crawl's state lies: JOBDIR, if set, else MEDIACRAWL_DIR."""
        return state_folder(self.settings)

    @cached_property
    def frontier_folder(self) -> Path:
        """Where the frontier lies, and what belongs to it: of other people's spiders ``spiders/<name>`` of the folder.

        A spider of ours with a frontier of its own names another folder here, before it is opened.
        """
        return self.folder if self.is_ours else spider_folder(self.folder, self.spider)

    @property
    def keeps_frontier(self) -> bool:
        """Whether the frontier is kept for a later start. Other people's spiders keep theirs as Scrapy does: in JOBDIR.

        In Redis it is kept for all.
        """
        return self.is_ours or self.store != "memory"

    @cached_property
    def delay(self) -> DelayPolicy:
        """The politeness formula's numbers."""
        get = self.settings.getfloat
        return DelayPolicy(
            factor=get("POLITENESS_FACTOR", 30.0),
            minimum=get("POLITENESS_MIN_DELAY", 15.0),
            maximum=get("POLITENESS_MAX_DELAY", 1800.0),
            first=get("POLITENESS_FIRST_DELAY", 60.0),
            tail_sites=self.settings.getint("POLITENESS_TAIL_SITES", 100),
            tail_factor=get("POLITENESS_TAIL_FACTOR", 2.0),
            hours=factors_by_hour(hours) if (hours := self.settings.getdict("POLITENESS_HOURS")) else ANY_HOUR,
            backoff=self._backoff,
            # Scrapy has put a spider's own download_delay there.
            floor=max(get("DOWNLOAD_DELAY", 0.0), 0.0),
        )

    @property
    def _backoff(self) -> BackoffPolicy:
        get, getint = self.settings.getfloat, self.settings.getint
        return BackoffPolicy(
            maximum=get("BACKOFF_MAX", 21_600.0),
            jitter=get("BACKOFF_JITTER", 0.25),
            rest_after=getint("BACKOFF_REST_AFTER", 5),
            rest=get("BACKOFF_REST", 21_600.0),
            rest_maximum=get("BACKOFF_REST_MAX", 86_400.0),
            retire_after=get("BACKOFF_RETIRE_AFTER", 604_800.0),
            forbidden=getint("BACKOFF_FORBIDDEN", 20),
        )

    @cached_property
    def address_policy(self) -> AddressPolicy:
        """The numbers of the clocks of IP addresses."""
        get = self.settings.getfloat
        return AddressPolicy(
            factor=get("POLITENESS_ADDRESS_FACTOR", 5.0),
            minimum=get("POLITENESS_ADDRESS_MIN_DELAY", 1.0),
            maximum=get("POLITENESS_ADDRESS_MAX_DELAY", 60.0),
        )

    @cached_property
    def address_clocks(self) -> AddressClocks | SharedAddressClocks:
        """When each address may be asked again."""
        if isinstance(self.frontier, Remote):
            return SharedAddressClocks(self.address_policy, self.frontier.later, self.frontier.server_time, self._lease)
        return AddressClocks(self.address_policy, self.frontier, self.clock.now(), resumes=self._resumes)

    @cached_property
    def policy(self) -> FrontierPolicy:
        """The frontier's numbers."""
        getint = self.settings.getint
        return FrontierPolicy(
            delay=self.delay,
            order=self.order,
            explore=1.0 if self._priority == "random" else self.settings.getfloat("FRONTIER_EXPLORE", 0.02),
            classes=getint("FRONTIER_CLASSES", 60),
            attempts=getint("FRONTIER_ATTEMPTS", 3),
            budget=getint("FRONTIER_SITE_BUDGET", 1_000),
            earns=getint("FRONTIER_SITE_EARNS", 20),
            most=getint("FRONTIER_SITE_MOST", 100_000),
            front_least=getint("FRONTIER_FRONT", 1_000),
            front_most=getint("FRONTIER_FRONT_MAX", 100_000),
            cache=getint("FRONTIER_CACHE", 64 * 1024 * 1024),
            bloom=getint("FRONTIER_BLOOM", 0),
        )

    @cached_property
    def order(self) -> RankOrder:
        """In which order ready sites go."""
        if self._priority == "levels":
            return Levels(self.settings.getint("PRIORITY_LEVELS", 8))
        return BestFirst()

    @property
    def _priority(self) -> str:
        return str(self.settings.get("PRIORITY") or "rules")

    @cached_property
    def priority(self) -> Priority:
        """What gives link classes their scores.

        Raises:
            ModelError: the model of ``PRIORITY_MODEL`` cannot be read.
        """
        if self._priority == "adaptive":
            # NumPy takes a quarter of a second, which no command waits for that has no use for it.
            from mediacrawl.priority.adaptive import Adaptive  # noqa: PLC0415

            path = self.frontier_folder / MODEL_FILE if self.keeps_frontier else None
            order = Adaptive(self._adaptive_policy, self.frontier, path, _key_of)
            model = self.settings.get("PRIORITY_MODEL")
            order.begin(locate(model) if model else None, resumes=self._resumes)
            return order
        if self._priority == "site-rate":
            return SiteRate(self._credit_policy, _key_of)
        return Alike() if self._priority in {"breadth", "random"} else Rules()

    def learned(self, note: Callable[[str, str], bytes | None]) -> Learner | None:
        """What a crawl has learned of links, as it was written down last; None if it learns nothing, or has not yet.

        Args:
            note: gives what rooms keep in the frontier, see `Notes.note`.
        """
        if self._priority != "adaptive":
            return None
        from mediacrawl.priority.saved import load_model, loads  # noqa: PLC0415

        path = self.frontier_folder / MODEL_FILE
        try:
            if self.store == REDIS:
                packed = note(MODEL, MODEL)
                return loads(packed, 0.0)[0] if packed else None
            return load_model(path, 0.0)[0] if path.exists() else None
        except ModelError:
            return None

    @property
    def score_policy(self) -> ScorePolicy:
        """How a class's record and the model make its score."""
        from mediacrawl.priority.classes import ScorePolicy  # noqa: PLC0415

        get = self.settings.getfloat
        return ScorePolicy(weight=get("PRIORITY_SHRINK", 2.0), curiosity=get("PRIORITY_CURIOSITY", 0.1))

    @property
    def _credit_policy(self) -> CreditPolicy:
        getint = self.settings.getint
        return CreditPolicy(
            decay=self.settings.getfloat("PRIORITY_CREDIT", 0.7),
            steps=getint("PRIORITY_STEPS", 8),
            remembered=getint("PRIORITY_VISITS", 200_000),
        )

    @property
    def _adaptive_policy(self) -> AdaptivePolicy:
        from mediacrawl.priority.adaptive import AdaptivePolicy  # noqa: PLC0415

        get, getint = self.settings.getfloat, self.settings.getint
        looked_at = getint("PRIORITY_LOOKED_AT", 4)
        return AdaptivePolicy(
            score=self.score_policy,
            credit=self._credit_policy,
            rate=get("PRIORITY_RATE", 0.1),
            looked_at=min(looked_at, _LOOKED_AT_REDIS) if self.store == REDIS else looked_at,
            sites=getint("PRIORITY_SITES", 50_000),
            classes=self.policy.classes,
            paths=getint("PRIORITY_PATHS", 200),
            save_every=get("PRIORITY_SAVE", 60.0),
        )

    @cached_property
    def nugget_function(self) -> UserFunction:
        """What says of records and answers whether they are finds.

        Raises:
            ValueError: the setting ``NUGGET_FUNCTION`` cannot be used.
        """
        named = self.settings.get("NUGGET_FUNCTION") or "mediacrawl.priority.nuggets.media"
        return user_function("NUGGET_FUNCTION", named, 2)

    @cached_property
    def worth_opening(self) -> UserFunction | None:
        """What says of headers whether the body is worth having; None if all are.

        Raises:
            ValueError: the setting ``NUGGET_WORTH_OPENING`` cannot be used.
        """
        named = self.settings.get("NUGGET_WORTH_OPENING")
        return user_function("NUGGET_WORTH_OPENING", named, 3) if named else None

    @cached_property
    def nuggets(self) -> Nuggets:
        """What is a find, and which are new."""
        notes = self.frontier if self.leases else NoNotes()
        return Nuggets(self.nugget_function, notes, notes.later if isinstance(notes, Remote) else None)

    @cached_property
    def hubs(self) -> Hubs:
        """The pages that are asked again; only for a crawl with ``-a revisit``.

        Raises:
            FrontierError: the frontier, which keeps them, cannot be used.
        """
        notes = self.frontier if self.leases else NoNotes()
        return Hubs(
            notes,
            later=notes.later if isinstance(notes, Remote) else None,
            most=self.settings.getint("REVISIT_HUBS", 50_000),
            soonest=self.settings.getfloat("REVISIT_SOONEST", 3_600.0),
        )

    @cached_property
    def scores(self) -> Scores:
        """The score with which a link class starts.

        Raises:
            ValueError: the setting ``PRIORITY_SCORES`` cannot be used.
        """
        return Scores(self.settings.getdict("PRIORITY_SCORES") or RULES)

    @cached_property
    def frontier(self) -> Frontier:
        """The frontier, opened.

        Raises:
            FrontierError: it cannot be used, with what to do.
        """
        frontier: Frontier
        if self.store == REDIS:
            frontier = self._worker()
        else:
            frontier = open_store(self.store, self.frontier_folder, self.policy, self.clock.now())
        try:
            self._resumes = frontier.counts().seen > 0
        except BaseException:
            # Nobody else knows of it, and while it is open no other crawl can work in its folder.
            frontier.close()
            raise
        return frontier

    def close_frontier(self) -> None:
        """Let go of the frontier, if it was opened. Safe to call twice."""
        if "frontier" in vars(self):
            self.frontier.close()

    @property
    def resumes(self) -> bool:
        """Whether the frontier had URLs when it was opened."""
        return self._resumes

    @property
    def where(self) -> str:
        """Where the frontier is, for messages."""
        return hidden(redis_url(self.settings) or "") if self.store == REDIS else str(self.frontier_folder)

    @property
    def store(self) -> str:
        """Where the frontier is kept: ``sqlite``, ``memory``, or ``redis``, however that is named.

        That of somebody else's spider is on disk only with JOBDIR: without it a second run begins anew, as with Scrapy.
        """
        name = str(self.settings.get("SCHEDULER_STORE") or "sqlite").strip()
        if name == "sqlite" and not self.is_ours and not self.settings.get("JOBDIR"):
            return "memory"
        return REDIS if "://" in name else name

    @property
    def is_of_fleet(self) -> bool:
        """Whether the folder has the frontier of a fleet with a Redis server of its own, and no other one is named."""
        return (
            self.store == "sqlite"
            and (self.settings.getpriority("SCHEDULER_STORE") or 0) < SETTINGS_PRIORITIES["cmdline"]
            and redis_url(self.settings) is None
            and server.is_there(self.folder)
            and not (self.folder / SQLITE_FILE).exists()
        )

    def redis(self) -> tuple[Client, str, str]:
        """The Redis of the frontier: a client, what its keys begin with, and its URL without secrets.

        Raises:
            FrontierError: the settings cannot be used.
        """
        try:
            prefix = str(self.settings.get("REDIS_FRONTIER_KEY") or "%(spider)s:frontier") % {"spider": self.spider}
            return connect(self.settings), prefix, hidden(redis_url(self.settings) or "")
        except (ConnectionSettingError, ValueError, KeyError, TypeError) as error:
            raise FrontierError(str(error)) from error

    def redis_store(self, *, works: bool) -> RedisFrontier:
        """The frontier in Redis, as an operator's command asks it.

        Args:
            works: whether it takes leases.

        Raises:
            FrontierError: it cannot be used, with what to do.
        """
        from mediacrawl.frontier.redis.away import is_away  # noqa: PLC0415
        from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings  # noqa: PLC0415 - only if used

        client, prefix, server = self.redis()
        store = StoreSettings(
            lease=self._lease, works=works, scored=self._priority, begun=self.settings.getbool("FRONTIER_BEGUN")
        )
        end = monotonic() + self.settings.getfloat("REDIS_PATIENCE", 0.0)
        while True:
            try:
                return RedisFrontier(client, prefix, self.policy, self.clock.now(), settings=store, server=server)
            except FrontierError as error:
                if not is_away(error) or monotonic() > end:
                    raise
            sleep(_RETRY)

    def _worker(self) -> RedisWorker:
        """This crawl, as one of the workers on Redis."""
        from mediacrawl.frontier.redis.note_cache import NoteCache  # noqa: PLC0415
        from mediacrawl.frontier.redis.worker import RedisWorker  # noqa: PLC0415

        return RedisWorker(
            self.redis_store(works=True),
            self.clock.now,
            lease=self._lease,
            visit=self._longest_visit + _GRACE,
            bloom=self.policy.bloom or 1_000_000,
            notes=NoteCache(
                by_site=("copies", "parameters", "soft_404", "facets", RECORDS), by_authority=("robots", "ranges")
            ),
        )

    @property
    def _longest_visit(self) -> float:
        """Seconds that a visit may take at most."""
        get = self.settings.getfloat
        return get("DOWNLOAD_TIMEOUT", 30.0) + get("RESOLVER_TIMEOUT", 10.0)

    @property
    def _lease(self) -> float:
        """Seconds that a lease in Redis holds without a sign of life.

        Raises:
            FrontierError: a visit may take longer.
        """
        lease, visit = self.settings.getfloat("FRONTIER_LEASE", 120.0), self._longest_visit
        if lease <= visit + 2 * _GRACE:
            raise FrontierError(
                f"FRONTIER_LEASE = {lease:g} is too short: a visit may take DOWNLOAD_TIMEOUT and RESOLVER_TIMEOUT,"
                f" {visit:g} s, so it must be above {visit + 2 * _GRACE:g}"
            )
        return lease

    def counts(self) -> Counts:
        """The frontier in numbers, also after it was closed; all zero without one."""
        if self.final is not None:
            return self.final
        return self.frontier.counts() if self.leases else NOTHING

    @property
    def leases(self) -> bool:
        """Whether this crawl runs on our scheduler, or a class of it, which gives a lease with every request."""
        return _is_our_scheduler(self.settings.get("SCHEDULER"))

    @cached_property
    def robots(self) -> RobotsBook:
        """What each authority's robots.txt said."""
        get = self.settings.getfloat
        times = RobotsTimes(
            max_age=get("ROBOTS_MAX_AGE", 86_400.0),
            min_age=get("ROBOTS_MIN_AGE", 3_600.0),
            retry=get("ROBOTS_RETRY", 300.0),
            give_up=get("ROBOTS_GIVE_UP", 30 * 86_400.0),
        )
        token = self.settings.get("ROBOTS_TOKEN") or "mediacrawl"
        return RobotsBook(token, times, self.frontier if self.leases else NoNotes())

    @cached_property
    def scope_rules(self) -> ScopeRules:
        """The settings of scope."""
        get, getlist = self.settings.getint, self.settings.getlist
        traps = Traps(
            max_length=get("SCOPE_MAX_LENGTH", 2048),
            max_segments=get("SCOPE_MAX_SEGMENTS", 20),
            max_repeats=get("SCOPE_MAX_REPEATS", 3),
            max_cycles=get("SCOPE_MAX_CYCLES", 2),
            years_ahead=get("SCOPE_YEARS_AHEAD", 1),
            first_year=get("SCOPE_FIRST_YEAR", 1990),
            max_parameters=get("SCOPE_MAX_PARAMETERS", 12),
            max_same_parameter=get("SCOPE_MAX_SAME_PARAMETER", 3),
        )
        return ScopeRules(
            traps=traps,
            session_names=tuple(getlist("SCOPE_SESSION_NAMES", list(SESSION_NAMES))),
            max_depth=get("SCOPE_MAX_DEPTH", 20),
            extensions=locate(self.settings.get("SCOPE_EXTENSIONS_FILE") or "exclusions/extensions.txt"),
            nevercrawl=tuple(map(locate, getlist("NEVERCRAWL_FILES", ["exclusions/NeverCrawl.txt"]))),
            refused_ports=tuple(map(int, getlist("SCOPE_REFUSED_PORTS", list(REFUSED_PORTS)))),
        )

    def scope(self, include: Include | None = None, only_sites: frozenset[str] | None = None) -> Scope:
        """What decides whether a URL may join.

        Args:
            include: the whitelist, if there is one.
            only_sites: the sites to keep to; None for the whole web.
        """
        return self.scope_rules.scope(
            today,
            nevercrawl=self.nevercrawl,
            include=include,
            only_sites=only_sites,
            loopback_only=self.anonymous,
        )

    @cached_property
    def duplicates(self) -> Duplicates:
        """What the crawl has seen before under another name."""
        get = self.settings.getint
        policy = DuplicatePolicy(
            pages=get("SCOPE_COPY_PAGES", 200),
            bits=get("SCOPE_NEAR_BITS", 3),
            near_text=get("SCOPE_NEAR_TEXT", 500),
            thin_text=get("SCOPE_THIN_TEXT", 500),
            dust_pages=get("SCOPE_DUST_PAGES", 3),
            mirror_pages=get("SCOPE_MIRROR_PAGES", 5),
            mirror_share=self.settings.getfloat("SCOPE_MIRROR_SHARE", 0.9),
            combinations=get("SCOPE_MAX_COMBINATIONS", 300),
            soft_404=self.settings.getbool("SCOPE_SOFT_404", True),
        )
        return Duplicates(self.frontier if self.leases else NoNotes(), policy)

    @cached_property
    def nevercrawl(self) -> NeverCrawl:
        """The domains that are never asked."""
        interval = self.settings.getfloat("NEVERCRAWL_RELOAD", 900.0)
        return NeverCrawl.load(self.scope_rules.nevercrawl, self.clock.now(), interval)

    @cached_property
    def names(self) -> NamePolicy:
        """How names are looked up.

        Raises:
            ValueError: a setting ``RESOLVER_...`` cannot be used.
        """
        get, getint = self.settings.getfloat, self.settings.getint
        hosts = fixed_hosts(self.settings.getdict("RESOLVER_HOSTS"))
        return NamePolicy(
            servers=tuple(map(server_of, self.settings.getlist("RESOLVER_SERVERS"))),
            families=tuple(self.settings.getlist("RESOLVER_FAMILIES", ["ipv4", "ipv6"])),
            timeout=get("RESOLVER_TIMEOUT", 10.0),
            at_once=getint("RESOLVER_CONCURRENCY", 64),
            limits=DnsLimits(
                least=get("RESOLVER_MIN_TTL", 60.0),
                most=get("RESOLVER_MAX_TTL", 86_400.0),
                negative=get("RESOLVER_NEGATIVE_TTL", 3600.0),
                failure=get("RESOLVER_FAILURE_TTL", 30.0),
                names=getint("RESOLVER_CACHE", 100_000),
            ),
            hosts={canonical_host(name) or name.lower(): addresses for name, addresses in hosts.items()},
        )

    @cached_property
    def guard(self) -> Guard:
        """What judges addresses before they are asked. Further judges are added to its list.

        Raises:
            ValueError: the setting ``GUARD_ALLOW`` or ``RESOLVER_HOSTS`` cannot be used.
        """
        at_home = LOOPBACK if self.at_home else ()
        return Guard([*self.settings.getlist("GUARD_ALLOW"), *at_home], self.names.hosts)

    @cached_property
    def resolver(self) -> GuardedNames:
        """What tells the address that is asked for a host."""
        from mediacrawl.names import GuardedNames  # noqa: PLC0415 - most commands look up no name

        return GuardedNames(self.guard)

    @cached_property
    def log_folder(self) -> Path:
        """Where the request log lies: several crawls may share it."""
        return Path(self.settings.get("REQUEST_LOG_DIR") or self.folder / "log")

    @cached_property
    def request_log(self) -> RequestLog:
        """The log of every request."""
        return RequestLog(self.log_folder, keep_days=self.settings.getint("REQUEST_LOG_DAYS", 31))

    @cached_property
    def probe(self) -> ProbePolicy:
        """What a media file may cost."""
        return ProbePolicy(
            head_bytes=self.settings.getint("PROBE_HEAD_BYTES", 16_384),
            single_bytes=self.settings.getint("PROBE_SINGLE_BYTES", 65_536),
            max_requests=self.settings.getint("PROBE_MAX_REQUESTS", 6),
            max_bytes=self.settings.getint("PROBE_MAX_BYTES", 262_144),
            max_tag_bytes=self.settings.getint("PROBE_MAX_TAG_BYTES", 4_194_304),
            max_record_bytes=self.settings.getint("PROBE_MAX_RECORD_BYTES", 131_072),
        )

    @cached_property
    def open_lists(self) -> OpenLists:
        """The lists that are on their way or being read."""
        return OpenLists(self.settings.getint("LIST_OPEN_BYTES", 30_000_000))

    @cached_property
    def habits(self) -> RangeHabits:
        """Which servers ignore Range."""
        return RangeHabits(self.frontier if self.leases else NoNotes())

    def ignores_ranges(self, url: str) -> bool:
        """Whether the server of a URL is known to ignore Range; False while the frontier cannot say.

        Args:
            url: absolute.
        """
        try:
            return self.habits.ignores(authority_of(url))
        except FrontierError:
            # Whoever writes to it next says so, and stops the crawl.
            return False

    @property
    def contact(self) -> str:
        """Where an operator of a site finds us."""
        return str(self.settings.get("MEDIACRAWL_CONTACT") or PLACEHOLDER)

    @property
    def anonymous(self) -> bool:
        """Whether the contact is still the placeholder: then only loopback is crawled."""
        return PLACEHOLDER in self.contact

    @cached_property
    def reach(self) -> Reach:
        """Where this crawl may begin with its contact."""
        return Reach.of(self.contact, self.names.hosts, anonymous=self.anonymous)

    @property
    def at_home(self) -> bool:
        """Whether nothing but this machine is crawled: there is no contact, and `ContactMiddleware` sees to it."""
        switched = self.settings.getdict("DOWNLOADER_MIDDLEWARES")
        named = [str(getattr(key, "__name__", key)) for key, order in switched.items() if order is not None]
        return self.anonymous and any(name.endswith("ContactMiddleware") for name in named)

    @property
    def user_agent(self) -> str:
        """The User-Agent header of our requests."""
        return str(self.settings.get("USER_AGENT")).replace("{contact}", self.contact)


def _key_of(url: str) -> int:
    """The key, in the frontier, of a URL as it was requested."""
    return url_key(canonical(url) or url)


@cache
def _is_our_scheduler(named: object) -> bool:
    try:
        scheduler = load_object(named)  # type: ignore[arg-type]
    except (ImportError, NameError, TypeError, ValueError):
        # Scrapy says so when it makes the scheduler.
        return False
    return any((each.__module__, each.__name__) == _OUR_SCHEDULER for each in getattr(scheduler, "__mro__", ()))


def locate(name: str | Path) -> Path:
    """A file named in settings: as it stands, else in the folder of ``scrapy.cfg``, else the package's own copy."""
    path = Path(name)
    if path.is_absolute() or path.exists():
        return path
    if cfg := closest_scrapy_cfg():
        beside = Path(cfg).parent / path
        if beside.exists():
            return beside
    return _own_copy(path) or path


def _own_copy(path: Path) -> Path | None:
    """The package's copy of a file; in a zipped egg it is unpacked for as long as the process lives."""
    own = resources.files("mediacrawl").joinpath(*path.parts)
    if path.is_absolute() or not own.is_file():
        return None
    return own if isinstance(own, Path) else _UNPACKED.enter_context(resources.as_file(own))


def today() -> dt.date:
    """The date, for rules that look at dates in URLs."""
    return dt.datetime.now(dt.UTC).date()
