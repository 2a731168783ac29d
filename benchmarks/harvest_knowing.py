"""What an order finds that knows the synthetic web: how many clicks each URL is from a recording.

No crawler can know that. The share of this that an order finds tells how much of its figure is the order, and how much
is the web: pages that have to be read on the way, and files that are gone, say nothing of themselves, or are copies. It
is not the most that can be found, since how many files are behind a page does not count.
"""

from __future__ import annotations

from collections.abc import Iterable

from harvest_habits import OtherWeb

from mediacrawl.priority.orders import CreditPolicy, RuleOrder
from mediacrawl.records import Candidate


class Knowing(RuleOrder):
    """The nearest to a recording first, on whatever site that is released."""

    def __init__(self, web: OtherWeb) -> None:
        self._web = web
        self._decay = CreditPolicy().decay

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:  # noqa: ARG002 - as `RuleOrder` has it
        """Give each URL a class and a score by its distance."""
        for found in candidates:
            clicks = self._web.distance(found.url)
            found.link_class = f"{clicks} clicks"
            found.score = self._decay**clicks
