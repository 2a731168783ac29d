"""Log records that cannot send escape sequences to a terminal or imitate other records, and the file ``critical.log``.

Text from the web gets into a log in three ways: as an argument of a message, inside a message formatted before it was
logged, as Scrapy does, and in the text of an exception.
"""

from __future__ import annotations

import copy
import logging
import re
import traceback
from collections.abc import Mapping
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from numbers import Number
from pathlib import Path
from typing import Any, TextIO

from mediacrawl.observe.errors import Fault
from mediacrawl.observe.text import printable, printable_lines, terminal_width, wrapped

_PLACE = re.compile(r"%(?:\((?P<name>[^)]*)\))?[-#0 +]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?(?P<kind>[a-zA-Z%])")
"""A conversion specifier (Python's printf-style formatting)."""
_LONGEST_MESSAGE = 100_000
"""Characters of a message that are kept. To make so many printable takes some 30 ms."""
_LONGEST = 20_000
"""Characters of a traceback that are kept, of its beginning and its end."""


class SafeFormatter(logging.Formatter):
    r"""Wraps another formatter: what is not printable becomes an escape such as ``\x1b``.

    An argument stays on one line, unless the message gives it a line of its own (``"Summary\n%s"``). Lines of
    tracebacks and of such arguments stay lines; one that begins like a log record, with a time, is indented. On a
    terminal lines are broken at its width. The record itself is not changed.

    Args:
        inner: formats the record.
        stream: where the record is written; None for anything else than a stream.
    """

    def __init__(self, inner: logging.Formatter, stream: TextIO | None = None) -> None:
        super().__init__()
        self._inner = inner
        self._stream = stream

    def format(self, record: logging.LogRecord) -> str:
        """Format a record."""
        shown = copy.copy(record)
        shown.msg, shown.args = printable_lines(_shortened(_message(record), _LONGEST_MESSAGE)), ()
        if record.exc_info and record.exc_info[1] is not None:
            shown.exc_text = traceback_text(record.exc_info[1])
        elif record.exc_text:
            shown.exc_text = printable_lines(record.exc_text)
        if record.stack_info:
            shown.stack_info = printable_lines(record.stack_info)
        return wrapped(self._inner.format(shown), terminal_width(self._stream) if self._stream else None)


def make_safe(*loggers: logging.Logger) -> None:
    """Wrap the formatter of each handler in a `SafeFormatter`. Idempotent."""
    for handler in {handler for logger in loggers for handler in logger.handlers}:
        if not isinstance(handler.formatter, SafeFormatter):
            stream = handler.stream if isinstance(handler, logging.StreamHandler) else None
            handler.setFormatter(SafeFormatter(handler.formatter or logging.Formatter(), stream))


def _message(record: logging.LogRecord) -> str:
    template, arguments = str(record.msg), record.args
    try:
        if not arguments:
            return template
        places = [found for found in _PLACE.finditer(template) if found["kind"] != "%"]
        if isinstance(arguments, Mapping):
            blocks = {found["name"] for found in places if _has_own_line(template, found)}
            return template % {name: _Shown.of(value, name in blocks) for name, value in arguments.items()}
        blocks_at = {number for number, found in enumerate(places) if _has_own_line(template, found)}
        return template % tuple(_Shown.of(value, number in blocks_at) for number, value in enumerate(arguments))
    except Exception:  # noqa: BLE001 - an argument that is no text may raise anything when it is written
        # Raises as logging does.
        return record.getMessage()


def _has_own_line(template: str, found: re.Match[str]) -> bool:
    before, after = template[: found.start()], template[found.end() :]
    return (not before or before.endswith("\n")) and (not after or after.startswith("\n"))


class _Shown:
    """An argument of a message that is made printable when the message is formatted."""

    __slots__ = ("_block", "_value")

    def __init__(self, value: object, block: bool) -> None:
        self._value = value
        self._block = block

    @classmethod
    def of(cls, value: Any, block: bool) -> Any:
        """Wrap an argument; numbers stay numbers, for format specifiers."""
        return value if isinstance(value, Number) else cls(value, block)

    def __str__(self) -> str:
        return self._shown(str(self._value))

    def __repr__(self) -> str:
        return self._shown(repr(self._value))

    def _shown(self, text: str) -> str:
        text = _shortened(text, _LONGEST_MESSAGE)
        return text if self._block else printable(text)


def traceback_text(error: BaseException) -> str:
    """The traceback of an exception as printable lines; the middle of a long one is cut.

    Args:
        error: of any class; whatever it raises, this does not raise.
    """
    try:
        text = "".join(traceback.format_exception(error))
    except Exception:  # noqa: BLE001 - an exception may be as broken as what raised it
        return "  (its traceback cannot be written)"
    return printable_lines(_shortened(text.rstrip("\n"), _LONGEST))


def _shortened(text: str, most: int) -> str:
    return f"{text[: most // 4]}\n...\n{text[-most * 3 // 4 :]}" if len(text) > most else text


BYTES = 5_000_000
"""Bytes of the file before it is rotated; one old file is kept."""


class CriticalLog(RotatingFileHandler):
    """Unexpected exceptions with their tracebacks, as text.

    On disk: ``critical.log`` and ``critical.log.1``, at most `BYTES` each; there is no file without a fault. An entry
    is written and flushed when it happens; a kill leaves all of them, the last perhaps torn. Entries that the disk
    refuses are counted in `lost`.
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
            said: the log message: ``Spider error processing <GET ...>``.
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
        """Count an entry that could not be written."""
        self.lost += 1
