"""Training of the bundled models: from the text in ``training/`` to the model file.

``python -m mediacrawl.encoding.train training mediacrawl/encoding/models.bin`` is what ``make models`` runs. Sources
and licences: ``docs/models.md``.

Two kinds of model. An alphabetic language is a table of trigram costs over its letters and the word boundary,
counted on word *types*: titles are made of rare words, and a word that occurs a thousand times says no more about
spelling than one that occurs once (measured: counting tokens loses 2.4 points of fields). Back-off is Witten and Bell's
(IEEE Transactions on Information Theory 37, 1991): unseen letters get as much as the context has different followers.
Chinese, Japanese and Korean are exact unigrams and bigrams of characters; in hashed tables without fingerprints,
collisions make the wrong language look good.

The same text gives the same tables, byte for byte: nothing depends on order, hash seed or time.
"""

from __future__ import annotations

import csv
import gzip
import math
import re
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.languages import LANGUAGES, Language, words

STEP = 12
"""Costs are counted in twelfths of a nat; finer steps make no difference (measured down to 1/4)."""


def cost(probability: float) -> int:
    """Return a probability as a cost of 0 to 255, in steps of 1/12 nat."""
    return max(0, min(255, round(-math.log(probability) * STEP)))


def _floats() -> dict[int, float]:
    return defaultdict(float)


class LetterCounts:
    """Weighted counts of letter trigrams, from words."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.trigrams: defaultdict[tuple[int, int, int], float] = defaultdict(float)

    def add(self, codes: Iterable[int], weight: float = 1.0) -> None:
        """Count a word, given as letter numbers from 1; 0 is the boundary."""
        before, last = 0, 0
        for code in (*codes, 0):
            self.trigrams[before, last, code] += weight
            before, last = last, code

    def tables(self) -> tuple[bytes, bytes]:
        """Return the trigram costs (size cubed) and the bigram costs (size squared), contexts first."""
        size = self.size
        bigrams: defaultdict[tuple[int, int], float] = defaultdict(float)
        unigrams: defaultdict[int, float] = defaultdict(float)
        for (_, b, c), n in self.trigrams.items():
            bigrams[b, c] += n
            unigrams[c] += n
        one = _back_off(unigrams, [1.0 / size] * size, size)
        two = _conditionals(bigrams, [one] * size, size)
        three = self._third(two)
        pairs = bytes(0 if b == c == 0 else cost(two[b][c]) for b in range(size) for c in range(size))
        return three, pairs

    def _third(self, two: list[list[float]]) -> bytes:
        size = self.size
        followers: dict[tuple[int, int], dict[int, float]] = defaultdict(_floats)
        for (a, b, c), n in self.trigrams.items():
            followers[a, b][c] += n
        out = bytearray()
        for a in range(size):
            for b in range(size):
                # The first letter does not depend on what precedes the boundary, and a boundary costs nothing.
                context = (0, 0) if b == 0 else (a, b)
                row = _back_off(followers.get(context, {}), two[b], size)
                out += bytes(cost(p) for p in row) if b else bytes((0, *(cost(p) for p in row[1:])))
        return bytes(out)


def _conditionals(bigrams: Mapping[tuple[int, int], float], back: list[list[float]], size: int) -> list[list[float]]:
    followers: dict[int, dict[int, float]] = defaultdict(_floats)
    for (b, c), n in bigrams.items():
        followers[b][c] += n
    return [_back_off(followers.get(b, {}), back[b], size) for b in range(size)]


def _back_off(counts: Mapping[int, float], back: list[float], size: int) -> list[float]:
    """Witten-Bell: (n(c) + T * back(c)) / (N + T), with T the number of different followers."""
    different = len(counts)
    if not different:
        return back
    total = sum(counts.values()) + different
    return [(counts.get(c, 0) + different * back[c]) / total for c in range(size)]


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


KNOWN_SHARE: Final = 0.4
"""Probability that a word of a title is in the list."""

KNOWN_POWER: Final = 0.75
"""Power of the counts of listed words: between unchanged (1) and equal (0)."""

LEAST_GAIN: Final = 18
"""Least gain, in twelfths of a nat, of a listed word."""

PRICE_STEP: Final = 8

PLAIN_WORDS: Final = 1800
"""Number of listed ASCII words, the most common ones: they identify the language, whatever the encoding."""


def letter_block(language: Language, text: Iterator[str]) -> models.Parts:
    """Return the model of a language with an alphabet."""
    return word_block(language, Counter(words(text, language)))


def word_block(language: Language, seen: Mapping[str, int]) -> models.Parts:
    """Return the model of a language with an alphabet, from words and their counts."""
    numbers = {letter: i + 1 for i, letter in enumerate(language.letters)}
    counts = LetterCounts(len(numbers) + 1)
    for word in sorted(seen):
        counts.add([numbers[letter] for letter in word])
    trigrams, bigrams = counts.tables()
    spelled = models.LetterModel(counts.size, bigrams, lambda: (trigrams, array("I"), b""))
    scale = KNOWN_SHARE / max(1.0, sum(n**KNOWN_POWER for n in seen.values()))
    plain = sorted((-n, word) for word, n in seen.items() if word.isascii() and len(word) > 1)[:PLAIN_WORDS]
    worthy = frozenset(word for _, word in plain)
    known = word_list(
        {
            bytes(numbers[letter] for letter in word): n
            for word, n in seen.items()
            if word in worthy or not word.isascii()
        },
        scale,
        spelled,
    )
    digests = sorted(known)
    rest = [trigrams, models.split_planes(deltas(digests)), bytes(known[digest] for digest in digests)]
    return {"size": counts.size}, [bigrams], rest


def word_list(seen: dict[bytes, int], scale: float, spelled: models.LetterModel) -> dict[int, int]:
    """Return the words that the list makes cheaper by `LEAST_GAIN`, as hash and cost.

    Of ASCII words, only common ones are passed.
    """
    listed: dict[int, int] = {}
    for word, n in seen.items():
        price = round(cost(scale * n**KNOWN_POWER) / PRICE_STEP) * PRICE_STEP
        if price + LEAST_GAIN <= spelled.spelled(word):
            digest = models.word_hash(word)
            listed[digest] = min(listed.get(digest, 255), price)
    return listed


def deltas(numbers: list[int]) -> list[int]:
    """Sorted numbers as differences."""
    return [b - a for a, b in zip([0, *numbers], numbers, strict=False)]


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
        make = letter_block if language.letters else character_block
        blocks[code] = make(language, lines(training, code))
    return models.pack(blocks)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(build(Path(sys.argv[1])))
