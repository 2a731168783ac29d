"""The door through which an answer is cut off once enough of it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import StopDownload

from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.extract.content_coding import is_complete
from mediacrawl.own_settings import OwnSettings
from mediacrawl.policies import probe_policy, worth_opening
from mediacrawl.priority.nuggets import is_worth_opening
from mediacrawl.probe.response import BodyLimits, ResponseKind, bytes_wanted, response_kind
from mediacrawl.records import Drop, End, Kind, Outcome
from mediacrawl.visit import VISIT, Visit

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
    """Ends a download when as much of it has come as is wanted (`probe.answer.bytes_wanted`).

    A page is cut at ``PAGE_MAX_BYTES``, a list at ``LIST_MAX_BYTES``, a media file from a server that ignores Range at
    `ProbePolicy.single_bytes`, a stream that never ends after some KB, and what is none of these before its body. So is
    what the function of ``NUGGET_WORTH_OPENING`` does not want; it is asked where `handler.PoliteHTTPHandler` is at
    work. A list that no longer fits beside those that are open (`ListsMiddleware`) is ended, and asked for again. Only
    for requests with a lease.

    It also tells what broke off in transit (`Visit.broke_off`) from what was ended here. A packed body is judged by its
    own end, which says more than a Content-Length: some servers announce the length that it has unpacked.

    Stats: ``cut/body``, ``cut/headers``, ``cut/transit`` (answers that broke off), ``list/again``, ``nugget/failed``.
    """

    def __init__(self, crawler: Crawler, parts: CrawlContext) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        own = OwnSettings(parts.settings)
        probe = probe_policy(parts.settings)
        page, lists = own.getint("PAGE_MAX_BYTES"), own.getint("LIST_MAX_BYTES")
        self._limits = BodyLimits(page, probe.head_bytes, probe.single_bytes, lists)
        self._ignores_ranges = parts.ignores_ranges
        self._parts = parts
        self._unpacked = parts.settings.getint("DOWNLOAD_MAXSIZE")
        self._worth = worth_opening(parts.settings)
        if self._worth is not None:
            self._worth.count = crawler.stats.inc_value

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        middleware = cls(crawler, CrawlContext.of(crawler))
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
            visit.fetch.broke_off = self._broke_off(response)
            if visit.fetch.broke_off:
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
        fetch = visit.fetch
        fetch.content_encoding = told.get("content-encoding", "")
        is_media = response_kind(told.get("content-type", "")) == ResponseKind.MEDIA
        once = is_media and not visit.fetch.range_bytes and self._ignores_ranges(visit.fetch.url)
        visit.fetch.body_limit = bytes_wanted(
            visit.fetch.kind, told, self._limits, asked=visit.fetch.range_bytes, once=once
        )
        if not self._is_wanted(visit, headers, told):
            visit.fetch.body_limit = 0
            visit.drop(Drop.NOT_WORTH)
            request_serialization.hide(request, self._crawler.spider)
        lists = self._lists(visit)
        if lists is not None and not lists.begin(visit.lease.id):
            self._ask_again(visit)
        if visit.fetch.body_limit == 0:
            self._stats.inc_value("cut/headers")
            raise StopDownload(fail=False)

    def _lists(self, visit: Visit) -> OpenLists | None:
        """The lists that are open, if more of this answer is read than of a page."""
        if (
            visit.fetch.kind is Kind.ROBOTS
            or visit.fetch.body_limit is None
            or visit.fetch.body_limit <= self._limits.page
        ):
            return None
        return self._parts.open_lists

    def _ask_again(self, visit: Visit) -> None:
        """A list does not fit: it ends here, and waits until there is a place."""
        self._stats.inc_value("list/again")
        visit.fetch.body_limit = 0
        kind = visit.fetch.kind if visit.lease.state else Kind.LIST
        visit.decide(Outcome(End.CONTINUE, state=visit.lease.state, kind=kind))

    def _is_wanted(self, visit: Visit, headers: Headers, told: dict[str, str]) -> bool:
        """Whether a body is worth having, of an answer that has one to be read and begins something."""
        told.pop(ANSWERED.decode().lower(), None)
        status = headers.getlist(ANSWERED)
        if self._worth is None or not status or visit.fetch.kind is Kind.ROBOTS or visit.lease.state:
            return True
        number = int(status[0]) if status[0].isdigit() else 0
        return not 200 <= number < 300 or is_worth_opening(self._worth, number, told, visit.fetch.url)

    def _body(self, data: bytes, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        fetch = visit.fetch
        fetch.bytes += len(data)
        lists = self._lists(visit)
        # A compressed list is a fifth of its text, so each of its bytes counts as five.
        if lists is not None and not lists.grow(
            visit.lease.id, fetch.bytes * self._limits.lists // (fetch.body_limit or 1)
        ):
            self._ask_again(visit)
        if fetch.body_limit is not None and fetch.bytes >= fetch.body_limit:
            self._stats.inc_value("cut/body")
            raise StopDownload(fail=False)
