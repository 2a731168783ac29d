"""`describe`: the record of one media file, without a crawl."""

from __future__ import annotations

import http.client
import os
import socket
import ssl
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import asdict
from io import SEEK_END, BytesIO
from pathlib import Path
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

from mediacrawl import DescribeError, __version__
from mediacrawl.clock import written_now
from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.politeness.address_guard import Guard, GuardedAddressError
from mediacrawl.probe import Probe, ProbePolicy, ProbeResult, build_item
from mediacrawl.probe.claims import expected_by_name
from mediacrawl.probe.icecast import is_stream, read_stream, stream_bytes
from mediacrawl.probe.response import is_media
from mediacrawl.probe.session import FirstAnswer, Reply, Session
from mediacrawl.records import Evidence
from mediacrawl.scope.canonical import spelling

MOST_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PORTS = {"http": 80, "https": 443}

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]


def describe(source: Source, *, contact: str = "", allow: Iterable[str] = (), timeout: float = 30.0) -> dict[str, Any]:
    """See `mediacrawl.describe`. Not safe for several threads on one open file."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _of_file(BytesIO(source), "", "these bytes")
    if isinstance(source, str) and "://" in source:
        return _Client(contact, allow, timeout).describe(source)
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        try:
            with path.open("rb") as file:
                return _of_file(file, path.absolute().as_uri(), str(path))
        except OSError as error:
            raise DescribeError(f"{path} cannot be read: {error.strerror}") from error
    if hasattr(source, "read") and hasattr(source, "seek"):
        return _of_open(source)
    raise TypeError(f"describe takes a path, a URL, bytes or a file opened in binary mode, not {type(source).__name__}")


def probe_file(file: IO[bytes], policy: ProbePolicy, expected: str = "") -> tuple[Probe, ProbeResult]:
    """Probe an open file by the ranges that would be requested from a server.

    Args:
        file: opened in binary mode.
        policy: the limits.
        expected: MIME type by its name, see `probe.claims`.

    Raises:
        OSError: it cannot be read.
    """
    probe = Probe(policy, expected=expected)
    length = file.seek(0, SEEK_END)
    while asked := probe.next_range():
        file.seek(asked[0])
        probe.feed(asked[0], file.read(asked[1] - asked[0]), length)
    return probe, probe.result()


def _of_open(file: IO[bytes]) -> dict[str, Any]:
    name = getattr(file, "name", "")
    told = name if isinstance(name, str) and name else "the open file"
    try:
        position = file.tell()
        if not isinstance(file.read(0), bytes):
            raise DescribeError(f"{told} is opened in text mode; open it with mode 'rb'")
        try:
            # The name of a member of an archive is no path.
            is_path = told == name and Path(name).is_file()
            return _of_file(file, Path(name).absolute().as_uri() if is_path else "", told)
        finally:
            file.seek(position)
    except (OSError, ValueError) as error:
        raise DescribeError(f"{told} cannot be read: {error}") from error


def _of_file(file: IO[bytes], url: str, told: str) -> dict[str, Any]:
    probe, result = probe_file(file, ProbePolicy(), expected_by_name(told))
    return _record(probe, result, told, url=url)


def _record(
    probe: Probe,
    result: ProbeResult,
    told: str,
    *,
    url: str = "",
    key: str = "",
    evidence: Evidence | None = None,
    first: FirstAnswer | None = None,
) -> dict[str, Any]:
    """The repaired record.

    Raises:
        DescribeError: it is no media file.
    """
    if not is_media(result.encoding_format):
        known = result.container or result.encoding_format
        why = f"is {known}, neither audio nor video" if known else "is of no format that is known"
        raise DescribeError(f"{told} {why if probe.head else 'is empty'}")
    checked = None if first is None else written_now()
    item = build_item(
        result, probe, url=url, key=key, evidence=evidence or Evidence(via=""), checked_at=checked, first=first
    )
    record = asdict(item)
    if not url:
        record["id"] = ""
    Fixer().fix(record)
    return record


class _Client:
    """Requests one URL with blocking connections, each to an address that was checked."""

    def __init__(self, contact: str, allow: Iterable[str], timeout: float) -> None:
        if contact and (not contact.isascii() or not contact.isprintable()):
            raise DescribeError("the contact has characters that cannot stand in a header")
        self._agent = f"mediacrawl/{__version__}" + (f" (+{contact})" if contact else "")
        self._timeout = timeout
        try:
            self._guard = Guard(allow)
        except ValueError as error:
            raise DescribeError(f"allow: {error}") from error

    def describe(self, source: str) -> dict[str, Any]:
        form = spelling(source)
        if form is None:
            raise DescribeError(f"{source} is no URL that can be requested")
        session, url, redirects = Session(Probe(expected=expected_by_name(source))), form.requested, 0
        while (asked := session.probe.next_range()) is not None and not session.probe.finished:
            with closing(self._connection(url)) as connection:
                answer = self._answer(connection, url, session, asked)
                target = answer.getheader("Location")
                if answer.status in _REDIRECTS and target is not None:
                    redirects += 1
                    url = _next_url(url, target, redirects, session)
                    continue
                sent = {name.lower(): value for name, value in answer.getheaders()}
                if is_stream(sent):
                    return self._of_stream(answer, sent, source, url)
                session.take(self._reply(answer, url, session, asked))
        probe, first = session.probe, session.first
        if not probe.head and first.status >= 400:
            raise DescribeError(f"{source} was answered with status {first.status}")
        form, wanted = spelling(url) or form, Evidence(via="", requested_url=form.requested)
        return _record(probe, probe.result(), source, url=url, key=form.key, evidence=wanted, first=first)

    def _connection(self, url: str) -> http.client.HTTPConnection:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
        address = self._address(host, port)
        connection: http.client.HTTPConnection
        if parts.scheme == "https":
            connection = _PinnedTLS(host, port, address, self._timeout)
        else:
            connection = _Pinned(host, port, address, self._timeout)
        return connection

    def _address(self, host: str, port: int) -> str:
        """An address of a host that may be requested."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError) as error:
            raise DescribeError(f"the host {host} was not found: {error}") from error
        try:
            return self._guard.choose(host, [str(place[0]) for *_, place in found])
        except GuardedAddressError as error:
            told = f"{error.address} is {error.word}"
            raise DescribeError(f"{host} may not be requested: {told}; name it in allow to permit that") from error

    def _answer(
        self, connection: http.client.HTTPConnection, url: str, session: Session, asked: tuple[int, int]
    ) -> http.client.HTTPResponse:
        parts = urlsplit(url)
        headers = {"User-Agent": self._agent, "Accept": "*/*", "Accept-Encoding": "identity", "Icy-MetaData": "1"}
        if session.asks_range:
            headers["Range"] = f"bytes={asked[0]}-{asked[1] - 1}"
            if asked[0] and session.first.validator:
                headers["If-Range"] = session.first.validator
        try:
            connection.request("GET", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), headers=headers)
            return connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise DescribeError(f"{url} was not answered: {str(error) or type(error).__name__}") from error

    def _reply(self, answer: http.client.HTTPResponse, url: str, session: Session, asked: tuple[int, int]) -> Reply:
        header = answer.getheader
        # A server that ignores Range sends the whole file; only its beginning is read.
        most = asked[1] - asked[0] + _WRAPPING if answer.status == 206 else session.probe.policy.single_bytes
        body = _read(answer, most, url)
        return Reply(
            status=answer.status,
            body=body,
            ranged=session.asks_range,
            at=written_now(),
            content_type=header("Content-Type") or "",
            content_range=header("Content-Range") or "",
            content_length=header("Content-Length") or "",
            content_encoding=header("Content-Encoding") or "",
            etag=header("ETag") or "",
            last_modified=header("Last-Modified") or "",
            date=header("Date") or "",
            undecodable=(header("Content-Encoding") or "identity").strip().lower() != "identity",
            whole=len(body) < most,
        )

    def _of_stream(
        self, answer: http.client.HTTPResponse, sent: Mapping[str, str], source: str, url: str
    ) -> dict[str, Any]:
        body = _read(answer, stream_bytes(sent), url)
        probe = Probe(ProbePolicy())
        probe.requests, probe.bytes_fetched = 1, len(body)
        pairs = [(name.lower(), value.encode("latin-1", "replace")) for name, value in answer.getheaders()]
        first = FirstAnswer(written_now(), answer.status, answer.getheader("Content-Type") or "")
        form = spelling(url)
        key = form.key if form else ""
        return _record(probe, read_stream(pairs, body, probe.policy), source, url=url, key=key, first=first)


_WRAPPING = 1024
"""Bytes around the range in a multipart response."""


def _next_url(url: str, target: str, redirects: int, session: Session) -> str:
    if redirects > MOST_REDIRECTS:
        raise DescribeError(f"{url} is the target of {MOST_REDIRECTS} redirects and redirects once more")
    form = spelling(urljoin(url, target))
    if form is None:
        raise DescribeError(f"{url} redirects to {target!r}, which is no URL that can be requested")
    if session.first.status:
        raise DescribeError(f"{url} redirects, which it did not at the first request")
    return form.requested


def _read(answer: http.client.HTTPResponse, most: int, url: str) -> bytes:
    """The beginning of a body; as much as came if the connection broke."""
    pieces: list[bytes] = []
    left = most
    while left > 0:
        try:
            piece = answer.read1(left)
        except (OSError, http.client.HTTPException) as error:
            if pieces:
                break
            raise DescribeError(f"the response of {url} broke off: {str(error) or type(error).__name__}") from error
        if not piece:
            break
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


class _Pinned(http.client.HTTPConnection):
    """A connection to one address of a host."""

    def __init__(self, host: str, port: int, address: str, timeout: float) -> None:
        super().__init__(host, port, timeout=timeout)
        self._address = address

    def connect(self) -> None:
        self.sock = socket.create_connection((self._address, self.port), self.timeout)


class _PinnedTLS(http.client.HTTPSConnection):
    """The same over TLS; the certificate must be of the host."""

    def __init__(self, host: str, port: int, address: str, timeout: float) -> None:
        self._checking = ssl.create_default_context()
        super().__init__(host, port, timeout=timeout, context=self._checking)
        self._address = address

    def connect(self) -> None:
        plain = socket.create_connection((self._address, self.port), self.timeout)
        self.sock = self._checking.wrap_socket(plain, server_hostname=self.host)
