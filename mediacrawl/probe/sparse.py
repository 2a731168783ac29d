"""A file of which only some segments were fetched, and the signal that names the missing range."""

from __future__ import annotations

MAX_OFFSET = 2**62
"""Offsets beyond it come from broken or hostile sizes."""


class NeedBytes(BaseException):
    """Reading needs bytes that were not fetched yet.

    It is a `BaseException`, so that code which handles an `Exception` of a broken file lets it pass.

    Attributes:
        start: first missing byte.
        stop: end (exclusive) of the range that the reader needs.
    """

    def __init__(self, start: int, stop: int) -> None:
        super().__init__(start, stop)
        self.start = start
        self.stop = stop


class SparseFile:
    """A file over fetched segments, read by offsets.

    Reading a byte that was not fetched raises `NeedBytes`. Reading past the end of a file of known size gives fewer
    bytes, as with any file; while the size is unknown, no byte is past the end.

    Attributes:
        size: bytes of the whole file, None while unknown.
    """

    def __init__(self, size: int | None = None) -> None:
        self.size = size
        self._segments: list[tuple[int, bytes]] = []

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

    def segments(self) -> list[tuple[int, bytes]]:
        """Returns what was fetched: (start, bytes), sorted, with gaps between them."""
        return list(self._segments)

    def get(self, start: int, stop: int) -> bytes:
        """Reads the bytes from `start` to `stop` (exclusive), fewer at the end of the file.

        Raises:
            NeedBytes: if one of them was not fetched.
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

    def before(self, stop: int, limit: int) -> bytes:
        """Reads what was fetched right before `stop` without a gap, at most `limit` bytes."""
        for at, data in self._segments:
            if at < stop <= at + len(data):
                return data[max(0, stop - limit - at) : stop - at]
        return b""

    def _piece(self, start: int, stop: int) -> bytes:
        for at, data in self._segments:
            if at <= start < at + len(data):
                return data[start - at : stop - at]
        return b""
