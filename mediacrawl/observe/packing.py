"""Packed log files: gzip files of many members, so that a few lines can be read without the rest.

A member is a gzip file of its own, and gzip files may be put one behind the other (RFC 1952, section 2.2): ``zcat`` and
`gzip.open` read them as one. Members end at the end of a line.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

from mediacrawl.observe.site_index import IndexWriter, Member, site_key

MEMBER = 64 * 1024
"""Bytes of lines in a member, some 160. With 128 KB packed files are 3 % smaller, and answers take up to twice as long
(``benchmarks/complaint.py``)."""
CHUNK = 1 << 20
_GZIP = 31
"""Window bits of zlib for a gzip member."""
_LEVEL = 6
_LONGEST = 16 * CHUNK
"""Bytes without a line end after which a member ends anyway: no line of ours is so long."""

# A quotation mark within a value is escaped, so these bytes are the key and nothing else.
_SITE = re.compile(rb'"site":"((?:[^"\\]|\\.)+)"')
_HOST = re.compile(rb'"url":"[^"/]*//(?:[^"/?#@]*@)?(\[[^"\]]*\]|[^":/?#]*)')


def sites(lines: bytes) -> set[bytes]:
    """The sites of whole lines, as written there; of a line without one the host of its URL.

    Args:
        lines: each with its line feed.
    """
    found = _SITE.findall(lines)
    if len(found) == lines.count(b"\n"):
        return set(found)
    # Lines of a robots.txt had no site once.
    return {name for line in lines.splitlines() if (name := _site_or_host(line))}


def _site_or_host(line: bytes) -> bytes:
    site = _SITE.search(line)
    if site:
        return site[1]
    host = _HOST.search(line)
    return host[1].lower() if host else b""


class Packer:
    """Compresses lines into members, and writes the index of their sites beside it.

    Args:
        out: the packed file, empty, open for reading too.
        index: the file of the index, empty.
    """

    def __init__(self, out: BinaryIO, index: BinaryIO) -> None:
        self._out = out
        self._index = IndexWriter(index)
        self._waiting = b""
        self._written = False

    def write(self, chunk: bytes) -> None:
        """Take in the next bytes; they need not end with a line."""
        waiting, start = self._waiting + chunk, 0
        while len(waiting) - start >= MEMBER:
            end = _member_end(waiting, start)
            if not end:
                break
            self._member(waiting[start:end])
            start = end
        self._waiting = waiting[start:]

    def _member(self, lines: bytes) -> None:
        # zlib lets the crawl's thread go on meanwhile.
        packed = zlib.compress(lines, _LEVEL, _GZIP)
        self._out.write(packed)
        self._index.add(len(packed), map(site_key, sites(lines)))
        self._written = True

    def finish(self) -> None:
        """Write what waits, and the index's directory."""
        if self._waiting or not self._written:
            self._member(self._waiting)
        self._out.flush()
        self._index.finish(self._out)


def _member_end(waiting: bytes, start: int) -> int:
    """Where a member that begins at `start` is to end; 0 if its last line has not ended yet."""
    end = waiting.rfind(b"\n", start, start + MEMBER) + 1 or waiting.find(b"\n", start + MEMBER) + 1
    return end or (len(waiting) if len(waiting) - start >= _LONGEST else 0)


class _Unpacking:
    """One member, as it is unpacked.

    Attributes:
        length: bytes that it takes in the file; known when it was read to its end.

    Args:
        packed: open for reading.
        start: where the member begins.
        step: bytes that are read at a time.
    """

    def __init__(self, packed: BinaryIO, start: int, step: int) -> None:
        self._packed = packed
        self._start = start
        self._step = step
        self.length = 0

    def chunks(self) -> Iterator[bytes]:
        """Unpack it, at most a megabyte at a time.

        Raises:
            OSError, EOFError, zlib.error: it is damaged.
        """
        press = zlib.decompressobj(_GZIP)
        self._packed.seek(self._start)
        read = 0
        while not press.eof:
            raw = press.unconsumed_tail
            if not raw:
                raw = self._packed.read(self._step)
                read += len(raw)
            if not raw:
                raise EOFError("it was cut short")
            yield press.decompress(raw, CHUNK)
        self.length = read - len(press.unused_data)


def read_member(packed: BinaryIO, member: Member) -> Iterator[bytes]:
    """The lines of one member, in pieces of about a megabyte that end with a line.

    Args:
        packed: open for reading.
        member: where it stands.

    Raises:
        OSError, EOFError, zlib.error: it is damaged.
    """
    yield from whole_lines(_Unpacking(packed, member.start, min(member.length, CHUNK)).chunks())


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """What a file holds, a megabyte at a time."""
    while chunk := file.read(CHUNK):
        yield chunk


def whole_lines(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Cut bytes at the ends of lines; what comes after the last one is a piece of its own."""
    begun = b""
    for chunk in pieces:
        end = chunk.rfind(b"\n") + 1
        if end:
            yield begun + chunk[:end]
            begun = chunk[end:]
        else:
            begun += chunk
    if begun:
        yield begun


def index_of(packed: BinaryIO, out: BinaryIO, stop: Callable[[], bool] = lambda: False) -> bool:
    """Make the index of a packed file, also of one that is a single member, as earlier versions wrote it.

    Args:
        packed: open for reading.
        out: the file of the index, empty.
        stop: asked once a megabyte; True gives up.

    Returns:
        False if it was told to stop.

    Raises:
        OSError, EOFError, zlib.error: the packed file is damaged, or the disk said no.
    """
    index = IndexWriter(out)
    for member in _members(packed):
        keys = set[int]()
        for lines in whole_lines(member.chunks()):
            if stop():
                return False
            keys.update(map(site_key, sites(lines)))
        index.add(member.length, keys)
    index.finish(packed)
    return True


def read_all(packed: BinaryIO) -> Iterator[bytes]:
    """The lines of all members, as `read_member` gives those of one; what comes before a damage is given."""
    for member in _members(packed):
        yield from whole_lines(member.chunks())


def _members(packed: BinaryIO) -> Iterator[_Unpacking]:
    """Each member; the next one can be told only when one was unpacked."""
    start, size = 0, packed.seek(0, os.SEEK_END)
    while start < size:
        member = _Unpacking(packed, start, MEMBER)
        yield member
        start += member.length
