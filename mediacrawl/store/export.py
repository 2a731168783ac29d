"""Writes records as CSV, JSON lines, Parquet, playlists and a podcast feed, one record at a time."""

from __future__ import annotations

import csv
import gzip
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext, suppress
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from itertools import islice
from pathlib import Path
from typing import IO, Any, cast

from lxml import etree

from mediacrawl.base.files import replacing
from mediacrawl.base.text import printable, to_cell
from mediacrawl.store.rows import json_line
from mediacrawl.store.schema import COLUMNS

Record = Mapping[str, Any]

_BATCH = 2_000
"""Records of a row group of a Parquet file."""
_ITUNES = "http://www.itunes.com/dtds/podcast-1.0.dtd"
_XSPF = "http://xspf.org/ns/0/"
# Characters that XML 1.0 (section 2.2) does not allow.
_PART_OF_DATE = re.compile(r"(\d{4})(?:-(\d\d))?")
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class ExportError(Exception):
    """Records cannot be exported. The message is one sentence."""


def export_records(records: Iterable[Record], path: Path, title: str, contact: str = "") -> int:
    """Write records to a file whose name says the format; returns their number.

    On disk: the file is written as ``NAME.part`` and renamed at the end, see `base.files.replacing`. A kill leaves
    the part, and an earlier file as it was.

    Args:
        records: of the catalogue.
        path: of the file, see `FORMATS`; ``.jsonl`` and ``.csv`` may be followed by ``.gz``.
        title: of a playlist or feed.
        contact: URL or mail address of who publishes a feed; empty for nobody.

    Raises:
        ExportError: the name says no known format, or a library is missing.
        OSError: the file cannot be written.
    """
    name = path.name.lower().removesuffix(".gz")
    write = FORMATS.get(name.rpartition(".")[2]) if "." in name else None
    packed = path.suffix.lower() == ".gz"
    if write is None or (packed and write not in {_csv, _json_lines}):
        raise ExportError(f"{path} names no format of an export: it must end in .{', .'.join(FORMATS)}")
    with replacing(path, ".part") as plain, gzip.open(plain, "wb") if packed else nullcontext(plain) as file:
        return write(records, cast("IO[bytes]", file), title, contact)


def _csv(records: Iterable[Record], file: IO[bytes], *_: str) -> int:
    """UTF-8 with a mark, by which spreadsheets know it; no cell is a formula."""
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="", errors="replace")
    try:
        writer = csv.writer(text)
        writer.writerow(COLUMNS)
        number = 0
        for record in records:
            writer.writerow([_cell(record.get(name)) for name in COLUMNS])
            number += 1
        return number
    finally:
        # The file is the caller's.
        text.detach()


def _cell(value: Any) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, dict)):
        value = json.dumps(value, ensure_ascii=False) if value else ""
    return to_cell(value.replace("\0", "\ufffd")) if isinstance(value, str) else value


def _json_lines(records: Iterable[Record], file: IO[bytes], *_: str) -> int:
    number = 0
    for record in records:
        file.write(json_line(dict(record)).encode("utf-8", "replace") + b"\n")
        number += 1
    return number


def _parquet(records: Iterable[Record], file: IO[bytes], *_: str) -> int:
    """Columns have the types of the record; lists and objects are JSON text."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415
    except ImportError as error:
        raise ExportError("Parquet files need pyarrow. Install it with: pip install 'pyarrow>=18'") from error
    types = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    columns = {name: types.get(column.kind, pa.string()) for name, column in COLUMNS.items()}
    schema, number = pa.schema(list(columns.items())), 0
    rest = iter(records)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while batch := list(islice(rest, _BATCH)):
            writer.write_table(pa.Table.from_pylist([_typed(record) for record in batch], schema))
            number += len(batch)
    return number


def _typed(record: Record) -> dict[str, Any]:
    """Values of the columns' types; what another program has stored otherwise is left out."""
    typed: dict[str, Any] = {}
    for name, column in COLUMNS.items():
        value = record.get(name)
        if column.is_json:
            typed[name] = json.dumps(value, ensure_ascii=False) if value else None
        elif column.kind is bool:
            typed[name] = None if value is None else bool(value)
        elif column.kind is float:
            typed[name] = float(value) if isinstance(value, (int, float)) else None
        elif column.kind is int:
            typed[name] = int(value) if isinstance(value, int) and abs(value) < 1 << 63 else None
        else:
            typed[name] = None if value is None else str(value).encode("utf-8", "replace").decode()
    return typed


def _m3u8(records: Iterable[Record], file: IO[bytes], title: str, _: str) -> int:
    file.write(f"#EXTM3U\n#PLAYLIST:{printable(title)}\n".encode())
    number = 0
    for record in records:
        seconds = _seconds(record)
        length = -1 if seconds is None else round(seconds)
        file.write(f"#EXTINF:{length},{printable(_label(record))}\n{_url(record)}\n".encode())
        number += 1
    return number


def _xspf(records: Iterable[Record], file: IO[bytes], title: str, _: str) -> int:
    number = 0
    with etree.xmlfile(file, encoding="utf-8") as xml:
        xml.write_declaration()
        with xml.element("playlist", {"version": "1"}, nsmap={None: _XSPF}):
            _write(xml, "title", title)
            with xml.element("trackList"):
                for record in records:
                    seconds = _seconds(record)
                    with xml.element("track"):
                        _write(xml, "location", _url(record))
                        _write(xml, "title", record.get("title"))
                        _write(xml, "creator", record.get("artist"))
                        _write(xml, "annotation", record.get("comment"))
                        _write(xml, "info", record.get("page_url"))
                        _write(xml, "album", record.get("album"))
                        _write(xml, "duration", None if seconds is None else round(1000 * seconds))
                    number += 1
    return number


def _rss(records: Iterable[Record], file: IO[bytes], title: str, contact: str) -> int:
    """RSS 2.0 with enclosures, which podcast programs subscribe to."""
    number = 0
    with etree.xmlfile(file, encoding="utf-8") as xml:
        xml.write_declaration()
        with xml.element("rss", {"version": "2.0"}, nsmap={"itunes": _ITUNES}), xml.element("channel"):
            _write(xml, "title", title)
            # A feed needs a link.
            link = contact or "https://example.invalid/"
            _write(xml, "link", link if ":" in link else f"mailto:{link}")
            _write(xml, "description", f"{title}: a search in a mediacrawl catalogue")
            for record in records:
                with xml.element("item"):
                    _item(xml, record)
                number += 1
    return number


def _item(xml: Any, record: Record) -> None:
    url, seconds = _url(record), _seconds(record)
    _write(xml, "title", _label(record))
    _write(xml, "link", record.get("page_url") or url)
    _write(xml, "description", record.get("description") or record.get("comment"))
    size = record.get("content_size")
    length = str(size) if isinstance(size, int) and size >= 0 else "0"
    kind = str(record.get("encoding_format") or "application/octet-stream")
    _write(xml, "enclosure", "", {"url": _xml(url), "length": length, "type": _xml(kind)})
    _write(xml, "guid", record.get("id") or url, {"isPermaLink": "false"})
    _write(xml, "pubDate", _date(record))
    _write(xml, f"{{{_ITUNES}}}duration", None if seconds is None else round(seconds))
    _write(xml, f"{{{_ITUNES}}}author", record.get("artist"))


def _write(xml: Any, name: str, value: object, attributes: Mapping[str, str] | None = None) -> None:
    """An element with text; nothing for a value that is not known. Its name space is declared at the root."""
    if value not in {None, ""} or attributes:
        with xml.element(name, attributes or {}):
            xml.write(_xml(str(value)))


def _xml(text: str) -> str:
    return _NO_XML.sub("\ufffd", text)


def _url(record: Record) -> str:
    """The URL; one with characters that end a line was never stored by a crawl."""
    return re.sub(r"\s", "%20", str(record["content_url"]))


def _label(record: Record) -> str:
    parts = [str(record[name]) for name in ("artist", "title") if record.get(name)]
    return " - ".join(parts) or _url(record).rpartition("/")[2] or _url(record)


def _seconds(record: Record) -> float | None:
    value = record.get("duration")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(cast("float", value)) if is_number and 0 <= cast("float", value) < 1e9 else None


def _date(record: Record) -> str | None:
    """When it was published or recorded, as RSS has dates (RFC 822); of a record without a date, when it was found."""
    for name in ("upload_date", "date", "found_at"):
        written = str(record.get(name) or "").strip()
        if part := _PART_OF_DATE.fullmatch(written):
            written = f"{part[1]}-{part[2] or '01'}-01"
        for read in (datetime.fromisoformat, parsedate_to_datetime):
            with suppress(ValueError, TypeError, OverflowError):
                found = read(written)
                return format_datetime(found if found.tzinfo else found.replace(tzinfo=UTC))
    return None


FORMATS: dict[str, Callable[[Iterable[Record], IO[bytes], str, str], int]] = {
    "csv": _csv,
    "jsonl": _json_lines,
    "jl": _json_lines,
    "parquet": _parquet,
    "m3u8": _m3u8,
    "xspf": _xspf,
    "rss": _rss,
    "xml": _rss,
}
"""The end of the file's name -> what writes it."""
