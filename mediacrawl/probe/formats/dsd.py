"""DSF and DSDIFF, two containers of one-bit audio: format, length, and the texts behind the audio.

Sources: "DSF File Format Specification" 1.01 (Sony, 2005); "DSDIFF File Format Specification" 1.5 (Philips, 2004).
ID3v2 tags in DSDIFF are not in it; programs write them into a chunk of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct

from mediacrawl.probe.context import BrokenError, ParseContext, exact, unpack
from mediacrawl.probe.formats import id3
from mediacrawl.probe.formats.aiff import add_comments
from mediacrawl.probe.formats.keys import dsdiff_key
from mediacrawl.probe.formats.long_chunks import ChunkLayout, end_of_file, media_size, walk
from mediacrawl.probe.formats.riff import Chunk, first, read_id3
from mediacrawl.probe.text import LATIN1, Value, unpadded

_DSF_HEADER, _DSF_FORMAT, _DSF_DATA = 28, 52, 12
_DSF_CODECS = {1: "dsd_lsbf_planar", 8: "dsd_msbf_planar"}
"""By the number of bits in the header: 1 where the lowest bit of a byte is played first, 8 where the highest is."""


def read_dsf(context: ParseContext, start: int) -> None:
    """Reads a DSF file: three chunks of known sizes, the audio, and a tag to which the header points."""
    with context.stage("header"):
        _read_dsf_header(context, start)
    with context.stage("id3v2"):
        _read_dsf_tag(context, start)


def _read_dsf_header(context: ParseContext, start: int) -> None:
    body = start + _DSF_HEADER
    head = exact(context.file, body, body + _DSF_FORMAT + _DSF_DATA)
    if not head.startswith(b"fmt ") or head[_DSF_FORMAT : _DSF_FORMAT + 4] != b"data":
        raise BrokenError("no format before the audio")
    channels, rate, bits, samples = unpack("<IIIQ", head[24:44])
    (stated,) = unpack("<Q", head[-8:])
    result = context.result
    result.set_audio(_DSF_CODECS.get(bits), rate, channels, 1)
    if not rate or not channels:
        raise BrokenError("no sample rate")
    data = max(0, stated - _DSF_DATA)
    end = context.file.size
    if end is not None and body + _DSF_FORMAT + stated > end:
        context.note("dsf:truncated")
        data = max(0, end - body - len(head))
    # The last block of each channel is filled up, so the number of samples is below what there is room for.
    result.set_duration(min(samples or data * 8 // channels, data * 8 // channels) / rate)
    result.bitrate, result.bitrate_mode = rate * channels, "cbr"


def _read_dsf_tag(context: ParseContext, start: int) -> None:
    (place,) = unpack("<Q", exact(context.file, start + 20, start + _DSF_HEADER))
    size = context.file.size
    if not place:
        return
    if size is not None and start + place >= size:
        context.note("id3v2:truncated")
        return
    header = id3.find_header(context.file, start + place)
    if header is None:
        raise BrokenError("no tag where there should be one")
    id3.read_tag(context, header)


_LAYOUT = ChunkLayout(name=4, order="big", counts_header=False, align=2)
_CODECS = {b"DSD ": "dsd_msbf", b"DST ": "dst"}
_COUNTED = frozenset({b"DIAR", b"DITI"})
"""Chunks of a text behind its length."""


@dataclass(slots=True)
class _Sound:
    """Contents of the chunks: codec, Hz, channels, bytes of audio, and seconds where frames are counted."""

    codec: str | None = None
    sample_rate: int = 0
    channels: int = 0
    data: int | None = None
    seconds: float = 0.0


def read_dff(context: ParseContext, start: int) -> None:
    """Reads a DSDIFF file."""
    sound = _Sound()
    with context.stage("chunks"):
        _read_chunks(context, start, sound)
    with context.stage("length"):
        _take_facts(context, sound)


def _read_chunks(context: ParseContext, start: int, sound: _Sound) -> None:
    head = exact(context.file, start, start + 16)
    if head[12:] != b"DSD ":
        raise BrokenError("another form than that of DSD")
    stop = end_of_file(context, start + 12 + int.from_bytes(head[4:12], "big"))
    for chunk in walk(context, start + 16, stop, _LAYOUT):
        if chunk.name == b"PROP":
            with context.stage("format"):
                _read_properties(context, chunk, sound)
        elif chunk.name in _CODECS and sound.data is None:
            sound.data, sound.codec = media_size(chunk), _CODECS[chunk.name]
            if chunk.name == b"DST ":
                with context.stage("frames"):
                    # How many frames of DST there are, and how many a second, is the first thing in their chunk.
                    counted = next(walk(context, chunk.body, chunk.stop, _LAYOUT), None)
                    if counted and counted.name == b"FRTE":
                        frames, rate = unpack(">IH", first(context, counted, 6))
                        sound.seconds = frames / rate if rate else 0.0
            if chunk.stop >= stop:
                return
        else:
            _read_text(context, chunk)


def _read_properties(context: ParseContext, prop: Chunk, sound: _Sound) -> None:
    """Reads the chunks behind the four letters that say whose properties they are."""
    if first(context, prop, 4) != b"SND ":
        return
    for chunk in walk(context, prop.body + 4, prop.stop, _LAYOUT):
        if chunk.name == b"FS  ":
            (sound.sample_rate,) = unpack(">I", first(context, chunk, 4))
        elif chunk.name == b"CHNL":
            (sound.channels,) = unpack(">H", first(context, chunk, 2))
        elif chunk.name == b"CMPR":
            sound.codec = _CODECS.get(first(context, chunk, 4))
        else:
            _read_text(context, chunk)


def _read_text(context: ParseContext, chunk: Chunk) -> None:
    if chunk.name == b"DIIN":
        with context.stage("info"):
            for text in walk(context, chunk.body, chunk.stop, _LAYOUT):
                if text.name in _COUNTED and context.fits(text.size):
                    body, name = first(context, text, text.size), text.name.decode("ascii")
                    raw = unpadded(body[4 : 4 + int.from_bytes(body[:4], "big")])
                    context.add("dsdiff", name, dsdiff_key(name), Value(raw, LATIN1))
    elif chunk.name == b"COMT" and context.fits(chunk.size):
        with context.stage("comments"):
            # Reads comments, whose head is a time, a type, a reference and the length (3.3).
            add_comments(context, "dsdiff", first(context, chunk, chunk.size), Struct(">10xI"))
    elif chunk.name in {b"ID3 ", b"id3 "}:
        read_id3(context, chunk)


def _take_facts(context: ParseContext, sound: _Sound) -> None:
    result = context.result
    if not sound.sample_rate:
        return
    result.set_audio(sound.codec, sound.sample_rate, sound.channels, 1)
    if sound.codec == "dst":
        result.set_duration(sound.seconds)
        result.set_average_bitrate(sound.data)
    elif sound.channels:
        result.bitrate, result.bitrate_mode = sound.sample_rate * sound.channels, "cbr"
        result.set_duration((sound.data or 0) * 8 / sound.channels / sound.sample_rate)
