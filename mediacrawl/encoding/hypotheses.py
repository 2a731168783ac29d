"""The hypotheses that a record's bytes allow: an encoding, a language, and what every field costs under them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from mediacrawl.encoding.chance import coincidence, has_clean_signs, signs_as_letters
from mediacrawl.encoding.codepages import STEP, characters, undefined
from mediacrawl.encoding.hinting import Shift
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.priors import prior_nats
from mediacrawl.encoding.reading import BROKEN, CJK_RUN, FORGIVEN, cjk_reading, read
from mediacrawl.encoding.remembering import remembered_if_short
from mediacrawl.encoding.scoring import (
    ASCII_LETTER,
    ASCII_WORD,
    LANE_STEP,
    MULTIBYTE,
    ODD_WORD,
    Pair,
    ascii_cost,
    class_cost,
    pairs,
    prior_lanes,
    spread,
    word_lanes,
)

GATE: Final = 10 * LANE_STEP
"""Pairs that the first pass finds so much worse than the best are not looked at again."""
MOST_PAIRS: Final = 16
HOPELESS: Final = 10 * STEP
"""Nor those whose first pass says that they cost so much more than what the best one costs in truth."""
MOST_LANGUAGES: Final = 3
"""Of one encoding."""
FIELD_GATE: Final = 4 * LANE_STEP
LANGUAGE_SWITCH: Final = 5 * STEP
"""A field in another language than the record's, in the same encoding."""
UTF8_BONUS: Final = 5 * STEP
"""Bytes that are not UTF-8 seldom look like it; so much for each character beyond ASCII, up to three."""
CUT: Final = 6 * STEP
"""A last character cut in two, in a field that is not as long as ID3v1 lets it be."""
NEVER: Final = 1 << 24
"""Cost of bytes that an encoding cannot read."""
MOST_SCORED: Final = 400
"""Bytes of a field that are priced."""
MOST_ASCII_WORDS: Final = 24
LONE: Final = 2
"""So few bytes beyond ASCII in a record are more often an accent than a word of another script."""
SET_APART: Final = re.compile(rb"\xa0(?=[!?;:\xbb])")
_LOOSE_TONE: Final = re.compile(
    rb"(?<![AEIOUYaeiouy\xc2\xc3\xca\xd4\xd5\xdd\xe2\xe3\xea\xf4\xf5\xfd])[\xcc\xd2\xde\xec\xf2]"
)
LOOSE_TONE: Final = 10 * STEP
TELLING_WORDS: Final = 4
"""ASCII words from which on they tell a language."""
_HIGH: Final = bytes(range(128, 256))

_ENDS: Final = ("unexpected end of data", "incomplete multibyte sequence")


@dataclass(slots=True)
class Hypothesis:
    """An encoding and a language for a record.

    Attributes:
        encoding: Python codec name.
        language: code of `mediacrawl.encoding.languages`; empty for UTF-8.
        prior: cost before the bytes, hints and ASCII words included, in twelfths of a nat.
        costs: of each field.
    """

    encoding: str
    language: str
    prior: int
    costs: list[int]


def decode(raw: bytes, encoding: str) -> str | None:
    """The bytes as text; None if the encoding cannot read them. A last character that is cut in two is dropped."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        if error.reason in _ENDS and error.start >= len(raw) - 3 and len(raw) > 20:
            text = raw[: error.start].decode(encoding)
            return None if text.isascii() else text
        return None


def decode_single(raw: bytes, encoding: str) -> str:
    """The bytes in an 8-bit encoding; one that it does not define reads as the C1 control of its number."""
    chars = characters(encoding)
    text = "".join([chars[byte] for byte in raw])
    # cp1258 writes tones as characters of their own, which nothing else does.
    return unicodedata.normalize("NFC", text) if encoding == "cp1258" else text


def decode_as(raw: bytes, encoding: str) -> str | None:
    """The bytes in an encoding of any kind; None if it cannot read them, which an 8-bit one always can."""
    if encoding in MULTIBYTE or encoding.startswith(("utf-", "iso2022")):
        return decode(raw, encoding)
    return decode_single(raw, encoding)


def hypotheses(raws: Sequence[bytes], fields: Sequence[bytes], shift: Shift | None) -> list[Hypothesis]:
    """What is worth considering.

    Args:
        raws: the fields that are not ASCII.
        fields: all fields; the ASCII words among them tell of the language.
        shift: what hints do to the priors.
    """
    words = [ODD_WORD.findall(raw[:MOST_SCORED]) for raw in raws]
    plain = [word for raw in fields for word in ASCII_WORD.findall(raw[:MOST_SCORED])][:MOST_ASCII_WORDS]
    lone = sum([len(raw) - len(raw.translate(None, _HIGH)) for raw in raws]) <= LONE
    found = _single_bytes(words, shift, (_likeliest(plain),) if lone and len(plain) >= TELLING_WORDS else ())
    _forgive_spaces(found, raws)
    _mind_tones(found, raws)
    found += _multibyte(raws, shift)
    _mind_signs(found, raws)
    if plain:
        for hypothesis in found:
            if hypothesis.language:
                hypothesis.prior += ascii_cost(plain, hypothesis.language, lone=lone)
    if len(raws) > 1:
        _let_languages_mix(found, len(raws))
    return found


def _likeliest(plain: list[bytes]) -> int:
    """The pair of Latin-1 whose language suits the ASCII words best."""
    every = pairs()
    return min(_leave_alone(), key=lambda number: ascii_cost(plain, every[number].language) + every[number].prior)


def _forgive_spaces(found: list[Hypothesis], raws: Sequence[bytes]) -> None:
    """French puts a no-break space before the signs that it sets apart; in some other encodings that is a letter."""
    for place, raw in enumerate(raws):
        spaces = len(SET_APART.findall(raw))
        if spaces:
            for hypothesis in found:
                if characters(hypothesis.encoding)[0xA0] == "\u00a0":
                    hypothesis.costs[place] -= spaces * FORGIVEN


def _mind_tones(found: list[Hypothesis], raws: Sequence[bytes]) -> None:
    """Vietnamese tones stand on vowels."""
    for hypothesis in found:
        if hypothesis.encoding == "cp1258":
            for place, raw in enumerate(raws):
                hypothesis.costs[place] += LOOSE_TONE * len(_LOOSE_TONE.findall(raw))


def _mind_signs(found: list[Hypothesis], raws: Sequence[bytes]) -> None:
    """Signs that stand in the cp1252 reading as in clean text are seldom letters of another encoding."""
    for place, raw in enumerate(raws):
        if len(raw) > MOST_SCORED or not has_clean_signs(stored := decode_single(raw, "cp1252")):
            continue
        for hypothesis in found:
            if hypothesis.encoding not in ("cp1252", "utf-8") and hypothesis.costs[place] < NEVER:
                text = decode_as(raw, hypothesis.encoding) or ""
                hypothesis.costs[place] += signs_as_letters(stored, text)


def _let_languages_mix(found: list[Hypothesis], fields: int) -> None:
    for place in range(fields):
        least: dict[str, int] = {}
        for hypothesis in found:
            cost = hypothesis.costs[place]
            if cost < least.get(hypothesis.encoding, NEVER):
                least[hypothesis.encoding] = cost
        for hypothesis in found:
            mixed = least.get(hypothesis.encoding, NEVER) + LANGUAGE_SWITCH
            hypothesis.costs[place] = min(hypothesis.costs[place], mixed)


@cache
def _leave_alone() -> tuple[int, ...]:
    return tuple(pair.number for pair in pairs() if pair.encoding == "cp1252")


def _single_bytes(words: list[list[bytes]], shift: Shift | None, also: tuple[int, ...]) -> list[Hypothesis]:
    per_field = [sum(map(word_lanes, some)) for some in words]
    shifts = _shifts(shift) if shift else None
    together = _lane_costs(sum(per_field), shifts)
    chosen = _least(together, GATE, MOST_PAIRS)
    staying = {min(_leave_alone(), key=together.__getitem__), *also}
    chosen |= staying
    if len(words) > 1:
        for lanes in per_field:
            staying |= _least(_lane_costs(lanes, shifts), FIELD_GATE, 4)
        chosen |= staying
    every = pairs()
    found, least = [], NEVER
    for number in sorted(chosen, key=together.__getitem__):
        if together[number] > least and number not in staying:
            continue
        hypothesis = _exact(every[number], words, shifts[number] if shifts else 0)
        found.append(hypothesis)
        least = min(least, (hypothesis.prior + sum(hypothesis.costs) + HOPELESS) * LANE_STEP // STEP)
    return found


def _shifts(shift: Shift) -> list[int]:
    return [shift(pair.encoding, pair.language) for pair in pairs()]


def _lane_costs(lanes: int, shifts: list[int] | None) -> Sequence[int]:
    costs = spread(lanes + prior_lanes())
    return (
        costs
        if shifts is None
        else [cost + moved * LANE_STEP // STEP for cost, moved in zip(costs, shifts, strict=True)]
    )


def _least(costs: Sequence[int], gate: int, most: int) -> set[int]:
    """The pairs within the gate, cheapest first, a few of each encoding: languages that share one share its text."""
    limit = min(costs) + gate
    near = sorted([(cost, number) for number, cost in enumerate(costs) if cost <= limit])
    chosen: set[int] = set()
    taken: dict[str, int] = {}
    every = pairs()
    for _, number in near:
        encoding = every[number].encoding
        times = taken.get(encoding, 0)
        if times < MOST_LANGUAGES or encoding == "cp1252":
            taken[encoding] = times + 1
            chosen.add(number)
            if len(chosen) == most:
                break
    return chosen


def _exact(pair: Pair, words: list[list[bytes]], moved: int) -> Hypothesis:
    encoding, cost = pair.encoding, pair.cost
    costs = [sum([cost(word) + class_cost(word, encoding) for word in some]) for some in words]
    return Hypothesis(encoding, pair.language, pair.prior + moved, costs)


@cache
def _double_byte() -> tuple[tuple[str, str, int], ...]:
    return tuple(
        (encoding, language.code, round(prior_nats(encoding, language.code) * STEP))
        for language in LANGUAGES.values()
        if language.script == "cjk"
        for encoding in language.encodings
    )


@cache
def _utf8_prior() -> int:
    return round(prior_nats("utf-8", "") * STEP)


def _multibyte(raws: Sequence[bytes], shift: Shift | None) -> list[Hypothesis]:
    found = []
    costs = list(map(_utf8_cost, raws))
    if min(costs) < NEVER:
        moved = shift("utf-8", "") if shift else 0
        found.append(Hypothesis("utf-8", "", _utf8_prior() + moved, costs))
    for encoding, language, prior in _double_byte():
        costs = [_cjk_cost(raw, encoding, language) for raw in raws]
        if min(costs) < NEVER:
            moved = shift(encoding, language) if shift else 0
            found.append(Hypothesis(encoding, language, prior + moved, costs))
    return found


@remembered_if_short(4096)
def _utf8_cost(raw: bytes) -> int:
    text = decode(raw, "utf-8")
    if text is None:
        return NEVER
    cut = 0 if len(text.encode()) == len(raw) or 28 <= len(raw) <= 30 else CUT
    chance = coincidence(decode_single(raw, "cp1252"), raw, text)
    # A replacement character that was written in UTF-8 is as likely as any other.
    cost = read(text).cost - BROKEN * raw.count(b"\xef\xbf\xbd")
    return cut + chance + cost - UTF8_BONUS * min(3, sum(char > "\x7f" for char in text))


@remembered_if_short(4096)
def _cjk_cost(raw: bytes, encoding: str, language: str) -> int:
    text = decode(raw, encoding)
    if text is None:
        return NEVER
    runs = CJK_RUN.findall(text)
    cost = cjk_reading(text, tuple(runs), (language,)).cost
    letters = len(_LETTER.findall(text))
    # Letters of plain words cost nothing, as everywhere; those that double bytes left over do.
    return cost + ASCII_LETTER * max(0, letters - sum(map(len, ASCII_WORD.findall(raw)))) if letters else cost


_LETTER: Final = re.compile("[A-Za-z]")


@cache
def _pair(encoding: str, language: str) -> Pair:
    return next(pair for pair in pairs() if pair.encoding == encoding and pair.language == language)


def price_bytes(raw: bytes, encoding: str, language: str) -> int:
    """What bytes cost in one encoding and language, without its prior; `NEVER` if it cannot read them."""
    if encoding in MULTIBYTE:
        return _cjk_cost(raw, encoding, language)
    pair = _pair(encoding, language)
    return sum(pair.cost(word) + class_cost(word, encoding) for word in ODD_WORD.findall(raw))


@cache
def losable(encoding: str, language: str) -> bool:
    """Whether a byte that cp1252 loses is a letter of the language in this 8-bit encoding."""
    letters = _pair(encoding, language).letters
    return any(letters[byte] for byte in undefined("cp1252"))
