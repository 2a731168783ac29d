"""The door to the network: Scrapy's HTTP handler, without what a polite crawl of strangers' servers cannot have.

Leans on three private classes of Scrapy 2.19, as `scrapy_internals` does, and on the keys under which its agents ask
for connections; tests ask the server whether all still work.
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

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.middlewares.cut import ANSWERED
from mediacrawl.middlewares.refused import refuse_address, refuse_late
from mediacrawl.net.address_guard import GuardedPool, LeaseOverError, Way, look_twice, way
from mediacrawl.net.resolver import spelled
from mediacrawl.own_settings import OwnSettings
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
"""Bytes of an answer's head. Twisted bounds its lines, not their number; servers send 1 KB, at the worst some 20."""

KEPT = 5
"""Seconds that a connection is kept for the site's next request. With delays of 15 s and more there is none in that
time: kept longer, connections would pile up here and at the servers, and break at the moment when both sides move."""

_IN_HEAD = frozenset({"STATUS", "HEADER"})
_ICY = b"ICY"
_STATUS_LINE = re.compile(rb"\S{1,20} [1-9]\d\d(?: |$)")
"""Of a status line, what comes before the phrase (RFC 9112, section 4). Twisted takes any number for a status, and
numbers of more than 64 bits cannot be stored."""


class PoliteHTTPHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, with seven differences.

    It connects to addresses that the guard lets pass, and to no other, whatever the request is for: page, redirect,
    robots.txt, seed list, range. A request that leads elsewhere ends with `RefusedRequest`, without a connection.

    A request that a kept connection lost is not sent again behind our back: that second request would come without the
    site's delay, and the server may have seen the first. Connections are kept for `KEPT` seconds instead of 240. An
    answer whose head does not end is cut off after `HEAD_BYTES`, as a failed download. A status line of SHOUTcast,
    ``ICY 200 OK``, is one of HTTP/1.0 (`Response.protocol` is ``ICY/1.0``). An answer without a length whose connection
    is reset has broken off, as one has of which bytes are missing. A server that accepts no connection within
    ``CONNECT_TIMEOUT`` is given up, before ``DOWNLOAD_TIMEOUT`` is over.

    A proxy (``meta["proxy"]``, ``http_proxy``) is the operator's choice and not judged. It looks names up itself, so
    behind one the guard sees only hosts that are addresses, and ``localhost``.

    Settings: ``GUARD_ALLOW``, ``CONNECT_TIMEOUT``. Stats: ``guard/<word>``, ``drop/address``, ``dns/...``.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        from twisted.internet import reactor  # noqa: PLC0415 - importing it installs one

        self._stats = crawler.stats
        self._parts = CrawlContext.of(crawler)
        self._names = self._parts.resolver
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
            RefusedRequest: it leads to a guarded address, or its lease was over before it could go out.
            CannotResolveHostError: its host has no address.
        """
        try:
            response = await self._send(request, await self._way(request))
        except GuardedAddressError as error:
            raise refuse_address(request, self._stats, error) from error
        except LeaseOverError as error:
            raise refuse_late(request, self._stats) from error
        except DNSLookupError as error:
            raise CannotResolveHostError(str(error)) from error
        response.headers.pop(ANSWERED, None)
        return response

    async def _send(self, request: Request, one: Way) -> Response:
        way.set(one)
        try:
            return await super().download_request(request)
        except DownloadFailedError as error:
            if one.is_late:
                raise LeaseOverError(one.host) from error
            raise

    async def _way(self, request: Request) -> Way:
        host = spelled(urlparse_cached(request).hostname or "")
        target = _target_of(request.url)
        if request.meta.get("proxy"):
            if is_address(host) or is_loopback(host):
                await self._names.target(host)
            return Way(host, target=target)
        visit: Visit | None = request.meta.get(VISIT)
        may = self._may(visit)
        address = await self._names.target(host, visit.fetch.address if visit else "")
        if visit is not None:
            visit.fetch.address = address
        return Way(host, address, target, may)

    def _may(self, visit: Visit | None) -> Callable[[], bool]:
        """Whether a request may still go out: a worker that stood still must not ask what others were given."""
        if visit is None or not self._parts.leases:
            return lambda: True
        return lambda: self._parts.frontier.holds(visit.lease)


def _target_of(url: str) -> bytes:
    """The path and query of a URL, to the letter: Twisted takes a URL apart and drops what is empty (``/a?``)."""
    rest = url.partition("#")[0].partition("://")[2]
    authority, slash, path = rest.partition("/")
    return f"/{path}".encode("ascii", "replace") if slash and "?" not in authority else b""


class _Parser(_LenientHTTPClientParser):
    def statusReceived(self, status: bytes) -> None:  # noqa: N802
        if not _STATUS_LINE.match(status):
            raise ParseError("no status of three digits", status)  # type: ignore[no-untyped-call]
        super().statusReceived(status)  # type: ignore[no-untyped-call]
        # Scrapy tells the headers before the body is read, and the status only behind it.
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
            look_twice(self, None)
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        parser = self._parser
        if parser is None or parser.state not in _IN_HEAD:
            return
        self._head += len(data)
        if self._head > HEAD_BYTES and self.transport is not None:
            self.transport.abortConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:  # noqa: N802
        """A body that ends with its connection is whole unless that failed (RFC 9112, section 8); then some was lost.

        Not over TLS: many servers leave its closing message out.
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
