"""What a run has done so far, in numbers and samples: it can be added up block by block, and stored."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, Self

from mediacrawl.observe.text import clean

_IN_LIST = re.compile(r"\[\d++\]\Z")
_SAMPLES = 3
"""Samples of each kind: the first ones of the input, so that they do not depend on the number of processes."""
_KINDS = 200
"""Kinds of samples at most; there are fewer encodings than that, but readings in turn may be combined."""
_LINES = 5
"""Line numbers that are named of each kind of bad line."""
_LONGEST = 200
"""Characters of a sample."""


@dataclasses.dataclass(slots=True)
class Tally:
    """Counts of a block, or of all blocks so far.

    Attributes:
        records: read.
        changed: records of which a text is another one now.
        doubtful: records with a field that is not sure.
        fields: that were decided: those that are not plain ASCII.
        fields_changed: of them, those with another text now.
        undecided: fields that stay as they were, though another reading is likelier.
        lossy: fields of which characters were lost before.
        damaged: elements of ``tags`` that cannot be read, and are left as they are.
        bad: number of lines that passed unread, by reason.
        bad_lines: the first line numbers of each reason.
        recoded: number of lines by the encoding they are in, of those that are in another one than their file.
        encodings: number of changed fields by the encoding they were read with.
        languages: number of changed fields by language.
        passed: by the name of a field, how many of its texts are left without a decision, see `encoding.fixer.Fixed`.
        columns: by the name of a field, how many of its texts are not ASCII, were mended, and are not sure.
        samples: field, text before, text after, confidence of the first fields of each kind.
    """

    records: int = 0
    changed: int = 0
    doubtful: int = 0
    fields: int = 0
    fields_changed: int = 0
    undecided: int = 0
    lossy: int = 0
    damaged: int = 0
    bad: dict[str, int] = dataclasses.field(default_factory=dict)
    bad_lines: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    recoded: dict[str, int] = dataclasses.field(default_factory=dict)
    encodings: dict[str, int] = dataclasses.field(default_factory=dict)
    languages: dict[str, int] = dataclasses.field(default_factory=dict)
    passed: dict[str, int] = dataclasses.field(default_factory=dict)
    columns: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    samples: dict[str, list[list[Any]]] = dataclasses.field(default_factory=dict)

    def add_bad(self, number: int, problem: str) -> None:
        """Count a line that passed unread.

        Args:
            number: of the line, from 1.
            problem: why.
        """
        self.bad[problem] = self.bad.get(problem, 0) + 1
        lines = self.bad_lines.setdefault(problem, [])
        if len(lines) < _LINES:
            lines.append(number)

    def add_field(self, name: str, *, decided: int = 0, mended: int = 0, unsure: int = 0) -> None:
        """Count texts of a field; of ``artist[1]`` in a list, those of ``artist``."""
        key = _column(name)
        numbers = self.columns.get(key)
        if numbers is None:
            if len(self.columns) >= _KINDS:
                return
            numbers = self.columns[key] = [0, 0, 0]
        numbers[0] += decided
        numbers[1] += mended
        numbers[2] += unsure

    def add_passed(self, name: str) -> None:
        """Count a text of a field that is left without a decision."""
        key = _column(name)
        if key in self.passed or len(self.passed) < _KINDS:
            self.passed[key] = self.passed.get(key, 0) + 1

    def add_sample(self, kind: str, field: str, before: str, after: str, confidence: float) -> None:
        """Keep a field as a sample of its kind, if there is room."""
        if kind not in self.samples and len(self.samples) >= _KINDS:
            return
        found = self.samples.setdefault(kind, [])
        if len(found) < _SAMPLES:
            found.append([_short(field), _short(before), _short(after), round(confidence, 4)])

    def add(self, later: Tally) -> None:
        """Add what was counted in a later block."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(later, name))
        for name in _COUNTERS:
            mine = getattr(self, name)
            for key, number in getattr(later, name).items():
                mine[key] = mine.get(key, 0) + number
        for name, (decided, mended, unsure) in later.columns.items():
            self.add_field(name, decided=decided, mended=mended, unsure=unsure)
        for problem, numbers in later.bad_lines.items():
            self.bad_lines[problem] = (self.bad_lines.get(problem, []) + numbers)[:_LINES]
        for kind, samples in later.samples.items():
            for sample in samples:
                self.add_sample(kind, *sample)

    def as_json(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """The same again."""
        names = {field.name for field in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in names})


_NUMBERS = tuple(field.name for field in dataclasses.fields(Tally) if field.type == "int")
_COUNTERS = ("bad", "recoded", "encodings", "languages", "passed")


def _column(name: str) -> str:
    """The field that a text stands in, which may be a list."""
    return _IN_LIST.sub("", name) if name.endswith("]") else name


def _short(text: str) -> str:
    return clean(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
