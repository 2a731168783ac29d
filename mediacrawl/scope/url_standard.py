"""URLs as browsers request them: the URL Standard (https://url.spec.whatwg.org), carried out by the library Ada.

The library encodes queries as UTF-8. What browsers do beyond that is done here: the query of a link is encoded with the
charset of its page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import ada_url

_UTF_8 = "utf-8"
_LONGEST_HOST = 1_024
"""Characters of a host with Punycode that is read, four times what DNS can hold."""
_NOT_FOR_QUERIES = ("utf-16", "utf-32", "utf-7")
"""Beginnings of charset names in which no query is sent: "get an output encoding" gives UTF-8 for them."""

_cut_query = re.compile(r"([^?#]*\?)([^#]*)(.*)", re.DOTALL).fullmatch
_surrogate = re.compile("[\ud800-\udfff]").sub


def as_requested(reference: str, base: str = "", charset: str = _UTF_8) -> str | None:
    """Return the URL that a request for a reference carries, or None if it is no http or https URL.

    It is the "basic URL parser" of the URL Standard with its serializer. The order of the query, its escapes and its
    empty parts stay as they were written. Left out are the fragment, which is never sent, and user and password, which
    this crawler does not use.

    Args:
        reference: as it stands in a page, a file or a header.
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
        return None
    authority, slash, path = rest.partition("/")
    authority = authority.rpartition("@")[2]
    if "xn--" in authority and not _is_punycode(authority.rpartition(":")[0] or authority):
        return None
    return f"{scheme}://{authority}{slash}{path}"


def host_as_requested(host: str) -> str | None:
    """Return a host as the URL Standard writes it ("host parser", UTS 46 without transitional processing), or None.

    Args:
        host: name or address; IPv6 in square brackets.
    """
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
    # The library escapes what is ASCII and may not stand in a query.
    return octet if isinstance(octet, str) else chr(octet) if octet < 0x80 else f"%{octet:02X}"


def _encoded(text: str, charset: str) -> Iterator[int | str]:
    """The octets of a text; of a character that the charset lacks the escaped numeric reference."""
    for character in [text] if _encodes(text, charset) else text:
        try:
            yield from character.encode(charset)
        except UnicodeError:
            yield f"%26%23{ord(character)}%3B"


def _is_punycode(host: str) -> bool:
    """Whether all labels of a host that say so are Punycode (RFC 3492) of a valid name. The library does not look.

    One that is far too long for DNS has none: to decode a label takes the square of its length.
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
