"""The exception by which our middlewares refuse a request."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest

from mediacrawl.records import Drop, Visit


class RefusedRequest(IgnoreRequest):
    """A request that we do not send; `reason` names why."""

    def __init__(self, reason: Drop, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


def refuse(visit: Visit | None, reason: Drop, detail: str) -> RefusedRequest:
    """The exception to raise; the visit, if there is one, is decided too."""
    if visit is not None:
        visit.drop(reason)
    return RefusedRequest(reason, detail)
