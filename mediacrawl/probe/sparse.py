"""A file of which only some pieces are here, and the signal that says which piece is missing."""

from __future__ import annotations

import os

MAX_OFFSET = 2**62
"""No file reaches this far. Offsets beyond it come from broken or hostile sizes."""


class NeedBytes(BaseException):
    """Reading needs bytes that were not fetched yet.

    It is a `BaseException` since mutagen catches `Exception` in several places and would take a
    missing byte for a broken file.

    Attributes:
        start: first missing byte.
        stop: end (exclusive) of what the reader wanted.
    """

    def __init__(self, start: int, stop: int) -> None:
        super().__init__(start, stop)
        self.start = start
        self.stop = stop


class SparseFile:
    """A read-only, seekable binary file over fetched segments.

    Reading a byte that is neither fetched nor inside a hole raises `NeedBytes`. Reading past the end
    of a file of known size gives fewer bytes, as with any file; while the size is unknown, no byte is past the end.

    Attributes:
        size: bytes of the whole file, None while unknown.
        name: a name with the extension of the *sniffed* type; mutagen scores by extension.
    """

    def __init__(self, size: int | None = None, name: str = "") -> None:
        self.size = size
        self.name = name
        self._segments: list[tuple[int, bytes]] = []
        self._holes: list[tuple[int, int]] = []
        self._at = 0

    def put(self, start: int, data: bytes) -> None:
        """Adds fetched bytes; newer bytes win where they overlap older ones.

        Args:
            start: offset of the first byte in the file.
            data: the bytes.
        """
        if not data:
            return
        apart = []
        for other, old in self._segments:
            if other + len(old) < start or other > start + len(data):
                apart.append((other, old))
                continue
            tail = old[max(0, start + len(data) - other) :]
            data = old[: max(0, start - other)] + data + tail
            start = min(start, other)
        self._segments = sorted([*apart, (start, data)])

    def hole(self, start: int, stop: int) -> None:
        """Says that the bytes from `start` to `stop` (exclusive) are not wanted and read as zeros.

        For a library that insists on reading what is of no use, a cover for instance.
        """
        self._holes.append((start, stop))

    def segments(self) -> list[tuple[int, bytes]]:
        """Returns what was fetched: (start, bytes), sorted, never touching each other."""
        return list(self._segments)

    def get(self, start: int, stop: int) -> bytes:
        """Reads the bytes from `start` to `stop` (exclusive), fewer at the end of the file.

        Raises:
            NeedBytes: if one of them is not here.
        """
        stop = stop if self.size is None else min(stop, self.size)
        pieces = []
        while start < stop:
            piece = self._piece(start, stop)
            if not piece:
                raise NeedBytes(start, stop)
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)

    def at_hand(self, start: int, stop: int) -> bytes | None:
        """As `get`, but None if a byte is missing: for facts that are not worth a request."""
        try:
            return self.get(start, stop)
        except NeedBytes:
            return None

    def run(self, start: int, limit: int) -> bytes:
        """Reads what was fetched from `start` on without a gap, at most `limit` bytes."""
        stop = start + limit
        return self._piece(start, stop if self.size is None else min(stop, self.size))

    def until(self, stop: int) -> SparseFile:
        """Makes a file over the same bytes that ends at `stop`, to keep a search short."""
        short = SparseFile(stop if self.size is None else min(stop, self.size), self.name)
        short._segments, short._holes = self._segments, self._holes
        return short

    def _piece(self, start: int, stop: int) -> bytes:
        following = stop
        for at, data in self._segments:
            if at <= start < at + len(data):
                return data[start - at : stop - at]
            if at > start:
                following = min(following, at)
        for first, last in self._holes:
            if first <= start < last:
                return bytes(min(last, following) - start)
        return b""

    # The part of the file protocol that mutagen uses.

    def read(self, size: int = -1) -> bytes:
        """Reads `size` bytes from the position, or up to the end of the file."""
        end = MAX_OFFSET if self.size is None else self.size
        stop = end if size is None or size < 0 else min(self._at + size, end)
        data = self.get(self._at, stop)
        self._at += len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Moves the position.

        Raises:
            OSError: before the start, or from the end while the size is unknown.
        """
        if whence == os.SEEK_END and self.size is None:
            raise OSError("the size of this file is not known")
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self.size or 0}[whence]
        if base + offset < 0:
            raise OSError("seek before the start of the file")
        self._at = base + offset
        return self._at

    def tell(self) -> int:
        """Returns the position."""
        return self._at

    def seekable(self) -> bool:
        """A sparse file can always seek."""
        return True

    def readable(self) -> bool:
        """A sparse file can always be read, as far as its bytes are here."""
        return True

    def writable(self) -> bool:
        """A sparse file is never written to."""
        return False
