"""A medium on a page: a work with its files, its player, and facts about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mediacrawl.base.facts import Fact, read_as

AUDIO, VIDEO = "audio", "video"
MOST_MEDIA = 200
"""Media of a page that are described. Links to others are followed without facts."""
MOST_FILES = 20
"""Files of one medium: one work in several encodings."""
MOST_ALONE = 20
"""Media of a page that become records without a file."""
_MOST_FACTS = 48
"""Facts of one medium; of these `base.facts.pack` keeps the first."""


class MediaFile(NamedTuple):
    """A reference to a file of a medium.

    Attributes:
        href: as written in the page.
        via: the link source, as in `extract.Link`.
        facts: of this file alone: its type, size, width and height.
    """

    href: str
    via: str
    facts: tuple[Fact, ...] = ()


@dataclass(slots=True)
class Medium:
    """One work that a page plays or describes.

    Attributes:
        via: the link source: ``json-ld``, ``microdata``, ``player`` for OpenGraph and player cards, or the name of its
            element.
        kind: ``audio``, ``video``, or empty if unknown.
        files: references to its encodings.
        player: absolute URL of a page that plays it; empty without one.
        facts: what the page states about it, the best first.
        is_declared: whether metadata declares it a medium: with a player it makes a record without a file.
        is_of_page: whether it may make one under the URL of the page, without a player.
        is_main: whether the page declares it its main entity.
    """

    via: str
    kind: str = ""
    files: list[MediaFile] = field(default_factory=list)
    player: str = ""
    facts: list[Fact] = field(default_factory=list)
    is_declared: bool = False
    is_of_page: bool = False
    is_main: bool = False

    def add_facts(self, facts: Iterable[Fact]) -> None:
        """Add facts of lower precedence, without repetitions of a text or a frame."""
        known = {(each.key, each.text) for each in self.facts}
        # Several texts of one frame are values of one field, unless another object states them.
        frames = {(each.key, each.frame) for each in self.facts}
        for each in facts:
            if len(self.facts) >= _MOST_FACTS:
                return
            if (each.key, each.text) not in known and (each.key, each.frame) not in frames:
                known.add((each.key, each.text))
                self.facts.append(each)

    def set_reading(self, reading: str) -> None:
        """Set the encoding of the page that the facts come from."""
        self.facts = list(read_as(self.facts, reading))
        self.files = [each._replace(facts=read_as(each.facts, reading)) for each in self.files]

    def add_file(self, href: str, via: str, facts: Iterable[Fact] = ()) -> None:
        """Add a reference to a file, up to `MOST_FILES`."""
        if len(self.files) < MOST_FILES:
            self.files.append(MediaFile(href, via, tuple(facts)))

    def join(self, other: Medium) -> None:
        """Merge another description of the same work."""
        self.files += other.files[: MOST_FILES - len(self.files)]
        self.player = self.player or other.player
        self.kind = self.kind or other.kind
        self.is_declared |= other.is_declared
        self.is_of_page |= other.is_of_page
        self.is_main |= other.is_main
        self.add_facts(other.facts)


def facts_by_url(media: Sequence[Medium], resolve: Callable[[str], str | None]) -> dict[str, list[Fact]]:
    """Return the facts about each file and each player, see `links.Page.facts_by_url`."""
    by_url: dict[str, list[Fact]] = {}
    for medium in media:
        files: dict[str, list[Fact]] = {}
        for file in medium.files:
            url = resolve(file.href)
            if url is not None and url not in by_url:
                files.setdefault(url, []).extend(file.facts)
        by_url |= {url: [*facts, *medium.facts] for url, facts in files.items()}
        url = resolve(medium.player) if medium.player else None
        if url is not None:
            by_url.setdefault(url, medium.facts)
    return {url: facts for url, facts in by_url.items() if facts}


def standing_alone(
    media: Sequence[Medium], own_url: str, resolve: Callable[[str], str | None], admits: Callable[[str], bool]
) -> dict[str, Medium]:
    """Select the media of a page that make a record without a file, see `links.Page.standing_alone`."""
    alone: dict[str, Medium] = {}
    lonely = sum(medium.is_declared for medium in media) == 1
    for medium in media:
        if not medium.is_declared or len(alone) == MOST_ALONE:
            continue
        urls = [url for file in medium.files if (url := resolve(file.href)) is not None]
        if any(map(admits, urls)):
            continue
        url = resolve(medium.player) if medium.player else None
        if url is None and medium.is_of_page and (medium.is_main or lonely):
            url = own_url
        if url is not None and medium.facts:
            alone.setdefault(url, medium)
    return alone
