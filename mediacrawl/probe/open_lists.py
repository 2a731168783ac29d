"""How many bytes of lists a crawl holds at a time: of those on their way, and of those that are being read."""

from __future__ import annotations

_SOONEST = 1.0
"""Seconds before a list that has to wait is looked at again."""
_APART = 0.02
"""Seconds between two such looks: thousands may wait, and each look costs a lease."""

OPEN_BYTES = 30_000_000
"""Bytes of the lists that are being downloaded or read at a time, unpacked: ten of the longest, or 500 feeds of usual
length. What is made of them takes some four times as much. Without a limit 128 sites with a list of 3 MB took half a
gigabyte."""
_USUAL = 100_000.0
"""Bytes of a list, as long as nothing is known: most feeds have fewer."""
_LATELY = 8
"""Lists that the usual length is taken of."""


class OpenLists:
    """The lists that are open, and their bytes so far. One that does not fit has to wait; one alone always fits.

    Each that begins is counted with the length that lists had lately, so that ordinary feeds are asked for by the
    hundred, and where lists are long few are asked for in vain.

    Args:
        most: bytes of all of them.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._usual = _USUAL
        self._sizes: dict[int, float] = {}
        self._total = 0.0
        self._turn = 0.0

    def begin(self, lease: int) -> bool:
        """Open a list of which nothing has come; False if there is no place. One that is open stays as it is.

        Args:
            lease: number of the lease that it is asked for by.
        """
        return lease in self._sizes or self._set(lease, self._usual)

    def grow(self, lease: int, size: int) -> bool:
        """Note how long a list is by now; False if it does not fit, and then it counts no more.

        Args:
            lease: as in `begin`.
            size: its bytes so far.
        """
        if size <= self._sizes.get(lease, 0) or self._set(lease, size):
            return True
        self.close(lease)
        self._learn(size)
        return False

    def _set(self, lease: int, size: float) -> bool:
        others = self._total - self._sizes.get(lease, 0)
        if others and others + size > self._most:
            return False
        self._total = others + size
        self._sizes[lease] = size
        return True

    def _learn(self, size: int) -> None:
        self._usual += (size - self._usual) / _LATELY

    def unpack(self, lease: int, size: int) -> bool:
        """Note how long a list is that has come; answers whether it is one. It is held already, so it always fits.

        Args:
            lease: as in `begin`; of any answer.
            size: its bytes, unpacked.
        """
        if lease not in self._sizes:
            return False
        self._learn(size)
        self._total += size - self._sizes[lease]
        self._sizes[lease] = size
        return True

    def wait(self, now: float) -> float:
        """How many seconds a list has to wait that found no place. Those that came first are looked at first.

        Args:
            now: in seconds, of any clock.
        """
        self._turn = max(self._turn + _APART, now + _SOONEST)
        return self._turn - now

    def close(self, lease: int) -> None:
        """The list was read, or did not come.

        Args:
            lease: as in `begin`; of any answer.
        """
        self._total -= self._sizes.pop(lease, 0)
        if not self._sizes:
            self._total = 0.0
