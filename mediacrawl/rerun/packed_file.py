"""A file packed by gzip, written piece by piece, that can be gone on with after a kill."""

from __future__ import annotations

import base64
import gzip
import zlib
from collections.abc import Callable
from pathlib import Path

from mediacrawl.rerun.errors import RerunError
from mediacrawl.rerun.output_file import SAVE_EVERY, OutputFile
from mediacrawl.rerun.shapes import State

_LEVEL = 6
"""Of gzip: the default of the tool."""
_MEMBER = 256 << 10
"""Bytes of content of one member. More packs hardly better, and makes the note of the progress larger."""


class PackedFile(OutputFile):
    """Members of a gzip file (RFC 1952), each of the same size of content, behind one another.

    So the bytes of the file depend on its content alone, not on the blocks in which that came. What does not fill a
    member yet stands in ``OUT.progress``.

    Args:
        path: see `OutputFile`.
        header: likewise, not packed.
        clock: likewise.
        save_every: likewise.
    """

    def __init__(self, path: Path, header: bytes, clock: Callable[[], float], save_every: float = SAVE_EVERY) -> None:
        super().__init__(path, header, clock, save_every)
        self._held = bytearray()

    def begin(self, *, anew: bool) -> State | None:
        """See `shapes.Sink`."""
        state = super().begin(anew=anew)
        if state:
            self._held = self._unpacked(state)
        return state

    def _unpacked(self, state: State) -> bytearray:
        try:
            return bytearray(zlib.decompress(base64.b64decode(state["held"]), bufsize=_MEMBER))
        except (KeyError, TypeError, ValueError, zlib.error) as error:
            raise RerunError(f"{self.progress} is damaged. Begin again with --restart.") from error

    def _save(self, state: State) -> None:
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
        # A gzip file without a single member is none.
        if self._held or self._is_empty():
            self._append(_member(self._held))


def _member(content: bytes | bytearray) -> bytes:
    """The same content gives the same bytes."""
    return gzip.compress(content, _LEVEL, mtime=0)
