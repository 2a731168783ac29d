"""Tunes Python's garbage collector, and returns free memory to the operating system."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.utils.asyncio import AsyncioLoopingCall
    from twisted.internet.task import LoopingCall

THRESHOLD = 50_000
"""Allocations between two collections. A page makes thousands; at Python's default of 700 the collector took a third of
the crawl's time."""

TRIM_EVERY = 10.0
"""Seconds between two returns of free memory. The trees of pages leave gaps in the C library's heap, which it keeps:
17 of 243 MB after 30,000 pages. A return takes some milliseconds."""

_MMAP_THRESHOLD = -3
"""The option M_MMAP_THRESHOLD of glibc's ``mallopt``."""
LARGE = 256 * 1024
"""Bytes from which an allocation is not taken from the heap, so that it is returned as soon as it is freed. By default
glibc raises this to the size of the largest one that was freed, and the arrays of a model that is saved leave gaps."""


class Tuning:
    """Lets the garbage collector run less often, and without long-lived objects; returns free memory.

    Where the C library is glibc, it returns its free memory to the operating system every `TRIM_EVERY` seconds, and
    allocations of `LARGE` bytes at once.
    """

    def __init__(self) -> None:
        self._before = gc.get_threshold()
        self._timer: AsyncioLoopingCall | LoopingCall | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        tuning = cls()
        crawler.signals.connect(tuning._opened, signals.spider_opened)
        crawler.signals.connect(tuning._closed, signals.spider_closed)
        return tuning

    def _opened(self) -> None:
        gc.collect()
        gc.freeze()
        gc.set_threshold(THRESHOLD, *self._before[1:])
        limit, trim = find_in_libc("mallopt"), find_in_libc("malloc_trim")
        if limit is not None:
            limit(_MMAP_THRESHOLD, LARGE)
        if trim is not None:
            self._timer = create_looping_call(trim, 0)
            self._timer.start(TRIM_EVERY, now=False)

    def _closed(self) -> None:
        gc.set_threshold(*self._before)
        gc.unfreeze()
        if self._timer is not None:
            self._timer.stop()
            self._timer = None


def find_in_libc(name: str) -> Callable[..., int] | None:
    """A function of the C library; None if it has none of this name.

    Args:
        name: of the function; it takes and returns integers.
    """
    try:
        function: Callable[..., int] | None = getattr(ctypes.CDLL(None), name, None)
    except (OSError, TypeError):
        # There is no C library to be asked by this name (Windows).
        return None
    return function
