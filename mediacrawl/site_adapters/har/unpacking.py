"""The bytes of a recording: of a file as it is, or packed by gzip, zlib (mitmproxy's ``.zhar``) or zip (Playwright)."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from mediacrawl.site_adapters.har.recording import RecordingError

Read = Callable[[int], bytes]
"""Gives at most so many bytes, and none at the end."""

_PACKED_CHUNK = 1 << 16
_UNPACKED_FREE = 256 << 20
_MOST_RATIO = 200
"""Bytes that each packed byte may give beyond the first 256 MB. Recordings give 2 (media) to 30 (text); bombs 1,000."""
_MOST_UNPACKED = 16 << 30
"""Bytes of an unpacked recording. Browsers cannot write longer ones: they build them in memory."""
_LONGEST_DIRECTORY = 8 << 20
"""Bytes of a zip file's directory, which is held in memory: 100,000 members."""
_LONGEST_ZIP_COMMENT = 65_535
_END_OF_ZIP, _END_SIZE = b"PK\x05\x06", 22
_ZIP_START = (b"PK\x03\x04", _END_OF_ZIP)
_GZIP = b"\x1f\x8b"
_ZLIB = tuple(b"\x78" + level for level in (b"\x01", b"\x5e", b"\x9c", b"\xda"))
_UTF_8_MARK = b"\xef\xbb\xbf"
_WIDE_STARTS = (b"\xff\xfe", b"\xfe\xff", b"{\0", b"\0{")


@contextmanager
def unpacked(source: str | os.PathLike[str] | IO[bytes], name: str) -> Iterator[Read]:
    """Open a recording and unpack it while it is read.

    What is packed and ends in the middle, or is damaged, simply ends there.

    Args:
        source: path of a file, or a file opened in binary mode. A zip file must be seekable.
        name: of the recording, for messages.

    Yields:
        A function that gives the next bytes of the JSON text.

    Raises:
        RecordingError: the file cannot be opened, is packed in a way that is not read, is in UTF-16, or is a bomb.
    """
    if isinstance(source, str | os.PathLike):
        try:
            file = Path(source).open("rb")  # noqa: SIM115 - closed below
        except OSError as error:
            raise RecordingError(f"{name}: cannot be opened ({error.strerror}); name a file that exists.") from None
        with file:
            yield _reader(file, name)
    else:
        yield _reader(source, name)


def _reader(file: IO[bytes], name: str) -> Read:
    head = _taken(file.read(4))
    if head.startswith(_ZIP_START):
        return _of_zip(file, name)
    read = _after(head, file)
    if head.startswith(_GZIP):
        read = _Inflated(read, name, zlib.MAX_WBITS | 16).read
    elif head.startswith(_ZLIB):
        read = _Inflated(read, name, zlib.MAX_WBITS).read
    # The mark is permitted, and some tools write it.
    head = read(4)
    while len(head) < 4 and (more := read(4 - len(head))):
        head += more
    if head.startswith(_WIDE_STARTS):
        raise RecordingError(f"{name}: is in UTF-16, where HAR has UTF-8; save it as UTF-8.")
    return _Joined(head.removeprefix(_UTF_8_MARK), read).read


def _taken(data: bytes) -> bytes:
    if not isinstance(data, bytes):
        raise TypeError("a recording is read from a file that is opened in binary mode")
    return data


class _Joined:
    """What was read already, and then the rest."""

    def __init__(self, head: bytes, rest: Read) -> None:
        self._head = head
        self._rest = rest

    def read(self, most: int) -> bytes:
        if self._head:
            head, self._head = self._head[:most], self._head[most:]
            return head
        return self._rest(most)


def _after(head: bytes, file: IO[bytes]) -> Read:
    return _Joined(head, lambda most: _taken(file.read(most))).read


class _Watch:
    """Counts what is unpacked."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._packed = self._unpacked = 0

    def count(self, packed: int, given: int) -> None:
        """Add both; raises `RecordingError` if they are those of a bomb."""
        self._packed += packed
        self._unpacked += given
        is_bomb = self._unpacked > _UNPACKED_FREE + _MOST_RATIO * self._packed
        if is_bomb or self._unpacked > _MOST_UNPACKED:
            raise RecordingError(
                f"{self._name}: unpacks to more than a recording has ({self._unpacked >> 20} MB from "
                f"{self._packed >> 10} KB); record the pages again."
            )


class _Inflated:
    """Unpacks gzip or zlib piece by piece. The members of gzip may follow each other (RFC 1952, 2.2)."""

    def __init__(self, read: Read, name: str, window: int) -> None:
        self._read = read
        self._watch = _Watch(name)
        self._window = window
        self._inflate = zlib.decompressobj(window)
        self._waiting = b""
        self._is_over = False

    def read(self, most: int) -> bytes:
        while not self._is_over:
            if self._inflate.eof:
                self._next_member()
                continue
            if not self._waiting:
                self._waiting = self._read(_PACKED_CHUNK)
            packed = self._waiting
            try:
                data = self._inflate.decompress(packed, most)
            except zlib.error:
                break
            self._waiting = self._inflate.unconsumed_tail
            self._watch.count(len(packed) - len(self._waiting), len(data))
            if data:
                return data
            self._is_over = not packed
        self._is_over = True
        return b""

    def _next_member(self) -> None:
        self._waiting = self._inflate.unused_data or self._read(_PACKED_CHUNK)
        self._is_over = not self._waiting.startswith(_GZIP)
        self._inflate = zlib.decompressobj(self._window)


def _of_zip(file: IO[bytes], name: str) -> Read:
    try:
        _check_directory(file, name)
        archive = ZipFile(file)
        member = _recording_in(archive, name)
        opened = archive.open(member)
    except (BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise RecordingError(f"{name}: is a zip file that cannot be read ({error}); unpack it first.") from None
    watch = _Watch(name)
    watch.count(member.compress_size, 0)

    def read(most: int) -> bytes:
        try:
            data = opened.read(most)
        except (BadZipFile, EOFError, zlib.error):
            return b""
        watch.count(0, len(data))
        return data

    head = read(len(_UTF_8_MARK))
    return _Joined(head.removeprefix(_UTF_8_MARK), read).read


def _check_directory(file: IO[bytes], name: str) -> None:
    """Check the size of the directory before it is read (APPNOTE.TXT, 4.3.16)."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END_SIZE - _LONGEST_ZIP_COMMENT))
    tail = _taken(file.read())
    place = tail.rfind(_END_OF_ZIP)
    if place >= 0 and int.from_bytes(tail[place + 12 : place + 16], "little") > _LONGEST_DIRECTORY:
        raise RecordingError(
            f"{name}: is a zip file with more than {_LONGEST_DIRECTORY >> 20} MB of names; unpack it first."
        )
    file.seek(0)


def _recording_in(archive: ZipFile, name: str) -> ZipInfo:
    """The member that is the recording: Playwright puts the bodies beside it as files, which are never opened."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    recordings = [member for member in members if member.filename.lower().endswith(".har")]
    if len(members) == 1:
        recordings = members
    if not recordings:
        raise RecordingError(f"{name}: is a zip file without a .har file in it; name the recording itself.")
    found = min(recordings, key=lambda member: member.filename.count("/"))
    if found.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise RecordingError(f"{name}: is a zip file packed by a method that is not read; unpack it first.")
    return found
