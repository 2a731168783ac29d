"""Parts of Matroska (RFC 9559) beside its tracks and tags: attachments, chapters, and what stands behind the clusters.

Attached pictures are described and never requested (5.1.6). Some programs write what describes the file when all
clusters are written, and no seek head lists it. It is found by its names (5.1): the four bytes of a name may stand in
compressed data by chance, so a part must also have a size after which the next one begins, or the segment ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from mediacrawl.base.languages import bcp47
from mediacrawl.base.parts import COVER_TYPES, Chapter
from mediacrawl.probe.context import BrokenError, ParseContext, peek
from mediacrawl.probe.formats import ebml
from mediacrawl.probe.formats.ebml import Element
from mediacrawl.probe.formats.matroska_tags import SOURCE
from mediacrawl.probe.text import UTF8, Value

_PARTS = (0x114D9B74, 0x1549A966, 0x1654AE6B, 0x1254C367, 0x1941A469, 0x1043A770, 0x1C53BB6B)
"""Names of the parts: seek head, info, tracks, tags, attachments, chapters, cues."""
_BEHIND = frozenset({*_PARTS, 0x1F43B675, 0xEC, 0xBF})
"""What may follow a part: another one, a cluster, a void, a checksum."""
_NAMES = re.compile(b"|".join(re.escape(name.to_bytes(4, "big")) for name in _PARTS))
_MAX_VOIDS = 8
_MAX_CANDIDATES = 200
"""Places that are tried: an index of seek heads names each part as well."""


def find_parts(data: bytes, start: int, stop: int) -> list[int]:
    """Finds the parts in the last bytes of a segment.

    Returns:
        The offsets of their headers, in order; of those inside another one only the outer.
    """
    spans = []
    for match in islice(_NAMES.finditer(data), _MAX_CANDIDATES):
        at = match.start()
        end = _end(data, at)
        if end is not None and (
            end == (stop - start) or any(int.from_bytes(data[end : end + width], "big") in _BEHIND for width in (1, 4))
        ):
            spans.append((at, end))
    # Those that follow each other up to the end are beyond doubt; a file that was cut off has none.
    last = {stop - start}
    sure = []
    for at, end in reversed(spans):
        if end in last or _skip_void(data, end) in last:
            sure.append((at, end))
            last.add(at)
    return [start + at for at, _ in _outer(sure[::-1] or spans)]


def _outer(spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Leaves out what is inside another one."""
    behind = 0
    for at, end in spans:
        if at >= behind:
            yield at, end
            behind = end


def _skip_void(data: bytes, at: int) -> int:
    """Returns the offset behind the voids at an offset, if there are any."""
    for _ in range(_MAX_VOIDS):
        if data[at : at + 1] != b"\xec":
            break
        end = _end(data, at, 1)
        if end is None or end > len(data):
            break
        at = end
    return at


def _end(data: bytes, at: int, name: int = 4) -> int | None:
    """Where the element at an offset ends, whose name has so many bytes; None if it does not say."""
    try:
        size, body = ebml.number(data, at + name)
    except BrokenError:
        return None
    unknown = size == (1 << 7 * (body - at - name)) - 1
    return None if unknown else body + size


_FILE, _FILE_NAME, _FILE_TYPE, _FILE_DATA = 0x61A7, 0x466E, 0x4660, 0x465C
_PICTURE_NAMES = {
    "cover": "front",
    "cover_land": "front",
    "small_cover": "other icon",
    "small_cover_land": "other icon",
}
"""What pictures show by their names without the ending (Matroska's guidelines for cover art)."""
_MAX_FILE_NAME = 100


def read_attachments(context: ParseContext, parent: Element) -> None:
    """Reads the types of the attached files. One behind a long picture is not worth a request."""
    at, result = parent.body, context.result
    while at < parent.stop:
        if at > parent.body and peek(context.file, at, min(at + ebml.HEADER_BYTES, parent.stop)) is None:
            if not result.has_cover:
                result.has_cover = None
            return
        element = ebml.read_element(context, at, parent.stop)
        if element.name == _FILE:
            _read_attached(context, element)
        at = element.stop


def _read_attached(context: ParseContext, attached: Element) -> None:
    name, mime, data, at = "", "", None, attached.body
    while at < attached.stop and not (mime and data):
        part = ebml.read_element(context, at, attached.stop)
        if part.name == _FILE_TYPE:
            mime = ebml.text(context, part).decode("latin-1").lower()
        elif part.name == _FILE_NAME:
            name = ebml.text(context, part)[:_MAX_FILE_NAME].decode("utf-8", errors="replace").lower()
        elif part.name == _FILE_DATA:
            data = part
        at = part.stop
    if mime.startswith("image/"):
        kind = _PICTURE_NAMES.get(name.rpartition(".")[0])
        number = COVER_TYPES.index(kind) if kind else None
        size, position = (data.size, data.body) if data else (None, None)
        context.result.set_cover(mime, size, position=position, number=number)


_EDITION, _EDITION_HIDDEN, _EDITION_DEFAULT = 0x45B9, 0x45BD, 0x45DB
_ATOM, _START, _END, _HIDDEN = 0xB6, 0x91, 0x92, 0x98
_DISPLAY, _STRING, _LANGUAGE, _LANGUAGE_BCP47 = 0x80, 0x85, 0x437C, 0x437D
_NANOSECONDS = 1e9
_MAX_DEPTH = 8
_MAX_DISPLAYS = 16
"""Titles of one chapter that are looked at: one for each language."""
_MAX_NAME = 64


@dataclass(slots=True)
class _Atom:
    """One chapter.

    Attributes:
        start: nanoseconds.
        end: nanoseconds; None if it is not stated.
        hidden: whether a player does not list it.
        titles: languages, as they are written, and titles.
        nested: chapters in it.
    """

    start: int = 0
    end: int | None = None
    hidden: bool = False
    titles: list[tuple[str, bytes]] = field(default_factory=list)
    nested: list[Element] = field(default_factory=list)


@dataclass(slots=True)
class Edition:
    """One list of chapters: its flags, and the elements of its chapters."""

    default: bool = False
    hidden: bool = False
    atoms: list[Element] = field(default_factory=list)


def read_editions(context: ParseContext, parent: Element, editions: list[Edition]) -> None:
    """Reads the editions of ``Chapters`` and adds them to `editions`; their chapters are not read yet."""
    for entry in ebml.children(context, parent):
        if entry.name != _EDITION:
            continue
        edition = Edition()
        editions.append(edition)
        for part in ebml.children(context, entry):
            if part.name == _EDITION_DEFAULT:
                edition.default = bool(ebml.unsigned(context, part))
            elif part.name == _EDITION_HIDDEN:
                edition.hidden = bool(ebml.unsigned(context, part))
            elif part.name == _ATOM:
                edition.atoms.append(part)


def add_chapters(context: ParseContext, editions: Sequence[Edition], language: str) -> None:
    """Adds the chapters of the default edition to the result, or of the first one that is not hidden.

    Chapters in a chapter are parts of it and are left out, unless it is the only one.
    """
    shown = [edition for edition in editions if edition.atoms and not edition.hidden]
    edition = next((edition for edition in shown if edition.default), shown[0] if shown else None)
    if edition is None:
        return
    atoms = _read_atoms(context, edition.atoms)
    for _ in range(_MAX_DEPTH):
        if len(atoms) != 1 or not atoms[0].nested:
            break
        atoms = _read_atoms(context, atoms[0].nested) or atoms
    context.add_chapters(SOURCE, "ChapString", [_described(atom, bcp47(language)) for atom in atoms])


def _read_atoms(context: ParseContext, elements: Sequence[Element]) -> list[_Atom]:
    """Reads chapters, without those that are hidden; one that is broken does not hide the others."""
    atoms: list[_Atom] = []
    for element in elements[: context.policy.max_chapters + 1]:
        with context.stage("chapter"):
            atom = _Atom()
            for part in ebml.children(context, element):
                if part.name == _START:
                    atom.start = ebml.unsigned(context, part)
                elif part.name == _END:
                    atom.end = ebml.unsigned(context, part)
                elif part.name == _HIDDEN:
                    atom.hidden = bool(ebml.unsigned(context, part))
                elif part.name == _DISPLAY and len(atom.titles) < _MAX_DISPLAYS:
                    atom.titles.append(_read_display(context, part))
                elif part.name == _ATOM:
                    atom.nested.append(part)
            if not atom.hidden:
                atoms.append(atom)
    return atoms


def _read_display(context: ParseContext, display: Element) -> tuple[str, bytes]:
    language, title = "", b""
    for part in ebml.children(context, display):
        if part.name == _STRING:
            title = ebml.text(context, part)
        elif part.name == _LANGUAGE_BCP47 or (part.name == _LANGUAGE and not language):
            language = ebml.text(context, part)[:_MAX_NAME].decode("latin-1")
    return language, title


def _described(atom: _Atom, language: str | None) -> tuple[Chapter, Value | None]:
    fitting = (title for written, title in atom.titles if language and bcp47(written) == language)
    title = next(fitting, atom.titles[0][1] if atom.titles else b"")
    end = None if atom.end is None else atom.end / _NANOSECONDS
    return Chapter(atom.start / _NANOSECONDS, end), Value(title, UTF8)
