"""Holds lists (feeds, sitemaps, playlists) back while as many are open as memory may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured

from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.middlewares.refused import refuse
from mediacrawl.own_settings import OwnSettings
from mediacrawl.probe.open_lists import OPEN_BYTES, OpenLists
from mediacrawl.records import Drop, Kind, Outcome
from mediacrawl.signals import visit_ended
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response


class ListsMiddleware:
    """Bounds the bytes of lists that are held at a time (`OpenLists`), with a spider of ours.

    A list is 3 MB where a page is 200 KB, and 128 of them at a time were half a gigabyte. While there is no place for
    another one, requests for lists go back into the frontier for some seconds, and nothing is asked; their sites go on
    with other URLs. A list that is on its way when there is no more place is ended by `CutMiddleware`, and asked for
    again after its site's delay. A list is open from its request to the end of its visit. What it unpacks to beyond
    ``LIST_MAX_BYTES`` is dropped here, so this middleware stands before the one that unpacks.

    Stats: ``list/waits``.
    """

    def __init__(self, crawler: Crawler, parts: CrawlContext) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._lists = parts.open_lists = OpenLists(OPEN_BYTES)
        self._clock = parts.clock
        self._longest = OwnSettings(parts.settings).getint("LIST_MAX_BYTES")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl.

        Raises:
            NotConfigured: the scheduler or the spider is not ours.
        """
        parts = CrawlContext.of(crawler)
        if not parts.leases or not parts.is_ours:
            raise NotConfigured
        middleware = cls(crawler, parts)
        crawler.signals.connect(middleware._ended, visit_ended)
        return middleware

    def process_request(self, request: Request) -> None:
        """Let the request pass, or send its lease back to wait.

        Raises:
            RefusedRequest: it is for a list, and there is no place.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and visit.fetch.kind is Kind.LIST and not self._lists.begin(visit.lease.id):
            self._stats.inc_value("list/waits")
            request_serialization.hide(request, self._crawler.spider)
            wait = self._lists.wait(self._clock.now())
            raise refuse(request, self._stats, Drop.IGNORED, f"{request.url}: too many lists are open", hold=wait)

    def process_response(self, request: Request, response: Response) -> Response:
        """Let go of what a list unpacked to and nobody reads."""
        visit: Visit | None = request.meta.get(VISIT)
        size = min(len(response.body), self._longest)
        if visit is not None and self._lists.unpack(visit.lease.id, size) and size < len(response.body):
            return response.replace(body=response.body[:size])
        return response

    def _ended(self, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002 - the signal's
        self._lists.close(visit.lease.id)
