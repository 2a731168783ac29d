"""Routes back from a wrong reading that lost nothing: encodings to encode in, and encodings to decode with.

Routes are evaluated lazily. For most of them a lower bound of the cost, from the hypothesis on the bytes alone, rules
them out; the text of a route is decoded only if no other route is cheaper.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import heapify, heappop, heapreplace
from operator import add
from typing import Final, NamedTuple

from mediacrawl.encoding.codepages import MULTIBYTE, STEP
from mediacrawl.encoding.excerpts import cached_if_short
from mediacrawl.encoding.mojibake.lost_bytes import torn_cost
from mediacrawl.encoding.pricing.decoding import (
    DOUBLE_MISREADINGS,
    MISREADINGS,
    bytes_of,
    decode_as,
    decode_single,
    joined_halves,
    misread_in,
)
from mediacrawl.encoding.pricing.hypotheses import hypotheses, utf8_bonus
from mediacrawl.encoding.pricing.reading import CJK_RUN, has_unused, read, worth
from mediacrawl.encoding.pricing.scoring import NEVER, Hypothesis, Shift
from mediacrawl.encoding.pricing.signs import coincidence, has_clean_signs, lookalikes, signs_as_letters

MANGLED: Final = STEP
"""Cost of assuming that a text was decoded wrongly at all."""

CROSSED: Final = 7 * STEP
"""Further cost of assuming another wrong decoder than Latin-1 or cp1252."""

STAYS: Final = 10 * STEP
"""Cost of a text that was decoded correctly in a record that was not."""


@dataclass(slots=True)
class StoredRecord:
    """The texts of one record as they are stored, with their costs.

    Attributes:
        odd: texts that are not ASCII.
        clean: cost of each of them as it stands.
        fields: all its texts.
        shift: shift of the priors by hints.
    """

    odd: tuple[str, ...]
    clean: tuple[int, ...]
    fields: Sequence[str]
    shift: Shift | None = None
    _badness: float | None = field(default=None, init=False)

    @classmethod
    def of(cls, odd: Sequence[str], fields: Sequence[str], shift: Shift | None = None) -> StoredRecord:
        """A record with its texts priced."""
        return cls(tuple(odd), tuple(read(text).cost for text in odd), fields, shift)

    def badness(self) -> float:
        """The ratio of the texts' cost to the cost of correct text of this length."""
        if self._badness is None:
            self._badness = sum(self.clean) / worth(self.odd)
        return self._badness


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

    def total(self, clean: Sequence[int], few: int) -> int:
        """Cost over the record; each text takes the route or stays as it is.

        Args:
            clean: cost of each text as it stands.
            few: surcharge for texts with few letters beyond ASCII.
        """
        if not self.steps:
            each = [cost if cost < NEVER else stays for cost, stays in zip(self.costs, clean, strict=True)]
            return self.damage + sum(each)
        # The form of UTF-8 is evidence by itself, and a C1 control is always a character of cp1252.
        return self.damage + (0 if _is_shown(self.steps) else few) + self._least(clean)

    def _least(self, clean: Sequence[int]) -> int:
        return sum([min(cost, stays + STAYS) for cost, stays in zip(self.costs, clean, strict=True)])

    def badness(self, clean: Sequence[int]) -> float:
        """The ratio of the resulting texts' cost to the cost of correct text of this length."""
        return self._least(clean) / worth(self.texts)


@lru_cache(maxsize=1024)
def _is_shown(steps: tuple[str, ...]) -> bool:
    """Whether the form of the texts proves every wrong decoding: UTF-8 sequences, or C1 controls."""
    return all(
        really == "utf-8" or misread == "latin-1" for misread, really in zip(steps[::2], steps[1::2], strict=True)
    )


SELDOM: Final = STEP
"""Further cost of assuming Mac Cyrillic, most of whose letters are those of cp1251."""

DEEPER: Final = 2 * STEP
"""Cost of each further wrong decoding; four times as much for another decoder than Latin-1 or the first one."""

DEEPEST: Final = 3

UNUSED: Final = 30 * STEP
"""Cost of a code page whose reading has box-drawing or unused characters where the stored text has none."""

_MAC_SIGNS: Final = "‚Ä"
"""The first characters of quotation marks, dashes and ellipses in UTF-8 that was decoded as Mac Roman; cp1252 has both
too."""


class LazyRoute:
    """A route that is evaluated on demand.

    Args:
        stored: the record.
        few: see `RepairRoute.total`.

    Attributes:
        least: lower bound of `RepairRoute.total`; the total itself once the route is evaluated.
        known: the route; None until it is evaluated.
    """

    __slots__ = ("_few", "_stored", "known", "least")

    def __init__(self, stored: StoredRecord, few: int, least: int, known: RepairRoute | None = None) -> None:
        self._stored = stored
        self._few = few
        self.least = least
        self.known = known

    @classmethod
    def of(cls, route: RepairRoute, stored: StoredRecord, few: int) -> LazyRoute:
        """Wraps a route that is evaluated already."""
        return cls(stored, few, route.total(stored.clean, few), route)

    def route(self) -> RepairRoute:
        """The route; evaluates it on the first call."""
        if self.known is None:
            self.known = self._worked_out()
            self.least = self.known.total(self._stored.clean, self._few)
        return self.known

    def _worked_out(self) -> RepairRoute:
        raise NotImplementedError

    def at_least(self) -> tuple[int, Sequence[int]]:
        """The damage, and a lower bound of the cost of each text."""
        route = self.route()
        return route.damage, route.costs

    @property
    def misread(self) -> str:
        """The first wrong decoder of the route."""
        return self.route().steps[0]


class RouteSet:
    """All candidate routes of a record.

    Args:
        stored: the record.
        candidates: the routes; of equal costs the first one wins.
    """

    __slots__ = ("_badness", "candidates", "stored")

    def __init__(self, stored: StoredRecord, candidates: list[LazyRoute]) -> None:
        self.stored = stored
        self.candidates = candidates
        self._badness: float | None = None

    def routes(self) -> list[RepairRoute]:
        """All routes, evaluated."""
        return [candidate.route() for candidate in self.candidates]

    def known(self) -> Iterator[RepairRoute]:
        """The routes that are evaluated already; those through UTF-8 always are."""
        return (candidate.known for candidate in self.candidates if candidate.known)

    def badness(self) -> float:
        """The ratio of the record's cost to that of correct text, as it stands or on its best route.

        A result of up to 1 is not exact: the remaining routes are then not evaluated.
        """
        if self._badness is None:
            self._badness = self._least_badness()
        return self._badness

    def _least_badness(self) -> float:
        clean = self.stored.clean
        least = self.stored.badness()
        for _, candidate in sorted([(one.least, number) for number, one in enumerate(self.candidates)]):
            if least <= 1:
                break
            least = min(least, self.candidates[candidate].route().badness(clean))
        return least


def in_order(found: Sequence[LazyRoute]) -> Iterator[tuple[int, RepairRoute]]:
    """The routes with their totals, cheapest first; of equal totals the first of `found`.

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


def lossless_routes(stored: StoredRecord, few: int, depth: int = DEEPEST) -> RouteSet:
    """All routes that lose nothing.

    Args:
        stored: the record.
        few: see `RepairRoute.total`.
        depth: most wrong decodings in sequence.
    """
    latin = _Misreading.of(stored, "cp1252", MANGLED)
    found = _routes_of(latin, few, depth)
    if stored.badness() <= 1:
        return RouteSet(stored, found)
    if any(_MAC_SIGNS in text for text in stored.odd):
        found += _routes_of(_Misreading.of(stored, "mac_roman", MANGLED + CROSSED), few, depth)
    if not latin.is_possible:
        double = any(CJK_RUN.search(text) for text in stored.odd)
        single = frozenset().union(*map(misread_in, stored.odd))
        likely = [misread for misread in MISREADINGS if misread in single]
        for misread in (*likely, *(DOUBLE_MISREADINGS if double else ())):
            damage = MANGLED + CROSSED + (SELDOM if misread == "mac_cyrillic" else 0)
            found += _routes_of(_Misreading.of(stored, misread, damage), few, 1)
    return RouteSet(stored, found)


def undo(stored: StoredRecord, misread: str, damage: int) -> RouteSet:
    """The routes that undo one wrong decoding and no further one.

    Args:
        stored: the record.
        misread: the wrong decoder.
        damage: cost of assuming it.
    """
    return RouteSet(stored, _routes_of(_Misreading.of(stored, misread, damage), 0, 1))


def _routes_of(undoing: _Misreading, few: int, depth: int) -> list[LazyRoute]:
    """The routes whose first wrong decoder is that of `undoing`."""
    stored, misread, live = undoing.stored, undoing.misread, undoing.odd_raws()
    if not live:
        return []
    fields = [text.encode() for text in stored.fields if text.isascii()] + live
    most = [cost + STAYS for cost in stored.clean]
    of_live = [paid for paid, is_live in zip(most, undoing.live, strict=True) if is_live]
    # A text that this decoder cannot have produced costs the same on all routes; the bytes' cost is a lower bound.
    of_others = [min(NEVER, paid) for paid, is_live in zip(most, undoing.live, strict=True) if not is_live]
    least = undoing.damage + few + sum(of_others)
    found: list[LazyRoute] = []
    for hypothesis in _considered(tuple(live), tuple(fields), stored.shift):
        encoding = hypothesis.encoding
        if encoding == misread:
            if misread == "cp1252":
                found.append(LazyRoute.of(undoing.route(hypothesis), stored, few))
        elif encoding != "utf-8":
            paid = least + hypothesis.prior + sum(map(min, hypothesis.costs, of_live))
            found.append(_OneStep(undoing, hypothesis, few, paid))
        else:
            route = undoing.route(hypothesis)
            found.append(LazyRoute.of(route, stored, few))
            if depth > 1:
                found += _continued(route, stored, few, depth)
    return found


@lru_cache(maxsize=16)
def _considered(live: tuple[bytes, ...], fields: tuple[bytes, ...], shift: Shift | None) -> list[Hypothesis]:
    """The hypotheses on the bytes; a few results are cached, since `repair` looks at a chosen route once more."""
    return hypotheses(live, fields, shift)


class _RereadTexts(NamedTuple):
    """The texts of a record decoded with one encoding, whatever the language.

    Attributes:
        texts: the decoded texts; the stored text where decoding fails.
        doubts: surcharge for each text that may be correct as it is stored.
    """

    texts: tuple[str, ...]
    doubts: tuple[int, ...]


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
        self._undone: dict[str, _RereadTexts] = {}

    @classmethod
    def of(cls, stored: StoredRecord, misread: str, damage: int) -> _Misreading:
        """Encodes the texts of a record; for the arguments see the class."""
        raws = [bytes_of(text, misread) for text in stored.odd]
        return cls(stored, misread, [raw and joined_halves(raw) for raw in raws], damage)

    def odd_raws(self) -> list[bytes]:
        """The bytes of the texts that are live."""
        return [raw for raw in self._raws if raw is not None and not raw.isascii()]

    @property
    def is_possible(self) -> bool:
        """Whether this decoder can have produced all of the texts."""
        return None not in self._raws

    def route(self, hypothesis: Hypothesis) -> RepairRoute:
        """The route of a hypothesis."""
        encoding, misread = hypothesis.encoding, self.misread
        undone = self._undone.get(encoding)
        if undone is None:
            undone = self._undone[encoding] = self._read(hypothesis)
        costs = tuple(map(add, self.costs(hypothesis), undone.doubts))
        if encoding != misread:
            prior = hypothesis.prior + self.damage
            return RepairRoute((misread, encoding), hypothesis.language, prior, costs, undone.texts)
        # cp1252 text needs no route, but a C1 control in it is always a character of cp1252.
        steps = ("latin-1", encoding) if undone.texts != self.stored.odd else ()
        route = RepairRoute(steps, hypothesis.language, hypothesis.prior, costs, undone.texts)
        return _with_signs(route) if steps else route

    def costs(self, hypothesis: Hypothesis) -> Sequence[int]:
        """The cost of each text under a hypothesis; `NEVER` of texts that are not live."""
        if len(hypothesis.costs) == len(self.live):
            return hypothesis.costs
        priced = iter(hypothesis.costs)
        return [next(priced) if is_live else NEVER for is_live in self.live]

    def _read(self, hypothesis: Hypothesis) -> _RereadTexts:
        encoding = hypothesis.encoding
        misread = self.misread if encoding != self.misread else "latin-1"
        texts, doubts = [], []
        for text, raw, cost in zip(self.stored.odd, self._raws, self.costs(hypothesis), strict=True):
            after, doubt = text, 0
            if cost < NEVER and raw is not None:
                after, doubt = _read_again(raw, text, misread, encoding)
            texts.append(after)
            doubts.append(doubt)
        return _RereadTexts(tuple(texts), tuple(doubts))


class _OneStep(LazyRoute):
    """A route of one wrong decoding that is not UTF-8; surcharges only add to the price of its bytes."""

    __slots__ = ("_hypothesis", "_undoing")

    def __init__(self, undoing: _Misreading, hypothesis: Hypothesis, few: int, least: int) -> None:
        # Without `super()`, which costs time: a record has a dozen.
        self._stored = undoing.stored
        self._few = few
        self.least = least
        self.known = None
        self._undoing = undoing
        self._hypothesis = hypothesis

    def _worked_out(self) -> RepairRoute:
        return self._undoing.route(self._hypothesis)

    def at_least(self) -> tuple[int, Sequence[int]]:
        if self.known is not None:
            return self.known.damage, self.known.costs
        return self._hypothesis.prior + self._undoing.damage, self._undoing.costs(self._hypothesis)

    @property
    def misread(self) -> str:
        return self._undoing.misread


@cached_if_short(8192)
def _read_again(raw: bytes, before: str, misread: str, encoding: str) -> tuple[str, int]:
    """The bytes decoded, and the surcharge for text that may be correct as stored or has torn characters."""
    after = decode_as(raw, encoding) or ""
    return after, _clean_text_cost(before, raw, after, misread, encoding) + (
        torn_cost(after) if encoding in MULTIBYTE else 0
    )


def _with_signs(route: RepairRoute) -> RepairRoute:
    """Prices C1 controls that become signs of cp1252 no higher than the same signs in a text that stays."""
    costs = [
        min(cost, read(text).cost) if has_clean_signs(text) else cost
        for cost, text in zip(route.costs, route.texts, strict=True)
    ]
    return route._replace(costs=tuple(costs))


def _clean_text_cost(before: str, raw: bytes, after: str, misread: str, encoding: str) -> int:
    """Surcharge for a stored text that may be correct: UTF-8 by chance, signs read as letters, boxes."""
    if encoding not in MULTIBYTE and encoding != "utf-8" and _is_worse(before, after):
        return UNUSED
    if after == before or misread == "cp1252":
        return 0  # the hypotheses have priced it: they compare with the cp1252 reading
    if encoding != "utf-8":
        latin = all(char < "\u0250" or not char.isalpha() for char in after)
        return signs_as_letters(before, after) + (lookalikes(before) if latin else 0)
    priced = coincidence(decode_single(raw, "cp1252"), raw, after)
    return (coincidence(before, raw, after) if len(raw) == len(before) else 0) - priced


def _is_worse(before: str, after: str) -> bool:
    """Whether the decoded text has characters that no title has, or the florin sign, unlike the stored text."""
    return (has_unused(after) and not has_unused(before)) or ("ƒ" in after and "ƒ" not in before)


def _chance(before: str, route: RepairRoute, place: int) -> int:
    """Surcharge for a text that may be valid UTF-8 by chance, before the first step of a route."""
    raw = bytes_of(before, route.steps[0])
    return coincidence(before, raw, route.texts[place]) if raw and len(raw) == len(before) else 0


def _bonus(text: str) -> int:
    """The bonus of a text that came out of UTF-8."""
    return utf8_bonus(sum(char > "\x7f" for char in text))


class _LongerRoute(LazyRoute):
    """A route that continues another one with further wrong decodings.

    Args:
        stored: the record.
        few: see `RepairRoute.total`.
        first: the route up to there.
        counted: place of each text that continues, and the part of its cost that does not depend on the continuation.
        following: the continuation.
    """

    __slots__ = ("_counted", "_first", "_following")

    def __init__(
        self,
        stored: StoredRecord,
        few: int,
        first: RepairRoute,
        counted: Sequence[tuple[int, int]],
        following: LazyRoute,
    ) -> None:
        self._first = first
        self._counted = counted
        self._following = following
        damage, costs = self._joined(*following.at_least())
        paid = sum([min(cost, stays + STAYS) for cost, stays in zip(costs, stored.clean, strict=True)])
        super().__init__(stored, few, damage + paid)

    def _joined(self, damage: int, following: Sequence[int]) -> tuple[int, list[int]]:
        """The damage and the costs of both parts."""
        misread = self._following.misread
        crossed = misread not in ("cp1252", "latin-1") and misread != self._first.steps[0]
        costs = list(self._first.costs)
        for (place, counts), cost in zip(self._counted, following, strict=True):
            costs[place] = cost + counts
        return self._first.damage + DEEPER * (4 if crossed else 1) + damage, costs

    def _worked_out(self) -> RepairRoute:
        first, following = self._first, self._following.route()
        damage, costs = self._joined(following.damage, following.costs)
        texts = list(first.texts)
        for (place, _), text in zip(self._counted, following.texts, strict=True):
            texts[place] = text
        return RepairRoute((*first.steps, *following.steps), following.language, damage, tuple(costs), tuple(texts))

    @property
    def misread(self) -> str:
        return self._first.steps[0]


def _continued(route: RepairRoute, stored: StoredRecord, few: int, depth: int) -> list[LazyRoute]:
    """Routes that continue one whose texts may have been decoded wrongly before."""
    live = [
        place
        for place, (text, cost) in enumerate(zip(route.texts, route.costs, strict=True))
        if cost < NEVER and not text.isascii()
    ]
    if not live:
        return []
    again = StoredRecord.of([route.texts[place] for place in live], stored.fields, stored.shift)
    following = [one for one in lossless_routes(again, 0, depth - 1).candidates if one.known is None or one.known.steps]
    if not following:
        return []
    # The evidence for UTF-8, and the surcharge for chance, do not depend on the continuation.
    counted = [(place, _chance(stored.odd[place], route, place) - _bonus(route.texts[place])) for place in live]
    return [_LongerRoute(stored, few, route, counted, one) for one in following]
