"""A progress bar on a terminal; elsewhere a line every ten seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from mediacrawl.base.text import can_redraw, cut, terminal_width

_REDRAWN, _LOGGED = 0.2, 10.0
"""Seconds between two states of the bar on a terminal, and between two lines elsewhere."""
_WIDTH = 20
_CLEAR = "\r\x1b[K"


class Bar:
    """One line that shows the progress of a run."""

    def __init__(self, stream: TextIO, clock: Callable[[], float]) -> None:
        self._stream = stream
        self._clock = clock
        self._terminal = can_redraw(stream)
        self._every = _REDRAWN if self._terminal else _LOGGED
        self._began = self._shown = clock()

    @property
    def seconds(self) -> float:
        """Seconds since the run began."""
        return self._clock() - self._began

    def show(self, line: Callable[[], str], share: float | None) -> None:
        """Show the progress, if it is time to.

        Args:
            line: makes the text; called only if it is shown.
            share: of the run that is done, 0 to 1; None if unknown.
        """
        now = self._clock()
        if now - self._shown < self._every:
            return
        self._shown = now
        if not self._terminal:
            print(line(), file=self._stream, flush=True)
            return
        bar = "" if share is None else f"[{'=' * round(min(share, 1.0) * _WIDTH):{_WIDTH}}] "
        self._write(_CLEAR + cut(bar + line(), (terminal_width(self._stream) or 80) - 1))

    def end(self) -> None:
        """Remove the bar."""
        if self._terminal:
            self._write(_CLEAR)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
