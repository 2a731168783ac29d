"""The door to DNS: one question to name servers, by UDP, and by TCP where the answer does not fit.

On the wire it is twisted.names: each question has a port and a number of its own, and only the asked server's answer
counts. What Twisted leaves to its callers is here: that the answer is one to our question, that a server which fails is
not the last word, that a truncated answer is asked for once more and not again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from ipaddress import IPv6Address
from typing import Any

from twisted.internet import defer, error
from twisted.names import client, dns
from twisted.names.error import DNSQueryTimeoutError

from mediacrawl.politeness.dns import (
    AAAA,
    CNAME,
    LINKS,
    NOERROR,
    NXDOMAIN,
    SOA,
    A,
    DnsAnswer,
    DnsAnswerError,
    DnsRecord,
    read_answer,
)

Count = Callable[[str], None]
"""Told the name of each thing that is counted in the stats."""

_PATIENCE = (1.5, 3.0, 5.0)
"""Seconds that a server is waited for, in each round through all of them. Most answers that come at all take less than
one; a datagram that was lost is sent again in the next round."""

_SILENT = (
    *(DNSQueryTimeoutError, defer.TimeoutError, error.ConnectError, error.ConnectionLost),
    *(OSError, error.CannotListenError),  # no way leads there: one of IPv6, on a machine that has none
)


class NameServers:
    """Asks name servers, the first first. One that was silent goes to the end of the list.

    Args:
        reactor: Twisted's.
        servers: address and port of each.
    """

    def __init__(self, reactor: Any, servers: Iterable[tuple[str, int]]) -> None:
        make: Any = client.Resolver
        self._servers: list[Any] = [make(servers=[server], reactor=reactor) for server in servers]

    async def answer(self, name: str, kind: int, count: Count) -> DnsAnswer:
        """Return what DNS says of a name in one family. To be run as a Twisted coroutine.

        Args:
            name: in canonical form.
            kind: type of its records, `A` or `AAAA`.
            count: told of ``dns/queries``, ``dns/timeouts`` and ``dns/bad_answers``.

        Raises:
            DnsAnswerError: no server gave an answer that is of use.
        """
        ttls: list[int] = []
        for _ in range(LINKS):
            answer = await self._answer(name, kind, count)
            ttls += [] if answer.ttl is None else [answer.ttl]
            if not answer.alias:
                return replace(answer, ttl=min(ttls, default=None))
            name = answer.alias
        raise DnsAnswerError("its aliases have no end")

    async def _answer(self, name: str, kind: int, count: Count) -> DnsAnswer:
        problem: Exception | None = None
        for seconds in _PATIENCE:
            silent = 0
            for server in tuple(self._servers):
                count("dns/queries")
                try:
                    return await _ask(server, name, kind, seconds)
                except _SILENT as caught:
                    problem, silent = caught, silent + 1
                    count("dns/timeouts")
                    self._last(server)
                except DnsAnswerError as caught:
                    problem = caught
                    count("dns/bad_answers")
            if not silent:
                break  # all have answered, and will answer the same
        raise DnsAnswerError("no name server had an answer") from problem

    def _last(self, server: Any) -> None:
        # Two look-ups may find the same server silent; the list stays whole, since nothing is awaited in between.
        self._servers.remove(server)
        self._servers.append(server)


async def _ask(server: Any, name: str, kind: int, seconds: float) -> DnsAnswer:
    question = dns.Query(name.encode("ascii"), kind, dns.IN)
    message = await server.queryUDP([question], (seconds,))
    if message.trunc:
        message = await server.queryTCP([question], seconds)
    if not message.answer or message.trunc:
        raise DnsAnswerError("that was no answer")
    # Servers that fail may leave the question out; whoever says yes or no has it.
    if message.rCode in (NOERROR, NXDOMAIN) and not _is_to(message.queries, name, kind):
        raise DnsAnswerError("that was the answer to another question")
    return read_answer(name, kind, message.rCode, _records(message.answers), _records(message.authority))


def _is_to(questions: Sequence[dns.Query], name: str, kind: int) -> bool:
    return len(questions) == 1 and _name(questions[0].name) == name and questions[0].type == kind


def _records(headers: Iterable[dns.RRHeader]) -> list[DnsRecord]:
    return [_record(header) for header in headers if header.cls == dns.IN and header.type in _VALUES]


def _record(header: dns.RRHeader) -> DnsRecord:
    value, minimum = _VALUES[header.type](header.payload)
    return DnsRecord(_name(header.name), header.type, header.ttl, value, minimum)


def _name(name: dns.Name) -> str:
    """Names are octets; those beyond ASCII are kept as they are, and lead to nothing that is a host's name."""
    return name.name.decode("latin-1").lower().removesuffix(".")


_VALUES: dict[int, Callable[[Any], tuple[str, int]]] = {
    A: lambda payload: (payload.dottedQuad(), 0),
    AAAA: lambda payload: (_ipv6(payload.address), 0),
    CNAME: lambda payload: (_name(payload.name), 0),
    SOA: lambda payload: ("", payload.minimum),
}


def _ipv6(packed: bytes) -> str:
    return str(IPv6Address(packed))
