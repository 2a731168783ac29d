"""Addresses of host names: what is believed of DNS and for how long, and which addresses may be requested.

Name servers pass on untrusted data, so the cache bounds every time to live and the number of names, and an address that
can be no public web server is refused.

The table of these follows the registries. `ipaddress.is_private` differs between Python versions (3.11.10 and 3.12.4
changed it), calls 100.64.0.0/10 neither private nor global, and knows no clouds. Sources: the IANA IPv4 and IPv6
Special-Purpose Address Registries (RFC 6890 and RFC 8190; entries up to RFC 9780 of May 2025), and the documentation of
the providers of metadata services.

Of IPv6 only 2000::/3, global unicast, can be a server. Everything else is refused, so that a network is refused before
it is added to this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any

from mediacrawl.base.last_used import LastUsed

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NO_ADDRESS = "no_address"
"""The reason for text that is no address."""

_METADATA = (
    "169.254.169.254",  # AWS, Azure, Google, Oracle, DigitalOcean, OpenStack ...
    "169.254.170.2",  # AWS: credentials of a container (ECS)
    "169.254.170.23",  # AWS: credentials of a pod (EKS)
    "169.254.0.23",  # Tencent
    "169.254.42.42",  # Scaleway
    "100.100.100.200",  # Alibaba
    "168.63.129.16",  # Azure's own services on each machine: a public address that leads no further than the host
    "192.0.0.192",  # Oracle, its first cloud
    "fd00:ec2::254",  # AWS
    "fd00:ec2::23",  # AWS: EKS
    "fd20:ce::254",  # Google
    "fd00:42::42",  # Scaleway
    "fe80::a9fe:a9fe",  # OpenStack
)

# The first that holds an address names it, so the narrow ones precedes the wide ones.
_IPV4 = (
    ("0.0.0.0/32", "unspecified"),  # RFC 1122 (1989); connecting to it reaches this machine
    ("0.0.0.0/8", "this_network"),  # RFC 791 (1981)
    ("10.0.0.0/8", "private"),  # RFC 1918 (1996)
    ("100.64.0.0/10", "shared"),  # RFC 6598 (2012): behind a provider's translator
    ("127.0.0.0/8", "loopback"),  # RFC 1122 (1989)
    ("169.254.0.0/16", "link_local"),  # RFC 3927 (2005)
    ("172.16.0.0/12", "private"),  # RFC 1918 (1996)
    ("192.0.0.0/24", "reserved"),  # RFC 6890 (2010): protocols; its two global ones are relays, not web servers
    ("192.0.2.0/24", "documentation"),  # RFC 5737 (2010)
    ("192.31.196.0/24", "reserved"),  # RFC 7535 (2014): AS112, answers DNS only
    ("192.52.193.0/24", "reserved"),  # RFC 7450 (2014): multicast relays
    ("192.88.99.0/24", "reserved"),  # RFC 7526 (2015): 6to4 relays, given up
    ("192.168.0.0/16", "private"),  # RFC 1918 (1996)
    ("192.175.48.0/24", "reserved"),  # RFC 7534 (1996): AS112, answers DNS only
    ("198.18.0.0/15", "benchmark"),  # RFC 2544 (1999)
    ("198.51.100.0/24", "documentation"),  # RFC 5737 (2010)
    ("203.0.113.0/24", "documentation"),  # RFC 5737 (2010)
    ("224.0.0.0/4", "multicast"),  # RFC 5771 (2010)
    ("255.255.255.255/32", "broadcast"),  # RFC 919 (1984)
    ("240.0.0.0/4", "reserved"),  # RFC 1112 (1989)
)
_IPV6 = (
    ("::/128", "unspecified"),  # RFC 4291 (2006)
    ("::1/128", "loopback"),  # RFC 4291 (2006)
    ("64:ff9b:1::/48", "private"),  # RFC 8215 (2017): a network's own NAT64
    ("100::/64", "reserved"),  # RFC 6666 (2012): thrown away
    ("100:0:0:1::/64", "reserved"),  # RFC 9780 (2025): dummy prefix
    ("2001::/32", None),  # RFC 4380 (2006), Teredo: checked by the two addresses inside
    ("2001:2::/48", "benchmark"),  # RFC 5180 (2008)
    ("2001::/23", "reserved"),  # RFC 2928 (2000): protocols; its global ones are no web servers
    ("2001:db8::/32", "documentation"),  # RFC 3849 (2004)
    ("2620:4f:8000::/48", "reserved"),  # RFC 7534 (2011): AS112, answers DNS only
    ("3fff::/20", "documentation"),  # RFC 9637 (2024)
    ("2000::/3", None),  # RFC 4291 (2006): global unicast, 2002::/16 (6to4) included
    ("64:ff9b::/96", None),  # RFC 6052 (2010), NAT64: checked by the address inside
    ("::ffff:0:0/96", None),  # RFC 4291 (2006), mapped: checked by the address inside
    ("5f00::/16", "reserved"),  # RFC 9602 (2024): segment routing
    ("fc00::/7", "private"),  # RFC 4193 (2005)
    ("fe80::/10", "link_local"),  # RFC 4291 (2006)
    ("fec0::/10", "private"),  # RFC 3879 (2004): site-local, given up, still routed here and there
    ("ff00::/8", "multicast"),  # RFC 4291 (2006)
    ("::/0", "reserved"),
)

# Prefixes whose last 32 bits are an IPv4 address.
_TAILS = tuple(
    ip_network(prefix)
    for prefix in (
        "::/96",  # compatible, RFC 4291 section 2.5.5.1
        "::ffff:0:0/96",  # mapped, RFC 4291 section 2.5.5.2
        "::ffff:0:0:0/96",  # translated (SIIT), RFC 2765 section 2.1
        "64:ff9b::/96",  # NAT64, RFC 6052 section 2.1
    )
)
_NAT64_LOCAL = ip_network("64:ff9b:1::/48")
_TEREDO = ip_network("2001::/32")
_SIX_TO_FOUR = ip_network("2002::/16")
_ISATAP = 0x00005EFE
"""First half of an interface identifier whose second half is an IPv4 address (RFC 5214 section 6.1)."""
_NOT_ISATAP = 0xFCFFFFFF
"""Mask without the bits for "universal" and "group"."""


def _ranges(table: Iterable[tuple[str, str | None]]) -> list[tuple[int, int, str | None]]:
    networks = [(ip_network(text), word) for text, word in table]
    return [(int(network[0]), int(network[-1]), word) for network, word in networks]


_CLOUDS = frozenset(map(ip_address, _METADATA))
_RANGES = {4: _ranges(_IPV4), 6: _ranges(_IPV6)}


def refusal(address: str | Address) -> str | None:
    """Return why an address must not be requested, or None if it may be a public web server.

    IPv4 inside IPv6 is checked too: mapped, compatible, translated, NAT64, 6to4, Teredo (server and client), ISATAP.
    The reason is that of the innermost address refused. A translation prefix of the local network (RFC 6052 section
    2.2) cannot be recognised.

    Args:
        address: as text, IPv6 without brackets, with or without a zone; or as object.

    Returns:
        A word for log and stats: ``private``, ``loopback``, ``link_local``, ``shared``, ``unspecified``,
            ``this_network``, ``documentation``, ``benchmark``, ``multicast``, ``broadcast``, ``reserved``,
            ``metadata``, or ``no_address``.
    """
    parsed = parse_address(address) if isinstance(address, str) else address
    return NO_ADDRESS if parsed is None else _refusal(parsed)


def layers(address: Address) -> tuple[Address, ...]:
    """Return the IPv4 addresses embedded in an address, and the address itself as the last."""
    if isinstance(address, IPv4Address):
        return (address,)
    return (*_inside(address), address)


def reserved_for(address: Address) -> str | None:
    """Return the reason against an address itself, or None. Embedded addresses and zones are ignored."""
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        address = IPv6Address(int(address))
    if address in _CLOUDS:
        return "metadata"
    number = int(address)
    return next((word for first, last, word in _RANGES[address.version] if first <= number <= last), None)


@lru_cache(maxsize=10_000)
def parse_address(text: str) -> Address | None:
    """Return an address as an object; None if the text is none."""
    try:
        return ip_address(text)
    except ValueError:
        return None


@lru_cache(maxsize=10_000)
def _refusal(address: Address) -> str | None:
    return next(filter(None, map(reserved_for, layers(address))), None)


def _inside(address: IPv6Address) -> Iterator[IPv4Address]:
    number = int(address)
    if address.is_unspecified or number == 1:
        return
    if any(address in network for network in _TAILS):
        yield _low(number)
    elif address in _NAT64_LOCAL:
        # After 48 bits of prefix: 16 bits, 8 bits that are zero, 16 bits (RFC 6052 section 2.2).
        yield _low((number >> 64 & 0xFFFF) << 16 | number >> 40 & 0xFFFF)
        yield _low(number)
    elif address in _TEREDO:
        yield _low(number >> 64)
        yield _low(number ^ 0xFFFFFFFF)
    elif address in _SIX_TO_FOUR:
        yield _low(number >> 80)
    if number >> 32 & _NOT_ISATAP == _ISATAP:
        yield _low(number)


def _low(number: int) -> IPv4Address:
    return IPv4Address(number & 0xFFFFFFFF)


Judge = Callable[[Address, str], str | None]
"""Called with an address and the host that resolved to it; returns a reason for a refusal, or None."""

LOOPBACK = ("127.0.0.0/8", "::1/128")
"""The networks of this machine."""


class GuardedAddressError(Exception):
    """None of the addresses of a host may be requested.

    Attributes:
        host: as in the URL.
        address: the first one.
        word: the reason against it, of `refusal` or of a judge.
    """

    def __init__(self, host: str, address: str, word: str) -> None:
        super().__init__(f"{host} leads to {address} ({word})")
        self.host = host
        self.address = address
        self.word = word


class Guard:
    """Checks addresses just before a connection is made.

    A host to which the operator has assigned an address (``RESOLVER_HOSTS``) may be requested there.

    Attributes:
        judges: asked about every address, allowed or not, and about each IPv4 address embedded in IPv6.
    """

    def __init__(
        self,
        allow: Iterable[str] = (),
        fixed: Mapping[str, Sequence[str]] | None = None,
        judges: Iterable[Judge] = (),
    ) -> None:
        """Parse what is allowed.

        Args:
            allow: networks (``10.1.0.0/16``), addresses, and names, which cover their subdomains (``intra.example``).
            fixed: host in canonical form -> addresses assigned by the operator.
            judges: see the attribute.

        Raises:
            ValueError: an entry of `allow` is none of these.
        """
        self._networks: list[Network] = []
        self._names: list[str] = []
        for entry in allow:
            self._allow(entry.strip())
        self._fixed = dict(fixed or {})
        self.judges = list(judges)

    def refusal(self, address: str, host: str) -> str | None:
        """Return why an address, to which this host resolved, must not be requested; or None."""
        parsed = parse_address(address)
        if parsed is None:
            return NO_ADDRESS
        verdict = self._judged(parsed, host) if self.judges else None
        if verdict is not None or refusal(address) is None or self._is_named(address, host):
            return verdict
        return next(filter(None, map(self._reserved, layers(parsed))), None)

    def allowed(self, host: str, addresses: Sequence[str]) -> tuple[str, ...]:
        """Return those of a host's addresses that may be requested, in their order.

        Raises:
            GuardedAddressError: there is none.
        """
        words = [self.refusal(address, host) for address in addresses]
        found = tuple(address for address, word in zip(addresses, words, strict=True) if word is None)
        if not found:
            raise GuardedAddressError(host, addresses[0], words[0] or NO_ADDRESS)
        return found

    def _judged(self, address: Address, host: str) -> str | None:
        words = (judge(layer, host) for layer in layers(address) for judge in self.judges)
        return next(filter(None, words), None)

    def _is_named(self, address: str, host: str) -> bool:
        """Whether the operator has allowed this host, or assigned this address to it."""
        named = any(host == name or host.endswith("." + name) for name in self._names)
        return named or address in self._fixed.get(host, ())

    def _reserved(self, address: Address) -> str | None:
        return None if any(address in network for network in self._networks) else reserved_for(address)

    def _allow(self, entry: str) -> None:
        try:
            self._networks.append(ip_network(entry))
        except ValueError as error:
            if not _is_name(entry):
                raise ValueError(
                    f"GUARD_ALLOW: {entry!r} is neither a network nor a name ({error}); "
                    "write it as '10.1.0.0/16', '::1/128' or 'intra.example'"
                ) from None
            self._names.append(entry.lower().strip("."))


def _is_name(entry: str) -> bool:
    labels = entry.strip(".").split(".")
    if labels[-1].isdigit():
        return False  # an address with an error in it
    return all(label.replace("-", "").replace("_", "").isalnum() and label.isascii() for label in labels)


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
    address = parse_address(text)
    return None if address is None else str(address)
