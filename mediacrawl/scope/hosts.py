"""One spelling for each host name and address."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import AddressValueError, IPv6Address
from urllib.parse import unquote

import idna

_LONGEST_HOST = 253
"""Characters of a name in its ASCII form, RFC 1035 section 2.3.4 without the root's dot."""

_is_name = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*").fullmatch
_is_number = re.compile(r"(?:[0-9]+|0x[0-9a-f]*)").fullmatch


@lru_cache(maxsize=20_000)
def canonical_host(host: str) -> str | None:
    """Return the one spelling of a host, or None if it cannot be one.

    Lower case, no dot at the end, IDNA (UTS 46, as browsers do), IPv4 addresses dotted and decimal
    whatever base they were written in (the URL Standard, "host parsing"), IPv6 addresses as in RFC 5952 in
    square brackets.

    Args:
        host: name or address as it stands in a URL, without user and port; IPv6 in square brackets.
    """
    if len(host) > 4 * _LONGEST_HOST:
        return None
    if host.startswith("["):
        return _ipv6(host)
    name = _ascii(unquote(host) if "%" in host else host)
    if name is None or len(name) > _LONGEST_HOST or not _is_name(name):
        return None
    return _ipv4(name) if _is_number(name.rpartition(".")[2]) else name


def domain_as_written(text: str) -> str | None:
    """Return the domain or address that a line of a list means, in canonical form, or None if it is none.

    People write ``*.site.example``, ``.site.example`` and ``http://site.example/``. Networks and paths are none.

    Args:
        text: the line without its comment, stripped.
    """
    text = text.partition("://")[2] if "://" in text else text
    text = text.removesuffix("/").removeprefix("*.").removeprefix(".")
    if not text or any(mark in text for mark in "/*@?%,; \t") or text.startswith("-"):
        return None
    return canonical_host(f"[{text}]" if text.count(":") > 1 and text[0] != "[" else text)


def is_address(host: str) -> bool:
    """Tell whether a host in canonical form is an IPv4 or IPv6 address.

    Args:
        host: as `canonical_host` returns it.
    """
    return host.startswith("[") or host.rpartition(".")[2].isdigit()


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine by its name alone, without DNS.

    ``localhost`` and what ends in it (RFC 6761 section 6.3), 127.0.0.0/8 and ::1.

    Args:
        host: in canonical form.
    """
    if is_address(host):
        return host.startswith("127.") or host == "[::1]"
    return host == "localhost" or host.endswith(".localhost")


def _ascii(host: str) -> str | None:
    name = host.lower() if host.isascii() else _idna(host)
    return name.removesuffix(".") if name else None


def _idna(host: str) -> str | None:
    try:
        return idna.encode(host, uts46=True, transitional=False).decode("ascii").lower()
    except UnicodeError:
        pass
    try:
        # Names with symbols (emoji) exist and are not valid IDNA 2008; the older codec still writes them.
        return host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return None


def _ipv6(host: str) -> str | None:
    try:
        address = IPv6Address(host[1:-1] if host.endswith("]") else "")
    except AddressValueError:
        return None
    if address.scope_id is not None:
        return None
    mapped = address.ipv4_mapped
    if mapped is None:
        return f"[{address.compressed}]"
    # Python writes mapped addresses in two ways, depending on its version; what is on disk must not.
    high, low = divmod(int(mapped), 0x10000)
    return f"[::ffff:{high:x}:{low:x}]"


def _ipv4(host: str) -> str | None:
    parts = host.split(".")
    if len(parts) > 4:
        return None
    numbers = [_ipv4_number(part) for part in parts]
    *heads, tail = numbers
    if tail is None or tail >= 256 ** (5 - len(parts)):
        return None
    address = tail
    for place, head in enumerate(heads):
        if head is None or head > 255:
            return None
        address += head * 256 ** (3 - place)
    return ".".join(str(byte) for byte in address.to_bytes(4, "big"))


def _ipv4_number(part: str) -> int | None:
    if not _is_number(part) or len(part) > 20:
        return None
    try:
        if part.startswith("0x"):
            return int(part[2:] or "0", 16)
        return int(part, 8 if part.startswith("0") else 10)
    except ValueError:
        return None
