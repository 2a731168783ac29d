"""What a person sees of a run: the table of a dry run, and the report at the end."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from mediacrawl.observe.format import count, plural, share
from mediacrawl.observe.text import cut, pad, printable
from mediacrawl.rerun.columns import TEXT
from mediacrawl.rerun.shapes import Row
from mediacrawl.rerun.tally import Tally

_GREEN, _YELLOW, _DIM, _BOLD, _PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[2m", "\x1b[1m", "\x1b[0m"
_COLOURS = {"fixed": _GREEN, "undecided": _YELLOW}
_STAYS = {
    "undecided": "? not sure, stays",
    "damaged": "? damaged, stays",
    "unwritable": "= wrong, cannot be written here",
    "user": "= by hand, stays",
}
"""What stands in the place of a text that does not change."""
_FIELD, _ENCODING, _CONFIDENCE, _GAP = 12, 14, 5, 2
_FIXED = _FIELD + _ENCODING + _CONFIDENCE + 4 * _GAP
_NARROWEST = 60
_LABEL, _LINE = 11, 86
_COLUMNS = 30
"""Columns that are listed; the file of the report has all."""
_MOST = 12
"""Encodings and languages that are listed."""
_KINDS = 8
"""Kinds of samples that are shown; the file of the report has all."""
_SAMPLE = 38
"""Columns of a sample's text before, and after."""


class Table:
    """The table before and after.

    Args:
        width: terminal columns.
        colour: green for what is mended, yellow for what is not sure, dim for what stays.
    """

    def __init__(self, width: int, *, colour: bool) -> None:
        self._text = (max(width, _NARROWEST) - _FIXED) // 2
        self._colour = colour

    def head(self) -> str:
        """The names of the columns."""
        line = self._line("field", "before", "after", "encoding", " sure")
        return f"{_BOLD}{line}{_PLAIN}" if self._colour else line

    def line(self, row: Row) -> str:
        """One field. Whatever stands in it commands no terminal, and wide characters keep the columns straight."""
        after = row.after if row.decision == "fixed" else _unchanged(row)
        line = self._line(row.field, row.before, after, row.encoding, f"{row.confidence:5.2f}")
        return f"{_COLOURS.get(row.decision, _DIM)}{line}{_PLAIN}" if self._colour else line

    def _line(self, field: str, before: str, after: str, encoding: str, confidence: str) -> str:
        widths = (_FIELD, self._text, self._text, _ENCODING, _CONFIDENCE)
        cells = zip((field, before, after, encoding, confidence), widths, strict=True)
        return (" " * _GAP).join(pad(cut(printable(text), width), width) for text, width in cells).rstrip()


def _unchanged(row: Row) -> str:
    """A sign tells it as well as the colour does."""
    return _STAYS.get(row.decision, "= stays")


def report(tally: Tally, encoding: str = "", columns: Mapping[str, str] | None = None) -> str:
    """The run in numbers and samples, without a line feed at the end.

    Args:
        tally: of the whole run.
        encoding: of the input file; empty for UTF-8.
        columns: of a CSV file: what each column holds.
    """
    title = f"{plural(tally.records, 'record')} read, {count(tally.changed)} mended ({_part(tally)})"
    rows = [
        ("file", f"in {encoding}" if encoding else ""),
        ("lines in", _ranking(tally.recoded)),
        ("fields", _fields(tally)),
        ("columns", _columns(tally, columns or {})),
        ("doubtful", f"{plural(tally.doubtful, 'record')}" if tally.doubtful else ""),
        ("encodings", _ranking(tally.encodings)),
        ("languages", _ranking(tally.languages)),
        ("not read", _bad(tally)),
        ("damaged", f"{plural(tally.damaged, 'element')} of tags" if tally.damaged else ""),
    ]
    lines = [title, *(_row(label, text) for label, text in rows if text)]
    return "\n".join(lines + list(_samples(tally)))


def _part(tally: Tally) -> str:
    return share(tally.changed, tally.records)


def _fields(tally: Tally) -> str:
    parts = [f"{count(tally.fields)} not ASCII", f"{count(tally.fields_changed)} mended"]
    parts += [f"{count(tally.undecided)} not sure"] if tally.undecided else []
    passed = sum(tally.passed.values())
    parts += [f"{count(passed)} left, too long"] if passed else []
    return ", ".join(parts + ([f"{count(tally.lossy)} with lost characters"] if tally.lossy else []))


def _columns(tally: Tally, columns: Mapping[str, str]) -> str:
    """What was done in each column of a table: those with text first."""
    done, left = [], []
    for name, kind in columns.items():
        decided, mended, unsure = tally.columns.get(name, [0, 0, 0])
        shown = cut(printable(name), 40)
        if kind != TEXT:
            left.append(f"{shown}: left, {kind}")
            continue
        passed = tally.passed.get(name, 0)
        parts = [f"{count(mended)} of {count(decided)} mended"] if decided else []
        parts += [f"{count(unsure)} not sure"] if unsure else []
        parts += [f"{count(passed)} left, too long"] if passed else []
        done.append(f"{shown}: {', '.join(parts) or 'all ASCII'}")
    rest = len(done) + len(left) - _COLUMNS
    return "; ".join([*done, *left][:_COLUMNS] + ([f"and {rest} more"] if rest > 0 else []))


def _row(label: str, text: str) -> str:
    most = 12 if label == "columns" else 4
    lines = textwrap.wrap(printable(text), _LINE, max_lines=most, placeholder=" …")
    return "\n".join(f"  {pad('' if place else label, _LABEL)}{cut(line, _LINE)}" for place, line in enumerate(lines))


def _ranking(numbers: Mapping[str, int]) -> str:
    ranked = sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = [f"{cut(name, 40)} {count(number)}" for name, number in ranked[:_MOST]]
    rest = len(ranked) - _MOST
    return ", ".join(shown + ([f"and {rest} more"] if rest > 0 else []))


def _bad(tally: Tally) -> str:
    parts = []
    for problem, number in sorted(tally.bad.items()):
        lines = tally.bad_lines.get(problem, [])
        more = ", …" if number > len(lines) else ""
        parts.append(f"{count(number)} {problem} (line {', '.join(map(str, lines))}{more})")
    return "; ".join(parts)


def _samples(tally: Tally) -> list[str]:
    kinds = sorted(tally.samples, key=lambda kind: (-tally.encodings.get(kind, 0), kind))
    lines = [""] if kinds else []
    for kind in kinds[:_KINDS]:
        field, before, after, confidence = tally.samples[kind][0]
        texts = [pad(cut(printable(text), _SAMPLE), _SAMPLE) for text in (before, after)]
        name = pad(cut(printable(kind), _ENCODING), _ENCODING)
        lines.append(f"  {name} {texts[0]}  {texts[1]}  {confidence:.2f} {cut(printable(field), _FIELD)}".rstrip())
    return lines
