"""Typographic signs behind letters: the cost of UTF-8 that they may be by chance.

Clean text can be valid UTF-8 by chance: the cp1252 bytes of ``NESTLÉ®`` read as an IPA letter. A letter with a mark
that typographic signs follow at the end of a word is ordinary text, so that its bytes are valid UTF-8 is weak evidence.
UTF-8 mostly reads such bytes as a letter that no language here uses, or as the only one of its script in the text.
"""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import re
from functools import cache
from typing import Final

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.languages import LANGUAGES

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

FEW: Final = 2
"""Up to so many sequences may be chance even if one of them is not ordinary text."""

_SEQUENCE: Final = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf][\x80-\xbf][\x80-\xbf]"
)

_GLUED: Final = re.compile(r"(?<![A-Za-z])[A-Za-z]++(?=[^\x00-\u0100\s])")
_OPENING: Final = frozenset("“‘«„‚¿¡‹")
_BETWEEN_WORDS: Final = frozenset("…–—\u00a0")

_TITLE_SIGNS: Final = frozenset("“”‘’„‚«»‹›…–—™®©°ªº²³¹½¼¾×£€¡¿¬´·•†∞ \u00a0")
"""Signs that follow a letter, or each other, in titles."""

_AFTER_FIGURES: Final = frozenset("ªº²³¹½¼¾¿¡")
"""Signs that do not follow a small letter."""

_AFTER_A_TILDE: Final = frozenset("™…’”®")
"""Signs that follow ``Ã`` in ordinary text; most others are the second byte of a small letter in UTF-8."""

_OPENING_SIGNS: Final = frozenset("“‘«„¿¡")
_EXPONENTS: Final = frozenset("²³")
_CLOSING: Final = frozenset("“”’»…™®©°´\u00a0")

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
    # No model prices ASCII letters in words with letters of another script.
    glued = LETTER * len("".join(_GLUED.findall(text))) if odd else 0
    return ORDINARY + odd + (CASE if _ends_small(text) else 0) + glued


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
