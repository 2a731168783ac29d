"""Worker processes: each reads, decides and packs blocks; the parent takes the results back in order."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

from mediacrawl.base.garbage import no_collection
from mediacrawl.base.workers import WorkerEndedError, Workers, workers
from mediacrawl.encoding import use_models
from mediacrawl.programs.rerun.blocks import (
    Block,
    BlockRecord,
    PreviewRow,
    Reader,
    RerunCounts,
    RerunError,
    RerunOptions,
    Writer,
)
from mediacrawl.programs.rerun.text_fields import TextFields
from mediacrawl.record import Fixer, FixResult
from mediacrawl.store import copies_of_damaged, mended_by_copies

_AHEAD = 3
"""Blocks for each process that are in work or wait for their turn."""


Copies = Mapping[str, Sequence[Mapping[str, Any]]]
"""Records of the input by what identifies their files, as far as one of several lost a text, see `find_copies`."""

WorkerPlan = tuple[Reader, Writer | None, TextFields, RerunOptions, Copies]
"""Parses a block, packs it (not in a dry run), finds the text fields; the options of the run; and the records that
mend others. It is pickled."""


def find_copies(reader: Reader) -> Copies:
    """Find the records of files of which one record has lost a text and another may have it. A pipe is not read."""

    def records() -> Iterator[Mapping[str, Any]]:
        for block in reader.blocks(None, 1):
            for entry in reader.records(block) if reader.may_name(block, "tags") else ():
                if entry.record is not None and isinstance(entry.record.get("tags"), list):
                    yield entry.record

    return copies_of_damaged(records) if reader.can_resume else {}


class BlockResult(NamedTuple):
    """The result of a worker for a block."""

    packed: bytes
    tally: RerunCounts
    rows: tuple[PreviewRow, ...] = ()


class BlockWorker:
    """Decides blocks. The models are loaded once."""

    def __init__(self, plan: WorkerPlan) -> None:
        self._reader, self._writer, self._texts, options, self._copies = plan
        use_models(options.models)
        self._only_mangled = options.only_mangled
        most = sys.maxsize if options.rows is None else options.rows
        self._rows = most if options.dry_run else 0
        self._fixer = Fixer(
            self._texts.raws, min_confidence=options.min_confidence, substitutions=options.substitutions
        )

    def __call__(self, block: Block) -> BlockResult:
        """Decide a block."""
        with no_collection():  # a record leaves thousands of small objects, and no cycles
            return self._decide(block)

    def _decide(self, block: Block) -> BlockResult:
        tally = RerunCounts()
        rows: list[PreviewRow] = []
        wanted: list[BlockRecord] = []
        for entry in self._reader.records(block):
            found = self._fix(entry, block, tally.holds)
            if found:
                tally.add_result(found, entry.recoded)
                # Each worker gets blocks in order, so the first rows of all are among its first rows.
                rows += islice(_rows(found), max(self._rows - len(rows), 0)) if self._rows else ()
            if entry.problem:
                tally.add_bad(entry.number, entry.problem)
            if not self._only_mangled or _was_mangled(found):
                wanted.append(entry)
        self._rows -= len(rows)
        packed = self._writer.pack(block, wanted) if self._writer else b""
        return BlockResult(packed, tally, tuple(rows))

    def _fix(self, entry: BlockRecord, block: Block, holds: dict[str, str]) -> FixResult | None:
        """Decide a record in place. Return None if it is unreadable."""
        if entry.record is None:
            return None
        try:
            mended = mended_by_copies(entry.record, self._copies) if self._copies else None
            copied = FixResult.of_copies(entry.record, mended).changes if mended else ()
            entry.record.update(mended or {})
            found = self._texts.fix(entry.record, self._fixer, holds)
            found = replace(found, changes=(*copied, *found.changes)) if copied else found
        except Exception as error:  # noqa: BLE001 - one record in millions must not end the run, always at that place
            again = next(other for other in self._reader.records(block) if other.place == entry.place)
            entry.record, entry.problem = again.record, f"cannot be decided: {type(error).__name__}"
            return None
        entry.changed = found.changed or mended is not None
        return found


def _was_mangled(found: FixResult | None) -> bool:
    """Return whether a text was repaired, now or by an earlier run, so that a second run selects the same records."""
    return found is not None and (bool(found.changes) or any(each.decision == "fixed" for each in found.decided))


def _rows(found: FixResult) -> Iterator[PreviewRow]:
    """Return the rows of a record with anything to show: changed, uncertain, then unchanged texts, each text once."""
    rows: dict[tuple[str, str], tuple[str, str, float, str]] = {}
    for change in found.changes:
        rows[change.field, change.after] = (change.before, change.encoding, change.confidence, "fixed")
    if not rows and not found.doubtful:
        return
    for name, each in zip(found.names, found.decided, strict=True):
        shown = "undecided" if each.suspect or each.lossy else each.decision
        rows.setdefault((name, each.text), (each.text, each.encoding, each.confidence, shown))
    for (field, after), (before, encoding, confidence, decision) in rows.items():
        yield PreviewRow(field, before, after, encoding, confidence, decision)


def in_order(blocks: Iterable[Block], plan: WorkerPlan, jobs: int) -> Generator[tuple[Block, BlockResult]]:
    """Decide blocks in parallel, and return the results in order.

    Args:
        blocks: of a source, read no further ahead than needed.
        plan: for the workers.
        jobs: number of processes; with 1 this process does the work.

    Raises:
        RerunError: a worker process ended.
    """
    if jobs == 1:
        worker = BlockWorker(plan)
        yield from ((block, worker(block)) for block in blocks)
        return
    try:
        with workers(jobs, BlockWorker, plan) as decide:
            yield from _taken_back(decide, blocks, jobs)
    except WorkerEndedError as error:
        raise RerunError(f"{error} The same command goes on from there; --jobs takes fewer processes.") from error


def _taken_back(
    decide: Workers[Block, BlockResult], blocks: Iterable[Block], jobs: int
) -> Iterator[tuple[Block, BlockResult]]:
    waiting: deque[tuple[Block, Future[BlockResult]]] = deque()
    # One thread for each process, which waits for its result.
    threads = ThreadPoolExecutor(jobs)
    try:
        for block in blocks:
            waiting.append((block, threads.submit(decide, block)))
            if len(waiting) >= jobs * _AHEAD:
                first, done = waiting.popleft()
                yield first, done.result()
        for first, done in waiting:
            yield first, done.result()
    finally:
        threads.shutdown(cancel_futures=True)
