"""What an order finds that knows the synthetic web: how many clicks each URL is from a recording.

No crawler can know that. The share of this that an order finds tells how much of its figure is the order, and how much
is the web: pages that have to be read on the way, and files that are gone, say nothing of themselves, or are copies. It
is not the most that can be found, since how many files are behind a page does not count.
"""

from __future__ import annotations

from collections.abc import Iterable

from harvest_habits import OtherWeb
from harvest_walk import Curve, OrderedWalk, in_memory
from harvest_web import FAR

from mediacrawl.priority.orders import RuleOrder
from mediacrawl.records import Candidate

_A_CLICK = 0.7
"""What a click takes of a URL's worth, as the adaptive order's credit does."""
_NEXT_TO_NOTHING = 0.001


class Knowing(RuleOrder):
    """The nearest to a recording first, on whatever site that is released."""

    def __init__(self, web: OtherWeb) -> None:
        self._web = web

    def join(self, candidates: Iterable[Candidate], source: str = "") -> None:  # noqa: ARG002 - as `RuleOrder` has it
        """Give each URL a class and a score by its distance."""
        for found in candidates:
            clicks = self._web.distance(found.url)
            found.link_class = f"{clicks} clicks"
            found.score = _A_CLICK**clicks if clicks < FAR else _NEXT_TO_NOTHING


def walk_knowing(web: OtherWeb, seed: int, seeds: int, pages: int, marks: Iterable[int]) -> Curve:
    """A crawl in process of a web of other makers, in the order of `Knowing`.

    Args:
        web: to crawl.
        seed: of the frontier's chance.
        seeds: URLs that the crawl begins with.
        pages: of the crawl.
        marks: pages after which finds are counted.
    """
    return OrderedWalk(web, Knowing(web), in_memory(seed), seeds, marks).run(pages)
