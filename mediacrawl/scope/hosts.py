"""One spelling for each host name and address."""

from __future__ import annotations

import re
from functools import lru_cache

from mediacrawl.scope.url_standard import host_as_requested

_LONGEST_HOST = 253
"""Characters of a name in its ASCII form, RFC 1035 section 2.3.4 without the root's dot."""

_is_name = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*").fullmatch


@lru_cache(maxsize=20_000)
def canonical_host(host: str) -> str | None:
    """Return the one spelling of a host, or None if it cannot be one.

    As the URL Standard writes it (`url_standard.host_as_requested`): lower case, IDNA by UTS 46, IPv4 addresses dotted
    and decimal whatever base they were written in, IPv6 addresses in square brackets. Beyond that no dot at the end,
    and only names that DNS can hold.

    Args:
        host: name or address as it stands in a URL, without user and port; IPv6 in square brackets.
    """
    if len(host) > 4 * _LONGEST_HOST:
        return None
    written = host_as_requested(host)
    if written is None or written.startswith("["):
        return written
    name = written.removesuffix(".")
    return name if len(name) <= _LONGEST_HOST and _is_name(name) else None


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
