"""The whole run over music on a disk: read, decide, show, and, if it is asked for, write."""

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
"""Files of one folder that are decided together, and so held in memory: some 10 MB."""
_TEXT_TOGETHER = 32 << 20
"""And bytes of their texts; a file of lyrics has some kilobytes."""
LEAST_SURE = 0.9
"""Confidence that a change needs by default. Right changes of tags nearly all reach it; a single letter does not."""
_MOST_LISTED = 10_000
"""Files that the report lists."""


@dataclass(frozen=True, slots=True)
class MusicOptions:
    """What the user asked for.

    Attributes:
        paths: folders and files.
        journal: where to write what leads back; None to write nothing at all.
        id3v1: what becomes of ID3v1 tags.
        keep_mtime: whether files keep their time of modification.
        lists: suffixes of the lists that become UTF-8.
        min_confidence: 0 to 1; a change that is less sure stays undone.
        substitutions: what pairs of texts taught.
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
        long: media files with a text over 256 KB, which nothing looks at.
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
    long: int = 0
    links: int = 0
    leftovers: int = 0
    encodings: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    troubles: list[tuple[Path, str]] = field(default_factory=list)
    listed: list[dict[str, Any]] = field(default_factory=list)


class MusicObserver(Protocol):
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


def run(options: MusicOptions, watcher: MusicObserver) -> MusicSummary:
    """Look at music, and mend it if that is asked for.

    Args:
        options: of the user.
        watcher: is told what is found.

    Raises:
        JournalError: the journal cannot be written; what was written before stands in it.
    """
    with (
        UndoJournal(options.journal) if options.journal else nullcontext() as journal,
        ThreadPoolExecutor(options.jobs) as pool,
    ):
        work = _Run(options, watcher, journal, pool)
        for folder in folders(options.paths, options.lists):
            work.folder(folder)
    return work.outcome


def field_of(text: DecidedText, *, is_planned: bool) -> dict[str, Any]:
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


def _stays(text: DecidedText) -> str:
    if text.is_damaged:
        return "damaged"
    return "unwritable" if text.is_wrong else text.decision


@dataclass(slots=True)
class _Seen:
    """A file that was looked at, of which nothing has been told yet.

    Attributes:
        path: of the file.
        fields: its texts that are wrong or doubtful, as `field_of` makes them.
        task: how it is written; None if nothing is.
        why: why nothing can be said of it; empty if it was read.
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
        self, options: MusicOptions, watcher: MusicObserver, journal: UndoJournal | None, pool: Executor
    ) -> None:
        self.outcome = MusicSummary()
        self._options = options
        self._watcher = watcher
        self._journal = journal
        self._pool = pool
        self._decider = Decider(min_confidence=options.min_confidence, substitutions=options.substitutions)

    def folder(self, folder: Folder) -> None:
        """Look at one folder."""
        self.outcome.links += folder.links
        if folder.why:
            self._trouble(folder.path, folder.why)
        if self._journal:
            self.outcome.leftovers += sum(map(remove_leftover, folder.leftovers))
        for files in _blocks(folder.files):
            self._write(map(self._file, self._decider.decide(files)))
        for path in folder.lists:
            # One by one: a list is held in memory.
            self._write([self._list(path)])

    def _file(self, decided: DecidedFile) -> _Seen:
        file, outcome = decided.file, self.outcome
        outcome.files += 1
        if file.why:
            return _Seen(file.path, why=file.why)
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
        seen = _Seen(file.path, fields)
        if plan:
            changed = seen.changed
            self._count(changed)
            seen.task = Task(file.path, lambda draft: self._changed(decided, plan, changed, draft))
        return seen

    def _list(self, path: Path) -> _Seen:
        self.outcome.files += 1
        try:
            data = read_list(path)
            found = new_list(path, data)
        except RefusedError as error:
            return _Seen(path, why=str(error))
        except OSError as error:
            return _Seen(path, why=f"it cannot be read: {error.strerror or error}")
        if found is None:
            return _Seen(path)
        fields = [_line_of(path, found, number, old, new) for number, old, new in found.lines]
        self.outcome.texts += len(fields)
        if found.confidence < self._options.min_confidence:
            self.outcome.undecided += len(fields)
            return _Seen(path, [{**each, "new": None, "decision": "undecided"} for each in fields])
        self._count(fields)
        return _Seen(path, fields, Task(path, lambda draft: _changed_list(found, data, fields, draft)))

    def _count(self, fields: Iterable[Mapping[str, Any]]) -> None:
        for each in fields:
            self.outcome.mended += 1
            self.outcome.encodings[each["encoding"]] += 1
            self.outcome.languages[each["language"]] += bool(each["language"])

    def _write(self, files: Iterable[_Seen]) -> None:
        """Writes files, if files are written; whatever comes in the way is told, and the run goes on."""
        for batch in batches(files, lambda seen: seen.task):
            tasks = [seen.task for seen in batch if seen.task]
            if self._journal:
                write_together(tasks, self._journal, self._pool, keep_mtime=self._options.keep_mtime)
            for seen in batch:
                self._tell(seen)

    def _tell(self, seen: _Seen) -> None:
        """Tells of a file what was found, and what became of it."""
        if seen.fields:
            self._watcher.file(seen.path, seen.fields)
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
        """Writes the tags of a draft; gives the line of the journal that leads back."""
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
        self._watcher.trouble(path, why)


def _changed_list(found: NewList, data: bytes, fields: Sequence[Mapping[str, Any]], draft: Draft) -> dict[str, Any]:
    """Writes a draft of a list; gives the line of the journal that leads back."""
    old = draft.path.read_bytes()
    if old != data:
        raise RefusedError("another program changed it meanwhile")
    draft.path.write_bytes(found.data)
    compared = audio.compare(old, found.data, "")
    assert compared is not None  # a list has no audio
    return line_of(draft, fields, "", compared)


def _unwritable(path: Path) -> str:
    """Why a file could not be written; empty if it could."""
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
