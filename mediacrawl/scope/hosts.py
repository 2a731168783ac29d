"""Hosts, addresses and ports by the URL Standard."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import ada_url

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
        query = "".join(_octet(octet) for octet in _encoded(parts[2], charset))
    except LookupError:
        return reference
    return parts[1] + query + parts[3]


def _encodes(text: str, charset: str) -> bool:
    try:
        return bool(text.encode(charset))
    except UnicodeError:
        return False


def _octet(octet: int | str) -> str:
    # The library escapes what is ASCII and may not be in a query.
    return octet if isinstance(octet, str) else chr(octet) if octet < 0x80 else f"%{octet:02X}"


def _encoded(text: str, charset: str) -> Iterator[int | str]:
    """Yield the octets of a text; of a character that the charset lacks the escaped numeric reference."""
    for character in [text] if _encodes(text, charset) else text:
        try:
            yield from character.encode(charset)
        except UnicodeError:
            yield f"%26%23{ord(character)}%3B"


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
