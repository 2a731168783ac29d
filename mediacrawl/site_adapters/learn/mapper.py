"""Looks for the media of the pages in the answers of the data requests that can be made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from mediacrawl.site_adapters.form import ANSWER
from mediacrawl.site_adapters.learn.joining import Joiner
from mediacrawl.site_adapters.learn.lists import AmbiguousError, Marks, OnPage, Placed, place
from mediacrawl.site_adapters.learn.mappings import Evidence, Found, Mapping, MediaPlace
from mediacrawl.site_adapters.learn.reach import Reach, Reached
from mediacrawl.site_adapters.learn.sources import Source
from mediacrawl.site_adapters.learn.steps import Steps
from mediacrawl.site_adapters.learn.targets import (
    Named,
    differ,
    named_media,
    only_suffixes,
)
from mediacrawl.site_adapters.learn.templates import Template
from mediacrawl.site_adapters.learn.tracing import Use
from mediacrawl.site_adapters.learn.trees import Path, Tree, is_at, shape_of
from mediacrawl.site_adapters.learn.urls import braced, request_key
from mediacrawl.site_adapters.patterns import site_of

_MOST_SHAPES = 200
"""Paths of media in one answer that are looked at."""


class Mapper:
    """Looks for media in the answers of the roles that can be reached.

    Attributes:
        reach: the data requests.
        shown: for each page the media that it played, apart from those that all pages played.
    """

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._visits = reach.visits
        shows = [visit.played for visit in reach.visits]
        everywhere = set.intersection(*(set(each) for each in shows)) if len(shows) > 1 else set()
        self.shown = [{key: url for key, url in each.items() if key not in everywhere} for each in shows]

    def find(self) -> Found:
        """All mappings."""
        found = Found()
        for reached in self.reach.reached.values():
            if self._is_about_page(reached):
                direct = list(self._direct(reached, found.doubts))
                is_on_base = any(place.url is not None for each in direct for place in each.media)
                for each in (*direct, *(() if is_on_base else self._joined(reached))):
                    (found.mappings if each.evidence.agrees else found.silent).append(each)
        cost = {number: _cost(self.reach, number) for number in self.reach.reached}
        found.mappings.sort(
            key=lambda each: ([-one for one in each.evidence.rank], cost[each.role], len(each.media[0].path))
        )
        found.silent = [each for each in found.silent if each.evidence.is_named]
        return found

    def left(self, mapping: Mapping) -> str:
        """A medium that a page played, that an answer names, and that a mapping does not give; empty without one."""
        for visit, played, found in zip(self._visits, self.shown, mapping.found, strict=True):
            others = set(played) - {request_key(url) for url in found}
            for answered in visit.answers if others else ():
                for named in named_media(answered, visit).values():
                    if request_key(named.url) in others:
                        return named.url
        return ""

    def _is_about_page(self, reached: Reached) -> bool:
        """Whether its request depends on the page."""
        return any(each.template.uses for each in self.reach.chain(reached.role.number))

    def _marks(self, reached: Reached) -> list[Marks]:
        values = [self.reach.tracer.values_of(use) for use in reached.template.uses]
        return [Marks(visit, [each[number] for each in values]) for number, visit in enumerate(self._visits)]

    # Media that stand in the answer

    def _direct(self, reached: Reached, doubts: list[str]) -> Iterator[Mapping]:
        pages = [named_media(each, visit) for each, visit in zip(reached.role.requests, self._visits, strict=True)]
        marks = self._marks(reached)
        shapes = dict.fromkeys((shape_of(path), named.steps) for path, named in pages[0].items())
        found: list[Mapping] = []
        for shape, steps in islice(shapes, _MOST_SHAPES):
            own = [_of_shape(page, shape, steps) for page in pages]
            if not all(own) or not differ([page.values() for page in own]):
                continue
            bases = {named[path].base for named, page in zip(pages, own, strict=True) for path in page}
            if len(bases) > 1:
                continue
            try:
                placed = place(shape, self._on_pages(own, reached, marks))
            except AmbiguousError as error:
                if self._agrees([page.values() for page in own]):
                    doubts.append(str(error))
                continue
            media = [frozenset(url for path, url in page.items() if is_at(path, placed.path)) for page in own]
            more = (only_suffixes(url for urls in media for url in urls),) if placed.is_mixed else ()
            where = _place(reached.role.number, placed.path, (*steps, *more), bases.pop())
            found.append(self._mapping(reached, placed, where, media))
        yield from found

    def _on_pages(self, pages: Sequence[dict[Path, str]], reached: Reached, marks: Sequence[Marks]) -> list[OnPage]:
        found = []
        for page, each, mark, played in zip(pages, reached.role.requests, marks, self.shown, strict=True):
            own = frozenset(path for path, url in page.items() if request_key(url) in played)
            found.append(OnPage(each.tree, each.entry.url, page, own, mark))
        return found

    def _mapping(self, reached: Reached, placed: Placed, media: MediaPlace, found: Sequence[frozenset[str]]) -> Mapping:
        evidence = self._evidence(reached, placed, found)
        return Mapping(reached.role.number, (media,), placed.each, tuple(found), evidence, reached.needs)

    def _agrees(self, pages: Sequence[Sequence[str] | frozenset[str] | object]) -> bool:
        """Whether media were played, on each page that played any."""
        return all(
            not played or any(request_key(url) in played for url in page)  # type: ignore[attr-defined]
            for page, played in zip(pages, self.shown, strict=True)
        )

    def _evidence(self, reached: Reached, placed: Placed, found: Sequence[frozenset[str]]) -> Evidence:
        marks, trees = self._marks(reached), reached.role.trees
        sites = [site_of(visit.url.host) if visit.url is not None else "" for visit in self._visits]
        at_home = any(
            all(site == site_of(each.url.host) for each, site in zip(one.role.requests, sites, strict=True))
            for one in self.reach.chain(reached.role.number)
        )
        return Evidence(
            is_named=all(_names_page(tree, placed, mark) for tree, mark in zip(trees, marks, strict=True)),
            is_played=self._agrees(found) and all(self.shown),
            agrees=self._agrees(found),
            is_at_home=at_home,
        )

    # Media whose URLs are made of values in the answer

    def _joined(self, reached: Reached) -> Iterator[Mapping]:
        named = [
            {request_key(each.url) for each in named_media(answered, visit).values() if not each.base}
            for answered, visit in zip(reached.role.requests, self._visits, strict=True)
        ]
        missing = [
            [url for key, url in own.items() if key not in known] for own, known in zip(self.shown, named, strict=True)
        ]
        for joined in Joiner(self.reach, reached).find(missing):
            evidence = self._evidence(reached, Placed(joined.place.path), joined.found)
            yield Mapping(reached.role.number, (joined.place,), None, joined.found, evidence, joined.needs)


def _of_shape(page: dict[Path, Named], shape: Path, steps: Steps) -> dict[Path, str]:
    return {path: each.url for path, each in page.items() if each.steps == steps and shape_of(path) == shape}


def _place(role: int, path: Path, steps: Steps, base: str) -> MediaPlace:
    """A place of media, whose values stand behind a base."""
    if not base:
        return MediaPlace(path, steps)
    value = Use(Source(ANSWER, (("path", path),), role=role), steps, is_raw=True)
    return MediaPlace(path, steps, Template((braced(base), value)))


def _names_page(tree: Tree, placed: Placed, mark: Marks) -> bool:
    """Whether the object around a medium, or one around that, names the page's medium."""
    for path, text in tree.leaves.items():
        # The value stands in an object around the medium, or in an object of that: {"meta": {"title": ...}}.
        for depth in (len(path) - 1, len(path) - 2):
            if 0 <= depth < len(placed.path) and is_at(path[:depth], placed.path[:depth]) and mark.name(path, text):
                return True
    return False


def _cost(reach: Reach, number: int) -> tuple[int, int]:
    chain = reach.chain(number)
    return len(chain) + any(each.needs_page for each in chain), sum(each.template.cost for each in chain)
