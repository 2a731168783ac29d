"""How far a run is: a bar on a terminal, else a line now and then, for a log."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import TextIO

from mediacrawl.observe.format import elapsed
from mediacrawl.observe.text import cut, printable

_REDRAWN, _LOGGED = 0.2, 10.0
"""Seconds between two states, on a terminal and elsewhere."""
_BAR = 20
_CLEAR = "\r\x1b[K"


class Progress:
    """Shows the step that a run is at, and how much of it is done.

    Args:
        stream: to write to.
        clock: seconds that only grow.
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._terminal = stream.isatty()
        self._every = _REDRAWN if self._terminal else _LOGGED
        self._began = self._shown = clock()
        self._steps = self._step = 0
        self._what = ""
        self._before = self._share = 0.0

    @property
    def seconds(self) -> float:
        """Since the run began."""
        return self._clock() - self._began

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
        now = self._clock()
        if now - self._shown < self._every:
            return
        self._shown = now
        done = min(self._before + self._share * max(percent, 0.0) / 100, 1.0)
        line = self.line(done)
        if not self._terminal:
            print(line, file=self._stream, flush=True)
            return
        bar = f"[{'=' * round(done * _BAR):{_BAR}}] "
        self._stream.write(_CLEAR + cut(bar + line, shutil.get_terminal_size().columns - 1))
        self._stream.flush()

    def line(self, done: float) -> str:
        """The state as one line."""
        step = f"step {self._step} of {self._steps}: " if self._steps else ""
        return printable(f"{step}{self._what} · {done:.0%} · {elapsed(self.seconds)}")

    def end(self) -> None:
        """Take the bar away."""
        if self._terminal:
            self._stream.write(_CLEAR)
            self._stream.flush()
