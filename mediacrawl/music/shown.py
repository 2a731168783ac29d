"""The output of a run: a table of changes, messages about files that stay unchanged, and a report."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, TextIO

from mediacrawl.encoding import model_version
from mediacrawl.music.run import MusicOptions, MusicSummary
from mediacrawl.observe.format import count, plural
from mediacrawl.observe.text import printable
from mediacrawl.rerun.blocks import PreviewRow
from mediacrawl.rerun.console import PreviewTable, say
from mediacrawl.rerun.output_file import replace

_MOST = 8
"""Encodings that are listed."""
_WIDTH = 120
"""Columns of the table without a terminal."""


class MusicConsole:
    """Prints a run; a change is shown once in a folder, since its files share their album. See `run.MusicObserver`.

    `limit` is the number of rows of the table, `width` the columns of the terminal, 0 without one.
    """

    def __init__(self, out: TextIO, err: TextIO, *, limit: int, colour: bool, width: int = 0) -> None:
        self._out, self._err = out, err
        self._left = limit
        self._table = PreviewTable(width or _WIDTH, colour=colour)
        self._has_head = False
        self._folder = Path()
        self._shown: set[tuple[str, str, str | None]] = set()

    def file(self, path: Path, fields: Sequence[Mapping[str, Any]]) -> None:
        """See `MusicObserver`."""
        if self._left <= 0:
            return
        if path.parent != self._folder:
            self._folder, self._shown = path.parent, set()
        fresh = [each for each in fields if self._is_new(each)]
        if not fresh:
            return
        if not self._has_head:
            say(self._out, self._table.head())
            self._has_head = True
        say(self._out, printable(str(path)))
        for each in fresh[: self._left]:
            row = PreviewRow(
                f"  {each['key']}", each["old"], each["new"] or "", each["encoding"], each["confidence"],
                each["decision"],
            )  # fmt: skip
            say(self._out, self._table.line(row))
        self._left -= min(self._left, len(fresh))

    def _is_new(self, each: Mapping[str, Any]) -> bool:
        mark = (each["key"], each["old"], each["new"])
        is_new = mark not in self._shown
        self._shown.add(mark)
        return is_new

    def trouble(self, path: Path, why: str) -> None:
        """See `MusicObserver`."""
        say(self._err, printable(f"{path} is left as it is: {why}."))

    def end(self, outcome: MusicSummary, options: MusicOptions) -> None:
        """Print the counts of the run."""
        if self._has_head:
            say(self._out, "")
        for line in report(outcome, options):
            say(self._out, printable(line))


def report(outcome: MusicSummary, options: MusicOptions) -> list[str]:
    """Return the lines with the counts of a run."""
    done = f"{count(outcome.written)} written" if options.write else "none written: that takes --write"
    lines = [f"{plural(outcome.files, 'file')} read, {count(outcome.wrong)} with wrong texts, {done}"]
    texts = [f"{count(outcome.texts)} not ASCII", f"{count(outcome.mended)} wrong"]
    texts += [f"{count(outcome.undecided)} not sure"] if outcome.undecided else []
    texts += [f"{count(outcome.damaged)} damaged, which stay"] if outcome.damaged else []
    texts += [f"{count(outcome.unwritable)} where nothing here writes"] if outcome.unwritable else []
    lines.append(f"  texts      {', '.join(texts)}")
    rankings = [("encodings", _ranking(outcome.encodings)), ("languages", _ranking(+outcome.languages))]
    lines += [f"  {label:<10} {ranked}" for label, ranked in rankings if ranked]
    if outcome.long:
        lines.append(f"  long       {plural(outcome.long, 'file')} with a text over 256 KB, which stays as it is")
    if outcome.troubles:
        lines.append(f"  left       {plural(len(outcome.troubles), 'file')}, see above")
    if outcome.links:
        lines.append(f"  links      {count(outcome.links)}, not followed: their files change where they lie")
    if outcome.leftovers:
        lines.append(f"  removed    {plural(outcome.leftovers, 'draft')} of a run that was broken off")
    if options.originals and outcome.written:
        lines.append(f"  undo       scrapy demojibake --undo {shlex.quote(str(options.originals))}")
    return lines


def _ranking(numbers: Counter[str]) -> str:
    ranked = sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0]))
    more = [f"and {len(ranked) - _MOST} more"] if len(ranked) > _MOST else []
    return ", ".join([f"{name} {count(number)}" for name, number in ranked[:_MOST]] + more)


def write_report(path: Path, outcome: MusicSummary, options: MusicOptions) -> None:
    """Write the run as JSON, atomically; a file that is there is replaced. Raise OSError if it cannot be written."""
    found = {
        "models": model_version(),
        "originals": str(options.originals) if options.originals else None,
        "min_confidence": options.min_confidence,
        **{each.name: number for each in fields(outcome) if isinstance(number := getattr(outcome, each.name), int)},
        "encodings": dict(outcome.encodings),
        "languages": dict(+outcome.languages),
        "troubles": [{"path": str(path), "why": why} for path, why in outcome.troubles],
        "changed": outcome.listed,
    }
    text = json.dumps(found, ensure_ascii=False, indent=1)
    replace(path, text.encode("utf-8", "backslashreplace") + b"\n")
