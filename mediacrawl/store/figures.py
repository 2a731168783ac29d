"""Counts of a catalogue's records for the report: formats, languages, mended encodings, durations, years, minutes."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

LAST = 200_000
"""Records that are counted one by one, the newest: a million take some seconds."""

DURATIONS: Sequence[tuple[float, str]] = (
    (30, "under 30 s"),
    (120, "30 s to 2 min"),
    (300, "2 to 5 min"),
    (900, "5 to 15 min"),
    (1_800, "15 to 30 min"),
    (3_600, "30 to 60 min"),
    (7_200, "1 to 2 h"),
    (float("inf"), "2 h and longer"),
)
"""Upper limit of a group, seconds, and its name."""

_LANGUAGE = (
    "coalesce(nullif(language, ''), (SELECT nullif(json_extract(value, '$.language'), '') FROM json_each(tags)"
    " WHERE json_extract(value, '$.language') <> '' LIMIT 1), nullif(page_language, ''))"
)
_MENDED = (
    "FROM media, json_each(media.tags) AS tag WHERE number > ? AND instr(tags, '\"fixed\"')"
    " AND json_extract(tag.value, '$.decision') = 'fixed'"
)
_EXAMPLES = (
    "SELECT DISTINCT json_extract(tag.value, '$.encoding'), json_extract(tag.value, '$.text_declared'),"
    f" json_extract(tag.value, '$.text') {_MENDED} AND json_extract(tag.value, '$.text_declared') <> ''"
    " GROUP BY 1 LIMIT ?"
)


@dataclass(slots=True)
class CatalogueFigures:
    """The counts.

    Attributes:
        records: of the whole catalogue.
        counted: of them, the newest, in the counts below.
        formats: MIME type -> records; ``unknown`` for none.
        languages: primary subtag (``de``) -> records.
        mended: Python codec -> records with a text that was decoded with it although another one was declared.
        examples: codec, text as declared, text as decoded.
        durations: name of a group -> records, see `DURATIONS`.
        years: year that the record names -> records.
        sites: site -> records, of the sites with most records.
        minutes: minute since the epoch -> records that were found in it.
        titled: records with a title.
        seconds: of all durations together.
        content_size: bytes of all files together.
        bytes_fetched: bytes that were read of them.
    """

    records: int = 0
    counted: int = 0
    formats: dict[str, int] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)
    mended: dict[str, int] = field(default_factory=dict)
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    durations: dict[str, int] = field(default_factory=dict)
    years: dict[str, int] = field(default_factory=dict)
    sites: dict[str, int] = field(default_factory=dict)
    minutes: dict[int, int] = field(default_factory=dict)
    titled: int = 0
    seconds: float = 0.0
    content_size: int = 0
    bytes_fetched: int = 0


def figures(
    database: sqlite3.Connection, *, sites: int = 10_000, examples: int = 12, last: int = LAST
) -> CatalogueFigures:
    """Count the records of a catalogue.

    Args:
        database: of the catalogue.
        sites: most sites.
        examples: most examples of mended texts, one for each encoding.
        last: records that are counted, the newest.

    Raises:
        sqlite3.Error: the file cannot be read.
    """

    def pairs(sql: str, *values: object) -> dict[str, int]:
        return {str(row[0]): int(row[1]) for row in database.execute(sql, (*values,)) if row[0] is not None}

    records, newest = database.execute("SELECT count(*), coalesce(max(number), 0) FROM media").fetchone()
    first = newest - last
    since = "FROM media WHERE number > ?"
    titled, counted, seconds, size, fetched = database.execute(
        "SELECT count(nullif(title, '')), count(*), total(duration), total(content_size), total(bytes_fetched)"
        f" {since}",
        (first,),
    ).fetchone()
    minute = "CAST(strftime('%s', found_at) AS INTEGER) / 60"
    return CatalogueFigures(
        records=records,
        counted=counted,
        formats=pairs(
            f"SELECT coalesce(encoding_format, 'unknown'), count(*) {since} GROUP BY 1 ORDER BY 2 DESC", first
        ),
        languages=_subtags(pairs(f"SELECT {_LANGUAGE}, count(*) {since} GROUP BY 1", first)),
        mended=pairs(
            "SELECT json_extract(tag.value, '$.encoding'), count(DISTINCT number)"
            f" {_MENDED} GROUP BY 1 ORDER BY 2 DESC",
            first,
        ),
        examples=[
            (str(codec), str(declared), str(text))
            for codec, declared, text in database.execute(_EXAMPLES, (first, examples))
        ],
        durations=_durations(database, first),
        years=pairs(
            f"SELECT substr(date, 1, 4) AS year, count(*) {since} AND year GLOB '[12][0-9][0-9][0-9]'"
            " GROUP BY 1 ORDER BY 1",
            first,
        ),
        sites=pairs("SELECT site, count(*) FROM media GROUP BY 1 ORDER BY 2 DESC LIMIT ?", sites),
        minutes={
            int(number): times
            for number, times in pairs(f"SELECT {minute}, count(*) {since} GROUP BY 1", first).items()
        },
        titled=titled,
        seconds=seconds,
        content_size=int(size),
        bytes_fetched=int(fetched),
    )


def _durations(database: sqlite3.Connection, first: int) -> dict[str, int]:
    found, least = dict[str, int](), 0.0
    for most, name in DURATIONS:
        row = database.execute(
            "SELECT count(*) FROM media WHERE number > ? AND duration >= ? AND duration < ?", (first, least, most)
        )
        found[name], least = row.fetchone()[0], most
    return found


def _subtags(languages: dict[str, int]) -> dict[str, int]:
    """The counts by primary subtag (RFC 5646): ``de-AT`` is ``de``. The most frequent first."""
    found: Counter[str] = Counter()
    for language, number in languages.items():
        found[re.split(r"[-_;, ]", language.strip().lower(), maxsplit=1)[0]] += number
    return {name: number for name, number in found.most_common() if name}


def added(one: CatalogueFigures, other: CatalogueFigures) -> CatalogueFigures:
    """The counts of two catalogues together."""
    values: dict[str, Any] = {}
    for each in fields(CatalogueFigures):
        mine, more = getattr(one, each.name), getattr(other, each.name)
        if isinstance(mine, dict):
            values[each.name] = dict((Counter(mine) + Counter(more)).most_common()) if mine else more
        else:
            values[each.name] = mine + more
    values["durations"] = {name: values["durations"].get(name, 0) for _, name in DURATIONS}
    values["years"] = dict(sorted(values["years"].items()))
    return CatalogueFigures(**values)
