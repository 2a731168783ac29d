"""Records as lines of text: a table, and the counts of the catalogue."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mediacrawl.base.format import count, elapsed, playing_time, plural, share, size
from mediacrawl.base.text import cut, cut_middle, pad, printable
from mediacrawl.store import CatalogueFigures

_TIME, _SIZE, _FORMAT, _GAP = 8, 7, 5, 2
_LEFT = _TIME + _SIZE + _FORMAT + 3 * _GAP
_NARROWEST = 50
_NAME_WITHOUT_TERMINAL = 60
_FORMATS_SHOWN = 8
_SOURCES_SHOWN = 10
_UNKNOWN = "-"


def line(record: Mapping[str, Any], width: int | None) -> str:
    """One record on one line: playing time, size, format, title and artist, URL.

    Control sequences are removed, and columns are aligned by terminal columns.

    Args:
        record: of the catalogue.
        width: terminal columns, at least 50; None without a terminal: no URL is cut then.
    """
    gap = " " * _GAP
    # A file may declare a duration of a million years: numbers are cut as well.
    time, length = cut(_time(record), _TIME), cut(_size(record), _SIZE)
    left = f"{time:>{_TIME}}{gap}{length:>{_SIZE}}{gap}{_padded(_format(record), _FORMAT)}{gap}"
    name, url = printable(_name(record)), printable(str(record["content_url"]))
    if width is None:
        return f"{left}{_padded(name, _NAME_WITHOUT_TERMINAL)}{gap}{url}"
    rest = max(width, _NARROWEST) - _LEFT - _GAP
    name_width = rest * 9 // 20
    return f"{left}{_padded(name, name_width)}{gap}{cut_middle(url, rest - name_width)}"


def work_lines(record: Mapping[str, Any], sources: Sequence[str], width: int | None) -> Iterator[str]:
    """One work: its record on one line, and each other URL of the same file on a further one."""
    yield line(record, width)
    also = "also "
    for url in sources[:_SOURCES_SHOWN]:
        text = printable(url)
        if width is not None:
            text = cut_middle(text, max(width, _NARROWEST) - _LEFT - len(also))
        yield f"{'':{_LEFT}}{also}{text}"
    if len(sources) > _SOURCES_SHOWN:
        yield f"{'':{_LEFT}}and {count(len(sources) - _SOURCES_SHOWN)} more"


def _padded(text: str, width: int) -> str:
    return pad(cut(text, width), width)


def _number(value: Any) -> float | None:
    """A number that can be shown; another program may have written any value."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) and value >= 0 else None


def _time(record: Mapping[str, Any]) -> str:
    seconds = _number(record["duration"])
    if seconds is None:
        return _UNKNOWN
    return ("~" if record["duration_estimated"] else "") + playing_time(seconds)


def _size(record: Mapping[str, Any]) -> str:
    length = _number(record["content_size"])
    return _UNKNOWN if length is None else size(length)


def _format(record: Mapping[str, Any]) -> str:
    """The container if known, else the subtype of the MIME type."""
    mime = str(record["encoding_format"] or _UNKNOWN)
    return printable(str(record["container"] or mime.rpartition("/")[2]))


def _name(record: Mapping[str, Any]) -> str:
    parts = [str(part) for part in (record["title"], record["artist"]) if part]
    return " — ".join(parts) or _UNKNOWN


def overview(summary: CatalogueFigures, path: str) -> str:
    """The counts of the catalogue, a few lines."""
    part = share(summary.media_bytes_read, summary.media_bytes_total)
    rows = [
        ("records", f"{count(summary.records)} on {plural(summary.media_sites, 'site')}"),
        ("formats", _formats(summary.formats)),
        ("playing", elapsed(summary.seconds)),
        ("media", size(summary.media_bytes_total)),
        ("read", f"{size(summary.media_bytes_read)} to describe them, {part}"),
        ("median", f"{size(summary.median_bytes_fetched)} read for a file"),
        ("repeated", f"{plural(summary.repeated, 'probable copy')} of others"),
        ("stored in", printable(path)),
    ]
    return "\n".join(f"{pad(label, 11)}{text}" for label, text in rows)


def _formats(formats: Mapping[str, int]) -> str:
    shown = [f"{printable(cut(name, 40))} {count(number)}" for name, number in formats.items()]
    rest = len(shown) - _FORMATS_SHOWN
    return ", ".join(shown[:_FORMATS_SHOWN] + ([f"and {count(rest)} more"] if rest > 0 else []))
