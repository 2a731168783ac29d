"""The canonical form of a URL, which is its key; and the form that is requested.

A page has about a hundred links, most of them in canonical form already. One compiled pattern recognises those; the
others are parsed, behind a cache. Both ways give the same result, and a test compares them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from w3lib.url import canonicalize_url

from mediacrawl.scope.hosts import as_requested, canonical_host

_CACHED_LENGTH = 2_048
"""Characters; longer URLs are not cached, so the cache stays below 20 MB."""

# URLs that w3lib would not change; all others are parsed. The patterns are
# unrolled loops (`normal* (escape normal*)*`), possessive: linear in the length of the URL, also when they fail.
_PATH_CHAR = r"[A-Za-z0-9/\-._~!$'()*+,=:@]*+"
_PATH_CHAR_NO_COLON = r"[A-Za-z0-9/\-._~!$'()*+,=@]*+"
_PATH_ESCAPE = r"%(?:20|[89A-F][0-9A-F])"
_WORD_CHAR = r"[A-Za-z0-9\-._~+]*+"
_WORD_ESCAPE = r"%(?:2[1-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCD]|[89A-F][0-9A-F])"

_PATH = rf"{_PATH_CHAR}(?:{_PATH_ESCAPE}{_PATH_CHAR})*+"
_WORD = rf"{_WORD_CHAR}(?:{_WORD_ESCAPE}{_WORD_CHAR})*+"
_QUERY = rf"(?:\?{_WORD}={_WORD}(?:&{_WORD}={_WORD})*+)?"
# At most four labels of at most 61 characters: always below the 253 that DNS allows. The last one begins
# with a letter, so that it is no IPv4 address.
_HOST = r"(?:[a-z0-9_-]{1,61}\.){1,3}[a-z][a-z0-9-]{1,60}"
_PORT = r"(?::(?!80/|443/)(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}))?"

_is_absolute = re.compile(rf"https?://{_HOST}{_PORT}/{_PATH}{_QUERY}").fullmatch
_is_rooted = re.compile(rf"/(?!/){_PATH}{_QUERY}").fullmatch
_is_relative = re.compile(
    rf"[A-Za-z0-9_]{_PATH_CHAR_NO_COLON}(?:{_PATH_ESCAPE}{_PATH_CHAR_NO_COLON})*+{_QUERY}"
).fullmatch

_PLAIN_WORD = r"[A-Za-z0-9\-._~]*+(?:=[A-Za-z0-9\-._~]*+)?+"
_is_plain_query = re.compile(rf"{_PATH_CHAR}\?{_PLAIN_WORD}(?:&{_PLAIN_WORD})*+").fullmatch
"""A path and a query without escapes: nothing has to be decoded to sort the parameters."""

_scheme = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):").match
_AROUND = "".join(map(chr, range(0x21)))
"""C0 controls and space, which are stripped (the URL Standard, "basic URL parser")."""
_WITHIN = str.maketrans("", "", "\t\n\r")
_ABSOLUTE = ("http://", "https://")


class Spelling(NamedTuple):
    """A URL in its two forms. They are the same for nine of ten links.

    Attributes:
        key: the canonical form, by which URLs are compared and stored.
        requested: the form that is requested, see `hosts.as_requested`.
        published: the URL in whose path this one was found (`wrapped.unwrapped`), as that is requested; else empty.
    """

    key: str
    requested: str
    published: str = ""


def canonical(url: str) -> str | None:
    """Return the canonical form of an absolute URL, or None if it is no http or https URL.

    The URL as requested (`hosts.as_requested`), without a dot behind the host, and with escapes and the order of
    the query as `w3lib.url.canonicalize_url` writes them, blank values kept.
    """
    path = url.partition("#")[0] if "#" in url else url
    if _is_absolute(path) and _settled(path):
        return path
    return long_way(url)


def spelling(url: str, charset: str = "utf-8") -> Spelling | None:
    """Return both forms of an absolute URL on a page in this charset, or None if it is no http or https URL."""
    path = url.partition("#")[0] if "#" in url else url
    if _is_absolute(path) and _settled(path):
        return Spelling(path, path)
    return _spelling(as_requested(url, charset=charset))


class Base:
    """The base URL of the links of one page, parsed once.

    Attributes:
        url: canonical URL of an empty reference.
        requested: the same URL as requested.
        origin: its scheme and authority, ``https://site.example:8080``.
        requested_folder: `requested` up to the last slash of its path.
    """

    __slots__ = ("_charset", "_directory", "_is_plain", "origin", "requested", "requested_folder", "url")

    def __init__(self, url: str, base_href: str = "", charset: str = "utf-8") -> None:
        """Parse a page's URL.

        Args:
            url: URL of the page.
            base_href: the page's ``<base href>``; an invalid one is ignored, as in browsers.
            charset: of the page, as a Python codec name: the queries of its links are encoded with it.

        Raises:
            ValueError: `url` is no http or https URL.
        """
        self._charset = charset
        own = spelling(url)
        if own is None:
            raise ValueError(f"not an http or https URL: {url[:200]!r}")
        self._take(own)
        if base_href:
            declared = self.resolve(base_href)
            if declared is not None:
                self._take(declared)

    def _take(self, own: Spelling) -> None:
        self.url, self.requested, _ = own
        self.origin = self.url[: self.url.find("/", self.url.find("://") + 3)]
        bare = self.url.partition("?")[0]
        self._directory = bare[: bare.rfind("/") + 1]
        self.requested_folder = self.requested[: self.requested.partition("?")[0].rfind("/") + 1]
        # Otherwise the canonical directory is not the requested one.
        self._is_plain = (
            self.requested.startswith(self._directory)
            and "/" not in (self.requested[len(self._directory) :].partition("?")[0])
        )

    def written(self, href: str) -> str:
        """Return a reference with its base: equal texts lead to the same URL. Empty if that is not sure."""
        if href.startswith(_ABSOLUTE):
            # With a space it could be taken for a folder and a reference, as below.
            return href if href.isascii() and " " not in href else ""
        # `?page=2` is relative to the whole URL of its page, also behind white space or as `http:?page=2` (the URL
        # Standard, "special relative or authority state"). What is not ASCII depends on the encoding of the page.
        if href[:1] <= " " or href[0] in "?#" or ":" in href or not href.isascii():
            return ""
        return f"{self.origin if href[0] == '/' else self.requested_folder} {href}"

    def resolve(self, href: str) -> Spelling | None:
        """Return the URL of a reference, or None if it is no http or https URL."""
        path = href.partition("#")[0] if "#" in href else href
        if path[:4] == "http" and _is_absolute(path):
            resolved = path
        elif not self._is_plain:
            return self._join(href)
        elif path[:1] == "/" and _is_rooted(path):
            resolved = self.origin + path
        elif _is_relative(path):
            resolved = self._directory + path
        else:
            return self._join(href)
        return Spelling(resolved, resolved) if _settled(path) else self._join(href)

    def resolve_location(self, location: bytes) -> Spelling | None:
        """Return the target of a redirect, or None if it is no http or https URL.

        Octets beyond ASCII are percent-encoded as they are: the encoding of a header is unknown.
        """
        return self.resolve("".join(chr(octet) if octet < 0x80 else f"%{octet:02X}" for octet in location))

    def canonical(self, href: str) -> str | None:
        """Return the canonical URL of a reference, or None if it is no http or https URL."""
        found = self.resolve(href)
        return None if found is None else found.key

    def _join(self, href: str) -> Spelling | None:
        return _spelling(as_requested(href, self.requested, self._charset))


def _spelling(requested: str | None) -> Spelling | None:
    key = None if requested is None else _key_of(requested)
    return None if requested is None or key is None else Spelling(key, requested)


def scheme_of(href: str) -> str:
    """Return the scheme of a reference, in lower case; empty if it has none."""
    match = _scheme(href[:_CACHED_LENGTH].strip(_AROUND).translate(_WITHIN))
    return match[1].lower() if match else ""


def long_way(url: str) -> str | None:
    """As `canonical`, without the fast path. Public for the test that compares the two."""
    requested = as_requested(url)
    return None if requested is None else _key_of(requested)


def _key_of(requested: str) -> str | None:
    """Return the canonical form of a URL as it is requested."""
    if _is_absolute(requested) and _settled(requested):
        return requested
    return _cached(requested) if len(requested) <= _CACHED_LENGTH else _canonical(requested)


def _canonical(requested: str) -> str | None:
    scheme, _, rest = requested.partition("://")
    authority, _, path = rest.partition("/")
    host, port = _cut_port(authority)
    name = canonical_host(host)
    written = _path_and_query(f"/{path}")
    return None if name is None or written is None else f"{scheme}://{name}{port}{written}"


_cached = lru_cache(maxsize=10_000)(_canonical)


def _cut_port(authority: str) -> tuple[str, str]:
    host, colon, port = authority.rpartition(":")
    return (host, f":{port}") if colon and not port.endswith("]") else (authority, "")


def _path_and_query(text: str) -> str | None:
    if _is_plain_query(text):
        # w3lib takes a third of a second for a page of links with unsorted or bare parameters (?a).
        path, _, query = text.partition("?")
        words = [word if "=" in word else f"{word}=" for word in query.split("&") if word]
        return f"{path}?{'&'.join(sorted(words, key=_in_order))}" if words else path
    prefix = "http://h"
    try:
        written = canonicalize_url(prefix + text, keep_blank_values=True)[len(prefix) :]
    except ValueError:
        return None
    if text.partition("?")[0].endswith(";"):
        # w3lib leaves out empty parameters. The page of a SHOUTcast station is ``/``, and its stream ``/;``.
        path, mark, query = written.partition("?")
        written = f"{path.removesuffix(';')};{mark}{query}"
    return written


def _settled(url: str) -> bool:
    """Tell whether a URL of plain characters has no dot segment and a sorted query."""
    if "/." in url:
        return False
    return "&" not in url or _sorted(url[url.index("?") + 1 :])


def _sorted(query: str) -> bool:
    if "%" in query or "+" in query:
        return False  # the order is that of the decoded words
    words = _in_order(query).split("&")
    return words == sorted(words)


def _in_order(words: str) -> str:
    """Return the sort key of parameters: with a zero byte for "=" they sort as (name, value) pairs."""
    return words.replace("=", "\0")
