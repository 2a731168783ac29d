"""Alignment of a damaged text with the right one: which words, runs and characters became which."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

LONGEST_TEXT: Final = 512
"""Characters of a text that is aligned; the words of longer ones occur in shorter ones too."""

LONGEST_WORD: Final = 64

_LONGEST_COMPARED: Final = 256
"""Characters of two texts that differ in more than words; the time of the comparison grows with their product."""

_WORD: Final = re.compile(r"[0-9A-Za-z?\x7f-\U0010ffff]+")
"""The characters between ASCII spaces and signs. A no-break space may be half of a damaged letter."""

_ODD: Final = re.compile(r"[^\x00-\x7f]|(?<=\w)\?(?=\w)|\?(?=[^\W\d_])")
_RUN: Final = re.compile(r"(?:[^\x00-\x7f]|(?<=\w)\?(?=\w)|\?(?=[^\W\d_]))+")

_UTF8_PIECE: Final = re.compile(r"[\xc2-\xf4][^\x00-\x7f\xc2-\xf4]*|.", re.DOTALL)
"""The remains of a UTF-8 character that was decoded as Latin-1 or cp1252: its first byte and the bytes that were not
lost."""

Key = tuple[str, ...]
"""The key of an entry: ``("word", word)``, ``("run", damage, run)`` or ``("char", damage, piece)``."""


def words(text: str) -> list[re.Match[str]]:
    """Return the words of a text with characters beyond ASCII, or with a question mark where no question ends."""
    return [word for word in _WORD.finditer(text) if _ODD.search(text, word.start(), word.end())]


def runs(word: str) -> list[re.Match[str]]:
    """Return the longest damaged parts of a word."""
    return list(_RUN.finditer(word))


def pieces(run: str, damage: str) -> list[str]:
    """Return the characters of a run: the remains of UTF-8 sequences, or single characters."""
    return _UTF8_PIECE.findall(run) if "utf-8" in damage else list(run)


def aligned(before: str, after: str, damage: str) -> Iterator[tuple[Key, str]]:
    """Align a text and its damaged words with the right text; runs where more than words differ.

    Yields:
        Keys with their substitutes. Unchanged parts are included, as evidence against changing them elsewhere.
    """
    if len(before) > LONGEST_TEXT or len(after) > LONGEST_TEXT:
        return
    pairs = _word_pairs(before, after)
    if len(before) <= LONGEST_WORD and _ODD.search(before) and (before, after) not in pairs:
        yield ("word", before), after
    for word, right in pairs:
        if len(word) <= LONGEST_WORD and len(right) <= LONGEST_WORD and _ODD.search(word):
            yield ("word", word), right
    if not pairs and len(before) + len(after) <= _LONGEST_COMPARED:
        # More than words differ.
        for tag, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            run, became = before[start:end], after[first:last]
            if tag == "replace" and _RUN.fullmatch(run) and len(run) <= LONGEST_WORD and len(became) <= LONGEST_WORD:
                yield ("run", damage, run), became


def _word_pairs(before: str, after: str) -> list[tuple[str, str]]:
    """Return the words of both texts in pairs; none if more than words differ."""
    if _WORD.sub("w", before) != _WORD.sub("w", after):
        return []
    return list(zip(_WORD.findall(before), _WORD.findall(after), strict=True))


def within(word: str, right: str, damage: str) -> Iterator[tuple[Key, str]]:
    """Align the runs and characters of a word.

    A text of several words yields nothing: its words do.

    Yields:
        As `aligned` does.
    """
    for run, became in _run_pairs(word, right) if _WORD.fullmatch(word) else ():
        parts = pieces(run.group(), damage)
        if len(parts) > 1 and run.group() != word:
            yield ("run", damage, run.group()), became
        if len(parts) == len(became):
            yield from ((("char", damage, part), char) for part, char in zip(parts, became, strict=True))


def _run_pairs(word: str, right: str) -> list[tuple[re.Match[str], str]]:
    """Return the runs of a word with the text between the same ASCII letters; none if those differ."""
    found = runs(word)
    ends = [0, *(end for run in found for end in run.span()), len(word)]
    plain = [word[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]
    if not right.startswith(plain[0]) or not right.endswith(plain[-1]):
        return []
    last = len(right) - len(plain[-1])
    spans = [(0, len(plain[0]))]
    for part in plain[1:-1]:
        start = right.find(part, spans[-1][1] + 1, last)
        if start < 0:
            return []
        spans.append((start, start + len(part)))
    spans.append((last, len(right)))
    became = [right[left[1] : next_[0]] for left, next_ in pairwise(spans)]
    return list(zip(found, became, strict=True)) if all(became) else []
