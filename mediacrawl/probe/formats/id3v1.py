"""ID3v1: 128 bytes at the end of a file, always read for themselves.

Where a file has both tags, the two often differ in encoding: the strongest evidence there is, and
parsers that merge the tags throw it away.
"""

from __future__ import annotations

from mediacrawl.probe.context import Reading
from mediacrawl.probe.formats.from_mutagen import genres
from mediacrawl.probe.text import LATIN1, Value

SIZE = 128
_NO_GENRE = 255
_FIELDS = (("title", 3, 33), ("artist", 33, 63), ("album", 63, 93), ("date", 93, 97))
_INSIDE_APE = (b"TAGEX\xe8\x03\0\0", b"TAGEX\xd0\x07\0\0")
"""The last letters of an APE tag's preamble, with its version: they begin as an ID3v1 tag does."""


def is_tag(data: bytes) -> bool:
    """Tells whether the last 128 bytes of a file are an ID3v1 tag."""
    return len(data) == SIZE and data.startswith(b"TAG") and not data.startswith(_INSIDE_APE)


def read_tag(reading: Reading, data: bytes) -> None:
    """Reads the fields of a tag.

    Args:
        reading: takes the values; source is ``id3v1``, frame the name of the field.
        data: the 128 bytes.
    """
    for key, start, stop in _FIELDS:
        _add(reading, key, data[start:stop])
    # ID3v1.1: a zero before the last byte of the comment makes that byte the track number.
    numbered = data[125] == 0 and data[126] != 0
    _add(reading, "comment", data[97 : 125 if numbered else 127])
    if numbered:
        reading.add_number("id3v1", "track", "tracknumber", str(data[126]))
    # Where there is none, the names need not be loaded.
    if data[127] < _NO_GENRE and data[127] < len(names := genres()):
        reading.add_number("id3v1", "genre", "genre", names[data[127]])


def _add(reading: Reading, key: str, field: bytes) -> None:
    # What stands behind the first NUL is left over from a longer text before it.
    raw = field.partition(b"\0")[0].rstrip(b" ")
    reading.add("id3v1", key, key, Value(raw, LATIN1))
