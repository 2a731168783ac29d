"""The files of `probe_samples` in containers that also take video: MP4, ASF, Matroska, AVI, FLV, MPEG, Ogg."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import probe_bytes as by_hand
from mutagen.asf import ASF, ASFByteArrayAttribute
from mutagen.mp4 import MP4, MP4Cover
from probe_samples import TEXTS, WRONG, Kitchen, Sample, Text, as_utf8, maker, saved, texts, wrong

KB, MB = 1024, 1024 * 1024
_AAC: dict[str, object] = {"audio_codec": "aac", "sample_rate": 44100, "channels": 2}
_PICTURE: dict[str, object] = {"width": 640, "height": 360, "frame_rate": 25.0, "is_video": True}
_H264: dict[str, object] = {**_AAC, **_PICTURE, "video_codec": "h264"}
_H264_OPTIONS = "-c:v libx264 -preset veryfast -b:v 400k -c:a aac -b:a 96k"
_FASTSTART = "-movflags +faststart"
_FRAGMENTS = "-frag_duration 5000000 -movflags +frag_keyframe+empty_moov+default_base_moof"


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from mp4_audio(kitchen)
    yield from mp4_hour(kitchen)
    yield from quicktime(kitchen)
    yield from asf(kitchen)
    yield from matroska(kitchen)
    yield from avi(kitchen)


def mp4_audio(kitchen: Kitchen) -> Iterator[Sample]:
    facts: dict[str, object] = {"codec": "aac", "sample_rate": 44100, "channels": 2, "is_video": False}
    one = maker("M4A", kitchen.song, "audio/mp4", facts)
    m4a = partial(kitchen.audio, "m4a", tagged=True)
    first = lambda: m4a(f"-c:a aac -b:a 128k {_FASTSTART}").read_bytes()  # noqa: E731
    last = lambda: m4a("-c:a aac -b:a 128k").read_bytes()  # noqa: E731
    covered = partial(one, facts={**facts, "has_cover": True}, texts=texts())
    yield covered("m4a-moov-last-cover-500k.m4a", make=lambda: saved(MP4, last(), _set_cover(500 * KB)))
    yield covered("m4a-moov-first-cover-2m.m4a", make=lambda: saved(MP4, first(), _set_cover(2 * MB)))
    yield one(
        "m4a-mutagen-freeform.m4a",
        make=lambda: saved(MP4, last(), _set_freeform),
        texts=[*texts(), Text("tracknumber", "3/12"), Text("isrc", "CZ1234567890")],
    )
    yield one(
        "m4a-not-utf8.m4a",
        make=lambda: _in_cp1251(saved(MP4, last(), lambda file: file.__setitem__("\xa9nam", "#" * len(WRONG)))),
        texts=[*texts("artist"), wrong()],
    )
    yield one("m4a-meta-without-version.m4a", make=lambda: by_hand.with_bare_meta(last()), texts=texts())
    yield one("m4a-mdat-64-bit.m4a", make=lambda: by_hand.with_long_mdat(last()), texts=texts())


def _set_cover(size: int) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        file["covr"] = [MP4Cover(by_hand.cover(size), MP4Cover.FORMAT_JPEG)]

    return change


def _set_freeform(file: Any) -> None:
    file["trkn"] = [(3, 12)]
    file["----:com.apple.iTunes:ISRC"] = b"CZ1234567890"


def _in_cp1251(data: bytes) -> bytes:
    return data.replace(b"#" * len(WRONG), WRONG.encode("cp1251"))


def mp4_hour(kitchen: Kitchen) -> Iterator[Sample]:
    for place, options in (("first", _FASTSTART), ("last", "")):
        yield Sample(
            f"audiobook-hour-moov-{place}.m4b",
            "M4B",
            lambda options=options: _audiobook(kitchen, options).read_bytes(),
            kitchen.hour,
            texts(),
            "audio/mp4",
            {"codec": "aac", "sample_rate": 44100, "channels": 1, "is_video": False},
            chapters=[(number * kitchen.hour / 40, f"Part {number}") for number in range(40)],
        )
        yield Sample(
            f"film-hour-moov-{place}.mp4",
            "MP4",
            lambda options=options: _long_film(kitchen, options).read_bytes(),
            kitchen.hour,
            texts(),
            "video/mp4",
            {**_H264, "width": 320, "height": 180},
        )

    one = maker("hours", kitchen.hour, "video/x-matroska", {**_H264, "width": 320, "height": 180})
    yield one("film-hour.mkv", make=lambda: _long_film(kitchen, "", "mkv").read_bytes(), texts=texts())
    yield one(
        "film-hour.ts",
        make=lambda: _long_film(kitchen, "", "ts").read_bytes(),
        mime="video/mp2t",
        facts={"video_codec": "h264", "audio_codec": "aac"},
    )
    yield one(
        "audiobook-hour-fragmented.m4a",
        make=lambda: kitchen.again(
            "m4a", kitchen.audio("m4a", "-c:a aac -b:a 48k -ac 1"), kitchen.hour, f"{_FRAGMENTS} -f mp4"
        ).read_bytes(),
        texts=texts(),
        mime="audio/mp4",
        facts={"codec": "aac", "is_video": False},
    )


def _audiobook(kitchen: Kitchen, options: str) -> Path:
    """With forty chapters."""
    length = kitchen.hour * 1000 // 40
    chapters = "".join(
        f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={number * length}\nEND={number * length + length}\ntitle=Part {number}\n"
        for number in range(40)
    )
    listed = kitchen.text(f"chapters-{kitchen.hour}.txt", f";FFMETADATA1\n{chapters}")
    part = kitchen.audio("m4a", "-c:a aac -b:a 48k -ac 1")
    whole = kitchen.again("m4a", part, kitchen.hour)
    merged = ("-i", whole, "-f", "ffmetadata", "-i", listed, "-map", "0:a", "-c", "copy", "-map_metadata", "0")
    return kitchen.ffmpeg("m4b", *merged, "-map_chapters", "1", *options.split(), "-f", "ipod")


def _long_film(kitchen: Kitchen, options: str, extension: str = "mp4") -> Path:
    part = kitchen.video("mp4", "-c:v libx264 -preset veryfast -b:v 100k -c:a aac -b:a 48k", size="320x180")
    return kitchen.again(extension, part, kitchen.hour, options)


def quicktime(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("MOV/3GP", kitchen.film, "video/quicktime", _H264)
    mov = partial(kitchen.video, "mov")
    yield one(
        "mov-apple-keys.mov",
        make=lambda: mov(
            f"{_H264_OPTIONS} -movflags use_metadata_tags",
            "-metadata",
            f"com.apple.quicktime.title={TEXTS['title']}",
            "-metadata",
            "com.apple.quicktime.author=Sine",
            tagged=False,
        ).read_bytes(),
        texts=[*texts("title"), Text("", "Sine")],
    )


def asf(kitchen: Kitchen) -> Iterator[Sample]:
    facts: dict[str, object] = {"codec": "wmav2", "sample_rate": 44100, "channels": 2, "is_video": False}
    one = maker("ASF", kitchen.song, "audio/x-ms-wma", facts)
    wma = lambda: kitchen.audio("wma", "-c:a wmav2 -b:a 128k", tagged=True).read_bytes()  # noqa: E731
    yield one(
        "wma-cover-500k.wma",
        make=lambda: saved(ASF, wma(), _set_asf_cover),
        texts=texts(),
        facts={**facts, "has_cover": True},
    )
    # ffmpeg writes no frame rate into ASF.
    widened = WRONG.encode("cp1251").decode("latin-1")
    yield one(
        "wma-widened.wma",
        make=lambda: saved(ASF, wma(), lambda file: file.__setitem__("Title", widened)),
        texts=[Text("title", widened), *texts("artist")],
    )


def _set_asf_cover(file: Any) -> None:
    head = b"\x03" + (500 * KB).to_bytes(4, "little") + "image/jpeg\0\0".encode("utf-16-le")
    file["WM/Picture"] = [ASFByteArrayAttribute(head + by_hand.cover(500 * KB))]


def matroska(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("Matroska", kitchen.film, "video/x-matroska", _H264)
    mkv = partial(kitchen.video, "mkv")
    plain = lambda: mkv(_H264_OPTIONS).read_bytes()  # noqa: E731
    yield one("mkv-tags-last.mkv", make=lambda: by_hand.with_tags_last(plain()), texts=texts())
    yield one(
        "mkv-cover-500k.mkv",
        make=lambda: mkv(
            _H264_OPTIONS, "-attach", str(_cover_file(kitchen)), "-metadata:s:t", "mimetype=image/jpeg"
        ).read_bytes(),
        texts=texts(),
        facts={**_H264, "has_cover": True},
    )
    for name, encoder in (("flac", "flac"), ("vorbis", "libvorbis")):
        yield one(
            f"mka-{name}.mka",
            make=lambda encoder=encoder: kitchen.audio("mka", f"-c:a {encoder}", tagged=True).read_bytes(),
            texts=texts(),
            seconds=kitchen.song,
            mime="audio/x-matroska",
            facts={"codec": name, "sample_rate": 44100, "channels": 2, "is_video": False},
        )


def _cover_file(kitchen: Kitchen) -> Path:
    return kitchen.ffmpeg("jpg", "-f", "lavfi", "-i", "testsrc2=size=2600x2600", "-frames:v", "1", "-q:v", "2")


def avi(kitchen: Kitchen) -> Iterator[Sample]:
    facts: dict[str, object] = {**_PICTURE, "video_codec": "mpeg4", "audio_codec": "mp3", "sample_rate": 44100}
    one = maker("AVI", kitchen.film, "video/x-msvideo", facts)
    plain = lambda: kitchen.video("avi", "-c:v mpeg4 -b:v 500k -c:a libmp3lame -b:a 96k").read_bytes()  # noqa: E731
    info = by_hand.info([("INAM", TEXTS["title"].encode()), ("IART", TEXTS["artist"].encode())])
    yield one(
        "avi-info-last.avi",
        make=lambda: by_hand.with_chunks(by_hand.without_info(plain()), info),
        texts=as_utf8("title", "artist"),
    )
