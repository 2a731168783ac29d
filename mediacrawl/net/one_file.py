"""Fetches the parts of one media file that a probe asks for, at once and without a crawl, for `describing`."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from urllib.parse import urlsplit

from mediacrawl import DescribeError, __version__
from mediacrawl.clock import written_now
from mediacrawl.extract.content_coding import codings_of, unpack
from mediacrawl.net.http_client import FAILURES, Call, ConnectTimeoutError, HttpClient, RequestTimeoutError, Route
from mediacrawl.net.http_connection import End
from mediacrawl.net.http_wire import ResponseHead, target_of
from mediacrawl.net.tls import tls_context
from mediacrawl.observe.format import reason_of
from mediacrawl.observe.text import cut_middle, printable
from mediacrawl.politeness.address_guard import Guard, GuardedAddressError
from mediacrawl.probe import Probe, ProbePolicy, ProbeResult
from mediacrawl.probe.claims import expected_by_name
from mediacrawl.probe.icecast import is_stream, read_stream
from mediacrawl.probe.response import BodyLimits, bytes_wanted
from mediacrawl.probe.session import FirstAnswer, Reply, Session
from mediacrawl.records import Kind
from mediacrawl.scope.canonical import Base, Spelling, spelling
from mediacrawl.scope.hosts import REFUSED_PORTS

REDIRECTS = 3
"""Redirects in a row that are followed."""
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LONGEST = 200
"""Columns of what a server wrote, in a message."""


@dataclass(slots=True, frozen=True)
class FetchedFile:
    """What was learned of a media file.

    Attributes:
        asked, url, key: the URL as requested first, the one after redirects as requested, and its canonical form.
        probe, result: the probe, and what it found.
        first: facts of the first response.
    """

    asked: str
    url: str
    key: str
    probe: Probe
    result: ProbeResult
    first: FirstAnswer


def fetch_file(source: str, contact: str, allow: Iterable[str], timeout: float) -> FetchedFile:
    """Fetch the ranges of a file that a probe asks for, with the client of the crawl.

    The requests are made in a thread with an event loop of its own, so that it does not matter which loops or reactors
    the caller runs.

    Args:
        source: http or https URL.
        contact: see `mediacrawl.describe`.
        allow: networks, addresses and names that may be requested besides the public web.
        timeout: seconds for everything, from the look-up of the name to the last range.

    Raises:
        DescribeError: the file cannot be had.
    """
    if contact and (not contact.isascii() or not contact.isprintable()):
        raise DescribeError("the contact has characters that cannot stand in a header")
    try:
        guard = Guard(allow)
    except ValueError as error:
        raise DescribeError(f"allow: {error}") from error
    form = spelling(source)
    if form is None:
        raise DescribeError(f"{_shown(source)} is no URL that can be requested")
    agent = f"mediacrawl/{__version__}" + (f" (+{contact})" if contact else "")
    timeout = min(timeout, threading.TIMEOUT_MAX)
    file, done = _File(form, agent, guard, timeout), Future[FetchedFile]()
    # A look-up by the system cannot be ended: the thread is left to itself.
    threading.Thread(target=file.fetch, args=(source, done), name="describe", daemon=True).start()
    try:
        return done.result(timeout)
    except TimeoutError:
        raise file.late() from None


class _File:
    """The requests for one file."""

    def __init__(self, form: Spelling, agent: str, guard: Guard, timeout: float) -> None:
        self._form = self._asked = form
        self._agent = agent
        self._guard = guard
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout

    def late(self) -> DescribeError:
        """The error after the deadline."""
        return DescribeError(f"{self._url} was not answered within {self._timeout:g} s")

    @property
    def _url(self) -> str:
        """The current URL, for messages."""
        return _shown(self._form.requested)

    def fetch(self, source: str, done: Future[FetchedFile]) -> None:
        """Fetch the file in an event loop of this thread."""
        try:
            with asyncio.Runner() as runner:
                done.set_result(runner.run(self._fetch(source)))
        except BaseException as error:  # noqa: BLE001 - it is raised in the thread that waits
            done.set_exception(error)

    async def _fetch(self, source: str) -> FetchedFile:
        context = tls_context(verify=True, ciphers="", least=None, most=None)
        client = HttpClient(context, self._judge, lambda _: None)
        session, redirects = Session(Probe(expected=expected_by_name(source))), 0
        try:
            while (asked := session.probe.next_range()) is not None:
                answer = await self._request(client, session, asked)
                target = answer.fields.get(b"location")
                if answer.status in _REDIRECTS and target and not session.first.status:
                    redirects += 1
                    self._follow(target[-1], redirects)
                elif answer.is_stream:
                    return self._of_stream(answer)
                else:
                    session.take(self._reply(answer, session))
        finally:
            client.close()
            # Transports close in the loop's next turn.
            await asyncio.sleep(0)
        probe, first = session.probe, session.first
        if not probe.head and first.status >= 400:
            raise DescribeError(f"{_shown(source)} was answered with status {first.status}")
        return FetchedFile(self._asked.requested, self._form.requested, self._form.key, probe, probe.result(), first)

    async def _request(self, client: HttpClient, session: Session, asked: tuple[int, int]) -> _Answer:
        """Send one request.

        Raises:
            DescribeError: there is no response.
        """
        url = self._form.requested
        parts = urlsplit(url)
        host, is_tls = parts.hostname or "", parts.scheme == "https"
        port = parts.port or (443 if is_tls else 80)
        if port in REFUSED_PORTS:
            raise DescribeError(f"{self._url} is not requested: servers of port {port} speak no HTTP")
        fields = [("Host", parts.netloc), ("User-Agent", self._agent), ("Accept", "*/*")]
        fields += [("Accept-Encoding", "identity"), ("Icy-MetaData", "1")]
        if session.asks_range:
            fields.append(("Range", f"bytes={asked[0]}-{asked[1] - 1}"))
            if asked[0] and session.first.validator:
                fields.append(("If-Range", session.first.validator))
        first, *others = self._addresses(host, port)
        call = Call(
            method="GET",
            is_tls=is_tls,
            name=host,
            port=port,
            fields=[(name.encode(), value.encode("latin-1")) for name, value in fields],
            body=b"",
            route=Route(host, first, target_of(url), others=tuple(others)),
            timeout=self._deadline - time.monotonic(),
        )
        answer = _Answer(session.probe.policy, asked[1] - asked[0])
        try:
            connection, answer.end = await client.fetch(call, answer)
        except GuardedAddressError as error:
            raise self._refused(error) from error
        except RequestTimeoutError:
            raise self.late() from None
        except (ConnectTimeoutError, *FAILURES) as error:
            raise DescribeError(f"{self._url} was not answered: {reason_of(error)}") from error
        if answer.end is End.BROKEN and not answer.body and not session.probe.head:
            raise DescribeError(f"the response of {self._url} broke off: {connection.loss}")
        return answer

    def _addresses(self, host: str, port: int) -> tuple[str, ...]:
        """The addresses of a host that may be requested."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise DescribeError(f"the host {_shown(host)} was not found: {error}") from error
        try:
            return self._guard.allowed(host, list(dict.fromkeys(str(place[0]) for *_, place in found)))
        except GuardedAddressError as error:
            raise self._refused(error) from error

    def _judge(self, peer: str, call: Call) -> None:
        """Judge the connected peer, as the crawl does."""
        word = self._guard.refusal(peer, call.route.host)
        if word is not None:
            raise GuardedAddressError(call.route.host, peer, word)

    def _refused(self, error: GuardedAddressError) -> DescribeError:
        told = f"{error.address} is {error.word}"
        return DescribeError(f"{_shown(error.host)} may not be requested: {told}; name it in allow to permit that")

    def _follow(self, location: bytes, redirects: int) -> None:
        if redirects > REDIRECTS:
            raise DescribeError(f"{self._url} is the target of {REDIRECTS} redirects and redirects once more")
        form = Base(self._form.requested).resolve_location(location)
        if form is None:
            target = _shown(location.decode("latin-1"))
            raise DescribeError(f"{self._url} redirects to {target}, which is no URL that can be requested")
        self._form = form

    def _reply(self, answer: _Answer, session: Session) -> Reply:
        codings = codings_of([answer.header("content-encoding")])
        body = unpack(answer.body, codings, session.probe.policy.max_bytes)
        if body is None and not session.probe.head:
            raise DescribeError(f"the response of {self._url} cannot be unpacked ({', '.join(codings)})")
        return Reply(
            status=answer.status,
            body=answer.body if body is None else body,
            ranged=session.asks_range,
            at=written_now(),
            content_type=answer.header("content-type"),
            content_range=answer.header("content-range"),
            content_length=answer.header("content-length"),
            content_encoding=answer.header("content-encoding"),
            etag=answer.header("etag"),
            last_modified=answer.header("last-modified"),
            date=answer.header("date"),
            undecodable=body is None,
            whole=answer.end in {End.WHOLE, End.CLOSED},
        )

    def _of_stream(self, answer: _Answer) -> FetchedFile:
        probe = Probe()
        probe.requests, probe.bytes_fetched = 1, len(answer.body)
        pairs = [(name.decode("latin-1"), value) for name, values in answer.fields.items() for value in values]
        first = FirstAnswer(written_now(), answer.status, answer.header("content-type"))
        result = read_stream(pairs, answer.body, probe.policy)
        return FetchedFile(self._asked.requested, self._form.requested, self._form.key, probe, result, first)


class _Answer:
    """A response while it comes; see `http_connection.Receiver`."""

    def __init__(self, policy: ProbePolicy, asked: int) -> None:
        self.status = 0
        self.fields: dict[bytes, list[bytes]] = {}
        self.is_stream = False
        self.body = b""
        self.end = End.WHOLE
        self._limits = BodyLimits(policy.head_bytes, policy.head_bytes, policy.single_bytes, policy.head_bytes)
        self._asked = asked
        self._most = 0

    def header(self, name: str) -> str:
        """The values of a field; empty without one."""
        return b", ".join(self.fields.get(name.encode(), ())).decode("latin-1")

    def take_head(self, head: ResponseHead) -> bool:
        """Take the head; False ends the download."""
        self.status, self.fields = head.status, head.fields
        told = {name.decode("latin-1"): self.header(name.decode("latin-1")) for name in head.fields}
        self.is_stream = head.status in {200, 206} and (is_stream(told) or head.protocol.startswith("ICY/"))
        self._most = bytes_wanted(Kind.MEDIA, told, self._limits, asked=self._asked)
        return head.status not in _REDIRECTS

    def take_body(self, data: bytes) -> bool:
        """Take the next bytes of the body; False ends the download."""
        self.body += data
        return len(self.body) < self._most


def _shown(text: str) -> str:
    """A URL or a host without control characters, and not too long for a message."""
    return cut_middle(printable(text), _LONGEST)
