"""What a DNS answer says about one name: addresses, nothing, or where to ask on.

A name server passes on what strangers wrote. Only records that the asked name leads to are read, only so many links and
addresses are followed and kept, and a time to live is a number that the cache puts between its own bounds.
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
"""Types of records (RFC 1035 section 3.2.2, RFC 3596 section 2.1)."""

NOERROR, NXDOMAIN = 0, 3
"""Response codes (RFC 1035 section 4.1.1)."""

LINKS = 8
"""Aliases in a row that are followed, in one answer and by asking on. Content networks have up to five."""

ADDRESSES = 16
"""Addresses of one family that are kept."""

_LONGEST_TTL = 2**31 - 1

_is_name = re.compile(r"(?=.{1,253}\Z)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*").fullmatch


class DnsAnswerError(Exception):
    """The answer is of no use: the server failed, or what it says leads nowhere."""


@dataclass(frozen=True, slots=True)
class DnsRecord:
    """One record of an answer.

    Attributes:
        name: whose it is; lower case, no dot at the end.
        kind: its type.
        ttl: seconds it may be kept.
        value: an address, or the name that an alias leads to, written as `name`.
        minimum: of a SOA: seconds that "there is no such name" may be kept (RFC 2308 section 4).
    """

    name: str
    kind: int
    ttl: int
    value: str = ""
    minimum: int = 0


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """What is known of a name in one or both families.

    Attributes:
        addresses: as text, in the server's order; none says that there are none.
        ttl: seconds it may be kept; None if the answer does not tell.
        alias: the name to ask instead, if the answer ends in an alias.
    """

    addresses: tuple[str, ...] = ()
    ttl: int | None = None
    alias: str = ""


def read_answer(
    name: str, kind: int, code: int, records: Sequence[DnsRecord], authority: Iterable[DnsRecord] = ()
) -> DnsAnswer:
    """Return what an answer says about a name.

    Args:
        name: that was asked for; lower case, no dot at the end.
        kind: that was asked for: `A` or `AAAA`.
        code: the response code.
        records: the answer section.
        authority: the authority section; its SOA tells how long "no" may be kept.

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
    """Return what the families say together, or None if nobody knows.

    Args:
        answers: one for each family, in the order in which addresses are tried; None for a family that got no answer.
    """
    known = list(answers)
    found = [answer for answer in known if answer is not None and answer.addresses]
    if not found and None in known:
        return None
    joined = found or [answer for answer in known if answer is not None]
    ttls = [answer.ttl for answer in joined if answer.ttl is not None]
    addresses = tuple(address for answer in joined for address in answer.addresses)
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
"""Seconds that an address which could not be connected to stands behind the others of its name."""


@dataclass(frozen=True, slots=True)
class DnsLimits:
    """How long what DNS says is believed.

    Attributes:
        least: seconds; an address that may be kept for less is kept for so long.
        most: seconds; one that may be kept for longer is asked again then.
        negative: seconds; the most that "there is no such name" is believed; the least is `least`.
        failure: seconds; how long a name is not asked again after the servers failed or were silent. At least 1, at
            most 300 (RFC 9520 section 3.2).
        names: that are kept.
    """

    least: float = 60.0
    most: float = 86_400.0
    negative: float = 3600.0
    failure: float = 30.0
    names: int = 100_000


@dataclass(frozen=True, slots=True)
class CachedName:
    """What is known of a name.

    Attributes:
        addresses: in the order of the answer; none if there are none, or nobody knows.
        until: second from which it is no longer believed, on the caller's clock.
        failed: nobody knows: servers failed or were silent.
    """

    addresses: tuple[str, ...]
    until: float
    failed: bool = False


class DnsCache:
    """Names and what is known of them. Those not asked for longest are forgotten when there are too many.

    Args:
        limits: how long what is believed, and how much of it.
    """

    def __init__(self, limits: DnsLimits) -> None:
        self._limits = limits
        self._names: OrderedDict[str, CachedName] = OrderedDict()
        self._shunned: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._names)

    def get(self, name: str, now: float) -> CachedName | None:
        """Return what is known of a name, or None if nothing is, any more.

        Args:
            name: in canonical form.
            now: seconds, on a clock that never goes back.
        """
        known = self._names.get(name)
        if known is None:
            return None
        if known.until <= now:
            del self._names[name]
            return None
        self._names.move_to_end(name)
        return known

    def put(self, name: str, answer: DnsAnswer | None, now: float) -> CachedName:
        """Keep what was learned; answers what is known now.

        Args:
            name: in canonical form.
            answer: of both families, as `dns_answer.join` gives it; None if nobody knows.
            now: as in `get`.
        """
        known = self._known(answer, now)
        self._names[name] = known
        self._names.move_to_end(name)
        if len(self._names) > self._limits.names:
            self._names.popitem(last=False)
        return known

    def shun(self, address: str, now: float) -> None:
        """Put an address that could not be connected to behind the others, for `SHUNNED` seconds."""
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
    """How names are looked up.

    Attributes:
        servers: address and port of each name server, in the order in which they are asked; empty: those of the system.
        families: of `FAMILIES`, in the order in which addresses are tried.
        timeout: seconds that a name may take, all servers and aliases counted.
        at_once: names that are looked up at a time; the others wait in order.
        limits: of the cache.
        hosts: name in canonical form -> the addresses it has, whatever DNS says.
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
    """Return the addresses of ``localhost`` and what ends in it, which DNS is never asked for (RFC 6761 section 6.3).

    Args:
        name: in canonical form.

    Returns:
        Loopback's addresses; none for all other names.
    """
    return _LOCALHOST if name == "localhost" or name.endswith(".localhost") else ()


def fixed_hosts(written: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Read names with fixed addresses.

    Args:
        written: name -> its address, or a list of them.

    Returns:
        The names as they were written, with a tuple each.

    Raises:
        ValueError: a value is no address.
    """
    return {str(name): _addresses(str(name), value) for name, value in written.items()}


def read_hosts(text: str) -> dict[str, tuple[str, ...]]:
    """Read a file of hosts (hosts(5)); lines that are none are passed over, as the C library does.

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
    """Read the name servers of a resolv.conf(5): its first three, or this machine's if it names none.

    Its ``search`` and ``domain`` are not for us: a link to ``http://wiki/`` does not mean the operator's own wiki.

    Args:
        text: of the file.
    """
    lines = [line.split() for line in text.splitlines()]
    named = [_plain(words[1]) for words in lines if len(words) > 1 and words[0] == "nameserver"]
    return tuple((address, _PORT) for address in filter(None, named))[:_MOST_SERVERS] or ((_LOCALHOST[0], _PORT),)


def server_of(written: str) -> tuple[str, int]:
    """Read one name server.

    Args:
        written: ``192.0.2.1``, ``192.0.2.1:5353``, ``2001:db8::1`` or ``[2001:db8::1]:5353``.

    Returns:
        Its address as a socket tells it, since only an answer that comes from there counts, and its port.

    Raises:
        ValueError: it is none of these; a name server is named by its address.
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
    """An address in its one spelling, in which it is compared with that of who answers; None if it is none."""
    try:
        return str(ip_address(text))
    except ValueError:
        return None
