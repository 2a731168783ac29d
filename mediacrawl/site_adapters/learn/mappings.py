"""Places of media in answers, what tells that they are the page's, and the choice between several."""

from __future__ import annotations

from dataclasses import dataclass, field

from mediacrawl.site_adapters.learn.steps import Steps
from mediacrawl.site_adapters.learn.templates import Template
from mediacrawl.site_adapters.learn.tracing import Use
from mediacrawl.site_adapters.learn.trees import Path


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


@dataclass(frozen=True, slots=True)
class Evidence:
    """What tells that media are the page's.

    Attributes:
        is_named: an object around them names the page, by an id or its title, on all pages.
        is_played: the browser asked for them on all pages.
        agrees: the browser asked for them on each page on which it asked for any media.
        is_at_home: the answers are from the page's own site.
    """

    is_named: bool
    is_played: bool
    agrees: bool
    is_at_home: bool

    @property
    def rank(self) -> tuple[int, ...]:
        """The more the likelier."""
        return self.is_named + self.is_played, self.is_at_home


@dataclass(frozen=True)
class Mapping:
    """An answer, and where in it the media of a page are.

    Attributes:
        role: number of the role whose answer it is.
        media: their places.
        each: path of the records; None if the answer is about one.
        found: the media of each page.
        evidence: what tells that they are the page's.
        needs: roles whose answers are needed before.
    """

    role: int
    media: tuple[MediaPlace, ...]
    each: Path | None
    found: tuple[frozenset[str], ...]
    evidence: Evidence
    needs: frozenset[int] = frozenset()

    def is_same(self, other: Mapping) -> bool:
        """Whether another one names the same media on all pages, or other qualities of them."""
        return all(mine & theirs for mine, theirs in zip(self.found, other.found, strict=True))

    @property
    def uses(self) -> list[Use]:
        """The values that the URLs of its media have."""
        return [use for each in self.media if each.url is not None for use in each.url.uses]


@dataclass
class Found:
    """The mappings of a site.

    Attributes:
        mappings: those that agree with what was played, the best first.
        silent: others, whose objects name the page: they should have been played.
        doubts: sentences on what is ambiguous.
    """

    mappings: list[Mapping] = field(default_factory=list)
    silent: list[Mapping] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)


def choose(found: Found) -> tuple[Mapping | None, list[Mapping]]:
    """The mapping that names the page's media; if others are as likely, None and those."""
    if not found.mappings:
        return None, []
    best = found.mappings[0]
    rank = best.evidence.rank
    rivals = [each for each in found.mappings[1:] if each.evidence.rank == rank and not each.is_same(best)]
    if not best.evidence.is_named:
        rivals += [each for each in found.silent if not each.is_same(best)]
    return (None, [best, *rivals]) if rivals else (best, [])
