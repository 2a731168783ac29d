"""A run: files into tables, step by step to the queue, the queue to its output, and the report."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from mediacrawl.base.files import sync_folder
from mediacrawl.base.format import count, elapsed, plural
from mediacrawl.base.text import printable
from mediacrawl.programs.segment.engine import Engine, SegmentProgress, check_engine, sorted_table, text, threads_for
from mediacrawl.programs.segment.examine import SegmentError, examiner, statements
from mediacrawl.programs.segment.links import (
    SEEN_TABLE,
    TABLE,
    BadLines,
    Loader,
    is_frontier,
    keys_of_frontier,
    links_of,
)
from mediacrawl.programs.segment.options import LinkFile, QueueTarget, SegmentOptions

_WORDS = {
    "seen": "seen",
    "per_site": "beyond --per-site",
    "limit": "beyond --limit",
}


@dataclass(slots=True)
class SegmentResult:
    """The counts of a run: `links` = `repeated` + all of `left_out` + `written`.

    Attributes:
        files: of links.
        links: found in them.
        repeated: links to a URL that another link led to, in any spelling.
        left_out: number of URLs by reason: ``seen``, a value of `base.terms.Drop`, ``per_site`` or ``limit``; what is
            no URL is counted by spelling.
        written: URLs of the queue.
        sites: of the queue.
        bad: unreadable lines by file, those of seen URLs included.
        remarks: one sentence for each other problem.
        seconds: duration of the run.
    """

    files: int = 0
    links: int = 0
    repeated: int = 0
    left_out: dict[str, int] = field(default_factory=dict)
    written: int = 0
    sites: int = 0
    bad: list[BadLines] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    seconds: float = 0.0


def report(result: SegmentResult, name: str) -> str:
    """Return the counts as lines of text."""
    lines = list(result.remarks)
    for bad in result.bad:
        least = " or more" if bad.is_least else ""
        unread = "line" if bad.number == 1 else "lines"
        lines.append(f"{bad.name}: {count(bad.number)}{least} {unread} could not be read.")
        lines += [f"  {line}" for line in bad.named]
    rows = [("links", result.links), ("repeated", -result.repeated)]
    left_out = sorted(result.left_out.items(), key=lambda row: (-row[1], row[0]))
    rows += [(_WORDS.get(why, why), -number) for why, number in left_out]
    sites = plural(result.sites, "site")
    rows.append((f"URLs of {sites} in {'the standard output' if name == '-' else name}", result.written))
    width = max(len(count(number)) for _, number in rows)
    always = {rows[0], rows[-1]}
    lines += [f"{count(number):>{width}} {what}" for what, number in rows if number or (what, number) in always]
    lines.append(f"{plural(result.files, 'file')}, {elapsed(result.seconds)}")
    return "\n".join(map(printable, lines))


_STEPS = 7
_WHOLE = "* EXCLUDE (best, site_score)"

_COLUMNS = {"list": "url", "lines": _WHOLE, "parquet": _WHOLE, "folder": "*"}
"""Columns of the queue that are written. A folder is sorted again, so it keeps the sort keys until then."""


def segment(options: SegmentOptions, progress: SegmentProgress, stdin: BinaryIO, stdout: BinaryIO) -> SegmentResult:
    """Build the next queue.

    Raises:
        SegmentError: it failed, without output or other remains.
        KeyboardInterrupt: the user pressed Ctrl-C; likewise.
    """
    check_engine()
    check_target(options.target, (*options.sources, *options.seen), force=options.force)
    threads = threads_for(options.memory, options.jobs, _size((*options.sources, *options.seen)))
    with (
        _folder(options) as folder,
        examiner(options.rules, threads) as examine,
        Engine(folder, options.memory, threads, progress) as engine,
    ):
        engine.functions(examine, options.rules.scores)
        return _Run(options, progress, engine, folder).go(stdin, stdout)


def _size(inputs: Sequence[LinkFile]) -> int | None:
    """Return bytes of the inputs, as they are on the disk; None if one is a stream, or cannot be looked at."""
    if any(each.is_stream for each in inputs):
        return None
    try:
        return sum(each.path.stat().st_size for each in inputs)
    except OSError:
        return None


@contextmanager
def _folder(options: SegmentOptions) -> Iterator[Path]:
    """Yield a temporary folder, by default in that of the output."""
    beside = Path(tempfile.gettempdir()) if options.target.is_stream else options.target.path.absolute().parent
    parent = options.temp or beside
    try:
        folder = Path(tempfile.mkdtemp(prefix=".segment-", dir=parent))
    except OSError as error:
        why = error.strerror or str(error)
        raise SegmentError(f"{parent} cannot be written: {why}. Name a folder with --temp.") from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Run:
    """A run; its methods are called in their order."""

    def __init__(self, options: SegmentOptions, progress: SegmentProgress, engine: Engine, folder: Path) -> None:
        self._options = options
        self._progress = progress
        self._engine = engine
        self._folder = folder
        self._result = SegmentResult(files=len(options.sources))
        self._select = statements()

    def go(self, stdin: BinaryIO, stdout: BinaryIO) -> SegmentResult:
        step = self._progress.step
        self._progress.begin(_STEPS)
        run, options = self._engine.run, self._options
        run(f"CREATE TABLE found_link {TABLE}")
        run("CREATE VIEW link AS SELECT rowid AS id, * FROM found_link")
        run(f"CREATE TABLE seen_link {SEEN_TABLE}")
        run("CREATE TABLE seen_key (key BIGINT)")
        run("CREATE TABLE limits (max_depth INTEGER, per_site INTEGER)")
        run("INSERT INTO limits VALUES ($1, $2)", [options.rules.scope.max_depth, options.per_site])
        step("reading what was seen")
        self._load("seen_link", options.seen, stdin)
        run(
            "INSERT INTO seen_key SELECT examine(url).key FROM "
            "(SELECT DISTINCT url FROM seen_link WHERE url IS NOT NULL)"
        )
        self._engine.drop("seen_link")
        step("reading links")
        self._load("found_link", options.sources, stdin)
        self._result.links = self._number("link", "url IS NOT NULL")
        self._judge()
        step("sorting")
        self._engine.view("fitting", self._select["fitting"])
        self._make_or_pass("placed", "fitting", wanted=options.per_site is not None)
        self._make_or_pass("detailed", "placed", wanted=options.target.has_columns)
        self._make("site_best")
        sorted_table(self._engine, "queue", self._select["queue"])
        step("writing")
        self._write(stdout)
        self._result.seconds = self._progress.seconds
        return self._result

    def _load(self, table: str, sources: tuple[LinkFile, ...], stdin: BinaryIO) -> None:
        """Load files into a table; of a frontier that was seen the keys alone."""
        is_seen = table == "seen_link"
        loader = Loader(self._engine, table, self._options.url_fields, self._folder, whole=not is_seen)
        for source, before, share in _shares(sources):
            self._progress.part(f"reading {source.path}", before, share)
            if source.kind != "sqlite":
                loader.load(source, stdin)
            elif is_seen and is_frontier(source.path):
                for keys in keys_of_frontier(source.path):
                    self._engine.insert("seen_key", {"key": keys})
            else:
                for columns in links_of(source.path):
                    loader.load_rows(source, columns)
        self._result.bad += loader.bad_lines()
        self._result.remarks += loader.remarks

    def _judge(self) -> None:
        """Examine the URLs, and count those that are left out."""
        result, rows = self._result, self._engine.run
        self._progress.step("leaving out repeated links")
        self._make("spelling")
        self._progress.step("canonical form and scope")
        self._make("examined")
        self._engine.drop("spelling")
        self._progress.step("comparing with what was seen")
        self._make("candidate")
        self._make("judged")
        no_urls = dict(rows("SELECT found.reason, count(*) FROM examined WHERE found.url IS NULL GROUP BY 1"))
        result.left_out = dict(rows("SELECT reason, count(*) FROM judged WHERE reason IS NOT NULL GROUP BY 1"))
        for reason, number in no_urls.items():
            result.left_out[reason] = result.left_out.get(reason, 0) + number
        result.repeated = result.links - sum(no_urls.values()) - self._number("candidate")
        self._engine.drop("examined")
        self._engine.drop("candidate")

    def _make(self, name: str) -> None:
        self._engine.table(name, self._select[name])

    def _make_or_pass(self, name: str, before: str, *, wanted: bool) -> None:
        if wanted:
            self._make(name)
        else:
            self._engine.view(name, f"SELECT * FROM {before}")

    def _number(self, table: str, condition: str = "true") -> int:
        ((number,),) = self._engine.run(f"SELECT count(*) FROM {table} WHERE {condition}")
        return int(number)

    def _write(self, stdout: BinaryIO) -> None:
        limit = self._options.limit
        ordered = self._number("queue")
        result = self._result
        result.left_out["per_site"] = self._number("fitting") - ordered
        result.written = ordered if limit is None else min(limit, ordered)
        result.left_out["limit"] = ordered - result.written
        result.left_out = {reason: number for reason, number in result.left_out.items() if number}
        # Not LIMIT: for that the engine holds all rows in memory (DuckDB 2.0).
        rows = f"SELECT * FROM queue WHERE rowid < {result.written}"
        ((result.sites,),) = self._engine.run(f"SELECT count(DISTINCT site) FROM ({rows})")
        columns = _COLUMNS[self._options.target.kind]
        QueueWriter(self._options.target, stdout, self._folder).write(self._engine, f"SELECT {columns} FROM ({rows})")


def _shares(sources: tuple[LinkFile, ...]) -> Iterator[tuple[LinkFile, float, float]]:
    """Each file, the share of all bytes before it, and its own."""
    sizes = [1 if source.is_stream else max(source.path.stat().st_size, 1) for source in sources]
    before = 0.0
    for source, size in zip(sources, sizes, strict=True):
        yield source, before, size / sum(sizes)
        before += size / sum(sizes)


_CHUNK = 1 << 20

ORDER = "site_score DESC, site, score DESC, url"
"""The order of the queue."""

_GROUP = 20_000
"""Rows of a row group: readers skip groups by site, and one fits in a small memory."""

_FORMATS = {
    # One field a line; a canonical URL holds no line end.
    "list": "FORMAT csv, HEADER false, QUOTE '', ESCAPE '', DELIMITER E'\\n'",
    "lines": "FORMAT json",
    "parquet": f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {_GROUP}",
}

PART = "substr(md5(site), 1, 2)"
"""The part of a data set with a site: the first two digits of its MD5, which every engine has."""


def check_target(target: QueueTarget, sources: tuple[LinkFile, ...], *, force: bool) -> None:
    """Check that the queue may be written.

    Raises:
        SegmentError: the output exists, or its folder does not.
    """
    if target.is_stream:
        return
    path = target.path
    if not path.absolute().parent.is_dir():
        raise SegmentError(f"There is no folder {path.absolute().parent} to write {path.name} in.")
    if any(path.exists() and source.path.exists() and path.samefile(source.path) for source in sources):
        raise SegmentError(f"{path} is an input and the output. Name another output.")
    is_taken = path.exists()
    if target.kind == "folder" and is_taken:
        if not path.is_dir():
            raise SegmentError(f"{path} is no folder. Name another output.")
        if not all(_is_ours(each) for each in path.iterdir()):
            raise SegmentError(f"{path} holds other things than a queue. Name another output.")
        is_taken = any(path.iterdir())
    if is_taken and not force:
        raise SegmentError(f"{path} is there already. Name another output, or replace it with --force.")


def _is_ours(path: Path) -> bool:
    names = {each.name for each in path.iterdir()} if path.is_dir() else {""}
    return path.name.startswith("part=") and names <= {"queue.parquet"}


class QueueWriter:
    """Writes the queue."""

    def __init__(self, target: QueueTarget, stdout: BinaryIO, spool: Path) -> None:
        self._target = target
        self._stdout = stdout
        path = target.path.absolute()
        self._part = spool / "output" if target.is_stream else path.with_name(path.name + ".part")

    def write(self, engine: Engine, select: str) -> None:
        """Write the rows of a SELECT, in their order.

        Raises:
            SegmentError: they cannot be written. Nothing is left behind.
        """
        try:
            self._remove(self._part)
            if self._target.kind == "folder":
                self._write_folder(engine, select)
            else:
                self._copy(engine, select, self._part, self._target.kind)
            self._place()
        except OSError as error:
            raise SegmentError(f"{self._target.path} cannot be written: {error.strerror or error}.") from error
        finally:
            self._remove(self._part)

    def _copy(self, engine: Engine, select: str, path: Path, kind: str) -> None:
        packed = ", COMPRESSION gzip" if self._target.packed else ""
        engine.run(f"COPY ({select}) TO {text(path)} ({_FORMATS[kind]}{packed})")
        with path.open("rb") as file:
            os.fsync(file.fileno())

    def _write_folder(self, engine: Engine, select: str) -> None:
        """One file for each part, each in order; one at a time is in memory."""
        self._part.mkdir()
        sorted_table(engine, "parted", f"SELECT *, {PART} AS part FROM ({select})\nORDER BY part, {ORDER}")
        for (part,) in engine.run("SELECT DISTINCT part FROM parted ORDER BY part"):
            folder = self._part / f"part={part}"
            folder.mkdir()
            rows = f"SELECT * EXCLUDE (part, best, site_score) FROM parted WHERE part = {text(part)}"
            self._copy(engine, rows, folder / "queue.parquet", "parquet")
            sync_folder(folder)
        sync_folder(self._part)

    def _place(self) -> None:
        if self._target.is_stream:
            with self._part.open("rb") as file:
                shutil.copyfileobj(file, self._stdout, _CHUNK)
            self._stdout.flush()
            return
        if self._target.kind == "folder" and self._target.path.exists():
            shutil.rmtree(self._target.path)
        self._part.replace(self._target.path.absolute())
        sync_folder(self._target.path.absolute().parent)

    @staticmethod
    def _remove(path: Path) -> None:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
