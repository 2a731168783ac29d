"""WAV in its four containers: RIFF, RIFX with the high byte first, RF64 and BW64 for over 4 GB, and Sony's Wave64.

Sources: "New Multimedia Data Types and Data Techniques" (Microsoft, 1994), EBU Tech 3306 and ITU-R BS.2088 for files
over 4 GB, EBU Tech 3285 for ``bext``; "Sony Wave64 File Format Specification" (Sonic Foundry).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mediacrawl.probe.context import BrokenError, ParseContext, exact, unpack
from mediacrawl.probe.formats import long_chunks
from mediacrawl.probe.formats.keys import riff_key
from mediacrawl.probe.formats.long_chunks import ChunkLayout
from mediacrawl.probe.formats.riff import (
    Chunk,
    children,
    end_of_file,
    first,
    list_type,
    media_size,
    read_id3,
    read_info,
    walk,
)
from mediacrawl.probe.formats.riff_markers import Marks
from mediacrawl.probe.formats.windows_headers import WAVE_FORMAT_BYTES, Order, WaveFormat, read_wave_format
from mediacrawl.probe.text import LATIN1, UTF16LE, Value, ended, unterminated

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
    """Contents of the chunks.

    Attributes:
        order: of the bytes of a number.
        is_long: whether numbers of samples have 64 bits, as in Wave64.
        format: the contents of ``fmt ``.
        samples: samples of one channel, by ``fact`` or ``ds64``; 0 is unknown.
        data: bytes of audio.
        long_sizes: sizes that do not fit into 32 bits, by ``ds64``.
        marks: named places.
    """

    order: Order = "little"
    is_long: bool = False
    format: WaveFormat | None = None
    samples: int = 0
    data: int | None = None
    long_sizes: dict[bytes, int] = field(default_factory=dict)
    marks: Marks = field(default_factory=Marks)

    @property
    def rate(self) -> int:
        """Samples a second; 0 is unknown."""
        return self.format.sample_rate if self.format else 0


def read(context: ParseContext, start: int) -> None:
    """Reads a WAV file: RIFF, RIFX, RF64 or BW64."""
    wave = _Wave("big" if exact(context.file, start, start + 4) == b"RIFX" else "little")
    with context.stage("chunks"):
        _read_chunks(context, start, wave)
    with context.stage("length"):
        _take_facts(context, wave)
    with context.stage("chapters"):
        context.add_chapters("riff", "labl", wave.marks.chapters(wave.rate))


def _read_chunks(context: ParseContext, start: int, wave: _Wave) -> None:
    stop = end_of_file(context.file, start, wave.order)
    for chunk in walk(context, start + 12, stop, wave.order, wave.long_sizes):
        if chunk.name == b"data" and wave.data is None:
            wave.data, last = media_size(context, chunk, stop, wave.order)
            if last:
                return
        _read_chunk(context, chunk, wave)


def _read_chunk(context: ParseContext, chunk: Chunk, wave: _Wave) -> None:
    if chunk.name in _HEADERS:
        with context.stage("format"):
            _read_header(context, chunk, wave)
    elif chunk.name == b"bext":
        with context.stage("bext"):
            body = first(context, chunk, min(chunk.size, _BEXT[-1][3]))
            for name, key, start, stop in _BEXT:
                context.add("riff", f"bext {name}", key, Value(ended(body[start:stop]), LATIN1))
    elif chunk.name in {b"id3 ", b"ID3 "}:
        read_id3(context, chunk)
    elif chunk.name == b"cue " and context.fits(chunk.size):
        with context.stage("cue"):
            wave.marks.read_cue_points(exact(context.file, chunk.body, chunk.stop), wave.order)
    elif (kind := list_type(context, chunk)) == b"INFO":
        with context.stage("info"):
            read_info(context, chunk, wave.order)
    elif kind == b"adtl":
        with context.stage("labels"):
            for label in children(context, chunk, wave.order):
                if label.name in {b"labl", b"ltxt"} and context.fits(label.size):
                    wave.marks.read_label(label.name, exact(context.file, label.body, label.stop), wave.order)


def _read_header(context: ParseContext, chunk: Chunk, wave: _Wave) -> None:
    if chunk.name == b"ds64":
        data_size, samples = unpack("<8xQQ", first(context, chunk, 24))
        wave.long_sizes[b"data"], wave.samples = data_size, samples
    elif chunk.name == b"fmt ":
        wave.format = read_wave_format(first(context, chunk, min(chunk.size, WAVE_FORMAT_BYTES)), wave.order)
    elif not wave.samples:
        wave.samples = int.from_bytes(first(context, chunk, 8 if wave.is_long else 4), wave.order)


def _take_facts(context: ParseContext, wave: _Wave) -> None:
    sound, result = wave.format, context.result
    if sound is None:
        return
    result.set_audio(sound.codec, sound.sample_rate, sound.channels, sound.bits_per_sample)
    rate = sound.bytes_per_second
    result.bitrate, result.bitrate_mode = rate * 8, "cbr" if sound.constant else None
    if wave.data and sound.plain and rate:
        result.set_duration(wave.data / rate)
    elif wave.samples not in _UNKNOWN and sound.sample_rate:
        result.set_duration(wave.samples / sound.sample_rate)
    elif wave.data and rate:
        result.set_duration(wave.data / rate, estimated=not sound.constant)
    if not sound.plain:
        result.set_average_bitrate(wave.data)


_WAVE64 = ChunkLayout(name=16, order="little", counts_header=True, align=8)
_FORM = bytes.fromhex("77617665f3acd3118cd100c04f8edb8a")
_TAIL = _FORM[4:]
"""Behind four letters it makes the names of the chunks that WAV has too."""
_SUMMARY = bytes.fromhex("bc945f925a52d21186dc00c04f8edb8a")


def read_wave64(context: ParseContext, start: int) -> None:
    """Reads a Wave64 file."""
    wave = _Wave(is_long=True)
    with context.stage("chunks"):
        _read_wave64_chunks(context, start, wave)
    with context.stage("length"):
        _take_facts(context, wave)


def _read_wave64_chunks(context: ParseContext, start: int, wave: _Wave) -> None:
    head = exact(context.file, start, start + 40)
    if head[24:] != _FORM:
        raise BrokenError("another form than that of WAV")
    stop = long_chunks.end_of_file(context, start + int.from_bytes(head[16:24], "little"))
    for chunk in long_chunks.walk(context, start + 40, stop, _WAVE64):
        if chunk.name == _SUMMARY:
            with context.stage("info"):
                _read_summary(context, chunk)
        elif chunk.name.endswith(_TAIL):
            named = replace(chunk, name=chunk.name[:4])
            if named.name == b"data" and wave.data is None:
                wave.data = long_chunks.media_size(chunk)
                if chunk.stop >= stop:
                    return
            _read_chunk(context, named, wave)


def _read_summary(context: ParseContext, chunk: Chunk) -> None:
    """Reads a list of texts in UTF-16: a number, then for each the name that it has in RIFF, its size and its bytes."""
    at = chunk.body + 4
    (count,) = unpack("<I", first(context, chunk, 4))
    for _ in range(count):
        if at + 8 > chunk.stop:
            return
        context.count()
        head = exact(context.file, at, at + 8)
        begin, at = at + 8, at + 8 + int.from_bytes(head[4:], "little")
        if at > chunk.stop:
            raise BrokenError("a text is longer than its chunk")
        name = head[:4].decode(LATIN1).strip(" \0")
        if name and context.fits(at - begin):
            raw = exact(context.file, begin, at)
            context.add("w64", name, riff_key(name), Value(unterminated(raw), UTF16LE))
