"""A radio station: one answer without an end, as Icecast gives it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mediacrawl.demo.http import ServerExchange
from mediacrawl.demo.library import media_bytes
from mediacrawl.demo.tags import audio_span

METAINT = 4_096
"""Bytes of sound between two titles."""
_UNIT = 16
"""The byte before a title counts its length in so many bytes."""


@dataclass(frozen=True, slots=True)
class Station:
    """A station that plays one MP3 of the demo's library over and over.

    Attributes:
        name: of the station.
        genre: of its music.
        song: what it plays, as it tells listeners who ask for that.
        sound: file in the library.
        codec: of its texts, which neither Icecast nor SHOUTcast declares.
    """

    name: str
    genre: str
    song: str
    sound: str
    codec: str

    async def play(self, exchange: ServerExchange) -> None:
        """Send sound until the listener goes; with titles in between if the request has ``Icy-MetaData: 1``.

        Raises:
            ConnectionError: the listener has gone; the server expects this.
        """
        tells = exchange.request.headers.get("icy-metadata") == "1"
        await exchange.raw(self._head(tells=tells))
        if exchange.request.method == "HEAD":
            return
        title = self._title() if tells else b""
        for piece in self._pieces():
            await exchange.raw(piece + title)

    def _head(self, *, tells: bool) -> bytes:
        lines = [
            b"HTTP/1.0 200 OK",
            b"Content-Type: audio/mpeg",
            b"icy-name: " + self.name.encode(self.codec),
            b"icy-genre: " + self.genre.encode(self.codec),
            b"icy-br: 24",
            b"icy-pub: 1",
            *([b"icy-metaint: %d" % METAINT] if tells else []),
        ]
        return b"\r\n".join([*lines, b"", b""])

    def _title(self) -> bytes:
        words = b"StreamTitle='%s';" % self.song.encode(self.codec)
        words += bytes(-len(words) % _UNIT)
        return bytes([len(words) // _UNIT]) + words

    def _pieces(self) -> Iterator[bytes]:
        """Pieces of `METAINT` bytes. A listener comes when he likes, so the first one begins inside a frame."""
        data = media_bytes(self.sound)
        start, stop = audio_span(data)
        sound = data[start + METAINT // 10 : stop]
        whole = sound * (METAINT // len(sound) + 2)
        at = 0
        while True:
            yield whole[at : at + METAINT]
            at = (at + METAINT) % len(sound)
