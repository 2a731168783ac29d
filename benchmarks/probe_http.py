"""Probes a file over HTTP as the crawl does it.

A server on loopback honours Range; a `Session` says which range is wanted, and is packed between two requests.
"""

from __future__ import annotations

import http.client
import sys
import time
from pathlib import Path
from typing import Self

from mediacrawl.probe import FirstAnswer, Probe, ProbeResult, Reply, Session
from mediacrawl.programs.demo.answers import Resource, Response, strong_etag

sys.path.append(str(Path(__file__).parents[1] / "tests" / "server"))
from wire import HttpServer, ServerExchange, respond


class Shelf:
    """A server of one file at a time, as an honest server gives it."""

    def __init__(self) -> None:
        self._file = Resource()
        self._server = HttpServer(self._answer)
        self._connection: http.client.HTTPConnection | None = None

    async def _answer(self, exchange: ServerExchange) -> None:
        answer: Response = respond(self._file, exchange.request)
        await exchange.send(answer)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self._server.stop()

    def put(self, data: bytes) -> None:
        """Serves this file from now on, over a connection of its own: making the next may take long."""
        self._close()
        self._file = Resource(data, "application/octet-stream", etag=strong_etag(data))
        self._connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)

    def _close(self) -> None:
        if self._connection:
            self._connection.close()

    def get(self, start: int, stop: int, first: FirstAnswer) -> tuple[http.client.HTTPResponse, bytes]:
        """Asks for a range, of the version that was first seen; answers the head and the body."""
        assert self._connection is not None
        headers = {"Range": f"bytes={start}-{stop - 1}", "Accept-Encoding": "identity"}
        if first.validator:
            headers["If-Range"] = first.validator
        self._connection.request("GET", "/file", headers=headers)
        answer = self._connection.getresponse()
        return answer, answer.read()


def fetch(shelf: Shelf, probe: Probe) -> tuple[Session, ProbeResult, float]:
    """Probes what is on the shelf; answers the session, the result, and seconds of processor time."""
    session, policy, cpu = Session(probe), probe.policy, 0.0
    while (wanted := session.probe.next_range()) is not None:
        answer, body = shelf.get(*wanted, session.first)
        began = time.thread_time()
        session.take(reply_of(answer, body))
        session = Session.load(session.dump(), policy)
        cpu += time.thread_time() - began
    began = time.thread_time()
    result = session.probe.result()
    return session, result, cpu + time.thread_time() - began


def reply_of(answer: http.client.HTTPResponse, body: bytes) -> Reply:
    """An answer in the words of `Session`."""

    def header(name: str) -> str:
        return answer.getheader(name, "")

    return Reply(
        status=answer.status,
        body=body,
        at="2026-01-01T00:00:00Z",
        content_type=header("Content-Type"),
        content_range=header("Content-Range"),
        content_length=header("Content-Length"),
        etag=header("ETag"),
        date=header("Date"),
    )
