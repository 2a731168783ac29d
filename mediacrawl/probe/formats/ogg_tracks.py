"""Streams of an Ogg file as parts of the record, with what Skeleton's messages and Kate's header say of them.

Sources: Ogg Skeleton 4.0 (Xiph.Org), fisbone; the bitstream format of OggKate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from mediacrawl.model.languages import bcp47
from mediacrawl.model.parts import Track
from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.sparse import SparseFile
from mediacrawl.probe.text import UTF8, Value

SKELETON = b"fishead\0"
"""First bytes of the stream of Skeleton."""
_KATE = b"\x80kate\0\0\0"
_FISBONE = b"fisbone\0"
_OFFSET_AT = 8
"""Where the offset of the messages stands, from where it counts."""
_MAX_PAGES = 32
"""Pages behind the first ones that are looked through."""
_MESSAGE = re.compile(rb"^(language|title)[ \t]*:[ \t]*([^\r\n]+)", re.IGNORECASE | re.MULTILINE)


class StreamMessages(NamedTuple):
    """What is said of a stream: its number, its language as it is written, and its title."""

    serial: int
    language: str
    title: Value | None


@dataclass(slots=True)
class OggTracks:
    """The streams of a file as parts of the record.

    Attributes:
        found: by number, in the order of the file.
        skeletons: numbers of the streams that tell of others.
        messages: what those say, by the number of the stream they tell of.
    """

    found: dict[int, Track] = field(default_factory=dict)
    skeletons: set[int] = field(default_factory=set)
    messages: dict[int, StreamMessages] = field(default_factory=dict)


def kate_language(packet: bytes) -> str | None:
    """Returns the language of a stream of Kate, empty if it states none; None for another stream."""
    if not packet.startswith(_KATE) or len(packet) < 64:
        return None
    return packet[32:48].partition(b"\0")[0].decode("ascii", errors="replace")


def read_skeleton(file: SparseFile, pages: Iterable[tuple[int, int, bytes]], tracks: OggTracks) -> None:
    """Reads what Skeleton says of the streams, as far as it is at hand.

    Args:
        file: the bytes at hand.
        pages: behind the first ones of the streams: number of the stream, offset of the body, lacing.
        tracks: names the streams of Skeleton, and takes the messages.
    """
    for serial, body, lacing in islice(pages, _MAX_PAGES if tracks.skeletons else 0):
        for start, size in _packets(body, lacing) if serial in tracks.skeletons else ():
            messages = _read_fisbone(file.at_hand(start, start + size) or b"")
            if messages:
                tracks.messages.setdefault(messages.serial, messages)


def _packets(start: int, lacing: bytes) -> Iterator[tuple[int, int]]:
    """Yields offset and size of the packets that are whole in a page."""
    size = 0
    for segment in lacing:
        size += segment
        if segment < 255:
            yield start, size
            start, size = start + size, 0


def _read_fisbone(packet: bytes) -> StreamMessages | None:
    """Reads a packet of Skeleton about one stream; None if it is none."""
    if not packet.startswith(_FISBONE) or len(packet) < 16:
        return None
    start = _OFFSET_AT + int.from_bytes(packet[8:12], "little")
    messages = {match[1].lower(): match[2].rstrip() for match in _MESSAGE.finditer(packet[start:])}
    title = Value(messages[b"title"], UTF8) if b"title" in messages else None
    language = messages.get(b"language", b"").decode("ascii", errors="replace")
    return StreamMessages(int.from_bytes(packet[12:16], "little"), language, title)


def add_tracks(context: ParseContext, tracks: OggTracks) -> None:
    """Adds the streams to the result if there are several: a single one is the file."""
    for serial, track in tracks.found.items() if len(tracks.found) > 1 else ():
        messages = tracks.messages.get(serial)
        if messages:
            track.language = bcp47(messages.language) or track.language
        context.add_track("skeleton", "Title", track, messages.title if messages else None)
