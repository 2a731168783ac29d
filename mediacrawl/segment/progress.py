"""How far a run is: the step it is at, and how much of that is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from mediacrawl.observe.bar import Bar
from mediacrawl.observe.format import elapsed
from mediacrawl.observe.text import printable


class Progress:
    """Shows the step that a run is at, and how much of it is done.

    Args:
        stream: to write to.
        clock: seconds that only grow.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._bar = Bar(stream, clock)
        self._steps = self._step = 0
        self._what = ""
        self._before = self._share = 0.0

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return self._bar.seconds

    def begin(self, steps: int) -> None:
        """Say how many steps there will be."""
        self._steps = steps

    def step(self, what: str) -> None:
        """The next step begins."""
        self._step += 1
        self.part(what, 0.0, 1.0)

    def part(self, what: str, before: float, share: float) -> None:
        """The next statement of a step begins.

        Args:
            what: is done.
            before: part of the step that is done, 0 to 1.
            share: part of the step that it is, 0 to 1.
        """
        self._what, self._before, self._share = what, before, share
        self.show(0.0)

    def show(self, percent: float) -> None:
        """Show where the run is, if it is time to.

        Args:
            percent: of the statement; below zero if that is not known.
        """
        done = min(self._before + self._share * max(percent, 0.0) / 100, 1.0)
        self._bar.show(lambda: self.line(done), done)

    def line(self, done: float) -> str:
        """The state as one line."""
        step = f"step {self._step} of {self._steps}: " if self._steps else ""
        return printable(f"{step}{self._what} · {done:.0%} · {elapsed(self.seconds)}")

    def end(self) -> None:
        """Take the bar away."""
        self._bar.end()
