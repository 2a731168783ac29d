"""Marks in WAV and AIFF files as chapters: named places, which editors of sound write.

Sources: Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991), "Cue-Points Chunk" and
"Associated Data Chunk"; "Audio Interchange File Format" 1.3 (Apple, 1989), "Marker Chunk" and "Instrument Chunk". Marks
without a name are none: samplers mark loops and slices so.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mediacrawl.base.parts import Chapter
from mediacrawl.probe.formats.windows_headers import Order
from mediacrawl.probe.text import LATIN1, Value, ended

_POINT = 24
"""Bytes of a cue point."""
_LENGTH_FIELDS = 20
"""Bytes of ``ltxt`` before its text."""
_MARK = 6
"""Bytes of an AIFF marker before its name."""
_LOOPS = (8, 14)
"""Offsets of the two loops in AIFF's instrument chunk: how it is played, the markers of its begin and its end."""

Named = tuple[Chapter, Value | None]


@dataclass(slots=True)
class Marks:
    """The marks of one file, as its chunks give them.

    Attributes:
        places: samples from the beginning, by the mark's number.
        lengths: samples, by the mark's number.
        names: bytes of the names, by the mark's number.
        loops: numbers of marks that belong to loops.
    """

    places: dict[int, int] = field(default_factory=dict)
    lengths: dict[int, int] = field(default_factory=dict)
    names: dict[int, bytes] = field(default_factory=dict)
    loops: set[int] = field(default_factory=set)

    def chapters(self, rate: float) -> list[Named]:
        """The named marks."""
        if rate <= 0:
            return []
        found: list[Named] = []
        for number, place in self.places.items():
            name, length = self.names.get(number), self.lengths.get(number)
            if name and number not in self.loops:
                end = (place + length) / rate if length else None
                found.append((Chapter(place / rate, end), Value(name, LATIN1)))
        return found

    def read_cue_points(self, body: bytes, order: Order = "little") -> None:
        """Takes the content of WAV's ``cue ``: how many there are, then each with its number and its place."""
        count = int.from_bytes(body[:4], order)
        for at in range(4, min(len(body), 4 + count * _POINT) - _POINT + 1, _POINT):
            point = body[at : at + _POINT]
            number, position, sample = (int.from_bytes(point[i : i + 4], order) for i in (0, 4, 20))
            # Some programs leave one of the two at zero.
            self.places.setdefault(number, sample or position)

    def read_label(self, kind: bytes, body: bytes, order: Order = "little") -> None:
        """Takes the content of one chunk of WAV's list ``adtl``."""
        number = int.from_bytes(body[:4], order)
        if kind == b"labl":
            _set_name(self.names, number, body[4:])
        elif kind == b"ltxt":
            self.lengths[number] = int.from_bytes(body[4:8], order)
            if number not in self.names:
                _set_name(self.names, number, body[_LENGTH_FIELDS:])

    def read_markers(self, body: bytes) -> None:
        """Takes the content of AIFF's ``MARK``: how many there are, then number, place and name of each."""
        at = 2
        for _ in range(int.from_bytes(body[:2], "big")):
            if at + _MARK >= len(body):
                return
            number, place = int.from_bytes(body[at : at + 2], "big"), int.from_bytes(body[at + 2 : at + 6], "big")
            length = body[at + _MARK]
            self.places.setdefault(number, place)
            _set_name(self.names, number, body[at + _MARK + 1 : at + _MARK + 1 + length])
            # The length and the name together are padded to an even number.
            at += _MARK + 1 + length + (length + 1) % 2

    def read_instrument(self, body: bytes) -> None:
        """Takes the content of AIFF's ``INST``, which says which marks are those of loops."""
        for at in _LOOPS:
            mode, begin, end = (int.from_bytes(body[i : i + 2], "big") for i in (at, at + 2, at + 4))
            if mode:
                self.loops |= {begin, end}


def _set_name(names: dict[int, bytes], number: int, raw: bytes) -> None:
    name = ended(raw).strip(b" ")
    if name:
        names.setdefault(number, name)
