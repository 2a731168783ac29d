"""Finds the music in folders, and reads the tags of each file with the readers of `mediacrawl.probe`.

Suffixes decide which files of a folder are opened, never what a file is. Tags are raw bytes with the encoding that the
file declares.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mediacrawl.music.originals import LIST, is_draft
from mediacrawl.probe import NeedBytes, ProbePolicy, SparseFile
from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats import read_container
from mediacrawl.records import Tag

_NAMES = (
    "aac aif aifc aiff ape asf avi flac m4a m4b m4p m4v mov mp1 mp2 mp3 mp4 mpc mpga oga ogg ogv opus spx tta wav wave"
    " wma wmv wv 3gp 3g2"
)
MEDIA = frozenset(f".{name}" for name in _NAMES.split())
"""Files of a folder that are opened; others are only named on the command line."""
M3U = frozenset({".m3u", ".m3u8", ".pls"})
"""Playlists."""
CUE = frozenset({".cue"})
"""Cue sheets."""


@dataclass(slots=True)
class Folder:
    """What a run reads of a folder: media files and lists by name, drafts of a killed run.

    Symbolic links are counted and not followed. `why` is why the folder cannot be read, empty if it was.
    """

    path: Path
    files: list[Path] = field(default_factory=list)
    lists: list[Path] = field(default_factory=list)
    leftovers: list[Path] = field(default_factory=list)
    links: int = 0
    why: str = ""


def folders(paths: Iterable[Path], lists: frozenset[str]) -> Iterator[Folder]:
    """Yield what is in some folders with all their subfolders, and some files, each folder and file once.

    Args:
        paths: folders; and files, whatever their names are. A symbolic link that is named here is followed.
        lists: suffixes of the lists that are read in folders, in lower case, with their dots.
    """
    met: set[tuple[int, int]] = set()
    named: dict[Path, Folder] = {}
    for path in paths:
        real = path.resolve()
        if real.is_dir():
            yield from _walk(real, lists, met)
            continue
        folder = named.setdefault(real.parent, Folder(real.parent))
        (folder.lists if real.suffix.lower() in lists else folder.files).append(real)
    for folder in named.values():
        folder.files = sorted(set(folder.files))
        yield folder


def _walk(top: Path, lists: frozenset[str], met: set[tuple[int, int]]) -> Iterator[Folder]:
    waiting = [top]
    while waiting:
        folder = Folder(waiting.pop())
        inner = []
        try:
            state = folder.path.stat()
            if (state.st_dev, state.st_ino) in met:
                continue
            met.add((state.st_dev, state.st_ino))
            if (folder.path / LIST).is_file():
                continue  # the originals of a run
            with os.scandir(folder.path) as entries:
                inner = [folder.path / entry.name for entry in entries if _sort(entry, folder, lists)]
        except OSError as error:
            folder.why = f"it cannot be read: {error.strerror or error}"
        for found in (folder.files, folder.lists):
            found.sort()
        waiting += sorted(inner, reverse=True)
        yield folder


def _sort(entry: os.DirEntry[str], folder: Folder, lists: frozenset[str]) -> bool:
    """Add an entry to its folder. Return whether it is a folder itself."""
    suffix = os.path.splitext(entry.name)[1].lower()  # noqa: PTH122 - a Path for each of 100,000 names takes a second
    if entry.is_symlink():
        folder.links += suffix in MEDIA or suffix in lists
    elif entry.is_dir():
        return True
    elif is_draft(entry.name):
        folder.leftovers.append(folder.path / entry.name)
    elif suffix in MEDIA and not entry.name.startswith("._"):
        # Names that begin so are what macOS keeps of a file on foreign disks.
        folder.files.append(folder.path / entry.name)
    elif suffix in lists:
        folder.lists.append(folder.path / entry.name)
    return False


CONTAINERS = frozenset(
    {"mp3", "aac", "flac", "ogg", "mp4", "mov", "asf", "wav", "avi", "aiff", "ape", "wavpack", "musepack", "tta"}
)
"""Formats whose tags can be written."""

_AT_ONCE = 64 * 1024
"""Bytes of the two pieces that nearly all tags are in: the front of a file, and its end."""
_MOST_BYTES = 16 * 1024 * 1024
"""Bytes of one file that its tags may make us read. Covers are stepped over; a tag of more text is an attack."""
_POLICY = ProbePolicy(max_text_bytes=256 * 1024, max_tags=2000, max_id3_tags=1, average_bytes=4 * 1024)
"""The bit rate is not needed, and 128 KB of frames took two thirds of the time of a file. Of several ID3v2 tags mutagen
writes the first."""


class DiskFile(SparseFile):
    """An open file, of which at most `_MOST_BYTES` are read."""

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
        path: of the file, as `os.fsdecode` makes it.
        container: name of the format by its content, see `mediacrawl.probe.formats`; empty if it is not known.
        tags: all texts of the file, in its order.
        cover: whether there is a picture, its MIME type and its size in bytes.
        notes: why the reading is not complete.
        why: the file was not read; empty if it was.
    """

    path: Path
    container: str = ""
    tags: Sequence[Tag] = ()
    cover: tuple[bool | None, str | None, int | None] = (None, None, None)
    notes: Sequence[str] = field(default_factory=list)
    why: str = ""


def read_tags(path: Path) -> TaggedFile:
    """Return the texts of a file. Nothing is raised; `TaggedFile.why` says what is wrong."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            return _read_open(descriptor, path)
        finally:
            os.close(descriptor)
    except (OSError, ValueError) as error:
        return TaggedFile(path, why=f"it cannot be read: {getattr(error, 'strerror', None) or error}")


def _read_open(descriptor: int, path: Path) -> TaggedFile:
    size = os.fstat(descriptor).st_size
    if not size:
        return TaggedFile(path, why="it is empty")
    context = ParseContext(DiskFile(descriptor, size), _POLICY)
    try:
        read_container(context)
    except NeedBytes:
        return TaggedFile(path, why="its tags are too long")
    result = context.result
    cover = (result.has_cover, result.cover_mime, result.cover_size)
    found = TaggedFile(path, result.container or "", result.tags, cover, result.notes)
    if found.container not in CONTAINERS:
        found.why = f"it is {found.container}, whose tags are not read here" if found.container else "it is no media"
    elif context.errors and not result.tags:
        found.why = "it is damaged: no tag can be read"
    return found
