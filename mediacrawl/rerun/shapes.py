"""What passes between the parts of a run: blocks on their way to the workers, and what comes back of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.rerun.tally import Tally

BLOCK_BYTES = 128 << 10
"""Bytes of input that one worker gets at a time: a fifth of a second of work, so that a kill repeats little."""
BLOCK_RECORDS = 64
"""Records that one worker gets at a time, where an input is not made of bytes. A row can be long; 64 fit memory."""
LONGEST = 8 << 20
"""Bytes of one record. A longer one passes unread: parsing it takes some 20 times its size of memory."""
TOO_LONG = f"longer than {LONGEST >> 20} MiB"
"""What is said of such a record."""

Position = int | list[int]
"""Where a source stands between two blocks, as JSON holds it: an offset, a row number, or places in nested parts."""
State = dict[str, Any]
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
class Entry:
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
class Row:
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
class Packed:
    """A block, ready to be written.

    Attributes:
        data: what the sink writes; None for nothing.
        rejected: what the output cannot hold, as it stands in the input, a line each.
    """

    data: Any = None
    rejected: bytes = b""


@dataclass(frozen=True, slots=True)
class Done:
    """What a worker made of a block."""

    packed: Packed
    tally: Tally
    rows: tuple[Row, ...] = ()


class Reader(Protocol):
    """Reads the records of a block, in a worker: it is pickled, so it holds no open files."""

    def read(self, block: Block) -> Iterable[Entry]:
        """The records of a block, in their order."""


class Writer(Protocol):
    """Makes of records what a sink writes, in a worker: it is pickled, so it holds no open files."""

    def pack(self, block: Block, entries: Sequence[Entry]) -> Packed:
        """Pack the records of a block that are wanted. One that the output cannot hold gets a `problem`."""

    def pass_on(self, data: bytes) -> Packed:
        """Pack a part of a line that nobody has read."""


class Source(Protocol):
    """An input, in the parent."""

    @property
    def reader(self) -> Reader:
        """Reads its blocks."""

    can_resume: bool
    """Whether it can be read from a position on; a pipe cannot."""
    total: int
    """Size of the input in units of its own, for the progress bar; 0 if that is not known."""

    def identity(self) -> State:
        """What tells this input from another one, or from itself after a change."""

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """The blocks behind a position, or from the beginning, where line `number` begins.

        Raises:
            RerunError: the input cannot be read any further.
        """

    def close(self) -> None:
        """Close the input."""


class Sink(Protocol):
    """An output, in the parent."""

    def is_taken(self, *, anew: bool) -> bool:
        """Whether something stands there that no earlier run of ours, which may now go on, began to write.

        Args:
            anew: an earlier run does not go on.
        """

    def begin(self, *, anew: bool) -> State | None:
        """Open the output, and give the state that was last put into it; what was written later is taken back.

        Args:
            anew: begin from nothing, whatever there is of an earlier run.

        Raises:
            RerunError: it cannot be written.
        """

    def put(self, data: Any, state: State | None) -> None:
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
class Plan:
    """What a worker must know; it is pickled.

    Attributes:
        reader: of the source.
        writer: for the sink.
        fields: see `encoding.fixer.Fixer`.
        min_confidence: likewise.
        only_mangled: write only records that were mangled.
        rows: number of rows of the table that are wanted, of the first ones; 0 for none.
        models: files with models of the user's own languages.
        substitutions: what pairs of stored and right texts taught.
    """

    reader: Reader
    writer: Writer
    fields: tuple[str, ...] | dict[str, str] | None = None
    min_confidence: float = 0.0
    only_mangled: bool = False
    rows: int = 0
    models: tuple[str, ...] = ()
    substitutions: Substitutions | None = None


class Nothing:
    """Writer and sink of a dry run."""

    def is_taken(self, *, anew: bool) -> bool:  # noqa: ARG002 - the protocol's
        """There is no output."""
        return False

    def pack(self, block: Block, entries: Sequence[Entry]) -> Packed:  # noqa: ARG002 - the protocol's
        """Pack nothing."""
        return Packed()

    def pass_on(self, data: bytes) -> Packed:  # noqa: ARG002 - the protocol's
        """Pack nothing."""
        return Packed()

    def begin(self, *, anew: bool) -> State | None:  # noqa: ARG002 - the protocol's
        """There is no earlier run."""
        return None

    def put(self, data: Any, state: State | None) -> None:
        """Write nothing."""

    def settle(self) -> None:
        """Nothing was written."""

    def finish(self) -> None:
        """Nothing was written."""

    def close(self) -> None:
        """Nothing is open."""
