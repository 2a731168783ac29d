"""The door to the network: Scrapy's HTTP handler, without what a polite crawl of strangers' servers cannot have.

Leans on two private classes of Scrapy 2.19, as ``seams.py`` does; a test asks the server whether both still work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.core.downloader.handlers.http11 import (
    HTTP11DownloadHandler,
    _LenientHTTP11ClientFactory,
    _LenientHTTP11ClientProtocol,
)

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from twisted.internet.defer import Deferred
    from twisted.internet.interfaces import IAddress
    from twisted.web.iweb import IResponse

HEAD_BYTES = 64 * 1024
"""Bytes of an answer's head. Twisted bounds its lines, not their number; servers send 1 KB, at the worst some 20."""

KEPT = 5
"""Seconds that a connection is kept for the site's next request. With delays of 15 s and more there is none in that
time: kept longer, connections would pile up here and at the servers, and break at the moment when both sides move."""

_IN_HEAD = frozenset({"STATUS", "HEADER"})


class PoliteHTTPHandler(HTTP11DownloadHandler):
    """Scrapy's handler for http and https, with three differences.

    A request that a kept connection lost is not sent again behind our back: that second request would come without the
    site's delay, and the server may have seen the first. Connections are kept for `KEPT` seconds instead of 240. An
    answer whose head does not end is cut off after `HEAD_BYTES`, as a failed download.
    """

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._pool.retryAutomatically = False
        self._pool.cachedConnectionTimeout = KEPT
        self._pool._factory = _Factory  # noqa: SLF001 - as Scrapy's own handler does


class _Protocol(_LenientHTTP11ClientProtocol):
    _head = 0

    def request(self, request: object) -> Deferred[IResponse]:
        self._head = 0
        return super().request(request)  # type: ignore[arg-type]

    def dataReceived(self, data: bytes) -> None:  # noqa: N802
        super().dataReceived(data)  # type: ignore[no-untyped-call]
        parser = self._parser
        if parser is None or parser.state not in _IN_HEAD:
            return
        self._head += len(data)
        if self._head > HEAD_BYTES and self.transport is not None:
            self.transport.abortConnection()


class _Factory(_LenientHTTP11ClientFactory):
    def buildProtocol(self, addr: IAddress | None) -> _Protocol:  # noqa: ARG002, N802
        return _Protocol(self._quiescentCallback)  # type: ignore[no-untyped-call]
