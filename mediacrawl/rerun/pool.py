"""Blocks handed out to several processes, and taken back in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor

from mediacrawl.encoding import use_models
from mediacrawl.rerun.errors import RerunError
from mediacrawl.rerun.shapes import Block, Done, Plan
from mediacrawl.rerun.work import Worker
from mediacrawl.workers import WorkerEndedError, undisturbed, workers

_AHEAD = 3
"""Blocks for each process that are handed out or wait to be taken back; more would only take memory."""

_worker: Worker | None = None


def in_order(blocks: Iterable[Block], plan: Plan, jobs: int) -> Generator[tuple[Block, Done]]:
    """Decide blocks, in their order.

    Args:
        blocks: as a source gives them; they are read no further ahead than is needed.
        plan: for the workers.
        jobs: number of processes; with 1 this one does the work.

    Raises:
        RerunError: a process ended by itself.
    """
    if jobs == 1:
        worker = Worker(plan)
        yield from ((block, worker(block)) for block in blocks)
        return
    try:
        with workers(jobs, _begin, plan) as pool:
            yield from _taken_back(pool, blocks, jobs * _AHEAD)
    except WorkerEndedError as error:
        raise RerunError(f"{error} The same command goes on from there; --jobs takes fewer processes.") from error


def _taken_back(pool: ProcessPoolExecutor, blocks: Iterable[Block], ahead: int) -> Iterator[tuple[Block, Done]]:
    waiting: deque[tuple[Block, Future[Done]]] = deque()
    for block in blocks:
        with undisturbed():
            waiting.append((block, pool.submit(_work, block)))
        if len(waiting) >= ahead:
            first, done = waiting.popleft()
            yield first, done.result()
    for first, done in waiting:
        yield first, done.result()


def _begin(plan: Plan) -> None:
    if plan.models:
        use_models(plan.models)
    global _worker  # noqa: PLW0603 - a process pool has no other place for it
    _worker = Worker(plan)


def _work(block: Block) -> Done:
    assert _worker is not None
    return _worker(block)
