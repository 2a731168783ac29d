"""Files as their contents, without reading them whole."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

Data = bytes | mmap.mmap

STRETCH = 32 << 20
"""Bytes of a file that are looked at before `forget` is called."""


def forget(data: Data, stop: int) -> None:
    """Give back the memory that a mapped file takes, where the system can; what is read again is mapped again.

    Args:
        data: the file.
        stop: offset up to which it was looked at.
    """
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
