"""The tags of a local file, by the readers of `mediacrawl.probe`: raw bytes, and what the file declares them to be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mediacrawl.probe import NeedBytes, ProbePolicy, SparseFile
from mediacrawl.probe.context import Reading
from mediacrawl.probe.formats.containers import read_container
from mediacrawl.records import Tag

CONTAINERS = frozenset(
    {"mp3", "aac", "flac", "ogg", "mp4", "mov", "asf", "wav", "avi", "aiff", "ape", "wavpack", "musepack", "tta"}
)
"""Formats whose tags can be written."""

_AT_ONCE = 64 * 1024
"""Bytes of the two pieces that nearly all tags stand in: the front of a file, and its end."""
_MOST_BYTES = 16 * 1024 * 1024
"""Bytes of one file that its tags may make us read. Covers are stepped over; a tag of more text is an attack."""
_POLICY = ProbePolicy(max_text_bytes=256 * 1024, max_tags=2000, average_bytes=4 * 1024)
"""Nobody asks here for the bit rate, and to walk 128 KB of frames took two thirds of the time of a file."""


class DiskFile(SparseFile):
    """A file of which every byte is at hand, until `_MOST_BYTES` have been read.

    Args:
        descriptor: of the open file.
        size: bytes of the file.
    """

    def __init__(self, descriptor: int, size: int) -> None:
        super().__init__(size)
        self._descriptor = descriptor
        self._left = _MOST_BYTES
        self.put(0, os.pread(descriptor, _AT_ONCE, 0))
        if size > _AT_ONCE:
            start = max(_AT_ONCE, size - _AT_ONCE)
            self.put(start, os.pread(descriptor, size - start, start))

    def _piece(self, start: int, stop: int) -> bytes:
        held = super()._piece(start, stop)
        if held or self._left <= 0 or start >= stop:
            return held
        read = os.pread(self._descriptor, min(stop - start, self._left), start)
        self._left -= len(read)
        return read


@dataclass(slots=True)
class TaggedFile:
    """One file and its texts.

    Attributes:
        path: of the file; bytes that are no UTF-8 are lone surrogates, as `os.fsdecode` makes them.
        container: name of the format by its content, see `mediacrawl.probe.formats.sniff`; empty if it is not known.
        tags: all texts of the file, in its order.
        cover: whether there is a picture, its MIME type and its bytes.
        notes: why the reading is not complete.
        why: why nothing can be said of the file; empty if it was read.
    """

    path: Path
    container: str = ""
    tags: Sequence[Tag] = ()
    cover: tuple[bool | None, str | None, int | None] = (None, None, None)
    notes: Sequence[str] = field(default_factory=list)
    why: str = ""


def read_tags(path: Path) -> TaggedFile:
    """Read the texts of a file. Whatever the file is, nothing is raised.

    Args:
        path: of the file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        return TaggedFile(path, why=f"it cannot be read: {getattr(error, 'strerror', None) or error}")
    try:
        return read_open(descriptor, path)
    except OSError as error:
        return TaggedFile(path, why=f"it cannot be read: {error.strerror or error}")
    finally:
        os.close(descriptor)


def read_open(descriptor: int, path: Path) -> TaggedFile:
    """Read the texts of an open file.

    Args:
        descriptor: of the file.
        path: its name, for `TaggedFile.path`.

    Raises:
        OSError: the disk gives an error.
    """
    size = os.fstat(descriptor).st_size
    if not size:
        return TaggedFile(path, why="it is empty")
    reading = Reading(DiskFile(descriptor, size), _POLICY)
    try:
        read_container(reading)
    except NeedBytes:
        return TaggedFile(path, why="its tags are too long")
    result = reading.result
    cover = (result.has_cover, result.cover_mime, result.cover_size)
    found = TaggedFile(path, result.container or "", result.tags, cover, result.notes)
    if found.container not in CONTAINERS:
        found.why = f"it is {found.container}, whose tags are not read here" if found.container else "it is no media"
    elif reading.errors and not result.tags:
        found.why = "it is damaged: no tag can be read"
    return found
