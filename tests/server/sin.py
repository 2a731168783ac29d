"""How a sin is written: a function that answers one request badly, and the sentence that says how."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from wire import Resource, Response, ServerExchange, respond

Answer = Callable[["Visit"], Awaitable[None]]

SINS: dict[str, str] = {}
"""Name -> one sentence on what the server does. The name is also the first label of the host's name."""

ANSWERS: dict[str, Answer] = {}
"""Name -> the function that does it."""


@dataclass(slots=True)
class Visit:
    """One request to a sinful host.

    Attributes:
        exchange: request and wire.
        base: absolute URL of the host, without a slash at its end.
        count: requests to this host so far, this one included, robots.txt not counted.
    """

    exchange: ServerExchange
    base: str
    count: int

    @property
    def path(self) -> str:
        """Path of the request, without the query."""
        return self.exchange.request.path

    async def send(self, status: int, body: bytes = b"", content_type: str | None = None, **headers: str) -> None:
        """Send an answer; underscores in header names stand for hyphens."""
        lines = tuple((name.replace("_", "-"), value) for name, value in headers.items())
        typed = (("Content-Type", content_type),) if content_type else ()
        await self.exchange.send(Response(status, (*typed, *lines), body))

    async def raw(self, *pieces: bytes) -> None:
        """Send bytes as they are, and close the connection afterwards."""
        for piece in pieces:
            await self.exchange.raw(piece)

    async def honest(self, body: bytes, content_type: str, etag: str = "") -> None:
        """Answer as a decent server would."""
        await self.exchange.send(respond(Resource(body, content_type, etag=etag), self.exchange.request))


def sin(name: str, sentence: str) -> Callable[[Answer], Answer]:
    """Register a function under a name, with the sentence that says what it does."""

    def register(answer: Answer) -> Answer:
        if name in SINS:
            raise ValueError(f"two sins are named {name}")
        SINS[name] = sentence
        ANSWERS[name] = answer
        return answer

    return register


def page(title: str, body: str) -> bytes:
    """A small HTML page."""
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body>\n{body}\n</body></html>\n".encode()
