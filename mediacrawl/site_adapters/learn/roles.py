"""Aligns the requests of several pages: which request of one page does what which one of another page does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from mediacrawl.site_adapters.learn.secrets import secret_kind
from mediacrawl.site_adapters.learn.trees import Tree
from mediacrawl.site_adapters.learn.urls import Component, Url
from mediacrawl.site_adapters.learn.visits import Answered, Visit
from mediacrawl.site_adapters.learn.words import WORDS

MOST_ROLES = 200
"""Roles of a site that are looked at; a page has some ten."""
_MOST_ALIKE = 3
"""Requests of one shape on a page that are tried for one role."""

_Shape = tuple[object, ...]
_digits = re.compile(r"\d+").sub


@dataclass(frozen=True)
class Role:
    """A data request that each page makes.

    Attributes:
        number: of the role.
        requests: that of each page, in the order of the pages.
    """

    number: int
    requests: tuple[Answered, ...]

    @property
    def trees(self) -> list[Tree]:
        """The answers."""
        return [each.tree for each in self.requests]

    @property
    def urls(self) -> list[Url]:
        """The URLs of the requests."""
        return [each.url for each in self.requests]

    def is_after(self, other: Role) -> bool:
        """Whether all of its requests were made after those of another one."""
        pairs = zip(self.requests, other.requests, strict=True)
        return all(mine.entry.index > theirs.entry.index for mine, theirs in pairs)


def roles(visits: Sequence[Visit]) -> list[Role]:
    """The requests that all pages make, aligned by shape, the likely ones first."""
    found: dict[tuple[int, ...], tuple[Answered, ...]] = {}
    shaped = [_by_shape(visit) for visit in visits]
    for shape in shaped[0]:
        groups = [each.get(shape, []) for each in shaped]
        if all(groups):
            for requests in _aligned(groups):
                found.setdefault(tuple(each.entry.index for each in requests), requests)
    return [Role(number, requests) for number, requests in enumerate(islice(found.values(), MOST_ROLES))]


def _by_shape(visit: Visit) -> dict[_Shape, list[Answered]]:
    found: dict[_Shape, list[Answered]] = {}
    seen: set[str] = set()
    for answered in visit.answers:
        if answered.entry.url not in seen:
            seen.add(answered.entry.url)
            found.setdefault(_shape(answered), []).append(answered)
    return found


def _shape(answered: Answered) -> _Shape:
    url = answered.url
    names = sorted(name for name in url.names if not _may_be_noise(name))
    # Hosts may be numbered: ``node1`` and ``node22``.
    return _digits("#", url.host), len(url.segments), tuple(names), answered.tree.form


def _may_be_noise(name: str) -> bool:
    return name.lower() in WORDS["made_up"] or secret_kind(name) == "session"


def _aligned(groups: Sequence[list[Answered]]) -> Iterator[tuple[Answered, ...]]:
    """The ways to take one request of each page, those first whose constant parts are the same."""
    if all(len(group) == 1 for group in groups):
        yield tuple(group[0] for group in groups)
        return
    static = _static(groups)
    keyed = [_by_key(group, static) for group in groups]
    for key in keyed[0]:
        alike = [each.get(key, []) for each in keyed]
        if all(alike):
            yield from _pairs(alike)
    yield from _pairs(groups)


def _pairs(groups: Sequence[list[Answered]]) -> Iterator[tuple[Answered, ...]]:
    """Those with the same place among the requests of each page."""
    yield from zip(*(group[:_MOST_ALIKE] for group in groups), strict=False)


def _static(groups: Sequence[list[Answered]]) -> set[tuple[str, str, str]]:
    """The parts of URLs that occur on all pages."""
    pages = [{_part(each) for answered in group for each in _components(answered.url)} for group in groups]
    return set.intersection(*pages)


def _by_key(group: list[Answered], static: set[tuple[str, str, str]]) -> dict[_Shape, list[Answered]]:
    found: dict[_Shape, list[Answered]] = {}
    for answered in group:
        key = tuple(each.value if _part(each) in static else None for each in _components(answered.url))
        found.setdefault(key, []).append(answered)
    return found


def _components(url: Url) -> list[Component]:
    return [*url.segments, *(each for each in url.parameters if not _may_be_noise(each.name))]


def _part(each: Component) -> tuple[str, str, str]:
    return each.kind, each.name, each.value
