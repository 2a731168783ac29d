"""The model file, its tables in memory, and the models that a user adds (`use_models`).

File: ``MCM2``, the length of an index (4 bytes, little-endian), the index as JSON, then two deflated blocks a language:
a small one that the first pass over bytes needs, and the rest. The index holds their offsets and the lengths of their
parts. The large block of a language is unpacked once, when a text first needs it; all of them take about 7 MB.

A trigram is stored as the difference to the cost of its last two letters: where the training text never had it, that
is the same for a whole row.

The index of a model file that a user trained (`training.train`) also describes its language.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from importlib import resources
from itertools import accumulate, islice, pairwise
from operator import gt
from pathlib import Path
from typing import Any, Final, NamedTuple

from mediacrawl.encoding import native
from mediacrawl.encoding.codepages import PAGES
from mediacrawl.encoding.languages import LANGUAGES, Language

MAGIC: Final = b"MCM2"


class ModelError(Exception):
    """A model file that cannot be used, or text that no model can be made of; the message is one sentence."""


UNKNOWN: Final = 1 << 20
"""Cost of a word that the list does not have."""

MOST_LETTERS: Final = 119
"""Letters that an alphabet may have; its trigrams then take 1.7 MB."""

CACHED: Final = 8_000
"""Words whose cost a model caches, some 800 KB; a full cache is emptied."""


class LetterModel:
    """Costs of words in one alphabet, in twelfths of a nat.

    A word is spelled, or known: its cost is the lesser of what its trigrams cost and what the word list says. The list
    keeps no words, only 24 bits of a hash of each, sorted; one unknown word in 500 is taken for a known one.

    Args:
        size: letters, of which 0 is the boundary.
        bigrams: cost of a letter after one other, ``bigrams[first * size + second]``.
        load: returns the rest, at the first word: cost of a letter after two others, ``trigrams[(first * size + second)
            * size + third]``; hashes of the known words, sorted; the cost of each.
    """

    def __init__(self, size: int, bigrams: bytes, load: Callable[[], tuple[bytes, array[int], bytes]]) -> None:
        self.size = size
        self.bigrams = bigrams
        self._load = load
        self._costs: dict[bytes, int] = {}

    @cached_property
    def _rest(self) -> tuple[bytes, array[int], bytes]:
        return self._load()

    def tables(self) -> tuple[bytes, array[int], bytes]:
        """Return the result of ``load``, which this object does not keep."""
        return vars(self).get("_rest") or self._load()

    def cost(self, word: bytes) -> int:
        """Return the cost of a word, given as the numbers of its letters."""
        found = self._costs.get(word)
        if found is None:
            if len(self._costs) >= CACHED:
                self._costs.clear()
            found = self._costs[word] = min(self.spelled(word), self.listed(word))
        return found

    def spelled(self, word: bytes) -> int:
        """Return the cost of a word by its letters."""
        trigrams, size = self._rest[0], self.size
        square = size * size
        total = context = 0
        for number in word:
            at = context * size + number
            total += trigrams[at]
            context = at % square
        return total + trigrams[context * size]

    def spelled_last(self, letters: bytes) -> int:
        """Return the cost of the last of three letters."""
        first, second, third = letters
        return self._rest[0][(first * self.size + second) * self.size + third]

    def listed(self, word: bytes) -> int:
        """Return the cost of a word by the list; `UNKNOWN` if it is not there."""
        return self.listed_hash(word_hash(word))

    def listed_hash(self, digest: int) -> int:
        """Return the cost of a word by the list and its `word_hash`."""
        _, known, prices = self._rest
        at = bisect_left(known, digest)
        return prices[at] if at < len(known) and known[at] == digest else UNKNOWN


def word_hash(word: bytes) -> int:
    """24 bits of a word's CRC-32."""
    return zlib.crc32(word) & 0xFFFFFF


@dataclass(frozen=True, slots=True)
class CharacterModel:
    """Costs of characters and their pairs, in twelfths of a nat."""

    numbers: dict[str, int]
    unigrams: bytes
    gaps: bytes
    unseen: int
    keys: array[int]
    costs: bytes

    def cost(self, run: str) -> int:
        """Return the cost of a run of characters without a gap."""
        numbers, keys, costs = self.numbers, self.keys, self.costs
        width = len(self.unigrams)
        total = last = 0
        for char in run:
            number = numbers.get(char, -1)
            if number < 0:
                total += self.unseen
                last = -1
                continue
            if last >= 0:
                key = last * width + number
                at = bisect_left(keys, key)
                if at < len(keys) and keys[at] == key:
                    total += costs[at]
                    last = number
                    continue
                total += self.gaps[last]
            total += self.unigrams[number]
            last = number
        return total


@dataclass(slots=True)
class ModelFile:
    """A model file in memory, its blocks still packed."""

    content: bytes
    start: int
    index: dict[str, dict[str, Any]]
    version: str
    _letters: dict[str, LetterModel] = field(default_factory=dict)
    _characters: dict[str, CharacterModel] = field(default_factory=dict)

    def _block(self, code: str, which: str) -> list[bytes]:
        entry = self.index[code][which]
        at = self.start + entry["at"]
        cuts = (0, *accumulate(entry["parts"]))
        packed = self.content[at : at + entry["length"]]
        # To zlib, a limit of 0 means none.
        raw = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, max(1, cuts[-1]))
        return [raw[a:b] for a, b in pairwise(cuts)]

    def letters(self, code: str) -> LetterModel:
        """Return the trigram model of a language with an alphabet."""
        model = self._letters.get(code)
        if model is None:
            (bigrams,) = self._block(code, "small")
            load = partial(self._rest, code, bigrams)
            model = self._letters[code] = LetterModel(self.index[code]["size"], bigrams, load)
        return model

    def _rest(self, code: str, bigrams: bytes) -> tuple[bytes, array[int], bytes]:
        trigrams, planes, prices = self._block(code, "large")
        return _plus(trigrams, bigrams * self.index[code]["size"]), _join_planes(planes), prices

    def fits(self, code: str) -> bool:
        """Whether the tables of an alphabetic language are complete. Unpacks all of them and keeps nothing."""
        try:
            size = self.index[code]["size"]
            if not isinstance(size, int) or not 1 < size <= MOST_LETTERS + 1:
                return False
            small, large = self.index[code]["small"]["parts"], self.index[code]["large"]["parts"]
            if small != [size**2] or large != [size**3, 4 * large[2], large[2]] or not 0 <= large[2] <= 1 << 24:
                return False
            (bigrams,) = self._block(code, "small")
            trigrams, known, prices = self._rest(code, bigrams)
            if any(map(gt, known, islice(known, 1, None))):
                return False
        except (LookupError, TypeError, ValueError, OverflowError, zlib.error, EOFError):
            return False
        return (len(bigrams), len(trigrams), len(prices)) == (size**2, size**3, large[2])

    def characters(self, code: str) -> CharacterModel:
        """Return the model of Chinese, Japanese or Korean."""
        model = self._characters.get(code)
        if model is None:
            chars, unigrams, gaps, planes, costs = self._block(code, "large")
            numbers = {char: i + 1 for i, char in enumerate(chars.decode())}
            model = CharacterModel(numbers, unigrams, gaps, self.index[code]["unseen"], _join_planes(planes), costs)
            self._characters[code] = model
        return model


def _plus(numbers: bytes, others: bytes) -> bytes:
    """Return sums of bytes, modulo 256, by two long integers: the lower seven bits add without a carry."""
    if len(numbers) != len(others):
        raise ValueError("tables of different lengths")
    high = int.from_bytes(b"\x80" * len(numbers))
    a, b = int.from_bytes(numbers), int.from_bytes(others)
    either = a ^ b
    sums = (a & ~high) + (b & ~high)
    return (sums ^ (either & high)).to_bytes(len(numbers))


def _join_planes(planes: bytes) -> array[int]:
    """Four byte planes back into 32-bit numbers; apart they pack to half the size."""
    n = len(planes) // 4
    joined = bytearray(len(planes))
    for plane in range(4):
        joined[plane if sys.byteorder == "little" else 3 - plane :: 4] = planes[plane * n : (plane + 1) * n]
    return array("I", bytes(joined))


def split_planes(numbers: list[int]) -> bytes:
    """32-bit numbers as four byte planes, lowest first."""
    packed = b"".join(number.to_bytes(4, "little") for number in numbers)
    return b"".join(packed[plane::4] for plane in range(4))


Parts = tuple[dict[str, Any], list[bytes], list[bytes]]
"""The index entry of a language without the offsets, the parts of its small block, and those of its large one."""


def pack(languages: Mapping[str, Parts]) -> bytes:
    """Return a model file."""
    index: dict[str, dict[str, Any]] = {}
    body = bytearray()
    digest = hashlib.sha256()
    for code, (facts, small, large) in languages.items():
        digest.update(json.dumps([code, facts], sort_keys=True).encode() + b"".join(small) + b"".join(large))
        index[code] = dict(facts)
        for which, parts in (("small", small), ("large", large)):
            if parts:
                stored = parts
                if which == "large" and small:
                    less = small[0] * facts["size"]
                    trigrams = bytes((a - b) % 256 for a, b in zip(parts[0], less, strict=True))
                    stored = [trigrams, _sums(parts[1]), parts[2]]
                elif which == "large":
                    stored = [*parts[:3], _sums(parts[3]), parts[4]]
                packed = zlib.compress(b"".join(stored), 9, wbits=-zlib.MAX_WBITS)
                index[code][which] = {"at": len(body), "length": len(packed), "parts": [len(part) for part in parts]}
                body += packed
    head = json.dumps({"sha256": digest.hexdigest(), "languages": index}, sort_keys=True, ensure_ascii=False).encode()
    return MAGIC + len(head).to_bytes(4, "little") + head + body


def _sums(planes: bytes) -> bytes:
    return split_planes(list(accumulate(_join_planes(planes))))


def unpack(content: bytes, name: str) -> ModelFile:
    """Return a model file from its bytes.

    Raises:
        ModelError: these are not a model file's bytes.
    """
    try:
        if content[:4] != MAGIC:
            raise ModelError(f"{name} is no model file of this version; train it again with scrapy trainencoding.")
        length = int.from_bytes(content[4:8], "little")
        head = json.loads(content[8 : 8 + length])
        index = {code: dict(entry) for code, entry in head["languages"].items()}
        return ModelFile(content, 8 + length, index, head["sha256"][:12])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(f"{name} is a damaged model file; make it again.") from error


@cache
def bundled() -> ModelFile:
    """Return the models of the distribution."""
    data = resources.files("mediacrawl.encoding").joinpath("models.bin").read_bytes()
    return unpack(data, "mediacrawl/encoding/models.bin")


def _packed(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"The model file {path} cannot be read: {error.strerror or error}.") from error


_USER_FILES: Final[list[ModelFile]] = []


@cache
def in_use() -> ModelFile:
    """Return the models in use: the bundled ones, and those that a user trained."""
    if not _USER_FILES:
        return bundled()
    letters = {code: file.letters(code) for file in _USER_FILES for code in file.index}
    versions = "".join(file.version for file in (bundled(), *_USER_FILES))
    return replace(bundled(), version=hashlib.sha256(versions.encode()).hexdigest()[:12], _letters=letters)


ENGINE: Final = 5
"""Raised with every change of code that changes decisions, so that stored records are decided again."""


def model_version() -> str:
    """Twelve hexadecimal digits that identify the models' content and `ENGINE`."""
    return hashlib.sha256(f"{ENGINE} {in_use().version}".encode()).hexdigest()[:12]


CODE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
"""The form of a language's code: BCP 47, as far as it is needed."""

MOST_WEIGHT: Final = 1000.0
_BUNDLED: Final = dict(LANGUAGES)


class ModelsInUse(NamedTuple):
    """What `use_models` found.

    Attributes:
        languages: codes of the languages of the files.
        contents: of the files, by name: `use_models` takes them on a machine without the files.
        is_native: whether the C extension prices texts; without it the same decisions take longer.
    """

    languages: tuple[str, ...]
    contents: dict[str, bytes]
    is_native: bool


def use_models(files: Iterable[str | Path] | Mapping[str, bytes] = (), *, check_only: bool = False) -> ModelsInUse:
    """Add models of a user's own languages to the bundled ones, for all of this process.

    To be called once, before the first decision. A further call replaces the files of the one before; one without files
    restores the bundled models. `model_version` changes. A process that is started, not forked, has to call it itself.

    Args:
        files: paths of model files that `train` or ``scrapy trainencoding`` wrote, or their contents by name. A
            language of a later file replaces the bundled one, or that of an earlier file.
        check_only: read and check the files, and change nothing.

    Raises:
        ModelError: a file cannot be used; nothing has changed then.
    """
    contents = dict(files) if isinstance(files, Mapping) else {str(path): _packed(Path(path)) for path in files}
    found = {name: unpack(content, name) for name, content in contents.items()}
    own = {language.code: language for name, file in found.items() for language in _languages(file, name)}
    if not check_only and (found or in_use() is not bundled()):
        _USER_FILES[:] = found.values()
        LANGUAGES.clear()
        LANGUAGES.update(_BUNDLED | own)
        clear_caches()
    return ModelsInUse(tuple(own), contents, native.module() is not None)


def clear_caches() -> None:
    """Empty every cache of this package: nearly all depend on the languages, and a list could miss one."""
    for name, module in list(sys.modules.items()):
        if name.startswith("mediacrawl.encoding."):
            for value in list(vars(module).values()):
                if value is not bundled and hasattr(value, "cache_clear"):
                    value.cache_clear()


def index_entry(language: Language) -> dict[str, Any]:
    """Return the description of a language in the index of a model file."""
    names = ("script", "letters", "encodings", "weight", "tlds", "codes", "folds")
    return {name: getattr(language, name) for name in names}


def _languages(file: ModelFile, name: str) -> list[Language]:
    """Return the languages of a file, after checking its tables."""
    found = []
    for code, entry in file.index.items():
        if "language" not in entry:
            raise ModelError(f"{name} does not say what the language {code} is; train it with scrapy trainencoding.")
        language = _language(code, entry["language"])
        if language is None or entry.get("size") != len(language.letters) + 1 or not file.fits(code):
            raise ModelError(f"{name} is a damaged model file; make it again.")
        found.append(language)
    return found


def _language(code: str, entry: Mapping[str, Any]) -> Language | None:
    """Return a language from the index of a file; None if the entry is invalid."""
    try:
        texts = {name: str(entry[name]) for name in ("script", "letters", "folds")}
        lists = {name: tuple(map(str, entry[name])) for name in ("encodings", "tlds", "codes")}
        language = Language(code, weight=float(entry["weight"]), **texts, **lists)  # type: ignore[arg-type]
    except (LookupError, TypeError, ValueError):
        return None
    return None if faults(language) else language


def faults(language: Language) -> str:
    """Return the first fault of a user's own language, as a sentence; empty if there is none."""
    letters = language.letters
    if fault := code_fault(language.code):
        return fault
    if language.script == "cjk" or not letters:
        return "Chinese, Japanese and Korean are modelled by characters, which the bundled models do already."
    if len(set(letters)) < len(letters) or letters != letters.lower() or len(letters) > MOST_LETTERS:
        return f"An alphabet is at most {MOST_LETTERS} different letters in lower case."
    for page in language.encodings:
        if page not in PAGES:
            return f"The program knows no 8-bit encoding {page!r}; it knows {', '.join(PAGES)}."
    # Letters beyond ASCII and their capitals take a byte each.
    own = [case for letter in letters if not letter.isascii() for case in {letter, letter.upper()} if len(case) == 1]
    if not language.encodings and len(own) > MOST_LETTERS:
        return f"Without an 8-bit encoding, letters beyond ASCII and their capitals are at most {MOST_LETTERS}."
    if not (math.isfinite(language.weight) and 0 < language.weight <= MOST_WEIGHT):
        return f"The weight is a number above 0 and up to {MOST_WEIGHT:g}."
    return "" if len(language.folds) % 2 == 0 else "Folds come in pairs of letters."


def code_fault(code: str) -> str:
    """Return the fault of a language's code, as a sentence; empty if it is valid."""
    return "" if CODE.fullmatch(code) else f"{code!r} is no code of a language; it looks like ru, pt-BR or sr-Latn."
