"""An input file of lines, plain or gzip, or the standard input, that is read from a given offset."""

from __future__ import annotations

import gzip
import io
import re
import shlex
import stat
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from typing import Any, BinaryIO

from mediacrawl.programs.rerun import blocks
from mediacrawl.programs.rerun.blocks import (
    LONGEST_RECORD,
    Block,
    Location,
    Position,
    Reader,
    RerunError,
    RunState,
    explained,
)
from mediacrawl.programs.rerun.text_encoding import encoding_of, line_as_utf8

HEAD = 64 << 10
"""Bytes of a piece that is read, and of the beginning by which a table's form is recognized."""

_LONGEST_LINE = 2 * LONGEST_RECORD

_SAMPLES = 8
"""Pieces that determine a file's encoding."""


class InputFile(Reader):
    """A file of lines, or the standard input. Workers convert its lines to UTF-8, see `text_encoding`.

    Args:
        where: the file.
        encoding: codec that the user named, see `text_encoding.named`; None to detect it.

    Attributes:
        text_encoding: of the file.
        begin: offset of the first record; a position is an offset in the unpacked file.
        lines_before: number of lines before it.
        token: what is decided as one field in a line of another encoding.

    Raises:
        RerunError: the file does not exist or cannot be read.
    """

    lines_before = 0
    token = re.compile(rb'[^"\\]++')
    _facts: tuple[int, ...] = ()

    def __init__(self, where: Location, encoding: str | None = None) -> None:
        self.where = where
        self.can_resume = False
        self._open: Any = sys.stdin.buffer
        if not where.is_stream:
            with explained(f"{where.name} cannot be read"):
                facts = where.root.stat()
                self._open = gzip.GzipFile(where.root) if where.packed else where.root.open("rb")
            self._facts = (facts.st_size, facts.st_mtime_ns)
            self.can_resume = stat.S_ISREG(facts.st_mode)
            self.total = facts.st_size if self.can_resume else 0
        with self.reading():
            sample = self._sample() if self.can_resume else self._open.read(HEAD)
            self.text_encoding = encoding_of(sample, name=encoding)
            self.begin = len(self.text_encoding.mark) if self.text_encoding.name else 0
            if not self.can_resume:
                self._open = io.BufferedReader(_Pipe(sample[self.begin :], self._open, where.is_stream), HEAD)
        self.encoding = self.text_encoding.description()

    def _sample(self) -> bytes:
        """Return the beginning of the file, and pieces of whole lines throughout it."""
        if self.where.packed:
            return self._open.read(_SAMPLES * HEAD)  # type: ignore[no-any-return]
        parts = []
        for start in range(0, self.total, max(self.total // _SAMPLES, HEAD)):
            self._open.seek(start)
            piece = self._open.read(HEAD)
            piece = piece[piece.find(b"\n") + 1 :] if start else piece
            parts.append(piece[: piece.rfind(b"\n") + 1] or piece)
        return b"".join(parts)

    def identity(self) -> RunState:
        return {"name": self.where.name, "facts": list(self._facts)}

    def block_size(self) -> int:
        return blocks.BLOCK_BYTES

    def utf8(self, line: bytes) -> tuple[bytes, str]:
        """See `text_encoding.line_as_utf8`."""
        return line_as_utf8(line, self.token, self.text_encoding)

    def lines(self) -> Iterator[bytes]:
        """Return the lines from the position of the file."""
        width, end = self.text_encoding.unit, self.text_encoding.line_end
        while line := self._open.readline(_LONGEST_LINE):
            # The byte of a line feed may be half of another character.
            while width > 1 and not line.endswith(end) and len(line) < _LONGEST_LINE:
                more = self._open.read(-len(line) % width) or self._open.readline(_LONGEST_LINE - len(line))
                if not more:
                    break
                line += more
            if len(line) >= _LONGEST_LINE:
                raise RerunError(
                    f"{self.where.name} has a line of more than {_LONGEST_LINE >> 20} MiB. Take it out first."
                )
            yield line

    def groups(self) -> Iterator[tuple[Sequence[bytes], int]]:
        """Return the records from the position of the file, in groups that stay in one block, and their lines."""
        return (([line], 1) for line in self.lines())

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        offset = after if isinstance(after, int) else self.begin
        number += self.lines_before if after is None else 0
        rows: list[bytes] = []
        lines = size = 0
        with self.reading():
            if self.can_resume:
                self._open.seek(offset)
            for group, group_lines in chain(self.groups(), [((), 0)]):
                if rows and (size >= blocks.BLOCK_BYTES or not group):
                    offset += size
                    done = self._open.fileobj.tell() if self.can_resume and self.where.packed else offset
                    yield Block(rows, number, number + lines, offset, done)
                    number += lines
                    rows, lines, size = [], 0, 0
                rows += group
                lines, size = lines + group_lines, size + sum(map(len, group))

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


class _Pipe(io.RawIOBase):
    """A stream whose beginning has been read as a sample."""

    def __init__(self, head: bytes, rest: BinaryIO, stays_open: bool) -> None:
        self._head = head
        self._rest = rest
        self._stays_open = stays_open

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self._stays_open:
            self._rest.close()
        super().close()
