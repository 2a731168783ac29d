"""The terminal output of a run: the table of a dry run, the progress bar, the report."""

from __future__ import annotations

import json
import os
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from mediacrawl.base.bar import Bar
from mediacrawl.base.format import count, elapsed, plural, share
from mediacrawl.base.text import cut, pad, printable, say, terminal_width
from mediacrawl.encoding import model_version
from mediacrawl.programs.rerun.blocks import PreviewRow, RerunCounts, RerunError, RerunOptions, explained
from mediacrawl.programs.rerun.columns import listed
from mediacrawl.programs.rerun.output_file import replace
from mediacrawl.programs.rerun.run import RerunResult, RerunWatcher
from mediacrawl.programs.rerun.text_fields import EMPTY, NOT_NAMED, TEXT

_GREEN, _YELLOW, _DIM, _BOLD, _PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
_COLOURS = {"fixed": _GREEN, "undecided": _YELLOW}

_STAYS = {
    "undecided": "? not sure, stays",
    "damaged": "? damaged, stays",
    "unwritable": "= wrong, cannot be written here",
    "user": "= by hand, stays",
}
"""The text in place of an unchanged one."""

_FIELD, _ENCODING, _CONFIDENCE, _GAP = 12, 14, 5, 2
_FIXED = _FIELD + _ENCODING + _CONFIDENCE + 4 * _GAP
_NARROWEST = 60
_LABEL, _LINE = 11, 86

_COLUMNS = 30
"""Columns that are listed; the report file has all."""

_MOST = 12
"""Encodings and languages that are listed."""

_DEFAULT_WIDTH = 120
"""Terminal columns of the table without a terminal."""


class PreviewTable:
    """The table of a dry run: texts before and after, as wide as the terminal.

    Args:
        out: standard output.
        limit: most rows.
        choice: whether it has colours, green for repaired, yellow for uncertain, dim for unchanged texts: ``always``,
            ``never``, or ``auto`` for terminals unless ``NO_COLOR`` (no-color.org) or ``TERM=dumb`` is set.
    """

    def __init__(self, out: TextIO, limit: int, choice: str = "auto") -> None:
        width = terminal_width(out) or _DEFAULT_WIDTH
        self._out = out
        self._text = (max(width, _NARROWEST) - _FIXED) // 2
        is_plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
        self._colour = choice == "always" or (choice == "auto" and out.isatty() and not is_plain)
        self.left = limit
        self.has_rows = False

    def show(self, rows: Sequence[PreviewRow], title: str = "") -> None:
        """Print rows, with a title above them, up to the limit."""
        lines = [self.line(row) for row in rows[: self.left]]
        if not lines:
            return
        head = [] if self.has_rows else [self._line(("field", "before", "after", "encoding", " sure"), _BOLD)]
        self.has_rows = True
        self.left -= len(lines)
        for line in (*head, *([printable(title)] if title else []), *lines):
            say(line, self._out, flush=True)

    def line(self, row: PreviewRow) -> str:
        """Return one field, without control sequences, and aligned by terminal columns."""
        # The mark of an unchanged text does not depend on colours.
        after = row.after if row.decision == "fixed" else _STAYS.get(row.decision, "= stays")
        cells = (row.field, row.before, after, row.encoding, f"{row.confidence:5.2f}")
        return self._line(cells, _COLOURS.get(row.decision, _DIM))

    def _line(self, cells: Sequence[str], colour: str) -> str:
        widths = (_FIELD, self._text, self._text, _ENCODING, _CONFIDENCE)
        padded = (pad(cut(printable(text), width), width) for text, width in zip(cells, widths, strict=True))
        line = (" " * _GAP).join(padded).rstrip()
        return f"{colour}{line}{_PLAIN}" if self._colour else line


def report(tally: RerunCounts, encoding: str = "") -> str:
    """Return the report of a run, without a line feed at the end; `encoding` is the input file's, empty for UTF-8."""
    is_checked = tally.fields or not tally.records or TEXT in tally.holds.values()
    part = share(tally.changed, tally.records)
    bad = []
    for problem, number in sorted(tally.bad.items()):
        listed_lines = ", ".join(map(str, tally.bad_lines[problem])) + ", …" * (number > len(tally.bad_lines[problem]))
        bad.append(f"{count(number)} {problem} (line {listed_lines})")
    lines = [f"{plural(tally.records, 'record')} read, {count(tally.changed)} mended ({part})"]
    rows = [
        ("file", f"in {encoding}" if encoding else ""),
        ("lines in", ranking(tally.recoded)),
        ("fields", _fields(tally) if is_checked else "none checked"),
        ("by field", _by_field(tally)),
        ("doubtful", f"{plural(tally.doubtful, 'record')}" if tally.doubtful else ""),
        ("encodings", ranking(tally.encodings)),
        ("languages", ranking(tally.languages)),
        ("not read", "; ".join(bad)),
        ("damaged", f"{plural(tally.damaged, 'element')} of tags" if tally.damaged else ""),
    ]
    for label, text in rows:
        most = 12 if label == "by field" else 4
        for place, line in enumerate(textwrap.wrap(printable(text), _LINE, max_lines=most, placeholder=" …")):
            lines.append(f"  {pad('' if place else label, _LABEL)}{cut(line, _LINE)}")
    return "\n".join(lines)


def _fields(tally: RerunCounts) -> str:
    parts = [f"{count(tally.fields)} not ASCII", f"{count(tally.fields_changed)} mended"]
    rest = {
        "not sure": tally.undecided,
        "left, too long": sum(tally.passed.values()),
        "with lost characters": tally.lossy,
    }
    return ", ".join(parts + [f"{count(number)} {what}" for what, number in rest.items() if number])


def _by_field(tally: RerunCounts) -> str:
    """Return the counts of each field, those with text first."""
    parts = []
    for name, kind in sorted(tally.holds.items(), key=lambda field: field[1] != TEXT):
        done = f"{count(tally.mended[name])} of {count(tally.decided[name])} mended" if tally.decided[name] else ""
        passed = f"{count(tally.passed[name])} left, too long" if tally.passed[name] else ""
        found = ", ".join(filter(None, (done, passed))) or "all ASCII"
        if kind not in {EMPTY, NOT_NAMED}:
            parts.append(f"{cut(printable(name), 40)}: {found if kind == TEXT else f'left, {kind}'}")
    return "; ".join(parts[:_COLUMNS])


def ranking(numbers: Mapping[str, int]) -> str:
    """Return encodings or languages with their numbers, the most common first."""
    ranked = sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{cut(name, 40)} {count(number)}" for name, number in ranked[:_MOST])


class RerunConsole(RerunWatcher):
    """The terminal output of a run: the table of a dry run; and a progress bar with the share, records, time left.

    Args:
        table: of a dry run.
        err: standard error.
        clock: monotonic, in seconds.
    """

    def __init__(self, table: PreviewTable, err: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._table = table
        self._err = err
        self._clock = clock
        self._bar: Bar | None = None
        self._total = self._first_done = self._first_items = 0

    def remark(self, text: str) -> None:
        say(printable(text), self._err, flush=True)

    def begin(self, total: int, done: int, items: int) -> None:
        if items:
            say(f"Going on after {plural(items, 'record')}.", self._err, flush=True)
        # An earlier run counts for the share, not for the speed.
        self._total, self._first_done, self._first_items = total, done, items
        self._bar = Bar(self._err, self._clock)

    def block(self, done: int, items: int, rows: tuple[PreviewRow, ...]) -> None:
        assert self._bar is not None
        if rows and self._table.left > 0:
            self._bar.end()
        self._table.show(rows)
        self._bar.show(lambda: self._progress(done, items), done / self._total if self._total else None)

    def _progress(self, done: int, items: int) -> str:
        seconds = max(self._bar.seconds if self._bar else 0.0, 1e-6)
        parts = [plural(items, "record"), f"{count(round((items - self._first_items) / seconds))} a second"]
        if self._total:
            parts.insert(0, share(min(done, self._total), self._total))
            left = seconds * (self._total - done) / max(done - self._first_done, 1)
            parts.append(f"{elapsed(max(left, 0.0))} left")
        return " · ".join(parts)

    def end(self) -> None:
        """Remove the progress bar."""
        if self._bar is not None:
            self._bar.end()

    def report(self, result: RerunResult, stream: TextIO) -> None:
        """Write the report."""
        lines = [""] if self._table.has_rows else []
        lines.append(report(result.tally, result.encoding))
        if result.overtaken:
            lines.append(
                f"  {plural(result.overtaken, 'record', 'was')} changed meanwhile by another program: not mended."
            )
        for line in lines:
            say(line, stream, flush=True)


def refuse_unchecked(result: RerunResult, options: RerunOptions) -> None:
    """Check the result of a run.

    Raises:
        RerunError: there were lines, and no record; or records, and no text was checked.
    """
    tally = result.tally
    if tally.records and TEXT not in tally.holds.values():
        fields = listed([f"{name} ({kind})" for name, kind in tally.holds.items()])
        raise RerunError(f"No text of {options.source} was checked. It has: {fields}. Name texts with --fields A,B.")
    if tally.bad and not tally.records:
        problems = "; ".join(f"{plural(number, 'line')}: {problem}" for problem, number in sorted(tally.bad.items()))
        advice = "" if options.encoding else " If the encoding was found out wrongly, name it with --encoding NAME."
        raise RerunError(f"Nothing of {options.source} could be read: {problems}.{advice}")


def write_report(path: Path, result: RerunResult, options: Mapping[str, Any]) -> None:
    """Write the report as JSON, atomically.

    Raises:
        RerunError: the file cannot be written.
    """
    found = {
        "options": dict(options),
        "models": model_version(),
        "overtaken": result.overtaken,
        "encoding": result.encoding or "utf-8",
        **result.tally.as_json(),
    }
    with explained(f"The report {path} cannot be written"):
        replace(path, json.dumps(found, ensure_ascii=False, indent=1).encode() + b"\n")
