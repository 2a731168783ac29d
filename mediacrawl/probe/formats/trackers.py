"""Modules of trackers: MOD, S3M, XM and IT. Titles, and the names of samples and instruments.

Musicians wrote their messages into the names, line by line. So the names of one kind make one text: their bytes in the
order of the file, without what fills them up, joined by line feeds. How long a module plays shows only when it is
played.

Sources: the texts that came with the programs: MODULE FORMAT of ProTracker 1.1B, TECH.DOC of Scream Tracker 3.20,
XM.TXT of FastTracker 2.08 (version 1.04), ITTECH.TXT of Impulse Tracker 2.14. The marks of other programs that write
MOD are those that OpenMPT lists.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mediacrawl.probe.context import BrokenError, ParseContext, exact, unpack
from mediacrawl.probe.formats.keys import tracker_key
from mediacrawl.probe.text import LATIN1, Value

_MOST_NAMES = 256
"""Names of one kind; the programs have 31 to 240."""
_SCHISM = "Schism Tracker"
_FIRST_DATE = 0x50
"""Versions of Schism Tracker from here on are counted in days from 31 October 2009 (its ``version.c``)."""


def _name(raw: bytes) -> bytes:
    """Takes a name out of its field, which zeros or blanks fill up. Behind a zero may be left-overs of other names."""
    return raw.partition(b"\0")[0].rstrip(b" ")


def _add(context: ParseContext, frame: str, *names: bytes) -> None:
    """Adds names as one text. DOS and Amiga had code pages of their own, and no format says which was in use."""
    raw = b"\n".join(name for name in names if name)
    context.add(context.result.container or "", frame, tracker_key(frame), Value(raw, LATIN1))


def _limited(context: ParseContext, count: int) -> int:
    if count > _MOST_NAMES:
        context.note("limit:names")
    return min(count, _MOST_NAMES)


def _read_names(context: ParseContext, frame: str, places: Sequence[int], size: int) -> None:
    """Adds the names at some offsets, each a part of its own, so that all missing ones are requested together."""
    names: list[bytes] = []
    for place in places:
        with context.stage(frame.lower()):
            names.append(_name(exact(context.file, place, place + size)))
    _add(context, frame, *names)


def _program(context: ParseContext, names: dict[int, str], version: int) -> None:
    """Adds the program that wrote a file, by the highest digit of four, with the version that the others say.

    Schism Tracker writes a date there since 2009, as days: its own version is not told then.
    """
    name = names.get(version >> 12)
    if not name:
        return
    is_date = name == _SCHISM and version & 0xFFF >= _FIRST_DATE
    text = name if is_date else f"{name} {version >> 8 & 15}.{version & 0xFF:02x}"
    context.add_number(context.result.container or "", "Tracker", tracker_key("Tracker"), text)


# -- MOD ---------------------------------------------------------------------------------------------------------------

MARK_AT, _MOD_HEADER = 1080, 1084
MARK = re.compile(rb"M[.&!]K[.!]|N\.T\.|NSMS|FLT[48]|EXO[48]|[1-9]CHN|[1-3]\dC[HN]|TDZ[1-9]|CD[68]1|O[KC]TA")
_SAMPLES, _SAMPLE_BYTES = 31, 30
_LOUDEST = 64


def is_mod(head: bytes) -> bool:
    """Tells whether a file is a MOD: a mark behind the header, and numbers before it that make sense.

    The mark stands at 1080, so four letters alone would take text and programs for music.
    """
    if len(head) < _MOD_HEADER or not MARK.fullmatch(head, MARK_AT, _MOD_HEADER):
        return False
    positions, order = head[950], head[952:MARK_AT]
    loudness = head[20 + 25 : 950 : _SAMPLE_BYTES]
    return 1 <= positions <= len(order) and max(order) < 128 and max(loudness) <= _LOUDEST


def read_mod(context: ParseContext, start: int) -> None:
    """Reads a MOD file."""
    with context.stage("header"):
        header = exact(context.file, start, start + _MOD_HEADER)
        _add(context, "Title", _name(header[:20]))
        places = range(20, 20 + _SAMPLES * _SAMPLE_BYTES, _SAMPLE_BYTES)
        _add(context, "Samples", *(_name(header[place : place + 22]) for place in places))


# -- S3M ---------------------------------------------------------------------------------------------------------------

_S3M_HEADER, _MODULE = 96, 16
_S3M_PROGRAMS = {
    1: "Scream Tracker",
    2: "Imago Orpheus",
    3: "Impulse Tracker",
    4: _SCHISM,
    5: "OpenMPT",
    6: "BeRoTracker",
}


def is_s3m(head: bytes) -> bool:
    """Tells whether a file is an S3M, by the letters and the type that stand behind its title."""
    return head[44:48] == b"SCRM" and head[29] == _MODULE


def read_s3m(context: ParseContext, start: int) -> None:
    """Reads an S3M file."""
    with context.stage("header"):
        header = exact(context.file, start, start + _S3M_HEADER)
        orders, instruments, _, _, version = unpack("<HHHHH", header[32:42])
        _add(context, "Title", _name(header[:28]))
        _program(context, _S3M_PROGRAMS, version)
        count = _limited(context, instruments)
        at = start + _S3M_HEADER + orders
        # Places are counted in paragraphs of 16 bytes; 0 is none. The name stands behind the numbers of an instrument.
        places = unpack(f"<{count}H", exact(context.file, at, at + 2 * count))
        _read_names(context, "Instruments", [start + place * 16 + 48 for place in places if place], 28)


# -- IT ----------------------------------------------------------------------------------------------------------------

_IT_HEADER = 192
_HAS_MESSAGE = 1
_IT_PROGRAMS = {0: "Impulse Tracker", 1: _SCHISM, 5: "OpenMPT", 6: "BeRoTracker"}


def read_it(context: ParseContext, start: int) -> None:
    """Reads an IT file."""
    with context.stage("header"):
        _read_it(context, start)


def _read_it(context: ParseContext, start: int) -> None:
    header = exact(context.file, start, start + _IT_HEADER)
    orders, instruments, samples, _, version, _, _, special = unpack("<HHHHHHHH", header[32:48])
    _add(context, "Title", _name(header[4:30]))
    _program(context, _IT_PROGRAMS, version)
    if special & _HAS_MESSAGE:
        with context.stage("message"):
            # Reads the song's message, whose lines end with a carriage return.
            size, place = unpack("<HI", header[54:60])
            if context.fits(size):
                message = exact(context.file, start + place, start + place + size)
                _add(context, "Message", message.partition(b"\0")[0].rstrip(b" \r\n"))
    at = start + _IT_HEADER + orders
    for frame, count, name_at in (("Instruments", instruments, 32), ("Samples", samples, 20)):
        with context.stage("places"):
            stop = at + 4 * _limited(context, count)
            places = unpack(f"<{(stop - at) // 4}I", exact(context.file, at, stop))
            _read_names(context, frame, [start + name_at + place for place in places if place], 26)
        at += 4 * count


# -- XM ----------------------------------------------------------------------------------------------------------------

_XM_HEADER = 80
_XM_VERSION = 0x0104
_PATTERN, _INSTRUMENT, _LONG_INSTRUMENT, _SAMPLE = 9, 29, 33, 40
_MOST_SAMPLES = 32
"""Samples of one instrument; FastTracker has 16."""
_PACKED = 0xAD
"""What ModPlug Tracker wrote into a reserved byte where it packed a sample to 4 bits, behind a table of 16 bytes."""


def read_xm(context: ParseContext, start: int) -> None:
    """Reads an XM file. Instruments stand behind the patterns, each before its samples' data."""
    instruments: list[bytes] = []
    samples: list[bytes] = []
    with context.stage("header"):
        header = exact(context.file, start, start + _XM_HEADER)
        _add(context, "Title", _name(header[17:37]))
        _add(context, "Tracker", _name(header[38:58]))
    with context.stage("instruments"):
        _read_instruments(context, start, instruments, samples)
    with context.stage("names"):
        _add(context, "Instruments", *instruments)
    with context.stage("names"):
        _add(context, "Samples", *samples)


def _read_instruments(context: ParseContext, start: int, instruments: list[bytes], samples: list[bytes]) -> None:
    version, size, _, _, _, patterns, count = unpack("<HIHHHHH", exact(context.file, start + 58, start + 74))
    if version != _XM_VERSION:
        # Two older versions have the instruments before the patterns, and hardly any files.
        context.note("xm:version")
        return
    at = start + 60 + size
    for _ in range(patterns):
        context.count()
        stated, packed = unpack("<I3xH", exact(context.file, at, at + _PATTERN))
        if stated < _PATTERN:
            raise BrokenError("a pattern is shorter than its header")
        at += stated + packed
    for _ in range(_limited(context, count)):
        context.count()
        at = _read_instrument(context, at, instruments, samples)


def _read_instrument(context: ParseContext, at: int, instruments: list[bytes], samples: list[bytes]) -> int:
    """Reads the names of one instrument; returns the offset of the next."""
    head = exact(context.file, at, at + _INSTRUMENT)
    size, count = unpack("<I23xH", head)
    if size < _INSTRUMENT or count > _MOST_SAMPLES:
        raise BrokenError("no instrument")
    instruments.append(_name(head[4:26]))
    if not count:
        return at + size
    (stated,) = unpack("<I", exact(context.file, at + _INSTRUMENT, at + _LONG_INSTRUMENT))
    step = max(stated, _SAMPLE)
    at += size
    data = 0
    for place in range(at, at + count * step, step):
        sample = exact(context.file, place, place + _SAMPLE)
        length = int.from_bytes(sample[:4], "little")
        data += 16 + (length + 1) // 2 if sample[17] == _PACKED else length
        samples.append(_name(sample[18:40]))
    return at + count * step + data
