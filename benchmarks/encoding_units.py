"""The titles of `titles/` as bytes, and how a reading of them is scored.

A unit is one field, or the three fields of one row, in one encoding that its language was written in. A unit is right
if every character is right, and wrong otherwise; texts are compared in the normal form NFC.
"""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

TITLES = Path(__file__).parent / "titles"
TUNED, HELD_OUT = 0, 1
"""Rows by their place in the file: the constants were tuned on the even ones (0, 2, ...); the odd ones are reported."""

WEIGHTS = {
    "cp1251": 31.0, "gb18030": 11.0, "cp932": 9.0, "utf_8": 7.0, "cp949": 7.0, "cp1250": 6.5, "cp950": 5.5,
    "cp1256": 4.5, "cp1253": 3.0, "cp1255": 2.7, "cp1254": 2.7, "cp874": 2.7,
}  # fmt: skip
"""How common each encoding is among files that are tagged wrongly, in percent: a judgement, not a measurement."""
WEIGHT_OF_REST = 6.0
"""All other encodings together, but cp1252: what is declared is no wrong tag, and is counted apart."""

WEST = ("cp1252", "mac_roman", "cp850", "utf_8")
CENTRAL = ("cp1250", "iso8859_2", "cp852", "mac_latin2", "utf_8")
BALTIC = ("cp1257", "iso8859_13", "iso8859_4", "cp775", "utf_8")
ENCODINGS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(["de", "es", "pt", "it", "nl", "sv", "no", "da", "is", "ca", "gl", "ga", "eu", "af"], WEST),
    **dict.fromkeys(("fr", "fi"), (*WEST, "iso8859_15")),
    **dict.fromkeys(("en", "id"), ("cp1252", "utf_8")),
    **dict.fromkeys(["pl", "cs", "sk", "hu", "sl", "hr", "ro", "bs", "sr-Latn"], CENTRAL),
    "sq": ("cp1250", "cp1252", "utf_8"),
    **dict.fromkeys(("lt", "lv", "et"), BALTIC),
    "tr": ("cp1254", "mac_turkish", "cp857", "utf_8"),
    "vi": ("cp1258", "utf_8"),
    "ru": ("cp1251", "koi8_r", "cp866", "mac_cyrillic", "iso8859_5", "utf_8"),
    "uk": ("cp1251", "koi8_u", "cp1125", "mac_cyrillic", "iso8859_5", "utf_8"),
    "be": ("cp1251", "cp866", "mac_cyrillic", "iso8859_5", "utf_8"),
    "bg": ("cp1251", "mac_cyrillic", "iso8859_5", "cp866", "utf_8"),
    **dict.fromkeys(("sr", "mk"), ("cp1251", "mac_cyrillic", "iso8859_5", "utf_8")),
    "kk": ("kz1048", "utf_8"),
    "el": ("cp1253", "iso8859_7", "cp737", "utf_8"),
    "he": ("cp1255", "cp862", "utf_8"),
    "ar": ("cp1256", "iso8859_6", "utf_8"),
    **dict.fromkeys(("fa", "ur"), ("cp1256", "utf_8")),
    "th": ("cp874", "utf_8"),
    "ja": ("cp932", "euc_jp", "utf_8"),
    "ko": ("cp949", "utf_8"),
    "zh-Hans": ("gb18030", "utf_8"),
    "zh-Hant": ("cp950", "utf_8"),
    **dict.fromkeys(["ka", "hy", "hi", "az", "eo", "mt", "cy"], ("utf_8",)),
}  # fmt: skip
"""Encodings that each language was written in, most common first."""

FIRST_ON_HOST = 10
"""Fields from which a host is learned before the rest of it is counted."""
TONES = frozenset("\u0300\u0301\u0303\u0309\u0323")


@dataclass(frozen=True, slots=True)
class Unit:
    """Texts that are decided together, and their bytes.

    Attributes:
        language: of all of them.
        encoding: they were written in, as a Python codec name.
        texts: what is right.
        raws: what is read.
    """

    language: str
    encoding: str
    texts: tuple[str, ...]
    raws: tuple[bytes, ...]

    @property
    def is_western(self) -> bool:
        """Whether it is cp1252 of a Western language: what is declared is right, or as good as right."""
        return self.encoding == ENCODINGS[self.language][0] == "cp1252"

    def is_right(self, texts: Sequence[str]) -> bool:
        """Whether these are its texts."""
        return same(texts, self.texts)


def same(texts: Sequence[str], others: Sequence[str]) -> bool:
    return list(map(normal, texts)) == list(map(normal, others))


def normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)


@cache
def rows(half: int | None) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Language and the three texts of each row.

    Args:
        half: `TUNED`, `HELD_OUT`; None for all.
    """
    found = []
    for path in sorted(TITLES.glob("*.tsv")):
        for place, line in enumerate(path.read_text(encoding="utf-8").splitlines()):
            if half is None or place % 2 == half:
                found.append((path.stem, tuple(line.split("\t"))))
    return tuple(found)


@cache
def texts_of(half: int | None) -> tuple[tuple[str, str], ...]:
    """Language and text of each field, none twice."""
    return tuple(dict.fromkeys((language, text) for language, row in rows(half) for text in row))


@cache
def shaped_texts(half: int | None) -> tuple[tuple[str, str], ...]:
    """Language and text of titles that are right, with signs, no-break spaces and capitals where mojibake has them.

    Args:
        half: of the lines, as in `rows`. The language ``xx`` stands for titles of signs alone.
    """
    lines = (TITLES / "shapes.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    found = [tuple(line.split("\t")) for place, line in enumerate(lines) if half is None or place % 2 == half]
    return tuple((language, text) for language, text in found)


def encoded(text: str, encoding: str) -> bytes | None:
    """The text's bytes; None if the encoding does not have all of its characters."""
    try:
        return (_toned(text) if encoding == "cp1258" else text).encode(encoding)
    except UnicodeEncodeError:
        return None


def _toned(text: str) -> str:
    """Vietnamese as cp1258 writes it: tones are characters of their own, all other marks stay with the letter."""
    return "".join(map(_toned_letter, text))


def _toned_letter(char: str) -> str:
    parts = unicodedata.normalize("NFD", char)
    tones = "".join(part for part in parts if part in TONES)
    if not tones:
        return char
    return unicodedata.normalize("NFC", "".join(part for part in parts if part not in TONES)) + tones


@cache
def units(kind: str, half: int = HELD_OUT) -> tuple[Unit, ...]:
    """All units of a kind that are not ASCII, none twice.

    Args:
        kind: ``field`` or ``record``.
        half: of the titles.
    """
    groups: Iterable[tuple[str, tuple[str, ...]]] = rows(half)
    if kind == "field":
        groups = [(language, (text,)) for language, text in texts_of(half)]
    return tuple(dict.fromkeys(unit for language, texts in groups for unit in _written(language, texts)))


def _written(language: str, texts: tuple[str, ...]) -> Iterator[Unit]:
    for encoding in ENCODINGS[language]:
        raws = tuple(raw for text in texts if (raw := encoded(text, encoding)) is not None)
        if len(raws) == len(texts) and not all(raw.isascii() for raw in raws):
            yield Unit(language, encoding, texts, raws)


def ascii_units(kind: str) -> tuple[Unit, ...]:
    """Units that are ASCII, which nothing may change; of both halves."""
    groups = [(language, (text,)) for language, text in texts_of(None)] if kind == "field" else rows(None)
    return tuple(
        Unit(language, "ascii", texts, tuple(text.encode() for text in texts))
        for language, texts in groups
        if all(text.isascii() for text in texts)
    )


def one_encoding_each(seed: int) -> list[Unit]:
    """Every field of both halves once, in one of its encodings, shuffled: a stream in which no text comes twice."""
    rng = random.Random(seed)
    chosen = []
    for language, text in texts_of(None):
        written = list(_written(language, (text,)))
        if written:
            chosen.append(rng.choice(written))
    rng.shuffle(chosen)
    return chosen


@dataclass(slots=True)
class Score:
    """Units right and in all: for each language and encoding, and of Western cp1252."""

    cells: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    western: list[int] = field(default_factory=lambda: [0, 0])

    @classmethod
    def of(cls, units: Iterable[Unit], marks: Iterable[bool]) -> Score:
        """Of units, and whether each is right."""
        score = cls()
        for unit, mark in zip(units, marks, strict=True):
            score.add(unit, mark)
        return score

    def add(self, unit: Unit, mark: bool) -> None:
        """One more unit, and whether it is right."""
        cell = self.cells.setdefault((unit.language, unit.encoding), [0, 0])
        for count in (cell, self.western) if unit.is_western else (cell,):
            count[0] += mark
            count[1] += 1

    @property
    def macro(self) -> float:
        """Percent right, the mean over all cells."""
        return mean_of(self.cells.values())

    @property
    def weighted(self) -> float:
        """Percent right in a mix of encodings by `WEIGHTS`; cp1252 is not in it."""
        encodings = sorted({encoding for _, encoding in self.cells} - {"cp1252"})
        pooled = {encoding: self._pooled(encoding) for encoding in encodings}
        rest = [encoding for encoding in pooled if encoding not in WEIGHTS]
        weights = {encoding: WEIGHTS.get(encoding, WEIGHT_OF_REST / max(1, len(rest))) for encoding in pooled}
        total = sum(weights.values())
        return sum(weights[encoding] * share for encoding, share in pooled.items()) / total if total else 0.0

    @property
    def western_changed(self) -> float:
        """Percent of Western cp1252 that is another text than it should be."""
        return 100 - mean_of([self.western]) if self.western[1] else 0.0

    def _pooled(self, encoding: str) -> float:
        cells = [cell for (_, other), cell in self.cells.items() if other == encoding]
        return 100 * sum(cell[0] for cell in cells) / sum(cell[1] for cell in cells)


def mean_of(cells: Iterable[Sequence[int]]) -> float:
    shares = [right / count for right, count in cells]
    return 100 * sum(shares) / len(shares) if shares else 0.0
