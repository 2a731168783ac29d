"""Seeds with chapters, marks, people, identifiers and gains: what tags hold besides texts."""

from __future__ import annotations

import io
import struct
from uuid import UUID

from mutagen.flac import FLAC, CueSheet, CueSheetTrack, CueSheetTrackIndex
from mutagen.oggvorbis import OggVorbis
from probe_media import chunk, cover, frame, id3, sample, saved

_UNKNOWN = 2**32 - 1


def marks() -> dict[str, bytes]:
    """All of them by name."""
    return {
        "marks-v23.mp3": id3(*_frames(3)) + _lame(),
        "marks-v24.mp3": id3(*_frames(4), version=4) + sample("cbr.mp3")[:4000],
        "marks-unsynchronised.mp3": id3(*(each.replace(b"\xff", b"\xff\0") for each in _frames(3)), flags=0x80)
        + sample("cbr.mp3")[:4000],
        "marks.flac": _flac(),
        "marks.ogg": _vorbis(),
        "marks.opus": sample("tone.opus").replace(b"\x80\xbb\0\0\0\0", b"\x80\xbb\0\0\x80\xfc", 1),
        "marks.wav": _wav(),
        "marks.aiff": _aiff(),
        "marks.wma": _asf(),
    }


def _frames(version: int) -> list[bytes]:
    def made(name: str, body: bytes) -> bytes:
        return frame(name, body, version=version)

    picture = made("APIC", b"\0image/jpeg\0\3\0" + cover(300))
    inner = made("TIT2", b"\0\xcf\xf0\xe8\xe2\xe5\xf2") + made("WXXX", b"\0\0https://example.org/a") + picture
    times = struct.pack(">IIII", 0, 1000, _UNKNOWN, _UNKNOWN)
    people = b"\1" + b"\0\0".join(text.encode("utf-16") for text in ("mix", "Ann", "guitar", "Bob"))
    return [
        made("CTOC", b"toc\0\3\2b\0a\0" + made("TIT2", b"\0Parts")),
        made("CHAP", b"a\0" + times + inner),
        made("CHAP", b"b\0" + struct.pack(">IIII", 1000, _UNKNOWN, 0, 0) + made("TIT3", b"\0Two")),
        made("UFID", b"http://musicbrainz.org\0" + b"f" * 36),
        made("RVA2", b"track\0\1\xf3\0\x10\x40\0\2\0\0\0"),
        made("RVAD", b"\3\x10\x40\0\x40\0"),
        made("RGAD", struct.pack(">fHH", 0.5, 0x2C41, 0x4C07)),
        made("PCST", bytes(4)),
        made("WFED", b"\0https://example.org/feed"),
        made("IPLS" if version == 3 else "TMCL", people),
        made("TXXX", b"\0replaygain_album_peak\x000.5"),
        picture,
    ]


def _lame() -> bytes:
    header, size = b"\xff\xfb\x90\xc4", 417
    gains = struct.pack(">IHH", 1 << 22, 0x2C41, 0x4C07)
    info = struct.pack(">4sIIII", b"Info", 0xB, 9, 10 * size, 80) + b"LAME3.93 " + bytes(2) + gains + bytes(17)
    return (header + bytes(17) + info).ljust(size, b"\0") + header.ljust(size, b"\0") * 9


_CHAPTERS = {
    "CHAPTER001": "00:00:00.000",
    "CHAPTER001NAME": "One",
    "CHAPTER002": "00:00:01.000-->00:00:02",
    "CHAPTER002URL": "https://example.org/two",
    "PERFORMER": "Ann (guitar)",
    "LICENSE": "https://example.org/licence",
    "R128_TRACK_GAIN": "-512",
}


def _vorbis() -> bytes:
    file = OggVorbis(io.BytesIO(sample("tone.ogg")))
    file.update(_CHAPTERS)
    return saved(file, sample("tone.ogg"))


def _flac() -> bytes:
    file = FLAC(io.BytesIO(sample("tone.flac")))
    file.update({"CHAPTER001": "00:00:00", "CHAPTER001NAME": "x" * 30})
    sheet = CueSheet(None)
    for number, offset in ((1, 0), (2, 8000), (170, 16_000)):
        track = CueSheetTrack(number, offset, b"", 0, False)
        track.indexes += [CueSheetTrackIndex(1, 100)] * (number < 170)
        sheet.tracks.append(track)
    file.metadata_blocks.append(sheet)
    return saved(file, sample("tone.flac"))


def _wav() -> bytes:
    points = struct.pack("<I", 2) + b"".join(struct.pack("<II4sIII", n, n * 99, b"data", 0, 0, n * 99) for n in (1, 2))
    region = struct.pack("<II4s4H", 2, 50, b"rgn ", 0, 0, 0, 0) + b"Two"
    names = chunk(b"labl", struct.pack("<I", 1) + b"One\0") + chunk(b"ltxt", region)
    data = sample("tone.wav")[:3000]
    return data[:12] + chunk(b"cue ", points) + chunk(b"LIST", b"adtl" + names) + data[12:]


def _aiff() -> bytes:
    places = struct.pack(">H", 2) + struct.pack(">HI", 1, 5) + b"\3One" + struct.pack(">HI", 2, 99) + b"\4loop\0"
    loops = bytes(8) + struct.pack(">6H", 1, 2, 2, 0, 0, 0)
    data = sample("tone.aiff")[:3000]
    return data[:12] + chunk(b"MARK", places, ">") + chunk(b"INST", loops, ">") + data[12:]


def _asf() -> bytes:
    text = "One\0".encode("utf-16-le")
    one = struct.pack("<QQHIII", 0, 40_000_000, 12 + len(text), 0, 0, len(text) // 2) + text
    body = bytes(16) + struct.pack("<IHH", 2, 0, 2) + b"a\0" + one * 2
    thing = UUID("F487CD01-A951-11CF-8EE6-00C00C205365").bytes_le + struct.pack("<Q", len(body) + 24) + body
    data = sample("tone.wma")
    (size,) = struct.unpack_from("<Q", data, 16)
    return data[:16] + struct.pack("<Q", size + len(thing)) + data[24:size] + thing + data[size : size + 2000]
