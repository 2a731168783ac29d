"""Inputs and outputs by name: a file by its suffix, a Redis list by its URL; and what reads and writes them."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from mediacrawl.programs.rerun.blocks import Location, LocationKind, Reader, RerunError, Writer
from mediacrawl.programs.rerun.csv_rows import CsvReader, CsvWriter
from mediacrawl.programs.rerun.json_lines import LineReader, LineWriter
from mediacrawl.programs.rerun.media_db import CatalogueReader, InPlaceWriter
from mediacrawl.programs.rerun.output_file import Output, OutputFile, StandardOutput

# What reads Redis and Parquet is imported when it is used: it takes a while to import, and pyarrow is an extra.
# ruff: noqa: PLC0415

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
    """Return the location that a name of an input or output says.

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
        if suffix == ".json":
            raise RerunError(
                f"{text}: one JSON document cannot be read piece by piece. Make JSON lines of it: jq -c '.[]'"
            )
        raise RerunError(f"{text or 'An empty name'} does not tell what it holds. Known are {_KNOWN}.")
    return Location(text, kind, path, packed)


def _redis(text: str) -> Location:
    """Return the location of a Redis list; other parameters of the URL are for the client."""
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


def open_reader(where: Location, encoding: str | None = None) -> Reader:
    """Open an input.

    Args:
        where: its location.
        encoding: codec that the user named for a text file, see `text_encoding.named`; None to detect it.

    Raises:
        RerunError: it does not exist, has another format than its name says, or needs a package that is not installed.
    """
    if where.kind == "lines":
        return LineReader(where, encoding)
    if where.kind == "csv":
        return CsvReader(where, encoding)
    if encoding is not None:
        raise RerunError(f"--encoding is for files of JSON lines and CSV, and {where.name} is neither.")
    if where.kind == "catalogue":
        return CatalogueReader(where)
    if where.kind == "redis":
        from mediacrawl.programs.rerun.redis_list import ListReader

        return ListReader(where)
    try:
        from mediacrawl.programs.rerun.parquet import ParquetReader
    except ImportError as error:
        raise RerunError("Parquet files need pyarrow. Install it with: pip install 'pyarrow>=18'") from error
    return ParquetReader(where)


def open_output(writer: Writer, clock: Callable[[], float], save_every: float) -> Output:
    """Return what collects the blocks of a writer; see `OutputFile`."""
    where = writer.where
    if where.is_stream:
        return StandardOutput(sys.stdout.buffer)
    path = where.path or Path(re.sub(r"[^\w.-]", "_", where.key))
    return OutputFile(path, writer, clock, save_every)


def writer_for(where: Location, reader: Reader) -> Writer:
    """Return the writer of an output of the same kind as the input, or of JSON lines.

    Raises:
        RerunError: the input cannot be written there.
    """
    of = reader.where
    if where.kind == "lines":
        return LineWriter(where, copies=of.kind in {"lines", "redis"}, joins=of.kind == "redis")
    if where.kind != of.kind or (where.kind == "catalogue" and not where.is_same(of)):
        advice = " To keep the old catalogue, copy it first." if where.kind == of.kind else ""
        raise RerunError(
            f"{of.name} cannot be written to {where.name}: name an output of the same kind, or JSON lines.{advice}"
        )
    if isinstance(reader, CsvReader):
        dialect = reader.dialect.with_evidence()
        return CsvWriter(where, dialect.head, dialect=dialect, width=len(reader.columns))
    if where.kind == "catalogue":
        return InPlaceWriter(where)
    if where.kind == "redis":
        from mediacrawl.programs.rerun.redis_list import ListWriter

        return ListWriter(where)
    from mediacrawl.programs.rerun.parquet import ParquetReader, ParquetWriter

    assert isinstance(reader, ParquetReader)
    return ParquetWriter(where, schema=reader.output_schema)
