"""What every kind of list comes to: references with what is said of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mediacrawl.extract.manifests import Manifest
from mediacrawl.facts import Fact, read_as
from mediacrawl.records import Kind

MOST_PLAYERS = 1_000
"""Players of one list that are kept: each becomes a record within the visit of the list."""


class Listed(NamedTuple):
    """One reference of a list.

    Attributes:
        href: as it stands there: relative or absolute, perhaps no URL at all.
        via: the door: ``enclosure`` for a media file of a feed, ``feed``, ``sitemap``, ``playlist``.
        title: of its entry, as text; empty if it has none.
        guid: the entry's own id.
        facts: what the list says of the media file; none for what is no such file.
        kind: what the list says is there; None if only the reference can tell.
    """

    href: str
    via: str
    title: str = ""
    guid: str = ""
    facts: tuple[Fact, ...] = ()
    kind: Kind | None = None


class Player(NamedTuple):
    """A medium whose file the list does not name.

    Attributes:
        href: of what plays it, as it stands there.
        page: URL of its page, as it stands there; empty if none is named.
        title: of its entry.
        guid: the entry's own id.
        facts: what the list says of it.
    """

    href: str
    page: str = ""
    title: str = ""
    guid: str = ""
    facts: tuple[Fact, ...] = ()


@dataclass(slots=True)
class Listing:
    """What a list says.

    Attributes:
        form: what it is, see `lists.parse_list`.
        title: at most 200 characters; empty if it has none.
        reading: encoding of its texts, and who decided it if no claim did, see `encoding.document.Document.reading`;
            empty where it is open, to be decided for each text.
        language: as it says itself; empty if it does not.
        links: in its order.
        players: media without a file, at most `MOST_PLAYERS`.
        cut: links and players beyond what is kept.
        manifest: of one medium that is sent in pieces: the list is this medium then, and has no links.
        hub: URL of the hub that tells of its changes (WebSub); empty if it names none.
        wait: seconds that it asks to be left alone for between two visits; 0 if it does not.
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

    def say(self, reading: str) -> None:
        """Note the encoding of the octets that all of its texts came from."""
        self.reading = reading
        if reading != "utf-8":
            self.links = [each._replace(facts=read_as(each.facts, reading)) for each in self.links]
            self.players = [each._replace(facts=read_as(each.facts, reading)) for each in self.players]
