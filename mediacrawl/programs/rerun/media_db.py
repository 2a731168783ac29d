"""Our catalogue, mended in place.

The changed records are written back in transactions when all are decided: a kill leaves every record either old or new,
and the same command writes the rest. A crawl may write meanwhile: its changes take precedence, and its new records are
decided already.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from mediacrawl.programs.rerun import blocks
from mediacrawl.programs.rerun.blocks import (
    Block,
    BlockRecord,
    Location,
    Position,
    Reader,
    RerunError,
    RunState,
    Writer,
    packed,
    unpacked,
)
from mediacrawl.store import BulkCatalogue, StoreError

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
            yield BlockRecord(block.number + place, place, None, BulkCatalogue.record_of(row), origin=row)


class InPlaceWriter(Writer):
    """Writes changed records back to the catalogue that is read, each if it is still as it was read."""

    def packed(self, record: dict[str, Any], entry: BlockRecord) -> bytes:
        return packed((entry.origin, BulkCatalogue.row_of(record))) if entry.changed else b""

    def is_taken(self) -> bool:
        return False

    def place(self, part: Path) -> int:
        overtaken = 0
        with _explained(), part.open("rb") as stream, BulkCatalogue(self.where.root) as catalogue:
            changes = unpacked(stream)
            while found := list(islice(changes, _AT_ONCE)):
                overtaken += len(found) - catalogue.rewrite((tuple(before), row) for before, row in found)
        return overtaken
