"""Texts of ASF: the raw UTF-16-LE of each attribute, read past pictures without fetching them.

Source: the ASF specification; see `mediacrawl.probe.formats.asf`. Programs that know only bytes wrote 8-bit text there,
and lone surrogates: the bytes are kept as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, Reading, exact, peek, unpack
from mediacrawl.probe.formats.keys import asf_key
from mediacrawl.probe.sparse import SparseFile
from mediacrawl.probe.text import UTF16, Value, cut

UTF16LE = "utf-16-le"
_SOURCE = "asf"
_FIELDS = ("Title", "Author", "Copyright", "Description", "Rating")
_UNICODE, _BYTES = 0, 1
_NUMBERS = {2: (2, 4), 3: (4,), 4: (8,), 5: (2,)}
"""Bytes of BOOL, DWORD, QWORD and WORD; a BOOL has 4 in one object and 2 in the others (3.11, 4.7)."""
_NUMERIC = frozenset({"bpm", "date", "discnumber", "tracknumber"})
"""What programs write as a number too; other numbers are settings, not texts."""
_PICTURE_HEADER = 512
_MAX_NAME = 1024


@dataclass(frozen=True, slots=True)
class _Attribute:
    """One attribute: its name, the type of its value, and where that stands."""

    name: str
    kind: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Part:
    """The file as far as an object goes: what is read beyond is not there.

    Attributes:
        file: the bytes at hand.
        end: offset behind the object.
    """

    file: SparseFile
    end: int

    def get(self, start: int, stop: int) -> bytes:
        """Reads bytes, fewer at the end of the object; raises `NeedBytes`."""
        return self.file.get(start, min(stop, self.end))


def read_content_description(reading: Reading, start: int, stop: int) -> None:
    """Reads the five texts that each file may have (3.10).

    Args:
        reading: takes the texts.
        start: offset of the object's body.
        stop: offset behind it.

    Raises:
        BrokenError: when one does not fit into the object; those before are kept.
        NeedBytes: when bytes are not at hand.
    """
    sizes = unpack("<5H", exact(Part(reading.file, stop), start, start + 10))
    at = start + 10
    for name, size in zip(_FIELDS, sizes, strict=True):
        _add_text(reading, _checked(_Attribute(name, _UNICODE, at, at + size), stop))
        at += size


def read_extended_description(reading: Reading, start: int, stop: int) -> None:
    """Reads the attributes of an Extended Content Description Object (3.11).

    Args:
        reading: takes the texts.
        start: offset of the object's body.
        stop: offset behind it.

    Raises:
        BrokenError: when an attribute does not fit into the object; those before are kept.
        LimitError: when there are too many.
        NeedBytes: when bytes are not at hand.
    """
    _take_all(reading, start, stop, _extended)


def read_metadata(reading: Reading, start: int, stop: int) -> None:
    """Reads the attributes of a Metadata or Metadata Library Object, whose layouts are alike (4.7, 4.8).

    Args:
        reading: takes the texts.
        start: offset of the object's body.
        stop: offset behind it.

    Raises:
        BrokenError: when an attribute does not fit into the object; those before are kept.
        LimitError: when there are too many.
        NeedBytes: when bytes are not at hand.
    """
    _take_all(reading, start, stop, _metadata)


def _take_all(reading: Reading, start: int, stop: int, layout: Callable[[Part, int], _Attribute]) -> None:
    part = Part(reading.file, stop)
    (count,) = unpack("<H", exact(part, start, start + 2))
    at = start + 2
    for _ in range(count):
        reading.count()
        attribute = _checked(layout(part, at), stop)
        _take(reading, attribute)
        at = attribute.stop


def _extended(part: Part, at: int) -> _Attribute:
    (length,) = unpack("<H", exact(part, at, at + 2))
    name, at = _name(part, at + 2, length), at + 2 + length
    kind, size = unpack("<HH", exact(part, at, at + 4))
    return _Attribute(name, kind, at + 4, at + 4 + size)


def _metadata(part: Part, at: int) -> _Attribute:
    length, kind, size = unpack("<4xHHI", exact(part, at, at + 12))
    at += 12 + length
    return _Attribute(_name(part, at - length, length), kind, at, at + size)


def _checked(attribute: _Attribute, stop: int) -> _Attribute:
    if attribute.stop > stop:
        raise BrokenError("an attribute is longer than its object")
    return attribute


def _name(part: Part, start: int, length: int) -> str:
    """Reads the name of an attribute, which is ASCII in all that is known."""
    raw = exact(part, start, start + min(length, _MAX_NAME))
    return raw.decode(UTF16LE, errors="replace").rstrip("\0")


def _take(reading: Reading, attribute: _Attribute) -> None:
    if attribute.name == "WM/Picture" and attribute.kind == _BYTES:
        _take_picture(reading, attribute)
    elif attribute.kind == _UNICODE:
        _add_text(reading, attribute)
    elif attribute.stop - attribute.start in _NUMBERS.get(attribute.kind, ()):
        _take_number(reading, attribute)


def _add_text(reading: Reading, attribute: _Attribute) -> None:
    if not reading.fits(attribute.stop - attribute.start):
        return
    raw = exact(reading.file, attribute.start, attribute.stop)
    # Terminators are zeros of two bytes; the high byte of the last letter is none of them.
    length = len(raw.rstrip(b"\0"))
    length += length % 2
    reading.add(_SOURCE, attribute.name, asf_key(attribute.name), Value(raw[:length], UTF16LE))


def _take_number(reading: Reading, attribute: _Attribute) -> None:
    number = int.from_bytes(exact(reading.file, attribute.start, attribute.stop), "little")
    if attribute.name == "IsVBR":
        reading.result.bitrate_mode = "vbr" if number else "cbr"
    elif asf_key(attribute.name) in _NUMERIC and number:
        reading.add_number(_SOURCE, attribute.name, asf_key(attribute.name), str(number))


def _take_picture(reading: Reading, attribute: _Attribute) -> None:
    """Reads type and size of a picture from its first bytes (a WM_PICTURE without its pointers)."""
    head = peek(reading.file, attribute.start, min(attribute.start + _PICTURE_HEADER, attribute.stop)) or b""
    mime, size = "", None
    if len(head) >= 5:
        size = int.from_bytes(head[1:5], "little")
        mime = cut(head[5:], UTF16)[0].decode(UTF16LE, errors="replace")[:100].strip()
    reading.result.set_cover(mime, size)
