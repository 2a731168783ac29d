"""Tags around the audio: ID3v2 and APE before it; APE, Lyrics3, ID3v1 and ID3v2 behind it.

Which tag counts first is the order in which they are read, see `record.values.best_values`. A format's own
tags count before foreign ones:

* MPEG audio, AAC, AC-3, DTS and True Audio: ID3v2, APE, Lyrics3 and ID3v1. So TagLib documents it for MPEG audio
  (``MPEG::File::properties``). MusicBrainz Picard and mutagen read nothing but ID3 there; Picard has an option that
  removes APE from it.
* Monkey's Audio, WavPack and Musepack: APE, ID3v1, and ID3v2 only for what those lack (TagLib's ``WavPack::File`` and
  its like; Picard and mutagen read nothing but APE).
* FLAC, Ogg, WAV, AIFF and all others: what the container holds, then ID3v2 (TagLib's ``FLAC::File``).

Sources: "APEv2 specification" and "APE Tags Header" (Hydrogenaudio); Lyrics3 v1 and v2.00 (id3.org). The tags at the
end are in any order and each states where it begins, so they are found from the end of the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from mediacrawl.probe.context import BrokenError, ParseContext, SparseFile, exact, peek, unpack
from mediacrawl.probe.formats import id3
from mediacrawl.probe.formats.id3 import Id3Header
from mediacrawl.probe.formats.keys import ape_key
from mediacrawl.probe.formats.shared_codes import picture_type
from mediacrawl.probe.text import LATIN1, UTF8, Value, cut, split, unpadded

_PREAMBLE = b"APETAGEX"
_APE_HEADER = 32
_V2 = 2000
_HAS_HEADER, _NO_FOOTER, _IS_HEADER = 1 << 31, 1 << 30, 1 << 29
_BINARY = 1
_MAX_KEY = 255
_COVER = "cover art"
_COVER_HEADER = 512
_COVERS = (
    "other", "png icon", "icon", "front", "back", "leaflet", "media", "lead artist", "artist", "conductor", "band",
    "composer", "lyricist", "recording location", "during recording", "during performance", "video capture", "fish",
    "illustration", "band logotype", "publisher logotype",
)  # fmt: skip
"""What stands in parentheses in the key of a picture ("APE key", Hydrogenaudio), by the numbers of ID3v2."""


@dataclass(frozen=True, slots=True)
class ApeTag:
    """Where a tag stands.

    Attributes:
        version: 1000 or 2000.
        items: offset of the first item.
        stop: offset behind the last item.
        end: offset behind the tag.
        whole: whether all of it fits into the file.
    """

    version: int
    start: int
    items: int
    stop: int
    end: int
    whole: bool = True


def find_ape_at_end(file: SparseFile, end: int) -> ApeTag | None:
    """Finds the tag that ends at an offset; None if there is none, or its footer is not at hand."""
    footer = file.at_hand(max(0, end - _APE_HEADER), end) or b""
    if len(footer) < _APE_HEADER or not footer.startswith(_PREAMBLE):
        return None
    version, size, _, flags = unpack("<IIII", footer[8:24])
    stop = end - _APE_HEADER
    items = end - size
    start = items - _APE_HEADER if version >= _V2 and flags & _HAS_HEADER else items
    if start < 0 or items > stop:
        return ApeTag(version, stop, stop, stop, end, whole=False)
    return ApeTag(version, start, items, stop, end)


def find_ape_at_front(file: SparseFile, start: int) -> ApeTag | None:
    """Finds the tag that begins at an offset; None if there is none, or its header is not at hand."""
    header = file.at_hand(start, start + _APE_HEADER) or b""
    if len(header) < _APE_HEADER or not header.startswith(_PREAMBLE):
        return None
    version, size, _, flags = unpack("<IIII", header[8:24])
    items = start + _APE_HEADER
    end = items + size
    if not flags & _IS_HEADER or (file.size is not None and end > file.size):
        return ApeTag(version, start, items, items, items, whole=False)
    return ApeTag(version, start, items, max(items, end - (0 if flags & _NO_FOOTER else _APE_HEADER)), end)


def read_ape(context: ParseContext, tag: ApeTag) -> None:
    """Reads the texts of a tag, and what its covers say of themselves.

    The number of items in the header is not looked at: where they end is known.
    """
    if not tag.whole:
        raise BrokenError("the tag is longer than its file")
    at = tag.items
    # Eight bytes, a key, its NUL: what is shorter is padding.
    while at + 10 <= tag.stop:
        context.count()
        size, flags = unpack("<II", exact(context.file, at, at + 8))
        key = _item_key(context, at + 8, tag.stop)
        if not key:
            return
        start = at + 8 + len(key) + 1
        at = start + size
        if at > tag.stop:
            raise BrokenError("an item is longer than its tag")
        _read_item(context, tag, key.decode(LATIN1), flags >> 1 & 3, (start, at))


def _item_key(context: ParseContext, start: int, stop: int) -> bytes:
    window = context.file.run(start, min(_MAX_KEY + 1, stop - start))
    if b"\0" not in window:
        window = exact(context.file, start, min(start + _MAX_KEY + 1, stop))
    key, terminator, _ = window.partition(b"\0")
    if not terminator:
        raise BrokenError("a key does not end")
    return key


def _read_item(context: ParseContext, tag: ApeTag, key: str, kind: int, place: tuple[int, int]) -> None:
    start, stop = place
    if key.lower().startswith(_COVER):
        _take_cover(context, key, start, stop)
    elif (tag.version < _V2 or kind != _BINARY) and context.fits(stop - start):
        # Version 1 knew no flags, and no Unicode.
        declared = UTF8 if tag.version >= _V2 else LATIN1
        limit = context.policy.max_values
        values = split(exact(context.file, start, stop), declared, limit + 1)
        if len(values) > limit:
            context.note("limit:values")
        for value in values[:limit]:
            context.add("ape", key, ape_key(key), value)


def _take_cover(context: ParseContext, key: str, start: int, stop: int) -> None:
    """Reads type and size of a picture: a file name, NUL, then the data."""
    header = peek(context.file, start, min(start + _COVER_HEADER, stop)) or b""
    kind = key.lower().removeprefix(_COVER).strip(" ()")
    number = _COVERS.index(kind) if kind in _COVERS else None
    name, data = cut(header, LATIN1)
    if data is None:
        context.result.set_cover(None, None, number=number)
        return
    position = start + len(name) + 1
    context.result.set_cover(picture_type(data), stop - position, position=position, number=number)


_LYRICS_BEGIN, _END_V1, _END_V2 = b"LYRICSBEGIN", b"LYRICSEND", b"LYRICS200"
_MAX_V1 = 5100
"""Bytes of the text in the first version; its end is found by searching for the begin."""
_LYRICS_KEYS = {
    "LYR": "lyrics",
    "INF": "comment",
    "AUT": "lyricist",
    "EAL": "album",
    "EAR": "artist",
    "ETT": "title",
}
"""Fields of version 2 with a text. The others are flags (IND) and names of picture files (IMG)."""


@dataclass(frozen=True, slots=True)
class Lyrics3Tag:
    """Where a tag stands.

    Attributes:
        version: 1 or 2.
        start: offset of ``LYRICSBEGIN``.
        stop: offset behind its texts.
        end: offset behind the tag.
    """

    version: int
    start: int
    stop: int
    end: int


def find_lyrics3(file: SparseFile, end: int) -> Lyrics3Tag | None:
    """Finds the tag that ends at an offset; None if there is none, or its last bytes are not at hand."""
    foot = file.at_hand(max(0, end - 15), end) or b""
    if foot.endswith(_END_V2) and foot[:6].isdigit():
        size = int(foot[:6])
        return Lyrics3Tag(2, end - 15 - size, end - 15, end) if 11 <= size <= end - 15 else None
    if not foot.endswith(_END_V1):
        return None
    longest = len(_LYRICS_BEGIN) + _MAX_V1 + len(_END_V1)
    text = file.before(end, longest)
    if _LYRICS_BEGIN not in text:
        text = file.get(max(0, end - longest), end)
    at = text.rfind(_LYRICS_BEGIN)
    return None if at < 0 else Lyrics3Tag(1, end - len(text) + at, end - len(_END_V1), end)


def read_lyrics3(context: ParseContext, tag: Lyrics3Tag) -> None:
    """Reads the texts of a tag. The specification says ISO-8859-1 in English only, so programs wrote their own."""
    at = tag.start + len(_LYRICS_BEGIN)
    if exact(context.file, tag.start, at) != _LYRICS_BEGIN:
        raise BrokenError("no LYRICSBEGIN")
    if tag.version == 1:
        _add_lyrics_field(context, "LYR", at, tag.stop)
        return
    while at + 8 <= tag.stop:
        context.count()
        head = exact(context.file, at, at + 8)
        if not head[3:].isdigit():
            raise BrokenError("a field without a size")
        start, at = at + 8, at + 8 + int(head[3:])
        if at > tag.stop:
            raise BrokenError("a field is longer than its tag")
        _add_lyrics_field(context, head[:3].decode(LATIN1), start, at)


def _add_lyrics_field(context: ParseContext, name: str, start: int, stop: int) -> None:
    if name in _LYRICS_KEYS:
        raw = unpadded(context.text(start, stop), b"\0 ")
        context.add("lyrics3", name, _LYRICS_KEYS[name], Value(raw, LATIN1))


_MAX_TAGS = 6
"""One of each, and some twice by programs that did not see the first."""


class TailTags:
    """The tags at the end of one file.

    Attributes:
        stop: offset behind the audio, as far as known; None if the file's size is not known.
    """

    def __init__(self, context: ParseContext, start: int, *, ape_first: bool = False) -> None:
        """Finds the tags."""
        self.stop = context.file.size
        self._first: type[ApeTag | Id3Header] = ApeTag if ape_first else Id3Header
        self._context = context
        self._start = start
        self._found: list[ApeTag | Lyrics3Tag | Id3Header | bytes] = []
        with context.stage("tail"):
            self._find()

    def read(self) -> None:
        """Reads the tags in the order of the file, but those that count first before the others."""
        if self.stop is not None and self._context.result.has_cover is None:
            self._context.result.has_cover = False
        # They were found from the end.
        in_order = self._found[::-1]
        for tag in sorted(in_order, key=lambda each: not isinstance(each, self._first)):
            if isinstance(tag, ApeTag):
                with self._context.stage("ape"):
                    read_ape(self._context, tag)
            elif isinstance(tag, Lyrics3Tag):
                with self._context.stage("lyrics3"):
                    read_lyrics3(self._context, tag)
            elif isinstance(tag, Id3Header):
                with self._context.stage("id3v2"):
                    id3.read_tag(self._context, tag)
            else:
                with self._context.stage("id3v1"):
                    id3.read_id3v1(self._context, tag)

    def set_bitrate(self, start: int) -> None:
        """Sets the average bit rate of what stands between an offset and the tags."""
        if self.stop is not None:
            self._context.result.set_average_bitrate(self.stop - start)

    def _find(self) -> None:
        size = self._context.file.size
        if size is None:
            self._context.note("size unknown")
            return
        # One request brings everything that may be there.
        self._context.file.get(max(self._start, size - self._context.policy.tail_bytes), size)
        while len(self._found) < _MAX_TAGS and self._step(self._context.file):
            pass

    def _step(self, file: SparseFile) -> bool:
        """Finds the last tag before `stop`. Tags before a long one are not worth a request."""
        stop = self.stop or 0
        data = file.at_hand(max(0, stop - id3.ID3V1_SIZE), stop) or b""
        if id3.is_id3v1(data):
            return self._take(data, stop - id3.ID3V1_SIZE)
        ape = find_ape_at_end(file, stop)
        if ape:
            return self._take(ape, ape.start)
        lyrics = find_lyrics3(file, stop)
        if lyrics:
            return self._take(lyrics, lyrics.start)
        if stop in self._context.id3_tags:
            # A tag that the one at the front led to.
            return self._leave(self._context.id3_tags[stop])
        id3v2 = id3.find_footer(file, stop) or id3.find_at_end(file, stop, self._context.policy.tail_bytes)
        return id3v2 is not None and self._take(id3v2, id3v2.start - id3.HEADER_SIZE)

    def _take(self, tag: ApeTag | Lyrics3Tag | Id3Header | bytes, start: int) -> bool:
        if not self._leave(start):
            return False
        self._found.append(tag)
        return True

    def _leave(self, start: int) -> bool:
        """Lets the audio end before a tag, unless that begins before the audio does."""
        if not self._start <= start < (self.stop or 0):
            return False
        self.stop = start
        return True


ID3_FIRST = frozenset({"mp3", "aac", "latm", "adif", "ac3", "dts", "tta"})
"""Formats whose own tag is ID3v2."""
_MAX_FRONT_TAGS = 8
"""Some programs write a second tag before the first; more than a few are an attack."""


class FrontTags:
    """The tags at the front of one file, as far as their headers are at hand.

    Attributes:
        stop: offset behind them.
    """

    def __init__(self, context: ParseContext) -> None:
        """Finds the tags."""
        self.stop = 0
        self._context = context
        self._id3: list[Id3Header] = []
        self._ape: list[ApeTag] = []
        while len(self._id3) + len(self._ape) < _MAX_FRONT_TAGS and self._step():
            pass

    @property
    def found(self) -> bool:
        """Whether there is one."""
        return bool(self._id3 or self._ape)

    def read(self) -> None:
        """Reads the tags. Values of a second tag are added to those of the first."""
        if self.found and self._context.result.has_cover is None:
            self._context.result.has_cover = False
        for header in self._id3:
            with self._context.stage("id3v2"):
                id3.read_tag(self._context, header)
        for tag in self._ape:
            with self._context.stage("ape"):
                read_ape(self._context, tag)

    def _step(self) -> bool:
        file, at = self._context.file, self.stop
        header = id3.find_header(file, at) if file.at_hand(at, at + id3.HEADER_SIZE) else None
        if header:
            self._id3.append(header)
            self.stop = header.end
            return True
        tag = find_ape_at_front(file, at)
        if tag:
            self._ape.append(tag)
            self.stop = tag.end
        return tag is not None
