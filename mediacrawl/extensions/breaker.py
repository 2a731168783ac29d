"""Counts network errors, logs faults of the crawler, and ends the crawl when there are too many of either.

Errors of the web (timeouts, refused connections, bad statuses) are expected: each has a name and is counted. An
unexpected exception is a **fault**: its traceback is logged, and the crawl stops when faults come fast from many sites
and many addresses, or without any response. The faults of one site do not stop it, since its operator could cause them
at will. The crawl also stops when no site can be reached any more: then the network is down.

The idea is from M. Nielsen's account of a crawl of 250 million pages (2012).
"""

from __future__ import annotations

import logging
import sysconfig
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from ipaddress import IPv6Address, ip_address
from logging.handlers import RotatingFileHandler
from pathlib import Path, PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from itemadapter import ItemAdapter
from scrapy import Request
from scrapy.http import Response
from scrapy.utils.asyncio import call_later
from scrapy.utils.defer import deferred_from_coro

from mediacrawl.base.format import count, counted_in_words, elapsed, in_words, plural
from mediacrawl.base.terms import Outcome, Trouble
from mediacrawl.base.text import cut, printable
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import is_anticipated, trouble_in
from mediacrawl.crawl.interfaces import lease_holder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.log.text import AttachedHandler, traceback_text
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


_KINDS = 1_000
"""Faults that are kept apart; the least recently seen is forgotten."""
_KEPT = 100_000
"""Sites that are kept as dead, and as having answered; the oldest is forgotten."""
_ANSWERED = 5
"""Of so many unreachable sites that stop a crawl, at least one must have answered before."""
_MESSAGE = 200
"""Characters of an exception's message that are shown."""
_URL = 500
_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_PYTHON = sysconfig.get_path("stdlib")


class Fault(NamedTuple):
    """An unexpected exception.

    Attributes:
        error: class and message: ``KeyError: 'title'``.
        place: where it was raised: ``spiders/reader.py:77 in read``; may be empty.
        url: of the response; empty without one.
        site: of the response; empty without one.
        address: IP address of the server; empty if unknown.
    """

    error: str
    place: str
    url: str
    site: str = ""
    address: str = ""

    @classmethod
    def of(
        cls, error: BaseException, traceback: TracebackType | None, url: str, site: str = "", address: str = ""
    ) -> Fault:
        """Describe an exception. Never raises; the result is printable."""
        try:
            said = str(error)
        except Exception:  # noqa: BLE001 - an exception may be as broken as what raised it
            said = "(it cannot be written)"
        message = f"{type(error).__name__}: {said}" if said else type(error).__name__
        return cls(cut(printable(message), _MESSAGE), _place(traceback), cut(printable(url), _URL), site, address)

    def __str__(self) -> str:
        """``KeyError: 'title' in spiders/reader.py:77 in read``."""
        return f"{self.error} ({self.place})" if self.place else self.error


def _place(traceback: TracebackType | None) -> str:
    """The innermost frame outside libraries; otherwise the innermost."""
    place, own = "", ""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        place = f"{'/'.join(PurePath(code.co_filename).parts[-2:])}:{traceback.tb_lineno} in {code.co_name}"
        if not _is_library(code.co_filename):
            own = place
        traceback = traceback.tb_next
    return printable(own or place)


def _is_library(path: str) -> bool:
    return path.startswith(("<", _PYTHON)) or not _LIBRARIES.isdisjoint(PurePath(path).parts)


class Faults:
    """The faults of one crawl, and whether they are too many.

    Of the faults within `window` those of one site, and those of one address, count `of_one` times at most. So `most`
    of them come from many sites and addresses, or from outside of responses: the program is broken. IPv6 addresses are
    compared by their first 64 bits, which one server has to itself.

    Args:
        most: faults within `window` that are too many; 0 for any number.
        window: seconds.
        of_one: faults of one site or address that count; 0 for all.
        alone: whether all faults of a site count as long as no other site has answered, for crawls of a single site.
    """

    def __init__(self, most: int, window: float, of_one: int = 0, *, alone: bool = False) -> None:
        self.total = 0
        self._window = window
        self._known: OrderedDict[tuple[str, str], tuple[int, Fault]] = OrderedDict()
        self._last: deque[tuple[float, Fault]] = deque(maxlen=max(most, 1))
        self._most = most
        self._of_one = of_one
        self._alone = alone
        self._answered: set[str] = set()

    def take(self, fault: Fault, now: float) -> int:
        """Count a fault; return how often it came so far."""
        self.total += 1
        if self._counts(fault, now):
            self._last.append((now, fault))
        times = self._known.pop(_kind(fault), (0, fault))[0] + 1
        self._known[_kind(fault)] = times, fault
        if len(self._known) > _KINDS:
            self._known.popitem(last=False)
        return times

    def answered(self, site: str) -> None:
        """A response of a site was processed."""
        if len(self._answered) < 2:
            self._answered.add(site)

    def _counts(self, fault: Fault, now: float) -> bool:
        """Whether a fault counts for stopping the crawl."""
        while self._last and now - self._last[0][0] > self._window:
            self._last.popleft()
        if not self._of_one or (self._alone and not self._answered - {fault.site}):
            return True
        lately = [each for _, each in self._last]
        if fault.site and sum(each.site == fault.site for each in lately) >= self._of_one:
            return False
        network = _network(fault.address)
        return not network or sum(_network(each.address) == network for each in lately) < self._of_one

    @property
    def too_many(self) -> bool:
        """Whether `most` faults count within the window."""
        full = self._most > 0 and len(self._last) == self._most
        return full and self._last[-1][0] - self._last[0][0] <= self._window

    def verdict(self) -> str:
        """What is broken, in one or two sentences: the sources of the last faults, and the commonest."""
        kinds = Counter(_kind(fault) for _, fault in self._last)
        kind, times = kinds.most_common(1)[0]
        fault = next(fault for _, fault in reversed(self._last) if _kind(fault) == kind)
        spent = elapsed(self._last[-1][0] - self._last[0][0])
        example = f", the last at {fault.url}" if fault.url else ""
        sites = len({fault.site for _, fault in self._last} - {""})
        whence = f"sites: {count(sites)}, places in the code: {count(len(kinds))}"
        return f"{len(self._last)} faults came within {spent} ({whence}); {times} of them: {fault}{example}"

    def table(self) -> list[tuple[int, Fault]]:
        """The known faults and their numbers, the commonest first."""
        return sorted(self._known.values(), key=lambda row: -row[0])


def _network(address: str) -> str:
    """The key of one server: an IPv4 address, or the first 64 bits of an IPv6 one; empty without an address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    return str(int(parsed) >> 64) if isinstance(parsed, IPv6Address) else str(parsed)


def _kind(fault: Fault) -> tuple[str, str]:
    """Faults of one class at one line are the same."""
    return fault.error.partition(":")[0], fault.place


class UnreachableSites:
    """Sites in a row that could not be reached, without one that answered in between.

    A site that failed while others answered is dead by itself, and does not count until it answers; otherwise a crawl
    with only dead seeds left would take its network for down. Sites that never answered are no evidence, since one page
    may link to hundreds of them. So if any site has answered, some of these must be unreachable too: one in `_ANSWERED`
    of `most`, or all if there are fewer.

    Args:
        most: sites that are too many; 0 for any number.
        least: seconds that it must last, longer than the restart of a router or a name server.
    """

    def __init__(self, most: int, least: float) -> None:
        self._most = most
        self._least = least
        self._sites: dict[str, str] = {}
        self._dead: dict[str, None] = {}
        self._answered: dict[str, None] = {}
        self._silent = 0
        self._began = self._last = 0.0

    def failed(self, site: str, how: str, now: float) -> None:
        """A site could not be reached."""
        if site in self._dead:
            return
        if not self._sites:
            self._began = now
        self._last = now
        if site in self._sites:
            return
        has_answered = site in self._answered
        if has_answered or len(self._sites) < self._most:
            self._sites[site] = how
            self._silent += has_answered

    def answered(self, site: str) -> None:
        """A site answered."""
        self._dead |= dict.fromkeys(self._sites)
        self._sites.clear()
        self._silent = 0
        self._dead.pop(site, None)
        self._answered.pop(site, None)
        self._answered[site] = None
        for kept in (self._dead, self._answered):
            while len(kept) > _KEPT:
                del kept[next(iter(kept))]

    @property
    def too_long(self) -> bool:
        """Whether too many sites were unreachable for too long."""
        enough = min(max(self._most // _ANSWERED, 1), len(self._answered))
        long = self._last - self._began >= self._least
        return long and 0 < self._most <= len(self._sites) and self._silent >= enough

    def verdict(self) -> str:
        """One sentence on what seems to be down."""
        kinds = Counter(self._sites.values())
        message = ", ".join(f"{kind} {number}" for kind, number in kinds.most_common())
        kind = kinds.most_common(1)[0][0]
        down = {"dns": "the resolver", "local": "a part that the log names"}.get(kind, "the network")
        spent = elapsed(self._last - self._began)
        return (
            f"the last {len(self._sites)} sites could not be reached ({message}), nor any other for {spent}: "
            f"{down} of this machine seems to be down"
        )


BYTES = 5_000_000
"""Bytes of the file before it is rotated; one old file is kept."""


class CriticalLog(RotatingFileHandler):
    """Unexpected exceptions with their tracebacks, as text.

    On disk: ``critical.log`` and ``critical.log.1``, at most `BYTES` each; there is no file without a fault. An entry
    is written and flushed when it happens; a kill leaves all of them, the last perhaps torn. Entries that the disk
    refuses are counted in `lost`.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "critical.log", "a", BYTES, 1, "utf-8", delay=True, errors="backslashreplace")
        self.path = folder / "critical.log"
        self.lost = 0
        self.setFormatter(logging.Formatter("%(message)s"))

    def write(self, now: float, fault: Fault, said: str, error: BaseException | None = None) -> None:
        """Write an entry.

        Args:
            now: seconds since the epoch.
            fault: what happened.
            said: the log message: ``Spider error processing <GET ...>``.
            error: the exception, for its traceback; None for an entry of one line.
        """
        when = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        lines = [f"{when} {fault} {fault.url}".rstrip()]
        if error is not None:
            lines += [*([f"  {printable(said)[:500]}"] if said.strip() else []), traceback_text(error), ""]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            self.lost += 1
            return
        self.handle(logging.makeLogRecord({"msg": "\n".join(lines)}))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802
        """Count an entry that could not be written."""
        self.lost += 1


class BreakerError(Exception):
    """The crawl has to stop. The message names the cause and the remedy."""


class Breaker(CrawlComponent):
    """Counts anticipated errors, writes down the others, and stops the crawl when something is broken.

    Network and HTTP errors are counted by kind, and logged in one line every ``LOGSTATS_INTERVAL`` seconds. Any other
    logged exception (of callbacks, pipelines, middlewares, extensions, unhandled Deferreds and tasks) is a fault. The
    crawl is closed with the reason ``breaker`` after ``BREAKER_ERRORS`` faults within `WINDOW` seconds, of which those
    of one site and those of one address count `FAULTS_OF_ONE_SITE` times at most (`Faults`). A site
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
        if visit.fetch.status:
            self._silence.answered(visit.lease.site)
        else:
            self._unreached(visit.lease.site, outcome.trouble or visit.trouble)
        if (
            outcome.trouble is Trouble.FAULT
            and visit.lease.troubles + 1 == self._context.policy.delay.backoff.rest_after
        ):
            logger.warning("%s rests: the last visits there met nothing but faults and other trouble", visit.lease.site)

    def _response_received(self, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        site = visit.lease.site if visit is not None else site_of(request.url)
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
