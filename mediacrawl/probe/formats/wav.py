"""WAV, RF64 and BW64: format, length, and the texts before or behind the audio.

Sources: "New Multimedia Data Types and Data Techniques" (Microsoft, 1994) for ``fmt `` and ``fact``, EBU Tech 3306
and ITU-R BS.2088 for files over 4 GB, EBU Tech 3285 for ``bext``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mediacrawl.probe.context import Reading, unpack
from mediacrawl.probe.formats import riff
from mediacrawl.probe.formats.riff import Chunk
from mediacrawl.probe.formats.windows_headers import SoundFormat, read_sound_format
from mediacrawl.probe.text import LATIN1, Value

_FORMAT_BYTES = 40
_UNKNOWN = {0, 0xFFFFFFFF}
_HEADERS = frozenset({b"ds64", b"fmt ", b"fact"})
_BEXT = (
    ("Description", "description", 0, 256),
    ("Originator", "originator", 256, 288),
    ("OriginationDate", "date", 320, 330),
)
"""Name, key, and place of the texts of ``bext`` (EBU Tech 3285, 2.3). What else it has are references and numbers."""


@dataclass(slots=True)
class _Wave:
    """What the chunks say.

    Attributes:
        format: the contents of ``fmt ``.
        samples: samples of one channel, by ``fact`` or ``ds64``; 0 is unknown.
        data: bytes of audio.
        long_sizes: sizes that do not fit into 32 bits, by ``ds64``.
    """

    format: SoundFormat | None = None
    samples: int = 0
    data: int | None = None
    long_sizes: dict[bytes, int] = field(default_factory=dict)


def read(reading: Reading, start: int) -> None:
    """Reads a WAV file.

    Args:
        reading: takes what is found.
        start: offset of ``RIFF`` or ``RF64``.
    """
    reading.result.has_cover = False
    wave = _Wave()
    reading.stage("chunks", _read_chunks, reading, start, wave)
    reading.stage("length", _take_facts, reading, wave)


def _read_chunks(reading: Reading, start: int, wave: _Wave) -> None:
    stop = riff.end_of_file(reading.file, start)
    for chunk in riff.walk(reading, start + 12, stop, long_sizes=wave.long_sizes):
        if chunk.name == b"data" and wave.data is None:
            wave.data, last = riff.media_size(reading, chunk, stop)
            if last:
                return
        _read_chunk(reading, chunk, wave)


def _read_chunk(reading: Reading, chunk: Chunk, wave: _Wave) -> None:
    if chunk.name in _HEADERS:
        reading.stage("format", _read_header, reading, chunk, wave)
    elif chunk.name == b"bext":
        reading.stage("bext", _read_bext, reading, chunk)
    elif chunk.name in {b"id3 ", b"ID3 "}:
        reading.stage("id3v2", riff.read_id3, reading, chunk)
    elif riff.list_type(reading, chunk) == b"INFO":
        reading.stage("info", riff.read_info, reading, chunk)


def _read_header(reading: Reading, chunk: Chunk, wave: _Wave) -> None:
    if chunk.name == b"ds64":
        data_size, samples = unpack("<8xQQ", riff.first(reading, chunk, 24))
        wave.long_sizes[b"data"], wave.samples = data_size, samples
    elif chunk.name == b"fmt ":
        wave.format = read_sound_format(riff.first(reading, chunk, min(chunk.size, _FORMAT_BYTES)))
    elif not wave.samples:
        (wave.samples,) = unpack("<I", riff.first(reading, chunk, 4))


def _read_bext(reading: Reading, chunk: Chunk) -> None:
    body = riff.first(reading, chunk, min(chunk.size, _BEXT[-1][3]))
    for name, key, start, stop in _BEXT:
        raw = body[start:stop].partition(b"\0")[0]
        reading.add("riff", f"bext {name}", key, Value(raw, LATIN1))


def _take_facts(reading: Reading, wave: _Wave) -> None:
    sound, result = wave.format, reading.result
    if sound is None:
        return
    result.codec = result.audio_codec = sound.codec
    result.sample_rate, result.channels = sound.sample_rate, sound.channels
    result.bits_per_sample = sound.bits_per_sample
    rate = sound.bytes_per_second
    result.bitrate, result.bitrate_mode = rate * 8, "cbr" if sound.constant else None
    if wave.data and sound.plain and rate:
        result.set_duration(wave.data / rate)
    elif wave.samples not in _UNKNOWN and sound.sample_rate:
        result.set_duration(wave.samples / sound.sample_rate)
    elif wave.data and rate:
        result.set_duration(wave.data / rate, estimated=not sound.constant)
    if wave.data and result.duration and not sound.plain:
        result.bitrate = round(wave.data * 8 / result.duration)
