"""Scrapy's HTTP handler, restricted to what a polite crawl needs.

Uses three private classes of Scrapy 2.19 and the keys of its connection pool; tests check against a server that they
still work.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
    _LenientHTTPClientParser,
)
from scrapy.exceptions import CannotResolveHostError, DownloadFailedError
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.error import ConnectionLost, DNSLookupError
from twisted.internet.interfaces import ISSLTransport
from twisted.internet.protocol import connectionDone
from twisted.web._newclient import ParseError

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.headers import ANSWERED
from mediacrawl.crawl.refusals import refuse_address, refuse_late
from mediacrawl.net.address_guard import GuardedNames, GuardedPool, LeaseOverError, Route, check_before_write, route
from mediacrawl.net.resolver import spelled
from mediacrawl.politeness.address_guard import GuardedAddressError
from mediacrawl.scope.hosts import is_address, is_loopback
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.defer import Deferred
    from twisted.internet.interfaces import IAddress
    from twisted.python.failure import Failure
    from twisted.web.iweb import IResponse

HEAD_BYTES = 64 * 1024
"""Limit of a response's head. Twisted limits its lines, not their number; servers send 1 KB, some 20 KB at worst."""

KEPT = 5
"""Seconds that an idle connection is kept. With delays of 15 s and more no request reuses it: kept longer, connections
would pile up here and at the servers."""

_IN_HEAD = frozenset({"STATUS", "HEADER"})
_ICY = b"ICY"
_STATUS_LINE = re.compile(rb"\S{1,20} [1-9]\d\d(?: |$)")
"""A status line up to its reason phrase (RFC 9112, section 4). Twisted accepts any number as status; SQLite cannot
store more than 64 bits."""


class PoliteHTTPHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, with seven differences.

    * It connects only to addresses that the guard allows, for every request: page, redirect, robots.txt, seed list,
      range. Other requests end with `RefusedRequest`, without a connection.
    * It does not repeat a request on a persistent connection that broke: the second request would ignore the site's
      delay.
    * Idle connections are kept for `KEPT` seconds instead of 240.
    * A response whose head exceeds `HEAD_BYTES` is a failed download.
    * A SHOUTcast status line, ``ICY 200 OK``, is accepted (`Response.protocol` is ``ICY/1.0``).
    * A response without a length whose connection is reset is incomplete.
    * A connection has to be accepted within ``CONNECT_TIMEOUT``.

    A proxy (``meta["proxy"]``, ``http_proxy``) is the operator's choice and not judged. It resolves names itself, so
    that the guard judges only hosts that are addresses, and ``localhost``.

    Settings: ``GUARD_ALLOW``, ``CONNECT_TIMEOUT``. Stats: ``guard/<word>``, ``drop/address``, ``dns/...``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        self._stats = crawler.stats
        self._context = CrawlContext.of(crawler)
        self._names = GuardedNames(self._context.guard)
        self._names.count = crawler.stats.inc_value
        timeout = OwnSettings(crawler.settings).getfloat("CONNECT_TIMEOUT")
        pool = GuardedPool(reactor, self._names, self._contextFactory, timeout)
        pool.maxPersistentPerHost = self._pool.maxPersistentPerHost
        pool.retryAutomatically = False
        pool.cachedConnectionTimeout = KEPT
        pool._factory = _Factory  # noqa: SLF001 - as Scrapy's own handler does
        self._pool = pool

    async def download_request(self, request: Request) -> Response:
        """Send a request.

        Raises:
            RefusedRequest: the guard refuses its address, or its lease ended before it was sent.
            CannotResolveHostError: its host has no address.
        """
        try:
            response = await self._send(request, await self._route(request))
        except GuardedAddressError as error:
            raise refuse_address(request, self._stats, error) from error
        except LeaseOverError as error:
            raise refuse_late(request, self._stats) from error
        except DNSLookupError as error:
            raise CannotResolveHostError(str(error)) from error
        response.headers.pop(ANSWERED, None)
        return response

    async def _send(self, request: Request, one: Route) -> Response:
        route.set(one)
        try:
            return await super().download_request(request)
        except DownloadFailedError as error:
            if one.is_late:
                raise LeaseOverError(one.host) from error
            raise

    async def _route(self, request: Request) -> Route:
        host = spelled(urlparse_cached(request).hostname or "")
        target = _target_of(request.url)
        if request.meta.get("proxy"):
            if is_address(host) or is_loopback(host):
                await self._names.target(host)
            return Route(host, target=target)
        visit: Visit | None = request.meta.get(VISIT)
        may_send = self._may_send(visit)
        address = await self._names.target(host, visit.fetch.address if visit else "")
        if visit is not None:
            visit.fetch.address = address
        return Route(host, address, target, may_send)

    def _may_send(self, visit: Visit | None) -> Callable[[], bool]:
        """Whether a request may still be sent: after a suspension its lease may be another worker's."""
        if visit is None or not self._context.leases:
            return lambda: True
        return lambda: self._context.frontier.holds(visit.lease)


def _target_of(url: str) -> bytes:
    """The path and query of a URL, verbatim: Twisted drops empty parts (``/a?``)."""
    rest = url.partition("#")[0].partition("://")[2]
    authority, slash, path = rest.partition("/")
    return f"/{path}".encode("ascii", "replace") if slash and "?" not in authority else b""


class _Parser(_LenientHTTPClientParser):
    def statusReceived(self, status: bytes) -> None:  # noqa: N802
        if not _STATUS_LINE.match(status):
            raise ParseError("no status of three digits", status)  # type: ignore[no-untyped-call]
        super().statusReceived(status)  # type: ignore[no-untyped-call]
        # Scrapy sends the signal of the headers before the body is read, without the status.
        self.headers.setRawHeaders(ANSWERED, [b"%d" % self.response.code])

    def parseVersion(self, strversion: bytes) -> tuple[bytes, int, int]:  # noqa: N802
        if strversion == _ICY:
            return _ICY, 1, 0
        version: tuple[bytes, int, int] = super().parseVersion(strversion)  # type: ignore[no-untyped-call]
        if not version[0].isalnum():
            # Scrapy takes it for UTF-8.
            raise ParseError("no name of a protocol", strversion)  # type: ignore[no-untyped-call]
        return version


class _Protocol(_LenientHTTP11ClientProtocol):
    _head = 0
    target = b""

    def request(self, request: Any) -> Deferred[IResponse]:
        self._head = 0
        if self.target and request.uri.startswith(b"/"):
            # A proxy is given the whole URL.
            request.uri = self.target
        answer = super().request(request)
        if self._parser is not None:
            # As Scrapy puts its own there: Twisted names its class of parsers in the middle of this method.
            self._parser.__class__ = _Parser
        return answer

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        if not self._head:
            check_before_write(self, None)
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        parser = self._parser
        if parser is None or parser.state not in _IN_HEAD:
            return
        self._head += len(data)
        if self._head > HEAD_BYTES and self.transport is not None:
            self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802
        """Take a body without a length for incomplete if its connection failed (RFC 9112, section 8).

        Not over TLS: many servers omit the closing message.
        """
        decoder = getattr(self._parser, "bodyDecoder", None)
        is_open = decoder is not None and getattr(decoder, "contentLength", 0) is None
        if is_open and isinstance(reason.value, ConnectionLost) and not ISSLTransport.providedBy(self.transport):
            # As if one more byte had been announced.
            decoder.contentLength = 1  # type: ignore[union-attr]
        super().connectionLost(reason)  # type: ignore[no-untyped-call]


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> _Protocol:  # noqa: ARG002, N802
        return _Protocol(self._quiescentCallback)  # type: ignore[no-untyped-call]
