"""One fleet in a folder: two would write each other's files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mediacrawl.observe.archive import lock

_LOCK = "fleet.lock"


class FleetError(Exception):
    """A fleet cannot begin. The message says why, and what to do."""


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Have a folder to ourselves, as long as the block or this process lasts.

    Args:
        folder: made if missing.

    Raises:
        FleetError: another fleet works there, or it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise FleetError(f"{folder} cannot be used: {error.strerror}; name another MEDIACRAWL_DIR") from error
    try:
        if not lock(descriptor, alone=True):
            raise FleetError(f"another fleet works in {folder}; name another MEDIACRAWL_DIR for this one")
        yield
    finally:
        os.close(descriptor)
