"""The folders and files that a run looks at, folder by folder, whatever they are called and however deep they lie."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mediacrawl.music.replacing import is_draft
from mediacrawl.music.suffixes import MEDIA


@dataclass(slots=True)
class Folder:
    """What of a folder is looked at.

    Attributes:
        path: of the folder.
        files: media files, by name.
        lists: playlists and cue sheets, by name.
        leftovers: drafts of a run that was killed.
        links: symbolic links; they are not followed, for what they lead to changes where it lies.
        why: why the folder cannot be read; empty if it was.
    """

    path: Path
    files: list[Path] = field(default_factory=list)
    lists: list[Path] = field(default_factory=list)
    leftovers: list[Path] = field(default_factory=list)
    links: int = 0
    why: str = ""


def folders(paths: Iterable[Path], lists: frozenset[str]) -> Iterator[Folder]:
    """What lies in some folders, and some files, each folder and file once.

    Args:
        paths: folders, which are walked to their ends, and files, which are taken whatever their names are. A symbolic
            link that is named here is followed.
        lists: suffixes of the lists that are looked at in folders, in lower case, with their dots.
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
            with os.scandir(folder.path) as entries:
                inner = [folder.path / entry.name for entry in entries if _sort(entry, folder, lists)]
        except OSError as error:
            folder.why = f"it cannot be read: {error.strerror or error}"
        for found in (folder.files, folder.lists):
            found.sort()
        waiting += sorted(inner, reverse=True)
        yield folder


def _sort(entry: os.DirEntry[str], folder: Folder, lists: frozenset[str]) -> bool:
    """Puts an entry into its place; tells whether it is a folder."""
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
