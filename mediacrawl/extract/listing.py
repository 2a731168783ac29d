"""The content of a feed, sitemap or playlist: references with facts about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mediacrawl.base.facts import Fact, read_as
from mediacrawl.base.terms import Kind
from mediacrawl.extract.manifests import Manifest

MOST_PLAYERS = 1_000
"""Players of one list that are kept; each becomes a record in the visit of the list."""


class Listed(NamedTuple):
    """One reference of a list.

    Attributes:
        href: as written: relative or absolute, perhaps no URL at all.
        via: the link source: ``enclosure`` for a media file of a feed, ``feed``, ``sitemap``, ``playlist``.
        title: of its entry, as text; empty if it has none.
        guid: the entry's own id.
        facts: about the media file; empty for other targets.
        kind: of the target; None if it is unknown.
    """

    href: str
    via: str
    title: str = ""
    guid: str = ""
    facts: tuple[Fact, ...] = ()
    kind: Kind | None = None


class Player(NamedTuple):
    """A medium without a file in the list.

    Attributes:
        href: of its player, as written.
        page: URL of its page, as written; empty without one.
        title: of its entry.
        guid: the entry's own id.
        facts: about the medium.
    """

    href: str
    page: str = ""
    title: str = ""
    guid: str = ""
    facts: tuple[Fact, ...] = ()


@dataclass(slots=True)
class Listing:
    """The content of a list.

    Attributes:
        form: see `lists.list_form`.
        title: at most 200 characters; empty if it has none.
        reading: encoding of its texts, see `base.charsets.DocumentReading`; empty if each text
            is decided alone.
        language: as declared; empty without one.
        links: in order.
        players: media without a file, at most `MOST_PLAYERS`.
        cut: number of links and players beyond the limits.
        manifest: of a segmented medium, which has no links.
        hub: URL of its WebSub hub; empty without one.
        wait: seconds that it requests between two visits; 0 without a request.
    """

    form: str
    title: str = ""
    language: str = ""
    links: list[Listed] = field(default_factory=list)
    players: list[Player] = field(default_factory=list)
    cut: int = 0
    manifest: Manifest | None = None
    hub: str = ""
    wait: float = 0.0
    reading: str = ""

    def set_reading(self, reading: str) -> None:
        """Set the encoding of its texts."""
        self.reading = reading
        if reading != "utf-8":
            self.links = [each._replace(facts=read_as(each.facts, reading)) for each in self.links]
            self.players = [each._replace(facts=read_as(each.facts, reading)) for each in self.players]
