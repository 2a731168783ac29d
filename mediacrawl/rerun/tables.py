"""Arrow batches: their records, and the decisions written back.

Columns of other types than text, and unchanged texts, stay bit for bit the same. ``tags`` as a list of structs gets the
members of the evidence; other tables get one more column, ``mojibake``, with the evidence as JSON text. Needs pyarrow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.observe.text import clean
from mediacrawl.rerun import json_lines
from mediacrawl.rerun.json_lines import EVIDENCE
from mediacrawl.rerun.text_fields import TextFields

_TAGS = "tags"

_MEMBERS: dict[str, str] = {
    "source": "string", "frame": "string", "key": "string", "index": "int64", "lang": "string", "desc": "string",
    "declared": "string", "text": "string", "page_url": "string", "raw_b64": "string", "text_declared": "string",
    "encoding": "string", "confidence": "double", "runner_up": "string", "margin": "double", "language": "string",
    "decision": "string", "fixer": "string", "lossy": "bool", "suspect": "bool", "document": "string",
}  # fmt: skip
"""Members of an element of ``tags`` (`encoding.records.evidence`, `encoding.records.fields`) and their Arrow types."""

_EVIDENCE = tuple(_MEMBERS)[tuple(_MEMBERS).index("raw_b64") :]
_ELEMENT = pa.struct([(name, pa.type_for_alias(alias)) for name, alias in _MEMBERS.items()])

_TYPES: dict[str, pa.DataType] = {
    "null": pa.null(),
    "bool": pa.bool_(),
    "int": pa.int64(),
    "float": pa.float64(),
    "text": pa.string(),
    "tags": pa.list_(pa.field("element", _ELEMENT)),
    "json": pa.string(),
}

_INT64 = range(-(2**63), 2**63)


def output_schema(schema: pa.Schema) -> pa.Schema:
    """The schema of the result: more members in ``tags``, a column ``mojibake``.

    Args:
        schema: of the input. That of a result is returned unchanged.

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


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _has_elements(kind: pa.DataType) -> bool:
    """Whether a column is a list of elements as in `MediaItem.tags`."""
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)) or not pa.types.is_struct(kind.value_type):
        return False
    return {"text", "declared"} <= {member.name for member in kind.value_type}


def widened(kind: pa.DataType) -> pa.DataType:
    """The type of the column ``tags`` with all members of the evidence; of any other column its own type."""
    if not _has_elements(kind):
        return kind
    members = list(kind.value_type)
    known = {member.name for member in members}
    members += [pa.field(name, pa.type_for_alias(_MEMBERS[name])) for name in _EVIDENCE if name not in known]
    value = kind.value_field.with_type(pa.struct(members))
    return pa.large_list(value) if pa.types.is_large_list(kind) else pa.list_(value)


def decided(batch: pa.RecordBatch, fixer: Fixer, texts: TextFields) -> pa.RecordBatch:
    """Decides the rows of a batch. A row that cannot be decided stays unchanged."""
    found = records(batch)
    changed = [_fix(batch, found, place, fixer, texts) for place in range(len(found))]
    return rebuilt(batch, found, changed)


def _fix(batch: pa.RecordBatch, found: list[dict[str, Any]], place: int, fixer: Fixer, texts: TextFields) -> bool:
    """Decides a record in place; returns whether it changed."""
    try:
        return texts.fix(found[place], fixer, {}).changed
    except Exception:  # noqa: BLE001 - one row in millions must not end the job, always at that place
        (found[place],) = records(batch.slice(place, 1))
        return False


def records(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    """The rows as records: None is removed from elements, JSON in nested columns is parsed, times are texts."""
    names = batch.schema.names
    columns = [_values(column) for column in batch.columns]
    return [_record(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)] if columns else []


def _record(record: dict[str, Any]) -> dict[str, Any]:
    if isinstance(record.get(_TAGS), list):
        record[_TAGS] = [_slim(element) for element in record[_TAGS]]
    for name in json_lines.NESTED & record.keys():
        record[name] = json_lines.loaded(name, record[name])
    if record.get(EVIDENCE) is None:
        record.pop(EVIDENCE, None)
    return record


def _slim(element: Any) -> Any:
    if not isinstance(element, dict):
        return element
    return {name: value for name, value in element.items() if value is not None}


def _values(column: pa.Array) -> list[Any]:
    """The values as Python objects; None for times beyond Python's range and texts that are not UTF-8."""
    try:
        if pa.types.is_temporal(column.type):
            column = column.cast(pa.string())
        values: list[Any] = column.to_pylist()
    except (ValueError, OverflowError, pa.ArrowException):
        return [_value_or_none(value) for value in column]
    return values


def _value_or_none(value: pa.Scalar) -> Any:
    try:
        return value.as_py()
    except (ValueError, OverflowError, pa.ArrowException):
        return None


def rebuilt(batch: pa.RecordBatch, fresh: Sequence[Mapping[str, Any]], changed: Sequence[bool]) -> pa.RecordBatch:
    """The batch with the decisions: `fresh` are its `records` after `Fixer.fix`, and `changed` says which changed."""
    schema = output_schema(batch.schema)
    rows = [place for place, is_changed in enumerate(changed) if is_changed]
    columns = [_column(batch, field, fresh, rows) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _column(batch: pa.RecordBatch, field: pa.Field, fresh: Sequence[Mapping[str, Any]], rows: list[int]) -> pa.Array:
    """A column of the result: values of changed rows from the records, the others copied."""
    if field.name not in batch.schema.names:
        return pa.array([_as_cell(record.get(field.name)) for record in fresh], field.type)
    was = batch.column(field.name)
    rows = [row for row in rows if _may_change(field.type) and _differs(was[row], fresh[row].get(field.name))]
    if was.type != field.type:
        was = was.cast(field.type)
    if not rows:
        return was
    values = [fresh[row].get(field.name) for row in rows]
    new = pa.array(map(_as_cell, values) if _is_text(field.type) else values, field.type)
    places = list(range(len(was)))
    for number, row in enumerate(rows):
        places[row] = len(was) + number
    return pa.concat_arrays([was, new]).take(pa.array(places, pa.int64()))


def _differs(was: pa.Scalar, value: Any) -> bool:
    before = _value_or_none(was)
    if isinstance(before, str):
        return before != _as_cell(value)
    if isinstance(before, list):
        before = [_slim(element) for element in before]
    return bool(before != value)


def _may_change(kind: pa.DataType) -> bool:
    """Whether a column has texts: alone, in a list, in a struct."""
    if pa.types.is_struct(kind):
        return any(_may_change(member.type) for member in kind)
    if pa.types.is_dictionary(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _may_change(kind.value_type)
    return _is_text(kind) or (pa.types.is_fixed_size_list(kind) and _may_change(kind.value_type))


def _as_cell(value: Any) -> str | None:
    return None if value is None else json_lines.cell(value)


# -- records of another kind -------------------------------------------------------------------------------------------


def kinds(found: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """The kind of column that each field needs; fields in the order in which they first occur.

    Args:
        found: records of JSON lines, CSV or the catalogue.

    Returns:
        For each field ``null``, ``bool``, ``int``, ``float``, ``text``, ``tags`` or ``json``, which holds anything as
        JSON text.
    """
    known: dict[str, str] = {}
    for record in found:
        for name, value in record.items():
            kind = _kind(name, value)
            known[name] = join(known.get(name, "null"), kind)
    return known


def join(one: str, other: str) -> str:
    """The kind of column that holds the values of both kinds."""
    if other in {one, "null"}:
        return one
    if one == "null":
        return other
    return "float" if {one, other} == {"int", "float"} else "json"


def _kind(name: str, value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int" if value in _INT64 else "json"
    if isinstance(value, float):
        return "float"
    if isinstance(value, str):
        return "text"
    return "tags" if name == _TAGS and isinstance(value, list) and all(map(_is_element, value)) else "json"


def _is_element(element: Any) -> bool:
    return isinstance(element, dict) and all(
        name in _MEMBERS and (value is None or _kind("", value) in _MEMBER_KINDS[_MEMBERS[name]])
        for name, value in element.items()
    )


_MEMBER_KINDS = {"string": {"text"}, "int64": {"int"}, "double": {"float", "int"}, "bool": {"bool"}}


def as_batch(found: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> pa.RecordBatch:
    """A batch of records."""
    arrays = [
        pa.array([_value(record.get(name), kind) for record in found], type=_TYPES[kind])
        for name, kind in columns.items()
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=batch_schema(columns))


def batch_schema(columns: Mapping[str, str]) -> pa.Schema:
    """The schema of `as_batch`."""
    return pa.schema([(name, _TYPES[kind]) for name, kind in columns.items()])


def _value(value: Any, kind: str) -> Any:
    if value is None:
        return None
    if kind == "text":
        return clean(value)
    if kind == "float":
        return float(value)
    return json_lines.dump_value(value) if kind == "json" else value
