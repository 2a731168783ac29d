"""Decides jointly which texts of a folder's files are wrong.

Files that share an album, or an artist if they have none (the same bytes), were mostly tagged by one program, so the
distinct texts of such a group are decided as one record. Confident decisions of other groups in the folder are
evidence, as the history of a host is in a crawl. A file whose own texts contradict its group with high confidence keeps
its own decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.base.charsets import clean, wide_order
from mediacrawl.base.evidence import tag_element
from mediacrawl.base.terms import Tag
from mediacrawl.encoding import History, Substitutions
from mediacrawl.programs.music.reading import TaggedFile
from mediacrawl.record import Fixer

MOST_TEXTS = 192
"""Distinct texts that are decided as one record; `Fixer` takes 256 of a record, and decides 64 at a time."""
_SHARED = ("album", "albumartist", "artist")
_OWN_MARGIN = 8.0
"""Nats by which a file's own texts must contradict the decision of its group."""
_DOUBTFUL = 0.9
"""Confidence below which a group is decided again with evidence of the rest of its folder."""
_ESCAPE = b"\x1b"
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
_SHIFTS = b"\x0e\x0f"
"""Controls that ISO-2022 has besides the escape."""

Element = dict[str, Any]


@dataclass(slots=True)
class DecidedText:
    """One text beyond ASCII of a file, and the decision about it, see `mediacrawl.base.evidence`."""

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
            again = len(groups) > 1 and any(
                element.get("decision") == "undecided" or float(element.get("confidence") or 1.0) < _DOUBTFUL
                for element in texts.values()
            )
            # The same URL, so that a group is no evidence for itself.
            final = self._group(fixer, f"http://folder/{number}", wanted, group) if again else texts
            for place in group:
                mine = [DecidedText(tag, final[_mark(tag)]) for tag in wanted[place]]
                decided[place] = self._own(mine) if len(group) > 1 else mine
        return [DecidedFile(file, decided.get(place, [])) for place, file in enumerate(files)]

    def _group(
        self, fixer: Fixer, url: str, wanted: Sequence[Sequence[Tag]], group: Iterable[int]
    ) -> dict[tuple[str, bytes], Element]:
        """Decide the distinct texts of some files as one record."""
        elements = {_mark(tag): tag for place in group for tag in wanted[place]}
        made = {mark: tag_element(tag) for mark, tag in elements.items()}
        fixer.fix({"content_url": url, "tags": list(made.values())})
        return made

    def _own(self, texts: list[DecidedText]) -> list[DecidedText]:
        """Return the texts of a file of a group, by its own decision where that differs with high confidence."""
        if not any(text.tag.declared not in {"utf-8", "utf-16"} for text in texts):
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
    """Return whether a value is a text beyond ASCII. Hashes and parameters of programs contain control characters."""
    raw = tag.raw.rstrip(b"\0")
    if tag.text.isascii() and _ESCAPE not in raw and "\0" not in tag.text:
        return False
    if tag.declared.startswith("utf-16") or wide_order(tag.raw, least=2):
        return True
    return not _CONTROLS.search(raw.translate(None, _SHIFTS) if _ESCAPE in raw else raw)


def _mark(tag: Tag) -> tuple[str, bytes]:
    return tag.declared, tag.raw


def _groups(files: Sequence[TaggedFile], wanted: Sequence[Sequence[Tag]]) -> Iterator[list[int]]:
    """Yield indexes of files that are decided jointly: those of one album or artist, in pieces of `MOST_TEXTS`."""
    together: dict[object, list[int]] = {}
    for place, file in enumerate(files):
        if wanted[place]:
            together.setdefault(_tie(file.tags) or place, []).append(place)
    for group in together.values():
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


def _tie(tags: Iterable[Tag]) -> object:
    """Return what a file shares with others of its group; None if it shares nothing.

    ASCII names are ambiguous (``Greatest Hits``), so for them artist and album must agree.
    """
    values = {tag.key: tag for tag in reversed(list(tags)) if tag.key in _SHARED and tag.raw}
    for key in _SHARED:
        if key in values and _wants(values[key]):
            return _mark(values[key])
    return (values["album"].raw, values["artist"].raw) if {"album", "artist"} <= set(values) else None
