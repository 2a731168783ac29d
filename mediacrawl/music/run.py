"""A run over music on a disk: reads, decides, reports, and on request writes."""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.music.deciding import DecidedFile, DecidedText, Decider
from mediacrawl.music.lists import new_list, read_list
from mediacrawl.music.originals import Originals, RefusedError, draft_of, put, refuse_unwritable, remove_leftover
from mediacrawl.music.reading import Folder, TaggedFile, folders, read_tags
from mediacrawl.music.writing import Id3v1, is_writable, tag_plan, write_tags

LEAST_SURE = 0.9
"""Default confidence for a change. Nearly all correct changes of tags reach it; a single letter does not."""
_DECIDED_TOGETHER = 1000
"""Files of one folder that are decided jointly, and so held in memory: some 10 MB."""
_TEXT_TOGETHER = 32 << 20
"""Bytes of their texts; a file with lyrics has some kilobytes."""
_WRITTEN_TOGETHER = 32
"""Files of a folder that wait for the threads that write."""
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
        """Called for a file with wrong or uncertain texts, with those as `_field_of` makes them."""

    def trouble(self, path: Path, why: str) -> None:
        """Called for a file that is not changed because of an error; `why` is the second half of a sentence."""


def run(options: MusicOptions, observer: MusicObserver) -> MusicSummary:
    """Examine music, and repair it on request.

    Raises:
        OriginalsError: originals cannot be kept. Files that were written before are in the folder of originals.
    """
    originals = Originals(options.originals) if options.write and options.originals else None
    with closing(originals) if originals else nullcontext(), ThreadPoolExecutor(options.jobs) as pool:
        work = _Run(options, observer, originals, pool)
        for folder in folders(options.paths, options.lists):
            work.folder(folder)
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
        self.outcome.links += folder.links
        if folder.why:
            self._trouble(folder.path, folder.why)
        if self._options.write:
            self.outcome.leftovers += sum(map(remove_leftover, folder.leftovers))
        for files in _blocks(folder.files):
            self._write(map(self._file, self._decider.decide(files)))
        self._write(map(self._list, folder.lists))

    def _file(self, decided: DecidedFile) -> _Examined:
        file, outcome = decided.file, self.outcome
        outcome.files += 1
        if file.why:
            return _Examined(file.path, why=file.why)
        plan = tag_plan(decided, self._options.id3v1)
        planned = {id(text) for text in plan.fields} if plan else set()
        undecided = [text for text in decided.texts if text.decision == "undecided"]
        damaged = [text for text in decided.texts if text.is_damaged and text.decision != "declared"]
        stuck = [text for text in decided.texts if text.is_wrong and not is_writable(text)]
        outcome.texts += len(decided.texts)
        outcome.undecided += len(undecided)
        outcome.damaged += len(damaged)
        outcome.unwritable += len(stuck)
        outcome.long += "limit:text" in file.notes
        shown = {id(text) for text in (*undecided, *damaged, *stuck)} | planned
        fields = [_field_of(text, is_planned=id(text) in planned) for text in decided.texts if id(text) in shown]
        return _Examined(file.path, fields, (lambda copy: write_tags(copy, file, plan)) if plan else None)

    def _list(self, path: Path) -> _Examined:
        self.outcome.files += 1
        try:
            data = read_list(path)
            found = new_list(path, data)
        except (RefusedError, OSError) as error:
            why = f"it cannot be read: {error.strerror or error}" if isinstance(error, OSError) else str(error)
            return _Examined(path, why=why)
        if found is None:
            return _Examined(path)
        is_sure = found.confidence >= self._options.min_confidence
        self.outcome.texts += len(found.lines)
        self.outcome.undecided += 0 if is_sure else len(found.lines)
        fields = [
            {
                "source": path.suffix.lower().lstrip("."),
                "frame": f"line {number}",
                "key": f"line {number}",
                "old": old.decode("latin-1"),
                "new": new if is_sure else None,
                "old_b64": base64.b64encode(old).decode(),
                "encoding": found.encoding,
                "language": "",
                "confidence": found.confidence,
                "decision": "fixed" if is_sure else "undecided",
            }
            for number, old, new in found.lines
        ]

        def change(copy: Path) -> None:
            if copy.read_bytes() != data:
                raise RefusedError("another program changed it meanwhile")
            copy.write_bytes(found.data)

        return _Examined(path, fields, change if is_sure else None)

    def _write(self, files: Iterable[_Examined]) -> None:
        """Write files on request and report them; errors of one do not end the run."""
        left = iter(files)
        while block := list(islice(left, _WRITTEN_TOGETHER)):
            for seen, why in zip(block, self._pool.map(self._replace, block), strict=True):
                self._report(seen, why)

    def _replace(self, seen: _Examined) -> str:
        """Put the changed file in the place of the old one. Return why it stays as it is; empty if it was changed."""
        if seen.change is None:
            return seen.why
        try:
            if not self._options.write:
                refuse_unwritable(seen.path)
            else:
                with draft_of(seen.path) as draft:
                    seen.change(draft.path)
                    put(draft, self._originals, keep_mtime=self._options.keep_mtime)
        except RefusedError as error:
            return str(error)
        except OSError as error:
            return f"it cannot be written: {error.strerror or error}"
        return ""

    def _report(self, seen: _Examined, why: str) -> None:
        if seen.fields:
            self._observer.file(seen.path, seen.fields)
        if seen.change:
            changed = [each for each in seen.fields if each["new"] is not None]
            written = self._options.write and not why
            self.outcome.wrong += 1
            self.outcome.written += written
            for each in changed:
                self.outcome.mended += 1
                self.outcome.encodings[each["encoding"]] += 1
                self.outcome.languages[each["language"]] += bool(each["language"])
            if len(self.outcome.listed) < _MOST_LISTED:
                self.outcome.listed.append({"path": str(seen.path), "written": written, "fields": changed})
        if why:
            self._trouble(seen.path, why)

    def _trouble(self, path: Path, why: str) -> None:
        self.outcome.troubles.append((path, why))
        self._observer.trouble(path, why)


def _field_of(text: DecidedText, *, is_planned: bool) -> dict[str, Any]:
    """Return one text for the report and the table; `is_planned` if it changes."""
    tag = text.tag
    if is_planned:
        decision = "fixed"
    elif text.is_damaged:
        decision = "damaged"
    else:
        decision = "unwritable" if text.is_wrong else text.decision
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
