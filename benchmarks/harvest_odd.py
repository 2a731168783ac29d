"""The odd sites of the synthetic web: spam farms, calendars, facets, open directories, parked names."""

from __future__ import annotations

from harvest_kinds import mix
from harvest_pages import FACETS, GONE, Answer, Found, Links, Pages, draw, has_facets
from harvest_sites import ITEM, MEDIA, OTHER, Site
from harvest_spelling import Tree
from harvest_world import World

_FARM = 1 << 31
"""Pages of a spam farm."""
_FACETS = {"brand": 20, "colour": 12, "page": 30, "size": 8, "sort": 5}
_YEARS = range(1900, 3000)


class Odd:
    """Answers for such sites.

    Args:
        world: all sites.
        pages: makes links.
    """

    def __init__(self, world: World, pages: Pages) -> None:
        self._world = world
        self._pages = pages

    def answer(self, site: Site, path: str) -> Answer | None:
        """What a URL gives; None if it is one like those of other sites.

        Args:
            site: whose it is.
            path: behind the host, with the query.
        """
        kind = site.outline.kind
        if kind == "spam farm":
            return self._farm(site, path)
        if kind == "parked":
            return self._parked(site)
        if kind == "open directory":
            return self._directory(site, path)
        if kind == "calendar" and path.startswith(site.spelling.roles[OTHER]):
            return self._calendar(site, path)
        if kind == "shop" and path.startswith(FACETS) and has_facets(site):
            return self._facet(site, path[len(FACETS) :])
        return None

    def _farm(self, site: Site, path: str) -> Answer:
        tail = path.rpartition("-")[2]
        is_fake = tail.endswith(".mp3")
        digits = tail.removesuffix(".mp3")
        if path != "/" and not (digits.isdecimal() and len(digits) < 11):
            return GONE
        # Half of the farms answer each file with the same page.
        is_same = path == "/" or (is_fake and site.key & 1)
        draws = draw(site.key, 1, 0 if is_same else int(digits))
        links: Links = []
        for place in range(3 if is_fake else 8):
            links.append(self._bait(site, draws[place] << 15 | draws[place + 1] >> 1, "div.grid/div.card/p/a"))
        for place in range(0 if is_fake else 5):
            number = draws[place + 12] << 15 | draws[place + 13] >> 1
            url = self._bait(site, number, "").url.replace(f"{site.base}/", f"{site.base}/download/")
            links.append(Found(f"{url}.mp3", site.words.calls[number % 6], "div.grid/div.card/p.get/a", "a"))
        farm = self._world.site(self._world.farms[draws[20] % len(self._world.farms)])
        links.append(self._bait(farm, draws[22] << 15, "footer/p/a"))
        self._pages.outward(site, draws[24], draws[25], site.outline.topic, "footer/p/a", links)
        return Answer("fake" if is_fake else "page", tuple(links))

    def _bait(self, site: Site, number: int, path: str) -> Found:
        """A link to a page of a spam farm, which promises what it has not."""
        words, luck = site.words, mix(number)
        mark, filler = words.marks[luck & 7], words.fillers[luck >> 3 & 31]
        slug = site.spelling.slug_of(luck & 7, luck >> 3 & 31)
        return Found(f"{site.base}/{slug}-{number % _FARM}", f"{mark} {filler} mp3", path, "a")

    def _parked(self, site: Site) -> Answer:
        draws, links = draw(site.key, 2), Links()
        for place in range(5):
            self._pages.outward(site, draws[place], draws[place + 8], site.outline.topic, "div.ads/ul.ads/li/a", links)
        return Answer("page", tuple(links))

    def _directory(self, site: Site, path: str) -> Answer | None:
        spelling = site.spelling
        role, number, _ = spelling.read(path)
        if role == OTHER:
            return Answer("page", (Found(spelling.item(number // 16), site.words.plain[3], "p/a", "a"),))
        if role != ITEM or not isinstance(spelling, Tree):
            return None if role == MEDIA else GONE
        links: Links = []
        if number:
            links.append(Found(spelling.item((number - 1) // 4), "Parent Directory", "pre/a", "a"))
        for child in range(4 * number + 1, min(4 * number + 5, site.items)):
            url = spelling.item(child)
            links.append(Found(url, url[:-1].rpartition("/")[2], "pre/a", "a"))
        for track in range(site.files_of(number)):
            url = spelling.file(number, track)
            links.append(Found(url, url.rpartition("/")[2], "pre/a", "a"))
        for note in range(mix(site.key ^ number) % 16):
            url = spelling.note(number, note)
            links.append(Found(url, url.rpartition("/")[2], "pre/a", "a"))
        return Answer("page", tuple(links))

    def _calendar(self, site: Site, path: str) -> Answer:
        begin = site.spelling.roles[OTHER]
        parts = path[len(begin) :].split("/")
        if len(parts) not in (2, 3) or not all(part.isdecimal() and len(part) < 5 for part in parts):
            return GONE
        year, month = int(parts[0]), int(parts[1])
        if year not in _YEARS or not 1 <= month <= 12:
            return GONE
        links = list(self._pages.menu(site))
        for step in (-1, 1, 12):
            y, m = divmod(year * 12 + month - 1 + step, 12)
            links.append(Found(f"{site.base}{begin}{y}/{m + 1}", f"{m + 1}/{y}", "main/p.months/a", "a"))
        if len(parts) == 2:
            days = range(1, 29, 2)
            links += [Found(f"{site.base}{path}/{day}", str(day), "table.month/tr/td/a", "a") for day in days]
        return Answer("page", tuple(links))

    def _facet(self, site: Site, query: str) -> Answer:
        chosen = dict(part.partition("=")[::2] for part in query.split("&"))
        if chosen.keys() != _FACETS.keys() or not all(text.isdecimal() for text in chosen.values()):
            return GONE
        values = {name: int(text) % size for (name, text), size in zip(chosen.items(), _FACETS.values(), strict=True)}
        draws, links = draw(site.key, 3, *values.values()), list(self._pages.menu(site))
        for place, name in enumerate(_FACETS):
            for luck in draws[2 * place : 2 * place + 2]:
                other = values | {name: luck % _FACETS[name]}
                url = f"{site.base}{FACETS}" + "&".join(f"{key}={value}" for key, value in other.items())
                links.append(Found(url, f"{name} {other[name]}", "aside/ul.filters/li/a", "a"))
        items = [luck % site.items for luck in draws[12:18]]
        self._pages.items(site, items, "main/div.grid/div.card/a", links)
        return Answer("page", tuple(links))
