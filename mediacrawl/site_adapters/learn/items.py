"""Tells the items of lists apart, so that a path with a number means the same thing on each page."""

from __future__ import annotations

from collections import Counter

from mediacrawl.site_adapters.learn.trees import Path, Tree

_KINDS = ("type", "kind", "__typename", "component", "module", "role", "rel")
"""Fields that tell the items of a list apart, whatever their order is."""
_MANY = 8
"""Items of a list of which not by chance the same one is right on two pages."""
_MOST_SIBLINGS = 50
"""Items of a list that are compared."""


class Items:
    """The items of the lists in an answer.

    Args:
        tree: the answer.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._labels: dict[Path, str | None] = {}
        self._kinds: dict[Path, dict[str, Counter[str]]] = {}

    def label(self, path: Path) -> str | None:
        """What tells the items apart through which a path goes; None if only their numbers do, which may differ.

        In a list of one there is nothing to tell apart, and the same number in two long lists is no chance.

        Args:
            path: of a value.
        """
        labels = []
        for place, step in enumerate(path):
            if isinstance(step, int):
                label = self._of_item(path[: place + 1])
                if label is None:
                    return None
                labels.append(label)
        return " ".join(filter(None, labels))

    def _of_item(self, item: Path) -> str | None:
        if item not in self._labels:
            size = self._tree.lists.get(item[:-1], 1)
            label = self._kind(item, size) if size > 1 else ""
            self._labels[item] = None if not label and 1 < size < _MANY else label
        return self._labels[item]

    def _kind(self, item: Path, size: int) -> str:
        """The kind of an item, if no other one of its list has it."""
        known = self._kinds.get(item[:-1])
        if known is None:
            numbers = range(min(size, _MOST_SIBLINGS))
            known = {name: Counter(self._field((*item[:-1], number), name) for number in numbers) for name in _KINDS}
            self._kinds[item[:-1]] = known
        for name in _KINDS:
            own = self._field(item, name)
            if own and known[name][own] == 1:
                return f"{name}={own}"
        return ""

    def _field(self, item: Path, name: str) -> str:
        return self._tree.leaves.get((*item, name), "") or self._tree.leaves.get((*item, f"@{name}"), "")
