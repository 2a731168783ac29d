"""DNS: what is believed of an answer and for how long, and the settings of the resolver.

Name servers pass on untrusted data, so the cache bounds every time to live and the number of names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from mediacrawl.politeness.caching import LastUsed


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """The addresses of a name in one or both families.

    Attributes:
        addresses: as text, in the server's order; empty if there are none.
        ttl: seconds it may be kept.
    """

    addresses: tuple[str, ...]
    ttl: int


def join(answers: Iterable[DnsAnswer | None]) -> DnsAnswer | None:
    """Return the answers of both families, in the order of preference, as one; None if none is known."""
    known = list(answers)
    found = [answer for answer in known if answer is not None and answer.addresses]
    if not found and None in known:
        return None
    merged = found or [answer for answer in known if answer is not None]
    addresses = tuple(address for answer in merged for address in answer.addresses)
    return DnsAnswer(addresses, min(answer.ttl for answer in merged))


SHUNNED = 600.0
"""Seconds for which an address that refused a connection is tried after the others of its name."""

LEAST, MOST = 60.0, 86_400.0
"""Seconds; the shortest and the longest time to live."""

NEGATIVE = 3600.0
"""Seconds; the longest time to live of a negative answer (RFC 2308)."""

FAILURE = 30.0
"""Seconds until a name is queried again after the servers failed. Between 1 and 300 (RFC 9520, section 3.2)."""

NAMES = 100_000
"""Names, and shunned addresses, that are kept."""


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

    def __init__(self) -> None:
        self._names: LastUsed[CachedName] = LastUsed(NAMES)
        self._shunned: LastUsed[float] = LastUsed(NAMES)

    def get(self, name: str, now: float) -> CachedName | None:
        """Return the answer for a name, or None if there is none in force."""
        known = self._names.get(name)
        return known if known is not None and known.until > now else None

    def put(self, name: str, answer: DnsAnswer | None, now: float) -> CachedName:
        """Store the answer of both families, or None if the servers failed; return it as cached."""
        if answer is None:
            known = CachedName((), now + FAILURE, failed=True)
        else:
            most = MOST if answer.addresses else NEGATIVE
            known = CachedName(answer.addresses, now + max(min(answer.ttl, most), LEAST))
        self._names.put(name, known)
        return known

    def shun(self, address: str, now: float) -> None:
        """Try an address after the others, for `SHUNNED` seconds."""
        self._shunned.put(address, now + SHUNNED)

    def ordered(self, addresses: Sequence[str], now: float) -> tuple[str, ...]:
        """Return addresses in the order in which they are tried: the shunned last, those shunned longest ago first."""
        if len(addresses) < 2 or not len(self._shunned):
            return tuple(addresses)
        until = {address: self._shunned.get(address) or 0.0 for address in addresses}
        return tuple(sorted(addresses, key=lambda address: until[address] if until[address] > now else 0.0))


FAMILIES = {"ipv4": "A", "ipv6": "AAAA"}
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
        hosts: name in canonical form -> fixed addresses.
    """

    servers: tuple[tuple[str, int], ...] = ()
    families: tuple[str, ...] = ("ipv4", "ipv6")
    timeout: float = 10.0
    at_once: int = 64
    hosts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        unknown = [family for family in self.families if family not in FAMILIES]
        if unknown or not self.families:
            raise ValueError(
                f"RESOLVER_FAMILIES: {', '.join(unknown) or 'an empty list'} cannot be used; "
                "write ['ipv4', 'ipv6'], or one of the two"
            )


def localhost(name: str) -> tuple[str, ...]:
    """Return loopback for ``localhost`` and its subdomains, which are never queried (RFC 6761, 6.3); else nothing."""
    return _LOCALHOST if name == "localhost" or name.endswith(".localhost") else ()


def fixed_hosts(written: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Parse names with fixed addresses: one, or a list of them.

    Raises:
        ValueError: a value is no address.
    """
    hosts = {}
    for name, value in written.items():
        values: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
        hosts[str(name)] = tuple(filter(None, (_plain(str(address)) for address in values)))
        if not values or len(hosts[str(name)]) < len(values):
            raise ValueError(
                f"RESOLVER_HOSTS: {value!r} of {str(name)!r} is no address; write '192.0.2.1' or a list of such"
            )
    return hosts


def read_hosts(text: str) -> dict[str, tuple[str, ...]]:
    """Parse a hosts file (hosts(5)): name in lower case -> its addresses. Invalid lines are skipped."""
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
    """Parse one name server: its address in normal form, to be compared with the sender of an answer, and its port.

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


def _plain(text: str) -> str | None:
    """Return an address in normal form; None if it is none."""
    try:
        return str(ip_address(text))
    except ValueError:
        return None
