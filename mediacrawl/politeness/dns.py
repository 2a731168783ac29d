"""DNS: reading answers, caching them, and the settings of the resolver.

Name servers pass on untrusted data. Only records that the requested name leads to are read, the number of aliases and
addresses is limited, and the cache bounds every time to live.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from itertools import islice
from typing import Any

A, CNAME, SOA, AAAA = 1, 5, 6, 28
"""Types of records (RFC 1035, 3.2.2; RFC 3596, 2.1)."""

NOERROR, NXDOMAIN = 0, 3
"""Response codes (RFC 1035, 4.1.1)."""

LINKS = 8
"""Aliases in a row that are followed, in one answer and by further queries. Content networks have up to five."""

ADDRESSES = 16
"""Addresses of one family that are kept."""

_LONGEST_TTL = 2**31 - 1

_is_name = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*").fullmatch


class DnsAnswerError(Exception):
    """The answer cannot be used: the server failed, or the aliases lead nowhere."""


@dataclass(frozen=True, slots=True)
class DnsRecord:
    """One record of an answer.

    Attributes:
        name: its owner; lower case, no dot at the end.
        kind: its type.
        ttl: seconds it may be kept.
        value: an address, or the target of an alias, written as `name`.
        minimum: of a SOA: seconds that a negative answer may be kept (RFC 2308 section 4).
    """

    name: str
    kind: int
    ttl: int
    value: str = ""
    minimum: int = 0


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses of a name in one or both families.

    Attributes:
        addresses: as text, in the server's order; empty if there are none.
        ttl: seconds it may be kept; None if the answer does not say.
        alias: the name to query instead, if the answer ends in an alias.
    """

    addresses: tuple[str, ...] = ()
    ttl: int | None = None
    alias: str = ""


def read_answer(
    name: str, kind: int, code: int, records: Sequence[DnsRecord], authority: Iterable[DnsRecord] = ()
) -> DnsAnswer:
    """Return the addresses in an answer.

    Args:
        name: that was requested; lower case, no dot at the end.
        kind: that was requested: `A` or `AAAA`.
        code: the response code.
        records: the answer section.
        authority: the authority section; its SOA says how long a negative answer may be kept.

    Raises:
        DnsAnswerError: the server failed, or the aliases have no end.
    """
    if code not in (NOERROR, NXDOMAIN):
        raise DnsAnswerError(f"the name server failed with code {code}")
    end, ttls = _follow(name, {record.name: record for record in records if record.kind == CNAME})
    found = [record for record in records if record.kind == kind and record.name == end]
    if found:
        addresses = dict.fromkeys(record.value for record in found)
        return DnsAnswer(tuple(islice(addresses, ADDRESSES)), min(ttls + [_ttl(record) for record in found]))
    no = min((min(_ttl(record), record.minimum) for record in authority if record.kind == SOA), default=None)
    if end == name or code == NXDOMAIN or no is not None:
        return DnsAnswer(ttl=no)
    if not _is_name(end):
        raise DnsAnswerError("an alias leads to what is no name")
    return DnsAnswer(ttl=min(ttls), alias=end)


def join(answers: Iterable[DnsAnswer | None]) -> DnsAnswer | None:
    """Return the answers of both families as one, or None if none is known.

    Args:
        answers: one for each family, in the order of preference; None for a family without an answer.
    """
    known = list(answers)
    found = [answer for answer in known if answer is not None and answer.addresses]
    if not found and None in known:
        return None
    merged = found or [answer for answer in known if answer is not None]
    ttls = [answer.ttl for answer in merged if answer.ttl is not None]
    addresses = tuple(address for answer in merged for address in answer.addresses)
    return DnsAnswer(addresses, min(ttls, default=None))


def _follow(name: str, links: dict[str, DnsRecord]) -> tuple[str, list[int]]:
    ttls: list[int] = []
    while name in links:
        if len(ttls) >= LINKS:
            raise DnsAnswerError("its aliases have no end")
        ttls.append(_ttl(links[name]))
        name = links[name].value
    return name, ttls


def _ttl(record: DnsRecord) -> int:
    """RFC 2181 section 8: a number with the highest bit set counts as zero."""
    return record.ttl if 0 <= record.ttl <= _LONGEST_TTL else 0


SHUNNED = 600.0
"""Seconds for which an address that refused a connection is tried after the others of its name."""


@dataclass(frozen=True, slots=True)
class DnsLimits:
    """Bounds of the cache.

    Attributes:
        least: seconds; the shortest time to live.
        most: seconds; the longest.
        negative: seconds; the longest time to live of a negative answer.
        failure: seconds until a name is queried again after the servers failed. Between 1 and 300 (RFC 9520 section
            3.2).
        names: that are kept.
    """

    least: float = 60.0
    most: float = 86_400.0
    negative: float = 3600.0
    failure: float = 30.0
    names: int = 100_000


@dataclass(frozen=True, slots=True)
class CachedName:
    """The cached answer for a name.

    Attributes:
        addresses: in the order of the answer; empty if there are none, or `failed`.
        until: end of its life, on the caller's clock.
        failed: the servers failed.
    """

    addresses: tuple[str, ...]
    until: float
    failed: bool = False


class DnsCache:
    """A cache of answers, least recently used."""

    def __init__(self, limits: DnsLimits) -> None:
        self._limits = limits
        self._names: OrderedDict[str, CachedName] = OrderedDict()
        self._shunned: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._names)

    def get(self, name: str, now: float) -> CachedName | None:
        """Return the answer for a name, or None if there is none in force."""
        known = self._names.get(name)
        if known is None:
            return None
        if known.until <= now:
            del self._names[name]
            return None
        self._names.move_to_end(name)
        return known

    def put(self, name: str, answer: DnsAnswer | None, now: float) -> CachedName:
        """Store an answer; returns it as cached.

        Args:
            name: in canonical form.
            answer: of both families, from `join`; None if the servers failed.
            now: as in `get`.
        """
        known = self._known(answer, now)
        self._names[name] = known
        self._names.move_to_end(name)
        if len(self._names) > self._limits.names:
            self._names.popitem(last=False)
        return known

    def shun(self, address: str, now: float) -> None:
        """Try an address after the others, for `SHUNNED` seconds."""
        self._shunned[address] = now + SHUNNED
        self._shunned.move_to_end(address)
        if len(self._shunned) > self._limits.names:
            self._shunned.popitem(last=False)

    def ordered(self, addresses: Sequence[str], now: float) -> tuple[str, ...]:
        """Return addresses in the order in which they are tried: the shunned last, those shunned longest ago first."""
        if len(addresses) < 2 or not self._shunned:
            return tuple(addresses)
        return tuple(sorted(addresses, key=lambda address: self._shunned_until(address, now)))

    def _shunned_until(self, address: str, now: float) -> float:
        until = self._shunned.get(address, 0.0)
        return until if until > now else 0.0

    def _known(self, answer: DnsAnswer | None, now: float) -> CachedName:
        limits = self._limits
        if answer is None:
            return CachedName((), now + min(max(limits.failure, 1.0), 300.0), failed=True)
        most = limits.most if answer.addresses else limits.negative
        ttl = limits.least if answer.ttl is None else answer.ttl
        return CachedName(answer.addresses, now + max(min(ttl, most), limits.least))


FAMILIES = {"ipv4": A, "ipv6": AAAA}
"""Names of the families in settings -> the type of their records."""

_PORT = 53
_MOST_SERVERS = 3
"""As the C library has it (resolv.conf(5), MAXNS)."""

_LOCALHOST = ("127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class NamePolicy:
    """Settings of the resolver.

    Attributes:
        servers: address and port of each name server, in the order of preference; empty for those of the system.
        families: of `FAMILIES`, in the order of preference.
        timeout: seconds for a name, all servers and aliases included.
        at_once: concurrent queries.
        limits: of the cache.
        hosts: name in canonical form -> fixed addresses.
    """

    servers: tuple[tuple[str, int], ...] = ()
    families: tuple[str, ...] = ("ipv4", "ipv6")
    timeout: float = 10.0
    at_once: int = 64
    limits: DnsLimits = field(default_factory=DnsLimits)
    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = [family for family in self.families if family not in FAMILIES]
        if unknown or not self.families:
            raise ValueError(
                f"RESOLVER_FAMILIES: {', '.join(unknown) or 'an empty list'} cannot be used; "
                "write ['ipv4', 'ipv6'], or one of the two"
            )


def localhost(name: str) -> tuple[str, ...]:
    """Return the addresses of ``localhost`` and its subdomains, which are never queried (RFC 6761 section 6.3).

    Returns:
        The loopback addresses; empty for all other names.
    """
    return _LOCALHOST if name == "localhost" or name.endswith(".localhost") else ()


def fixed_hosts(written: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Parse names with fixed addresses.

    Args:
        written: name -> its address, or a list of them.

    Returns:
        The names as written, with a tuple each.

    Raises:
        ValueError: a value is no address.
    """
    return {str(name): _addresses(str(name), value) for name, value in written.items()}


def read_hosts(text: str) -> dict[str, tuple[str, ...]]:
    """Parse a hosts file (hosts(5)); invalid lines are skipped, as in the C library.

    Args:
        text: an address and its names in each line; ``#`` begins a comment.

    Returns:
        Name in lower case -> its addresses, in the order of the lines.
    """
    hosts: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        written, *names = line.partition("#")[0].split() or [""]
        address = _plain(written)
        if address is None:
            continue
        for name in names:
            known = hosts.get(name.lower(), ())
            hosts[name.lower()] = known if address in known else (*known, address)
    return hosts


def read_servers(text: str) -> tuple[tuple[str, int], ...]:
    """Parse the name servers of a resolv.conf(5): the first three, or the local machine if there are none.

    ``search`` and ``domain`` are ignored: a link to ``http://wiki/`` does not mean the operator's own wiki.
    """
    lines = [line.split() for line in text.splitlines()]
    named = [_plain(words[1]) for words in lines if len(words) > 1 and words[0] == "nameserver"]
    return tuple((address, _PORT) for address in filter(None, named))[:_MOST_SERVERS] or ((_LOCALHOST[0], _PORT),)


def server_of(written: str) -> tuple[str, int]:
    """Parse one name server.

    Returns:
        Its address in normal form, to be compared with the sender of an answer, and its port.

    Raises:
        ValueError: it is none of these.
    """
    address, port = written.strip(), str(_PORT)
    if address.startswith("["):
        address, _, rest = address[1:].partition("]")
        port = rest.removeprefix(":") or port
    elif address.count(":") == 1:
        address, _, port = address.partition(":")
    plain = _plain(address)
    if plain is None or not (port.isdecimal() and 0 < int(port) < 65_536):
        raise ValueError(
            f"RESOLVER_SERVERS: {written!r} is no name server; write it as '192.0.2.1' or '[2001:db8::1]:5353'"
        )
    return plain, int(port)


def _addresses(name: str, value: Any) -> tuple[str, ...]:
    values: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
    addresses = tuple(filter(None, (_plain(str(address)) for address in values)))
    if not addresses or len(addresses) < len(values):
        raise ValueError(f"RESOLVER_HOSTS: {value!r} of {name!r} is no address; write '192.0.2.1' or a list of such")
    return addresses


def _plain(text: str) -> str | None:
    """An address in normal form; None if it is none."""
    try:
        return str(ip_address(text))
    except ValueError:
        return None
