"""How far a run is: a bar on a terminal, else a line now and then, for a log."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TextIO

from mediacrawl.observe.format import count, elapsed, share
from mediacrawl.observe.text import cut

_REDRAWN, _LOGGED = 0.2, 10.0
"""Seconds between two states, on a terminal and elsewhere."""
_BAR = 20
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows items, items a second, the share of the input that is done, and the time left.

    Args:
        stream: to write to.
        total: of the input, in the unit of `show`; 0 if that is not known.
        clock: seconds that only grow.
    """

    def __init__(self, stream: TextIO, total: int, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._total = total
        self._clock = clock
        self._terminal = stream.isatty()
        self._every = _REDRAWN if self._terminal else _LOGGED
        self._began = self._shown = clock()
        self._first: tuple[int, int] | None = None

    def begin(self, done: int, items: int) -> None:
        """Say where the run begins: what an earlier one did counts for the share, not for the speed."""
        self._first = (done, items)

    def show(self, done: int, items: int) -> None:
        """Show where the run is, if it is time to.

        Args:
            done: of the total.
            items: records so far.
        """
        now = self._clock()
        if now - self._shown < self._every:
            return
        self._shown = now
        line = self.line(done, items)
        if not self._terminal:
            print(line, file=self._stream, flush=True)
            return
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(_CLEAR + cut(self._bar(done) + line, width))
        self._stream.flush()

    def line(self, done: int, items: int) -> str:
        """The state as one line."""
        first_done, first_items = self._first or (0, 0)
        seconds = max(self._clock() - self._began, 1e-6)
        parts = [f"{count(items)} records", f"{count(round((items - first_items) / seconds))} a second"]
        if self._total:
            parts.insert(0, share(min(done, self._total), self._total))
            left = seconds * (self._total - done) / max(done - first_done, 1)
            parts.append(f"{elapsed(max(left, 0.0))} left")
        return " · ".join(parts)

    def _bar(self, done: int) -> str:
        if not self._total:
            return ""
        filled = round(min(done / self._total, 1.0) * _BAR)
        return f"[{'=' * filled:{_BAR}}] "

    def end(self) -> None:
        """Take the bar away."""
        if self._terminal:
            self._stream.write(_CLEAR)
            self._stream.flush()
