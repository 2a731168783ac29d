"""The exception by which our middlewares refuse a request."""

from __future__ import annotations

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector

from mediacrawl.records import VISIT, Drop, End, Outcome, Visit


class RefusedRequest(IgnoreRequest):
    """A request that we do not send; `reason` names why."""

    def __init__(self, reason: Drop, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def refuse(request: Request, stats: StatsCollector, reason: Drop, detail: str, *, hold: float = 0.0) -> RefusedRequest:
    """The exception to raise. It decides the request's visit, which is counted when it ends; without one, here.

    Args:
        request: what is refused.
        stats: the crawl's.
        reason: why.
        detail: for the log.
        hold: seconds after which the visit's URL is looked at again; 0 drops it for good.
    """
    visit: Visit | None = request.meta.get(VISIT)
    if visit is None:
        stats.inc_value(f"drop/{reason}")
    elif hold:
        visit.outcome = Outcome(End.RETURNED, hold=hold)
    else:
        visit.drop(reason)
    return RefusedRequest(reason, detail)
