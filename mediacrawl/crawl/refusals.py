"""Exceptions by which middlewares and the download handler refuse a request."""

from __future__ import annotations

import logging

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector

from mediacrawl.politeness.address_guard import GuardedAddressError
from mediacrawl.records import Drop, End, Outcome
from mediacrawl.visit import VISIT, Visit

logger = logging.getLogger(__name__)

_NEVERCRAWL = "nevercrawl"
"""The guard's word for addresses on the NeverCrawl list."""


class RefusedRequest(IgnoreRequest):
    """A request that is not sent; `reason` names why."""

    def __init__(self, reason: Drop, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class MappedPage(IgnoreRequest):
    """A page that is not requested: a site adapter asks for its data instead. The lease ends as done."""


def refuse(
    request: Request, stats: StatsCollector, reason: Drop, detail: str, *, hold: float = 0.0, wait: float = 0.0
) -> RefusedRequest:
    """Decide the visit of a refused request, and return the exception to raise.

    The drop is counted at the end of the visit; without a visit, here.

    Args:
        request: what is refused.
        stats: the crawl's.
        reason: why.
        detail: for the log.
        hold: seconds until the URL's link class is tried again; 0 drops the URL.
        wait: seconds until the whole site is tried again; 0 drops the URL.
    """
    visit: Visit | None = request.meta.get(VISIT)
    if visit is None:
        stats.inc_value(f"drop/{reason}")
    elif hold or wait:
        visit.decide(Outcome(End.RETURNED, hold=hold, wait=wait))
    else:
        visit.drop(reason)
    return RefusedRequest(reason, detail)


def refuse_address(request: Request, stats: StatsCollector, error: GuardedAddressError) -> RefusedRequest:
    """Refuse a request to a guarded address. It counts as not sent, so that the site owes no delay."""
    stats.inc_value(f"guard/{error.word}")
    listed = error.word == _NEVERCRAWL
    logger.info("Not asked: %s: %s%s", request.url, error, "" if listed else "; GUARD_ALLOW can allow it")
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.fetch.sent = None
    return refuse(request, stats, Drop.NEVERCRAWL if listed else Drop.ADDRESS, f"{request.url}: {error}")


def refuse_late(request: Request, stats: StatsCollector) -> RefusedRequest:
    """Refuse a request whose lease ended before it was sent, after a suspension of the worker."""
    stats.inc_value("frontier/late")
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.fetch.sent = None
    return refuse(request, stats, Drop.IGNORED, f"{request.url}: its lease is over", wait=0.001)
