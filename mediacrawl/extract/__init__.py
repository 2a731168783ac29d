"""What is on the page?

In come the bytes of a page or a list (feed, sitemap, playlist), cut to what the crawl is ready to read. Out come its
references as they stand there, with the door each came through, what is said of media, and the page's wishes and
evidence: `Page` and `Listing`; and what the page shows as a few numbers to compare: `Fingerprint`.

The room promises: no input makes it raise or hang, or keep more than a few thousand links; it resolves and judges
no reference (that is `scope`'s work) and asks nobody else: no DTD, no entity, no network.
"""

from mediacrawl.extract.feeds import MAX_ENTRIES, Feed, FeedEntry, looks_like_feed, parse_feed
from mediacrawl.extract.fingerprint import Fingerprint, fingerprint, hash64
from mediacrawl.extract.links import MAX_LINKS, Link, Page, link_header, parse_page
from mediacrawl.extract.listing import Listed, Listing, Player
from mediacrawl.extract.lists import list_form, parse_list
from mediacrawl.extract.manifests import Manifest
from mediacrawl.extract.media import inherit
from mediacrawl.extract.medium import MediaFile, Medium, facts_by_url, standing_alone
from mediacrawl.extract.open_directory import file_facts, is_open_directory, without_steering
from mediacrawl.extract.sitemaps import unpacked

__all__ = [
    "MAX_ENTRIES",
    "MAX_LINKS",
    "Feed",
    "FeedEntry",
    "Fingerprint",
    "Link",
    "Listed",
    "Listing",
    "Manifest",
    "MediaFile",
    "Medium",
    "Page",
    "Player",
    "facts_by_url",
    "file_facts",
    "fingerprint",
    "hash64",
    "inherit",
    "is_open_directory",
    "link_header",
    "list_form",
    "looks_like_feed",
    "parse_feed",
    "parse_list",
    "parse_page",
    "standing_alone",
    "unpacked",
    "without_steering",
]
