"""Text in a code page that was read as cp1252 and lost bytes: candidates for the five bytes that cp1252 lacks.

A decoder leaves a mark for each, ``?`` or U+FFFD, or nothing at all; never both in one record. The candidates are
searched with a beam, word by word in an 8-bit encoding, character by character in a double-byte one, where half a
character may be gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from mediacrawl.encoding import models, native
from mediacrawl.encoding.codepages import MULTIBYTE, STEP, characters
from mediacrawl.encoding.mojibake.utf8_losses import BEAM, SURE, FilledText
from mediacrawl.encoding.pricing.decoding import LOST, MARKS, bytes_of, decode, decode_single
from mediacrawl.encoding.pricing.hypotheses import letters_of, price_bytes
from mediacrawl.encoding.pricing.reading import APOSTROPHE, BROKEN, CJK_RUN
from mediacrawl.encoding.pricing.scoring import CLITICS_BEFORE, NEVER, pair_of

FILL: Final = STEP
"""Cost of a lost byte whose place is known."""

MOST_INSERTED: Final = 2
"""Bytes that are inserted in one word."""

LONGEST_DROPPED: Final = 20
"""Bytes of a word in which dropped letters are searched; the time grows with their square."""

INSERT_BEAM: Final = 4
"""Number of proposals that get a further letter."""

SLACK: Final = 2 * STEP
"""A further letter is tried if the last one raised the word's cost by no more than this."""

WITH_JOINERS: Final = ("fa",)
"""Languages that write the zero-width non-joiner between a word and its ending."""

JOINER: Final = 2 * STEP

CAPITAL: Final = 3 * STEP
"""Cost of a lost capital where other words begin with a small letter."""

LOOSE_JOINER: Final = 20 * STEP
"""Cost of a joiner without effect: behind a letter that never joins, next to a single one, or at a word's edge."""

_NEVER_JOINED: Final = frozenset("اآأإدذرزژوؤءةى")

KEPT_INSIDE: Final = 8 * STEP
"""Cost of a question mark inside a word, in a text that is left as it is."""

KEPT_BETWEEN: Final = 12 * STEP
"""Cost of a question mark that stays inside a word where other marks of the text become letters."""

KEPT_AT_END: Final = 6 * STEP

KEPT_LOST: Final = BROKEN
"""Cost of a loss without a proposal."""

PLAIN: Final = 4 * STEP
"""Cost of an ASCII character inside a double-byte word."""

TORN: Final = 6 * STEP
"""Cost of an ASCII sign between two Chinese or Japanese characters, or behind the last one."""

_TORN: Final = re.compile(r"(?<=[\u3040-\u9fff])[\[\]\\^`{|}]++(?![^\u3040-\u9fff])")

LONE: Final = 15 * STEP
"""Cost of a character without a model: half-width katakana, signs."""


def fill_lost_bytes(text: str, encoding: str, language: str, *, marked: bool, small: bool = False) -> FilledText | None:
    """Return the likeliest text in a code page that was decoded as cp1252 and lost bytes; None if it cannot have been.

    A mark stands for each lost byte (`marked`), or nothing does. If `small`, words of the record begin with a small
    letter, except the first of each text.
    """
    if bytes_of(text.translate(_WITHOUT_MARKS), "cp1252") is None:
        return None
    several = text.split(" ")
    if encoding in MULTIBYTE:
        words = [_fill_double(word, encoding, language, marked) for word in several]
    else:
        lean = _lean(several, encoding)
        small = lean < 0 or (small and not lean)
        words = [
            _fill_single(word, encoding, language, marked, small and place > 0) for place, word in enumerate(several)
        ]
    return FilledText(
        " ".join([word.text for word in words]),
        sum(word.cost for word in words),
        sum(word.lost for word in words),
        min(word.margin for word in words),
    )


_WITHOUT_MARKS: Final = {ord(mark): None for mark in MARKS}


def torn_cost(text: str) -> int:
    """Return the cost of ASCII signs between CJK characters, which are remains of torn double bytes."""
    return 0 if "[" in text and "]" in text else TORN * sum(map(len, _TORN.findall(text)))


def small_words(texts: Sequence[str], encoding: str) -> bool:
    """Whether most words, except the first of each text, begin with a small letter."""
    return sum(_lean(text.split(" "), encoding) for text in texts) < 0


def _lean(words: Sequence[str], encoding: str) -> int:
    """Number of words, except the first, that begin with a capital, minus those that begin with a small letter."""
    lean = 0
    for word in words[1:]:
        raw = bytes_of(word[:1], "cp1252") or b""
        first = decode_single(raw, encoding)
        lean += first.isupper() - first.islower()
    return lean


@lru_cache(maxsize=1024)
def _fill_single(word: str, encoding: str, language: str, marked: bool, small: bool) -> FilledText:
    if word.isascii() and "?" not in word:
        return FilledText(word, 0, 0, SURE)
    found = _marked_single(word, encoding, language) if marked else _dropped_single(word, encoding, language)
    if small:
        found = [(cost + CAPITAL * _begins_with_lost_capital(raw, encoding), raw) for cost, raw in found]
    ranked = sorted(found)
    cost, raw = ranked[0]
    margin = ranked[1][0] - cost if len(ranked) > 1 else SURE
    if not marked:
        return FilledText(decode_single(raw, encoding), cost, len(raw) - len(word), margin)
    text, lost = _restore_marks(word, ranked, encoding)
    return FilledText(text, cost, lost, margin)


def _begins_with_lost_capital(raw: bytes, encoding: str) -> bool:
    return raw[:1] in LOST and decode_single(raw[:1], encoding).isupper()


@cache
def _losable(encoding: str, language: str) -> bytes:
    """Return the lost bytes that are letters of the language; all lost bytes if none is.

    Of cp1252 a decoder of UTF-8 loses every byte beyond ASCII: the letters of the language, and the apostrophe.
    """
    letters = letters_of(encoding, language)
    if encoding == "cp1252":
        foreign = pair_of(encoding, language).foreign
        return bytes(byte for byte in range(0x80, 0x100) if letters[byte] and byte not in foreign) + APOSTROPHE
    known = bytes(byte for byte in LOST if letters[byte])
    return (known or LOST) + _joiner(encoding, language)


@cache
def _joiner(encoding: str, language: str) -> bytes:
    """Return the byte of the zero-width non-joiner, if the language writes it and cp1252 loses it."""
    if language not in WITH_JOINERS:
        return b""
    return bytes(byte for byte in LOST if characters(encoding)[byte] == "\u200c")


def _price_word(raw: bytes, encoding: str, language: str) -> int:
    """Return the cost of a word's bytes; a word with joiners costs what its parts cost."""
    joiner = _joiner(encoding, language)
    if not joiner or joiner not in raw:
        return price_bytes(raw, encoding, language)
    total = 0
    parts = raw.split(joiner)
    for place, part in enumerate(parts):
        is_loose = part.isascii() or len(part) == 1 or (place + 1 < len(parts) and not _is_joined(part[-1:], encoding))
        total += price_bytes(part, encoding, language) + (LOOSE_JOINER if is_loose else 0)
    return total + JOINER * (len(parts) - 1)


def _is_joined(last: bytes, encoding: str) -> bool:
    """Whether a letter joins to the next one."""
    char = decode_single(last, encoding)
    return char.isalpha() and char not in _NEVER_JOINED


def _may_elide(word: str, place: int, language: str) -> bool:
    """Whether an apostrophe may stand between letters: a single one follows, or a known word or a clitic precedes."""
    before = word[:place].rpartition("\ufffd")[2].lower().encode("ascii", "replace")
    after = word[place + 1 :].partition("\ufffd")[0]
    return len(after) < 2 or before in CLITICS_BEFORE or pair_of("cp1252", language).knows(before)


def _marked_single(word: str, encoding: str, language: str) -> list[tuple[int, bytes]]:
    """Return the candidates for a word with marks, with their costs; a mark that is kept is ``?``."""
    beam: list[tuple[int, bytes]] = [(0, b"")]
    for place, char in enumerate(word):
        if char not in MARKS:
            raw = bytes_of(char, "cp1252") or b""
            beam = [(paid, begun + raw) for paid, begun in beam]
            continue
        keep = KEPT_LOST if char != "?" else KEPT_BETWEEN if word[place + 1 :].strip("?!.)\"'") else KEPT_AT_END
        options = _losable(encoding, language)
        if encoding == "cp1252" and not _may_elide(word, place, language):
            options = options.removesuffix(APOSTROPHE)
        grown = [(paid + FILL, begun + bytes((byte,))) for paid, begun in beam for byte in options]
        if encoding != "cp1252" or not options:
            grown += [(paid + keep, begun + b"?") for paid, begun in beam]
        beam = sorted(grown, key=lambda state: state[0] + _price_word(state[1], encoding, language))[:BEAM]
    return [(paid + _price_word(raw, encoding, language), raw) for paid, raw in beam]


def _dropped_single(word: str, encoding: str, language: str) -> list[tuple[int, bytes]]:
    """Return the candidates for a word from which bytes were dropped, with their costs."""
    raw = bytes_of(word, "cp1252") or b""
    found = {raw: _price_word(raw, encoding, language)}
    beam = [raw]
    options = _losable(encoding, language)
    for _ in range(MOST_INSERTED if len(raw) <= LONGEST_DROPPED else 0):
        grown = {
            state[:place] + bytes((byte,)) + state[place:]
            for state in beam
            for place in range(len(state) + 1)
            for byte in options
        }
        priced = sorted((_price_word(state, encoding, language), state) for state in grown)
        if not priced or priced[0][0] >= min(found.values()) + SLACK:
            break
        beam = [state for _, state in priced[:INSERT_BEAM]]
        found.update((state, cost) for cost, state in priced[:BEAM])
    return [(cost, state) for state, cost in found.items()]


def _restore_marks(word: str, ranked: list[tuple[int, bytes]], encoding: str) -> tuple[str, int]:
    """Return the best candidate with U+FFFD for what stays lost, and the number of losses."""
    cost, best = ranked[0]
    rivals = [raw for other, raw in ranked[1:] if other == cost]
    chars = [characters(encoding)[byte] for byte in best]
    lost = 0
    for place, char in enumerate(word):
        if char not in MARKS or (best[place] == 0x3F and char == "?"):
            continue
        lost += 1
        if best[place] == 0x3F or any(raw[place] != best[place] for raw in rivals):
            chars[place] = "\ufffd"
    return "".join(chars), lost


class _State(NamedTuple):
    """The beginning of a word in a double-byte encoding.

    Attributes:
        cost: so far.
        text: so far.
        lost: number of inserted bytes.
        paid: cost of the losses alone.
        least: cost of the losses and of the characters with a model, a lower bound for the finished word.
    """

    cost: int
    text: str
    lost: int
    paid: int
    least: int


@lru_cache(maxsize=1024)
def _fill_double(word: str, encoding: str, language: str, marked: bool) -> FilledText:
    if word.isascii() and "?" not in word:
        return FilledText(word, 0, 0, SURE)
    units = [-1 if char in MARKS else (bytes_of(char, "cp1252") or b"?")[0] for char in word]
    ranked = _ranked(_grown(units, encoding, language, marked), encoding, language)
    if not ranked:
        return FilledText(word, KEPT_LOST * len(word), len(word), 0)
    cost, _, best = ranked[0]
    others = [(other - cost, state.text) for other, _, state in ranked[1:]]
    rivals = [text for margin, text in others if not margin and len(text) == len(best.text)]
    text = "".join(
        "\ufffd" if any(rival[place] != char for rival in rivals) else char for place, char in enumerate(best.text)
    )
    return FilledText(text, cost, best.lost, ranked[1][0] - cost if len(ranked) > 1 else SURE)


def _grown(units: list[int], encoding: str, language: str, marked: bool) -> Iterable[_State]:
    """Return the candidates for a word."""
    put_in = FILL if marked else 0
    kernel = native.kernel()
    if kernel is not None:
        seconds = [*units[1:], 0]
        options_at = [_options(*pair, encoding, marked) for pair in zip(units, seconds, strict=True)]
        kept_at = [0 if first >= 0 else KEPT_LOST for first in units]
        kept_at[-1] = kept_at[-1] and KEPT_INSIDE
        number = native.language_numbers()[language]
        found = kernel.grow(options_at, kept_at, number, (put_in, PLAIN, LONE), BEAM)
        return [_State(*state) for state in found]
    levels: list[dict[str, _State]] = [{} for _ in range(len(units) + 1)]
    levels[0][""] = _State(0, "", 0, 0, 0)
    for at, first in enumerate(units):
        begun = sorted(levels[at].values(), key=itemgetter(0))[:BEAM]
        options = _options(first, units[at + 1] if at + 1 < len(units) else 0, encoding, marked) if begun else ()
        kept = 0 if first >= 0 else KEPT_LOST if at + 1 < len(units) else KEPT_INSIDE
        for cost, text, lost, paid, least in begun:
            last = text[-1:]
            for char, used, more, is_known in options:
                more_paid, price = put_in * more, _price(last, char, language)
                total, longer, level = cost + more_paid + price, text + char, levels[at + used]
                known = level.get(longer)
                if known is None or total < known[0]:
                    rests_on = least + more_paid + (price if is_known else 0)
                    level[longer] = _State(total, longer, lost + more, paid + more_paid, rests_on)
            if kept:
                total, longer, level = cost + kept + _price(last, "?", language), f"{text}?", levels[at + 1]
                known = level.get(longer)
                if known is None or total < known[0]:
                    level[longer] = _State(total, longer, lost, paid + kept, least + kept)
    return levels[-1].values()


def _ranked(states: Iterable[_State], encoding: str, language: str) -> list[tuple[int, int, _State]]:
    """Finished words by the cost of the whole text, cheapest first: cost, number, word.

    Only the two cheapest and those of about the same cost are priced.
    """
    found: list[tuple[int, int, _State]] = []
    first = second = NEVER
    for number, state in sorted(enumerate(states), key=lambda numbered: numbered[1].least):
        if state.least > second:
            break
        cost = state.least
        if cost != state.cost:
            # Some of its characters have no model.
            cost = state.paid + price_bytes(state.text.encode(encoding, "replace"), encoding, language)
            cost += torn_cost(state.text)
        found.append((cost, number, state))
        first, second = (cost, first) if cost < first else (first, min(cost, second))
    return sorted(found)[:BEAM]


@lru_cache(maxsize=2048)
def _options(first: int, second: int, encoding: str, marked: bool) -> tuple[tuple[str, int, int, bool], ...]:
    """Return the next character: a complete one, or one that lost a half."""
    read = [(decode(raw, encoding), used, lost) for raw, used, lost in _characters(first, second, marked)]
    found = [
        (char, used, lost, CJK_RUN.match(char) is not None)
        for char, used, lost in read
        if char is not None and len(char) == 1
    ]
    return ((chr(first), 1, 0, False), *found) if 0 <= first < 0x80 else tuple(found)


def _characters(first: int, second: int, marked: bool) -> Iterable[tuple[bytes, int, int]]:
    """Yield bytes of a character, number of units that they use, number of inserted bytes."""
    if first >= 0x80:
        yield bytes((first,)), 1, 0
        if second > 0:
            yield bytes((first, second)), 2, 0
    if not marked:
        # A half was lost without a mark.
        for byte in LOST:
            if first >= 0x80:
                yield bytes((first, byte)), 1, 1
            if first >= 0x40:
                yield bytes((byte, first)), 1, 1
    elif first < 0 < second:
        yield from ((bytes((byte, second)), 2, 1) for byte in LOST)
    elif first >= 0x80 and second < 0:
        yield from ((bytes((first, byte)), 2, 1) for byte in LOST)
    elif first < 0 and second < 0:
        yield from ((bytes((byte, other)), 2, 2) for byte in LOST for other in LOST)


@lru_cache(maxsize=4096)
def _price(last: str, char: str, language: str) -> int:
    """Return the cost of a character after another."""
    if not CJK_RUN.match(char):
        return PLAIN if char.isascii() else LONE
    model = models.in_use().characters(language)
    if last and CJK_RUN.match(last):
        return model.cost(last + char) - model.cost(last)
    return model.cost(char)
