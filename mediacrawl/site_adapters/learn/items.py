"""Tells the items of lists apart, so that a path with a number means the same thing on each page."""

from __future__ import annotations

from mediacrawl.site_adapters.learn.trees import Path, Tree

UNLIKELY = 0.01
"""Chance by which what is looked for would stand in the same place of a list on all pages if its place were any. Above
that another page may have another order."""
_KINDS = ("type", "kind", "__typename", "component", "module", "role", "rel")
"""Fields that say what an item is."""


class Items:
    """The items of the lists in an answer."""

    def __init__(self, tree: Tree, pages: int) -> None:
        self._tree = tree
        # On the first page it stands anywhere; on each other one by chance in the same place.
        self._least = next(size for size in range(2, 1_000) if size ** -(pages - 1) <= UNLIKELY) if pages > 1 else 0
        self._labels: dict[Path, str | None] = {}

    def label(self, path: Path) -> str | None:
        """What the items are through which a path goes; None if their numbers may differ from page to page.

        In a list of one there is nothing to tell apart, and the same number in long lists is no chance.
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
            self._labels[item] = None if 1 < size < self._least else self._kind(item) if size > 1 else ""
        return self._labels[item]

    def _kind(self, item: Path) -> str:
        for name in _KINDS:
            own = self._tree.leaves.get((*item, name)) or self._tree.leaves.get((*item, f"@{name}"))
            if own:
                return f"{name}={own}"
        return ""
