"""The hypotheses on a record's bytes: an encoding, a language, and the cost of every field under them."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import groupby
from operator import add
from typing import Final

from mediacrawl.encoding import models, native
from mediacrawl.encoding.codepages import MULTIBYTE, STEP, undefined
from mediacrawl.encoding.excerpts import MOST_SCORED, cached_if_short, piece_of, without_repeats
from mediacrawl.encoding.languages import LANGUAGES, prior_nats
from mediacrawl.encoding.pricing.decoding import bytes_of, decode, decode_as, decode_single
from mediacrawl.encoding.pricing.hints import DECLARED_NATS, Shift
from mediacrawl.encoding.pricing.reading import BROKEN, CJK_RUN, cjk_reading, read
from mediacrawl.encoding.pricing.scoring import (
    ASCII_LETTER,
    ASCII_WORD,
    LANE_STEP,
    NEVER,
    ODD_WORD,
    Hypothesis,
    ascii_costs,
    encoding_numbers,
    pair_of,
    pairs,
    prior_lanes,
    spread,
    word_lanes,
)
from mediacrawl.encoding.pricing.signs import STRANGE, coincidence

TRUSTED: Final = round(DECLARED_NATS * STEP)
"""Bonus of a declared encoding other than Latin-1."""

CLOSE: Final = 7 * STEP
"""Margin over the declared encoding below which all languages of both encodings count, and those without a model."""

GATE: Final = 10 * LANE_STEP
"""Pairs that the first pass prices higher than the best one by more than this are dropped."""

MOST_PAIRS: Final = 16

HOPELESS: Final = 10 * STEP
"""Pairs whose first-pass price exceeds the exact price of the best one by more than this are dropped too."""

MOST_LANGUAGES: Final = 4
"""Pairs of one encoding that are priced exactly."""

MOST_WESTERN: Final = 16
"""Pairs of cp1252 that are priced exactly. They do not count among `MOST_PAIRS`: each costs little."""

FIELD_GATE: Final = 4 * LANE_STEP

FIELD_PAIRS: Final = 4
"""Pairs of a single field that are priced exactly, whatever the first pass over the record says."""

LANGUAGE_SWITCH: Final = 5 * STEP
"""Cost of a field in another language than its record's, in the same encoding."""

UTF8_BONUS: Final = 5 * STEP
"""Bonus of each of the first characters beyond ASCII in valid UTF-8, which other bytes seldom are by chance."""

FEW_SEQUENCES: Final = 3

UTF8_MORE: Final = 5 * STEP // 2
"""Bonus of each further one. Of the characters of cp949, the worst case, one in eleven is a valid sequence."""

MOST_SEQUENCES: Final = 24

CUT: Final = 6 * STEP
"""Cost of a truncated last character in a field that is shorter than an ID3v1 field."""

MOST_ASCII_WORDS: Final = 24

LONE: Final = 2
"""Up to so many bytes beyond ASCII in a record are more often an accent than a word of another script."""

NEAR: Final = round(4.2 * STEP)
"""Cost of a character of the same block as the last one."""

FAR: Final = 9 * STEP
"""Cost of a character of another block."""

ASCII: Final = 3 * STEP

SIGN: Final = 4 * STEP
"""Cost of a sign beyond ASCII, besides its block."""

BAD: Final = {"Cc": 14 * STEP, "Cn": 14 * STEP, "Co": 18 * STEP, "Cs": 18 * STEP}
"""Cost of characters that no text has, by Unicode category. Unassigned code points may be assigned later."""

LOST: Final = 18 * STEP
"""Cost of U+FFFD, as which half of a surrogate pair is decoded."""

_BLOCK: Final = 7
"""Low bits of a code point that are ignored for its block of 128 characters."""

STRANGE_LANGUAGE: Final = round(6.5 * STEP)
"""Prior of a Latin language without a model in cp1252."""

STRANGE_LETTER: Final = 3 * STEP
"""Cost of a letter in such a language; of a letter with a mark the following ones besides."""

ACCENT: Final = round(2.5 * STEP)
RARE_ACCENT: Final = round(1.5 * STEP)
ACCENTS: Final = 2 * STEP
ALL_CAPITALS: Final = round(1.5 * STEP)
FIRST_LETTER: Final = STEP // 2
OF_FIGURE: Final = 5 * STEP

_COMMON: Final = frozenset("éáíóúàèòöüäåøñçâêîôûãõïëæý")
_LATIN_WORD: Final = re.compile("[A-Za-zÀ-ÖØ-öø-ÿ]+")
_NOT_LATIN: Final = re.compile("[^\x00-\x7fÀ-ÖØ-öø-ÿ]")
_FIGURE_SIGN: Final = re.compile(
    r"(?<![^\x00-\x7f])(?:(?<=\d)|(?<=\d )|(?=.\d))[^\x00-\x7fÀ-ÖØ-öø-ÿŒœŠšŽžŸ](?![^\x00-\x7f])"
    "|(?<=[A-Za-z])\u00d7(?=[A-Za-z])"
)
"""A sign that belongs to a figure, with at most a blank before it, and a sign of multiplication between two names."""
_TWO_ACCENTS: Final = re.compile("(?<=[^\x00-\x7f])[^\x00-\x7f]")

TWICE: Final = 8 * STEP
"""Cost of UTF-8 whose text is UTF-8 in the bytes of cp1252."""

UNREAD: Final = 6 * STEP
"""Cost of a text that no model can read, besides those of its characters: a word of another encoding is cheaper."""

UNREAD_RUN: Final = 4 * STEP
"""Further cost of its letters, once for each run in one block."""

GLUED_LETTER: Final = 5 * STEP
"""Cost of a letter of another script next to a Latin letter; twice that if no model has the script."""

INSIDE: Final = 10 * STEP
"""Cost of a sign between two letters."""

_LATIN: Final = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_UNREAD_WORD: Final = re.compile("[A-Za-z]*+[^\x00-\x7f](?:[A-Za-z]|[^\x00-\x7f])*+")
_ODD_LETTER: Final = f"(?![{_LATIN}])(?:[^\\W\\d_]|[\u0300-\u036f])"
_GLUED: Final = re.compile(f"(?<=[{_LATIN}])({_ODD_LETTER})|({_ODD_LETTER})(?=[{_LATIN}])")
_INSIDE: Final = re.compile(r"(?<=[A-Za-z])[^\w\x00-\x7f](?=[A-Za-z])")

_HIGH: Final = bytes(range(128, 256))


def hypotheses(
    raws: Sequence[bytes], fields: Sequence[bytes], shift: Shift | None, claims: Sequence[str] = ()
) -> list[Hypothesis]:
    """Return the hypotheses on a record that are worth pricing.

    `raws` are the fields that are not ASCII, with the declared encoding of each in `claims` if one is known. ASCII
    words of all fields are evidence of the language.
    """
    pieces = [piece_of(raw) for raw in raws]
    new = without_repeats(pieces) if len(pieces) > 1 else pieces
    again = [place for place, piece in enumerate(pieces) if new[place] is not piece] if len(pieces) > 1 else []
    # The new words of a field that repeats words of an earlier one are priced as one more field.
    priced = [*pieces, *[new[place] for place in again]]
    of_record = list(range(len(pieces)))
    for number, place in enumerate(again, len(pieces)):
        of_record[place] = number
    cut = [place for place, piece in enumerate(pieces) if piece is not raws[place]]
    may_mix = len(raws) > 1
    kernel = native.kernel()
    if kernel is None:
        found = _weighed(priced, of_record, fields, shift, claims)
    else:
        is_done = not cut
        named, utf8 = hypothesis_names(), _utf8_costs(priced, of_bytes=bool(claims))
        context = _about(fields, shift, tuple(claims))
        rows = kernel.weigh(priced, of_record, context, utf8 if min(utf8) < NEVER else None, may_mix and is_done)
        found = [Hypothesis(*named[number], prior, costs, costs) for number, prior, costs in rows]
        may_mix = may_mix and not is_done
    # An encoding that can decode the excerpt of a field may fail on the rest.
    for place in cut:
        for hypothesis in found:
            if hypothesis.costs[place] < NEVER and decode_as(raws[place], hypothesis.encoding) is None:
                hypothesis.costs[place] = NEVER
    if may_mix:
        _let_languages_mix(found, len(priced))
    for hypothesis in found if again else ():
        costs, hypothesis.costs = hypothesis.costs, hypothesis.costs[: len(raws)]
        hypothesis.news = [costs[number] for number in of_record]
    return found


def _about(fields: Sequence[bytes], shift: Shift | None, claims: tuple[str, ...]) -> native.RecordContext:
    """Return the context of a record, as the native part takes it."""
    return list(fields), prior_shifts(shift).tobytes() if shift else None, _claimed(claims)


def choose(raw: bytes, fields: Sequence[bytes], shift: Shift | None, claim: str) -> native.Choice | None:
    """Return the decision on a record with one field that is not Unicode, by the native part.

    Returns:
        See `native.Choice`. None without the native part, and for the few fields that it cannot decide.
    """
    kernel = native.kernel()
    if kernel is None or len(raw) > MOST_SCORED:
        return None
    utf8 = None if _NO_UTF8.match(raw) or (cost := _utf8_cost(raw)[True]) >= NEVER else cost
    declared = all_encoding_numbers().get(claim, -1)
    trusted = declared if claim != "cp1252" else -1
    return kernel.choose(raw, _about(fields, shift, (claim,)), utf8, trusted, declared)


def _weighed(
    priced: Sequence[bytes], of_record: list[int], fields: Sequence[bytes], shift: Shift | None, claims: Sequence[str]
) -> list[Hypothesis]:
    """Return the hypotheses without the corrections that few fields need."""
    words = [ODD_WORD.findall(piece) for piece in priced]
    every = [word for raw in fields for word in ASCII_WORD.findall(raw[:MOST_SCORED])]
    plain = list(dict.fromkeys(every))[:MOST_ASCII_WORDS]
    lone = sum([len(priced[number]) - len(priced[number].translate(None, _HIGH)) for number in of_record]) <= LONE
    shifts = list(prior_shifts(shift)[: len(pairs())]) if shift else None
    costs = ascii_costs(plain, lone=lone) if plain else {}
    if plain:
        fits = [costs[pair.language] for pair in pairs()]
        shifts = list(map(add, shifts, fits)) if shifts else fits
    found = _single_bytes(words, of_record, shifts, _claimed(tuple(claims)))
    others = _multibyte(priced, shift, of_bytes=bool(claims))
    for hypothesis in others:
        if plain and hypothesis.language:
            hypothesis.prior += costs[hypothesis.language]
    return found + others


@lru_cache(maxsize=256)
def _claimed(claims: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the pairs of each declared encoding, and of cp1252; the cheapest of each is always priced exactly."""
    every = [[pair.number for pair in pairs() if pair.encoding == name] for name in dict.fromkeys(("cp1252", *claims))]
    return tuple(tuple(numbers) for numbers in every if numbers)


def _let_languages_mix(found: list[Hypothesis], fields: int) -> None:
    by_encoding: dict[str, list[list[int]]] = {}
    for hypothesis in found:
        by_encoding.setdefault(hypothesis.encoding, []).append(hypothesis.costs)
    for several in by_encoding.values():
        for place in range(fields) if len(several) > 1 else ():
            mixed = min([costs[place] for costs in several]) + LANGUAGE_SWITCH
            for costs in several:
                costs[place] = min(costs[place], mixed)


def _single_bytes(
    words: list[list[bytes]], of_record: list[int], shifts: list[int] | None, always: tuple[tuple[int, ...], ...]
) -> list[Hypothesis]:
    """Return the 8-bit hypotheses that pass the gate; `shifts` by hints and ASCII words add to the priors."""
    per_field = [sum(map(word_lanes, some)) for some in words]
    together = _lane_costs(sum([per_field[number] for number in of_record]), shifts)
    chosen = _least(together, GATE, MOST_PAIRS)
    staying = {min(numbers, key=together.__getitem__) for numbers in always}
    chosen |= staying
    if len(of_record) > 1:
        for lanes in per_field[: len(of_record)]:
            staying |= _least(_lane_costs(lanes, shifts), FIELD_GATE, FIELD_PAIRS)
        chosen |= staying
    every = pairs()
    found, least = [], NEVER
    for number in sorted(sorted(chosen), key=together.__getitem__):
        if together[number] > least and number not in staying:
            continue
        pair = every[number]
        costs = [sum(map(pair.cost, some)) for some in words]
        moved = shifts[number] if shifts else 0
        hypothesis = Hypothesis(pair.encoding, pair.language, pair.prior + moved, costs, costs)
        found.append(hypothesis)
        cost = sum([costs[number] for number in of_record])
        least = min(least, (hypothesis.prior + cost + HOPELESS) * LANE_STEP // STEP)
    return found


def _lane_costs(lanes: int, shifts: list[int] | None) -> Sequence[int]:
    costs = spread(lanes + prior_lanes())
    return (
        costs
        if shifts is None
        else [cost + moved * LANE_STEP // STEP for cost, moved in zip(costs, shifts, strict=True)]
    )


def _least(costs: Sequence[int], gate: int, most: int) -> set[int]:
    """Return the pairs within the gate, cheapest first, with a limit for each encoding."""
    limit = min(costs) + gate
    near = sorted([(cost, number) for number, cost in enumerate(costs) if cost <= limit])
    chosen: set[int] = set()
    taken: dict[str, int] = {}
    every = pairs()
    for _, number in near:
        encoding = every[number].encoding
        times = taken.get(encoding, 0)
        is_western = encoding == "cp1252"
        if times < (MOST_WESTERN if is_western else MOST_LANGUAGES) and (is_western or most):
            taken[encoding] = times + 1
            chosen.add(number)
            most -= not is_western
    return chosen


@cache
def double_byte() -> tuple[tuple[str, str, int], ...]:
    """Return the double-byte encodings: name, language, prior."""
    return tuple(
        (encoding, language.code, round(prior_nats(encoding, language.code) * STEP))
        for language in LANGUAGES.values()
        if language.script == "cjk"
        for encoding in language.encodings
    )


@cache
def _double_byte_numbers() -> dict[tuple[str, str], int]:
    """Return the kernel's numbers of the double-byte encodings, by encoding and language."""
    return {(encoding, language): number for number, (encoding, language, _) in enumerate(double_byte())}


@cache
def hypothesis_names() -> tuple[tuple[str, str], ...]:
    """Return the encoding and the language of each hypothesis by its number; UTF-8 has no language."""
    eight_bit = [(pair.encoding, pair.language) for pair in pairs()]
    return (*eight_bit, ("utf-8", ""), *[(encoding, language) for encoding, language, _ in double_byte()])


@cache
def all_encoding_numbers() -> dict[str, int]:
    """Return the kernel's numbers of all encodings."""
    known = dict(encoding_numbers())
    for encoding, _ in hypothesis_names()[len(pairs()) :]:
        known.setdefault(encoding, len(known))
    return known


@lru_cache(maxsize=64)
def prior_shifts(shift: Shift) -> array[int]:
    """Return the shift of each hypothesis's prior."""
    return array("i", [shift(encoding, language) for encoding, language in hypothesis_names()])


@cache
def utf8_prior() -> int:
    """Return the prior of UTF-8."""
    return round(prior_nats("utf-8", "") * STEP)


def _multibyte(pieces: Sequence[bytes], shift: Shift | None, *, of_bytes: bool) -> list[Hypothesis]:
    found = []
    costs = _utf8_costs(pieces, of_bytes=of_bytes)
    if min(costs) < NEVER:
        moved = shift("utf-8", "") if shift else 0
        found.append(Hypothesis("utf-8", "", utf8_prior() + moved, costs, costs))
    for encoding, language, prior in double_byte():
        costs = [_cjk_cost(piece, encoding, language) for piece in pieces]
        if min(costs) < NEVER:
            moved = shift(encoding, language) if shift else 0
            found.append(Hypothesis(encoding, language, prior + moved, costs, costs))
    return found


def _utf8_costs(pieces: Sequence[bytes], *, of_bytes: bool) -> list[int]:
    return [NEVER if _NO_UTF8.match(piece) else _utf8_cost(piece)[of_bytes] for piece in pieces]


_NO_UTF8: Final = re.compile(rb"[\x00-\x7f]*+(?:[\x80-\xc1\xf5-\xff]|[\xc2-\xf4][\x00-\x7f\xc0-\xff])")
"""The first byte beyond ASCII begins no valid or truncated character of UTF-8."""


@cached_if_short(4096)
def _utf8_cost(raw: bytes) -> tuple[int, int]:
    """Return the cost of the bytes of a text that was decoded before, which is mostly right, and that of any bytes."""
    if not raw:
        return 0, 0
    text = decode(raw, "utf-8")
    if text is None:
        return NEVER, NEVER
    cut = 0 if is_id3v1(raw) or len(raw) == MOST_SCORED or len(text.encode()) == len(raw) else CUT
    chance = coincidence(decode_single(raw, "cp1252"), raw, text)
    # A U+FFFD that was itself written in UTF-8 is as likely as any other.
    cost = chance + read(text).cost - BROKEN * raw.count(b"\xef\xbf\xbd")
    count = len(text) - len(text.encode("ascii", "ignore"))
    cut -= utf8_bonus(min(count, FEW_SEQUENCES) if chance else count)
    is_unread = chance in (0, STRANGE) and cost > UNREAD + NEAR * count  # less than `unread_cost` is at least
    least = min(cost, unread_cost(text)) if is_unread else cost
    once = bytes_of(text, "cp1252")
    if once is not None and not once.isascii() and not _NO_UTF8.match(once):
        least = min(least, TWICE + _utf8_cost(once)[1])
    return cut + cost, cut + least


def strange_cost(text: str) -> int:
    """Return the cost of a text in a Latin language without a model, or with signs of figures.

    `NEVER` if it has other signs or letters.
    """
    words: list[str] = _LATIN_WORD.findall(text)
    rest, signs = _FIGURE_SIGN.subn("", text)
    if _NOT_LATIN.search(rest) or not all(word.islower() or word.isupper() or word[1:].islower() for word in words):
        return NEVER
    total = OF_FIGURE * signs + (0 if rest.isascii() else STRANGE_LANGUAGE)
    for word in words:
        if not word.isascii():
            marked = [char for char in word.lower() if char > "\x7f"]
            total += STRANGE_LETTER * len(word) + ACCENT * len(marked) + ACCENTS * len(_TWO_ACCENTS.findall(word))
            total += RARE_ACCENT * sum(char not in _COMMON for char in marked)
            total += ALL_CAPITALS if word.isupper() else FIRST_LETTER
    return total


def is_id3v1(raw: bytes) -> bool:
    """Whether bytes fill a field of ID3v1, which may cut the last character: 30 bytes, in ID3v1.1 also 28."""
    return 28 <= len(raw) <= 30


def block_cost(text: str) -> int:
    """Return the cost of a text by the blocks and classes of its characters, whatever its language."""
    total, last = 0, -1
    for char in text:
        if char < "\x7f":
            total += ASCII if char >= " " or char in "\t\n\r" else BAD["Cc"]
            continue
        block, category = ord(char) >> _BLOCK, unicodedata.category(char)
        sign = LOST if char == "\ufffd" else BAD.get(category, SIGN if category[0] in "PS" else 0)
        total += sign + (NEAR if block == last else FAR)
        last = block
    return total


def unread_cost(text: str) -> int:
    """Return the cost of a text that no model can read, by the blocks and classes of its characters."""
    total = UNREAD
    for word in _UNREAD_WORD.findall(text):
        total += block_cost(word) + INSIDE * len(_INSIDE.findall(word))
        for before, after in _GLUED.findall(word):
            total += GLUED_LETTER * (1 if "\u0370" <= before + after <= "\u0530" else 2)
        blocks = [ord(char) >> _BLOCK for char in word if char > "\x7f" and unicodedata.category(char)[0] in "LM"]
        total += UNREAD_RUN * len(list(groupby(blocks)))
    return total


def utf8_bonus(count: int) -> int:
    """Return the bonus of valid UTF-8 with so many characters beyond ASCII."""
    return UTF8_BONUS * min(FEW_SEQUENCES, count) + UTF8_MORE * max(0, min(MOST_SEQUENCES, count) - FEW_SEQUENCES)


@cached_if_short(4096)
def _cjk_cost(raw: bytes, encoding: str, language: str) -> int:
    if not raw:
        return 0
    text = decode(raw, encoding)
    if text is None:
        return NEVER
    runs = CJK_RUN.findall(text)
    cost = cjk_reading(text, tuple(runs), (language,)).cost
    letters = len(_LETTER.findall(text))
    # Letters of ASCII words cost nothing; those next to double-byte characters do.
    return cost + ASCII_LETTER * max(0, letters - sum(map(len, ASCII_WORD.findall(raw)))) if letters else cost


_LETTER: Final = re.compile("[A-Za-z]")


def price_bytes(raw: bytes, encoding: str, language: str) -> int:
    """Return the cost of bytes in one encoding and language, without the prior; `NEVER` if they cannot be decoded."""
    kernel = native.kernel()
    if encoding in MULTIBYTE:
        number = _double_byte_numbers().get((encoding, language))
        cost = kernel.double(raw, number) if kernel is not None and number is not None and raw else None
        return cost if cost is not None else _cjk_cost(raw, encoding, language)
    pair = pair_of(encoding, language)
    if kernel is not None:
        return kernel.price(raw, pair.number)
    return sum(map(pair.cost, ODD_WORD.findall(raw)))


def letters_of(encoding: str, language: str) -> bytes:
    """Return the letter number of each byte of an 8-bit encoding in a language; 0 for other bytes."""
    return pair_of(encoding, language).letters


def listed_words(raw: bytes, encoding: str, language: str) -> list[tuple[int, int]]:
    """Return the cost by letters and by the list of each word beyond ASCII that the language's list has."""
    pair = pair_of(encoding, language)
    runs = [run for word in ODD_WORD.findall(raw) for run in word.translate(pair.letters).split(b"\0") if run]
    return [(pair.model.spelled(run), listed) for run in runs if (listed := pair.model.listed(run)) < models.UNKNOWN]


@cache
def losable(encoding: str, language: str) -> bool:
    """Whether a byte that cp1252 loses is a letter of the language in this 8-bit encoding."""
    letters = pair_of(encoding, language).letters
    return any(letters[byte] for byte in undefined("cp1252"))
