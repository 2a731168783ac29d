"""How the cost of a reader grows with what it reads."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

MEASURABLE = 0.01
"""Seconds of the processor: what takes less is not compared, for then it is the machine that is measured."""
MOST = 2.5
"""Times the cost that twice the input may take."""
_TRIES = 6
_SPARE = 2
"""Times the memory that a linear reader needs."""


class GrowthError(AssertionError):
    """Twice the input took far more than twice the time."""


def check_growth(read: Callable[[Any], object], make: Callable[[int], Any], least: int, largest: int) -> float:
    """Double an input until it has its size, and compare what each takes with what its half took.

    It begins small, so that what is quadratic is found in milliseconds and not in minutes.

    Args:
        read: what is measured.
        make: gives an input of a size, in bytes.
        least: bytes of the first input.
        largest: bytes of the last input; there are two at least.

    Returns:
        Seconds of the processor for the last one.

    Raises:
        GrowthError: the cost grew too fast.
    """
    size, before = least, cost(read, make(least))
    while size < max(largest, 2 * least):
        size *= 2
        after = cost(read, make(size))
        if after > MEASURABLE and after > MOST * before:
            _see_growth(read, make, size)
        before = after
    return before


def _see_growth(read: Callable[[Any], object], make: Callable[[int], Any], size: int) -> None:
    """Fail if three doublings in a row grow too fast.

    Of one alone, work may begin that only large inputs need; of the next, other work of the machine may be what was
    measured. What is quadratic grows too fast at each.

    Nor is a new page of memory measured. A small input fits into the pages that the process has; for a large one the
    system gives some at each run and takes them back, and on a busy virtual machine they cost more than what is read.
    """
    pages = _keep_pages(_SPARE * 8 * _peak(read, make(size // 2)))
    for larger in (size, 2 * size):
        try:
            _compare(read, make(larger // 2), make(larger))
        except GrowthError:
            continue
        return
    _compare(read, make(2 * size), make(4 * size))
    del pages


def _peak(read: Callable[[Any], object], value: Any) -> int:
    """Bytes of Python's memory that a reader needs at most, besides its input."""
    tracemalloc.start()
    try:
        read(value)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _keep_pages(memory: int) -> list[bytes]:
    """Take so much memory for small objects and for large ones; what is returned keeps its pages in the process.

    Python gives back to the system what no object is left in, and the C library what is free above the last one.
    """
    small = [bytes(400) for _ in range(memory // 448)]
    large = [bytes(100_000) for _ in range(memory // 100_000)]
    return [*small[::200], *large[-1:]]


def _compare(read: Callable[[Any], object], half: Any, whole: Any) -> None:
    """Measure both again, in turn: whatever else the machine does only adds to a time."""
    one = two = float("inf")
    for _ in range(_TRIES):
        one, two = min(one, cost(read, half)), min(two, cost(read, whole))
        if two <= max(MOST * one, MEASURABLE):
            return
    raise GrowthError(f"{len(half)} bytes take {one * 1000:.1f} ms, {len(whole)} bytes take {two * 1000:.1f} ms")


def cost(read: Callable[[Any], object], value: Any) -> float:
    """Seconds of the processor that a reader takes, without the collector of garbage.

    Args:
        read: the reader.
        value: its input.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        began = time.process_time()
        read(value)
        return time.process_time() - began
    finally:
        if was:
            gc.enable()
