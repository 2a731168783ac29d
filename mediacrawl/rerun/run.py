"""A run: blocks from an input, through the workers, to an output."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediacrawl import __version__
from mediacrawl.encoding import ModelError, model_version, use_models
from mediacrawl.encoding.mojibake.substitutions import Substitutions
from mediacrawl.rerun import endpoints, text_encoding, workers
from mediacrawl.rerun.blocks import (
    BLOCK_BYTES,
    BLOCK_RECORDS,
    Block,
    BlockResult,
    Location,
    PreviewRow,
    RecordSource,
    RerunCounts,
    RerunError,
    RunState,
    WorkerPlan,
    explained,
)
from mediacrawl.rerun.columns import fields_of, refuse_missing
from mediacrawl.rerun.endpoints import location_of
from mediacrawl.rerun.input_file import InputFile
from mediacrawl.rerun.media_db import InPlace
from mediacrawl.rerun.output_file import SAVE_EVERY, unfollowed

_FORMAT = 3
"""Version of the state; raised when older states cannot be resumed."""


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
        substitutions: learned from pairs of stored and right texts, see `encoding.mojibake.substitutions`.
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


@dataclass(frozen=True, slots=True)
class RerunResult:
    """The result of a run.

    Attributes:
        tally: of the whole input, including an earlier run that was interrupted.
        resumed: number of records of that run; 0 without one.
        rejected: file with lines that the output cannot hold; None if there are none.
        overtaken: number of records of a catalogue that another program changed meanwhile; they stay.
        encoding: of an input file of lines, for the report; empty for UTF-8.
    """

    tally: RerunCounts
    resumed: int = 0
    rejected: Path | None = None
    overtaken: int = 0
    encoding: str = ""

    @property
    def is_unreadable(self) -> bool:
        """Whether there was input, and no record could be read."""
        return not self.tally.records and bool(self.tally.bad)


class RerunWatcher:
    """Receives the progress of a run; does nothing by default."""

    def begin(self, total: int, done: int, items: int) -> None:
        """The run begins.

        Args:
            total: of the input in its own unit; 0 if unknown.
            done: part of it that an earlier run did.
            items: records of that run.
        """

    def block(self, done: int, items: int, rows: tuple[PreviewRow, ...]) -> None:
        """A block is done.

        Args:
            done: of the total.
            items: records so far.
            rows: of a dry run.
        """


def rerun(
    options: RerunOptions, watcher: RerunWatcher | None = None, clock: Callable[[], float] = time.monotonic
) -> RerunResult:
    """Decides all records of an input again, and writes them.

    The output is the same, byte for byte, for any number of processes and of interruptions; in a catalogue, row for
    row. A run over the output changes nothing.

    Args:
        options: of the run.
        watcher: receives the progress.
        clock: monotonic, in seconds.

    Raises:
        RerunError: it cannot begin, or cannot continue; the work so far is kept.
        KeyboardInterrupt: likewise.
    """
    _use_models(options)
    of, to = _places(options)
    encoding = None if options.encoding is None else text_encoding.named(options.encoding)
    with closing(endpoints.open_source(of, encoding)) as source:
        output = endpoints.open_output(to, source, of, clock, options.save_every)
        with closing(output.sink):
            return _Run(options, source, output).run(watcher or RerunWatcher())


def _use_models(options: RerunOptions) -> None:
    try:
        use_models(options.models)
    except ModelError as error:
        raise RerunError(str(error)) from error


def _places(options: RerunOptions) -> tuple[Location, Location | None]:
    of = location_of(options.source)
    if options.dry_run:
        return of, None
    if options.output is None and of.kind != "catalogue":
        raise RerunError("Say where to write with -o OUT; only a catalogue can be mended in place.")
    to = of if options.output is None else location_of(options.output)
    if to.path is not None and to.path.is_dir():
        raise RerunError(f"{to.name} is a folder. Name a file, as in {to.name}/fixed.parquet.")
    if to.is_same(of):
        if to.kind != "catalogue":
            raise RerunError("Input and output are the same. Name another output; only a catalogue is mended in place.")
        if options.only_mangled:
            raise RerunError("--only-mangled leaves records out, which a catalogue mended in place must not lose.")
    return of, to


class _Run:
    def __init__(self, options: RerunOptions, source: RecordSource, output: endpoints.OpenedOutput) -> None:
        self._options = options
        self._source = source
        self._sink = output.sink
        self._rejects = _Rejects(output.rejected)
        where = location_of(options.source)
        self._plan = WorkerPlan(
            source.reader,
            output.writer,
            fields_of(source, where, options.fields, options.raws, must_exist=options.must_exist),
            options.min_confidence,
            options.only_mangled,
            (sys.maxsize if options.rows is None else options.rows) if options.dry_run else 0,
            options.models,
            options.substitutions,
        )
        self._state: RunState = {
            "format": _FORMAT,
            "task": self._task(),
            "position": None,
            "number": 1,
            "done": 0,
            "rejected": 0,
            "tally": RerunCounts().as_json(),
        }

    def _task(self) -> dict[str, Any]:
        """Everything that the output depends on."""
        options = self._options
        return {
            "input": self._source.identity(),
            "models": model_version(),
            "pairs": options.substitutions.version if options.substitutions else "",
            "program": __version__,
            "encoding": options.encoding or "",
            "fields": list(options.fields),
            "raws": [list(pair) for pair in options.raws],
            "min_confidence": options.min_confidence,
            "only_mangled": options.only_mangled,
        }

    def run(self, watcher: RerunWatcher) -> RerunResult:
        self._begin()
        state = self._state
        tally = RerunCounts.from_json(state["tally"])
        before = tally.records
        watcher.begin(self._source.total, state["done"], before)
        if not state.get("finished"):
            with self._safe(), closing(self._blocks()) as blocks:
                for block, done in blocks:
                    tally.add(done.tally)
                    rejected = self._rejects.put(done.packed.rejected)
                    self._sink.put(done.packed.data, self._after(block, tally, rejected))
                    watcher.block(block.done, tally.records, done.rows)
                if self._options.must_exist and tally.records and not self._source.can_resume:
                    refuse_missing(self._options.source, self._options.fields, self._options.raws, list(tally.holds))
                self._sink.put(None, {**self._state, "finished": True})
        self._sink.settle()
        self._sink.finish()
        overtaken = self._sink.overtaken if isinstance(self._sink, InPlace) else 0
        encoding = self._source.encoding.description() if isinstance(self._source, InputFile) else ""
        return RerunResult(tally, before, self._rejects.close(), overtaken, encoding)

    def _begin(self) -> None:
        sink, options = self._sink, self._options
        # A pipe cannot be read again.
        restart = options.restart or not self._source.can_resume
        if not options.force and sink.is_taken(restart=restart):
            raise RerunError(f"{options.output} is there already. Replace it with --force, or name another output.")
        earlier = sink.begin(restart=restart)
        if earlier is not None and not _is_untouched(earlier):
            self._check(earlier)
            self._state = earlier
        else:
            sink.put(None, self._state)
        self._rejects.begin(self._state["rejected"])

    def _check(self, earlier: RunState) -> None:
        if earlier.get("format") != _FORMAT or not self._state.keys() <= earlier.keys():
            raise RerunError("An earlier run was broken off by another version of mediacrawl. Begin with --restart.")
        now, then = self._state["task"], earlier["task"]
        differs = [name for name in now if not isinstance(then, dict) or now[name] != then.get(name)]
        if differs:
            raise RerunError(
                f"A run into this output was broken off, and it had another {_listed(differs)}. Give the same command"
                " to go on, or begin with --restart."
            )

    def _blocks(self) -> Generator[tuple[Block, BlockResult]]:
        blocks = self._source.blocks(self._state["position"], self._state["number"])
        return workers.in_order(blocks, self._plan, self._jobs())

    def _jobs(self) -> int:
        """The number of processes, limited by the input: each takes a second to start."""
        unit = BLOCK_BYTES if isinstance(self._source, InputFile) else BLOCK_RECORDS
        most = max(1, self._source.total // (4 * unit)) if self._source.total else self._options.jobs
        return min(self._options.jobs, most)

    def _after(self, block: Block, tally: RerunCounts, rejected: int) -> RunState | None:
        """The state after a block; None where the run cannot resume, or need not."""
        if self._options.dry_run:
            return None
        self._state = {
            **self._state,
            "position": block.after,
            "number": block.next_number,
            "done": block.done,
            "rejected": rejected,
            "tally": tally.as_json(),
        }
        return None if block.is_open else self._state

    @contextmanager
    def _safe(self) -> Iterator[None]:
        """Makes the work so far durable when the user or the input ends the run."""
        try:
            yield
        except (KeyboardInterrupt, RerunError):
            with suppress(RerunError):
                self._sink.settle()
            raise


def _is_untouched(state: RunState) -> bool:
    """Whether a run was interrupted before its first block, by a damaged input, say, and can be ignored."""
    return state.get("position", 0) is None and not state.get("finished")


def _listed(names: list[str]) -> str:
    return " and ".join(name.replace("_", "-") for name in names)


class _Rejects:
    """The file of lines that the output cannot hold; created for the first one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._size = 0

    def begin(self, size: int) -> None:
        self._size = size
        if self._path is None or not self._path.exists():
            return
        with explained(f"{self._path} cannot be written"), open(self._path, "r+b", opener=unfollowed) as file:
            file.truncate(size)

    def put(self, data: bytes) -> int:
        """Appends lines, and returns the size of the file."""
        if data and self._path is not None:
            with explained(f"{self._path} cannot be written"), open(self._path, "ab", 0, opener=unfollowed) as file:
                file.write(data)
                # The next state contains the length of the file.
                os.fsync(file.fileno())
            self._size += len(data)
        return self._size

    def close(self) -> Path | None:
        """The path of the file, if it has lines."""
        if self._path is None or self._size:
            return self._path
        self._path.unlink(missing_ok=True)
        return None
