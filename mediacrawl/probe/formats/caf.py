"""Core Audio Format: chunks of 64 bits with the description of the sound, its packets' number and its texts.

Source: "Apple Core Audio Format Specification 1.0" (2011). The codecs' own headers are in ``kuki``: that of ALAC is
described in ``ALACMagicCookieDescription.txt`` (Apple), that of AAC is an elementary stream descriptor.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from mediacrawl.model.codecs import codec_of_tag
from mediacrawl.probe.context import BrokenError, ParseContext, unpack
from mediacrawl.probe.formats.keys import caf_key
from mediacrawl.probe.formats.long_chunks import ChunkLayout, end_of_file, media_size, walk
from mediacrawl.probe.formats.mp4_codecs import AudioSampleEntry, read_cookie
from mediacrawl.probe.formats.riff import Chunk, first
from mediacrawl.probe.formats.windows_headers import pcm_codec, wave_codec
from mediacrawl.probe.text import UTF8, Value

_HEADER = 8
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


def read(context: ParseContext, start: int) -> None:
    """Reads a CAF file."""
    context.result.has_cover = False
    sound = _Sound()
    with context.stage("chunks"):
        _read_chunks(context, start, sound)
    with context.stage("length"):
        _take_facts(context, sound)


def _read_chunks(context: ParseContext, start: int, sound: _Sound) -> None:
    stop = end_of_file(context, 0)
    for chunk in walk(context, start + _HEADER, stop, _LAYOUT):
        if chunk.name == b"data" and sound.data is None:
            size = media_size(chunk)
            sound.data = None if size is None else max(0, size - _EDITS)
            if chunk.stop >= stop:
                return
        elif chunk.name in {b"desc", b"kuki", b"pakt"}:
            with context.stage("format"):
                _read_header(context, chunk, sound)
        elif chunk.name == b"info":
            with context.stage("info"):
                _read_info(context, chunk)


def _read_header(context: ParseContext, chunk: Chunk, sound: _Sound) -> None:
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
