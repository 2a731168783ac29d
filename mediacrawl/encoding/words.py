"""From running text to what the models count: words in the letters of a language, and lines of characters."""

# ruff: noqa: RUF001 - typographic signs and national letters are what this file is about
from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from mediacrawl.encoding.languages import LANGUAGES, Language

TONES = "\u0300\u0301\u0303\u0309\u0323"
_TONES = frozenset(TONES)
_TURKIC = str.maketrans("Iİ", "ıi")


def lower(text: str, code: str) -> str:
    """Lower case by the rules of the language: Turkish and Azerbaijani have a dotless i."""
    if code in ("tr", "az"):
        text = text.translate(_TURKIC)
    return text.lower()


def toned(text: str) -> str:
    """Vietnamese as cp1258 writes it: the five tone marks after their vowel, all other marks within the letter."""
    return "".join(map(_toned, text)) if not text.isascii() else text


@cache
def _toned(char: str) -> str:
    parts = unicodedata.normalize("NFD", char)
    tones = "".join(part for part in parts if part in _TONES)
    if not tones:
        return char
    return unicodedata.normalize("NFC", "".join(part for part in parts if part not in _TONES)) + tones


_WORD = re.compile(r"[^\W\d_]+(?:[\u0300-\u036f\u0591-\u06ed\u0900-\u0e4e·‘]+[^\W\d_]*)*")
"""Letters, with the marks that some scripts write between them."""


@cache
def _folds(code: str) -> dict[int, str]:
    folds = LANGUAGES[code].folds if code in LANGUAGES else ""
    return {ord(folds[i]): folds[i + 1] for i in range(0, len(folds), 2)}


def words(lines: Iterable[str], language: Language) -> Iterator[str]:
    """The words of running text, in lower case, folded to the letters of the language.

    Words with other letters are left out.
    """
    letters = frozenset(language.letters)
    folds = _folds(language.code)
    for line in lines:
        for word in _WORD.findall(lower(line, language.code)):
            folded = word.translate(folds) if folds else word
            if language.code == "vi":
                folded = toned(folded)
            if letters.issuperset(folded):
                yield folded
