"""Arguments of the functions that other programs call: taken as meant, or refused with a sentence that says what to do.

A bare text is also a sequence, of its characters; so a call that forgets the list would be answered with nonsense.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from mediacrawl.encoding.decision import Hints

Octets: TypeAlias = bytes | bytearray | memoryview
"""Bytes in any of Python's types; the others are copied."""


def octets(fields: Iterable[Octets], function: str, hints: Hints | None = None) -> list[bytes]:
    """The fields of a record as bytes.

    Args:
        fields: a sequence of bytes, one for each field.
        function: name of the one that was called.
        hints: its argument of this name.

    Raises:
        TypeError: the fields are no such sequence, or the hints are no `Hints`.
    """
    check_hints(hints, function)
    every = _members(fields, function, "bytes", "detect_text(data)")
    return [
        field if type(field) is bytes else octet(field, f"{function}(): field {place}")
        for place, field in enumerate(every)
    ]


def texts(fields: Iterable[str], function: str, hints: Hints | None = None) -> list[str]:
    """The fields of a record as text; arguments and errors as for `octets`."""
    check_hints(hints, function)
    every = _members(fields, function, "str", "fix_text(text)")
    return [
        field if type(field) is str else text(field, f"{function}(): field {place}")
        for place, field in enumerate(every)
    ]


def octet(field: Any, name: str) -> bytes:
    """One field as bytes.

    Args:
        field: what the caller gave.
        name: of the argument, for the message.

    Raises:
        TypeError: it is no bytes.
    """
    if isinstance(field, bytes):
        return field
    if isinstance(field, (bytearray, memoryview)):
        return bytes(field)
    advice = " Text that was read wrongly is mended by repair() and fix_text()." if isinstance(field, str) else ""
    raise TypeError(f"{name} must be bytes, but is {_kind(field)}.{advice}")


def text(field: Any, name: str) -> str:
    """One field as text; arguments and errors as for `octet`."""
    if isinstance(field, str):
        return field
    is_bytes = isinstance(field, (bytes, bytearray, memoryview))
    advice = " The encoding of bytes is found by detect() and detect_text()." if is_bytes else ""
    raise TypeError(f"{name} must be a str, but is {_kind(field)}.{advice}")


def check_hints(hints: Any, function: str) -> None:
    """Refuse hints of another type.

    Raises:
        TypeError: they are neither `Hints` nor None.
    """
    if hints is not None and not isinstance(hints, Hints):
        raise TypeError(
            f"{function}(): hints must be Hints or None, but is {_kind(hints)}. Write Hints(page_language='ru')."
        )


def _members(fields: Any, function: str, kind: str, single: str) -> list[Any]:
    """The members of a sequence.

    Raises:
        TypeError: it is a bare text, a mapping, or no sequence at all.
    """
    if type(fields) in (list, tuple):
        return list(fields)
    advice = ""
    if isinstance(fields, Mapping):
        advice = f" Write {function}(list(record.values()))."
    elif isinstance(fields, (str, bytes, bytearray, memoryview)):
        advice = f" Write {function}([field]) for a record of one field, or {single} for a single text."
    elif isinstance(fields, Iterable):
        return list(fields)
    got = "None" if fields is None else type(fields).__name__
    raise TypeError(f"{function}() takes a sequence of {kind}, one for each field, but got {got}.{advice}")


def _kind(value: Any) -> str:
    return "None" if value is None else f"of type {type(value).__name__}"
