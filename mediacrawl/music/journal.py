"""The journal of a run that wrote: what leads back from each new file to the old one, byte for byte.

The first line is `HEADER`, which names the format. Then there is one line of JSON for each file, on the disk before
the file is replaced, so a kill can leave a line too many (of a file that is still the old one, which `undo` sees) and
never one too few. A last line that was cut off is no line. A line has:

=============  =====================================================================================
``path``       absolute, as text; or ``path_b64``, base64, where the name is no UTF-8
``fields``     what changed: ``source``, ``frame``, ``key``, ``old``, ``new``, ``old_b64`` (the bytes), ``encoding``
``container``  format of the file, for `audio.digests`; empty for a playlist or a cue sheet
``old``        ``size``, ``digest`` (`audio.Digests.whole`), ``mtime_ns`` of the file before
``new``        ``size``, ``digest`` of the file after: `undo` touches no file that is another one by now
``pieces``     how the old file is made of the new one: ``[offset, length]`` of it, or bytes in base64
=============  =====================================================================================
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Any, Self

from mediacrawl.music.audio import Compared, NoAudioError, digests
from mediacrawl.music.delta import Data, Piece, mapped, restored
from mediacrawl.music.reading import CONTAINERS
from mediacrawl.music.replacing import Draft, RefusedError, draft_of, put, sync
from mediacrawl.observe.archive import sync_folder

if sys.platform != "win32":
    import fcntl

HEADER = b'{"journal": "scrapy demojibake", "format": 1}\n'
_BLOCK = 1 << 20


class JournalError(Exception):
    """A journal cannot be written or read; the message is a sentence."""


class UndoJournal:
    """Writes a journal; see the module for what is in it, and what a kill leaves.

    The file is made with the first line, and locked until the end. Lines are added to a journal that is there, whose
    last line goes if a kill cut it off; any other file is left as it is.

    Args:
        path: of the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: FileIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, lines: Iterable[Mapping[str, Any]]) -> None:
        """Write some lines, and make them safe from a power cut together.

        Args:
            lines: of one file each, none of which has been replaced.

        Raises:
            JournalError: the disk is full, or gives an error, or the file is no journal, or another run has it; nothing
                may be written without a journal.
        """
        try:
            if self._file is None:
                self._file = self._opened()
            head = b"" if self._file.seek(0, os.SEEK_END) else HEADER
            text = b"".join(json.dumps(line, ensure_ascii=True).encode() + b"\n" for line in lines)
            left = memoryview(head + text)
            while left:
                left = left[self._file.write(left) or 0 :]
            os.fsync(self._file.fileno())
        except OSError as error:
            if self._file is not None:
                # Half of a line may be there. To open the file again takes it out.
                self._file.close()
                self._file = None
            raise JournalError(f"The journal {self.path} cannot be written: {error.strerror or error}.") from error

    def _opened(self) -> FileIO:
        file = FileIO(self.path, "a+")
        try:
            _lock(file, self.path)
            if size := file.seek(0, os.SEEK_END):
                _refuse_other(file, self.path)
                file.truncate(_end_of_lines(file, size))
            sync_folder(self.path.absolute().parent)
        except BaseException:
            file.close()
            raise
        return file


def _refuse_other(file: FileIO, path: Path) -> None:
    """Raises JournalError if a file that is not empty is no journal."""
    file.seek(0)
    # A kill may have cut off the first line too.
    if not HEADER.startswith(file.read(len(HEADER))):
        raise JournalError(f"{path} is no journal of this program, and nothing is added to it.")


def _lock(file: FileIO, path: Path) -> None:
    """Locks a journal until it is closed; raises JournalError if another run has it."""
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise JournalError(f"Another run writes the journal {path}.") from error


def _end_of_lines(file: FileIO, size: int) -> int:
    """Where the last whole line of a file ends."""
    for start in range(size - size % _BLOCK, -1, -_BLOCK):
        file.seek(start)
        at = file.read(_BLOCK).rfind(b"\n")
        if at >= 0:
            return start + at + 1
    return 0


def line_of(draft: Draft, fields: Sequence[Mapping[str, Any]], container: str, compared: Compared) -> dict[str, Any]:
    """The line of one file.

    Args:
        draft: of the new file.
        fields: what changed.
        container: format of the file; empty for a list.
        compared: the file before and after.
    """
    return {
        **_named(draft.target),
        "fields": list(fields),
        "container": container,
        "old": {**compared.old._asdict(), "mtime_ns": draft.state.st_mtime_ns},
        "new": compared.new._asdict(),
        "pieces": [_stored(piece) for piece in compared.pieces],
    }


def _stored(piece: Piece) -> str | list[int]:
    return base64.b64encode(piece).decode() if isinstance(piece, bytes) else list(piece)


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of one line.

    Attributes:
        path: of the file; of the journal, if its line cannot be read.
        fields: how many fields went back.
        why: why the file stays as it is; empty if it went back.
        failed: whether that is trouble; not if the file is the old one already.
    """

    path: Path
    fields: int
    why: str = ""
    failed: bool = False


def undo(journal: Path, *, keep_mtime: bool) -> Iterator[Undone]:
    """Bring back the old files, the last line first. What is wrong with a line or a file is told; the others continue.

    Args:
        journal: of a run.
        keep_mtime: whether the files get their old time of modification as well.

    Raises:
        JournalError: the journal cannot be read.
    """
    for place in reversed(_places(journal)):
        try:
            line = _line(journal, place)
        except JournalError as error:
            yield Undone(journal, 0, str(error), failed=True)
            continue
        path, count = _path(line), len(line["fields"])
        try:
            is_news = _bring_back(path, line, keep_mtime=keep_mtime)
            yield Undone(path, count, "" if is_news else "it is as it was before")
        except (RefusedError, ValueError) as error:
            yield Undone(path, count, str(error), failed=True)
        except OSError as error:
            yield Undone(path, count, error.strerror or str(error), failed=True)


def _bring_back(path: Path, line: Mapping[str, Any], *, keep_mtime: bool) -> bool:
    """Puts the old file in the place of the new one; tells whether it was not there already.

    Raises:
        RefusedError: the file is neither.
        ValueError: the journal does not fit.
        OSError: the disk gives an error.
    """
    with draft_of(path, is_empty=True) as draft:
        with mapped(path) as now:
            if _is(line, "old", now):
                return False
            if not _is(line, "new", now):
                raise RefusedError("it was changed since by another program")
            with draft.path.open("r+b") as file:
                for piece in restored(line["pieces"], now):
                    file.write(piece)
        with mapped(draft.path) as found:
            if not _is(line, "old", found):
                raise RefusedError("the journal does not lead back to the old file")
        sync(draft.path)
        if keep_mtime:
            os.utime(draft.path, ns=(draft.state.st_atime_ns, line["old"]["mtime_ns"]))
        put(draft, keep_mtime=False)
        sync_folder(path.parent)
    return True


def _is(line: Mapping[str, Any], version: str, data: Data) -> bool:
    """Whether contents are the old or the new version of a file."""
    if line[version]["size"] != len(data):
        return False
    try:
        return bool(digests(data, line["container"]).whole == line[version]["digest"])
    except NoAudioError:
        return False


def _named(path: Path) -> dict[str, str]:
    try:
        path.absolute().as_posix().encode()
    except UnicodeEncodeError:
        return {"path_b64": base64.b64encode(os.fsencode(path.absolute())).decode()}
    return {"path": str(path.absolute())}


def _path(line: Mapping[str, Any]) -> Path:
    return Path(line["path"] if "path" in line else os.fsdecode(base64.b64decode(line["path_b64"])))


def _places(journal: Path) -> list[tuple[int, int]]:
    """Offset and length of each line; a journal may be longer than the memory.

    Raises:
        JournalError: it cannot be read, or has neither the first line of a journal nor any other.
    """
    places, at, is_journal = [], 0, False
    try:
        with journal.open("rb") as file:
            for text in file:
                if not text.endswith(b"\n"):
                    break  # a kill cut it off, and its file was not replaced
                if not at and text == HEADER:
                    is_journal = True
                else:
                    places.append((at, len(text)))
                at += len(text)
    except OSError as error:
        raise JournalError(f"The journal {journal} cannot be read: {error.strerror or error}.") from error
    if places and not is_journal and not any(_is_line(journal, place) for place in places):
        raise JournalError(f"{journal} is no journal of this program.")
    return places


def _is_line(journal: Path, place: tuple[int, int]) -> bool:
    try:
        _line(journal, place)
    except JournalError:
        return False
    return True


def _line(journal: Path, place: tuple[int, int]) -> dict[str, Any]:
    """Reads a line; the message of the JournalError is the second half of a sentence."""
    try:
        with journal.open("rb") as file:
            file.seek(place[0])
            return _checked(json.loads(file.read(place[1])))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise JournalError(f"its line at byte {place[0]} cannot be read") from error
    except OSError as error:
        raise JournalError(f"its line at byte {place[0]} cannot be read: {error.strerror or error}") from error


def _checked(line: Any) -> dict[str, Any]:
    pieces: list[Piece] = []
    for piece in line["pieces"]:
        if isinstance(piece, str):
            pieces.append(base64.b64decode(piece, validate=True))
        else:
            start, length = piece
            pieces.append((int(start), int(length)))
    for name in ("old", "new"):
        if not isinstance(line[name]["size"], int) or not isinstance(line[name]["digest"], str):
            raise TypeError("a file without size and hash")
    if not isinstance(line["old"]["mtime_ns"], int) or not isinstance(line["fields"], list):
        raise TypeError("a line without its fields")
    if line["container"] not in {"", *CONTAINERS}:
        raise ValueError("no format")
    _path(line)
    return {**line, "pieces": pieces}
