"""The hypotheses that a record's bytes allow: an encoding, a language, and what every field costs under them."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from mediacrawl.encoding import models, native, weighing
from mediacrawl.encoding.chance import (
    SIGNS_AS_LETTERS,
    coincidence,
    has_clean_signs,
    has_letters_alone,
    is_clean_sign,
    signs_as_letters,
)
from mediacrawl.encoding.codepages import STEP, characters, undefined
from mediacrawl.encoding.damage import joined_halves
from mediacrawl.encoding.hinting import Shift
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.pieces import MOST_SCORED, fresh, piece_of
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
    ascii_costs,
    class_cost,
    pairs,
    prior_lanes,
    spread,
    word_lanes,
)
from mediacrawl.encoding.seven_bit import read_seven_bit

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
_LETTERS: Final = re.compile(r"[^\W\d_a-zA-Z]{2}")
LETTERS_ALONE: Final = 22 * STEP
"""Cost of another reading of bytes whose letters in cp1252 each stand alone: no word speaks for it."""
SIGNS_IN_BYTES: Final = STEP
"""What `chance.SIGNS_AS_LETTERS` is for stored texts, for bytes: 8 nats there cost 16 of 277 fields with such signs."""
CUT: Final = 6 * STEP
"""A last character cut in two, in a field that is not as long as ID3v1 lets it be."""
NEVER: Final = 1 << 24
"""Cost of bytes that an encoding cannot read."""
MOST_ASCII_WORDS: Final = 24
LONE: Final = 2
"""So few bytes beyond ASCII in a record are more often an accent than a word of another script."""
SET_APART: Final = re.compile(rb"\xa0(?=[!?;:\xbb])")
LOOSE_TONE_SIGN: Final = re.compile(
    rb"(?<![AEIOUYaeiouy\xc2\xc3\xca\xd4\xd5\xdd\xe2\xe3\xea\xf4\xf5\xfd])[\xcc\xd2\xde\xec\xf2]"
)
LOOSE_TONE: Final = 10 * STEP
TELLING_WORDS: Final = 4
"""ASCII words from which on they tell a language."""
LONE_SPACE: Final = 5 * STEP
"""A letter or sign for what is a no-break space as declared, where no word that is known comes out."""
SHORTEST_KNOWN: Final = 3
"""Letters of a word that a language can be said to know."""
UNPAIRED: Final = 4 * STEP
"""A quotation that is opened and not closed, or the other way round."""
QUOTES: Final = "„“”«»"
"""Quotation marks that come in pairs."""
_HIGH: Final = bytes(range(128, 256))
_LOW: Final = bytes(range(128))

SHORTEST_CUT: Final = 21
"""Bytes of a text whose last character may be cut in two."""
_ENDS: Final = ("unexpected end of data", "incomplete multibyte sequence")


@dataclass(slots=True)
class Hypothesis:
    """An encoding and a language for a record.

    Attributes:
        encoding: Python codec name.
        language: code of `mediacrawl.encoding.languages`; empty for UTF-8.
        prior: cost before the bytes, hints and ASCII words included, in twelfths of a nat.
        costs: of each field.
        news: of each field without the words that an earlier one has; these make up the record's cost. The same list
            as `costs` where no field repeats a word.
    """

    encoding: str
    language: str
    prior: int
    costs: list[int]
    news: list[int]


def decode(raw: bytes, encoding: str) -> str | None:
    """The bytes as text; None if the encoding cannot read them.

    A last character that is cut in two is dropped. In UTF-8, surrogates that were each written in three bytes (CESU-8,
    Unicode Technical Report 26) are read as the one character that they are.
    """
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        if error.reason in _ENDS and error.start >= len(raw) - 3 and len(raw) >= SHORTEST_CUT:
            text = raw[: error.start].decode(encoding)
            return None if text.isascii() else text
        joined = joined_halves(raw) if encoding == "utf-8" else raw
        return decode(joined, encoding) if joined != raw else None


def decode_single(raw: bytes, encoding: str) -> str:
    """The bytes in an 8-bit encoding; one that it does not define reads as the C1 control of its number."""
    text = codecs.charmap_decode(raw, "replace", characters(encoding))[0]
    # cp1258 writes tones as characters of their own, which nothing else does.
    return unicodedata.normalize("NFC", text) if encoding == "cp1258" else text


def decode_as(raw: bytes, encoding: str) -> str | None:
    """The bytes in an encoding of any kind; None if it cannot read them, which an 8-bit one always can."""
    if encoding.startswith(("iso2022", "hz")):
        return read_seven_bit(raw, encoding)
    if encoding in MULTIBYTE or encoding.startswith("utf-"):
        return decode(raw, encoding)
    return decode_single(raw, encoding)


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
    new = fresh(pieces) if len(pieces) > 1 else pieces
    again = [place for place, piece in enumerate(pieces) if new[place] is not piece] if len(pieces) > 1 else []
    # Where a field repeats words of an earlier one, what is new of it is priced as one more field.
    priced = [*pieces, *[new[place] for place in again]]
    of_record = list(range(len(pieces)))
    for number, place in enumerate(again, len(pieces)):
        of_record[place] = number
    signs = _clean_signs(priced, declared=bool(claims))
    spaces = _lone_spaces(priced, [*claims, *[claims[place] for place in again]]) if claims else []
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
    _mind_signs(found, priced, signs, claims, hinted=shift is not None)
    _read_whole(found, raws, cut)
    _distrust_spaces(found, priced, spaces)
    if may_mix:
        _let_languages_mix(found, len(priced))
    for hypothesis in found if again else ():
        costs, hypothesis.costs = hypothesis.costs, hypothesis.costs[: len(raws)]
        hypothesis.news = [costs[number] for number in of_record]
    return found


def _weighed_by(
    kernel: native.Kernel, priced: list[bytes], of_record: list[int], about: native.About, *, may_mix: bool
) -> list[Hypothesis]:
    """`_weighed` by the native part, with `_let_languages_mix` if the fields may be in several languages."""
    named = weighing.names()
    utf8 = _utf8_costs(priced)
    rows = kernel.weigh(priced, of_record, about, utf8 if min(utf8) < NEVER else None, may_mix)
    return [Hypothesis(*named[number], prior, costs, costs) for number, prior, costs in rows]


def _about(fields: Sequence[bytes], shift: Shift | None, claims: tuple[str, ...]) -> native.About:
    """What else is known of a record, as the native part takes it."""
    return list(fields), weighing.shifts(shift) if shift else None, _claimed(claims)


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
    if kernel is None or len(raw) > MOST_SCORED or _has_lone_spaces(raw, claim) or _clean_signs([raw], declared=True):
        return None
    utf8 = None if _NO_UTF8.match(raw) or (cost := _utf8_cost(raw)) >= NEVER else cost
    declared = weighing.encodings().get(claim, -1)
    trusted = declared if claim != "cp1252" else -1
    return kernel.choose(raw, _about(fields, shift, (claim,)), utf8, trusted, declared)


def _weighed(
    priced: Sequence[bytes],
    of_record: list[int],
    fields: Sequence[bytes],
    shift: Shift | None,
    claims: Sequence[str],
) -> list[Hypothesis]:
    """The hypotheses, priced as most fields are.

    Args:
        priced: what is priced.
        of_record: what of that makes up the record's cost.
        fields: all fields.
        shift: what hints do to the priors.
        claims: the declared encodings.
    """
    words = [ODD_WORD.findall(piece) for piece in priced]
    every = [word for raw in fields for word in ASCII_WORD.findall(raw[:MOST_SCORED])]
    plain = list(dict.fromkeys(every))[:MOST_ASCII_WORDS]
    lone = sum([len(priced[number]) - len(priced[number].translate(None, _HIGH)) for number in of_record]) <= LONE
    found = _single_bytes(words, of_record, shift, _always(claims, plain if lone else []))
    _forgive_spaces(found, priced)
    _mind_tones(found, priced)
    _mind_quotes(found, priced)
    found += _multibyte(priced, shift)
    if plain:
        speaking = [hypothesis for hypothesis in found if hypothesis.language]
        costs = ascii_costs(plain, [hypothesis.language for hypothesis in speaking], lone=lone)
        for hypothesis, cost in zip(speaking, costs, strict=True):
            hypothesis.prior += cost
    return found


def _always(claims: Sequence[str], plain: list[bytes]) -> tuple[tuple[int, ...], ...]:
    """Pairs of which the cheapest is priced in full, whatever the first pass says: those of what is declared.

    Args:
        claims: the declared encodings.
        plain: the ASCII words that tell the language of a record that has hardly any others; empty if it has.
    """
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


def _forgive_spaces(found: list[Hypothesis], raws: Sequence[bytes]) -> None:
    """French puts a no-break space before the signs that it sets apart; in some other encodings that is a letter."""
    for place, raw in enumerate(raws):
        spaces = len(SET_APART.findall(raw)) if b"\xa0" in raw else 0
        if spaces:
            for hypothesis in found:
                if characters(hypothesis.encoding)[0xA0] == "\u00a0":
                    hypothesis.costs[place] -= spaces * FORGIVEN


def _lone_spaces(pieces: Sequence[bytes], claims: Sequence[str]) -> list[tuple[int, bytes]]:
    """Places of texts that have no other byte beyond ASCII than the no-break space of what is declared, and that."""
    return [
        (place, _space_of(claim))
        for place, (piece, claim) in enumerate(zip(pieces, claims, strict=True))
        if piece and _has_lone_spaces(piece, claim)
    ]


def _has_lone_spaces(piece: bytes, claim: str) -> bool:
    space = _space_of(claim)
    return bool(space) and not piece.translate(None, _LOW).strip(space)


def _distrust_spaces(found: list[Hypothesis], pieces: Sequence[bytes], spaces: list[tuple[int, bytes]]) -> None:
    """A no-break space in a text that has no other byte beyond ASCII says nothing against what is declared.

    In other code pages it is a letter or a sign: ``Track`` and a no-break space are ``Tracká`` in cp852. It counts as
    a letter where it stands between two letters, or makes a word that the language knows; else the rest of the record
    decides.
    """
    for place, space in spaces:
        piece = pieces[place]
        words = [word for word in ODD_WORD.findall(piece) if not _is_between(word, space)]
        others = [hypothesis for hypothesis in found if not _has_space(hypothesis, space)]
        if words and any(_knows(hypothesis, words) for hypothesis in others):
            continue
        for hypothesis in found:
            if hypothesis.costs[place] >= NEVER:
                continue
            if words:
                hypothesis.costs[place] = 0 if _has_space(hypothesis, space) else LONE_SPACE
            elif _has_space(hypothesis, space):
                # A text that writes one blank so writes several so.
                hypothesis.costs[place] -= FORGIVEN * (piece.count(space) - 1)
            elif hypothesis.encoding in MULTIBYTE:
                hypothesis.costs[place] += LONE_SPACE


def _has_space(hypothesis: Hypothesis, space: bytes) -> bool:
    encoding = hypothesis.encoding
    return encoding not in MULTIBYTE and encoding != "utf-8" and characters(encoding)[space[0]] == "\u00a0"


def _is_between(word: bytes, space: bytes) -> bool:
    """Whether every no-break space of a word stands between an ASCII letter and a small one."""
    parts = word.split(space)
    return all(parts) and all(part[:1].islower() for part in parts[1:])


def _knows(hypothesis: Hypothesis, words: Sequence[bytes]) -> bool:
    if hypothesis.encoding in MULTIBYTE or not hypothesis.language:
        return False
    pair = _pair(hypothesis.encoding, hypothesis.language)
    return all(len(word) >= SHORTEST_KNOWN and pair.knows(word) for word in words)


@cache
def _space_of(encoding: str) -> bytes:
    """The byte that is the no-break space of an 8-bit encoding; empty for all other encodings."""
    if encoding in MULTIBYTE or encoding.startswith("utf"):
        return b""
    place = characters(encoding).find("\u00a0")
    return bytes((place,)) if place >= 0 else b""


def _mind_tones(found: list[Hypothesis], raws: Sequence[bytes]) -> None:
    """Vietnamese tones stand on vowels."""
    for hypothesis in found:
        if hypothesis.encoding == "cp1258":
            for place, raw in enumerate(raws):
                hypothesis.costs[place] += LOOSE_TONE * len(LOOSE_TONE_SIGN.findall(raw))


def _mind_quotes(found: list[Hypothesis], raws: Sequence[bytes]) -> None:
    """Quotation marks come in pairs."""
    for hypothesis in found:
        others = _no_quotes(hypothesis.encoding)
        for place, raw in enumerate(raws):
            marks = raw.translate(None, others)
            if marks:
                hypothesis.costs[place] += _unpaired(marks, hypothesis.encoding)


@cache
def _no_quotes(encoding: str) -> bytes:
    """The bytes that are no quotation marks of those that come in pairs."""
    return bytes(byte for byte, char in enumerate(characters(encoding)) if char not in QUOTES)


@lru_cache(maxsize=512)
def _unpaired(marks: bytes, encoding: str) -> int:
    """What quotation marks cost that nothing opens or closes.

    A mark opens in one language and closes in another, so this only counts what must be wrong in all of them.
    """
    low, left, right, opening, closing = map(decode_single(marks, encoding).count, QUOTES)
    lone = (low > left + right) + (not low and left > right) + (not low and not left and right % 2)
    return UNPAIRED * (lone + (opening != closing))


def _clean_signs(raws: Sequence[bytes], *, declared: bool) -> dict[int, str]:
    """Places of texts whose signs stand in the cp1252 reading as in clean text, and that reading.

    Args:
        raws: what is priced.
        declared: it is bytes with a declared encoding. A text with no other byte beyond ASCII than a no-break space is
            then left to `_distrust_spaces`, which knows the words.
    """
    clean = {}
    for place, raw in enumerate(raws):
        signs = raw.translate(None, _no_signs())
        if not signs or len(raw) > MOST_SCORED:
            continue
        stored = decode_single(raw, "cp1252")
        # The first sign alone tells of most texts that they are not clean.
        if (
            is_clean_sign(stored, raw.index(signs[0]))
            and has_clean_signs(stored)
            and not (declared and not raw.translate(None, _LOW).strip(b"\xa0"))
        ):
            clean[place] = stored
    return clean


def _mind_signs(
    found: list[Hypothesis], raws: Sequence[bytes], clean: dict[int, str], claims: Sequence[str], *, hinted: bool
) -> None:
    """Signs that stand in the cp1252 reading as in clean text are seldom letters of another encoding.

    Bytes have a declared encoding, which is believed besides; a sign at the end of a word is the accented letter of a
    DOS or Mac encoding there more often than in texts that somebody stored. So they pay less, but not where there is
    nothing else than signs, or where no two letters beyond ASCII come out together. Where letters stand alone
    as well, Latin-1 or cp1252 is declared, and there are no hints, it stays.
    """
    declared = bool(claims)
    lone = set(claims) == {"cp1252"} and not hinted and sum(not raw.isascii() for raw in raws) == 1
    for place, stored in clean.items():
        raw = raws[place]
        alone = LETTERS_ALONE if lone and has_letters_alone(stored) else 0
        each = SIGNS_IN_BYTES if declared and any(map(str.isalpha, stored)) else SIGNS_AS_LETTERS
        prices = {"cp1252": 0, "utf-8": 0}
        for hypothesis in found:
            encoding = hypothesis.encoding
            if hypothesis.costs[place] < NEVER:
                if encoding not in prices:
                    text = decode_as(raw, encoding) or ""
                    price = SIGNS_AS_LETTERS if _LETTERS.search(text) is None else each
                    prices[encoding] = signs_as_letters(stored, text, price) + (alone if text != stored else 0)
                hypothesis.costs[place] += prices[encoding]


@cache
def _no_signs() -> bytes:
    """The bytes that are ASCII or letters in cp1252."""
    return bytes(byte for byte, char in enumerate(characters("cp1252")) if char <= "\x7f" or char.isalpha())


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
    """The hypotheses of one byte a letter that the first pass leaves.

    Args:
        words: of all that is priced.
        of_record: what of that makes up the record's cost.
        shift: what hints do to the priors.
        always: pairs of which the cheapest is never left out.
    """
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


def _exact(pair: Pair, words: list[list[bytes]], moved: int) -> Hypothesis:
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


@remembered_if_short(4096)
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


@remembered_if_short(4096)
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


@cache
def _pair(encoding: str, language: str) -> Pair:
    return next(pair for pair in pairs() if pair.encoding == encoding and pair.language == language)


def price_bytes(raw: bytes, encoding: str, language: str) -> int:
    """What bytes cost in one encoding and language, without its prior; `NEVER` if it cannot read them."""
    kernel = native.kernel()
    if encoding in MULTIBYTE:
        number = native.double_bytes().get((encoding, language))
        cost = kernel.double(raw, number) if kernel is not None and number is not None and raw else None
        return cost if cost is not None else _cjk_cost(raw, encoding, language)
    pair = _pair(encoding, language)
    if kernel is not None:
        return kernel.price(raw, pair.number)
    return sum(pair.cost(word) + class_cost(word, pair.classes) for word in ODD_WORD.findall(raw))


def letters_of(encoding: str, language: str) -> bytes:
    """For each byte of an 8-bit encoding, the number of the letter of the language that it is; 0 for none."""
    return _pair(encoding, language).letters


def listed_words(raw: bytes, encoding: str, language: str) -> list[tuple[int, int]]:
    """Of the words beyond ASCII that the language's list has: what each costs by its letters, and by the list."""
    pair = _pair(encoding, language)
    runs = [run for word in ODD_WORD.findall(raw) for run in word.translate(pair.letters).split(b"\0") if run]
    return [(pair.model.spelled(run), listed) for run in runs if (listed := pair.model.listed(run)) < models.UNKNOWN]


@cache
def losable(encoding: str, language: str) -> bool:
    """Whether a byte that cp1252 loses is a letter of the language in this 8-bit encoding."""
    letters = _pair(encoding, language).letters
    return any(letters[byte] for byte in undefined("cp1252"))
