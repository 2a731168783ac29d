"""Which classes are pruned first, noted for a while: to find them costs a walk over all sites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import nsmallest

NOTED = 20_000
"""Classes that are noted at a time."""
NOTED_FOR = 60.0
"""Seconds for which they are: then others may be worse."""


class Worst:
    """The classes that promise least, those of retired sites first. In memory only."""

    def __init__(self) -> None:
        self._noted: list[tuple[str, int]] = []
        self._until = 0.0

    def classes(
        self, promises: Callable[[], Iterable[tuple[bool, float, str, int, int]]], now: float
    ) -> Iterator[tuple[str, int]]:
        """Sites and numbers of classes, the worst first, until nothing is left.

        Args:
            promises: tells every class, see `sites.State.promises`.
            now: seconds since the epoch.
        """
        if now > self._until:
            self._noted = []
        while self._noted or self._note(promises, now):
            yield self._noted[-1]
            self._noted.pop()

    def _note(self, promises: Callable[[], Iterable[tuple[bool, float, str, int, int]]], now: float) -> bool:
        found = nsmallest(NOTED, promises())
        self._noted = [(site, number) for _, _, site, number, _ in found][::-1]
        self._until = now + NOTED_FOR
        return bool(found)
