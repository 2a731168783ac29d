"""The door through which an answer is cut off once enough of it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import StopDownload

from mediacrawl import foreign
from mediacrawl.extract.content_coding import is_complete
from mediacrawl.parts import Parts
from mediacrawl.priority.nuggets import is_worth_opening
from mediacrawl.probe.response import BodyLimits, ResponseKind, bytes_wanted, response_kind
from mediacrawl.records import VISIT, Drop, End, Kind, Outcome, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response

    from mediacrawl.probe.open_lists import OpenLists

ANSWERED = b"X-Mediacrawl-Status"
"""The header by which `handler.PoliteHTTPHandler` tells the status together with the headers. It stands before those of
the server, so none of that name that a server sends is read, and it is gone from the response."""

ENDED_HERE = "download_stopped"
"""Scrapy's flag of an answer that a part of the crawl has ended."""
BROKE_OFF = "dataloss"
"""Scrapy's flag of an answer that ended before all that was announced had come."""


class CutMiddleware:
    """Ends a download when as much of it has come as is wanted (`probe.response.bytes_wanted`).

    A page is cut at ``PAGE_MAX_BYTES``, a list at ``LIST_MAX_BYTES``, a media file from a server that ignores Range at
    ``PROBE_SINGLE_BYTES``, a stream that never ends after some KB, and what is none of these before its body. So is
    what the function of ``NUGGET_WORTH_OPENING`` does not want; it is asked where `handler.PoliteHTTPHandler` is at
    work. A list that no longer fits beside those that are open (`ListsMiddleware`) is ended, and asked for again. Only
    for requests with a lease.

    It also tells what broke off in transit (`Visit.broke_off`) from what was ended here. A packed body is judged by its
    own end, which says more than a Content-Length: some servers announce the length that it has unpacked.

    Stats: ``cut/body``, ``cut/headers``, ``cut/transit`` (answers that broke off), ``list/again``, ``nugget/failed``.
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        page = parts.settings.getint("PAGE_MAX_BYTES", 200_000)
        lists = parts.settings.getint("LIST_MAX_BYTES", 3_000_000)
        self._limits = BodyLimits(page, parts.probe.head_bytes, parts.probe.single_bytes, lists)
        self._ignores_ranges = parts.ignores_ranges
        # `ListsMiddleware` made it, and closes what is opened here.
        self._open_lists = parts.open_lists if "open_lists" in vars(parts) else None
        self._unpacked = parts.settings.getint("DOWNLOAD_MAXSIZE")
        self._worth = parts.worth_opening
        if self._worth is not None:
            self._worth.count = crawler.stats.inc_value

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
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            request.meta["download_maxsize"] = self._unpacked
            visit.broke_off = self._broke_off(response)
            if visit.broke_off:
                self._stats.inc_value("cut/transit")
        return response

    def _broke_off(self, response: Response) -> bool:
        if ENDED_HERE in response.flags:
            return False
        codings = response.headers.getlist("Content-Encoding")
        if codings:
            words = b",".join(codings).decode("latin-1").split(",")
            whole = is_complete(response.body, words, self._unpacked)
            if whole is not None:
                return not whole
        return BROKE_OFF in response.flags

    def _headers(self, headers: Headers, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        told = {name.decode("latin-1").lower(): b", ".join(headers.getlist(name)).decode("latin-1") for name in headers}
        visit.content_encoding = told.get("content-encoding", "")
        is_media = response_kind(told.get("content-type", "")) == ResponseKind.MEDIA
        once = is_media and not visit.asked and self._ignores_ranges(visit.url)
        visit.limit = bytes_wanted(visit.kind, told, self._limits, asked=visit.asked, once=once)
        if not self._is_wanted(visit, headers, told):
            visit.limit = 0
            visit.drop(Drop.NOT_WORTH)
            foreign.hide(request, self._crawler.spider)
        lists = self._lists(visit)
        if lists is not None and not lists.begin(visit.lease.id):
            self._ask_again(visit)
        if visit.limit == 0:
            self._stats.inc_value("cut/headers")
            raise StopDownload(fail=False)

    def _lists(self, visit: Visit) -> OpenLists | None:
        """The lists that are open, if more of this answer is read than of a page."""
        if visit.kind is Kind.ROBOTS or visit.limit is None or visit.limit <= self._limits.page:
            return None
        return self._open_lists

    def _ask_again(self, visit: Visit) -> None:
        """A list does not fit: it ends here, and waits until there is a place."""
        self._stats.inc_value("list/again")
        visit.limit = 0
        kind = visit.kind if visit.lease.state else Kind.LIST
        visit.outcome = Outcome(End.CONTINUE, state=visit.lease.state, kind=kind)

    def _is_wanted(self, visit: Visit, headers: Headers, told: dict[str, str]) -> bool:
        """Whether a body is worth having, of an answer that has one to be read and begins something."""
        told.pop(ANSWERED.decode().lower(), None)
        status = headers.getlist(ANSWERED)
        if self._worth is None or not status or visit.kind is Kind.ROBOTS or visit.lease.state:
            return True
        number = int(status[0]) if status[0].isdigit() else 0
        return not 200 <= number < 300 or is_worth_opening(self._worth, number, told, visit.url)

    def _body(self, data: bytes, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        visit.bytes += len(data)
        lists = self._lists(visit)
        # Of a packed one a fifth is fetched, so each byte counts as five.
        if lists is not None and not lists.grow(visit.lease.id, visit.bytes * self._limits.lists // (visit.limit or 1)):
            self._ask_again(visit)
        if visit.limit is not None and visit.bytes >= visit.limit:
            self._stats.inc_value("cut/body")
            raise StopDownload(fail=False)
