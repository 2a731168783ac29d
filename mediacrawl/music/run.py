"""The whole run over music on a disk: read, decide, show, and, if it is asked for, write."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mediacrawl.encoding.substitutions import Substitutions
from mediacrawl.music import audio
from mediacrawl.music.deciding import Decided, Decider, Text
from mediacrawl.music.journal import Journal, line_of
from mediacrawl.music.mapping import mapped
from mediacrawl.music.playlists import NewList, new_list, read_list
from mediacrawl.music.reading import TaggedFile, read_tags
from mediacrawl.music.replacing import Draft, RefusedError, draft_of, put, refuse_unwritable, remove_leftover, sync
from mediacrawl.music.walking import Folder, folders
from mediacrawl.music.writing import Id3v1, Plan, is_writable, plan_of, write_tags

_TOGETHER = 1000
"""Files of one folder that are decided together, and so held in memory: some 10 MB."""
_TEXT_TOGETHER = 32 << 20
"""And bytes of their texts; a file of lyrics has some kilobytes."""
_MOST_LISTED = 10_000
"""Files that the report lists."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user asked for.

    Attributes:
        paths: folders and files.
        journal: where to write what leads back; None to write nothing at all.
        id3v1: what becomes of ID3v1 tags.
        keep_mtime: whether files keep their time of modification.
        lists: suffixes of the lists that become UTF-8.
        min_confidence: 0 to 1; a change that is less sure stays undone.
        substitutions: what pairs of texts taught.
    """

    paths: Sequence[Path]
    journal: Path | None = None
    id3v1: Id3v1 = "keep"
    keep_mtime: bool = False
    lists: frozenset[str] = frozenset()
    min_confidence: float = 0.0
    substitutions: Substitutions | None = None


@dataclass(slots=True)
class Outcome:
    """What a run came to.

    Attributes:
        files: media files and lists that were looked at.
        wrong: of them, those with something to be mended.
        written: of them, those that were written.
        texts: texts that are not plain ASCII.
        mended: of them, those that change.
        undecided: of them, those that another reading fits better, but not surely.
        damaged: of them, those that have lost characters, which is not written.
        unwritable: of them, those that are wrong where nothing here writes; see `writing.is_writable`.
        links: symbolic links, left alone.
        leftovers: copies that a killed run had left, removed.
        encodings: how many texts change, by the encoding they are in.
        languages: how many texts change, by language.
        troubles: files that could not be read or written, and why.
        listed: the files of `wrong` and their fields, as the report has them; the first 10,000.
    """

    files: int = 0
    wrong: int = 0
    written: int = 0
    texts: int = 0
    mended: int = 0
    undecided: int = 0
    damaged: int = 0
    unwritable: int = 0
    links: int = 0
    leftovers: int = 0
    encodings: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    troubles: list[tuple[Path, str]] = field(default_factory=list)
    listed: list[dict[str, Any]] = field(default_factory=list)


class Watcher(Protocol):
    """What is told of a run while it goes on."""

    def file(self, path: Path, fields: Sequence[Mapping[str, Any]]) -> None:
        """A file has texts that are wrong, or doubtful.

        Args:
            path: of the file.
            fields: as `field_of` makes them.
        """

    def trouble(self, path: Path, why: str) -> None:
        """A file is left as it is.

        Args:
            path: of the file.
            why: the second half of a sentence.
        """


def run(wishes: Wishes, watcher: Watcher) -> Outcome:
    """Look at music, and mend it if that is asked for.

    Args:
        wishes: of the user.
        watcher: is told what is found.

    Raises:
        JournalError: the journal cannot be written; what was written before stands in it.
    """
    with Journal(wishes.journal) if wishes.journal else nullcontext() as journal:
        work = _Run(wishes, watcher, journal)
        for folder in folders(wishes.paths, wishes.lists):
            work.folder(folder)
    return work.outcome


def field_of(text: Text, *, is_planned: bool) -> dict[str, Any]:
    """One text, as the report and the table have it.

    Args:
        text: of a file.
        is_planned: whether it changes.
    """
    tag = text.tag
    return {
        "source": tag.source,
        "frame": tag.frame,
        "key": tag.key,
        "old": text.before,
        "new": text.text if is_planned else None,
        "old_b64": base64.b64encode(tag.raw).decode(),
        "encoding": str(text.element.get("encoding") or ""),
        "language": str(text.element.get("language") or ""),
        "confidence": text.confidence,
        "decision": "fixed" if is_planned else _stays(text),
    }


def _stays(text: Text) -> str:
    if text.is_damaged:
        return "damaged"
    return "unwritable" if text.is_wrong else text.decision


class _Run:
    """One run."""

    def __init__(self, wishes: Wishes, watcher: Watcher, journal: Journal | None) -> None:
        self.outcome = Outcome()
        self._wishes = wishes
        self._watcher = watcher
        self._journal = journal
        self._decider = Decider(min_confidence=wishes.min_confidence, substitutions=wishes.substitutions)

    def folder(self, folder: Folder) -> None:
        """Look at one folder."""
        self.outcome.links += folder.links
        if folder.why:
            self._trouble(folder.path, folder.why)
        if self._journal:
            self.outcome.leftovers += sum(map(remove_leftover, folder.leftovers))
        for files in _blocks(folder.files):
            for decided in self._decider.decide(files):
                self._file(decided)
        for path in folder.lists:
            self._list(path)

    def _file(self, decided: Decided) -> None:
        file, outcome = decided.file, self.outcome
        outcome.files += 1
        if file.why:
            self._trouble(file.path, file.why)
            return
        plan = plan_of(decided, self._wishes.id3v1)
        planned = {id(text) for text in plan.fields} if plan else set()
        undecided = [text for text in decided.texts if text.decision == "undecided"]
        damaged = [text for text in decided.texts if text.is_damaged and text.decision != "declared"]
        outcome.texts += len(decided.texts)
        outcome.undecided += len(undecided)
        stuck = [text for text in decided.texts if text.is_wrong and not is_writable(text)]
        outcome.damaged += len(damaged)
        outcome.unwritable += len(stuck)
        shown = {id(text) for text in (*undecided, *damaged, *stuck)} | planned
        fields = [field_of(text, is_planned=id(text) in planned) for text in decided.texts if id(text) in shown]
        if fields:
            self._watcher.file(file.path, fields)
        if plan:
            changed = [each for each in fields if each["new"] is not None]
            self._count(changed)
            self._mended(file.path, changed, lambda: self._write_tags(decided, plan, changed))

    def _list(self, path: Path) -> None:
        self.outcome.files += 1
        try:
            data = read_list(path)
            found = new_list(path, data)
        except RefusedError as error:
            self._trouble(path, str(error))
            return
        except OSError as error:
            self._trouble(path, f"it cannot be read: {error.strerror or error}")
            return
        if found is None or found.confidence < self._wishes.min_confidence:
            return
        fields = [_line_of(path, found, number, old, new) for number, old, new in found.lines]
        self.outcome.texts += len(fields)
        self._watcher.file(path, fields)
        self._count(fields)
        self._mended(path, fields, lambda: self._write_list(path, found, data, fields))

    def _count(self, fields: Iterable[Mapping[str, Any]]) -> None:
        for each in fields:
            self.outcome.mended += 1
            self.outcome.encodings[each["encoding"]] += 1
            self.outcome.languages[each["language"]] += bool(each["language"])

    def _mended(self, path: Path, fields: list[dict[str, Any]], write: Any) -> None:
        """Writes a file, if files are written; whatever comes in the way is told, and the run goes on."""
        self.outcome.wrong += 1
        entry = {"path": str(path), "written": False, "fields": fields}
        if len(self.outcome.listed) < _MOST_LISTED:
            self.outcome.listed.append(entry)
        try:
            if self._journal is None:
                refuse_unwritable(path)
                return
            write()
            self.outcome.written += 1
            entry["written"] = True
        except RefusedError as error:
            self._trouble(path, str(error))
        except OSError as error:
            self._trouble(path, f"it cannot be written: {error.strerror or error}")

    def _write_tags(self, decided: Decided, plan: Plan, fields: Sequence[Mapping[str, Any]]) -> None:
        file = decided.file
        with draft_of(file.path) as draft:
            try:
                line = self._changed(decided, plan, fields, draft)
            except audio.NoAudioError as error:
                raise RefusedError("it is damaged, and its audio cannot be told from its tags") from error
            self._put(draft, line)

    def _changed(
        self, decided: Decided, plan: Plan, fields: Sequence[Mapping[str, Any]], draft: Draft
    ) -> dict[str, Any]:
        """Writes the tags of a draft; gives the line of the journal that leads back."""
        file = decided.file
        with mapped(file.path) as old:
            write_tags(draft.path, file, plan)
            with mapped(draft.path) as new:
                compared = audio.compare(old, new, file.container)
        if compared is None:
            raise RefusedError("its audio would not be the same")
        return line_of(draft, fields, file.container, compared)

    def _write_list(self, path: Path, found: NewList, data: bytes, fields: Sequence[Mapping[str, Any]]) -> None:
        with draft_of(path) as draft:
            old = draft.path.read_bytes()
            if old != data:
                raise RefusedError("another program changed it meanwhile")
            draft.path.write_bytes(found.data)
            compared = audio.compare(old, found.data, "")
            assert compared is not None  # a list has no audio
            self._put(draft, line_of(draft, fields, "", compared))

    def _put(self, draft: Draft, line: Mapping[str, Any]) -> None:
        """The order that a kill at any place may break off: the new file is safe, the way back is, then the rename."""
        assert self._journal is not None
        sync(draft.path)
        self._journal.add(line)
        put(draft, keep_mtime=self._wishes.keep_mtime)

    def _trouble(self, path: Path, why: str) -> None:
        self.outcome.troubles.append((path, why))
        self._watcher.trouble(path, why)


def _line_of(path: Path, found: NewList, number: int, old: bytes, new: str) -> dict[str, Any]:
    return {
        "source": path.suffix.lower().lstrip("."),
        "frame": f"line {number}",
        "key": f"line {number}",
        "old": old.decode("latin-1"),
        "new": new,
        "old_b64": base64.b64encode(old).decode(),
        "encoding": found.encoding,
        "language": "",
        "confidence": found.confidence,
        "decision": "fixed",
    }


def _blocks(paths: Iterable[Path]) -> Iterator[list[TaggedFile]]:
    """Files that are held in memory together."""
    block: list[TaggedFile] = []
    size = 0
    for path in paths:
        block.append(read_tags(path))
        size += sum(len(tag.raw) for tag in block[-1].tags)
        if len(block) == _TOGETHER or size >= _TEXT_TOGETHER:
            yield block
            block, size = [], 0
    if block:
        yield block
