"""What the spider ``feeds`` reads of a list: what it names now, and which of that is followed."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.extract import Listed, Listing
from mediacrawl.reading.list_reader import ListReader
from mediacrawl.records import Kind
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope import Scope
from mediacrawl.visit import Visit


class PollReader(ListReader):
    """Reads lists, follows what they name as media, and tells what each was.

    Args:
        parts: what the doors of this crawl share.
        scheduler: whose frontier knows which links are new.
        scope: what decides whether a link may join.
        tell: gets the visit and the list.
    """

    def __init__(
        self, parts: CrawlContext, scheduler: PenaltyBoxScheduler, scope: Scope, tell: Callable[[Visit, Listing], None]
    ) -> None:
        super().__init__(parts, scheduler, scope, follows=True)
        self._tell = tell

    def take(self, visit: Visit, listing: Listing) -> None:
        """Tell of a list that was read.

        Args:
            visit: the answer's.
            listing: what it says.
        """
        self._tell(visit, listing)

    def wanted(self, listing: Listing) -> list[Listed]:
        """The media that a list names. Pages are the business of the spider ``media``.

        Args:
            listing: any.
        """
        return [link for link in listing.links if link.kind is Kind.MEDIA]


def shown(listing: Listing) -> str:
    """A hash of what a list names: feeds that write the time of their making change with every visit, and say nothing.

    Args:
        listing: as it was read.
    """
    digest = sha256()
    entries = [(each.href, each.guid, each.title) for each in listing.links]
    entries += [(each.href, each.guid, each.title) for each in listing.players]
    for entry in entries:
        digest.update("\0".join((*entry, "\n")).encode("utf-8", "replace"))
    return digest.hexdigest()[:32]
