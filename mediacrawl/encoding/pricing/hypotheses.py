"""The hypotheses on a record's bytes: an encoding, a language, and the cost of every field under them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final

from mediacrawl.encoding import models, native
from mediacrawl.encoding.codepages import MULTIBYTE, STEP, undefined
from mediacrawl.encoding.excerpts import MOST_SCORED, cached_if_short, piece_of, without_repeats
from mediacrawl.encoding.hints import DECLARED_NATS, Shift
from mediacrawl.encoding.languages import LANGUAGES, prior_nats
from mediacrawl.encoding.pricing.decoding import decode, decode_as, decode_single
from mediacrawl.encoding.pricing.reading import BROKEN, CJK_RUN, cjk_reading, read
from mediacrawl.encoding.pricing.scoring import (
    ASCII_LETTER,
    ASCII_WORD,
    LANE_STEP,
    NEVER,
    ODD_WORD,
    EncodingPair,
    Hypothesis,
    ascii_costs,
    class_cost,
    pair_of,
    pairs,
    prior_lanes,
    spread,
    word_lanes,
)
from mediacrawl.encoding.pricing.signs import (
    charge_quotes,
    charge_signs,
    charge_tones,
    clean_signs,
    coincidence,
    distrust_spaces,
    forgive_spaces,
    has_lone_spaces,
    lone_spaces,
)

TRUSTED: Final = round(DECLARED_NATS * STEP)
"""What a declared encoding other than Latin-1 is worth."""
GATE: Final = 10 * LANE_STEP
"""Pairs that the first pass finds so much worse than the best are not looked at again."""

MOST_PAIRS: Final = 16

HOPELESS: Final = 10 * STEP
"""Nor those whose first pass says that they cost so much more than what the best one costs in truth."""

MOST_LANGUAGES: Final = 4
"""Of one encoding."""

MOST_WESTERN: Final = 16
"""Of cp1252. These do not count among `MOST_PAIRS`: they cost little each, and would take all places."""

FIELD_GATE: Final = 4 * LANE_STEP

FIELD_PAIRS: Final = 4
"""Pairs of one field that are priced whatever the record's first pass says."""

LANGUAGE_SWITCH: Final = 5 * STEP
"""A field in another language than the record's, in the same encoding."""

UTF8_BONUS: Final = 5 * STEP
"""Bytes that are not UTF-8 seldom look like it; so much for each of the first characters beyond ASCII."""

FEW_SEQUENCES: Final = 3

UTF8_MORE: Final = 5 * STEP // 2
"""And for each further one: of the characters of cp949, where it happens most, one in eleven is a sequence of UTF-8."""

MOST_SEQUENCES: Final = 24

CUT: Final = 6 * STEP
"""A last character cut in two, in a field that is not as long as ID3v1 lets it be."""

MOST_ASCII_WORDS: Final = 24

LONE: Final = 2
"""So few bytes beyond ASCII in a record are more often an accent than a word of another script."""

TELLING_WORDS: Final = 4
"""ASCII words from which on they tell a language."""

_HIGH: Final = bytes(range(128, 256))


def hypotheses(
    raws: Sequence[bytes], fields: Sequence[bytes], shift: Shift | None, claims: Sequence[str] = ()
) -> list[Hypothesis]:
    """What is worth considering.

    Args:
        raws: the fields that are not ASCII.
        fields: all fields; the ASCII words among them tell of the language.
        shift: what hints do to the priors.
        claims: the declared encoding of each of `raws`; empty if none is known.
    """
    pieces = [piece_of(raw) for raw in raws]
    new = without_repeats(pieces) if len(pieces) > 1 else pieces
    again = [place for place, piece in enumerate(pieces) if new[place] is not piece] if len(pieces) > 1 else []
    # Where a field repeats words of an earlier one, what is new of it is priced as one more field.
    priced = [*pieces, *[new[place] for place in again]]
    of_record = list(range(len(pieces)))
    for number, place in enumerate(again, len(pieces)):
        of_record[place] = number
    signs = clean_signs(priced, declared=bool(claims))
    spaces = lone_spaces(priced, [*claims, *[claims[place] for place in again]]) if claims else []
    cut = [place for place, piece in enumerate(pieces) if piece is not raws[place]]
    may_mix = len(raws) > 1
    kernel = native.kernel()
    if kernel is None:
        found = _weighed(priced, of_record, fields, shift, claims)
    else:
        is_done = not (signs or spaces or cut)
        about = _about(fields, shift, tuple(claims))
        found = _weighed_by(kernel, priced, of_record, about, may_mix=may_mix and is_done)
        may_mix = may_mix and not is_done
    charge_signs(found, priced, signs, claims, hinted=shift is not None)
    _read_whole(found, raws, cut)
    distrust_spaces(found, priced, spaces)
    if may_mix:
        _let_languages_mix(found, len(priced))
    for hypothesis in found if again else ():
        costs, hypothesis.costs = hypothesis.costs, hypothesis.costs[: len(raws)]
        hypothesis.news = [costs[number] for number in of_record]
    return found


def _weighed_by(
    kernel: native.Kernel, priced: list[bytes], of_record: list[int], about: native.RecordContext, *, may_mix: bool
) -> list[Hypothesis]:
    """`_weighed` by the native part, with `_let_languages_mix` if the fields may be in several languages."""
    named = native.hypothesis_names()
    utf8 = _utf8_costs(priced)
    rows = kernel.weigh(priced, of_record, about, utf8 if min(utf8) < NEVER else None, may_mix)
    return [Hypothesis(*named[number], prior, costs, costs) for number, prior, costs in rows]


def _about(fields: Sequence[bytes], shift: Shift | None, claims: tuple[str, ...]) -> native.RecordContext:
    """What else is known of a record, as the native part takes it."""
    return list(fields), native.prior_shifts(shift) if shift else None, _claimed(claims)


def choose(
    raw: bytes, fields: Sequence[bytes], shift: Shift | None, claim: str
) -> tuple[int, int, int, list[tuple[int, int]]] | None:
    """The decision on a record of which one field is not Unicode, by the native part.

    Args:
        raw: that field.
        fields: all fields.
        shift: what hints do to the priors.
        claim: the declared encoding.

    Returns:
        See `native.Kernel.choose`; None where Python decides, because there is no native part, or because the field is
        one of the few that need more than it does.
    """
    kernel = native.kernel()
    if kernel is None or len(raw) > MOST_SCORED or has_lone_spaces(raw, claim) or clean_signs([raw], declared=True):
        return None
    utf8 = None if _NO_UTF8.match(raw) or (cost := _utf8_cost(raw)) >= NEVER else cost
    declared = native.all_encodings().get(claim, -1)
    trusted = declared if claim != "cp1252" else -1
    return kernel.choose(raw, _about(fields, shift, (claim,)), utf8, trusted, declared)


def _weighed(
    priced: Sequence[bytes],
    of_record: list[int],
    fields: Sequence[bytes],
    shift: Shift | None,
    claims: Sequence[str],
) -> list[Hypothesis]:
    """The hypotheses, priced as most fields are."""
    words = [ODD_WORD.findall(piece) for piece in priced]
    every = [word for raw in fields for word in ASCII_WORD.findall(raw[:MOST_SCORED])]
    plain = list(dict.fromkeys(every))[:MOST_ASCII_WORDS]
    lone = sum([len(priced[number]) - len(priced[number].translate(None, _HIGH)) for number in of_record]) <= LONE
    found = _single_bytes(words, of_record, shift, _always(claims, plain if lone else []))
    forgive_spaces(found, priced)
    charge_tones(found, priced)
    charge_quotes(found, priced)
    found += _multibyte(priced, shift)
    if plain:
        speaking = [hypothesis for hypothesis in found if hypothesis.language]
        costs = ascii_costs(plain, [hypothesis.language for hypothesis in speaking], lone=lone)
        for hypothesis, cost in zip(speaking, costs, strict=True):
            hypothesis.prior += cost
    return found


def _always(claims: Sequence[str], plain: list[bytes]) -> tuple[tuple[int, ...], ...]:
    """Pairs of which the cheapest is priced in full, whatever the first pass says: those of what is declared."""
    likeliest = [(_likeliest(plain),)] if len(plain) >= TELLING_WORDS else []
    return (*likeliest, *_claimed(tuple(claims)))


@lru_cache(maxsize=256)
def _claimed(claims: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """The pairs of each encoding that is declared, and of the one that most containers mean that say nothing."""
    return tuple(numbers for name in dict.fromkeys(("cp1252", *claims)) if (numbers := _numbers(name)))


def _likeliest(plain: list[bytes]) -> int:
    """The pair of Latin-1 whose language suits the ASCII words best."""
    every = pairs()
    numbers = _numbers("cp1252")
    costs = ascii_costs(plain, [every[number].language for number in numbers])
    return min(zip(numbers, costs, strict=True), key=lambda found: found[1] + every[found[0]].prior)[0]


def _let_languages_mix(found: list[Hypothesis], fields: int) -> None:
    by_encoding: dict[str, list[list[int]]] = {}
    for hypothesis in found:
        by_encoding.setdefault(hypothesis.encoding, []).append(hypothesis.costs)
    for several in by_encoding.values():
        for place in range(fields) if len(several) > 1 else ():
            mixed = min([costs[place] for costs in several]) + LANGUAGE_SWITCH
            for costs in several:
                costs[place] = min(costs[place], mixed)


@cache
def _numbers(encoding: str) -> tuple[int, ...]:
    """The pairs of an 8-bit encoding."""
    return tuple(pair.number for pair in pairs() if pair.encoding == encoding)


def _single_bytes(
    words: list[list[bytes]], of_record: list[int], shift: Shift | None, always: tuple[tuple[int, ...], ...]
) -> list[Hypothesis]:
    """The hypotheses of one byte a letter that the first pass leaves."""
    shifts = _shifts(shift) if shift else None
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
        hypothesis = _exact(every[number], words, shifts[number] if shifts else 0)
        found.append(hypothesis)
        cost = sum([hypothesis.costs[number] for number in of_record])
        least = min(least, (hypothesis.prior + cost + HOPELESS) * LANE_STEP // STEP)
    return found


@lru_cache(maxsize=64)
def _shifts(shift: Shift) -> list[int]:
    """What hints do to the prior of each pair."""
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
        is_western = encoding == "cp1252"
        if times < (MOST_WESTERN if is_western else MOST_LANGUAGES) and (is_western or most):
            taken[encoding] = times + 1
            chosen.add(number)
            most -= not is_western
    return chosen


def _exact(pair: EncodingPair, words: list[list[bytes]], moved: int) -> Hypothesis:
    classes, cost = pair.classes, pair.cost
    costs = [sum([cost(word) + class_cost(word, classes) for word in some]) for some in words]
    return Hypothesis(pair.encoding, pair.language, pair.prior + moved, costs, costs)


@cache
def double_byte() -> tuple[tuple[str, str, int], ...]:
    """The double-byte encodings: name, language, prior."""
    return tuple(
        (encoding, language.code, round(prior_nats(encoding, language.code) * STEP))
        for language in LANGUAGES.values()
        if language.script == "cjk"
        for encoding in language.encodings
    )


@cache
def utf8_prior() -> int:
    """The prior of UTF-8."""
    return round(prior_nats("utf-8", "") * STEP)


def _multibyte(pieces: Sequence[bytes], shift: Shift | None) -> list[Hypothesis]:
    found = []
    costs = _utf8_costs(pieces)
    if min(costs) < NEVER:
        moved = shift("utf-8", "") if shift else 0
        found.append(Hypothesis("utf-8", "", utf8_prior() + moved, costs, costs))
    for encoding, language, prior in double_byte():
        costs = [_cjk_cost(piece, encoding, language) for piece in pieces]
        if min(costs) < NEVER:
            moved = shift(encoding, language) if shift else 0
            found.append(Hypothesis(encoding, language, prior + moved, costs, costs))
    return found


def _utf8_costs(pieces: Sequence[bytes]) -> list[int]:
    return [NEVER if _NO_UTF8.match(piece) else _utf8_cost(piece) for piece in pieces]


def _read_whole(found: list[Hypothesis], raws: Sequence[bytes], cut: Sequence[int]) -> None:
    """What reads a piece of a field reads all of it, or none."""
    for place in cut:
        for hypothesis in found:
            if hypothesis.costs[place] < NEVER and decode_as(raws[place], hypothesis.encoding) is None:
                hypothesis.costs[place] = NEVER


_NO_UTF8: Final = re.compile(rb"[\x00-\x7f]*+(?:[\x80-\xc1\xf5-\xff]|[\xc2-\xf4][\x00-\x7f\xc0-\xff])")
"""The first byte beyond ASCII begins no character of UTF-8; nor of one that was cut."""


@cached_if_short(4096)
def _utf8_cost(raw: bytes) -> int:
    if not raw:
        return 0
    text = decode(raw, "utf-8")
    if text is None:
        return NEVER
    may_be_cut = 28 <= len(raw) <= 30 or len(raw) == MOST_SCORED
    cut = 0 if may_be_cut or len(text.encode()) == len(raw) else CUT
    chance = coincidence(decode_single(raw, "cp1252"), raw, text)
    # A replacement character that was written in UTF-8 is as likely as any other.
    cost = read(text).cost - BROKEN * raw.count(b"\xef\xbf\xbd")
    count = len(text) - len(text.encode("ascii", "ignore"))
    return cut + chance + cost - utf8_bonus(min(count, FEW_SEQUENCES) if chance else count)


def utf8_bonus(count: int) -> int:
    """What so many characters beyond ASCII speak for UTF-8, if the bytes are it."""
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
    # Letters of plain words cost nothing, as everywhere; those that double bytes left over do.
    return cost + ASCII_LETTER * max(0, letters - sum(map(len, ASCII_WORD.findall(raw)))) if letters else cost


_LETTER: Final = re.compile("[A-Za-z]")


def price_bytes(raw: bytes, encoding: str, language: str) -> int:
    """What bytes cost in one encoding and language, without its prior; `NEVER` if it cannot read them."""
    kernel = native.kernel()
    if encoding in MULTIBYTE:
        number = native.double_bytes().get((encoding, language))
        cost = kernel.double(raw, number) if kernel is not None and number is not None and raw else None
        return cost if cost is not None else _cjk_cost(raw, encoding, language)
    pair = pair_of(encoding, language)
    if kernel is not None:
        return kernel.price(raw, pair.number)
    return sum(pair.cost(word) + class_cost(word, pair.classes) for word in ODD_WORD.findall(raw))


def letters_of(encoding: str, language: str) -> bytes:
    """For each byte of an 8-bit encoding, the number of the letter of the language that it is; 0 for none."""
    return pair_of(encoding, language).letters


def listed_words(raw: bytes, encoding: str, language: str) -> list[tuple[int, int]]:
    """Of the words beyond ASCII that the language's list has: what each costs by its letters, and by the list."""
    pair = pair_of(encoding, language)
    runs = [run for word in ODD_WORD.findall(raw) for run in word.translate(pair.letters).split(b"\0") if run]
    return [(pair.model.spelled(run), listed) for run in runs if (listed := pair.model.listed(run)) < models.UNKNOWN]


@cache
def losable(encoding: str, language: str) -> bool:
    """Whether a byte that cp1252 loses is a letter of the language in this 8-bit encoding."""
    letters = pair_of(encoding, language).letters
    return any(letters[byte] for byte in undefined("cp1252"))
