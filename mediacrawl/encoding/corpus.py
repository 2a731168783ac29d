"""The text in ``training/``, by language, and the build of the model file from it.

``python -m mediacrawl.encoding.corpus training mediacrawl/encoding/models.bin`` is what ``make models`` runs.
Sources and licences: ``docs/models.md``.
"""

from __future__ import annotations

import csv
import gzip
import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.languages import LANGUAGES, Language
from mediacrawl.encoding.train import CharacterCounts, LetterCounts, cost
from mediacrawl.encoding.words import words

ALSO: Final = {
    "zh-Hant": ("zh-Hant", "zh-HK", "yue"),
    "hr": ("hr", "bs", "sr-Latn"),
    "no": ("no", "nn"),
    "id": ("id", "ms"),
}
"""Corpora that belong to one model: written alike, or nearly."""

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
"""Characters that the language's old encodings hold (JIS X 0208, KS X 1001, GB 2312 and some, Big5)."""


def _gz_lines(path: Path) -> Iterator[str]:
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from file


@cache
def _names(path: Path) -> list[tuple[str, str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["country"], row["local"], row["romanized"]) for row in csv.DictReader(file, delimiter="\t")]


def names(training: Path, code: str) -> Iterator[str]:
    """Forenames and surnames of the countries that speak the language, as written there."""
    countries = COUNTRIES.get(code, "").split()
    for country, local, romanized in _names(training / "names" / "names.tsv"):
        if country in countries:
            yield local
            if code == "en":
                yield romanized


def lines(training: Path, code: str) -> Iterator[str]:
    """All the text of a language, line by line."""
    for name in ALSO.get(code, (code,)):
        for folder in ("sentences", "cldr", "plays"):
            yield from _gz_lines(training / folder / f"{name}.txt.gz")
    for line in _gz_lines(training / "words-cc0" / f"{code}.tsv.gz"):
        yield line.split("\t")[0]
    yield from names(training, code)


KNOWN_SHARE: Final = 0.4
"""How likely a word of a title is one of the list."""
KNOWN_POWER: Final = 0.75
"""Counts of listed words to this power: between as they were and all alike."""
LEAST_GAIN: Final = 18
"""A word is listed if that saves as much, in twelfths of a nat."""
PRICE_STEP: Final = 8
PLAIN_WORDS: Final = 1800
"""The commonest words of ASCII letters that are listed: they read the same in every encoding, and tell the language."""


def letter_block(language: Language, text: Iterator[str]) -> models.Parts:
    """The model of a language with an alphabet."""
    return word_block(language, Counter(words(text, language)))


def word_block(language: Language, seen: Mapping[str, int]) -> models.Parts:
    """The same from words and how often each came."""
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
    """The words that are worth listing, as hash and cost: those that the list makes cheaper by a good deal.

    Of words of ASCII letters, only common ones come here: they read the same in every encoding.
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
    """The model of Chinese, Japanese or Korean."""
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
    """The model file of all languages."""
    blocks = {}
    for code, language in LANGUAGES.items():
        make = letter_block if language.letters else character_block
        blocks[code] = make(language, lines(training, code))
    return models.pack(blocks)


if __name__ == "__main__":
    Path(sys.argv[2]).write_bytes(build(Path(sys.argv[1])))
