"""From two places to what reads the one and writes the other."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mediacrawl.rerun.columns import first_records
from mediacrawl.rerun.csv_rows import CsvSource, CsvWriter, Dialect
from mediacrawl.rerun.errors import RerunError
from mediacrawl.rerun.json_lines import JsonWriter, LineSource
from mediacrawl.rerun.media_db import CatalogueSource, InPlace, NewCatalogue, RowWriter
from mediacrawl.rerun.output_file import OutputFile, StandardOutput, beside
from mediacrawl.rerun.packed_file import PackedFile
from mediacrawl.rerun.places import Place
from mediacrawl.rerun.shapes import Nothing, Sink, Source, Writer
from mediacrawl.store.schema import COLUMNS

_JSON = frozenset({"lines", "redis"})
_FIRST_BLOCKS = 16
"""Blocks whose records tell the columns of a CSV file; a field that comes later goes into ``extra``."""


@dataclass(frozen=True, slots=True)
class Output:
    """An output, not yet opened.

    Attributes:
        sink: in the parent.
        writer: in the workers.
        rejected: file for what the output cannot hold; None if it holds everything.
    """

    sink: Sink
    writer: Writer
    rejected: Path | None = None


def source(where: Place, encoding: str | None = None) -> Source:
    """Open an input.

    Args:
        where: it is.
        encoding: codec that the user named for a file of text, see `text_encoding.named`; None to find it out.

    Raises:
        RerunError: it is not there, or is not what its name says; or it needs a package that is not installed.
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


def output(where: Place | None, read: Source, of: Place, clock: Callable[[], float], save_every: float) -> Output:
    """Make an output that fits an input.

    Args:
        where: None for none at all.
        read: the input, opened.
        of: the place of the input.
        clock: seconds that only grow.
        save_every: seconds between two times that progress is made safe.

    Raises:
        RerunError: the input cannot be written there; or it needs a package that is not installed.
    """
    if where is None:
        return Output(Nothing(), Nothing())
    if where.kind == "redis":
        from mediacrawl.rerun.redis_list import ElementWriter, RedisList  # noqa: PLC0415 - likewise

        rejected = Path(re.sub(r"[^\w.-]", "_", where.key) + ".rejected")
        return Output(RedisList(where), ElementWriter(of.kind in _JSON), rejected)
    if where.kind == "catalogue":
        if where.is_same(of):
            return Output(InPlace(where), RowWriter(0.0, in_place=True))
        writer = RowWriter(_known_since(of), texts=of.kind == "csv")
        return Output(NewCatalogue(where), writer, beside(where.root, ".rejected"))
    if where.kind == "parquet":
        return _parquet(where, read, of, clock, save_every)
    return _text(where, read, of, clock, save_every)


def _text(where: Place, read: Source, of: Place, clock: Callable[[], float], save_every: float) -> Output:
    writer: JsonWriter | CsvWriter
    if where.kind == "csv":
        repeats = len(read.dialect.columns) if isinstance(read, CsvSource) else 0
        writer = CsvWriter(_dialect(where, read, of), repeats)
        header = writer.header
    else:
        keeps = of.kind in _JSON or where.is_stream
        writer, header = JsonWriter(of.kind in _JSON, keeps, of.kind == "redis"), b""
    if where.is_stream:
        return Output(StandardOutput(sys.stdout.buffer, header), writer)
    file = (PackedFile if where.packed else OutputFile)(where.root, header, clock, save_every)
    return Output(file, writer, beside(where.root, ".rejected"))


def _dialect(where: Place, read: Source, of: Place) -> Dialect:
    """The columns of a CSV file: those of the input; of JSON, the fields of its first records."""
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


def _schema_names(read: Source) -> list[str]:
    from mediacrawl.rerun.parquet import ParquetSource  # noqa: PLC0415 - an extra

    return list(read.output.names) if isinstance(read, ParquetSource) else []


def _first_fields(read: Source, of: Place) -> tuple[str, ...]:
    if not read.can_resume:
        raise RerunError(f"The columns of a CSV file are those of the first records, and {of.name} is read only once.")
    return tuple(dict.fromkeys([*chain.from_iterable(first_records(read, _FIRST_BLOCKS)), "extra"]))


def _parquet(where: Place, read: Source, of: Place, clock: Callable[[], float], save_every: float) -> Output:
    _check_parquet()
    from mediacrawl.rerun import parquet  # noqa: PLC0415 - an extra

    schema = read.output if isinstance(read, parquet.ParquetSource) else None
    writer = parquet.BatchWriter() if of.kind == "parquet" else parquet.RecordWriter()
    sink = parquet.ParquetFile(where.root, schema, clock, save_every)
    return Output(sink, writer, beside(where.root, ".rejected"))


def _check_parquet() -> None:
    try:
        import pyarrow.parquet  # noqa: F401, PLC0415 - an extra
    except ImportError as error:
        raise RerunError("Parquet files need pyarrow. Install it with: pip install 'pyarrow>=18'") from error


def _known_since(of: Place) -> float:
    """When records that do not say so were known at the latest; the same in a second run over the same file."""
    return of.path.stat().st_mtime if of.path and of.path.exists() else time.time()
