"""The scheduler of ``scrapy parse`` for the media spider: the links of a response are listed, and not requested."""

from __future__ import annotations

from scrapy import Request

from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.intake import Intake
from mediacrawl.crawl.leases import Leases
from mediacrawl.records import Candidate, Lease
from mediacrawl.scheduler import PenaltyBoxScheduler


class ListingIntake(Intake):
    """Adds the command's requests and the targets of redirects to the frontier, and lists all other links."""

    found: tuple[Candidate, ...] = ()
    """The links since `ListingScheduler.take_found` was called last."""

    def add(self, candidates: list[Candidate], source: str = "", *, scored: bool = False) -> int:
        """Add what is requested; return the number of new URLs."""
        asked = [each for each in candidates if each.hops or not source]
        self.found += tuple(each for each in candidates if source and not each.hops)
        return super().add(asked, source, scored=scored)

    def serialized(self, request: Request) -> str | None:  # noqa: ARG002 - nothing is stored
        """None: requests wait in memory."""
        return None


class ListingLeases(Leases):
    """Gives the command's requests to the spider, with the command's callbacks."""

    def request_of(self, lease: Lease) -> Request | None:
        """The spider's request, with the callback and the meta of the command's."""
        request = super().request_of(lease)
        asked = self._intake.held.get(request_serialization.held_key(lease.evidence))
        if request is not None and asked is not None:
            request.callback = asked.callback
            request.cb_kwargs.update(asked.cb_kwargs)
            request.meta.update({name: value for name, value in asked.meta.items() if name not in request.meta})
        return request


class ListingScheduler(PenaltyBoxScheduler):
    """Lists links; only redirects are followed."""

    intake_class = ListingIntake
    leases_class = ListingLeases
    _intake: ListingIntake

    def take_found(self) -> list[Request]:
        """The links since the last call, as requests."""
        found, self._intake.found = self._intake.found, ()
        return [Request(each.url) for each in found]
