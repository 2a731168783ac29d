"""Blocks handed out to several processes, and taken back in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from mediacrawl.encoding import use_models
from mediacrawl.rerun.errors import RerunError
from mediacrawl.rerun.shapes import Block, Done, Plan
from mediacrawl.rerun.work import Worker
from mediacrawl.workers import WorkerEndedError, Workers, workers

_AHEAD = 3
"""Blocks for each process that are handed out or wait to be taken back; more would only take memory."""


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
        with workers(jobs, _worker, plan) as decide:
            yield from _taken_back(decide, blocks, jobs)
    except WorkerEndedError as error:
        raise RerunError(f"{error} The same command goes on from there; --jobs takes fewer processes.") from error


def _taken_back(decide: Workers[Block, Done], blocks: Iterable[Block], jobs: int) -> Iterator[tuple[Block, Done]]:
    waiting: deque[tuple[Block, Future[Done]]] = deque()
    # One thread a process: it sleeps until the answer is there.
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


def _worker(plan: Plan) -> Worker:
    if plan.models:
        use_models(plan.models)
    return Worker(plan)
