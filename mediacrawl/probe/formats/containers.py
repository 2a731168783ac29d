"""From the sniffed type to the reader of its container."""

from __future__ import annotations

from collections.abc import Callable

from mediacrawl.probe.context import Reading
from mediacrawl.probe.formats import (
    aiff,
    ape_family,
    asf,
    flac,
    flv,
    id3,
    matroska,
    mp4,
    mpeg_audio,
    mpeg_ps,
    mpeg_ts,
    ogg,
    raw_audio,
    riff,
    tail_tags,
)
from mediacrawl.probe.formats.sniff import APE_TAG, ID3, MP3, SNIFF_BYTES, UNKNOWN, Sniffed, sniff

READERS: dict[str, Callable[[Reading, int], None]] = {
    "mp3": mpeg_audio.read,
    "mp4": mp4.read,
    "mov": mp4.read,
    "ogg": ogg.read,
    "flac": flac.read,
    "wav": riff.read_wav,
    "aiff": aiff.read,
    "avi": riff.read_avi,
    "asf": asf.read,
    "flv": flv.read,
    "aac": raw_audio.read_aac,
    "ac3": raw_audio.read_ac3,
    "dts": raw_audio.read_dts,
    "ape": ape_family.read_monkey,
    "wavpack": ape_family.read_wavpack,
    "tta": ape_family.read_tta,
    "musepack": ape_family.read_musepack,
    "matroska": matroska.read,
    "mpeg-ts": mpeg_ts.read,
    "mpeg-ps": mpeg_ps.read,
    "mpeg-es": mpeg_ps.read_video,
}
"""A reader takes a walk's state and the offset where its format begins. It must not raise: its parts are stages."""


def read_container(reading: Reading) -> None:
    """Reads whatever the file is; name and MIME type are set even if no reader knows the format."""
    sniffed, start = sniff(reading.file.run(0, SNIFF_BYTES)), 0
    if sniffed == ID3:
        sniffed, start = _read_tag(reading)
    elif sniffed == APE_TAG:
        sniffed, start = _read_ape_tag(reading)
    reading.result.container, reading.result.encoding_format = sniffed
    reader = READERS.get(sniffed.container or "")
    if reader:
        reading.supported = True
        reader(reading, start)
    reading.result.forget_impossible()


def _read_tag(reading: Reading) -> tuple[Sniffed, int]:
    """Reads the ID3v2 tag at the front; tells what stands behind it, and where."""
    head = reading.file.at_hand(0, 10)
    header = id3.find_header(reading.file, 0) if head else None
    if header is None:
        return UNKNOWN, 0
    reading.result.has_cover = False
    reading.stage("id3v2", id3.read_tag, reading, header)
    start = id3.end_of_tags(reading.file, header)
    return _behind_tags(reading, start), start


def _read_ape_tag(reading: Reading) -> tuple[Sniffed, int]:
    tag = tail_tags.find_ape_at_front(reading.file, 0)
    if tag is None:
        return UNKNOWN, 0
    reading.result.has_cover = False
    reading.stage("ape", tail_tags.read_ape, reading, tag)
    return _behind_tags(reading, tag.end), tag.end


def _behind_tags(reading: Reading, start: int) -> Sniffed:
    """MPEG audio, unless something else is seen there."""
    behind = sniff(reading.file.run(start, SNIFF_BYTES))
    return MP3 if behind in {UNKNOWN, ID3, APE_TAG} else behind
