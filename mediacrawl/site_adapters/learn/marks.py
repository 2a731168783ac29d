"""What names the medium of a page: ids in the page's URL and in its data requests, and the page's title."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from mediacrawl.site_adapters.learn.trees import Path
from mediacrawl.site_adapters.learn.visits import Visit
from mediacrawl.site_adapters.learn.words import WORDS

_SHORTEST_ID = 3
_SHORTEST_UNNAMED = 5
_SHORTEST_TITLE = 5
"""Characters of a title that is found within the page's."""
_parts = re.compile(r"[A-Za-z0-9]+").findall
_words = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall


class Marks:
    """The names of one page's medium."""

    def __init__(self, visit: Visit, more: Iterable[str] = ()) -> None:
        pieces = [each.value for each in (*visit.url.segments, *visit.url.parameters)] if visit.url is not None else []
        whole = [*pieces, *more]
        parts = [part for piece in whole for part in _parts(piece)]
        self._ids = {text for text in (*whole, *parts) if len(text) >= _SHORTEST_ID}
        self._titles = frozenset(_folded(text) for text in _titles(visit))
        self._title = " \n ".join(self._titles)

    def name_id(self, path: Path, text: str) -> bool:
        """Whether a value is an id of the page's medium."""
        return _last_word(path) in WORDS["ids"] and text in self._ids

    def name_title(self, path: Path, text: str) -> bool:
        """Whether a value is the title of the page's medium."""
        if _last_word(path) not in WORDS["titles"]:
            return self.is_title(text)
        folded = _folded(text)
        return len(folded) >= _SHORTEST_TITLE and folded in self._title

    def is_title(self, text: str) -> bool:
        """Whether a text is a title of the page, as a whole."""
        folded = _folded(text)
        return len(folded) >= _SHORTEST_TITLE and folded in self._titles

    def is_id(self, text: str) -> bool:
        """Whether a text is an id in the page's URL or in its data requests, whatever it is called."""
        return len(text) >= _SHORTEST_UNNAMED and text in self._ids

    def name(self, path: Path, text: str) -> bool:
        """Whether a value names the page's medium."""
        return self.name_id(path, text) or self.name_title(path, text)


def _last_word(path: Path) -> str:
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    words = _words(name)
    return words[-1].lower() if words else ""


def _folded(text: str) -> str:
    return " ".join(text[:500].split()).casefold()


def _titles(visit: Visit) -> list[str]:
    found = [visit.page.title]
    root: Any = visit.node.element if visit.node is not None else None
    if root is not None:
        found += ["".join(each.itertext()) for name in ("title", "h1") for each in list(root.iter(name))[:3]]
        found += [each.get("content") or "" for each in root.iter("meta") if each.get("property") == "og:title"]
    return found
