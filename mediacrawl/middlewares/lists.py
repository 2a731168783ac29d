"""Limits the memory of the lists (feeds, sitemaps, playlists) that are downloaded or parsed at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured

from mediacrawl.base.terms import Drop, Kind, Outcome
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import refuse
from mediacrawl.crawl.open_lists import OPEN_BYTES, OpenLists
from mediacrawl.crawl.own_settings import OwnSettings

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


class ListsMiddleware(CrawlComponent):
    """Limits the bytes of open lists (`OpenLists`), for mediacrawl's own spiders.

    A list has up to 3 MB, a page 1 MB; 128 lists at a time took half a gigabyte. At the limit, requests for lists go
    back to the frontier for some seconds without being sent; their sites continue with other URLs. `CutMiddleware` ends
    a list that exceeds the limit while it is received; it is requested again after its site's delay. A list is open
    from its request to the end of its visit. Bytes beyond ``LIST_MAX_BYTES`` after decompression are dropped here, so
    that this middleware precedes the decompressing one.

    Stats: ``list/waits``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases or not context.is_ours:
            raise NotConfigured
        super().__init__(crawler, context)
        self._lists = context.open_lists = OpenLists(OPEN_BYTES)
        self._longest = OwnSettings(context.settings).getint("LIST_MAX_BYTES")

    def process_request(self, request: Request) -> None:
        """Let the request pass, or return its lease.

        Raises:
            RefusedRequest: it is for a list, and the limit is reached.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and visit.fetch.kind is Kind.LIST and not self._lists.begin(visit.lease.id):
            self._stats.inc_value("list/waits")
            request_serialization.hide(request, self._crawler.spider)
            wait = self._lists.wait(self._clock.now())
            raise refuse(request, self._stats, Drop.IGNORED, f"{request.url}: too many lists are open", hold=wait)

    def process_response(self, request: Request, response: Response) -> Response:
        """Drop the bytes of a list that are not parsed."""
        visit: Visit | None = request.meta.get(VISIT)
        size = min(len(response.body), self._longest)
        if visit is not None and self._lists.unpack(visit.lease.id, size) and size < len(response.body):
            return response.replace(body=response.body[:size])
        return response

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002 - the signal's
        self._lists.close(visit.lease.id)
