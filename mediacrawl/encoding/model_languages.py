"""The languages in the index of a model file, and the check of a user's own language."""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from mediacrawl.encoding.codepages import MULTIBYTE
from mediacrawl.encoding.languages import ENCODING_WEIGHTS, Language

MOST_LETTERS: Final = 119
"""Letters that an alphabet may have; its trigrams then take 1.7 MB."""

CODE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
"""The form of a language's code: BCP 47, as far as it is needed."""

MOST_WEIGHT: Final = 1000.0

_EIGHT_BIT: Final = ENCODING_WEIGHTS.keys() - MULTIBYTE - {"utf-8"}

PAGES: Final = tuple(sorted(_EIGHT_BIT, key=lambda page: (-ENCODING_WEIGHTS[page], page)))
"""The 8-bit code pages that can be detected, most common first."""

_CODECS: Final = {codecs.lookup(page).name: page for page in PAGES}
_CODECS["iso8859-1"] = "cp1252"
"""Python's names of these code pages; cp1252 has all letters of ISO-8859-1, in the same places."""


def page_named(name: str) -> str:
    """The name of an 8-bit code page in `PAGES`; an unknown name is returned as it is.

    Args:
        name: any that Python knows: ``windows-1251``, ``ISO-8859-2``, ``latin1``.
    """
    try:
        return _CODECS.get(codecs.lookup(name).name, name)
    except (LookupError, ValueError):
        return name


def index_entry(language: Language) -> dict[str, Any]:
    """The description of a language in the index of a model file."""
    names = ("script", "letters", "encodings", "weight", "tlds", "codes", "folds")
    return {name: getattr(language, name) for name in names}


def language_of(code: str, entry: Mapping[str, Any]) -> Language | None:
    """A language from the index of a file; None if the entry is invalid."""
    try:
        language = Language(
            code,
            script=str(entry["script"]),
            letters=str(entry["letters"]),
            encodings=tuple(map(str, entry["encodings"])),
            weight=float(entry["weight"]),
            tlds=tuple(map(str, entry["tlds"])),
            codes=tuple(map(str, entry["codes"])),
            folds=str(entry["folds"]),
        )
    except (LookupError, TypeError, ValueError):
        return None
    return None if faults(language) else language


def faults(language: Language) -> str:
    """The first fault of a user's own language, as a sentence; empty if there is none."""
    letters = language.letters
    if fault := code_fault(language.code):
        return fault
    if language.script == "cjk" or not letters:
        return "Chinese, Japanese and Korean are modelled by characters, which the bundled models do already."
    if len(set(letters)) < len(letters) or letters != letters.lower() or len(letters) > MOST_LETTERS:
        return f"An alphabet is at most {MOST_LETTERS} different letters in lower case."
    for page in language.encodings:
        if page not in PAGES:
            return f"The program knows no 8-bit encoding {page!r}; it knows {', '.join(PAGES)}."
    if not language.encodings and _own_bytes(letters) > MOST_LETTERS:
        return f"Without an 8-bit encoding, letters beyond ASCII and their capitals are at most {MOST_LETTERS}."
    if not (math.isfinite(language.weight) and 0 < language.weight <= MOST_WEIGHT):
        return f"The weight is a number above 0 and up to {MOST_WEIGHT:g}."
    return "" if len(language.folds) % 2 == 0 else "Folds come in pairs of letters."


def code_fault(code: str) -> str:
    """The fault of a language's code, as a sentence; empty if it is valid."""
    return "" if CODE.fullmatch(code) else f"{code!r} is no code of a language; it looks like ru, pt-BR or sr-Latn."


def _own_bytes(letters: str) -> int:
    """Number of bytes that the letters beyond ASCII and their capitals take, one each."""
    return sum(
        1 + (letter.upper() != letter and len(letter.upper()) == 1) for letter in letters if not letter.isascii()
    )
