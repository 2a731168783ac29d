"""The cost of a text as right text in any language and style, with or without a model.

Text that came as Unicode is right until damage is shown. The models know some sixty languages in plain spelling; by
them alone, right text in other languages, in stylised names or between frames looks damaged. Here each character beyond
ASCII costs what characters of its class cost in right text, by what stands on both sides of it. Letters count as those
that they resemble, and words cost what they cost in the language that suits them best. A character that occurs again
costs a third: what is odd in a language or a style is repeated there.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import STEP, base_letter, classes
from mediacrawl.encoding.languages import LANGUAGES
from mediacrawl.encoding.mojibake.routes import ALIEN, alien_cost
from mediacrawl.encoding.pricing.reading import CJK_RUN, read
from mediacrawl.encoding.pricing.scoring import ascii_numbers, class_cost

AGAIN: Final = 3
"""Divisor of the cost of a character that occurred before."""

Nats = tuple[float, float, float, float]
"""Cost of a sign apart from letters, after one, before one, and between two."""

SIGN: Final[Nats] = (5.0, 7.0, 7.0, 8.0)

SIGNS: Final[dict[str, Nats]] = {
    "–—―‒‐‑−": (4.0, 4.0, 4.0, 6.0), "•·・‧∙": (5.0, 6.0, 6.0, 8.0), "’": (4.0, 4.0, 4.0, 3.0),
    "‘ʻʼʹʿʾ׳״": (4.0, 5.0, 4.0, 5.0), "´": (6.0, 6.0, 6.0, 6.0), "“»«": (4.0, 4.0, 4.0, 14.0),
    "”›": (4.0, 4.0, 12.0, 14.0), "‹": (5.0, 5.0, 5.0, 14.0), "„‚": (6.0, 14.0, 4.0, 14.0), "…": (4.0, 3.0, 4.0, 9.0),
    "™®©℠": (5.0, 4.0, 6.0, 12.0), "°²³": (4.0, 5.0, 7.0, 9.0), "ºª": (4.0, 6.0, 7.0, 12.0),
    "¹": (4.0, 6.0, 9.0, 12.0), "½¼¾": (4.0, 8.0, 8.0, 14.0), "×÷": (5.0, 6.0, 6.0, 6.0), "µ": (5.0, 10.0, 4.0, 10.0),
    "ƒ": (10.0, 12.0, 10.0, 14.0), "€£¥¢": (5.0, 8.0, 5.0, 12.0), "¡¿": (3.0, 9.0, 3.0, 12.0),
    "§¶†‡": (5.0, 8.0, 8.0, 14.0), "¤¦¨¯¸¬‰ˇ˘˙˝˛ˆ˜": (9.0, 12.0, 12.0, 14.0), "\u00a0\u202f": (4.0, 4.0, 4.0, 6.0),
    "\u00ad": (6.0, 8.0, 8.0, 8.0), "√∫∂∑∏∆≈≤≥≠∞": (5.0, 9.0, 9.0, 14.0), "─━│┃═║": (4.0, 9.0, 9.0, 16.0),
    "\ufffd": (20.0, 20.0, 20.0, 20.0),
}  # fmt: skip

BOX: Final[Nats] = (5.0, 12.0, 12.0, 16.0)

BY_CATEGORY: Final[dict[str, Nats]] = {
    **dict.fromkeys(("Cc", "Cs", "Cn"), (20.0, 20.0, 20.0, 20.0)),
    "Cf": (3.0, 3.0, 3.0, 3.0),
    "Co": (12.0, 12.0, 12.0, 12.0),
}
"""Controls, characters that do not exist, format characters, private use."""

SPACE_AT_END: Final = 9.0
"""No-break space at the beginning or end of a word, where it keeps nothing together."""

NO_SEPARATOR: Final = 12.0
"""Nats between letters of a sign that does not separate them."""

INSIDE: Final = 5.0
"""Further cost of a sign between small letters that is no separator, and of an exponent after a word of four letters,
which is no unit."""

MARKED: Final = {
    "äéščáíóüöžāīū": 3.0, "ñàçıëå": 4.0, "òħəćĝĕâèïşêùōēûîô": 4.5, "ýãõġđą": 5.0, "ĉŝŵċęğĵìśěǎǐǒǔ": 5.5, "ńạọụịẹŋ": 6.5,
}  # fmt: skip
"""Nats of a Latin letter with a mark, about as in 37 languages of equal weight; more where the languages that have it
have a model."""

RARE_LETTER: Final = 7.5

STYLISED: Final = 7.0
"""Nats of a Greek or Cyrillic letter in place of a Latin one that it resembles."""

IN_CAPITALS: Final = 4.0
"""Nats of such a letter in a word of capitals, and of one that is drawn like the Latin one."""

STYLISED_INSIDE: Final = 12.0
"""Nats of such a capital between two small letters."""

MARK: Final = 2.0
"""Nats of a combining mark."""

WIDE, WIDE_AGAIN = 4.0, 0.3
"""Nats of the first letter of full or half width, and of each further one."""

WORD, LETTER = 3.0, 4.2
"""Nats of a word in any language with this alphabet, and of each of its letters."""

SHORT: Final = 2
"""Letters of a word that may be the mark of an item, a Roman figure or an initial."""

CHARACTER: Final = 10.0
"""Most nats of a Chinese or Korean character."""

STYLE: Final = 4 * STEP
"""Most that the case of the letters of a Latin word costs."""

_SAME_SHAPE: Final = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТХІЈЅ")

LOOKALIKES: Final = dict(zip(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧΔΛΣΞΦΩΨΓΘΠαβγδεμοπχωАВЕКМНОРСТУХІЈЅасеорухіјѕИЙЯДФШЩЦЧБГЛПЖЭЮЁЗЬЫЪЄєЇЌѢямλ",
    "ABEZHIKMNOPTYXAAEEOOYCONabydeuonxwABEKMHOPCTYXIJSaceopyxijsNNRAOWWUYBRANXEOEEBBBEeIKBrml",
    strict=True,
))  # fmt: skip
"""Greek and Cyrillic letters and the Latin ones that they are used for."""


_ODD, _BREAK = "\0", "\n"
_BROKEN: Final = re.compile("[\x80-\x9f\ufffd]")
_JOINING: Final = frozenset("’‘ʻʼʹʿʾ׳״")
_LETTERS_AS_SIGNS: Final = frozenset("ºªµƒʻʼʹʿʾ")
_EXPONENTS: Final = frozenset("²³¹ªº°")
_KANA: Final = re.compile("[\u3040-\u30ff]+")
_RUN: Final = re.compile(r"[^\W\d_]+")
_LAST_WORD: Final = re.compile(r"[^\W\d_]{4,}$")
_SIGNS_AT_END: Final = re.compile(r"[^\x00-\x7f\w]+$")
_REPEATED: Final = re.compile(r"(.{1,4}?)\1+")
_LATIN: Final = re.compile("[A-Za-z]")
_OTHER: Final = re.compile("[\u0370-\u1dff]")


def right_cost(token: str, styled: int) -> int:
    """Return the cost of a word as right text, in twelfths of a nat: plain or `styled`, whichever is less."""
    return styled if _BROKEN.search(token) else min(styled, read(token).cost + alien_cost(token))


def styled_cost(token: str, seen: set[str]) -> int:
    """Return the cost of a word by the classes of its characters, in twelfths of a nat; ASCII ones cost nothing.

    `seen` are the characters of the words before it; those of this one are added.
    """
    if token.isascii():
        return 0
    nats = 0.0
    chars, words = _styled(token)
    for char, first in chars:
        cost = WIDE_AGAIN if first == WIDE and "wide" in seen else first / AGAIN if char in seen else first
        seen.update((char, "wide") if cost == WIDE else char)
        nats += cost
    return round(nats * STEP) + words


@lru_cache(maxsize=4096)
def _styled(token: str) -> tuple[list[tuple[str, float]], int]:
    """Return the nats of each character of a word beyond ASCII, and the cost of the words that they are used for."""
    nats: list[tuple[str, float]] = []
    pieces: list[str] = []
    latin = 0 < len(_LATIN.findall(token)) >= len(_OTHER.findall(token))
    for place, char in enumerate(token):
        if char.isascii():
            pieces.append(char if char.isalpha() else _BREAK)
            continue
        first, piece = _letter(token, place, latin=latin) if _is_letter(char) else _sign(token, place)
        nats.append((char, first))
        pieces.append(piece + _ODD)
    # ASCII words that touch no other character cost nothing, as everywhere.
    odd = " ".join(part.replace(_ODD, "") for part in "".join(pieces).split(_BREAK) if _ODD in part)
    words = dict.fromkeys(_RUN.findall(unicodedata.normalize("NFKC", odd)))
    return nats, sum(map(_word_cost, words))


def _is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LM" and char not in _LETTERS_AS_SIGNS


def _letter(token: str, place: int, *, latin: bool) -> tuple[float, str]:
    """Return the nats of a letter or mark, and the letter that it counts as; `latin` for those of a Latin word."""
    char = token[place]
    if unicodedata.category(char)[0] == "M":
        return (ALIEN / STEP if latin and char >= "\u0483" else MARK), ""
    if "\uff00" < char < "\uffef":
        return WIDE, unicodedata.normalize("NFKC", char)
    small = char.lower()
    if char < "\u0250" or "\u1e00" <= char < "\u1f00":
        base = base_letter(small)
        if not base.isascii():
            return RARE_LETTER, ""
        return _marked().get(small, RARE_LETTER), base.upper() if char.isupper() else base
    if CJK_RUN.match(char):
        return 0.0, f" {char} " if latin else char
    if not latin:
        return 0.0, unicodedata.normalize("NFD", char)[0]
    alike = LOOKALIKES.get(char)
    if alike is None:
        return ALIEN / STEP, ""
    inside = _is_between_small(token, place)
    if (char in _SAME_SHAPE or token.isupper()) and not inside:
        return IN_CAPITALS, alike
    return (STYLISED_INSIDE if inside and char.isupper() else STYLISED), alike


def _is_between_small(token: str, place: int) -> bool:
    return token[max(0, place - 1) : place].islower() and token[place + 1 : place + 2].islower()


def _sign(token: str, place: int) -> tuple[float, str]:
    """Return the nats of a sign, and what it leaves of itself between letters."""
    char = token[place]
    if char in "\u00a0\u202f" and place in (0, len(token) - 1):
        return SPACE_AT_END, " "
    # Of a row of signs each stands where the row does.
    left = _SIGNS_AT_END.sub("", token[:place])[-1:].isalpha()
    right = _SIGNS_AT_END.sub("", token[:place:-1])[-1:].isalpha()
    nats = _sign_nats(char)[left + 2 * right]
    if char in _EXPONENTS and _LAST_WORD.search(token[:place]):
        nats += INSIDE
    if nats >= NO_SEPARATOR and len(token) > 4 and _is_between_small(token, place):
        nats += INSIDE
    return nats, "" if char in _JOINING else " "


@cache
def _marked() -> dict[str, float]:
    return {char: nats for chars, nats in MARKED.items() for char in chars}


@cache
def _known_signs() -> dict[str, Nats]:
    return {char: nats for chars, nats in SIGNS.items() for char in chars}


def _sign_nats(char: str) -> Nats:
    known = _known_signs().get(char)
    if known is None:
        known = BOX if "\u2500" <= char <= "\u257f" else BY_CATEGORY.get(unicodedata.category(char), SIGN)
    return known


@lru_cache(maxsize=1024)
def _word_cost(word: str) -> int:
    """Return the cost of a word in the script of its letters, in the language that suits it best."""
    word = _REPEATED.sub(r"\1\1", word)
    if len(word) <= SHORT and not CJK_RUN.match(word):
        odd_case = word[:1].islower() and word[1:].isupper()
        return round(LETTER * (len(word) - 1) * STEP) + 2 * STYLE * odd_case
    if word.isascii():
        return _latin_cost(word)
    latin = "".join(_LATIN.findall(word))
    rest = "".join(char for char in word if not char.isascii())
    return min(read(word).cost, _script_cost(rest) + (_word_cost(latin) if latin else 0))


def _latin_cost(word: str) -> int:
    raw = word.encode()
    every = models.in_use()
    codes = [language.code for language in LANGUAGES.values() if language.script == "latin"]
    numbers = [(code, raw.translate(ascii_numbers(code)).replace(b"\0", b"")) for code in codes]
    # Of sixty word lists, one has any word by the chance of its hash; so only that of English counts.
    spelled = min(every.letters(code).spelled(letters) for code, letters in numbers)
    known = every.letters("en").cost(raw.translate(ascii_numbers("en")))
    return min(spelled, known, _any_word(word)) + min(STYLE, class_cost(raw, classes("cp1252")))


def _any_word(word: str) -> int:
    return round((WORD + LETTER * len(word)) * STEP)


def _script_cost(word: str) -> int:
    """Return the cost of letters that no model suits."""
    if CJK_RUN.search(word) and not _KANA.fullmatch(word):
        distinct = len(set(word))
        return round(CHARACTER * (distinct + (len(word) - distinct) / AGAIN) * STEP)
    changes = sum(before.islower() and after.isupper() for before, after in pairwise(word))
    changes += word[:2].isupper() and word[2:].islower()
    return _any_word(word) + 2 * STYLE * changes
