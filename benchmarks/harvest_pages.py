"""The pages of the synthetic web: which links are on each, with which words, and where on the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from struct import Struct

from harvest_kinds import FIB, MASK, mix
from harvest_sites import (
    EXTRA,
    FRONT,
    GET,
    ITEM,
    LINKS,
    LIST,
    OTHER,
    PER_PAGE,
    PLAIN,
    SECTION,
    TAG,
    USER,
    Site,
)
from harvest_world import World

_DRAWS = Struct("<32H").unpack
_FEED_ITEMS = (8, 24)
"""Entries of a feed, at least and at most."""
FACETS = "/catalogue?"
"""The beginning of what some shops let one narrow down."""


@dataclass(frozen=True, slots=True)
class Found:
    """A link on a page.

    Attributes:
        url: absolute, in canonical form.
        anchor: its text; in a feed, the title of the entry.
        path: its last four elements below ``body`` with their classes, ``main/ul.list/li/a``; empty in a feed.
        via: the door, as `extract` calls it: ``a``, ``audio``; ``feed`` for a feed and for the pages of its entries;
            ``enclosure`` for their files.
    """

    url: str
    anchor: str
    path: str
    via: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What a URL gives.

    Attributes:
        kind: ``page``, ``list`` (a feed), ``media``, ``gone`` (404), ``redirect``, ``fake`` (a page in place
            of a file).
        links: in the order of the page.
        nugget: key of the recording, the same wherever it is; empty for a file that says nothing of itself.
        location: where a redirect leads.
    """

    kind: str
    links: tuple[Found, ...] = ()
    nugget: str = ""
    location: str = ""


GONE = Answer("gone")
Links = list[Found]


class Pages:
    """Makes the links of pages.

    Args:
        world: the sites, and which of them know each other.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._menus: dict[int, tuple[Found, ...]] = {}
        self._by_role: dict[int, Callable[[Site, int, Links], None]] = {
            FRONT: self._front,
            PLAIN: self._plain,
            LINKS: self._link_page,
            SECTION: self._section,
            LIST: self._list,
            TAG: self._tag,
            USER: self._user,
            ITEM: self._item,
            EXTRA: self._extra,
            GET: self._get,
        }

    def links(self, site: Site, role: int, number: int) -> tuple[Found, ...]:
        """All links of a page.

        Args:
            site: whose it is.
            role: what it is, `FRONT` to `GET`.
            number: which of them.
        """
        links = list(self.menu(site))
        self._by_role[role](site, number, links)
        return tuple(links)

    def menu(self, site: Site) -> tuple[Found, ...]:
        """The links that are on every page of a site."""
        menu = self._menus.get(site.outline.number)
        if menu is None:
            menu = self._menus[site.outline.number] = tuple(_menu(site))
        return menu

    def feed(self, site: Site) -> tuple[Found, ...]:
        """The links of a site's feed: the first of its items, those with media if it has such."""
        entries: Links = []
        least, most = _FEED_ITEMS
        for item in some(site, site.rich or site.shown, 0, least + site.key % (most - least + 1)):
            pages: Links = []
            self.items(site, (item,), "", pages)
            entries.append(Found(pages[0].url, pages[0].anchor, "", "feed"))
            if site.files_of(item):
                entries.append(Found(site.spelling.file(item, 0), pages[0].anchor, "", "enclosure"))
        return tuple(entries)

    # -- kinds of links --------------------------------------------------------------------------------------

    def items(self, site: Site, items: Iterable[int], path: str, links: Links) -> None:
        """Add links to items; their anchors are their titles."""
        key, fillers, marks, spelling = site.key, site.words.fillers, site.words.marks, site.spelling
        for item in items:
            title = (item * FIB + key) & MASK
            text = f"{fillers[title >> 59]} {fillers[title >> 54 & 31]}"
            if title >> 40 & 255 < site.loud[item & 15]:
                text = f"{marks[title >> 37 & 7]} {text}"
            # One item in 43 is linked by its old URL.
            url = spelling.old_item(item) if title >> 24 & 255 < 6 else spelling.item(item)
            links.append(Found(url, text, path, "a"))

    def files(self, site: Site, item: int, links: Links, path: str = "main/article/p.file/a") -> None:
        """Add links to the files of an item."""
        for track in range(site.files_of(item)):
            url = site.spelling.file(item, track)
            if site.player:
                links.append(Found(url, "", "main/article/div.player/audio", "audio"))
                continue
            chance = mix(item ^ site.key) >> track
            words = site.words.calls if chance >> 8 & 255 < site.calls else site.words.fillers
            links.append(Found(url, words[chance % len(words)], path, "a"))

    def outward(self, site: Site, draw: int, other: int, topic: int, path: str, links: Links) -> None:
        """Add a link to another site.

        Args:
            site: where it stands.
            draw: sixteen bits that decide to which site it leads.
            other: sixteen bits that decide to which page of it.
            topic: of the page.
            path: its tag path.
            links: to add to.
        """
        target = self._world.chosen(site, draw, topic)
        words, luck, item = target.words, other & 63, (other * 40_503 >> 3) % target.items
        if luck < 36:
            text = target.outline.host.partition(".")[0] if other & 64 else words.plain[other % 6]
            links.append(Found(f"{target.base}/", text, path, "a"))
        elif luck < 58:
            self.items(target, (item,), path, links)
        elif luck < 62 or not target.files_of(item):
            links.append(Found(target.spelling.page(LIST, 0), words.roles[0], path, "a"))
        else:
            links.append(Found(target.spelling.file(item, 0), words.calls[other % 6], path, "a"))

    def _listing(self, site: Site, slots: tuple[int, ...], page: int, path: str, links: Links) -> None:
        items = some(site, slots, page * PER_PAGE, PER_PAGE)
        self.items(site, items, path, links)
        if site.extras:
            # The comments of each are linked from the list too.
            elements = path.split("/")[-3:-1]
            path = "/".join([*elements, "span.meta", "a"])
            word, page_of = site.words.roles[3], site.spelling.page
            links += [Found(page_of(EXTRA, item * site.extras), word, path, "a") for item in items]

    def _pager(self, site: Site, role: int, number: int, span: tuple[int, int], links: Links) -> None:
        first, end = span
        for page in dict.fromkeys((number - 1, number + 1, number + 2, (number + end) // 2, end - 1)):
            if first <= page < end and page != number:
                links.append(Found(site.spelling.page(role, page), str(page - first + 1), "main/nav.pager/a", "a"))

    def _tags(self, site: Site, draws: Iterable[int], path: str, links: Links) -> None:
        for draw in draws:
            tag = draw % site.tags
            links.append(Found(site.spelling.page(TAG, tag), site.words.fillers[tag & 31], path, "a"))

    def _users(self, site: Site, draws: Iterable[int], path: str, links: Links) -> None:
        for draw in draws:
            user = draw % site.users
            links.append(Found(site.spelling.page(USER, user), f"{site.words.fillers[user & 31]}{user}", path, "a"))

    def _any(self, site: Site, draws: Iterable[int], path: str, links: Links) -> None:
        """Add links to items that have nothing to do with the page."""
        self.items(site, [item for draw in draws for item in some(site, site.shown, draw, 1)], path, links)

    # -- kinds of pages --------------------------------------------------------------------------------------

    def _front(self, site: Site, number: int, links: Links) -> None:
        draws = draw(site.key, FRONT, number)
        self.items(site, some(site, site.shown, 0, 6), site.wrap.format("latest"), links)
        for section in site.sections:
            if not (section.is_rich and site.tunnel):
                self.items(site, some(site, section.slots, 0, 3), section.path, links)
        self._tags(site, draws[:4], "aside/div.tags/a", links)
        if site.outward[1]:
            for place in range(4, 4 + draws[10] % 4):
                path = "aside/ul.blogroll/li/a"
                self.outward(site, draws[place], draws[place + 8], site.outline.topic, path, links)

    def _plain(self, site: Site, number: int, links: Links) -> None:
        draws = draw(site.key, PLAIN, number)
        path, plain, spelling = "main/div.text/p/a", site.words.plain, site.spelling
        if number + 1 < site.tunnel:
            links.append(Found(spelling.page(PLAIN, number + 1), plain[draws[0] % 6], path, "a"))
        elif number + 1 == site.tunnel:
            for place, section in enumerate(site.sections):
                if section.is_rich:
                    url = spelling.page(SECTION, site.number_of(place, 0))
                    links.append(Found(url, plain[draws[place] % 6], path, "a"))
        other = site.tunnel + draws[8] % (site.plains - site.tunnel)
        links.append(Found(spelling.page(PLAIN, other), plain[draws[9] % 6], path, "a"))
        self._any(site, draws[10:12], path, links)
        if draws[12] & 1:
            self.outward(site, draws[13], draws[14], site.outline.topic, path, links)

    def _link_page(self, site: Site, number: int, links: Links) -> None:
        draws = draw(site.key, LINKS, number)
        for place in range(8 + draws[31] % 8):
            self.outward(site, draws[place], draws[place + 15], site.outline.topic, "main/ul.links/li/a", links)

    def _section(self, site: Site, number: int, links: Links) -> None:
        place, page = site.section_at(number)
        section = site.sections[place]
        self._listing(site, section.slots, page, section.path, links)
        if site.is_direct and section.is_rich:
            for item in some(site, section.slots, page * PER_PAGE, PER_PAGE):
                self.files(site, item, links, section.path)
        self._pager(site, SECTION, number, (site.parts[place], site.parts[place + 1]), links)

    def _list(self, site: Site, number: int, links: Links) -> None:
        self._listing(site, site.shown, number, site.wrap.format("archive"), links)
        self._pager(site, LIST, number, (0, site.count(LIST)), links)

    def _tag(self, site: Site, number: int, links: Links) -> None:
        draws = draw(site.key, TAG, number)
        self._any(site, draws[:10], site.wrap.format("found"), links)
        self._tags(site, draws[10:14], "aside/div.tags/a", links)

    def _user(self, site: Site, number: int, links: Links) -> None:
        draws = draw(site.key, USER, number)
        self._any(site, draws[:5], site.wrap.format("activity"), links)
        self._users(site, draws[6:9], "aside/ul.friends/li/a", links)

    def _item(self, site: Site, number: int, links: Links) -> None:
        draws = draw(site.key, ITEM, number)
        if site.has_get and site.files_of(number):
            text = site.words.calls[1] if draws[0] & 255 < site.calls // 2 else site.words.plain[draws[0] % 6]
            links.append(Found(site.spelling.page(GET, number), text, "main/article/p.more/a", "a"))
        else:
            self.files(site, number, links)
        # Where many talk, several have signed.
        talkers = 3 if site.users > site.items // 2 else 1
        self._users(site, draws[1 : 1 + talkers], "main/article/p.byline/a", links)
        self._tags(site, draws[4 : 4 + min(site.tags, 3)], "main/article/p.tags/a", links)
        for which in range(site.extras):
            url = site.spelling.page(EXTRA, number * site.extras + which)
            links.append(Found(url, site.words.roles[3 + (which & 1)], "main/article/p.extras/a", "a"))
        hidden = site.tunnel and site.mask >> (number & 15) & 1
        self.items(site, some(site, site.rich if hidden else site.shown, draws[8], 3), "aside/ul.related/li/a", links)
        self._outwards(site, number, draws, links)

    def _outwards(self, site: Site, number: int, draws: tuple[int, ...], links: Links) -> None:
        topic = site.outline.topic
        if site.outline.kind == "portal":
            topic = number % self._world.topics
        least, most = site.outward
        for place in range(int(least) + (draws[7] * int(most - least + 1) >> 16)):
            luck = draws[8 + place % 23]
            self.outward(site, luck, draws[31 - place % 23], topic, "main/article/p/a", links)

    def _extra(self, site: Site, number: int, links: Links) -> None:
        draws = draw(site.key, EXTRA, number)
        self.items(site, (number // site.extras,), "main/p.back/a", links)
        self._users(site, draws[:3], "main/ul.comments/li/a", links)
        other = draws[4] % site.count(EXTRA)
        links.append(Found(site.spelling.page(EXTRA, other), site.words.plain[0], "main/p.more/a", "a"))
        self._any(site, draws[5:6], "main/p.more/a", links)

    def _get(self, site: Site, number: int, links: Links) -> None:
        self.items(site, (number,), "main/p.back/a", links)
        self.files(site, number, links, "main/div.box/p/a")


def draw(*key: int) -> tuple[int, ...]:
    """Thirty-two numbers of sixteen bits that look like chance.

    Args:
        key: what they are for.
    """
    return _DRAWS(blake2b(repr(key).encode(), digest_size=64).digest())


def some(site: Site, slots: tuple[int, ...], first: int, number: int) -> list[int]:
    """Items of some sixteenths of a site's, in their order; a place beyond the end starts over.

    Args:
        site: whose they are.
        slots: the sixteenths.
        first: place of the first.
        number: how many at most.
    """
    length, items = len(slots), site.items
    whole = (items + 15) // 16 * length
    first %= whole
    found = [place // length * 16 + slots[place % length] for place in range(first, min(first + number, whole))]
    return [item for item in found if item < items]


def has_facets(site: Site) -> bool:
    """Whether what a site sells can be narrowed down by five properties."""
    return site.outline.kind == "shop" and site.key & 7 < 3


def _menu(site: Site) -> Links:
    spelling, words, path = site.spelling, site.words, "nav/ul.menu/li/a"
    menu = [Found(spelling.page(FRONT, 0), words.plain[3], path, "a")]
    for place, section in enumerate(site.sections):
        if not (section.is_rich and site.tunnel):
            menu.append(Found(spelling.page(SECTION, site.number_of(place, 0)), section.name, path, "a"))
    menu.append(Found(spelling.page(LIST, 0), words.roles[0], path, "a"))
    menu.append(Found(spelling.page(PLAIN, 0), words.roles[7], path, "a"))
    menu += [Found(spelling.page(LINKS, number), words.roles[6], path, "a") for number in range(site.link_pages)]
    if site.has_feed:
        menu.insert(0, Found(site.base + spelling.feed, "", "head/link", "feed"))
    if site.outline.kind == "calendar":
        menu.append(Found(f"{site.base}{spelling.roles[OTHER]}2025/6", words.roles[9], path, "a"))
    if has_facets(site):
        menu.append(Found(f"{site.base}{FACETS}brand=0&colour=0&page=0&size=0&sort=0", words.sections[2], path, "a"))
    return menu
