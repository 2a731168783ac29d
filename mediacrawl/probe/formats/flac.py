"""FLAC metadata blocks (RFC 9639, section 8), and the Vorbis comments that FLAC and Ogg share.

Vorbis comments: Vorbis I specification, section 5; "Chapter Extension" (wiki.xiph.org), whose first draft had the end
behind an arrow, which some files still have. Pictures are stepped over without fetching them. Some writers state
wrong lengths of blocks. Comments and pictures have lengths of their own, which count then, as in mutagen; behind a
block of another kind the next comments or picture are searched for. A cue sheet (8.7) says where the tracks of a disc
begin in one file. It has no titles; a comment ``CUESHEET``, which some programs write, is a text as others are.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from mediacrawl.base.charsets import is_plain
from mediacrawl.base.parts import Chapter, text_place
from mediacrawl.base.terms import Tag
from mediacrawl.probe.context import BrokenError, ByteSource, ParseContext, address_in, exact, peek, unpack
from mediacrawl.probe.formats.keys import vorbis_key
from mediacrawl.probe.formats.shared_codes import LINK, picture_type
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.text import LATIN1, UTF8, Value

_field = re.compile(r"CHAPTER(\d{2,4})(NAME|URL|)", re.ASCII).fullmatch
_times = re.compile(r"\s*([\d:.,]+)\s*(?:-->\s*([\d:.,]+)\s*)?", re.ASCII).fullmatch
_time = re.compile(r"(\d{1,5}):(\d{1,2}):(\d{1,2}(?:[.,]\d{1,9})?)", re.ASCII).fullmatch


@dataclass(slots=True)
class _Fields:
    """The comments of one chapter; of several of one kind the first counts."""

    time: Tag | None = None
    name: Tag | None = None
    url: Tag | None = None

    def put(self, kind: str, tag: Tag) -> None:
        """Takes a comment by the end of its name."""
        if kind == "NAME":
            self.name = self.name or tag
        elif kind == "URL":
            self.url = self.url or tag
        else:
            self.time = self.time or tag

    def chapter(self) -> Chapter | None:
        """The chapter without its title; None if no time is stated."""
        times = _times(self.time.text) if self.time else None
        start = _seconds(times[1]) if times else None
        if times is None or start is None:
            return None
        return Chapter(start, _seconds(times[2] or ""), url=address_in(self.url.text) if self.url else None)


def take_chapters(context: ParseContext) -> None:
    """Makes chapters of the comments that state them, which are no texts of their own then.

    A title beyond ASCII stays as a tag, whose key is its place among the chapters.
    """
    result = context.result
    found: dict[str, _Fields] = {}
    for tag in result.tags:
        field = _field(tag.frame) if tag.source == "vorbis" else None
        if field:
            found.setdefault(field[1], _Fields()).put(field[2], tag)
    made = [(chapter, fields) for fields in found.values() if (chapter := fields.chapter())]
    if not made or any(chapter.title for chapter in result.chapters):
        return
    # Those of a cue sheet have no titles.
    result.chapters.clear()
    context.add_chapters("vorbis", "", [(chapter, None) for chapter, _ in made])
    places = {id(chapter): place for place, chapter in enumerate(result.chapters)}
    gone: set[int] = set()
    for chapter, fields in made:
        if id(chapter) in places:
            gone |= _settle(chapter, fields, places[id(chapter)])
    result.tags = [tag for tag in result.tags if id(tag) not in gone]


def _settle(chapter: Chapter, fields: _Fields, place: int) -> set[int]:
    """Gives a chapter its title; returns the identities of the comments that are not needed any more."""
    gone = {id(fields.time)}
    if chapter.url:
        gone.add(id(fields.url))
    if fields.name:
        chapter.title, fields.name.key = fields.name.text, text_place("chapters", place)
        if is_plain(fields.name.text, fields.name.raw):
            gone.add(id(fields.name))
    return gone


def _seconds(text: str) -> float | None:
    time = _time(text)
    return int(time[1]) * 3600 + int(time[2]) * 60 + float(time[3].replace(",", ".")) if time else None


_HEADER = 396
_TRACK, _INDEX = 36, 12
_LEAD_OUT = frozenset({170, 255})
"""Numbers of the track that is the end: of a CD, and of something else."""
_MOST_INDEXES = 100
_FIRST_INDEX = 1
"""The index at which a track begins; that of number 0 is the pause before it."""


def read_cue_sheet(context: ParseContext, start: int, stop: int) -> None:
    """Makes chapters of the tracks, unless the file has other chapters."""
    rate = context.result.sample_rate
    if not rate or context.result.chapters or not context.fits(stop - start):
        return
    data = exact(context.file, start, stop)
    chapters, end, at = [], None, _HEADER
    for _ in range(data[_HEADER - 1] if len(data) >= _HEADER else 0):
        context.count()
        track = data[at : at + _TRACK]
        if len(track) < _TRACK:
            context.note("cue sheet:broken")
            break
        offset, number, indexes = int.from_bytes(track[:8], "big"), track[8], track[35]
        if number in _LEAD_OUT:
            end = offset / rate
            break
        chapters.append(Chapter((offset + _beginning(data, at + _TRACK, indexes)) / rate))
        at += _TRACK + indexes * _INDEX
    if chapters and end is not None:
        chapters[-1].end = end
    context.add_chapters("flac", "CUESHEET", [(chapter, None) for chapter in chapters])


def _beginning(data: bytes, at: int, indexes: int) -> int:
    """Samples from the offset of a track to its first index."""
    for place in range(at, at + min(indexes, _MOST_INDEXES) * _INDEX, _INDEX):
        index = data[place : place + _INDEX]
        if len(index) == _INDEX and index[8] == _FIRST_INDEX:
            return int.from_bytes(index[:8], "big")
    return 0


_PICTURES = frozenset({"METADATA_BLOCK_PICTURE", "COVERART"})
_MAX_NAME = 64
_BASE64_HEADER = 512


def read_comments(
    context: ParseContext,
    source: ByteSource,
    start: int,
    stop: int,
    goes_on: Callable[[int, int], bool] | None = None,
) -> int:
    """Reads the comments of one block or packet; pictures among them are stepped over.

    A comment that passes `stop` is one nevertheless if `goes_on` says so of its start and stop.

    Returns:
        The offset behind the last comment.
    """
    at = start + 4 + _length(source, start)
    count, at = _length(source, at), at + 4
    for _ in range(count):
        context.count()
        begin = at + 4
        at = begin + _length(source, at)
        if at > stop:
            if goes_on is None or not goes_on(begin, at):
                raise BrokenError("a comment is longer than its block")
            stop, goes_on = start + _LONGEST_BLOCK, None
        _read_comment(context, source, begin, at - begin)
    return at


def _length(source: ByteSource, at: int) -> int:
    return int.from_bytes(exact(source, at, at + 4), "little")


def _read_comment(context: ParseContext, source: ByteSource, start: int, length: int) -> None:
    name, equals, _ = exact(source, start, start + min(length, _MAX_NAME)).partition(b"=")
    frame, begin = _name(name), start + len(name) + 1
    if not equals:
        context.note("vorbis:no name")
        frame, begin = "", start
    if frame in _PICTURES:
        stop = start + length
        text = exact(source, begin, min(begin + _BASE64_HEADER, stop))
        if frame == "METADATA_BLOCK_PICTURE":
            _add_picture(context, read_picture(_base64(text)), None)
        else:
            # The picture itself, of which nobody says anything.
            padding = (peek(source, stop - 2, stop) or b"").count(b"=") if stop - begin >= 4 else 0
            context.result.set_cover(picture_type(_base64(text)), (stop - begin) // 4 * 3 - padding)
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


def _base64(text: bytes) -> bytes:
    try:
        return binascii.a2b_base64(text[: len(text) // 4 * 4])
    except binascii.Error:
        return b""


def _add_picture(context: ParseContext, picture: PictureBlock, start: int | None) -> None:
    """Adds a picture, unless only its URL is in the file."""
    if picture.mime != LINK:
        position = None if start is None or picture.offset is None else start + picture.offset
        context.result.set_cover(picture.mime, picture.size, position=position, number=picture.number)


class PictureBlock(NamedTuple):
    """What the first bytes of a picture block say; None is what they do not reach.

    Attributes:
        offset: of the picture in the block.
    """

    mime: str | None = None
    size: int | None = None
    number: int | None = None
    offset: int | None = None


def read_picture(header: bytes) -> PictureBlock:
    """Reads what the first bytes of a picture block say of the picture (RFC 9639, 8.8)."""
    mime_stop = 8 + int.from_bytes(header[4:8], "big")
    if len(header) < mime_stop + 4:
        return PictureBlock()
    mime, number = header[8:mime_stop].decode("ascii", errors="replace"), int.from_bytes(header[:4], "big")
    # Behind the description: width, height, depth, colours, then the length of the data.
    length_at = mime_stop + 4 + int.from_bytes(header[mime_stop : mime_stop + 4], "big") + 16
    length = header[length_at : length_at + 4]
    if len(length) < 4:
        return PictureBlock(mime, None, number)
    return PictureBlock(mime, int.from_bytes(length, "big"), number, length_at + 4)


_LONGEST_BLOCK = 1 << 24
_STREAMINFO, _PADDING, _APPLICATION, _SEEK_TABLE, _COMMENT, _CUE_SHEET, _PICTURE = range(7)
_FORBIDDEN = 127
_STREAMINFO_SIZE, _SEEK_POINT = 34, 18
_PICTURE_HEADER = 512
_PICTURE_TYPES = 21
_FRAME_SYNC = (b"\xff\xf8", b"\xff\xf9")
_MAX_CANDIDATES = 2000
"""Offsets where comments or a picture are tried behind a block of wrong length."""
_BLOCK_BEGIN = re.compile(
    # A block of comments with the length of the vendor's name, or of a picture with its type and the length of its MIME
    # type. The bytes of the block's own length may be any.
    rb"(?=[\x04\x84].{5}\0\0|[\x06\x86].{3}\0{3}[\0-\x14]\0{3}[\0-\x7f])",
    re.DOTALL,
)
_NAME = re.compile(rb"[ -<>-}]{1,64}=")
_NO_TEXT = re.compile(rb"[\0-\x1f]")


def read(context: ParseContext, start: int) -> None:
    """Reads a FLAC file."""
    with context.stage("blocks"):
        _BlockWalk(context).run(start + 4)
    with context.stage("chapters"):
        take_chapters(context)


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


@dataclass(frozen=True, slots=True)
class _Block:
    """One block's header.

    Attributes:
        last: whether the audio follows.
        start: offset of its body.
        stop: offset behind it, as the header states.
    """

    kind: int
    last: bool
    start: int
    stop: int

    @property
    def size(self) -> int:
        """Bytes of the body, as the header states."""
        return self.stop - self.start


def _parse(header: bytes, at: int) -> _Block:
    size = int.from_bytes(header[1:4], "big")
    return _Block(header[0] & 0x7F, bool(header[0] & 0x80), at + 4, at + 4 + size)


class _BlockWalk:
    """Steps from block to block up to the audio."""

    def __init__(self, context: ParseContext) -> None:
        self._context = context
        self._file = context.file
        self._end: int | None = None
        """Offset behind the block that was read, by its content; None if the content does not say."""

    def run(self, at: int) -> None:
        """Reads all blocks from an offset on."""
        block: _Block | None = _parse(exact(self._file, at, at + 4), at)
        while block:
            self._context.count()
            waiting = len(self._context.needs)
            self._read(block)
            if block.last:
                self._set_bitrate(block)
                return
            block = self._next(block, waits=len(self._context.needs) > waiting)

    def _read(self, block: _Block) -> None:
        context, self._end = self._context, None
        if block.kind == _STREAMINFO:
            self._end = block.start + _STREAMINFO_SIZE
            # The first valid one counts.
            if context.result.sample_rate is None:
                with context.stage("streaminfo"):
                    stop = min(block.stop, block.start + _STREAMINFO_SIZE)
                    read_streaminfo(self._context.result, exact(self._file, block.start, stop))
        elif block.kind == _COMMENT:
            # A comment that is cut short must not hide the blocks behind it.
            with context.stage("comment"):
                self._read_comments(block)
        elif block.kind == _PICTURE:
            header = self._file.run(block.start, _PICTURE_HEADER)
            _add_picture(context, read_picture(header), block.start)
            self._end = _end_of_picture(header, block.start)
        elif block.kind == _CUE_SHEET:
            with context.stage("cue sheet"):
                read_cue_sheet(context, block.start, block.stop)

    def _read_comments(self, block: _Block) -> None:
        def goes_on(start: int, stop: int) -> bool:
            # What passes the end of the block is a comment only if it looks like one, and nothing begins at that end.
            name = self._file.get(start, min(stop, start + _MAX_NAME + 1))
            return stop - block.start <= _LONGEST_BLOCK and bool(_NAME.match(name)) and not self._goes_on(block)

        self._end = read_comments(self._context, self._file, block.start, block.stop, goes_on)

    def _goes_on(self, block: _Block) -> bool:
        """Whether another block, or the audio, begins where a block says that it ends."""
        if block.last:
            return self._file.get(block.stop, block.stop + 2) in _FRAME_SYNC
        return self._block_at(block.stop) is not None

    def _next(self, block: _Block, *, waits: bool) -> _Block | None:
        """Finds the block behind another one: by its content, by its stated length, or by searching."""
        for at in dict.fromkeys((block.stop if self._end is None else self._end, block.stop)):
            found = self._block_at(at)
            if found:
                return found
        if waits:
            return None
        if block.kind == _PICTURE and self._end is None:
            header = self._file.get(block.start, block.start + _PICTURE_HEADER)
            end = _end_of_picture(header, block.start)
            found = None if end is None else self._block_at(end)
            if found:
                return found
        if self._end == block.stop and self._file.size is not None and self._end >= self._file.size:
            raise BrokenError("the data end inside a structure")
        return self._search(block.start)

    def _block_at(self, at: int) -> _Block | None:
        """Reads the block header at an offset; None if the bytes there cannot be one."""
        header = self._file.get(at, at + 4)
        if len(header) < 4:
            return None
        block = _parse(header, at)
        if block.kind in {_COMMENT, _PICTURE} and _is_content(self._file.run(at, _PICTURE_HEADER), 0):
            return block
        if not self._fits(block):
            return None
        if block.kind <= _PICTURE:
            return block
        # Types that are not defined yet; garbage is of one of them most often.
        behind = self._file.get(block.stop, block.stop + 4)
        after = _parse(behind, block.stop) if len(behind) == 4 else None
        defined = after is not None and after.kind <= _PICTURE and self._fits(after)
        return block if defined or (block.last and behind[:2] in _FRAME_SYNC) else None

    def _fits(self, block: _Block) -> bool:
        """Whether a block's length is possible for its type, and not beyond the end of the file."""
        if block.kind == _FORBIDDEN or (self._file.size is not None and block.stop > self._file.size):
            return False
        if block.kind == _STREAMINFO:
            return block.size == _STREAMINFO_SIZE
        return block.kind != _SEEK_TABLE or block.size % _SEEK_POINT == 0

    def _search(self, start: int) -> _Block:
        """Finds the next comments or picture by their content, behind a block whose length is wrong."""
        limit = self._context.policy.sync_bytes
        data = self._file.run(start, limit)
        for match in islice(_BLOCK_BEGIN.finditer(data), _MAX_CANDIDATES):
            at = match.start()
            if _is_content(data, at):
                return _parse(data[at : at + 4], start + at)
        if len(data) < limit:
            self._file.get(start + len(data), start + len(data) + 1)
        raise BrokenError("no block where one must be")

    def _set_bitrate(self, block: _Block) -> None:
        """Sets the average bit rate of the audio, which begins behind the last block."""
        ends = (block.stop if self._end is None else self._end, block.stop)
        start = next((at for at in ends if self._file.run(at, 2) in _FRAME_SYNC), block.stop)
        if self._file.size is not None:
            self._context.result.set_average_bitrate(self._file.size - start)


def _end_of_picture(header: bytes, start: int) -> int | None:
    """Returns where a picture block ends by its own fields; None if the bytes do not reach that far."""
    at = 8 + int.from_bytes(header[4:8], "big")
    at += 4 + int.from_bytes(header[at : at + 4], "big") + 16
    length = header[at : at + 4]
    return start + at + 4 + int.from_bytes(length, "big") if len(length) == 4 else None


def _is_content(data: bytes, at: int) -> bool:
    """Whether the bytes behind a block header are comments, or a picture, as far as they are at hand."""
    if data[at] & 0x7F == _COMMENT:
        return _is_comments(data, at + 4)
    mime = 12 + at + int.from_bytes(data[at + 8 : at + 12], "big")
    kind = int.from_bytes(data[at + 4 : at + 8], "big")
    return kind < _PICTURE_TYPES and mime + 4 <= len(data) and not _NO_TEXT.search(data, at + 12, mime)


def _is_comments(data: bytes, at: int) -> bool:
    vendor = at + 4 + int.from_bytes(data[at : at + 4], "little")
    count = int.from_bytes(data[vendor : vendor + 4], "little")
    if vendor + 8 > len(data) or not 0 < count < 1 << 16:
        return False
    return not _NO_TEXT.search(data, at + 4, vendor) and bool(_NAME.match(data, vendor + 8))
