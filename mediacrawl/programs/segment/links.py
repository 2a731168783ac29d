"""Loads links and seen URLs from files into the engine's tables.

An unreadable line is skipped and counted, and the first ones of a file are reported by number, for which the file is
read again. Our own databases are opened read-only, also while a crawl uses them.
"""

from __future__ import annotations

import glob
import shutil
import sqlite3
import zlib
from collections.abc import Container, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

from mediacrawl.base.sqlite_file import open_to_read
from mediacrawl.base.text import cut, printable
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.programs.segment.engine import Engine, text
from mediacrawl.programs.segment.examine import SEED, SegmentError
from mediacrawl.programs.segment.options import ITEM_FIELDS, URL_FIELDS, LinkFile

LONGEST = 1_000_000
"""Bytes of a line."""

_BUFFER = 4 * LONGEST

_NAMED = 5
"""Bad lines of a file that are reported."""

_REJECTED = 10_000
"""Lines of a file that are no UTF-8, or too long, that the engine records."""

_CHUNK = 1 << 20
_LISTS = frozenset({".txt", ".lst", ".list", ".urls"})

_SHOWN = 60
"""Terminal columns of a bad line in a report."""

_WHY = {"INVALID ENCODING": "no UTF-8", "LINE SIZE OVER MAXIMUM": f"longer than {LONGEST:,} bytes"}

# Trimming costs more than everything else that is done to a line (DuckDB 2.0), and few lines need it.
_TRIMMED = (
    "CASE WHEN starts_with(line, '{') AND ends_with(line, '}') THEN line ELSE rtrim(trim(line, E' \\t\\r'), ',') END"
)

_MAGIC = {b"\x1f\x8b": ".urls.gz", b"\x28\xb5\x2f\xfd": ".urls.zst", b"": ".urls"}
_PACKINGS = {".gz": "gzip", ".zst": "zstd"}

# The columns of a link besides its URL, and the SQL that parses their text; invalid values are NULL.
_COLUMNS = {
    "score": "CASE WHEN isfinite(try_cast({0} AS DOUBLE)) THEN try_cast({0} AS DOUBLE) END",
    "depth": "CASE WHEN try_cast({0} AS INTEGER) >= 0 THEN try_cast({0} AS INTEGER) END",
    "hops": "CASE WHEN try_cast({0} AS INTEGER) >= 0 THEN try_cast({0} AS INTEGER) END",
    "kind": "CASE WHEN {0} IN ('page', 'media', 'list') THEN {0} END",
    "parent": "left({0}, 2048)",
    "via": "left({0}, 40)",
    "anchor": "left({0}, 200)",
}

TABLE = (
    "(file INTEGER, url VARCHAR, score DOUBLE, depth INTEGER, hops INTEGER, kind VARCHAR, parent VARCHAR, "
    "via VARCHAR, anchor VARCHAR)"
)

SEEN_TABLE = "(file INTEGER, url VARCHAR)"


@dataclass(slots=True)
class BadLines:
    """Unreadable lines of a file.

    Attributes:
        name: of the file.
        number: of lines.
        is_least: whether there may be more.
        named: one sentence for each of the first.
    """

    name: str
    number: int
    is_least: bool = False
    named: list[str] = field(default_factory=list)


class Loader:
    """Loads files into one table.

    Args:
        engine: with the table.
        table: its name, with the columns of `TABLE` or `SEEN_TABLE`.
        url_fields: see `SegmentOptions`.
        spool: empty folder for files that cannot be read in place.
        whole: whether more than the URL is loaded.
    """

    def __init__(self, engine: Engine, table: str, url_fields: Sequence[str], spool: Path, *, whole: bool) -> None:
        self._engine = engine
        self._table = table
        self._fields = tuple(url_fields) or (*URL_FIELDS, *ITEM_FIELDS)
        self._usual = not url_fields
        self._columns = _COLUMNS if whole else {}
        self._spool = spool
        self._files: list[tuple[LinkFile, LinkFile]] = []
        self.remarks: list[str] = []
        """One sentence for each file that could be read in part only."""

    def load(self, source: LinkFile, stdin: BinaryIO) -> None:
        """Load a file.

        Raises:
            SegmentError: it cannot be read at all.
        """
        real = self._spooled_stream(stdin) if source.is_stream else source
        self._files.append((source, real))
        if real.kind == "parquet":
            self._insert(self._of_parquet(real.path), real)
            return
        try:
            self._insert(self._of_lines(real), real)
        except SegmentError:
            if real.path.suffix.lower() != ".gz":
                raise
            start = self._spooled_start(real)
            self._files[-1] = (source, start)
            self._insert(self._of_lines(start), start)
            self.remarks.append(f"{source.path} is damaged; its content before the damage was read.")

    def load_rows(self, source: LinkFile, columns: LinkColumns) -> None:
        """Load rows that were read elsewhere."""
        if not self._files or self._files[-1][0] is not source:
            self._files.append((source, source))
        self._engine.insert(self._table, {"file": [len(self._files) - 1] * len(columns["url"]), **columns})

    def _insert(self, select: str, real: LinkFile) -> None:
        names = ", ".join(["file", "url", *self._columns])
        statement = f"INSERT INTO {self._table} ({names}) {select}"
        try:
            self._engine.run(statement, [len(self._files) - 1, _escaped(real.path)])
        except SegmentError as error:
            raise SegmentError(f"{self._files[-1][0].path} cannot be read. {error}") from error

    # -- lines -----------------------------------------------------------------------------------------------

    def _of_lines(self, real: LinkFile) -> str:
        first = len(self._fields) + 1
        others = [how.format(f"f[{place}]") for place, how in enumerate(self._columns.values(), start=first)]
        return f"SELECT $1, {', '.join(['unnest(urls)', *others])} FROM ({self._cut_lines(real, 'line')})"

    def _cut_lines(self, real: LinkFile, line: str, more: str = "") -> str:
        """Return a SELECT of the fields of each line, and of its URLs; NULL for an unreadable line."""
        paths = ", ".join(text(f'$."{name}"') for name in [*self._fields, *self._columns])
        urls = self._urls([f"f[{place}]" for place, _ in enumerate(self._fields, start=1)])
        # Scrapy's .json has an object a line too, in brackets and with commas.
        return f"""
            SELECT {line}, f, CASE WHEN f IS NOT NULL THEN {urls} ELSE [{_plain(real)}] END AS urls
            FROM (SELECT *, CASE WHEN starts_with(line, '{{') AND json_valid(line)
                    THEN json_extract_string(line, [{paths}]) END AS f
                FROM (SELECT {more} {_TRIMMED} AS line FROM {self._scan(real)}))
            WHERE line NOT IN ('', '[', ']') AND NOT starts_with(line, '#')"""

    def _scan(self, real: LinkFile) -> str:
        # Each line is one field. Only with "\\n" does the engine not skip a character at other line ends (DuckDB 2.0).
        packing = _PACKINGS.get(real.path.suffix.lower(), "none")
        return (
            "read_csv($2, columns = {line: 'VARCHAR'}, delim = E'\\n', new_line = '\\n', quote = '', escape = '', "
            "header = false, auto_detect = false, strict_mode = false, ignore_errors = true, store_rejects = true, "
            f"rejects_table = 'rejected_{self._table}', rejects_scan = 'rejected_scan_{self._table}', "
            f"rejects_limit = {_REJECTED}, max_line_size = {LONGEST}, buffer_size = {_BUFFER}, "
            f"compression = '{packing}')"
        )

    def _urls(self, values: list[str]) -> str:
        """Return the list of a record's URLs; a NULL without any."""
        values = [f"nullif({value}, '')" for value in values]
        if not self._usual:
            return f"[coalesce({', '.join(values)}, NULL)]"
        url, *item = values
        several = f"list_filter([{', '.join(item)}], lambda each: each IS NOT NULL)"
        return f"CASE WHEN {url} IS NOT NULL THEN [{url}] WHEN len({several}) > 0 THEN {several} ELSE [NULL] END"

    # -- Parquet ---------------------------------------------------------------------------------------------

    def _of_parquet(self, path: Path) -> str:
        found = {row[0] for row in self._engine.run("DESCRIBE SELECT * FROM read_parquet($1)", [_escaped(path)])}
        if not found & set(self._fields):
            raise SegmentError(f"{path} has no column {' or '.join(self._fields)}. Name it with --url-field.")
        urls = self._urls([_column(name, found) for name in self._fields])
        others = [how.format(_column(name, found)) for name, how in self._columns.items()]
        return f"SELECT $1, {', '.join([f'unnest({urls})', *others])} FROM read_parquet($2)"

    # -- what could not be read ------------------------------------------------------------------------------

    def bad_lines(self) -> list[BadLines]:
        """Return the unreadable lines of each file with any."""
        rows = self._engine.run(f"SELECT file, count(*) FROM {self._table} WHERE url IS NULL GROUP BY file")
        unread: dict[int, int] = dict(rows)
        found = []
        for place, (source, real) in enumerate(self._files):
            rejected = self._rejected(real) if real.kind == "lines" else []
            if number := unread.get(place, 0) + len(rejected):
                named = self._first(real, rejected) if real.kind == "lines" else []
                told = [f"{source.path}:{line}: {why}" for line, why in named]
                found.append(BadLines(str(source.path), number, len(rejected) >= _REJECTED, told))
        return found

    def _rejected(self, real: LinkFile) -> list[tuple[int, str]]:
        """Return the lines that the engine rejected, and why."""
        scan = f"rejected_scan_{self._table}"
        if not self._engine.run("SELECT 1 FROM duckdb_tables() WHERE table_name = $1", [scan]):
            return []
        # A line may be bad for two reasons.
        rows = self._engine.run(
            f"SELECT r.line, min(r.error_type) FROM rejected_{self._table} r JOIN {scan} s "
            "ON (s.scan_id, s.file_id) = (r.scan_id, r.file_id) WHERE s.file_path IN ($1, $2) "
            "GROUP BY r.line ORDER BY r.line",
            [_escaped(real.path), str(real.path.absolute())],
        )
        return [(line, _WHY.get(error, str(error).lower())) for line, error in rows]

    def _first(self, real: LinkFile, rejected: list[tuple[int, str]]) -> list[tuple[int, str]]:
        """Return the first bad lines with their numbers."""
        lines = self._cut_lines(real, "number, line", "row_number() OVER () AS number,")
        unread = self._engine.run(
            f"SELECT number, line FROM ({lines}) WHERE $1 >= 0 AND urls[1] IS NULL LIMIT {_NAMED}",
            [0, _escaped(real.path)],
        )
        shifted = []
        for place, line in sorted(unread):
            # From the number among the lines that were not rejected to that in the file.
            number = place
            for other, _ in rejected:
                if other > number:
                    break
                number += 1
            shifted.append((number, f"neither a record with a URL nor a URL: {cut(printable(line), _SHOWN)}"))
        # With CR LF the engine finds an empty line after each.
        halved = 2 if _ends_with_two(real.path) else 1
        return [((line + halved - 1) // halved, why) for line, why in sorted([*shifted, *rejected[:_NAMED]])[:_NAMED]]

    # -- inputs that the engine cannot read itself -----------------------------------------------------------

    def _spooled_stream(self, stdin: BinaryIO) -> LinkFile:
        """Return the standard input as a file."""
        head = stdin.read(4)
        packing = next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")
        path = self._spool / f"{self._table}{len(self._files)}.stdin{packing}"
        with path.open("wb") as file:
            file.write(head)
            shutil.copyfileobj(stdin, file, _CHUNK)
        return LinkFile(path, "lines")

    def _spooled_start(self, source: LinkFile) -> LinkFile:
        """Return the readable part of a damaged gzip file."""
        path = self._spool / f"{self._table}{len(self._files)}{Path(source.path.stem).suffix}"
        with path.open("wb") as file, source.path.open("rb") as packed:
            for chunk in _unpacked(packed):
                file.write(chunk)
        return LinkFile(path, "lines")


def _plain(real: LinkFile) -> str:
    """Return the SQL for a line that is no JSON object: a URL or a seed in a list, else NULL."""
    if not {suffix.lower() for suffix in real.path.suffixes} & _LISTS:
        return "NULL"
    is_url = r"contains(line, '://') AND NOT regexp_matches(line, '\s')"
    return f"CASE WHEN {is_url} THEN line WHEN NOT starts_with(line, '{{') THEN {text(SEED)} || line END"


def _column(name: str, there: Container[str]) -> str:
    quoted = name.replace('"', '""')
    return f'"{quoted}"::VARCHAR' if name in there else "NULL::VARCHAR"


def _escaped(path: Path) -> str:
    """Return a path with escaped pattern characters."""
    return glob.escape(str(path.absolute()))


def _ends_with_two(path: Path) -> bool:
    with path.open("rb") as file:
        head = next(_unpacked(file), b"") if path.suffix.lower() == ".gz" else file.read(_CHUNK)
    return b"\r\n" in head


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """Yield the readable content of a gzip file, a few MB at a time."""
    press = zlib.decompressobj(wbits=31)
    data = file.read(_CHUNK)
    with suppress(zlib.error):
        while data:
            yield press.decompress(data, 4 * _CHUNK)
            data = press.unconsumed_tail or press.unused_data or file.read(_CHUNK)
            if press.eof:
                press = zlib.decompressobj(wbits=31)


LinkColumns = dict[str, list[Any]]
"""Rows by column names, ``url`` among them."""

_FETCHED_ROWS = 50_000

_WAITING = {
    **{name: name for name in ("url", "kind", "score", "depth", "hops", "parent")},
    **{name: f"evidence.{name}" for name in ("via", "anchor")},
}
"""Columns of a link, and the attributes of a candidate."""


def is_frontier(path: Path) -> bool:
    """Whether a database is a frontier.

    Raises:
        SegmentError: the file cannot be read.
    """
    return {"seen", "inbox"} <= _tables(path)


def keys_of_frontier(path: Path) -> Iterator[list[int]]:
    """Return the keys of all URLs of a frontier, those that wait included.

    Raises:
        SegmentError: the file cannot be read.
    """
    # The last URLs are only in the inbox.
    return ([key for (key,) in rows] for rows in _fetched(path, "SELECT key FROM seen UNION ALL SELECT key FROM inbox"))


def links_of(path: Path) -> Iterator[LinkColumns]:
    """Return the waiting URLs of a frontier, or the URLs of media files and their pages in a catalogue.

    Raises:
        SegmentError: also from the iteration: the file cannot be read, or is another database.
    """
    if is_frontier(path):
        return _waiting(path)
    if "media" not in _tables(path):
        raise SegmentError(f"{path} is neither a frontier nor a catalogue of media files.")
    found = _fetched(path, f"SELECT {', '.join(ITEM_FIELDS)} FROM media")
    return ({"url": [url for row in rows for url in row if url]} for rows in found)


def _waiting(path: Path) -> Iterator[LinkColumns]:
    with _explained(path), FrontierReader(path) as reader:
        waiting = reader.waiting()
        while batch := list(islice(waiting, _FETCHED_ROWS)):
            yield {name: list(map(attrgetter(place), batch)) for name, place in _WAITING.items()}


def _tables(path: Path) -> set[str]:
    with _explained(path), closing(open_to_read(path)) as db:
        return {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _fetched(path: Path, select: str) -> Iterator[list[tuple[Any, ...]]]:
    with _explained(path), closing(open_to_read(path)) as db:
        found = db.execute(select)
        while rows := found.fetchmany(_FETCHED_ROWS):
            yield rows


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise SegmentError(f"{path} cannot be read as a database: {error}.") from error
    except FrontierError as error:
        raise SegmentError(f"{str(error).rstrip('.')}.") from error
