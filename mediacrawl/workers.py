"""Processes that do a part of a command's work, started and ended in the way that a command line asks for.

Ctrl-C is the parent's business alone; when the parent is killed, they end too. They are spawned and not forked: threads
of Arrow, of DuckDB or of a Redis client may hold locks at that moment.

The library's `ProcessPoolExecutor` is not used: its processes answer through one pipe, and where one is killed in the
middle of a long answer, the parent waits for the rest of it for ever (seen with Python 3.11). Here each has a pipe of
its own, which ends with it.
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
    """A process ended by itself; the system may have been short of memory."""

    def __init__(self) -> None:
        super().__init__("A worker process ended by itself; the system may have been short of memory.")


class Workers(Generic[_Task, _Answer]):
    """Processes that wait for work. Called with a task from any thread, it hands it to an idle one.

    Args:
        pipes: one to each process.
    """

    def __init__(self, pipes: list[Connection]) -> None:
        self._idle: SimpleQueue[Connection] = SimpleQueue()
        for pipe in pipes:
            self._idle.put(pipe)

    def __call__(self, task: _Task) -> _Answer:
        """Have a task done; waits until a process is idle, and then for its answer.

        Raises:
            WorkerEndedError: the process ended by itself.
            Exception: what the work raised, with its traceback as a note.
        """
        pipe = self._idle.get()
        try:
            pipe.send(task)
            done, answer = pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerEndedError from error
        except BaseException:
            # Its answer would be taken for the next task's.
            pipe.close()
            raise
        finally:
            # The pipe of one that ended, too: whoever waits for an idle one must hear of it.
            self._idle.put(pipe)
        if not done:
            raise answer
        return answer  # type: ignore[no-any-return]  # a pipe knows no types


@contextmanager
def workers(number: int, make: Callable[..., Work[_Task, _Answer]], *values: Any) -> Iterator[Workers[_Task, _Answer]]:
    """Start processes, and end them with the block, whatever they are at.

    Args:
        number: of processes.
        make: called once in each; what it returns is then called with each task.
        values: what it is called with.
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
    """Let Ctrl-C wait: processes that are started meanwhile inherit that it is blocked."""
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
    """Let processes that are started meanwhile not import the program's main module.

    A spawned process imports it before it does anything, and for a command that is all of Scrapy: more than half of the
    time in which a worker begins. What the commands here give their workers stands in other modules.
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
    """In the process: do each task that comes."""
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
