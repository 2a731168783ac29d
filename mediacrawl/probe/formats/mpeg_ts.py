"""MPEG transport streams (ISO/IEC 13818-1): what the tables and the first packets say, and the times at both ends.

Packets have 188 bytes; recordings of Blu-ray and cameras have 4 bytes before each, broadcasters 16 behind. A file may
begin anywhere in a broadcast, so the tables are searched for, a little further than the head.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mediacrawl.base.languages import bcp47
from mediacrawl.probe.context import BrokenError, ParseContext
from mediacrawl.probe.formats.mpeg_streams import (
    ElementaryStream,
    length,
    picture_of,
    read_packet,
    seconds_between,
    take_facts,
)

_SYNC = 0x47
_PACKET = 188
_SIZES = (188, 192, 204)
_IN_A_ROW = 4
"""Sync bytes that prove the size of the packets."""
_TABLE_BYTES = 4096
"""A section of a table is at most this long (2.4.4.1)."""
_CHECKSUM = 4
_MAX_STREAMS = 32
_CODECS = {
    0x01: "mpeg1video",
    0x02: "mpeg2video",
    0x03: "mp2",
    0x04: "mp2",
    0x0F: "aac",
    0x10: "mpeg4",
    0x11: "aac_latm",
    0x1B: "h264",
    0x24: "hevc",
    0x33: "vvc",
    0x42: "cavs",
    0x81: "ac3",
    0x82: "dts",
    0x83: "truehd",
    0x84: "eac3",
    0x85: "dts",
    0x87: "eac3",
    0x8A: "dts",
    0xD1: "dirac",
    0xEA: "vc1",
}
"""By type of stream; from 0x80 on those of ATSC, and of Blu-ray as far as broadcasts hardly use them otherwise."""
_BLU_RAY = b"HDMV"
_BLU_RAY_CODECS = {
    0x80: "pcm_bluray",
    0x86: "dts",
    0x90: "hdmv_pgs_subtitle",
    0x92: "hdmv_text_subtitle",
    0xA1: "eac3",
    0xA2: "dts",
}
"""Types of stream in a program that is registered as Blu-ray's. In a broadcast 0x86 is a signal: where ads begin."""
_PRIVATE = 0x06
_LANGUAGE, _TELETEXT, _SUBTITLES = 0x0A, 0x56, 0x59
_DESCRIPTORS = {
    _TELETEXT: "dvb_teletext",
    _SUBTITLES: "dvb_subtitle",
    0x6A: "ac3",
    0x7A: "eac3",
    0x7B: "dts",
    0x7C: "aac",
}
"""What DVB says of a private stream (ETSI EN 300 468, 6.1)."""
_TELETEXT_PAGE = 5
_TELETEXT_SUBTITLES = frozenset({2, 5})
"""Kinds of pages of teletext that are subtitles, the second for the hard of hearing (6.2.43)."""
_REGISTRATION = 0x05
_REGISTERED = {
    b"AC-3": "ac3",
    b"EAC3": "eac3",
    b"DTS1": "dts",
    b"DTS2": "dts",
    b"DTS3": "dts",
    b"HEVC": "hevc",
    b"VC-1": "vc1",
    b"AV01": "av1",
    b"Opus": "opus",
    b"BSSD": "s302m",
}
_WITH_HEADER = frozenset({"mpeg1video", "mpeg2video", "h264", "hevc"})
"""Codecs of video whose header is read."""


class TransportPacket(NamedTuple):
    """One packet.

    Attributes:
        number: which stream or table it belongs to (PID).
        begins: whether a packet of the stream, or a section of the table, begins in it.
        clock: program clock reference in ticks of 90 kHz, None if it has none.
        payload: what it carries; nothing if that is scrambled.
    """

    number: int
    begins: bool
    clock: int | None
    payload: bytes


class Program(NamedTuple):
    """A program map: PID of the clock, codecs by PID, and languages by PID as they are written."""

    clock: int
    codecs: dict[int, str | None]
    languages: dict[int, str]


def read(context: ParseContext, start: int) -> None:
    """Reads a transport stream."""
    with context.stage("packets"):
        _read_file(context, start)


def _read_file(context: ParseContext, start: int) -> None:
    data = context.file.run(start, context.policy.max_bytes)
    packets = list(_packets(data))
    program = _find_program(packets)
    if program is None:
        _ask_for_more(context, start, len(data), 2 * context.policy.skip_bytes)
        raise BrokenError("no program map")
    streams = _streams(packets, program)
    with context.stage("length"):
        _read_length(context, streams, _clocks(packets, program), program)
    take_facts(context, streams.values())
    with context.stage("language"):
        _add_language(context, streams)
    if context.result.audio_codec and not context.result.is_video:
        context.result.encoding_format = "audio/mp2t"
    video = next((stream for stream in streams.values() if stream.is_video), None)
    if video and video.codec in _WITH_HEADER and not picture_of(video):
        _ask_for_more(context, start, len(data), context.policy.skip_bytes)


def _add_language(context: ParseContext, streams: dict[int, ElementaryStream]) -> None:
    """Adds the language of the first sound as that of the file."""
    sound = next((stream for stream in streams.values() if stream.is_audio), None)
    if sound and bcp47(sound.language):
        context.add_number("mpeg-ts", "ISO_639_language_descriptor", "language", sound.language)


def _ask_for_more(context: ParseContext, start: int, at_hand: int, limit: int) -> None:
    """Requests more of the front, `ProbePolicy.skip_bytes` at once, and again if even the tables are missing."""
    step = context.policy.skip_bytes
    if at_hand < limit:
        context.file.get(start, start + (step if at_hand < step else limit))


def _read_length(context: ParseContext, front: dict[int, ElementaryStream], begin: list[int], program: Program) -> None:
    """Finds the times at the end of the file: those of the streams, or else those of the clock."""
    size = context.file.size
    if size is None:
        context.note("size unknown")
        return
    for tail in context.policy.mpeg_tail_bytes:
        packets = list(_packets(context.file.get(max(0, size - tail), size)))
        end, clocks = _streams(packets, program), (begin, _clocks(packets, program))
        seconds = length(front, end, size)
        if seconds is None:
            seconds = seconds_between(*clocks, size)
        for number, stream in end.items():
            if not front[number].data:
                front[number].data.extend(stream.data)
        if seconds:
            steady = all(times == sorted(times) for times in clocks)
            context.result.set_duration(seconds, estimated=not steady)
            context.result.bitrate = round(size * 8 / seconds)
            return
    context.note("length:no times")


def _clocks(packets: list[TransportPacket], program: Program) -> list[int]:
    return [packet.clock for packet in packets if packet.number == program.clock and packet.clock is not None]


def _packets(data: bytes) -> Iterator[TransportPacket]:
    """Yields the packets in some bytes, which may begin inside one, as far as they are in a row."""
    layout = find_layout(data)
    if layout is None:
        return
    for at in range(layout.first, len(data) - _PACKET + 1, layout.step):
        packet = _packet(data[at : at + _PACKET])
        if packet:
            yield packet


class PacketLayout(NamedTuple):
    """Offset of the first sync byte in some bytes, and bytes from one to the next."""

    first: int
    step: int


def find_layout(data: bytes) -> PacketLayout | None:
    """Finds where the packets stand, and how far apart; None if there are none."""
    for first in range(min(_SIZES[-1], len(data))):
        if data[first] != _SYNC:
            continue
        for step in _SIZES:
            syncs = data[first : first + step * _IN_A_ROW : step]
            if len(syncs) == _IN_A_ROW and set(syncs) == {_SYNC}:
                return PacketLayout(first, step)
    return None


def _packet(data: bytes) -> TransportPacket | None:
    """Reads one packet (2.4.3.2) and its adaptation field (2.4.3.4)."""
    if data[0] != _SYNC or data[1] & 0x80:
        return None
    number, begins = (data[1] & 0x1F) << 8 | data[2], bool(data[1] & 0x40)
    body, clock = 4, None
    if data[3] & 0x20:
        body = 5 + data[4]
        if data[4] >= 7 and data[5] & 0x10:
            clock = int.from_bytes(data[6:11], "big") >> 7
    carries = data[3] & 0x10 and not data[3] & 0xC0
    return TransportPacket(number, begins, clock, data[body:] if carries else b"")


def _find_program(packets: list[TransportPacket]) -> Program | None:
    """Finds the first program whose map is here: table 0 tells where the maps are."""
    by_number: dict[int, list[TransportPacket]] = {}
    for packet in packets:
        by_number.setdefault(packet.number, []).append(packet)
    for number in dict.fromkeys(_maps(_section(by_number.get(0, [])))):
        section = _section(by_number.get(number, []))
        if section[:1] == b"\2":
            return _program(section)
    return None


def _section(packets: list[TransportPacket]) -> bytes:
    """Puts the first section of a table together from its packets; empty if it is not whole."""
    found = bytearray()
    for packet in packets:
        if not packet.payload:
            continue
        if packet.begins and not found:
            found += packet.payload[1 + packet.payload[0] :]
        elif found:
            found += packet.payload
        size = 3 + (int.from_bytes(found[1:3], "big") & 0xFFF)
        if len(found) >= max(size, 4):
            return bytes(found[: size - _CHECKSUM])
        if len(found) > _TABLE_BYTES:
            break
    return b""


def _maps(section: bytes) -> Iterator[int]:
    """Yields where the maps of the programs are; number 0 is the network's own table."""
    if section[:1] != b"\0":
        return
    for at in range(8, len(section) - 3, 4):
        program, number = (int.from_bytes(section[i : i + 2], "big") for i in (at, at + 2))
        if program:
            yield number & 0x1FFF


def _program(section: bytes) -> Program:
    clock, skipped = (int.from_bytes(section[i : i + 2], "big") for i in (8, 10))
    at, codecs = 12 + (skipped & 0xFFF), dict[int, str | None]()
    registered = any(tag == _REGISTRATION and body[:4] == _BLU_RAY for tag, body in _descriptors(section[12:at]))
    named = _CODECS | _BLU_RAY_CODECS if registered else _CODECS
    languages: dict[int, str] = {}
    while at + 5 <= len(section) and len(codecs) < _MAX_STREAMS:
        number, size = (int.from_bytes(section[i : i + 2], "big") for i in (at + 1, at + 3))
        stop = at + 5 + (size & 0xFFF)
        codecs[number & 0x1FFF] = named.get(section[at]) or _codec(section[at], section[at + 5 : stop])
        languages[number & 0x1FFF] = _language(section[at + 5 : stop])
        at = stop
    return Program(clock & 0x1FFF, codecs, languages)


def _codec(kind: int, descriptors: bytes) -> str | None:
    """Names the codec of a private stream by its descriptors."""
    for tag, body in _descriptors(descriptors) if kind >= _PRIVATE else ():
        codec = _REGISTERED.get(body[:4]) if tag == _REGISTRATION else _DESCRIPTORS.get(tag)
        if codec:
            return codec
    return None


def _language(descriptors: bytes) -> str:
    """Returns the language of a stream: three letters of ISO 639-2; empty if no descriptor states one."""
    for tag, body in _descriptors(descriptors):
        code = _subtitled(body) if tag == _TELETEXT else body[:3] if tag in {_LANGUAGE, _SUBTITLES} else b""
        if len(code) == 3 and code.isalpha():
            return code.decode("ascii")
    return ""


def _subtitled(pages: bytes) -> bytes:
    """Returns the language of the first page of teletext that is one of subtitles, else that of the first page."""
    for at in range(0, len(pages) - _TELETEXT_PAGE + 1, _TELETEXT_PAGE):
        if pages[at + 3] >> 3 in _TELETEXT_SUBTITLES:
            return pages[at : at + 3]
    return pages[:3]


def _descriptors(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yields tag and body of each descriptor in a list (2.6)."""
    at = 0
    while at + 2 <= len(data):
        stop = at + 2 + data[at + 1]
        yield data[at], data[at + 2 : stop]
        at = stop


def _streams(packets: list[TransportPacket], program: Program) -> dict[int, ElementaryStream]:
    """Collects the packets of each stream of a program."""
    streams = {
        number: ElementaryStream(codec, language=program.languages[number]) for number, codec in program.codecs.items()
    }
    started: set[int] = set()
    for packet in packets:
        stream = streams.get(packet.number)
        if stream is None:
            continue
        header = read_packet(packet.payload, 0) if packet.begins else None
        if header:
            started.add(packet.number)
            stream.begin(header.time)
            stream.keep(packet.payload[header.body :])
        elif packet.number in started and not packet.begins:
            stream.keep(packet.payload)
    return streams
