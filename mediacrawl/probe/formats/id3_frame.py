"""A frame of ID3v2, and what reads frames: a tag, or a frame that holds others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from mediacrawl.probe.context import ByteSource
from mediacrawl.probe.text import Value


@dataclass(frozen=True, slots=True)
class Id3Frame:
    """One frame's place and flags; `flags` are 0 in 2.2."""

    name: str
    flags: int
    start: int
    stop: int

    @property
    def size(self) -> int:
        """Bytes of its body."""
        return self.stop - self.start


class Part(NamedTuple):
    """The content of a frame: what its flags say is undone by `source`.

    Attributes:
        source: bytes at offsets.
        start: offset of the first byte.
        stop: offset behind the last one.
    """

    source: ByteSource
    start: int
    stop: int


class FrameReader(Protocol):
    """What reads the frames inside a part of a tag."""

    def frames(self) -> Iterator[Id3Frame]:
        """Yields the frames, in the order of the file."""
        ...

    def part(self, frame: Id3Frame) -> Part | None:
        """Where a frame's content is; None if it is encrypted or broken."""
        ...

    def values(self, frame: Id3Frame) -> list[Value]:
        """The values of a text frame, without its description."""
        ...

    def inside(self, part: Part) -> FrameReader:
        """A reader of the frames in a part."""
        ...
