"""Blocks handed out to several processes, and taken back in their order."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager

from mediacrawl.encoding import use_models
from mediacrawl.rerun.errors import RerunError
from mediacrawl.rerun.shapes import Block, Done, Plan
from mediacrawl.rerun.work import Worker

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
    # Not fork: threads of Arrow or of a Redis client may hold locks at that moment.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, _start, (plan,))
    try:
        yield from _taken_back(pool, blocks, jobs * _AHEAD)
    except BrokenProcessPool as error:
        raise RerunError(
            "A worker process ended by itself; the system may have been short of memory. The same command goes on"
            " from there; --jobs takes fewer processes."
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _taken_back(pool: ProcessPoolExecutor, blocks: Iterable[Block], ahead: int) -> Iterator[tuple[Block, Done]]:
    waiting: deque[tuple[Block, Future[Done]]] = deque()
    for block in blocks:
        with _undisturbed():
            waiting.append((block, pool.submit(_work, block)))
        if len(waiting) >= ahead:
            first, done = waiting.popleft()
            yield first, done.result()
    for first, done in waiting:
        yield first, done.result()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait. The pool starts its processes when it is given work, and they inherit that it is blocked."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(plan: Plan) -> None:
    """Begin a worker process. Ctrl-C is the parent's business; when that is killed, the worker ends too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if plan.models:
        use_models(plan.models)
    global _worker  # noqa: PLW0603 - a process pool has no other place for it
    _worker = Worker(plan)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Not sys.exit(): the main thread waits for a queue that nobody will ever fill.
        os._exit(1)


def _work(block: Block) -> Done:
    assert _worker is not None
    return _worker(block)
