"""An input file, plain or gzip, that is read from a given offset."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import shlex
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from mediacrawl.rerun.blocks import Block, Location, RerunError, RunState
from mediacrawl.rerun.text_encoding import encoding_of, recoded

_PIECE, _PIECES = 64 << 10, 8
"""Size and number of the samples that determine a file's encoding."""

_HEAD = 64 << 10
"""Bytes at the beginning of a file that identify it."""


class InputFile:
    """A file of lines, or the standard input, as UTF-8, see `text_encoding`.

    Args:
        where: the file.
        encoding: codec that the user named, see `text_encoding.named`; None to detect it.

    Attributes:
        encoding: of the file.

    Raises:
        RerunError: the file does not exist or cannot be read.
    """

    reader: Any

    def __init__(self, where: Location, encoding: str | None = None) -> None:
        self.where = where
        self.total = 0
        self.can_resume = False
        self._file: BinaryIO = sys.stdin.buffer
        self._once: BinaryIO | None = None
        if not where.is_stream:
            self._open(where)
        with self.opening():
            self.encoding = encoding_of(self._sample(), name=encoding)

    def _open(self, where: Location) -> None:
        try:
            self._file = where.root.open("rb")
            facts = os.fstat(self._file.fileno())
        except OSError as error:
            raise RerunError(f"{where.name} cannot be read: {error.strerror}.") from error
        self._facts = facts
        if stat.S_ISREG(facts.st_mode):
            self.total, self.can_resume = facts.st_size, True

    def _sample(self) -> bytes:
        """The beginning of the file, and pieces of whole lines throughout it, if it can be read twice."""
        if not self.can_resume:
            # The buffer of a pipe; bytes that are read cannot be put back.
            peek = getattr(self._file, "peek", None)
            return bytes(peek(1)) if peek is not None else b""
        if self.where.packed:
            return whole_lines(self._bytes().read(_PIECES * _PIECE))
        step = max(self.total // _PIECES, _PIECE)
        parts = []
        for start in range(0, self.total, step):
            self._file.seek(start)
            piece = self._file.read(_PIECE)
            parts.append(whole_lines(piece if not start else piece[piece.find(b"\n") + 1 :]))
        return b"".join(parts)

    def identity(self) -> RunState:
        """Size, time of the last change, SHA-256 of the first 64 KiB."""
        if self.where.is_stream:
            return {"name": "-"}
        head = b""
        if self.can_resume:
            self._file.seek(0)
            head = self._file.read(_HEAD)
        return {
            "name": self.where.name,
            "size": self._facts.st_size,
            "mtime_ns": self._facts.st_mtime_ns,
            "head": hashlib.sha256(head).hexdigest(),
        }

    def stream(self, offset: int) -> BinaryIO:
        """The text from an offset, as UTF-8. A packed or recoded file is decoded from its beginning.

        A pipe continues, whatever the offset.
        """
        if not self.where.packed and self.encoding.is_utf8:
            if self.can_resume:
                self._file.seek(offset)
            return self._file
        if self._once is not None:
            return self._once
        stream = self._bytes()
        if not self.encoding.is_utf8:
            stream = recoded(stream, self.encoding)
        if not self.can_resume:
            self._once = stream
            return stream
        while offset > 0 and (passed := len(stream.read(min(offset, 1 << 20)))):
            offset -= passed
        return stream

    def _bytes(self) -> BinaryIO:
        """The unpacked bytes from the beginning."""
        if self.can_resume:
            self._file.seek(0)
        if not self.where.packed:
            return self._file
        return cast("BinaryIO", io.BufferedReader(gzip.GzipFile(fileobj=self._file), 1 << 16))

    def block(
        self, data: bytes, number: int, after: int, problem: str | None = None, *, is_open: bool = False
    ) -> Block:
        """A block of lines.

        Args:
            data: the lines.
            number: of the first line.
            after: offset behind them.
            problem: None if they are to be read, else see `blocks.Block`.
            is_open: see `blocks.Block`.
        """
        is_read_on = self.where.packed or not self.encoding.is_utf8
        done = self._file.tell() if is_read_on and self.can_resume else after
        return Block(data, number, number + data.count(b"\n"), after, done, problem is not None, problem or "", is_open)

    @contextmanager
    def opening(self) -> Iterator[None]:
        """As `reading`; closes the file if it cannot be used."""
        try:
            with self.reading():
                yield
        except BaseException:
            self.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Converts errors of the file into a sentence."""
        try:
            yield
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise RerunError(
                f"{self.where.name} is damaged or cut short: {error}. What can be read of it gives"
                f" `gzip -dc {shlex.quote(self.where.name)} | scrapy demojibake - -o OUT`."
            ) from error
        except OSError as error:
            raise RerunError(f"{self.where.name} cannot be read any further: {error.strerror or error}.") from error

    def close(self) -> None:
        if not self.where.is_stream:
            self._file.close()


def whole_lines(piece: bytes) -> bytes:
    """A piece without its incomplete last line; unchanged if it has only one line."""
    return piece[: piece.rfind(b"\n") + 1] or piece
