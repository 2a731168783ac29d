"""ID3v2.2, 2.3, 2.4 and ID3v1: the raw text of every frame, read past covers without fetching them.

Sources: id3v2-00, id3v2.3.0, id3v2.4.0-structure and -frames (id3.org). Where files in the wild differ from them, a
comment says so. ID3v1 is always read for itself: where its bytes differ from those of ID3v2, they are evidence of the
encoding, which parsers that merge both tags throw away.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import NamedTuple

from mediacrawl.base.charsets import decode, wide_order
from mediacrawl.probe.context import BrokenError, ByteSource, LimitError, ParseContext, SparseFile, exact, peek
from mediacrawl.probe.formats import id3_frames, people
from mediacrawl.probe.formats.id3_frames import PICTURE_HEADER, ChapterFrames, Id3Frame, Id3Picture, Part, read_picture
from mediacrawl.probe.formats.keys import id3_key
from mediacrawl.probe.formats.shared_codes import LINK
from mediacrawl.probe.text import LATIN1, UTF8, UTF16, UTF16BE, Value, cut, ended, split, split_all

_ENCODINGS = (LATIN1, UTF16, UTF16BE, UTF8)
_FRAME_ID = {2: re.compile(rb"[A-Za-z0-9]{3}"), 3: re.compile(rb"[A-Za-z0-9]{3}[A-Za-z0-9\0 ]")}
_CERTAIN_ID = re.compile(rb"[A-Z]{3}[A-Z0-9]")
"""Programs write all ids so, though small letters are read too; text inside a frame rarely looks like it."""
_PICTURES = frozenset({"APIC", "PIC"})
_WITH_LANGUAGE = frozenset({"COMM", "COM", "USLT", "ULT"})
_WITH_DESCRIPTION = frozenset({"TXXX", "TXX", "WXXX", "WXX"})
_OTHER_TEXT = frozenset(
    {"COMM", "COM", "USLT", "ULT", "GRP1", "GP1", "MVNM", "MVN", "MVIN", "MVI", "XDOR", "XSOA", "XSOP", "XSOT"}
)
HEADER_SIZE = 10
_MAX_CANDIDATES = 16
"""Places that are tried for a tag without a footer at the end."""
_SEEK, _SEEK_BYTES = "SEEK", 16
"""A frame that leads to the next tag, and its most bytes: 4, and those that its flags may add."""
_TAG_BEGIN = re.compile(rb"ID3[\2-\4]")
_APPLE_TEXT = frozenset({"WFED", "WFD"})
"""Text with an encoding, though the name is that of a URL; other writers write a plain URL there."""


@dataclass(frozen=True, slots=True)
class Id3Header:
    """The ten bytes before a tag.

    Attributes:
        version: 2, 3 or 4.
        flags: as in the file.
        start: offset of the first byte behind the header.
        stop: offset behind the frames and padding.
        end: offset behind the whole tag (2.4 may have a footer).
    """

    version: int
    flags: int
    start: int
    stop: int
    end: int

    @property
    def unsynchronised(self) -> bool:
        """Whether the whole tag (2.2, 2.3) or all its frames (2.4) are unsynchronised."""
        return bool(self.flags & 0x80)

    @property
    def extended(self) -> bool:
        """Whether an extended header follows. In 2.2 the bit meant compression, which nobody defined."""
        return bool(self.flags & 0x40)


def find_header(file: SparseFile, at: int) -> Id3Header | None:
    """Reads the tag header at an offset, None if there is none."""
    data = file.get(at, at + HEADER_SIZE)
    if len(data) < HEADER_SIZE or not data.startswith(b"ID3") or data[3] not in {2, 3, 4}:
        return None
    size = synchsafe(data[6:10])
    stop = at + 10 + size
    footer = 10 if data[3] == 4 and data[5] & 0x10 else 0
    whole = stop if file.size is None else min(stop, file.size)
    return Id3Header(data[3], data[5], at + 10, whole, stop + footer)


def find_footer(file: SparseFile, end: int) -> Id3Header | None:
    """Reads the footer of a tag that ends at an offset (id3v2.4.0-structure, 3.4); None if none is at hand."""
    data = file.at_hand(max(0, end - 10), end) or b""
    if len(data) < 10 or not data.startswith(b"3DI") or data[3] != 4:
        return None
    start = end - 20 - synchsafe(data[6:10])
    return Id3Header(4, data[5], start + 10, end - 10, end) if start >= 0 else None


def find_at_end(file: SparseFile, stop: int, limit: int) -> Id3Header | None:
    """Finds the tag without a footer that ends at an offset; None if none is at hand."""
    data = file.before(stop, limit)
    # Texts in the tag may name ID3 as well.
    for match in islice(_TAG_BEGIN.finditer(data), _MAX_CANDIDATES):
        at = stop - len(data) + match.start()
        header = find_header(file, at) if file.at_hand(at, at + HEADER_SIZE) else None
        if header and header.stop == header.end == stop:
            return header
    return None


def synchsafe(data: bytes) -> int:
    """Reads an integer of seven bits a byte (id3v2.4.0-structure, 6.2); eighth bits are ignored."""
    value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
    return value


def read_tag(context: ParseContext, header: Id3Header) -> None:
    """Reads the text frames of one tag, and what the picture frames say about their pictures.

    A tag that was read already is left out. Where the tag has a SEEK frame (id3v2.4.0-frames, 4.29), the one that it
    leads to is read too.
    """
    if header.end in context.id3_tags:
        return
    if len(context.id3_tags) >= context.policy.max_id3_tags:
        raise LimitError("id3v2 tags")
    context.id3_tags[header.end] = header.start - HEADER_SIZE
    if context.file.size is not None and header.stop < header.end - 10:
        context.note("id3v2:truncated")
    walk = _FrameWalk(context, header)
    try:
        walk.run()
    finally:
        # Those that were reached count, wherever the walk ended.
        walk.chapters.commit()
    if walk.next_tag is not None:
        with context.stage("id3v2"):
            _read_next(context, header.end + walk.next_tag)


def _read_next(context: ParseContext, at: int) -> None:
    """Reads the tag that a SEEK frame leads to. The frame states the least offset, so it may begin somewhat later."""
    context.file.get(at, at + HEADER_SIZE)
    found = _TAG_BEGIN.search(context.file.run(at, context.policy.tail_bytes))
    header = find_header(context.file, at + found.start()) if found else None
    if header is None:
        raise BrokenError("no tag where a seek frame leads")
    read_tag(context, header)


def bodies(context: ParseContext, header: Id3Header) -> Iterator[tuple[str, bytes]]:
    """Yields name and body of each frame of a tag, pictures too, as its flags say it is to be read.

    A body that is encrypted or cannot be unpacked is yielded as it stands.
    """
    yield from _FrameWalk(context, header).bodies()


class Unsynchronised:
    """The bytes of a 2.2 or 2.3 tag with unsynchronisation undone, read from the front.

    Frame sizes count the bytes *before* unsynchronisation, so nothing can be jumped over exactly.
    Offsets are those of the tag as if it stood in the file undone.
    """

    def __init__(self, file: SparseFile, start: int, stop: int) -> None:
        self._file = file
        self._base = start
        self._at = start
        self._stop = stop
        self._plain = bytearray()
        self._after_ff = False

    def get(self, start: int, stop: int) -> bytes:
        """Reads undone bytes, fewer at the end of the tag; raises `NeedBytes`."""
        wanted = stop - self._base
        while len(self._plain) < wanted and self._at < self._stop:
            self._read(wanted - len(self._plain))
        return bytes(self._plain[start - self._base : wanted])

    def _read(self, size: int) -> None:
        raw = self._file.get(self._at, min(self._at + size, self._stop))
        if not raw:
            self._stop = self._at
            return
        self._at += len(raw)
        body = raw[1:] if self._after_ff and raw.startswith(b"\0") else raw
        self._after_ff = raw.endswith(b"\xff")
        self._plain += body.replace(b"\xff\0", b"\xff")


class _FrameWalk:
    """Steps from frame header to frame header through one tag."""

    def __init__(self, context: ParseContext, header: Id3Header, source: ByteSource | None = None) -> None:
        self.context = context
        self.header = header
        self.source_name = f"id3v2.{header.version}"
        self.chapters = ChapterFrames(context, self.source_name)
        self.source: ByteSource = source or context.file
        if source is None and header.unsynchronised and header.version < 4:
            self.source = Unsynchronised(context.file, header.start, header.stop)
        self.next_tag: int | None = None
        """Bytes between the end of this tag and the next one, by its SEEK frame."""
        self._plain_sizes = False

    def run(self) -> None:
        for frame in self.frames():
            if frame.name in _PICTURES:
                self._take_picture(frame)
            elif frame.name == _SEEK and frame.size <= _SEEK_BYTES:
                self.next_tag = int.from_bytes(self._body(frame) or b"", "big")
            elif frame.name in id3_frames.CHAPTER_FRAMES:
                self.chapters.take(self, frame)
            elif frame.name in id3_frames.BINARY_FRAMES:
                if frame.size <= id3_frames.LONGEST_BINARY:
                    body = self._body(frame)
                    if body is not None:
                        id3_frames.read_frame(self.context, self.source_name, frame.name, body)
            elif (
                frame.name[0] in "TW" or frame.name in _OTHER_TEXT or frame.name in people.FRAMES
            ) and self.context.fits(frame.size):
                self._take_text(frame)

    def bodies(self) -> Iterator[tuple[str, bytes]]:
        for frame in self.frames():
            body = self._body(frame)
            yield frame.name, exact(self.source, frame.start, frame.stop) if body is None else body

    def frames(self) -> Iterator[Id3Frame]:
        at = self._first_frame()
        while frame := self._frame(at):
            self.context.count()
            at = frame.stop
            if frame.stop > self.header.stop:
                raise BrokenError("a frame is longer than its tag")
            yield frame

    def _first_frame(self) -> int:
        start, version = self.header.start, self.header.version
        if not self.header.extended or version == 2:
            return start
        data = self.source.get(start, start + 4)
        # Some writers set the bit and write no extended header: frames begin right here.
        if _FRAME_ID[3].fullmatch(data) and data[0] > 0x20:
            return start
        return start + (synchsafe(data) if version == 4 else int.from_bytes(data, "big") + 4)

    def _frame(self, at: int) -> Id3Frame | None:
        """Reads the frame header at an offset; None at padding, junk or the end of the tag."""
        id_size, length = (3, 6) if self.header.version == 2 else (4, 10)
        if at + length > self.header.stop:
            return None
        data = self.source.get(at, at + length)
        if len(data) < length or not bool(_FRAME_ID[min(self.header.version, 3)].fullmatch(data[:id_size])):
            return None
        name = data[:id_size].rstrip(b"\0 ").decode("ascii").upper()
        if self.header.version == 2:
            return Id3Frame(name, 0, at + 6, at + 6 + int.from_bytes(data[3:6], "big"))
        size = self._size(data[4:8], at + 10)
        return Id3Frame(name, int.from_bytes(data[8:10], "big"), at + 10, at + 10 + size)

    def _size(self, data: bytes, start: int) -> int:
        """Reads a frame's size. iTunes wrote plain integers into 2.4 tags: the next header decides."""
        plain = int.from_bytes(data, "big")
        if self.header.version == 3 or plain < 0x80:
            return plain
        if not self._plain_sizes:
            self._plain_sizes = max(data) >= 0x80 or (
                not self._frame_may_start(start + synchsafe(data)) and self._frame_may_start(start + plain)
            )
        return plain if self._plain_sizes else synchsafe(data)

    def _frame_may_start(self, at: int) -> bool:
        if at >= self.header.stop:
            return at == self.header.stop
        data = self.source.get(at, min(at + 4, self.header.stop))
        return not data.strip(b"\0") or bool(_CERTAIN_ID.fullmatch(data))

    def part(self, frame: Id3Frame) -> Part | None:
        """Where the content of a frame can be read piece by piece, with what its flags say undone."""
        flags, start = frame.flags, frame.start + self._extra_bytes(frame)
        version = self.header.version
        if flags & {3: 0x40, 4: 0x04}.get(version, 0):
            return None
        if flags & {3: 0x80, 4: 0x08}.get(version, 0):
            body = self._body(frame) if self.context.fits(frame.size) else None
            if body is None:
                return None
            unpacked = SparseFile(len(body))
            unpacked.put(0, body)
            return Part(unpacked, 0, len(body))
        if self._unsynchronised(frame):
            return Part(Unsynchronised(self.context.file, start, frame.stop), start, frame.stop)
        return Part(self.source, start, frame.stop)

    def inside(self, part: Part) -> _FrameWalk:
        """Steps through the frames inside a frame."""
        header = Id3Header(self.header.version, 0, part.start, part.stop, part.stop)
        return _FrameWalk(self.context, header, part.source)

    def values(self, frame: Id3Frame) -> list[Value]:
        """The values of a text frame or of a URL."""
        body = self._body(frame)
        if not body:
            return []
        text = _opened(frame.name, body)
        return split(text.body, text.declared, self.context.policy.max_values)

    def _extra_bytes(self, frame: Id3Frame) -> int:
        """Bytes between the header of a frame and its content (2.3, 3.3.1; 2.4, 4.1.2)."""
        if self.header.version == 3:
            return sum(size for flag, size in ((0x80, 4), (0x40, 1), (0x20, 1)) if frame.flags & flag)
        return sum(size for flag, size in ((0x40, 1), (0x04, 1), (0x01, 4)) if frame.flags & flag)

    def _take_picture(self, frame: Id3Frame) -> None:
        start = frame.start + self._extra_bytes(frame)
        header = peek(self.source, start, min(start + PICTURE_HEADER, frame.stop))
        picture = Id3Picture()
        if header and not bool(frame.flags & (0x00C0 if self.header.version == 3 else 0x000C)):
            encoded = self._unsynchronised(frame)
            header = header.replace(b"\xff\0", b"\xff") if encoded else header
            picture = read_picture(header, frame.stop - start, old=self.header.version == 2)
            if picture.mime == LINK:
                return
            # With unsynchronisation undone, offsets are not those of the file.
            known = picture.offset is not None and self.source is self.context.file and not encoded
            picture = picture._replace(offset=start + (picture.offset or 0) if known else None)
        self.context.result.set_cover(picture.mime, picture.size, position=picture.offset, number=picture.number)

    def _unsynchronised(self, frame: Id3Frame) -> bool:
        """Whether a frame of 2.4 is unsynchronised by itself."""
        return self.header.version == 4 and (bool(frame.flags & 0x02) or self.header.unsynchronised)

    def _take_text(self, frame: Id3Frame) -> None:
        body = self._body(frame)
        if not body:
            return
        text = _opened(frame.name, body)
        limit = self.context.policy.max_values
        pairs = frame.name in people.FRAMES
        values = (split_all if pairs else split)(text.body, text.declared, limit + 1)
        if len(values) > limit:
            self.context.note("limit:values")
        if pairs:
            people.add_pairs(self.context, self.source_name, frame.name, values[:limit])
            return
        key = id3_key(frame.name, text.desc)
        for value in values[:limit]:
            self.context.add(self.source_name, frame.name, key, value, lang=text.lang, desc=text.desc)

    def _body(self, frame: Id3Frame) -> bytes | None:
        """Reads a frame's bytes and undoes what its flags say; None if it is encrypted or broken."""
        body = exact(self.source, frame.start, frame.stop)
        flags = frame.flags
        if self.header.version == 2 or not (flags & 0xFF or self.header.unsynchronised):
            return body
        if self.header.version == 3:
            # Takes off the extra bytes of a 2.3 frame (3.3.1); tells (body, compressed, encrypted).
            compressed, encrypted, grouped = flags & 0x80, flags & 0x40, flags & 0x20
            extra = (4 if compressed else 0) + (1 if encrypted else 0) + (1 if grouped else 0)
            body, compressed, encrypted = body[extra:], bool(compressed), bool(encrypted)
        else:
            body, compressed, encrypted = _unpack_v4(body, flags, self.header.unsynchronised)
        if encrypted:
            return None
        return self._inflate(body) if compressed else body

    def _inflate(self, body: bytes) -> bytes | None:
        limit = self.context.policy.max_text_bytes
        try:
            text = zlib.decompressobj().decompress(body, limit + 1)
        except zlib.error:
            self.context.note("id3v2:zlib")
            return None
        self.context.spend(len(text))
        return text if self.context.fits(len(text)) else None


class _Text(NamedTuple):
    """The content of a text frame: its language and description, and its values with their encoding."""

    lang: str
    desc: str
    declared: str
    body: bytes


def _opened(name: str, body: bytes) -> _Text:
    """Takes encoding, language and description off the content of a frame."""
    declared, body = _declared(name, body)
    lang = desc = ""
    if name in _WITH_LANGUAGE:
        letters, body = body[:3], body[3:]
        lang = letters.decode("ascii").lower() if letters.isalpha() and letters.isascii() else ""
    if name in _WITH_LANGUAGE or name in _WITH_DESCRIPTION:
        desc, declared, body = _description(name, declared, body)
    return _Text(lang, desc, declared, body)


def _unpack_v4(body: bytes, flags: int, unsynchronised: bool) -> tuple[bytes, bool, bool]:
    """Takes off the extra bytes of a 2.4 frame (4.1.2); tells (body, compressed, encrypted)."""
    compressed, encrypted, grouped = flags & 0x08, flags & 0x04, flags & 0x40
    extra = (1 if grouped else 0) + (1 if encrypted else 0) + (4 if flags & 0x01 else 0)
    body = body[extra:]
    if flags & 0x02 or unsynchronised:
        body = body.replace(b"\xff\0", b"\xff")
    return body, bool(compressed), bool(encrypted)


def _declared(name: str, body: bytes) -> tuple[str, bytes]:
    """Takes the encoding byte off; where it is wrong or missing the text counts as Latin-1."""
    if name[0] == "W" and name not in _WITH_DESCRIPTION and name not in _APPLE_TEXT:
        return LATIN1, body
    if body[0] < len(_ENCODINGS):
        return _ENCODINGS[body[0]], body[1:]
    return LATIN1, body if body[0] >= 0x20 else body[1:]


def _description(name: str, declared: str, body: bytes) -> tuple[str, str, bytes]:
    """Splits off the description; without a terminator all of it is the text. Gives the text's encoding too."""
    desc, rest = cut(body, declared)
    if declared in {LATIN1, UTF8} and (order := wide_order(body[2:] if body.startswith(b"\0\0") else body)):
        # UTF-16 under the wrong label; an empty description may end after one byte there, too.
        wide, text = cut(body, UTF16)
        if text is not None and not (body[:1] == b"\0" and wide):
            return decode(wide, order).lstrip("\ufeff"), declared, text
    if rest is None and declared == UTF16 and body[:1] == b"\0" and b"\0" not in body[1:].rstrip(b"\0"):
        # Text of 8 bits under the wrong label: its empty description ends after one byte.
        return "", declared, body[1:].rstrip(b"\0")
    if rest is None:
        return "", declared, body
    # The URL behind a description is Latin-1, whatever the description is in (4.3.2).
    return decode(desc, declared).lstrip("\ufeff"), LATIN1 if name[0] == "W" else declared, rest


ID3V1_SIZE = 128
_NO_GENRE = 255
_V1_FIELDS = (("title", 3, 33), ("artist", 33, 63), ("album", 63, 93), ("date", 93, 97))
_INSIDE_APE = (b"TAGEX\xe8\x03\0\0", b"TAGEX\xd0\x07\0\0")
"""The last letters of an APE tag's preamble, with its version: they begin as an ID3v1 tag does."""


@cache
def genres() -> tuple[str, ...]:
    """The names of ID3v1's genres, by their number; mutagen's import takes 120 ms, so it waits for the first call."""
    from mutagen.id3 import TCON  # noqa: PLC0415 - see above

    return tuple(TCON.GENRES)


def is_id3v1(data: bytes) -> bool:
    """Tells whether the last 128 bytes of a file are an ID3v1 tag."""
    return len(data) == ID3V1_SIZE and data.startswith(b"TAG") and not data.startswith(_INSIDE_APE)


def read_id3v1(context: ParseContext, data: bytes) -> None:
    """Reads the fields of a tag."""
    for key, start, stop in _V1_FIELDS:
        _add_v1_field(context, key, data[start:stop])
    # ID3v1.1: a zero before the last byte of the comment makes that byte the track number.
    numbered = data[125] == 0 and data[126] != 0
    _add_v1_field(context, "comment", data[97 : 125 if numbered else 127])
    if numbered:
        context.add_number("id3v1", "track", "tracknumber", str(data[126]))
    # Where there is none, the names need not be loaded.
    if data[127] < _NO_GENRE and data[127] < len(names := genres()):
        context.add_number("id3v1", "genre", "genre", names[data[127]])


def _add_v1_field(context: ParseContext, key: str, field: bytes) -> None:
    # What follows the first NUL is left over from a longer text before it.
    raw = ended(field)
    context.add("id3v1", key, key, Value(raw if wide_order(raw, least=2) else raw.rstrip(b" "), LATIN1))
