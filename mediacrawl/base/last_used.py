"""A cache of what was used last."""

from __future__ import annotations

from collections import OrderedDict
from math import inf
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LastUsed(Generic[Value]):
    """A least recently used cache by name, bounded by number and by weight. The last one used is always kept."""

    def __init__(self, most: int, heaviest: float = inf) -> None:
        self._most = most
        self._heaviest = heaviest
        self._values: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._weight = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, name: str) -> Value | None:
        """Return the value of a name, which becomes the last used; None if there is none."""
        found = self._values.get(name)
        if found is None:
            return None
        self._values.move_to_end(name)
        return found[0]

    def put(self, name: str, value: Value, weight: int = 1) -> None:
        """Store a value under a name; it replaces the one before."""
        self._weight += weight - self._values.pop(name, (None, 0))[1]
        self._values[name] = (value, weight)
        while len(self._values) > self._most or (self._weight > self._heaviest and len(self._values) > 1):
            self._weight -= self._values.popitem(last=False)[1][1]

    def drop(self, name: str) -> None:
        """Remove the value of a name, if there is one."""
        self._weight -= self._values.pop(name, (None, 0))[1]
