"""The crawl's clock: the time of day at its start, plus the seconds of a monotonic clock since.

The system clock jumps when it is corrected; a jump forward would release every site at once. The monotonic clock also
runs while the machine sleeps, where there is one that does (Linux); otherwise stored release times would be in the
past after a sleep.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import UTC, date, datetime
from typing import TypeVar

_T = TypeVar("_T")

_ASLEEP_TOO: int | None = getattr(time, "CLOCK_BOOTTIME", None)


def steady() -> float:
    """Seconds of a monotonic clock that also runs while the machine sleeps, where there is one."""
    return time.monotonic() if _ASLEEP_TOO is None else time.clock_gettime(_ASLEEP_TOO)


def written_now() -> str:
    """Return the time of day in RFC 3339 form, UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def today() -> date:
    """Return the date in UTC."""
    return datetime.now(UTC).date()


def within(seconds: float, work: Callable[[], _T]) -> _T:
    """Return what a function returns. It runs in a thread, which is left to itself when the time is over.

    Args:
        seconds: that it may take.
        work: may wait for what cannot be ended, such as a look-up by the system.

    Raises:
        TimeoutError: it has not returned in time.
    """
    done: Future[_T] = Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - it is raised by the caller
            done.set_exception(error)

    threading.Thread(target=run, name="within", daemon=True).start()
    return done.result(min(seconds, threading.TIMEOUT_MAX))


class Clock:
    """Seconds since the epoch that never jump while the process runs.

    Attributes:
        offset: seconds between `steady` and the time of day. It changes only if the machine's clock is set, or at a
            restart.
    """

    def __init__(self) -> None:
        # A process that is interrupted between the two readings gets less.
        self.offset = max(time.time() - steady() for _ in range(5))

    def now(self) -> float:
        """Seconds since the epoch."""
        return self.offset + steady()


class Heartbeat:
    """Notices when this process stood still: it was stopped, or something held up its one thread."""

    EVERY = 1.0
    """Seconds between two calls of `beat`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last: float | None = None
        self._stood = 0.0

    def beat(self) -> None:
        """Note that the process runs. Called every `EVERY` seconds."""
        now = self._clock.now()
        self._stood = now if self.stood_since(now) else self._stood
        self._last = now

    def stood_since(self, when: float) -> bool:
        """Whether the process stood still for `EVERY` seconds or longer since a time, or does so until now."""
        late = 0.0 if self._last is None else self._clock.now() - self._last - self.EVERY
        return self._stood > when or late > self.EVERY


_UNITS = {"m": 60, "h": 3_600, "d": 86_400, "w": 604_800}


def since(text: str, now: float) -> str:
    """Return a time that a person typed, as the catalogue stores times.

    Args:
        text: ``2026-03-11``, ``2026-03-11T12:00``, ``90m``, ``12h``, ``7d`` or ``2w``. Without an offset it is UTC.
        now: seconds since the epoch.

    Raises:
        ValueError: it is none of these.
    """
    try:
        if match := re.fullmatch(r"(\d{1,6})([mhdw])", text.strip()):
            then = datetime.fromtimestamp(now - int(match[1]) * _UNITS[match[2]], UTC)
        else:
            then = datetime.fromisoformat(text.strip())
            then = then if then.tzinfo else then.replace(tzinfo=UTC)
        return then.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is no time: write 2026-03-11, 2026-03-11T12:00, 12h, 7d or 2w") from error
