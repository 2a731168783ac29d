"""Files as their contents, without reading them whole."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

Data = bytes | mmap.mmap


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
