"""Parquet files: one, or a folder of them as Spark writes it; and Arrow batches. Needs pyarrow, the extra ``parquet``.

Columns of other types than text, and unchanged texts, are copied. ``tags`` as a list of structs gets the
members of the evidence; other tables get one more column, ``mojibake``, with the evidence as JSON text.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from mediacrawl.base.files import replacing
from mediacrawl.programs.rerun import blocks, json_lines
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
from mediacrawl.programs.rerun.json_lines import EVIDENCE
from mediacrawl.programs.rerun.text_fields import TextFields
from mediacrawl.record import Fixer

_GROUP_ROWS = 10_000

_GROUP_BYTES = 64 << 20
"""Rows and bytes of a row group, which a reader must hold in memory. Records of ours take 2 KB each."""

_TAGS = "tags"

_EVIDENCE = {
    "raw_b64": "string", "text_declared": "string", "encoding": "string", "confidence": "double",
    "runner_up": "string", "margin": "double", "language": "string", "decision": "string", "fixer": "string",
    "lossy": "bool", "suspect": "bool", "document": "string",
}  # fmt: skip
"""Members of an element of ``tags`` that a decision adds (`record.fixer.decision_fields`), and their Arrow types."""


# -- schemas ---------------------------------------------------------------------------------------------------------


def output_schema(schema: pa.Schema) -> pa.Schema:
    """Return the schema of the result: more members in ``tags``, a column ``mojibake``. That of a result stays.

    Raises:
        ValueError: the table has a column ``mojibake`` that is no text.
    """
    place = schema.get_field_index(_TAGS)
    if place >= 0:
        field = schema.field(place)
        schema = schema.set(place, field.with_type(widened(field.type)))
    place = schema.get_field_index(EVIDENCE)
    if place < 0:
        return schema.append(pa.field(EVIDENCE, pa.string()))
    if not _is_text(schema.field(place).type):
        raise ValueError(f"the column {EVIDENCE} of this table is {schema.field(place).type}, not text")
    return schema


def widened(kind: pa.DataType) -> pa.DataType:
    """Return the type of the column ``tags`` with all members of the evidence; of any other column its own type."""
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)) or not pa.types.is_struct(kind.value_type):
        return kind
    members = list(kind.value_type)
    known = {member.name for member in members}
    if not {"text", "declared"} <= known:
        return kind
    members += [pa.field(name, pa.type_for_alias(alias)) for name, alias in _EVIDENCE.items() if name not in known]
    value = kind.value_field.with_type(pa.struct(members))
    return pa.large_list(value) if pa.types.is_large_list(kind) else pa.list_(value)


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _may_change(kind: pa.DataType) -> bool:
    """Return whether a column has texts: alone, in a list, in a struct."""
    if pa.types.is_struct(kind):
        return any(_may_change(member.type) for member in kind)
    nested = (pa.types.is_dictionary, pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return _may_change(kind.value_type) if any(check(kind) for check in nested) else _is_text(kind)


# -- rows and records ------------------------------------------------------------------------------------------------


def decided(batch: pa.RecordBatch, fixer: Fixer, texts: TextFields) -> pa.RecordBatch:
    """Decide the rows of a batch. A row that cannot be decided stays unchanged."""
    found = records(batch)
    changed = []
    for place, record in enumerate(found):
        try:
            changed.append(texts.fix(record, fixer, {}).changed)
        except Exception:  # noqa: BLE001 - one row in millions must not end the job, always at that place
            (found[place],) = records(batch.slice(place, 1))
            changed.append(False)
    return rebuilt(batch, found, changed)


def records(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    """Return the rows as records: None is removed from elements, JSON in nested columns is parsed, times are texts."""
    columns = [
        [_as_field(name, value) for value in _values(column)]
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return [dict(zip(batch.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _as_field(name: str, value: Any) -> Any:
    value = json_lines.loaded(name, value)
    if name != _TAGS or not isinstance(value, list):
        return value
    return [
        {key: text for key, text in each.items() if text is not None} if isinstance(each, dict) else each
        for each in value
    ]


def _values(column: pa.Array) -> list[Any]:
    """Return the values as Python objects; None for times beyond Python's range and texts that are not UTF-8."""
    try:
        values: list[Any] = (column.cast(pa.string()) if pa.types.is_temporal(column.type) else column).to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        return [_value_or_none(value) for value in column]
    return values


def _value_or_none(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except (ValueError, OverflowError, pa.ArrowException):
        return None


def rebuilt(batch: pa.RecordBatch, fresh: Sequence[Mapping[str, Any]], changed: Sequence[bool]) -> pa.RecordBatch:
    """Return the batch with the decisions: `fresh` are its `records` after `Fixer.fix`, and which `changed`."""
    schema = output_schema(batch.schema)
    rows = [place for place, is_changed in enumerate(changed) if is_changed]
    return pa.RecordBatch.from_arrays([_column(batch, field, fresh, rows) for field in schema], schema=schema)


def _column(batch: pa.RecordBatch, field: pa.Field, fresh: Sequence[Mapping[str, Any]], rows: list[int]) -> pa.Array:
    """Return a column of the result: values of changed rows from the records, the others copied."""
    if field.name not in batch.schema.names:
        return pa.array([_as_text(record.get(field.name)) for record in fresh], field.type)
    was = batch.column(field.name)
    if not _may_change(field.type):
        return was
    new = {row: fresh[row].get(field.name) for row in rows}
    new = {row: value for row, value in new.items() if _differs(field.name, was[row], value)}
    was = was.cast(field.type)
    if not new:
        return was
    values = [_as_text(value) if _is_text(field.type) else value for value in new.values()]
    places = list(range(len(was)))
    for number, row in enumerate(new):
        places[row] = len(was) + number
    return pa.concat_arrays([was, pa.array(values, field.type)]).take(pa.array(places, pa.int64()))


def _differs(name: str, was: pa.Scalar, value: Any) -> bool:
    before = _value_or_none(was)
    return bool(before != _as_text(value) if isinstance(before, str) else _as_field(name, before) != value)


def _as_text(value: Any) -> str | None:
    return None if value is None else json_lines.cell(value)


# -- files -----------------------------------------------------------------------------------------------------------


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        why = (error.strerror if isinstance(error, OSError) else "") or str(error).partition("\n")[0].rstrip(".")
        raise RerunError(f"{name} cannot be read: {why or repr(error)}.") from error


def _as_bytes(batch: pa.RecordBatch) -> bytes:
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, batch.schema) as writer:
        writer.write_batch(batch)
    return stream.getvalue()


def _batch(data: bytes) -> pa.RecordBatch:
    with pa.ipc.open_stream(data) as reader:
        return reader.read_next_batch()


class ParquetReader(Reader):
    """The rows of a file, or of all files of a folder in the order of their names, with one schema."""

    def __init__(self, where: Location) -> None:
        self.where = where
        path = where.root
        self._paths = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
        if not self._paths:
            raise RerunError(f"{where.name} is a folder without a file of the name *.parquet.")
        with _explained(where.name):
            # Arrow's message for a missing file is long.
            path.stat()
            self._schema = pq.read_schema(self._paths[0]).remove_metadata()
            self.total = sum(pq.read_metadata(path).num_rows for path in self._paths)
        if len(set(self._schema.names)) < len(self._schema.names):
            raise RerunError(f"{where.name} has two columns of one name. Rename one of them first.")
        try:
            self.output_schema = output_schema(self._schema)
        except ValueError as error:
            raise RerunError(f"{where.name}: {error}. Rename that column first.") from error

    def identity(self) -> RunState:
        facts = [(path, path.stat()) for path in self._paths]
        return {"name": self.where.name, "files": [[str(path), s.st_size, s.st_mtime_ns] for path, s in facts]}

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `Reader`; a position is the index of a file, of a row group in it, and of a row in that."""
        first_file, first_group, first_row = after if isinstance(after, list) else (0, 0, 0)
        for place, path in enumerate(self._paths[first_file:], first_file):
            with _explained(str(path)), pq.ParquetFile(path) as file:
                if not file.schema_arrow.remove_metadata().equals(self._schema):
                    raise RerunError(f"{path} has other columns than {self._paths[0]}. Re-run the files one by one.")
                for group in range(first_group, file.num_row_groups):
                    row = 0
                    for batch in file.iter_batches(blocks.BLOCK_RECORDS, row_groups=[group]):
                        begin, row = row, row + batch.num_rows
                        if begin < first_row:
                            continue
                        begin_number, number = number, number + batch.num_rows
                        yield Block(_as_bytes(batch), begin_number, number, [place, group, row], number - 1)
                    first_row = 0
                first_group = 0

    def records(self, block: Block) -> Iterator[BlockRecord]:
        for place, record in enumerate(records(_batch(block.data))):
            yield BlockRecord(block.number + place, place, None, record)


@dataclass(frozen=True)
class ParquetWriter(Writer):
    """Makes a Parquet file of Arrow batches.

    Attributes:
        schema: of the output.
    """

    schema: pa.Schema | None = None

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> bytes:
        if not entries:
            return b""
        batch = _batch(block.data).replace_schema_metadata(None)
        batch = batch.take(pa.array([entry.place for entry in entries], pa.int64()))
        batch = rebuilt(batch, [entry.record or {} for entry in entries], [entry.changed for entry in entries])
        return packed(_as_bytes(batch))

    def place(self, part: Path) -> int:
        with (
            part.open("rb") as stream,
            replacing(self.where.root, sync=True) as new,
            pq.ParquetWriter(new, self.schema, compression="zstd") as writer,
        ):
            for group in _groups(map(_batch, unpacked(stream))):
                # As one chunk, since the pages of the file depend on chunks.
                writer.write_table(pa.Table.from_batches(group, self.schema).combine_chunks())
        return 0


def _groups(batches: Iterator[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Group batches to row groups, whose ends do not depend on the batches, unless rows are long."""
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
