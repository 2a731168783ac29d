"""What the parts of a run share: locations, records and blocks, the interface of the formats, and counts.

A format has one `Reader` and one `Writer`. The parent process cuts an input into blocks (`Reader.blocks`). Workers
parse a block (`Reader.records`), decide its records, and pack them to bytes (`Writer.pack`). The parent collects the
bytes, from which it makes the output when all of them are there (`Writer.place`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

import msgpack

from mediacrawl.encoding import Substitutions
from mediacrawl.programs.rerun.text_fields import note, without_indexes
from mediacrawl.record import FixResult


class RerunError(Exception):
    """The run cannot begin, or cannot continue. The message says what, where, and what to do."""


@contextmanager
def explained(what: str, then: str = "") -> Iterator[None]:
    """Raise a RerunError in place of an OSError: the sentence that `what` begins, followed by `then`."""
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
        path: of the file; None for Redis, and for the standard input and output.
        packed: whether it is compressed by gzip.
        url: of the Redis server, without the key.
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
        """Return whether both are one file or list, also through a link."""
        if self.path and other.path:
            both_exist = self.path.exists() and other.path.exists()
            return self.path.samefile(other.path) if both_exist else self.path.absolute() == other.path.absolute()
        return bool(self.key) and (self.url, self.key) == (other.url, other.key)


SAVE_EVERY = 1.0
"""Seconds between two fsyncs. One costs 10 ms on a bad disk."""


@dataclass(frozen=True, slots=True)
class RerunOptions:
    """The options of a run.

    Attributes:
        source: the input, see `endpoints.location_of`.
        output: likewise; None for a dry run, and for a catalogue that is updated in place.
        fields: names of plain text fields, in any case. Empty selects those that hold text (`text_fields`).
        raws: for some of them, the name of the field with the raw bytes.
        must_exist: a field that the input does not have is an error.
        encoding: of an input file of lines, as the user calls it; None to detect it.
        min_confidence: 0 to 1; a less certain change is not made.
        only_mangled: write only records with a text that was repaired, now or before.
        jobs: number of processes.
        force: replace an existing output.
        restart: discard an earlier run that was interrupted.
        dry_run: write nothing.
        rows: most rows of a dry run's table; None for all.
        models: files with models of the user's own languages, see `encoding.use_models`.
        substitutions: learned from pairs of stored and right texts, see `encoding.Substitutions`.
        save_every: seconds between two fsyncs.
    """

    source: str
    output: str | None = None
    fields: tuple[str, ...] = ()
    raws: tuple[tuple[str, str], ...] = ()
    must_exist: bool = True
    encoding: str | None = None
    min_confidence: float = 0.0
    only_mangled: bool = False
    jobs: int = 1
    force: bool = False
    restart: bool = False
    dry_run: bool = False
    rows: int | None = None
    models: tuple[str, ...] = ()
    substitutions: Substitutions | None = None
    save_every: float = SAVE_EVERY


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
        data: input of the source's reader.
        number: of its first line or record, from 1.
        next_number: of the first one of the next block.
        after: position of the source after it.
        done: part of the source's total that is read then, for the progress bar.
    """

    data: Any
    number: int
    next_number: int
    after: Position
    done: int


@dataclass(slots=True)
class BlockRecord:
    """One record of a block.

    Attributes:
        number: of its line or record, from 1.
        place: in its block, from 0.
        raw: its bytes in the input as UTF-8, including the line end; None if the input has none.
        record: None if it is unreadable; `problem` then holds the reason, and is empty for an empty line.
        recoded: encoding of a line that differs from its file's; `raw` is converted to UTF-8.
        origin: what it was made of: the row of a database, the cells of a table.
    """

    number: int
    place: int
    raw: bytes | None = None
    record: dict[str, Any] | None = None
    problem: str = ""
    changed: bool = False
    recoded: str = ""
    origin: Any = None


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One line of the table that a dry run shows; `confidence` is 0 to 1, `decision` a `DecisionName`."""

    field: str
    before: str
    after: str
    encoding: str
    confidence: float
    decision: str


class Reader:
    """An input. Workers get a copy without what is open.

    Attributes:
        total: its size in its own unit, for the progress bar; 0 if unknown.
        can_resume: whether it can be read from a position; a pipe cannot.
        columns: names of the columns, if it is a table of texts.
        encoding: of a file of lines, for the report; empty for UTF-8.
        remark: a sentence for the user before the run; empty for none.
    """

    where: Location
    total = 0
    can_resume = True
    columns: tuple[str, ...] = ()
    encoding = ""
    remark = ""
    _open: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_open": None}

    def identity(self) -> RunState:
        """Return facts that distinguish this input from others, and from itself after a change."""
        raise NotImplementedError

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """Return the blocks after a position, or all, where line `number` begins.

        Raises:
            RerunError: the input cannot be read any further.
        """
        raise NotImplementedError

    def records(self, block: Block) -> Iterable[BlockRecord]:
        """Return the records of a block in their order. Called in a worker."""
        raise NotImplementedError

    def may_name(self, block: Block, name: str) -> bool:  # noqa: ARG002 - for some formats
        """Return whether a record of a block may have a field of this name; also where only parsing tells."""
        return True

    def block_size(self) -> int:
        """Return the size of a block in the unit of `total`."""
        return BLOCK_RECORDS

    def close(self) -> None:
        """Close the input."""
        if self._open is not None:
            self._open.close()


@dataclass(frozen=True)
class Writer:
    """An output of the same kind as the input, or JSON lines. Workers get a copy.

    Attributes:
        header: the beginning of the packed bytes.
        copies: whether an unreadable record is written as it is; else it is left out.
    """

    where: Location
    header: bytes = b""
    copies: bool = True

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> bytes:  # noqa: ARG002 - for some formats
        """Pack the records of a block. Called in a worker."""
        made = []
        for entry in entries:
            if entry.record is not None:
                made.append(self.packed(entry.record, entry))
            elif self.copies:
                made.append(self.kept(entry.raw or b""))
        return b"".join(made)

    def packed(self, record: dict[str, Any], entry: BlockRecord) -> bytes:
        """Return a record for the output."""
        raise NotImplementedError

    def kept(self, raw: bytes) -> bytes:
        """Return an unreadable record as it is written."""
        return raw

    def is_taken(self) -> bool:
        """Return whether the output exists. Called before a run begins; a RerunError says that it cannot be written."""
        return self.where.root.exists()

    def place(self, part: Path) -> int:
        """Make the output of the packed bytes of all blocks, whose file may be moved.

        A kill must leave the old output or the new one, and a second call must do the same.

        Returns:
            Number of records that another program has changed meanwhile, and that stay.
        """
        raise NotImplementedError


def packed(value: Any) -> bytes:
    """Return a value in msgpack's form; for those of several blocks see `unpacked`."""
    data: bytes = msgpack.packb(value)
    return data


def unpacked(stream: BinaryIO) -> Iterator[Any]:
    """Return values that were `packed` one after the other."""
    return iter(msgpack.Unpacker(stream, max_buffer_size=0))


_MOST_KINDS = 200
"""Kinds that are counted, and fields; objects may have a key for each record."""

_MOST_LINES = 5
"""Line numbers that are kept for each kind of bad line."""


@dataclass(slots=True)
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
        passed: number of texts without a decision by field, see `record.fixer.FixResult`.
        decided, mended: number of texts beyond ASCII by field, and of repaired ones.
        holds: content of each field, see `text_fields.note`.
    """

    records: int = 0
    changed: int = 0
    doubtful: int = 0
    fields: int = 0
    fields_changed: int = 0
    undecided: int = 0
    lossy: int = 0
    damaged: int = 0
    bad: Counter[str] = field(default_factory=Counter)
    bad_lines: dict[str, list[int]] = field(default_factory=dict)
    recoded: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)
    decided: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)
    holds: dict[str, str] = field(default_factory=dict)

    def add_bad(self, number: int, problem: str) -> None:
        """Count an unread line."""
        self.bad[problem] += 1
        self.bad_lines[problem] = [*self.bad_lines.get(problem, []), number][:_MOST_LINES]

    def add_result(self, found: FixResult, recoded: str = "") -> None:
        """Count a decided record, and the encoding of its line if that differs from the file's."""
        self.records += 1
        self.changed += bool(found.changes)
        self.doubtful += found.doubtful
        self.damaged += found.errors
        self.fields += len(found.decided)
        self.fields_changed += len(found.changes)
        if recoded:
            self.recoded[recoded] += 1
        for name, decision in zip(found.names, found.decided, strict=True):
            _count(self.decided, name)
            self.lossy += decision.lossy
            self.undecided += decision.decision == "undecided"
        for name in found.passed:
            _count(self.passed, name)
        for change in found.changes:
            self.encodings[change.encoding] += 1
            self.languages[change.language or "unknown"] += 1
            _count(self.mended, change.field)

    def add(self, later: RerunCounts) -> None:
        """Add the counts of a later block."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(later, each.name)
            if isinstance(mine, int):
                setattr(self, each.name, mine + theirs)
            elif isinstance(mine, Counter):
                for key, number in theirs.items():
                    _count(mine, key, number)
        for name, kind in later.holds.items():
            note(self.holds, name, kind)
        for problem, lines in later.bad_lines.items():
            self.bad_lines[problem] = (self.bad_lines.get(problem, []) + lines)[:_MOST_LINES]

    def as_json(self) -> dict[str, Any]:
        """Return a copy of the counts, as JSON holds them."""
        return {each.name: deepcopy(getattr(self, each.name)) for each in fields(self)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        """Return the counts of `as_json`."""
        found = cls()
        found.add(cls(**stored))
        return found


def _count(numbers: Counter[str], name: str, more: int = 1) -> None:
    """Count for a field, or another kind; ``artist[1]`` of a list counts as ``artist``."""
    key = without_indexes(name)
    if key in numbers or len(numbers) < _MOST_KINDS:
        numbers[key] += more
