"""Ports where no web server listens, and where a request could be taken for commands of another protocol."""

from __future__ import annotations

REFUSED_PORTS = (
    *(0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104),
    *(109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526),
    *(530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045),
    *(4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080, 11211),
)
"""The "bad ports" of the Fetch Standard (https://fetch.spec.whatwg.org/#port-blocking), and those of Redis and
memcached, which read a request line by line as commands."""


def port_of(url_or_authority: str) -> int | None:
    """Return the port that a canonical URL, or its host and port, names; None for that of its scheme.

    Args:
        url_or_authority: ``https://site.example:8080/a`` or ``[::1]:8080``; without user and password.
    """
    rest = url_or_authority.partition("://")[2] or url_or_authority
    port = rest.partition("/")[0].rpartition("]")[2].partition(":")[2]
    return int(port) if port.isdecimal() else None
