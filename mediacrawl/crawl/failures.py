"""Exceptions: what those of the network say of the requested site, and those by which a request is refused."""

from __future__ import annotations

import errno
import logging
import os
import zlib
from collections.abc import Iterator
from gzip import BadGzipFile

from OpenSSL import SSL
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    CloseSpider,
    DontCloseSpider,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    DropItem,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
    StopDownload,
    UnsupportedURLSchemeError,
)
from scrapy.statscollectors import StatsCollector
from service_identity import CertificateError, VerificationError
from twisted.internet import error as network
from twisted.internet.defer import CancelledError
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed

from mediacrawl.base.format import reason_of
from mediacrawl.base.terms import Drop, End, Outcome, Trouble
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.frontier import FrontierError
from mediacrawl.log.request_log import LogError
from mediacrawl.politeness.addresses import GuardedAddressError
from mediacrawl.store import StoreError

_ADVICE = {
    errno.EMFILE: "raise `ulimit -n`, or lower CONCURRENT_REQUESTS",
    errno.ENFILE: "raise fs.file-max, or lower CONCURRENT_REQUESTS",
    errno.ENOMEM: "lower CONCURRENT_REQUESTS",
    errno.ENOBUFS: "lower CONCURRENT_REQUESTS",
    errno.EADDRNOTAVAIL: "lower CONCURRENT_REQUESTS, or check DOWNLOAD_BIND_ADDRESS",
    errno.ENETDOWN: "check the network of this machine",
    errno.ENETUNREACH: "check the network of this machine",
}
"""Error of the system that is a fault of this machine -> what to do."""


class LocalFaultError(DownloadFailedError):
    """A failure that is not held against the site; the message is a sentence without its full stop.

    It is a fault or a standstill of this machine, or a kept connection that the server had closed.
    """

    @classmethod
    def of(cls, fault: OSError) -> LocalFaultError:
        """Return the error of what `fault_here` found."""
        what = f"This machine cannot go on as it should ({fault.strerror}): {_ADVICE[fault.errno or 0]}"
        return cls(f"{what}. Nothing is held against a site; its URLs wait and are requested again")


def fault_here(error: BaseException | None) -> OSError | None:
    """Return the error of the system, if an exception is a fault of this machine; else None.

    Libraries report a file that could not be opened as an error of their own (OpenSSL: a certificate without issuer),
    so this also tries whether a file can be opened.
    """
    for each in _chain(error):
        if isinstance(each, OSError) and each.errno in _ADVICE:
            return each
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as found:
        return found if found.errno in _ADVICE else None
    return None


class UnreadableAnswerError(Exception):
    """An answer came that is not what it says it is: its body cannot be unpacked. It is the server's mistake."""


_KINDS: tuple[tuple[tuple[type[BaseException], ...], Trouble], ...] = (
    ((SSL.Error, VerificationError, CertificateError, network.VerifyError, network.CertificateError), Trouble.TLS),
    ((CannotResolveHostError, network.DNSLookupError), Trouble.DNS),
    ((DownloadTimeoutError, network.TimeoutError, network.TCPTimedOutError, TimeoutError), Trouble.TIMEOUT),
    (
        (
            *(DownloadConnectionRefusedError, DownloadFailedError, ResponseFailed),
            *(network.ConnectError, network.ConnectionClosed, ConnectionError),
        ),
        Trouble.CONNECTION,
    ),
)
"""The first that fits counts: a failed handshake comes wrapped in a lost connection."""

_DECISIONS: tuple[type[Exception], ...] = (
    *(CloseSpider, DontCloseSpider, DropItem, IgnoreRequest, NotSupported, StopDownload, UnsupportedURLSchemeError),
    # An answer that is larger than it may be, ended early, or is packed badly; the last three are for projects with
    # Scrapy's own middleware for that.
    *(DownloadCancelledError, CancelledError, ResponseDataLossError, UnreadableAnswerError),
    *(BadGzipFile, EOFError, zlib.error),
    # They have a sentence of their own in the log, and end the crawl.
    *(FrontierError, LogError, StoreError),
)
"""Raised on purpose."""


def trouble_in(error: BaseException | None) -> Trouble | None:
    """What an exception says against the site that was asked; None if it says nothing: our own decisions and faults.

    Args:
        error: what ended the request, if anything. What it was raised from, and the reasons that Twisted wraps, count
            as well.
    """
    if isinstance(error, IgnoreRequest):
        return None
    chain = list(_chain(error))
    if isinstance(error, LocalFaultError) or (isinstance(error, OSError) and error.errno in _ADVICE):
        return Trouble.LOCAL
    for kinds, trouble in _KINDS:
        if any(isinstance(each, kinds) for each in chain):
            return trouble
    return None


def error_name(error: BaseException | None) -> str:
    """Return the error that ended a request for the request log: its reason, or the name of the exception.

    Args:
        error: as Scrapy passes it on; for a failed or an incomplete download its name has no reason.
    """
    if isinstance(error, DownloadFailedError) and error.__cause__ is not None:
        return reason_of(error.__cause__)
    return (isinstance(error, ResponseDataLossError) and str(error)) or type(error).__name__


def is_anticipated(error: BaseException) -> bool:
    """Whether an exception is part of a crawl: the web's doing, or a decision of a part. All others are faults."""
    return not isinstance(error, Exception) or isinstance(error, _DECISIONS) or trouble_in(error) is not None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting = [error]
    while waiting and len(seen) < 20:
        each = waiting.pop(0)
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        # Twisted keeps the error of a socket in an attribute.
        waiting += [each.__cause__, getattr(each, "socketError", None)]
        reasons = getattr(each, "reasons", None)
        waiting += [reason.value for reason in reasons or () if isinstance(reason, Failure)]


logger = logging.getLogger(__name__)

_NEVERCRAWL = "nevercrawl"
"""The guard's word for addresses on the NeverCrawl list."""


class RefusedRequest(IgnoreRequest):
    """A request that is not sent; `reason` names why."""

    def __init__(self, reason: Drop, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class MappedPage(IgnoreRequest):
    """A page that is not requested: a site adapter asks for its data instead. The lease ends as done."""


def refuse(
    request: Request, stats: StatsCollector, reason: Drop, detail: str, *, hold: float = 0.0, wait: float = 0.0
) -> RefusedRequest:
    """Decide the visit of a refused request, and return the exception to raise.

    The drop is counted at the end of the visit; without a visit, here.

    Args:
        request: what is refused.
        stats: the crawl's.
        reason: why.
        detail: for the log.
        hold: seconds until the URL's link class is tried again; 0 drops the URL.
        wait: seconds until the whole site is tried again; 0 drops the URL.
    """
    visit: Visit | None = request.meta.get(VISIT)
    if visit is None:
        stats.inc_value(f"drop/{reason}")
    elif hold or wait:
        visit.decide(Outcome(End.RETURNED, hold=hold, wait=wait))
    else:
        visit.drop(reason)
    return RefusedRequest(reason, detail)


def refuse_address(request: Request, stats: StatsCollector, error: GuardedAddressError) -> RefusedRequest:
    """Refuse a request to a guarded address. It counts as not sent, so that the site owes no delay."""
    stats.inc_value(f"guard/{error.word}")
    listed = error.word == _NEVERCRAWL
    logger.info("Not asked: %s: %s%s", request.url, error, "" if listed else "; GUARD_ALLOW can allow it")
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.fetch.sent = None
    return refuse(request, stats, Drop.NEVERCRAWL if listed else Drop.ADDRESS, f"{request.url}: {error}")


def refuse_late(request: Request, stats: StatsCollector) -> RefusedRequest:
    """Refuse a request whose lease ended before it was sent, after a suspension of the worker."""
    stats.inc_value("frontier/late")
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.fetch.sent = None
    return refuse(request, stats, Drop.IGNORED, f"{request.url}: its lease is over", wait=0.001)
