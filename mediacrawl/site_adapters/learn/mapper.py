"""Looks for the media of the pages in the answers of the data requests that can be made, and chooses one place."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from mediacrawl.site_adapters.learn.lists import AmbiguousError, Marks, OnPage, Placed, place
from mediacrawl.site_adapters.learn.reach import Reach, Reached, needed, usable
from mediacrawl.site_adapters.learn.subject import everywhere
from mediacrawl.site_adapters.learn.templates import Explainer, Gap, Part, Template, joined
from mediacrawl.site_adapters.learn.tracing import Steps, Use, information
from mediacrawl.site_adapters.learn.trees import Path, Tree, is_at, shape_of
from mediacrawl.site_adapters.learn.urls import QUERY, literal, parsed, request_key
from mediacrawl.site_adapters.patterns import site_of
from mediacrawl.site_adapters.schema import MOST_REQUESTS

_MOST_SHAPES = 200
"""Paths of media in one answer that are looked at."""
_MOST_PLAYED = 3
"""Media of a page that are looked for in values of an answer."""
_MOST_WAYS = 50


@dataclass(frozen=True)
class MediaPlace:
    """Where URLs of media are in an answer, with `EVERY` for lists of which all items count.

    The steps change the value; `url` is the template around it, or `base` what stands before it in all URLs.
    """

    path: Path
    steps: Steps = ()
    url: Template | None = None
    base: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What tells that media are the page's.

    An object around them names the page on all pages; the browser asked for them on all pages; the answers are from the
    page's own site.
    """

    is_named: bool
    is_played: bool
    is_at_home: bool

    @property
    def rank(self) -> tuple[int, ...]:
        """The more the likelier."""
        return self.is_named + self.is_played, self.is_at_home


@dataclass(frozen=True)
class Mapping:
    """The number of the role in whose answer the media of each page are, and where.

    `each` is the path of the records, `found` the media of each page; `needs` are the roles that are asked before.
    """

    role: int
    media: MediaPlace
    each: Path | None
    found: tuple[frozenset[str], ...]
    evidence: Evidence
    needs: frozenset[int] = frozenset()

    def is_same(self, other: Mapping) -> bool:
        """Return whether another one names the same media on all pages, or other qualities of them."""
        return all(mine & theirs for mine, theirs in zip(self.found, other.found, strict=True))

    @property
    def uses(self) -> list[Use]:
        """The values that the URLs of its media have."""
        return self.media.url.uses if self.media.url is not None else []


@dataclass
class Found:
    """The mappings that agree with what was played, the best first, and sentences on what is ambiguous."""

    mappings: list[Mapping] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def choose(self) -> tuple[Mapping | None, list[Mapping]]:
        """Return the mapping that names the pages' media; if others are as likely, None and those."""
        if not self.mappings:
            return None, []
        best, *others = self.mappings
        rivals = [each for each in others if each.evidence.rank == best.evidence.rank and not each.is_same(best)]
        return (None, [best, *rivals]) if rivals else (best, [])


class Mapper:
    """Looks for media in the answers of the roles that can be reached."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._visits = reach.visits
        self._marks = [Marks(visit) for visit in reach.visits]
        common = everywhere(reach.visits)
        self._shown = [{key: url for key, url in visit.played.items() if key not in common} for visit in reach.visits]

    def find(self) -> Found:
        """Return all mappings."""
        found = Found()
        for reached in self.reach.reached.values():
            chain = self.reach.chain(reached.role.number)
            if any(each.template.uses for each in chain):  # else it is about no page
                direct = list(self._direct(reached, found.doubts))
                found.mappings += direct
                found.mappings += [] if any(each.media.base for each in direct) else self._joined(reached)
        found.mappings.sort(
            key=lambda each: ([-one for one in each.evidence.rank], self._cost(each.role), len(each.media.path))
        )
        return found

    def left(self, mapping: Mapping) -> str:
        """Return a medium that a page played, that an answer names, and that a mapping does not give, or nothing."""
        for visit, played, found in zip(self._visits, self._shown, mapping.found, strict=True):
            others = set(played) - {request_key(url) for url in found}
            named = (each.url for answered in visit.answers for each in visit.named(answered).values())
            if other := next((url for url in named if request_key(url) in others), ""):
                return other
        return ""

    def _cost(self, number: int) -> tuple[int, int]:
        chain = self.reach.chain(number)
        return len(chain) + any(each.needs_page for each in chain), sum(each.template.cost for each in chain)

    def _direct(self, reached: Reached, doubts: list[str]) -> Iterator[Mapping]:
        """Media that stand in the answer."""
        pages = [visit.named(each) for each, visit in zip(reached.role.requests, self._visits, strict=True)]
        for shape in islice(dict.fromkeys(map(shape_of, pages[0])), _MOST_SHAPES):
            own = [{path: each.url for path, each in page.items() if shape_of(path) == shape} for page in pages]
            urls = [frozenset(page.values()) for page in own]
            bases = {named[path].base for named, page in zip(pages, own, strict=True) for path in page}
            # A jingle is the same on all pages.
            if not all(own) or len(set(urls)) == 1 or len(bases) > 1:
                continue
            try:
                placed = place(shape, self._on_pages(own, reached))
            except AmbiguousError as error:
                doubts += [str(error)] if self._agrees(urls) else []
                continue
            media = [frozenset(url for path, url in page.items() if is_at(path, placed.path)) for page in own]
            if not self._agrees(media):
                continue
            evidence = self._evidence(reached, placed)
            where = MediaPlace(placed.path, base=bases.pop())
            yield Mapping(reached.role.number, where, placed.each, tuple(media), evidence, reached.needs)

    def _on_pages(self, pages: Sequence[dict[Path, str]], reached: Reached) -> list[OnPage]:
        found = []
        for page, tree, mark, played in zip(pages, reached.role.trees, self._marks, self._shown, strict=True):
            own = frozenset(path for path, url in page.items() if request_key(url) in played)
            found.append(OnPage(tree, page, own, mark))
        return found

    def _agrees(self, pages: Sequence[Collection[str]]) -> bool:
        """Whether media were played, on each page that played any."""
        return all(
            not played or any(request_key(url) in played for url in page)
            for page, played in zip(pages, self._shown, strict=True)
        )

    def _evidence(self, reached: Reached, placed: Placed) -> Evidence:
        sites = [site_of(visit.url.host) for visit in self._visits]
        at_home = any(
            all(site == site_of(each.url.host) for each, site in zip(one.role.requests, sites, strict=True))
            for one in self.reach.chain(reached.role.number)
        )
        pairs = zip(reached.role.trees, self._marks, strict=True)
        return Evidence(
            is_named=all(_names_page(tree, placed, mark) for tree, mark in pairs),
            is_played=all(self._shown),
            is_at_home=at_home,
        )

    def _joined(self, reached: Reached) -> Iterator[Mapping]:
        """Media whose URLs stand in no answer as they are, but are joined of values in it: the first way."""
        missing = []
        for answered, visit, own in zip(reached.role.requests, self._visits, self._shown, strict=True):
            known = {request_key(each.url) for each in visit.named(answered).values() if not each.base}
            missing.append([url for key, url in own.items() if key not in known][:_MOST_PLAYED])
        for urls in islice(product(*missing), _MOST_WAYS):
            found = self._explained(reached, urls) if len(set(urls)) == len(urls) else None
            if found is not None:
                media = tuple(frozenset({url}) for url in urls)
                evidence = self._evidence(reached, Placed(found[0].path))
                yield Mapping(reached.role.number, found[0], None, media, evidence, found[1])
                return

    def _explained(self, reached: Reached, urls: Sequence[str]) -> tuple[MediaPlace, frozenset[int]] | None:
        """URLs that are joined of values in the answer, in earlier ones, and in the page."""
        number, tracer = reached.role.number, self.reach.tracer
        explainer = Explainer(tracer, lambda source: source.role == number, usable(self.reach, reached.role))
        known = [found for url in urls if (found := parsed(url)) is not None]
        if len(known) < len(urls) or len({(len(url.segments), url.names) for url in known}) > 1:
            return None
        made: list[list[Part] | Gap] = [explainer.host(known)]
        for segments in zip(*(url.segments for url in known), strict=True):
            made += [["/"], explainer.component(segments)]
        for place_, values in enumerate(zip(*(url.parameters for url in known), strict=True)):
            made.append(["&" if place_ else "?", literal(values[0].name, QUERY), "="])
            made.append(explainer.component(values))
        parts = [part for each in made if not isinstance(each, Gap) for part in each]
        template = Template(joined(parts))
        own = [use for use in template.uses if use.source.role == number]
        needs = (reached.needs | needed(self.reach, template)) - {number}
        if any(isinstance(each, Gap) for each in made) or not own or len(needs) + 1 > MOST_REQUESTS:
            return None
        value = max(own, key=lambda use: information(tracer.values_of(use)))
        return MediaPlace(dict(value.source.place)["path"], value.steps, template), needs


def _names_page(tree: Tree, placed: Placed, mark: Marks) -> bool:
    """Whether the object around a medium, or one around that, names the page's medium."""
    for path, text in tree.leaves.items():
        # The value stands in an object around the medium, or in an object of that: {"meta": {"title": ...}}.
        for depth in (len(path) - 1, len(path) - 2):
            if 0 <= depth < len(placed.path) and is_at(path[:depth], placed.path[:depth]) and mark.name(path, text):
                return True
    return False
