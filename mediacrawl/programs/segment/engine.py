"""DuckDB as the engine of a run: one database in a temporary folder, and one statement at a time.

A statement runs in a thread, so that the main thread can show progress and interrupt it at Ctrl-C. A table that is too
wide to be sorted in memory is sorted by row numbers, and its rows follow in pieces that fit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TextIO

from mediacrawl.base.bar import Bar
from mediacrawl.base.format import elapsed
from mediacrawl.base.text import printable
from mediacrawl.priority.links import Scores
from mediacrawl.programs.segment.examine import (
    Examine,
    ExaminedUrls,
    MemoryShortError,
    SegmentError,
    class_of,
    first_score,
)


class SegmentProgress:
    """The progress bar: the current step, and the share of it that is done."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._bar = Bar(stream, clock)
        self._steps = self._step = 0
        self._what = ""
        self._before = self._share = 0.0

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return self._bar.seconds

    def begin(self, steps: int) -> None:
        """Set the number of steps."""
        self._steps = steps

    def step(self, what: str) -> None:
        """Begin the next step."""
        self._step += 1
        self.part(what, 0.0, 1.0)

    def part(self, what: str, before: float, share: float) -> None:
        """Begin the next statement of a step.

        Args:
            what: its description.
            before: share of the step that is done, 0 to 1.
            share: share of the step that it is, 0 to 1.
        """
        self._what, self._before, self._share = what, before, share
        self.show(0.0)

    def show(self, percent: float) -> None:
        """Updates the bar, at a limited rate."""
        done = min(self._before + self._share * max(percent, 0.0) / 100, 1.0)
        self._bar.show(lambda: self.line(done), done)

    def line(self, done: float) -> str:
        """Return the state as one line."""
        step = f"step {self._step} of {self._steps}: " if self._steps else ""
        return printable(f"{step}{self._what} · {done:.0%} · {elapsed(self.seconds)}")

    def end(self) -> None:
        """Remove the bar."""
        self._bar.end()


MEMORY_A_THREAD = 100_000_000
"""Bytes for each thread. With less, DuckDB 2.0's sorts run out of memory instead of using the disk."""
INPUT_A_THREAD = 256 << 10
"""Bytes of input for each thread. They hold some 3,000 links, which are examined in less time than a process takes to
start."""

_EXAMINED = "STRUCT(url VARCHAR, site VARCHAR, key BIGINT, kind VARCHAR, reason VARCHAR)"

# The types moved between modules from one version to the next; all versions accept the words. Without "special" the
# engine returns NULL itself where one of the values is NULL.
_ON_ARROW: dict[str, Any] = {"type": "arrow", "null_handling": "special"}
_TICK = 0.1


def check_engine() -> None:
    """Check that DuckDB and Arrow are installed.

    Raises:
        SegmentError: they are not.
    """
    try:
        import duckdb  # noqa: F401, PLC0415 - an extra
        import pyarrow as pa  # noqa: F401, PLC0415
    except ImportError as error:
        raise SegmentError(
            "scrapy segment needs DuckDB and Arrow; install them with: pip install 'duckdb>=1.4' 'pyarrow>=18'."
        ) from error


def threads_for(memory: int, jobs: int, size: int | None = None) -> int:
    """Return the number of threads that can share the memory, and of processes that examine URLs for them."""
    most = jobs if size is None else min(jobs, size // INPUT_A_THREAD)
    return max(1, min(most, memory // MEMORY_A_THREAD))


class Engine:
    """Runs statements.

    Args:
        folder: for the database and what does not fit in memory; it exists, is empty and is removed by the caller.
        memory: bytes that it may use.
        threads: of the engine.
        progress: receives the progress of each statement.

    Attributes:
        memory: as given.

    Raises:
        SegmentError: from each method, if the engine cannot do what is asked.
    """

    def __init__(self, folder: Path, memory: int, threads: int, progress: SegmentProgress) -> None:
        import duckdb  # noqa: PLC0415 - an extra

        self._error = duckdb.Error
        self._out_of_memory = duckdb.OutOfMemoryException
        self.memory = memory
        self._folder = folder
        self._progress = progress
        self._functions: list[str] = []
        self._failure: BaseException | None = None
        config: dict[str, Any] = {
            "memory_limit": f"{memory // 1000}KB",
            "threads": threads,
            "temp_directory": str(folder / "spilled"),
            # Nothing is fetched from the network, whatever the name of a file.
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
        self._db = duckdb.connect(str(folder / "work.db"), config=config)
        self._db.execute("SET enable_progress_bar = true")
        self._db.execute("SET enable_progress_bar_print = false")

    def __enter__(self) -> Self:
        """Return the engine itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Closes the database."""
        # A function that is still registered when Python ends is reported as a leak.
        for name in self._functions:
            self._db.remove_function(name)
        self._db.close()

    def functions(self, examine: Examine, scores: Scores) -> None:
        """Registers the functions of ``queue.sql``."""
        import pyarrow as pa  # noqa: PLC0415 - an extra

        types = [pa.string(), pa.string(), pa.int64(), pa.string(), pa.string()]
        names = list(ExaminedUrls._fields)

        def examined(written: Any) -> Any:
            columns = examine(written.to_pylist())
            return pa.StructArray.from_arrays(list(map(pa.array, columns, types)), names=names)

        def classes(urls: Any) -> Any:
            return pa.array([class_of(url) for url in urls.to_pylist()], pa.string())

        def firsts(kinds: Any, vias: Any, depths: Any, urls: Any) -> Any:
            rows = zip(*(column.to_pylist() for column in (kinds, vias, depths, urls)), strict=True)
            return pa.array([first_score(scores, *row) for row in rows], pa.float64())

        self._function("examine", examined, ["VARCHAR"], _EXAMINED)
        self._function("link_class", classes, ["VARCHAR"], "VARCHAR")
        self._function("first_score", firsts, ["VARCHAR", "VARCHAR", "INTEGER", "VARCHAR"], "DOUBLE")

    def _function(self, name: str, function: Callable[..., Any], takes: list[Any], returns: str) -> None:
        # The engine inspects the parameters.
        @wraps(function)
        def guarded(*columns: Any) -> Any:
            try:
                return function(*columns)
            except BaseException as error:
                # The engine would only keep its message.
                self._failure = error
                raise

        self._db.create_function(name, guarded, takes, returns, **_ON_ARROW)
        self._functions.append(name)

    def table(self, name: str, select: str) -> None:
        """Create a table from a SELECT, in its order."""
        self.run(f"CREATE TABLE {name} AS {select}")

    def view(self, name: str, select: str) -> None:
        """Create a view of a SELECT."""
        self.run(f"CREATE VIEW {name} AS {select}")

    def drop(self, name: str) -> None:
        """Drops a table."""
        self.run(f"DROP TABLE {name}")

    def insert(self, table: str, columns: dict[str, list[Any]]) -> None:
        """Appends rows to a table with exactly these columns."""
        import pyarrow as pa  # noqa: PLC0415 - an extra

        self._db.register("rows", pa.table(columns))
        try:
            self.run(f"INSERT INTO {table} ({', '.join(columns)}) SELECT * FROM rows")
        finally:
            self._db.unregister("rows")

    def run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Run a statement to its end, and return its rows, which must be few.

        Raises:
            KeyboardInterrupt: the user pressed Ctrl-C; the statement has been stopped.
        """
        done: list[list[tuple[Any, ...]]] = []
        failed: list[BaseException] = []

        def work() -> None:
            try:
                done.append(self._db.execute(statement, list(values)).fetchall())
            except BaseException as error:  # noqa: BLE001 - raised again in the main thread
                failed.append(error)

        self._failure = None
        thread = threading.Thread(target=work, name="segment")
        thread.start()
        self._watch(thread)
        if failed:
            raise self._explained(failed[0]) from failed[0]
        return done[0]

    def _watch(self, thread: threading.Thread) -> None:
        try:
            thread.join(_TICK)
            while thread.is_alive():
                self._progress.show(self._db.query_progress())
                thread.join(_TICK)
        except BaseException:
            self._db.interrupt()
            thread.join()
            raise

    def _explained(self, error: BaseException) -> BaseException:
        """Return the error to raise for one of the engine."""
        if self._failure is not None:
            return self._failure
        if isinstance(error, self._out_of_memory):
            megabytes = self.memory // 10**6
            return MemoryShortError(f"{megabytes} MB are too little memory for this input. Allow more with --memory.")
        if isinstance(error, self._error):
            text = str(error).partition("\n")[0]
            return SegmentError(f"The engine cannot go on: {text} (its files are in {self._folder.parent}).")
        return error


def text(value: str | Path) -> str:
    """Return a value as an SQL literal, where the engine takes no parameter."""
    return "'" + str(value).replace("'", "''") + "'"


_PIECE = 8
"""Share of the memory that a piece of rows may take: it is held twice, and the engine needs buffers."""

_ROW = 64
"""Bytes of a row besides its text."""


def sorted_table(engine: Engine, name: str, select: str) -> None:
    """Create a table from a SELECT that ends with ``ORDER BY`` and columns of its result, a unique ``best`` among them.

    Raises:
        SegmentError: even so memory is too small.
    """
    try:
        engine.table(name, select)
    except MemoryShortError:
        rows, _, order = select.rpartition("\nORDER BY ")
        in_pieces(engine, name, rows, order)


def in_pieces(engine: Engine, name: str, rows: str, order: str) -> None:
    """`sorted_table` for wide rows and small memory."""
    keys = ", ".join(["best", *(term.split()[0] for term in order.split(", "))])
    engine.table("ordered", f"SELECT best FROM (SELECT {keys} FROM ({rows})) ORDER BY {order}")
    engine.table("placed_row", f"SELECT r.*, o.rowid AS place FROM ({rows}) r JOIN ordered o ON o.best = r.best")
    engine.drop("ordered")
    engine.table(name, "SELECT * EXCLUDE (place) FROM placed_row LIMIT 0")
    ((number, length),) = engine.run("SELECT count(*), avg(strlen(r::VARCHAR)) FROM placed_row r")
    size = max(int(engine.memory / _PIECE / (length + _ROW)), 1) if number else 1
    for first in range(0, number, size):
        engine.run(
            f"INSERT INTO {name} SELECT * EXCLUDE (place) FROM placed_row WHERE place BETWEEN $1 AND $2 ORDER BY place",
            [first, first + size - 1],
        )
    engine.drop("placed_row")
