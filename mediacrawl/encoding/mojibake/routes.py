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
from mediacrawl.encoding.mojibake.gaps import torn
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
class Stored:
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
    def of(cls, odd: Sequence[str], fields: Sequence[str], shift: Shift | None = None) -> Stored:
        """A record with its texts priced."""
        return cls(tuple(odd), tuple(read(text).cost for text in odd), fields, shift)

    def badness(self) -> float:
        """How many times as much the texts cost as right ones would."""
        if self._badness is None:
            self._badness = sum(self.clean) / worth(self.odd)
        return self._badness


class Way(NamedTuple):
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
        """Cost over the record: each text goes this way, or stays.

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
    """Whether the form of the texts shows every wrong reading of a way."""
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


class Candidate:
    """A way back that is worked out when it is asked for.

    Args:
        stored: the record.
        few: see `Way.total`.

    Attributes:
        least: the way's total over the record (`Way.total`) is at least this; it is this once the way is known.
        known: the way; None until it is worked out.
    """

    __slots__ = ("_few", "_stored", "known", "least")

    def __init__(self, stored: Stored, few: int, least: int, known: Way | None = None) -> None:
        self._stored = stored
        self._few = few
        self.least = least
        self.known = known

    @classmethod
    def of(cls, way: Way, stored: Stored, few: int) -> Candidate:
        """A way that is known."""
        return cls(stored, few, way.total(stored.clean, few), way)

    def way(self) -> Way:
        """The way, worked out."""
        if self.known is None:
            self.known = self._worked_out()
            self.least = self.known.total(self._stored.clean, self._few)
        return self.known

    def _worked_out(self) -> Way:
        raise NotImplementedError

    def at_least(self) -> tuple[int, Sequence[int]]:
        """The damage, and for each text of the record what it costs on this way, or less."""
        way = self.way()
        return way.damage, way.costs

    @property
    def misread(self) -> str:
        """The reading that is undone first."""
        return self.way().steps[0]


class Found:
    """The ways back of a record.

    Args:
        stored: the record.
        candidates: the ways, in the order in which those are taken that cost the same.
    """

    __slots__ = ("_badness", "candidates", "stored")

    def __init__(self, stored: Stored, candidates: list[Candidate]) -> None:
        self.stored = stored
        self.candidates = candidates
        self._badness: float | None = None

    def ways(self) -> list[Way]:
        """All ways, worked out."""
        return [candidate.way() for candidate in self.candidates]

    def known(self) -> Iterator[Way]:
        """The ways that are worked out already. Those out of UTF-8 are."""
        return (candidate.known for candidate in self.candidates if candidate.known)

    def badness(self) -> float:
        """How many times as much as right texts the record costs, as it stands or on its best way.

        Any number up to 1 says that it costs no more than right texts; then not all ways are looked at.
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
            least = min(least, self.candidates[candidate].way().badness(clean))
        return least


def in_order(found: Sequence[Candidate]) -> Iterator[tuple[int, Way]]:
    """The ways with their totals, cheapest first; of two that cost the same, the first of `found`.

    Only those are worked out that may be the next one.
    """
    ahead = [(candidate.least, number) for number, candidate in enumerate(found)]
    heapify(ahead)
    while ahead:
        total, number = ahead[0]
        candidate = found[number]
        if candidate.known is None:
            candidate.way()
            heapreplace(ahead, (candidate.least, number))
        else:
            heappop(ahead)
            yield total, candidate.known


def lossless_ways(stored: Stored, few: int, depth: int = DEEPEST) -> Found:
    """The ways back that lose nothing.

    Args:
        stored: the record.
        few: see `Way.total`.
        depth: how many wrong readings may lie on each other.
    """
    latin = _Undoing.of(stored, "cp1252", MANGLED)
    found = _ways_of(latin, few, depth)
    if stored.badness() <= 1:
        return Found(stored, found)
    if any(_MAC_SIGNS in text for text in stored.odd):
        found += _ways_of(_Undoing.of(stored, "mac_roman", MANGLED + CROSSED), few, depth)
    if not latin.is_possible:
        double = any(CJK_RUN.search(text) for text in stored.odd)
        single = frozenset().union(*map(misread_in, stored.odd))
        likely = [misread for misread in MISREADINGS if misread in single]
        for misread in (*likely, *(DOUBLE_MISREADINGS if double else ())):
            damage = MANGLED + CROSSED + (SELDOM if misread == "mac_cyrillic" else 0)
            found += _ways_of(_Undoing.of(stored, misread, damage), few, 1)
    return Found(stored, found)


def undo(stored: Stored, misread: str, damage: int) -> Found:
    """The ways that undo one reading, and no other one after it.

    Args:
        stored: the record.
        misread: encoding it was read in.
        damage: cost of believing so.
    """
    return Found(stored, _ways_of(_Undoing.of(stored, misread, damage), 0, 1))


def _ways_of(undoing: _Undoing, few: int, depth: int) -> list[Candidate]:
    """The ways that begin by undoing one reading.

    Args:
        undoing: the reading.
        few: see `Way.total`.
        depth: how many wrong readings may lie on each other.
    """
    stored, misread, live = undoing.stored, undoing.misread, undoing.odd_raws()
    if not live:
        return []
    fields = [text.encode() for text in stored.fields if text.isascii()] + live
    most = [cost + STAYS for cost in stored.clean]
    of_live = [paid for paid, is_live in zip(most, undoing.live, strict=True) if is_live]
    # Texts that cannot have been read so cost the same on all ways, and each way costs at least what its bytes do.
    of_others = [min(NEVER, paid) for paid, is_live in zip(most, undoing.live, strict=True) if not is_live]
    least = undoing.damage + few + sum(of_others)
    found: list[Candidate] = []
    for hypothesis in _considered(tuple(live), tuple(fields), stored.shift):
        encoding = hypothesis.encoding
        if encoding == misread:
            if misread == "cp1252":
                found.append(Candidate.of(undoing.way(hypothesis), stored, few))
        elif encoding != "utf-8":
            paid = least + hypothesis.prior + sum(map(min, hypothesis.costs, of_live))
            found.append(_Single(undoing, hypothesis, few, paid))
        else:
            way = undoing.way(hypothesis)
            found.append(Candidate.of(way, stored, few))
            if depth > 1:
                found += _go_on(way, stored, few, depth)
    return found


@lru_cache(maxsize=16)
def _considered(live: tuple[bytes, ...], fields: tuple[bytes, ...], shift: Shift | None) -> list[Hypothesis]:
    """The hypotheses on bytes. What one way leads to is looked at again when it was chosen, so the last are kept."""
    return hypotheses(live, fields, shift)


class _Undone(NamedTuple):
    """What the texts of a record are in one encoding, whatever the language.

    Attributes:
        texts: that come out; as they were where the encoding cannot read them.
        doubts: what it costs that each may be clean.
    """

    texts: tuple[str, ...]
    doubts: tuple[int, ...]


class _Undoing:
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

    def __init__(self, stored: Stored, misread: str, raws: list[bytes | None], damage: int) -> None:
        self.stored = stored
        self.damage = damage
        self.live = [raw is not None and not raw.isascii() for raw in raws]
        self.misread = misread
        self._raws = raws
        self._undone: dict[str, _Undone] = {}

    @classmethod
    def of(cls, stored: Stored, misread: str, damage: int) -> _Undoing:
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

    def way(self, hypothesis: Hypothesis) -> Way:
        """The way that a hypothesis is."""
        encoding, misread = hypothesis.encoding, self.misread
        undone = self._undone.get(encoding)
        if undone is None:
            undone = self._undone[encoding] = self._read(hypothesis)
        costs = tuple(map(add, self.costs(hypothesis), undone.doubts))
        if encoding != misread:
            prior = hypothesis.prior + self.damage
            return Way((misread, encoding), hypothesis.language, prior, costs, undone.texts)
        # Latin-1 or cp1252 stays what it is; but C1 controls in a text are always characters of cp1252.
        steps = ("latin-1", encoding) if undone.texts != self.stored.odd else ()
        way = Way(steps, hypothesis.language, hypothesis.prior, costs, undone.texts)
        return _with_signs(way) if steps else way

    def costs(self, hypothesis: Hypothesis) -> Sequence[int]:
        """What a hypothesis says of each text; `NEVER` of those that it does not speak of."""
        if len(hypothesis.costs) == len(self.live):
            return hypothesis.costs
        priced = iter(hypothesis.costs)
        return [next(priced) if is_live else NEVER for is_live in self.live]

    def _read(self, hypothesis: Hypothesis) -> _Undone:
        encoding = hypothesis.encoding
        misread = self.misread if encoding != self.misread else "latin-1"
        texts, doubts = [], []
        for text, raw, cost in zip(self.stored.odd, self._raws, self.costs(hypothesis), strict=True):
            after, doubt = text, 0
            if cost < NEVER and raw is not None:
                after, doubt = _read_again(raw, text, misread, encoding)
            texts.append(after)
            doubts.append(doubt)
        return _Undone(tuple(texts), tuple(doubts))


class _Single(Candidate):
    """One reading undone, and one done instead that is not UTF-8: of that, doubts only add to the price of bytes."""

    __slots__ = ("_hypothesis", "_undoing")

    def __init__(self, undoing: _Undoing, hypothesis: Hypothesis, few: int, least: int) -> None:
        # Not by way of `super()`: a record has a dozen.
        self._stored = undoing.stored
        self._few = few
        self.least = least
        self.known = None
        self._undoing = undoing
        self._hypothesis = hypothesis

    def _worked_out(self) -> Way:
        return self._undoing.way(self._hypothesis)

    def at_least(self) -> tuple[int, Sequence[int]]:
        """See `Candidate.at_least`."""
        if self.known is not None:
            return self.known.damage, self.known.costs
        return self._hypothesis.prior + self._undoing.damage, self._undoing.costs(self._hypothesis)

    @property
    def misread(self) -> str:
        """See `Candidate.misread`."""
        return self._undoing.misread


@cached_if_short(8192)
def _read_again(raw: bytes, before: str, misread: str, encoding: str) -> tuple[str, int]:
    """The text that bytes are in an encoding, and what it costs that `before` may be clean, or the text torn."""
    after = decode_as(raw, encoding) or ""
    return after, _doubt(before, raw, after, misread, encoding) + (torn(after) if encoding in MULTIBYTE else 0)


def _with_signs(way: Way) -> Way:
    """A way that makes C1 controls the signs of cp1252: these cost no more than in a text that stays."""
    costs = [
        min(cost, read(text).cost) if has_clean_signs(text) else cost
        for cost, text in zip(way.costs, way.texts, strict=True)
    ]
    return way._replace(costs=tuple(costs))


def _doubt(before: str, raw: bytes, after: str, misread: str, encoding: str) -> int:
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


def _chance(before: str, way: Way, place: int) -> int:
    """What it costs that a text may be UTF-8 by chance, before the first step of a way."""
    raw = bytes_of(before, way.steps[0])
    return coincidence(before, raw, way.texts[place]) if raw and len(raw) == len(before) else 0


def _bonus(text: str) -> int:
    """What speaks for a text that came out of UTF-8."""
    return utf8_bonus(sum(char > "\x7f" for char in text))


class _Further(Candidate):
    """A way that goes on where another one led.

    Args:
        stored: the record.
        few: see `Way.total`.
        first: the way that led there.
        counted: for each text that goes on its place, and what counts for it whatever comes out.
        following: the way that goes on.
    """

    __slots__ = ("_counted", "_first", "_following")

    def __init__(
        self, stored: Stored, few: int, first: Way, counted: Sequence[tuple[int, int]], following: Candidate
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

    def _worked_out(self) -> Way:
        first, following = self._first, self._following.way()
        damage, costs = self._joined(following.damage, following.costs)
        texts = list(first.texts)
        for (place, _), text in zip(self._counted, following.texts, strict=True):
            texts[place] = text
        return Way((*first.steps, *following.steps), following.language, damage, tuple(costs), tuple(texts))

    @property
    def misread(self) -> str:
        """See `Candidate.misread`."""
        return self._first.steps[0]


def _go_on(way: Way, stored: Stored, few: int, depth: int) -> list[Candidate]:
    """What comes out of a way may have been mangled before."""
    live = [
        place
        for place, (text, cost) in enumerate(zip(way.texts, way.costs, strict=True))
        if cost < NEVER and not text.isascii()
    ]
    if not live:
        return []
    again = Stored.of([way.texts[place] for place in live], stored.fields, stored.shift)
    following = [one for one in lossless_ways(again, 0, depth - 1).candidates if one.known is None or one.known.steps]
    if not following:
        return []
    # That it was UTF-8, or was so by chance, still counts, whatever came out.
    counted = [(place, _chance(stored.odd[place], way, place) - _bonus(way.texts[place])) for place in live]
    return [_Further(stored, few, way, counted, one) for one in following]
