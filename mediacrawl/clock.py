"""The crawl's clock: the time of day at its start, plus what a monotonic clock has counted since.

The wall clock jumps when a machine is corrected; a jump forward would let every site be asked at once.
"""

from __future__ import annotations

import time


class Clock:
    """Seconds since the epoch that never jump while the process runs."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._offset + time.monotonic()
