"""Lists in answers: whether one holds qualities of one medium, several records, or the page's medium among others.

A path can say "all items" or "the item of this number", and nothing else. So a list is only followed if one of the two
is right on all pages for a reason: the items are qualities of one medium, or records of a list that the page shows.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from mediacrawl.site_adapters.learn.trees import EVERY, Path, Tree, holder, is_at, json_path
from mediacrawl.site_adapters.learn.visits import Visit
from mediacrawl.site_adapters.learn.words import WORDS

_SHORTEST_ID = 3
_SHORTEST_TITLE = 5
"""Characters of a title that is found within the page's."""
_MOST_TITLES = 3
_MOST_ITEMS = 50
"""Items of a list that are compared."""
_TITLES = frozenset({"title", "name", "headline"})
_MEASURES = frozenset(WORDS["measures"])
"""Fields by which the qualities of one medium differ, and other media seldom."""
_parts = re.compile(r"[A-Za-z0-9]+").findall
_words = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])").findall
_plain = re.compile(r"[^a-z0-9]").sub
_tokens = re.compile(r"[A-Za-z0-9]{4,}").findall


class Marks:
    """The names of one page's medium: the ids in the page's URL, and its title."""

    def __init__(self, visit: Visit) -> None:
        whole = [each.value for each in (*visit.url.segments, *visit.url.parameters)]
        parts = [part for piece in whole for part in _parts(piece)]
        self._ids = {text for text in (*whole, *parts) if len(text) >= _SHORTEST_ID}
        root = visit.node.element if visit.node is not None else None
        titles = () if root is None else ("".join(each.itertext()) for each in islice(root.iter("h1"), _MOST_TITLES))
        self._titles = frozenset(_folded(title) for title in (visit.page.title, *titles))

    def name(self, path: Path, text: str) -> bool:
        """Return whether a value names the page's medium."""
        return (_last_word(path) in WORDS["ids"] and text in self._ids) or self.name_title(path, text)

    def name_title(self, path: Path, text: str) -> bool:
        """Return whether a value is the title of the page's medium."""
        folded = _folded(text)
        if len(folded) < _SHORTEST_TITLE:
            return False
        is_called = _last_word(path) in WORDS["titles"]
        return folded in self._titles or (is_called and any(folded in title for title in self._titles))


def _last_word(path: Path) -> str:
    words = _words(next((step for step in reversed(path) if isinstance(step, str)), ""))
    return words[-1].lower() if words else ""


def _folded(text: str) -> str:
    return " ".join(html.unescape(text[:500]).split()).casefold()


class AmbiguousError(ValueError):
    """Nothing tells which item of a list is the page's. The message is a sentence."""


@dataclass(frozen=True)
class Placed:
    """Where media are, with the lists decided, and the path of the records; None if the answer is about one."""

    path: Path
    each: Path | None = None


@dataclass(frozen=True)
class OnPage:
    """The media of one shape in the answer of one page, by their paths, and the paths of those that were played."""

    tree: Tree
    urls: Mapping[Path, str]
    played: frozenset[Path]
    marks: Marks


def place(shape: Path, pages: Sequence[OnPage]) -> Placed:
    """Decide about the lists on the way to the media.

    Raises:
        AmbiguousError: nothing tells which item is meant.
    """
    decided: list[str | int] = []
    each: Path | None = None
    for number, step in enumerate(shape):
        if step != EVERY:
            decided.append(step)
            continue
        known = tuple(decided)
        lists = [_List(page, known) for page in pages]
        if each is None and EVERY not in known and _are_records(lists):
            decided.append(_record(lists, known))
            each = tuple(decided) if decided[-1] == EVERY else None
        else:
            decided.append(_quality(lists, known, shape[number + 1 :]))
    return Placed(tuple(decided), each)


class _List:
    """A list of one page, or the lists of one place in several objects: its items and their media.

    It is the page's if an object around it names the page, or if several of its media were played.
    """

    def __init__(self, page: OnPage, known: Path) -> None:
        length = len(known)
        self.marks = page.marks
        self.items: dict[Path, dict[Path, str]] = {}
        for path, text in page.tree.leaves.items():
            if _is_below(path, known) and len(self.items) <= _MOST_ITEMS:
                self.items.setdefault(path[: length + 1], {})[path[length + 1 :]] = text
        own = {path: url for path, url in page.urls.items() if _is_below(path, known)}
        self.urls: dict[int, set[str]] = {}
        for path, url in own.items():
            self.urls.setdefault(int(path[length]), set()).add(url)
        sizes = [size for path, size in page.tree.lists.items() if is_at(path, known)]
        self.size = max(sizes, default=0)
        self.is_full = len({path[: length + 1] for path in own}) == sum(sizes)
        around = (
            (path, text) for path, text in page.tree.leaves.items() if is_at(holder(path), known[: len(holder(path))])
        )
        is_played = len({path[length] for path in page.played if path in own}) > 1
        self.is_of_page = is_played or any(self.marks.name(path, text) for path, text in around)

    @property
    def names_page(self) -> bool:
        """Whether an item names the page's medium."""
        return any(
            self.marks.name(path, text)
            for item in self.items.values()
            for path, text in item.items()
            if 0 < len(path) <= 3
        )


def _is_below(path: Path, known: Path) -> bool:
    """Whether a value is in an item of a list."""
    length = len(known)
    return len(path) > length and isinstance(path[length], int) and is_at(path[:length], known)


def _field(path: Path) -> str:
    """The name of a value in lower case without signs; in XML the number of an element is no name."""
    return _plain("", next((step for step in reversed(path) if isinstance(step, str)), "").lower())


def _are_records(lists: Sequence[_List]) -> bool:
    """Whether items have names of their own, which differ within a list and from page to page."""
    fields = [
        [
            {_field(path): text for path, text in reversed(item.items()) if 0 < len(path) <= 2}
            for item in one.items.values()
        ]
        for one in lists
    ]
    shared = set.intersection(*({name for item in items for name in item} for items in fields))
    for name in shared & _TITLES.union(WORDS["item_ids"]):
        values = [[item.get(name, "") for item in items] for items in fields]
        is_own = all(len(set(page)) == len(page) for page in values) and not set(values[0]) & set(values[-1])
        if is_own and (name in _TITLES or not shared & _MEASURES):
            return True
    return False


def _record(lists: Sequence[_List], known: Path) -> int:
    """Which record is the page's, or `EVERY` if the page shows them all."""
    if all(each.size == 1 for each in lists):
        return 0
    if all(each.names_page for each in lists):
        raise AmbiguousError(
            f"The list at {json_path(known)} holds the page's medium among others, and a path can only name it by its"
            " number, which may differ from page to page."
        )
    if all(each.is_of_page and each.is_full for each in lists):
        return EVERY
    raise AmbiguousError(
        f"The list at {json_path(known)} holds several media with names of their own, and nothing tells whether the"
        " page shows all of them or one."
    )


def _quality(lists: Sequence[_List], known: Path, rest: Path) -> int:
    """`EVERY` if the items are qualities of one medium, or the number of the item that is meant."""
    fields = [{_field(path) for path in item} for each in lists for item in each.items.values()]
    if all(each.size == 1 for each in lists):
        return (
            EVERY
            if EVERY not in rest and all(own == {""} or own & _MEASURES.union(WORDS["qualities"]) for own in fields)
            else 0
        )
    is_single = all(len(each.urls) == 1 for each in lists)
    if is_single or all(own & _MEASURES for own in fields) or _share_names([[*each.urls.values()] for each in lists]):
        return EVERY
    raise AmbiguousError(
        f"The list at {json_path(known)} holds media and other things, or several media, and nothing but a number tells"
        " which is the page's."
    )


def _share_names(pages: Sequence[Sequence[set[str]]]) -> bool:
    """Whether the media of each page have a part of their names in common that those of other pages do not have."""
    for page in pages:
        shared = set.intersection(*({token for url in urls for token in _tokens(url)} for urls in page))
        others = (url for other in pages if other is not page for urls in other for url in urls)
        if not shared - {token for url in others for token in _tokens(url)}:
            return False
    return True
