"""Proposals for bytes that text in a code page lost when it was read as cp1252, which has none for five of them.

A program that reads so leaves a mark for each, ``?`` or U+FFFD, or nothing at all; never both in one record. What may
have stood there is searched with a beam, word by word in an 8-bit encoding, character by character in a double-byte
one, where half a character may be gone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import STEP, characters
from mediacrawl.encoding.damage import LOST, MARKS, bytes_of
from mediacrawl.encoding.filling import BEAM, SURE, Filled
from mediacrawl.encoding.hypotheses import decode, decode_single, price_bytes
from mediacrawl.encoding.reading import BROKEN, CJK_RUN
from mediacrawl.encoding.scoring import MULTIBYTE

FILL: Final = STEP
"""A lost byte whose place is known."""
INSERT: Final = 5 * STEP
"""A lost byte that nothing shows: what it costs to believe in it, its place included."""
MOST_INSERTED: Final = 2
"""In one word."""
KEPT_INSIDE: Final = 8 * STEP
"""A question mark inside a word that is to be one."""
KEPT_AT_END: Final = 6 * STEP
KEPT_LOST: Final = BROKEN
"""A loss that nothing is proposed for."""
TOSS_UP: Final = STEP // 2
"""Two proposals as near as this are none: the place stays marked."""
PLAIN: Final = 4 * STEP
"""An ASCII character inside a double-byte word."""
LONE: Final = 15 * STEP
"""A character between those that the models know: half-width katakana, signs."""


def fill_gaps(text: str, encoding: str, language: str, *, marked: bool) -> Filled | None:
    """The likeliest text in a code page that was read as cp1252 and lost bytes.

    Args:
        text: as it is stored.
        encoding: code page.
        language: written in it.
        marked: a mark stands for each lost byte; otherwise nothing does.

    Returns:
        The proposal; None if the text cannot have been read as cp1252.
    """
    if bytes_of(text.translate(_WITHOUT_MARKS), "cp1252") is None:
        return None
    fill = _fill_double if encoding in MULTIBYTE else _fill_single
    words = [fill(word, encoding, language, marked) for word in text.split(" ")]
    return Filled(
        " ".join([word.text for word in words]),
        sum(word.cost for word in words),
        sum(word.lost for word in words),
        min(word.margin for word in words),
    )


_WITHOUT_MARKS: Final = {ord(mark): None for mark in MARKS}


@lru_cache(maxsize=1024)
def _fill_single(word: str, encoding: str, language: str, marked: bool) -> Filled:
    if word.isascii() and "?" not in word:
        return Filled(word, 0, 0, SURE)
    found = _marked_single(word, encoding, language) if marked else _dropped_single(word, encoding, language)
    ranked = sorted(found)
    cost, raw = ranked[0]
    margin = ranked[1][0] - cost if len(ranked) > 1 else SURE
    if not marked:
        return Filled(decode_single(raw, encoding), cost, len(raw) - len(word), margin)
    text, lost = _marks_back(word, ranked, encoding)
    return Filled(text, cost, lost, margin)


def _marked_single(word: str, encoding: str, language: str) -> list[tuple[int, bytes]]:
    """What a word with marks can have been, with its cost; a mark that is kept is ``?``."""
    beam: list[tuple[int, bytes]] = [(0, b"")]
    for place, char in enumerate(word):
        if char not in MARKS:
            raw = bytes_of(char, "cp1252") or b""
            beam = [(paid, begun + raw) for paid, begun in beam]
            continue
        keep = KEPT_LOST if char != "?" else KEPT_INSIDE if word[place + 1 :].strip("?!.)\"'") else KEPT_AT_END
        grown = [(paid + FILL, begun + bytes((byte,))) for paid, begun in beam for byte in LOST]
        grown += [(paid + keep, begun + b"?") for paid, begun in beam]
        beam = sorted(grown, key=lambda state: state[0] + price_bytes(state[1], encoding, language))[:BEAM]
    return [(paid + price_bytes(raw, encoding, language), raw) for paid, raw in beam]


def _dropped_single(word: str, encoding: str, language: str) -> list[tuple[int, bytes]]:
    """What a word can have been if bytes were dropped from it."""
    raw = bytes_of(word, "cp1252") or b""
    found = {raw: price_bytes(raw, encoding, language)}
    beam = [raw]
    for inserted in range(1, MOST_INSERTED + 1):
        grown = {
            state[:place] + bytes((byte,)) + state[place:]
            for state in beam
            for place in range(len(state) + 1)
            for byte in LOST
        }
        priced = sorted((price_bytes(state, encoding, language) + INSERT * inserted, state) for state in grown)
        if not priced or priced[0][0] >= min(found.values()):
            break
        beam = [state for _, state in priced[:BEAM]]
        found.update((state, cost) for cost, state in priced[:BEAM])
    return [(cost, state) for state, cost in found.items()]


def _marks_back(word: str, ranked: list[tuple[int, bytes]], encoding: str) -> tuple[str, int]:
    """The best text with U+FFFD where something stays lost, and how many places were lost."""
    cost, best = ranked[0]
    rivals = [raw for other, raw in ranked[1:] if other - cost < TOSS_UP]
    chars = [characters(encoding)[byte] for byte in best]
    lost = 0
    for place, char in enumerate(word):
        if char not in MARKS or (best[place] == 0x3F and char == "?"):
            continue
        lost += 1
        if best[place] == 0x3F or any(raw[place] != best[place] for raw in rivals):
            chars[place] = "\ufffd"
    return "".join(chars), lost


@dataclass(frozen=True, slots=True)
class _State:
    """A word in a double-byte encoding, begun.

    Attributes:
        cost: so far.
        text: read so far.
        at: characters of the damaged word that are used up.
        lost: bytes put in.
        paid: cost of the losses alone.
    """

    cost: int
    text: str
    at: int
    lost: int
    paid: int = 0


@lru_cache(maxsize=1024)
def _fill_double(word: str, encoding: str, language: str, marked: bool) -> Filled:
    if word.isascii() and "?" not in word:
        return Filled(word, 0, 0, SURE)
    units = [-1 if char in MARKS else (bytes_of(char, "cp1252") or b"?")[0] for char in word]
    levels: list[dict[str, _State]] = [{} for _ in range(len(units) + 1)]
    levels[0][""] = _State(0, "", 0, 0)
    page = _Page(encoding, language, marked)
    for level in levels[:-1]:
        for state in sorted(level.values(), key=lambda state: state.cost)[:BEAM]:
            for grown in page.grow(state, units):
                known = levels[grown.at].get(grown.text)
                if known is None or grown.cost < known.cost:
                    levels[grown.at][grown.text] = grown
    ranked = sorted([(page.final(state), state) for state in levels[-1].values()], key=lambda ranked: ranked[0])[:BEAM]
    if not ranked:
        return Filled(word, KEPT_LOST * len(word), len(word), 0)
    cost, best = ranked[0]
    rivals = [state.text for other, state in ranked[1:] if other - cost < TOSS_UP and len(state.text) == len(best.text)]
    text = "".join(
        "\ufffd" if any(rival[place] != char for rival in rivals) else char for place, char in enumerate(best.text)
    )
    return Filled(text, cost, best.lost, ranked[1][0] - cost if len(ranked) > 1 else SURE)


@dataclass(frozen=True, slots=True)
class _Page:
    """A double-byte encoding, its language, and whether losses are marked."""

    encoding: str
    language: str
    marked: bool

    def grow(self, state: _State, units: list[int]) -> Iterable[_State]:
        """What may stand next: a whole character, or one of which half is gone."""
        first = units[state.at]
        if 0 <= first < 0x80:
            yield self._grown(state, chr(first), 1)
        for raw, used, lost in self._characters(first, units[state.at + 1 : state.at + 2]):
            char = decode(raw, self.encoding)
            if char is not None and len(char) == 1:
                yield self._grown(state, char, used, lost)
        if first < 0:
            kept = self._grown(state, "?", 1)
            price = KEPT_LOST if state.at + 1 < len(units) else KEPT_INSIDE
            yield replace(kept, paid=kept.paid + price, cost=kept.cost + price)

    def _characters(self, first: int, rest: list[int]) -> Iterable[tuple[bytes, int, int]]:
        """Bytes of a character, how many units they use up, how many of them are put in."""
        second = rest[0] if rest else 0
        if first >= 0x80:
            yield bytes((first,)), 1, 0
            if second > 0:
                yield bytes((first, second)), 2, 0
        yield from _half_marked(first, second) if self.marked else _half_dropped(first)

    def _grown(self, state: _State, char: str, used: int, lost: int = 0) -> _State:
        paid = lost * (FILL if self.marked else INSERT)
        cost = state.cost + paid + _price(state.text[-1:], char, self.language)
        return _State(cost, state.text + char, state.at + used, state.lost + lost, state.paid + paid)

    def final(self, state: _State) -> int:
        """Cost of a finished word, by the measure of whole texts."""
        return state.paid + price_bytes(state.text.encode(self.encoding, "replace"), self.encoding, self.language)


def _half_marked(first: int, second: int) -> Iterable[tuple[bytes, int, int]]:
    """Characters of which a half, or both, are marks."""
    if first < 0 < second:
        yield from ((bytes((byte, second)), 2, 1) for byte in LOST)
    elif first >= 0x80 and second < 0:
        yield from ((bytes((first, byte)), 2, 1) for byte in LOST)
    elif first < 0 and second < 0:
        yield from ((bytes((byte, other)), 2, 2) for byte in LOST for other in LOST)


def _half_dropped(first: int) -> Iterable[tuple[bytes, int, int]]:
    """Characters of which nothing shows one half."""
    for byte in LOST:
        if first >= 0x80:
            yield bytes((first, byte)), 1, 1
        if first >= 0x40:
            yield bytes((byte, first)), 1, 1


@lru_cache(maxsize=4096)
def _price(last: str, char: str, language: str) -> int:
    """Cost of a character after another."""
    if not CJK_RUN.match(char):
        return PLAIN if char.isascii() else LONE
    model = models.in_use().characters(language)
    if last and CJK_RUN.match(last):
        return model.cost(last + char) - model.cost(last)
    return model.cost(char)
