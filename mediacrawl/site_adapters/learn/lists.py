"""Lists in answers: whether one holds qualities of one medium, several records, or the page's medium among others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mediacrawl.site_adapters.learn.marks import Marks
from mediacrawl.site_adapters.learn.trees import EVERY, Path, Tree, json_path

_UNLIKELY = 0.2
"""Chance by which the page's medium would be the first of a list on all pages if its place were any: above that the
list may be in another order."""
_MOST_ITEMS = 50
"""Items of a list that are compared."""
_NAMES = frozenset(
    {"id", "key", "guid", "uuid", "slug", "title", "name", "headline", "videoid", "mediaid", "permalink"}
)
"""Fields by which records differ."""
_QUALITIES = frozenset(
    {
        *(
            "quality",
            "label",
            "height",
            "width",
            "bitrate",
            "type",
            "mimetype",
            "mime",
            "format",
            "codec",
            "codecs",
            "res",
        ),
        *("resolution", "kind", "size", "fps", "ext", "container", "profile", "bandwidth", "rate", "kbps", "protocol"),
        *("delivery", "contenttype", "default", "definition"),
    }
)
"""Fields by which the qualities of one medium differ."""
_plain = re.compile(r"[^a-z0-9]").sub


class AmbiguousError(ValueError):
    """Nothing tells which item of a list is the page's. The message is a sentence."""


@dataclass(frozen=True)
class Placed:
    """Where media are, with the lists decided.

    Attributes:
        path: of the media, with `EVERY` for lists of which all items count.
        each: path of the records; None if the answer is about one.
    """

    path: Path
    each: Path | None = None


def place(shape: Path, paths: Sequence[Sequence[Path]], trees: Sequence[Tree], marks: Sequence[Marks]) -> Placed:
    """Decide about the lists on the way to the media.

    Args:
        shape: the path of the media with `EVERY` for each number.
        paths: the paths of the media on each page that count: those that were played, if any were.
        trees: the answers.
        marks: what names the medium of each page.

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
        rest = shape[number + 1 :]
        chosen = _choose(known, rest, [_below(own, known) for own in paths], trees, marks, is_inner=each is not None)
        if chosen is None:
            each, chosen = (*known, EVERY), EVERY
        decided.append(chosen)
    return Placed(tuple(decided), each)


def _below(paths: Iterable[Path], known: Path) -> list[Path]:
    """The paths that go through a place that was decided."""
    return [path for path in paths if _fits(path, known)]


def _fits(path: Path, known: Path) -> bool:
    return len(path) > len(known) and all(two in (one, EVERY) for one, two in zip(path, known, strict=False))


def _choose(
    known: Path,
    rest: Path,
    paths: Sequence[Sequence[Path]],
    trees: Sequence[Tree],
    marks: Sequence[Marks],
    *,
    is_inner: bool,
) -> int | None:
    """The item of a list: a number, `EVERY` for the qualities of one medium, None for records."""
    sizes = [_sizes(tree, known) for tree in trees]
    numbers = [{path[len(known)] for path in own} for own in paths]
    longest = max(max(each, default=1) for each in sizes)
    items = [_items(tree, known) for tree in trees]
    if not is_inner and EVERY not in known and _are_records(items):
        return _record(items, marks, known, longest)
    if longest == 1:
        return EVERY if EVERY not in rest and _are_qualities(items) else 0
    if all(_all_have(tree, known, rest, size) for tree, size in zip(trees, sizes, strict=True)):
        return EVERY
    first = set.union(*({int(each) for each in own} for own in numbers))
    if len(first) == 1 and _same_kind(items, next(iter(first))):
        return next(iter(first))
    raise AmbiguousError(
        f"The list at {json_path(known)} holds media and other things, and the media are not in the same place of it on"
        " all pages."
    )


def _record(
    items: Sequence[Sequence[dict[Path, str]]],
    marks: Sequence[Marks],
    known: Path,
    longest: int,
) -> int | None:
    """Which record is the page's, if one is."""
    own = [[n for n, item in enumerate(page) if _is_named(item, mark)] for page, mark in zip(items, marks, strict=True)]
    if not all(own):
        return 0 if longest == 1 else None
    chance = 1.0
    for page in items:
        chance /= max(len(page), 1)
    if all(page == [0] for page in own) and (longest == 1 or chance <= _UNLIKELY):
        return 0
    raise AmbiguousError(
        f"The list at {json_path(known)} holds the page's medium among others, and a path can only name it by its"
        " number, which may differ from page to page."
    )


def _is_named(item: dict[Path, str], marks: Marks) -> bool:
    return any(marks.name(path, text) for path, text in item.items() if 0 < len(path) <= 3)


def _sizes(tree: Tree, known: Path) -> list[int]:
    if EVERY not in known:
        return [tree.lists.get(known, 0)]
    return [size for path, size in tree.lists.items() if len(path) == len(known) and _fits((*path, 0), known)]


def _items(tree: Tree, known: Path) -> list[dict[Path, str]]:
    """The values of each item of a list."""
    found: dict[tuple[str | int, ...], dict[Path, str]] = {}
    length = len(known)
    for path, text in tree.leaves.items():
        if len(path) > length and _fits(path, known) and isinstance(path[length], int):
            found.setdefault(path[: length + 1], {})[path[length + 1 :]] = text
            if len(found) > _MOST_ITEMS:
                break
    return list(found.values())


def _are_records(items: Sequence[Sequence[dict[Path, str]]]) -> bool:
    """Whether items have names of their own, which differ within a list and from page to page."""
    names = [
        {_plain("", str(path[-1]).lower()) for item in page for path in item if 0 < len(path) <= 2} for page in items
    ]
    for name in set.intersection(*names) & _NAMES if names else ():
        values = [[_named(item, name) for item in page] for page in items]
        if all(len(set(page)) == len(page) for page in values) and not set(values[0]) & set(values[-1]):
            return True
    return False


def _named(item: dict[Path, str], name: str) -> str:
    found = (text for path, text in item.items() if 0 < len(path) <= 2 and _plain("", str(path[-1]).lower()) == name)
    return next(found, "")


def _are_qualities(items: Sequence[Sequence[dict[Path, str]]]) -> bool:
    """Whether items are described by what qualities differ in."""
    fields = {_plain("", str(path[-1]).lower()) for page in items for item in page for path in item if path}
    return bool(fields & _QUALITIES) or all(len(item) == 1 and () in item for page in items for item in page)


def _all_have(tree: Tree, known: Path, rest: Path, sizes: Sequence[int]) -> bool:
    """Whether each item of a list has the medium."""
    shape, count = (*known, EVERY, *rest), 0
    seen: set[Path] = set()
    for path in tree.leaves:
        if len(path) == len(shape) and all(two in (one, EVERY) for one, two in zip(path, shape, strict=True)):
            head = path[: len(known) + 1]
            count += head not in seen
            seen.add(head)
    return count == sum(sizes)


def _same_kind(items: Sequence[Sequence[dict[Path, str]]], number: int) -> bool:
    """Whether the item of this number says on all pages that it is of the same kind, and no other item does."""
    kinds = []
    for page in items:
        if number >= len(page):
            return False
        own = {
            (path, text)
            for path, text in page[number].items()
            if path and _plain("", str(path[-1]).lower()) in _QUALITIES
        }
        kinds.append(own)
    same = set.intersection(*kinds) if kinds else set()
    return bool(same)
