"""Inputs and outputs by name: a file by its suffix, a Redis list by its URL; and what reads and writes them."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from mediacrawl.rerun.blocks import (
    BlockWriter,
    DryRunOutput,
    Location,
    LocationKind,
    RecordSink,
    RecordSource,
    RerunError,
)
from mediacrawl.rerun.columns import first_records
from mediacrawl.rerun.csv_rows import CsvSource, CsvWriter, Dialect
from mediacrawl.rerun.json_lines import JsonWriter, LineSource
from mediacrawl.rerun.media_db import CatalogueSource, InPlace, NewCatalogue, RowWriter
from mediacrawl.rerun.output_file import OutputFile, PackedFile, StandardOutput, sibling
from mediacrawl.store.schema import COLUMNS

_KIND_OF_SUFFIX: dict[str, LocationKind] = {
    ".jl": "lines",
    ".jsonl": "lines",
    ".jsonlines": "lines",
    ".ndjson": "lines",
    ".csv": "csv",
    ".tsv": "csv",
    ".db": "catalogue",
    ".sqlite": "catalogue",
    ".sqlite3": "catalogue",
    ".parquet": "parquet",
    ".pq": "parquet",
}

_PACKED: frozenset[LocationKind] = frozenset({"lines", "csv"})
_REDIS = frozenset({"redis", "rediss", "unix"})
_KNOWN = ".jl .jsonl .ndjson .csv .tsv (each also with .gz), .db .sqlite .parquet, or redis://HOST:PORT/DB?key=NAME"


def location_of(text: str) -> Location:
    """Parses the name of an input or output.

    Args:
        text: a path with one of the known suffixes, in any case; ``redis://host:port/db?key=name``; or ``-``, JSON
            lines on the standard input or output. A folder is a set of Parquet files.

    Raises:
        RerunError: the suffix is unknown, or the URL has no key.
    """
    if text == "-":
        return Location("-", "lines")
    if text.partition("://")[0].lower() in _REDIS and "://" in text:
        return _redis(text)
    path = Path(text)
    suffix, packed = path.suffix.lower(), False
    if suffix == ".gz":
        suffix, packed = Path(path.stem).suffix.lower(), True
    kind = "parquet" if text and path.is_dir() else _KIND_OF_SUFFIX.get(suffix)
    if kind is None or (packed and kind not in _PACKED):
        raise RerunError(_unknown(text, suffix))
    return Location(text, kind, path, packed)


def _unknown(text: str, suffix: str) -> str:
    if suffix == ".json":
        return f"{text}: one JSON document cannot be read piece by piece. Make JSON lines of it: jq -c '.[]'"
    return f"{text or 'An empty name'} does not tell what it holds. Known are {_KNOWN}."


def _redis(text: str) -> Location:
    """The location of a Redis list; other parameters of the URL are for the client."""
    try:
        parts = urlsplit(text)
    except ValueError as error:
        raise RerunError(f"The URL of the Redis list cannot be read: {error}.") from error
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    keys = [value for name, value in pairs if name == "key" and value]
    host = parts.netloc.rpartition("@")[2]
    shown = urlunsplit((parts.scheme, host, parts.path, urlencode({"key": keys[0]} if keys else {}), ""))
    if len(keys) != 1:
        raise RerunError(f"{shown} does not name one list. Write it as redis://HOST:PORT/DB?key=NAME.")
    query = urlencode([pair for pair in pairs if pair[0] != "key"])
    url = urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))
    return Location(shown, "redis", url=url, key=keys[0])


_JSON = frozenset({"lines", "redis"})

_FIRST_BLOCKS = 16
"""Blocks whose records determine the columns of a CSV file; later fields go into ``extra``."""


@dataclass(frozen=True, slots=True)
class OpenedOutput:
    """An output, not yet opened.

    Attributes:
        sink: in the parent process.
        writer: in the workers.
        rejected: file for records that the output cannot hold; None if it holds all.
    """

    sink: RecordSink
    writer: BlockWriter
    rejected: Path | None = None


def open_source(where: Location, encoding: str | None = None) -> RecordSource:
    """Opens an input.

    Args:
        where: its location.
        encoding: codec that the user named for a text file, see `text_encoding.named`; None to detect it.

    Raises:
        RerunError: it does not exist, has another format than its name says, or needs a package that is not installed.
    """
    if where.kind == "lines":
        return LineSource(where, encoding)
    if where.kind == "csv":
        return CsvSource(where, encoding)
    if encoding is not None:
        raise RerunError(f"--encoding is for files of JSON lines and CSV, and {where.name} is neither.")
    if where.kind == "catalogue":
        return CatalogueSource(where)
    if where.kind == "redis":
        from mediacrawl.rerun.redis_list import ListSource  # noqa: PLC0415 - every command of Scrapy imports this module

        return ListSource(where)
    _check_parquet()
    from mediacrawl.rerun.parquet import ParquetSource  # noqa: PLC0415 - an extra

    return ParquetSource(where)


def open_output(
    where: Location | None, read: RecordSource, of: Location, clock: Callable[[], float], save_every: float
) -> OpenedOutput:
    """Makes an output that fits an input.

    Raises:
        RerunError: the input cannot be written there, or needs a package that is not installed.
    """
    if where is None:
        return OpenedOutput(DryRunOutput(), DryRunOutput())
    if where.kind == "redis":
        from mediacrawl.rerun.redis_list import ElementWriter, RedisList  # noqa: PLC0415 - likewise

        rejected = Path(re.sub(r"[^\w.-]", "_", where.key) + ".rejected")
        return OpenedOutput(RedisList(where), ElementWriter(of.kind in _JSON), rejected)
    if where.kind == "catalogue":
        if where.is_same(of):
            return OpenedOutput(InPlace(where), RowWriter(0.0, in_place=True))
        writer = RowWriter(_known_since(of), texts=of.kind == "csv")
        return OpenedOutput(NewCatalogue(where), writer, sibling(where.root, ".rejected"))
    if where.kind == "parquet":
        return _parquet(where, read, of, clock, save_every)
    return _text(where, read, of, clock, save_every)


def _text(
    where: Location, read: RecordSource, of: Location, clock: Callable[[], float], save_every: float
) -> OpenedOutput:
    writer: JsonWriter | CsvWriter
    if where.kind == "csv":
        repeats = len(read.dialect.columns) if isinstance(read, CsvSource) else 0
        writer = CsvWriter(_dialect(where, read, of), repeats)
        header = writer.header
    else:
        keeps = of.kind in _JSON or where.is_stream
        writer, header = JsonWriter(of.kind in _JSON, keeps, of.kind == "redis"), b""
    if where.is_stream:
        return OpenedOutput(StandardOutput(sys.stdout.buffer, header), writer)
    file = (PackedFile if where.packed else OutputFile)(where.root, header, clock, save_every)
    return OpenedOutput(file, writer, sibling(where.root, ".rejected"))


def _dialect(where: Location, read: RecordSource, of: Location) -> Dialect:
    """The columns of a CSV file: those of the input, or the fields of its first records."""
    if isinstance(read, CsvSource):
        return read.dialect.with_evidence
    if of.kind == "catalogue":
        names = tuple(COLUMNS)
    elif of.kind == "parquet":
        names = tuple(_schema_names(read))
    else:
        names = _first_fields(read, of)
    delimiter = "\t" if ".tsv" in where.root.suffixes else ","
    return Dialect(names, delimiter).with_evidence


def _schema_names(read: RecordSource) -> list[str]:
    from mediacrawl.rerun.parquet import ParquetSource  # noqa: PLC0415 - an extra

    return list(read.output.names) if isinstance(read, ParquetSource) else []


def _first_fields(read: RecordSource, of: Location) -> tuple[str, ...]:
    if not read.can_resume:
        raise RerunError(f"The columns of a CSV file are those of the first records, and {of.name} is read only once.")
    return tuple(dict.fromkeys([*chain.from_iterable(first_records(read, _FIRST_BLOCKS)), "extra"]))


def _parquet(
    where: Location, read: RecordSource, of: Location, clock: Callable[[], float], save_every: float
) -> OpenedOutput:
    _check_parquet()
    from mediacrawl.rerun import parquet  # noqa: PLC0415 - an extra

    schema = read.output if isinstance(read, parquet.ParquetSource) else None
    writer = parquet.BatchWriter() if of.kind == "parquet" else parquet.RecordWriter()
    sink = parquet.ParquetFile(where.root, schema, clock, save_every)
    return OpenedOutput(sink, writer, sibling(where.root, ".rejected"))


def _check_parquet() -> None:
    try:
        import pyarrow.parquet  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise RerunError("Parquet files need pyarrow. Install it with: pip install 'pyarrow>=18'") from error


def _known_since(of: Location) -> float:
    """The time of records without one; the same in a second run over the same file."""
    return of.path.stat().st_mtime if of.path and of.path.exists() else time.time()
