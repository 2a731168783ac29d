"""Chunks of RIFF and IFF files: header by header, never the bodies.

Sources: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991) for RIFF, where
sizes are little-endian; "EA IFF 85" (Electronic Arts, 1985), where they are big-endian.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from mediacrawl.probe.context import BrokenError, Reading, exact
from mediacrawl.probe.formats import id3
from mediacrawl.probe.formats.keys import riff_key
from mediacrawl.probe.sparse import MAX_OFFSET, SparseFile
from mediacrawl.probe.text import LATIN1, Value

HEADER = 8
STREAMED = 0x7FFF0000
"""Sizes from here on are what writers put down that do not know the size yet."""
_LARGEST = 0xFFFFFFFF
"""The largest size that a field has room for; a file over 4 GB has it where it keeps its sizes elsewhere."""
_NAME = re.compile(rb"[!-~][ -~]{3}")
_NONE: Mapping[bytes, int] = {}

Order = Literal["little", "big"]


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk: its name, the size it states, and the offsets of its body inside what it stands in."""

    name: bytes
    stated: int
    body: int
    stop: int

    @property
    def size(self) -> int:
        """Bytes of the body that are there."""
        return self.stop - self.body


def end_of_file(file: SparseFile, start: int, order: Order = "little") -> int:
    """Returns the offset behind the chunks of a file.

    The size that the file states for itself is not asked if the file's own is known: programs that add a tag
    behind the audio, or record a stream, leave it wrong.

    Args:
        file: the bytes at hand.
        start: offset of ``RIFF``, ``RF64`` or ``FORM``.
        order: of the bytes of a size.

    Raises:
        NeedBytes: if the file's header is not at hand.
    """
    if file.size is not None:
        return file.size
    stated = int.from_bytes(file.get(start + 4, start + HEADER), order)
    return start + HEADER + stated if 0 < stated < STREAMED else MAX_OFFSET


def walk(
    reading: Reading,
    start: int,
    stop: int,
    order: Order = "little",
    long_sizes: Mapping[bytes, int] = _NONE,
) -> Iterator[Chunk]:
    """Yields the chunks between two offsets, in order; it ends where no chunk begins.

    A chunk that says it is longer than what it stands in ends there.

    Args:
        reading: the walk's state.
        start: offset of the first chunk's header.
        stop: offset behind the last chunk.
        order: of the bytes of a size.
        long_sizes: sizes of chunks that have no room for theirs; looked at when they are met.

    Raises:
        LimitError: when there are too many.
        NeedBytes: when a header is not at hand.
    """
    while start + HEADER <= stop:
        reading.count()
        head = exact(reading.file, start, start + HEADER)
        if not _NAME.fullmatch(head[:4]):
            return
        name, stated = head[:4], int.from_bytes(head[4:], order)
        if stated == _LARGEST:
            stated = long_sizes.get(name, stated)
        if start + HEADER + stated > stop and stated < STREAMED:
            reading.note("riff:truncated")
        chunk = Chunk(name, stated, start + HEADER, min(start + HEADER + stated, stop))
        yield chunk
        start = _behind(reading.file, chunk, stop, order)


def children(reading: Reading, parent: Chunk, order: Order = "little") -> Iterator[Chunk]:
    """Yields the chunks inside a ``LIST``, behind its four letters."""
    return walk(reading, parent.body + 4, parent.stop, order)


def list_type(reading: Reading, chunk: Chunk) -> bytes:
    """Returns the four letters that say what a ``LIST`` holds; none for another chunk.

    Raises:
        NeedBytes: if they are not at hand.
    """
    return reading.file.get(chunk.body, min(chunk.body + 4, chunk.stop)) if chunk.name == b"LIST" else b""


def first(reading: Reading, chunk: Chunk, size: int) -> bytes:
    """Reads the first bytes of a chunk.

    Args:
        reading: the walk's state.
        chunk: the chunk.
        size: how many bytes it must have at least.

    Raises:
        BrokenError: if it is shorter.
        NeedBytes: if they are not at hand.
    """
    if size > chunk.size:
        raise BrokenError("a chunk is shorter than its kind must be")
    return exact(reading.file, chunk.body, chunk.body + size)


def media_size(reading: Reading, chunk: Chunk, stop: int, order: Order = "little") -> tuple[int | None, bool]:
    """Tells how long the chunk with the media is.

    A recorder that nobody let come back leaves 0, or more than any file has, and one that went on beyond 4 GB what is
    left of the size in 32 bits. Then the media go on to the end.

    Args:
        reading: the walk's state.
        chunk: the chunk.
        stop: offset behind the chunks of the file.
        order: of the bytes of a size.

    Returns:
        Bytes of the media, None if nobody knows; and whether no chunk follows.

    Raises:
        NeedBytes: if it cannot be told without what follows.
    """
    if chunk.stated:
        beyond = stop == MAX_OFFSET or chunk.body + chunk.stated > stop
        endless = STREAMED <= chunk.stated <= _LARGEST and beyond
        if not beyond and chunk.stated <= _LARGEST < stop - chunk.body:
            # So long a file has its sizes elsewhere, or what did not fit was cut off from them.
            endless = not _chunk_at(reading.file, chunk.stop + chunk.stated % 2, stop, order)
    else:
        endless = chunk.body < stop and not _chunk_at(reading.file, chunk.body, stop, order)
    if not endless:
        return chunk.size, chunk.stop >= stop
    return (None if stop == MAX_OFFSET else stop - chunk.body), True


def read_id3(reading: Reading, chunk: Chunk) -> None:
    """Reads an ID3v2 tag that is the body of a chunk."""
    header = id3.find_header(reading.file, chunk.body)
    if header is not None:
        id3.read_tag(reading, replace(header, stop=min(header.stop, chunk.stop)))


def read_info(reading: Reading, info: Chunk) -> None:
    """Reads the texts of a ``LIST`` of the type ``INFO``.

    The standard names no encoding (it has a chunk ``CSET`` for that, which nobody writes): the text counts as Latin-1.
    """
    for chunk in children(reading, info):
        add_text(reading, "riff", chunk, riff_key(chunk.name.decode("ascii")))


def add_text(reading: Reading, source: str, chunk: Chunk, key: str) -> None:
    """Adds the body of a chunk as one text, without the zeros that end or fill it.

    Args:
        reading: takes the text.
        source: name of the format, for the text's proof.
        chunk: the chunk; its name is the field's.
        key: common name of the field.
    """
    if reading.fits(chunk.size):
        raw = exact(reading.file, chunk.body, chunk.stop).rstrip(b"\0")
        reading.add(source, chunk.name.decode("ascii").strip(), key, Value(raw, LATIN1))


def _behind(file: SparseFile, chunk: Chunk, stop: int, order: Order) -> int:
    """Returns the offset of the next chunk: odd bodies are padded; some writers forget it, the next header tells."""
    at = chunk.body + chunk.stated
    if chunk.stated % 2 == 0 or at + HEADER > stop:
        return at
    data = file.get(at, min(at + 1 + HEADER, stop))
    room = stop - at - HEADER
    unpadded = not _is_header(data[1:], room - 1, order) and _is_header(data[:HEADER], room, order)
    return at if unpadded else at + 1


def _chunk_at(file: SparseFile, at: int, stop: int, order: Order) -> bool:
    """Tells whether a chunk's header stands at an offset: a name, and a size that there is room for."""
    return _is_header(file.get(at, min(at + HEADER, stop)), stop - at - HEADER, order)


def _is_header(data: bytes, room: int, order: Order) -> bool:
    name, size = data[:4], int.from_bytes(data[4:HEADER], order)
    return len(data) == HEADER and bool(_NAME.fullmatch(name)) and size <= room
