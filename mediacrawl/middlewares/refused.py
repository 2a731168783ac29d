"""The exceptions by which our doors refuse a request."""

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
"""The word of the judge that asks NeverCrawl's networks."""


class RefusedRequest(IgnoreRequest):
    """A request that we do not send; `reason` names why."""

    def __init__(self, reason: Drop, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def refuse(
    request: Request, stats: StatsCollector, reason: Drop, detail: str, *, hold: float = 0.0, wait: float = 0.0
) -> RefusedRequest:
    """The exception to raise. It decides the request's visit, which is counted when it ends; without one, here.

    Args:
        request: what is refused.
        stats: the crawl's.
        reason: why.
        detail: for the log.
        hold: seconds after which the visit's URL is looked at again; 0 drops it for good.
        wait: seconds after which its whole site is; 0 drops it for good.
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
    """The exception to raise for a request that leads to a guarded address; no delay is owed for it.

    Args:
        request: what is refused.
        stats: the crawl's; ``guard/<word>`` is counted.
        error: the verdict.
    """
    stats.inc_value(f"guard/{error.word}")
    listed = error.word == _NEVERCRAWL
    logger.info("Not asked: %s: %s%s", request.url, error, "" if listed else "; GUARD_ALLOW can allow it")
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.fetch.sent = None
    return refuse(request, stats, Drop.NEVERCRAWL if listed else Drop.ADDRESS, f"{request.url}: {error}")


def refuse_late(request: Request, stats: StatsCollector) -> RefusedRequest:
    """The exception to raise for a request whose lease was over before it went out: the worker stood still.

    Args:
        request: what is refused.
        stats: the crawl's; ``frontier/late`` is counted.
    """
    stats.inc_value("frontier/late")
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.fetch.sent = None
    return refuse(request, stats, Drop.IGNORED, f"{request.url}: its lease is over", wait=0.001)
