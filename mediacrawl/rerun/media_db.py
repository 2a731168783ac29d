"""Our catalogue as input, as output, and in place.

In place, each block is one transaction that also stores the state of the run (the note of `store.bulk`). A kill leaves
the catalogue consistent, with every record either old or new, and with the note; the same command resumes. A crawl may
write meanwhile: its changes take precedence, and its new records are decided already.

A new catalogue is filled under the name ``OUT.part``, likewise with a note, and renamed at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediacrawl.observe.archive import sync_folder
from mediacrawl.rerun import json_lines
from mediacrawl.rerun.blocks import (
    BLOCK_RECORDS,
    Block,
    BlockRecord,
    BlockWriter,
    Location,
    PackedBlock,
    Position,
    RecordSink,
    RerunError,
    RunState,
    explained,
)
from mediacrawl.rerun.output_file import sibling
from mediacrawl.store import StoreError
from mediacrawl.store.bulk import BulkCatalogue, StoredRow, kept_row, stored_record, typed
from mediacrawl.store.catalogue import MARK_SUFFIX as MARK

_LOGS = ("-wal", "-shm")


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise RerunError(str(error)) from error


class CatalogueSource:
    """The records of a catalogue in the order in which they were first stored, without those added meanwhile."""

    can_resume = True

    def __init__(self, where: Location) -> None:
        self.where = where
        with _explained():
            self._catalogue = BulkCatalogue(where.root, read_only=True)
            self.total = self._catalogue.count()
            self._until = self._catalogue.last_number()
        self.reader = StoredReader()

    def identity(self) -> RunState:
        """See `blocks.RecordSource`. A catalogue may grow between two runs, so only its path counts."""
        return {"name": self.where.name}

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `blocks.RecordSource`; a position is the number of the last row, and of the last one to read."""
        last, until = after if isinstance(after, list) else (0, self._until)
        with _explained():
            while rows := self._catalogue.rows(last, until, BLOCK_RECORDS):
                last, begin, number = rows[-1][0], number, number + len(rows)
                yield Block(rows, begin, number, [last, until], number - 1)

    def close(self) -> None:
        self._catalogue.close()


@dataclass(frozen=True, slots=True)
class StoredReader:
    """Reads blocks of rows of a catalogue."""

    def read(self, block: Block) -> Iterator[BlockRecord]:
        for place, row in enumerate(block.data):
            yield BlockRecord(block.number + place, place, None, stored_record(row), origin=row)


@dataclass(frozen=True, slots=True)
class RowWriter(BlockWriter):
    """Converts records to rows.

    Attributes:
        now: seconds since the epoch, for records without a time.
        in_place: only changed records are written, each with its old row.
        texts: the input has only texts; numbers are parsed.
    """

    now: float
    in_place: bool = False
    texts: bool = False

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - the protocol's
        if self.in_place:
            return PackedBlock(
                [(entry.origin, kept_row(entry.record or {}, 0.0)) for entry in entries if entry.changed]
            )
        rows = [self._row(entry) for entry in entries]
        rejected = [_as_line(entry) for entry, row in zip(entries, rows, strict=True) if row is None]
        return PackedBlock([row for row in rows if row is not None], b"".join(rejected))

    def _row(self, entry: BlockRecord) -> dict[str, Any] | None:
        if entry.record is None:
            return None
        try:
            return kept_row(typed(entry.record) if self.texts else entry.record, self.now)
        except ValueError:
            entry.problem = "no content_url"
            return None


def _as_line(entry: BlockRecord) -> bytes:
    if entry.raw is None and entry.record is not None:
        return json_lines.dump(entry.record) + b"\n"
    return entry.raw or b""


class _Noted(RecordSink):
    """The note of a catalogue as the state of a run."""

    def __init__(self) -> None:
        self._catalogue: BulkCatalogue | None = None
        self._note: str | None = None

    def _state(self) -> RunState | None:
        assert self._catalogue is not None
        self._note = self._catalogue.note()
        if self._note is None:
            return None
        try:
            state = json.loads(self._note)
        except ValueError:
            state = None
        if not isinstance(state, dict):
            raise RerunError(f"The note of an earlier run in {self._catalogue.path} is damaged. Begin with --restart.")
        return state

    def close(self) -> None:
        if self._catalogue is not None:
            with _explained():
                self._catalogue.close()


class InPlace(_Noted):
    """The catalogue that is read, updated."""

    def __init__(self, where: Location) -> None:
        super().__init__()
        self._where = where
        self.overtaken = 0
        """Records that another program changed while they were decided."""

    def begin(self, *, restart: bool) -> RunState | None:
        with _explained():
            self._catalogue = BulkCatalogue(self._where.root)
            if restart:
                self._catalogue.drop_note()
            return self._state()

    def put(self, data: Sequence[tuple[StoredRow, dict[str, Any]]] | None, state: RunState | None) -> None:
        assert self._catalogue is not None
        note = json.dumps(state)
        with _explained():
            written = self._catalogue.rewrite(data or (), self._note, note)
        self.overtaken += len(data or ()) - written
        self._note = note

    def finish(self) -> None:
        assert self._catalogue is not None
        with _explained():
            self._catalogue.drop_note()


class NewCatalogue(_Noted):
    """A new catalogue."""

    def __init__(self, where: Location) -> None:
        super().__init__()
        self._path = where.root
        self._part = sibling(self._path, ".part")

    def begin(self, *, restart: bool) -> RunState | None:
        if self._part.is_symlink():
            raise RerunError(f"{self._part} is a link. Move it away.")
        with _explained():
            if not restart and not self._part.exists() and (state := self._finished()):
                return state
            self._catalogue = BulkCatalogue(self._part)
            if self._catalogue.note() is None and self._catalogue.count():
                raise RerunError(f"{self._part} is in the way, and is not of an earlier run. Move it away.")
            if not restart:
                return self._state()
            self._catalogue.close()
            _remove(self._part, "", *_LOGS)
            self._catalogue = BulkCatalogue(self._part)
            return self._state()

    def is_taken(self, *, restart: bool) -> bool:
        return self._path.exists() and (restart or not (self._part.exists() or self._finished()))

    def _finished(self) -> RunState | None:
        """The state of a run that was killed before it removed its note."""
        try:
            with BulkCatalogue(self._path, read_only=True) as catalogue:
                self._catalogue = catalogue
                state = self._state()
        except StoreError:
            return None
        return state if state and state.get("finished") else None

    def put(self, data: Sequence[dict[str, Any]] | None, state: RunState | None) -> None:
        assert self._catalogue is not None
        # A part of a line that is too long is not stored.
        if state is None:
            return
        note = json.dumps(state)
        with _explained():
            self._catalogue.fill(data or (), self._note, note)
        self._note = note

    def finish(self) -> None:
        assert self._catalogue is not None
        with explained(f"{self._path} cannot be written"):
            if self._part.exists():
                self._catalogue.close()
                # SQLite would apply the log of an old file of this name, and the mark would not match.
                _remove(self._path, *_LOGS, MARK)
                self._part.replace(self._path)
                sync_folder(self._path.parent)
            with _explained(), BulkCatalogue(self._path) as catalogue:
                catalogue.drop_note()


def _remove(path: Path, *endings: str) -> None:
    for ending in endings:
        sibling(path, ending).unlink(missing_ok=True)
