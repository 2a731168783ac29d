"""Limits the memory of feeds, sitemaps and playlists that are being downloaded or parsed."""

from __future__ import annotations

_SOONEST = 1.0
"""Seconds before a list that has to wait is tried again."""
_APART = 0.02
"""Seconds between two such tries: thousands may wait, and each try costs a lease."""

OPEN_BYTES = 30_000_000
"""Bytes of the lists that are being downloaded or read at a time, unpacked: ten of the longest, or 500 feeds of usual
length. What is made of them takes some four times as much. Without a limit 128 sites with a list of 3 MB took half a
gigabyte."""
_USUAL = 100_000.0
"""Expected bytes of the first list; most feeds have fewer."""
_LATELY = 8
"""Number of recent lists whose average length is expected."""


class OpenLists:
    """Counts the bytes of open lists. A list above the limit has to wait; a single list is always admitted.

    A new list counts with the average length of recent lists, so that hundreds of ordinary feeds are fetched at once,
    and few long lists in vain.

    Attributes:
        sizes: the bytes of each open list, by the number of its lease.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._usual = _USUAL
        self.sizes: dict[int, float] = {}
        self._total = 0.0
        self._turn = 0.0

    def begin(self, lease: int) -> bool:
        """Admits a list before its download; False above the limit. An open list stays as it is.

        Args:
            lease: number of the lease of its request.
        """
        return lease in self.sizes or self._set(lease, self._usual)

    def grow(self, lease: int, size: int) -> bool:
        """Sets the bytes of a list so far; False above the limit, which closes the list."""
        if size <= self.sizes.get(lease, 0) or self._set(lease, size):
            return True
        self.close(lease)
        self._learn(size)
        return False

    def _set(self, lease: int, size: float) -> bool:
        others = self._total - self.sizes.get(lease, 0)
        if others and others + size > self._most:
            return False
        self._total = others + size
        self.sizes[lease] = size
        return True

    def _learn(self, size: int) -> None:
        self._usual += (size - self._usual) / _LATELY

    def unpack(self, lease: int, size: int) -> bool:
        """Sets the bytes of a list after decompression; False if the lease has no open list. It is always admitted."""
        if lease not in self.sizes:
            return False
        self._learn(size)
        self._total += size - self.sizes[lease]
        self.sizes[lease] = size
        return True

    def wait(self, now: float) -> float:
        """Seconds until a list that was not admitted is tried again, in order of arrival."""
        self._turn = max(self._turn + _APART, now + _SOONEST)
        return self._turn - now

    def close(self, lease: int) -> None:
        """Closes a list that was parsed, or did not arrive."""
        self._total -= self.sizes.pop(lease, 0)
        if not self.sizes:
            self._total = 0.0
