"""Ends a download when enough of the body was received, and decompresses bodies (Content-Encoding)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import IgnoreRequest, StopDownload
from scrapy.http import TextResponse
from scrapy.responsetypes import responsetypes

from mediacrawl.base.terms import Drop, End, Kind, Limit, Outcome
from mediacrawl.base.visit import VISIT, FetchFacts, Visit
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import UnreadableAnswerError
from mediacrawl.crawl.headers import BROKE_OFF, ENDED_HERE
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.policies import probe_policy, worth_opening
from mediacrawl.download.body_bytes import BodyLimits, bytes_wanted, bytes_wanted_of
from mediacrawl.extract.content_coding import UNPACKED, codings_of, is_complete, unpack
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.priority.nuggets import is_worth_opening
from mediacrawl.scope.urls import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response

    from mediacrawl.probe.open_lists import OpenLists

_PACKED = 32_768
"""Bytes of a compressed page after which its length is looked at while it comes. Most pages are smaller."""


class CutMiddleware(CrawlComponent):
    """Ends a download when the wanted bytes were received (`download.body_bytes.bytes_wanted`, `bytes_wanted_of`).

    The headers decide, and then the first bytes of the body. A page is cut at ``PAGE_MAX_BYTES`` after decompression, a
    list at ``LIST_MAX_BYTES``, a media file from a server that ignores Range at `ProbePolicy.single_bytes`, a stream
    that never ends after some KB, and what is none of these before its body. So is a response that the function of
    ``NUGGET_WORTH_OPENING`` rejects; it is called with `handler.PoliteHTTPHandler` only. A list that no longer fits
    beside those that are open (`ListsMiddleware`) is ended, and asked for again. Only for requests with a lease.

    It also notes which bodies ended early in transit (`FetchFacts.broke_off`). A compressed body is judged by its own
    end marker, which is more reliable than Content-Length: some servers announce the uncompressed length.

    Stats: ``cut/body``, ``cut/headers``, ``cut/transit`` (incomplete responses), ``list/again``, ``nugget/failed``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        own = OwnSettings(context.settings)
        probe = probe_policy(context.settings)
        page, lists = own.getint("PAGE_MAX_BYTES"), own.getint("LIST_MAX_BYTES")
        # The byte behind a page shows that it is longer.
        self._limits = BodyLimits(page and page + 1, probe.head_bytes, probe.single_bytes, lists)
        self._of_lists = {
            bytes_wanted(Kind.LIST, {"content-encoding": coding}, self._limits, asked=0) for coding in ("", "gzip")
        }
        self._ignores_ranges = context.ignores_ranges
        self._unpacked = context.settings.getint("DOWNLOAD_MAXSIZE")
        self._worth = worth_opening(context.settings)
        if self._worth is not None:
            self._worth.count = crawler.stats.inc_value

    def process_request(self, request: Request) -> None:
        """Switch off Scrapy's own limit, which discards the whole response."""
        if VISIT in request.meta:
            request.meta["download_maxsize"] = 0

    def process_response(self, request: Request, response: Response) -> Response:
        """Note whether the body is complete, and set the limit of decompression."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            request.meta["download_maxsize"] = self._unpacked
            visit.fetch.packed.clear()
            visit.fetch.broke_off = self._broke_off(response, visit.fetch.page_bytes or self._unpacked)
            if visit.fetch.broke_off:
                self._stats.inc_value("cut/transit")
        return response

    @staticmethod
    def _broke_off(response: Response, most: int) -> bool:
        if ENDED_HERE in response.flags:
            return False
        values = response.headers.getlist("Content-Encoding")
        codings = codings_of(value.decode("latin-1") for value in values)
        whole = is_complete(response.body, codings, most)
        if whole is not None:
            return not whole
        return BROKE_OFF in response.flags

    def _headers_received(self, headers: Headers, request: Request, status: int = 0) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        told = {name.decode("latin-1").lower(): b", ".join(headers.getlist(name)).decode("latin-1") for name in headers}
        fetch = visit.fetch
        fetch.content_encoding, fetch.content_type = told.get("content-encoding", ""), told.get("content-type", "")
        self._limit(fetch, bytes_wanted(fetch.kind, told, self._limits, asked=fetch.range_bytes))
        if not self._is_wanted(visit, status, told):
            visit.fetch.body_limit = 0
            visit.drop(Drop.NOT_WORTH)
            request_serialization.hide(request, self._crawler.spider)
        lists = self._lists(visit)
        if lists is not None and not lists.begin(visit.lease.id):
            self._ask_again(visit)
        if visit.fetch.body_limit == 0:
            self._stats.inc_value("cut/headers")
            raise StopDownload(fail=False)

    def _limit(self, fetch: FetchFacts, wanted: int) -> None:
        """Set the limit of a body. Of a medium more is read if the server sends no ranges, as far as is known."""
        if wanted == self._limits.head and (fetch.range_bytes or self._ignores_ranges(fetch.url)):
            wanted = self._limits.single
        fetch.body_limit, fetch.page_bytes = wanted, wanted if wanted == self._limits.page else 0

    def _lists(self, visit: Visit) -> OpenLists | None:
        """Return the register of open lists, if this response is read as one."""
        return self._context.open_lists if visit.fetch.body_limit in self._of_lists else None

    def _ask_again(self, visit: Visit) -> None:
        """End a list that exceeds the memory for open lists; it is requested again later."""
        self._stats.inc_value("list/again")
        visit.fetch.body_limit = 0
        kind = visit.fetch.kind if visit.lease.state else Kind.LIST
        visit.decide(Outcome(End.CONTINUE, state=visit.lease.state, kind=kind))

    def _is_wanted(self, visit: Visit, status: int, told: dict[str, str]) -> bool:
        """Whether the function of NUGGET_WORTH_OPENING wants the body of the first response of a URL."""
        if self._worth is None or visit.fetch.kind is Kind.ROBOTS or visit.lease.state:
            return True
        return not 200 <= status < 300 or is_worth_opening(self._worth, status, told, visit.fetch.url)

    def _bytes_received(self, data: bytes, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        fetch = visit.fetch
        limit = fetch.body_limit or 0
        is_open = (limit >= self._limits.page and fetch.kind is not Kind.ROBOTS) or limit == self._limits.head
        if is_open and not fetch.bytes and not codings_of([fetch.content_encoding]):
            self._limit(fetch, bytes_wanted_of(data, self._limits, limit, fetch.content_type))
        fetch.bytes += len(data)
        lists = self._lists(visit)
        # A compressed list is a fifth of its text, so each of its bytes counts as five.
        if lists is not None and not lists.grow(
            visit.lease.id, fetch.bytes * self._limits.lists // (fetch.body_limit or 1)
        ):
            self._ask_again(visit)
        if self._is_enough(fetch, data):
            self._stats.inc_value("cut/body")
            raise StopDownload(fail=False)

    def _is_enough(self, fetch: FetchFacts, data: bytes) -> bool:
        """Whether no more of a body is read; `data` are its last bytes."""
        if fetch.body_limit is None:
            return False
        codings = codings_of([fetch.content_encoding]) if fetch.page_bytes else ()
        if codings:
            fetch.packed += data
            if fetch.bytes // _PACKED > (fetch.bytes - len(data)) // _PACKED:
                page = unpack(bytes(fetch.packed), codings, fetch.page_bytes)
                return page is not None and len(page) >= fetch.page_bytes
        return fetch.bytes >= fetch.body_limit


_NOT_ACCEPTABLE = frozenset({406, 415})
"""Statuses for an unacceptable Accept-Encoding (RFC 9110, 12.5.3; RFC 7694)."""
_HOSTS = 10_000
"""Hosts whose Accept-Encoding is remembered."""


class UnpackMiddleware(HttpCompressionMiddleware):
    """Scrapy's `HttpCompressionMiddleware`, for servers that send anything at all, and for pages of any length.

    A host that answers 406 or 415 to a request with Accept-Encoding gets none from then on (in memory), and the URL is
    requested once more, by the next visit. One whose body cannot be read is asked for uncompressed ones.

    What is no coding (`extract.content_coding.codings_of`) is counted and removed from the header. A coding that cannot
    be decoded is counted, and the body is read as received. A body that contradicts its header raises
    `UnreadableAnswerError`; the libraries' own errors would count as faults. A page is unpacked as far as it is read.

    Stats: ``answer/unknown_encoding``, ``answer/unreadable``, ``answer/not_acceptable``, and Scrapy's
    ``httpcompression/...``.
    """

    def __init__(self, *, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._crawler = crawler
        self._accepted: LastUsed[str] = LastUsed(_HOSTS)

    def process_request(self, request: Request) -> Request | Response | None:  # type: ignore[override]
        """Ask for a compressed response, unless that failed before."""
        accepted = self._accepted.get(host_of(request.url))
        if accepted is None:
            return super().process_request(request)
        request.headers["Accept-Encoding"] = accepted or None
        return None

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Decompress a response.

        Raises:
            UnreadableAnswerError: its body contradicts its header.
            IgnoreRequest: it is no page, and decompresses to more than ``DOWNLOAD_MAXSIZE``.
        """
        visit: Visit | None = request.meta.get(VISIT)
        refused = response.status in _NOT_ACCEPTABLE and request.headers.get("Accept-Encoding")
        if refused and visit is not None and visit.fetch.kind is not Kind.ROBOTS:
            self._accepted.put(host_of(request.url), "")
            self._count("answer/not_acceptable")
            visit.decide(Outcome(End.CONTINUE, state=visit.lease.state))
            request_serialization.hide(request, self._crawler.spider)
            return response
        told = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1").lower()
        if not told or request.method == "HEAD":
            return response
        codings = codings_of([told])
        del response.headers["Content-Encoding"]
        if {word.strip() for word in told.split(",")} - {*UNPACKED, "identity", ""}:
            self._count("answer/unknown_encoding")
        if not UNPACKED.issuperset(codings):
            response.headers["Content-Encoding"] = ",".join(codings)
        elif codings and response.body:
            return self._unpacked(request, response, codings)
        return response

    def _unpacked(self, request: Request, response: Response, codings: tuple[str, ...]) -> Response:
        visit: Visit | None = request.meta.get(VISIT)
        page, limits = (visit.fetch.page_bytes, visit.fetch.limits) if visit is not None else (0, set[Limit]())
        most = page or request.meta.get("download_maxsize", self._max_size) or sys.maxsize
        body = unpack(response.body, codings, page or most + 1)
        if body is None:
            limits.add(Limit.UNREADABLE)
            self._accepted.put(host_of(request.url), "identity")
            self._count("answer/unreadable")
            raise UnreadableAnswerError(f"its body cannot be unpacked ({', '.join(codings)})")
        if len(body) > most and not page:
            limits.add(Limit.SIZE)
            raise IgnoreRequest(f"{request.url} unpacks to more than the {most:,} bytes of DOWNLOAD_MAXSIZE")
        self._count("httpcompression/response_bytes", len(body[:most]))
        self._count("httpcompression/response_count")
        kind = responsetypes.from_args(headers=response.headers, url=response.url, body=body)
        # The encoding is found anew, as by Scrapy's own middleware.
        found = {"encoding": None} if issubclass(kind, TextResponse) else {}
        return response.replace(cls=kind, body=body[:most], **found)

    def _count(self, name: str, number: int = 1) -> None:
        if self.stats:
            self.stats.inc_value(name, number)
