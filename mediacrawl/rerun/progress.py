"""How far a run is: items, items a second, share of the input, time left."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from mediacrawl.observe.bar import Bar
from mediacrawl.observe.format import count, elapsed, plural, share


class Progress:
    """Shows items, items a second, the share of the input that is done, and the time left.

    Args:
        stream: to write to.
        total: of the input, in the unit of `show`; 0 if that is not known.
        clock: seconds that only grow.
    """

    def __init__(self, stream: TextIO, total: int, clock: Callable[[], float]) -> None:
        self._total = total
        self._bar = Bar(stream, clock)
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
        self._bar.show(lambda: self.line(done, items), done / self._total if self._total else None)

    def line(self, done: int, items: int) -> str:
        """The state as one line."""
        first_done, first_items = self._first or (0, 0)
        seconds = max(self._bar.seconds, 1e-6)
        parts = [plural(items, "record"), f"{count(round((items - first_items) / seconds))} a second"]
        if self._total:
            parts.insert(0, share(min(done, self._total), self._total))
            left = seconds * (self._total - done) / max(done - first_done, 1)
            parts.append(f"{elapsed(max(left, 0.0))} left")
        return " · ".join(parts)

    def end(self) -> None:
        """Take the bar away."""
        self._bar.end()
