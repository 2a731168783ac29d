"""Texts as they are stored after somebody read them wrongly, in groups by what was done to them.

A group's score is the mean over languages of the share that comes back exactly. What the damage does not touch is left
out.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from encoding_units import ENCODINGS, HELD_OUT, encoded, rows, same, texts_of

GROUPS = {
    "lossless": "the code page that most of the language's texts were in, read as Latin-1 or cp1252",
    "rare": "the other code pages of the language, read so",
    "utf8": "UTF-8 read so",
    "double": "UTF-8 or the main code page read so, and that once more in UTF-8",
    "lossy": "the main code page read as cp1252; bytes that it does not define are dropped, or are ? or U+FFFD",
    "utf8-lossy": "the same for UTF-8; or no-break spaces became plain ones",
    "clean": "nothing is wrong",
}
"""What was done to the texts. Of the groups that lose something, only texts that do."""

LOSSY = ("lossy", "utf8-lossy")

Damage = Callable[[str], str | None]


@dataclass(frozen=True, slots=True)
class Wreck:
    """The texts of a record as they are stored, and as they were.

    Attributes:
        language: of all of them.
        stored: what is to be mended.
        texts: what is right.
        untouched: nothing was wrong; the texts must come back as they are, not only in the same normal form.
    """

    language: str
    stored: tuple[str, ...]
    texts: tuple[str, ...]
    untouched: bool = False

    def is_right(self, texts: Sequence[str]) -> bool:
        """Whether these are the texts that were meant."""
        if self.untouched:
            return list(texts) == list(self.texts)
        return same(texts, self.texts)


def latin(raw: bytes) -> str:
    return raw.decode("latin-1")


def windows(raw: bytes) -> str:
    """cp1252 as browsers read it: the five bytes that it does not define are C1 controls."""
    return "".join(char if (char := bytes((byte,)).decode("cp1252", "ignore")) else chr(byte) for byte in raw)


def dropped(raw: bytes) -> str:
    return raw.decode("cp1252", "ignore")


def replaced(raw: bytes) -> str:
    return raw.decode("cp1252", "replace")


def questioned(raw: bytes) -> str:
    return replaced(raw).replace("\ufffd", "?")


def spaced(raw: bytes) -> str:
    return windows(raw).replace("\xa0", " ")


WHOLE = (latin, windows)
LOSING = (dropped, questioned, replaced)


def misread(encoding: str, reading: Callable[[bytes], str]) -> Damage:
    def damage(text: str) -> str | None:
        raw = encoded(text, encoding)
        return None if raw is None else reading(raw)

    return damage


def then(first: Damage, second: Damage) -> Damage:
    def damage(text: str) -> str | None:
        between = first(text)
        return None if between is None else second(between)

    return damage


def code_pages(language: str) -> list[str]:
    """Encodings of the language that are neither Latin-1 nor UTF-8."""
    return [encoding for encoding in ENCODINGS[language] if encoding not in ("cp1252", "utf_8")]


def main_page(language: str) -> list[str]:
    """The encoding that most of the language's texts were in, unless it is Latin-1."""
    return code_pages(language)[:1] if ENCODINGS[language][0] not in ("cp1252", "utf_8") else []


def damages(group: str, language: str) -> Iterator[Damage]:
    main = main_page(language)
    if group == "lossless":
        yield from (misread(page, reading) for page in main for reading in WHOLE)
    elif group == "rare":
        rest = [page for page in code_pages(language) if page not in main]
        yield from (misread(page, reading) for page in rest for reading in WHOLE)
    elif group == "utf8":
        yield from (misread("utf_8", reading) for reading in WHOLE)
    elif group == "double":
        pairs = [(page, reading) for page in ("utf_8", *main) for reading in WHOLE]
        yield from (then(misread(page, reading), misread("utf_8", reading)) for page, reading in pairs)
    elif group == "lossy":
        yield from (misread(page, reading) for page in main for reading in LOSING)
    elif group == "utf8-lossy":
        yield from (misread("utf_8", reading) for reading in (*LOSING, spaced))


@cache
def wrecks(group: str, kind: str, half: int | None = HELD_OUT) -> tuple[Wreck, ...]:
    """All records, or fields, of a group, in an order in which any beginning is a fair sample of all languages.

    Args:
        group: of `GROUPS`.
        kind: ``field`` or ``record``.
        half: of the titles, see `encoding_units.rows`.
    """
    groups = [(language, (text,)) for language, text in texts_of(half)] if kind == "field" else list(rows(half))
    if group == "clean":
        return in_turn([Wreck(language, texts, texts, untouched=True) for language, texts in groups])
    found = [wreck for language, texts in groups for wreck in _damaged(group, language, texts)]
    return in_turn(list(dict.fromkeys(found)))


def _damaged(group: str, language: str, texts: tuple[str, ...]) -> Iterator[Wreck]:
    whole = _whole_readings(language, texts) if group in LOSSY else ()
    for damage in damages(group, language):
        stored = tuple(after for text in texts if (after := damage(text)) is not None)
        if len(stored) == len(texts) and not same(stored, texts) and stored not in whole:
            yield Wreck(language, stored, texts)


def _whole_readings(language: str, texts: tuple[str, ...]) -> list[tuple[str | None, ...]]:
    """What becomes of the texts where nothing is lost."""
    pages = ("utf_8", *code_pages(language))
    return [tuple(map(misread(page, reading), texts)) for page in pages for reading in WHOLE]


def in_turn(wrecks: list[Wreck]) -> tuple[Wreck, ...]:
    """Languages in turn, those of each shuffled."""
    of_language: dict[str, list[Wreck]] = {}
    for wreck in wrecks:
        of_language.setdefault(wreck.language, []).append(wreck)
    for language, some in of_language.items():
        random.Random(language).shuffle(some)
    turns = itertools.zip_longest(*of_language.values())
    return tuple(wreck for turn in turns for wreck in turn if wreck is not None)


def sampled(wrecks: Sequence[Wreck], most: int) -> list[Wreck]:
    """The first so many of each language."""
    taken: Counter[str] = Counter()
    chosen = []
    for wreck in wrecks:
        taken[wreck.language] += 1
        if taken[wreck.language] <= most:
            chosen.append(wreck)
    return chosen
