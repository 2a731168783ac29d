"""The text fields of an input, nested ones too: those that the user named, or those with text in them.

A column of a CSV file is judged by the majority of its cells; one of numbers with one text in it counts as text. A
field of other inputs is judged in each record, so that the result for a record does not depend on the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.text import cut
from mediacrawl.rerun.blocks import Location, RecordSource, RerunError
from mediacrawl.rerun.csv_rows import CsvSource
from mediacrawl.rerun.json_lines import EVIDENCE, NESTED
from mediacrawl.rerun.text_fields import NOT_NAMED, NUMBERS, TEXT, TextFields, form_of, leaves
from mediacrawl.store.schema import COLUMNS

_BLOCKS: Final = 4
"""Blocks of an input, 512 KiB, whose records determine the content of its columns."""

_OURS: Final = frozenset({"tags", "content_url"})
"""Columns that identify our own records, whose texts are in their tags."""

_LONGEST: Final = 60
"""Characters of a name in an error message."""

_SHOWN: Final = 12
"""Fields in an error message."""

_MOST_KNOWN: Final = 10_000
"""Names of fields that are kept while an input is searched for one."""


@dataclass(frozen=True, slots=True)
class TextColumns:
    """The fields that are decided.

    Attributes:
        texts: finds them.
        kinds: content of each column of a CSV file: ``text``, or the reason why it is excluded. Empty for other inputs,
            whose fields are known when they were read.
    """

    texts: TextFields = field(default_factory=TextFields)
    kinds: Mapping[str, str] = field(default_factory=dict)


def columns_of(
    source: RecordSource, where: Location, fields: Sequence[str], raws: Sequence[tuple[str, str]], *, must_exist: bool
) -> TextColumns:
    """Chooses the text fields of an input.

    Args:
        source: the input, opened.
        where: its location.
        fields: names that the user gave, in any case; empty to choose.
        raws: pairs of a field and that of its bytes, likewise; the second name is empty for a field without bytes.
        must_exist: a name that the input does not have is an error; else it is ignored. An input that is read only once
            is checked at its end, see `refuse_missing`.

    Raises:
        RerunError: a field does not exist.
    """
    if source.can_resume or isinstance(source, CsvSource):
        names = [*fields, *(name for pair in raws for name in pair if name)]
        known = _known(source, where, names, None if must_exist else _BLOCKS)
        if must_exist:
            refuse_missing(where.name, fields, "--fields", known)
            refuse_missing(where.name, [name for pair in raws for name in pair if name], "--raw", known)
        found = {name: spelled for name in names if (spelled := _spelled(name, known))}
        # Settings apply to all inputs; in one without any of these fields they are chosen by content.
        fields = [found[name] for name in fields if name in found]
        raws = [(found[name], found.get(raw, "")) for name, raw in raws if name in found and (not raw or raw in found)]
    named = (*fields, *(name for name, _ in raws))
    pairs = {name: raw for name, raw in raws if raw}
    if not isinstance(source, CsvSource):
        return TextColumns(TextFields(named or None, pairs))
    columns = [name for name in source.dialect.columns if name != EVIDENCE]
    chosen: Sequence[str] = named
    if named:
        kinds = {name: TEXT if name in named else NOT_NAMED for name in dict.fromkeys([*columns, *named])}
    elif set(columns) >= _OURS or not source.can_resume:
        return TextColumns()
    else:
        kinds = _kinds(source, columns)
        chosen = [name for name, kind in kinds.items() if kind == TEXT]
    return TextColumns(TextFields(chosen, pairs, exact=set(chosen) <= set(columns)), kinds)


def refuse_missing(where: str, names: Iterable[str], option: str, known: Iterable[str]) -> None:
    """Raises if an input does not have a field.

    Args:
        where: name of the input.
        names: of the fields.
        option: that names them.
        known: names of the input's fields.

    Raises:
        RerunError: a name is not there.
    """
    known = list(known)
    for name in names:
        if not _spelled(name, known):
            advice = did_you_mean(name[:_LONGEST], known) or "."
            raise RerunError(f"{option}: {where} has no field {cut(name, _LONGEST)}{advice} It has: {listed(known)}.")


def listed(names: Sequence[str]) -> str:
    """Names of fields for a sentence."""
    rest = len(names) - _SHOWN
    shown = ", ".join(cut(name, _LONGEST) for name in names[:_SHOWN])
    return (shown + f" and {rest} more" if rest > 0 else shown) or "none"


def first_records(source: RecordSource, blocks: int | None) -> Iterator[dict[str, Any]]:
    """The records of the first blocks, or of all, of an input that can be read again."""
    for block in islice(source.blocks(None, 1), blocks):
        if not block.unread:
            yield from (entry.record for entry in source.reader.read(block) if entry.record)


def _known(source: RecordSource, where: Location, names: Sequence[str], blocks: int | None) -> list[str]:
    """The fields of an input; unless these are its columns, so many of its blocks are read until it has these names."""
    known: dict[str, None] = dict.fromkeys(_columns(source, where))
    is_whole = bool(known)
    left = [name for name in names if not _spelled(name, known) and not (is_whole and "." not in name)]
    if not left:
        return list(known)
    is_empty = True
    for record in first_records(source, blocks):
        is_empty = False
        for _, name, *_ in leaves(record):
            if name not in known:
                left = [each for each in left if not _spelled(each, [name])]
                if len(known) < _MOST_KNOWN or not left:
                    known[name] = None
        if not left:
            break
    # Nothing can be missing where nothing is.
    return [*names, *known] if is_empty else list(known)


def _columns(source: RecordSource, where: Location) -> Sequence[str]:
    """The columns of a table."""
    if isinstance(source, CsvSource):
        return source.dialect.columns
    if where.kind == "parquet":
        from mediacrawl.rerun.parquet import ParquetSource  # noqa: PLC0415 - an extra

        return source.schema.names if isinstance(source, ParquetSource) else ()
    return tuple(COLUMNS) if where.kind == "catalogue" else ()


def _spelled(name: str, known: Iterable[str]) -> str:
    """The name of a field as the input spells it; that of an object comes back as it is. Empty if there is none."""
    folded, is_object = name.casefold(), False
    found = ""
    for each in known:
        if each == name:
            return name
        if each.casefold() == folded:
            found = found or each
        is_object = is_object or each.casefold().startswith(f"{folded}.")
    return found or (name if is_object else "")


def _kinds(source: CsvSource, columns: Iterable[str]) -> dict[str, str]:
    values: dict[str, list[str]] = {name: [] for name in columns}
    for record in first_records(source, _BLOCKS):
        for name, value in record.items():
            if isinstance(value, str) and value.strip() and name in values:
                values[name].append(value.strip())
    return {name: _majority(name, found) for name, found in values.items()}


def _majority(name: str, values: Sequence[str]) -> str:
    """The content of a column by the majority of its cells; numbers only if all are."""
    if name in NESTED:
        return "JSON"
    votes = Counter(form_of(name, value) for value in values)
    found = max(votes, key=lambda kind: (votes[kind], kind == TEXT)) if votes else TEXT
    # A title may be a number, 1984, and a number never changes.
    return TEXT if found == NUMBERS and votes[TEXT] else found
