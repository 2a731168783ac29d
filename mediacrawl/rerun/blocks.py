"""The types that pass between the parts of a run: locations, blocks on their way to the workers, results, counts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.observe.text import clean


class RerunError(Exception):
    """The run cannot begin, or cannot go on. The message says what, where, and what to do."""


LocationKind = Literal["lines", "csv", "catalogue", "parquet", "redis"]


@dataclass(frozen=True, slots=True)
class Location:
    """One input or output.

    Attributes:
        name: as it may be shown and stored; a password in a URL is left out.
        kind: of records that stand there.
        path: of the file; None for Redis, and for the standard input and output.
        packed: whether it is compressed by gzip.
        url: of the Redis server, without the key.
        key: of the Redis list.
    """

    name: str
    kind: LocationKind
    path: Path | None = None
    packed: bool = False
    url: str = ""
    key: str = ""

    @property
    def is_stream(self) -> bool:
        """Whether it is the standard input or output, of which nothing can be read or written twice."""
        return self.path is None and not self.key

    @property
    def root(self) -> Path:
        """The path, of a place that has one."""
        if self.path is None:
            raise RerunError(f"{self.name} is no file.")
        return self.path

    def is_same(self, other: Location) -> bool:
        """Whether both are one file or list, also by way of a link."""
        if self.path and other.path:
            both_exist = self.path.exists() and other.path.exists()
            return self.path.samefile(other.path) if both_exist else self.path.absolute() == other.path.absolute()
        return bool(self.key) and (self.url, self.key) == (other.url, other.key)


BLOCK_BYTES = 128 << 10
"""Bytes of input that one worker gets at a time: a fifth of a second of work, so that a kill repeats little."""

BLOCK_RECORDS = 64
"""Records that one worker gets at a time, where an input is not made of bytes. A row can be long; 64 fit memory."""

LONGEST_RECORD = 8 << 20
"""Bytes of one record. A longer one passes unread: parsing it takes some 20 times its size of memory."""

TOO_LONG = f"longer than {LONGEST_RECORD >> 20} MiB"
"""What is said of such a record."""

Position = int | list[int]
"""Where a source stands between two blocks, as JSON holds it: an offset, a row number, or places in nested parts."""

RunState = dict[str, Any]
"""All that a run must know to go on, as JSON holds it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the input. Where it ends depends on where it begins and on nothing else.

    Attributes:
        data: what the source's reader reads; bytes, if `unread`.
        number: of its first line or record, from 1.
        next_number: of the first one behind it.
        after: where the source stands behind it.
        done: how much of the source's total is read then, for the progress bar.
        unread: the data is a part of a line that is too long, and passes as it is.
        problem: why; only with the first part.
        is_open: the line goes on in the next block, so that a run cannot begin again between the two.
    """

    data: Any
    number: int
    next_number: int
    after: Position
    done: int
    unread: bool = False
    problem: str = ""
    is_open: bool = False


@dataclass(slots=True)
class BlockRecord:
    """One record of a block.

    Attributes:
        number: of its line or record, from 1.
        place: in its block, from 0.
        raw: its bytes as they stand in the input, the end of the line included; None if the input has none.
        record: None if it cannot be read; then `problem` says why, and an empty line has none.
        problem: why it passes unread.
        changed: whether the record differs from what stands in the input.
        recoded: encoding of a line that is in another one than its file; its bytes are no UTF-8.
        origin: the row of the database that it was made of.
    """

    number: int
    place: int
    raw: bytes | None = None
    record: dict[str, Any] | None = None
    problem: str = ""
    changed: bool = False
    recoded: str = ""
    origin: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One line of the table that a dry run shows.

    Attributes:
        field: name of the field.
        before, after: its text.
        encoding: that it was read with.
        confidence: 0 to 1.
        decision: see `encoding.decision.DecisionName`.
        begins: whether it is the first of its record.
    """

    field: str
    before: str
    after: str
    encoding: str
    confidence: float
    decision: str
    begins: bool = False


@dataclass(frozen=True, slots=True)
class PackedBlock:
    """A block, ready to be written.

    Attributes:
        data: what the sink writes; None for nothing.
        rejected: what the output cannot hold, as it stands in the input, a line each.
    """

    data: Any = None
    rejected: bytes = b""


@dataclass(frozen=True, slots=True)
class BlockResult:
    """What a worker made of a block."""

    packed: PackedBlock
    tally: RerunCounts
    rows: tuple[PreviewRow, ...] = ()


class BlockReader(Protocol):
    """Reads the records of a block, in a worker: it is pickled, so it holds no open files."""

    def read(self, block: Block) -> Iterable[BlockRecord]:
        """The records of a block, in their order."""


class BlockWriter(Protocol):
    """Makes of records what a sink writes, in a worker: it is pickled, so it holds no open files."""

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:
        """Pack the records of a block that are wanted. One that the output cannot hold gets a `problem`."""

    def pass_on(self, data: bytes) -> PackedBlock:
        """Pack a part of a line that nobody has read."""


class RecordSource(Protocol):
    """An input, in the parent."""

    @property
    def reader(self) -> BlockReader:
        """Reads its blocks."""

    can_resume: bool
    """Whether it can be read from a position on; a pipe cannot."""
    total: int
    """Size of the input in units of its own, for the progress bar; 0 if that is not known."""

    def identity(self) -> RunState:
        """What tells this input from another one, or from itself after a change."""

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """The blocks behind a position, or from the beginning, where line `number` begins.

        Raises:
            RerunError: the input cannot be read any further.
        """

    def close(self) -> None:
        """Close the input."""


class RecordSink(Protocol):
    """An output, in the parent."""

    def is_taken(self, *, anew: bool) -> bool:
        """Whether something stands there that no earlier run of ours, which may now go on, began to write.

        Args:
            anew: an earlier run does not go on.
        """

    def begin(self, *, anew: bool) -> RunState | None:
        """Open the output, and give the state that was last put into it; what was written later is taken back.

        Args:
            anew: begin from nothing, whatever there is of an earlier run.

        Raises:
            RerunError: it cannot be written.
        """

    def put(self, data: Any, state: RunState | None) -> None:
        """Write a block.

        Args:
            data: as the writer packed it.
            state: that the run has behind this block; None if it cannot go on from there.
        """

    def settle(self) -> None:
        """See to it that nothing put so far is lost by a kill."""

    def finish(self) -> None:
        """Put the whole output in its place, and remove what was only needed to go on."""

    def close(self) -> None:
        """Close the output as it is; a later run goes on from there."""


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker must know; it is pickled.

    Attributes:
        reader: of the source.
        writer: for the sink.
        fields: see `encoding.records.fixer.Fixer`.
        min_confidence: likewise.
        only_mangled: write only records that were mangled.
        rows: number of rows of the table that are wanted, of the first ones; 0 for none.
        models: files with models of the user's own languages.
        substitutions: what pairs of stored and right texts taught.
    """

    reader: BlockReader
    writer: BlockWriter
    fields: tuple[str, ...] | dict[str, str] | None = None
    min_confidence: float = 0.0
    only_mangled: bool = False
    rows: int = 0
    models: tuple[str, ...] = ()
    substitutions: Substitutions | None = None


class DryRunOutput:
    """Writer and sink of a dry run."""

    def is_taken(self, *, anew: bool) -> bool:  # noqa: ARG002 - the protocol's
        """There is no output."""
        return False

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - the protocol's
        """Pack nothing."""
        return PackedBlock()

    def pass_on(self, data: bytes) -> PackedBlock:  # noqa: ARG002 - the protocol's
        """Pack nothing."""
        return PackedBlock()

    def begin(self, *, anew: bool) -> RunState | None:  # noqa: ARG002 - the protocol's
        """There is no earlier run."""
        return None

    def put(self, data: Any, state: RunState | None) -> None:
        """Write nothing."""

    def settle(self) -> None:
        """Nothing was written."""

    def finish(self) -> None:
        """Nothing was written."""

    def close(self) -> None:
        """Nothing is open."""


_IN_LIST = re.compile(r"\[\d++\]\Z")

_MOST_SAMPLES = 3
"""Samples of each kind: the first ones of the input, so that they do not depend on the number of processes."""

_MOST_KINDS = 200
"""Kinds of samples at most; there are fewer encodings than that, but readings in turn may be combined."""

_MOST_LINES = 5
"""Line numbers that are named of each kind of bad line."""

_LONGEST_SAMPLE = 200
"""Characters of a sample."""


@dataclasses.dataclass(slots=True)
class RerunCounts:
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
        passed: by the name of a field, how many of its texts have no decision, see `records.fixer.FixResult`.
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
        if len(lines) < _MOST_LINES:
            lines.append(number)

    def add_field(self, name: str, *, decided: int = 0, mended: int = 0, unsure: int = 0) -> None:
        """Count texts of a field; of ``artist[1]`` in a list, those of ``artist``."""
        key = _column(name)
        numbers = self.columns.get(key)
        if numbers is None:
            if len(self.columns) >= _MOST_KINDS:
                return
            numbers = self.columns[key] = [0, 0, 0]
        numbers[0] += decided
        numbers[1] += mended
        numbers[2] += unsure

    def add_passed(self, name: str) -> None:
        """Count a text of a field that is left without a decision."""
        key = _column(name)
        if key in self.passed or len(self.passed) < _MOST_KINDS:
            self.passed[key] = self.passed.get(key, 0) + 1

    def add_sample(self, kind: str, field: str, before: str, after: str, confidence: float) -> None:
        """Keep a field as a sample of its kind, if there is room."""
        if kind not in self.samples and len(self.samples) >= _MOST_KINDS:
            return
        found = self.samples.setdefault(kind, [])
        if len(found) < _MOST_SAMPLES:
            found.append([_short(field), _short(before), _short(after), round(confidence, 4)])

    def add(self, later: RerunCounts) -> None:
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
            self.bad_lines[problem] = (self.bad_lines.get(problem, []) + numbers)[:_MOST_LINES]
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


_NUMBERS = tuple(field.name for field in dataclasses.fields(RerunCounts) if field.type == "int")

_COUNTERS = ("bad", "recoded", "encodings", "languages", "passed")


def _column(name: str) -> str:
    """The field that a text stands in, which may be a list."""
    return _IN_LIST.sub("", name) if name.endswith("]") else name


def _short(text: str) -> str:
    return clean(text if len(text) <= _LONGEST_SAMPLE else text[: _LONGEST_SAMPLE - 1] + "…")
