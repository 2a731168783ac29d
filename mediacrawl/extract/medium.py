"""What a page plays: a work with its files, its player, and what the page says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from mediacrawl.facts import Fact, read_as

AUDIO, VIDEO = "audio", "video"
MOST_MEDIA = 200
"""Media of a page that are described. The links to the others are followed all the same."""
MOST_FILES = 20
"""Files of one medium: it is one work, in as many encodings."""
MOST_ALONE = 20
"""Media of a page that become records without a file."""
_MOST_FACTS = 48
"""Facts of one medium; of these `facts.pack` keeps the first."""


class MediaFile(NamedTuple):
    """A reference to a file of a medium.

    Attributes:
        href: as it stands in the page.
        via: the door, as in `extract.Link`.
        facts: what is said of this file alone: its type, size, width and height.
    """

    href: str
    via: str
    facts: tuple[Fact, ...] = ()


@dataclass(slots=True)
class Medium:
    """One work that a page plays or describes.

    Attributes:
        via: the door it came through: ``json-ld``, ``microdata``, ``player`` for OpenGraph and player cards, or the
            name of its element.
        kind: ``audio``, ``video``, or empty if that is not told.
        files: references to it; several are the same in several encodings.
        player: absolute URL of a page that plays it; empty if none is named.
        facts: what the page says of it, the best first.
        is_declared: whether the page says in words for machines that this is a medium: with a player it makes a record
            even if it has no file.
        is_of_page: whether it may make one without a player too, under the URL of the page.
        is_main: whether the page says that it is about this one.
    """

    via: str
    kind: str = ""
    files: list[MediaFile] = field(default_factory=list)
    player: str = ""
    facts: list[Fact] = field(default_factory=list)
    is_declared: bool = False
    is_of_page: bool = False
    is_main: bool = False

    def tell(self, facts: Iterable[Fact]) -> None:
        """Add facts. What was said before in the same words, or in the same place, is left out.

        Args:
            facts: they weigh less than those that are there.
        """
        said = {(each.key, each.text) for each in self.facts}
        # Several texts of one place are values of one field; those of another object are not.
        places = {(each.key, each.frame) for each in self.facts}
        for each in facts:
            if len(self.facts) >= _MOST_FACTS:
                return
            if (each.key, each.text) not in said and (each.key, each.frame) not in places:
                said.add((each.key, each.text))
                self.facts.append(each)

    def say(self, reading: str) -> None:
        """Note the encoding of the page that all of the facts come from."""
        self.facts = list(read_as(self.facts, reading))
        self.files = [each._replace(facts=read_as(each.facts, reading)) for each in self.files]

    def add_file(self, href: str, via: str, facts: Iterable[Fact] = ()) -> None:
        """Add a reference to a file, unless there are many.

        Args:
            href: as it stands in the page.
            via: the door.
            facts: of this file alone.
        """
        if len(self.files) < MOST_FILES:
            self.files.append(MediaFile(href, via, tuple(facts)))

    def join(self, other: Medium) -> None:
        """Take over what is known of the same work from elsewhere on the page.

        Args:
            other: not to be used any more.
        """
        self.files += other.files[: MOST_FILES - len(self.files)]
        self.player = self.player or other.player
        self.kind = self.kind or other.kind
        self.is_declared |= other.is_declared
        self.is_of_page |= other.is_of_page
        self.is_main |= other.is_main
        self.tell(other.facts)


def facts_by_url(media: Sequence[Medium], resolve: Callable[[str], str | None]) -> dict[str, list[Fact]]:
    """Say which facts belong to which URL, of files and of players.

    Args:
        media: of a page.
        resolve: gives the canonical URL of a reference on it, or None.
    """
    told: dict[str, list[Fact]] = {}
    for medium in media:
        files: dict[str, list[Fact]] = {}
        for file in medium.files:
            url = resolve(file.href)
            if url is not None and url not in told:
                files.setdefault(url, []).extend(file.facts)
        told |= {url: [*facts, *medium.facts] for url, facts in files.items()}
        url = resolve(medium.player) if medium.player else None
        if url is not None:
            told.setdefault(url, medium.facts)
    return {url: facts for url, facts in told.items() if facts}


def standing_alone(
    media: Sequence[Medium], own_url: str, resolve: Callable[[str], str | None], admits: Callable[[str], bool]
) -> dict[str, Medium]:
    """Find the media of a page that make a record though no file of theirs can be had; at most `MOST_ALONE`.

    Args:
        media: of the page.
        own_url: the page's own, in canonical form. It stands for a medium without a player: for the one that the page
            says it is about, or for the only one.
        resolve: gives the canonical URL of a reference on the page, or None.
        admits: whether a URL may be asked.

    Returns:
        The media, by the URL that their record gets.
    """
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
