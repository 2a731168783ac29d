"""The sites of the synthetic web, and which of them know each other."""

from __future__ import annotations

from harvest_drawn import build
from harvest_kinds import KINDS, mix, outlines, topics
from harvest_sites import Site

_NOISE = 0.1
"""Share of the links between sites that lead anywhere."""
_PORTALS = 0.12
"""Share of them that lead to a list of links."""
_RING = 0.3
"""Share of those of a site with media that lead to another such site of its topic."""


class World:
    """All sites; what belongs to one is worked out when it is first met, and kept.

    Args:
        seed: of the web.
        sites: how many.
    """

    def __init__(self, seed: int, sites: int) -> None:
        self.outlines = outlines(seed, sites)
        self.topics, _ = topics(sites)
        self._numbers = {outline.host: outline.number for outline in self.outlines}
        self._sites: list[Site | None] = [None] * sites
        self._hosters = [outline.host for outline in self.outlines if outline.kind == "file host"]
        self._members: list[list[int]] = [[] for _ in range(self.topics)]
        self._rings: list[list[int]] = [[] for _ in range(self.topics)]
        # The first of a topic are the best known.
        for outline in sorted(self.outlines, key=lambda outline: mix(seed ^ mix(outline.number))):
            self._members[outline.topic].append(outline.number)
            if KINDS[outline.kind].rich is not None:
                self._rings[outline.topic].append(outline.number)
        self._portals = self.of_kind("portal")
        self.farms = self.of_kind("spam farm")

    def of_kind(self, kind: str) -> list[int]:
        """Numbers of the sites of a kind.

        Args:
            kind: one of `KINDS`.
        """
        return [outline.number for outline in self.outlines if outline.shown_as == kind]

    def site(self, number: int) -> Site:
        """A site.

        Args:
            number: of it, from 0.
        """
        site = self._sites[number]
        if site is None:
            site = self._sites[number] = build(self.outlines[number], self._hosters)
            self._numbers.setdefault(site.spelling.files_host, number)
        return site

    def by_host(self, host: str) -> Site | None:
        """The site of a host, also of one that has only its files.

        Args:
            host: in lower case, without a port.
        """
        number = self._numbers.get(host)
        if number is not None:
            return self.site(number)
        owner = self._numbers.get(host.partition(".")[2])
        site = None if owner is None else self.site(owner)
        return site if site is not None and site.spelling.files_host == host else None

    def of_files(self, site: Site, path: str) -> Site | None:
        """Whose file it is: on the site of a file host that of a client, if its path begins with the number of one.

        Args:
            site: of the URL.
            path: behind the host.
        """
        if site.outline.kind != "file host" or not path.endswith(".mp3"):
            return site
        client = path[1:].partition("/")[0]
        if not client.isdecimal():
            return site
        number = int(client) if len(client) < 9 else len(self.outlines)
        return self.site(number) if number < len(self.outlines) else None

    def chosen(self, site: Site, draw: int, topic: int) -> Site:
        """The site that a link leads to.

        Args:
            site: where it stands.
            draw: sixteen bits that decide.
            topic: of the page.
        """
        luck, place = (draw >> 9) / 128, mix(draw ^ site.key) & 0xFFFF
        ring = self._rings[topic]
        if luck < _NOISE:
            number = place * len(self._sites) >> 16
        elif luck < _NOISE + _PORTALS and self._portals:
            number = self._portals[place * len(self._portals) >> 16]
        elif site.mask and ring and luck < _NOISE + _PORTALS + _RING:
            number = ring[place * len(ring) >> 16]
        else:
            members = self._members[topic] or [site.outline.number]
            number = members[place * place * len(members) >> 32]
        return self.site(number)

    def recording(self, site: Site, item: int, track: int) -> str | None:
        """The key of what a file holds; empty if it says nothing of itself, None if there is no file.

        Args:
            site: whose it is.
            item: it belongs to.
            track: which of the item's files.
        """
        if not 0 <= item < site.items or not 0 <= track < site.files_of(item):
            return None
        chance = mix(site.key + item * 64 + track)
        if chance & 255 < site.dead_files:
            return None
        if chance >> 8 & 255 < site.untagged:
            return ""
        if chance >> 16 & 255 < site.again:
            ring = self._rings[site.outline.topic]
            other = self.site(ring[(chance >> 24) % len(ring)]) if ring else site
            slots = other.rich or (0,)
            item = (chance >> 34) % other.items // 16 * 16 + slots[(chance >> 58) % len(slots)]
            return f"{other.key:x}-{item}-0"
        return f"{site.key:x}-{item}-{track}"
