"""The door through which an answer is cut off once enough of it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import StopDownload

from mediacrawl.parts import Parts
from mediacrawl.probe.answer import bytes_wanted
from mediacrawl.records import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response


class CutMiddleware:
    """Ends a download when as much of it has come as is wanted (`probe.answer.bytes_wanted`).

    A page is cut at ``PAGE_MAX_BYTES``, a media file from a server that ignores Range after its head, and what is
    neither page nor media nor feed before its body. Only for requests with a lease.

    Stats: ``cut/body``, ``cut/headers``.
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        self._stats = crawler.stats
        self._page = parts.settings.getint("PAGE_MAX_BYTES", 200_000)
        self._head = parts.probe.head_bytes
        self._unpacked = parts.settings.getint("DOWNLOAD_MAXSIZE")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        middleware = cls(crawler, Parts.of(crawler))
        crawler.signals.connect(middleware._headers, signals.headers_received)
        crawler.signals.connect(middleware._body, signals.bytes_received)
        return middleware

    def process_request(self, request: Request) -> None:
        """Scrapy's own limit would throw the whole answer away; ours keeps what has come."""
        if VISIT in request.meta:
            request.meta["download_maxsize"] = 0

    def process_response(self, request: Request, response: Response) -> Response:
        """From here on the limit holds for what decompression makes of the body."""
        if VISIT in request.meta:
            request.meta["download_maxsize"] = self._unpacked
        return response

    def _headers(self, headers: Headers, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        content_type = headers.get(b"Content-Type", b"") or b""
        partial = b"Content-Range" in headers
        visit.limit = bytes_wanted(
            visit.kind,
            content_type.decode("latin-1"),
            partial=partial,
            asked=visit.asked,
            page=self._page,
            head=self._head,
        )
        if visit.limit == 0:
            self._stats.inc_value("cut/headers")
            raise StopDownload(fail=False)

    def _body(self, data: bytes, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        visit.bytes += len(data)
        if visit.limit is not None and visit.bytes >= visit.limit:
            self._stats.inc_value("cut/body")
            raise StopDownload(fail=False)
