"""A synthetic web to measure how soon an order of the frontier finds media: 8,000 sites, millions of pages, all lazy.

Everything about it is a function of its seed and of the URL that is asked, so nothing is kept but the habits of the
sites that were met. ``harvest_server.py`` serves the same web over HTTP.

The parts: ``harvest_words`` (of eight languages), ``harvest_kinds`` (of sites: how many, how large), ``harvest_sites``
and ``harvest_drawn`` (one site, and what is drawn for it), ``harvest_spelling`` (of its URLs), ``harvest_world`` (who
links to whom), ``harvest_pages`` (links, their words and where they stand), ``harvest_odd`` (spam farms, calendars,
facets, open directories).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from harvest_kinds import mix
from harvest_odd import Odd
from harvest_pages import GONE, Answer, Found, Pages
from harvest_sites import FEED, FRONT, GET, ITEM, LIST, MEDIA, MOVED, PLAIN, SECTION, TAG, Site
from harvest_world import World

__all__ = ["Answer", "Found", "Text", "Web"]

FAR = 99
"""Clicks to media where there are none."""


@dataclass(frozen=True, slots=True)
class Text:
    """What a page says.

    Attributes:
        language: of it.
        title: of it.
        lines: its text.
    """

    language: str
    title: str
    lines: tuple[str, ...]


class Web:
    """The web of a seed.

    Args:
        seed: another one makes another web.
        sites: how many.
    """

    def __init__(self, seed: int, sites: int = 8000) -> None:
        self._seed = seed
        self._world = World(seed, sites)
        self._pages = Pages(self._world)
        self._odd = Odd(self._world, self._pages)

    def seeds(self, number: int = 100) -> list[str]:
        """Front pages of sites of all kinds, evenly drawn.

        Args:
            number: how many.
        """
        order = sorted(self._world.outlines, key=lambda outline: mix(mix(self._seed + 7) ^ outline.number))
        return [f"http://{outline.host}/" for outline in order[:number]]

    def fetch(self, url: str) -> Answer:
        """What a URL gives.

        Args:
            url: in canonical form.
        """
        host, _, path = url[7:].partition("/")
        site, path = self._world.by_host(host), f"/{path}"
        if site is None or not url.startswith("http://"):
            return GONE
        return self._odd.answer(site, path) or self._answer(site, path)

    def _answer(self, site: Site, path: str) -> Answer:
        owner = self._world.of_files(site, path)
        if owner is None:
            return GONE
        role, number, track = owner.spelling.read(path)
        if role == MEDIA:
            nugget = self._world.recording(owner, number, track)
            return GONE if nugget is None else Answer("media", nugget=nugget)
        if role == FEED:
            return Answer("list", self._pages.feed(site)) if site.has_feed else GONE
        if role == MOVED:
            return Answer("redirect", location=site.spelling.page(*site.page_at(number % site.pages)))
        if role > GET or (role in (ITEM, TAG) and mix(site.key ^ number + 1) & 255 < site.dead):
            return Answer("page", self._pages.menu(site)) if site.is_soft else GONE
        return Answer("page", self._pages.links(site, role, number))

    def text(self, url: str, answer: Answer) -> Text:
        """What a page says besides its links: the same on a mirror, and for all that is gone on one site.

        Args:
            url: of the page, in canonical form.
            answer: what `fetch` gave for it.

        Raises:
            ValueError: the URL is of no site.
        """
        host, _, path = url[7:].partition("/")
        site = self._world.by_host(host)
        if site is None:
            raise ValueError(f"there is no site of the URL {url!r}")
        stands_in = answer.kind == "fake" or answer.links is self._pages.menu(site)
        key = f"{site.key} {answer.kind if stands_in else path}".encode()
        luck = blake2b(key).digest() + blake2b(key, salt=b"more").digest()
        fillers = site.words.fillers
        words = [fillers[octet & 31] for octet in luck]
        lines = [" ".join(words[place : place + 8]) for place in range(0, len(words), 8)]
        if site.outline.kind == "open directory" and answer.links and answer.links[0].path == "pre/a":
            return Text(site.words.code, f"Index of /{path}", ())
        return Text(site.words.code, " ".join(words[:4]), tuple(lines))

    # -- for those who measure -------------------------------------------------------------------------------

    def addresses(self) -> dict[str, str]:
        """Every host, those of files too, with an address of loopback that no other site has."""
        found = {}
        for outline in self._world.outlines:
            number = outline.number
            address = f"127.{1 + number // 62_500}.{number // 250 % 250}.{number % 250 + 1}"
            found[outline.host] = address
            files_host = self._world.site(number).spelling.files_host
            if files_host.endswith(f".{outline.host}"):
                found[files_host] = address
        return found

    def distance(self, url: str) -> int:
        """Clicks from a URL to the nearest recording that its site has and tells of; `FAR` if none is near.

        It knows what no crawler can, for the bound that an order is compared with.

        Args:
            url: in canonical form.
        """
        host, _, path = url[7:].partition("/")
        site = self._world.by_host(host)
        site = site and self._world.of_files(site, f"/{path}")
        if site is None:
            return FAR
        role, number, track = site.spelling.read(f"/{path}")
        if role == MEDIA:
            return 0 if self._world.recording(site, number, track) else FAR
        if site.dead_files >= 100 or site.untagged >= 100:
            return FAR
        moved = role == MOVED
        if moved:
            role, number = site.page_at(number % site.pages)
        return min(_distance(site, role, number) + moved, FAR)


def _distance(site: Site, role: int, number: int) -> int:
    if role in (ITEM, GET):
        return 1 + (site.has_get and role == ITEM) if site.files_of(number) else FAR
    if not site.mask:
        return FAR
    to_item = 2 + site.has_get - site.is_direct
    if role == FEED:
        return 1
    if role == SECTION:
        return to_item if site.sections[site.section_at(number)[0]].is_rich else FAR
    if role == PLAIN and number < site.tunnel:
        return to_item + site.tunnel - number
    if role == FRONT:
        return to_item + (site.tunnel + 1 if site.tunnel else 0)
    return to_item if role == LIST and not site.tunnel else FAR
