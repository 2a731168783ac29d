"""Work that the cyclic garbage collector does not interrupt."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Suspend the cyclic garbage collector, if it is enabled: decisions make many small objects and no cycles.

    Without it they take 5 % longer (CPU time over 10,000 records of titles, median of six paired runs).
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
