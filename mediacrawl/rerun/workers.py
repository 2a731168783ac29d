"""Worker processes: each reads, decides and packs blocks; the parent takes the results back in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice

from mediacrawl.encoding import use_models
from mediacrawl.encoding.api import no_collection
from mediacrawl.encoding.decision import FieldDecision
from mediacrawl.encoding.records.fixer import Fixer, FixResult
from mediacrawl.rerun.blocks import (
    Block,
    BlockRecord,
    BlockResult,
    PackedBlock,
    PreviewRow,
    RerunCounts,
    RerunError,
    WorkerPlan,
)
from mediacrawl.workers import WorkerEndedError, Workers, workers


class BlockWorker:
    """Decides blocks. The models are loaded once."""

    def __init__(self, plan: WorkerPlan) -> None:
        self._plan = plan
        self._rows = plan.rows
        self._fixer = Fixer(plan.texts.raws, min_confidence=plan.min_confidence, substitutions=plan.substitutions)

    def __call__(self, block: Block) -> BlockResult:
        """Decides a block."""
        if block.unread:
            return self._pass_on(block)
        with no_collection():  # a record leaves thousands of small objects, and no cycles
            return self._decide(block)

    def _decide(self, block: Block) -> BlockResult:
        tally = RerunCounts()
        rows: list[PreviewRow] = []
        entries: list[tuple[BlockRecord, FixResult | None]] = []
        for entry in self._plan.reader.read(block):
            found = self._fix(entry, block, tally.holds)
            if found:
                if entry.recoded:
                    tally.recoded[entry.recoded] = tally.recoded.get(entry.recoded, 0) + 1
                _count(tally, found)
                # Each worker gets blocks in order, so the first rows of all are among its first rows.
                rows += islice(_rows(found), max(self._rows - len(rows), 0)) if self._rows else ()
            entries.append((entry, found))
        self._rows -= len(rows)
        wanted = [entry for entry, found in entries if not self._plan.only_mangled or _was_mangled(found)]
        packed = self._plan.writer.pack(block, wanted)
        # After packing, since the output may reject a record for its own reasons.
        for entry, _ in entries:
            if entry.problem:
                tally.add_bad(entry.number, entry.problem)
        return BlockResult(packed, tally, tuple(rows))

    def _pass_on(self, block: Block) -> BlockResult:
        tally = RerunCounts()
        if block.problem:
            tally.add_bad(block.number, block.problem)
        return BlockResult(PackedBlock() if self._plan.only_mangled else self._plan.writer.pass_on(block.data), tally)

    def _fix(self, entry: BlockRecord, block: Block, holds: dict[str, str]) -> FixResult | None:
        """Decides a record in place; None if it is unreadable."""
        if entry.record is None:
            return None
        try:
            found = self._plan.texts.fix(entry.record, self._fixer, holds)
        except Exception as error:  # noqa: BLE001 - one record in millions must not end the run, always at that place
            again = next(other for other in self._plan.reader.read(block) if other.place == entry.place)
            entry.record, entry.problem = again.record, f"cannot be decided: {type(error).__name__}"
            return None
        entry.changed = found.changed or bool(entry.recoded)
        return found


def _was_mangled(found: FixResult | None) -> bool:
    """Whether a text was repaired, now or by an earlier run, so that a second run selects the same records."""
    return found is not None and (bool(found.changes) or any(map(_is_fixed, found.decided)))


def _is_fixed(decision: FieldDecision) -> bool:
    return decision.decision == "fixed"


def _count(tally: RerunCounts, found: FixResult) -> None:
    tally.records += 1
    tally.changed += bool(found.changes)
    tally.doubtful += found.doubtful
    tally.damaged += found.errors
    tally.fields += len(found.decided)
    tally.fields_changed += len(found.changes)
    for name, decision in zip(found.names, found.decided, strict=True):
        tally.add_field(name, decided=1, unsure=decision.decision == "undecided")
        tally.lossy += decision.lossy
        if decision.decision == "undecided":
            tally.undecided += 1
            tally.add_sample("undecided", name, decision.text, decision.text, decision.confidence)
    for name in found.passed:
        tally.add_passed(name)
    for change in found.changes:
        tally.encodings[change.encoding] = tally.encodings.get(change.encoding, 0) + 1
        tally.add_field(change.field, mended=1)
        language = change.language or "unknown"
        tally.languages[language] = tally.languages.get(language, 0) + 1
        kind = "lossy" if change.lossy else change.encoding
        tally.add_sample(kind, change.field, change.before, change.after, change.confidence)


def _rows(found: FixResult) -> Iterator[PreviewRow]:
    """The rows of a record with anything to show: changed, uncertain, then unchanged texts."""
    if not found.changes and not found.doubtful:
        return
    changed = {(change.field, change.after) for change in found.changes}
    begins = True
    for change in found.changes:
        yield PreviewRow(change.field, change.before, change.after, change.encoding, change.confidence, "fixed", begins)
        begins = False
    for name, decision in _once(zip(found.names, found.decided, strict=True)):
        if (name, decision.text) in changed:
            continue
        shown = "undecided" if decision.suspect or decision.lossy else decision.decision
        text = decision.text
        yield PreviewRow(name, text, text, decision.encoding, decision.confidence, shown, begins)
        begins = False


def _once(fields: Iterable[tuple[str, FieldDecision]]) -> Iterator[tuple[str, FieldDecision]]:
    """Each text once, if several tags have it."""
    seen = set()
    for name, decision in fields:
        key = (name, decision.text)
        if key not in seen:
            seen.add(key)
            yield name, decision


_AHEAD = 3
"""Blocks for each process that are in work or wait for their turn."""


def in_order(blocks: Iterable[Block], plan: WorkerPlan, jobs: int) -> Generator[tuple[Block, BlockResult]]:
    """Decides blocks in parallel, and yields the results in order.

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
        with workers(jobs, _worker, plan) as decide:
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


def _worker(plan: WorkerPlan) -> BlockWorker:
    if plan.models:
        use_models(plan.models)
    return BlockWorker(plan)
