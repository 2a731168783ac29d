"""An input file, plain or gzip, or the standard input, that is read as UTF-8 from a given offset."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import BinaryIO

from mediacrawl.rerun import blocks
from mediacrawl.rerun.blocks import (
    LONGEST_RECORD,
    TOO_LONG,
    Block,
    Location,
    Position,
    Reader,
    RerunError,
    RunState,
    explained,
)
from mediacrawl.rerun.text_encoding import encoding_of, line_as_utf8, recoded

HEAD = 64 << 10
"""Bytes of a piece that is read, and of the beginning by which a table's form is recognized."""

_LONGEST_ROW = 1 << 20
"""Bytes in which a quote must be closed."""

_SAMPLES = 8
"""Pieces that determine a file's encoding."""


class InputFile(Reader):
    """A file of lines, or the standard input, as UTF-8, see `text_encoding`.

    Args:
        where: the file.
        encoding: codec that the user named, see `text_encoding.named`; None to detect it.

    Attributes:
        text_encoding: of the file.
        begin: offset of the first record; a position is an offset in the text.
        lines_before: number of lines before it.
        token: what is decided as one field in a line of another encoding.

    Raises:
        RerunError: the file does not exist or cannot be read.
    """

    begin = lines_before = 0
    token = re.compile(rb'[^"\\]++')
    _facts: tuple[int, ...] = ()

    def __init__(self, where: Location, encoding: str | None = None) -> None:
        self.where = where
        self.can_resume = False
        self._open: BinaryIO = sys.stdin.buffer
        if not where.is_stream:
            with explained(f"{where.name} cannot be read"):
                self._open = where.root.open("rb")
                facts = os.fstat(self._open.fileno())
            self._facts = (facts.st_size, facts.st_mtime_ns)
            self.can_resume = stat.S_ISREG(facts.st_mode)
            self.total = facts.st_size if self.can_resume else 0
        with self.reading():
            sample = self._sample() if self.can_resume else next(self._pieces(), b"")
            self.text_encoding = encoding_of(sample, name=encoding)
        self.encoding = self.text_encoding.description()
        self._once = _Lines(recoded(chain([sample], self._pieces()), self.text_encoding))

    def __getstate__(self) -> RunState:
        return {**super().__getstate__(), "_once": None}

    def _pieces(self) -> Iterator[bytes]:
        """Return the unpacked bytes from the position of the file."""
        file = gzip.GzipFile(fileobj=self._open) if self.where.packed else self._open
        return iter(partial(file.read, HEAD), b"")

    def _sample(self) -> bytes:
        """Return the beginning of the file, and pieces of whole lines throughout it."""
        if self.where.packed:
            return _whole_lines(b"".join(islice(self._pieces(), _SAMPLES)))
        parts = []
        for start in range(0, self.total, max(self.total // _SAMPLES, HEAD)):
            self._open.seek(start)
            piece = self._open.read(HEAD)
            parts.append(_whole_lines(piece if not start else piece[piece.find(b"\n") + 1 :]))
        return b"".join(parts)

    def lines(self, offset: int) -> _Lines:
        """Return the text from an offset; one that is packed or recoded is read from its beginning. A pipe goes on."""
        if not self.can_resume:
            return self._once
        is_plain = not self.where.packed and not self.text_encoding.name
        self._open.seek(offset if is_plain else 0)
        lines = _Lines(recoded(self._pieces(), self.text_encoding))
        if not is_plain:
            lines.skip(offset)
        return lines

    def identity(self) -> RunState:
        return {"name": self.where.name, "facts": list(self._facts)}

    def block_size(self) -> int:
        return blocks.BLOCK_BYTES

    def utf8(self, line: bytes) -> tuple[bytes, str]:
        """See `text_encoding.line_as_utf8`."""
        return line_as_utf8(line, self.token, self.text_encoding)

    def complete(self, data: bytes) -> int:
        """Return where the last complete record of some lines ends; 0 if the first one is open."""
        return len(data)

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        offset = after if isinstance(after, int) else self.begin
        number += self.lines_before if after is None else 0
        with self.reading():
            lines = self.lines(offset)
            while data := lines.take(blocks.BLOCK_BYTES):
                end = data.rfind(b"\n") + 1
                parts: Iterator[tuple[bytes, str | None]]
                if len(data) - end >= LONGEST_RECORD:
                    is_whole = self.complete(data[:end]) == end
                    parts = chain([(data[:end], None)] if end else [], lines.rest_of(data[end:]))
                else:
                    data, is_whole = lines.completed(data, self.complete)
                    parts = iter([(data, None)])
                for part, problem in parts:
                    offset += len(part)
                    first, number = number, number + part.count(b"\n")
                    is_read_on = self.can_resume and (self.where.packed or self.text_encoding.name)
                    done = self._open.tell() if is_read_on else offset
                    is_open = problem is not None and not part.endswith(b"\n")
                    yield Block(part, first, number, offset, done, problem, is_open, not is_whole and problem is None)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Close the file at an error, and convert it into a sentence."""
        try:
            yield
        except Exception as error:
            self.close()
            if isinstance(error, (gzip.BadGzipFile, EOFError, zlib.error)):
                raise RerunError(
                    f"{self.where.name} is damaged or cut short: {error}. What can be read of it gives"
                    f" `gzip -dc {shlex.quote(self.where.name)} | scrapy demojibake - -o OUT`."
                ) from error
            if isinstance(error, OSError):
                raise RerunError(f"{self.where.name} cannot be read any further: {error.strerror or error}.") from error
            raise

    def close(self) -> None:
        if not self.where.is_stream:
            self._open.close()


def _whole_lines(piece: bytes) -> bytes:
    """Return a piece without its incomplete last line; unchanged if it has only one line."""
    return piece[: piece.rfind(b"\n") + 1] or piece


class _Lines:
    """A text in pieces that is read by lines, which may be given back."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._held = b""

    def head(self) -> bytes:
        """Return the beginning without taking it."""
        self._held += next(self._pieces, b"")
        return self._held

    def skip(self, size: int) -> None:
        """Pass over so many bytes."""
        while size > len(self._held) and (piece := next(self._pieces, b"")):
            size -= len(self._held)
            self._held = piece
        self._held = self._held[size:]

    def take(self, size: int) -> bytes:
        """Return at least so many bytes, up to the end of a line; less of one that is longer than `LONGEST_RECORD`."""
        while not (end := self._held.find(b"\n", size - 1) + 1):
            is_long = len(self._held) - self._held.rfind(b"\n") > LONGEST_RECORD
            piece = b"" if is_long else next(self._pieces, b"")
            self._held += piece
            if not piece:
                end = len(self._held)
                break
        end = min(end, self._held.rfind(b"\n", 0, max(end - 1, 0)) + 1 + LONGEST_RECORD)
        data, self._held = self._held[:end], self._held[end:]
        return data

    def completed(self, data: bytes, complete: Callable[[bytes], int]) -> tuple[bytes, bool]:
        """Return whole records of some lines, with more of them if the first one is open; and whether it has an end."""
        while not (end := complete(data)) and len(data) <= _LONGEST_ROW and (more := self.take(len(data))):
            if len(more) >= LONGEST_RECORD:
                # A line that is too long begins there.
                self._held = more + self._held
                break
            data += more
        self._held = data[end:] + self._held if end else self._held
        return data[:end] if end else data, bool(end)

    def rest_of(self, piece: bytes) -> Iterator[tuple[bytes, str]]:
        """Return the pieces of a line that is too long, the first one with the problem."""
        problem = TOO_LONG
        while piece:
            yield piece, problem
            self._held = self._held or (b"" if piece.endswith(b"\n") else next(self._pieces, b""))
            end = 0 if piece.endswith(b"\n") else self._held.find(b"\n") + 1 or len(self._held)
            piece, problem, self._held = self._held[:end], "", self._held[end:]
