"""Extracts links, media and evidence from pages and lists.

In come the bytes of a page or a list (feed, sitemap, playlist), cut to the crawl's limit. Out come `Page` and
`Listing`: references as written, each with its link source, facts about media, robots directives, evidence; and
`Fingerprint`, a few numbers that compare what pages show.

No input raises, hangs, or yields more than a few thousand links. References are neither resolved nor judged (that is
`scope`); no DTD, entity or network is used.
"""

from mediacrawl.extract.feeds import MAX_ENTRIES, Feed, FeedEntry, parse_feed
from mediacrawl.extract.fingerprint import Fingerprint, fingerprint, hash64
from mediacrawl.extract.links import MAX_LINKS, Link, Page, link_header, parse_page
from mediacrawl.extract.listing import Listed, Listing, Player
from mediacrawl.extract.lists import list_form, list_text, parse_list
from mediacrawl.extract.manifests import Manifest, ManifestTrack
from mediacrawl.extract.media import inherit
from mediacrawl.extract.medium import MediaFile, Medium, facts_by_url, standing_alone
from mediacrawl.extract.open_directory import file_facts, is_open_directory, without_steering

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
    "ManifestTrack",
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
    "list_text",
    "parse_feed",
    "parse_list",
    "parse_page",
    "standing_alone",
    "without_steering",
]
