"""A run as a person sees it: the table of a dry run, how far it is, the report."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TextIO

from mediacrawl.encoding import model_version
from mediacrawl.observe.format import plural
from mediacrawl.observe.text import printable
from mediacrawl.rerun.errors import RerunError
from mediacrawl.rerun.output_file import replace
from mediacrawl.rerun.progress import Progress
from mediacrawl.rerun.report import Table, report
from mediacrawl.rerun.run import Options, Result, Watcher
from mediacrawl.rerun.shapes import Row

Colour = Literal["auto", "always", "never"]

_WIDTH = 120
"""Columns of the table where there is no terminal."""


def is_coloured(wish: Colour, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether to write colours.

    Args:
        wish: ``always`` and ``never`` decide.
        stream: to write to; ``auto`` asks whether it is a terminal.
        environment: ``NO_COLOR``, set to anything, says no (no-color.org), and so does a terminal that knows none.
    """
    if wish != "auto":
        return wish == "always"
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def say(stream: TextIO, text: str) -> None:
    """Print on an output that may not know all characters."""
    encoding = stream.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=True)


class Console(Watcher):
    """Shows a run.

    Args:
        out: for the table.
        err: for the progress.
        limit: most rows of the table.
        colour: whether the table is coloured.
        width: columns of the terminal; 0 if there is none.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        *,
        limit: int,
        colour: bool,
        width: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out, self._err = out, err
        self._left = limit
        self._table = Table(width or _WIDTH, colour=colour)
        self._has_head = False
        self._clock = clock
        self._progress: Progress | None = None

    def begin(self, total: int, done: int, items: int) -> None:
        """See `Watcher`."""
        if items:
            say(self._err, f"Going on after {plural(items, 'record')}.")
        self._progress = Progress(self._err, total, self._clock)
        self._progress.begin(done, items)

    def block(self, done: int, items: int, rows: tuple[Row, ...]) -> None:
        """See `Watcher`."""
        assert self._progress is not None
        if rows and self._left > 0:
            self._progress.end()
        for row in rows[: self._left]:
            self._show(row)
        self._left -= min(self._left, len(rows))
        self._progress.show(done, items)

    def _show(self, row: Row) -> None:
        if not self._has_head:
            say(self._out, self._table.head())
        elif row.begins:
            say(self._out, "")
        self._has_head = True
        say(self._out, self._table.line(row))

    def end(self) -> None:
        """Take the progress away."""
        if self._progress is not None:
            self._progress.end()

    def report(self, result: Result, stream: TextIO) -> None:
        """Write the report."""
        found = report(result.tally, result.encoding, result.columns)
        lines = ["", found] if self._has_head else [found]
        if result.rejected:
            lines.append(f"  What this output cannot hold is in {printable(str(result.rejected))}.")
        if result.overtaken:
            lines.append(
                f"  {plural(result.overtaken, 'record', 'was')} changed meanwhile by another program: not mended."
            )
        for line in lines:
            say(stream, line)


def refuse_unreadable(result: Result, options: Options) -> None:
    """Make an error of a run over an input of which nothing could be read.

    Raises:
        RerunError: there was something, and no record came out of it.
    """
    if not result.is_unreadable:
        return
    problems = "; ".join(f"{plural(number, 'line')}: {problem}" for problem, number in sorted(result.tally.bad.items()))
    advice = "" if options.encoding else " If the encoding was found out wrongly, name it with --encoding NAME."
    raise RerunError(f"Nothing of {options.source} could be read: {problems}.{advice}")


def write_report(path: Path, result: Result, options: Mapping[str, Any]) -> None:
    """Write the report as JSON, whole or not at all.

    Args:
        path: of the file; one that is there is replaced.
        result: of the run.
        options: of the run, as JSON holds them.

    Raises:
        RerunError: the file cannot be written.
    """
    found = {
        "options": dict(options),
        "models": model_version(),
        "rejected": str(result.rejected) if result.rejected else None,
        "overtaken": result.overtaken,
        "encoding": result.encoding or "utf-8",
        "holds": dict(result.columns),
        **result.tally.as_json(),
    }
    try:
        replace(path, json.dumps(found, ensure_ascii=False, indent=1).encode() + b"\n")
    except OSError as error:
        raise RerunError(f"The report {path} cannot be written: {error.strerror or error}.") from error
