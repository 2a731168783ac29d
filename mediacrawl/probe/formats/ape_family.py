"""Monkey's Audio, WavPack, True Audio, Musepack, TAK and OptimFROG: one header each, and APE or ID3 tags.

Sources: MAC SDK, ``APEHeader.h``; WavPack 4 & 5 File Format; TTA1 format description (tausoft.org); SV7 and SV8
specifications (musepack.net); "TAK metadata format" (Thomas Becker, SDK of TAK); the header of OptimFROG as its SDK and
its plug-ins describe it (Florin Ghido).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mediacrawl.probe.context import BrokenError, ByteSource, ParseContext, exact, unpack
from mediacrawl.probe.formats.outer_tags import TailTags

_MAC_NEW = 3980
"""Version (3.98) from which a descriptor precedes the header."""
_MAC_DESCRIPTOR, _MAC_HEADER, _MAC_OLD_HEADER = 52, 24, 32
_8_BIT, _24_BIT = 1, 8
_EXTRA_HIGH = 4000


class _MacHeader(NamedTuple):
    blocks: int
    rate: int
    channels: int
    bits: int


def _read_monkey_header(context: ParseContext, start: int, tail: TailTags) -> None:
    (version,) = unpack("<H", exact(context.file, start + 4, start + 6))
    facts = _mac_header(context, start) if version >= _MAC_NEW else _old_mac_header(context, start, version)
    if not facts.rate or not facts.channels:
        raise BrokenError("no sample rate")
    result = context.result
    result.set_audio("ape", facts.rate, facts.channels, facts.bits)
    result.set_duration(facts.blocks / facts.rate)
    tail.set_bitrate(start)


def _mac_header(context: ParseContext, start: int) -> _MacHeader:
    (size,) = unpack("<I", exact(context.file, start + 8, start + 12))
    # The descriptor may grow; it has never been shorter.
    at = start + max(size, _MAC_DESCRIPTOR)
    header = exact(context.file, at, at + _MAC_HEADER)
    _, _, per_frame, last, frames, bits, channels, rate = unpack("<HHIIIHHI", header)
    return _MacHeader(_blocks(frames, per_frame, last), rate, channels, bits)


def _old_mac_header(context: ParseContext, start: int, version: int) -> _MacHeader:
    header = exact(context.file, start, start + _MAC_OLD_HEADER)
    level, flags, channels, rate, _, _, frames, last = unpack("<HHHIIIII", header[6:])
    bits = 8 if flags & _8_BIT else 24 if flags & _24_BIT else 16
    return _MacHeader(_blocks(frames, _blocks_per_frame(version, level), last), rate, channels, bits)


def _blocks_per_frame(version: int, level: int) -> int:
    if version >= 3950:
        return 73728 * 4
    return 73728 if version >= 3900 or (version >= 3800 and level == _EXTRA_HIGH) else 9216


def _blocks(frames: int, per_frame: int, last: int) -> int:
    return (frames - 1) * per_frame + last if frames else 0


_BLOCK_HEADER = 32
_WAVPACK_RATES = (6000, 8000, 9600, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 192000)
_UNKNOWN = 0xFFFFFFFF
_MONO, _INITIAL, _FINAL, _DSD = 1 << 2, 1 << 11, 1 << 12, 1 << 31
_ALIKE = 15 << 23 | 1 << 3
"""Flags that all blocks of a file share: the index of the sample rate, and whether the file is a hybrid."""
_CHANNEL_INFO, _SAMPLE_RATE, _DSD_DATA = 0x0D, 0x27, 0x0E
_ID, _ODD, _LARGE = 0x3F, 0x40, 0x80
_MAX_SUB_BLOCKS = 32
_MAX_CANDIDATES = 16
"""Places that are tried for the last block: its four letters may be in compressed data by chance."""
_MAX_BLOCKS = 1000
"""Blocks at the front that are measured."""


@dataclass(frozen=True, slots=True)
class _WavPackBlock:
    """One block's header.

    Attributes:
        start: offset of the block.
        stop: offset of the next one.
        total: samples of the whole file, None if the encoder did not know; some write 0 then.
        index: samples before this block.
        samples: samples of this block.
        flags: as in the file.
    """

    start: int
    stop: int
    total: int | None
    index: int
    samples: int
    flags: int


def _parse_block(head: bytes, at: int) -> _WavPackBlock | None:
    if len(head) < _BLOCK_HEADER or not head.startswith(b"wvpk"):
        return None
    size, _, upper, high, low, index, samples, flags = unpack("<IHBBIIII", head[4:28])
    # 40 bits, counted so that "not known" keeps its old form.
    total = None if low == _UNKNOWN else low + (high << 32) - high
    stop = at + 8 + max(size, _BLOCK_HEADER - 8)
    return _WavPackBlock(at, stop, total or None, index | upper << 32, samples, flags)


def _read_wavpack_header(context: ParseContext, start: int, tail: TailTags) -> None:
    block = _first_block(context, start)
    parts = dict(_sub_blocks(context, block))
    result = context.result
    result.codec = result.audio_codec = "wavpack"
    result.bits_per_sample = ((block.flags & 3) + 1) * 8 - (block.flags >> 13 & 31)
    result.channels = _wavpack_channels(block, parts.get(_CHANNEL_INFO, b""))
    index = block.flags >> 23 & 15
    own = int.from_bytes(parts.get(_SAMPLE_RATE, b"")[:3], "little") & 0x7FFFFF
    rate = _WAVPACK_RATES[index] if index < len(_WAVPACK_RATES) else own
    if block.flags & _DSD:
        # Eight samples of one bit count as one; the rate is that of the bytes, times a power of two.
        rate <<= min((parts.get(_DSD_DATA, b"") or b"\0")[0], 8)
        result.bits_per_sample = 1
    if not rate:
        raise BrokenError("no sample rate")
    result.sample_rate = rate * 8 if block.flags & _DSD else rate
    if block.total is not None:
        context.result.set_duration(block.total / rate)
    # A pipe's end: the encoder could not go back.
    elif tail.stop is not None and not _measure_blocks(context, block, rate, tail.stop):
        with context.stage("length"):
            _read_last_block(context, block, rate, tail.stop)
    tail.set_bitrate(start)


def _first_block(context: ParseContext, at: int) -> _WavPackBlock:
    """Finds the first block with audio; blocks with none carry a file's own header."""
    while block := _parse_block(context.file.get(at, at + _BLOCK_HEADER), at):
        context.count()
        if block.samples:
            return block
        at = block.stop
    raise BrokenError("no block with audio")


def _sub_blocks(context: ParseContext, block: _WavPackBlock) -> Iterator[tuple[int, bytes]]:
    """Yields the first bytes of a block's sub-blocks. The small ones precedes the audio, in the bytes at hand."""
    at = block.start + _BLOCK_HEADER
    for _ in range(_MAX_SUB_BLOCKS):
        head = context.file.at_hand(at, at + 4) or b""
        if len(head) < 4 or at >= block.stop:
            return
        large = head[0] & _LARGE
        size = 2 * (int.from_bytes(head[1:4] if large else head[1:2], "little"))
        at += 4 if large else 2
        yield head[0] & _ID, context.file.run(at, min(size - bool(head[0] & _ODD), 8))
        at += size


def _wavpack_channels(block: _WavPackBlock, info: bytes) -> int:
    """Counts the channels: they are stated where there are more than two, since a block holds no more."""
    if len(info) >= 6:
        return (info[0] | (info[2] & 15) << 8) + 1
    if info and info[0]:
        return info[0]
    return 1 if block.flags & _MONO else 2


def _measure_blocks(context: ParseContext, first: _WavPackBlock, rate: int, stop: int) -> bool:
    """Sets the length by the density of the blocks at the front, as far as their headers are at hand.

    A block holds two channels at most, so several may hold the same samples, from one with the flag for the initial one
    to one with that for the final one.

    Returns:
        Whether these are all blocks of the file, so that the length is exact.
    """
    samples = part = 0
    block: _WavPackBlock | None = first
    end = first.start
    for _ in range(_MAX_BLOCKS):
        if block is None or block.stop > stop:
            break
        part = block.samples if block.flags & _INITIAL else part
        if block.flags & _FINAL:
            samples, part, end = samples + part, 0, block.stop
        block = _parse_block(context.file.run(block.stop, _BLOCK_HEADER), block.stop)
    if samples:
        context.result.set_duration((stop - first.start) * samples / (end - first.start) / rate, estimated=end != stop)
    return bool(samples) and end == stop


def _read_last_block(context: ParseContext, first: _WavPackBlock, rate: int, stop: int) -> None:
    """Sets the length by the last block, which says how many samples precede it."""
    for size in (0, *context.policy.wavpack_tail_bytes):
        start = at_hand = stop - len(context.file.before(stop, stop - first.start))
        # Where tags follow, the bytes that were requested for this reach a little less far.
        if at_hand > max(first.start, stop - size) + context.policy.tail_bytes:
            start = max(first.start, stop - size)
        context.file.get(start, at_hand)
        last = _last_block(context.file.get(start, stop), start, first)
        if last is not None:
            context.result.set_duration((last.index + last.samples - first.index) / rate)
            return


def _last_block(data: bytes, start: int, first: _WavPackBlock) -> _WavPackBlock | None:
    """Finds the last block with audio."""
    at, stop = data.rfind(b"wvpk"), start + len(data)
    for _ in range(_MAX_CANDIDATES):
        if at < 0:
            break
        block = _parse_block(data[at : at + _BLOCK_HEADER], start + at)
        # Behind it may stand blocks without audio: a checksum, what followed the audio in the original.
        ends = block is not None and (block.stop == stop or data.startswith(b"wvpk", block.stop - start))
        if block and ends and block.samples and _belongs(block, first):
            return block
        at = data.rfind(b"wvpk", 0, at)
    return None


def _belongs(block: _WavPackBlock, first: _WavPackBlock) -> bool:
    """Whether a block is of the same stream, and says where in it it stands: some writers leave 0."""
    placed = block.index > first.index or block.start == first.start or not block.flags & _INITIAL
    return placed and not (block.flags ^ first.flags) & _ALIKE


_TTA_HEADER = 22


def _read_tta_header(context: ParseContext, start: int, tail: TailTags) -> None:
    _, channels, bits, rate, samples = unpack("<HHHII", exact(context.file, start, start + _TTA_HEADER)[4:18])
    if not rate or not channels:
        raise BrokenError("no sample rate")
    result = context.result
    result.set_audio("tta", rate, channels, bits)
    result.set_duration(samples / rate)
    tail.set_bitrate(start)


_MUSEPACK_RATES = (44100, 48000, 37800, 32000)
_SV7_HEADER = 24
_SV7_SAMPLES = 1152
_SV7_DELAY = 481
"""Samples that the decoder of version 7 gives before the first one."""


def _read_musepack_header(context: ParseContext, start: int, tail: TailTags) -> None:
    result = context.result
    if exact(context.file, start, start + 4) == b"MPCK":
        result.codec = "musepack8"
        _read_sv8(context, start + 4)
    else:
        result.codec = "musepack7"
        header = exact(context.file, start, start + _SV7_HEADER)
        if header[3] & 15 != 7:
            raise BrokenError("not version 7")
        frames, flags = unpack("<II", header[4:12])
        (end,) = unpack("<I", header[20:24])
        # The last frame's length is stated where the encoder knew it; else half of it, as in the reference decoder.
        last = end >> 20 & 0x7FF if end >> 31 else _SV7_SAMPLES // 2 + _SV7_DELAY
        rate = _MUSEPACK_RATES[flags >> 16 & 3]
        context.result.sample_rate, context.result.channels = rate, 2
        context.result.set_duration(((frames - 1) * _SV7_SAMPLES + last) / rate if frames else 0)
    result.audio_codec = result.codec
    tail.set_bitrate(start)


def _read_sv8(context: ParseContext, at: int) -> None:
    """Finds the stream header among the packets: two letters, the packet's size, its data."""
    while True:
        context.count()
        key = exact(context.file, at, at + 2)
        size, body = _sv8_number(context.file, at + 2)
        if key == b"SH":
            _read_stream_header(context, body)
            return
        if key in {b"AP", b"SE"} or at + size < body:
            raise BrokenError("no stream header before the audio")
        at += size


def _read_stream_header(context: ParseContext, body: int) -> None:
    # CRC and version come first; the samples at the front that are not played are among all.
    samples, at = _sv8_number(context.file, body + 5)
    silent, at = _sv8_number(context.file, at)
    bits = exact(context.file, at, at + 2)
    index = bits[0] >> 5
    if index >= len(_MUSEPACK_RATES):
        raise BrokenError("an unknown sample rate")
    context.result.sample_rate, context.result.channels = _MUSEPACK_RATES[index], (bits[1] >> 4) + 1
    context.result.set_duration((samples - silent) / _MUSEPACK_RATES[index])


def _sv8_number(source: ByteSource, at: int) -> tuple[int, int]:
    """Reads a number of seven bits a byte, of nine bytes at most; gives the offset behind it too."""
    value = 0
    for place in range(at, at + 9):
        (byte,) = exact(source, place, place + 1)
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    raise BrokenError("a number does not end")


def tagged_reader(
    read_header: Callable[[ParseContext, int, TailTags], None], *, ape_first: bool = True
) -> Callable[[ParseContext, int], None]:
    """Makes a reader of one header and the tags at the end; an ID3v2 tag may precede the header."""

    def read(context: ParseContext, start: int) -> None:
        tail = TailTags(context, start, ape_first=ape_first)
        with context.stage("header"):
            read_header(context, start, tail)
        tail.read()

    return read


read_monkey = tagged_reader(_read_monkey_header)
read_wavpack = tagged_reader(_read_wavpack_header)
read_tta = tagged_reader(_read_tta_header, ape_first=False)
read_musepack = tagged_reader(_read_musepack_header)


_END, _STREAM_INFO = 0, 1
_INFO_BYTES = 10
_LOWEST_RATE, _LOWEST_BITS = 6000, 8
_MAX_TAK_BLOCKS = 32


def _read_tak_header(context: ParseContext, start: int, tail: TailTags) -> None:
    """Walks the blocks of metadata: a type, a size of three bytes, a body that ends with its checksum."""
    at = start + 4
    for _ in range(_MAX_TAK_BLOCKS):
        context.count()
        head = exact(context.file, at, at + 4)
        kind, size = head[0] & 0x7F, int.from_bytes(head[1:], "little")
        if kind == _STREAM_INFO and size >= _INFO_BYTES:
            # Reads fields from the lowest bit of each byte on: codec (6 bits), profile (4), duration of
            # a frame (4) .
            body = exact(context.file, at + 4, at + 4 + _INFO_BYTES)
            bits = int.from_bytes(body, "little") >> 6 + 4 + 4
            samples, bits = bits & (1 << 35) - 1, bits >> 35 + 3
            rate, bits = (bits & (1 << 18) - 1) + _LOWEST_RATE, bits >> 18
            depth, channels = (bits & 31) + _LOWEST_BITS, (bits >> 5 & 15) + 1
            context.result.set_audio("tak", rate, channels, depth)
            context.result.set_duration(samples / rate)
            tail.set_bitrate(start)
            return
        if kind == _END:
            break
        at += 4 + size
    raise BrokenError("no stream information")


_HEADER = 20
_DEPTHS = (8, 8, 16, 16, 24, 24, 32, 32)
"""Bits by type of sample; the odd ones are signed, those from 8 on are numbers with a point."""


def _read_optimfrog_header(context: ParseContext, start: int, tail: TailTags) -> None:
    head = exact(context.file, start, start + _HEADER)
    size, low, high, kind, more, rate = unpack("<IIHBBI", head[4:])
    if size < _HEADER - 8 or not rate:
        raise BrokenError("no sample rate")
    # Each sample of each channel counts.
    samples, channels = (low | high << 32) / (more + 1), more + 1
    context.result.set_audio("optimfrog", rate, channels, _DEPTHS[kind] if kind < len(_DEPTHS) else None)
    context.result.set_duration(samples / rate)
    tail.set_bitrate(start)


read_tak = tagged_reader(_read_tak_header)
read_optimfrog = tagged_reader(_read_optimfrog_header)
