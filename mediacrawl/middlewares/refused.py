"""The exception by which our middlewares refuse a request."""

from __future__ import annotations

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.statscollectors import StatsCollector

from mediacrawl.records import VISIT, Drop, Visit


class RefusedRequest(IgnoreRequest):
    """A request that we do not send; `reason` names why."""

    def __init__(self, reason: Drop, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def refuse(request: Request, stats: StatsCollector, reason: Drop, detail: str) -> RefusedRequest:
    """The exception to raise. It decides the request's visit, which is counted when it ends; without one, here."""
    visit: Visit | None = request.meta.get(VISIT)
    if visit is not None:
        visit.drop(reason)
    else:
        stats.inc_value(f"drop/{reason}")
    return RefusedRequest(reason, detail)
