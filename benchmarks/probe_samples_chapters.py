"""The files of `probe_samples` that have chapters: podcasts, audiobooks, films, songs with comments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import probe_bytes as by_hand
from mutagen.flac import FLAC
from mutagen.id3 import CHAP, CTOC, ID3, TIT2, CTOCFlags
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from mutagen.wave import WAVE
from probe_bytes import frame, id3
from probe_bytes_parts import (
    chap,
    chapter_atom,
    chapters_of_id3,
    ctoc,
    ebml,
    edition,
    encoded,
    matroska,
    track,
    without_chapter_track,
)
from probe_samples import Kitchen, Sample, saved, texts
from probe_samples_tags import id3_frames
from probe_truth import Stream

KB = 1024
TITLES = ("Opening", "Večerní píseň", "Čaj o páté", "第四章", "Low tide", "Μέρος έκτο", "What we heard", "Credits")
Marks = list[tuple[float, str]]
_MP3: dict[str, object] = {"codec": "mp3", "sample_rate": 44100, "channels": 2}
_H264 = "-c:v libx264 -preset veryfast -b:v 300k -c:a aac -b:a 96k"
_FILM: dict[str, object] = {"video_codec": "h264", "audio_codec": "aac", "is_video": True}


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from podcasts(kitchen)
    yield from mp4(kitchen)
    yield from matroska_files(kitchen)
    yield from comments(kitchen)


def marks(seconds: float, count: int = 8) -> Marks:
    """So many chapters of the same length."""
    return [(seconds * number / count, TITLES[number % len(TITLES)]) for number in range(count)]


def podcasts(kitchen: Kitchen) -> Iterator[Sample]:
    """ID3v2 in MP3, and in WAV."""
    one = partial(Sample, group="podcasts", seconds=kitchen.song, mime="audio/mpeg", facts=_MP3, texts=texts())
    found = marks(kitchen.song)
    bare = lambda: kitchen.audio("mp3", "-c:a libmp3lame -b:a 64k -id3v2_version 0").read_bytes()  # noqa: E731
    for version in (3, 4):
        written = partial(chapters_of_id3, found, kitchen.song, version=version)
        yield one(
            f"id3v2{version}-chapters.mp3",
            make=lambda written=written, version=version: (
                id3(*id3_frames(version), written(), version=version) + bare()
            ),
            chapters=found,
        )
    few = marks(kitchen.song, 5)
    yield one(
        "id3v23-chapters-pictures-20k.mp3",
        make=lambda: id3(*id3_frames(), chapters_of_id3(few, kitchen.song, 20 * KB), by_hand.apic(40 * KB)) + bare(),
        chapters=few,
        facts={**_MP3, "has_cover": True},
    )
    yield one(
        "id3v23-chapters-behind-cover-300k.mp3",
        make=lambda: id3(*id3_frames(), by_hand.apic(300 * KB), chapters_of_id3(found, kitchen.song)) + bare(),
        chapters=found,
        facts={**_MP3, "has_cover": True},
    )
    yield one("id3v24-chapters-of-parts.mp3", make=lambda: _of_parts(found, kitchen.song) + bare(), chapters=found)
    yield one(
        "id3v23-chapters-no-contents.mp3",
        make=lambda: id3(*id3_frames(), *reversed(_bare_chapters(found, kitchen.song))) + bare(),
        chapters=found,
    )
    yield one("id3v24-chapters-mutagen.mp3", make=lambda: _by_mutagen(found, bare()), chapters=found)
    yield one(
        "wav-id3-chapters.wav",
        make=lambda: saved(WAVE, kitchen.wave().read_bytes(), partial(_set_chapters_of_wave, found)),
        mime="audio/wav",
        facts={"codec": "pcm_s16le", "sample_rate": 44100},
        texts=texts("title"),
        chapters=found,
    )


def _bare_chapters(found: Marks, seconds: float, version: int = 3) -> list[bytes]:
    ends = [start for start, _ in found[1:]] + [seconds]
    return [
        chap(f"c{number}", start, end, frame("TIT2", encoded(title, version), version), version=version)
        for number, ((start, title), end) in enumerate(zip(found, ends, strict=True))
    ]


def _of_parts(found: Marks, seconds: float) -> bytes:
    """Two tables of contents below a third, and a link in each chapter."""
    names = [f"c{number}" for number in range(len(found))]
    half = len(names) // 2
    parts = [
        ctoc("toc", ["one", "two"], frame("TIT2", encoded("Contents", 4), 4), version=4),
        ctoc("one", names[:half], top=False, version=4),
        ctoc("two", names[half:], top=False, version=4),
    ]
    link = frame("WXXX", b"\0chapter url\0https://media.example/notes", 4)
    ends = [start for start, _ in found[1:]] + [seconds]
    for name, (start, title), end in zip(names, found, ends, strict=True):
        parts.append(chap(name, start, end, frame("TIT2", encoded(title, 4), 4), link, version=4))
    return id3(*id3_frames(4), *parts, version=4)


def _add_chapters(tags: Any, found: Marks) -> None:
    """Chapters in frames of mutagen."""
    names = [f"chp{number}" for number in range(len(found))]
    tags.add(CTOC(element_id="toc", flags=CTOCFlags.TOP_LEVEL | CTOCFlags.ORDERED, child_element_ids=names))
    for name, (start, title) in zip(names, found, strict=True):
        at = round(start * 1000)
        tags.add(CHAP(element_id=name, start_time=at, end_time=at + 1000, sub_frames=[TIT2(encoding=3, text=title)]))


def _by_mutagen(found: Marks, data: bytes) -> bytes:
    def change(tags: Any) -> None:
        _add_chapters(tags, found)

    return saved(ID3, id3(*id3_frames(4), version=4) + data, change)


def _set_chapters_of_wave(found: Marks, file: Any) -> None:
    file.add_tags()
    file.tags.add(TIT2(encoding=3, text=texts("title")[0].text))
    _add_chapters(file.tags, found)


# -- MP4 ---------------------------------------------------------------------------------------------------------------


def mp4(kitchen: Kitchen) -> Iterator[Sample]:
    """By ffmpeg, which writes a track of chapters and a list of them (``chpl``), or only the first."""
    found = marks(kitchen.song)
    one = partial(Sample, group="M4B", seconds=kitchen.song, mime="audio/mp4", texts=texts(), chapters=found)
    one = partial(one, facts={"codec": "aac", "sample_rate": 44100, "is_video": False})
    song = lambda: kitchen.audio("m4a", "-c:a aac -b:a 64k")  # noqa: E731
    book = lambda options="": _with_chapters(kitchen, "m4b", song(), found, f"{options} -f ipod")  # noqa: E731
    yield one("m4b-chapters-moov-first.m4b", make=lambda: book("-movflags +faststart"))
    yield one("m4b-chapters-moov-last.m4b", make=book)
    yield one("m4b-chapters-track-only.m4b", make=lambda: book("-movflags +disable_chpl"))
    yield one("m4b-chapters-list-only.m4b", make=lambda: without_chapter_track(book()))
    scenes = marks(kitchen.film, 5)
    film = partial(Sample, seconds=kitchen.film, texts=texts(), facts=_FILM, chapters=scenes)
    for name, group, mime, options in (
        ("mp4-chapters.mp4", "MP4", "video/mp4", "-movflags +faststart"),
        ("mov-chapters.mov", "MOV/3GP", "video/quicktime", ""),
    ):
        yield film(
            name,
            group,
            lambda name=name, options=options: _with_chapters(
                kitchen, name[-3:], kitchen.video("mp4", _H264), scenes, options
            ),
            mime=mime,
        )


def _with_chapters(
    kitchen: Kitchen, extension: str, made: Path, found: Sequence[tuple[float, str]], options: str
) -> bytes:
    """A file again with chapters and the usual texts, without a new encoding."""
    seconds = kitchen.film if extension in {"mp4", "mov", "mkv", "webm"} else kitchen.song
    ends = [start for start, _ in found[1:]] + [seconds]
    lines = [";FFMETADATA1"]
    for (start, title), end in zip(found, ends, strict=True):
        lines += ["[CHAPTER]", "TIMEBASE=1/1000", f"START={round(start * 1000)}", f"END={round(end * 1000)}"]
        lines.append(f"title={title}")
    listed = kitchen.text(f"chapters-{len(found)}-{seconds}.txt", "\n".join(lines) + "\n")
    return kitchen.again_with(extension, made, listed, options).read_bytes()


# -- Matroska ----------------------------------------------------------------------------------------------------------


def matroska_files(kitchen: Kitchen) -> Iterator[Sample]:
    found = marks(kitchen.film, 5)
    one = partial(Sample, seconds=kitchen.film, texts=texts(), facts=_FILM, chapters=found)
    film = lambda: kitchen.video("mp4", _H264)  # noqa: E731
    yield one(
        "mkv-chapters.mkv",
        "Matroska",
        lambda: _with_chapters(kitchen, "mkv", film(), found, ""),
        mime="video/x-matroska",
    )
    vp8 = "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 300k -c:a libvorbis"
    yield one(
        "webm-chapters.webm",
        "WebM",
        lambda: _with_chapters(kitchen, "webm", kitchen.video("webm", vp8), found, ""),
        mime="video/webm",
        facts={"video_codec": "vp8", "audio_codec": "vorbis", "is_video": True},
    )
    heard = marks(kitchen.song)
    yield one(
        "mka-chapters.mka",
        "Matroska",
        lambda: _with_chapters(kitchen, "mka", kitchen.audio("ogg", "-c:a libvorbis -q:a 2"), heard, ""),
        seconds=kitchen.song,
        mime="audio/x-matroska",
        facts={"codec": "vorbis", "is_video": False},
        chapters=heard,
    )
    yield from _by_hand_matroska()


def _by_hand_matroska() -> Iterator[Sample]:
    """Two languages of each chapter, and a hidden edition that is not for people; at the end of the file too."""
    length = 3000.0
    found = marks(length, 40)
    picture = ebml("e0", ebml("b0", 320), ebml("ba", 180))
    tracks = [track(1, 1, "V_VP9", picture), track(2, 2, "A_OPUS")]
    shown = [
        chapter_atom(start, (title, "und"), (f"Kapitel {number}", "ger"), uid=number + 1)
        for number, (start, title) in enumerate(found)
    ]
    hidden = edition(chapter_atom(1.0, ("Not for people", "eng"), uid=999), default=0, hidden=1)
    for name, last in (("first", False), ("last", True)):
        yield Sample(
            f"mkv-chapters-two-languages-{name}.mkv",
            "Matroska",
            lambda last=last: matroska(length, tracks, chapters=[edition(*shown), hidden], last=last, size=300 * KB),
            length,
            mime="video/x-matroska",
            countable=False,
            tracks=[Stream("video", "vp9"), Stream("audio", "opus")],
            chapters=[(*mark, f"Kapitel {number}") for number, mark in enumerate(found)],
        )


# -- Vorbis comments ---------------------------------------------------------------------------------------------------


def comments(kitchen: Kitchen) -> Iterator[Sample]:
    """CHAPTER001=00:00:00.000 and CHAPTER001NAME=Opening (Xiph's wiki, "Chapter Extension")."""
    found = marks(kitchen.song)
    one = partial(Sample, seconds=kitchen.song, texts=texts(), chapters=found)
    change = partial(set_comments, found)
    makers: list[tuple[str, str, Callable[..., Any], str, str, str]] = [
        ("flac-chapters.flac", "FLAC", FLAC, "-c:a flac", "audio/flac", "flac"),
        ("vorbis-chapters.ogg", "Ogg", OggVorbis, "-c:a libvorbis -q:a 2", "audio/ogg", "vorbis"),
        ("opus-chapters.opus", "Ogg", OggOpus, "-c:a libopus -b:a 48k", "audio/ogg", "opus"),
    ]
    for name, group, kind, options, mime, codec in makers:
        yield one(
            name,
            group,
            lambda name=name, kind=kind, options=options: saved(
                kind, kitchen.audio(name.rpartition(".")[2], options, tagged=True).read_bytes(), change
            ),
            mime=mime,
            facts={"codec": codec},
        )


def set_comments(found: Marks, file: Any) -> None:
    """Adds chapters to a file of mutagen with Vorbis comments."""
    for number, (start, title) in enumerate(found, 1):
        hours, rest = divmod(start, 3600)
        minutes, seconds = divmod(rest, 60)
        file[f"CHAPTER{number:03}"] = [f"{int(hours):02}:{int(minutes):02}:{seconds:06.3f}"]
        file[f"CHAPTER{number:03}NAME"] = [title]
