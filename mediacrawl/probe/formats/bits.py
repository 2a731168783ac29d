"""Bits of a codec's header, read one field after the other, from the highest bit of each byte."""

from __future__ import annotations

from mediacrawl.probe.context import BrokenError

_LONGEST_CODE = 32
"""Leading zeros of an Exp-Golomb code: no field of a header has more bits."""


class Bits:
    """A cursor over the bits of a few hundred bytes."""

    def __init__(self, data: bytes) -> None:
        self._value = int.from_bytes(data, "big")
        self._left = len(data) * 8

    @property
    def left(self) -> int:
        """Bits that were not read yet."""
        return self._left

    def take(self, count: int) -> int:
        """Reads an unsigned number of `count` bits.

        Raises:
            BrokenError: when there are fewer.
        """
        if count > self._left:
            raise BrokenError("the data end inside a structure")
        self._left -= count
        return self._value >> self._left & ((1 << count) - 1)

    def flag(self) -> bool:
        """Reads one bit."""
        return self.take(1) == 1

    def unsigned(self) -> int:
        """Reads an Exp-Golomb code, ``ue(v)`` of ITU-T H.264, 9.1.

        Raises:
            BrokenError: when it is too long, or the bits end.
        """
        zeros = 0
        while not self.flag():
            zeros += 1
            if zeros > _LONGEST_CODE:
                raise BrokenError("a code of too many bits")
        return (1 << zeros) - 1 + self.take(zeros)

    def signed(self) -> int:
        """Reads a signed Exp-Golomb code, ``se(v)`` of ITU-T H.264, 9.1.1."""
        code = self.unsigned()
        return (code + 1) // 2 if code % 2 else -(code // 2)
