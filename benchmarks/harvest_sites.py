"""One site of the synthetic web: its size, its habits, and the row in which all its pages have a place."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from harvest_kinds import FIB, Outline, Range, mix
from harvest_words import Words

if TYPE_CHECKING:
    from harvest_spelling import Spelling

FRONT, PLAIN, LINKS, SECTION, LIST, TAG, USER, ITEM, EXTRA, GET, FEED, MEDIA, MOVED, OTHER, NOTHING = range(15)
"""What a URL is. Those up to `GET` have places in the row of pages; `OTHER` is what a kind of sites has of its own."""
PER_PAGE = 12
"""Items of a list."""


class Section(NamedTuple):
    """A part of a site.

    Attributes:
        slots: the sixteenths of the items that are in it.
        path: of the links in its lists, elements and classes.
        name: as menus call it.
        is_rich: whether its items have media.
    """

    slots: tuple[int, ...]
    path: str
    name: str
    is_rich: bool


@dataclass(slots=True)
class Site:
    """Everything about a site.

    Attributes:
        outline: what was drawn of it before.
        base: scheme and host.
        words: its language.
        items: how many.
        files: of an item that has media.
        extras: pages beside each item.
        plains, link_pages, tags, users: how many of these pages.
        outward: least and most links to other sites on an item's page.
        mask: bit n is set if items n, n + 16 ... have media.
        stray: of 65,536 other items, how many have a file all the same.
        tunnel: plain pages on the way to what has media; 0 if the front page shows it.
        has_get: whether a page stands between an item and its files.
        is_direct: whether lists link to files.
        has_feed: whether there is a feed.
        dead, dead_files, untagged, again: of 256: pages and files that are gone; files that say nothing of themselves;
            files that others have too.
        is_soft: whether what is gone is answered by a page.
        loud: for each sixteenth of the items, how many of 256 anchors name media.
        calls: of 256 links to files, how many say so.
        player: whether files are in players, not links.
        wrap: tag paths of lists, with ``{}`` for a class.
        sections: its parts.
        shown: the sixteenths of the items that its lists, tags and front page show.
    """

    outline: Outline
    base: str
    words: Words
    items: int
    files: int
    extras: int
    plains: int
    link_pages: int
    tags: int
    users: int
    outward: Range
    mask: int
    stray: int
    tunnel: int
    has_get: bool
    is_direct: bool
    has_feed: bool
    dead: int
    dead_files: int
    untagged: int
    again: int
    is_soft: bool
    loud: list[int]
    calls: int
    player: bool
    wrap: str
    sections: list[Section]
    shown: tuple[int, ...]
    key: int = 0
    rich: tuple[int, ...] = ()
    starts: list[int] = field(default_factory=list)
    parts: list[int] = field(default_factory=list)
    pages: int = 0
    spelling: Spelling = field(init=False)

    def __post_init__(self) -> None:
        self.key = self.outline.key
        self.rich = tuple(slot for slot in range(16) if self.mask >> slot & 1)
        self.parts = [0]
        for section in self.sections:
            self.parts.append(self.parts[-1] + self._lists(len(section.slots)))
        lists = self._lists(len(self.shown))
        sizes = [1, self.plains, self.link_pages, self.parts[-1], lists, self.tags, self.users, self.items]
        sizes += [self.items * self.extras, self.items * self.has_get]
        self.starts = [0]
        for size in sizes:
            self.starts.append(self.starts[-1] + size)
        self.pages = self.starts.pop()

    def _lists(self, slots: int) -> int:
        """Pages of a list that shows so many sixteenths of the items."""
        return -(-(self.items + 15) // 16 * slots // PER_PAGE)

    def page_at(self, place: int) -> tuple[int, int]:
        """What is at a place: role and number."""
        role = bisect_right(self.starts, place) - 1
        return role, place - self.starts[role]

    def number_of(self, section: int, page: int) -> int:
        """The number of a page of a section's list."""
        return self.parts[section] + page

    def section_at(self, number: int) -> tuple[int, int]:
        """Section and page of such a number."""
        section = bisect_right(self.parts, number) - 1
        return section, number - self.parts[section]

    def count(self, role: int) -> int:
        """How many pages of a role there are."""
        return (self.starts[role + 1] if role < GET else self.pages) - self.starts[role]

    def files_of(self, item: int) -> int:
        """How many files an item has."""
        if self.mask >> (item & 15) & 1:
            return self.files if (item * FIB + self.key) >> 20 & 15 else 0
        if self.stray and mix(item ^ self.key) & 0xFFFF < self.stray:
            return 1
        return 0
