"""The media files of the demo: their bytes, their true titles, and longer versions of them."""

# ruff: noqa: RUF001 - the titles are Greek, Russian and Japanese on purpose
from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import cycle, islice
from pathlib import PurePosixPath

CONTENT_TYPES = {
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
    ".mp4": "video/mp4",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".flac": "audio/flac",
}

TITLES = {
    "bateau.mp4": "Le bateau de papier",
    "burza.m4a": "Burza nad jeziorem",
    "cafe.mp3": "Café on the Quay",
    "foire.mp4": "La foire aux cerfs-volants",
    "folge-1.mp3": "Folge 1: Frühstück im Stehen",
    "folge-2.mp3": "Folge 2: Zwölf Brötchen, bitte",
    "folge-3.mp3": "Folge 3: Größere Tassen",
    "kaze.mp3": "風の駅",
    "kitchen.mp3": "Kitchen Recording No. 4",
    "lanternes.mp3": "Les lanternes de l'été",
    "low-water.flac": "Low Water",
    "minato.mp3": "港の灯り",
    "most.mp3": "Старый мост",
    "nachtzug.mp3": "Nachtzug nach Köln",
    "nychta.opus": "Νύχτα στο μπαλκόνι",
    "ozero.mp3": "Озеро в октябре",
    "regenlied.mp3": "Regenlied für Übermütige",
    "sanchaek.mp3": "산책하는 고양이",
    "spacer.m4a": "Zimowy spacer wśród łąk",
    "thalassa.ogg": "Η θάλασσα το πρωί",
    "utro.mp3": "Утро на берегу",
}
"""File name -> title as its maker meant it, also where the file itself declares a wrong encoding."""

LEGACY_ENCODINGS = {
    "ozero.mp3": "cp1251",
    "most.mp3": "cp1251",
    "minato.mp3": "shift_jis",
    "sanchaek.mp3": "euc_kr",
}
"""File name -> Python codec of the text in tags that claim Latin-1, or (ID3v1) claim nothing."""

MAX_SECONDS = 4 * 3600
"""Longest MP3 that `grow_mp3` makes; 40 MB at the bit rate of the demo's files."""

_ID3V1_SIZE = 128
# Layer III, kbit/s by the header's bit rate index (ISO 11172-3, 2.4.2.3; ISO 13818-3 for half the rate).
_KBITS_MPEG1 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
_KBITS_MPEG2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160)
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


@cache
def media_bytes(name: str) -> bytes:
    """The bytes of one media file of the demo, by its name.

    Raises:
        FileNotFoundError: there is none of this name.
    """
    return (files("mediacrawl.demo") / "media" / name).read_bytes()


def content_type_of(name: str) -> str:
    """Media type by the name's extension; KeyError if it is none of the demo's."""
    return CONTENT_TYPES[PurePosixPath(name).suffix]


def grow_mp3(data: bytes, seconds: float) -> bytes:
    """Make an MP3 longer by repeating its own frames; its tags stay as they are.

    The result is a sound MP3 of constant bit rate, if the frames do not borrow bits from each other (the demo's
    files were encoded so).

    Args:
        data: an MP3 with tags at its ends, if any, and nothing but Layer III frames between them.
        seconds: length of the result, rounded to whole frames; at least one frame.

    Raises:
        ValueError: `data` is no such MP3, or it has a Xing, Info or VBRI header, which states a length that would
            become false, or more than `MAX_SECONDS` are asked for.
    """
    if not 0 < seconds <= MAX_SECONDS:
        raise ValueError(f"length must be above 0 and at most {MAX_SECONDS} s")
    start, stop = _audio_span(data)
    frames = _split_frames(data[start:stop])
    if any(mark in frames[0][0] for mark in (b"Xing", b"Info", b"VBRI")):
        raise ValueError("this MP3 states its length in its first frame")
    wanted = max(1, round(seconds / frames[0][1]))
    body = b"".join(frame for frame, _ in islice(cycle(frames), wanted))
    return data[:start] + body + data[stop:]


def _audio_span(data: bytes) -> tuple[int, int]:
    """Where the frames start and stop, between an ID3v2 tag and an ID3v1 tag."""
    start = 0
    if data.startswith(b"ID3") and len(data) >= 10:
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=True))
    has_v1 = len(data) - start >= _ID3V1_SIZE and data[-_ID3V1_SIZE:].startswith(b"TAG")
    return start, len(data) - (_ID3V1_SIZE if has_v1 else 0)


def _split_frames(audio: bytes) -> list[tuple[bytes, float]]:
    """The frames and the seconds that each plays."""
    frames = []
    position = 0
    while position < len(audio):
        size, seconds = _frame(audio[position : position + 4])
        frames.append((audio[position : position + size], seconds))
        position += size
    if not frames or position != len(audio):
        raise ValueError("the MP3 has no frames, or ends within one")
    return frames


def _frame(header: bytes) -> tuple[int, float]:
    """Bytes and seconds of a Layer III frame (ISO 11172-3, 2.4.1.3)."""
    word = int.from_bytes(header, "big")
    version, layer, index, rate = word >> 19 & 3, word >> 17 & 3, word >> 12 & 15, word >> 10 & 3
    if len(header) < 4 or word >> 21 != 0x7FF or layer != 1 or version == 1 or rate == 3 or not 0 < index < 15:
        raise ValueError("not a Layer III frame with a known bit rate")
    hertz = _RATES[version][rate]
    bits = 1000 * (_KBITS_MPEG1 if version == 3 else _KBITS_MPEG2)[index]
    samples = 1152 if version == 3 else 576
    return samples // 8 * bits // hertz + (word >> 9 & 1), samples / hertz
