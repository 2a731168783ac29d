"""The parts of a URL: its two forms, its host, site and authority, the extension of its path.

The canonical form of a URL is its key; another form is requested. A page has about a hundred links, most of them in
canonical form already. One compiled pattern recognises those; the others are parsed, behind a cache. Both ways give
the same result, and a test compares them. Hosts, addresses and ports are those of the URL Standard.

A site is what one owner can register under the public suffix list, private suffixes included: two blogs at one hoster
are two sites, ``www`` and ``media`` of one domain are one. Politeness counts by site.

The addresses of an IPv6 /64 belong to one network, often to one machine (RFC 4291 section 2.5.4, RFC 6177). As hosts
they are one site, so that one machine cannot be any number of sites.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from ipaddress import IPv6Address, IPv6Network, ip_network
from typing import TYPE_CHECKING, NamedTuple

import ada_url
from w3lib.url import canonicalize_url

from mediacrawl.base.terms import Kind

if TYPE_CHECKING:
    from tldextract import TLDExtract

_UTF_8 = "utf-8"
_LONGEST_HOST = 1_024
"""Characters of a host with Punycode that is read, four times what DNS can hold."""
_NOT_FOR_QUERIES = ("utf-16", "utf-32", "utf-7")
"""Beginnings of charset names for which queries are sent in UTF-8 ("get an output encoding")."""

_cut_query = re.compile(r"([^?#]*\?)([^#]*)(.*)", re.DOTALL).fullmatch
_subscription = re.compile(
    r"\s*(?:feed|itpc|pcast|podcast):(?://)?(?=[^\s/])(https?:/{0,2}(?=[^/]))?", re.IGNORECASE
).match
"""The schemes by which pages ask programs to subscribe to a feed: ``itpc://site.example/feed``, ``feed:https://...``."""
_surrogate = re.compile("[\ud800-\udfff]").sub


def as_requested(reference: str, base: str = "", charset: str = _UTF_8) -> str | None:
    """Return the URL of the request for a reference, or None if it is no http or https URL.

    This is the "basic URL parser" of the URL Standard with its serializer. The order of the query, its escapes and its
    empty parts stay as written. The fragment is left out, and user and password, which this crawler does not use.
    A link to subscribe to a feed (``feed:``, ``itpc:``, ``pcast:``, ``podcast:``) becomes the URL of the feed.

    Args:
        reference: as in a page, a file or a header.
        base: absolute URL that it is relative to; empty for an absolute reference.
        charset: of the page, as a Python codec name; the query is encoded with it.
    """
    reference = _surrogate("\ufffd", reference)
    if charset != _UTF_8 and not reference.isascii():
        reference = _with_encoded_query(reference, charset)
    try:
        url = ada_url.join_url(base, reference) if base else ada_url.normalize_url(reference)
    except ValueError:
        return None
    scheme, mark, rest = url.partition("#")[0].partition("://")
    if not mark or scheme not in ("http", "https"):
        feed = _subscription(reference)
        return as_requested(f"{feed[1] or 'http://'}{reference[feed.end() :]}") if feed else None
    authority, slash, path = rest.partition("/")
    authority = authority.rpartition("@")[2]
    if "xn--" in authority and not _is_punycode(authority.rpartition(":")[0] or authority):
        return None
    return f"{scheme}://{authority}{slash}{path}"


def host_as_requested(host: str) -> str | None:
    """Return a host as the URL Standard writes it ("host parser", UTS 46 without transitional processing), or None."""
    if any(mark in host for mark in "/\\?#@") or (":" in host and not (host[:1] == "[" and host[-1:] == "]")):
        return None
    url = as_requested(f"http://{host}/")
    return None if url is None else url.removeprefix("http://").removesuffix("/")


def _with_encoded_query(reference: str, charset: str) -> str:
    """Percent-encode what is not ASCII in the query ("percent-encode after encoding").

    A character that the charset lacks becomes a numeric character reference, as browsers send it.
    """
    parts = _cut_query(reference)
    if parts is None or parts[2].isascii() or charset.startswith(_NOT_FOR_QUERIES):
        return reference
    try:
        return parts[1] + _encoded(parts[2], charset) + parts[3]
    except LookupError:
        return reference


def _encoded(text: str, charset: str) -> str:
    """Return a text with its octets escaped; a character that the charset lacks is an escaped numeric reference."""
    try:
        # The library escapes what is ASCII and may not be in a query.
        return "".join(chr(octet) if octet < 0x80 else f"%{octet:02X}" for octet in text.encode(charset))
    except UnicodeError:
        if len(text) > 1:
            return "".join(_encoded(character, charset) for character in text)
        return f"%26%23{ord(text)}%3B"


def _is_punycode(host: str) -> bool:
    """Whether all labels of a host that begin with ``xn--`` are valid Punycode (RFC 3492), which ada does not check.

    A host that is too long for DNS is refused, since decoding takes quadratic time.
    """
    return len(host) <= _LONGEST_HOST and all(
        _is_encoded(label) for label in host.split(".") if label.startswith("xn--")
    )


@lru_cache(maxsize=10_000)
def _is_encoded(label: str) -> bool:
    try:
        name = label[4:].encode("ascii").decode("punycode")
        return bool(name) and ada_url.idna.encode(name) == label.encode("ascii")
    except (UnicodeError, ValueError, OverflowError):
        return False


_LONGEST_NAME = 253
"""Characters of a name in its ASCII form, RFC 1035 section 2.3.4 without the root's dot."""

_is_name = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*").fullmatch


@lru_cache(maxsize=20_000)
def canonical_host(host: str) -> str | None:
    """Return the canonical form of a host, IPv6 in square brackets, or None if it is invalid.

    As in the URL Standard (`host_as_requested`): lower case, IDNA by UTS 46, IPv4 addresses dotted and decimal,
    IPv6 addresses in square brackets. Besides, no dot at the end, and only names that DNS can hold.
    """
    if len(host) > 4 * _LONGEST_NAME:
        return None
    written = host_as_requested(host)
    if written is None or written.startswith("["):
        return written
    name = written.removesuffix(".")
    return name if len(name) <= _LONGEST_NAME and _is_name(name) else None


def domain_as_written(text: str) -> str | None:
    """Return the domain or address in a line of a list, in canonical form, or None.

    Accepts ``*.site.example``, ``.site.example`` and ``http://site.example/``, but no networks and paths.
    """
    text = text.partition("://")[2] if "://" in text else text
    text = text.removesuffix("/").removeprefix("*.").removeprefix(".")
    if not text or any(mark in text for mark in "/*@?%,; \t") or text.startswith("-"):
        return None
    return canonical_host(f"[{text}]" if text.count(":") > 1 and text[0] != "[" else text)


def is_address(host: str) -> bool:
    """Whether a host in canonical form is an IPv4 or IPv6 address."""
    return host.startswith("[") or host.rpartition(".")[2].isdigit()


def is_loopback(host: str) -> bool:
    """Whether a host in canonical form is this machine by its name alone, without DNS.

    ``localhost`` and its subdomains (RFC 6761 section 6.3), 127.0.0.0/8 and ::1.
    """
    if is_address(host):
        return host.startswith("127.") or host == "[::1]"
    return host == "localhost" or host.endswith(".localhost")


REFUSED_PORTS = (
    *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104),
    *(109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526),
    *(530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045),
    *(4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211),
)
"""The "bad ports" of the Fetch Standard (https://fetch.spec.whatwg.org/#port-blocking), and those of Redis and
memcached, which read the lines of a request as commands."""


def port_of(url_or_authority: str) -> int | None:
    """Return the port in a canonical URL or authority; None for the default of its scheme."""
    rest = url_or_authority.partition("://")[2] or url_or_authority
    port = rest.partition("/")[0].rpartition("]")[2].partition(":")[2]
    return int(port) if port.isdecimal() else None


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
        requested: the form that is requested, see `as_requested`.
        published: the URL in whose path this one was found (`wrapped.unwrapped`), as that is requested; else empty.
    """

    key: str
    requested: str
    published: str = ""


def canonical(url: str) -> str | None:
    """Return the canonical form of an absolute URL, or None if it is no http or https URL.

    The URL as requested (`as_requested`), without a dot behind the host, and with escapes and the order of
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


_GLOBAL = ip_network("2000::/3")
"""IPv6 for global use (RFC 4291 section 2.4). Others are refused, unless the operator allows them."""
RESERVED = frozenset({"test", "example", "invalid", "localhost", "local", "internal"})
"""Top-level domains that no registry gives out (RFC 6761, RFC 6762; ICANN reserved ``internal``)."""


@cache
def _extract() -> TLDExtract:
    """Uses the list that comes with the package: no network at the start, and the same answer everywhere."""
    # Importing it takes a twentieth of a second, and most commands do not need it.
    from tldextract import TLDExtract  # noqa: PLC0415

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def site_of(url_or_host: str) -> str:
    """Return the site: the registrable domain, or the host itself if it has none.

    IPv4 addresses, names of one label (``localhost``, ``intranet``) and public suffixes themselves (``github.io``)
    are their own site. The site of a global IPv6 address is its /64, as in ``2001:db8::/64``; other IPv6 addresses
    are their own. By the public suffix list's own rule an unknown top-level domain is a suffix of one label, so the
    site of ``www.tonspur.example`` is ``tonspur.example``.
    """
    return _site(host_of(url_or_host) if "//" in url_or_host else url_or_host)


def host_of(url: str) -> str:
    """Return the host of an absolute URL by slicing: no user, no port, IPv6 in its square brackets."""
    start = url.find("//") + 2
    end = url.find("/", start)
    authority = url[start:end] if end >= 0 else url[start:].partition("?")[0].partition("#")[0]
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    if ":" not in authority:
        return authority
    return authority[: authority.find("]") + 1] or authority.partition(":")[0]


def authority_of(url: str) -> str:
    """Return scheme, host and port of a canonical URL, ``https://site.example:8080``, to which a robots.txt applies."""
    end = url.find("/", url.find("//") + 2)
    return url[:end] if end >= 0 else url


def referer(page: str, url: str) -> str:
    """Return the header Referer of a request for a URL that a page links to; empty for none.

    This is the policy ``strict-origin-when-cross-origin``, the default of browsers (W3C Referrer Policy, section 3.7):
    the whole URL within an origin, the origin for another one, and nothing from https to http.

    Args:
        page: URL of the page, as requested: without credentials and fragment. Empty if there is none.
        url: that is requested.
    """
    if not page.startswith(("http://", "https://")) or (page.startswith("https:") and not url.startswith("https:")):
        return ""
    origin = authority_of(page)
    return page if origin == authority_of(url) else f"{origin}/"


def public_suffixes() -> list[str]:
    """Return the rules of the public suffix list, private ones too: ``co.uk``, ``*.ck``, ``!www.ck``."""
    return _extract().tlds


def is_top_level(label: str) -> bool:
    """Tell whether a label, in canonical form, is a top-level domain of the public suffix list."""
    return bool(_extract().extract_str(f"a.{label}").suffix)


def is_public_suffix(host: str) -> bool:
    """Tell whether each name below a host is a site of its own: of public suffixes, and of names of one label."""
    return site_of(f"a.{host}") != site_of(host)


def is_network(site: str) -> bool:
    """Tell whether a site is a network of IPv6 addresses."""
    return "/" in site


@lru_cache(maxsize=100_000)
def _site(host: str) -> str:
    name = canonical_host(host) or host
    if name.startswith("["):
        return _site_of_ipv6(name)
    if is_address(name) or "." not in name:
        return name
    parts = _extract().extract_str(name)
    if parts.suffix:
        return f"{parts.domain}.{parts.suffix}" if parts.domain else name
    return ".".join(name.split(".")[-2:])


def _site_of_ipv6(host: str) -> str:
    try:
        address = IPv6Address(host[1:-1])
    except ValueError:
        return host
    return str(IPv6Network((int(address) >> 64 << 64, 64))) if address in _GLOBAL else host


def extension_set(text: str) -> frozenset[str]:
    """Return the extensions of a text, which are separated by white space."""
    return frozenset(text.split())


AUDIO_EXTENSIONS = extension_set(
    "3ga aac ac3 adif adts aif aifc aiff amr ape au awb bwf caf dff dsf dts eac3 ec3 f4a flac kar latm loas m4a m4b "
    "m4p m4r mid midi mka mod mp1 mp2 mp3 mpa mpc mpga ofr ofs oga ogg opus ra rf64 rmi s3m snd spx tak tta voc w64 "
    "wav wave weba wma wv xm"
)
"""Modules of Impulse Tracker end in ``it``, which is left out: servers that choose pages by language have pages of this
ending. A module is recognized by its content then."""
VIDEO_EXTENSIONS = extension_set(
    "3g2 3gp 3gpp asf avi divx dv f4v flv m1v m2p m2ts m2v m4v mkv mov mp4 mpe mpeg mpg mpv mts mxf ogm ogv qt "
    "rm rmvb vob webm wmv"
)
PLAYLIST_EXTENSIONS = extension_set("asx m3u m3u8 mpd pls ram wax wvx xspf")
"""Lists of media. They are requested; their segments are not."""
MEDIA_EXTENSIONS = AUDIO_EXTENSIONS | VIDEO_EXTENSIONS | PLAYLIST_EXTENSIONS


ending = re.compile(r"[^?;]*\.([^.?;]*)").match
"""Matches the last segment of a path up to its extension, its only group."""


def extension_of(url: str) -> str:
    """Return the extension of a canonical URL's path in lower case without its dot; empty if there is none."""
    found = ending(url.partition("?")[0].rpartition("/")[2])
    return "" if found is None else found[1].lower()


def kind_of(url: str) -> Kind:
    """Return the kind that the extension of a canonical URL stands for."""
    return kind_and_extension(url)[0]


def kind_and_extension(url: str) -> tuple[Kind, str]:
    """Return what `kind_of` and `extension_of` do."""
    extension = extension_of(url)
    if extension in PLAYLIST_EXTENSIONS or (extension == "gz" and is_packed_list(url)):
        return Kind.LIST, extension
    return (Kind.MEDIA if extension in MEDIA_EXTENSIONS else Kind.PAGE), extension


def is_packed_list(url: str) -> bool:
    """Whether a canonical URL has the name of a compressed sitemap or feed."""
    return url.partition("?")[0][-7:].lower() == ".xml.gz"
