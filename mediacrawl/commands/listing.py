"""The scheduler of ``scrapy parse`` for the media spider: lists found URLs instead of requesting them."""

from __future__ import annotations

from scrapy import Request
from scrapy.crawler import Crawler

from mediacrawl import foreign
from mediacrawl.parts import Parts
from mediacrawl.records import Candidate, Lease
from mediacrawl.scheduler import PenaltyBoxScheduler


class ListingScheduler(PenaltyBoxScheduler):
    """Gives the command's requests to the spider, with the command's callbacks; only redirects are followed.

    Args:
        crawler: the command's.
        parts: shared by its components.
    """

    def __init__(self, crawler: Crawler, parts: Parts) -> None:
        super().__init__(crawler, parts)
        self.found: list[Candidate] = []
        """Candidates found since the last `take_found`."""

    def take_found(self) -> list[Request]:
        """The URLs found since the last call, as requests."""
        found, self.found = self.found, []
        return [Request(each.url) for each in found]

    def add(self, candidates: list[Candidate], source: str = "", *, scored: bool = False) -> int:
        """Add the command's requests and the targets of redirects to the frontier, and list all other URLs."""
        asked = [each for each in candidates if each.hops or not source]
        self.found += [each for each in candidates if source and not each.hops]
        return super().add(asked, source, scored=scored)

    def _facts(self, request: Request) -> str | None:  # noqa: ARG002 - nothing is stored
        return None

    def _request(self, lease: Lease) -> Request | None:
        request = super()._request(lease)
        asked = self._in_memory.get(foreign.held_key(lease.evidence))
        if request is not None and asked is not None:
            request.callback = asked.callback
            request.cb_kwargs.update(asked.cb_kwargs)
            request.meta.update({name: value for name, value in asked.meta.items() if name not in request.meta})
        return request
