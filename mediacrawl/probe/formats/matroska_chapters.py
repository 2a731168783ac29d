"""Chapters of Matroska and WebM (RFC 9559, 5.1.7): those of the edition that a player chooses by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mediacrawl.model.languages import bcp47
from mediacrawl.model.parts import Chapter
from mediacrawl.probe.context import ParseContext
from mediacrawl.probe.formats import ebml
from mediacrawl.probe.formats.ebml import Element
from mediacrawl.probe.formats.matroska_tags import SOURCE
from mediacrawl.probe.text import UTF8, Value

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

    Args:
        context: takes them.
        editions: of the file.
        language: of the sound; of a chapter's titles the one in it counts, else the first one.
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
