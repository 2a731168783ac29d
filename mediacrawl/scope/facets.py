"""Facets: a catalogue that can be narrowed by colour, size and year has a page for each combination of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

from mediacrawl.notes import Notes
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.site_notes import SiteNotes

_PATHS = 16
"""Paths of a site that are counted, those with the most combinations."""
_NAMES = 16
"""Parameters of a path that are counted."""
_FEW = 9
"""A facet's values come back in so many combinations, on average; an identifier's do not."""
_EARNS = 3
"""Combinations for each page that led to something new: what was refused meanwhile is found again on such pages."""
_ABSENT = 0


class Facets:
    """Counts, for each path, the combinations of parameters among the links that were let through.

    At least three parameters that vary, none of which is an identifier, and more combinations than the limit: that is
    a set of filters, or a calendar by year, month and day, and all it shows was shown before. ``?forum=3&topic=4711``
    is none, since each topic has its own number. An archive by year, month and day looks like a set of filters, but its
    pages lead to what was not known: each that does so is worth some combinations more (`earned`).

    On disk: one note per site in the room ``facets``, at most some 40 KB with the default limit. A kill loses the
    combinations of up to seven pages of each site, a clean stop none (`save`).

    Args:
        notes: where it outlives the process.
        limit: combinations of a path that are let through.
    """

    def __init__(self, notes: Notes, limit: int = 300) -> None:
        self._sites = SiteNotes(notes, "facets", _Site.load, _Site.dump)
        self._limit = limit

    def beyond(self, site: str, urls: list[str]) -> set[str]:
        """Return those URLs that are one combination too many; the others are counted.

        Args:
            site: as `site_of` names it.
            urls: new links to that site, in canonical form, with at least two parameters each.
        """
        refused: set[str] = set()
        changed = False
        paths = self._sites.get(site).paths
        for url in urls:
            path, _, query = url.partition("?")
            counted = self._counted(paths, path)
            if extension_of(url) in MEDIA_EXTENSIONS or counted.has_identifier(self._limit):
                continue
            if counted.is_facet(self._limit):
                refused.add(url)
            else:
                counted.count(query)
                changed = True
        if changed:
            self._sites.save(site)
        return refused

    def earned(self, site: str, url: str) -> None:
        """Take note that a page had new links to somewhere else than its own path.

        Args:
            site: as `site_of` names it.
            url: of the page, in canonical form.
        """
        counted = self._sites.get(site).paths.get(_key(url.partition("?")[0]))
        if counted is not None:
            counted.earned += 1
            self._sites.save(site)

    def save(self) -> None:
        """Write what is not written yet."""
        self._sites.save_all()

    def _counted(self, paths: dict[int, _Path], path: str) -> _Path:
        key = _key(path)
        if key not in paths:
            if len(paths) >= _PATHS:
                del paths[min(paths, key=lambda other: paths[other].combinations)]
            paths[key] = _Path()
        return paths[key]


@dataclass(slots=True)
class _Path:
    """What was let through at a path: how many combinations, and the values of each parameter, hashed.

    `earned` is how many of its pages led to something new.
    """

    combinations: int = 0
    earned: int = 0
    values: dict[int, set[int]] = field(default_factory=dict)

    def has_identifier(self, limit: int) -> bool:
        return any(len(values) > limit // _FEW for values in self.values.values())

    def is_facet(self, limit: int) -> bool:
        limit += _EARNS * self.earned
        return self.combinations >= limit and sum(len(values) > 1 for values in self.values.values()) >= 3

    def count(self, query: str) -> None:
        pairs = dict(_hashed(part) for part in query.split("&")[:_NAMES])
        for name in pairs.keys() | self.values.keys():
            if name in self.values:
                self.values[name].add(pairs.get(name, _ABSENT))
            elif len(self.values) < _NAMES:
                self.values[name] = {pairs[name], _ABSENT} if self.combinations else {pairs[name]}
        self.combinations += 1


@dataclass(slots=True)
class _Site:
    paths: dict[int, _Path] = field(default_factory=dict)

    @classmethod
    def load(cls, kept: Any) -> _Site:
        return cls(
            {
                int(path): _Path(
                    int(number), int(earned), {int(name): set(map(int, found)) for name, found in values.items()}
                )
                for path, (number, earned, values) in (kept or {}).items()
            }
        )

    def dump(self) -> Any:
        return {
            path: (counted.combinations, counted.earned, {name: list(found) for name, found in counted.values.items()})
            for path, counted in self.paths.items()
        }


def _key(path: str) -> int:
    return crc32(path.encode())


def _hashed(part: str) -> tuple[int, int]:
    name, _, value = part.partition("=")
    return crc32(name.encode()), crc32(value.encode()) or 1
