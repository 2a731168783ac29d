"""A run over music on a disk: reads, decides, reports, and on request writes."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.music import audio
from mediacrawl.music.batches import Task, batches, write_together
from mediacrawl.music.deciding import DecidedFile, DecidedText, Decider
from mediacrawl.music.delta import mapped
from mediacrawl.music.journal import UndoJournal, line_of
from mediacrawl.music.playlists import NewList, new_list, read_list
from mediacrawl.music.reading import Folder, TaggedFile, folders, read_tags
from mediacrawl.music.replacing import Draft, RefusedError, refuse_unwritable, remove_leftover
from mediacrawl.music.writing import Id3v1, TagPlan, is_writable, tag_plan, write_tags

_TOGETHER = 1000
"""Files of one folder that are decided jointly, and so held in memory: some 10 MB."""
_TEXT_TOGETHER = 32 << 20
"""Bytes of their texts; a file with lyrics has some kilobytes."""
LEAST_SURE = 0.9
"""Default confidence for a change. Nearly all correct changes of tags reach it; a single letter does not."""
_MOST_LISTED = 10_000
"""Files in the report."""


@dataclass(frozen=True, slots=True)
class MusicOptions:
    """Options of the user.

    Attributes:
        paths: folders and files.
        journal: file for the undo information; None to write nothing at all.
        id3v1: whether ID3v1 tags are kept, rewritten or removed.
        keep_mtime: whether files keep their modification time.
        lists: suffixes of the lists that are converted to UTF-8.
        min_confidence: 0 to 1, below which a change is not made.
        substitutions: learned from pairs of texts.
        jobs: threads that write.
    """

    paths: Sequence[Path]
    journal: Path | None = None
    id3v1: Id3v1 = "keep"
    keep_mtime: bool = False
    lists: frozenset[str] = frozenset()
    min_confidence: float = LEAST_SURE
    substitutions: Substitutions | None = None
    jobs: int = 1


@dataclass(slots=True)
class MusicSummary:
    """Counts and details of a run.

    Attributes:
        files: media files and lists that were examined.
        wrong: files with a text to repair.
        written: files that were written.
        texts: texts beyond ASCII.
        mended: texts that change.
        undecided: texts with a more likely decoding of insufficient confidence.
        damaged: texts that have lost characters, which are not written.
        unwritable: wrong texts in fields that cannot be written; see `writing.is_writable`.
        long: media files with a text over 256 KB, which is not read.
        links: symbolic links, not followed.
        leftovers: removed copies of killed runs.
        encodings: number of changed texts by their encoding.
        languages: number of changed texts by language.
        troubles: files that could not be read or written, with the reason.
        listed: the first 10,000 wrong files and their fields, for the report.
    """

    files: int = 0
    wrong: int = 0
    written: int = 0
    texts: int = 0
    mended: int = 0
    undecided: int = 0
    damaged: int = 0
    unwritable: int = 0
    long: int = 0
    links: int = 0
    leftovers: int = 0
    encodings: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    troubles: list[tuple[Path, str]] = field(default_factory=list)
    listed: list[dict[str, Any]] = field(default_factory=list)


class MusicObserver(Protocol):
    """Receives the events of a run."""

    def file(self, path: Path, fields: Sequence[Mapping[str, Any]]) -> None:
        """Called for a file with wrong or uncertain texts.

        Args:
            path: of the file.
            fields: as `field_of` makes them.
        """

    def trouble(self, path: Path, why: str) -> None:
        """Called for a file that is not changed because of an error.

        Args:
            path: of the file.
            why: the second half of a sentence.
        """


def run(options: MusicOptions, observer: MusicObserver) -> MusicSummary:
    """Examine music, and repair it on request.

    Args:
        options: of the user.
        observer: receives the events.

    Raises:
        JournalError: the journal cannot be written; it lists the files written before.
    """
    with (
        UndoJournal(options.journal) if options.journal else nullcontext() as journal,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        work = _Run(options, observer, journal, pool)
        for folder in folders(options.paths, options.lists):
            work.folder(folder)
    return work.outcome


def field_of(text: DecidedText, *, is_planned: bool) -> dict[str, Any]:
    """Returns one text for the report and the table.

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
        "decision": "fixed" if is_planned else _decision(text),
    }


def _decision(text: DecidedText) -> str:
    if text.is_damaged:
        return "damaged"
    return "unwritable" if text.is_wrong else text.decision


@dataclass(slots=True)
class _Examined:
    """A file that was examined and not reported yet.

    Attributes:
        path: of the file.
        fields: its wrong or uncertain texts, see `field_of`.
        task: that writes it; None without a change.
        why: the reason it was not read; empty otherwise.
    """

    path: Path
    fields: list[dict[str, Any]] = field(default_factory=list)
    task: Task | None = None
    why: str = ""

    @property
    def changed(self) -> list[dict[str, Any]]:
        """The fields that change."""
        return [each for each in self.fields if each["new"] is not None]


class _Run:
    """One run."""

    def __init__(
        self, options: MusicOptions, observer: MusicObserver, journal: UndoJournal | None, pool: Executor
    ) -> None:
        self.outcome = MusicSummary()
        self._options = options
        self._observer = observer
        self._journal = journal
        self._pool = pool
        self._decider = Decider(min_confidence=options.min_confidence, substitutions=options.substitutions)

    def folder(self, folder: Folder) -> None:
        """Examine one folder."""
        self.outcome.links += folder.links
        if folder.why:
            self._trouble(folder.path, folder.why)
        if self._journal:
            self.outcome.leftovers += sum(map(remove_leftover, folder.leftovers))
        for files in _blocks(folder.files):
            self._write(map(self._file, self._decider.decide(files)))
        for path in folder.lists:
            # One by one, since a list is held in memory.
            self._write([self._list(path)])

    def _file(self, decided: DecidedFile) -> _Examined:
        file, outcome = decided.file, self.outcome
        outcome.files += 1
        if file.why:
            return _Examined(file.path, why=file.why)
        plan = tag_plan(decided, self._options.id3v1)
        planned = {id(text) for text in plan.fields} if plan else set()
        undecided = [text for text in decided.texts if text.decision == "undecided"]
        damaged = [text for text in decided.texts if text.is_damaged and text.decision != "declared"]
        outcome.texts += len(decided.texts)
        outcome.undecided += len(undecided)
        stuck = [text for text in decided.texts if text.is_wrong and not is_writable(text)]
        outcome.damaged += len(damaged)
        outcome.unwritable += len(stuck)
        outcome.long += "limit:text" in file.notes
        shown = {id(text) for text in (*undecided, *damaged, *stuck)} | planned
        fields = [field_of(text, is_planned=id(text) in planned) for text in decided.texts if id(text) in shown]
        seen = _Examined(file.path, fields)
        if plan:
            changed = seen.changed
            self._count(changed)
            seen.task = Task(file.path, lambda draft: self._changed(decided, plan, changed, draft))
        return seen

    def _list(self, path: Path) -> _Examined:
        self.outcome.files += 1
        try:
            data = read_list(path)
            found = new_list(path, data)
        except RefusedError as error:
            return _Examined(path, why=str(error))
        except OSError as error:
            return _Examined(path, why=f"it cannot be read: {error.strerror or error}")
        if found is None:
            return _Examined(path)
        fields = [_line_of(path, found, number, old, new) for number, old, new in found.lines]
        self.outcome.texts += len(fields)
        if found.confidence < self._options.min_confidence:
            self.outcome.undecided += len(fields)
            return _Examined(path, [{**each, "new": None, "decision": "undecided"} for each in fields])
        self._count(fields)
        return _Examined(path, fields, Task(path, lambda draft: _changed_list(found, data, fields, draft)))

    def _count(self, fields: Iterable[Mapping[str, Any]]) -> None:
        for each in fields:
            self.outcome.mended += 1
            self.outcome.encodings[each["encoding"]] += 1
            self.outcome.languages[each["language"]] += bool(each["language"])

    def _write(self, files: Iterable[_Examined]) -> None:
        """Writes files on request and reports them; errors do not end the run."""
        for batch in batches(files, lambda seen: seen.task):
            tasks = [seen.task for seen in batch if seen.task]
            if self._journal:
                write_together(tasks, self._journal, self._pool, keep_mtime=self._options.keep_mtime)
            for seen in batch:
                self._report(seen)

    def _report(self, seen: _Examined) -> None:
        """Reports one file."""
        if seen.fields:
            self._observer.file(seen.path, seen.fields)
        why = seen.why
        if seen.task:
            why = seen.task.why if self._journal else _unwritable(seen.path)
            written = self._journal is not None and not why
            self.outcome.wrong += 1
            self.outcome.written += written
            if len(self.outcome.listed) < _MOST_LISTED:
                self.outcome.listed.append({"path": str(seen.path), "written": written, "fields": seen.changed})
        if why:
            self._trouble(seen.path, why)

    def _changed(
        self, decided: DecidedFile, plan: TagPlan, fields: Sequence[Mapping[str, Any]], draft: Draft
    ) -> dict[str, Any]:
        """Writes the tags of a draft; returns the journal line that restores the file."""
        file = decided.file
        try:
            with mapped(file.path) as old:
                write_tags(draft.path, file, plan)
                with mapped(draft.path) as new:
                    compared = audio.compare(old, new, file.container)
        except audio.NoAudioError as error:
            raise RefusedError("it is damaged, and its audio cannot be told from its tags") from error
        if compared is None:
            raise RefusedError("its audio would not be the same")
        return line_of(draft, fields, file.container, compared)

    def _trouble(self, path: Path, why: str) -> None:
        self.outcome.troubles.append((path, why))
        self._observer.trouble(path, why)


def _changed_list(found: NewList, data: bytes, fields: Sequence[Mapping[str, Any]], draft: Draft) -> dict[str, Any]:
    """Writes a draft of a list; returns the journal line that restores it."""
    old = draft.path.read_bytes()
    if old != data:
        raise RefusedError("another program changed it meanwhile")
    draft.path.write_bytes(found.data)
    compared = audio.compare(old, found.data, "")
    assert compared is not None  # a list has no audio
    return line_of(draft, fields, "", compared)


def _unwritable(path: Path) -> str:
    """The reason why a file cannot be written; empty if it can."""
    try:
        refuse_unwritable(path)
    except RefusedError as error:
        return str(error)
    except OSError as error:
        return f"it cannot be written: {error.strerror or error}"
    return ""


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
    """Yields blocks of files that are held in memory together."""
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
