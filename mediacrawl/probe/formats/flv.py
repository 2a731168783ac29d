"""FLV: ``onMetaData`` in AMF0, and the first and last tags of the streams.

Sources: "Adobe Flash Video File Format Specification" 10.1 (2010), annex E; "Action Message Format -- AMF 0" (Adobe,
2007); Enhanced RTMP (Veovera, 2023) for codecs of four letters. The flags in the file's header are not read: writers
set both, whatever follows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field

from mediacrawl.base.parts import Track
from mediacrawl.probe.context import BrokenError, LimitError, ParseContext, exact, peek, unpack
from mediacrawl.probe.formats.aac_config import AAC_CHANNELS, AAC_RATES
from mediacrawl.probe.formats.keys import flv_key
from mediacrawl.probe.formats.shared_codes import layout_of
from mediacrawl.probe.formats.windows_headers import fourcc_codec
from mediacrawl.probe.result import ProbeResult
from mediacrawl.probe.text import UTF8, Value

NUMBER, BOOLEAN, STRING, LONG_STRING, DATE = 0, 1, 2, 12, 11
_OBJECT, _ECMA_ARRAY, _END, _STRICT_ARRAY, _TYPED_OBJECT = 3, 8, 9, 10, 16
_XML = 15
_SIZES = {NUMBER: 8, BOOLEAN: 1, 5: 0, 6: 0, 7: 2, DATE: 10, 13: 0}
"""Bytes of null, undefined, a reference and an unsupported value besides."""
_MAX_DEPTH = 8
_ELEMENT = 9
"""Bytes of a number in an array, with its type."""
_LOOKED_AT = 64


@dataclass(frozen=True, slots=True)
class AmfProperty:
    """One named value: the type of the value, and where its bytes stand; of a string those of its text."""

    name: str
    kind: int
    start: int
    stop: int


class AmfReader:
    """Reads values one behind the other; `at` is the offset of the next one.

    Attributes:
        at: offset in the file.
        stop: offset behind the last value.
    """

    def __init__(self, context: ParseContext, start: int, stop: int) -> None:
        self.at = start
        self.stop = stop
        self._context = context

    def string(self) -> str:
        """Reads a string value, the name of a message for instance."""
        if self._number(1) != STRING:
            raise BrokenError("not a string")
        return self._name()

    def properties(self) -> Iterator[AmfProperty]:
        """Yields the properties of an object or an array of named values (2.5, 2.10); other values have none.

        Values inside a value are stepped over.
        """
        kind = self._number(1)
        if kind == _ECMA_ARRAY:
            self._number(4)  # how many there are; many writers put down 0
        if kind in {_OBJECT, _ECMA_ARRAY}:
            yield from self._properties(0)

    def _properties(self, depth: int) -> Iterator[AmfProperty]:
        # Some writers leave the end mark out, and the data end.
        while self.at < self.stop:
            self._context.count()
            name, kind = self._name(), self._number(1)
            if kind == _END and not name:
                return
            start = self._skip(kind, depth)
            yield AmfProperty(name, kind, start, self.at)

    def _skip(self, kind: int, depth: int) -> int:
        """Steps over a value whose type was read; returns the offset of its bytes."""
        if depth > _MAX_DEPTH:
            raise LimitError("depth")
        start = self.at
        if kind in _SIZES:
            self._step(_SIZES[kind])
        elif kind in {STRING, LONG_STRING, _XML}:
            length = self._number(2 if kind == STRING else 4)
            start = self.at
            self._step(length)
        elif kind == _STRICT_ARRAY:
            self._skip_array(depth)
        elif kind in {_OBJECT, _ECMA_ARRAY, _TYPED_OBJECT}:
            if kind == _ECMA_ARRAY:
                self._number(4)
            elif kind == _TYPED_OBJECT:
                self._name()
            for _ in self._properties(depth + 1):
                pass
        else:
            raise BrokenError("a type of value that is not known")
        return start

    def _skip_array(self, depth: int) -> None:
        """Steps over an array without names (2.12). An index of key frames has thousands of numbers: one jump."""
        count = self._number(4)
        if count and self.at + _ELEMENT * count <= self.stop:
            # Where the first ones are numbers, all are; what is not at hand is not fetched to make sure.
            first = exact(self._context.file, self.at, self.at + 1)
            more = self._context.file.run(self.at, _ELEMENT * min(count, _LOOKED_AT))
            if not any(first + more[::_ELEMENT]):
                self.at += _ELEMENT * count
                return
        for _ in range(count):
            self._context.count()
            self._skip(self._number(1), depth + 1)

    def _name(self) -> str:
        length = self._number(2)
        start = self.at
        self._step(length)
        return exact(self._context.file, start, self.at).decode("utf-8", errors="replace")

    def _number(self, size: int) -> int:
        start = self.at
        self._step(size)
        return int.from_bytes(exact(self._context.file, start, self.at), "big")

    def _step(self, size: int) -> None:
        if self.at + size > self.stop:
            raise BrokenError("a value does not fit into the data")
        self.at += size


AUDIO_TYPE = "audio/x-flv"
_AUDIO, _VIDEO, _SCRIPT = 8, 9, 18
_TAG_HEADER = 11
_TAG_NUMBER = 4
"""Behind each tag stands how long it was."""
_TAIL = 4096
_LAST_TAGS = 8
_MAX_NAME = 100
"""Characters of a property's name that are kept."""

_SOUNDS = {
    0: "pcm_s16le",
    1: "adpcm_swf",
    2: "mp3",
    3: "pcm_s16le",
    4: "nellymoser",
    5: "nellymoser",
    6: "nellymoser",
    7: "pcm_alaw",
    8: "pcm_mulaw",
    10: "aac",
    11: "speex",
    14: "mp3",
}
_FIXED_RATES = {4: 16000, 5: 8000, 7: 8000, 8: 8000, 11: 16000, 14: 8000}
_PICTURES = {2: "flv1", 3: "flashsv", 4: "vp6f", 5: "vp6a", 6: "flashsv2", 7: "h264", 8: "h263", 9: "mpeg4", 12: "hevc"}
_RATES = (5512, 11025, 22050, 44100)
_PCM_BITS = {"pcm_s16le": 16, "pcm_u8": 8}
_SOUND_LETTERS = {
    b".mp3": "mp3",
    b"Opus": "opus",
    b"ac-3": "ac3",
    b"ec-3": "eac3",
    b"fLaC": "flac",
    b"mp4a": "aac",
}
"""Names in the tags of Enhanced RTMP, and in the metadata of some writers."""


@dataclass(slots=True)
class _Seen:
    """Facts of the first tags, and the time of the first one.

    Attributes:
        sound: codec of the first audio tag.
        config_rate: Hz, as the header of AAC has it.
        tag_rate: Hz; a tag knows four rates only.
        picture: codec of the first video tag.
        has_sound: whether an audio tag was met.
        has_picture: whether a video tag was met.
        first: milliseconds of the first of both, None if none was met.
        numbers: the numbers of ``onMetaData``.
        letters: its texts that name a codec.
    """

    sound: str | None = None
    config_rate: int = 0
    tag_rate: int = 0
    channels: int = 0
    picture: str | None = None
    has_sound: bool = False
    has_picture: bool = False
    first: int | None = None
    numbers: dict[str, float] = field(default_factory=dict)
    letters: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Tag:
    """One tag: its kind, its time in milliseconds, and where its data stand."""

    kind: int
    time: int
    body: int
    stop: int


def read(context: ParseContext, start: int) -> None:
    """Reads an FLV file."""
    seen = _Seen()
    with context.stage("tags"):
        _read_first_tags(context, start, seen)
    with context.stage("facts"):
        result = context.result
        if seen.has_sound or _named(seen, "audiocodecid"):
            _take_sound(result, seen)
        if seen.has_picture or _named(seen, "videocodecid") or _whole(seen, "width"):
            letters = seen.letters.get("videocodecid", b"")
            named = fourcc_codec(letters) if letters else _PICTURES.get(_whole(seen, "videocodecid"))
            rate = seen.numbers.get("framerate") or seen.numbers.get("videoframerate")
            result.set_video(seen.picture or named, _whole(seen, "width"), _whole(seen, "height"), rate)
        elif seen.has_sound:
            result.encoding_format = AUDIO_TYPE
        result.set_duration(seen.numbers.get("duration", 0.0))
    with context.stage("tracks"):
        _add_tracks(context, seen)
    if not context.result.duration:
        with context.stage("length"):
            _read_length(context, start, seen)
    context.result.set_average_bitrate(context.file.size)


def _tag(data: bytes, at: int) -> _Tag:
    """Reads the header of a tag (E.4.1); the time has its highest byte last."""
    kind, time = data[0] & 0x1F, data[7] << 24 | int.from_bytes(data[4:7], "big")
    body = at + _TAG_HEADER
    return _Tag(kind, time, body, body + int.from_bytes(data[1:4], "big"))


def _read_first_tags(context: ParseContext, start: int, seen: _Seen) -> None:
    """Reads tags until the metadata and one of each kind were met; beyond the first, as far as they are at hand."""
    (offset,) = unpack(">I", exact(context.file, start + 5, start + 9))
    at = start + offset + _TAG_NUMBER
    data: bytes | None = exact(context.file, at, at + _TAG_HEADER)
    while data and len(data) == _TAG_HEADER and not (seen.has_sound and seen.has_picture):
        context.count()
        tag = _tag(data, at)
        if tag.kind == _SCRIPT:
            with context.stage("metadata"):
                _read_script(context, tag, seen)
        elif tag.kind in {_AUDIO, _VIDEO}:
            _read_media(peek(context.file, tag.body, min(tag.stop, tag.body + 8)) or b"", tag, seen)
        else:
            raise BrokenError("no tag behind a tag")
        at = tag.stop + _TAG_NUMBER
        data = peek(context.file, at, at + _TAG_HEADER)


def _read_script(context: ParseContext, tag: _Tag, seen: _Seen) -> None:
    stop = tag.stop if context.file.size is None else min(tag.stop, context.file.size)
    walk = AmfReader(context, tag.body, stop)
    if walk.string() != "onMetaData":
        return
    for each in walk.properties():
        if each.kind == NUMBER:
            (value,) = struct.unpack(">d", exact(context.file, each.start, each.stop))
            seen.numbers.setdefault(each.name, value)
        elif each.kind == BOOLEAN:
            seen.numbers.setdefault(each.name, float(exact(context.file, each.start, each.stop)[0]))
        elif each.kind in {STRING, LONG_STRING} and context.fits(each.stop - each.start):
            raw = exact(context.file, each.start, each.stop).rstrip(b"\0")
            if each.name in {"audiocodecid", "videocodecid"}:
                seen.letters.setdefault(each.name, raw)
            else:
                context.add("flv", each.name[:_MAX_NAME], flv_key(each.name), Value(raw, UTF8))


def _read_media(data: bytes, tag: _Tag, seen: _Seen) -> None:
    """Takes what the first bytes of the first tag of a kind say."""
    if seen.first is None:
        seen.first = tag.time
    if data and tag.kind == _AUDIO and not seen.has_sound:
        seen.has_sound = True
        _read_sound(data, seen)
    elif data and tag.kind == _VIDEO and not seen.has_picture:
        seen.has_picture = True
        # E.4.3; the highest bit is that of Enhanced RTMP.
        seen.picture = fourcc_codec(data[1:5]) if data[0] & 0x80 else _PICTURES.get(data[0] & 15)


def _read_sound(data: bytes, seen: _Seen) -> None:
    """Reads the first bytes of an audio tag (E.4.2)."""
    number = data[0] >> 4
    if number == 9:
        seen.sound = _SOUND_LETTERS.get(data[1:5])
        return
    seen.sound, seen.channels = _SOUNDS.get(number), 1 + (data[0] & 1)
    if seen.sound == "pcm_s16le" and not data[0] & 2:
        seen.sound = "pcm_u8"
    seen.tag_rate = _FIXED_RATES.get(number, _RATES[data[0] >> 2 & 3])
    if number == 10 and len(data) >= 4 and data[1] == 0:
        # A tag calls AAC always 44.1 kHz and stereo; the codec's own header knows (ISO/IEC 14496-3, 1.6.2.1).
        config = int.from_bytes(data[2:4], "big")
        index, layout = config >> 7 & 15, config >> 3 & 15
        seen.config_rate = AAC_RATES[index] if index < len(AAC_RATES) else 0
        seen.channels = AAC_CHANNELS[layout] if layout < len(AAC_CHANNELS) else 0


def _take_sound(result: ProbeResult, seen: _Seen) -> None:
    letters = seen.letters.get("audiocodecid", b"")
    named = _SOUND_LETTERS.get(letters) or _SOUNDS.get(_whole(seen, "audiocodecid"))
    result.codec = result.audio_codec = seen.sound or named
    result.sample_rate = seen.config_rate or _whole(seen, "audiosamplerate") or seen.tag_rate
    result.bits_per_sample = _PCM_BITS.get(result.codec or "")
    result.channels = seen.channels or (1 + _whole(seen, "stereo") if "stereo" in seen.numbers else None)


def _add_tracks(context: ParseContext, seen: _Seen) -> None:
    """Adds the stream of pictures and that of sound, of which a file has one each, with the rates of the metadata."""
    result = context.result
    if result.is_video:
        made = Track("video", result.video_codec, width=result.width, height=result.height)
        made.frame_rate, made.bitrate = result.frame_rate, _bitrate(seen, "videodatarate")
        context.add_track("flv", "", made)
    if seen.has_sound or result.audio_codec:
        made = Track("audio", result.audio_codec, channels=result.channels, sample_rate=result.sample_rate)
        made.channel_layout = layout_of(made.codec, made.channels)
        made.bitrate = _bitrate(seen, "audiodatarate")
        context.add_track("flv", "", made)


def _bitrate(seen: _Seen, name: str) -> int:
    """Returns a rate of the metadata, which is in kilobits; ffmpeg takes 1024 bits for one, which leaves a fraction."""
    value = seen.numbers.get(name, 0.0)
    return round(value * (1000 if value.is_integer() else 1024)) if 0 < value < 2**31 else 0


def _named(seen: _Seen, name: str) -> bool:
    return name in seen.numbers or name in seen.letters


def _whole(seen: _Seen, name: str) -> int:
    """Returns a number of the metadata as a whole one; 0 if it is missing or absurd."""
    value = seen.numbers.get(name, 0.0)
    return round(value) if 0 < value < 2**31 else 0


def _read_length(context: ParseContext, start: int, seen: _Seen) -> None:
    """Finds the time of the last tags from the end of the file: recorders that were cut off wrote no duration."""
    size = context.file.size
    if size is None:
        context.note("size unknown")
        return
    context.file.get(max(start, size - _TAIL), size)
    stop = size
    for _ in range(_LAST_TAGS):
        (length,) = unpack(">I", exact(context.file, stop - _TAG_NUMBER, stop))
        at = stop - _TAG_NUMBER - length
        if length < _TAG_HEADER or at < start:
            raise BrokenError("the file does not end with a tag")
        tag = _tag(exact(context.file, at, at + _TAG_HEADER), at)
        if tag.stop != stop - _TAG_NUMBER:
            raise BrokenError("the file does not end with a tag")
        if tag.kind in {_AUDIO, _VIDEO}:
            context.result.set_duration((tag.time - (seen.first or 0)) / 1000)
            return
        stop = at
