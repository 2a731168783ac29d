"""What was used last, bounded by number and by weight."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

Value = TypeVar("Value")


class LastUsed(Generic[Value]):
    """Values by name; those not used for longest are forgotten when there are too many, or they weigh too much.

    The one used last is always there, however much it weighs.

    Args:
        most: how many at most.
        heaviest: what they may weigh together, in the unit of `put`.
    """

    def __init__(self, most: int, heaviest: int) -> None:
        self._most = most
        self._heaviest = heaviest
        self._values: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._weight = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, name: str) -> Value | None:
        """The value of this name, which is used by that; None if there is none."""
        found = self._values.get(name)
        if found is None:
            return None
        self._values.move_to_end(name)
        return found[0]

    def put(self, name: str, value: Value, weight: int) -> None:
        """Keep a value under this name, in the place of the one before."""
        self._weight += weight - self._values.pop(name, (None, 0))[1]
        self._values[name] = (value, weight)
        while len(self._values) > self._most or (self._weight > self._heaviest and len(self._values) > 1):
            self._weight -= self._values.popitem(last=False)[1][1]

    def drop(self, name: str) -> None:
        """Forget the value of this name, if there is one."""
        self._weight -= self._values.pop(name, (None, 0))[1]
