"""Counts of a catalogue's records: totals, and in reports languages, mended encodings, durations, years."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from mediacrawl.log.totals import Totals, summed

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
_SINCE = "coalesce(last_seen_at, '') >= ?"
_NEWEST = f"number > ? AND {_SINCE}"
_MENDED = (
    f"FROM media, json_each(media.tags) AS tag WHERE {_NEWEST} AND instr(tags, '\"fixed\"')"
    " AND json_extract(tag.value, '$.decision') = 'fixed'"
)
_EXAMPLES = (
    "SELECT DISTINCT json_extract(tag.value, '$.encoding'), json_extract(tag.value, '$.text_declared'),"
    f" json_extract(tag.value, '$.text') {_MENDED} AND json_extract(tag.value, '$.text_declared') <> ''"
    " GROUP BY 1 LIMIT ?"
)


@dataclass(slots=True)
class CatalogueFigures(Totals):
    """The totals `records`, `formats`, `media_bytes_read` and `media_bytes_total` of a catalogue, and further counts.

    Attributes:
        media_sites: number of the sites of its files.
        seconds: of all durations together.
        median_bytes_fetched: of the records that were probed.
        repeated: number of records whose file an earlier record has as well.
        counted: the newest records, in the counts below.
        languages: primary subtag (``de``) -> records.
        mended: Python codec -> records with a text that was decoded with it although another one was declared.
        examples: codec, text as declared, text as decoded.
        durations: name of a group -> records, see `DURATIONS`.
        years: year that the record names -> records.
        by_site: site -> records, of the sites with most records.
        titled: records with a title.
    """

    media_sites: int = 0
    seconds: float = 0.0
    median_bytes_fetched: int = 0
    repeated: int = 0
    counted: int = 0
    languages: dict[str, int] = field(default_factory=dict)
    mended: dict[str, int] = field(default_factory=dict)
    examples: list[tuple[str, str, str]] = field(default_factory=list)
    durations: dict[str, int] = field(default_factory=dict)
    years: dict[str, int] = field(default_factory=dict)
    by_site: dict[str, int] = field(default_factory=dict)
    titled: int = 0

    def plus(self, other: CatalogueFigures) -> CatalogueFigures:
        """Return the counts of two catalogues together."""
        values: dict[str, Any] = summed([self, other]).by_name()
        for name in {each.name for each in fields(CatalogueFigures)} - values.keys():
            mine, more = getattr(self, name), getattr(other, name)
            if isinstance(mine, dict):
                values[name] = dict((Counter(mine) + Counter(more)).most_common()) if mine else more
            else:
                values[name] = mine + more
        values["media_sites"] -= len(self.by_site.keys() & other.by_site.keys())
        values["durations"] = {name: values["durations"].get(name, 0) for _, name in DURATIONS}
        values["years"] = dict(sorted(values["years"].items()))
        return CatalogueFigures(**values)


def totals(database: sqlite3.Connection, since: str = "") -> dict[str, Any]:
    """Count all records of a catalogue, for `CatalogueFigures`.

    Args:
        database: of the catalogue.
        since: RFC 3339 time in UTC, in whole seconds; records that were stored before are left out.

    Raises:
        sqlite3.Error: the file cannot be read.
    """
    records, sites, seconds, size, fetched = database.execute(
        "SELECT count(*), count(DISTINCT site), total(duration), total(content_size), total(bytes_fetched)"
        f" FROM media WHERE {_SINCE}",
        (since,),
    ).fetchone()
    formats = database.execute(
        "SELECT coalesce(encoding_format, 'unknown'), count(*) FROM media"
        f" WHERE {_SINCE} GROUP BY 1 ORDER BY 2 DESC, 1",
        (since,),
    )
    return {
        "records": records,
        "media_sites": sites,
        "seconds": seconds,
        "media_bytes_total": int(size),
        "media_bytes_read": int(fetched),
        "formats": {str(name): number for name, number in formats},
    }


def figures(
    database: sqlite3.Connection, since: str = "", *, sites: int = 10_000, examples: int = 12, last: int = LAST
) -> CatalogueFigures:
    """Count the records of a catalogue.

    Args:
        database: of the catalogue.
        since: as for `totals`.
        sites: most sites.
        examples: most examples of mended texts, one for each encoding.
        last: records that are counted, the newest.

    Raises:
        sqlite3.Error: the file cannot be read.
    """

    def pairs(sql: str, *values: object) -> dict[str, int]:
        return {str(row[0]): int(row[1]) for row in database.execute(sql, (*values,)) if row[0] is not None}

    (newest,) = database.execute("SELECT coalesce(max(number), 0) FROM media").fetchone()
    first = newest - last, since
    which = f"FROM media WHERE {_NEWEST}"
    titled, counted = database.execute(f"SELECT count(nullif(title, '')), count(*) {which}", first).fetchone()
    return CatalogueFigures(
        **totals(database, since),
        counted=counted,
        languages=_subtags(pairs(f"SELECT {_LANGUAGE}, count(*) {which} GROUP BY 1", *first)),
        mended=pairs(
            "SELECT json_extract(tag.value, '$.encoding'), count(DISTINCT number)"
            f" {_MENDED} GROUP BY 1 ORDER BY 2 DESC",
            *first,
        ),
        examples=[
            (str(codec), str(declared), str(text))
            for codec, declared, text in database.execute(_EXAMPLES, (*first, examples))
        ],
        durations=_durations(database, first),
        years=pairs(
            f"SELECT substr(date, 1, 4) AS year, count(*) {which} AND year GLOB '[12][0-9][0-9][0-9]'"
            " GROUP BY 1 ORDER BY 1",
            *first,
        ),
        by_site=pairs(
            f"SELECT site, count(*) FROM media WHERE {_SINCE} GROUP BY 1 ORDER BY 2 DESC LIMIT ?", since, sites
        ),
        titled=titled,
    )


def _durations(database: sqlite3.Connection, first: tuple[int, str]) -> dict[str, int]:
    found, least = dict[str, int](), 0.0
    for most, name in DURATIONS:
        row = database.execute(
            f"SELECT count(*) FROM media WHERE {_NEWEST} AND duration >= ? AND duration < ?", (*first, least, most)
        )
        found[name], least = row.fetchone()[0], most
    return found


def _subtags(languages: dict[str, int]) -> dict[str, int]:
    """The counts by primary subtag (RFC 5646): ``de-AT`` is ``de``. The most frequent first."""
    found: Counter[str] = Counter()
    for language, number in languages.items():
        found[re.split(r"[-_;, ]", language.strip().lower(), maxsplit=1)[0]] += number
    return {name: number for name, number in found.most_common() if name}
