"""Counts network errors, logs faults of the crawler, and ends the crawl when there are too many of either."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from mediacrawl.base.format import count, counted_in_words, elapsed, in_words, plural
from mediacrawl.base.terms import Outcome, Trouble
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import is_anticipated, trouble_in
from mediacrawl.crawl.interfaces import lease_holder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.log.errors import Fault, Faults, UnreachableSites
from mediacrawl.log.text import AttachedHandler, CriticalLog
from mediacrawl.scope import site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_UNREACHED = frozenset({Trouble.DNS, Trouble.CONNECTION, Trouble.TIMEOUT, Trouble.LOCAL})
WINDOW = 60.0
"""Seconds within which ``BREAKER_ERRORS`` faults end the crawl."""

FAULTS_OF_ONE_SITE = 5
"""Faults of one site, and of one IP address (IPv6: 64 bits), that count within `WINDOW`, so that the answers of a few
servers stop no crawl of others: by default faults of ten sites at ten addresses do, or 50 that no answer caused."""

SILENCE = 30.0
"""Seconds for which no site can be reached before the crawl ends: a router that restarts must not end it."""

SHORT = 100
"""Repetitions of a fault that are logged in one line; further ones are only counted."""

_INTERVAL = 1.0
"""Seconds between two checks for faults of other threads."""
_EXCEPTIONS = "downloader/exception_type_count/"
_STATUSES = "downloader/response_status_count/"


class BreakerError(Exception):
    """The crawl has to stop. The message names the cause and the remedy."""


class Breaker(CrawlComponent):
    """Counts anticipated errors, writes down the others, and stops the crawl when something is broken.

    Network and HTTP errors are counted by kind, and logged in one line every ``LOGSTATS_INTERVAL`` seconds. Any other
    logged exception (of callbacks, pipelines, middlewares, extensions, unhandled Deferreds and tasks) is a fault. The
    crawl is closed with the reason ``breaker`` after ``BREAKER_ERRORS`` faults within `WINDOW` seconds, of which those
    of one site and those of one address count `FAULTS_OF_ONE_SITE` times at most (`log.errors.Faults`). A site
    whose answers cause them in a row rests (`politeness.delay`). The crawl is closed with ``network_down`` when the
    last ``BREAKER_SITES`` sites could not be reached, some that had answered before among them, and no other was for
    `SILENCE` seconds. Sites that failed before, while others could be reached, are not counted.

    Works alone in any Scrapy project. There it cannot see errors that an errback handles: they are counted from
    Scrapy's stats, and do not count for ``network_down``. No site rests, and in a crawl of one site all faults count.

    On disk: ``log/critical.log`` in the state folder, see `CriticalLog`.

    Stats: ``errors/faults``, ``errors/lost`` (not written to disk).
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        own = OwnSettings(context.settings)
        super().__init__(crawler, context)
        self._faults = Faults(
            own.getint("BREAKER_ERRORS"),
            WINDOW,
            FAULTS_OF_ONE_SITE,
            alone=not context.leases,
        )
        self._silence = UnreachableSites(own.getint("BREAKER_SITES"), SILENCE)
        self._reported, self._reported_at = Counter[str](), self._clock.now()
        self._interval = context.settings.getfloat("LOGSTATS_INTERVAL", 60.0)
        self._log = CriticalLog(context.folder / "log")
        self._handler = _ExceptionHandler(self._logged)
        self._thread = 0
        self._over = False

    # -- events ----------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        # The reactor's thread; in a notebook it is not the main one.
        self._thread = threading.get_ident()
        self._handler.attach()
        self._reported_at = self._clock.now()
        self._repeat(_INTERVAL, self._check)

    def _logged(self, record: logging.LogRecord, error: BaseException) -> None:
        """Handle a logged exception."""
        if getattr(record, "spider", self._crawler.spider) not in (None, self._crawler.spider):
            # It belongs to another crawl in this process.
            return
        if is_anticipated(error):
            request = _arguments(record).get("request")
            if isinstance(request, Request) and not self._context.leases:
                self._unreached(site_of(request.url), trouble_in(error))
            return
        now = self._clock.now()
        fault = Fault.of(error, error.__traceback__, *_origin(record, error))
        times = self._faults.take(fault, now)
        if times <= SHORT:
            self._log.write(now, fault, record.getMessage(), error if times == 1 else None)
        self._crawler.stats.inc_value("errors/faults")
        self._context.tally.add_fault(fault.site)
        self._stop_if_broken()

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        trouble = outcome.trouble or visit.trouble
        if visit.fetch.status:
            self._silence.answered(visit.lease.site)
        else:
            self._unreached(visit.lease.site, trouble)
        if (
            outcome.trouble is Trouble.FAULT
            and visit.lease.troubles + 1 == self._context.policy.delay.backoff.rest_after
        ):
            logger.warning("%s rests: the last visits there met nothing but faults and other trouble", visit.lease.site)

    def _response_received(self, request: Request) -> None:
        site = site_of(request.url)
        self._silence.answered(site)
        self._faults.answered(site)

    def _unreached(self, site: str, trouble: Trouble | None) -> None:
        if trouble in _UNREACHED:
            self._silence.failed(site, str(trouble), self._clock.now())
            self._stop_if_broken()

    def _check(self) -> None:
        self._stop_if_broken()
        if self._interval > 0 and self._clock.now() - self._reported_at >= self._interval:
            self._log_failures()

    def _log_failures(self) -> None:
        """Log the failures since the last line, the commonest first."""
        if self._context.leases:
            failures = counted_in_words(self._context.tally.totals.failures)
        else:
            failures = Counter(_failures_in(self._crawler.stats.get_stats()))
        new, now = failures - self._reported, self._clock.now()
        if new:
            listed = ", ".join(f"{name} {count(number)}" for name, number in new.most_common())
            logger.info("Errors of the last %s: %s", elapsed(now - self._reported_at), listed)
        self._reported, self._reported_at = failures, now

    # -- the end ---------------------------------------------------------------------------------------------

    def _stop_if_broken(self) -> None:
        # Other threads log too, but may not call the engine: the timer checks for them.
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
        if self._context.leases:
            lease_holder(self._crawler).stop(reason, BreakerError(sentence))
            return
        logger.critical("%s", sentence)
        call_later(0, lambda: deferred_from_coro(self._crawler.engine.close_spider_async(reason=reason)))

    def _closed(self) -> None:
        self._over = True
        self._log_failures()
        if self._log.lost:
            self._crawler.stats.set_value("errors/lost", self._log.lost)
        if self._faults.total:
            told = "\n".join(f"  {times} times {fault}" for times, fault in self._faults.table()[:10])
            logger.error("%s, see %s\n%s", plural(self._faults.total, "fault"), self._log.path, told)

    def _stopped(self) -> None:
        """Other components close after the spider, and may fail while they do."""
        self._handler.detach()
        self._log.close()


class _ExceptionHandler(AttachedHandler):
    """Passes on all exceptions that are logged at ERROR and above."""

    def __init__(self, receive: Callable[[logging.LogRecord, BaseException], None]) -> None:
        super().__init__(logging.ERROR)
        self._receive = receive

    def emit(self, record: logging.LogRecord) -> None:
        """Pass on a record with an exception."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None:
            return
        try:
            self._receive(record, error)
        except Exception:  # noqa: BLE001 - what logs an error must not meet another one here
            self.handleError(record)


def _failures_in(stats: dict[str, Any]) -> dict[str, int]:
    """Return the failures in Scrapy's stats."""
    kinds: dict[str, int] = {}
    for name, value in stats.items():
        if name.startswith(_EXCEPTIONS):
            kind = in_words(name.rpartition(".")[2])
            kinds[kind] = kinds.get(kind, 0) + value
        elif name.startswith(_STATUSES) and name.removeprefix(_STATUSES) >= "400":
            kinds[name.removeprefix(_STATUSES)] = value
    return kinds


def _arguments(record: logging.LogRecord) -> dict[str, Any]:
    """Return the arguments of one of Scrapy's log records."""
    return dict(record.args) if isinstance(record.args, dict) else {}


def _origin(record: logging.LogRecord, error: BaseException) -> tuple[str, str, str]:
    """URL, site and address of the response that was processed; empty if unknown.

    A page can link files of a thousand sites. The site of an item therefore counts only if no response is found.
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
    """The requests and responses in the frames of a traceback."""
    traceback = error.__traceback__
    while traceback is not None:
        variables = traceback.tb_frame.f_locals
        yield from (variables[name] for name in ("request", "response") if name in variables)
        traceback = traceback.tb_next
