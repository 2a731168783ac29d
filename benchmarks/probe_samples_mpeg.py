"""The files of `probe_samples` that are MPEG audio: its headers, and the tags that stand around it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import probe_bytes as by_hand
from mutagen.id3 import ID3, TPE1, TXXX, USLT
from probe_bytes import frame, id3
from probe_bytes_parts import chapters_of_id3
from probe_samples import TEXTS, WRONG, Kitchen, Sample, Text, saved, texts, wrong
from probe_samples_tags import LYRICS, ape_tag, id3_frames, set_id3

KB, MB = 1024, 1024 * 1024
MP3: dict[str, object] = {"codec": "mp3", "sample_rate": 44100, "channels": 2}


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from mpeg_audio(kitchen)
    yield from id3_tags(kitchen)
    yield from wrong_encodings(kitchen)
    yield from other_tags(kitchen)


def _bare(kitchen: Kitchen, options: str = "-b:a 128k") -> bytes:
    """MPEG audio without any tag or header."""
    return kitchen.audio("mp3", f"-c:a libmp3lame {options} -write_xing 0 -id3v2_version 0").read_bytes()


def _maker(group: str, kitchen: Kitchen) -> Callable[..., Sample]:
    return partial(Sample, group=group, seconds=kitchen.song, mime="audio/mpeg", facts=MP3)


def _with_id3(data: bytes, **options: Any) -> bytes:
    return saved(lambda _: ID3(), data, set_id3, **options)


def mpeg_audio(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker("MP3", kitchen)
    mp3 = partial(kitchen.audio, "mp3")
    yield one("mp3-vbri.mp3", make=lambda: by_hand.with_vbri(_bare(kitchen, "-q:a 4")))
    yield one("mp3-behind-zeros.mp3", make=lambda: bytes(2000) + _bare(kitchen))
    yield one(
        "mp3-low-rate-mono.mp3",
        make=lambda: _with_id3(_bare(kitchen, "-b:a 32k -ar 22050 -ac 1")),
        texts=texts(),
        facts={"codec": "mp3", "sample_rate": 22050, "channels": 1},
    )
    yield one(
        "mp3-hour-cover-300k.mp3",
        make=lambda: (
            id3(by_hand.apic(300 * KB), *id3_frames())
            + kitchen.again(
                "mp3", mp3("-c:a libmp3lame -b:a 64k -ac 1"), kitchen.hour, "-write_xing 0 -id3v2_version 0"
            ).read_bytes()
        ),
        texts=texts(),
        seconds=kitchen.hour,
        facts={"codec": "mp3", "sample_rate": 44100, "channels": 1, "has_cover": True},
    )


def id3_tags(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker("ID3v2", kitchen)
    covered = partial(one, facts={**MP3, "has_cover": True}, texts=texts())
    bare = partial(_bare, kitchen)
    yield one("id3v22.mp3", make=lambda: id3(*id3_frames(2), version=2) + bare(), texts=texts())
    yield covered(
        "id3v22-pic-54k-first.mp3", make=lambda: id3(by_hand.apic(54 * KB, 2), *id3_frames(2), version=2) + bare()
    )
    for version, size, name in ((3, 500 * KB, "500k"), (4, 2 * MB, "2m")):
        picture = partial(by_hand.apic, size, version)
        tag = partial(id3, version=version)
        yield covered(
            f"id3v2{version}-cover-{name}-first.mp3",
            make=lambda tag=tag, picture=picture, version=version: tag(picture(), *id3_frames(version)) + bare(),
        )
        yield covered(
            f"id3v2{version}-cover-{name}-last.mp3",
            make=lambda tag=tag, picture=picture, version=version: tag(*id3_frames(version), picture()) + bare(),
        )
    chapters = [(number * kitchen.song / 30, f"Chapter {number}") for number in range(30)]
    yield covered(
        "id3v23-podcast-30-chapters.mp3",
        make=lambda: (
            id3(
                *id3_frames(),
                by_hand.apic(500 * KB),
                chapters_of_id3(chapters, kitchen.song, 50 * KB),
            )
            + bare()
        ),
        chapters=chapters,
    )
    yield one(
        "id3v24-mutagen-lyrics.mp3",
        make=lambda: saved(lambda _: ID3(), bare(), _set_much),
        texts=[*texts(), Text("lyrics", LYRICS), Text("txxx:mood", "calm"), Text("artist", "Tří sestry")],
    )
    yield one("id3v23-padding-64k.mp3", make=lambda: id3(*id3_frames(), padding=64 * KB) + bare(), texts=texts())
    yield one(
        "id3v23-unsynchronised.mp3",
        make=lambda: id3(by_hand.unsynchronised(b"".join(id3_frames())), flags=0x80) + bare(),
        texts=texts(),
    )
    yield one("id3v24-frames-unsynchronised.mp3", make=lambda: _v24_unsynchronised() + bare(), texts=texts())
    yield one("id3v24-end-of-file.mp3", make=lambda: bare() + _at_the_end(), texts=texts())


def _set_much(tags: Any) -> None:
    set_id3(tags)
    tags.add(TPE1(encoding=1, text=[TEXTS["artist"], "Tří sestry"]))
    tags.add(USLT(encoding=3, lang="ces", desc="", text=LYRICS))
    tags.add(TXXX(encoding=3, desc="MOOD", text="calm"))


def _v24_unsynchronised() -> bytes:
    """Frames with a data length and unsynchronisation of their own (ID3v2.4, 4.1.2)."""
    parts = []
    for whole in id3_frames(4):
        body = whole[10:]
        safe = by_hand.synchsafe(len(body)) + by_hand.unsynchronised(body)
        parts.append(frame(whole[:4].decode(), safe, 4, 0x0003))
    return id3(*parts, version=4, flags=0x80)


def _at_the_end() -> bytes:
    """A tag with a footer, behind the audio (ID3v2.4, 5)."""
    tag = id3(*id3_frames(4), version=4, flags=0x10)
    return tag + b"3DI" + tag[3:10]


def wrong_encodings(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker("wrong", kitchen)
    bare, raw = partial(_bare, kitchen), WRONG.encode("cp1251")
    yield one(
        "wrong-id3v23-latin1.mp3",
        make=lambda: id3(frame("TIT2", b"\0" + raw)) + bare() + by_hand.id3v1(raw),
        texts=[wrong()],
    )
    yield one(
        "wrong-id3v23-widened.mp3",
        make=lambda: id3(frame("TIT2", b"\1\xff\xfe" + raw.decode("latin-1").encode("utf-16-le"))) + bare(),
        texts=[Text("title", raw.decode("latin-1"))],
    )
    yield one(
        "wrong-id3v24-not-utf8.mp3",
        make=lambda: id3(frame("TIT2", b"\3" + raw, 4), version=4) + bare(),
        texts=[wrong()],
    )
    yield one(
        "wrong-id3v23-utf16-no-mark.mp3",
        make=lambda: id3(frame("TIT2", b"\1" + WRONG.encode("utf-16-be"))) + bare(),
        texts=[Text("title", WRONG, WRONG.encode("utf-16-be"))],
    )
    yield one(
        "wrong-comm-no-language.mp3",
        make=lambda: id3(frame("COMM", b"\0\xd0\xf3\xf1\0" + raw)) + bare(),
        texts=[wrong("comment")],
    )
    yield one("wrong-ape.mp3", make=lambda: bare() + by_hand.ape([("Title", raw)]), texts=[wrong()])


def other_tags(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker("APE/v1", kitchen)
    bare = partial(_bare, kitchen)
    ape_texts = texts("title", "artist", "album", "date", "genre")
    v1 = by_hand.id3v1(b"Low Tide", b"Sine", b"Low Water", b"2024", b"Recorded in one take")
    v1_texts = [*texts("album", "date", "comment"), Text("title", "Low Tide"), Text("artist", "Sine")]
    yield one("id3v1.mp3", make=lambda: bare() + v1, texts=v1_texts)
    yield one("ape.mp3", make=lambda: bare() + ape_tag(), texts=ape_texts)
    yield one("ape-id3v1.mp3", make=lambda: bare() + ape_tag() + v1, texts=[*ape_texts, *v1_texts])
    yield one(
        "ape-cover-500k-id3v1.mp3",
        make=lambda: bare() + ape_tag(500 * KB) + v1,
        texts=[*ape_texts, *v1_texts],
        facts={**MP3, "has_cover": True},
    )
    yield one(
        "lyrics3-id3v1.mp3",
        make=lambda: bare() + by_hand.lyrics3(b"Low water, low water") + v1,
        texts=[*v1_texts, Text("lyrics", "Low water, low water")],
    )
    yield one(
        "id3v23-lyrics3-ape.mp3",
        make=lambda: id3(*id3_frames()) + bare() + ape_tag() + by_hand.lyrics3(LYRICS.encode()[:3000]) + v1,
        texts=[*texts(), *v1_texts],
    )
