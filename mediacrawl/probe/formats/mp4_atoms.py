"""Atoms (boxes) of MP4 and QuickTime: header by header, never the bodies (ISO/IEC 14496-12, 4.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, ParseContext, exact


@dataclass(frozen=True, slots=True)
class Atom:
    """One atom: its name, the offsets of its header, its body and what follows it, and how much of it is missing."""

    name: bytes
    start: int
    body: int
    stop: int
    missing: int = 0

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return self.stop - self.body


def walk(context: ParseContext, start: int, stop: int) -> Iterator[Atom]:
    """Yields the atoms between two offsets, in order.

    An atom that is longer than its parent ends with it, and is noted: the file was cut off.
    """
    while start + 8 <= stop:
        context.count()
        atom = _read_header(context, start, stop)
        yield atom
        start = atom.stop


def children(context: ParseContext, parent: Atom) -> Iterator[Atom]:
    """Yields the atoms inside an atom."""
    return walk(context, parent.body, parent.stop)


def content(context: ParseContext, atom: Atom) -> bytes:
    """Reads the body of an atom; raises `BrokenError` above the limit of a text."""
    if atom.size > context.policy.max_text_bytes:
        raise BrokenError("an atom is longer than its kind can be")
    return exact(context.file, atom.body, atom.stop)


def _read_header(context: ParseContext, start: int, stop: int) -> Atom:
    head = exact(context.file, start, start + 8)
    size, name, body = int.from_bytes(head[:4], "big"), head[4:], start + 8
    if size == 0:
        return Atom(name, start, body, stop)
    if size == 1:
        body = start + 16
        size = int.from_bytes(exact(context.file, start + 8, body), "big")
    if start + size < body:
        raise BrokenError("an atom is shorter than its header")
    if start + size > stop:
        context.note("mp4:truncated")
    return Atom(name, start, body, min(start + size, stop), max(0, start + size - stop))
