"""Which members of a packed log file hold lines of a site: the index beside the file.

A packed day is a gzip file of many members, each some hundred whole lines. Its index, ``<name>-YYYY-MM-DD.sites``,
says for each site in which members lines of it stand, so that a complaint about one of a million sites reads a
thousandth of a month. It is made of what it indexes and nothing else: one that is missing, damaged, or of another file
is noticed, the day is then read whole, and the next start of a crawl makes it anew.

In the file, for each segment (up to 2,048 members, half a million entries): 64 runs of 4-byte numbers, sorted and
little-endian, the upper 21 bits from the CRC-32 of the site, the lower 11 the member in the segment. Then a directory
(JSON): the length of each member, where the runs stand, their checksums, and which packed file it is of. At the end the
directory's length and checksum. Two sites with the same 21 bits cost the reading of a member, never a wrong line,
for lines are compared with the whole name of the site.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, Self

_FORMAT = 1
_MAGIC = b"MCSITES1"
_TRAILER = struct.Struct("<II8s")
_MEMBER_BITS = 11
_MEMBERS = 1 << _MEMBER_BITS
_RUN_BITS = 6
_RUNS = 1 << _RUN_BITS
_ENTRIES = 1 << 19
"""Entries of a segment: 2 MB while it is made."""
_SHIFT = 32 - _RUN_BITS
_TAIL = 8
_DIRECTORY = 64_000_000
"""Bytes that a directory may have; that of ten million members has less."""
_NUMBERS = next(code for code in "IL" if array(code).itemsize == 4)


class NoIndexError(ValueError):
    """There is no index of this file that can be used. The text says why, in a few words."""


def index_path(packed: Path) -> Path:
    """Where the index of a packed file stands.

    Args:
        packed: ``requests-2026-08-01.jsonl.gz``.
    """
    return packed.with_name(packed.name.removesuffix(".jsonl.gz") + ".sites")


def site_key(site: bytes) -> int:
    """The number under which a site stands in an index.

    Args:
        site: as it is written in the log, without the quotation marks.
    """
    return zlib.crc32(site)


def identity(packed: BinaryIO) -> dict[str, Any]:
    """By what an index knows its file: the size, and the last bytes, which are the checksum of its last member."""
    size = packed.seek(0, os.SEEK_END)
    packed.seek(max(size - _TAIL, 0))
    return {"size": size, "tail": packed.read(_TAIL).hex()}


class IndexWriter:
    """Writes an index while the members are made; holds one segment in memory, some 4 MB.

    Args:
        out: an empty file.
    """

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._lengths: list[int] = []
        self._segments: list[dict[str, Any]] = []
        self._first = 0
        self._begin()

    def _begin(self) -> None:
        self._runs = [array(_NUMBERS) for _ in range(_RUNS)]
        self._entries = 0

    def add(self, length: int, keys: Iterable[int]) -> None:
        """Add the next member.

        Args:
            length: bytes that it takes in the packed file.
            keys: of the sites of its lines, each once, see `site_key`.
        """
        member = len(self._lengths) - self._first
        for key in keys:
            self._runs[key >> _SHIFT].append(key >> _MEMBER_BITS << _MEMBER_BITS | member)
            self._entries += 1
        self._lengths.append(length)
        if member + 1 == _MEMBERS or self._entries >= _ENTRIES:
            self._end_segment()

    def _end_segment(self) -> None:
        segment: dict[str, Any] = {"first": self._first, "at": self._out.tell(), "counts": [], "checks": []}
        for run in self._runs:
            # Run by run: sorting half a million numbers in one go would hold up the crawl's thread.
            raw = _little(array(_NUMBERS, sorted(run))).tobytes()
            segment["counts"].append(len(run))
            segment["checks"].append(zlib.crc32(raw))
            self._out.write(raw)
        self._segments.append(segment)
        self._first = len(self._lengths)
        self._begin()

    def finish(self, packed: BinaryIO) -> None:
        """Write the directory.

        Args:
            packed: the packed file, complete, open for reading.
        """
        if self._first < len(self._lengths):
            self._end_segment()
        directory = {"format": _FORMAT, "of": identity(packed), "members": self._lengths, "segments": self._segments}
        raw = json.dumps(directory, separators=(",", ":")).encode()
        self._out.write(raw + _TRAILER.pack(len(raw), zlib.crc32(raw), _MAGIC))


@dataclass(slots=True, frozen=True)
class Member:
    """A member of a packed file: where it begins, and how many bytes it takes."""

    start: int
    length: int


class SiteIndex:
    """An index, open for look-ups.

    Args:
        path: of the index.
        packed: the packed file that it is to be of, open for reading.

    Raises:
        NoIndexError: it is missing, damaged, or of another file.
    """

    def __init__(self, path: Path, packed: BinaryIO) -> None:
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise NoIndexError("there is no index" if isinstance(error, FileNotFoundError) else str(error)) from error
        try:
            directory = self._directory()
            if directory["format"] != _FORMAT or directory["of"] != identity(packed):
                raise NoIndexError("its index is of another file")
            self._starts = _starts(directory["members"])
            self._segments: list[dict[str, Any]] = directory["segments"]
        except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
            self._file.close()
            raise error if isinstance(error, NoIndexError) else NoIndexError("its index is damaged") from error

    def _directory(self) -> dict[str, Any]:
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(size - _TRAILER.size)
        length, check, magic = _TRAILER.unpack(self._file.read())
        if magic != _MAGIC or not 0 < length <= min(size, _DIRECTORY):
            raise ValueError("no directory")
        self._file.seek(size - _TRAILER.size - length)
        raw = self._file.read(length)
        if zlib.crc32(raw) != check:
            raise ValueError("damaged directory")
        found: dict[str, Any] = json.loads(raw)
        return found

    @property
    def members(self) -> int:
        """How many members the packed file has."""
        return len(self._starts) - 1

    def find(self, keys: Iterable[int]) -> list[Member]:
        """The members that may hold lines of sites, in the order of the file.

        Args:
            keys: of the sites, see `site_key`.

        Raises:
            NoIndexError: the part that is looked at is damaged.
        """
        wanted = tuple(keys)
        found = sorted({place for segment in self._segments for key in wanted for place in self._look(segment, key)})
        try:
            return [Member(self._starts[place], self._starts[place + 1] - self._starts[place]) for place in found]
        except IndexError as error:
            raise NoIndexError("its index is damaged") from error

    def _look(self, segment: dict[str, Any], key: int) -> list[int]:
        run = key >> _SHIFT
        try:
            self._file.seek(segment["at"] + 4 * sum(segment["counts"][:run]))
            raw = self._file.read(4 * segment["counts"][run])
            sound = zlib.crc32(raw) == segment["checks"][run]
        except (OSError, LookupError, TypeError, ValueError) as error:
            raise NoIndexError("its index is damaged") from error
        if not sound:
            raise NoIndexError("its index is damaged")
        numbers = _little(array(_NUMBERS, raw))
        low = key >> _MEMBER_BITS << _MEMBER_BITS
        begin, end = bisect_left(numbers, low), bisect_left(numbers, low + _MEMBERS)
        return [segment["first"] + (number & (_MEMBERS - 1)) for number in numbers[begin:end]]

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _starts(lengths: list[int]) -> array[int]:
    return array("Q", accumulate(lengths, initial=0))


def _little(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
