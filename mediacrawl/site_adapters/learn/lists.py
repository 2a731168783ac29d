"""Lists in answers: whether one holds qualities of one medium, several records, or the page's medium among others.

A path can say "all items" or "the item of this number", and nothing else. So a list is only followed if one of the two
is right on all pages for a reason: the items are qualities of one medium, or records of a list that the page shows, or
the page's own item is always the first, or an item says of which kind it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mediacrawl.site_adapters.learn.sources import UNLIKELY
from mediacrawl.site_adapters.learn.trees import EVERY, Path, Tree, holder, is_at, json_path
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
    return " ".join(html.unescape(text[:500]).split()).casefold()


def _titles(visit: Visit) -> list[str]:
    found = [visit.page.title]
    root: Any = visit.node.element if visit.node is not None else None
    if root is not None:
        found += ["".join(each.itertext()) for name in ("title", "h1") for each in list(root.iter(name))[:3]]
        found += [each.get("content") or "" for each in root.iter("meta") if each.get("property") == "og:title"]
    return found


_LIKELY_FIRST = 0.2
"""Chance by which the page's medium would be the first of a queue on all pages if its place were any. What is called a
queue begins with what plays; of other lists nothing is known, see `items.UNLIKELY`."""
_MOST_ITEMS = 50
"""Items of a list that are compared."""
_TITLES = frozenset({"title", "name", "headline"})
_MEASURES = frozenset(WORDS["measures"])
"""Fields by which the qualities of one medium differ, and other media seldom."""
_is_queue = re.compile(r"queue|playlist|upnext|up-next|autoplay|nowplaying|now-playing", re.IGNORECASE).search
_plain = re.compile(r"[^a-z0-9]").sub
_tokens = re.compile(r"[A-Za-z0-9]{4,}").findall

Item = Mapping[Path, str]
"""The values of an item, by the rest of their paths."""


class AmbiguousError(ValueError):
    """Nothing tells which item of a list is the page's. The message is a sentence."""


@dataclass(frozen=True)
class Placed:
    """Where media are, with the lists decided.

    Attributes:
        path: of the media, with `EVERY` for lists of which all items count.
        each: path of the records; None if the answer is about one.
        is_mixed: whether other files stand in the list, too, which their suffixes tell apart.
    """

    path: Path
    each: Path | None = None
    is_mixed: bool = False


@dataclass(frozen=True)
class OnPage:
    """The media of one shape in the answer of one page.

    Attributes:
        tree: the answer.
        address: URL of the answer.
        urls: by their paths.
        played: paths of those that were played.
        marks: what names the page's medium.
    """

    tree: Tree
    address: str
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
    is_mixed = False
    for number, step in enumerate(shape):
        if step != EVERY:
            decided.append(step)
            continue
        known = tuple(decided)
        lists = [_List(page, known, shape[number + 1 :]) for page in pages]
        if each is None and EVERY not in known and _are_records(lists):
            chosen = _record(lists, known)
            each = (*known, EVERY) if chosen == EVERY else None
        else:
            chosen = _quality(lists, known)
            is_mixed = is_mixed or (chosen == EVERY and not all(one.is_full for one in lists))
        decided.append(chosen)
    return Placed(tuple(decided), each, is_mixed)


class _List:
    """A list of one page, or the lists of one place in several objects.

    Attributes:
        items: their values.
        urls: the media of each item that has one, by its number.
        played: numbers of the items whose media were played.
        size: number of all items.
        is_full: whether each item has a medium.
        is_queue: whether the list, or its URL, is called a queue.
        marks: what names the page's medium.
        is_of_page: whether an object around the list names the page, or several of its media were played.
    """

    def __init__(self, page: OnPage, known: Path, rest: Path) -> None:
        self.marks = page.marks
        self.is_queue = any(_is_queue(str(name)) for name in (*known, page.address))
        self.rest = rest
        self.items = _items(page.tree, known)
        length = len(known)
        own = {path: url for path, url in page.urls.items() if _fits(path, known)}
        self.urls: dict[int, set[str]] = {}
        for path, url in own.items():
            self.urls.setdefault(int(path[length]), set()).add(url)
        self.played = {int(path[length]) for path in page.played if path in own}
        sizes = [size for path, size in page.tree.lists.items() if is_at(path, known)]
        self.size = max(sizes, default=0)
        self.is_full = len({path[: length + 1] for path in own}) == sum(sizes)
        named = any(
            _is_around(holder(path), known) and (self.marks.name(path, text) or self.marks.is_id(text))
            for path, text in page.tree.leaves.items()
        )
        self.is_of_page = named or len(self.played) > 1

    def own(self) -> list[int]:
        """Numbers of the items that name the page's medium."""
        return [number for number, item in enumerate(self.items) if _is_named(item, self.marks)]


def _is_around(path: Path, known: Path) -> bool:
    """Whether an object is one around a list."""
    return is_at(path, known[: len(path)])


def _fits(path: Path, known: Path) -> bool:
    return len(path) > len(known) and is_at(path[: len(known)], known)


def _items(tree: Tree, known: Path) -> list[Item]:
    """The values of each item of a list."""
    found: dict[Path, dict[Path, str]] = {}
    length = len(known)
    for path, text in tree.leaves.items():
        if _fits(path, known) and isinstance(path[length], int):
            found.setdefault(path[: length + 1], {})[path[length + 1 :]] = text
            if len(found) > _MOST_ITEMS:
                break
    return list(found.values())


def _field(path: Path) -> str:
    """The name of a value in lower case without signs; in XML the number of an element is no name."""
    name = next((step for step in reversed(path) if isinstance(step, str)), "")
    return _plain("", name.lower())


def _is_named(item: Item, marks: Marks) -> bool:
    return any(marks.name(path, text) for path, text in item.items() if 0 < len(path) <= 3)


# Records


def _are_records(lists: Sequence[_List]) -> bool:
    """Whether items have names of their own, which differ within a list and from page to page."""
    names = [{_field(path) for item in each.items for path in item if 0 < len(path) <= 2} for each in lists]
    shared = set.intersection(*names) if names else set()
    for name in shared & _TITLES.union(WORDS["item_ids"]):
        values = [[_named(item, name) for item in each.items] for each in lists]
        is_own = all(len(set(page)) == len(page) for page in values) and not set(values[0]) & set(values[-1])
        if is_own and (name in _TITLES or not shared & _MEASURES):
            return True
    return False


def _named(item: Item, name: str) -> str:
    return next((text for path, text in item.items() if 0 < len(path) <= 2 and _field(path) == name), "")


def _record(lists: Sequence[_List], known: Path) -> int:
    """Which record is the page's, or `EVERY` if the page shows them all."""
    own = [each.own() for each in lists]
    is_single = all(each.size == 1 for each in lists)
    if is_single:
        return 0
    if all(own):
        chance = 1.0
        for each in lists:
            chance /= max(each.size, 1)
        least = _LIKELY_FIRST if all(each.is_queue for each in lists) else UNLIKELY
        if all(numbers == [0] for numbers in own) and chance <= least and all(each.played <= {0} for each in lists):
            return 0
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


# Qualities


def _quality(lists: Sequence[_List], known: Path) -> int:
    """`EVERY` if the items are qualities of one medium, or the number of the item that is meant."""
    if all(each.size == 1 for each in lists):
        is_plain = all(len(item) == 1 and () in item for each in lists for item in each.items)
        has_fields = any(
            _field(path) in (*_MEASURES, *WORDS["qualities"]) for each in lists for item in each.items for path in item
        )
        return EVERY if EVERY not in lists[0].rest and (is_plain or has_fields) else 0
    is_single = all(len(each.urls) == 1 for each in lists)
    if is_single or _are_qualities(lists):
        return EVERY
    numbers = set[int]().union(*(each.played or set(each.urls) for each in lists))
    chance = 1.0
    for each in lists[1:]:
        chance /= max(each.size, 1)
    if len(numbers) == 1 and chance <= UNLIKELY:
        return numbers.pop()
    raise AmbiguousError(
        f"The list at {json_path(known)} holds media and other things, or several media, and nothing but a number tells"
        " which is the page's."
    )


def _are_qualities(lists: Sequence[_List]) -> bool:
    """Whether the items of each list are one medium: by their names, or by what they say of themselves."""
    if share_names([list(each.urls.values()) for each in lists]):
        return True
    fields = [{_field(path) for path in item} for each in lists for item in each.items]
    return all(own & _MEASURES for own in fields)


def share_names(pages: Sequence[Sequence[set[str]]]) -> bool:
    """Whether the media of each page have a part of their names in common that those of other pages do not have."""
    for page in pages:
        shared = set.intersection(*({token for url in urls for token in _tokens(url)} for urls in page))
        others = (url for other in pages if other is not page for urls in other for url in urls)
        if not shared - {token for url in others for token in _tokens(url)}:
            return False
    return True
