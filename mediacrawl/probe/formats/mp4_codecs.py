"""Sample descriptions of MP4 and QuickTime: codec, sound, picture (ISO/IEC 14496-12, 8.5.2; 14496-14, 14496-1, 7.2.6).

An own reader: the libraries at hand read sound only, and take mono AAC for stereo.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace

from mediacrawl.base.codecs import codec_of_object_type, codec_of_tag
from mediacrawl.probe.context import BrokenError, unpack
from mediacrawl.probe.formats import raw_audio
from mediacrawl.probe.formats.aac_config import read_config
from mediacrawl.probe.formats.mpeg_video import Bits
from mediacrawl.probe.formats.shared_codes import (
    layout_of,
    layout_of_chan,
    layout_of_chnl,
    primaries_name,
    transfer_name,
)
from mediacrawl.probe.formats.windows_headers import fourcc_codec, pcm_codec, wave_codec

_SOUND_BYTES, _PICTURE_BYTES = 36, 86
_MORE_SOUND_BYTES = {1: 16, 2: 36}
"""What QuickTime's later versions of a sound description add."""
_MAX_BOXES = 64

_OF_MANY_CHANNELS = frozenset({"ac3", "eac3", "dts", "truehd"})
_TEMPLATE_CHANNELS = 2
"""What the container's field holds for these codecs, whatever they hold (ETSI TS 102 366, F.3); it says nothing."""
_WITH_BITS = ("pcm_", "alac", "flac")
_COLOUR_TYPES = frozenset({b"nclx", b"nclc"})
_ALL_FORCED = 0x80000000
"""Display flag of ``tx3g``: a player shows all of its texts, whatever it was told (QuickTime File Format)."""


@dataclass(frozen=True, slots=True)
class AudioSampleEntry:
    """An audio sample entry; 0 is unknown.

    Attributes:
        bits_per_sample: bits, where the codec has such a thing.
        layout: name of the channels' places.
    """

    codec: str | None
    channels: int = 0
    sample_rate: int = 0
    bits_per_sample: int = 0
    bitrate: int = 0
    layout: str | None = None


@dataclass(frozen=True, slots=True)
class VisualSampleEntry:
    """A visual sample entry; 0 and None are unknown."""

    codec: str | None
    width: int
    height: int
    bitrate: int = 0
    transfer: str | None = None
    primaries: str | None = None


@dataclass(frozen=True, slots=True)
class SubtitleSampleEntry:
    """A sample entry of subtitles.

    Attributes:
        forced: whether a player shows all of it, whatever it was told; None if the format has no such flag.
    """

    codec: str | None
    forced: bool | None = None


@dataclass(frozen=True, slots=True)
class _EsDescriptor:
    """An elementary stream descriptor: object type, bits per second, the codec's own header."""

    kind: int = 0
    bitrate: int = 0
    config: bytes = b""


def read_visual_entry(entry: bytes) -> VisualSampleEntry:
    """Reads a visual sample entry."""
    width, height = unpack(">HH", entry[32:36])
    found = list(_boxes(entry[_PICTURE_BYTES:]))
    boxes = dict(found)
    name = _original(entry[4:8], boxes)
    stream = _elementary_stream(boxes.get(b"esds", b"")[4:])
    plain = name.decode("latin-1").strip()
    codec = codec_of_object_type(stream.kind) or codec_of_tag(plain, "video") or fourcc_codec(name)
    bitrate = stream.bitrate or int.from_bytes(boxes.get(b"btrt", b"")[8:12], "big")
    return VisualSampleEntry(codec or plain.lower() or None, width, height, bitrate, *_colours(found))


def _colours(boxes: list[tuple[bytes, bytes]]) -> tuple[str | None, str | None]:
    """Names transfer function and primaries by ``colr`` (12.1.5); one with a profile of the ICC names none."""
    for name, body in boxes:
        if name == b"colr" and body[:4] in _COLOUR_TYPES and len(body) >= 8:
            primaries, transfer = unpack(">HH", body[4:8])
            return transfer_name(transfer), primaries_name(primaries)
    return None, None


def read_subtitle_entry(entry: bytes) -> SubtitleSampleEntry:
    """Reads a sample entry of subtitles."""
    name = entry[4:8].decode("latin-1").strip()
    forced = bool(int.from_bytes(entry[16:20], "big") & _ALL_FORCED) if name == "tx3g" else None
    return SubtitleSampleEntry(codec_of_tag(name, "subtitle") or name.lower() or None, forced)


def read_audio_entry(description: bytes) -> AudioSampleEntry:
    """Reads an audio sample entry."""
    entry = description[8:]
    # In version 1 of the list itself the plain layout goes by number 1; QuickTime's version 1 is longer.
    version = 0 if description[:1] == b"\1" else int.from_bytes(entry[16:18], "big")
    channels, bits, rate = unpack(">HH4xH", entry[24:34])
    flags = 0
    if version == 2:
        channels, rate, bits, flags = _read_version_2(entry)
    boxes = dict(_boxes(entry[_SOUND_BYTES + _MORE_SOUND_BYTES.get(version, 0) :]))
    boxes |= dict(_boxes(boxes.get(b"wave", b"")))
    name = _original(entry[4:8], boxes)
    stream = _elementary_stream(boxes.get(b"esds", b"")[4:])
    codec = codec_of_object_type(stream.kind) or _sound_codec(name, bits, flags, boxes)
    stored = re.match(r"pcm_[sfu](\d+)", codec or "")  # the field of QuickTime stays at 16 for longer samples
    bits = int(stored[1]) if stored else bits
    if codec in _OF_MANY_CHANNELS and channels == _TEMPLATE_CHANNELS:
        channels = 0
    sound = _refined(AudioSampleEntry(codec, channels, rate, bits, stream.bitrate), boxes, stream)
    sound = replace(sound, layout=layout_of(codec, sound.channels, _stated_layout(boxes)))
    return sound if (codec or "").startswith(_WITH_BITS) else replace(sound, bits_per_sample=0)


def _stated_layout(boxes: dict[bytes, bytes]) -> str | None:
    return layout_of_chan(boxes[b"chan"]) if b"chan" in boxes else layout_of_chnl(boxes.get(b"chnl", b""))


def _read_version_2(entry: bytes) -> tuple[int, int, int, int]:
    """Reads channels, Hz, bits and flags of QuickTime's version 2 (QuickTime File Format, sound description V2)."""
    channels, bits, flags = unpack(">I4xII", entry[48:64])
    (rate,) = struct.unpack(">d", entry[40:48])
    return channels, round(rate) if 0 < rate < 1e9 else 0, bits, flags


def _boxes(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields name and body of the boxes at hand, the last one first, so that a dictionary keeps the first of a name."""
    found: list[tuple[bytes, bytes]] = []
    at = 0
    while at + 8 <= len(data) and len(found) < _MAX_BOXES:
        size = int.from_bytes(data[at : at + 4], "big")
        if not 8 <= size <= len(data) - at:
            break
        found.append((data[at + 4 : at + 8], data[at + 8 : at + size]))
        at += size
    return reversed(found)


def _original(name: bytes, boxes: dict[bytes, bytes]) -> bytes:
    """Returns the name of the codec, which an encrypted track keeps in ``frma`` (8.12.2)."""
    if name not in {b"enca", b"encv", b"drms", b"drmi"}:
        return name
    return dict(_boxes(boxes.get(b"sinf", b""))).get(b"frma", name)[:4]


def _sound_codec(name: bytes, bits: int, flags: int, boxes: dict[bytes, bytes]) -> str | None:
    plain = name.decode("latin-1").strip()
    # Samples that are kept as they are: QuickTime's names, and in "enda" whether the low byte is first.
    low_first = boxes.get(b"enda", b"")[:2] == b"\0\1"
    order = "le" if low_first else "be"
    if plain in {"twos", "sowt"}:
        return pcm_codec(bits, "le" if plain == "sowt" else "be")
    if plain in {"in24", "in32"}:
        return pcm_codec(int(plain[2:]), order)
    if plain in {"fl32", "fl64"}:
        return f"pcm_f{plain[2:]}{order}"
    if plain in {"lpcm", "ipcm", "fpcm"}:
        return _linear(plain, bits, flags, boxes)
    if plain in {"raw", "NONE"}:
        return "pcm_u8" if bits <= 8 else pcm_codec(bits, "be")
    if name.startswith(b"ms"):
        return wave_codec(int.from_bytes(name[2:], "big"), bits)
    return codec_of_tag(plain, "audio") or plain.lower() or None


def _linear(name: str, bits: int, flags: int, boxes: dict[bytes, bytes]) -> str:
    """Names samples by QuickTime's flags (1 float, 2 high byte first), or by ``pcmC`` (ISO/IEC 23003-5)."""
    config = boxes.get(b"pcmC", b"")
    bits = config[5] if len(config) >= 6 else bits
    order = "le" if (config[4:5] == b"\1" if config else not flags & 2) else "be"
    if name == "fpcm" or (name == "lpcm" and flags & 1):
        return f"pcm_f{64 if bits == 64 else 32}{order}"
    return pcm_codec(bits, order)


def _refined(sound: AudioSampleEntry, boxes: dict[bytes, bytes], stream: _EsDescriptor) -> AudioSampleEntry:
    """Prefers the codec's own header, since the container's fields are often left at 2 and 16."""
    try:
        if sound.codec == "aac" and stream.config:
            # Reads an AudioSpecificConfig, with SBR and PS where it says so.
            found = read_config(Bits(stream.config[:64]), is_last=True)
            return replace(
                sound, channels=found.channels or sound.channels, sample_rate=found.sample_rate or sound.sample_rate
            )
        if sound.codec == "alac" and b"alac" in boxes:
            bits, channels, bitrate, rate = unpack(">9xB3xB6xII", boxes[b"alac"][:28])
            return replace(sound, channels=channels, sample_rate=rate, bits_per_sample=bits, bitrate=bitrate)
        if sound.codec == "flac" and b"dfLa" in boxes:
            return _read_flac(sound, boxes[b"dfLa"])
        if sound.codec == "ac3" and b"dac3" in boxes:
            return _read_ac3(sound, boxes[b"dac3"])
        if sound.codec == "eac3" and b"dec3" in boxes:
            return _read_eac3(sound, boxes[b"dec3"])
    except BrokenError:
        pass
    return sound


def read_cookie(sound: AudioSampleEntry, cookie: bytes) -> AudioSampleEntry:
    """Refines a sound by the codec's own header as Core Audio keeps it beside the audio."""
    boxes: dict[bytes, bytes] = {}
    stream = _EsDescriptor()
    if sound.codec == "alac":
        boxes = dict(_boxes(cookie)) if cookie[4:8] == b"frma" else {b"alac": bytes(4) + cookie}
    elif sound.codec == "aac":
        stream = _elementary_stream(cookie)
    return _refined(sound, boxes, stream)


def _elementary_stream(rest: bytes) -> _EsDescriptor:
    """Reads the descriptors of ``esds``: each has a tag, a size in 7-bit bytes, and the next one inside."""
    stream = _EsDescriptor()
    tag, body = _descriptor(rest)
    if tag == 3 and len(body) >= 3:
        flags, at = body[2], 3
        at += 2 if flags & 0x80 else 0
        at += 1 + int.from_bytes(body[at : at + 1], "big") if flags & 0x40 else 0
        at += 2 if flags & 0x20 else 0
        tag, body = _descriptor(body[at:])
    if tag == 4 and len(body) >= 13:
        inner, config = _descriptor(body[13:])
        bitrate = int.from_bytes(body[9:13], "big")
        stream = _EsDescriptor(body[0], bitrate, config if inner == 5 else b"")
    return stream


def _descriptor(data: bytes) -> tuple[int, bytes]:
    size = 0
    for at in range(1, min(5, len(data))):
        size = size << 7 | data[at] & 0x7F
        if not data[at] & 0x80:
            return data[0], data[at + 1 : at + 1 + size]
    return 0, b""


def _read_flac(sound: AudioSampleEntry, box: bytes) -> AudioSampleEntry:
    """Reads the STREAMINFO block behind version and block header (Encapsulation of FLAC in ISOBMFF, 3.3.2)."""
    bits = Bits(box[18:26])
    rate, channels, depth = bits.take(20), bits.take(3) + 1, bits.take(5) + 1
    return replace(sound, sample_rate=rate, channels=channels, bits_per_sample=depth)


def _read_ac3(sound: AudioSampleEntry, box: bytes) -> AudioSampleEntry:
    """Reads ``dac3`` (ETSI TS 102 366, F.4)."""
    bits = Bits(box[:3])
    rate = _ac3_rate(sound, bits)
    bits.take(5 + 3)
    channels = raw_audio.AC3_CHANNELS[bits.take(3)] + bits.take(1)
    code = bits.take(5)
    bitrate = raw_audio.AC3_BIT_RATES[code] * 1000 if code < len(raw_audio.AC3_BIT_RATES) else 0
    return replace(sound, sample_rate=rate, channels=channels, bitrate=bitrate)


def _read_eac3(sound: AudioSampleEntry, box: bytes) -> AudioSampleEntry:
    """Reads ``dec3`` (ETSI TS 102 366, F.6) as far as the first substream, which plays by itself."""
    bits = Bits(box[:5])
    bitrate = bits.take(13) * 1000
    bits.take(3)
    rate = _ac3_rate(sound, bits)
    bits.take(5 + 1 + 1 + 3)
    channels = raw_audio.AC3_CHANNELS[bits.take(3)] + bits.take(1)
    return replace(sound, sample_rate=rate, channels=channels, bitrate=bitrate)


def _ac3_rate(sound: AudioSampleEntry, bits: Bits) -> int:
    return (*raw_audio.AC3_RATES, sound.sample_rate)[bits.take(2)]
