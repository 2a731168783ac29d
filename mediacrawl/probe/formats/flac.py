"""FLAC metadata blocks (RFC 9639, section 8), and the Vorbis comments that FLAC and Ogg share.

Vorbis comments: Vorbis I specification, section 5. Pictures are stepped over without fetching them.
"""

from __future__ import annotations

import binascii

from mediacrawl.probe.context import BrokenError, ByteSource, ParseContext, exact, peek, unpack
from mediacrawl.probe.formats.keys import vorbis_key
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.text import LATIN1, UTF8, Value

_PICTURES = frozenset({"METADATA_BLOCK_PICTURE", "COVERART"})
_MAX_NAME = 64
_BASE64_HEADER = 512


def read_comments(context: ParseContext, source: ByteSource, start: int, stop: int) -> None:
    """Reads the comments of one block or packet; pictures among them are stepped over.

    Args:
        context: takes the values; source is ``vorbis``, frame the name of the comment in capitals, or empty.
        source: bytes at offsets.
        start: offset of the vendor's length.
        stop: offset behind the block, or any larger one if the source itself ends there.
    """
    at = start + 4 + _length(source, start)
    count, at = _length(source, at), at + 4
    for _ in range(count):
        context.count()
        length = _length(source, at)
        at, begin = at + 4 + length, at + 4
        if at > stop:
            raise BrokenError("a comment is longer than its block")
        _read_comment(context, source, begin, length)


def _length(source: ByteSource, at: int) -> int:
    return int.from_bytes(exact(source, at, at + 4), "little")


def _read_comment(context: ParseContext, source: ByteSource, start: int, length: int) -> None:
    name, equals, _ = exact(source, start, start + min(length, _MAX_NAME)).partition(b"=")
    frame, begin = _name(name), start + len(name) + 1
    if not equals:
        context.note("vorbis:no name")
        frame, begin = "", start
    if frame in _PICTURES:
        _take_picture(context, source, frame, begin, start + length)
    elif context.fits(length):
        raw = exact(source, begin, start + length)
        context.add("vorbis", frame, vorbis_key(frame), Value(raw, UTF8))


def _name(raw: bytes) -> str:
    """Reads the name of a comment: ASCII in any case. Where others wrote other letters, two names stay two."""
    name = raw.upper()
    try:
        return name.decode(UTF8)
    except UnicodeDecodeError:
        return name.decode(LATIN1)


def _take_picture(context: ParseContext, source: ByteSource, frame: str, start: int, stop: int) -> None:
    mime, size = None, None
    if frame == "METADATA_BLOCK_PICTURE":
        text = exact(source, start, min(start + _BASE64_HEADER, stop))
        mime, size = read_picture(_base64(text))
    context.result.set_cover(mime, size)


def _base64(text: bytes) -> bytes:
    try:
        return binascii.a2b_base64(text[: len(text) // 4 * 4])
    except binascii.Error:
        return b""


def read_picture(header: bytes) -> tuple[str | None, int | None]:
    """Reads MIME type and size from the first bytes of a picture block (RFC 9639, 8.8).

    Returns:
        Each is None if the bytes do not reach that far.
    """
    mime_stop = 8 + int.from_bytes(header[4:8], "big")
    if len(header) < mime_stop + 4:
        return None, None
    mime = header[8:mime_stop].decode("ascii", errors="replace")
    # Behind the description: width, height, depth, colours, then the length of the data.
    length_at = mime_stop + 4 + int.from_bytes(header[mime_stop : mime_stop + 4], "big") + 16
    length = header[length_at : length_at + 4]
    return mime, int.from_bytes(length, "big") if len(length) == 4 else None


_STREAMINFO, _COMMENT, _PICTURE = 0, 4, 6
_STREAMINFO_SIZE = 34
_PICTURE_HEADER = 512


def read(context: ParseContext, start: int) -> None:
    """Reads a FLAC file.

    Args:
        context: takes what is found.
        start: offset of ``fLaC``; an ID3v2 tag may precedes it.
    """
    context.result.has_cover = False
    context.stage("blocks", _read_blocks, context, start + 4)


def read_streaminfo(result: ProbeResult, block: bytes) -> None:
    """Takes the stream facts from the 34 bytes of a STREAMINFO block (8.2)."""
    bits, high, low = unpack(">10x3Q", block)
    rate = bits >> 44
    if not rate:
        raise BrokenError("no sample rate")
    result.set_audio("flac", rate, (bits >> 41 & 7) + 1, (bits >> 36 & 31) + 1)
    result.set_duration((bits & (1 << 36) - 1) / rate)
    if high or low:
        result.audio_md5 = f"{high:016x}{low:016x}"


def _read_blocks(context: ParseContext, at: int) -> None:
    last = False
    while not last:
        context.count()
        header = exact(context.file, at, at + 4)
        last, kind = bool(header[0] & 0x80), header[0] & 0x7F
        start, at = at + 4, at + 4 + int.from_bytes(header[1:4], "big")
        _read_block(context, kind, start, at)
    if context.file.size is not None:
        context.result.set_average_bitrate(context.file.size - at)


def _read_block(context: ParseContext, kind: int, start: int, stop: int) -> None:
    if kind == _STREAMINFO:
        stop = min(stop, start + _STREAMINFO_SIZE)
        context.stage("streaminfo", _read_streaminfo, context, start, stop)
    elif kind == _COMMENT:
        # A comment that is cut short must not hide the blocks behind it.
        context.stage("comment", read_comments, context, context.file, start, stop)
    elif kind == _PICTURE:
        header = peek(context.file, start, min(start + _PICTURE_HEADER, stop))
        context.result.set_cover(*read_picture(header or b""))


def _read_streaminfo(context: ParseContext, start: int, stop: int) -> None:
    read_streaminfo(context.result, exact(context.file, start, stop))
