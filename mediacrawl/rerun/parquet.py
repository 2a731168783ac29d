"""Parquet files: one, or a folder of them as Spark writes it. Needs pyarrow, the extra ``parquet``.

A Parquet file ends with an index of all of it, so it cannot be resumed. The blocks of the workers are collected in
``OUT.part``; at the end the Parquet file is made of them in one pass, as ``OUT.new``. A kill in that pass repeats it.
The disk holds both for a moment.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from mediacrawl.observe.archive import replacing
from mediacrawl.rerun import tables
from mediacrawl.rerun.blocks import (
    BLOCK_RECORDS,
    Block,
    BlockRecord,
    BlockWriter,
    Location,
    PackedBlock,
    Position,
    RerunError,
    RunState,
)
from mediacrawl.rerun.json_lines import EVIDENCE, dump, parse
from mediacrawl.rerun.output_file import OutputFile

_GROUP_ROWS = 10_000

_GROUP_BYTES = 64 << 20
"""Rows and bytes of a row group, which a reader must hold in memory. Records of ours take 2 KB each."""

_SIZE = 8
"""Bytes of a block's length prefix."""


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise RerunError(f"{name} cannot be read: {_why(error)}.") from error


def _why(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error).partition("\n")[0].rstrip(".") or repr(error)


def _as_bytes(batch: pa.RecordBatch) -> bytes:
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, batch.schema) as writer:
        writer.write_batch(batch)
    return stream.getvalue()


def _batch(data: bytes) -> pa.RecordBatch:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()


class ParquetSource:
    """The rows of a file, or of all files of a folder in the order of their names, with one schema."""

    can_resume = True

    def __init__(self, where: Location) -> None:
        self.where = where
        path = where.root
        self._paths = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not self._paths:
            raise RerunError(f"{where.name} is a folder without a file of the name *.parquet.")
        with _explained(where.name):
            # Arrow's message for a missing file is long.
            path.stat()
            self.schema = pq.read_schema(self._paths[0]).remove_metadata()
            counts = [pq.read_metadata(path).num_rows for path in self._paths]
        if len(set(self.schema.names)) < len(self.schema.names):
            raise RerunError(f"{where.name} has two columns of one name. Rename one of them first.")
        try:
            self.output = tables.output_schema(self.schema)
        except ValueError as error:
            raise RerunError(f"{where.name}: {error}. Rename that column first.") from error
        self.total = sum(counts)
        self.reader = BatchReader()

    def identity(self) -> RunState:
        """Name, size and time of the last change of each file."""
        facts = [(path, path.stat()) for path in self._paths]
        return {"name": self.where.name, "files": [[str(path), s.st_size, s.st_mtime_ns] for path, s in facts]}

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `blocks.RecordSource`; a position is the index of a file, of a row group in it, and of a row in that."""
        first_file, first_group, first_row = after if isinstance(after, list) else (0, 0, 0)
        for place, path in enumerate(self._paths[first_file:], first_file):
            with _explained(str(path)), pq.ParquetFile(path) as file:
                if not file.schema_arrow.remove_metadata().equals(self.schema):
                    raise RerunError(f"{path} has other columns than {self._paths[0]}. Re-run the files one by one.")
                for group in range(first_group, file.num_row_groups):
                    row = 0
                    for batch in file.iter_batches(BLOCK_RECORDS, row_groups=[group]):
                        begin, row = row, row + batch.num_rows
                        if begin < first_row:
                            continue
                        begin_number, number = number, number + batch.num_rows
                        yield Block(_as_bytes(batch), begin_number, number, [place, group, row], number - 1)
                    first_row = 0
                first_group = 0

    def close(self) -> None:
        """Nothing to do."""


@dataclass(frozen=True, slots=True)
class BatchReader:
    """Reads blocks of Arrow's IPC format."""

    def read(self, block: Block) -> Iterator[BlockRecord]:
        for place, record in enumerate(tables.records(_batch(block.data))):
            yield BlockRecord(block.number + place, place, None, record)


@dataclass(frozen=True, slots=True)
class BatchWriter(BlockWriter):
    """Makes batches of the batches that were read."""

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:
        batch = _batch(block.data)
        if len(entries) < batch.num_rows:
            batch = batch.take(pa.array([entry.place for entry in entries], pa.int64()))
        if not entries:
            return PackedBlock()
        decided = [entry.record or {} for entry in entries]
        made = tables.rebuilt(batch.replace_schema_metadata(None), decided, [entry.changed for entry in entries])
        return PackedBlock((_as_bytes(made), {}))


@dataclass(frozen=True, slots=True)
class RecordWriter(BlockWriter):
    """Packs records as compressed JSON lines, with the columns that they need."""

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - the protocol's
        found = [entry.record for entry in entries if entry.record is not None]
        rejected = b"".join(entry.raw or b"" for entry in entries if entry.record is None)
        if not found:
            return PackedBlock(None, rejected)
        lines = b"\n".join(map(dump, found))
        return PackedBlock((zlib.compress(lines, 1), tables.kinds(found)), rejected)


class ParquetFile(OutputFile):
    """A Parquet file, made of the blocks of the part file.

    Args:
        path: of the file.
        schema: of its rows; None if the blocks are JSON lines, whose columns are collected.
        clock: see `OutputFile`.
        save_every: see `OutputFile`.
    """

    def __init__(self, path: Path, schema: pa.Schema | None, clock: Callable[[], float], save_every: float) -> None:
        super().__init__(path, b"", clock, save_every)
        self._schema = schema
        self._columns: dict[str, str] = {}

    def begin(self, *, restart: bool) -> RunState | None:
        state = super().begin(restart=restart)
        if state:
            self._columns = dict(state["columns"])
        return state

    def put(self, data: tuple[bytes, dict[str, str]] | None, state: RunState | None) -> None:
        framed = None
        if data is not None:
            block, columns = data
            for name, kind in columns.items():
                self._columns[name] = tables.join(self._columns.get(name, "null"), kind)
            framed = len(block).to_bytes(_SIZE, "big") + block
        super().put(framed, state)

    def _noted(self, state: RunState) -> RunState:
        return {**super()._noted(state), "columns": dict(self._columns)}

    def _place(self) -> None:
        # Otherwise the next run would add the column.
        if self._columns.get(EVIDENCE, "null") == "null":
            self._columns[EVIDENCE] = "text"
        schema = self._schema if self._schema is not None else tables.batch_schema(self._columns)
        with (
            self.part.open("rb") as stream,
            replacing(self.path, sync=True) as new,
            pq.ParquetWriter(new, schema, compression="zstd") as writer,
        ):
            for group in _groups(map(self._rows, _frames(stream))):
                # As one chunk, since the pages of the file depend on chunks.
                writer.write_table(pa.Table.from_batches(group, schema).combine_chunks())
        self.part.unlink()

    def _rows(self, block: bytes) -> pa.RecordBatch:
        if self._schema is not None:
            return _batch(block)
        found = [parse(line)[0] or {} for line in zlib.decompress(block).split(b"\n")]
        return tables.as_batch(found, self._columns)


def _frames(stream: BinaryIO) -> Iterator[bytes]:
    while size := stream.read(_SIZE):
        yield stream.read(int.from_bytes(size, "big"))


def _groups(batches: Iterator[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Batches grouped to row groups, whose ends do not depend on the batches, unless rows are long."""
    group: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        while batch.num_rows:
            part = batch.slice(0, _GROUP_ROWS - rows)
            batch = batch.slice(part.num_rows)  # noqa: PLW2901 - what is left of it
            group.append(part)
            rows, size = rows + part.num_rows, size + part.nbytes
            if rows == _GROUP_ROWS or size >= _GROUP_BYTES:
                yield group
                group, rows, size = [], 0, 0
    if group:
        yield group
