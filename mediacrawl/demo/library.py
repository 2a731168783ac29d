"""The media files of the demo: their bytes, their true titles, and longer versions of them."""

# ruff: noqa: RUF001 - the names are Greek, Russian and Japanese on purpose
from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import cycle, islice
from pathlib import PurePosixPath

from mediacrawl.demo.mislabelled import RECORDINGS, Names, build
from mediacrawl.demo.tags import audio_span

CONTENT_TYPES = {
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
    ".mp4": "video/mp4",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".flac": "audio/flac",
    ".aac": "audio/aac",
    ".ac3": "audio/ac3",
    ".aiff": "audio/aiff",
    ".avi": "video/x-msvideo",
    ".flv": "video/x-flv",
    ".mkv": "video/x-matroska",
    ".m2ts": "video/mp2t",
    ".wav": "audio/wav",
    ".webm": "video/webm",
    ".wma": "audio/x-ms-wma",
    ".wv": "audio/x-wavpack",
}

_GARDENERS = "Die Gleisgärtner"
_FERRY, _NORTH = "Тихая Пристань", "Письма с севера"
_PARTY, _HARBOUR = "Νησιώτικη Παρέα", "Μικρό λιμάνι"

NAMES = {
    "baile.avi": Names("Baile de otoño", "Cine del Arrabal", ""),
    "bateau.mp4": Names("Le bateau de papier", "Ciné-club des Écluses", ""),
    "burza.m4a": Names("Burza nad jeziorem", "Kapela Żuraw", "Źródło"),
    "cafe.mp3": Names("Café on the Quay", "Harbour & Sons", "Tide Tables"),
    "dag-yolu.mkv": Names("Dağ yolunda kış", "Kıyı Film", ""),
    "foire.mp4": Names("La foire aux cerfs-volants", "Ciné-club des Écluses", ""),
    "folge-1.mp3": Names("Folge 1: Frühstück im Stehen", "Podcast am Morgen", "Staffel 1"),
    "folge-2.mp3": Names("Folge 2: Zwölf Brötchen, bitte", "Podcast am Morgen", "Staffel 1"),
    "folge-3.mp3": Names("Folge 3: Größere Tassen", "Podcast am Morgen", "Staffel 1"),
    "halling.aiff": Names("Hallingdans på tunet", "Fjordlaget", "Sommerkveld"),
    "kaze.mp3": Names("風の駅", "青葉三重奏", "窓のむこう"),
    "kisa.wav": Names("Kiša na trgu", "Družba Čipka", "Šetnja"),
    "kitchen.mp3": Names("Kitchen Recording No. 4", "Harbour & Sons", "Shoebox"),
    "lanternes.mp3": Names("Les lanternes de l'été", "Chœur des Écluses", "La fête au canal"),
    "low-water.flac": Names("Low Water", "Harbour & Sons", "Tide Tables"),
    "manha.wma": Names("Manhã de nevoeiro", "Trio da Ribeira", "Casa de pedra"),
    "marea.ac3": Names("Marea di marzo", "Coro del Molo", ""),
    "minato.mp3": Names("港の灯り", "青葉三重奏", "窓のむこう"),
    "mlyn.webm": Names("Mlýn u řeky", "Povltavský film", ""),
    "most.mp3": Names("Старый мост", _FERRY, _NORTH),
    "nachtzug.mp3": Names("Nachtzug nach Köln", _GARDENERS, "Fahrplanwechsel"),
    "ninna.aac": Names("Ninna nanna del porto", "Coro del Molo", "Città bassa"),
    "nychta.opus": Names("Νύχτα στο μπαλκόνι", _PARTY, _HARBOUR),
    "ozero.mp3": Names("Озеро в октябре", _FERRY, _NORTH),
    "regenlied.mp3": Names("Regenlied für Übermütige", _GARDENERS, "Fahrplanwechsel"),
    "sanchaek.mp3": Names("산책하는 고양이", "달빛 상점", "골목 이야기"),
    "spacer.m4a": Names("Zimowy spacer wśród łąk", "Kapela Żuraw", "Źródło"),
    "thalassa.ogg": Names("Η θάλασσα το πρωί", _PARTY, _HARBOUR),
    "tuuli.wv": Names("Tuuli järvellä", "Saaren Soittajat", "Kesäyö"),
    "utro.mp3": Names("Утро на берегу", _FERRY, _NORTH),
    "vinter.flv": Names("Vintervägen", "Skärgårdsfilm", ""),
    "vonat.m2ts": Names("Tavaszi vonat", "Dunaparti Mozi", ""),
    **{name: made.readable for name, made in RECORDINGS.items()},
}
"""File name -> title, artist and album as its maker meant them, also where the file itself declares a wrong encoding;
where an ID3v1 tag alone cut them, as far as the file holds them; of `UNTAGGED` what a page says."""

TITLES = {name: names.title for name, names in NAMES.items()}
"""File name -> its true title."""

UNTAGGED = frozenset({"marea.ac3", "vonat.m2ts"})
"""Files that hold no text; of them a page speaks."""

LEGACY_ENCODINGS = {
    "ozero.mp3": "cp1251",
    "most.mp3": "cp1251",
    "minato.mp3": "shift_jis",
    "sanchaek.mp3": "euc_kr",
    "kisa.wav": "cp1250",
    "baile.avi": "utf-8",
    "halling.aiff": "utf-8",
    **{name: made.wrong for name, made in RECORDINGS.items() if made.wrong},
}
"""File name -> Python codec of the text in tags that claim another one, or (ID3v1, RIFF, AIFF) claim nothing."""

MAX_SECONDS = 4 * 3600
"""Longest MP3 that `grow_mp3` makes; 40 MB at the bit rate of the demo's files."""

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
    if name in RECORDINGS:
        return build(name, media_bytes)
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
    start, stop = audio_span(data)
    frames = _split_frames(data[start:stop])
    if any(mark in frames[0][0] for mark in (b"Xing", b"Info", b"VBRI")):
        raise ValueError("this MP3 states its length in its first frame")
    wanted = max(1, round(seconds / frames[0][1]))
    body = b"".join(frame for frame, _ in islice(cycle(frames), wanted))
    return data[:start] + body + data[stop:]


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
