"""How well the characters beyond ASCII in a record support a route, by their number and places.

The prices of words are inexact, and one wrong price must not change a correct text. So a route costs more the fewer
characters support it. A repeated word counts once: its price is as inexact each time.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, compress, takewhile
from typing import Final

from mediacrawl.encoding.codepages import STEP
from mediacrawl.encoding.mojibake.routes import StoredRecord
from mediacrawl.encoding.pricing.reading import WORD
from mediacrawl.encoding.pricing.signs import is_clean_sign

ENOUGH_WORDS: Final = 5
"""A record with more different words than this identifies the language."""

FEW_LETTERS: Final = (14 * STEP, 6 * STEP, 4 * STEP, 2 * STEP, STEP)
"""Surcharge of a route by the number of characters beyond ASCII that support it."""

FEW_IN_WORDS: Final = (14 * STEP, 4 * STEP, 3 * STEP, 2 * STEP, STEP)
"""The same if each of them is inside a word, whose spelling is evidence too. Of 2,654 correct titles these values
change none, without hints or with the language of the page."""

IN_WORD: Final = 3
"""Least number of ASCII letters of such a word."""


def few_surcharge(stored: StoredRecord) -> int:
    """The surcharge of a route that few characters support; half as much where other words identify the language.

    Returns:
        The cost, in twelfths of a nat.
    """
    letters = 0
    surcharges = FEW_IN_WORDS
    for text, place in _evidence(stored):
        letters += 1
        if letters == len(FEW_LETTERS):
            return 0
        if not _is_in_word(text, place):
            surcharges = FEW_LETTERS
    words = {word.casefold() for text in stored.fields for word in WORD.findall(text)}
    return surcharges[letters] // (2 if len(words) > ENOUGH_WORDS else 1)


def _evidence(stored: StoredRecord) -> Iterator[tuple[str, int]]:
    """Yield the characters that are evidence: each with its text and its place there."""
    for text in compress(stored.odd, stored.counts):
        for place, char in enumerate(text):
            if char > "\x7f" and _is_evidence(text, place):
                yield text, place


def _is_in_word(text: str, place: int) -> bool:
    """Whether the letters next to a character, up to the next blank or sign, include `IN_WORD` ASCII ones."""
    before = takewhile(str.isalpha, reversed(text[:place]))
    after = takewhile(str.isalpha, text[place + 1 :])
    return sum(map(str.isascii, chain(before, after))) >= IN_WORD


def _is_evidence(text: str, place: int) -> bool:
    """Whether a character beyond ASCII is evidence: a letter, or a sign where correct text has none."""
    char = text[place]
    if char == "\ufffd":
        # Inside a word it is a lost letter.
        return text[max(0, place - 1) : place].isalpha() and text[place + 1 : place + 2].isalpha()
    if (char.isalpha() and char not in "ªº") or not is_clean_sign(text, place):
        return True
    # At the end of a word DOS and Mac encodings have accented letters in its place.
    before = text[max(0, place - 1) : place]
    return before.isascii() and before.islower()
