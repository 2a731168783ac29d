"""How a sin or an attack is written: what answers one request badly."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from wire import Resource, Response, ServerExchange, respond

Answer = Callable[["Visit"], Awaitable[None]]


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


class Book(dict[str, Answer]):
    """What answers at a host, by the first label of its name; a decorator enters a function under its own."""

    def __call__(self, answer: Answer) -> Answer:
        name = answer.__name__.replace("_", "-")
        if name in self:
            raise ValueError(f"two are named {name}")
        self[name] = answer
        return answer


SINS = sin = Book()


def page(title: str, body: str) -> bytes:
    """A small HTML page."""
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body>\n{body}\n</body></html>\n".encode()
