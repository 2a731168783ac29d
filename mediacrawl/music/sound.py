"""Compares two versions of a file outside their tags: the length that mutagen finds, and a hash of the bytes."""

from __future__ import annotations

import hashlib
import mmap
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from mediacrawl.music.originals import RefusedError
from mediacrawl.probe import SparseFile
from mediacrawl.probe.formats import id3, outer_tags

Data = bytes | mmap.mmap
Part = tuple[int, int]
"""Offsets of bytes that must stay the same: start and stop."""

_CLOSE = 1.0
"""Seconds. Of MPEG audio mutagen derives the length from the size, in which the tags at the end count."""
_MOST_TAGS = 16
"""Tags in a row at the front or the end of a file."""
_FLAC_FREE = frozenset({1, 4})
"""FLAC's padding and comments. Pictures must stay, so they are compared."""
_RIFF_TAGS = frozenset({b"id3 ", b"ID3 ", b"JUNK", b"junk", b"PAD ", b"FLLR"})


class MappedFile(SparseFile):
    """A mapped file, for the readers of `mediacrawl.probe`."""

    def __init__(self, data: Data) -> None:
        super().__init__(len(data))
        self._data = data

    def _piece(self, start: int, stop: int) -> bytes:
        return self._data[start:stop]


@contextmanager
def mapped(path: Path) -> Iterator[Data]:
    """Yield the contents of a file. Raise OSError if it cannot be read."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            yield b""
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            yield data


@dataclass(frozen=True, slots=True)
class Sound:
    """The length of a file in seconds, 0 if it is not known, and the SHA-256 of its bytes outside the tags."""

    length: float
    digest: str

    def is_same(self, other: Sound) -> bool:
        """Return whether two files have the same audio."""
        known = self.length and other.length
        return self.digest == other.digest and (not known or abs(self.length - other.length) < _CLOSE)


def sound_of(path: Path, container: str) -> Sound:
    """Return what must not change in a file.

    Raises:
        RefusedError: the file is damaged.
    """
    from mutagen import File, MutagenError  # noqa: PLC0415 - it takes a while, and a dry run has no need of it

    found, length = hashlib.sha256(), None
    with suppress(MutagenError):
        # mutagen refuses a file with a tag that is no UTF-8, before it is repaired.
        length = getattr(getattr(File(path), "info", None), "length", None)
    try:
        with mapped(path) as data:
            for start, stop in _READERS[container](data):
                found.update(b"%d:" % (stop - start))
                # A view is hashed without a copy; one that stays open would keep the file mapped.
                with memoryview(data) as view, view[start:stop] as part:
                    found.update(part)
    except (struct.error, IndexError, ValueError) as error:
        raise RefusedError("it is damaged, and its audio cannot be distinguished from its tags") from error
    return Sound(float(length or 0), found.hexdigest())


def _between_tags(data: Data) -> Iterator[Part]:
    """MPEG audio, APE and others: the bytes between the tags at the front and those at the end."""
    file = MappedFile(data)
    start, stop = 0, len(data)
    for _ in range(_MOST_TAGS):
        header = id3.find_header(file, start) or outer_tags.find_ape_at_front(file, start)
        if header is None or not start < header.end <= stop:
            break
        start = header.end
    for _ in range(_MOST_TAGS):
        tag = outer_tags.find_ape_at_end(file, stop) or outer_tags.find_lyrics3(file, stop)
        if stop - start >= id3.ID3V1_SIZE and id3.is_id3v1(data[stop - id3.ID3V1_SIZE : stop]):
            stop -= id3.ID3V1_SIZE
        elif tag is not None and start <= tag.start < stop:
            stop = tag.start
        else:
            break
    yield start, stop


def _flac(data: Data) -> Iterator[Part]:
    """FLAC format, METADATA_BLOCK_HEADER."""
    ((start, stop),) = _between_tags(data)
    if data[start : start + 4] != b"fLaC":
        raise ValueError("no FLAC stream behind the tags")
    at, last = start + 4, False
    while not last:
        last, kind = bool(data[at] & 0x80), data[at] & 0x7F
        end = at + 4 + int.from_bytes(data[at + 1 : at + 4], "big")
        if kind not in _FLAC_FREE:
            yield at + 4, min(end, stop)
        at = end
    yield min(at, stop), stop


def _ogg(data: Data) -> Iterator[Part]:
    """The bodies of the pages with audio. Those with headers have the granule position 0 (RFC 3533, 6)."""
    at = 0
    while data[at : at + 4] == b"OggS":
        body = at + 27 + data[at + 26]
        stop = body + sum(data[at + 27 : body])
        if data[at + 6 : at + 14] != bytes(8):
            yield body, min(stop, len(data))
        at = stop
    yield min(at, len(data)), len(data)


def _mp4(data: Data) -> Iterator[Part]:
    at = 0
    while at + 8 <= len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        if size == 1:
            (size,) = struct.unpack(">Q", data[at + 8 : at + 16])
        stop = at + size if size else len(data)
        if stop < at + 8:
            raise ValueError("an atom is shorter than its header")
        if name == b"mdat":
            yield at + 8, min(stop, len(data))
        at = stop


def _asf(data: Data) -> Iterator[Part]:
    (size,) = struct.unpack("<Q", data[16:24])
    yield min(size, len(data)), len(data)


def _riff(data: Data) -> Iterator[Part]:
    order, at = ">" if data[:4] == b"FORM" else "<", 12
    while at + 8 <= len(data):
        name, size = struct.unpack(f"{order}4sI", data[at : at + 8])
        if name not in _RIFF_TAGS:
            yield at + 8, min(at + 8 + size, len(data))
        at += 8 + size + size % 2


_READERS: dict[str, Callable[[Data], Iterator[Part]]] = {
    **dict.fromkeys(("mp3", "aac", "ape", "wavpack", "musepack", "tta"), _between_tags),
    **dict.fromkeys(("mp4", "mov"), _mp4),
    **dict.fromkeys(("wav", "aiff"), _riff),
    "flac": _flac,
    "ogg": _ogg,
    "asf": _asf,
}
