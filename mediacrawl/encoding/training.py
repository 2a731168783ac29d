"""Training of a model: of a user's own language, from text files to a model file and a report.

An alphabetic language is a table of trigram costs over its letters and the word boundary, counted on word *types*:
titles are made of rare words, and a word that occurs a thousand times says no more about spelling than one that occurs
once (measured: counting tokens loses 2.4 points of fields). Back-off is Witten and Bell's (IEEE Transactions on
Information Theory 37, 1991): unseen letters get as much as the context has different followers. The same text gives the
same tables, byte for byte. ``training/make_models.py`` in the repository makes the bundled models of them.

What a user does not say of the language is derived: the letters from their frequency, the script from the letters, the
encodings from what can write them.
"""

from __future__ import annotations

import gzip
import math
import unicodedata
import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from mediacrawl.base.files import replacing
from mediacrawl.encoding import models
from mediacrawl.encoding.codepages import PAGES, STEP
from mediacrawl.encoding.languages import AZ, LANGUAGES, Language, codec_name, lower, words
from mediacrawl.encoding.models import MAGIC, ModelError, code_fault, faults, index_entry


def cost(probability: float) -> int:
    """Return a probability as a cost of 0 to 255, in steps of 1/12 nat."""
    return max(0, min(255, round(-math.log(probability) * STEP)))


class LetterCounts:
    """Counts of letter trigrams, from words."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.trigrams: defaultdict[tuple[int, int, int], float] = defaultdict(float)

    def add(self, codes: Iterable[int]) -> None:
        """Count a word, given as letter numbers from 1; 0 is the boundary."""
        before, last = 0, 0
        for code in (*codes, 0):
            self.trigrams[before, last, code] += 1
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
        seconds: dict[int, dict[int, float]] = defaultdict(dict)
        for (b, c), n in bigrams.items():
            seconds[b][c] = n
        two = [_back_off(seconds.get(b, {}), one, size) for b in range(size)]
        thirds: dict[tuple[int, int], dict[int, float]] = defaultdict(dict)
        for (a, b, c), n in self.trigrams.items():
            thirds[a, b][c] = n
        three = bytearray()
        for a in range(size):
            for b in range(size):
                # The first letter does not depend on what precedes the boundary, and a boundary costs nothing.
                row = _back_off(thirds.get((a, b) if b else (0, 0), {}), two[b], size)
                three += bytes(cost(p) for p in row) if b else bytes((0, *(cost(p) for p in row[1:])))
        return bytes(three), bytes(0 if b == c == 0 else cost(two[b][c]) for b in range(size) for c in range(size))


def _back_off(counts: Mapping[int, float], back: list[float], size: int) -> list[float]:
    """Witten-Bell: (n(c) + T * back(c)) / (N + T), with T the number of different followers."""
    different = len(counts)
    if not different:
        return back
    total = sum(counts.values()) + different
    return [(counts.get(c, 0) + different * back[c]) / total for c in range(size)]


KNOWN_SHARE: Final = 0.4
"""Probability that a word of a title is in the list."""

KNOWN_POWER: Final = 0.75
"""Power of the counts of listed words: between unchanged (1) and equal (0)."""

LEAST_GAIN: Final = 18
"""Least gain, in twelfths of a nat, of a listed word."""

PRICE_STEP: Final = 8

PLAIN_WORDS: Final = 1800
"""Number of listed ASCII words, the most common ones: they identify the language, whatever the encoding."""


def word_block(language: Language, seen: Mapping[str, int]) -> models.Parts:
    """Return the model of a language with an alphabet, from words and their counts."""
    numbers = {letter: i + 1 for i, letter in enumerate(language.letters)}
    trigrams, bigrams, spelled = _spelling(([numbers[letter] for letter in word] for word in sorted(seen)), numbers)
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
    return {"size": spelled.size}, [bigrams], rest


def _spelling(words: Iterable[Sequence[int]], numbers: Mapping[str, int]) -> tuple[bytes, bytes, models.LetterModel]:
    """Return the trigram and bigram costs of words, given by the numbers of their letters, and a model of these."""
    counts = LetterCounts(len(numbers) + 1)
    for word in words:
        counts.add(word)
    trigrams, bigrams = counts.tables()
    return trigrams, bigrams, models.LetterModel(counts.size, bigrams, lambda: (trigrams, array("I"), b""))


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


LETTERS_SHARE: Final = 0.9995
"""Share of the text's letters that the alphabet covers; the rarest ones are foreign, in names."""

MOST_LETTERS: Final = 90

WRITABLE_SHARE: Final = 0.99
"""Share of the letters that a code page must have; some were used although they lack a rare letter."""

MOST_PAGES: Final = 8

LEAST_WORDS: Final = 500
"""Different words. A usable model needs some thousands; the bundled ones have 4,000 to 50,000."""

MOST_WORDS: Final = 50_000
"""Most common distinct words that a model is made from; more make it larger and no better."""

MOST_COUNTED: Final = 1_000_000
LONGEST_WORD: Final = 40
LONGEST_LINE: Final = 1 << 20

HELD_OUT: Final = 10
"""One word in so many is excluded from training, to measure the model."""


@dataclass(frozen=True, slots=True)
class TrainedModel:
    """A model with its statistics.

    Attributes:
        language: as given and derived.
        content: the model file.
        running: number of words that have only letters of the alphabet.
        different: number of distinct ones.
        common: the most common ones, most common first.
        nats: cost of a letter in words that training did not see; the end of a word counts as one.
    """

    language: Language
    content: bytes
    running: int
    different: int
    common: tuple[str, ...]
    nats: float

    def report(self, name: str) -> list[str]:
        """Return the lines of the report."""
        language = self.language
        pages = ", ".join(language.encodings) or "none has its letters; texts in UTF-8 and UTF-16 are decided"
        return [
            f"language   {language.code}, {language.script}, weight {language.weight:g}",
            f"letters    {len(language.letters)}: {language.letters}",
            f"encodings  {pages}",
            f"words      {self.running:,}, {self.different:,} different",
            f"           {' '.join(self.common)}",
            f"held out   {self.nats:.2f} nats a letter, in the tenth of the words that training did not see",
            f"size       {len(self.content):,} bytes",
            f'Written. To use it, put it in the settings: MOJIBAKE_MODELS = ["{name}"]',
        ]


def train(
    code: str,
    texts: Iterable[str | Path],
    *,
    output: str | Path | None = None,
    like: str = "",
    script: str = "",
    letters: str = "",
    encodings: Sequence[str] = (),
    weight: float = 1.0,
    tlds: Sequence[str] = (),
) -> TrainedModel:
    """Train a model of a language. What is not given comes from the bundled language of that code, or from the text.

    Args:
        code: of the language, such as ``cv`` or ``be-Latn``.
        texts: paths of text files, UTF-8, plain or gzip; each is read twice.
        output: path of the model file, which is replaced; None to write none.
        like: code of a bundled language with the same script and encodings; empty if none is known.
        script: of its letters, such as ``latin``.
        letters: its alphabet in lower case.
        encodings: 8-bit encodings that it is written in, most common first.
        weight: how common it is; Russian is 8.
        tlds: country domains of its speakers.

    Raises:
        ModelError: no model can be made of it, or `output` is another file, perhaps a text that was named by mistake.
        OSError: `output` cannot be written.
    """
    place = None if output is None else Path(output)
    if place is not None and place.exists() and not (place.is_file() and place.read_bytes()[: len(MAGIC)] == MAGIC):
        raise ModelError(f"{place} is there already and is no model file; name another output.")
    trained = _trained(Language(code, script, letters, tuple(encodings), weight, tuple(tlds)), map(Path, texts), like)
    if place is not None:
        with replacing(place) as file:
            file.write(trained.content)
    return trained


def _trained(given: Language, paths: Iterable[Path], like: str) -> TrainedModel:
    if fault := code_fault(given.code):
        raise ModelError(fault)
    files = list(paths)
    pages = dict.fromkeys(codec_name(name) or name for name in given.encodings)
    language = _completed(replace(given, encodings=tuple(pages)), like)
    counts = letter_counts(lambda: text_lines(files), language.code)
    language = _found_out(language, counts)
    if fault := faults(language):
        raise ModelError(fault)
    seen = count_words(text_lines(files), language)
    if len(seen) < LEAST_WORDS:
        raise ModelError(
            f"There are only {len(seen)} different words in the letters of {language.code}; a model needs"
            f" {LEAST_WORDS:,} at the least, and is good with ten thousand."
        )
    common = [word for word, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0]))]
    used = {word: seen[word] for word in common[:MOST_WORDS]}
    facts, small, large = word_block(language, used)
    content = models.pack({language.code: ({**facts, "language": index_entry(language)}, small, large)})
    return TrainedModel(language, content, seen.total(), len(seen), tuple(common[:12]), held_out(language, used))


def _completed(given: Language, like: str) -> Language:
    """Return the language with facts of the bundled one, or of a similar one."""
    if like and like not in LANGUAGES:
        raise ModelError(f"The program has no language {like!r}; it has {', '.join(sorted(LANGUAGES))}.")
    if like:
        model = LANGUAGES[like]
        given = replace(given, script=given.script or model.script, encodings=given.encodings or model.encodings)
    same = LANGUAGES.get(given.code)
    if same is None:
        return given
    return replace(
        given,
        **{name: getattr(given, name) or getattr(same, name) for name in ("script", "letters", "encodings", "tlds")},
        codes=same.codes,
        folds=same.folds,
    )


def _found_out(language: Language, counts: Mapping[str, int]) -> Language:
    """Return the language with facts derived from the letters of the text."""
    if not counts:
        raise ModelError("There are no letters in this text.")
    given = "".join(dict.fromkeys(language.letters.lower()))
    script = language.script or script_of(Counter(given) if given else counts)
    letters = given or alphabet(counts, script)
    known = replace(language, script=script, letters=letters)
    return known if known.encodings else replace(known, encodings=code_pages(letters, script, counts))


def text_lines(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the lines of text files in Unicode form NFC.

    Raises:
        ModelError: one cannot be read, or is not UTF-8.
    """
    for path in paths:
        number = 0
        try:
            with path.open("rb") as plain:
                packed = plain.read(2) == b"\x1f\x8b"
                plain.seek(0)
                file = gzip.GzipFile(fileobj=plain) if packed else plain
                while line := file.readline(LONGEST_LINE + 1):
                    number += 1
                    if len(line) > LONGEST_LINE:
                        raise ModelError(
                            f"Line {number:,} of {path} is longer than {LONGEST_LINE:,} bytes; is this a text?"
                        )
                    yield unicodedata.normalize("NFC", line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except UnicodeDecodeError as error:
            raise ModelError(f"Line {number:,} of {path} is not UTF-8.") from error
        except (OSError, EOFError, zlib.error) as error:
            raise ModelError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.") from error


def letter_counts(lines: Callable[[], Iterable[str]], code: str) -> Counter[str]:
    """Return the count of each letter in lower case, combining marks included."""
    counts: Counter[str] = Counter()
    for line in lines():
        counts.update(lower(line, code))
    return Counter({char: n for char, n in counts.items() if unicodedata.category(char)[0] in "LM"})


def _script(char: str) -> str:
    """Return the script of a character by its Unicode name; empty for what any script may use."""
    word = unicodedata.name(char, "").partition(" ")[0].lower()
    if word in ("cjk", "hiragana", "katakana", "hangul", "bopomofo"):
        return "cjk"
    return "" if word in ("", "combining", "modifier", "feminine", "masculine", "micro") else word


def script_of(counts: Mapping[str, int]) -> str:
    """Return the script that most letters are of."""
    scripts: Counter[str] = Counter()
    for char, n in counts.items():
        scripts[_script(char)] += n
    del scripts[""]
    return max(sorted(scripts), key=scripts.__getitem__, default="latin")


def alphabet(counts: Mapping[str, int], script: str) -> str:
    """Return the most common letters of the script; for Latin, all of a to z too."""
    mine = {char: n for char, n in counts.items() if _script(char) in ("", script)}
    wanted = LETTERS_SHARE * sum(mine.values())
    always = AZ if script == "latin" else ""
    found = set(always)
    covered = sum(mine.get(letter, 0) for letter in found)
    for char in sorted(mine.keys() - found, key=lambda char: (-mine[char], char)):
        if covered >= wanted or len(found) >= MOST_LETTERS:
            break
        found.add(char)
        covered += mine[char]
    return always + "".join(sorted(found - set(always)))


def code_pages(letters: str, script: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the 8-bit encodings that can write nearly all letters of a language.

    A few Western letters are in very many. So the most common encoding restricts the others to those that the bundled
    languages of this script use together with it.
    """
    if letters.isascii():
        return PAGES[:1]
    able = [page for page in PAGES if _share(page, letters, counts) >= WRITABLE_SHARE]
    groups = [language.encodings for language in LANGUAGES.values() if language.script == script]
    heads = {group[0] for group in groups if group}
    for head in able:
        if head in heads:
            beside = {page for group in groups if group[:1] == (head,) for page in group}
            return tuple(page for page in able if page in beside)[:MOST_PAGES]
    return tuple(able[:MOST_PAGES])


def _share(page: str, letters: str, counts: Mapping[str, int]) -> float:
    """Return the share of the letters beyond ASCII, by frequency, that a code page has in both cases.

    Modifier letters do not count: texts write the apostrophe among them as another one.
    """
    total = written = 0
    for letter in letters:
        if not letter.isascii() and unicodedata.category(letter) != "Lm":
            total += counts.get(letter, 0) + 1
            both = letter + (letter.upper() if len(letter.upper()) == 1 else "")
            if b"?" not in both.encode(page, "replace"):
                written += counts.get(letter, 0) + 1
    return written / max(1, total)


def count_words(lines: Iterable[str], language: Language) -> Counter[str]:
    """Return the count of each word; above a million distinct words the rarer half is dropped."""
    seen: Counter[str] = Counter()
    for word in words(lines, language):
        if len(word) <= LONGEST_WORD:
            seen[word] += 1
            if len(seen) > MOST_COUNTED:
                kept = sorted(seen.items(), key=lambda item: (-item[1], item[0]))[: MOST_COUNTED // 2]
                seen = Counter(dict(kept))
    return seen


def held_out(language: Language, seen: Mapping[str, int]) -> float:
    """Return the cost in nats a letter of words that training did not see.

    A hash selects them, so they are always the same.
    """
    numbers = {letter: i + 1 for i, letter in enumerate(language.letters)}
    trained: list[bytes] = []
    tested: list[bytes] = []
    for word in sorted(seen):
        (trained if zlib.crc32(word.encode()) % HELD_OUT else tested).append(bytes(numbers[letter] for letter in word))
    model = _spelling(trained, numbers)[-1]
    letters = sum(len(spelling) + 1 for spelling in tested)
    return sum(map(model.spelled, tested)) / STEP / max(1, letters)
