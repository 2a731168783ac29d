"""Routes back from wrong readings that lost nothing.

A lower bound of the cost, from the hypothesis on the bytes alone, rules most of them out.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import compress
from operator import add
from typing import Final

from mediacrawl.encoding.codepages import MULTIBYTE, STEP
from mediacrawl.encoding.mojibake.lost_bytes import torn_cost
from mediacrawl.encoding.mojibake.routes import CROSSED, MANGLED, STAYS, LazyRoute, RepairRoute, RouteSet, StoredRecord
from mediacrawl.encoding.pricing.decoding import (
    DOUBLE_MISREADINGS,
    MISREADINGS,
    bytes_of,
    decode_as,
    decode_single,
    joined_halves,
    misread_in,
)
from mediacrawl.encoding.pricing.hints import Shift
from mediacrawl.encoding.pricing.hypotheses import hypotheses, utf8_bonus
from mediacrawl.encoding.pricing.reading import CJK_RUN
from mediacrawl.encoding.pricing.scoring import NEVER, Hypothesis
from mediacrawl.encoding.pricing.signs import coincidence

SELDOM: Final = 2 * STEP
"""Further cost of assuming another Cyrillic decoder than cp1251."""

_SELDOM: Final = frozenset({"mac_cyrillic", "cp866", "koi8_r", "iso8859_5"})

DEEPER: Final = 2 * STEP
"""Cost of each further wrong decoding; four times as much for another decoder than Latin-1 or the first one."""

DEEPEST: Final = 3

_MAC_SIGNS: Final = "‚Ä"
"""The first characters of quotation marks, dashes and ellipses in UTF-8 that was decoded as Mac Roman; cp1252 has both
too."""


def lossless_routes(stored: StoredRecord, depth: int = DEEPEST) -> RouteSet:
    """Return all routes that lose nothing, of at most `depth` wrong decodings."""
    latin = _Misreading.of(stored, "cp1252", MANGLED)
    found = _routes_of(latin, depth)
    if stored.badness() <= 1:
        return RouteSet(stored, found)
    if any(_MAC_SIGNS in text for text in stored.odd):
        found += _routes_of(_Misreading.of(stored, "mac_roman", MANGLED + CROSSED), depth)
    if not latin.is_possible:
        double = any(CJK_RUN.search(text) for text in stored.odd)
        single = frozenset().union(*map(misread_in, stored.odd))
        likely = [misread for misread in MISREADINGS if misread in single]
        for misread in (*likely, *(DOUBLE_MISREADINGS if double else ())):
            damage = MANGLED + CROSSED + (SELDOM if misread in _SELDOM else 0)
            found += _routes_of(_Misreading.of(stored, misread, damage), 1)
    return RouteSet(stored, found)


def undo(stored: StoredRecord, misread: str, damage: int) -> RouteSet:
    """Return the routes that undo one wrong decoding, at the cost `damage`, and no further one."""
    return RouteSet(stored, _routes_of(_Misreading.of(stored, misread, damage), 1))


def _routes_of(undoing: _Misreading, depth: int) -> list[LazyRoute]:
    """Return the routes whose first wrong decoder is that of `undoing`."""
    stored, misread, live = undoing.stored, undoing.misread, undoing.odd_raws()
    if not live:
        return []
    fields = [text.encode() for text in stored.fields if text.isascii()] + live
    most = [cost + STAYS for cost in stored.clean]
    # The bytes' cost is a lower bound. A text that this decoder cannot have produced costs the same on all routes.
    of_live = list(compress(most, undoing.live))
    counts = list(compress(stored.counts, undoing.live))
    of_others = [0 if is_live else min(NEVER, paid) for paid, is_live in zip(most, undoing.live, strict=True)]
    least = undoing.damage + stored.total(of_others)
    found: list[LazyRoute] = []
    for hypothesis in _considered(tuple(live), tuple(fields), stored.shift):
        encoding = hypothesis.encoding
        if encoding == misread:
            if misread == "cp1252":
                found.append(LazyRoute.of(undoing.route(hypothesis), stored))
        elif encoding != "utf-8":
            paid = least + hypothesis.prior + sum(compress(map(min, hypothesis.costs, of_live), counts))
            found.append(_OneStep(undoing, hypothesis, paid))
        else:
            route = undoing.route(hypothesis)
            found.append(LazyRoute.of(route, stored))
            if depth > 1:
                found += _continued(route, stored, depth)
    return found


@lru_cache(maxsize=16)
def _considered(live: tuple[bytes, ...], fields: tuple[bytes, ...], shift: Shift | None) -> list[Hypothesis]:
    """The hypotheses on the bytes; a few results are cached, since `repair` looks at a chosen route once more."""
    return hypotheses(live, fields, shift)


class _Misreading:
    """A wrong decoder of a record's texts, and the encodings to decode with instead.

    Args:
        stored: the record.
        misread: the wrong decoder.
        raws: bytes of each text in its encoding; None where it cannot have produced the text.
        damage: cost of assuming it.

    Attributes:
        live: whether each text has bytes beyond ASCII.
    """

    __slots__ = ("_raws", "_undone", "damage", "live", "misread", "stored")

    def __init__(self, stored: StoredRecord, misread: str, raws: list[bytes | None], damage: int) -> None:
        self.stored = stored
        self.damage = damage
        self.live = [raw is not None and not raw.isascii() for raw in raws]
        self.misread = misread
        self._raws = raws
        self._undone: dict[str, tuple[str, ...]] = {}

    @classmethod
    def of(cls, stored: StoredRecord, misread: str, damage: int) -> _Misreading:
        """Encode the texts of a record; for the arguments see the class."""
        raws = [bytes_of(text, misread) for text in stored.odd]
        return cls(stored, misread, [raw and joined_halves(raw) for raw in raws], damage)

    def odd_raws(self) -> list[bytes]:
        """Return the bytes of the texts that are live."""
        return [raw for raw in self._raws if raw is not None and not raw.isascii()]

    @property
    def is_possible(self) -> bool:
        """Whether this decoder can have produced all of the texts."""
        return None not in self._raws

    def route(self, hypothesis: Hypothesis) -> RepairRoute:
        """Return the route of a hypothesis."""
        encoding, misread = hypothesis.encoding, self.misread
        texts = self._undone.get(encoding)
        if texts is None:
            texts = self._undone[encoding] = self._read(hypothesis)
        costs = tuple(self.costs(hypothesis))
        if encoding in MULTIBYTE:
            costs = tuple(map(add, costs, map(torn_cost, texts)))
        if encoding == "utf-8" and misread != "cp1252":
            # The hypothesis compares with what cp1252 shows of the bytes, not with the stored text.
            costs = tuple(map(add, costs, map(_doubt, self.stored.odd, self._raws, texts)))
        if encoding != misread:
            return RepairRoute((misread, encoding), hypothesis.language, hypothesis.prior + self.damage, costs, texts)
        # cp1252 text needs no route, but a C1 control in it is always a character of cp1252.
        steps = ("latin-1", encoding) if texts != self.stored.odd else ()
        return RepairRoute(steps, hypothesis.language, hypothesis.prior, costs, texts)

    def costs(self, hypothesis: Hypothesis) -> Sequence[int]:
        """Return the cost of each text under a hypothesis; `NEVER` of texts that are not live."""
        if len(hypothesis.costs) == len(self.live):
            return hypothesis.costs
        priced = iter(hypothesis.costs)
        return [next(priced) if is_live else NEVER for is_live in self.live]

    def _read(self, hypothesis: Hypothesis) -> tuple[str, ...]:
        """Return the texts decoded with the encoding of a hypothesis; the stored text where that fails."""
        return tuple(
            (decode_as(raw, hypothesis.encoding) or "") if cost < NEVER and raw is not None else text
            for text, raw, cost in zip(self.stored.odd, self._raws, self.costs(hypothesis), strict=True)
        )


class _OneStep(LazyRoute):
    """A route of one wrong decoding that is not UTF-8; surcharges only add to the price of its bytes."""

    __slots__ = ("_hypothesis", "_undoing")

    def __init__(self, undoing: _Misreading, hypothesis: Hypothesis, least: int) -> None:
        # Without `super()`, which costs time: a record has a dozen.
        self._stored = undoing.stored
        self.least = least
        self.known = None
        self._undoing = undoing
        self._hypothesis = hypothesis

    def _evaluated(self) -> RepairRoute:
        return self._undoing.route(self._hypothesis)

    def at_least(self) -> tuple[int, Sequence[int]]:
        if self.known is not None:
            return self.known.damage, self.known.costs
        return self._hypothesis.prior + self._undoing.damage, self._undoing.costs(self._hypothesis)

    @property
    def misread(self) -> str:
        return self._undoing.misread


def _doubt(before: str, raw: bytes | None, text: str) -> int:
    """Return by how much more it costs that a stored text is valid UTF-8 by chance than that its cp1252 reading is."""
    if not raw:
        return 0
    return (coincidence(before, raw, text) if len(raw) == len(before) else 0) - coincidence(
        decode_single(raw, "cp1252"), raw, text
    )


class _LongerRoute(LazyRoute):
    """A route that continues another one (`first`) with further wrong decodings.

    `counted` has the place of each text that continues, and the part of its cost that does not depend on the
    continuation.
    """

    __slots__ = ("_counted", "_first", "_following")

    def __init__(
        self,
        stored: StoredRecord,
        first: RepairRoute,
        counted: Sequence[tuple[int, int]],
        following: LazyRoute,
    ) -> None:
        self._first = first
        self._counted = counted
        self._following = following
        damage, costs = self._joined(*following.at_least())
        paid = [min(cost, stays + STAYS) for cost, stays in zip(costs, stored.clean, strict=True)]
        super().__init__(stored, damage + stored.total(paid))

    def _joined(self, damage: int, following: Sequence[int]) -> tuple[int, list[int]]:
        """Return the damage and the costs of both parts."""
        misread = self._following.misread
        crossed = misread not in ("cp1252", "latin-1") and misread != self._first.steps[0]
        costs = list(self._first.costs)
        for (place, counts), cost in zip(self._counted, following, strict=True):
            costs[place] = cost + counts
        return self._first.damage + DEEPER * (4 if crossed else 1) + damage, costs

    def _evaluated(self) -> RepairRoute:
        first, following = self._first, self._following.route()
        damage, costs = self._joined(following.damage, following.costs)
        texts = list(first.texts)
        for (place, _), text in zip(self._counted, following.texts, strict=True):
            texts[place] = text
        return RepairRoute((*first.steps, *following.steps), following.language, damage, tuple(costs), tuple(texts))

    @property
    def misread(self) -> str:
        return self._first.steps[0]


def _continued(route: RepairRoute, stored: StoredRecord, depth: int) -> list[LazyRoute]:
    """Routes that continue one whose texts may have been decoded wrongly before."""
    live = [
        place
        for place, (text, cost) in enumerate(zip(route.texts, route.costs, strict=True))
        if cost < NEVER and not text.isascii()
    ]
    if not live:
        return []
    counts = [stored.counts[place] for place in live]
    again = StoredRecord.priced([route.texts[place] for place in live], stored.fields, counts, stored.shift)
    following = [one for one in lossless_routes(again, depth - 1).candidates if one.known is None or one.known.steps]
    if not following:
        return []
    # The evidence for UTF-8, and the surcharge for chance, do not depend on the continuation.
    counted = [(place, -utf8_bonus(sum(char > "\x7f" for char in route.texts[place]))) for place in live]
    return [_LongerRoute(stored, route, counted, one) for one in following]
