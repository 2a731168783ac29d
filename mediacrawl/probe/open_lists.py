"""How many bytes of lists a crawl holds at a time: of those on their way, and of those that are being read."""

from __future__ import annotations

_SOONEST = 1.0
"""Seconds before a list that has to wait is looked at again."""
_APART = 0.02
"""Seconds between two such looks: thousands may wait, and each look costs a lease."""


class OpenLists:
    """The lists that are open, and their bytes. A list that does not fit has to wait; one alone always fits.

    Args:
        most: bytes of all of them.
        longest: bytes of one.
    """

    def __init__(self, most: int, longest: int) -> None:
        self._most = most
        self._longest = longest
        self._sizes: dict[int, int] = {}
        self._turn = 0.0

    @property
    def is_full(self) -> bool:
        """Whether there is no place for a list of full length."""
        return bool(self._sizes) and sum(self._sizes.values()) + self._longest > self._most

    def take(self, lease: int, size: int) -> bool:
        """Open a list, if it fits.

        Args:
            lease: number of the lease that it is asked for by.
            size: bytes that it may have at most, unpacked.
        """
        if self._sizes and sum(self._sizes.values()) + size > self._most:
            return False
        self._sizes[lease] = size
        return True

    def wait(self, now: float) -> float:
        """How many seconds a list has to wait that found no place. Those that came first are looked at first.

        Args:
            now: in seconds, of any clock.
        """
        self._turn = max(self._turn + _APART, now + _SOONEST)
        return self._turn - now

    def has(self, lease: int) -> bool:
        """Whether a list is open.

        Args:
            lease: as in `take`.
        """
        return lease in self._sizes

    def close(self, lease: int) -> None:
        """The list was read, or did not come.

        Args:
            lease: as in `take`; of any answer.
        """
        self._sizes.pop(lease, None)
