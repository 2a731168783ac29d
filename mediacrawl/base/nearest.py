"""The nearest known name to one that was mistyped: of arguments, settings, values and commands."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

CUTOFF = 0.6
"""Least likeness, 0 to 1, of a name that is worth suggesting (`difflib.get_close_matches`, whose default this is)."""


def nearest(word: str, known: Iterable[str], cutoff: float = CUTOFF) -> str:
    """The known name that is most like a word, in any case; empty if none is alike."""
    by_case = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold(), by_case, 1, cutoff)
    return by_case[found[0]] if found else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that suggests the nearest name: ``; did you mean seed?``, or nothing."""
    name = nearest(word, known)
    return f"; did you mean {name}?" if name else ""
