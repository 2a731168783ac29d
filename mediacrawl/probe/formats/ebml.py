"""Elements of EBML (RFC 8794), the notation of Matroska and WebM: headers only, never the bodies."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, ParseContext, exact

HEADER_BYTES = 12
"""Bytes of the longest header: 4 of the name, 8 of the size."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element: its name, and the offsets of its header, its body, and what follows it.

    Attributes:
        name: the element ID, with its length marker, as specifications write it.
        start: offset of the header.
        body: offset of the content.
        stop: offset behind it, at most that of what it is in.
        unending: whether its size is unknown, as in a stream that was written while it was sent (6.2).
    """

    name: int
    start: int
    body: int
    stop: int
    unending: bool = False

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return self.stop - self.body


def walk(context: ParseContext, start: int, stop: int) -> Iterator[Element]:
    """Yields the elements between two offsets, in order.

    An element that is longer than its parent ends with it, and is noted: the file was cut off.
    """
    while start < stop:
        element = read_element(context, start, stop)
        yield element
        start = element.stop


def children(context: ParseContext, parent: Element) -> Iterator[Element]:
    """Yields the elements inside an element."""
    return walk(context, parent.body, parent.stop)


def read_element(context: ParseContext, at: int, stop: int) -> Element:
    """Reads the header of the element at an offset."""
    context.count()
    head = context.file.get(at, min(at + HEADER_BYTES, stop))
    length = _width(head, 0, 4)
    wide = _width(head, length, 8)
    body = at + length + wide
    size = int.from_bytes(head[length : length + wide], "big") & ((1 << 7 * wide) - 1)
    name = int.from_bytes(head[:length], "big")
    if size == (1 << 7 * wide) - 1:
        return Element(name, at, body, stop, unending=True)
    if body + size > stop:
        context.note("matroska:truncated")
    return Element(name, at, body, min(body + size, stop))


def number(data: bytes, at: int = 0) -> tuple[int, int]:
    """Reads a variable-size integer (4).

    Returns:
        The number, and where in `data` it ends.
    """
    wide = _width(data, at, 8)
    return int.from_bytes(data[at : at + wide], "big") & ((1 << 7 * wide) - 1), at + wide


def _width(data: bytes, at: int, most: int) -> int:
    """Counts the bytes of a variable-size integer: the zero bits before its first one, and one."""
    wide = 9 - data[at].bit_length() if at < len(data) else 9
    if wide > most or at + wide > len(data):
        raise BrokenError("no element where one must be")
    return wide


def unsigned(context: ParseContext, element: Element) -> int:
    """Reads an unsigned integer (7.2); an empty one is 0."""
    return int.from_bytes(_short(context, element), "big")


def real(context: ParseContext, element: Element) -> float:
    """Reads a float (7.3); an empty one, and one that is not finite, is 0."""
    data = _short(context, element)
    layout = {0: "", 4: ">f", 8: ">d"}.get(len(data))
    if layout is None:
        raise BrokenError("a float of another length than a float")
    value: float = struct.unpack(layout, data)[0] if layout else 0.0
    return value if math.isfinite(value) else 0.0


def text(context: ParseContext, element: Element) -> bytes:
    """Reads the bytes of a string (7.4, 7.5); zeros at its end are padding. One that is too long is left out."""
    return context.text(element.body, element.stop).rstrip(b"\0")


def _short(context: ParseContext, element: Element) -> bytes:
    if element.size > 8:
        raise BrokenError("a number of more than 8 bytes")
    return exact(context.file, element.body, element.stop)
