"""How a sin or an attack is written: what answers one request badly, and the sentence that says how."""

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


class Book:
    """Registers functions under names, each with the sentence that says what it does; a decorator.

    Attributes:
        sentences: name -> sentence. The name is also the first label of the host's name.
        answers: name -> the function.
    """

    def __init__(self) -> None:
        self.sentences: dict[str, str] = {}
        self.answers: dict[str, Answer] = {}

    def __call__(self, name: str, sentence: str) -> Callable[[Answer], Answer]:
        """Register a function; ValueError if another one has the name."""

        def register(answer: Answer) -> Answer:
            if name in self.answers:
                raise ValueError(f"two are named {name}")
            self.sentences[name] = sentence
            self.answers[name] = answer
            return answer

        return register

    def send(self, name: str, sentence: str, *answer, **headers) -> None:
        """Register what always sends the same answer, see `Visit.send`."""
        self(name, sentence)(lambda visit: visit.send(*answer, **headers))

    def raw(self, name: str, sentence: str, *pieces) -> None:
        """Register what always sends the same bytes, see `Visit.raw`."""
        self(name, sentence)(lambda visit: visit.raw(*pieces))

    def honest(self, name: str, sentence: str, *answer, **headers) -> None:
        """Register what serves one body as a decent server would, see `Visit.honest`."""
        self(name, sentence)(lambda visit: visit.honest(*answer, **headers))


sin = Book()
SINS, ANSWERS = sin.sentences, sin.answers


def page(title: str, body: str) -> bytes:
    """A small HTML page."""
    return f"<!DOCTYPE html>\n<html><head><title>{title}</title></head>\n<body>\n{body}\n</body></html>\n".encode()
