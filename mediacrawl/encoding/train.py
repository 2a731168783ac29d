"""Training: from text to the tables that `mediacrawl.encoding.models` reads.

Two kinds of model. An alphabetic language is a table of trigram costs over its letters and the word boundary,
counted on word *types*: titles are made of rare words, and a word that occurs a thousand times says no more about
spelling than one that occurs once (measured: counting tokens loses 2.4 points of fields). Back-off is Witten and Bell's
(IEEE Transactions on Information Theory 37, 1991): what a context has not seen gets as much as it has seen different
letters. Chinese, Japanese and Korean are exact unigrams and bigrams of characters; hashed tables without
fingerprints are a trap, since collisions make the wrong language look good.

The same text gives the same tables, byte for byte: nothing here depends on order, hash seed or time.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

STEP = 12
"""Costs are counted in twelfths of a nat; finer steps make no difference (measured down to 1/4)."""


def cost(probability: float) -> int:
    """A probability as a cost of 0 to 255, in steps of 1/12 nat."""
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
        """The trigram costs (size cubed) and the bigram costs (size squared), contexts first."""
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
                # A word begins the same whatever stood before the boundary, and boundaries cost nothing.
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
"""So many character pairs of a language are kept, those that save the most nats over the back-off."""


class CharacterCounts:
    """Counts of characters and of their pairs, from lines of Chinese, Japanese or Korean."""

    def __init__(self) -> None:
        self.unigrams: defaultdict[str, float] = defaultdict(float)
        self.bigrams: defaultdict[tuple[str, str], float] = defaultdict(float)

    def add(self, run: str, weight: float = 1.0) -> None:
        """Count a run of characters without a gap; a blank stands for what is before its first."""
        last = " "
        for char in run:
            self.unigrams[char] += weight
            self.bigrams[last, char] += weight
            last = char

    def tables(self, smoothing: float, repertoire: int) -> CharacterTables:
        """Costs of characters, pairs and back-offs.

        Args:
            smoothing: how often a character that never came counts as having come.
            repertoire: characters the language's encodings can write.
        """
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
    """A model by characters: what `mediacrawl.encoding.models` stores of it."""

    chars: str
    unigrams: bytes
    gaps: bytes
    unseen: int
    pairs: list[tuple[int, int]]


def _worthy(
    rows: dict[str, dict[str, float]], one: dict[str, float]
) -> tuple[dict[tuple[str, str], float], dict[str, int]]:
    """The pairs worth keeping with their probability, and for each first character the cost of backing off."""
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
