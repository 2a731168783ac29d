"""Interfaces between the scheduler, the spiders, and the parts that stand below or beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from twisted.python.failure import Failure

    from mediacrawl.base.terms import Candidate
    from mediacrawl.base.visit import Visit
    from mediacrawl.frontier import Frontier
    from mediacrawl.scope import Scope


class LeaseHolder(Protocol):
    """The holder of a crawl's leases: mediacrawl's scheduler, as other parts of the crawl see it."""

    holds_leases: bool

    @property
    def frontier(self) -> Frontier:
        """The frontier that the leases are of."""

    def add(self, candidates: list[Candidate], source: str = "", *, scored: bool = False) -> int:
        """Add URLs to the frontier; return the number of new ones."""

    def add_again(self, candidate: Candidate) -> bool:
        """Add a URL that has ended once more; return whether it joined."""

    def end(self, visit: Visit) -> None:
        """End a visit and its lease."""

    def failed(self, failure: Failure) -> Failure | None:
        """End the visit of a failed request. An errback."""

    def stay(self) -> None:
        """Keep the crawl open when no URL is left."""

    def hold(self, held: bool) -> None:
        """Stop giving out requests, or continue."""

    def count(self, name: str, number: int = 1) -> None:
        """Count a frequent event; stats are written once a second."""

    def stop(self, reason: str, error: Exception) -> None:
        """End the crawl because of `error`."""


class LeaseSpider(Protocol):
    """A spider that makes the request of a lease itself, as the spiders of mediacrawl do.

    Attributes:
        makes_requests_of_leases: True.
        logs_start: whether the spider logs how the crawl starts; otherwise the scheduler does.
        follows: whether pages and feeds are read for their links.
        revisit: share of the requests that may be revisits; 0 for none.
        stop_below: the crawl ends when fewer sites have waiting URLs, after it had more; 0 for never.
        scope: decides which URLs are accepted.
    """

    makes_requests_of_leases: bool
    logs_start: bool
    follows: bool

    @property
    def revisit(self) -> float:
        """See above."""

    @property
    def stop_below(self) -> int:
        """See above."""

    @property
    def scope(self) -> Scope:
        """See above."""

    def make_request(self, visit: Visit) -> Request:
        """Return the request of a lease."""


@runtime_checkable
class LinkFilter(Protocol):
    """A spider that decides which URLs join that were found otherwise than on a page.

    Attributes:
        explores: whether the sitemaps of a robots.txt join.
    """

    explores: bool

    def admit(self, candidate: Candidate) -> bool:
        """Whether a URL may be added to the frontier; a refusal is counted."""

    def admits_site(self, url: str) -> bool:
        """Whether any request may go to the host of a URL."""


def find_lease_holder(crawler: Crawler) -> LeaseHolder | None:
    """Return the crawl's lease holder; None with another scheduler than mediacrawl's."""
    scheduler = crawler.engine.scheduler
    return cast("LeaseHolder", scheduler) if getattr(type(scheduler), "holds_leases", False) else None


def lease_holder(crawler: Crawler) -> LeaseHolder:
    """Return the crawl's lease holder.

    Raises:
        TypeError: the crawl has another scheduler than mediacrawl's.
    """
    holder = find_lease_holder(crawler)
    if holder is None:
        raise TypeError("this needs SCHEDULER = 'mediacrawl.scheduler.PenaltyBoxScheduler'")
    return holder


def lease_spider(crawler: Crawler) -> LeaseSpider | None:
    """Return the crawl's spider, if it makes the requests of leases; None for a spider of another project."""
    spider = crawler.spider
    return cast("LeaseSpider", spider) if getattr(spider, "makes_requests_of_leases", False) else None


def link_filter(crawler: Crawler) -> LinkFilter | None:
    """Return the crawl's spider, if it decides which URLs join."""
    spider: object = crawler.spider
    return spider if isinstance(spider, LinkFilter) else None
