"""Names that are not asked of DNS, the servers that the others are asked of, and the numbers of asking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from mediacrawl.politeness.dns_answer import AAAA, A
from mediacrawl.politeness.dns_cache import DnsLimits

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
