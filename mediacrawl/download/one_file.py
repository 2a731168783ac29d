"""Requests one media file at once and without a crawl, with the crawl's client, for `reading.describing`."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterable
from urllib.parse import urlsplit

from mediacrawl import DescribeError, __version__
from mediacrawl.base.clock import within, written_now
from mediacrawl.base.content_coding import codings_of, unpack
from mediacrawl.base.format import reason_of
from mediacrawl.base.terms import Kind
from mediacrawl.base.text import cut_middle, printable
from mediacrawl.download.body_bytes import BodyLimits, bytes_wanted
from mediacrawl.download.http_client import (
    FAILURES,
    Call,
    End,
    HttpClient,
    RequestTimeoutError,
    ResponseHead,
    Route,
    target_of,
)
from mediacrawl.download.tls import tls_context
from mediacrawl.politeness.addresses import Guard, GuardedAddressError
from mediacrawl.probe import FirstAnswer, Probe, ProbeResult, Reply, Session, read_stream, stream_bytes
from mediacrawl.scope.urls import REFUSED_PORTS, Base, spelling

REDIRECTS = 3
"""Redirects in a row that are followed."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LONGEST = 200
"""Columns of a URL in a message."""


class FileRequests:
    """The requests for one file, see `mediacrawl.describe`.

    Args:
        source: http or https URL.
        contact: for the User-Agent.
        allow: networks, addresses and names that may be requested besides the public web.
        timeout: seconds for everything, from the look-up of the name to the last range.

    Attributes:
        form: the URL after redirects, as requested and in canonical form.
        session: the probe, and facts of the first response.

    Raises:
        DescribeError: the URL, the contact or an entry of `allow` cannot be used.
    """

    def __init__(self, source: str, contact: str, allow: Iterable[str], timeout: float) -> None:
        if contact and (not contact.isascii() or not contact.isprintable()):
            raise DescribeError("the contact has characters that a header cannot have")
        self._agent = f"mediacrawl/{__version__}" + (f" (+{contact})" if contact else "")
        try:
            self._guard = Guard(allow)
        except ValueError as error:
            raise DescribeError(f"allow: {error}") from error
        form = spelling(source)
        if form is None:
            raise DescribeError(f"{_shown(source)} is no URL that can be requested")
        self.form = form
        self.session = Session(Probe(names=[source]))
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout

    def run(self) -> ProbeResult:
        """Make the requests, in a thread with an event loop of its own: the caller may run any loop or reactor.

        Raises:
            DescribeError: the file cannot be had.
        """
        try:
            return within(self._timeout, lambda: asyncio.run(self._run()))
        except (TimeoutError, RequestTimeoutError):
            raise DescribeError(f"{self._url} was not answered within {self._timeout:g} s") from None
        except GuardedAddressError as error:
            why = f"{error.address} is {error.word}; name it in allow to permit that"
            raise DescribeError(f"{_shown(error.host)} may not be requested: {why}") from error
        except FAILURES as error:
            raise DescribeError(f"{self._url} was not answered: {reason_of(error)}") from error

    @property
    def _url(self) -> str:
        return _shown(self.form.requested)

    async def _run(self) -> ProbeResult:
        client = HttpClient(tls_context(verify=True, ciphers="", least=None, most=None), self._judge, lambda _: None)
        session, redirects = self.session, 0
        try:
            while (asked := session.probe.next_range()) is not None:
                answer = _Answer(session, asked[1] - asked[0])
                connection, answer.end = await client.fetch(self._call(asked), answer)
                target = answer.fields.get(b"location")
                if answer.status in _REDIRECTS and target and not session.first.status:
                    redirects += 1
                    if redirects > REDIRECTS:
                        raise DescribeError(
                            f"{self._url} is the target of {REDIRECTS} redirects and redirects once more"
                        )
                    form = Base(self.form.requested).resolve_location(target[-1])
                    if form is None:
                        raise DescribeError(f"{self._url} redirects to what is no URL that can be requested")
                    self.form = form
                elif answer.is_stream:
                    return answer.read_stream()
                elif answer.end is End.BROKEN and not answer.body and not session.probe.head:
                    raise DescribeError(f"the response of {self._url} broke off: {connection.loss}")
                else:
                    session.take(self._reply(answer))
        finally:
            client.close()
            # Transports close in the loop's next turn.
            await asyncio.sleep(0)
        if not session.probe.head and session.first.status >= 400:
            raise DescribeError(f"{self._url} was answered with status {session.first.status}")
        return session.probe.result()

    def _call(self, asked: tuple[int, int]) -> Call:
        """Return the request for a range.

        Raises:
            DescribeError: the port is refused, or the host has no address.
            GuardedAddressError: the guard refuses its addresses.
        """
        url, first = urlsplit(self.form.requested), self.session.first
        host, is_tls = url.hostname or "", url.scheme == "https"
        port = url.port or (443 if is_tls else 80)
        if port in REFUSED_PORTS:
            raise DescribeError(f"{self._url} is not requested: servers of port {port} speak no HTTP")
        fields = [("Host", url.netloc), ("User-Agent", self._agent), ("Accept", "*/*")]
        fields += [("Accept-Encoding", "identity"), ("Icy-MetaData", "1")]
        if self.session.asks_range:
            fields.append(("Range", f"bytes={asked[0]}-{asked[1] - 1}"))
            if asked[0] and first.validator:
                fields.append(("If-Range", first.validator))
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise DescribeError(f"the host {_shown(host)} was not found: {error}") from error
        address, *others = self._guard.allowed(host, list(dict.fromkeys(str(place[0]) for *_, place in found)))
        return Call(
            method="GET",
            is_tls=is_tls,
            name=host,
            port=port,
            fields=[(name.encode(), value.encode("latin-1")) for name, value in fields],
            body=b"",
            route=Route(host, address, target_of(self.form.requested), others=tuple(others)),
            timeout=self._deadline - time.monotonic(),
        )

    def _judge(self, peer: str, call: Call) -> None:
        """Judge the connected peer, as the crawl does."""
        self._guard.allowed(call.route.host, [peer])

    def _reply(self, answer: _Answer) -> Reply:
        codings = codings_of([answer.header("content-encoding")])
        body = unpack(answer.body, codings, self.session.probe.policy.max_bytes)
        if body is None and not self.session.probe.head:
            raise DescribeError(f"the response of {self._url} cannot be unpacked ({', '.join(codings)})")
        return Reply(
            status=answer.status,
            body=answer.body if body is None else body,
            ranged=self.session.asks_range,
            at=written_now(),
            content_type=answer.header("content-type"),
            content_range=answer.header("content-range"),
            content_length=answer.header("content-length"),
            etag=answer.header("etag"),
            last_modified=answer.header("last-modified"),
            date=answer.header("date"),
            is_coded=bool(codings),
            undecodable=body is None,
            whole=answer.end in {End.WHOLE, End.CLOSED},
        )


class _Answer:
    """A response while it comes; see `http_client.Receiver`."""

    def __init__(self, session: Session, asked: int) -> None:
        self.status = 0
        self.fields: dict[bytes, list[bytes]] = {}
        self.is_stream = False
        self.body = b""
        self.end = End.WHOLE
        self._session = session
        self._asked = asked
        self._most = 0

    def header(self, name: str) -> str:
        """Return the values of a field; empty without one."""
        return b", ".join(self.fields.get(name.encode(), ())).decode("latin-1")

    def take_head(self, head: ResponseHead) -> bool:
        """Take the head; False ends the download."""
        self.status, self.fields, policy = head.status, head.fields, self._session.probe.policy
        headers = {name: self.header(name) for name in (each.decode("latin-1") for each in head.fields)}
        self.is_stream = head.status in {200, 206} and (stream_bytes(headers) > 0 or head.protocol.startswith("ICY/"))
        limits = BodyLimits(policy.head_bytes, policy.head_bytes, policy.single_bytes, policy.head_bytes)
        self._most = bytes_wanted(Kind.MEDIA, headers, limits, asked=self._asked)
        return head.status not in _REDIRECTS

    def take_body(self, data: bytes) -> bool:
        """Take the next bytes of the body; False ends the download."""
        self.body += data
        return len(self.body) < self._most

    def read_stream(self) -> ProbeResult:
        """Return what is known of a stream."""
        probe = self._session.probe
        probe.requests, probe.bytes_fetched = 1, len(self.body)
        self._session.first = FirstAnswer(written_now(), self.status, self.header("content-type"))
        pairs = [(name.decode("latin-1"), value) for name, values in self.fields.items() for value in values]
        return read_stream(pairs, self.body, probe.policy)


def _shown(text: str) -> str:
    """Return a URL or a host without control characters, and not too long for a message."""
    return cut_middle(printable(text), _LONGEST)
