"""RealAudio headers of the versions 3, 4 and 5: in files of their own (.ra), and in the streams of RealMedia.

Sources: "RealMedia" and "RealAudio" in the MultimediaWiki, and ffmpeg's ``rmdec.c`` for the meaning of fields: the
company published neither. Names of codecs as ffmpeg writes them.
"""

from __future__ import annotations

from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ParseContext, unpack
from mediacrawl.probe.formats.keys import REAL_TEXTS, real_key
from mediacrawl.probe.text import LATIN1, Value

SOURCE = "real"
MAGIC = b".ra\xfd"
_WINDOW = 2048
"""Bytes of a header with four texts of 255 bytes, and some."""
_FIRST, _SECOND, _THIRD = 3, 4, 5
_CODECS = {
    b"14_4": "ra_144",
    b"28_8": "ra_288",
    b"LSD:": "ralf",
    b"RV10": "rv10",
    b"RV13": "rv10",
    b"RV20": "rv20",
    b"RV30": "rv30",
    b"RV40": "rv40",
    b"RVTR": "rv20",
    b"atrc": "atrac3",
    b"cook": "cook",
    b"dnet": "ac3",
    b"lpcJ": "ra_144",
    b"raac": "aac",
    b"racp": "aac",
    b"sipr": "sipr",
}


class RealAudio(NamedTuple):
    """A header.

    Attributes:
        codec: None if its letters are none.
        sample_rate: Hz.
        channels: number of audio channels.
        data: bytes of audio, more or less; 0 if the encoder did not know.
        minute: bytes of a minute; 0 is unknown.
        texts: offset of the texts that a file of its own has.
        stop: offset behind the header.
    """

    codec: str | None
    sample_rate: int
    channels: int
    data: int
    minute: int
    texts: int
    stop: int


def real_codec(letters: bytes) -> str | None:
    """Names the codec of four letters; an unknown one is named by them, one that is no letters is None."""
    if letters in _CODECS:
        return _CODECS[letters]
    name = letters.decode(LATIN1).strip(" \0")
    return name.lower() if name.isascii() and name.isalnum() else None


def read_header(data: bytes) -> RealAudio:
    """Reads a header, from its first bytes on.

    Raises:
        BrokenError: it is none, is cut off, or of another version.
    """
    (version,) = unpack(">H", data[4:6])
    if data[:4] != MAGIC or version not in {_FIRST, _SECOND, _THIRD}:
        raise BrokenError("no RealAudio header")
    if version == _FIRST:
        # The first codec is the only one: 8 kHz, in frames of 20 bytes and 20 ms.
        size, minute, length = unpack(">H8xHI", data[6:22])
        return RealAudio("ra_144", 8000, 1, length, minute, 22, 8 + size)
    length, size, minute = unpack(">4xI2xI10xI", data[8:36])
    if version == _SECOND:
        rate, channels = unpack(">H4xH", data[48:56])
        letters, at = _letters(data, _letters(data, 56)[1])
    else:
        rate, channels = unpack(">H4xH", data[54:62])
        letters, at = data[66:70], 70
        # What stands there in this version is not the rate of most files.
        minute = 0
    return RealAudio(real_codec(letters), rate, channels, length, minute, at + 3, 16 + size)


def _letters(data: bytes, at: int) -> tuple[bytes, int]:
    """Reads a text with its length in a byte; gives the offset behind it too."""
    stop = at + 1 + int.from_bytes(data[at : at + 1], "big")
    if not at < stop <= len(data):
        raise BrokenError("a text ends behind its header")
    return data[at + 1 : stop], stop


def read(context: ParseContext, start: int) -> None:
    """Reads a RealAudio file."""
    context.result.has_cover = False
    with context.stage("header"):
        data = context.file.get(start, start + _WINDOW)
        header = read_header(data)
        result = context.result
        result.set_audio(header.codec, header.sample_rate, header.channels)
        with context.stage("texts"):
            _add_texts(context, data[: header.stop], header.texts)
        # The size of the file is sure; encoders counted differently, and left 0 where they did not know.
        length = header.data if context.file.size is None else context.file.size - start - header.stop
        if header.minute:
            result.bitrate, result.bitrate_mode = round(header.minute * 8 / 60), "cbr"
            result.set_duration(length * 60 / header.minute)


def _add_texts(context: ParseContext, data: bytes, at: int) -> None:
    for frame in REAL_TEXTS:
        raw, at = _letters(data, at)
        add_text(context, frame, raw)


def add_text(context: ParseContext, frame: str, raw: bytes) -> None:
    """Adds a text. No version declares an encoding.

    Args:
        context: takes the text.
        frame: name of the field.
        raw: its bytes, perhaps with zeros behind them.
    """
    context.add(SOURCE, frame, real_key(frame), Value(raw.rstrip(b"\0 "), LATIN1))
