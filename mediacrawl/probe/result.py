"""The result of a probe: facts and texts of one media file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from mediacrawl.base.parts import Chapter, Cover, Track, cover_type
from mediacrawl.base.terms import Tag

_SHORTEST = 1e-6
"""Seconds; shorter durations are invalid, and divisions by them overflow."""
LONGEST = 1e9
"""Seconds, some 30 years; longer durations are invalid."""

_POSSIBLE = {
    "bitrate": 100_000_000_000,  # bits per second: uncompressed 8K film has a tenth
    "sample_rate": 100_000_000,  # Hz: the fastest one-bit audio has half
    "bits_per_sample": 64,
    "channels": 255,  # Opus and Vorbis count them in a byte; other formats have fewer
    "width": 65_535,  # pixels: what a header of 16 bits can say
    "height": 65_535,
    "frame_rate": 1000.0,  # more is a clock and not a rate
    "cover_size": 2**32 - 1,  # bytes: what the length fields of pictures can say
}
"""By fact, the highest plausible value. Zero is never valid."""
_OF_TRACKS = ("bitrate", "sample_rate", "channels", "width", "height", "frame_rate")
MOST_COVERS = 20
"""Pictures of one file that are listed; ID3v2 has that many types."""


@dataclass(slots=True)
class ProbeResult:
    """The facts and texts of one file. What is not known is None.

    Attributes:
        status: ``complete``, ``partial`` (something that the file announces could not be read),
            ``unsupported`` (no reader for this format), ``error:<class>`` (nothing could be read), ``stream`` (endless;
            the facts are those of its headers).
        notes: reasons why it is not complete: ``budget``, ``limit:parts``, ``audio:BrokenError``.
        errors: names of the classes of the errors that ended a part of the reading, in order.
        container: name of the format by its content: ``mp3``, ``mp4``, ``ogg``, ``flac``, ``html`` ...
        encoding_format: MIME type by its content.
        is_video: whether it has a video track; a cover does not count.
        codec: codec of the main track.
        duration: seconds.
        duration_estimated: whether the duration was computed from size and bit rate.
        bitrate: bits per second.
        bitrate_mode: ``cbr``, ``vbr``, ``abr``, or None if the file does not say.
        sample_rate: Hz.
        bits_per_sample: bits, where the codec has such a thing.
        channels: number of audio channels.
        width: pixels.
        height: pixels.
        frame_rate: frames per second.
        video_codec: codec of the video track.
        audio_codec: codec of the audio track.
        audio_md5: MD5 of the decoded audio as FLAC states it, 32 hex digits.
        rotation: degrees clockwise by which a player turns the picture; `width` and `height` are those after that.
        is_live: whether it is sent as it happens.
        tracks: the streams, in the order of the file.
        chapters: the chapters, by their beginnings. Texts beyond ASCII have a tag too, see `ParseContext.add_chapters`.
        covers: the pictures, in the order of the file.
        has_cover: whether it contains a picture; None if that was not examined.
        cover_mime: MIME type that the file states for the picture.
        cover_size: bytes of the picture.
        tags: one entry for each text value, in the order of the file; but of several tags the one that counts first
            in this format comes before the others, see `formats.outer_tags`.
    """

    STREAM: ClassVar = "stream"
    """The status of a stream, which the records of manifests have, too."""

    status: str = "partial"
    notes: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    container: str | None = None
    encoding_format: str | None = None
    is_video: bool = False
    codec: str | None = None
    duration: float | None = None
    duration_estimated: bool | None = None
    bitrate: int | None = None
    bitrate_mode: str | None = None
    sample_rate: int | None = None
    bits_per_sample: int | None = None
    channels: int | None = None
    width: int | None = None
    height: int | None = None
    frame_rate: float | None = None
    video_codec: str | None = None
    audio_codec: str | None = None
    audio_md5: str | None = None
    rotation: int | None = None
    is_live: bool | None = None
    tracks: list[Track] = field(default_factory=list)
    chapters: list[Chapter] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    has_cover: bool | None = None
    cover_mime: str | None = None
    cover_size: int | None = None
    tags: list[Tag] = field(default_factory=list)

    def set_duration(self, seconds: float, *, estimated: bool = False) -> None:
        """Sets the duration if it is plausible."""
        if _SHORTEST < seconds < LONGEST:
            self.duration = seconds
            self.duration_estimated = estimated

    def set_audio(
        self, codec: str | None, sample_rate: int | None, channels: int | None, bits_per_sample: int | None = None
    ) -> None:
        """Sets the facts of the audio track, which is the main one unless a video track follows."""
        self.codec = self.audio_codec = codec
        self.sample_rate, self.channels, self.bits_per_sample = sample_rate, channels, bits_per_sample

    def set_video(self, codec: str | None, width: int | None, height: int | None, frame_rate: float | None) -> None:
        """Sets the facts of the video track, which is the main one."""
        self.is_video = True
        self.codec = self.video_codec = codec
        self.width, self.height, self.frame_rate = width, height, frame_rate

    def set_average_bitrate(self, size: int | None) -> None:
        """Sets the bit rate to the average of some bytes over the duration, if both are known."""
        if size and size > 0 and self.duration:
            self.bitrate = round(size * 8 / self.duration)

    def set_cover(
        self, mime: str | None, size: int | None, *, position: int | None = None, number: int | None = None
    ) -> None:
        """Records a picture; the first one of the file counts for `cover_mime` and `cover_size`.

        Args:
            mime: media type, as the file states it.
            size: bytes.
            position: offset of its bytes in the file.
            number: its type, by ID3v2's numbers (`parts.cover_type`).
        """
        if not self.has_cover:
            self.has_cover, self.cover_mime, self.cover_size = True, mime or None, size
        if len(self.covers) < MOST_COVERS:
            kind = None if number is None else cover_type(number)
            self.covers.append(Cover(kind, mime or None, size, position))

    def rotate(self, degrees: float) -> None:
        """Records that a player turns the picture clockwise, by whole quarter turns; some exchange width and height."""
        turns = round(degrees / 90) % 4
        if turns:
            self.rotation = 90 * turns
        if turns % 2:
            self.width, self.height = self.height, self.width

    def forget_impossible(self) -> None:
        """Sets implausible facts of broken headers to None."""
        for name, most in _POSSIBLE.items():
            value = getattr(self, name)
            # NaN fails both comparisons.
            if value is not None and not 0 < value <= most:
                setattr(self, name, None)
        for track in self.tracks:
            for name in _OF_TRACKS:
                value = getattr(track, name)
                if value is not None and not 0 < value <= _POSSIBLE[name]:
                    setattr(track, name, None)
        for cover in self.covers:
            if cover.size is not None and not 0 < cover.size <= _POSSIBLE["cover_size"]:
                cover.size = None
