"""From the sniffed type to the reader of its container."""

from __future__ import annotations

from collections.abc import Callable

from mediacrawl.probe import flac, id3, mp4, mpeg, ogg
from mediacrawl.probe.reading import Reading
from mediacrawl.probe.sniff import ID3, MP3, SNIFF_BYTES, UNKNOWN, Sniffed, sniff

READERS: dict[str, Callable[[Reading, int], None]] = {
    "mp3": mpeg.read,
    "mp4": mp4.read,
    "mov": mp4.read,
    "ogg": ogg.read,
    "flac": flac.read,
}
"""A reader takes a walk's state and the offset where its format begins. It must not raise: its parts are stages."""


def read_container(reading: Reading) -> None:
    """Reads whatever the file is; name and MIME type are set even if no reader knows the format."""
    sniffed, start = sniff(reading.file.run(0, SNIFF_BYTES)), 0
    if sniffed == ID3:
        sniffed, start = _read_tag(reading)
    reading.result.container, reading.result.encoding_format = sniffed
    reader = READERS.get(sniffed.container or "")
    if reader:
        reading.supported = True
        reading.file.name = f"probe.{sniffed.container}"
        reader(reading, start)


def _read_tag(reading: Reading) -> tuple[Sniffed, int]:
    """Reads the ID3v2 tag at the front; tells what stands behind it, and where."""
    head = reading.file.at_hand(0, 10)
    header = id3.find_header(reading.file, 0) if head else None
    if header is None:
        return UNKNOWN, 0
    reading.result.has_cover = False
    reading.stage("id3v2", id3.read_tag, reading, header)
    start = id3.end_of_tags(reading.file, header)
    behind = sniff(reading.file.run(start, SNIFF_BYTES))
    # MPEG audio, unless something else is seen there.
    return MP3 if behind in {UNKNOWN, ID3} else behind, start
