"""Log records that cannot send escape sequences to a terminal or imitate other records.

Text from the web gets into a log in three ways: as an argument of a message, inside a message formatted before it was
logged, as Scrapy does, and in the text of an exception.
"""

from __future__ import annotations

import copy
import logging
import traceback
from typing import TextIO

from mediacrawl.base.text import printable, printable_lines, terminal_width, wrapped

_LONGEST_MESSAGE = 100_000
"""Characters of a message that are kept. To make so many printable takes some 30 ms."""
_LONGEST = 20_000
"""Characters of a traceback that are kept, of its beginning and its end."""


class SafeFormatter(logging.Formatter):
    r"""Wraps another formatter: what is not printable becomes an escape such as ``\x1b``.

    A message stays on one line, unless it has lines before its arguments are inserted (``"Summary\n%s"``). Lines of
    tracebacks and of such messages stay lines; one that begins like a log record, with a time, is indented. On a
    terminal lines are broken at its width. The record itself is not changed.

    Args:
        stream: where the record is written; None for anything else than a stream.
    """

    def __init__(self, inner: logging.Formatter, stream: TextIO | None = None) -> None:
        super().__init__()
        self._inner = inner
        self._stream = stream

    def format(self, record: logging.LogRecord) -> str:
        """Format a record."""
        shown = copy.copy(record)
        text = _shortened(record.getMessage(), _LONGEST_MESSAGE)
        shown.msg, shown.args = printable_lines(text) if "\n" in str(record.msg) else printable(text), ()
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


class AttachedHandler(logging.Handler):
    """The base of handlers that listen to the whole log while a crawl runs.

    Args:
        level: the least level of the records that it gets.
    """

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._attached: list[logging.Logger] = []

    def attach(self) -> None:
        """Attach to the root logger, and to mediacrawl's if it does not propagate."""
        ours = logging.getLogger("mediacrawl")
        self._attached = [logging.getLogger(), *([] if ours.propagate else [ours])]
        for each in self._attached:
            each.addHandler(self)

    def detach(self) -> None:
        """Detach from all loggers."""
        for each in self._attached:
            each.removeHandler(self)
