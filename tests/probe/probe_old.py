"""Old media formats written by hand: Standard MIDI Files, module trackers, RealMedia."""

from __future__ import annotations

import struct

# -- MIDI --------------------------------------------------------------------------------------------------------------

TEXT, COPYRIGHT, NAME, LYRIC = 1, 2, 3, 5


def number(value: int) -> bytes:
    """A number of seven bits a byte, the highest first."""
    out = bytes([value & 0x7F])
    while value := value >> 7:
        out = bytes([value & 0x7F | 0x80]) + out
    return out


def meta(kind: int, body: bytes, after: int = 0) -> bytes:
    """A meta event some ticks after the one before."""
    return number(after) + bytes([0xFF, kind]) + number(len(body)) + body


def tempo(micros: int, after: int = 0) -> bytes:
    return meta(0x51, micros.to_bytes(3, "big"), after)


def end(after: int = 0) -> bytes:
    return meta(0x2F, b"", after)


def notes(count: int, ticks: int = 96) -> bytes:
    """Notes with running status, each `ticks` long, from the first on without a pause."""
    played = b"".join(number(0) + bytes([60, 90]) + number(ticks) + bytes([60, 0]) for _ in range(count))
    return b"\0\xc0\x05\0\x90" + played[1:]


def track(*events: bytes) -> bytes:
    body = b"".join(events)
    return b"MTrk" + struct.pack(">I", len(body)) + body


def midi(*tracks: bytes, kind: int = 1, division: int = 96, count: int | None = None) -> bytes:
    """A file; `count` is what the header says of the number of tracks, if that is another one."""
    stated = len(tracks) if count is None else count
    return b"MThd" + struct.pack(">IHHH", 6, kind, stated, division) + b"".join(tracks)


def riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<I", len(body)) + body + bytes(len(body) % 2)


def rmid(*chunks: bytes) -> bytes:
    return riff_chunk(b"RIFF", b"RMID" + b"".join(chunks))


def karaoke(title: bytes, artist: bytes) -> bytes:
    """A song for Soft Karaoke of 8 quarter notes at half a second each."""
    marks = [b"@KMIDI KARAOKE FILE", b"@V0100", b"@IMade by Sine"]
    first = [meta(NAME, b"Soft karaoke"), *(meta(TEXT, mark) for mark in marks), tempo(500_000), end()]
    words = [meta(TEXT, b"@LRUSS"), meta(TEXT, b"@T" + title), meta(TEXT, b"@T" + artist), meta(TEXT, b"@T(c) 1999")]
    sung = [meta(TEXT, b"\\La"), *(meta(TEXT, b"la", 96) for _ in range(8))]
    return midi(
        track(*first), track(meta(NAME, b"Words"), *words, *sung, end()), track(meta(NAME, b"Bass"), notes(8), end())
    )


# -- one of each -------------------------------------------------------------------------------------------------------


def old_files() -> dict[str, bytes]:
    """A small file of each format, by name."""
    return {
        "hand.kar": karaoke("Вечерняя песня".encode("cp1251"), b"Sine"),
        "hand.mid": midi(track(meta(NAME, b"Tone"), b"\0\xf0\x03\x7e\x7f\xf7", notes(8), end()), kind=0),
        "hand.rmi": rmid(
            riff_chunk(b"data", midi(track(tempo(400_000), notes(8), end()))),
            riff_chunk(b"LIST", b"INFO" + riff_chunk(b"INAM", b"Tone\0")),
            riff_chunk(b"DISP", b"\1\0\0\0Tone\0"),
        ),
    }
