"""The cost of bytes under every pair of an 8-bit encoding and a language.

There are some 150 pairs, and a field has twelve bytes; pricing every pair exactly would take half a millisecond. So
pricing is two passes. The first prices all pairs at once, by byte pairs: the costs of all pairs for two adjacent bytes
stand side by side in one long integer, 32 bits each, and Python adds two such integers in 80 ns. The second prices the
remaining few by trigrams.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Final

from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import APOSTROPHE, STEP, capitals, classes_in, letter_map, pair_steps, steps
from mediacrawl.encoding.languages import LANGUAGES, lower, prior_nats

# A run of ASCII letters is tried once, from its first letter; else the time would grow with its square.
ODD_WORD: Final = re.compile(
    rb"(?<![A-Za-z])[A-Za-z]*+[\x80-\xff](?:[A-Za-z\x80-\xff]|(?<=[\x80-\xff])[@\[\\\]^_`{|}~])*+"
)
"""A run of letters with at least one byte beyond ASCII. After such a byte, ASCII signs may be the second half of a
double byte."""

ASCII_WORD: Final = re.compile(rb"(?<![A-Za-z\x80-\xff])[A-Za-z]{2,30}(?![A-Za-z\x80-\xff])")
"""A word that reads the same in every encoding and is evidence of the language."""

LATIN_WORD: Final = 14
"""Cost of an ASCII word in a record of another script."""

MOST_LATIN: Final = 66
MOST_GAIN: Final = 5 * STEP
ASCII_LETTERS: Final = bytes((*range(65, 91), *range(97, 123)))

ASCII_LETTER: Final = round(3.6 * STEP)
"""Cost of an ASCII letter inside a word of another script."""

FOREIGN: Final = round(8.5 * STEP)
"""Cost of a Latin letter that the language does not use, besides that of its base letter."""

ALIEN: Final = round(10.0 * STEP)
"""Cost of a letter of another script that the language does not use."""

ACRONYM: Final = round(3.0 * STEP)

ACRONYM_LETTER: Final = round(3.4 * STEP)
"""Cost of a letter in a short word in capitals, which may be an acronym."""

CLITICS_BEFORE: Final = frozenset({b"l", b"d", b"j", b"n", b"c", b"qu", b"s", b"t", b"m", b"i", b"o", b"dell", b"un"})
CLITICS_AFTER: Final = frozenset({b"s", b"t", b"m", b"d", b"re", b"ll", b"ve"})

CLITIC: Final = 3 * STEP
"""Cost of a clitic next to an apostrophe, in English and the Romance languages."""

CACHED: Final = 2048
"""Words whose cost a pair caches."""

LONGEST_ACRONYM: Final = 5

ODD_APOSTROPHE: Final = 3 * STEP
"""Cost of an apostrophe in a Latin word without a clitic, unless a capital follows, as in O'Connor."""

UNICODE_ONLY: Final = 20_000
"""Prior of a language that has no 8-bit encoding: its pair prices Unicode text and is never found in bytes."""


@dataclass(frozen=True, slots=True)
class EncodingPair:
    """An 8-bit encoding and a language written in it, with everything that prices bytes under them."""

    number: int
    encoding: str
    language: str
    prior: int
    model: models.LetterModel
    letters: bytes
    foreign: bytes
    latin: bool
    classes: bytes
    capitals: bytes
    apostrophe: bytes
    costs: dict[bytes, int] = field(default_factory=dict, repr=False, compare=False)

    def cost(self, word: bytes) -> int:
        """Return the cost of a word."""
        found = self.costs.get(word)
        if found is None:
            if len(self.costs) >= CACHED:
                self.costs.clear()
            if self.apostrophe and self.apostrophe in word:
                parts = word.split(self.apostrophe)
                found = sum([self._part(part, place, parts) for place, part in enumerate(parts)])
            else:
                found = self._letters(word)
            if len(word) <= LONGEST_ACRONYM and not word.translate(None, self.capitals):
                found = min(found, ACRONYM + ACRONYM_LETTER * len(word))
            found = self.costs[word] = found + class_cost(word, self.classes)
        return found

    def knows(self, word: bytes) -> bool:
        """Whether the language's word list has the word. Of ASCII words it has only the most common."""
        numbers = word.translate(self.letters)
        return 0 not in numbers and self.model.listed(numbers) < models.UNKNOWN

    def _part(self, part: bytes, place: int, parts: list[bytes]) -> int:
        """Return the cost of the part on one side of an apostrophe."""
        follows = place + 1 < len(parts) and parts[place + 1] != b""
        if (place and part.lower() in CLITICS_AFTER) or (follows and part.lower() in CLITICS_BEFORE):
            return CLITIC
        cost = self._letters(part)
        before = parts[place - 1].lower() if place else b""
        if self.latin and before and before not in CLITICS_BEFORE and part[:1].islower():
            cost += ODD_APOSTROPHE
        return cost

    def _letters(self, word: bytes) -> int:
        model = self.model
        numbers = word.translate(self.letters)
        foreign = len(word) - len(word.translate(None, self.foreign)) if self.foreign else 0
        total = 0
        if not self.latin and not numbers.strip(b"\0"):
            # Latin letters and signs in another script are priced as English.
            model, numbers = models.in_use().letters("en"), word.translate(ascii_numbers("en"))
            total = LATIN_WORD
        elif not self.latin:
            total = ASCII_LETTER * (len(word) - len(word.translate(None, ASCII_LETTERS)))
        for run in numbers.split(b"\0") if 0 in numbers else (numbers,):
            if run:
                total += model.cost(run)
        return total + (FOREIGN if self.latin else ALIEN) * foreign


@cache
def pairs() -> tuple[EncodingPair, ...]:
    """Every 8-bit encoding with every language that was written in it."""
    trained = models.in_use()
    found: list[EncodingPair] = []
    for language in LANGUAGES.values():
        if not language.letters:
            continue
        model = trained.letters(language.code)
        for encoding in language.encodings or (f"u-{language.code}",):
            letters, foreign = letter_map(encoding, language.code)
            company = classes_in(encoding, language.code)
            prior = round(prior_nats(encoding, language.code) * STEP) if language.encodings else UNICODE_ONLY
            found.append(
                EncodingPair(
                    len(found), encoding, language.code, prior, model,
                    letters, foreign, language.script == "latin", company,
                    bytes(byte for byte in capitals(encoding) if letters[byte] and byte not in foreign),
                    bytes(byte for byte, cls in enumerate(company) if cls == APOSTROPHE),
                )
            )  # fmt: skip
    return tuple(found)


@cache
def encoding_numbers() -> dict[str, int]:
    """Return the kernel's numbers of the 8-bit encodings."""
    return {encoding: number for number, encoding in enumerate(dict.fromkeys(pair.encoding for pair in pairs()))}


@lru_cache(maxsize=8192)
def class_cost(word: bytes, classes: bytes) -> int:
    """Return the cost of the character classes of a word's bytes."""
    table = steps()
    total = last = 0
    for cls in word.translate(classes):
        last = (last << 5 | cls) & 0x7FFF
        total += table[last]
    return total + table[(last << 5) & 0x7FFF]


LANE_STEP: Final = 6
"""The first pass counts in sixths of a nat: three costs of at most 15 nats each then fit a byte."""

HALF: Final = bytes(min(85, byte // 2) for byte in range(256))

LONGEST_WORD: Final = 120
"""Bytes of a word that the first pass looks at."""


def extra_costs(pair: EncodingPair) -> bytes:
    """Return the cost of each byte in the first pass, besides those of its letter and class."""
    extra = bytearray(256)
    for byte in pair.foreign:
        extra[byte] = HALF[FOREIGN if pair.latin else ALIEN]
    if not pair.latin:
        for byte in ASCII_LETTERS:
            extra[byte] = HALF[ASCII_LETTER]
    return bytes(extra)


@cache
def _extras() -> int:
    """`extra_costs` of all pairs, 256 bytes each, as one integer."""
    return int.from_bytes(b"".join(map(extra_costs, pairs())), "little")


@lru_cache(maxsize=256)
def _after(first: int) -> bytes:
    """Return the cost of every byte after this one, for all pairs: 256 bytes each.

    `bytes.translate` looks up a whole row of a table at once, and one addition of long integers adds them all.
    """
    steps_of = pair_steps().translate(HALF)
    letters, company = [], []
    for pair in pairs():
        size = pair.model.size
        at = pair.letters[first] * size
        letters.append(pair.letters.translate(pair.model.bigrams[at : at + size].translate(HALF).ljust(256)))
        at = pair.classes[first] << 5
        company.append(pair.classes.translate(steps_of[at : at + 32].ljust(256)))
    total = int.from_bytes(b"".join(letters), "little") + int.from_bytes(b"".join(company), "little") + _extras()
    return total.to_bytes(256 * len(letters), "little")


@lru_cache(maxsize=4096)
def _lanes(first: int, second: int) -> int:
    """Return the cost of a byte after another, for all pairs: 32 bits each, the first pair lowest."""
    wide = bytearray(4 * len(pairs()))
    wide[::4] = _after(first)[second::256]
    return int.from_bytes(wide, "little")


@cache
def prior_lanes() -> int:
    """Return the priors of all pairs, in lanes."""
    return int.from_bytes(array("I", map(prior_lane, pairs())).tobytes(), "little")


def prior_lane(pair: EncodingPair) -> int:
    """Return the prior of a pair in the unit of the first pass."""
    return pair.prior * LANE_STEP // STEP


@lru_cache(maxsize=2048)
def word_lanes(word: bytes) -> int:
    """Return the first pass over a word: its approximate cost under each pair."""
    padded = b" %b " % word[:LONGEST_WORD]
    return sum(map(_lanes, padded, padded[1:]))


def spread(lanes: int) -> array[int]:
    """Lanes as an array of costs, one for each pair, in sixths of a nat."""
    return array("I", lanes.to_bytes(4 * len(pairs()), "little"))


@cache
def _plain_models() -> tuple[tuple[bytes, models.LetterModel], ...]:
    """Return the numbers of ASCII letters and the model of each Latin language."""
    trained = models.in_use()
    return tuple((ascii_numbers(code), trained.letters(code)) for code in _latin_codes())


@cache
def _latin_codes() -> tuple[str, ...]:
    return tuple(language.code for language in LANGUAGES.values() if language.script == "latin")


@cache
def _plain_lanes(letters: bytes) -> int:
    """Return the cost of the last of three ASCII letters in each Latin language, in lanes of 16 bits.

    A space is the end of a word.
    """
    costs = [model.spelled_last(letters.translate(numbers)) for numbers, model in _plain_models()]
    return int.from_bytes(array("H", costs).tobytes(), "little")


@lru_cache(maxsize=8192)
def _ascii_word_costs(word: bytes) -> tuple[int, ...]:
    """Return the cost of an ASCII word in each Latin language, relative to English: half and half a word of either.

    Negative where it fits the language better than English: ``Nie`` and ``Ewka`` indicate Polish.
    """
    every = _plain_models()
    padded = b"  %b " % word
    lanes = sum([_plain_lanes(padded[at : at + 3]) for at in range(len(word) + 1)])
    costs = array("H", lanes.to_bytes(2 * len(every), "little"))
    digests = {numbers: models.word_hash(word.translate(numbers)) for numbers in {numbers for numbers, _ in every}}
    for place, (numbers, model) in enumerate(every):
        costs[place] = min(costs[place], model.listed_hash(digests[numbers]))
    english = costs[_latin_codes().index("en")]
    return tuple([gain_cost(english - cost) for cost in costs])


@cache
def gain_cost(gain: int) -> int:
    """Return the cost of a word by its gain over English, in twelfths of a nat; constant beyond 40 nats."""
    return max(-MOST_GAIN, round(-math.log(0.5 + 0.5 * math.exp(min(gain / STEP, 30.0))) * STEP))


@lru_cache(maxsize=4096)
def ascii_english(word: bytes) -> int:
    """Return the cost of an ASCII word in English."""
    return models.in_use().letters("en").cost(word.translate(ascii_numbers("en")))


@cache
def ascii_numbers(code: str) -> bytes:
    """Return the numbers of the ASCII letters in a language, as a table for `bytes.translate`."""
    letters = LANGUAGES[code].letters
    return bytes(letters.find(lower(chr(byte), code)) + 1 if byte < 128 else 0 for byte in range(256))


def ascii_costs(words: Sequence[bytes], *, lone: bool = False) -> dict[str, int]:
    """Return the cost of a record's ASCII words in each language; `lone` if there is hardly any other letter in it."""
    other = min(MOST_LATIN, LATIN_WORD * len(words)) * (2 if lone else 1)
    costs = dict.fromkeys(LANGUAGES, other)
    totals = map(sum, zip(*map(_ascii_word_costs, words), strict=True))
    costs.update(zip(_latin_codes(), [max(-MOST_GAIN * 2, total) for total in totals], strict=True))
    return costs


NEVER: Final = 1 << 24
"""Cost of bytes that an encoding cannot read."""


@dataclass(slots=True)
class Hypothesis:
    """An encoding and a language for a record.

    Attributes:
        encoding: Python codec name.
        language: code of `mediacrawl.encoding.languages`; empty for UTF-8.
        prior: cost before the bytes, hints and ASCII words included, in twelfths of a nat.
        costs: of each field.
        news: costs of each field without the words of earlier fields, which make up the record's cost; the same list as
            `costs` where no field repeats a word.
    """

    encoding: str
    language: str
    prior: int
    costs: list[int]
    news: list[int]


@cache
def pair_of(encoding: str, language: str) -> EncodingPair:
    """Return the pair of an 8-bit encoding and a language."""
    return next(pair for pair in pairs() if pair.encoding == encoding and pair.language == language)
