"""Queries name servers by UDP, and by TCP for truncated answers.

The protocol is twisted.names': each query has a port and an id of its own, and only the queried server's answer counts.
This module adds what Twisted leaves to its callers: matching answers to questions, other servers after a failure, one
retry for a truncated answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from errno import ENETUNREACH
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
"""Increments a stat."""

_PATIENCE = (1.5, 3.0, 5.0)
"""Timeouts in seconds of the rounds through all servers. Most answers take less than one second; a lost datagram is
sent again in the next round."""

_SILENT = (
    *(DNSQueryTimeoutError, defer.TimeoutError, error.ConnectError, error.ConnectionLost),
    *(OSError, error.CannotListenError),  # no route: IPv6 on a machine without it
)


class _Resolver(client.Resolver):
    """Twisted's resolver, whose queries go out from ports that the system picks.

    A free port, at random (RFC 5452, section 9.2). Twisted draws one, and where another socket has it, leaves its own
    unclosed. Without this method of Twisted's the port is drawn as before.
    """

    def _connectedProtocol(self, interface: str = "") -> Any:  # noqa: N802 - Twisted's
        make: Any = dns.DNSDatagramProtocol
        protocol = make(self, reactor=self._reactor)
        self._reactor.listenUDP(0, protocol, interface=interface)
        return protocol


class NameServers:
    """Queries name servers in order. One that times out goes to the end of the list."""

    def __init__(self, reactor: Any, servers: Iterable[tuple[str, int]]) -> None:
        make: Any = _Resolver
        self._servers: list[Any] = [make(servers=[server], reactor=reactor) for server in servers]

    async def answer(self, name: str, kind: int, count: Count) -> DnsAnswer:
        """Return the answer for a name in one address family. Run it as a Twisted coroutine.

        Args:
            name: in canonical form.
            kind: type of its records, `A` or `AAAA`.
            count: increments ``dns/queries``, ``dns/timeouts`` and ``dns/bad_answers``.

        Raises:
            DnsAnswerError: no server gave a usable answer.
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
                    # A server that has no route from here says nothing if another one has.
                    problem = problem if problem and getattr(caught, "errno", 0) == ENETUNREACH else caught
                    silent += 1
                    count("dns/timeouts")
                    self._last(server)
                except DnsAnswerError as caught:
                    problem = caught
                    count("dns/bad_answers")
            if not silent:
                break  # another round would give the same answers
        raise DnsAnswerError("no name server had an answer") from problem

    def _last(self, server: Any) -> None:
        # Concurrent look-ups may move the same server; nothing is awaited in between, so none is lost.
        self._servers.remove(server)
        self._servers.append(server)


async def _ask(server: Any, name: str, kind: int, seconds: float) -> DnsAnswer:
    question = dns.Query(name.encode("ascii"), kind, dns.IN)
    message = await server.queryUDP([question], (seconds,))
    if message.trunc:
        message = await server.queryTCP([question], seconds)
    if not message.answer or message.trunc:
        raise DnsAnswerError("that was no answer")
    # Only error answers may omit the question.
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
    """A name as text. Octets beyond ASCII stay as they are; they match no host name."""
    return name.name.decode("latin-1").lower().removesuffix(".")


_VALUES: dict[int, Callable[[Any], tuple[str, int]]] = {
    A: lambda payload: (payload.dottedQuad(), 0),
    AAAA: lambda payload: (_ipv6(payload.address), 0),
    CNAME: lambda payload: (_name(payload.name), 0),
    SOA: lambda payload: ("", payload.minimum),
}


def _ipv6(packed: bytes) -> str:
    return str(IPv6Address(packed))
