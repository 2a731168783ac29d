"""From data requests to media: which answer names the page's media where, and which of several it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Mapping as Leaves
from dataclasses import dataclass, field
from itertools import islice, product

from mediacrawl.site_adapters.form import ANSWER
from mediacrawl.site_adapters.learn.lists import AmbiguousError, Placed, place
from mediacrawl.site_adapters.learn.marks import Marks
from mediacrawl.site_adapters.learn.reach import Reach, Reached, needed, usable
from mediacrawl.site_adapters.learn.roles import Role
from mediacrawl.site_adapters.learn.steps import Steps, applied, cut
from mediacrawl.site_adapters.learn.targets import (
    Named,
    differ,
    is_ad_answer,
    is_ad_url,
    is_aside,
    is_in_ads,
    named_media,
    shown,
)
from mediacrawl.site_adapters.learn.templates import Explainer, Gap, Part, Template, joined
from mediacrawl.site_adapters.learn.tracing import Use, bits
from mediacrawl.site_adapters.learn.trees import EVERY, Path, shape_of
from mediacrawl.site_adapters.learn.urls import QUERY, literal, parsed, request_key, site_of

_MOST_SHAPES = 200
"""Paths of media in one answer that are looked at."""
_MOST_PLAYED = 3
"""Media that a page played which are looked for in pieces."""
_LONGEST_HOLDER = 4_000
"""Characters of a value that may hold a URL among other text."""


@dataclass(frozen=True)
class MediaPlace:
    """Where URLs of media stand.

    Attributes:
        path: in the answer, with `EVERY` for lists of which all items count.
        steps: what is made of the value.
        url: the template around it; None if it is the URL.
    """

    path: Path
    steps: Steps = ()
    url: Template | None = None


@dataclass(frozen=True)
class Mapping:
    """An answer, and where in it the media of a page are.

    Attributes:
        role: number of the role whose answer it is.
        media: their places.
        each: path of the records; None if the answer is about one.
        found: the media of each page.
        rank: how much tells that they are the page's: not aside, named by it and played, of its site.
        named: whether the objects around them name the page on all pages, by an id or the title.
        needs: roles whose answers are needed before.
    """

    role: int
    media: tuple[MediaPlace, ...]
    each: Path | None
    found: tuple[frozenset[str], ...]
    rank: tuple[int, ...]
    named: bool
    needs: frozenset[int] = frozenset()

    def is_same(self, other: Mapping) -> bool:
        """Whether another one names the same media on all pages, or other qualities of them.

        Args:
            other: mapping.
        """
        return all(mine & theirs for mine, theirs in zip(self.found, other.found, strict=True))


@dataclass
class Found:
    """The mappings of a site.

    Attributes:
        mappings: all, the best first.
        doubts: sentences on what is ambiguous.
    """

    mappings: list[Mapping] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


class Mapper:
    """Looks for media in the answers of the roles that can be reached.

    Args:
        reach: the data requests.

    Attributes:
        reach: the data requests.
        shown: for each page the media that it played, apart from advertisements, and from those that all pages played.
    """

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._visits = reach.visits
        shows = [shown(visit) for visit in reach.visits]
        everywhere = set.intersection(*(set(each) for each in shows)) if len(shows) > 1 else set()
        self.shown = [{key: url for key, url in each.items() if key not in everywhere} for each in shows]

    def find(self) -> Found:
        """All mappings."""
        found = Found()
        for reached in self.reach.reached.values():
            if not self._is_about_page(reached):
                continue
            for candidate in (*self._direct(reached, found.doubts), *self._joined(reached)):
                found.mappings.append(candidate)
        cost = {number: _cost(self.reach, number) for number in self.reach.reached}
        found.mappings.sort(key=lambda each: ([-one for one in each.rank], cost[each.role], len(each.media[0].path)))
        return found

    def _is_about_page(self, reached: Reached) -> bool:
        """Whether its request depends on the page, and is not for advertisements."""
        role = reached.role
        depends = bool(reached.template.uses)
        is_ad = any(is_ad_answer(tree) for tree in role.trees)
        return (
            depends and not is_ad and not any(map(is_ad_url, (each.entry.url for each in role.requests), self._visits))
        )

    def _marks(self, reached: Reached) -> list[Marks]:
        values = [self.reach.tracer.values_of(use) for use in reached.template.uses]
        return [Marks(visit, [each[number] for each in values]) for number, visit in enumerate(self._visits)]

    def left(self, mapping: Mapping) -> str:
        """A medium that a page played, that an answer names, and that a mapping does not give; empty without one.

        Args:
            mapping: whose objects do not name the page.
        """
        for visit, played, found in zip(self._visits, self.shown, mapping.found, strict=True):
            given = {request_key(url) for url in found}
            others = {key for key in played if key not in given}
            for answered in visit.answers if others else ():
                for path, named in named_media(answered, visit).items():
                    if request_key(named.url) in others and not is_aside(path) and not is_ad_answer(answered.tree):
                        return named.url
        return ""

    # Media that stand in the answer

    def _direct(self, reached: Reached, doubts: list[str]) -> Iterator[Mapping]:
        pages = [named_media(each, visit) for each, visit in zip(reached.role.requests, self._visits, strict=True)]
        marks = self._marks(reached)
        shapes = dict.fromkeys((shape_of(path), named.steps) for path, named in pages[0].items())
        chosen: list[Mapping] = []
        for shape, steps in islice(shapes, _MOST_SHAPES):
            own = [_of_shape(page, shape, steps) for page in pages]
            if not all(own) or is_in_ads(shape) or not differ([[each.url for each in page.values()] for page in own]):
                continue
            if not self._agrees(own):
                continue
            try:
                placed = place(
                    shape, [self._that_count(page, n) for n, page in enumerate(own)], reached.role.trees, marks
                )
            except AmbiguousError as error:
                doubts.append(str(error))
                continue
            chosen.append(self._mapping(reached, placed, steps, own, marks))
        yield from _of_one_record(chosen)

    def _agrees(self, pages: Sequence[dict[Path, Named]]) -> bool:
        """Whether a place names media that were played, on each page that played any."""
        return all(
            not played or any(request_key(each.url) in played for each in page.values())
            for page, played in zip(pages, self.shown, strict=True)
        )

    def _that_count(self, page: dict[Path, Named], number: int) -> list[Path]:
        played = [path for path, each in page.items() if request_key(each.url) in self.shown[number]]
        return played or list(page)

    def _mapping(
        self,
        reached: Reached,
        placed: Placed,
        steps: Steps,
        pages: Sequence[dict[Path, Named]],
        marks: Sequence[Marks],
    ) -> Mapping:
        found = tuple(
            frozenset(named.url for path, named in page.items() if _is_at(path, placed.path)) for page in pages
        )
        rank, named = self._rank(reached, placed, found, marks)
        return Mapping(
            reached.role.number, (MediaPlace(placed.path, steps),), placed.each, found, rank, named, reached.needs
        )

    def _rank(
        self, reached: Reached, placed: Placed, found: Sequence[frozenset[str]], marks: Sequence[Marks]
    ) -> tuple[tuple[int, ...], bool]:
        named = all(
            _names_page(tree.leaves, placed, mark) for tree, mark in zip(reached.role.trees, marks, strict=True)
        )
        played = all(any(request_key(url) in own for url in urls) for urls, own in zip(found, self.shown, strict=True))
        sites = [site_of(visit.url.host) if visit.url else "" for visit in self._visits]
        at_home = all(site == site_of(each.url.host) for each, site in zip(reached.role.requests, sites, strict=True))
        return (int(not is_aside(placed.path)), int(named) + int(played), int(at_home)), named

    # Media whose URLs are made of values in the answer

    def _joined(self, reached: Reached) -> Iterator[Mapping]:
        named = [
            {request_key(each.url) for each in named_media(answered, visit).values()}
            for answered, visit in zip(reached.role.requests, self._visits, strict=True)
        ]
        open_urls = [
            [url for key, url in own.items() if key not in known][:_MOST_PLAYED]
            for own, known in zip(self.shown, named, strict=True)
        ]
        for urls in islice(product(*open_urls), 50):
            mapping = self._held(reached, urls) or self._made(reached, urls)
            if mapping is not None:
                yield mapping
                return

    def _held(self, reached: Reached, urls: tuple[str, ...]) -> Mapping | None:
        """URLs that stand in a longer text, such as HTML in JSON."""
        first, *others = reached.role.trees
        for path, text in first.leaves.items():
            if urls[0] not in text or len(text) > _LONGEST_HOLDER:
                continue
            texts = (text, *(tree.leaves.get(path, "") for tree in others))
            steps = cut(texts, urls) if all(texts) else None
            if steps is not None and applied(texts, steps) == urls:
                return self._of_urls(reached, (MediaPlace(path, steps),), urls, reached.needs)
        return None

    def _made(self, reached: Reached, urls: tuple[str, ...]) -> Mapping | None:
        role = reached.role
        before = usable(self.reach, role)
        explainer = Explainer(
            self.reach.tracer,
            lambda source: source.kind == ANSWER and source.role == role.number,
            before,
        )
        template = _explained(explainer, urls)
        if template is None:
            return None
        own = [use for use in template.uses if use.source.kind == ANSWER and use.source.role == role.number]
        needs = (reached.needs | needed(self.reach, template)) - {role.number}
        if not own or len(needs) > 2:
            return None
        value = max(own, key=lambda use: sum(map(bits, self.reach.tracer.values_of(use))))
        place_of = dict(value.source.place)["path"]
        return self._of_urls(reached, (MediaPlace(place_of, value.steps, template),), urls, needs)

    def _of_urls(
        self, reached: Reached, media: tuple[MediaPlace, ...], urls: Sequence[str], needs: frozenset[int]
    ) -> Mapping:
        found = tuple(frozenset({url}) for url in urls)
        rank, named = self._rank(reached, Placed(media[0].path), found, self._marks(reached))
        return Mapping(reached.role.number, media, None, found, rank, named, needs)


def _of_shape(page: dict[Path, Named], shape: Path, steps: Steps) -> dict[Path, Named]:
    return {path: named for path, named in page.items() if named.steps == steps and shape_of(path) == shape}


def _is_at(path: Path, wanted: Path) -> bool:
    return len(path) == len(wanted) and all(two in (one, EVERY) for one, two in zip(path, wanted, strict=True))


def _names_page(leaves: Leaves[Path, str], placed: Placed, mark: Marks) -> bool:
    """Whether the object around a medium, or one around that, names the page's medium."""
    for path, text in leaves.items():
        # The value stands in an object around the medium, or in an object of that: {"meta": {"title": ...}}.
        for depth in (len(path) - 1, len(path) - 2):
            if 0 <= depth < len(placed.path) and _is_at(path[:depth], placed.path[:depth]) and mark.name(path, text):
                return True
    return False


def _of_one_record(found: Sequence[Mapping]) -> Iterator[Mapping]:
    """Places beside each other in one object are qualities of one medium, if nothing else tells them apart."""
    groups: dict[tuple[object, ...], list[Mapping]] = {}
    for each in found:
        path = each.media[0].path
        groups.setdefault((path[:-1], each.each, each.rank), []).append(each)
    for group in groups.values():
        media = tuple(dict.fromkeys(place for each in group for place in each.media))[:10]
        sets = tuple(frozenset().union(*urls) for urls in zip(*(each.found for each in group), strict=True))
        yield Mapping(group[0].role, media, group[0].each, sets, group[0].rank, group[0].named, group[0].needs)


def _explained(explainer: Explainer, urls: Sequence[str]) -> Template | None:
    found = [parsed(url) for url in urls]
    known = [url for url in found if url is not None]
    if len(known) < len(urls) or len({(len(url.segments), url.names) for url in known}) > 1:
        return None
    parts: list[Part] = []
    host = explainer.host(known)
    if isinstance(host, Gap):
        return None
    parts += host
    for segments in zip(*(url.segments for url in known), strict=True):
        made = explainer.component(segments)
        if isinstance(made, Gap):
            return None
        parts += ["/", *made]
    for number, parameters in enumerate(zip(*(url.parameters for url in known), strict=True)):
        made = explainer.component(parameters, parameters[0].name)
        if isinstance(made, Gap):
            return None
        parts += ["&" if number else "?", literal(parameters[0].name, QUERY), "=", *made]
    return Template(joined(parts))


def _cost(reach: Reach, number: int) -> tuple[int, int]:
    chain = reach.chain(number)
    return len(chain) + any(each.needs_page for each in chain), sum(each.template.cost for each in chain)


def choose(found: Found) -> tuple[Mapping | None, list[Mapping]]:
    """The mapping that names the page's media, and those that name others and are as likely.

    Args:
        found: all mappings, the best first.
    """
    if not found.mappings:
        return None, []
    best = found.mappings[0]
    rivals = [each for each in found.mappings[1:] if each.rank == best.rank and not each.is_same(best)]
    return (None, [best, *rivals]) if rivals else (best, [])


def role_of(reach: Reach, mapping: Mapping) -> Role:
    """The role whose answer a mapping reads.

    Args:
        reach: the data requests.
        mapping: of an answer.
    """
    return reach.reached[mapping.role].role


def uses_of(mapping: Mapping) -> list[Use]:
    """The values that the URLs of a mapping's media have.

    Args:
        mapping: of an answer.
    """
    return [use for each in mapping.media if each.url is not None for use in each.url.uses]
