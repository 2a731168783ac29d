"""The outputs of a run: collected in a file that a later run resumes, or written to the standard output at once."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import BinaryIO

from mediacrawl.base.files import replacing, sync_folder
from mediacrawl.programs.rerun.blocks import SAVE_EVERY, RerunError, RunState, Writer, explained

if sys.platform != "win32":
    import fcntl

_KEPT = " What is done so far is kept; the same command goes on from there."


class Output:
    """Takes the blocks of a run. This one drops them, for a dry run."""

    def begin(self, fresh: RunState, *, restart: bool, force: bool) -> RunState:  # noqa: ARG002 - of the interface
        """Open the output.

        Args:
            fresh: the state of a new run.
            restart: discard what an earlier run has done.
            force: replace an output that exists.

        Returns:
            The state to go on from: the last one that is safe, or `fresh`.

        Raises:
            RerunError: it exists, or cannot be written.
        """
        return fresh

    def put(self, packed: bytes, state: RunState) -> None:
        """Write a block. `state` is that of the run after it."""

    def settle(self) -> None:
        """Make everything put so far safe."""

    def finish(self) -> int:
        """Make the output of the blocks; see `Writer.place`."""
        return 0

    def close(self) -> None:
        """Close the output as it is; a later run resumes."""


class OutputFile(Output):
    """Collects packed blocks in a file, and makes the output of them at the end.

    On disk: ``OUT.part`` has the blocks, and ``OUT.progress``, in JSON, the state of the run and the valid length of
    the part. ``OUT.progress`` is replaced atomically after the part was fsynced, so it never covers bytes that a power
    cut may lose; a resumed run cuts the part to this length. At the end OUT is made of the part (`Writer.place`), and
    ``OUT.progress`` is removed last. So a kill leaves

    * before the end: ``OUT.part`` and ``OUT.progress``, and the old OUT if there was one; the work of the last second
      is repeated;
    * at the end: ``OUT.progress``, which says so, and either ``OUT.part``, of which OUT is made again, or the new OUT.

    Args:
        path: OUT; of a Redis list, a name in the current folder.
        writer: makes the output.
        clock: monotonic, in seconds.
        save_every: seconds between two fsyncs.
    """

    def __init__(self, path: Path, writer: Writer, clock: Callable[[], float], save_every: float = SAVE_EVERY) -> None:
        self._path = path
        self._name = writer.where.name
        self._writer = writer
        self._part, self._progress = sibling(path, ".part"), sibling(path, ".progress")
        self._clock = clock
        self._every = save_every
        self._file: BinaryIO | None = None
        self._latest: RunState | None = None
        self._saved = clock()

    def begin(self, fresh: RunState, *, restart: bool, force: bool) -> RunState:
        with self._explained(""):
            is_known = self._progress.exists()
            if (restart or not is_known) and self._writer.is_taken() and not force:
                raise RerunError(f"{self._name} is there already. Replace it with --force, or name another output.")
            if not is_known and self._part.exists() and self._part.stat().st_size:
                raise RerunError(f"{self._part} is in the way, and is not of an earlier run. Move it away.")
            state = self._stored(fresh) if is_known and not restart else fresh
            if state.get("finished") and not self._part.exists():
                return state
            file = self._opened(state.get("offset", 0), is_known=is_known and not restart)
            if not state.get("offset"):
                self._save(state | {"offset": 0})
                file.write(self._writer.header)
            return state

    def _stored(self, fresh: RunState) -> RunState:
        """Return the state of an earlier run."""
        with suppress(ValueError, AttributeError):
            found: RunState = json.loads(self._progress.read_bytes())
            if isinstance(found.get("offset"), int) and found.keys() >= fresh.keys():
                return found
        raise RerunError(f"{self._progress} is damaged, or of another version of mediacrawl. Begin with --restart.")

    def _opened(self, size: int, *, is_known: bool) -> BinaryIO:
        """Open the part, and cut it to its valid length."""
        if is_known and not self._part.exists():
            raise RerunError(f"{self._part} is gone, and {self._progress.name} alone is no use. Begin with --restart.")
        # Others can guess the name; a link there is an error.
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        self._file = file = os.fdopen(os.open(self._part, flags, 0o666), "r+b")
        if not _lock(file.fileno()):
            raise RerunError(f"Another run is writing {self._name}. Wait for it, or name another output.")
        if file.seek(0, os.SEEK_END) < size:
            raise RerunError(f"{self._part} is shorter than {self._progress.name} says. Begin again with --restart.")
        file.truncate(size)
        file.seek(size)
        return file

    def put(self, packed: bytes, state: RunState) -> None:
        assert self._file is not None
        # The old state does not belong to a partly written block.
        self._latest = None
        with self._explained():
            self._file.write(packed)
            self._latest = {**state, "offset": self._file.tell()}
            if self._clock() - self._saved >= self._every:
                self._save(self._latest)

    def settle(self) -> None:
        with self._explained():
            if self._latest:
                self._save(self._latest)

    def _save(self, state: RunState) -> None:
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        replace(self._progress, json.dumps(state).encode())
        self._saved = self._clock()

    def finish(self) -> int:
        overtaken = 0
        with self._explained():
            if self._file is not None:
                self._file.flush()
                os.fsync(self._file.fileno())
                overtaken = self._writer.place(self._part)
                self._part.unlink(missing_ok=True)
            self._progress.unlink(missing_ok=True)
            sync_folder(self._path.parent)
        return overtaken

    def close(self) -> None:
        # On a full disk closing fails again, but everything that counts was flushed.
        with suppress(OSError):
            if self._file is not None:
                self._file.close()

    def _explained(self, then: str = _KEPT) -> AbstractContextManager[None]:
        return explained(f"{self._name} cannot be written", then)


def sibling(path: Path, ending: str) -> Path:
    """Return a path with a suffix added: ``fixed.jl`` and ``.part`` make ``fixed.jl.part``."""
    return path.with_name(path.name + ending)


def replace(path: Path, data: bytes) -> None:
    """Replace a small file atomically, also against a power cut."""
    with replacing(path, sync=True) as file:
        file.write(data)


def _lock(descriptor: int) -> bool:
    """Lock the file until it is closed or the process ends; some network disks have no locks."""
    if sys.platform != "win32":
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass
    return True


class StandardOutput(Output):
    """The standard output, on which a run cannot resume; each block is flushed, and the stream stays open."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def put(self, packed: bytes, state: RunState) -> None:  # noqa: ARG002 - of the interface
        try:
            self._stream.write(packed)
            self._stream.flush()
        except BrokenPipeError:
            # The reader has closed the pipe, which is no error.
            raise
        except OSError as error:
            raise RerunError(f"The standard output cannot be written: {error.strerror or error}.") from error
