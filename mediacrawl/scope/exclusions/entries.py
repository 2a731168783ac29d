"""The syntax of a NeverCrawl list.

=============================================== =====================================================================
line                                            covers
=============================================== =====================================================================
``example.org``, ``*.example.org``              the domain and its subdomains
``http://example.org/``                         the same
``bücher.example``, ``xn--bcher-kva.example``   the same domain
``example.org/private/``                        the path and all below it, on the domain and its subdomains
``192.0.2.7``, ``2001:db8::7``                  one address
``192.0.2.0/24``, ``2001:db8::/32``             a network
=============================================== =====================================================================

A path covers whole segments: ``/private`` covers ``/private/a?b`` but not ``/privateer``. Paths are compared with
escapes resolved (``%2F`` is a slash), backslashes as slashes, empty and dot segments removed, and without case, since
some servers ignore case. Where a path has two readings, either one is covered: an entry covers a page too many rather
than one too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import PurePath
from urllib.parse import unquote

from mediacrawl.scope.urls import canonical_host, domain_as_written, is_address, is_public_suffix, public_suffixes

Address = IPv4Address | IPv6Address

_SHORTEST_PREFIX = {4: 8, 6: 16}
"""Bits of a network prefix by IP version; a shorter one is probably a mistake, since no owner has more than a /8."""

_date = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_dated_end = re.compile(r"[\s,;:(\[]*(\d{4}-\d{2}-\d{2})[\s.)\]]*$")
_dated_start = re.compile(r"^[(\[]?(\d{4}-\d{2}-\d{2})[)\]]?(?:[\s,;:]+|$)")
_is_port = re.compile(r"[^:]*[^:\]]:[0-9]{1,5}|\[[^\]]*\]:[0-9]{1,5}").fullmatch
_is_mask = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}").fullmatch
_without_parameters = re.compile(r";[^/]*").sub
_is_plain = re.compile(r"(?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*").fullmatch


class NeverCrawlError(ValueError):
    """A list can not be used or changed, and there is no earlier one to keep. The text is one sentence."""


@dataclass(slots=True, frozen=True)
class Exclusion:
    """One entry of a NeverCrawl list.

    Attributes:
        domain: canonical domain, which covers its subdomains; or an address; or a network such as ``192.0.2.0/24``.
        path: the path covered, in the form of `comparable`; empty for all paths.
        reason: the comment without its date; may be empty.
        date: the date in the comment (ISO 8601, ``2026-11-02``), or None.
        file: path of the list, as given.
        line: line number, from 1.
    """

    domain: str
    path: str
    reason: str
    date: str | None
    file: str
    line: int

    @property
    def covers(self) -> str:
        """Domain and path: ``example.org/private``."""
        return self.domain + self.path

    @property
    def where(self) -> str:
        """File name and line number: ``NeverCrawl.txt:12``."""
        return f"{PurePath(self.file).name}:{self.line}"

    @property
    def key(self) -> bytes:
        """The octets by which it is looked up."""
        return key_of(self.domain, self.path)

    @property
    def remark(self) -> str:
        """A predicate for an entry that covers more than one owner can have; else empty."""
        if "/" in self.domain:
            network = ip_network(self.domain)
            too_wide = network.prefixlen < _SHORTEST_PREFIX[network.version]
            return "covers a large part of the internet" if too_wide else ""
        if self.path or self.domain == "localhost" or is_address(self.domain):
            return ""
        return "is a public suffix, and covers every site below it" if is_public_suffix(self.domain) else ""


def key_of(domain: str, path: str = "") -> bytes:
    """Return the octets by which an entry is looked up. The arguments are those of `Exclusion`."""
    return (domain + path).encode("utf-8", "surrogatepass")


def suffix_keys() -> frozenset[bytes]:
    """Return the public suffixes as keys, to read a long list with: 2 MB. Wildcard rules are left out."""
    return frozenset(_canonical_suffix(rule).encode() for rule in public_suffixes() if rule[0] not in "*!")


def read_line(text: str, file: str = "", number: int = 1) -> Exclusion | str | None:
    """Parse a line of a list.

    Returns:
        The entry; or what is wrong, as a predicate: ``is no domain``; or None for an empty line.
    """
    written, _, comment = text.partition("#")
    written = written.strip()
    if not written:
        return None
    if wrong := _syntax_error(written):
        return wrong
    host, slash, tail = (written.partition("://")[2] if "://" in written else written).partition("/")
    reason, day = _dated(comment.strip())
    if _is_mask(tail) and (network := _network(host, tail)):
        return Exclusion(network, "", reason, day, file, number)
    domain = _domain(host)
    if domain is None:
        has_port = "has a port; an entry covers all ports of a host, write it without"
        return has_port if _is_port(host) else "is no domain, address or network"
    if is_address(domain) and _is_mask(tail.removesuffix("/")):
        return "is no network; write all of its address and no slash at the end, as in 192.0.2.0/24"
    tail = tail.removesuffix("/*") if tail != "*" else ""
    if "*" in tail:
        return "has a star in its path; a path covers all below it without one"
    return Exclusion(domain, comparable(slash + tail), reason, day, file, number)


def comparable(path: str) -> str:
    """Return the normal form of a path, ``/music/private``; empty for the root."""
    *_, segments = _walk(_plain(path))
    return _joined(segments)


def beginnings(path: str, deepest: int) -> Iterator[str]:
    """Yield the normal forms of a path and of all folders above it, in every reading."""
    text = _plain(path)
    for reading in (text, _without_parameters("", text)) if ";" in text else (text,):
        for segments in _walk(reading):
            if 0 < len(segments) <= deepest:
                yield _joined(segments)


def address_of(text: str) -> Address | None:
    """Parse an address; an IPv4-mapped one (``::ffff:192.0.2.7``) becomes IPv4. None for anything else."""
    try:
        address = ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return address if mapped is None else mapped


def host_of_address(address: Address) -> str:
    """Return an address as the host of a canonical URL."""
    return str(address) if address.version == 4 else f"[{address}]"


def _canonical_suffix(rule: str) -> str:
    """Return the canonical form of a rule of the public suffix list.

    Most rules are in ASCII and canonical already. To parse all 10,000 took half of the time in which a command starts.
    """
    return rule if _is_plain(rule) else canonical_host(rule) or rule


def _syntax_error(written: str) -> str:
    words = written.split()
    if len(words) > 1:
        if address_of(words[0]) is not None:
            return "is a line of a hosts file; write only the name"
        return "has more than one word; each line has one entry, and # begins a comment"
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
    mapped = network.network_address.ipv4_mapped if isinstance(network, IPv6Network) else None
    if mapped is not None and network.prefixlen >= 96:
        network = IPv4Network((int(mapped), network.prefixlen - 96))
    return str(network)


def _domain(host: str) -> str | None:
    domain = domain_as_written(host)
    if domain is None or not is_address(domain):
        return domain
    address = address_of(domain)
    return None if address is None else host_of_address(address)


def _dated(comment: str) -> tuple[str, str | None]:
    """Return the comment without a date at its end or beginning, and its date."""
    for pattern in (_dated_end, _dated_start):
        found = pattern.search(comment)
        if found and _is_day(found[1]):
            return (comment[: found.start()] + comment[found.end() :]).strip(), found[1]
    return comment, next(filter(_is_day, _date.findall(comment)), None)


def _is_day(text: str) -> bool:
    try:
        return bool(date.fromisoformat(text))
    except ValueError:
        return False


def _plain(path: str) -> str:
    return unquote(path, errors="surrogateescape").replace("\\", "/").casefold()


def _walk(text: str) -> Iterator[list[str]]:
    """Yield the resolved segments after each segment of a path; one list, changed in place."""
    segments: list[str] = []
    yield segments
    for segment in text.split("/"):
        if segment == "..":
            del segments[-1:]
        elif segment not in {"", "."}:
            segments.append(segment)
        else:
            continue
        yield segments


def _joined(segments: list[str]) -> str:
    return "".join(f"/{segment}" for segment in segments)
