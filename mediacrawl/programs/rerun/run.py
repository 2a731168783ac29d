"""A run: blocks from an input, through the workers, to an output."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass

from mediacrawl import __version__
from mediacrawl.encoding import ModelError, model_version, use_models
from mediacrawl.programs.rerun import text_encoding
from mediacrawl.programs.rerun.blocks import (
    Location,
    PreviewRow,
    Reader,
    RerunCounts,
    RerunError,
    RerunOptions,
    RunState,
)
from mediacrawl.programs.rerun.columns import fields_of, refuse_missing
from mediacrawl.programs.rerun.endpoints import location_of, open_output, open_reader, writer_for
from mediacrawl.programs.rerun.output_file import Output
from mediacrawl.programs.rerun.workers import WorkerPlan, find_copies, in_order

_FORMAT = 5
"""Version of the state; raised when older states cannot be resumed."""


@dataclass(frozen=True, slots=True)
class RerunResult:
    """The result of a run.

    Attributes:
        tally: of the whole input, including an earlier run that was interrupted.
        resumed: number of records of that run; 0 without one.
        overtaken: number of records of a catalogue that another program changed meanwhile; they stay.
        encoding: of an input file of lines, for the report; empty for UTF-8.
    """

    tally: RerunCounts
    resumed: int = 0
    overtaken: int = 0
    encoding: str = ""


class RerunWatcher:
    """Receives the progress of a run; does nothing by default."""

    def remark(self, text: str) -> None:
        """Called with a sentence about the input, before anything is written."""

    def begin(self, total: int, done: int, items: int) -> None:
        """Called when the run begins, with the input's total (0 if unknown), and what an earlier run did of it."""

    def block(self, done: int, items: int, rows: tuple[PreviewRow, ...]) -> None:
        """Called when a block is done, with the part of the total, the records so far, and the rows of a dry run."""


def rerun(
    options: RerunOptions, watcher: RerunWatcher | None = None, clock: Callable[[], float] = time.monotonic
) -> RerunResult:
    """Decide all records of an input again, and write them.

    The output is the same, byte for byte, for any number of processes and of interruptions; in a catalogue, row for
    row. A run over the output changes nothing.

    Raises:
        RerunError: it cannot begin, or cannot continue; the work so far is kept.
        KeyboardInterrupt: likewise.
    """
    try:
        use_models(options.models)
    except ModelError as error:
        raise RerunError(str(error)) from error
    of, to = _places(options)
    encoding = None if options.encoding is None else text_encoding.named(options.encoding)
    watcher = watcher or RerunWatcher()
    with closing(open_reader(of, encoding)) as reader:
        writer = writer_for(to, reader) if to else None
        texts, known = fields_of(reader, options)
        if reader.remark:
            watcher.remark(reader.remark)
        with closing(open_output(writer, clock, options.save_every) if writer else Output()) as output:
            return _run((reader, writer, texts, options, find_copies(reader)), output, watcher, known)


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


def _run(plan: WorkerPlan, output: Output, watcher: RerunWatcher, known: list[str]) -> RerunResult:
    reader, _, _, options, _ = plan
    state = _begin(options, reader, output)
    tally = RerunCounts.from_json(state["tally"])
    before = tally.records
    watcher.begin(reader.total, state["done"], before)
    if not state.get("finished"):
        blocks = reader.blocks(state["position"], state["number"])
        # Limited by the input: each process takes a second to start.
        most = max(1, reader.total // (4 * reader.block_size())) if reader.total else options.jobs
        jobs = min(options.jobs, most)
        try:
            with closing(in_order(blocks, plan, jobs)) as results:
                for block, result in results:
                    tally.add(result.tally)
                    state = {
                        **state, "position": block.after, "number": block.next_number, "done": block.done,
                        "tally": tally.as_json(),
                    }  # fmt: skip
                    output.put(result.packed, state)
                    watcher.block(block.done, tally.records, result.rows)
                if options.must_exist and tally.records:
                    refuse_missing(options, list(dict.fromkeys([*known, *tally.holds])))
                output.put(b"", {**state, "finished": True})
        except (KeyboardInterrupt, RerunError):
            with suppress(RerunError):
                output.settle()
            raise
    output.settle()
    overtaken = output.finish()
    return RerunResult(tally, before, overtaken, reader.encoding)


def _begin(options: RerunOptions, reader: Reader, output: Output) -> RunState:
    """Open the output. Return the state to go on from."""
    # Everything that the output depends on.
    task = {
        "input": reader.identity(),
        "models": model_version(),
        "pairs": options.substitutions.version if options.substitutions else "",
        "program": f"{__version__} {_FORMAT}",
        "encoding": options.encoding or "",
        "fields": list(options.fields),
        "raws": [list(pair) for pair in options.raws],
        "min_confidence": options.min_confidence,
        "only_mangled": options.only_mangled,
    }
    fresh = {"task": task, "position": None, "number": 1, "done": 0, "tally": RerunCounts().as_json()}
    # A pipe cannot be read again.
    state = output.begin(fresh, restart=options.restart or not reader.can_resume, force=options.force)
    if state["position"] is None and not state.get("finished"):
        # Broken off before its first block, by a damaged input, say.
        return {**state, **fresh}
    differs = [name for name in task if task[name] != state["task"].get(name)]
    if differs:
        listed = " and ".join(name.replace("_", "-") for name in differs)
        raise RerunError(
            f"A run into this output was broken off, and it had another {listed}. Give the same command to go on, or"
            " begin with --restart."
        )
    return state
