"""How to make an old file out of a new one that is mostly the same, and files mapped into memory for it.

A delta is a list of pieces, in the order of the old file: ``[offset, length]`` of the new file, or the bytes that the
new file lacks. It is exact, whatever the files are; only its length depends on how alike they are.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from mediacrawl.music.replacing import RefusedError

Data = bytes | mmap.mmap

STRETCH = 32 << 20
"""Bytes of a file that are looked at before `forget` is called."""


def forget(data: Data, stop: int) -> None:
    """Give back the memory that a mapped file takes, where the system can; what is read again is mapped again."""
    aligned = min(stop, len(data)) // mmap.ALLOCATIONGRANULARITY * mmap.ALLOCATIONGRANULARITY
    if aligned and isinstance(data, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        data.madvise(mmap.MADV_DONTNEED, 0, aligned)


@contextmanager
def mapped(path: Path) -> Iterator[Data]:
    """The contents of a file.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


Piece = tuple[int, int] | bytes

_SHORTEST = 48
"""Bytes that a copied piece has at least; shorter ones cost more to name than to store."""
_STEP = 32
"""Bytes between two places of the old file at which both files are compared again."""
_ANCHOR = 32
_WINDOW = 1 << 18
"""How far ahead in the new file the same bytes are looked for; a tag rarely grows by more."""
_MOST_ANCHORS = 1 << 13
"""Places of the old file that are looked for in vain; from then on only bytes that moved with the rest are found."""
_MOST_STORED = 16 << 20
"""Bytes that the new file has no more. Tags have fewer; a file that needs more was not read rightly."""
_BLOCK = 1 << 16
_LEAST_DIFFERENT = 8
"""Different bytes that an anchor has: padding is found everywhere, and leads astray."""


def delta(old: Data, new: Data) -> list[Piece]:
    """What makes `old` out of `new`.

    Args:
        old: the file that is to come back.
        new: the file that will be there.

    Raises:
        RefusedError: the old file has more than 16 MB that the new one has no more.
    """
    return list(_joined(_pieces(old, new)))


def restored(pieces: Iterable[Piece], new: Data) -> Iterator[bytes]:
    """The old file, in pieces of at most 64 KB or as they are stored.

    Args:
        pieces: as `delta` gave them.
        new: the file that is there now.

    Raises:
        ValueError: a piece lies outside of it.
    """
    for piece in pieces:
        if isinstance(piece, bytes):
            yield piece
            continue
        start, length = piece
        if start < 0 or length < 0 or start + length > len(new):
            raise ValueError("a piece lies outside of the file")
        for at in range(start, start + length, _BLOCK):
            yield new[at : min(at + _BLOCK, start + length)]


def _pieces(old: Data, new: Data) -> Iterator[Piece]:
    search = _Search(old, new)
    at = there = literal = stored = 0
    while at < len(old):
        same = _alike(old, new, at, there)
        if same >= _SHORTEST or (same and at + same == len(old)):
            yield old[literal:at]
            yield there, same
            at, there = at + same, there + same
            literal = at
        found = search.resumed(at, there)
        stop = len(old) if found is None else found[0]
        stored += stop - at
        if stored > _MOST_STORED:
            raise RefusedError("the way back to the old file would be too long for the journal")
        if found is None:
            break
        at, there = found
    yield old[literal : len(old)]


class _Search:
    """Looks for the next bytes of an old file that a new one has too; bounded, whatever the files are.

    Args:
        old: the file that is to come back.
        new: the file that will be there.
    """

    def __init__(self, old: Data, new: Data) -> None:
        self._old, self._new = old, new
        self._left = _MOST_ANCHORS

    def resumed(self, at: int, there: int) -> tuple[int, int] | None:
        """The next place in the old file, and where its bytes are in the new one, behind what was compared so far."""
        old, new = self._old, self._new
        for place in range(at, len(old) - _ANCHOR + 1, _STEP):
            anchor = old[place : place + _ANCHOR]
            if len(set(anchor)) < _LEAST_DIFFERENT:
                continue
            found = self._find(anchor, place, at, there)
            if found < 0:
                continue
            back = _alike_before(old, new, place, found, min(place - at, found - there))
            if _alike(old, new, place - back, found - back) >= _SHORTEST:
                return place - back, found - back
        return None

    def _find(self, anchor: bytes, place: int, at: int, there: int) -> int:
        """Where the anchor at `place` is in the new file; less than 0 if it is not found."""
        # Mostly nothing has moved further, or all of the rest has moved by what the file grew.
        for shift in (there - at, len(self._new) - len(self._old)):
            start = place + shift
            if start >= there and self._new[start : start + _ANCHOR] == anchor:
                return start
        if not self._left:
            return -1
        # Bytes find faster than a mapped file does.
        found = self._new[there : there + _WINDOW + min(place - at, _WINDOW)].find(anchor)
        self._left -= found < 0
        return there + found if found >= 0 else -1


def _alike_before(old: Data, new: Data, at: int, there: int, most: int) -> int:
    """How many bytes are the same in front of two places, of at most `most`."""
    same, size = 0, _BLOCK
    while same < most:
        size = min(size, most - same)
        if old[at - same - size : at - same] == new[there - same - size : there - same]:
            same += size
        elif size == 1:
            break
        else:
            size = (size + 1) // 2
    return same


def _alike(old: Data, new: Data, at: int, there: int) -> int:
    """How many bytes are the same from two places on."""
    same, most = 0, min(len(old) - at, len(new) - there)
    size = _BLOCK
    while same < most:
        size = min(size, most - same)
        if old[at + same : at + same + size] == new[there + same : there + same + size]:
            same += size
            size = _BLOCK
            if same % STRETCH == 0:
                forget(old, at + same)
                forget(new, there + same)
        elif size == 1:
            break
        else:
            size = (size + 1) // 2
    return same


def _joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Leaves out empty pieces, and puts together what follows each other."""
    last: Piece | None = None
    for piece in pieces:
        if not piece or (isinstance(piece, tuple) and not piece[1]):
            continue
        if isinstance(last, bytes) and isinstance(piece, bytes):
            last += piece
        elif isinstance(last, tuple) and isinstance(piece, tuple) and sum(last) == piece[0]:
            last = last[0], last[1] + piece[1]
        else:
            if last is not None:
                yield last
            last = piece
    if last is not None:
        yield last
