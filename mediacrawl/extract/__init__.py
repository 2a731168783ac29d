"""What is on the page?

In come the bytes of a page or a feed as they were sent, cut to what the crawl is ready to read. Out come its
references as they stand there, with the door each came through, and the page's wishes and evidence: `Page`
and `Feed`; and what the page shows as a few numbers to compare: `Fingerprint`.

The room promises: no input makes it raise or hang, or keep more than a few thousand links; it resolves and judges
no reference (that is `scope`'s work) and asks nobody else: no DTD, no entity, no network.
"""

from mediacrawl.extract.feeds import MAX_ENTRIES, Feed, FeedEntry, looks_like_feed, parse_feed
from mediacrawl.extract.fingerprint import Fingerprint, fingerprint, hash64
from mediacrawl.extract.link_header import link_header
from mediacrawl.extract.links import MAX_LINKS, Link, Page, parse_page

__all__ = [
    "MAX_ENTRIES",
    "MAX_LINKS",
    "Feed",
    "FeedEntry",
    "Fingerprint",
    "Link",
    "Page",
    "fingerprint",
    "hash64",
    "link_header",
    "looks_like_feed",
    "parse_feed",
    "parse_page",
]
