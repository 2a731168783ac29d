"""The domain objects that one crawl shares, made from its settings once, when the first door asks for them."""

from __future__ import annotations

import atexit
import datetime as dt
import logging
from contextlib import ExitStack
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from scrapy.utils.conf import closest_scrapy_cfg

from mediacrawl.clock import Clock
from mediacrawl.folders import state_folder
from mediacrawl.frontier import Counts, Frontier, FrontierPolicy
from mediacrawl.frontier.order import BestFirst, Levels, Order
from mediacrawl.frontier.stores import open_store
from mediacrawl.notes import NoNotes
from mediacrawl.observe import RequestLog
from mediacrawl.politeness.address_clocks import AddressClocks, AddressPolicy
from mediacrawl.politeness.backoff import BackoffPolicy
from mediacrawl.politeness.delay import ANY_HOUR, DelayPolicy, factors_by_hour
from mediacrawl.politeness.dns_cache import DnsLimits
from mediacrawl.politeness.guard import LOOPBACK, Guard
from mediacrawl.politeness.names import NamePolicy, fixed_hosts, server_of
from mediacrawl.politeness.robots_book import RobotsBook, RobotsTimes
from mediacrawl.priority.score import RULES, Scores
from mediacrawl.probe import ProbePolicy
from mediacrawl.scope import DuplicatePolicy, Duplicates, Scope, ScopeRules, Traps
from mediacrawl.scope.exclusions import NeverCrawl
from mediacrawl.scope.hosts import canonical_host
from mediacrawl.scope.include import Include
from mediacrawl.scope.reach import Reach
from mediacrawl.scope.sessions import SESSION_NAMES

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from mediacrawl.names import GuardedNames

logger = logging.getLogger(__name__)

PLACEHOLDER = "example.invalid"

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
        self.clock = Clock()
        self.final: Counts | None = None
        """The frontier in numbers when it was closed."""
        self._resumes = False

    @classmethod
    def of(cls, crawler: Crawler) -> Parts:
        """The parts of this crawl."""
        if crawler not in _PARTS:
            _PARTS[crawler] = cls(crawler.settings)
        return _PARTS[crawler]

    @cached_property
    def folder(self) -> Path:
        """Where the crawl's state lies: JOBDIR, if set, else MEDIACRAWL_DIR."""
        return state_folder(self.settings)

    @cached_property
    def frontier_folder(self) -> Path:
        """Where the frontier lies. A spider with one of its own names another folder here, before it is opened."""
        return self.folder

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
    def address_clocks(self) -> AddressClocks:
        """When each address may be asked again."""
        return AddressClocks(self.address_policy, self.frontier, self.clock.now(), resumes=self._resumes)

    @cached_property
    def policy(self) -> FrontierPolicy:
        """The frontier's numbers."""
        getint = self.settings.getint
        return FrontierPolicy(
            delay=self.delay,
            order=self.order,
            explore=self.settings.getfloat("FRONTIER_EXPLORE", 0.02),
            classes=getint("FRONTIER_CLASSES", 60),
            attempts=getint("FRONTIER_ATTEMPTS", 3),
            budget=getint("FRONTIER_SITE_BUDGET", 1_000),
            earns=getint("FRONTIER_SITE_EARNS", 20),
            front_least=getint("FRONTIER_FRONT", 1_000),
            front_most=getint("FRONTIER_FRONT_MAX", 100_000),
            cache=getint("FRONTIER_CACHE", 64 * 1024 * 1024),
            bloom=getint("FRONTIER_BLOOM", 0),
        )

    @cached_property
    def order(self) -> Order:
        """In which order ready sites go.

        Raises:
            ValueError: the setting ``PRIORITY`` names none.
        """
        name = self.settings.get("PRIORITY") or "rules"
        if name == "rules":
            return BestFirst()
        if name == "levels":
            return Levels(self.settings.getint("PRIORITY_LEVELS", 8))
        raise ValueError(f"PRIORITY = {name!r} is no order; use 'rules' or 'levels'")

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
        store = self.settings.get("SCHEDULER_STORE") or "sqlite"
        frontier = open_store(store, self.frontier_folder, self.policy, self.clock.now())
        self._resumes = frontier.counts().seen > 0
        return frontier

    def counts(self) -> Counts:
        """The frontier in numbers, also after it was closed; all zero without one."""
        if self.final is not None:
            return self.final
        return self.frontier.counts() if self.leases else NOTHING

    @property
    def leases(self) -> bool:
        """Whether this crawl runs on our scheduler, which gives a lease with every request."""
        named = self.settings.get("SCHEDULER")
        return str(getattr(named, "__name__", named)).endswith("PenaltyBoxScheduler")

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
            at_once=max(getint("RESOLVER_CONCURRENCY", 64), 1),
            limits=DnsLimits(
                least=get("RESOLVER_MIN_TTL", 60.0),
                most=get("RESOLVER_MAX_TTL", 86_400.0),
                negative=get("RESOLVER_NEGATIVE_TTL", 3600.0),
                failure=get("RESOLVER_FAILURE_TTL", 30.0),
                names=max(getint("RESOLVER_CACHE", 100_000), 1),
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
    def request_log(self) -> RequestLog:
        """The log of every request."""
        return RequestLog(self.folder / "log", keep_days=self.settings.getint("REQUEST_LOG_DAYS", 31))

    @cached_property
    def probe(self) -> ProbePolicy:
        """What a media file may cost."""
        return ProbePolicy(
            head_bytes=self.settings.getint("PROBE_HEAD_BYTES", 16_384),
            max_requests=self.settings.getint("PROBE_MAX_REQUESTS", 6),
            max_bytes=self.settings.getint("PROBE_MAX_BYTES", 262_144),
        )

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
