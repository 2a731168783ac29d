"""Scrapy's download handler for http and https over `http_client`."""

from __future__ import annotations

import asyncio
import logging
import time
from errno import EADDRNOTAVAIL, EMFILE, ENETDOWN, ENETUNREACH, ENFILE, errorcode
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from OpenSSL import SSL
from scrapy import signals
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    NotConfigured,
    ResponseDataLossError,
    StopDownload,
)
from scrapy.http import Headers
from scrapy.responsetypes import responsetypes
from scrapy.utils.asyncio import is_asyncio_available
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.error import DNSLookupError
from twisted.internet.ssl import Certificate
from twisted.python.failure import Failure

from mediacrawl.base.format import reason_of, size
from mediacrawl.base.terms import End as Ended
from mediacrawl.base.terms import Outcome
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import LocalFaultError, fault_here, refuse_address, refuse_late
from mediacrawl.crawl.headers import received_headers
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.download.http_client import (
    FAILURES,
    Call,
    ConnectTimeoutError,
    End,
    HttpClient,
    HttpConnection,
    KeptClosedError,
    LeaseOverError,
    Proxy,
    RequestTimeoutError,
    ResponseHead,
    Route,
    target_of,
)
from mediacrawl.download.resolver import GuardedNames, spelled
from mediacrawl.download.tls import tls_context
from mediacrawl.politeness.address_clocks import AddressClocks
from mediacrawl.politeness.addresses import GuardedAddressError, parse_address
from mediacrawl.scope.urls import is_address, is_loopback

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings


logger = logging.getLogger(__name__)

_FLAGS = {End.WHOLE: [], End.STOPPED: ["download_stopped"], End.CLOSED: ["partial"], End.BROKEN: ["dataloss"]}
"""Scrapy's flags of a response, by how it ended."""


_UNSENT = frozenset({EMFILE, ENFILE, EADDRNOTAVAIL, ENETDOWN, ENETUNREACH})
"""Errors of the system without which a connection would have been made."""
_WAIT = 10.0
"""Seconds that a site waits after a fault of this machine."""
_OF_BODY = frozenset({b"Content-Length", b"Transfer-Encoding"})
"""Fields that the client writes itself: with a second one the end of a request is ambiguous (RFC 9112, section 6.3)."""


class PoliteHTTPHandler(BaseDownloadHandler):
    """Downloads ``http`` and ``https`` URLs, for mediacrawl or any Scrapy project (``DOWNLOAD_HANDLERS``).

    * It connects only to addresses that the guard allows, for every request: page, redirect, robots.txt, seed list,
      range. Other requests end with `RefusedRequest`, without a connection. In a crawl `AddressMiddleware` has looked
      up and judged them; other requests are looked up and judged here.
    * It tries further addresses of a host if one accepts no connection, each allowed by the guard and, in a crawl, free
      by the address's own clock.
    * A request is sent once more if a kept connection was closed before a byte of the response came: at once without a
      lease or through a proxy, else after the site's delay.
    * Idle connections are kept for `http_client.KEPT` seconds.
    * A response whose head exceeds `http_client.HEAD_BYTES` is a failed download.
    * A SHOUTcast status line, ``ICY 200 OK``, is accepted (`Response.protocol` is ``ICY/1.0``).
    * A response without a length whose connection is reset is incomplete.
    * A connection has to be accepted within ``CONNECT_TIMEOUT``.
    * A TLS session is resumed at the site's next connection.

    Signals, flags, ``meta`` keys, exceptions and attributes of the response are those of Scrapy's own handler. HTTP/2
    is not offered, and a proxy with ``https`` serves ``http`` URLs only. It needs Scrapy's asyncio reactor.

    A proxy (``meta["proxy"]``, ``http_proxy``) is the operator's choice and not judged. It resolves names itself, so
    that the guard judges only hosts that are addresses, and ``localhost``.

    Settings: ``GUARD_ALLOW``, ``CONNECT_TIMEOUT``, and Scrapy's for downloads and TLS. Stats: ``guard/<word>``,
    ``drop/address``, ``dns/...``, ``local/<name>`` (faults of this machine, by the name of the system's error, and
    timeouts while this process stood still).
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        if not is_asyncio_available():
            raise NotConfigured("PoliteHTTPHandler needs the asyncio reactor (TWISTED_REACTOR)")
        settings = crawler.settings
        self._stats = crawler.stats
        self._context = CrawlContext.of(crawler)
        self._names = GuardedNames(self._context.guard)
        self._names.count = crawler.stats.inc_value
        self._limits = _Limits.of(settings)
        self._connect_timeout = OwnSettings(settings).getfloat("CONNECT_TIMEOUT")
        self._bind = settings.get("DOWNLOAD_BIND_ADDRESS")
        self._logs_tls = settings.getbool("DOWNLOADER_CLIENT_TLS_VERBOSE_LOGGING")
        if settings.getpriority("DOWNLOADER_CLIENTCONTEXTFACTORY"):
            logger.warning("DOWNLOADER_CLIENTCONTEXTFACTORY has no effect: PoliteHTTPHandler makes TLS contexts itself")
        self._client = HttpClient(
            _context_of(settings), self._judge, self._names.failed, settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        )
        self._told_dataloss = False

    async def download_request(self, request: Request) -> Response:
        """Send a request.

        Raises:
            RefusedRequest: the guard refuses its address, or its lease ended before it was sent.
            CannotResolveHostError: its host has no address.
            LocalFaultError: this machine failed, not the server.
            DownloadTimeoutError, DownloadConnectionRefusedError, DownloadFailedError: there is no response.
            ResponseDataLossError: it is incomplete.
            DownloadCancelledError: it is larger than ``DOWNLOAD_MAXSIZE``.
        """
        began = time.monotonic()
        try:
            return await self._download(request)
        except GuardedAddressError as error:
            raise refuse_address(request, self._stats, error) from error
        except LeaseOverError as error:
            raise refuse_late(request, self._stats) from error
        except DNSLookupError as error:
            raise self._fault_here(request, error) or CannotResolveHostError(str(error)) from error
        except RequestTimeoutError as error:
            seconds = self._limits.timeout(request)
            late = DownloadTimeoutError(f"Getting {request.url} took longer than {seconds:g} seconds.")
            raise self._standstill(began) or late from error
        except ConnectTimeoutError as error:
            raise self._standstill(began) or DownloadTimeoutError(str(error)) from error
        except ConnectionRefusedError as error:
            raise DownloadConnectionRefusedError(str(error)) from error
        except FAILURES as error:
            reason, detail = reason_of(error), str(error)
            failed = DownloadFailedError(f"{reason}: {detail}" if detail not in {"", reason} else reason)
            if isinstance(error, KeptClosedError):
                self._stats.inc_value("local/kept_connection")
                raise LocalFaultError(reason) from error
            raise self._fault_here(request, error) or failed from error

    def _fault_here(self, request: Request, error: Exception) -> LocalFaultError | None:
        """Return the exception to raise for a fault of this machine. Its lease goes back; None for other failures."""
        fault, visit = fault_here(error), cast("Visit | None", request.meta.get(VISIT))
        if fault is None or (fault.errno == ENETUNREACH and visit is not None and ":" in visit.fetch.address):
            # Without a route for IPv6 only such addresses fail.
            return None
        found, stat = LocalFaultError.of(fault), f"local/{errorcode[fault.errno or 0]}"
        if not self._stats.get_value(stat):
            logger.error("%s", found)
        self._stats.inc_value(stat)
        if visit is not None and fault.errno in _UNSENT and fault in {error, error.__cause__}:
            visit.fetch.sent = None
            visit.decide(Outcome(Ended.RETURNED, wait=_WAIT))
        return found

    def _standstill(self, began: float) -> LocalFaultError | None:
        """Return the exception to raise for a timeout during which this process stood still.

        `began` is monotonic. A time without a suspension of the machine begins later, but before that ended.
        """
        if not self._context.heartbeat.stood_since(self._context.clock.now() - (time.monotonic() - began)):
            return None
        self._stats.inc_value("local/standstill")
        return LocalFaultError("This process stood still while it waited")

    async def close(self) -> None:
        """Close the idle connections."""
        self._client.close()

    async def _download(self, request: Request) -> Response:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._limits.timeout(request)
        try:
            async with asyncio.timeout_at(deadline):
                route = await self._route(request)
        except TimeoutError as error:
            raise RequestTimeoutError from error
        reading = _Reading(self.crawler, request, self._limits)
        call = self._call(request, route, deadline - loop.time())
        connection, end = await self._client.fetch(call, reading)
        if self._logs_tls and connection.tls is not None and connection.is_new:
            logger.debug("TLS to %s: %s", call.name, connection.tls.described)
        if end is End.BROKEN and self._limits.fails_on_loss(request):
            if not self._told_dataloss:
                self._told_dataloss = True
                logger.warning(
                    "%s ended before all of its bytes came. With DOWNLOAD_FAIL_ON_DATALOSS = False such responses "
                    "are processed. This is logged once.",
                    request.url,
                )
            raise ResponseDataLossError(reading.loss(connection))
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            visit.fetch.loss = reading.loss(connection) if end is End.BROKEN else ""
        return reading.response(connection, end)

    def _call(self, request: Request, one: Route, timeout: float) -> Call:
        url = urlparse_cached(request)
        is_tls = url.scheme == "https"
        proxy = _proxy_of(request, is_tls=is_tls)
        headers = [(name, values) for name, values in request.headers.items() if name not in _OF_BODY]
        fields = [(name, value) for name, values in headers for value in values]
        if proxy is not None and is_tls:
            fields = [(name, value) for name, value in fields if name != b"Proxy-Authorization"]
        if b"Host" not in request.headers:
            authority = url.netloc.rpartition("@")[2]
            if not authority.isascii():
                authority = one.host if url.port is None else f"{one.host}:{url.port}"
            fields.insert(0, (b"Host", authority.encode("ascii")))
        bind = request.meta.get("bindaddress") or self._bind
        if proxy is not None and not is_tls:
            one.target = request.url.partition("#")[0].encode("ascii", "replace")
        else:
            one.target = target_of(request.url)
        return Call(
            method=request.method,
            is_tls=is_tls,
            name=one.host.strip("[]"),
            port=url.port or (443 if is_tls else 80),
            fields=fields,
            body=request.body,
            route=one,
            proxy=proxy,
            bind=(bind, 0) if isinstance(bind, str) else bind,
            connect_timeout=self._connect_timeout,
            timeout=timeout,
            repeats=proxy is not None or VISIT not in request.meta,
        )

    async def _route(self, request: Request) -> Route:
        host = spelled(urlparse_cached(request).hostname or "")
        proxy = request.meta.get("proxy")
        visit: Visit | None = request.meta.get(VISIT)
        if proxy:
            if is_address(host) or is_loopback(host):
                await self._names.targets(host)
            first, *others = await self._names.addresses(_split_proxy(proxy).hostname or "")
        else:
            first, *others = await self._targets(request.url, host, visit)
        route = Route(host, first, others=tuple(others))
        if visit is not None and self._context.leases:
            # After a suspension its lease may be another worker's.
            route.may_send = partial(self._context.frontier.holds, visit.lease)
        if visit is not None and not proxy:
            visit.fetch.address = first
            route.may_use = partial(self._take_address, visit, first)
        return route

    async def _targets(self, url: str, host: str, visit: Visit | None) -> tuple[str, ...]:
        """Return the addresses that may be connected to: those that `AddressMiddleware` has judged for this request.

        A request that comes a second time, and one that the middleware did not see, is looked up and judged here.
        """
        if visit is None:
            return await self._names.targets(host)
        judged, visit.fetch.judged = visit.fetch.judged, None
        if judged is not None and judged.url == url:
            return judged.addresses
        return await self._names.targets(host, visit.fetch.address)

    async def _take_address(self, visit: Visit, first: str, address: str) -> bool:
        """Whether another address of a host is free by its clock. `AddressMiddleware` ends the turn that it takes."""
        before = visit.fetch.address
        if self._context.leases and self._context.address_policy:
            clocks, now = self._context.address_clocks, self._context.clock.now()
            if isinstance(clocks, AddressClocks):
                wait, end = clocks.take(address, now), partial(clocks.end, before, now)
            else:
                async with asyncio.timeout(self._connect_timeout):
                    wait, end = await asyncio.wrap_future(clocks.take(address)), partial(clocks.end, before)
            if wait:
                return False
            if before != first:
                end(None, asked=False)
        visit.fetch.address = address
        return True

    def _judge(self, peer: str, call: Call) -> None:
        """Judge the connected peer: a network can lead a packet elsewhere than to the address that was allowed."""
        if call.proxy is not None or peer == call.route.address:
            return
        word = self._context.guard.refusal(peer, call.route.host)
        if word is not None:
            raise GuardedAddressError(call.route.host, peer, word)


class _Limits:
    """Scrapy's settings for downloads, each of which a request's ``meta`` can replace."""

    def __init__(self, seconds: float, largest: int, large: int, *, fails: bool) -> None:
        self._seconds = seconds
        self._largest = largest
        self._large = large
        self._fails = fails

    @classmethod
    def of(cls, settings: BaseSettings) -> _Limits:
        """Read the settings."""
        largest, large = settings.getint("DOWNLOAD_MAXSIZE"), settings.getint("DOWNLOAD_WARNSIZE")
        fails = settings.getbool("DOWNLOAD_FAIL_ON_DATALOSS")
        return cls(settings.getfloat("DOWNLOAD_TIMEOUT"), largest, large, fails=fails)

    def timeout(self, request: Request) -> float:
        """Seconds in which the response must end."""
        return float(request.meta.get("download_timeout") or self._seconds)

    def largest(self, request: Request) -> int:
        """Bytes of a body at most; 0 for any number."""
        return int(request.meta.get("download_maxsize", self._largest))

    def large(self, request: Request) -> int:
        """Bytes of a body above which a warning is logged; 0 for never."""
        return int(request.meta.get("download_warnsize", self._large))

    def fails_on_loss(self, request: Request) -> bool:
        """Whether an incomplete body is a failure."""
        return bool(request.meta.get("download_fail_on_dataloss", self._fails))


class _Reading:
    """The response to one request while it comes; sends Scrapy's signals."""

    def __init__(self, crawler: Crawler, request: Request, limits: _Limits) -> None:
        self._crawler = crawler
        self._request = request
        self._began = time.monotonic()
        self._largest = limits.largest(request)
        self._large = limits.large(request)
        self._limit = min(self._largest or inf, self._large or inf)
        self._head: ResponseHead | None = None
        self._headers = Headers()
        self._parts: list[bytes] = []
        self._received = 0
        self._stopped: StopDownload | None = None

    def take_head(self, head: ResponseHead) -> bool:
        """See `http_client.Receiver`."""
        self._request.meta["download_latency"] = time.monotonic() - self._began
        self._head = head
        self._headers = received_headers(head.fields)
        length = head.length if isinstance(head.length, int) else None
        # Scrapy's own handler does not tell the status. Receivers that do not take it are called without.
        if self._is_stopped(signals.headers_received, headers=self._headers, body_length=length, status=head.status):
            return False
        if length and length > self._limit:
            self._check_size(length, "announces")
        return True

    def take_body(self, data: bytes) -> bool:
        """See `http_client.Receiver`."""
        self._parts.append(data)
        self._received += len(data)
        if self._is_stopped(signals.bytes_received, data=data):
            return False
        if self._received > self._limit:
            self._check_size(self._received, "sent")
        return True

    def response(self, connection: HttpConnection, end: End) -> Response:
        """Return the response.

        Raises:
            StopDownload: a receiver of a signal ended the download with ``fail=True``.
        """
        head, url, body = self._head, self._request.url.partition("#")[0], b"".join(self._parts)
        assert head is not None
        response = responsetypes.from_args(headers=self._headers, url=url, body=body)(
            url=url,
            status=head.status,
            body=body,
            flags=list(_FLAGS[end]),
            certificate=_certificate(connection),
            ip_address=parse_address(connection.peer),
            protocol=head.protocol,
        )
        # As an argument they would be copied.
        response.headers = self._headers
        if self._stopped is not None and self._stopped.fail:
            self._stopped.response = response
            raise self._stopped
        return response

    def loss(self, connection: HttpConnection) -> str:
        """Why the response is broken, and after how much of it."""
        return f"{connection.loss} after {size(self._received)}"

    def _is_stopped(self, signal: object, **facts: Any) -> bool:
        """Send a signal; whether one of its receivers raised `StopDownload`."""
        crawler = self._crawler
        told = crawler.signals.send_catch_log(signal=signal, request=self._request, spider=crawler.spider, **facts)
        for _, result in told:
            if isinstance(result, Failure) and isinstance(result.value, StopDownload):
                self._stopped = result.value
                return True
        return False

    def _check_size(self, size: int, verb: str) -> None:
        if self._largest and size > self._largest:
            self._parts.clear()
            message = f"{self._request} {verb} {size} bytes, more than DOWNLOAD_MAXSIZE allows ({self._largest})"
            logger.warning(message)
            raise DownloadCancelledError(message)
        if self._large and size > self._large:
            logger.warning("%s %s %d bytes, more than DOWNLOAD_WARNSIZE (%d)", self._request, verb, size, self._large)
            self._large, self._limit = 0, self._largest or inf


def _certificate(connection: HttpConnection) -> Certificate | None:
    certificate = connection.tls.certificate if connection.tls is not None else None
    return None if certificate is None else Certificate(certificate)  # type: ignore[no-untyped-call]


def _context_of(settings: BaseSettings) -> SSL.Context:
    return tls_context(
        verify=settings.getbool("DOWNLOAD_VERIFY_CERTIFICATES"),
        ciphers=settings.get("DOWNLOADER_CLIENT_TLS_CIPHERS") or "",
        least=settings.get("DOWNLOAD_TLS_MIN_VERSION"),
        most=settings.get("DOWNLOAD_TLS_MAX_VERSION"),
    )


def _split_proxy(proxy: str) -> Any:
    """The parts of a proxy's URL. Without a scheme it is http; Scrapy's middleware leaves two slashes of none."""
    return urlsplit(proxy if "://" in proxy else f"http://{proxy.removeprefix('//')}")


def _proxy_of(request: Request, *, is_tls: bool) -> Proxy | None:
    """Return the proxy of a request.

    Raises:
        NotImplementedError: a proxy with ``https`` for an ``https`` URL, as in Scrapy's own handler; or another scheme.
    """
    proxy = request.meta.get("proxy")
    if not proxy:
        return None
    parts = _split_proxy(proxy)
    if parts.scheme not in {"http", "https"} or (parts.scheme == "https" and is_tls):
        raise NotImplementedError(f"the proxy {proxy} cannot be used for {request.url}: use an http:// proxy")
    secure = parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    authorization = request.headers.get(b"Proxy-Authorization") or b"" if is_tls else b""
    return Proxy(parts.hostname or "", port, secure, authorization)
