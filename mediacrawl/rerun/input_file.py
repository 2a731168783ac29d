"""A file that is read from a known place on, plain or packed."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from mediacrawl.rerun.errors import RerunError
from mediacrawl.rerun.places import Place
from mediacrawl.rerun.shapes import Block, State

_HEAD = 64 << 10
"""Bytes at the beginning of a file by which it is known again."""


class InputFile:
    """A file, or the standard input.

    Args:
        where: the file.

    Raises:
        RerunError: there is no such file, or it cannot be read.
    """

    reader: Any

    def __init__(self, where: Place) -> None:
        self.where = where
        self.total = 0
        self.can_resume = False
        self._file: BinaryIO = sys.stdin.buffer
        if where.is_stream:
            return
        try:
            self._file = where.root.open("rb")
            facts = os.fstat(self._file.fileno())
        except OSError as error:
            raise RerunError(f"{where.name} cannot be read: {error.strerror}.") from error
        self._facts = facts
        if stat.S_ISREG(facts.st_mode):
            self.total, self.can_resume = facts.st_size, True

    def identity(self) -> State:
        """See `shapes.Source`: size, time of the last change, SHA-256 of the first 64 KiB."""
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
        """The unpacked bytes from an offset on. A packed file is read and thrown away up to there."""
        if self.can_resume:
            self._file.seek(0 if self.where.packed else offset)
        if not self.where.packed:
            return self._file
        stream = cast("BinaryIO", io.BufferedReader(gzip.GzipFile(fileobj=self._file), 1 << 16))
        while offset > 0 and (passed := len(stream.read(min(offset, 1 << 20)))):
            offset -= passed
        return stream

    def block(
        self, data: bytes, number: int, after: int, problem: str | None = None, *, is_open: bool = False
    ) -> Block:
        """A block of lines.

        Args:
            data: the lines.
            number: of the first one.
            after: offset behind them.
            problem: None if they are to be read, else see `shapes.Block`.
            is_open: see `shapes.Block`.
        """
        done = self._file.tell() if self.where.packed else after
        return Block(data, number, number + data.count(b"\n"), after, done, problem is not None, problem or "", is_open)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Say in a sentence what is wrong with the file."""
        try:
            yield
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise RerunError(
                f"{self.where.name} is damaged or cut short: {error}. What can be read of it gives"
                f" `gzip -dc {self.where.name} | scrapy demojibake - -o OUT`."
            ) from error
        except OSError as error:
            raise RerunError(f"{self.where.name} cannot be read any further: {error.strerror or error}.") from error

    def close(self) -> None:
        """See `shapes.Source`."""
        if not self.where.is_stream:
            self._file.close()
