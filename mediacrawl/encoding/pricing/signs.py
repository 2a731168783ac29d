"""Typographic signs and no-break spaces: costs of readings that misplace them.

Clean text can be valid UTF-8 by chance: the cp1252 bytes of ``NESTLÉ®`` read as an IPA letter. A letter with a mark
that typographic signs follow at the end of a word is ordinary text, so that its bytes are valid UTF-8 is weak evidence.
UTF-8 mostly reads such bytes as a letter that no language here uses, or as the only one of its script in the text.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Final

from mediacrawl.encoding.codepages import MULTIBYTE, STEP, characters
from mediacrawl.encoding.excerpts import MOST_SCORED, cached_if_short
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.pricing.decoding import decode_as, decode_single
from mediacrawl.encoding.pricing.reading import FORGIVEN
from mediacrawl.encoding.pricing.scoring import NEVER, ODD_WORD, Hypothesis, pair_of

ORDINARY: Final = 9 * STEP
"""Cost of UTF-8 whose cp1252 reading is ordinary text; outweighs the bonus of one sequence, 5 nats."""

STRANGE: Final = 20 * STEP
"""Cost of UTF-8 with a letter or sign that no language here uses."""

ALONE: Final = 16 * STEP
"""Cost of UTF-8 that may be ordinary text and whose letters beyond ASCII are of another script than the rest."""

CASE: Final = 8 * STEP
"""Cost of UTF-8 that may be ordinary text and in which a small letter beyond ASCII ends a word in capitals."""

LETTER: Final = 3 * STEP
"""Cost of an ASCII letter in a word with such a letter; about its cost in the ordinary text."""

SIGNS_AS_LETTERS: Final = 8 * STEP
"""Cost of each of the first two signs that stand as in ordinary text and become letters in another encoding."""

ENOUGH_SIGNS: Final = 3
"""A text without letters and with at least so many signs is not a wrongly decoded word."""

SIGN_AFTER_SMALL: Final = STEP // 2
"""Cost of a sign directly after a small ASCII letter, where DOS and Mac encodings have accented letters."""

FEW: Final = 2
"""Up to so many sequences may be chance even if one of them is not ordinary text."""

_SEQUENCE: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf][\x80-\xbf][\x80-\xbf]"
)

_GLUED: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]++(?=[^\x00-\u0100\s])")
_AFTER_SMALL: Final = re.compile("[a-z](?!\u00a0[!?:;»])[\u0080-\u00bf\u2010-\u2122]")
_OPENS_INSIDE: Final = re.compile("(?<=[^\\x00-\\x7f])[“‘«„]|¬[!?.,]")
_SIGN_ALONE: Final = re.compile("(?<![^\\x00-\\x7f])[^\\x00-\\x7f](?![^\\x00-\\x7f])")
_OPENING: Final = frozenset("“‘«„‚¿¡‹")
_BETWEEN_WORDS: Final = frozenset("…–—\u00a0")

_TITLE_SIGNS: Final = frozenset("“”‘’„‚«»‹›…–—™®©°ªº²³¹½¼¾×£€¡¿¬´·•†∞ \u00a0")
"""Signs that follow a letter, or each other, in titles."""

_AFTER_FIGURES: Final = frozenset("ªº²³¹½¼¾¿¡")
"""Signs that do not follow a small letter."""

_AFTER_A_TILDE: Final = frozenset("™…’”®")
"""Signs that follow ``Ã`` in ordinary text; most others are the second byte of a small letter in UTF-8."""

_DASHES: Final = frozenset("–—")
_OPENING_SIGNS: Final = frozenset("“‘«„¿¡")
_OF_FIGURES: Final = frozenset("¢£¥€§°²³¹½¼¾")
_EXPONENTS: Final = frozenset("²³")
_CLOSING: Final = frozenset("“”’»…™®©°´\u00a0")

_APART: Final = frozenset("×§£€½–—√∆")
"""Signs that stand alone or before a figure."""

_NO_WORDS: Final = frozenset("ÇÐÞßçðþ")
"""Letters that are not a word in any language."""

_AFTER_A_WORD: Final = frozenset("…’”»\u00a0")
"""Signs that follow a word of one letter."""

_CLITICS: Final = frozenset("sStTdDmMlL")

_SIGNS: Final = (
    "\u00a0¡¢£¤¥§¨©ª«¬®¯°±²³´µ¶·¹º»¼½¾¿×÷‐‑‒–—―‘’‚“”„†‡•…‰′″‹›⁄€№™→←↑↓∞≤≥−√■□▲△●○◎★☆♀♂♠♣♥♦♪♫♭♯✓✔❤"
    "ﬁﬂ\u200b\u200d\u200e\u200f\ufe0f\ufeff"
)

_LEAD_SIGNS: Final = frozenset(_SIGNS + "∆∑∏∫")
"""Signs that other signs follow, those of mathematics included."""


def coincidence(stored: str, raw: bytes, text: str) -> int:
    """Return the surcharge for UTF-8 that may be valid by chance; 0 if ordinary text has not such sequences.

    `stored` is the text in an 8-bit encoding, a character for each byte of `raw`; `text` is the same decoded as
    UTF-8.
    """
    ordinary = True
    for number, found in enumerate(_SEQUENCE.finditer(raw)):
        ordinary = ordinary and is_ordinary(stored, *found.span())
        if not ordinary and number >= FEW:
            return 0
    strange = not _usual().issuperset(text) and any(char not in _usual() and not _has_no_model(char) for char in text)
    if not ordinary:
        return STRANGE if strange else 0
    odd = STRANGE if strange else ALONE if _is_alone(text) else 0
    return ORDINARY + odd + (CASE if _ends_small(text) else 0) + (LETTER * _glued(text) if odd else 0)


def _glued(text: str) -> int:
    """Return the number of ASCII letters in words with letters of another script, which no model prices."""
    return sum(len(letters) for letters in _GLUED.findall(text))


def signs_as_letters(stored: str, text: str, each: int = SIGNS_AS_LETTERS) -> int:
    """Return the surcharge for a reading in which the signs of ordinary text become letters.

    It is 0 where the signs stay signs, or stand inside words; else `each` for each of the first two signs.
    """
    if len(stored) == 1 or not has_clean_signs(stored):
        return 0
    if _AFTER_SMALL.search(stored):
        each = min(each, SIGN_AFTER_SMALL)
    return each * min(2, max(0, _signs_of(stored) - _signs_of(text)))


def _signs_of(text: str) -> int:
    return len([char for char in text if char > "\x7f" and not char.isalpha()])


@cached_if_short(4096)
def has_clean_signs(stored: str) -> bool:
    """Whether a text has signs beyond ASCII, all in places where ordinary text has them."""
    signs = [place for place, char in enumerate(stored) if char > "\x7f" and not char.isalpha()]
    if not signs or not _is_paired(stored):
        return False
    return all(is_clean_sign(stored, place) for place in signs)


def has_letters_alone(stored: str) -> bool:
    """Whether each letter beyond ASCII in a text with clean signs stands alone.

    A text without letters counts too if at least `ENOUGH_SIGNS` signs stand alone in it. A text does not count if a
    sign follows a small ASCII letter directly, where DOS and Mac encodings have accented letters, or if an opening
    quotation mark follows a character beyond ASCII.
    """
    if _AFTER_SMALL.search(stored) or _OPENS_INSIDE.search(stored):
        return False
    letters = [place for place, char in enumerate(stored) if char > "\x7f" and char.isalpha() and char not in "ªº"]
    if not letters:
        return not any(map(str.isalpha, stored)) and len(_SIGN_ALONE.findall(stored)) >= ENOUGH_SIGNS
    return not any(
        stored[place + 1 : place + 2].isalpha() or (place and stored[place - 1].isalpha()) for place in letters
    )


def _is_paired(text: str) -> bool:
    """Whether opening and closing quotation marks match."""
    return ("»" in text) == ("«" in text) and ("„" not in text or "“" in text or "”" in text)


def is_clean_sign(text: str, place: int) -> bool:
    """Whether ordinary text has a sign in this place: a quotation mark at a word's edge, a dash between words."""
    sign, before, after = text[place], text[max(0, place - 1) : place], text[place + 1 : place + 2]
    if sign in _OF_FIGURES and _is_of_figure(text, place):
        return True
    if sign == "´" and _is_ascii_letter(before) and _is_ascii_letter(after):
        # A wrongly typed apostrophe.
        return True
    if sign == "¬":
        # Emoticons: at most one letter on each side.
        word = text[max(0, place - 2) : place]
        return before not in ("", " ") and not (len(word) > 1 and word.isalpha()) and len(after.strip()) == 1
    if (sign == "«" and after == "\u00a0" and not before.isalpha()) or (sign == "\u00a0" and before == "«"):
        return True
    if after.isalpha():
        if not before.isalpha():
            return sign in _OPENING_SIGNS
        if sign == "’":
            return after in _CLITICS and not text[place + 2 : place + 3].isalpha()
        return sign in _DASHES and before.isupper() and after.isupper()
    is_apart = sign in _APART and not before.isalpha() and after != "."
    return sign in _CLOSING or is_apart or (sign in "¡¿" and before.isupper())


def _is_of_figure(text: str, place: int) -> bool:
    """Whether a sign belongs to a figure, with at most a blank between, or is an exponent: ``20 °C``, ``m³``."""
    left, right = text[max(0, place - 2) : place].strip()[-1:], text[place + 1 : place + 3].strip()[:1]
    if left.isdecimal() or right.isdecimal():
        return True
    return text[place] in _EXPONENTS and _is_ascii_letter(text[max(0, place - 1) : place]) and not right.isalpha()


def _is_ascii_letter(char: str) -> bool:
    return char.isascii() and char.isalpha()


def is_ordinary(stored: str, begin: int, end: int) -> bool:
    """Whether a sequence may be a letter or sign with signs after it, as in ordinary text."""
    lead, signs = stored[begin], stored[begin + 1 : end]
    before, after = stored[max(0, begin - 1) : begin], stored[end : end + 1]
    if lead == "√":
        # A root of a letter or figure.
        return not before.isalpha() and not after.isalpha()
    if lead.islower() and not _AFTER_FIGURES.isdisjoint(signs):
        return False
    if not _TITLE_SIGNS.issuperset(signs) or (lead == after and signs != " "):
        return False
    if lead == "Â" or (lead == "Ã" and not (before.isupper() and signs in _AFTER_A_TILDE)):
        return signs + after == "’s" and not before.isalpha() and not stored[end + 1 : end + 2].isalpha()
    if signs[0] in _OPENING_SIGNS and not after.isalnum():
        return False
    if lead.isalpha() and not _follow(stored, begin, end):
        return False
    if (lead.isupper() and before.islower()) or (not lead.isalpha() and (before.isalpha() or lead not in _LEAD_SIGNS)):
        return False
    if not after.isalnum() or not lead.isalpha():
        return True
    if signs[-1] in "’¬":
        return (signs == "¬" or after in _CLITICS) and not stored[end + 1 : end + 2].isalpha()
    return signs[-1] in _BETWEEN_WORDS and signs[0] not in _OPENING and _script(lead) == _script(after)


def _follow(stored: str, begin: int, end: int) -> bool:
    """Whether signs follow a letter as in ordinary text: several close something, or the letter is no word alone."""
    lead, signs, is_last = stored[begin], stored[begin + 1 : end], not stored[end : end + 1].isalpha()
    if len(signs) > 1 and not (signs[0] in _CLOSING and _AFTER_A_WORD.issuperset(signs[1:])):
        return False
    if len(signs) > 1 and is_last and signs[-1] == "\u00a0":
        return False
    if begin and stored[begin - 1].isalpha():
        return signs != "·" or not is_last
    if lead not in _NO_WORDS and _EXPONENTS.issuperset(signs) and stored[:begin].rstrip()[-1:].isdecimal():
        return True
    # A single letter that is no word, or an unopened quotation: the bytes of 酔 in ``DJ 酔``.
    is_word = lead not in _NO_WORDS and (not is_last or _AFTER_A_WORD.issuperset(signs))
    return is_word and ("”" not in signs or "“" in stored[:begin])


def _ends_small(text: str) -> bool:
    """Whether a small letter beyond ASCII follows two capitals."""
    return any(
        third > "\x7f" and third.islower() and second.isupper() and first.isupper()
        for first, second, third in zip(text, text[1:], text[2:], strict=False)
    )


@cache
def _usual() -> frozenset[str]:
    """Return the characters of titles: ASCII, letters of languages with a model, signs, C1 controls."""
    letters = "".join(language.letters + language.folds for language in LANGUAGES.values())
    return frozenset(letters + letters.upper() + _SIGNS + "".join(map(chr, range(0xA0))))


def _has_no_model(char: str) -> bool:
    """Whether a character belongs to a script or a set of pictures without a model."""
    return ("\u0700" <= char <= "\u1dff" and char.isalpha()) or char >= "\u2e80"


def _is_alone(text: str) -> bool:
    """Whether the text mixes scripts, or is in a single script that is not Latin."""
    scripts = [_script(char) for char in text if char.isalpha()]
    return len(set(scripts)) > 1 or (len(scripts) == 1 and scripts[0] > 0)


def _script(char: str) -> int:
    """Return a number for the script of a letter; East Asian scripts share one."""
    if char < "\u0250" or "\u1e00" <= char <= "\u1eff":
        return 0
    return 0x2E if char >= "\u2e80" else ord(char) >> 8


_LETTERS: Final = re.compile(r"[^\W\d_a-zA-Z]{2}")

LETTERS_ALONE: Final = 22 * STEP
"""Surcharge for another reading of bytes whose letters in cp1252 all stand alone: no word supports it."""

SIGNS_IN_BYTES: Final = STEP
"""`SIGNS_AS_LETTERS` for bytes: 8 nats would cost 16 of 277 fields with such signs."""

LONE_SPACE: Final = 5 * STEP
"""Cost of a letter or sign in place of the declared no-break space, if no known word results."""

SHORTEST_KNOWN: Final = 3
"""Letters of a word that counts as known to a language."""

_LOW: Final = bytes(range(128))


def lone_spaces(pieces: Sequence[bytes], claims: Sequence[str]) -> list[tuple[int, bytes]]:
    """Return the texts whose only byte beyond ASCII is the declared no-break space, with that byte."""
    return [
        (place, _space_of(claim))
        for place, (piece, claim) in enumerate(zip(pieces, claims, strict=True))
        if piece and has_lone_spaces(piece, claim)
    ]


def has_lone_spaces(piece: bytes, claim: str) -> bool:
    """Whether the declared no-break space is the only byte beyond ASCII."""
    space = _space_of(claim)
    return bool(space) and not piece.translate(None, _LOW).strip(space)


def corrects(raw: bytes, claim: str) -> bool:
    """Whether `charge_signs` or `distrust_spaces` corrects the costs of a field with this declared encoding."""
    if claim == "cp1252" and not raw.translate(None, _no_signs()):
        return False
    return has_lone_spaces(raw, claim) or bool(clean_signs([raw], declared=True))


def distrust_spaces(found: list[Hypothesis], pieces: Sequence[bytes], spaces: list[tuple[int, bytes]]) -> None:
    """Correct the costs of texts whose only byte beyond ASCII is the declared no-break space.

    In other code pages it is a letter or a sign: ``Track`` and a no-break space are ``Tracká`` in cp852. It counts as a
    letter between two letters, or where it makes a word that the language knows; else the rest of the record decides.
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
                # Where one blank is a no-break space, several are.
                hypothesis.costs[place] -= FORGIVEN * (piece.count(space) - 1)
            elif hypothesis.encoding in MULTIBYTE:
                hypothesis.costs[place] += LONE_SPACE


def _has_space(hypothesis: Hypothesis, space: bytes) -> bool:
    encoding = hypothesis.encoding
    return encoding not in MULTIBYTE and encoding != "utf-8" and characters(encoding)[space[0]] == "\u00a0"


def _is_between(word: bytes, space: bytes) -> bool:
    """Whether each no-break space of a word stands between an ASCII letter and a small one."""
    parts = word.split(space)
    return all(parts) and all(part[:1].islower() for part in parts[1:])


def _knows(hypothesis: Hypothesis, words: Sequence[bytes]) -> bool:
    if hypothesis.encoding in MULTIBYTE or not hypothesis.language:
        return False
    pair = pair_of(hypothesis.encoding, hypothesis.language)
    return all(len(word) >= SHORTEST_KNOWN and pair.knows(word) for word in words)


@cache
def _space_of(encoding: str) -> bytes:
    """Return the byte of the no-break space in an 8-bit encoding; empty for other encodings."""
    if encoding in MULTIBYTE or encoding.startswith("utf"):
        return b""
    place = characters(encoding).find("\u00a0")
    return bytes((place,)) if place >= 0 else b""


def clean_signs(raws: Sequence[bytes], *, declared: bool) -> dict[int, str]:
    """Return the texts whose signs are in the cp1252 reading as in ordinary text, by place, with that reading.

    With a declared encoding, a text whose only byte beyond ASCII is a no-break space is left to `distrust_spaces`.
    """
    clean = {}
    for place, raw in enumerate(raws):
        signs = raw.translate(None, _no_signs())
        if not signs or len(raw) > MOST_SCORED:
            continue
        stored = decode_single(raw, "cp1252")
        # The first sign alone rules out most texts.
        if (
            is_clean_sign(stored, raw.index(signs[0]))
            and has_clean_signs(stored)
            and not (declared and not raw.translate(None, _LOW).strip(b"\xa0"))
        ):
            clean[place] = stored
    return clean


def charge_signs(
    found: list[Hypothesis], raws: Sequence[bytes], clean: dict[int, str], claims: Sequence[str], *, hinted: bool
) -> None:
    """Add the cost of signs that stand as in ordinary text and become letters.

    The surcharge is lower for bytes, whose declared encoding counts besides, and where a sign at the end of a word may
    be the accented letter of a DOS or Mac encoding; except where there are only signs, or where no two letters beyond
    ASCII come out together. Where letters stand alone as well, Latin-1 or cp1252 is declared, and there are no hints,
    the declared encoding stays.
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
    """Return the bytes that are ASCII or letters in cp1252."""
    return bytes(byte for byte, char in enumerate(characters("cp1252")) if char <= "\x7f" or char.isalpha())
