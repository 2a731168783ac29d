"""In which order ready sites are requested, and the link classes of one site.

Both are ordered by the **rank** of a class, a whole number made of its score, and by age inside a rank. Ranks are few,
so sites on disk are found by rank without reading any, and a score that changes by a hair moves nothing.
"""

from __future__ import annotations

import random
from collections.abc import Collection
from dataclasses import dataclass
from math import frexp, isfinite
from typing import Protocol

_LOWEST_EXPONENT = 1_100
"""Below that of any float, so that ranks of positive scores are positive."""


class RankOrder(Protocol):
    """How scores become ranks, and which rank goes next."""

    def rank(self, score: float) -> int:
        """The rank of a score: never lower for a higher score."""
        ...

    def choose(self, ranks: Collection[int], rng: random.Random) -> int:
        """Return the rank that goes next, of those that have something ready; there is at least one."""
        ...

    def preferred(self, rng: random.Random) -> list[int]:
        """Ranks in an order in which the first one that has something ready is what `choose` would draw.

        For a store that does not know which those are. Empty: the highest.
        """
        ...


@dataclass(frozen=True, slots=True)
class BestFirst:
    """The highest score first. Scores that differ by less than an eighth may have the same rank.

    The scores of a learner are guesses with errors far above that, and range over orders of magnitude: hence shares.
    """

    def rank(self, score: float) -> int:
        """Exponent and three bits of the mantissa; the sign with them."""
        if not score or not isfinite(score):
            return 0
        mantissa, exponent = frexp(abs(score))
        rank = (exponent + _LOWEST_EXPONENT) * 8 + int(mantissa * 16) - 8
        return rank if score > 0 else -rank

    def choose(self, ranks: Collection[int], rng: random.Random) -> int:  # noqa: ARG002
        """The highest."""
        return max(ranks)

    def preferred(self, rng: random.Random) -> list[int]:  # noqa: ARG002
        """Nothing: the highest."""
        return []


@dataclass(frozen=True, slots=True)
class Levels:
    """Mercator's front queues: `number` levels of scores from 0 to 1, and a biased random choice among them.

    Each level is chosen twice as often as the one below it, counting those that have something ready: the best is
    preferred and none starves (Najork and Heydon, "High-performance web crawling", 2001, section 3.2).

    Raises:
        ValueError: there is no level, or there are more than a hundred.
    """

    number: int = 8

    def __post_init__(self) -> None:
        if not 1 <= self.number <= 100:
            raise ValueError(f"the number of levels must be 1 to 100, not {self.number}")

    def rank(self, score: float) -> int:
        """The level, from 0; scores outside 0 to 1 belong to the outermost."""
        return min(int(min(max(score, 0.0), 1.0) * self.number), self.number - 1) if isfinite(score) else 0

    def choose(self, ranks: Collection[int], rng: random.Random) -> int:
        """A level, by chance."""
        levels = list(ranks)
        return rng.choices(levels, [2.0**level for level in levels])[0]

    def preferred(self, rng: random.Random) -> list[int]:
        """The levels, drawn one after another without putting back.

        Each draws the time of an event whose rate is its weight; the first of any subset is then distributed as one
        weighted draw from that subset (Efraimidis and Spirakis, "Weighted random sampling with a reservoir", 2006).
        """
        return sorted(range(self.number), key=lambda level: rng.expovariate(2.0**level))
