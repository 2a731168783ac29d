"""Text and values that any program can read back, and text that is safe on a terminal.

Text from the web may hold lone surrogates, which no UTF-8 writer accepts, escape sequences, and marks that reverse the
reading direction.
"""

from __future__ import annotations

import base64
import math
import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from typing import Any, TextIO, TypeVar

BEGINS_RECORD = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")
"""How a record of our logs begins; other lines belong to the record before."""

# Persian and the Indic scripts spell with these two, emoji are joined with the second: they are letters here.
_JOINERS = "\u200c\u200d"
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What begins a formula in a spreadsheet (OWASP, CSV Injection); the last four are full-width forms."""
_USUAL = 80
"""Columns of a terminal that does not report them."""
_DEEPEST = 32
"""Levels of a nested value that are kept, far below the limit of Python's JSON encoder."""
_INDENT = "    "
_style = re.compile(r"\x1b\[[0-9;]*m")
_AHEAD = r"(?=['\"]*[=+@\uff1d\uff0b\uff0d\uff20-])(?![+-]\d{1,30}(?:\.\d{1,30})?(?:[;,|\t\r\n]|\Z))"
_inner = re.compile(rf"([;,|\t\r\n]){_AHEAD}", re.ASCII)
_guarded = re.compile(rf"([;,|\t\r\n])'{_AHEAD}", re.ASCII)
"""A delimiter of some table in a text, behind which a formula begins that is no number; without and with apostrophe."""
Item = TypeVar("Item")
_number = re.compile(r"[+-]?\d{0,30}[.,]?\d{0,30}(?:[eE][+-]?\d{1,4})?", re.ASCII).fullmatch


def clean(text: str) -> str:
    r"""Give text that every UTF-8 writer accepts.

    Two adjacent halves of a surrogate pair become the character they encode, a single half becomes U+FFFD.
    Other text is returned as it is.

    Args:
        text: any string, also from a JSON document with ``\ud83d`` alone.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def plain(value: Any, depth: int = 0) -> Any:
    """Converts a value to what JSON can hold: clean texts, bytes and dates as text, sets as lists, NaN as text.

    Args:
        value: anything.
        depth: levels above it; values below the 32nd become ``…``.
    """
    if isinstance(value, str):
        return value if value.isascii() else clean(value)
    if isinstance(value, int):
        # Python refuses to write a number of more than 4300 digits.
        return value if value.bit_length() <= 4096 else hex(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None:
        return None
    if depth >= _DEEPEST:
        return "…"
    if isinstance(value, Mapping):
        return {plain(str(key)): plain(item, depth + 1) for key, item in value.items()}
    return _plain_object(value, depth)


def _plain_object(value: Any, depth: int) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return _plain_bytes(bytes(value))
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    if isinstance(value, (list, tuple, AbstractSet)):
        items: Iterable[Any] = value
        return [plain(item, depth + 1) for item in items]
    return clean(str(value))


def _plain_bytes(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return base64.b64encode(value).decode()


def in_groups(items: Iterable[Item], length: Callable[[Item], int], longest: int, most: int) -> Iterator[list[Item]]:
    """Yield what is decided jointly: groups of at most `most` items and, if they are several, `longest` characters."""
    group: list[Item] = []
    left = longest
    for item in items:
        left -= length(item)
        if group and (left < 0 or len(group) == most):
            yield group
            group, left = [], longest - length(item)
        group.append(item)
    if group:
        yield group


def to_cell(text: str) -> str:
    """Make the text of a CSV cell: an apostrophe goes before what a spreadsheet would take for a formula.

    So it does behind a delimiter in the text, whatever the delimiter of the file is: a spreadsheet that is set to
    another one begins a cell there, quoted or not. Numbers stay as they are.
    """
    text = _inner.sub(r"\1'", text)
    # And before such an apostrophe, so that the text can be restored.
    return f"'{text}" if is_formula(text.lstrip("'")) else text


def from_cell(text: str) -> str:
    """Give the text that `to_cell` made a cell of."""
    text = text[1:] if text.startswith("'") and is_formula(text.lstrip("'")) else text
    return _guarded.sub(r"\1", text)


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet would evaluate the text of a CSV cell."""
    return text.startswith(_FORMULA) and not _number(text)


def printable(text: str) -> str:
    r"""Make text that cannot control a terminal.

    White space of any kind becomes a space; control characters, direction marks, private and unassigned characters and
    lone surrogates become escapes such as ``\x1b`` and ``\u202e``.
    """
    if text.isprintable():
        return text
    return "".join(map(_visible, text))


def printable_lines(text: str) -> str:
    """Make text of several lines that cannot control a terminal, and is one record of a log.

    Each line is made `printable`; one after the first that begins with a time, as a log record does, is indented.
    """
    first, *others = map(printable, text.split("\n"))
    return "\n".join([first, *(f"    {line}" if BEGINS_RECORD.match(line) else line for line in others)])


def _visible(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    if char.isspace():
        return " "
    return char.encode("ascii", "backslashreplace").decode() if ord(char) > 127 else f"\\x{ord(char):02x}"


def columns(text: str) -> int:
    """Count the terminal columns that a printable text takes.

    East Asian wide and full-width characters take two (UAX #11), combining marks and joiners none.
    """
    if text.isascii():
        return len(text)
    return sum(map(_char_columns, text))


def _char_columns(char: str) -> int:
    if unicodedata.category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def terminal_width(stream: TextIO) -> int | None:
    """Columns of the terminal that a stream writes to (or ``COLUMNS``); None if it writes to no terminal."""
    if not stream.isatty():
        return None
    try:
        own = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        own = os.terminal_size((0, 0))
    return shutil.get_terminal_size(own).columns or _USUAL


def can_redraw(stream: TextIO) -> bool:
    """Whether a stream writes to a terminal on which a line can be drawn again (``TERM`` is not ``dumb``)."""
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def wrapped(text: str, width: int | None) -> str:
    """Break lines between words, so that each takes at most so many columns; what follows a break is indented.

    A word that is longer, such as a path or a URL, stays whole, so that it can be copied. None is no limit.
    """
    return text if width is None else "\n".join(part for line in text.split("\n") for part in _broken(line, width))


def _broken(line: str, width: int) -> Iterator[str]:
    shown, *words = line.split(" ")
    for word in words:
        longer = f"{shown} {word}"
        if columns(_style.sub("", longer)) > width and shown.strip():
            yield shown.rstrip()
            shown = _INDENT + word
        else:
            shown = longer
    yield shown


def say(text: str, stream: TextIO | None = None, *, flush: bool = False, as_is: bool = False) -> None:
    """Print text, with escapes for characters that the output cannot encode, broken at the width of a terminal.

    Args:
        text: printable.
        stream: standard output if left out.
        flush: whether to flush.
        as_is: whether long lines stay whole: they are for programs.
    """
    stream = stream or sys.stdout
    text = encodable(text, stream)
    print(text if as_is else wrapped(text, terminal_width(stream)), file=stream, flush=flush)


def encodable(text: str, stream: TextIO) -> str:
    """Return a text with escapes for the characters that a stream cannot encode."""
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def pad(text: str, width: int) -> str:
    """Fill up with spaces at the right to so many columns; longer text comes back as it is."""
    return text + " " * (width - columns(text))


def cut(text: str, width: int) -> str:
    """Shorten to at most so many columns; what was cut shows as one ``…`` at the end."""
    if columns(text) <= width and len(text) <= 4 * width:
        return text
    return _head(text, width - 1) + "…" if width > 0 else ""


def cut_middle(text: str, width: int) -> str:
    """Shorten in the middle, for a URL: its host and the name of its file say most."""
    if columns(text) <= width:
        return text
    if width < 8:
        return cut(text, width)
    head = _head(text, width // 2)
    tail = _head(text[::-1], width - columns(head) - 1)[::-1]
    return f"{head}…{tail}"


def _head(text: str, width: int) -> str:
    """The longest start that fits; at most four characters a column, so that no pile of marks gets through."""
    used = 0
    for place, char in enumerate(text):
        used += _char_columns(char)
        if used > width or place >= 4 * width:
            return text[:place]
    return text


# Control and format characters that JSON does not escape: an 8-bit escape sequence or a bidirectional mark must not
# reach a terminal by way of `| less`. They occur inside strings only.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def json_safe(text: str) -> str:
    """Return JSON text with its control sequences escaped."""
    # Printable text needs no escapes; this test is three times as fast as the pattern.
    return text if text.isprintable() else _UNSAFE_IN_JSON.sub(_json_escape, text)


def _json_escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
