"""Makes the bundled models: ``make_models.py FOLDER MODELS``, from the text in this folder (``make models``).

Sources and licences: ``docs/models.md``. Chinese, Japanese and Korean are exact unigrams and bigrams of characters; in
hashed tables without fingerprints, collisions make the wrong language look good. The alphabetic languages are made as a
user's own are. Nothing depends on order, hash seed or time.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.languages import LANGUAGES, Language, words
from mediacrawl.encoding.training import cost, deltas, word_block

BIGRAMS = 60_000
"""Character pairs of a language that are kept: those that save the most nats over the back-off."""


class CharacterCounts:
    """Counts of characters and of their pairs, from lines of Chinese, Japanese or Korean."""

    def __init__(self) -> None:
        self.unigrams: defaultdict[str, float] = defaultdict(float)
        self.bigrams: defaultdict[tuple[str, str], float] = defaultdict(float)

    def add(self, run: str, weight: float = 1.0) -> None:
        """Count a run of characters without a gap; a blank stands for what precedes its first."""
        last = " "
        for char in run:
            self.unigrams[char] += weight
            self.bigrams[last, char] += weight
            last = char

    def tables(self, smoothing: float, repertoire: int) -> CharacterTables:
        """Return the costs of characters, pairs and back-offs; encodings can write `repertoire` characters."""
        total = sum(self.unigrams.values()) + smoothing * repertoire
        chars = sorted(self.unigrams, key=lambda char: (-self.unigrams[char], char))
        one = {char: (self.unigrams[char] + smoothing) / total for char in chars}
        rows: dict[str, dict[str, float]] = defaultdict(dict)
        for (first, second), n in self.bigrams.items():
            rows[first][second] = n
        kept, gaps = _worthy(rows, one)
        number = {char: i + 1 for i, char in enumerate(chars)}
        number[" "] = 0
        pairs = sorted((number[a] * (len(chars) + 1) + number[b], cost(p)) for (a, b), p in kept.items())
        return CharacterTables(
            chars="".join(chars),
            unigrams=bytes((0, *(cost(one[char]) for char in chars))),
            gaps=bytes(gaps.get(char, 0) for char in (" ", *chars)),
            unseen=cost(smoothing / total),
            pairs=pairs,
        )


@dataclass(frozen=True, slots=True)
class CharacterTables:
    """A model by characters, as `mediacrawl.encoding.models` stores it."""

    chars: str
    unigrams: bytes
    gaps: bytes
    unseen: int
    pairs: list[tuple[int, int]]


def _worthy(
    rows: dict[str, dict[str, float]], one: dict[str, float]
) -> tuple[dict[tuple[str, str], float], dict[str, int]]:
    """Return the pairs that are kept, with their probability, and for each first character the cost of backing off."""
    gains = []
    for first, row in rows.items():
        different = len(row)
        total = sum(row.values()) + different
        for second, n in row.items():
            p = (n + different * one[second]) / total
            back = different / total * one[second]
            gains.append((n * (math.log(p) - math.log(back)), first, second, p))
    gains.sort(key=lambda gain: (-gain[0], gain[1], gain[2]))
    kept = {(first, second): p for _, first, second, p in gains[:BIGRAMS]}
    mass: defaultdict[str, float] = defaultdict(float)
    covered: defaultdict[str, float] = defaultdict(float)
    for (first, second), p in kept.items():
        mass[first] += p
        covered[first] += one[second]
    gaps = {first: cost(max(1e-6, 1 - mass[first]) / max(1e-6, 1 - covered[first])) for first in mass}
    return kept, gaps


ALSO: Final = {
    "zh-Hant": ("zh-Hant", "zh-HK", "yue"),
    "hr": ("hr", "bs", "sr-Latn"),
    "no": ("no", "nn"),
    "id": ("id", "ms"),
}
"""Corpora of one model: their spelling is nearly the same."""

COUNTRIES: Final = {
    "ru": "RU BY KZ", "uk": "UA", "be": "BY", "bg": "BG", "mk": "MK", "sr": "RS", "el": "GR CY", "he": "IL",
    "ar": "EG MA DZ TN JO IQ SA LB",
    "fa": "IR", "th": "TH", "ja": "JP", "ko": "KR", "zh-Hans": "CN SG", "zh-Hant": "TW HK", "vi": "VN", "tr": "TR",
    "az": "AZ", "pl": "PL",
    "cs": "CZ", "sk": "SK", "hu": "HU", "sl": "SI", "hr": "HR BA RS ME", "ro": "RO MD", "sq": "AL XK", "lt": "LT",
    "lv": "LV", "et": "EE",
    "de": "DE AT CH", "fr": "FR BE CH CA", "es": "ES MX AR CL CO PE VE", "pt": "PT BR", "it": "IT", "nl": "NL BE",
    "sv": "SE", "no": "NO",
    "da": "DK", "fi": "FI", "is": "IS", "ca": "AD", "ga": "IE", "en": "US GB AU NZ IE CA", "ka": "GE", "hy": "AM",
    "kk": "KZ", "mt": "MT",
}  # fmt: skip

HANGUL_OR_HAN: Final = re.compile(r"[\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]+")

REPERTOIRE: Final = {"ja": 6879, "ko": 8200, "zh-Hans": 7500, "zh-Hant": 13100}
"""Number of characters in the language's old encodings (JIS X 0208, KS X 1001, GB 2312 and some, Big5)."""


def _gz_lines(path: Path) -> Iterator[str]:
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from file


@cache
def _names(path: Path) -> list[tuple[str, str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["country"], row["local"], row["romanized"]) for row in csv.DictReader(file, delimiter="\t")]


def names(training: Path, code: str) -> Iterator[str]:
    """Forenames and surnames of the countries that speak the language, in its spelling."""
    countries = COUNTRIES.get(code, "").split()
    for country, local, romanized in _names(training / "names" / "names.tsv"):
        if country in countries:
            yield local
            if code == "en":
                yield romanized


def lines(training: Path, code: str) -> Iterator[str]:
    """Yield the text of a language, line by line."""
    for name in ALSO.get(code, (code,)):
        for folder in ("sentences", "cldr", "plays"):
            yield from _gz_lines(training / folder / f"{name}.txt.gz")
    for line in _gz_lines(training / "words-cc0" / f"{code}.tsv.gz"):
        yield line.split("\t")[0]
    yield from names(training, code)


def character_block(language: Language, text: Iterator[str]) -> models.Parts:
    """Return the model of Chinese, Japanese or Korean."""
    counts = CharacterCounts()
    for line in text:
        for run in HANGUL_OR_HAN.findall(line):
            counts.add(run)
    tables = counts.tables(0.5, REPERTOIRE[language.code])
    keys = [key for key, _ in tables.pairs]
    parts = [
        tables.chars.encode(),
        tables.unigrams,
        tables.gaps,
        models.split_planes(deltas(keys)),
        bytes(price for _, price in tables.pairs),
    ]
    return {"unseen": tables.unseen}, [], parts


def build(training: Path) -> bytes:
    """Return the model file of all languages."""
    blocks = {}
    for code, language in LANGUAGES.items():
        text = lines(training, code)
        if language.letters:
            blocks[code] = word_block(language, Counter(words(text, language)))
        else:
            blocks[code] = character_block(language, text)
    return models.pack(blocks)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(build(Path(sys.argv[1])))
