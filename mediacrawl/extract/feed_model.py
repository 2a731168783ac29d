"""What a feed is read into, whether it is XML or JSON."""

from __future__ import annotations

from dataclasses import dataclass, field

from mediacrawl.facts import Fact

MAX_ENTRIES = 5_000
"""Entries of a feed that are kept; the others are counted in `Feed.cut`."""
ID_LENGTH = 500
"""Characters of the id of an entry, and of the URL of a hub."""
MOST_FILES = 50
"""Media files of one entry that are kept: a film in ten sizes and four languages has some forty."""
NO_MEDIA = ("image/", "text/", "application/x-shockwave-flash", "application/x-bittorrent")
"""Prefixes of other types: covers and articles are enclosed too."""


@dataclass(slots=True)
class FeedEntry:
    """One entry, or one of the media files of an entry that has several.

    Attributes:
        title: at most 200 characters, white space folded.
        link: the page of the entry, as written; empty if it has none.
        guid: the entry's own id; empty if it has none.
        enclosure: URL of the media file, as written; empty if it has none.
        type: media type that the feed claims, in lower case.
        length: bytes that the feed claims; 0 if it claims none.
        player: URL that plays what the entry is about, if it names no file; else empty.
        facts: about the file, or what the player plays.
    """

    title: str = ""
    link: str = ""
    guid: str = ""
    enclosure: str = ""
    type: str = ""
    length: int = 0
    player: str = ""
    facts: tuple[Fact, ...] = field(default=(), compare=False)


@dataclass(slots=True)
class Feed:
    """The content of a feed.

    Attributes:
        url: of the feed.
        title: at most 200 characters.
        language: as declared: ``de-AT``.
        next: URL of the feed's next page (RFC 5005), as written; empty without one.
        hub: URL of its WebSub hub; empty without one.
        wait: seconds that it requests between two visits; 0 without a request.
        entries: at most `MAX_ENTRIES`.
        cut: entries beyond that.
    """

    url: str
    title: str = ""
    language: str = ""
    next: str = ""
    hub: str = ""
    wait: float = 0.0
    entries: list[FeedEntry] = field(default_factory=list)
    cut: int = 0
