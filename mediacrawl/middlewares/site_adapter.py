"""Requests a page's data in place of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured

from mediacrawl.base.queued import MISSED, WAITS, QueuedRequest
from mediacrawl.base.terms import Candidate, Drop, End, Kind, Outcome
from mediacrawl.base.visit import VISIT, AdapterUse, Visit
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import first_request
from mediacrawl.crawl.failures import MappedPage, refuse
from mediacrawl.crawl.interfaces import lease_spider, link_filter
from mediacrawl.scope.urls import canonical
from mediacrawl.site_adapters import Miss, SiteAdapter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler


class SiteAdapterMiddleware(CrawlComponent):
    """Ends the lease of a page whose media a site adapter finds without it, and queues the page's data request.

    So one request is made in place of two. The page costs no request and no delay; its data request waits in the
    frontier as any URL does: robots.txt, NeverCrawl, scope, the clocks of its site and the redirect cap apply to it.
    This middleware comes after those that may refuse the page, so the page's own robots.txt is obeyed, too. A page is
    requested as an ordinary one if its data URL is refused by the scope or is too long, if a data request missed
    (`AdapterEnds`), and while the adapter is switched off. A data request whose adapter was switched off, changed or
    removed while it waited is dropped without a request, and its page is requested; so is one whose page is on the
    NeverCrawl list by now, and the page is refused then.

    Pages that an adapter needs are requested, and read by `reading.adapter_reader`. Only for mediacrawl's spiders and
    scheduler: in other projects nothing would keep the data requests apart from their own.

    Settings: ``ADAPTERS_DIR``.

    Stats: ``adapter/refused`` (data URLs that the scope refuses, or that are too long), ``adapter/known`` (pages whose
    data was requested for another URL of the page), ``drop/adapter_off``, ``drop/nevercrawl``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases or not context.is_ours:
            raise NotConfigured
        super().__init__(crawler, context)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or queue a data request in place of it.

        Raises:
            MappedPage: the page's data is requested instead.
            RefusedRequest: the adapter of a data request is not the one of its time any more, or its page is not to be
                requested by now.
            FrontierError: the frontier cannot be read.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.fetch.kind is Kind.ROBOTS:
            return
        lease = visit.lease
        if lease.evidence.via == WAITS:
            self._check(request, visit)
        elif lease.kind is Kind.PAGE and not lease.state and lease.evidence.via != MISSED and self._applies(lease.url):
            found = self._context.adapters.match(lease.request_url)
            if found is not None and not found[0].fetches_page:
                self._map(visit, *found)

    def _check(self, request: Request, visit: Visit) -> None:
        """Refuse a data request whose adapter or page is not the one of its time any more."""
        lease = visit.lease
        queued = QueuedRequest.of(lease.evidence)
        if queued is None or self._context.adapters.named(queued.adapter, queued.digest) is None:
            raise refuse(request, self._stats, Drop.ADAPTER_OFF, lease.request_url)
        if self._context.nevercrawl.match_url(canonical(lease.parent) or lease.parent) is not None:
            raise refuse(request, self._stats, Drop.NEVERCRAWL, f"{lease.request_url}, for {lease.parent}")

    def _applies(self, url: str) -> bool:
        spider = lease_spider(self._crawler)
        # What is behind a # tells visits apart that a spider makes on purpose.
        return not self._context.adapters.is_empty and spider is not None and spider.follows and "#" not in url

    def _map(self, visit: Visit, adapter: SiteAdapter, slots: Mapping[str, str]) -> None:
        lease = visit.lease
        try:
            found = first_request(lease, adapter, slots, self._context.scores)
        except Miss as miss:
            visit.use_adapter(AdapterUse(adapter.name, tried=True, missed=str(miss)))
            return
        if found is None or not self._admits(found):
            self._stats.inc_value("adapter/refused")
            return
        if self._context.frontier.unknown([found.url]):
            visit.use_adapter(AdapterUse(adapter.name, tried=True))
        else:
            self._stats.inc_value("adapter/known")
        visit.add_link(found)
        visit.decide(Outcome(End.DONE))
        raise MappedPage(f"{lease.request_url} is not requested, but {found.request_url}")

    def _admits(self, found: Candidate) -> bool:
        links = link_filter(self._crawler)
        return links is None or links.admit(found)
