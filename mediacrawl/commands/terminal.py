"""A terminal as a screen that is drawn whole, with keys."""

from __future__ import annotations

import os
import select
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mediacrawl.observe.text import encodable

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

try:
    import termios
    import tty
except ImportError:  # Windows
    HAS_KEYS = False
else:
    HAS_KEYS = True
    """Whether single keys can be read."""

_ARROWS = {b"\x1b[A": "up", b"\x1b[B": "down", b"\x1bOA": "up", b"\x1bOB": "down"}


class Terminal:
    """The terminal of standard input and output, taken over and given back as it was, also after an exception."""

    def __enter__(self) -> Self:
        self._before = termios.tcgetattr(sys.stdin) if HAS_KEYS and sys.stdin.isatty() else None
        if self._before is not None:
            tty.setcbreak(sys.stdin.fileno())
        # The second screen of the terminal, so that the first one comes back; no cursor.
        self._write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._write("\x1b[?25h\x1b[?1049l")
        if self._before is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._before)

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows."""
        found = shutil.get_terminal_size((80, 24))
        return found.columns, found.lines

    def draw(self, lines: Sequence[str]) -> None:
        """Show lines in place of what was shown. The first one is bold."""
        body = "\r\n".join(f"{line}\x1b[K" for line in lines[1:])
        first = f"\x1b[1m{lines[0]}\x1b[0m\x1b[K\r\n" if lines else ""
        self._write(f"\x1b[H{first}{body}\x1b[J")

    def key(self, seconds: float) -> str:
        """The next key: a character, ``up`` or ``down``; empty if none came in time."""
        if self._before is None:
            select.select([], [], [], seconds)
            return ""
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return ""
        read = os.read(sys.stdin.fileno(), 16)
        if not read:
            return "q"
        return _ARROWS.get(read) or read[:1].decode("ascii", "replace")

    def _write(self, text: str) -> None:
        sys.stdout.write(encodable(text, sys.stdout))
        sys.stdout.flush()
