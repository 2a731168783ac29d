"""Splits the bytes of a text field into values with the encoding that the container declares."""

from __future__ import annotations

import codecs
from typing import NamedTuple

from mediacrawl.base.charsets import wide_order

LATIN1 = "latin-1"
UTF8 = "utf-8"
UTF16 = "utf-16"
UTF16LE = "utf-16-le"
UTF16BE = "utf-16-be"


class Value(NamedTuple):
    """One text value: its bytes, and the codec that the container declares for them."""

    raw: bytes
    declared: str


def width(declared: str) -> int:
    """Returns the bytes of a terminator in this encoding."""
    return 2 if declared.startswith(UTF16) else 1


def cut(raw: bytes, declared: str) -> tuple[bytes, bytes | None]:
    """Splits bytes at the first terminator; the second part is None if there is none."""
    unit = width(declared)
    at = raw.find(bytes(unit))
    while at >= 0 and at % unit:
        at = raw.find(bytes(unit), at + 1)
    if at < 0:
        return raw, None
    return raw[:at], raw[at + unit :]


def ended(raw: bytes) -> bytes:
    """Returns the text of an 8-bit field up to the first zero, or in UTF-16 up to the first zero unit."""
    wide = b"\0" in raw and wide_order(raw, least=2)
    return _without_half(cut(raw, UTF16)[0]) if wide else raw.partition(b"\0")[0]


def unpadded(raw: bytes, padding: bytes = b"\0") -> bytes:
    """Leaves out the bytes that fill an 8-bit field; the high byte of the last letter of UTF-16 is none of them."""
    return unterminated(raw) if raw.endswith(b"\0") and wide_order(raw, least=2) else raw.rstrip(padding)


def _without_half(text: bytes) -> bytes:
    """Leaves out a single zero behind the units of UTF-16."""
    return text[:-1] if len(text) % 2 and not text[-1] else text


def unterminated(raw: bytes) -> bytes:
    """Leaves out the zeros at the end of a text in UTF-16; the high byte of the last letter is none of them."""
    length = len(raw.rstrip(b"\0"))
    return raw[: length + length % 2]


def split(raw: bytes, declared: str, limit: int) -> list[Value]:
    """Splits a field into its values; empty ones are left out.

    Returns:
        The values without terminators. A value of a big-endian field that has no byte order mark of
        its own is declared ``utf-16-be``, so that each can be read alone.
    """
    return [value for value in split_all(raw, declared, limit) if value.raw]


def split_all(raw: bytes, declared: str, limit: int) -> list[Value]:
    """Splits a field into its values as `split` does, with the empty ones between others."""
    inherited = UTF16BE if raw.startswith(codecs.BOM_UTF16_BE) else declared
    wide = width(declared) == 1 and b"\0" in raw and wide_order(raw)
    values: list[Value] = []
    rest: bytes | None = raw
    while rest and len(values) < limit:
        value, rest = cut(rest, UTF16 if wide else declared)
        value = _without_half(value) if wide else value
        marked = value.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        values.append(Value(value, declared if marked or declared != UTF16 else inherited))
    return values
