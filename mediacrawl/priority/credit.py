"""Which links led to a nugget: the one that it lay behind, the one that led to the page of that, and so on.

Media lie behind pages that show none: an order that rewards only the last link finds a fifth of what one finds that
rewards the whole path (53 against 291 new files in 1,000 pages, ``benchmarks/harvest.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CreditPolicy:
    """How a nugget is shared out.

    Attributes:
        decay: what each step back along the path keeps of the step before, 0 to 1.
        steps: links back that get something; 1 is the nugget's own link alone.
        remembered: visits that are remembered, 350 bytes each.
    """

    decay: float = 0.7
    steps: int = 8
    remembered: int = 200_000


@dataclass(slots=True)
class Past:
    """A visit that may still get credit.

    Attributes:
        parent: key of the page that named its URL; 0 for a seed.
        site, link_class: where it waited.
        row: its features, from `features.packed`; empty where none are learned.
        credit: what it got so far, 1 at most: a list of 500 files is not worth 500 pages.
    """

    parent: int
    site: str
    link_class: str
    row: bytes
    credit: float = 0.0


class Visits:
    """The last visits, by the key of their URL, and the visit whose page had the link.

    In memory only; `journal.VisitJournal` keeps them.
    """

    def __init__(self, policy: CreditPolicy) -> None:
        self._policy = policy
        self._past: dict[int, Past] = {}

    def __len__(self) -> int:
        return len(self._past)

    def add(self, key: int, visit: Past) -> None:
        """A URL was visited. If it was before, that is forgotten."""
        self._past.pop(key, None)
        self._past[key] = visit
        if len(self._past) > self._policy.remembered:
            del self._past[next(iter(self._past))]

    def reward(self, key: int, reward: float) -> Iterator[tuple[Past, float]]:
        """Share out a nugget: the visits that led to it, the nearest first, with what each got more.

        Args:
            key: of the URL that it was found at.
            reward: what it is worth, 0 to 1.
        """
        met = set[int]()
        for _ in range(self._policy.steps):
            visit = self._past.get(key)
            if visit is None or key in met:
                # Forgotten, or pages that led to each other.
                return
            met.add(key)
            more = min(reward, 1.0 - visit.credit)
            if more > 0:
                visit.credit += more
                yield visit, more
            key, reward = visit.parent, reward * self._policy.decay

    def path(self, key: int) -> Iterator[int]:
        """Keys of the pages that led to a URL, the nearest first; as far as they are remembered."""
        for _ in range(self._policy.steps):
            visit = self._past.get(key)
            if visit is None or not visit.parent:
                return
            key = visit.parent
            yield key
