"""Chooses the pages to learn from: those of one form that show media."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mediacrawl.site_adapters.learn.holders import Holders, holders
from mediacrawl.site_adapters.learn.visits import Visit


class Subject:
    """The pages of the recordings that an adapter may be for.

    Attributes:
        visits: of the chosen form, with repeated ones.
        holders: where the media of each of these stand.
        pages: one visit of each page that shows media.
    """

    def __init__(self, visits: Sequence[Visit]) -> None:
        common = everywhere(visits)
        found = {id(visit): holders(visit, common) for visit in visits}
        self.visits = max(_groups(visits), key=lambda group: _weight(group, found), default=[])
        self.holders = [found[id(visit)] for visit in self.visits]
        self.pages = [visit for visit in _distinct(self.visits, found) if found[id(visit)].media]
        self._found = found

    def of(self, visit: Visit) -> Holders:
        """Where the media of a page stand."""
        return self._found[id(visit)]

    @property
    def repeated(self) -> list[list[Holders]]:
        """The visits of each page."""
        found: dict[str, list[Holders]] = {}
        for each in self.holders:
            found.setdefault(each.visit.address, []).append(each)
        return list(found.values())


def _groups(visits: Sequence[Visit]) -> list[list[Visit]]:
    """Pages whose URLs have one form: the same host and number of segments; or else the same host."""
    exact: dict[object, list[Visit]] = {}
    loose: dict[object, list[Visit]] = {}
    for visit in visits:
        if visit.url is not None:
            exact.setdefault((visit.url.host, len(visit.url.segments)), []).append(visit)
            loose.setdefault(visit.url.host, []).append(visit)
    return [*exact.values(), *loose.values()]


def _weight(group: Sequence[Visit], found: Mapping[int, Holders]) -> tuple[int, int, int]:
    """How much a group of pages has to learn from: pages with media, with media that were played, few others."""
    own = {visit.address: found[id(visit)] for visit in group}
    media = sum(bool(each.media) for each in own.values())
    return media, sum(each.played for each in own.values()), -len(own)


def _distinct(visits: Sequence[Visit], found: Mapping[int, Holders]) -> list[Visit]:
    """One visit of each page: one that played, of these the one with the most answers.

    A page is recorded twice where it was reloaded before its player was started.
    """
    best: dict[str, Visit] = {}
    for visit in sorted(visits, key=lambda each: (not found[id(each)].played, -len(each.answers))):
        best.setdefault(visit.address, visit)
    return [best[address] for address in dict.fromkeys(visit.address for visit in visits)]


def everywhere(visits: Sequence[Visit]) -> set[object]:
    """Keys of media that each page plays, if there are several pages."""
    by_address: dict[str, set[object]] = {}
    for visit in visits:
        by_address.setdefault(visit.address, set()).update(visit.played)
    sets = [each for each in by_address.values() if each]
    return set.intersection(*sets) if len(sets) > 1 else set()
