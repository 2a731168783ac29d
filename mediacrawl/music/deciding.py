"""Decides jointly which texts of a folder's files are wrong.

Files that share an artist or an album (the same bytes) were mostly tagged by one program, so the distinct texts of
such a group are decided as one record. Confident decisions of other groups in the folder are evidence, as the history
of a host is in a crawl. A file whose own texts contradict its group with high confidence keeps its own decision.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.encoding.excerpts import clean
from mediacrawl.encoding.history import History
from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.encoding.records.evidence import tag_element
from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.music.reading import TaggedFile
from mediacrawl.records import Tag

MOST_TEXTS = 192
"""Distinct texts that are decided as one record; `Fixer` takes 256 of a record, and decides 64 at a time."""
_SHARED = ("album", "artist", "albumartist")
_OWN_MARGIN = 8.0
"""Nats by which a file's own texts must contradict the decision of its group."""
_DOUBTFUL = 0.9
"""Confidence below which a group is decided again with evidence of the rest of its folder."""
_ESCAPE = b"\x1b"
_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
_SHIFTS = b"\x0e\x0f"
"""Controls that ISO-2022 has besides the escape."""

Element = dict[str, Any]


@dataclass(slots=True)
class DecidedText:
    """One text beyond ASCII of a file, and the decision about it, see `mediacrawl.encoding.records.evidence`."""

    tag: Tag
    element: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Return the decided text."""
        return str(self.element["text"])

    @property
    def before(self) -> str:
        """Return the text as the file declares it."""
        return clean(self.tag.text)

    @property
    def confidence(self) -> float:
        """Return the confidence that `text` is correct, 0 to 1."""
        return float(self.element.get("confidence") or 0.0)

    @property
    def decision(self) -> str:
        """Return ``declared``, ``fixed``, ``undecided``; empty without a decision."""
        return str(self.element.get("decision") or "")

    @property
    def is_damaged(self) -> bool:
        """Return whether characters are lost or guessed. Such a text is shown, and never written."""
        return bool(self.element.get("lossy") or self.element.get("suspect")) or "\ufffd" in self.text

    @property
    def is_wrong(self) -> bool:
        """Return whether the stored text is wrong. RIFF declares no encoding, and programs expect UTF-8."""
        if self.tag.source in {"riff", "aiff"} and self.text.encode() == self.tag.raw:
            return False
        return self.decision == "fixed" and self.text != self.before and not self.is_damaged


@dataclass(slots=True)
class DecidedFile:
    """A file, and its texts beyond ASCII, decided."""

    file: TaggedFile
    texts: Sequence[DecidedText] = field(default_factory=list)


class Decider:
    """Decides folders independently of each other; changes need `min_confidence`, 0 to 1."""

    def __init__(self, *, min_confidence: float = 0.0, substitutions: Substitutions | None = None) -> None:
        self._least = min_confidence
        self._substitutions = substitutions

    def decide(self, files: Sequence[TaggedFile]) -> list[DecidedFile]:
        """Decide the files of one folder. Return them in their order."""
        wanted = [[tag for tag in file.tags if _wants(tag)] for file in files]
        history = History()
        fixer = Fixer(min_confidence=self._least, history=history, substitutions=self._substitutions)
        groups = list(_groups(files, wanted))
        found = [self._group(fixer, f"http://folder/{number}", wanted, group) for number, group in enumerate(groups)]
        decided: dict[int, list[DecidedText]] = {}
        for number, (group, texts) in enumerate(zip(groups, found, strict=True)):
            again = len(groups) > 1 and any(map(_is_doubtful, texts.values()))
            # The same URL, so that a group is no evidence for itself.
            final = self._group(fixer, f"http://folder/{number}", wanted, group) if again else texts
            for place in group:
                mine = [DecidedText(tag, final[_mark(tag)]) for tag in wanted[place]]
                decided[place] = self._own(mine, len(group)) if len(group) > 1 else mine
        return [DecidedFile(file, decided.get(place, [])) for place, file in enumerate(files)]

    def _group(
        self, fixer: Fixer, url: str, wanted: Sequence[Sequence[Tag]], group: Iterable[int]
    ) -> dict[tuple[str, bytes], Element]:
        """Decide the distinct texts of some files as one record."""
        elements = {_mark(tag): tag for place in group for tag in wanted[place]}
        made = {mark: tag_element(tag) for mark, tag in elements.items()}
        fixer.fix({"content_url": url, "tags": list(made.values())})
        return made

    def _own(self, texts: list[DecidedText], files: int) -> list[DecidedText]:
        """Return the texts of a file of a group, by its own decision where that differs with high confidence."""
        if files < 2 or not any(text.tag.declared not in {"utf-8", "utf-16"} for text in texts):
            return texts
        alone = Fixer(min_confidence=self._least, substitutions=self._substitutions)
        own = self._group(alone, "", [[text.tag for text in texts]], [0])
        others = [own[_mark(text.tag)] for text in texts]
        differ = [(text, other) for text, other in zip(texts, others, strict=True) if text.text != other["text"]]
        margin = sum(float(other.get("margin") or 0.0) for _, other in differ) / max(len(differ), 1)
        if not differ or margin < _OWN_MARGIN or len(differ) < len(texts) / 2:
            return texts
        return [DecidedText(text.tag, other) for text, other in zip(texts, others, strict=True)]


def _wants(tag: Tag) -> bool:
    return (not tag.text.isascii() or _ESCAPE in tag.raw) and not _is_binary(tag)


def _is_binary(tag: Tag) -> bool:
    """Return whether a value contains control characters, as hashes and parameters of programs do."""
    raw = tag.raw.rstrip(b"\0")
    if tag.declared.startswith("utf-16") or raw.startswith(_MARKS):
        return False
    return _CONTROLS.search(raw.translate(None, _SHIFTS) if _ESCAPE in raw else raw) is not None


def _mark(tag: Tag) -> tuple[str, bytes]:
    return tag.declared, tag.raw


def _is_doubtful(element: Element) -> bool:
    return element.get("decision") == "undecided" or float(element.get("confidence") or 1.0) < _DOUBTFUL


def _groups(files: Sequence[TaggedFile], wanted: Sequence[Sequence[Tag]]) -> Iterator[list[int]]:
    """Yield indexes of files that are decided jointly: those of one artist or album, in pieces of `MOST_TEXTS`.

    ASCII names are ambiguous (``Greatest Hits``), so for them artist and album must agree.
    """
    parents = list(range(len(files)))

    def root(place: int) -> int:
        while parents[place] != place:
            parents[place] = parents[parents[place]]
            place = parents[place]
        return place

    met: dict[object, int] = {}
    for place, file in enumerate(files):
        if not wanted[place]:
            continue
        for tie in _ties(file.tags):
            parents[root(place)] = root(met.setdefault(tie, place))
    together: dict[int, list[int]] = {}
    for place, tags in enumerate(wanted):
        if tags:
            together.setdefault(root(place), []).append(place)
    for group in together.values():
        yield from _pieces(group, wanted)


def _ties(tags: Iterable[Tag]) -> Iterator[object]:
    values: dict[str, bytes] = {}
    for tag in tags:
        if tag.key in _SHARED and tag.raw:
            if _wants(tag):
                yield tag.declared, tag.raw
            values.setdefault(tag.key, tag.raw)
    if "album" in values and "artist" in values:
        yield values["album"], values["artist"]


def _pieces(group: list[int], wanted: Sequence[Sequence[Tag]]) -> Iterator[list[int]]:
    piece: list[int] = []
    texts: set[tuple[str, bytes]] = set()
    for place in group:
        mine = {_mark(tag) for tag in wanted[place]}
        if piece and len(texts | mine) > MOST_TEXTS:
            yield piece
            piece, texts = [], set()
        piece.append(place)
        texts |= mine
    yield piece
