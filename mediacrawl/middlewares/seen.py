"""Drops queued duplicates of known URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.refusals import refuse
from mediacrawl.priority.revisits import evidence_for_other
from mediacrawl.records import Drop, Kind
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.canonical import Spelling
from mediacrawl.site_adapters.queued import WAITS
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler


class SeenMiddleware:
    """Drops URLs that became duplicates while they waited in the frontier.

    A URL with parameters that never change the page is replaced by the URL without them,
    which is added to the frontier unless it is known. Without mediacrawl's scheduler every request passes.

    Stats: ``drop/dust``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        self._stats = crawler.stats
        self._context = context

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler, CrawlContext.of(crawler))

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it.

        Raises:
            RefusedRequest: its URL is a duplicate.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.fetch.kind is Kind.ROBOTS or visit.lease.state:
            return
        lease = visit.lease
        if lease.evidence.via == WAITS:
            # Its URL is exactly what the site's own scripts request.
            return
        reason, url = self._context.duplicates.waiting(lease.site, Spelling(lease.url, lease.request_url))
        if reason is None:
            return
        if reason is Drop.DUST:
            visit.add_link(
                candidate(
                    url,
                    evidence_for_other(lease),
                    self._context.scores,
                    lease.kind,
                    depth=lease.depth,
                    hops=lease.hops,
                    parent=lease.parent,
                )
            )
        raise refuse(request, self._stats, reason, lease.request_url)
