"""The types that pass between the parts of a run: locations, blocks on their way to the workers, results, counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, Self

from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.observe.text import clean
from mediacrawl.rerun.text_fields import TextFields, note, without_indexes


class RerunError(Exception):
    """The run cannot begin, or cannot continue. The message says what, where, and what to do."""


@contextmanager
def explained(what: str, then: str = "") -> Iterator[None]:
    """Converts an error of a file into a sentence.

    Args:
        what: the beginning of the sentence: ``out.jl cannot be written``.
        then: a further sentence, with a space before it.

    Raises:
        RerunError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise RerunError(f"{what}: {error.strerror or error}.{then}") from error


LocationKind = Literal["lines", "csv", "catalogue", "parquet", "redis"]


@dataclass(frozen=True, slots=True)
class Location:
    """One input or output.

    Attributes:
        name: for display and storage; without the password of a URL.
        kind: format of its records.
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
        """Whether it is the standard input or output, which cannot be read or written twice."""
        return self.path is None and not self.key

    @property
    def root(self) -> Path:
        """The path, of a location with one."""
        if self.path is None:
            raise RerunError(f"{self.name} is no file.")
        return self.path

    def is_same(self, other: Location) -> bool:
        """Whether both are one file or list, also through a link."""
        if self.path and other.path:
            both_exist = self.path.exists() and other.path.exists()
            return self.path.samefile(other.path) if both_exist else self.path.absolute() == other.path.absolute()
        return bool(self.key) and (self.url, self.key) == (other.url, other.key)


BLOCK_BYTES = 128 << 10
"""Bytes of input in a block: a fifth of a second of work, so that a kill repeats little."""

BLOCK_RECORDS = 64
"""Records in a block, where an input is not made of bytes. A row can be long; 64 fit in memory."""

LONGEST_RECORD = 8 << 20
"""Bytes of one record. A longer one is passed through unread: parsing takes some 20 times its size of memory."""

TOO_LONG = f"longer than {LONGEST_RECORD >> 20} MiB"
"""The reported problem of such a record."""

Position = int | list[int]
"""The position of a source between two blocks, as JSON holds it: an offset, a row number, or nested indexes."""

RunState = dict[str, Any]
"""The state that a run resumes from, as JSON holds it."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the input. Its end depends only on its beginning.

    Attributes:
        data: input of the source's reader; bytes, if `unread`.
        number: of its first line or record, from 1.
        next_number: of the first one of the next block.
        after: position of the source after it.
        done: part of the source's total that is read then, for the progress bar.
        unread: the data is a part of a line that is too long, and is passed through.
        problem: the reason; only with the first part.
        is_open: the line continues in the next block, so that a run cannot resume between the two.
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
        raw: its bytes in the input, including the line end; None if the input has none.
        record: None if it is unreadable; `problem` then holds the reason, and is empty for an empty line.
        problem: reason why it is passed through.
        changed: whether the record differs from the input.
        recoded: encoding of a line that differs from its file's; its bytes are no UTF-8.
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
        encoding: that it was decoded with.
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
        data: input of the sink; None for nothing.
        rejected: bytes of the input that the output cannot hold, a line each.
    """

    data: Any = None
    rejected: bytes = b""


@dataclass(frozen=True, slots=True)
class BlockResult:
    """The result of a worker for a block."""

    packed: PackedBlock
    tally: RerunCounts
    rows: tuple[PreviewRow, ...] = ()


class BlockReader(Protocol):
    """Reads the records of a block, in a worker: it is pickled, so it holds no open files."""

    def read(self, block: Block) -> Iterable[BlockRecord]:
        """The records of a block, in their order."""


class BlockWriter:
    """Base class of what packs records for a sink, in a worker: it is pickled, so it holds no open files."""

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:
        """Packs the records of a block. One that the output cannot hold gets a `problem`."""
        raise NotImplementedError

    def pass_on(self, data: bytes) -> PackedBlock:
        """Packs a part of an unread line; by default the output cannot hold it."""
        return PackedBlock(None, data)


class RecordSource(Protocol):
    """An input, in the parent process."""

    @property
    def reader(self) -> BlockReader:
        """Reads its blocks."""

    can_resume: bool
    """Whether it can be read from a position; a pipe cannot."""
    total: int
    """Size of the input in its own unit, for the progress bar; 0 if unknown."""

    def identity(self) -> RunState:
        """Facts that distinguish this input from others, and from itself after a change."""

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """The blocks after a position, or all, where line `number` begins.

        Raises:
            RerunError: the input cannot be read any further.
        """

    def close(self) -> None:
        """Close the input."""


class RecordSink:
    """Base class of the outputs, in the parent process."""

    def is_taken(self, *, restart: bool) -> bool:  # noqa: ARG002 - for those that may be
        """Whether the output exists and is not that of an earlier run that may resume (none may, if `restart`)."""
        return False

    def begin(self, *, restart: bool) -> RunState | None:
        """Opens the output, and returns the last stored state; what was written after it is removed.

        Raises:
            RerunError: it cannot be written.
        """
        raise NotImplementedError

    def put(self, data: Any, state: RunState | None) -> None:
        """Writes a block.

        Args:
            data: as the writer packed it.
            state: of the run after this block; None if it cannot resume from there.
        """
        raise NotImplementedError

    def settle(self) -> None:
        """Makes everything put so far durable; by default `put` has done so."""

    def finish(self) -> None:
        """Moves the complete output to its place, and removes what only resuming needs."""

    def close(self) -> None:
        """Closes the output as it is; a later run resumes."""


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """The configuration of a worker; it is pickled.

    Attributes:
        reader: of the source.
        writer: for the sink.
        texts: finds the text fields.
        min_confidence: see `encoding.records.fixer.Fixer`.
        only_mangled: write only records with a repaired text.
        rows: most rows of the preview; 0 for none.
        models: files with models of the user's own languages.
        substitutions: learned from pairs of stored and right texts.
    """

    reader: BlockReader
    writer: BlockWriter
    texts: TextFields
    min_confidence: float = 0.0
    only_mangled: bool = False
    rows: int = 0
    models: tuple[str, ...] = ()
    substitutions: Substitutions | None = None


class DryRunOutput(RecordSink, BlockWriter):
    """Writer and sink of a dry run: nothing is written."""

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - the protocol's
        return PackedBlock()

    def pass_on(self, data: bytes) -> PackedBlock:  # noqa: ARG002 - the protocol's
        return PackedBlock()

    def begin(self, *, restart: bool) -> RunState | None:  # noqa: ARG002 - the protocol's
        return None

    def put(self, data: Any, state: RunState | None) -> None:
        """Writes nothing."""


_MOST_SAMPLES = 3
"""Samples of each kind: the first ones of the input, so that they do not depend on the number of processes."""

_MOST_KINDS = 200
"""Kinds of samples; there are fewer encodings, but steps may be combined."""

_MOST_LINES = 5
"""Line numbers that are kept for each kind of bad line."""

_LONGEST_SAMPLE = 200
"""Characters of a sample."""


@dataclasses.dataclass(slots=True)
class RerunCounts:
    """Counts of a block, or of all blocks so far.

    Attributes:
        records: read.
        changed: records with a changed text.
        doubtful: records with an uncertain field.
        fields: decided fields, which are not plain ASCII.
        fields_changed: fields with a changed text.
        undecided: fields that stay although another reading is likelier.
        lossy: fields that lost characters before.
        damaged: elements of ``tags`` that are unreadable and stay unchanged.
        bad: number of unread lines by reason.
        bad_lines: the first line numbers of each reason.
        recoded: number of lines in another encoding than their file's, by encoding.
        encodings: number of changed fields by encoding.
        languages: number of changed fields by language.
        passed: number of texts without a decision by field, see `encoding.records.fixer.FixResult`.
        holds: content of each field, see `text_fields.note`.
        columns: number of texts beyond ASCII, of repaired and of uncertain ones, by field.
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
    holds: dict[str, str] = dataclasses.field(default_factory=dict)
    columns: dict[str, list[int]] = dataclasses.field(default_factory=dict)
    samples: dict[str, list[list[Any]]] = dataclasses.field(default_factory=dict)

    def add_bad(self, number: int, problem: str) -> None:
        """Counts an unread line."""
        self.bad[problem] = self.bad.get(problem, 0) + 1
        lines = self.bad_lines.setdefault(problem, [])
        if len(lines) < _MOST_LINES:
            lines.append(number)

    def add_field(self, name: str, *, decided: int = 0, mended: int = 0, unsure: int = 0) -> None:
        """Counts texts of a field; ``artist[1]`` of a list counts as ``artist``."""
        key = without_indexes(name)
        numbers = self.columns.get(key)
        if numbers is None:
            if len(self.columns) >= _MOST_KINDS:
                return
            numbers = self.columns[key] = [0, 0, 0]
        numbers[0] += decided
        numbers[1] += mended
        numbers[2] += unsure

    def add_passed(self, name: str) -> None:
        """Counts a text without a decision."""
        key = without_indexes(name)
        if key in self.passed or len(self.passed) < _MOST_KINDS:
            self.passed[key] = self.passed.get(key, 0) + 1

    def add_sample(self, kind: str, field: str, before: str, after: str, confidence: float) -> None:
        """Keeps a field as a sample of its kind, up to the limits."""
        if kind not in self.samples and len(self.samples) >= _MOST_KINDS:
            return
        found = self.samples.setdefault(kind, [])
        if len(found) < _MOST_SAMPLES:
            found.append([_short(field), _short(before), _short(after), round(confidence, 4)])

    def add(self, later: RerunCounts) -> None:
        """Adds the counts of a later block."""
        for name in _NUMBERS:
            setattr(self, name, getattr(self, name) + getattr(later, name))
        for name in _COUNTERS:
            mine = getattr(self, name)
            for key, number in getattr(later, name).items():
                mine[key] = mine.get(key, 0) + number
        for name, kind in later.holds.items():
            note(self.holds, name, kind)
        for name, (decided, mended, unsure) in later.columns.items():
            self.add_field(name, decided=decided, mended=mended, unsure=unsure)
        for problem, numbers in later.bad_lines.items():
            self.bad_lines[problem] = (self.bad_lines.get(problem, []) + numbers)[:_MOST_LINES]
        for kind, samples in later.samples.items():
            for sample in samples:
                self.add_sample(kind, *sample)

    def as_json(self) -> dict[str, Any]:
        """The counts, as JSON holds them."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """The inverse of `as_json`."""
        names = {field.name for field in dataclasses.fields(cls)}
        return cls(**{name: value for name, value in stored.items() if name in names})


_NUMBERS = tuple(field.name for field in dataclasses.fields(RerunCounts) if field.type == "int")
_COUNTERS = ("bad", "recoded", "encodings", "languages", "passed")


def _short(text: str) -> str:
    return clean(text if len(text) <= _LONGEST_SAMPLE else text[: _LONGEST_SAMPLE - 1] + "…")
