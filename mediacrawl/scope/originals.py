"""Pages that say themselves whose copy they are: ``<link rel="canonical">`` and its header.

The claim is often wrong. There are sites all of whose pages name the front page, lists whose second page names the
first, and templates with somebody else's URL in them. So it never decides alone:

* The named URL joins as a link like any other, wherever it leads. Nobody loses by that: a copy ends by what it shows.
* A page whose text shows nearly what another page of its site shows (`scope.duplicates`) may still lead to something
  new, so its links are followed if they look as if they did. One that *also* names another URL of its host is taken at
  its word: two witnesses. Then only the named URL and links to media join.
* The front page is no witness, unless for the front page itself under another query.

What a record names as its page is where the file was found, never what that page claims to be.
"""

from __future__ import annotations

from mediacrawl.scope.canonical import Spelling
from mediacrawl.scope.extensions import MEDIA_EXTENSIONS, extension_of
from mediacrawl.scope.sites import host_of


def is_named_copy(page: str, original: str | None) -> bool:
    """Tell whether a page's claim to be a copy can be believed, if what it shows says so too.

    Args:
        page: its URL, in canonical form.
        original: the URL that it names as its own, in canonical form; None if it names none.
    """
    if original is None or original == page or _host(original) != _host(page):
        return False
    return _path(original) != "/" or _path(page) == "/"


def of_a_copy(links: list[tuple[int, Spelling]], original: str) -> list[tuple[int, Spelling]]:
    """Keep those links of such a copy that are followed all the same.

    Args:
        links: place and URL of each.
        original: the URL that it names, in canonical form.
    """
    return [(place, url) for place, url in links if url.key == original or extension_of(url.key) in MEDIA_EXTENSIONS]


def _host(url: str) -> str:
    return host_of(url).removeprefix("www.")


def _path(url: str) -> str:
    return "/" + url.partition("?")[0].partition("://")[2].partition("/")[2]
