r"""Output files that are written in pieces, and resumed after a kill.

The data is in ``OUT.part``. ``OUT.progress`` holds its valid length: it is replaced atomically (written aside, fsynced,
renamed) after the part file was fsynced, so it never covers bytes that a power cut may lose. A resumed run truncates
the part file to that length. At the end the part file is renamed to ``OUT``, and ``OUT.progress`` is removed last. So a
kill leaves

* before the end: ``OUT.part`` and ``OUT.progress``, and the old ``OUT`` if there was one; at most the work of the last
  second is repeated;
* at the very end: the complete ``OUT``, and ``OUT.progress``, which says so.
"""

from __future__ import annotations

import base64
import gzip
import json
import os
import sys
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from mediacrawl.observe.archive import replacing, sync_folder
from mediacrawl.rerun.blocks import RecordSink, RerunError, RunState, explained

if sys.platform != "win32":
    import fcntl

SAVE_EVERY = 1.0
"""Seconds between two fsyncs. One costs 10 ms on a bad disk."""

_KEPT = " What is done so far is kept; the same command goes on from there."


class OutputFile(RecordSink):
    """A file of bytes."""

    def __init__(self, path: Path, header: bytes, clock: Callable[[], float], save_every: float = SAVE_EVERY) -> None:
        self.path = path
        self.part = sibling(path, ".part")
        self.progress = sibling(path, ".progress")
        self._header = header
        self._clock = clock
        self._every = save_every
        self._file: BinaryIO | None = None
        self._latest: RunState | None = None
        self._saved: float | None = None

    def is_taken(self, *, restart: bool) -> bool:
        return self.path.exists() and (restart or not self.progress.exists())

    def begin(self, *, restart: bool) -> RunState | None:
        with self._explained(""):
            state = self._stored(restart=restart)
            if state and state.get("finished") and not self.part.exists() and self.path.exists():
                return state
            self._open(restart=restart, known=state is not None)
            self._cut(int(state["offset"]) if state else 0)
            return state

    def _stored(self, *, restart: bool) -> RunState | None:
        """The state of an earlier run."""
        if not self.progress.exists():
            if self.part.exists() and self.part.stat().st_size:
                raise RerunError(f"{self.part} is in the way, and is not of an earlier run. Move it away.")
            return None
        if restart:
            return None
        try:
            found = json.loads(self.progress.read_bytes())
            offset = found["offset"]
        except (ValueError, KeyError, TypeError) as error:
            raise RerunError(f"{self.progress} is damaged. Begin again with --restart.") from error
        if not isinstance(offset, int):
            raise RerunError(f"{self.progress} is damaged. Begin again with --restart.")
        state: RunState = found
        return state

    def _open(self, *, restart: bool, known: bool) -> None:
        if known and not self.part.exists():
            raise RerunError(f"{self.part} is gone, and {self.progress.name} alone is no use. Begin with --restart.")
        self._file = os.fdopen(unfollowed(self.part, os.O_RDWR | os.O_CREAT), "r+b")
        try:
            _lock(self._file.fileno())
        except BlockingIOError:
            raise RerunError(f"Another run is writing {self.path}. Wait for it, or name another output.") from None
        if restart:
            self.progress.unlink(missing_ok=True)

    def _cut(self, size: int) -> None:
        assert self._file is not None
        if self._file.seek(0, os.SEEK_END) < size:
            raise RerunError(f"{self.part} is shorter than {self.progress.name} says. Begin again with --restart.")
        self._file.truncate(size)
        self._file.seek(size)

    def put(self, data: Any, state: RunState | None) -> None:
        # The old state does not belong to a partly written block.
        self._latest = None
        with self._explained():
            if data is not None:
                self._write(data)
            self._latest = self._noted(state) if state is not None else None
            now = self._clock()
            if self._latest and (self._saved is None or now - self._saved >= self._every):
                self._save(self._latest)
                self._saved = now

    def _write(self, data: bytes) -> None:
        # Not when the file is opened: there is no progress file yet that identifies the part file.
        self._append(self._header + data if self._is_empty() else data)

    def _complete(self) -> None:
        """Writes the rest after the last block."""
        self._write(b"")

    def _is_empty(self) -> bool:
        assert self._file is not None
        return not self._file.tell()

    def _append(self, data: bytes) -> None:
        assert self._file is not None
        self._file.write(data)

    def _noted(self, state: RunState) -> RunState:
        assert self._file is not None
        return {**state, "offset": self._file.tell()}

    def settle(self) -> None:
        with self._explained():
            if self._latest:
                self._save(self._latest)

    def _save(self, state: RunState) -> None:
        assert self._file is not None
        self._file.flush()
        os.fsync(self._file.fileno())
        replace(self.progress, json.dumps(state).encode())

    def finish(self) -> None:
        with self._explained():
            if self._file is not None:
                self._complete()
                self._file.flush()
                os.fsync(self._file.fileno())
                self._place()
            self.progress.unlink(missing_ok=True)
            sync_folder(self.path.parent)

    def _place(self) -> None:
        self.part.replace(self.path)

    def close(self) -> None:
        if self._file is not None:
            # On a full disk closing fails again, but everything that counts was flushed.
            with suppress(OSError):
                self._file.close()

    def _explained(self, then: str = _KEPT) -> AbstractContextManager[None]:
        return explained(f"{self.path} cannot be written", then)


def sibling(path: Path, ending: str) -> Path:
    """A path with a suffix added: ``fixed.jl`` and ``.part`` make ``fixed.jl.part``."""
    return path.with_name(path.name + ending)


def replace(path: Path, data: bytes) -> None:
    """Replaces a small file atomically, also against a power cut."""
    with replacing(path, sync=True) as file:
        file.write(data)


def unfollowed(path: str | Path, flags: int) -> int:
    """Opens a file of ours, with a name that others can guess, as an `opener`: a link there is an error."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o666)


def _lock(descriptor: int) -> None:
    """Locks the file until it is closed or the process ends; some network disks have no locks."""
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return


class StandardOutput(RecordSink):
    """The standard output, on which a run cannot resume; each block is flushed, and the stream stays open."""

    def __init__(self, stream: BinaryIO, header: bytes = b"") -> None:
        self._stream = stream
        self._header = header

    def begin(self, *, restart: bool) -> RunState | None:  # noqa: ARG002 - the protocol's
        self._write(self._header)
        return None

    def put(self, data: Any, state: RunState | None) -> None:  # noqa: ARG002 - the protocol's
        if data:
            self._write(data)

    def _write(self, data: bytes) -> None:
        try:
            self._stream.write(data)
            self._stream.flush()
        except BrokenPipeError:
            # The reader has closed the pipe, which is no error.
            raise
        except OSError as error:
            raise RerunError(f"The standard output cannot be written: {error.strerror or error}.") from error


_LEVEL = 6
"""Compression level, the default of the gzip tool."""

_MEMBER = 256 << 10
"""Bytes of content of one member. Larger ones compress hardly better, and enlarge the progress file."""


class PackedFile(OutputFile):
    """A gzip file (RFC 1952) of members with equal sizes of content.

    So its bytes depend only on its content, not on the blocks. Content that does not fill a member yet is in
    ``OUT.progress``.
    """

    def __init__(self, path: Path, header: bytes, clock: Callable[[], float], save_every: float = SAVE_EVERY) -> None:
        super().__init__(path, header, clock, save_every)
        self._held = bytearray()

    def begin(self, *, restart: bool) -> RunState | None:
        state = super().begin(restart=restart)
        if state:
            self._held = self._unpacked(state)
        return state

    def _unpacked(self, state: RunState) -> bytearray:
        try:
            return bytearray(zlib.decompress(base64.b64decode(state["held"]), bufsize=_MEMBER))
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise RerunError(f"{self.progress} is damaged. Begin again with --restart.") from error

    def _save(self, state: RunState) -> None:
        super()._save({**state, "held": base64.b64encode(zlib.compress(self._held, 1)).decode()})

    def _write(self, data: bytes) -> None:
        if self._is_empty() and not self._held:
            self._held += self._header
        self._held += data
        while len(self._held) >= _MEMBER:
            self._append(_member(self._held[:_MEMBER]))
            del self._held[:_MEMBER]

    def _complete(self) -> None:
        self._write(b"")
        # A gzip file needs at least one member.
        if self._held or self._is_empty():
            self._append(_member(self._held))


def _member(content: bytes | bytearray) -> bytes:
    """The compressed content; deterministic."""
    return gzip.compress(content, _LEVEL, mtime=0)
