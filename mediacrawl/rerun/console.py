"""The terminal output of a run: the table of a dry run, the progress bar, the report."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TextIO

from mediacrawl.encoding import model_version
from mediacrawl.observe.bar import Bar
from mediacrawl.observe.format import count, elapsed, plural, share
from mediacrawl.observe.text import cut, pad, printable, say
from mediacrawl.rerun.blocks import PreviewRow, RerunCounts, RerunError, RerunOptions, explained
from mediacrawl.rerun.columns import listed
from mediacrawl.rerun.output_file import replace
from mediacrawl.rerun.run import RerunResult, RerunWatcher
from mediacrawl.rerun.text_fields import EMPTY, NOT_NAMED, TEXT

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

_KINDS = 8
"""Kinds of samples that are listed; the report file has all."""

_SAMPLE = 38
"""Terminal columns of a sample's text before, and after."""

_DEFAULT_WIDTH = 120
"""Terminal columns of the table without a terminal."""


class PreviewTable:
    """The table of a dry run: texts before and after.

    Args:
        width: terminal columns.
        colour: green for repaired, yellow for uncertain, dim for unchanged texts.
    """

    def __init__(self, width: int, *, colour: bool) -> None:
        self._text = (max(width, _NARROWEST) - _FIXED) // 2
        self._colour = colour

    def head(self) -> str:
        """Return the names of the columns."""
        return self._line(("field", "before", "after", "encoding", " sure"), _BOLD)

    def line(self, row: PreviewRow) -> str:
        """Return one field, without control sequences, and aligned by terminal columns."""
        # The mark of an unchanged text does not depend on colours.
        after = row.after if row.decision == "fixed" else _STAYS.get(row.decision, "= stays")
        cells = (row.field, row.before, after, row.encoding, f"{row.confidence:5.2f}")
        return self._line(cells, _COLOURS.get(row.decision, _DIM))

    def _line(self, cells: Sequence[str], colour: str) -> str:
        widths = (_FIELD, self._text, self._text, _ENCODING, _CONFIDENCE)
        line = (" " * _GAP).join(map(_padded, cells, widths)).rstrip()
        return f"{colour}{line}{_PLAIN}" if self._colour else line


def _padded(text: str, width: int) -> str:
    return pad(cut(printable(text), width), width)


def report(tally: RerunCounts, encoding: str = "", *, samples: bool = True) -> str:
    """Return the report of a run, without a line feed at the end.

    Args:
        tally: of the whole run.
        encoding: of the input file; empty for UTF-8.
        samples: texts before and after; without them if a table has shown them.
    """
    is_checked = tally.fields or not tally.records or TEXT in tally.holds.values()
    part = share(tally.changed, tally.records)
    bad = []
    for problem, number in sorted(tally.bad.items()):
        listed_lines = ", ".join(map(str, tally.bad_lines[problem])) + ", …" * (number > len(tally.bad_lines[problem]))
        bad.append(f"{count(number)} {problem} (line {listed_lines})")
    lines = [f"{plural(tally.records, 'record')} read, {count(tally.changed)} mended ({part})"]
    rows = [
        ("file", f"in {encoding}" if encoding else ""),
        ("lines in", _ranking(tally.recoded)),
        ("fields", _fields(tally) if is_checked else "none checked"),
        ("by field", _by_field(tally)),
        ("doubtful", f"{plural(tally.doubtful, 'record')}" if tally.doubtful else ""),
        ("encodings", _ranking(tally.encodings)),
        ("languages", _ranking(tally.languages)),
        ("not read", "; ".join(bad)),
        ("damaged", f"{plural(tally.damaged, 'element')} of tags" if tally.damaged else ""),
    ]
    for label, text in rows:
        most = 12 if label == "by field" else 4
        for place, line in enumerate(textwrap.wrap(printable(text), _LINE, max_lines=most, placeholder=" …")):
            lines.append(f"  {pad('' if place else label, _LABEL)}{cut(line, _LINE)}")
    kinds = sorted(tally.samples, key=lambda kind: (-tally.encodings.get(kind, 0), kind))[: _KINDS * samples]
    lines += [""] if kinds else []
    for kind in kinds:
        field, before, after, confidence = tally.samples[kind]
        texts = f"{_padded(before, _SAMPLE)}  {_padded(after, _SAMPLE)}"
        lines.append(f"  {_padded(kind, _ENCODING)} {texts}  {confidence:.2f} {cut(printable(field), _FIELD)}".rstrip())
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


def _ranking(numbers: Mapping[str, int]) -> str:
    ranked = sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{cut(name, 40)} {count(number)}" for name, number in ranked[:_MOST])


def is_coloured(choice: Literal["auto", "always", "never"], stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether to write colours.

    Args:
        choice: ``always``, ``never``, or ``auto`` for terminals only.
        stream: to write to.
        environment: ``NO_COLOR`` (no-color.org), and ``TERM=dumb``, disable colours.
    """
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


class RerunConsole(RerunWatcher):
    """The terminal output of a run: the table of a dry run; and a progress bar with the share, records, time left.

    Args:
        out, err: standard output and error.
        limit: most rows of the table.
        colour: whether it has colours.
        width: terminal columns; 0 without a terminal.
        clock: monotonic, in seconds.
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
        self._table = PreviewTable(width or _DEFAULT_WIDTH, colour=colour)
        self._has_head = False
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
        if rows and self._left > 0:
            self._bar.end()
        for row in rows[: self._left]:
            if not self._has_head:
                say(self._table.head(), self._out, flush=True)
            elif row.begins:
                say("", self._out, flush=True)
            self._has_head = True
            say(self._table.line(row), self._out, flush=True)
        self._left -= min(self._left, len(rows))
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
        lines = [""] if self._has_head else []
        lines.append(report(result.tally, result.encoding, samples=not self._has_head))
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
