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
from mediacrawl.encoding.hints import Shift
from mediacrawl.encoding.mojibake.gaps import torn_cost
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
from mediacrawl.encoding.pricing.scoring import NEVER, Hypothesis
from mediacrawl.encoding.pricing.signs import coincidence, has_clean_signs, lookalikes, signs_as_letters

MANGLED: Final = STEP
"""What it costs to believe that a text was read wrongly at all."""

CROSSED: Final = 7 * STEP
"""And that it was read in something else than Latin-1 or cp1252."""

STAYS: Final = 10 * STEP
"""A text that was not mangled, in a record that was."""


@dataclass(slots=True)
class StoredRecord:
    """A record as it is stored.

    Attributes:
        odd: its texts that are not ASCII.
        clean: what each of them costs as it stands.
        fields: all its texts.
        shift: what hints do to the priors.
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
        """How many times as much the texts cost as right ones would."""
        if self._badness is None:
            self._badness = sum(self.clean) / worth(self.odd)
        return self._badness


class Route(NamedTuple):
    """A way back for the texts of a record.

    Attributes:
        steps: readings to undo and to do, in turn: ``("cp1252", "cp1251")``; none for a reading that is right as it is.
        language: of what comes out.
        damage: cost of believing in it.
        costs: of each text after it; `NEVER` where it leads nowhere.
        texts: what comes out.
        lost: how many characters of each text were lost, and are proposals; empty for a way that loses nothing.
        margins: of each text's proposal over the next best, in twelfths of a nat.
    """

    steps: tuple[str, ...]
    language: str
    damage: int
    costs: tuple[int, ...]
    texts: tuple[str, ...]
    lost: tuple[int, ...] = ()
    margins: tuple[int, ...] = ()

    def total(self, clean: Sequence[int], few: int) -> int:
        """Cost over the record: each text goes this route, or stays.

        Args:
            clean: cost of each text as it stands.
            few: what it costs besides that few letters speak for it.
        """
        if not self.steps:
            each = [cost if cost < NEVER else stays for cost, stays in zip(self.costs, clean, strict=True)]
            return self.damage + sum(each)
        # UTF-8 shows by its form, and what was a C1 control is always a character of cp1252.
        return self.damage + (0 if _is_shown(self.steps) else few) + self._least(clean)

    def _least(self, clean: Sequence[int]) -> int:
        return sum([min(cost, stays + STAYS) for cost, stays in zip(self.costs, clean, strict=True)])

    def badness(self, clean: Sequence[int]) -> float:
        """How many times as much its texts cost as right ones would."""
        return self._least(clean) / worth(self.texts)


@lru_cache(maxsize=1024)
def _is_shown(steps: tuple[str, ...]) -> bool:
    """Whether the form of the texts shows every wrong reading of a route."""
    return all(
        really == "utf-8" or misread == "latin-1" for misread, really in zip(steps[::2], steps[1::2], strict=True)
    )


SELDOM: Final = STEP
"""And that this was a Mac's Cyrillic encoding, whose letters are mostly those of cp1251."""

DEEPER: Final = 2 * STEP
"""And that what came out was mangled as well; four times as much in another reading than Latin-1 or the first."""

DEEPEST: Final = 3

UNUSED: Final = 30 * STEP
"""A code page in which lines of boxes, or characters that nobody uses, come out of a text that has none."""

_MAC_SIGNS: Final = "‚Ä"
"""What the UTF-8 of quotation marks, dashes and ellipses begins with in Mac Roman; cp1252 has both characters too."""


class LazyRoute:
    """A way back that is worked out when it is asked for.

    Args:
        stored: the record.
        few: see `Route.total`.

    Attributes:
        least: the way's total over the record (`Route.total`) is at least this; it is this once the route is known.
        known: the way; None until it is worked out.
    """

    __slots__ = ("_few", "_stored", "known", "least")

    def __init__(self, stored: StoredRecord, few: int, least: int, known: Route | None = None) -> None:
        self._stored = stored
        self._few = few
        self.least = least
        self.known = known

    @classmethod
    def of(cls, route: Route, stored: StoredRecord, few: int) -> LazyRoute:
        """A way that is known."""
        return cls(stored, few, route.total(stored.clean, few), route)

    def route(self) -> Route:
        """The route, worked out."""
        if self.known is None:
            self.known = self._worked_out()
            self.least = self.known.total(self._stored.clean, self._few)
        return self.known

    def _worked_out(self) -> Route:
        raise NotImplementedError

    def at_least(self) -> tuple[int, Sequence[int]]:
        """The damage, and for each text of the record what it costs on this route, or less."""
        route = self.route()
        return route.damage, route.costs

    @property
    def misread(self) -> str:
        """The reading that is undone first."""
        return self.route().steps[0]


class RouteSet:
    """The routes back of a record.

    Args:
        stored: the record.
        candidates: the routes, in the order in which those are taken that cost the same.
    """

    __slots__ = ("_badness", "candidates", "stored")

    def __init__(self, stored: StoredRecord, candidates: list[LazyRoute]) -> None:
        self.stored = stored
        self.candidates = candidates
        self._badness: float | None = None

    def routes(self) -> list[Route]:
        """All routes, worked out."""
        return [candidate.route() for candidate in self.candidates]

    def known(self) -> Iterator[Route]:
        """The routes that are worked out already. Those out of UTF-8 are."""
        return (candidate.known for candidate in self.candidates if candidate.known)

    def badness(self) -> float:
        """How many times as much as right texts the record costs, as it stands or on its best route.

        Any number up to 1 says that it costs no more than right texts; then not all routes are looked at.
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


def in_order(found: Sequence[LazyRoute]) -> Iterator[tuple[int, Route]]:
    """The routes with their totals, cheapest first; of two that cost the same, the first of `found`.

    Only those are worked out that may be the next one.
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
    """The routes back that lose nothing.

    Args:
        stored: the record.
        few: see `Route.total`.
        depth: how many wrong readings may lie on each other.
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
    """The routes that undo one reading, and no other one after it.

    Args:
        stored: the record.
        misread: encoding it was read in.
        damage: cost of believing so.
    """
    return RouteSet(stored, _routes_of(_Misreading.of(stored, misread, damage), 0, 1))


def _routes_of(undoing: _Misreading, few: int, depth: int) -> list[LazyRoute]:
    """The routes that begin by undoing one reading."""
    stored, misread, live = undoing.stored, undoing.misread, undoing.odd_raws()
    if not live:
        return []
    fields = [text.encode() for text in stored.fields if text.isascii()] + live
    most = [cost + STAYS for cost in stored.clean]
    of_live = [paid for paid, is_live in zip(most, undoing.live, strict=True) if is_live]
    # Texts that cannot have been read so cost the same on all routes, and each route costs at least what its bytes do.
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
    """The hypotheses on bytes. What one route leads to is looked at again when it was chosen, so the last are kept."""
    return hypotheses(live, fields, shift)


class _RereadTexts(NamedTuple):
    """What the texts of a record are in one encoding, whatever the language.

    Attributes:
        texts: that come out; as they were where the encoding cannot read them.
        doubts: what it costs that each may be clean.
    """

    texts: tuple[str, ...]
    doubts: tuple[int, ...]


class _Misreading:
    """One reading of a record's texts to undo, and the readings to do instead.

    Args:
        stored: the record.
        misread: encoding it was read in.
        raws: the bytes of each text in it; None where it cannot have been read so.
        damage: cost of believing so.

    Attributes:
        stored: the record.
        misread: encoding it was read in.
        damage: cost of believing so.
        live: which of the texts have bytes beyond ASCII, and so a cost.
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
        """A reading of a record; for the arguments see the class."""
        raws = [bytes_of(text, misread) for text in stored.odd]
        return cls(stored, misread, [raw and joined_halves(raw) for raw in raws], damage)

    def odd_raws(self) -> list[bytes]:
        """The bytes of the texts that are live."""
        return [raw for raw in self._raws if raw is not None and not raw.isascii()]

    @property
    def is_possible(self) -> bool:
        """Whether all of the texts can have been read so."""
        return None not in self._raws

    def route(self, hypothesis: Hypothesis) -> Route:
        """The way that a hypothesis is."""
        encoding, misread = hypothesis.encoding, self.misread
        undone = self._undone.get(encoding)
        if undone is None:
            undone = self._undone[encoding] = self._read(hypothesis)
        costs = tuple(map(add, self.costs(hypothesis), undone.doubts))
        if encoding != misread:
            prior = hypothesis.prior + self.damage
            return Route((misread, encoding), hypothesis.language, prior, costs, undone.texts)
        # Latin-1 or cp1252 stays what it is; but C1 controls in a text are always characters of cp1252.
        steps = ("latin-1", encoding) if undone.texts != self.stored.odd else ()
        route = Route(steps, hypothesis.language, hypothesis.prior, costs, undone.texts)
        return _with_signs(route) if steps else route

    def costs(self, hypothesis: Hypothesis) -> Sequence[int]:
        """What a hypothesis says of each text; `NEVER` of those that it does not speak of."""
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
    """One reading undone, and one done instead that is not UTF-8: of that, doubts only add to the price of bytes."""

    __slots__ = ("_hypothesis", "_undoing")

    def __init__(self, undoing: _Misreading, hypothesis: Hypothesis, few: int, least: int) -> None:
        # Not by route of `super()`: a record has a dozen.
        self._stored = undoing.stored
        self._few = few
        self.least = least
        self.known = None
        self._undoing = undoing
        self._hypothesis = hypothesis

    def _worked_out(self) -> Route:
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
    """The text that bytes are in an encoding, and what it costs that `before` may be clean, or the text torn."""
    after = decode_as(raw, encoding) or ""
    return after, _clean_text_cost(before, raw, after, misread, encoding) + (
        torn_cost(after) if encoding in MULTIBYTE else 0
    )


def _with_signs(route: Route) -> Route:
    """A way that makes C1 controls the signs of cp1252: these cost no more than in a text that stays."""
    costs = [
        min(cost, read(text).cost) if has_clean_signs(text) else cost
        for cost, text in zip(route.costs, route.texts, strict=True)
    ]
    return route._replace(costs=tuple(costs))


def _clean_text_cost(before: str, raw: bytes, after: str, misread: str, encoding: str) -> int:
    """What it costs that a text may be clean: bytes that are UTF-8 by chance, signs that are no letters, boxes."""
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
    """Whether characters come out that no title has, or the florin sign, which no language of ours is written with."""
    return (has_unused(after) and not has_unused(before)) or ("ƒ" in after and "ƒ" not in before)


def _chance(before: str, route: Route, place: int) -> int:
    """What it costs that a text may be UTF-8 by chance, before the first step of a route."""
    raw = bytes_of(before, route.steps[0])
    return coincidence(before, raw, route.texts[place]) if raw and len(raw) == len(before) else 0


def _bonus(text: str) -> int:
    """What speaks for a text that came out of UTF-8."""
    return utf8_bonus(sum(char > "\x7f" for char in text))


class _LongerRoute(LazyRoute):
    """A way that goes on where another one led.

    Args:
        stored: the record.
        few: see `Route.total`.
        first: the way that led there.
        counted: for each text that goes on its place, and what counts for it whatever comes out.
        following: the way that goes on.
    """

    __slots__ = ("_counted", "_first", "_following")

    def __init__(
        self, stored: StoredRecord, few: int, first: Route, counted: Sequence[tuple[int, int]], following: LazyRoute
    ) -> None:
        self._first = first
        self._counted = counted
        self._following = following
        damage, costs = self._joined(*following.at_least())
        paid = sum([min(cost, stays + STAYS) for cost, stays in zip(costs, stored.clean, strict=True)])
        super().__init__(stored, few, damage + paid)

    def _joined(self, damage: int, following: Sequence[int]) -> tuple[int, list[int]]:
        """The damage and the costs of both ways."""
        misread = self._following.misread
        crossed = misread not in ("cp1252", "latin-1") and misread != self._first.steps[0]
        costs = list(self._first.costs)
        for (place, counts), cost in zip(self._counted, following, strict=True):
            costs[place] = cost + counts
        return self._first.damage + DEEPER * (4 if crossed else 1) + damage, costs

    def _worked_out(self) -> Route:
        first, following = self._first, self._following.route()
        damage, costs = self._joined(following.damage, following.costs)
        texts = list(first.texts)
        for (place, _), text in zip(self._counted, following.texts, strict=True):
            texts[place] = text
        return Route((*first.steps, *following.steps), following.language, damage, tuple(costs), tuple(texts))

    @property
    def misread(self) -> str:
        return self._first.steps[0]


def _continued(route: Route, stored: StoredRecord, few: int, depth: int) -> list[LazyRoute]:
    """What comes out of a route may have been mangled before."""
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
    # That it was UTF-8, or was so by chance, still counts, whatever came out.
    counted = [(place, _chance(stored.odd[place], route, place) - _bonus(route.texts[place])) for place in live]
    return [_LongerRoute(stored, few, route, counted, one) for one in following]
