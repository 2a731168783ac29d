"""Writes some files of a folder together, so that the disk is waited for once for all of them.

The order, of which a kill may break off any step: the copies are made, changed, compared and synced, in threads; the
lines of all go to the journal with one sync; the copies are renamed, in order; the folder is synced. So a kill leaves
each file old or new, a journal that leads back from each new one, and copies that the next run removes.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, wait
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mediacrawl.music.journal import JournalError, UndoJournal
from mediacrawl.music.replacing import Draft, RefusedError, make_draft, put, sync
from mediacrawl.observe.archive import sync_folder

MOST_FILES = 32
MOST_BYTES = 64 << 20
"""Of the files of a batch: so much more space it takes on the disk for a moment. A longer file is a batch alone."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})

Made = tuple["Task", Draft, Mapping[str, Any]]
_T = TypeVar("_T")


@dataclass(slots=True)
class Task:
    """One file that is to be written.

    Attributes:
        path: of the file.
        change: changes a draft of it, and gives its line of the journal; raises RefusedError or OSError.
        why: why the file stays as it is; empty if it was written, or not yet.
        is_full: whether that is because the disk is full.
    """

    path: Path
    change: Callable[[Draft], Mapping[str, Any]]
    why: str = ""
    is_full: bool = False

    @property
    def size(self) -> int:
        """Bytes of the file; 0 if it is gone."""
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def fail(self, error: RefusedError | OSError) -> None:
        """Note why the file stays as it is."""
        self.why = str(error)
        if isinstance(error, OSError):
            self.why = f"it cannot be written: {error.strerror or error}"
            self.is_full = error.errno in _FULL


def write_together(tasks: Sequence[Task], journal: UndoJournal, pool: Executor, *, keep_mtime: bool) -> None:
    """Write some files; what comes in the way of one is noted in its task, and the others go on.

    Where the disk is full, the files are tried one by one: the copies of a batch take the space of all its files.

    Args:
        tasks: of files that differ.
        journal: gets a line for each file, in the order of the tasks.
        pool: of threads, which make the copies.
        keep_mtime: whether files keep their time of modification.

    Raises:
        JournalError: the journal cannot be written; files without a line in it have not been replaced.
    """
    with ExitStack() as drafts:
        made = _all_made(tasks, pool, drafts)
        try:
            if made:
                journal.add([line for _, _, line in made])
        except JournalError as error:
            cause = error.__cause__
            if len(tasks) == 1 or not isinstance(cause, OSError) or cause.errno not in _FULL:
                raise
            for task, _, _ in made:
                task.fail(cause)
        else:
            _put_all(made, keep_mtime=keep_mtime)
    if len(tasks) > 1:
        for task in tasks:
            if task.is_full:
                task.why, task.is_full = "", False
                write_together([task], journal, pool, keep_mtime=keep_mtime)


def _all_made(tasks: Iterable[Task], pool: Executor, drafts: ExitStack) -> list[Made]:
    futures = [pool.submit(_made, task, drafts) for task in tasks]
    try:
        return [made for future in futures if (made := future.result())]
    finally:
        # After Ctrl-C no thread may make a draft that nobody removes.
        for future in futures:
            future.cancel()
        wait(futures)


def _made(task: Task, drafts: ExitStack) -> Made | None:
    """Makes a draft, safe on the disk, which goes when `drafts` is closed; None if that cannot be."""
    try:
        draft = make_draft(task.path)
        try:
            line = task.change(draft)
            sync(draft.path)
        except BaseException:
            draft.drop()
            raise
    except (RefusedError, OSError) as error:
        task.fail(error)
        return None
    drafts.callback(draft.drop)
    return task, draft, line


def _put_all(made: Sequence[Made], *, keep_mtime: bool) -> None:
    """Renames all drafts, and makes the renames safe."""
    folders: dict[Path, list[Task]] = {}
    for task, draft, _ in made:
        try:
            put(draft, keep_mtime=keep_mtime)
            folders.setdefault(draft.target.parent, []).append(task)
        except (RefusedError, OSError) as error:
            task.fail(error)
            task.is_full = False
    for folder, tasks in folders.items():
        try:
            sync_folder(folder)
        except OSError as error:
            for task in tasks:
                task.fail(error)
                task.is_full = False


def batches(things: Iterable[_T], task_of: Callable[[_T], Task | None]) -> Iterator[list[_T]]:
    """Parts of what is to be done whose files are written together, in order.

    Args:
        things: with a task each, or without one.
        task_of: gives it.
    """
    batch: list[_T] = []
    count = size = 0
    for thing in things:
        task = task_of(thing)
        more = task.size if task else 0
        if batch and task and (count == MOST_FILES or size + more > MOST_BYTES):
            yield batch
            batch, count, size = [], 0, 0
        batch.append(thing)
        count, size = count + (task is not None), size + more
    if batch:
        yield batch
