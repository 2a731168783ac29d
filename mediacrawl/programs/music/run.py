"""A run over music on a disk: reads, decides, reports, and on request writes."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from mediacrawl.encoding import Substitutions
from mediacrawl.programs.music.deciding import DecidedFile, DecidedText, Decider
from mediacrawl.programs.music.lists import new_list, read_list
from mediacrawl.programs.music.originals import Originals, RefusedError, refuse_unwritable, replace_file
from mediacrawl.programs.music.reading import Folder, TaggedFile, folders, read_tags
from mediacrawl.programs.music.writing import Id3v1, TagPlan, is_writable, tag_plan, write_tags

LEAST_SURE = 0.9
"""Default confidence for a change. Nearly all correct changes of tags reach it; a single letter does not."""
_DECIDED_TOGETHER = 1000
"""Files of one folder that are decided jointly, and so held in memory: some 10 MB."""
_TEXT_TOGETHER = 32 << 20
"""Bytes of their texts; a file with lyrics has some kilobytes."""
_COUNTED = ("files", "wrong", "written", "long", "texts", "fixed", "undecided", "damaged", "unwritable")
_MOST_LISTED = 10_000
"""Files in the report."""


@dataclass(frozen=True, slots=True)
class MusicOptions:
    """Options of the user.

    Attributes:
        paths: folders and files.
        write: whether files are changed.
        originals: folder that keeps the original files; None to keep none.
        id3v1: whether ID3v1 tags are kept, rewritten or removed.
        keep_mtime: whether files keep their modification time.
        lists: suffixes of the lists that are converted to UTF-8.
        min_confidence: 0 to 1, below which a change is not made.
        substitutions: learned from pairs of texts.
        jobs: threads that write.
    """

    paths: Sequence[Path]
    write: bool = False
    originals: Path | None = None
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
        counts: of ``files`` that were examined, have a text to repair (``wrong``), were ``written``, have a text over
            256 KB, which is not read (``long``); of ``texts`` beyond ASCII, and by decision: ``fixed``, ``undecided``,
            ``damaged`` (it has lost characters), ``unwritable`` (see `writing.is_writable`).
        encodings: number of changed texts by their encoding.
        languages: number of changed texts by language.
        troubles: files that could not be read or written, with the reason.
        listed: the first 10,000 wrong files and their fields, for the report.
    """

    counts: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(_COUNTED, 0)))
    encodings: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    troubles: list[tuple[Path, str]] = field(default_factory=list)
    listed: list[dict[str, Any]] = field(default_factory=list)


class MusicObserver(Protocol):
    """Receives the events of a run."""

    def file(self, path: Path, fields: Sequence[Mapping[str, Any]]) -> None:
        """Called for a file with wrong or uncertain texts, with those as `_field` makes them."""

    def trouble(self, path: Path, why: str) -> None:
        """Called for a file that is not changed because of an error; `why` is the second half of a sentence."""


def mend_music(options: MusicOptions, observer: MusicObserver) -> MusicSummary:
    """Examine music, and repair it on request.

    Raises:
        OriginalsError: originals cannot be kept. Files that were written before are in the folder of originals.
    """
    originals = Originals(options.originals) if options.write and options.originals else None
    with ThreadPoolExecutor(options.jobs) as pool:
        work = _Run(options, observer, originals, pool)
        try:
            for folder in folders(options.paths, options.lists):
                work.folder(folder)
        except BaseException:
            # Files that wait for a thread stay as they are.
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return work.outcome


@dataclass(slots=True)
class _Examined:
    """A file that was examined: its wrong or uncertain texts, what changes a copy of it, and why it is left."""

    path: Path
    fields: list[dict[str, Any]] = field(default_factory=list)
    change: Callable[[Path], None] | None = None
    why: str = ""


class _Run:
    """One run."""

    def __init__(
        self, options: MusicOptions, observer: MusicObserver, originals: Originals | None, pool: Executor
    ) -> None:
        self.outcome = MusicSummary()
        self._options = options
        self._observer = observer
        self._originals = originals
        self._pool = pool
        self._decider = Decider(min_confidence=options.min_confidence, substitutions=options.substitutions)

    def folder(self, folder: Folder) -> None:
        """Examine one folder."""
        if folder.why:
            self._trouble(folder.path, folder.why)
        for draft in folder.leftovers if self._options.write else ():
            with suppress(OSError):
                draft.unlink()
        for files in _blocks(folder.files):
            self._write([self._file(decided) for decided in self._decider.decide(files)])
        self._write([self._list(path) for path in folder.lists])

    def _file(self, decided: DecidedFile) -> _Examined:
        file = decided.file
        if file.why:
            return _Examined(file.path, why=file.why)
        plan = tag_plan(decided, self._options.id3v1)
        self.outcome.counts["texts"] += len(decided.texts)
        self.outcome.counts["long"] += "limit:text" in file.notes
        fields = [_field(text, decision) for text in decided.texts if (decision := _shown(text, plan))]
        return _Examined(file.path, fields, (lambda copy: write_tags(copy, file, plan)) if plan else None)

    def _list(self, path: Path) -> _Examined:
        try:
            data = read_list(path)
            found = new_list(path, data)
        except OSError as error:
            return _Examined(path, why=f"it cannot be read: {error.strerror or error}")
        except RefusedError as error:
            return _Examined(path, why=str(error))
        if found is None:
            return _Examined(path)
        self.outcome.counts["texts"] += len(found.lines)
        is_sure = found.confidence >= self._options.min_confidence
        fields = [_field(line, "fixed" if is_sure else "undecided") for line in found.lines]

        def change(copy: Path) -> None:
            if copy.read_bytes() != data:
                raise RefusedError("another program changed it meanwhile")
            copy.write_bytes(found.data)

        return _Examined(path, fields, change if is_sure else None)

    def _write(self, files: Sequence[_Examined]) -> None:
        """Write files on request and report them; errors of one do not end the run."""
        for seen, why in zip(files, self._pool.map(self._replace, files), strict=True):
            self._report(seen, why)

    def _replace(self, seen: _Examined) -> str:
        """Put the changed file in the place of the old one. Return why it stays as it is; empty if it was changed."""
        if seen.change is None:
            return seen.why
        try:
            if self._options.write:
                replace_file(seen.path, seen.change, self._originals, keep_mtime=self._options.keep_mtime)
            else:
                refuse_unwritable(seen.path)
        except RefusedError as error:
            return str(error)
        except OSError as error:
            return f"it cannot be written: {error.strerror or error}"
        return ""

    def _report(self, seen: _Examined, why: str) -> None:
        outcome = self.outcome
        outcome.counts["files"] += 1
        outcome.counts.update(each["decision"] for each in seen.fields)
        if seen.fields:
            self._observer.file(seen.path, seen.fields)
        if seen.change:
            changed = [each for each in seen.fields if each["new"] is not None]
            written = self._options.write and not why
            outcome.counts["wrong"] += 1
            outcome.counts["written"] += written
            outcome.encodings.update(each["encoding"] for each in changed)
            outcome.languages.update(each["language"] for each in changed if each["language"])
            if len(outcome.listed) < _MOST_LISTED:
                outcome.listed.append({"path": str(seen.path), "written": written, "fields": changed})
        if why:
            self._trouble(seen.path, why)

    def _trouble(self, path: Path, why: str) -> None:
        self.outcome.troubles.append((path, why))
        self._observer.trouble(path, why)


def _shown(text: DecidedText, plan: TagPlan | None) -> str:
    """Return the decision about a text as it is reported; empty for a text that is right."""
    if plan and any(text is each for each in plan.texts):
        return "fixed"
    if text.is_damaged and text.decision != "declared":
        return "damaged"
    if text.is_wrong and not is_writable(text):
        return "unwritable"
    return "undecided" if text.decision == "undecided" else ""


def _field(text: DecidedText, decision: str) -> dict[str, Any]:
    """Return one text for the report and the table."""
    tag = text.tag
    return {
        "source": tag.source,
        "frame": tag.frame,
        "key": tag.key,
        "old": text.before,
        "new": text.text if decision == "fixed" else None,
        "old_b64": base64.b64encode(tag.raw).decode(),
        "encoding": str(text.element.get("encoding") or ""),
        "language": str(text.element.get("language") or ""),
        "confidence": text.confidence,
        "decision": decision,
    }


def _blocks(paths: Iterable[Path]) -> Iterator[list[TaggedFile]]:
    """Yield blocks of files that are held in memory together."""
    block: list[TaggedFile] = []
    size = 0
    for path in paths:
        block.append(read_tags(path))
        size += sum(len(tag.raw) for tag in block[-1].tags)
        if len(block) == _DECIDED_TOGETHER or size >= _TEXT_TOGETHER:
            yield block
            block, size = [], 0
    if block:
        yield block
