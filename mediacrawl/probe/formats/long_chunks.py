"""Chunks with sizes of 64 bits, as Wave64, DSDIFF and Core Audio Format have them: header by header, as `riff` walks.

The formats differ in the length of a name, in the order of a size's bytes, in whether the size counts the header, and
in how the next chunk is aligned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mediacrawl.probe.context import MAX_OFFSET, BrokenError, ParseContext, exact
from mediacrawl.probe.formats.riff import Chunk
from mediacrawl.probe.formats.windows_headers import Order

ENDLESS = 2**62
"""Sizes from here on say that the chunk extends to the end: writers put them down that do not know the size yet."""
_SIZE = 8
_NAME = re.compile(rb"[!-~][ -~]{3}")
_LETTERS = 4


class ChunkLayout(NamedTuple):
    """How a format writes its chunks.

    Attributes:
        name: bytes of a name: 4 letters, or 16 bytes of a GUID.
        order: of the bytes of a size.
        counts_header: whether a size includes the header.
        align: each chunk takes a multiple of so many bytes.
    """

    name: int
    order: Order
    counts_header: bool
    align: int

    @property
    def header(self) -> int:
        """Bytes of a header."""
        return self.name + _SIZE


def end_of_file(context: ParseContext, stated: int) -> int:
    """Returns the offset behind the chunks of a file: its size, or if that is not known, what the file states."""
    if context.file.size is not None:
        return context.file.size
    return stated if 0 < stated < ENDLESS else MAX_OFFSET


def walk(context: ParseContext, start: int, stop: int, layout: ChunkLayout) -> Iterator[Chunk]:
    """Yields the chunks between two offsets, in order; it ends where no name of four letters begins.

    A chunk that says it is longer than what it is in ends there.

    Raises:
        BrokenError: a chunk is shorter than its header.
    """
    while start + layout.header <= stop:
        context.count()
        head = exact(context.file, start, start + layout.header)
        name, size = head[: layout.name], int.from_bytes(head[layout.name :], layout.order)
        if layout.name == _LETTERS and not _NAME.fullmatch(name):
            return
        size -= layout.header if layout.counts_header else 0
        if size < 0:
            raise BrokenError("a chunk is shorter than its header")
        body = start + layout.header
        if body + size > stop and size < ENDLESS:
            context.note(f"{context.result.container}:truncated")
        yield Chunk(name, size, body, min(body + size, stop))
        start = body + size + -size % layout.align


def media_size(chunk: Chunk) -> int | None:
    """Returns the bytes of the chunk with the media; None if it extends to an end that is not known."""
    return None if chunk.stop >= MAX_OFFSET else chunk.size
