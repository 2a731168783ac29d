"""Substitutions learned from pairs of texts: each as it was stored, and as the file really has it.

Most of a store is damaged in few ways, and its words recur: an artist's name is in a hundred records. Where bytes
are lost and the models can only guess, what the same words were elsewhere is better evidence than any model.
``scrapy crawl recheck`` writes pairs, one JSON object a line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Final, Self

from mediacrawl.encoding.history import StateFile

MOST_ENTRIES: Final = 50_000
LEAST_AGREEMENT: Final = 0.9

LONGEST_TEXT: Final = 512
"""Characters of a text that is used; the words of longer ones occur in shorter ones too."""

LONGEST_WORD: Final = 64

_WORD: Final = re.compile(r"[0-9A-Za-z?\x7f-\U0010ffff]+")
"""The characters between ASCII spaces and signs. A no-break space may be half of a damaged letter."""

_ODD: Final = re.compile(r"[^\x00-\x7f]|(?<=\w)\?(?=\w)|\?(?=[^\W\d_])")
_RUN: Final = re.compile(f"(?:{_ODD.pattern})+")

_UTF8_PIECE: Final = re.compile(r"[\xc2-\xf4][^\x00-\x7f\xc2-\xf4]*|.", re.DOTALL)
"""The remains of a UTF-8 character that was decoded as Latin-1 or cp1252: its first byte and the bytes that were not
lost."""

Key = tuple[str, ...]
"""The key of an entry: ``("word", word)``, ``("run", damage, run)`` or ``("char", damage, piece)``."""

LEAST_SEEN: Final = {"word": 2, "run": 3, "char": 3}
"""Occurrences that an entry needs before it is used; fewer for a word, which is too long for chance."""

AMBIGUOUS: Final = 0.9
"""Least confidence of an entry that may have several meanings: a short word. Eight equal occurrences reach it."""

_LEAST_DISTINCT: Final = 3
"""Distinct characters below which a word or run counts as ambiguous."""

_MOST_BECAME: Final = 8
_MOST_COUNT: Final = 1_000_000
_MOST_DAMAGES: Final = 64
_LONGEST_DAMAGE: Final = 64
_FORMAT: Final = 1
_TITLE: Final = "What pairs of texts learned"


@dataclass(frozen=True, slots=True)
class SubstitutionProposal:
    """A text with the substitutions applied.

    Attributes:
        text: the proposal; never the stored text itself.
        confidence: that it is right, 0 to 1: the product of ``(n + 1) / (N + 2)`` over its pieces, where a piece was
            seen N times, n times with this result (Laplace's rule of succession).
        pieces: each stored piece with its substitute, in their order.
    """

    text: str
    confidence: float
    pieces: tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Entry:
    seen: int = 0
    became: dict[str, int] = field(default_factory=dict)

    def add(self, text: str, count: int) -> None:
        self.seen = min(self.seen + count, _MOST_COUNT)
        self.became[text] = min(self.became.get(text, 0) + count, _MOST_COUNT)
        if len(self.became) > _MOST_BECAME:
            # It still counts as seen, so the confidence of the others does not rise.
            del self.became[min(self.became.keys() - {text}, key=lambda other: (self.became[other], other))]


@dataclass(frozen=True, slots=True)
class _Cover:
    """A part of a text, and its substitute."""

    before: str
    after: str
    confidence: float
    kind: str


class Substitutions:
    """Tables of the substitutes of damaged words, runs and characters. No text makes a method raise.

    On disk (`save`, `load`): a `StateFile`, ``{"format": 1, "entries": [[key, seen, {"became": count}], ...]}``, oldest
    first. A kill loses what was learned since the last `save`. It may be deleted; ``pairs.jl`` yields the same again.

    In memory at most `MOST_ENTRIES` entries of some 400 bytes, 20 MB; then the least frequent are dropped, the oldest
    first.
    """

    FILE: ClassVar = "substitutions.json"
    """Name of the file in the state folder of a crawl."""

    def __init__(self, limit: int = MOST_ENTRIES) -> None:
        self._limit = max(limit, 1)
        self._entries: dict[Key, _Entry] = {}
        self._damages: dict[str, None] = {}

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def version(self) -> str:
        """First 8 hexadecimal digits of the SHA-256 of all entries; empty without any."""
        if not self._entries:
            return ""
        stored = json.dumps(sorted(self._stored()), sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(stored.encode("ascii")).hexdigest()[:8]

    @property
    def damages(self) -> tuple[str, ...]:
        """The encodings that were passed to `learn`."""
        return tuple(sorted(self._damages))

    def learn(self, before: str, after: str, encoding: str = "") -> None:
        """Count the substitutes of a text's damaged parts: words in each pair, their parts once for each word.

        A pair of equal texts counts as evidence that they are right. Texts of more than 512 characters are
        ignored. The encoding that `after` was decoded with identifies the damage: a lost byte of UTF-8 differs
        from one of cp1251. Pieces of different damage are never combined.
        """
        damage = encoding[:_LONGEST_DAMAGE]
        for word, became in sorted(_word_pairs(before, after)):
            key = ("word", word)
            if key not in self._entries or became not in self._entries[key].became:
                # Each word once: an artist in a hundred records is one piece of evidence about the letters.
                for part, char in sorted(set(_within(word, became, damage))):
                    self._count(part, char, 1)
            self._count(key, became, 1)
        self._forget()

    def propose(self, text: str) -> SubstitutionProposal | None:
        """Apply the substitutions if every damaged part of a text was seen often enough, mostly with one result.

        Returns:
            The likeliest proposal; None where a part is unknown, or nothing would change.
        """
        if not self._entries or len(text) > LONGEST_TEXT or not _words(text):
            return None
        whole = self._known(text, ("word", text))
        if whole is not None:
            return _proposal(whole.after, [whole]) if whole.after != text else None
        found = [proposal for damage in self.damages or ("",) if (proposal := self._put(text, damage))]
        best = max(found, key=lambda proposal: proposal.confidence, default=None)
        return best if best is not None and best.text != text else None

    def _put(self, text: str, damage: str) -> SubstitutionProposal | None:
        """Return a text from the substitutes of words, and of pieces of one damage."""
        covers: list[_Cover] = []
        parts: list[str] = []
        end = 0
        for word in _words(text):
            found = self._word(word.group(), damage)
            if found is None:
                return None
            covers += found
            parts += (text[end : word.start()], "".join(cover.after for cover in found))
            end = word.end()
        return _proposal("".join((*parts, text[end:])), [cover for cover in covers if cover.kind != "plain"])

    def _word(self, word: str, damage: str) -> list[_Cover] | None:
        whole = self._known(word, ("word", word))
        if whole is not None:
            return [whole]
        asked = word.rstrip("?")
        known = self._known(asked, ("word", asked)) if asked != word else None
        if known is not None:
            return [known, _plain(word[len(asked) :])]
        covers: list[_Cover] = []
        end = 0
        for run in _RUN.finditer(word):
            found = self._run(run.group(), damage)
            if found is None:
                return None
            covers += (_plain(word[end : run.start()]), *found)
            end = run.end()
        return [*covers, _plain(word[end:])]

    def _run(self, run: str, damage: str) -> list[_Cover] | None:
        whole = self._known(run, ("run", damage, run))
        if whole is not None:
            return [whole]
        covers = []
        for piece in _pieces(run, damage):
            known = self._known(piece, ("char", damage, piece))
            if known is None:
                return None
            covers.append(known)
        return covers

    def _known(self, text: str, key: Key) -> _Cover | None:
        entry = self._entries.get(key)
        if entry is None or entry.seen < LEAST_SEEN[key[0]]:
            return None
        became, count = max(entry.became.items(), key=lambda item: (item[1], item[0]))
        confidence = (count + 1) / (entry.seen + 2)
        if count < LEAST_AGREEMENT * entry.seen or (confidence < AMBIGUOUS and _is_ambiguous(key)):
            return None
        return _Cover(text, became, confidence, key[0])

    def _count(self, key: Key, became: str, count: int) -> None:
        if key[0] != "word" and key[1] not in self._damages:
            if len(self._damages) >= _MOST_DAMAGES:
                return
            self._damages[key[1]] = None
        self._entries.setdefault(key, _Entry()).add(became, count)

    def _forget(self) -> None:
        if len(self._entries) <= self._limit:
            return
        # A tenth at once, since sorting is costly. The sort is stable, so the oldest go first.
        ranked = sorted(self._entries, key=lambda key: self._entries[key].seen)
        for key in ranked[: len(ranked) - self._limit * 9 // 10]:
            del self._entries[key]
        self._damages = {key[1]: None for key in self._entries if key[0] != "word"}

    @staticmethod
    def of_pairs(path: Path) -> LearnedPairs:
        """Learn from a file of pairs, ``{"before": …, "after": …, "encoding": …}`` a line; other lines are counted.

        The encoding is optional; other names are ignored, as are empty lines.

        Raises:
            OSError: it cannot be read.
        """
        with path.open("rb") as file:
            return learn_pairs(_lines(file))

    @classmethod
    def load(cls, path: Path, limit: int = MOST_ENTRIES) -> Self:
        """Read a file that `save` wrote; starts empty without one, or if it is damaged."""
        return StateFile(path, _TITLE).load(lambda content: cls.from_json(content, limit)) or cls(limit)

    @classmethod
    def from_json(cls, text: str | bytes, limit: int = MOST_ENTRIES) -> Self:
        """Parse the result of `as_json`.

        Raises:
            ValueError: it is no such text.
            RecursionError: likewise.
        """
        stored = json.loads(text)
        entries = stored.get("entries") if isinstance(stored, dict) else None
        if not isinstance(entries, list) or stored.get("format") != _FORMAT:
            raise ValueError(f"it has no entries of format {_FORMAT}")
        found = cls(limit)
        for key, entry in map(_entry, entries):
            for became, count in entry.became.items() if len(key) != _IN_CONTEXT else ():
                found._count(key, became, count)
            if key in found._entries:
                found._entries[key].seen = entry.seen
        found._forget()
        return found

    def as_json(self) -> str:
        """Return all entries, in ASCII."""
        return json.dumps({"format": _FORMAT, "entries": list(self._stored())}, ensure_ascii=True)

    def save(self, path: Path) -> None:
        """Replace the file, whose folder is made if it is missing; an error of the disk is logged."""
        StateFile(path, _TITLE).save(self.as_json())

    def _stored(self) -> Iterator[tuple[Key, int, dict[str, int]]]:
        for key, entry in self._entries.items():
            yield key, entry.seen, entry.became


def _words(text: str) -> list[re.Match[str]]:
    """Return the words of a text with characters beyond ASCII, or with a question mark where no question ends."""
    return [word for word in _WORD.finditer(text) if _ODD.search(text, word.start(), word.end())]


def _pieces(run: str, damage: str) -> list[str]:
    """Return the characters of a run: the remains of UTF-8 sequences, or single characters."""
    return _UTF8_PIECE.findall(run) if "utf-8" in damage else list(run)


def _word_pairs(before: str, after: str) -> set[tuple[str, str]]:
    """Return a text and its damaged words, each with the right one; of texts that differ in more than words only both.

    Unchanged words are included, as evidence against changing them elsewhere.
    """
    if len(before) > LONGEST_TEXT or len(after) > LONGEST_TEXT:
        return set()
    pairs = {(before, after)}
    if _WORD.sub("w", before) == _WORD.sub("w", after):
        pairs |= set(zip(_WORD.findall(before), _WORD.findall(after), strict=True))
    return {(word, right) for word, right in pairs if max(len(word), len(right)) <= LONGEST_WORD and _ODD.search(word)}


def _within(word: str, right: str, damage: str) -> Iterator[tuple[Key, str]]:
    """Yield the keys of the runs and characters of a word, with their substitutes.

    A text of several words yields nothing: its words do.
    """
    for run, became in _run_pairs(word, right) if _WORD.fullmatch(word) else ():
        parts = _pieces(run.group(), damage)
        if len(parts) > 1 and run.group() != word:
            yield ("run", damage, run.group()), became
        if len(parts) == len(became):
            yield from ((("char", damage, part), char) for part, char in zip(parts, became, strict=True))


def _run_pairs(word: str, right: str) -> list[tuple[re.Match[str], str]]:
    """Return the runs of a word with the text between the same ASCII letters; none if those differ."""
    found = list(_RUN.finditer(word))
    ends = [0, *(end for run in found for end in run.span()), len(word)]
    plain = [word[start:end] for start, end in zip(ends[::2], ends[1::2], strict=True)]
    if not right.startswith(plain[0]) or not right.endswith(plain[-1]):
        return []
    last = len(right) - len(plain[-1])
    spans = [(0, len(plain[0]))]
    for part in plain[1:-1]:
        start = right.find(part, spans[-1][1] + 1, last)
        if start < 0:
            return []
        spans.append((start, start + len(part)))
    spans.append((last, len(right)))
    became = [right[left[1] : next_[0]] for left, next_ in pairwise(spans)]
    return list(zip(found, became, strict=True)) if all(became) else []


def _is_ambiguous(key: Key) -> bool:
    """Whether many words look like this when damaged: in UTF-8 that lost bytes, three capitals are three times Ð."""
    return key[0] != "char" and len(set(key[-1])) < _LEAST_DISTINCT


def _plain(text: str) -> _Cover:
    return _Cover(text, text, 1.0, "plain")


def _proposal(text: str, covers: list[_Cover]) -> SubstitutionProposal:
    confidence = 1.0
    for cover in covers:
        confidence *= cover.confidence
    pieces = tuple((cover.before, cover.after) for cover in covers)
    return SubstitutionProposal(text, confidence, pieces)


_IN_CONTEXT: Final = 5
"""Members of the key of a character in its context, which earlier versions stored."""

_MEMBERS: Final = {"word": {2}, "run": {3}, "char": {3, _IN_CONTEXT}}


def _entry(stored: Any) -> tuple[Key, _Entry]:
    """Return one entry of a file."""
    if not isinstance(stored, list) or len(stored) != 3:
        raise ValueError("an entry has not three members")
    key, seen, became = stored
    if not _are_texts(key) or len(key) not in _MEMBERS.get(key[0] if key else "", set()):
        raise ValueError(f"{key!r} is no key of an entry")
    if not isinstance(became, Mapping) or not 0 < len(became) <= _MOST_BECAME or not _is_count(seen):
        raise ValueError("counts of an entry are no short object")
    if not all(map(_is_count, became.values())) or sum(became.values()) > seen < _MOST_COUNT:
        raise ValueError("counts of an entry are no counts")
    return tuple(key), _Entry(seen, dict(became))


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(member, str) and len(member) <= LONGEST_TEXT for member in value)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 < value <= _MOST_COUNT


_LONGEST_LINE: Final = 64 * 1024
"""Bytes; longer lines hold no title."""

_MOST_NAMED: Final = 5


@dataclass(slots=True)
class LearnedPairs:
    """The result of reading a file of pairs."""

    substitutions: Substitutions = field(default_factory=Substitutions)
    pairs: int = 0
    bad: int = 0
    named: list[int] = field(default_factory=list)

    def warning(self, name: str) -> str:
        """Return one sentence on the skipped lines; empty without any."""
        if not self.bad:
            return ""
        lines = ", ".join(map(str, self.named)) + (", …" if self.bad > len(self.named) else "")
        return f"{name}: {self.bad:,} of {self.pairs + self.bad:,} lines are no pairs and were passed over ({lines})."


def learn_pairs(lines: Iterable[bytes]) -> LearnedPairs:
    """Learn from lines of pairs, see `Substitutions.of_pairs`."""
    learned = LearnedPairs()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        pair = _pair(line)
        if pair is None:
            learned.bad += 1
            learned.named += [number] * (len(learned.named) < _MOST_NAMED)
            continue
        learned.pairs += 1
        learned.substitutions.learn(*pair)
    return learned


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines, each cut to a length at which it is no pair."""
    while line := file.readline(_LONGEST_LINE):
        yield line
        while line and not line.endswith(b"\n"):
            line = file.readline(_LONGEST_LINE)


def _pair(line: bytes) -> tuple[str, str, str] | None:
    try:
        pair = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(pair, dict):
        return None
    before, after, encoding = pair.get("before"), pair.get("after"), pair.get("encoding", "")
    if not isinstance(before, str) or not isinstance(after, str) or not isinstance(encoding, str):
        return None
    return before, after, encoding
