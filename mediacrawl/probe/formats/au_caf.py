"""AU, which is also called SND: a header, a text, the audio; and Core Audio Format: chunks of 64 bits.

Sources: "Sun/NeXT audio file format", ``<audio/au.h>`` of SunOS and ``soundstruct.h`` of NeXTSTEP. Digital's machines
wrote the numbers with the low byte first, and a magic number that shows it. "Apple Core Audio Format Specification
1.0" (2011). The codecs' own headers are in ``kuki``: that of ALAC is described in ``ALACMagicCookieDescription.txt``
(Apple), that of AAC is an elementary stream descriptor.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass

from mediacrawl.base.codecs import codec_of_tag
from mediacrawl.probe.context import BrokenError, ParseContext, exact, unpack
from mediacrawl.probe.formats.keys import caf_key
from mediacrawl.probe.formats.long_chunks import ChunkLayout, end_of_file, media_size, walk
from mediacrawl.probe.formats.mp4_codecs import AudioSampleEntry, read_cookie
from mediacrawl.probe.formats.riff import Chunk, first
from mediacrawl.probe.formats.windows_headers import Order, pcm_codec, wave_codec
from mediacrawl.probe.text import LATIN1, UTF8, Value, ended

_AU_HEADER = 24
_ORDERS: dict[bytes, Order] = {b".snd": "big", b"dns.": "little", b"\0ds.": "little", b".sd\0": "big"}
_ENCODINGS = {
    1: ("pcm_mulaw", 8),
    2: ("pcm_s8", 8),
    3: ("pcm_s16", 16),
    4: ("pcm_s24", 24),
    5: ("pcm_s32", 32),
    6: ("pcm_f32", 32),
    7: ("pcm_f64", 64),
    23: ("adpcm_g726le", 4),
    24: ("adpcm_g722", 4),
    25: ("adpcm_g726le", 3),
    26: ("adpcm_g726le", 5),
    27: ("pcm_alaw", 8),
    0x37323632: ("adpcm_g726le", 2),
}
"""Codec and bits of a sample by number; G.721 is G.726 of 4 bits. Where bytes have an order, it is appended."""
_ORDERED = re.compile(r"pcm_[sf](?:16|24|32|64)")
_UNKNOWN = 0xFFFFFFFF
_LINE = re.compile(rb"(Title|Artist|Album|Track|Genre)=(.*)", re.IGNORECASE | re.DOTALL)
"""A line of ffmpeg's, which writes its texts one a line."""
_KEYS = {"track": "tracknumber"}


def read_au(context: ParseContext, start: int) -> None:
    """Reads an AU file."""
    with context.stage("header"):
        _read_au_header(context, start)


def _read_au_header(context: ParseContext, start: int) -> None:
    head = exact(context.file, start, start + _AU_HEADER)
    order = _ORDERS.get(head[:4])
    if order is None:
        raise BrokenError("no header of AU")
    offset, size, encoding, rate, channels = (
        int.from_bytes(head[at : at + 4], order) for at in range(4, _AU_HEADER, 4)
    )
    if offset < _AU_HEADER:
        raise BrokenError("audio inside the header")
    codec, bits = _ENCODINGS.get(encoding, (None, 0))
    if codec and _ORDERED.fullmatch(codec):
        codec += "be" if order == "big" else "le"
    is_plain = (codec or "").startswith("pcm_")
    result = context.result
    result.set_audio(codec, rate, channels, bits if is_plain else None)
    with context.stage("annotation"):
        _read_annotation(context, start + _AU_HEADER, start + offset)
    byte_rate = rate * channels * bits / 8
    data = _data_size(context, start + offset, size)
    if not byte_rate:
        return
    result.bitrate, result.bitrate_mode = round(byte_rate * 8), "cbr"
    if data is None:
        context.note("size unknown")
    else:
        result.set_duration(data / byte_rate)


def _data_size(context: ParseContext, begin: int, stated: int) -> int | None:
    """Returns the bytes of audio that are there; None if neither header nor server says it."""
    end = context.file.size
    # A recorder that did not come to its end leaves 0.
    is_known = stated not in {0, _UNKNOWN}
    if end is None:
        return stated if is_known else None
    there = max(0, end - begin)
    if is_known and stated > there:
        context.note("au:truncated")
    return min(stated, there) if is_known else there


def _read_annotation(context: ParseContext, start: int, stop: int) -> None:
    """Reads the text between header and audio; it ends with a zero, and no encoding is declared."""
    if not context.fits(stop - start):
        return
    raw = ended(exact(context.file, start, stop))
    lines = [_LINE.fullmatch(line) for line in raw.strip(b"\n").split(b"\n")]
    if not all(lines):
        context.add("au", "annotation", "comment", Value(raw, LATIN1))
        return
    for line in filter(None, lines[: context.policy.max_values]):
        name = line[1].decode("ascii")
        context.add("au", name, _KEYS.get(name.lower(), name.lower()), Value(line[2], LATIN1))


_CAF_HEADER = 8
_LAYOUT = ChunkLayout(name=4, order="big", counts_header=False, align=1)
_DESCRIPTION, _PACKETS, _EDITS = 32, 24, 4
_COOKIE_BYTES = 512
_FLOAT, _LOW_FIRST = 1, 2
_MAX_RATE = 1e9
_MAX_NAME = 100
_CODECS = {
    "aac": "aac",
    **dict.fromkeys(("aach", "aacp", "aacl", "aace", "aacf", "usac"), "aac"),
    ".mp1": "mp1",
    "flac": "flac",
    "opus": "opus",
    "ilbc": "ilbc",
    "dvi8": "adpcm_ima_wav",
}
"""Names of formats that MP4 and QuickTime do not have, or spell otherwise."""


@dataclass(slots=True)
class _Sound:
    """Contents of the chunks; 0 is unknown.

    Attributes:
        entry: codec, channels, Hz and bits; the codec's own header may say another rate than the description.
        sample_rate: Hz by the description, in which samples are counted.
        packet_bytes: bytes of a packet, 0 if packets differ.
        packet_frames: samples of a packet, 0 if packets differ.
        frames: samples of one channel that are played, by ``pakt``.
        data: bytes of audio.
    """

    entry: AudioSampleEntry | None = None
    sample_rate: int = 0
    packet_bytes: int = 0
    packet_frames: int = 0
    frames: int = 0
    data: int | None = None


def read_caf(context: ParseContext, start: int) -> None:
    """Reads a CAF file."""
    sound = _Sound()
    with context.stage("chunks"):
        _read_chunks(context, start, sound)
    with context.stage("length"):
        _take_facts(context, sound)


def _read_chunks(context: ParseContext, start: int, sound: _Sound) -> None:
    stop = end_of_file(context, 0)
    for chunk in walk(context, start + _CAF_HEADER, stop, _LAYOUT):
        if chunk.name == b"data" and sound.data is None:
            size = media_size(chunk)
            sound.data = None if size is None else max(0, size - _EDITS)
            if chunk.stop >= stop:
                return
        elif chunk.name in {b"desc", b"kuki", b"pakt"}:
            with context.stage("format"):
                _read_caf_header(context, chunk, sound)
        elif chunk.name == b"info":
            with context.stage("info"):
                _read_info(context, chunk)


def _read_caf_header(context: ParseContext, chunk: Chunk, sound: _Sound) -> None:
    if chunk.name == b"desc":
        body = first(context, chunk, _DESCRIPTION)
        (rate,) = struct.unpack(">d", body[:8])
        flags, packet_bytes, packet_frames, channels, bits = unpack(">IIIII", body[12:])
        codec = _codec(body[8:12], flags, bits)
        sound.sample_rate = round(rate) if 0 < rate < _MAX_RATE else 0
        sound.entry = AudioSampleEntry(
            codec, channels, sound.sample_rate, bits if (codec or "").startswith("pcm_") else 0
        )
        sound.packet_bytes, sound.packet_frames = packet_bytes, packet_frames
    elif chunk.name == b"kuki":
        if sound.entry:
            sound.entry = read_cookie(sound.entry, first(context, chunk, min(chunk.size, _COOKIE_BYTES)))
    else:
        packets, frames, _, _ = unpack(">qqii", first(context, chunk, _PACKETS))
        sound.frames = frames if frames > 0 else max(0, packets) * sound.packet_frames


def _codec(name: bytes, flags: int, bits: int) -> str | None:
    plain = name.decode("latin-1").strip()
    if plain == "lpcm":
        order = "le" if flags & _LOW_FIRST else "be"
        return f"pcm_f{64 if bits == 64 else 32}{order}" if flags & _FLOAT else pcm_codec(bits, order)
    if name.startswith(b"ms"):
        return wave_codec(int.from_bytes(name[2:], "big"), bits)
    return _CODECS.get(plain) or codec_of_tag(plain, "audio") or plain.lower() or None


def _read_info(context: ParseContext, chunk: Chunk) -> None:
    """Reads texts: their number, then for each a name and a value that end with a zero."""
    if not context.fits(chunk.size):
        return
    body = first(context, chunk, chunk.size)
    words = body[4:].split(b"\0")
    for number in range(int.from_bytes(body[:4], "big")):
        name, value = words[2 * number : 2 * number + 1], words[2 * number + 1 : 2 * number + 2]
        if not name or not value:
            return
        context.count()
        key = name[0][:_MAX_NAME].decode(UTF8, "replace")
        context.add("caf", key, caf_key(key), Value(value[0], UTF8))


def _take_facts(context: ParseContext, sound: _Sound) -> None:
    entry, result = sound.entry, context.result
    if entry is None:
        raise BrokenError("no description")
    result.set_audio(entry.codec, entry.sample_rate, entry.channels, entry.bits_per_sample)
    if not sound.sample_rate:
        return
    if sound.packet_bytes and sound.packet_frames:
        result.bitrate = round(sound.sample_rate * sound.packet_bytes * 8 / sound.packet_frames)
        result.bitrate_mode = "cbr"
        there = None if sound.data is None else sound.data // sound.packet_bytes * sound.packet_frames
        if there is not None:
            # Packets of a codec hold samples behind the last one, too.
            sound.frames = min(sound.frames or there, there)
    result.set_duration(sound.frames / sound.sample_rate)
    if not result.bitrate:
        result.set_average_bitrate(sound.data)
