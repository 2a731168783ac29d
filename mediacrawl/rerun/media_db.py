"""Our catalogue as input, as output, and in place.

A new catalogue is filled under the name ``OUT.new`` and renamed: a kill leaves the old one. In place, the changed
records are written back in transactions when all are decided: a kill leaves every record either old or new, and the
same command writes the rest. A crawl may write meanwhile: its changes take precedence, and its new records are decided
already.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgpack

from mediacrawl.rerun import blocks
from mediacrawl.rerun.blocks import (
    Block,
    BlockRecord,
    Location,
    PackedBlock,
    Position,
    Reader,
    RerunError,
    RunState,
    Writer,
    unpacked,
)
from mediacrawl.rerun.json_lines import dump
from mediacrawl.rerun.output_file import sibling
from mediacrawl.store import StoreError
from mediacrawl.store.bulk import BulkCatalogue, kept_row, stored_record, typed
from mediacrawl.store.catalogue import MARK_SUFFIX as MARK
from mediacrawl.store.rows import bound, from_database

_LOGS = ("-wal", "-shm")

_AT_ONCE = 1_000
"""Rows of one transaction."""


@contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise RerunError(str(error)) from error


class CatalogueReader(Reader):
    """The records of a catalogue in the order in which they were first stored, without those added meanwhile."""

    def __init__(self, where: Location) -> None:
        self.where = where
        with _explained():
            self._open = BulkCatalogue(where.root, read_only=True)
            self.total = self._open.count()
            self._until = self._open.last_number()

    def identity(self) -> RunState:
        """Return its path: a catalogue may grow between two runs."""
        return {"name": self.where.name}

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `Reader`; a position is the number of the last row, and of the last one to read."""
        last, until = after if isinstance(after, list) else (0, self._until)
        with _explained():
            while rows := self._open.rows(last, until, blocks.BLOCK_RECORDS):
                last, begin, number = rows[-1][0], number, number + len(rows)
                yield Block(rows, begin, number, [last, until], number - 1)

    def records(self, block: Block) -> Iterator[BlockRecord]:
        for place, row in enumerate(block.data):
            yield BlockRecord(block.number + place, place, None, stored_record(row), origin=row)


@dataclass(frozen=True, slots=True)
class CatalogueWriter(Writer):
    """Makes a new catalogue.

    Attributes:
        where: the file.
        now: seconds since the epoch, for records without a time.
        is_text: the input has only texts; numbers are parsed.
    """

    where: Location
    now: float = 0.0
    is_text: bool = False

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - of the interface
        made, rejected = [], []
        for entry in entries:
            record = entry.record
            try:
                if record is not None:
                    row = kept_row(typed(record) if self.is_text else record, self.now)
                    made.append(msgpack.packb(bound(row)))
                    continue
            except ValueError:
                entry.problem = "no content_url"
            rejected.append(dump(record) + b"\n" if entry.raw is None and record is not None else entry.raw or b"")
        return PackedBlock(b"".join(made), b"".join(rejected))

    def is_taken(self) -> bool:
        return self.where.root.exists()

    def place(self, part: Path) -> int:
        path = self.where.root
        new = sibling(path, ".new")
        _remove(new, "", *_LOGS)
        with _explained(), part.open("rb") as stream, BulkCatalogue(new) as catalogue:
            rows = unpacked(stream)
            while found := list(islice(rows, _AT_ONCE)):
                catalogue.fill(map(from_database, found))
        # SQLite would apply the log of an old file of this name, and the mark would not match.
        _remove(path, *_LOGS, MARK)
        new.replace(path)
        return 0


@dataclass(frozen=True, slots=True)
class InPlaceWriter(Writer):
    """Writes changed records back to the catalogue that is read, each if it is still as it was read."""

    where: Location

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - of the interface
        changed = [(entry.origin, bound(kept_row(entry.record or {}, 0.0))) for entry in entries if entry.changed]
        return PackedBlock(b"".join(map(msgpack.packb, changed)))

    def place(self, part: Path) -> int:
        overtaken = 0
        with _explained(), part.open("rb") as stream, BulkCatalogue(self.where.root) as catalogue:
            changes = unpacked(stream)
            while found := list(islice(changes, _AT_ONCE)):
                overtaken += len(found) - catalogue.rewrite((tuple(before), row) for before, row in found)
        return overtaken


def _remove(path: Path, *endings: str) -> None:
    for ending in endings:
        sibling(path, ending).unlink(missing_ok=True)
