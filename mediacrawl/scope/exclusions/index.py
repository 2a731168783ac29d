"""Where the keys of a list stand in its text: 8 bytes a key, for a million of them too."""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterator, Sequence

_SHELVES = 1024
"""Sorted arrays that the keys are spread over. One of a million keys has a thousand, and is sorted within 0.2 ms."""
_SHELF_BITS = _SHELVES.bit_length() - 1
_HALF = (1 << 32) - 1
LARGEST = _HALF
"""The last place that fits."""


def _shelf() -> array[int]:
    return array("Q")


class Index:
    """Keys by their hash, each with the place where it stands.

    Of the hash 42 bits are kept, 10 of them as the number of the shelf: about one question in four million, put to a
    million keys, is answered with a place where another key stands, so whoever asks looks there. Python's hash has a
    secret of its own in each process; nobody can choose keys that meet.

    Attributes:
        shelves: number of the shelf -> the keys there: 32 bits of the hash, and 32 of the place.
    """

    __slots__ = ("shelves",)

    def __init__(self) -> None:
        self.shelves: defaultdict[int, array[int]] = defaultdict(_shelf)

    def __len__(self) -> int:
        return sum(map(len, self.shelves.values()))

    def add(self, key: bytes, place: int) -> None:
        """Add a key; before the next question the index must be sorted.

        Args:
            key: any octets.
            place: 0 to `LARGEST`.
        """
        code = hash(key)
        self.shelves[code % _SHELVES].append((code >> _SHELF_BITS & _HALF) << 32 | place)

    def insert(self, key: bytes, place: int) -> None:
        """Add a key to a sorted index.

        Args:
            key: any octets.
            place: 0 to `LARGEST`.
        """
        code = hash(key)
        insort(self.shelves[code % _SHELVES], (code >> _SHELF_BITS & _HALF) << 32 | place)

    def sort(self) -> Iterator[None]:
        """Make the index ready for questions, in slices of less than a millisecond."""
        for number, shelf in self.shelves.items():
            self.shelves[number] = array("Q", sorted(shelf))
            yield

    def places(self, key: bytes) -> list[int]:
        """The places where a key may stand, the first in the text first. Elsewhere it does not.

        Args:
            key: any octets.
        """
        code = hash(key)
        shelf = self.shelves.get(code % _SHELVES)
        if shelf is None:
            return []
        short = code >> _SHELF_BITS & _HALF
        at = bisect_left(shelf, short << 32)
        found = []
        while at < len(shelf) and shelf[at] >> 32 == short:
            found.append(shelf[at] & _HALF)
            at += 1
        return found

    def missing_in(self, others: Sequence[Index]) -> Iterator[list[int]]:
        """The places of keys that none of the others has, a slice at a time; in no order.

        Args:
            others: what to compare with.
        """
        for number, shelf in self.shelves.items():
            known = {code >> 32 for other in others for code in other.shelves.get(number, ())}
            yield [code & _HALF for code in shelf if code >> 32 not in known]
