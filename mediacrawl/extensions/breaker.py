"""The door to errors: the web's are counted, ours are written down, and too many of either kind end the crawl."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.utils.asyncio import CallLaterResult, call_later
from scrapy.utils.defer import deferred_from_coro

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import is_anticipated, trouble_in
from mediacrawl.middlewares.refused import RefusedRequest
from mediacrawl.observe.errors import ErrorCounts, Fault, FaultReport, Faults, UnreachableSites
from mediacrawl.observe.format import in_words, plural
from mediacrawl.observe.log_text import CriticalLog
from mediacrawl.own_settings import OwnSettings
from mediacrawl.records import Drop, Kind, Outcome, Trouble
from mediacrawl.scope import site_of
from mediacrawl.signals import visit_ended
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from mediacrawl.scheduler import PenaltyBoxScheduler

logger = logging.getLogger(__name__)

_UNREACHED = frozenset({Trouble.DNS, Trouble.CONNECTION, Trouble.TIMEOUT})
_BAD_ANSWERS = frozenset({Drop.CONTENT_TYPE, Drop.REDIRECT_BROKEN, Drop.REDIRECT_CAP})
_OUR_OWN = frozenset({IgnoreRequest.__name__, RefusedRequest.__name__})
WINDOW = 60.0
"""Seconds within which ``BREAKER_ERRORS`` faults end the crawl."""

FAULTS_OF_ONE_SITE = 5
"""Faults of one site, and of one IP address (IPv6: 64 bits), that count within `WINDOW`, so that the answers of a few
servers stop no crawl of others: by default faults of ten sites at ten addresses do, or 50 that no answer caused."""

SILENCE = 30.0
"""Seconds for which no site can be reached before the crawl ends: a router that restarts must not end it."""

_LOOK = 1.0
"""Seconds between two looks at what threads have seen."""
_EXCEPTIONS = "downloader/exception_type_count/"
_STATUSES = "downloader/response_status_count/"


class BreakerError(Exception):
    """The crawl has to stop. The message says what is broken, and what to do."""


class Breaker:
    """Counts anticipated errors, writes down the others, and stops the crawl when something is broken.

    What the web does wrong is counted by kind, and told in one line every ``LOGSTATS_INTERVAL`` seconds. Any other
    exception that the log is told of, wherever it was raised (callbacks, pipelines, middlewares, extensions, Deferreds
    and tasks that nobody waited for), is a fault. The crawl is closed with the reason ``breaker`` after
    ``BREAKER_ERRORS`` faults within `WINDOW` seconds, of which those of one site and those of one address
    count `FAULTS_OF_ONE_SITE` times at most (`observe.errors.Faults`). A site whose answers cause them in a row
    rests (`politeness.backoff`). The crawl is closed with ``network_down`` when the last ``BREAKER_SITES`` sites could
    not be reached, some that had answered before among them, and no other was for `SILENCE` seconds. Sites
    that failed before, while others could be reached, are not counted.

    Works alone in any Scrapy project. There nobody tells it of the requests that an errback takes care of: their errors
    are counted from Scrapy's stats, and do not say that the network is down. No site rests, and in a crawl of one site
    all faults count.

    On disk: ``log/critical.log`` in the state folder, see `CriticalLog`.

    Stats: ``errors/faults``, ``errors/lost`` (that the disk refused).
    """

    def __init__(self, crawler: Crawler, parts: CrawlContext) -> None:
        own = OwnSettings(parts.settings)
        self._crawler = crawler
        self._parts = parts
        self._clock = parts.clock
        self._faults = Faults(
            own.getint("BREAKER_ERRORS"),
            WINDOW,
            FAULTS_OF_ONE_SITE,
            alone=not parts.leases,
        )
        self._silence = UnreachableSites(own.getint("BREAKER_SITES"), SILENCE)
        self._kinds = ErrorCounts(self._clock.now())
        self._interval = parts.settings.getfloat("LOGSTATS_INTERVAL", 60.0)
        self._stats_before: Counter[str] = Counter()
        self._log = CriticalLog(parts.folder / "log")
        self._ear = _Ear(self._heard)
        self._timer: CallLaterResult | None = None
        self._thread = 0
        self._over = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        breaker = cls(crawler, CrawlContext.of(crawler))
        connect = crawler.signals.connect
        connect(breaker._opened, signals.spider_opened)
        connect(breaker._answered, signals.response_received)
        connect(breaker._visit_ended, visit_ended)
        connect(breaker._closed, signals.spider_closed)
        connect(breaker._stopped, signals.engine_stopped)
        return breaker

    @property
    def fault_sites(self) -> dict[str, int]:
        """Site -> faults that its answers caused."""
        return self._faults.sites()

    # -- what happens ----------------------------------------------------------------------------------------

    def _opened(self) -> None:
        # That of the reactor; in a notebook it is not the main one.
        self._thread = threading.get_ident()
        self._ear.attach()
        self._kinds.since = self._clock.now()
        self._timer = call_later(_LOOK, self._look)

    def _heard(self, record: logging.LogRecord, error: BaseException) -> None:
        """The log was told of an exception."""
        if getattr(record, "spider", self._crawler.spider) not in (None, self._crawler.spider):
            # Of another crawl in this process.
            return
        request = _request_in(record)
        if is_anticipated(error):
            if request is not None and not self._parts.leases:
                self._unreached(site_of(request.url), trouble_in(error))
            return
        now = self._clock.now()
        fault = Fault.of(error, error.__traceback__, *_origin(record, error))
        telling = self._faults.take(fault, now)
        if telling is not FaultReport.COUNTED:
            self._log.write(now, fault, record.getMessage(), error if telling is FaultReport.WHOLE else None)
        self._crawler.stats.inc_value("errors/faults")
        self._stop_if_broken()

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        trouble = outcome.trouble or visit.trouble
        if visit.fetch.status:
            self._silence.answered(visit.lease.site)
        else:
            self._unreached(visit.lease.site, trouble)
        if outcome.trouble is Trouble.FAULT and visit.lease.troubles + 1 == self._parts.policy.delay.backoff.rest_after:
            logger.warning("%s rests: the last visits there met nothing but faults and other trouble", visit.lease.site)
        kind = _kind(visit, outcome, trouble)
        if kind:
            self._kinds.counts[kind] += 1

    def _answered(self, request: Request) -> None:
        site = site_of(request.url)
        self._silence.answered(site)
        self._faults.answered(site)

    def _unreached(self, site: str, trouble: Trouble | None) -> None:
        if trouble in _UNREACHED:
            self._silence.failed(site, str(trouble), self._clock.now())
            self._stop_if_broken()

    def _look(self) -> None:
        self._timer = call_later(_LOOK, self._look)
        self._stop_if_broken()
        if self._interval > 0 and self._clock.now() - self._kinds.since >= self._interval:
            self._tell_kinds()

    def _tell_kinds(self) -> None:
        if not self._parts.leases:
            self._count_from_stats()
        line = self._kinds.line(self._clock.now())
        if line:
            logger.info("%s", line)

    def _count_from_stats(self) -> None:
        counted = Counter(_kinds_in(self._crawler.stats.get_stats()))
        self._kinds.counts.update(counted - self._stats_before)
        self._stats_before = counted

    # -- the end ---------------------------------------------------------------------------------------------

    def _stop_if_broken(self) -> None:
        # Threads log too. They may not touch the engine: the next look finds what they have seen.
        if self._over or threading.get_ident() != self._thread:
            return
        if self._faults.too_many:
            advice = f"The tracebacks are in {self._log.path}. What waits is kept: repair it, and start again"
            self._stop("breaker", f"The crawl stops, since something is broken: {self._faults.verdict()}. {advice}")
        elif self._silence.too_long:
            advice = "What waits is kept: start again when it is up, or set BREAKER_SITES = 0 if those sites are gone"
            self._stop("network_down", f"The crawl stops: {self._silence.verdict()}. {advice}")

    def _stop(self, reason: str, sentence: str) -> None:
        self._over = True
        if self._parts.leases:
            cast("PenaltyBoxScheduler", self._crawler.engine.scheduler).stop(reason, BreakerError(sentence))
            return
        logger.critical("%s", sentence)
        call_later(0, lambda: deferred_from_coro(self._crawler.engine.close_spider_async(reason=reason)))

    def _closed(self) -> None:
        self._over = True
        if self._timer is not None:
            self._timer.cancel()
        self._tell_kinds()
        if self._log.lost:
            self._crawler.stats.set_value("errors/lost", self._log.lost)
        if self._faults.total:
            told = "\n".join(f"  {times} times {fault}" for times, fault in self._faults.table()[:10])
            logger.error("%s, see %s\n%s", plural(self._faults.total, "fault"), self._log.path, told)

    def _stopped(self) -> None:
        """Other parts close after the spider, and may fail at it."""
        self._ear.detach()
        self._log.close()


class _Ear(logging.Handler):
    """Hears of all exceptions that are logged at ERROR and above."""

    def __init__(self, heard: Callable[[logging.LogRecord, BaseException], None]) -> None:
        super().__init__(logging.ERROR)
        self._tell = heard
        self._attached: list[logging.Logger] = []

    def attach(self) -> None:
        """Listen at the root, and at our own logger where it keeps to itself."""
        ours = logging.getLogger("mediacrawl")
        self._attached = [logging.getLogger(), *([] if ours.propagate else [ours])]
        for each in self._attached:
            each.addHandler(self)

    def detach(self) -> None:
        """Listen no more."""
        for each in self._attached:
            each.removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Hand on a record that has an exception."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        try:
            self._tell(record, error)
        except Exception:  # noqa: BLE001 - what logs an error must not meet another one here
            self.handleError(record)


def _kind(visit: Visit, outcome: Outcome, trouble: Trouble | None) -> str:
    """The name of what a visit met; empty if all was well. A robots.txt that is not there is no error."""
    if trouble is not None:
        return str(trouble)
    if visit.fetch.status >= 400:
        return (
            ""
            if visit.fetch.kind is Kind.ROBOTS
            else f"http {visit.fetch.status if visit.fetch.status < 600 else 'other'}"
        )
    if outcome.reason in _BAD_ANSWERS:
        return str(outcome.reason)
    return "" if visit.error in _OUR_OWN else in_words(visit.error)


def _kinds_in(stats: dict[str, Any]) -> dict[str, int]:
    """The same, as Scrapy's own stats know it."""
    kinds: dict[str, int] = {}
    for name, value in stats.items():
        if name.startswith(_EXCEPTIONS):
            kind = in_words(name.rpartition(".")[2])
            kinds[kind] = kinds.get(kind, 0) + value
        elif name.startswith(_STATUSES) and name.removeprefix(_STATUSES) >= "400":
            kinds[f"http {name.removeprefix(_STATUSES)}"] = value
    return kinds


def _arguments(record: logging.LogRecord) -> dict[str, Any]:
    return dict(record.args) if isinstance(record.args, dict) else {}


def _request_in(record: logging.LogRecord) -> Request | None:
    """The request that a record of Scrapy tells of."""
    request = _arguments(record).get("request")
    return request if isinstance(request, Request) else None


def _origin(record: logging.LogRecord, error: BaseException) -> tuple[str, str, str]:
    """URL, site and address of the answer that was worked on; empty where nobody knows.

    A page can name files of a thousand sites. So an item speaks of its site only if no answer can be found.
    """
    told = list(_arguments(record).values())
    for value in (*told, *_worked_on(error)):
        request = value if isinstance(value, Request) else getattr(value, "request", None)
        if isinstance(request, Request):
            visit: Visit | None = request.meta.get(VISIT)
            if visit is not None:
                return visit.fetch.url, visit.lease.site, visit.fetch.address
            address = str(value.ip_address or "") if isinstance(value, Response) else ""
            return request.url, site_of(request.url), address
    items = [ItemAdapter(value) for value in told if ItemAdapter.is_item(value)]
    urls = (str(item[name]) for item in items for name in ("content_url", "url") if item.get(name))
    url = next(urls, "")
    return url, site_of(url) if url else "", ""


def _worked_on(error: BaseException) -> Iterator[Any]:
    """Requests and responses in the calls that an exception went through: the log is not told of all."""
    traceback = error.__traceback__
    while traceback is not None:
        variables = traceback.tb_frame.f_locals
        yield from (variables[name] for name in ("request", "response") if name in variables)
        traceback = traceback.tb_next
