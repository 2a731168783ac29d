"""Text of MP4 and QuickTime files in ``meta``: iTunes' ``ilst`` and QuickTime's keys.

Source: QuickTime File Format (metadata atoms); type codes of ``data`` atoms as in its table of well-known types.
"""

from __future__ import annotations

import re

from mediacrawl.probe.context import Reading, exact, peek
from mediacrawl.probe.formats.from_mutagen import genres
from mediacrawl.probe.formats.keys import mp4_key
from mediacrawl.probe.formats.mp4_atoms import Atom, children, walk
from mediacrawl.probe.text import UTF8, UTF16BE, Value

_SOURCE = "mp4"
_IMPLICIT = 0
_TEXT_TYPES = {_IMPLICIT: UTF8, 1: UTF8, 2: UTF16BE, 3: "shift_jis", 4: UTF8, 5: UTF16BE}
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
"""What text does not hold. An escape begins a change of character sets in ISO-2022."""
_BINARY = frozenset({"cpil", "pgap", "pcst", "hdvd", "stik", "rtng"})
_PICTURES = {12: "image/gif", 13: "image/jpeg", 14: "image/png", 27: "image/bmp"}
_DATA_HEADER = 16
"""Bytes of a ``data`` atom before its value: size, name, type, locale."""
_META_CHILDREN = frozenset({b"hdlr", b"keys", b"ilst", b"free", b"mhdr"})


def read_meta(reading: Reading, meta: Atom) -> None:
    """Reads ``meta``: ``keys`` if it has them, then ``ilst``."""
    # QuickTime's own writers leave out the version word that ISO files have.
    head = exact(reading.file, meta.body, min(meta.body + 8, meta.stop))
    start = meta.body if head[4:8] in _META_CHILDREN else meta.body + 4
    keys: list[str] = []
    for atom in walk(reading, start, meta.stop):
        if atom.name == b"keys":
            keys = _read_keys(reading, atom)
        elif atom.name == b"ilst":
            for item in children(reading, atom):
                # One that is broken must not hide the others.
                reading.stage("item", _read_item, reading, item, keys)


def _read_keys(reading: Reading, atom: Atom) -> list[str]:
    """Reads names such as ``com.apple.quicktime.title``; items of ``ilst`` then count from 1."""
    return [
        exact(reading.file, key.body, min(key.stop, key.body + 100)).decode("latin-1")
        for key in walk(reading, atom.body + 8, atom.stop)
    ]


def _read_item(reading: Reading, item: Atom, keys: list[str]) -> None:
    number = int.from_bytes(item.name, "big")
    if item.name == b"covr":
        _take_covers(reading, item)
    elif item.name == b"----":
        _read_freeform(reading, item)
    elif 0 < number <= len(keys):
        _read_values(reading, item, keys[number - 1])
    else:
        _read_values(reading, item, item.name.decode("latin-1"))


def _read_freeform(reading: Reading, item: Atom) -> None:
    """Reads ``----``: who named it, its name, then the values."""
    names = []
    for atom in children(reading, item):
        if atom.name in {b"mean", b"name"}:
            part = exact(reading.file, atom.body + 4, min(atom.stop, atom.body + 104))
            names.append(part.decode("utf-8", errors="replace"))
    _read_values(reading, item, ":".join(["----", *names]))


def _read_values(reading: Reading, item: Atom, frame: str) -> None:
    values = 0
    for atom in children(reading, item):
        if atom.name != b"data" or not reading.fits(atom.size):
            continue
        values += 1
        if values > reading.policy.max_values:
            reading.note("limit:values")
            return
        body = exact(reading.file, atom.body, atom.stop)
        _add_value(reading, frame, int.from_bytes(body[1:4], "big"), body[8:])


def _add_value(reading: Reading, frame: str, kind: int, raw: bytes) -> None:
    if frame in {"trkn", "disk"}:
        _add_pair(reading, frame, raw)
    elif frame == "tmpo":
        _add_positive(reading, frame, int.from_bytes(raw[:4], "big"))
    elif frame == "gnre":
        _add_genre(reading, frame, int.from_bytes(raw[:2], "big"))
    elif codec := text_codec(frame, kind, raw):
        reading.add(_SOURCE, frame, mp4_key(frame), Value(raw, codec))


def text_codec(frame: str, kind: int, raw: bytes) -> str:
    """Tell whether the value of a ``data`` atom is text.

    Type 0 says nothing: iTunes stores encoder parameters and hashes with it, and others store text. Such a value is
    text if it is UTF-8 without control characters. Apple's own names (``©nam``) always hold text, so their bytes may
    be in another encoding.

    Args:
        frame: name of the item.
        kind: type code of the atom.
        raw: the value.

    Returns:
        The codec that the type declares; empty if the value is no text.
    """
    if frame in _BINARY or kind not in _TEXT_TYPES:
        return ""
    if kind == _IMPLICIT and (_CONTROLS.search(raw.rstrip(b"\0")) or not (frame.startswith("\xa9") or _is_utf8(raw))):
        return ""
    return _TEXT_TYPES[kind]


def _is_utf8(raw: bytes) -> bool:
    try:
        raw.decode()
    except UnicodeDecodeError:
        return False
    return True


def _add_pair(reading: Reading, frame: str, raw: bytes) -> None:
    """Adds "3 of 12" as ``3/12``, the way it is written elsewhere."""
    number, total = int.from_bytes(raw[2:4], "big"), int.from_bytes(raw[4:6], "big")
    if number or total:
        text = f"{number}/{total}" if total else f"{number}"
        reading.add_number(_SOURCE, frame, mp4_key(frame), text)


def _add_positive(reading: Reading, frame: str, number: int) -> None:
    if number:
        reading.add_number(_SOURCE, frame, mp4_key(frame), str(number))


def _add_genre(reading: Reading, frame: str, number: int) -> None:
    """Adds a genre of ID3v1's list, whose numbers are counted from 1 here."""
    if 0 < number <= len(names := genres()):
        reading.add_number(_SOURCE, frame, mp4_key(frame), names[number - 1])


def _take_covers(reading: Reading, item: Atom) -> None:
    """Takes the first picture's type and size from its header; the next items stand behind `item`."""
    head = peek(reading.file, item.body, min(item.body + _DATA_HEADER, item.stop))
    if head is None:
        # Not worth a request; the item is as long as the picture in it, or more of them.
        reading.result.set_cover(None, max(0, item.size - _DATA_HEADER))
    if head is None or len(head) < _DATA_HEADER or head[4:8] != b"data":
        return
    mime = _PICTURES.get(int.from_bytes(head[9:12], "big"))
    reading.result.set_cover(mime, int.from_bytes(head[:4], "big") - _DATA_HEADER)
