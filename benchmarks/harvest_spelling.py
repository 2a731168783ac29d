"""How the sites of the synthetic web spell their URLs, and what a URL is again.

Some sites tell their pages apart in the URL (``/episodes/12``); others write ``/node/4711`` for each, and shuffle.
"""

from __future__ import annotations

from math import gcd
from random import Random

from harvest_kinds import FIB, MASK
from harvest_sites import (
    EXTRA,
    FEED,
    FRONT,
    GET,
    ITEM,
    LINKS,
    LIST,
    MEDIA,
    MOVED,
    NOTHING,
    OTHER,
    PLAIN,
    SECTION,
    TAG,
    USER,
    Site,
)
from harvest_words import LANGUAGES, in_path

_ROLES = ("list", "tag", "user", "comments", "print", "download", "links", "about", "more", "calendar")
_BARE = ("p", "t", "u", "c", "v", "d", "l", "i", "m", "k")


class Spelling:
    """How a site writes its URLs, and reads them.

    Args:
        site: whose they are.
        chance: of the site.
        files_base: where its files are, scheme and host; of a file host also the beginning of the path.
    """

    def __init__(self, site: Site, chance: Random, files_base: str) -> None:
        self._site = site
        self._start = site.starts[ITEM]
        self._names: dict[str, tuple[int, int]] = {}
        self._taken: set[str] = set()
        kind = site.outline.kind
        style = chance.random()
        self.is_shuffled = style < 0.3
        self.is_dated = 0.3 <= style < 0.42 and kind in {"blog", "news", "podcast", "broadcaster", "sermons"}
        self.is_bare = 0.42 <= style < 0.58
        self.has_slugs = chance.random() < 0.3
        # Beyond ASCII a site writes what its words sound like, or what they are; here only the latter.
        self._fillers = [in_path(word) for word in site.words.fillers]
        self._marks = [in_path(word) for word in site.words.marks]
        self.suffix = ".html" if chance.random() < 0.25 else ""
        self._shuffle(chance)
        self._name(chance)
        self._name_files(chance, files_base)

    def _shuffle(self, chance: Random) -> None:
        pages = self._site.pages
        form = int(chance.random() * 5)
        self._before, self._behind = (
            ("/node/", ""), ("/?p=", ""), ("/index.php?id=", ""), ("/", ".html"), ("/view?doc=", "")
        )[form]  # fmt: skip
        factor = int(chance.random() * pages) | 1
        while gcd(factor, pages) > 1:
            factor += 2
        self._factor, self._back = factor % pages, pow(factor, -1, pages) if pages > 1 else 0
        self._shift = int(chance.random() * pages)
        if self.is_shuffled:
            self._names[self._before] = (NOTHING, 0)
        self._front = self._site.base + self._before

    def _name(self, chance: Random) -> None:
        """Give each role and each section the beginning of its paths."""
        site, words = self._site, self._site.words
        named = {role: in_path(word) for role, word in zip(_ROLES, words.roles, strict=True)}
        if self.is_bare:
            named = dict(zip(_ROLES, _BARE, strict=True))
        elif site.words.code != "en" and chance.random() < 0.4:
            named = {role: in_path(word) for role, word in zip(_ROLES, LANGUAGES[0].roles, strict=True)}
        self.parts = []
        for place, section in enumerate(site.sections):
            path = self._free(f"s{place + 1}" if self.is_bare else in_path(section.name))
            self.parts.append(path)
            self._names[f"{path}page/"] = (SECTION, place)
            self._names[path] = (ITEM, place)
        self._by_slot = [self.parts[0]] * 16
        for path, section in zip(self.parts, site.sections, strict=True):
            for slot in section.slots:
                self._by_slot[slot] = path
        self.roles: dict[int, str] = {}
        for role, name in ((LIST, "list"), (TAG, "tag"), (USER, "user"), (PLAIN, "about"), (LINKS, "links")):
            self.roles[role] = self._free(named[name])
        self.roles[GET] = self._free(named["download" if chance.random() < 0.5 else "more"])
        self.roles[OTHER] = self._free(named["calendar"])
        self.extras = [self._free(named[name]) for name in ("comments", "print")]
        self.extras += [self._free(word) for word in ("reply", "share", "mail", "changes")]
        self._names |= {path: (role, 0) for role, path in self.roles.items()}
        self._names |= {path: (EXTRA, place) for place, path in enumerate(self.extras)}
        self.moved = self._free("go")
        self._names[self.moved] = (MOVED, 0)
        self.feed = "/?feed=rss" if self.is_shuffled else ("/feed", "/rss.xml", "/atom.xml")[site.key % 3]

    def _free(self, word: str) -> str:
        while word in self._taken:
            word += "-a"
        self._taken.add(word)
        return f"/{word}/"

    def _name_files(self, chance: Random, files_base: str) -> None:
        site = self._site
        word = self._marks[int(chance.random() * 6)]
        if chance.random() < 0.5:
            word = ("files", "uploads", "data", "content", "assets", "store")[int(chance.random() * 6)]
        style = chance.random()
        # An extension tells most of what there is to tell. One site in five has none.
        self.file_style = "dated" if style < 0.25 else "folder" if style < 0.8 else "id" if style < 0.92 else "query"
        if files_base != site.base:
            self.file_style = "folder"
        if self.file_style == "id":
            self.files = self._free(("get", "d", "fetch", word)[int(chance.random() * 4)])
        elif self.file_style == "query":
            self.files = ("/getfile.php?id=", "/stream?f=", "/play.php?track=")[int(chance.random() * 3)]
        else:
            self.files = self._free("wp-content/uploads" if self.file_style == "dated" else word)
        self._names[self.files] = (MEDIA, 0)
        self._files = files_base + self.files
        self.files_host = files_base.split("/")[2]
        self._by_title = chance.random() < 0.4

    # -- writing ---------------------------------------------------------------------------------------------

    def page(self, role: int, number: int) -> str:
        """The URL of a page."""
        site = self._site
        if role == FRONT:
            return f"{site.base}/"
        if role == ITEM:
            return self.item(number)
        if self.is_shuffled:
            return self.shuffled(site.starts[role] + number)
        if role == SECTION:
            section, page = site.section_at(number)
            path = self.parts[section]
            return f"{site.base}{path}page/{page}" if page else site.base + path
        if role == EXTRA:
            item, which = divmod(number, site.extras)
            return f"{site.base}{self.extras[which]}{item}"
        return f"{site.base}{self.roles[role]}{number}"

    def shuffled(self, place: int) -> str:
        """The URL of the page at a place, where URLs say nothing."""
        return f"{self._front}{(place * self._factor + self._shift) % self._site.pages}{self._behind}"

    def old_item(self, item: int) -> str:
        """The URL that an item's page had before; it redirects."""
        return f"{self._site.base}{self.moved}{self._start + item}"

    def slug_of(self, mark: int, filler: int) -> str:
        """A slug of a word for media and another, by their places."""
        return f"{self._marks[mark]}-{self._fillers[filler]}"

    def item(self, item: int) -> str:
        """The URL of an item's page."""
        site = self._site
        if self.is_shuffled:
            return self.shuffled(self._start + item)
        if not (self.is_dated or self.has_slugs):
            return f"{site.base}{self._by_slot[item & 15]}{item}{self.suffix}"
        slug = self._slug((item * FIB + site.key) & MASK, item)
        if self.is_dated:
            year, month = divmod(item, 12)
            return f"{site.base}/{2024 - year % 18}/{month + 1:02d}/{slug}-{item}{self.suffix}"
        return f"{site.base}{self._by_slot[item & 15]}{slug}-{item}{self.suffix}"

    def _slug(self, title: int, item: int) -> str:
        slug = f"{self._fillers[title >> 59]}-{self._fillers[title >> 54 & 31]}"
        if title >> 40 & 255 < self._site.loud[item & 15]:
            return f"{self._marks[title >> 37 & 7]}-{slug}"
        return slug

    def file(self, item: int, track: int) -> str:
        """The URL of a media file."""
        style = self.file_style
        if style == "folder":
            name = f"{self._fillers[(item * 7 + track) & 31]}-{item}" if self._by_title else f"{item}"
            return f"{self._files}{name}-{track}.mp3"
        if style == "dated":
            year, month = divmod(item, 12)
            name = self._fillers[(item * 7 + track) & 31]
            return f"{self._files}{2024 - year % 18}/{month + 1:02d}/{name}-{item}-{track}.mp3"
        return f"{self._files}{item * self._site.files + track}"

    # -- reading ---------------------------------------------------------------------------------------------

    def read(self, path: str) -> tuple[int, int, int]:
        """What a URL is: its role, its number, and for files the track.

        Args:
            path: behind the host, with the query, beginning with a slash.
        """
        if path == "/":
            return FRONT, 0, 0
        if path == self.feed:
            return FEED, 0, 0
        if path.endswith(".mp3"):
            return _file_named(path)
        cut = (path.find("=") if "?" in path else path.rfind("/")) + 1
        folder, tail = path[:cut], path[cut:]
        role, place = self._names.get(folder, (NOTHING, 0))
        if role == NOTHING:
            return self._read_plain(folder, tail)
        if role == ITEM and not tail:
            return SECTION, self._site.parts[place], 0
        number = _number(tail.removesuffix(".html"))
        if number < 0:
            return NOTHING, 0, 0
        if role == MEDIA:
            return MEDIA, *divmod(number, self._site.files)
        if role == SECTION:
            number = self._site.number_of(place, number)
        elif role == EXTRA:
            number = number * self._site.extras + place
        elif role == MOVED:
            return MOVED, number, 0
        return self._checked(role, number)

    def _read_plain(self, folder: str, tail: str) -> tuple[int, int, int]:
        number = _number(tail.removesuffix(".html"))
        if self.is_shuffled and folder == self._before and 0 <= number < self._site.pages:
            place = (number - self._shift) * self._back % self._site.pages
            return *self._site.page_at(place), 0
        if self.is_dated and folder[1:5].isdigit():
            return self._checked(ITEM, number)
        return NOTHING, 0, 0

    def _checked(self, role: int, number: int) -> tuple[int, int, int]:
        if role < FEED and not 0 <= number < self._site.count(role):
            return NOTHING, 0, 0
        return role, number, 0


class Tree(Spelling):
    """How an open directory spells its URLs: items are folders in folders, four in each, and files are in them."""

    def page(self, role: int, number: int) -> str:
        """The URL of a page; what such a site does not have is its front page."""
        return self.item(number) if role == ITEM else f"{self._site.base}/"

    def item(self, item: int) -> str:
        """The URL of a folder."""
        site, names = self._site, list[str]()
        while item:
            names.append(f"{self._slug((item * FIB + site.key) & MASK, item)}-{item}/")
            item = (item - 1) // 4
        return f"{site.base}/{''.join(reversed(names))}"

    def file(self, item: int, track: int) -> str:
        """The URL of a media file."""
        return f"{self.item(item)}{self._fillers[(item * 7 + track) & 31]}-{item}-{track}.mp3"

    def old_item(self, item: int) -> str:
        """Folders do not move."""
        return self.item(item)

    def note(self, item: int, number: int) -> str:
        """The URL of a file that is no media."""
        return f"{self.item(item)}{self._fillers[(item * 5 + number) & 31]}-{item * 16 + number}.html"

    def read(self, path: str) -> tuple[int, int, int]:
        """What a URL is: its role, its number, and for files the track."""
        if path == "/":
            return ITEM, 0, 0
        if path.endswith(".mp3"):
            return _file_named(path)
        if path.endswith("/"):
            return self._checked(ITEM, _number(path[1:-1]))
        number = _number(path.removesuffix(".html"))
        return (OTHER, number, 0) if 0 <= number < self._site.items * 16 else (NOTHING, 0, 0)


def _number(tail: str) -> int:
    """The number at the end of a name; -1 if there is none."""
    digits = tail.rpartition("-")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 15 else -1


def _file_named(path: str) -> tuple[int, int, int]:
    """Item and track at the end of a name."""
    rest, _, track = path.rpartition("/")[2][:-4].rpartition("-")
    number = _number(rest)
    return (MEDIA, number, int(track)) if track.isdecimal() and number >= 0 else (NOTHING, 0, 0)
