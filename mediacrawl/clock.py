"""The crawl's clock: the time of day at its start, plus what a steady clock has counted since.

The wall clock jumps when a machine is corrected; a jump forward would let every site be asked at once. The steady
clock goes on while a machine sleeps, where there is one that does (Linux): release times stored after a sleep would
lie in the past otherwise.
"""

from __future__ import annotations

import time
from datetime import UTC, date, datetime

_ASLEEP_TOO: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def steady() -> float:
    """Seconds of a clock that never jumps, and goes on while the machine sleeps where there is one that does."""
    return time.monotonic() if _ASLEEP_TOO is None else time.clock_gettime(_ASLEEP_TOO)


def written_now() -> str:
    """The time of day as records have it: RFC 3339 in UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def today() -> date:
    """The date in UTC."""
    return datetime.now(UTC).date()


class Clock:
    """Seconds since the epoch that never jump while the process runs."""

    def __init__(self) -> None:
        self._offset = time.time() - steady()

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._offset + steady()
