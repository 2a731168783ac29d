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
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.politeness.robots_book import RobotsBook
from mediacrawl.priority.score import RULES, Scores
from mediacrawl.probe import ProbePolicy
from mediacrawl.scope import DuplicatePolicy, Duplicates, Scope, ScopeRules, Traps
from mediacrawl.scope.exclusions import NeverCrawl
from mediacrawl.scope.include import Include
from mediacrawl.scope.sessions import SESSION_NAMES

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

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
        )

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
        return open_store(store, self.frontier_folder, self.policy, self.clock.now())

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
        return RobotsBook(
            token=self.settings.get("ROBOTS_TOKEN") or "mediacrawl",
            max_age=self.settings.getfloat("ROBOTS_MAX_AGE", 86_400.0),
            retry=self.settings.getfloat("ROBOTS_RETRY", 3600.0),
            store=self.frontier if self.leases else NoNotes(),
            attempts=self.policy.attempts,
        )

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
