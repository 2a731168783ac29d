"""Routes back from a wrong reading: encodings to encode in, and encodings to decode with.

Routes are evaluated lazily: the text of a route is decoded only if no other route is cheaper.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from itertools import compress
from typing import Final, NamedTuple

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.excerpts import new_words
from mediacrawl.encoding.pricing.hints import Shift
from mediacrawl.encoding.pricing.reading import read, worth
from mediacrawl.encoding.pricing.scoring import NEVER

MANGLED: Final = 2 * STEP
"""Cost of assuming that a text was decoded wrongly at all."""

CROSSED: Final = 7 * STEP
"""Further cost of assuming another wrong decoder than Latin-1 or cp1252."""

STAYS: Final = 10 * STEP
"""Cost of a text that was decoded correctly in a record that was not."""


ALIEN: Final = 27 * STEP
"""Cost of a small Greek or Cyrillic letter in a Latin word, unless it resembles a Latin one: no style has it."""

_ALIENS: Final = "[бвгдж-лнптф-эђљњћќўџґζ-κμ-ξπ-υφψ-ώάέήί]"
_ALIEN: Final = re.compile(f"(?<=[A-Za-z]{{2}}){_ALIENS}|{_ALIENS}(?=[a-z]{{2}})")


def alien_cost(text: str) -> int:
    """Return the cost of letters of other scripts in Latin words; see `ALIEN`."""
    return ALIEN * len(_ALIEN.findall(text))


@dataclass(slots=True)
class StoredRecord:
    """The texts of one record as they are stored, with their costs.

    A repeated word is no further evidence. So the cost of a record is that of its new words: a text that repeats words
    is priced twice, whole for the decision on itself, and without these words for the decision on the record.

    Attributes:
        odd: texts that are not ASCII, each once; then the new words of those that repeat words.
        clean: cost of each of them as it stands.
        fields: all its texts.
        counts: whether each of `odd` counts for the record.
        shift: shift of the priors by hints.
    """

    odd: tuple[str, ...]
    clean: tuple[int, ...]
    fields: Sequence[str]
    counts: tuple[bool, ...]
    shift: Shift | None = None
    _badness: float | None = field(default=None, init=False)

    @classmethod
    def of(cls, odd: Sequence[str], fields: Sequence[str], shift: Shift | None = None) -> StoredRecord:
        """Return a record with its texts priced; `odd` are different from each other."""
        new = new_words(odd)
        counts = [text == words for text, words in zip(odd, new, strict=True)]
        rests = [words for words, is_whole in zip(new, counts, strict=True) if words and not is_whole]
        return cls.priced([*odd, *rests], fields, [*counts, *[True] * len(rests)], shift)

    @classmethod
    def priced(
        cls, odd: Sequence[str], fields: Sequence[str], counts: Sequence[bool], shift: Shift | None
    ) -> StoredRecord:
        """Return a record of which it is known what counts; for the arguments see the class."""
        return cls(tuple(odd), tuple(read(text).cost + alien_cost(text) for text in odd), fields, tuple(counts), shift)

    def total(self, costs: Sequence[int]) -> int:
        """Return the sum of the costs that count for the record."""
        return sum(compress(costs, self.counts))

    def badness(self) -> float:
        """Return the ratio of the texts' cost to the cost of correct text of this length."""
        if self._badness is None:
            self._badness = self.total(self.clean) / self.worth(self.odd)
        return self._badness

    def worth(self, texts: Sequence[str]) -> int:
        """Return the cost of correct text of this length."""
        return worth(tuple(compress(texts, self.counts)))


class RepairRoute(NamedTuple):
    """A sequence of encodings that turns the stored texts of a record into correct ones.

    Attributes:
        steps: encodings to encode in and to decode with, in turn: ``("cp1252", "cp1251")``; empty if the texts stay as
            they are.
        language: of the resulting texts.
        damage: cost of assuming these wrong decodings.
        costs: cost of each resulting text; `NEVER` where a step fails.
        texts: the resulting texts.
        lost: number of proposed characters in each text; empty for a lossless route.
        margins: margin of each text's proposal over the next one, in twelfths of a nat.
    """

    steps: tuple[str, ...]
    language: str
    damage: int
    costs: tuple[int, ...]
    texts: tuple[str, ...]
    lost: tuple[int, ...] = ()
    margins: tuple[int, ...] = ()

    def changes(self, stored: StoredRecord, place: int) -> bool:
        """Return whether a text takes the route: it becomes another one, for less than it costs to stay."""
        return self.texts[place] != stored.odd[place] and self.costs[place] < stored.clean[place] + STAYS

    def total(self, stored: StoredRecord) -> int:
        """Return the cost over the record; each text takes the route or stays."""
        if not self.steps:
            each = [cost if cost < NEVER else stays for cost, stays in zip(self.costs, stored.clean, strict=True)]
            return self.damage + stored.total(each)
        return self.damage + self._least(stored)

    def _least(self, stored: StoredRecord) -> int:
        return stored.total([min(cost, stays + STAYS) for cost, stays in zip(self.costs, stored.clean, strict=True)])

    def badness(self, stored: StoredRecord) -> float:
        """Return the ratio of the resulting texts' cost to the cost of correct text of this length."""
        return self._least(stored) / stored.worth(self.texts)


class LazyRoute:
    """A route that is evaluated on demand.

    Attributes:
        least: lower bound of `RepairRoute.total`; the total itself once the route is evaluated.
        known: the route; None until it is evaluated.
    """

    __slots__ = ("_stored", "known", "least")

    def __init__(self, stored: StoredRecord, least: int, known: RepairRoute | None = None) -> None:
        self._stored = stored
        self.least = least
        self.known = known

    @classmethod
    def of(cls, route: RepairRoute, stored: StoredRecord) -> LazyRoute:
        """Wrap a route that is evaluated already."""
        return cls(stored, route.total(stored), route)

    def route(self) -> RepairRoute:
        """Return the route; evaluates it on the first call."""
        if self.known is None:
            self.known = self._evaluated()
            self.least = self.known.total(self._stored)
        return self.known

    def _evaluated(self) -> RepairRoute:
        raise NotImplementedError

    def at_least(self) -> tuple[int, Sequence[int]]:
        """Return the damage, and a lower bound of the cost of each text."""
        route = self.route()
        return route.damage, route.costs

    @property
    def misread(self) -> str:
        """The first wrong decoder of the route."""
        return self.route().steps[0]


class RouteSet:
    """All candidate routes of a record; of equal costs the first one wins."""

    __slots__ = ("_badness", "candidates", "stored")

    def __init__(self, stored: StoredRecord, candidates: list[LazyRoute]) -> None:
        self.stored = stored
        self.candidates = candidates
        self._badness: float | None = None

    def routes(self) -> list[RepairRoute]:
        """Return all routes, evaluated."""
        return [candidate.route() for candidate in self.candidates]

    def known(self) -> Iterator[RepairRoute]:
        """Return the routes that are evaluated already; those through UTF-8 always are."""
        return (candidate.known for candidate in self.candidates if candidate.known)

    def badness(self) -> float:
        """Return the ratio of the record's cost to that of correct text, as it stands or on its best route.

        A result of up to 1 is not exact: the remaining routes are then not evaluated.
        """
        if self._badness is None:
            self._badness = self._least_badness()
        return self._badness

    def _least_badness(self) -> float:
        least = self.stored.badness()
        for _, candidate in sorted([(one.least, number) for number, one in enumerate(self.candidates)]):
            if least <= 1:
                break
            least = min(least, self.candidates[candidate].route().badness(self.stored))
        return least


def in_order(found: Sequence[LazyRoute]) -> Iterator[tuple[int, RepairRoute]]:
    """Yield the routes with their totals, cheapest first; of equal totals the first of `found`.

    Only routes whose lower bound may be the next total are evaluated.
    """
    ahead = [(candidate.least, number) for number, candidate in enumerate(found)]
    heapify(ahead)
    while ahead:
        total, number = ahead[0]
        candidate = found[number]
        if candidate.known is None:
            candidate.route()
            heapreplace(ahead, (candidate.least, number))
        else:
            heappop(ahead)
            yield total, candidate.known
