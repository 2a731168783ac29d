"""Finds the music in folders, and reads the tags of each file with the readers of `mediacrawl.probe`.

Suffixes decide which files of a folder are opened, never what a file is. Tags are raw bytes with the encoding that the
file declares.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mediacrawl.base.terms import Tag
from mediacrawl.probe import ProbePolicy, read_file
from mediacrawl.programs.music import MEDIA
from mediacrawl.programs.music.originals import LIST, is_draft


@dataclass(slots=True)
class Folder:
    """Media files and lists of a folder by name, drafts of a killed run, and why it cannot be read, empty if it was."""

    path: Path
    files: list[Path] = field(default_factory=list)
    lists: list[Path] = field(default_factory=list)
    leftovers: list[Path] = field(default_factory=list)
    why: str = ""


def folders(paths: Iterable[Path], lists: frozenset[str]) -> Iterator[Folder]:
    """Yield what is in some folders with all their subfolders, and some files, each folder and file once.

    Args:
        paths: folders; and files, whatever their names are. A symbolic link that is named here is followed.
        lists: suffixes of the lists that are read in folders, in lower case, with their dots.
    """
    met: set[str] = set()
    named: dict[Path, Folder] = {}
    errors: list[OSError] = []
    for path in paths:
        real = path.resolve()
        if not real.is_dir():
            folder = named.setdefault(real.parent, Folder(real.parent))
            kind = folder.lists if real.suffix.lower() in lists else folder.files
            if real not in kind:
                kind.append(real)
            continue
        for top, inner, names in os.walk(real, onerror=errors.append):
            if top in met or LIST in names:
                # It was read already, or has the originals of a run.
                inner.clear()
                continue
            met.add(top)
            inner.sort()
            yield _folder(Path(top), sorted(names), lists)
    yield from named.values()
    for error in errors:
        yield Folder(Path(error.filename), why=f"it cannot be read: {error.strerror or error}")


def _folder(top: Path, names: Sequence[str], lists: frozenset[str]) -> Folder:
    folder = Folder(top)
    for name in names:
        suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 - a Path for each of 100,000 names takes a second
        if is_draft(name):
            folder.leftovers.append(top / name)
        elif (suffix not in MEDIA and suffix not in lists) or (top / name).is_symlink():
            continue
        elif suffix in lists:
            folder.lists.append(top / name)
        elif not name.startswith("._"):
            # Names that begin so are what macOS keeps of a file on foreign disks.
            folder.files.append(top / name)
    return folder


CONTAINERS = frozenset(
    {"mp3", "aac", "flac", "ogg", "mp4", "mov", "asf", "wav", "avi", "aiff", "ape", "wavpack", "musepack", "tta"}
)
"""Formats whose tags can be written."""

_POLICY = ProbePolicy(
    max_bytes=16 << 20, max_text_bytes=256 * 1024, max_tags=2000, max_id3_tags=1, average_bytes=4 * 1024
)
"""Covers are stepped over; a tag of more text is an attack. The bit rate is not needed, and 128 KB of frames took two
thirds of the time of a file. Of several ID3v2 tags mutagen writes the first."""


@dataclass(slots=True)
class TaggedFile:
    """One file and its texts.

    Attributes:
        path: of the file, as `os.fsdecode` makes it.
        container: name of the format by its content, see `ProbeResult`; empty if it is not known.
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
        if not stat.S_ISREG(path.stat().st_mode):
            return TaggedFile(path, why="it is no regular file")
        with path.open("rb") as stream:
            result = read_file(stream, _POLICY)
    except OSError as error:
        return TaggedFile(path, why=f"it cannot be read: {error.strerror or error}")
    if result.status == "error:NoData":
        return TaggedFile(path, why="it is empty")
    if "budget" in result.notes:
        return TaggedFile(path, why="its tags are too long")
    cover = (result.has_cover, result.cover_mime, result.cover_size)
    found = TaggedFile(path, result.container or "", result.tags, cover, result.notes)
    if found.container not in CONTAINERS:
        found.why = f"it is {found.container}, whose tags are not read here" if found.container else "it is no media"
    elif result.errors and not result.tags:
        found.why = "it is damaged: no tag can be read"
    return found
