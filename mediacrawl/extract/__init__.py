"""Reads links, media and facts about media from pages, feeds, sitemaps and playlists.

In come the bytes of a page or a list, cut by the caller to its limit. Out come a `Page` or a `Listing`: references as
they are written, each with its link source; the media that the page plays or describes, with facts about them; robots
directives, the declared language, the encoding. A `Fingerprint` compares what pages show.

No input raises, hangs, or gives more than a few thousand links. References are neither resolved nor judged. No DTD, no
entity and no network is used, and no script is run. ``README.md`` has examples, limits and figures.

`links.parse_page` is where to begin reading for pages, `lists.parse_list` for all else.
"""

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.extract.charset import decode
    from mediacrawl.extract.fingerprint import Fingerprint
    from mediacrawl.extract.links import Link, Page, parse_page
    from mediacrawl.extract.listing import Listed, Listing
    from mediacrawl.extract.lists import parse_list, recognize_list
    from mediacrawl.extract.manifests import Manifest, ManifestTrack
    from mediacrawl.extract.medium import Medium
else:
    __getattr__ = late_names(
        __name__,
        {
            "Fingerprint": "fingerprint",
            "Link": "links",
            "Listed": "listing",
            "Listing": "listing",
            "Manifest": "manifests",
            "ManifestTrack": "manifests",
            "Medium": "medium",
            "Page": "links",
            "decode": "charset",
            "parse_list": "lists",
            "parse_page": "links",
            "recognize_list": "lists",
        },
    )

__all__ = [
    "Fingerprint",
    "Link",
    "Listed",
    "Listing",
    "Manifest",
    "ManifestTrack",
    "Medium",
    "Page",
    "decode",
    "parse_list",
    "parse_page",
    "recognize_list",
]
