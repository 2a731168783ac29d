"""The file for what should never happen."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path

from mediacrawl.observe.errors import Fault
from mediacrawl.observe.log_text import traceback_text
from mediacrawl.observe.text import printable

BYTES = 5_000_000
"""Bytes of the file, after which it is begun anew; one old file is kept."""


class CriticalLog(RotatingFileHandler):
    """Faults with their tracebacks, as text for people.

    On disk: ``critical.log`` and ``critical.log.1``, at most `BYTES` each; there is no file as long as there is no
    fault. An entry is written when it happens and flushed; a kill leaves all of them, the last perhaps torn. When the
    disk refuses an entry it is counted in `lost`, and the crawl goes on.

    Args:
        folder: where it lies; made with the first entry.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "critical.log", "a", BYTES, 1, "utf-8", delay=True, errors="backslashreplace")
        self.path = folder / "critical.log"
        self.lost = 0
        self.setFormatter(logging.Formatter("%(message)s"))

    def write(self, now: float, fault: Fault, said: str, error: BaseException | None = None) -> None:
        """Write an entry.

        Args:
            now: seconds since the epoch.
            fault: what happened.
            said: how the log told it: ``Spider error processing <GET ...>``.
            error: the exception, for its traceback; None for an entry of one line.
        """
        when = datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
        lines = [f"{when} {fault} {fault.url}".rstrip()]
        if error is not None:
            lines += [*([f"  {printable(said)[:500]}"] if said.strip() else []), traceback_text(error), ""]
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError:
            self.lost += 1
            return
        self.handle(logging.makeLogRecord({"msg": "\n".join(lines)}))

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802
        """Count what could not be written; the crawl goes on."""
        self.lost += 1
