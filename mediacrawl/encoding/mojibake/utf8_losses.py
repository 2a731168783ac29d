"""UTF-8 that was read as cp1252 and lost bytes: what each damaged sequence may have been, and the likeliest text.

cp1252 has no character for five bytes, 81 8D 8F 90 9D. A decoder drops them, or keeps them as C1 controls as browsers
do. A lost byte shows as a gap, as ``?`` or as U+FFFD; a no-break space may have become a plain one; and the text may
have been lower-cased. The language models choose among the candidates by beam search.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final
from unicodedata import category

from mediacrawl.encoding.codepages import STEP, characters, undefined
from mediacrawl.encoding.excerpts import cached_if_short
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.pricing.decoding import MARKS, bytes_of
from mediacrawl.encoding.pricing.reading import read_in
from mediacrawl.encoding.pricing.signs import is_ordinary

Slot = tuple[str, ...]
"""Candidates for one place of a text."""


@dataclass(frozen=True, slots=True)
class DamagedUtf8:
    """UTF-8 that was decoded wrongly and lost bytes.

    Attributes:
        slots: candidates for each place, in order.
        lost: number of characters that lost bytes.
        whole: number of complete characters beyond ASCII.
        gone: of `lost`, those without a blank or mark in place of the byte.
        telling: there are sequences that correct text does not have.
        stripped: too much was lost to be repaired.
    """

    slots: tuple[Slot, ...]
    lost: int
    whole: int = 0
    gone: int = 0
    telling: bool = True
    stripped: bool = False

    @property
    def open(self) -> int:
        """Number of places with several candidates."""
        return sum(len(slot) > 1 for slot in self.slots)


_OTHER: Final = re.compile(
    "[\u00a0-\u00bf\u2010-\u2044\u20ac\u2116\u2122\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]"
)


@cache
def _written() -> frozenset[str]:
    """Return the letters of languages with a model."""
    letters = "".join(language.letters for language in LANGUAGES.values())
    return frozenset(char for char in letters + letters.upper() if not char.isascii())


_WESTERN: Final = re.compile(f"[\u00c2\u00c3][{re.escape(characters('cp1252')[0x80:0xC0])}\u0080-\u009f]")

_LEAD: Final = re.compile("[\u00c2-\u00ff]")
"""Lead bytes of UTF-8 as cp1252 characters."""

_THREE: Final = re.compile(rb"[\xe0-\xef][\x80-\xbf][\x80-\xbf]")

_MERE_LETTERS: Final = frozenset("àáâãäåæçèéêëìíîïòóô")
"""Small letters that are lead bytes of three and four; without a continuation they count as letters."""

_CONTINUE: Final = range(0x80, 0xC0)
_FOLLOW: Final = frozenset((*_CONTINUE, 0x20, -1))
SOME_LOST: Final = 2

ENOUGH: Final = 8
"""Number of characters after which one of the 27 characters that only cp1252 has should have occurred."""

SOME_LEADS: Final = 4

LEAST_FOLLOWED: Final = 0.4
"""Least share of lead bytes that a continuation byte follows, where there are `SOME_LEADS` or more."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """Evidence of a text: the bytes that its decoder loses, and the Unicode blocks of its complete characters."""

    lost: bytes
    blocks: frozenset[int]


def looks_like_utf8(text: str) -> bool:
    """Whether a text has UTF-8 of accented letters that was decoded as cp1252."""
    return any(not is_ordinary(text, *found.span()) for found in _WESTERN.finditer(text))


@cached_if_short(2048)
def damaged_utf8(text: str, misread: str = "cp1252") -> DamagedUtf8 | None:
    """Find UTF-8 that was decoded as cp1252 or another 8-bit encoding and lost bytes; None if there is no sign of it.

    A lead byte determines how many bytes must follow. Where fewer do, those that cp1252 loses are candidates. A space
    or a mark may stand for a lost byte, and a small letter for the capital that a lead byte reads as (``ð`` for ``Ð``).
    """
    if misread == "cp1252" and not _LEAD.search(text):
        return None
    units = [_unit(char, misread) for char in text]
    leads = [place for place, unit in enumerate(units) if unit >= 0xC2]
    followed = sum(units[place + 1] in _FOLLOW for place in leads if place + 1 < len(units))
    if not leads or (len(leads) >= SOME_LEADS and followed < LEAST_FOLLOWED * len(leads)):
        return None
    slots: list[Slot] = []
    at = lost = gone = whole = telling = 0
    seen = _Seen(undefined(misread), _blocks(units))
    while at < len(units):
        taken = _sequence(units, at, seen)
        if taken is None:
            slots.append((text[at],))
            at += 1
            continue
        slot, width, missing = taken
        if width == 1 and text[at] in _MERE_LETTERS:
            slots.append((text[at],))
            at += 1
            continue
        slots.append(slot)
        if width > 1 and not is_ordinary(text, at, at + width):
            # Half of the three-byte sequences that lack a byte are chance.
            telling += 1 if missing and units[at] >= 0xE0 else 2
        at += width
        lost += missing
        gone += 0 if 0x20 in units[at - width : at] else missing
        whole += not missing
    if len(slots) == len(text):
        return None
    return DamagedUtf8(tuple(slots), lost, whole, gone, telling > 1, _was_stripped(units, gone, whole))


def _was_stripped(units: list[int], lost: int, whole: int) -> bool:
    """Whether all C1 controls were stripped from a Latin-1 reading, which loses 32 of 64 bytes, not five."""
    return lost >= SOME_LOST and lost + whole >= ENOUGH and not any(0x80 <= unit < 0xA0 for unit in units)


@lru_cache(maxsize=4096)
def _unit(char: str, misread: str) -> int:
    """Return the byte of a character; -1 for a mark, -2 for a character without one."""
    if char in MARKS:
        return -1
    raw = bytes_of(char, misread)
    return raw[0] if raw and len(raw) == 1 else -2


def _blocks(units: list[int]) -> frozenset[int]:
    """Return the Unicode blocks, of 128 characters each, of the complete three-byte sequences."""
    raw = bytes(unit if unit >= 0 else 0x3F for unit in units)
    return frozenset(ord(found[0].decode("utf-8", "replace")[0]) >> 7 for found in _THREE.finditer(raw))


def _sequence(units: list[int], at: int, seen: _Seen) -> tuple[Slot, int, int] | None:
    """Return the sequence that begins here: candidates, number of characters used, number of bytes missing."""
    for lead in _leads(units[at]):
        needs = 1 if lead < 0xE0 else 2 if lead < 0xF0 else 3
        rest = units[at + 1 : at + 1 + needs]
        for width in range(len(rest), -1, -1):
            found = _filled(lead, tuple(rest[:width]), needs, seen)
            if "à" in found and rest[width - 1] == 0x20:
                # The no-break space of an ``à`` and the blank behind it may have become one.
                found += ("à ",)
            # A letter whose case was changed is a loss as well.
            missing = needs - sum(unit in _CONTINUE for unit in rest[:width]) + (lead != units[at])
            if found and (needs == 1 or missing <= 1):
                return found, 1 + width, missing
    return None


def _leads(unit: int) -> tuple[int, ...]:
    if 0xC2 <= unit <= 0xF4:
        # A lower-cased lead reads as a longer one: Ð (two bytes) became ð (four).
        return (unit, unit - 0x20) if unit >= 0xE2 else (unit,)
    return ()


@lru_cache(maxsize=4096)
def _filled(lead: int, rest: tuple[int, ...], needs: int, seen: _Seen) -> tuple[str, ...]:
    """Return the distinct characters of `_fill`, cached: hostile texts need the same ones at each place."""
    return tuple(dict.fromkeys(_fill(lead, list(rest), needs, seen)))


def _fill(lead: int, rest: list[int], needs: int, seen: _Seen) -> Iterator[str]:
    """Yield the characters that a lead byte and the remaining bytes may be."""
    if any((unit < 0x80 and unit not in {0x20, -1}) or unit > 0xBF for unit in rest):
        return
    is_whole = len(rest) == needs and min(rest) >= 0x80
    for char, is_known, is_kept in _characters_of(lead, tuple(rest), needs, seen.lost):
        if is_known or (is_kept and _is_likely(char, seen.blocks, whole=is_whole)):
            yield char


@lru_cache(maxsize=4096)
def _characters_of(lead: int, rest: tuple[int, ...], needs: int, lost: bytes) -> tuple[tuple[str, bool, bool], ...]:
    """Return the characters; whether titles have each; and whether its remaining bytes are unchanged."""
    options = [_cased(unit) if unit >= 0x80 else (0xA0,) if unit == 0x20 else tuple(lost) for unit in rest]
    found = []
    for tail in _tails(options, needs, tuple(lost)):
        try:
            char = bytes((lead, *tail)).decode("utf-8")
        except UnicodeDecodeError:
            continue
        found.append((char, char in _written() or _OTHER.match(char) is not None, _is_kept(rest, tail)))
    return tuple(found)


def _is_kept(rest: Sequence[int], tail: tuple[int, ...]) -> bool:
    """Whether the remaining bytes of a sequence are unchanged."""
    left = iter(tail)
    return all(unit in left for unit in rest if unit >= 0x80)


def _is_likely(char: str, blocks: frozenset[int], *, whole: bool) -> bool:
    """Whether a character without a model is plausible: a letter of a block that occurs elsewhere, or a sign."""
    kind = category(char)[0]
    return (ord(char) >> 7 in blocks and kind in "LM") or (whole and kind in "PS")


def _cased(unit: int) -> tuple[int, ...]:
    """Return the byte and its capital: š, œ and ž are bytes whose capitals are bytes as well."""
    return (unit, unit - 0x10) if unit in (0x9A, 0x9C, 0x9E) else (unit,)


def _tails(options: list[tuple[int, ...]], needs: int, lost: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(options) > needs:
        return
    if len(options) == needs:
        yield from _product(options)
        return
    if needs - len(options) > 1 and needs > 2:
        return
    for place in range(len(options) + 1):
        yield from _tails([*options[:place], lost, *options[place:]], needs, lost)


def _product(options: list[tuple[int, ...]]) -> Iterator[tuple[int, ...]]:
    if not options:
        yield ()
        return
    for first in options[0]:
        for rest in _product(options[1:]):
            yield (first, *rest)


BEAM: Final = 12
"""States kept at each step; 16 were as good as 48 in the study."""

FILL: Final = 2 * STEP
"""Cost of a lost character."""

WHOLE: Final = 5 * STEP
"""Bonus of a complete UTF-8 sequence, for up to `MOST_WHOLE`."""

MOST_WHOLE: Final = 6

SURE: Final = 40 * STEP
"""Margin of a text without alternatives."""

BLANK: Final = 2 * STEP
"""Cost of a blank that was merged with a no-break space before it."""

MOST_OPEN: Final = 48
"""Most places of a record with several candidates; with more of them the record is not searched."""

LONGEST: Final = 120
"""Characters of a text that is searched."""


@dataclass(frozen=True, slots=True)
class FilledText:
    """A text with proposals for what it lost.

    Attributes:
        text: the likeliest one; U+FFFD where two characters are equally likely.
        cost: in twelfths of a nat, losses included.
        lost: number of bytes that are proposed or stay lost.
        margin: over the next best.
    """

    text: str
    cost: int
    lost: int
    margin: int


def fill_damaged_utf8(wreck: DamagedUtf8, language: str = "") -> FilledText:
    """Return the likeliest text of damaged UTF-8, in the language of the record if that is known."""
    parts = [_fill_part(slots, language) for slots in _parts(wreck.slots, apart=bool(language))]
    cost = sum(part.cost for part in parts) + FILL * wreck.lost - WHOLE * min(MOST_WHOLE, wreck.whole)
    return FilledText("".join(part.text for part in parts), cost, wreck.lost, min(part.margin for part in parts))


def _parts(slots: Sequence[Slot], *, apart: bool) -> Iterator[list[Slot]]:
    """Yield the words, each with the blank after it; one part if the language is unknown."""
    part: list[Slot] = []
    for slot in slots:
        part.append(slot)
        if apart and slot == (" ",):
            yield part
            part = []
    if part:
        yield part


def _fill_part(slots: list[Slot], language: str) -> FilledText:
    beam = [(0, "")]
    for slot in slots:
        grown = [(paid + (BLANK if len(choice) > 1 else 0), begun + choice) for paid, begun in beam for choice in slot]
        beam = grown if len(slot) == 1 else [(paid, text) for _, paid, text in _best(grown, language)]
    ranked = _best(beam, language)
    cost, _, text = ranked[0]
    # Without a language, proposals may cost the same.
    alike = [] if language else [other for rival, _, other in ranked[1:] if rival == cost]
    rivals = [other for other in alike if len(other) == len(text)]
    marked = "".join(
        ["\ufffd" if any(other[place] != char for other in rivals) else char for place, char in enumerate(text)]
    )
    return FilledText(marked, cost, 0, ranked[1][0] - cost if len(ranked) > 1 else SURE)


def _best(texts: Iterable[tuple[int, str]], language: str) -> list[tuple[int, int, str]]:
    return sorted((paid + read_in(text, language), paid, text) for paid, text in texts)[:BEAM]
