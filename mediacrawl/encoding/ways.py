"""The ways back from texts that were read wrongly, with nothing lost: readings to undo, and readings to do instead."""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from mediacrawl.encoding.chance import coincidence, has_clean_signs, lookalikes, signs_as_letters
from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.damage import DOUBLE_MISREADINGS, MISREADINGS, bytes_of, joined_halves, misread_in
from mediacrawl.encoding.hinting import Shift
from mediacrawl.encoding.hypotheses import NEVER, Hypothesis, decode_as, decode_single, hypotheses, utf8_bonus
from mediacrawl.encoding.reading import CJK_RUN, has_unused, read
from mediacrawl.encoding.remembering import remembered_if_short
from mediacrawl.encoding.scoring import MULTIBYTE

MANGLED: Final = STEP
"""What it costs to believe that a text was read wrongly at all."""
CROSSED: Final = 7 * STEP
"""And that it was read in something else than Latin-1 or cp1252."""
SELDOM: Final = STEP
"""And that this was a Mac's Cyrillic encoding, whose letters are mostly those of cp1251."""
DEEPER: Final = 2 * STEP
"""And that what came out was mangled as well; four times as much in another reading than Latin-1 or the first."""
DEEPEST: Final = 3
UNUSED: Final = 30 * STEP
"""A code page in which lines of boxes, or characters that nobody uses, come out of a text that has none."""
STAYS: Final = 10 * STEP
"""A text that was not mangled, in a record that was."""

GOOD_WORD: Final = 3 * STEP
GOOD_LETTER: Final = 30
GOOD_IDEOGRAM: Final = 15 * STEP // 2
"""A text that costs no more than this for each word, letter and CJK character of its odd words is not looked at
further."""

_MAC_SIGNS: Final = "‚Ä"
"""What the UTF-8 of quotation marks, dashes and ellipses begins with in Mac Roman; cp1252 has both characters too."""
WORD: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
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

    @classmethod
    def of(cls, odd: Sequence[str], fields: Sequence[str], shift: Shift | None = None) -> Stored:
        """A record with its texts priced."""
        return cls(tuple(odd), tuple(read(text).cost for text in odd), fields, shift)

    def badness(self) -> float:
        """How many times as much the texts cost as right ones would."""
        return sum(self.clean) / worth(self.odd)


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


@remembered_if_short(4096)
def good(text: str) -> int:
    """What a text of this length may cost and still look right."""
    total = 0
    for word in WORD.findall(text):
        if not word.isascii():
            wide = sum(char >= "\u2e80" for char in word)
            total += GOOD_WORD + (GOOD_IDEOGRAM * wide if wide else GOOD_LETTER * len(word))
    return total


@lru_cache(maxsize=128)
def worth(texts: tuple[str, ...]) -> int:
    """The same for some texts, at least 1."""
    return max(1, sum(map(good, texts)))


def is_bad(stored: Stored, ways: Sequence[Way], times: float) -> bool:
    """Whether the record costs more than so many times as much as right texts would, as it stands and on all ways."""
    return stored.badness() > times and all(way.badness(stored.clean) > times for way in ways)


def lossless_ways(stored: Stored, depth: int = DEEPEST) -> list[Way]:
    """The ways back that lose nothing.

    Args:
        stored: the record.
        depth: how many wrong readings may lie on each other.
    """
    ways = undo(stored, "cp1252", MANGLED, depth)
    if stored.badness() <= 1:
        return ways
    if any(_MAC_SIGNS in text for text in stored.odd):
        ways += undo(stored, "mac_roman", MANGLED + CROSSED, depth)
    if any(bytes_of(text, "cp1252") is None for text in stored.odd):
        double = any(CJK_RUN.search(text) for text in stored.odd)
        single = frozenset().union(*map(misread_in, stored.odd))
        likely = [misread for misread in MISREADINGS if misread in single]
        for misread in (*likely, *(DOUBLE_MISREADINGS if double else ())):
            ways += undo(stored, misread, MANGLED + CROSSED + (SELDOM if misread == "mac_cyrillic" else 0), 1)
    return ways


def undo(stored: Stored, misread: str, damage: int, depth: int) -> list[Way]:
    """The ways that begin by undoing one reading.

    Args:
        stored: the record.
        misread: encoding it was read in.
        damage: cost of believing so.
        depth: how many wrong readings may lie on each other.
    """
    raws = [raw and joined_halves(raw) for raw in (bytes_of(text, misread) for text in stored.odd)]
    live = [raw for raw in raws if raw is not None and not raw.isascii()]
    if not live:
        return []
    fields = [text.encode() for text in stored.fields if text.isascii()] + live
    ways = []
    read_in: dict[str, _Undone] = {}
    for hypothesis in _considered(tuple(live), tuple(fields), stored.shift):
        encoding = hypothesis.encoding
        if encoding == misread != "cp1252":
            continue
        undone = read_in.get(encoding)
        if undone is None:
            undone = read_in[encoding] = _undone(
                stored.odd, raws, misread if encoding != misread else "latin-1", hypothesis
            )
        if encoding == misread:
            # Latin-1 or cp1252 stays what it is; but C1 controls in a text are always characters of cp1252.
            steps = ("latin-1", encoding) if undone.texts != stored.odd else ()
            way = undone.way(steps, hypothesis, 0)
            ways.append(_with_signs(way) if steps else way)
            continue
        way = undone.way((misread, encoding), hypothesis, damage)
        ways.append(way)
        if encoding == "utf-8" and depth > 1:
            ways += _go_on(way, stored, depth)
    return ways


@lru_cache(maxsize=16)
def _considered(live: tuple[bytes, ...], fields: tuple[bytes, ...], shift: Shift | None) -> list[Hypothesis]:
    """The hypotheses on bytes. What one way leads to is looked at again when it was chosen, so the last are kept."""
    return hypotheses(live, fields, shift)


class _Undone(NamedTuple):
    """What the texts of a record are in one encoding, whatever the language.

    Attributes:
        texts: that come out; as they were where the encoding cannot read them.
        doubts: what it costs that each may be clean.
        live: which of them have bytes beyond ASCII, and so a cost.
    """

    texts: tuple[str, ...]
    doubts: tuple[int, ...]
    live: tuple[bool, ...]

    def way(self, steps: tuple[str, ...], hypothesis: Hypothesis, damage: int) -> Way:
        """The way that a hypothesis in this encoding is."""
        priced = iter(hypothesis.costs)
        costs = tuple(
            [next(priced) + doubt if live else NEVER for live, doubt in zip(self.live, self.doubts, strict=True)]
        )
        return Way(steps, hypothesis.language, hypothesis.prior + damage, costs, self.texts)


def _undone(odd: tuple[str, ...], raws: list[bytes | None], misread: str, hypothesis: Hypothesis) -> _Undone:
    texts, doubts, live = [], [], []
    priced = iter(hypothesis.costs)
    for text, raw in zip(odd, raws, strict=True):
        is_live = raw is not None and not raw.isascii()
        live.append(is_live)
        after, doubt = text, 0
        if is_live and next(priced) < NEVER and raw is not None:
            after, doubt = _read_again(raw, text, misread, hypothesis.encoding)
        texts.append(after)
        doubts.append(doubt)
    return _Undone(tuple(texts), tuple(doubts), tuple(live))


@remembered_if_short(8192)
def _read_again(raw: bytes, before: str, misread: str, encoding: str) -> tuple[str, int]:
    """The text that bytes are in an encoding, and what it costs that `before`, which they were, may be clean."""
    after = decode_as(raw, encoding) or ""
    return after, _doubt(before, raw, after, misread, encoding)


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


def _go_on(way: Way, stored: Stored, depth: int) -> list[Way]:
    """What comes out of a way may have been mangled before."""
    live = [
        place
        for place, (text, cost) in enumerate(zip(way.texts, way.costs, strict=True))
        if cost < NEVER and not text.isascii()
    ]
    if not live:
        return []
    again = Stored.of([way.texts[place] for place in live], stored.fields, stored.shift)
    further = []
    # That it was UTF-8, or was so by chance, still counts, whatever came out.
    counted: list[int] = []
    for following in lossless_ways(again, depth - 1):
        if following.steps:
            counted = counted or [_chance(stored.odd[place], way, place) - _bonus(way.texts[place]) for place in live]
            costs, texts = list(way.costs), list(way.texts)
            for place, counts, cost, text in zip(live, counted, following.costs, following.texts, strict=True):
                costs[place] = cost + counts
                texts[place] = text
            crossed = following.steps[0] not in ("cp1252", "latin-1") and following.steps[0] != way.steps[0]
            damage = way.damage + DEEPER * (4 if crossed else 1) + following.damage
            steps = (*way.steps, *following.steps)
            further.append(Way(steps, following.language, damage, tuple(costs), tuple(texts)))
    return further
