"""Processes that do a part of a command's work, started and ended in the way that a command line asks for.

Ctrl-C is the parent's business alone; when the parent is killed, they end too. They are spawned and not forked: threads
of Arrow, of DuckDB or of a Redis client may hold locks at that moment.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any


class WorkerEndedError(Exception):
    """A process ended by itself; the system may have been short of memory."""


@contextmanager
def workers(number: int, begin: Callable[..., None], *values: Any) -> Iterator[ProcessPoolExecutor]:
    """A pool of processes, ended with the block. It starts them when it is given work, which `undisturbed` is for.

    Args:
        number: of processes.
        begin: called once in each.
        values: what it is called with.

    Raises:
        WorkerEndedError: one of them ended by itself.
    """
    pool = ProcessPoolExecutor(number, multiprocessing.get_context("spawn"), _start, (begin, *values))
    try:
        yield pool
    except BrokenProcessPool as error:
        raise WorkerEndedError("A worker process ended by itself; the system may have been short of memory.") from error
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let Ctrl-C wait: processes that are started meanwhile inherit that it is blocked."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start(begin: Callable[..., None], *values: Any) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    begin(*values)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Not sys.exit(): the main thread waits for a queue that nobody will ever fill.
        os._exit(1)
