"""WavPack: the header of the first block, and what stands in its small sub-blocks (WavPack 4 & 5 File Format)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, Reading, unpack
from mediacrawl.probe.formats.tail import Tail
from mediacrawl.probe.sparse import SparseFile

_HEADER = 32
_RATES = (6000, 8000, 9600, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 192000)
_UNKNOWN = 0xFFFFFFFF
_MONO, _FINAL, _DSD = 1 << 2, 1 << 12, 1 << 31
_CHANNEL_INFO, _SAMPLE_RATE, _DSD_DATA = 0x0D, 0x27, 0x0E
_ID, _ODD, _LARGE = 0x3F, 0x40, 0x80
_MAX_SUB_BLOCKS = 32


@dataclass(frozen=True, slots=True)
class Block:
    """One block's header.

    Attributes:
        start: offset of the block.
        stop: offset of the next one.
        total: samples of the whole file, None if the encoder did not know; some write 0 then.
        samples: samples of this block.
        flags: as in the file.
    """

    start: int
    stop: int
    total: int | None
    samples: int
    flags: int


def read(reading: Reading, start: int) -> None:
    """Reads a WavPack file.

    Args:
        reading: takes what is found.
        start: offset of the first block.
    """
    tail = Tail(reading, start)
    reading.stage("header", _read_header, reading, start, tail)
    tail.read()


def _read_block(file: SparseFile, at: int) -> Block | None:
    head = file.get(at, at + _HEADER)
    if len(head) < _HEADER or not head.startswith(b"wvpk"):
        return None
    size, _, _, high, low, _, samples, flags = unpack("<IHBBIIII", head[4:28])
    # 40 bits, counted so that "not known" keeps its old form.
    total = None if low == _UNKNOWN else low + (high << 32) - high
    return Block(at, at + 8 + max(size, _HEADER - 8), total or None, samples, flags)


def _read_header(reading: Reading, start: int, tail: Tail) -> None:
    block = _first_block(reading, start)
    parts = dict(_sub_blocks(reading, block))
    result = reading.result
    result.codec = result.audio_codec = "wavpack"
    result.bits_per_sample = ((block.flags & 3) + 1) * 8 - (block.flags >> 13 & 31)
    result.channels = _channels(block, parts.get(_CHANNEL_INFO, b""))
    index = block.flags >> 23 & 15
    own = int.from_bytes(parts.get(_SAMPLE_RATE, b"")[:3], "little") & 0x7FFFFF
    rate = _RATES[index] if index < len(_RATES) else own
    if block.flags & _DSD:
        # Eight samples of one bit count as one; the rate is that of the bytes, times a power of two.
        rate <<= min((parts.get(_DSD_DATA, b"") or b"\0")[0], 8)
        result.bits_per_sample = 1
    if not rate:
        raise BrokenError("no sample rate")
    result.sample_rate = rate * 8 if block.flags & _DSD else rate
    _set_length(reading, block, rate, tail)
    tail.set_bitrate(start)


def _first_block(reading: Reading, at: int) -> Block:
    """Finds the first block with audio; blocks with none carry a file's own header."""
    while block := _read_block(reading.file, at):
        reading.count()
        if block.samples:
            return block
        at = block.stop
    raise BrokenError("no block with audio")


def _sub_blocks(reading: Reading, block: Block) -> Iterator[tuple[int, bytes]]:
    """Yields the first bytes of a block's sub-blocks. The small ones stand before the audio, in the bytes at hand."""
    at = block.start + _HEADER
    for _ in range(_MAX_SUB_BLOCKS):
        head = reading.file.at_hand(at, at + 4) or b""
        if len(head) < 4 or at >= block.stop:
            return
        large = head[0] & _LARGE
        size = 2 * (int.from_bytes(head[1:4] if large else head[1:2], "little"))
        at += 4 if large else 2
        yield head[0] & _ID, reading.file.run(at, min(size - bool(head[0] & _ODD), 8))
        at += size


def _channels(block: Block, info: bytes) -> int:
    """Counts the channels: they are stated where there are more than two, since a block holds no more."""
    if len(info) >= 6:
        return (info[0] | (info[2] & 15) << 8) + 1
    if info and info[0]:
        return info[0]
    return 1 if block.flags & _MONO else 2


def _set_length(reading: Reading, block: Block, rate: int, tail: Tail) -> None:
    if block.total is not None:
        reading.result.set_duration(block.total / rate)
    elif tail.stop is not None and block.flags & _FINAL:
        # A pipe's end: the encoder could not go back. The first block's density stands for all.
        seconds = (tail.stop - block.start) * block.samples / (block.stop - block.start) / rate
        reading.result.set_duration(seconds, estimated=True)
