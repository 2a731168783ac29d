"""One spelling for each URL, so that no page is asked twice under two names.

A page has about a hundred links, and most of them are spelled in canonical form already. One compiled
pattern recognises those; the others take the long way round, behind a cache. Both ways give the same
answer, and a test compares them.
"""

from __future__ import annotations

import re
from functools import lru_cache

from w3lib.url import canonicalize_url

from mediacrawl.scope.hosts import canonical_host

_CACHED_LENGTH = 2_048
"""Characters. Longer URLs are not kept in the cache, which stays below 20 MB whatever pages hold."""

# What stays as it is, because w3lib would write the same again. All else goes the long way. The patterns
# are unrolled loops (`normal* (escape normal*)*`): linear in the length of the URL, also when they fail.
_PATH_CHAR = r"[A-Za-z0-9/\-._~!$'()*+,=:@]*"
_PATH_CHAR_NO_COLON = r"[A-Za-z0-9/\-._~!$'()*+,=@]*"
_PATH_ESCAPE = r"%(?:20|[89A-F][0-9A-F])"
_WORD_CHAR = r"[A-Za-z0-9\-._~+]*"
_WORD_ESCAPE = r"%(?:2[1-9ABCF]|3[A-F]|40|5[B-E]|60|7[BCD]|[89A-F][0-9A-F])"

_PATH = rf"{_PATH_CHAR}(?:{_PATH_ESCAPE}{_PATH_CHAR})*"
_WORD = rf"{_WORD_CHAR}(?:{_WORD_ESCAPE}{_WORD_CHAR})*"
_QUERY = rf"(?:\?{_WORD}={_WORD}(?:&{_WORD}={_WORD})*)?"
# At most four labels of at most 61 characters: always below the 253 that DNS allows. The last one begins
# with a letter, so that it is no IPv4 address.
_HOST = r"(?:[a-z0-9_-]{1,61}\.){1,3}[a-z][a-z0-9-]{1,60}"
_PORT = r"(?::(?!80/|443/)(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}))?"

_is_absolute = re.compile(rf"https?://{_HOST}{_PORT}/{_PATH}{_QUERY}").fullmatch
_is_rooted = re.compile(rf"/(?!/){_PATH}{_QUERY}").fullmatch
_is_relative = re.compile(
    rf"[A-Za-z0-9_]{_PATH_CHAR_NO_COLON}(?:{_PATH_ESCAPE}{_PATH_CHAR_NO_COLON})*{_QUERY}"
).fullmatch

_split = re.compile(r"(https?)://([^/?#]*)([^#]*)", re.IGNORECASE).match
_scheme = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):").match
_http_scheme = re.compile(r"(https?):(/*)", re.IGNORECASE).match

_C0_AND_SPACE = "".join(map(chr, range(0x21)))
_TAB_AND_NEWLINE = str.maketrans("", "", "\t\n\r")
_DEFAULT_PORTS = {"http": "80", "https": "443"}


def canonical(url: str) -> str | None:
    """Return the one spelling of an absolute URL, or None if it is no http or https URL.

    Scheme and host in lower case, host in its ASCII form (`canonical_host`), no user and password, no
    default port, no fragment, dot segments resolved (RFC 3986 section 5.2.4), an empty path is ``/``; escapes
    and the order of the query as `w3lib.url.canonicalize_url` writes them, blank values kept.

    Args:
        url: absolute URL as a page or a user wrote it.
    """
    path = url.partition("#")[0] if "#" in url else url
    if _is_absolute(path) and _settled(path):
        return path
    return long_way(url)


def resolve(base: str | Base, href: str) -> str | None:
    """Return the canonical URL that a reference on a page leads to, or None if it leads nowhere we go.

    Args:
        base: URL of the page, or the `Base` made of it; for many links of one page make the `Base` once.
        href: the reference as it stands in the page.

    Raises:
        ValueError: the base itself is no http or https URL.
    """
    return (base if isinstance(base, Base) else Base(base)).canonical(href)


class Base:
    """What the links of one page are resolved against, taken apart once.

    Attributes:
        url: canonical URL that stands for an empty reference.
        origin: its scheme and authority, ``https://site.example:8080``.
    """

    __slots__ = ("_bare", "_directory", "_scheme", "origin", "url")

    def __init__(self, url: str, base_href: str = "") -> None:
        """Take a page's URL apart.

        Args:
            url: URL of the page.
            base_href: what the page says in ``<base href>``; one that cannot be used is ignored, as
                browsers do.

        Raises:
            ValueError: `url` is no http or https URL.
        """
        self._take(canonical(url), url)
        if base_href:
            declared = self.canonical(base_href)
            if declared is not None:
                self._take(declared, base_href)

    def _take(self, url: str | None, written: str) -> None:
        if url is None:
            raise ValueError(f"not an http or https URL: {written[:200]!r}")
        self.url = url
        self._scheme = url.partition(":")[0]
        self.origin = url[: url.find("/", len(self._scheme) + 3)]
        self._bare = url.partition("?")[0]
        self._directory = self._bare[: self._bare.rfind("/") + 1]

    def canonical(self, href: str) -> str | None:
        """Return the canonical URL of a reference, or None if it leads nowhere we go.

        White space around it, and tabs and line ends inside, are dropped; backslashes of the path are
        slashes (the URL Standard, "basic URL parser"). ``javascript:``, ``mailto:``, ``data:`` and all other
        schemes give None.

        Args:
            href: the reference as it stands in the page.
        """
        path = href.partition("#")[0] if "#" in href else href
        if path[:1] == "/" and _is_rooted(path):
            joined = self.origin + path
        elif path[:4] == "http" and _is_absolute(path):
            joined = path
        elif _is_relative(path):
            joined = self._directory + path
        else:
            return self._join(href)
        return joined if _settled(path) else self._join(href)

    def _join(self, href: str) -> str | None:
        reference = _clean(href)
        if http := _http_scheme(reference):
            scheme, slashes = http.groups()
            rest = reference[http.end() :]
            if len(slashes) >= 2 or scheme.lower() != self._scheme:
                return long_way(f"{scheme}://{rest}")
            # "http:page.html" on a page of the same scheme is a relative reference, to browsers too.
            reference = slashes + rest
        elif _scheme(reference):
            return None
        return long_way(self._absolute(reference))

    def _absolute(self, reference: str) -> str:
        """Join as in RFC 3986 section 5.2.2; the dot segments are resolved later."""
        if reference.startswith("//"):
            return f"{self._scheme}://{reference.lstrip('/')}"
        if reference.startswith("/"):
            return self.origin + reference
        if reference.startswith("?"):
            return self._bare + reference
        if not reference or reference.startswith("#"):
            return self.url
        return self._directory + reference


def scheme_of(href: str) -> str:
    """Return the scheme that a reference names, in lower case; empty if it names none.

    Args:
        href: the reference as it stands in the page.
    """
    match = _scheme(_clean(href[:_CACHED_LENGTH]))
    return match[1].lower() if match else ""


def long_way(url: str) -> str | None:
    """Do what `canonical` does without its fast path. Public for the test that compares the two.

    Args:
        url: absolute URL as a page or a user wrote it.
    """
    return _cached(url) if len(url) <= _CACHED_LENGTH else _canonical(url)


def _canonical(url: str) -> str | None:
    parts = _split(_clean(url))
    if parts is None:
        return None
    scheme = parts[1].lower()
    authority = _authority(scheme, parts[2])
    rest = _path_and_query(parts[3])
    if authority is None or rest is None:
        return None
    return f"{scheme}://{authority}{rest}"


_cached = lru_cache(maxsize=10_000)(_canonical)


def _clean(url: str) -> str:
    url = url.strip(_C0_AND_SPACE)
    if not url.isprintable():
        url = url.translate(_TAB_AND_NEWLINE)
    if "\\" not in url:
        return url
    path, mark, rest = _cut_at_query(url)
    return path.replace("\\", "/") + mark + rest


def _cut_at_query(url: str) -> tuple[str, str, str]:
    end = min((place for place in (url.find("?"), url.find("#")) if place >= 0), default=len(url))
    return url[:end], url[end : end + 1], url[end + 1 :]


def _authority(scheme: str, text: str) -> str | None:
    host_and_port = text.rpartition("@")[2]
    host, port = _cut_port(host_and_port)
    name = canonical_host(host)
    if name is None or not (port == "" or (port.isascii() and port.isdigit())):
        return None
    port = port.lstrip("0") or ("0" if port else "")
    if len(port) > 5 or int(port or 0) > 65_535:
        return None
    return name if port in ("", _DEFAULT_PORTS[scheme]) else f"{name}:{port}"


def _cut_port(text: str) -> tuple[str, str]:
    if text.endswith("]"):
        return text, ""
    host, colon, port = text.rpartition(":")
    return (host, port) if colon else (text, "")


def _path_and_query(text: str) -> str | None:
    prefix = "http://h"
    try:
        written = canonicalize_url(prefix + text, keep_blank_values=True)
    except ValueError:
        return None
    rest = written[len(prefix) :]
    if "/." not in rest:
        return rest
    # Older w3lib leaves the dot segments.
    path, mark, query = rest.partition("?")
    return _without_dots(path) + mark + query


def _without_dots(path: str) -> str:
    kept: list[str] = []
    segments = path.split("/")[1:]
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _settled(url: str) -> bool:
    """Tell whether a URL of plain characters needs no dot segment resolved and no query sorted."""
    if "/." in url:
        return False
    return "&" not in url or _sorted(url[url.index("?") + 1 :])


def _sorted(query: str) -> bool:
    if "%" in query or "+" in query:
        return False  # the order is that of the decoded words
    # With a zero byte for "=" the words are in the order of their (name, value) pairs.
    words = query.replace("=", "\0").split("&")
    return words == sorted(words)
