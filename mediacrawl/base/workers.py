"""Worker processes for a part of a command's work.

Ctrl-C is handled by the parent alone; the workers terminate when it dies. They are spawned and not forked, because
threads of Arrow, DuckDB or a Redis client may hold locks.

Why not `ProcessPoolExecutor`: its processes share one result pipe; if one is killed while it sends a long result, the
parent waits forever (seen with Python 3.11). Here each has a pipe of its own.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

_Task = TypeVar("_Task")
_Answer = TypeVar("_Answer")
Work = Callable[[_Task], _Answer]


class WorkerEndedError(Exception):
    """A worker process died; the system may have been short of memory."""

    def __init__(self) -> None:
        super().__init__("A worker process ended by itself; the system may have been short of memory.")


class Workers(Generic[_Task, _Answer]):
    """Idle worker processes. A call from any thread hands a task to one of them."""

    def __init__(self, pipes: list[Connection]) -> None:
        self._idle: SimpleQueue[Connection] = SimpleQueue()
        for pipe in pipes:
            self._idle.put(pipe)

    def __call__(self, task: _Task) -> _Answer:
        """Run a task; waits for an idle process, and for its result.

        Raises:
            WorkerEndedError: the process died.
            Exception: what the task raised, with its traceback as a note.
        """
        pipe = self._idle.get()
        try:
            pipe.send(task)
            done, answer = pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerEndedError from error
        except BaseException:
            # Its result must not be taken for the next task's.
            pipe.close()
            raise
        finally:
            # Also the pipe of a dead process, so that the next caller gets an error.
            self._idle.put(pipe)
        if not done:
            raise answer
        return answer  # type: ignore[no-any-return]  # a pipe knows no types


@contextmanager
def workers(number: int, make: Callable[..., Work[_Task, _Answer]], *values: Any) -> Iterator[Workers[_Task, _Answer]]:
    """Start processes, and terminate them at the end of the block.

    Args:
        number: of processes.
        make: called once in each; its result is then called with each task.
        values: its arguments.
    """
    context = multiprocessing.get_context("spawn")
    started, pipes = [], []
    try:
        needs_main = "__main__" in {make.__module__, *(type(value).__module__ for value in values)}
        with _undisturbed(), nullcontext() if needs_main else _without_main():
            for _ in range(number):
                ours, theirs = context.Pipe()
                pipes.append(ours)
                process = context.Process(target=_serve, args=(theirs, make, values), daemon=True)
                process.start()
                started.append(process)
                theirs.close()
        yield Workers(pipes)
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.join()
        for pipe in pipes:
            pipe.close()


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Block Ctrl-C; processes that are started meanwhile inherit that."""
    if sys.platform == "win32":
        yield
        return
    # The first process to be spawned starts this one too, and Python 3.11 then unblocks Ctrl-C whatever it was before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main() -> Iterator[None]:
    """Keep processes that are started meanwhile from importing the main module.

    A spawned process imports it first, which for a command is all of Scrapy: more than half of a worker's start. Our
    workers need only other modules.
    """
    main = sys.modules["__main__"]
    names = ("__spec__", "__file__")
    before = {name: vars(main)[name] for name in names if name in vars(main)}
    try:
        main.__spec__ = None
        vars(main).pop("__file__", None)
        yield
    finally:
        vars(main).update(before)


def _serve(pipe: Connection, make: Callable[..., Work[Any, Any]], values: tuple[Any, ...]) -> None:
    """The main loop of a worker process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    work = make(*values)
    with suppress(EOFError):
        while True:
            task = pipe.recv()
            try:
                answer = True, work(task)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is the caller's
                error.add_note(traceback.format_exc())
                answer = False, error
            pipe.send(answer)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        # Not sys.exit(): the main thread may be in the middle of a long task.
        os._exit(1)
