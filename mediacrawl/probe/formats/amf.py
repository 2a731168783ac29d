"""AMF0, the notation of Flash: named values, walked without making objects of them.

Source: "Action Message Format -- AMF 0" (Adobe, 2007); numbers of sections are its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, LimitError, Reading, exact

NUMBER, BOOLEAN, STRING, LONG_STRING, DATE = 0, 1, 2, 12, 11
_OBJECT, _ECMA_ARRAY, _END, _STRICT_ARRAY, _TYPED_OBJECT = 3, 8, 9, 10, 16
_XML = 15
_SIZES = {NUMBER: 8, BOOLEAN: 1, 5: 0, 6: 0, 7: 2, DATE: 10, 13: 0}
"""Bytes of null, undefined, a reference and an unsupported value besides."""
_MAX_DEPTH = 8
_ELEMENT = 9
"""Bytes of a number in an array, with its type."""
_LOOKED_AT = 64


@dataclass(frozen=True, slots=True)
class Property:
    """One named value: the type of the value, and where its bytes stand; of a string those of its text."""

    name: str
    kind: int
    start: int
    stop: int


class Walk:
    """Reads values one behind the other; `at` is the offset of the next one.

    Attributes:
        at: offset in the file.
        stop: offset behind the last value.
    """

    def __init__(self, reading: Reading, start: int, stop: int) -> None:
        self.at = start
        self.stop = stop
        self._reading = reading

    def string(self) -> str:
        """Reads a string value, the name of a message for instance.

        Raises:
            BrokenError: if another value stands here.
            NeedBytes: if its bytes are not at hand.
        """
        if self._number(1) != STRING:
            raise BrokenError("not a string")
        return self._name()

    def properties(self) -> Iterator[Property]:
        """Yields the properties of an object or an array of named values (2.5, 2.10); other values have none.

        Values inside a value are stepped over.

        Raises:
            BrokenError: when a value does not fit into the data, or has no known type.
            LimitError: when there are too many values, or they are nested too deep.
            NeedBytes: when bytes are not at hand.
        """
        kind = self._number(1)
        if kind == _ECMA_ARRAY:
            self._number(4)  # how many there are; many writers put down 0
        if kind in {_OBJECT, _ECMA_ARRAY}:
            yield from self._properties(0)

    def _properties(self, depth: int) -> Iterator[Property]:
        # Some writers leave the end mark out, and the data end.
        while self.at < self.stop:
            self._reading.count()
            name, kind = self._name(), self._number(1)
            if kind == _END and not name:
                return
            start = self._skip(kind, depth)
            yield Property(name, kind, start, self.at)

    def _skip(self, kind: int, depth: int) -> int:
        """Steps over a value whose type was read; returns the offset of its bytes."""
        if depth > _MAX_DEPTH:
            raise LimitError("depth")
        start = self.at
        if kind in _SIZES:
            self._step(_SIZES[kind])
        elif kind in {STRING, LONG_STRING, _XML}:
            length = self._number(2 if kind == STRING else 4)
            start = self.at
            self._step(length)
        elif kind == _STRICT_ARRAY:
            self._skip_array(depth)
        elif kind in {_OBJECT, _ECMA_ARRAY, _TYPED_OBJECT}:
            self._skip_object(kind, depth)
        else:
            raise BrokenError("a type of value that is not known")
        return start

    def _skip_object(self, kind: int, depth: int) -> None:
        if kind == _ECMA_ARRAY:
            self._number(4)
        elif kind == _TYPED_OBJECT:
            self._name()
        for _ in self._properties(depth + 1):
            pass

    def _skip_array(self, depth: int) -> None:
        """Steps over an array without names (2.12). An index of key frames has thousands of numbers: one jump."""
        count = self._number(4)
        if count and self.at + _ELEMENT * count <= self.stop:
            # Where the first ones are numbers, all are; what is not at hand is not fetched to make sure.
            first = exact(self._reading.file, self.at, self.at + 1)
            more = self._reading.file.run(self.at, _ELEMENT * min(count, _LOOKED_AT))
            if not any(first + more[::_ELEMENT]):
                self.at += _ELEMENT * count
                return
        for _ in range(count):
            self._reading.count()
            self._skip(self._number(1), depth + 1)

    def _name(self) -> str:
        length = self._number(2)
        start = self.at
        self._step(length)
        return exact(self._reading.file, start, self.at).decode("utf-8", errors="replace")

    def _number(self, size: int) -> int:
        start = self.at
        self._step(size)
        return int.from_bytes(exact(self._reading.file, start, self.at), "big")

    def _step(self, size: int) -> None:
        if self.at + size > self.stop:
            raise BrokenError("a value does not fit into the data")
        self.at += size
