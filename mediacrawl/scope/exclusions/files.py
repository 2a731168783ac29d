"""A file of the list, and what of it is in force."""

from __future__ import annotations

import errno
import os
import stat
from array import array
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from mediacrawl.scope.exclusions.content import Content
from mediacrawl.scope.exclusions.errors import NeverCrawlError
from mediacrawl.scope.exclusions.lines import Entry

LARGEST = 256 * 1024 * 1024
"""Bytes of a file: some ten million lines. Its text is held in memory."""
_PIECE = 1 << 20
"""Bytes read at a time."""

_Stamp = tuple[int, int, int]


@dataclass(slots=True)
class ListFile:
    """One file and what was last read from it.

    Attributes:
        path: where it is.
        in_force: what counts: what was read last, and, as long as that is in doubt, what counted before.
        problem: why it could not be read at the last look, as a sentence; then an earlier look's content counts.
    """

    path: Path
    in_force: tuple[Content, ...] = ()
    problem: str = ""
    _stamp: _Stamp | None = None
    _doubted: Content | None = None
    _news: list[Iterator[Entry]] = field(default_factory=list)

    def look(self) -> Generator[None, None, bool]:
        """Look at the file, in slices, and read it if it changed. Tells at the end whether `in_force` changed.

        What was read is in doubt if entries are gone or the last line does not end: the file may be half written. Then
        what was there before counts on beside it, until a look finds the file as the last one left it.
        """
        try:
            if _stamp_of(self.path) != self._stamp:
                yield from self._read()
                return True
            if self._doubted is not None:
                self._settle(self._doubted)
                return True
        except OSError as error:
            self._stamp = None
            why = error.strerror or type(error).__name__
            self._fail(f"{self.path.name} can not be read in {self.path.parent.resolve()}: {why}.")
        except NeverCrawlError as error:
            self._fail(str(error))
        return False

    def news(self) -> Iterator[Entry]:
        """The entries that came into force since this was asked last, at first all."""
        news, self._news = self._news, []
        return chain.from_iterable(news)

    def _read(self) -> Generator[None, None, None]:
        self._stamp, data = yield from _read(self.path)
        content = Content(str(self.path))
        yield from content.read(data)
        self.problem = ""
        if not self.in_force:
            self._settle(content)
            self._news = [content.entries()]
            return
        new, kept = array("Q"), []
        for places in content.new_since(self.in_force):
            new.extend(places)
            yield
        for before in self.in_force:
            lost = False
            for places in before.new_since([content]):
                lost = lost or bool(places)
                yield
            if lost:
                kept.append(before)
        self._news.append(content.at(new))
        if kept or content.unfinished:
            self._doubted = content
            # Of a file that changes at each look: the last one, and what was there before the first change.
            self.in_force = (content, *kept[:1], *kept[1:][-1:])
        else:
            self._settle(content)

    def _settle(self, content: Content) -> None:
        """Believe it as it stands."""
        self._doubted = None
        self._news.append(content.at(content.finish()))
        self.in_force = (content,)

    def _fail(self, sentence: str) -> None:
        self.problem = sentence
        self._doubted = None


def read_whole(path: Path) -> bytes:
    """The bytes of a list, at once.

    Raises:
        OSError: it cannot be read.
        NeverCrawlError: it is no file, or too large.
    """
    _stamp_of(path)
    return path.read_bytes()


def _stamp_of(path: Path) -> _Stamp:
    """How a list looks from outside.

    Raises:
        OSError: it is not there.
        NeverCrawlError: it is no file, or too large.
    """
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(found.st_mode):
        raise NeverCrawlError(f"{path.name} is no file.")
    if found.st_size > LARGEST:
        raise NeverCrawlError(f"{path.name} has {found.st_size:,} bytes; a list may have {LARGEST:,}.")
    return _stamp(found)


def _stamp(found: os.stat_result) -> _Stamp:
    """Modification time in ns, size in bytes and inode."""
    return found.st_mtime_ns, found.st_size, found.st_ino


def _read(path: Path) -> Generator[None, None, tuple[_Stamp, bytearray]]:
    """A file's stamp and bytes. One that is replaced meanwhile is read to its end; the next look finds the other.

    Raises:
        OSError: it cannot be read, or it is being written.
    """
    with path.open("rb", buffering=0) as file:
        before = _stamp(os.fstat(file.fileno()))
        # In one place from the start: to join the pieces of a large file would take longer than a slice may.
        data = bytearray()
        while len(data) <= before[1] and (piece := file.read(_PIECE)):
            data += piece
            yield
        after = _stamp(os.fstat(file.fileno()))
    if after != before or len(data) != before[1]:
        raise OSError(errno.EAGAIN, "it changed while it was read, and is read again at the next look")
    return before, data
