"""One line of a list: what people write, and the entry that it means.

=============================================== =====================================================================
written                                         covers
=============================================== =====================================================================
``example.org``, ``*.example.org``              the domain and all below it
``http://example.org/``                         the same
``bücher.example``, ``xn--bcher-kva.example``   the same domain
``example.org/private/``                        that path and what is below it, on the domain and its subdomains
``192.0.2.7``, ``2001:db8::7``                  one address
``192.0.2.0/24``, ``2001:db8::/32``             a network
=============================================== =====================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import PurePath

from mediacrawl.scope.exclusions.paths import comparable
from mediacrawl.scope.hosts import domain_as_written, is_address

LONGEST = 8_192
"""Octets of a line. Longer ones are no entries."""

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_date = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_dated_end = re.compile(r"[\s,;:(\[]*(\d{4}-\d{2}-\d{2})[\s.)\]]*$")
_dated_start = re.compile(r"^[(\[]?(\d{4}-\d{2}-\d{2})[)\]]?(?:[\s,;:]+|$)")
_is_port = re.compile(r"[^:]*[^:\]]:[0-9]{1,5}|\[[^\]]*\]:[0-9]{1,5}").fullmatch
_is_mask = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}").fullmatch


@dataclass(slots=True, frozen=True)
class Entry:
    """One line of a list.

    Attributes:
        domain: host or domain in canonical form, which covers its subdomains; or an address; or a network as in
            ``192.0.2.0/24``.
        path: what is covered there, in the form of `paths.comparable`; empty for all of it.
        reason: the comment on the line without its date; empty if there is none.
        date: when it was added, as it stands in the comment (ISO 8601, ``2026-11-02``); None if no date does.
        file: path of the list, as it was given.
        line: number of the line, from 1.
    """

    domain: str
    path: str
    reason: str
    date: str | None
    file: str
    line: int

    @property
    def covers(self) -> str:
        """What it covers, as one would write it: ``example.org/private``."""
        return self.domain + self.path

    @property
    def where(self) -> str:
        """File name and line number, ``NeverCrawl.txt:12``."""
        return f"{PurePath(self.file).name}:{self.line}"

    @property
    def is_network(self) -> bool:
        """Whether it covers a range of addresses."""
        return "/" in self.domain


@dataclass(slots=True, frozen=True)
class Line:
    """What a line says: see `Entry`."""

    domain: str
    path: str
    comment: str

    @property
    def key(self) -> bytes:
        """What it is found by."""
        return key_of(self.domain, self.path)

    def entry(self, file: str, number: int) -> Entry:
        """The entry, with its place."""
        reason, day = _dated(self.comment)
        return Entry(self.domain, self.path, reason, day, file, number)


def key_of(domain: str, path: str = "") -> bytes:
    """The octets by which an entry is found.

    Args:
        domain: see `Entry`.
        path: see `Entry`.
    """
    return (domain + path).encode("utf-8", "surrogatepass")


def read_line(text: str) -> Line | str | None:
    """Read a line.

    Args:
        text: the line; what is behind ``#`` is its comment.

    Returns:
        What it says; or, of a line that is none, what is wrong, to stand behind its name: ``is no domain``; or None of
        an empty line.
    """
    written, _, comment = text.partition("#")
    written = written.strip()
    if not written:
        return None
    if wrong := _wrong(written):
        return wrong
    host, slash, tail = (written.partition("://")[2] if "://" in written else written).partition("/")
    if _is_mask(tail) and (network := _network(host, tail)):
        return Line(network, "", comment.strip())
    domain = _domain(host)
    if domain is None:
        return _no_domain(host)
    if is_address(domain) and _is_mask(tail.removesuffix("/")):
        return "is no network; write all of its address and no slash at the end, as in 192.0.2.0/24"
    tail = tail.removesuffix("/*") if tail != "*" else ""
    if "*" in tail:
        return "has a star in its path; a path covers all below it without one"
    return Line(domain, comparable(slash + tail), comment.strip())


def address_of(text: str) -> Address | None:
    """Read an address; one of IPv4 that is written as one of IPv6 (``::ffff:192.0.2.7``) counts as what it is.

    Args:
        text: of either family, with or without brackets and zone.
    """
    try:
        address = ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def host_of_address(address: Address) -> str:
    """An address as it stands in a canonical URL."""
    return str(address) if address.version == 4 else f"[{address}]"


def _wrong(written: str) -> str:
    """What is wrong with the form of an entry; empty if nothing is."""
    words = written.split()
    if len(words) > 1:
        if address_of(words[0]) is not None:
            return "is a line of a hosts file; write only the name"
        return "has more than one word; one entry stands on a line, and # begins a comment"
    if "\N{REPLACEMENT CHARACTER}" in written:
        return "is not written in UTF-8"
    if "?" in written:
        return "has a query; write the path without it, which covers all its queries"
    return ""


def _network(host: str, mask: str) -> str | None:
    if "." not in host and ":" not in host:
        return None
    try:
        network = ip_network(f"{host.strip('[]')}/{mask}", strict=False)
    except ValueError:
        return None
    return str(_unmapped(network))


def _unmapped(network: Network) -> Network:
    """A network of IPv4 that is written as one of IPv6, as what it is."""
    if isinstance(network, IPv6Network) and network.prefixlen >= 96:
        inner = network.network_address.ipv4_mapped
        if inner is not None:
            return IPv4Network((int(inner), network.prefixlen - 96))
    return network


def _domain(host: str) -> str | None:
    domain = domain_as_written(host)
    if domain is None or not is_address(domain):
        return domain
    address = address_of(domain)
    return None if address is None else host_of_address(address)


def _no_domain(host: str) -> str:
    if _is_port(host):
        return "has a port; an entry covers all ports of a host, write it without"
    return "is no domain, address or network"


def _dated(comment: str) -> tuple[str, str | None]:
    """The comment without its date, if that stands at its end or its beginning, and the date."""
    for pattern in (_dated_end, _dated_start):
        found = pattern.search(comment)
        if found and _is_day(found[1]):
            return (comment[: found.start()] + comment[found.end() :]).strip(), found[1]
    days = (day for day in _date.findall(comment) if _is_day(day))
    return comment, next(days, None)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
