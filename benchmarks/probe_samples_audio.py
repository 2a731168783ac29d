"""The audio files of `probe_samples` that are not MPEG audio: FLAC, Ogg, WAV, AIFF, the APE family, raw streams."""

from __future__ import annotations

import base64
import struct
from collections.abc import Iterator
from functools import partial
from typing import Any

import probe_bytes as by_hand
from mutagen.aiff import AIFF
from mutagen.id3 import APIC
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from mutagen.wave import WAVE
from probe_bytes import id3
from probe_samples import TEXTS, WRONG, Kitchen, Sample, Text, as_utf8, maker, saved, texts, wrong
from probe_samples_chapters import set_comments
from probe_samples_tags import LYRICS, ape_tag, id3_frames, set_id3

KB, MB = 1024, 1024 * 1024
_PCM: dict[str, object] = {"codec": "pcm_s16le", "sample_rate": 44100, "channels": 2, "bits_per_sample": 16}


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from flac(kitchen)
    yield from ogg(kitchen)
    yield from wave(kitchen)
    yield from aiff(kitchen)
    yield from ape_family(kitchen)
    yield from raw_streams(kitchen)


def flac(kitchen: Kitchen) -> Iterator[Sample]:
    facts = {"codec": "flac", "sample_rate": 44100, "channels": 2, "bits_per_sample": 16}
    one = maker("FLAC", kitchen.song, "audio/flac", facts)
    covered = partial(one, facts={**facts, "has_cover": True})
    plain = lambda: kitchen.audio("flac", "-c:a flac", tagged=True).read_bytes()  # noqa: E731
    yield covered("flac-cover-500k-last.flac", make=lambda: _flac_order(plain(), 500 * KB, first=False), texts=texts())
    yield covered("flac-cover-2m-first.flac", make=lambda: _flac_order(plain(), 2 * MB, first=True), texts=texts())
    yield one(
        "flac-behind-id3.flac",
        make=lambda: id3(*id3_frames(), padding=2000) + plain(),
        texts=texts(),
    )
    yield one(
        "wrong-vorbis.flac",
        make=lambda: _flac_with(kitchen, b"TITLE=" + WRONG.encode("cp1251")),
        texts=[wrong()],
    )


def _flac_order(data: bytes, size: int, *, first: bool) -> bytes:
    """With a picture, before the comments or behind them and some padding."""
    (info, *others), audio = by_hand.flac_blocks(data)
    picture = by_hand.flac_picture(size)
    order = [info, picture, *others] if first else [info, *others, (1, bytes(4000)), picture]
    return by_hand.flac(order, audio)


def _flac_with(kitchen: Kitchen, comment: bytes) -> bytes:
    blocks, audio = by_hand.flac_blocks(kitchen.audio("flac", "-c:a flac", tagged=True).read_bytes())
    body = struct.pack("<I", 0) + struct.pack("<II", 1, len(comment)) + comment
    return by_hand.flac([blocks[0], (4, body)], audio)


def ogg(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("Ogg", kitchen.song, "audio/ogg", {})
    ogg_file = partial(kitchen.audio, tagged=True)
    opus = lambda: ogg_file("opus", "-c:a libopus -b:a 96k").read_bytes()  # noqa: E731
    # Some 20 KB of text.
    many = [(number * kitchen.hour / 240, f"Part {number}, {LYRICS[:60].strip()}") for number in range(240)]
    yield one(
        "vorbis-hour-long-comments.ogg",
        make=lambda: saved(OggVorbis, _vorbis_hour(kitchen), partial(set_comments, many)),
        texts=texts(),
        chapters=many,
        seconds=kitchen.hour,
        facts={"codec": "vorbis", "sample_rate": 44100, "channels": 2},
    )
    yield one(
        "opus-cover-500k.opus",
        make=lambda: saved(OggOpus, opus(), _set_picture),
        texts=texts(),
        facts={"codec": "opus", "has_cover": True},
    )


def _vorbis_hour(kitchen: Kitchen) -> bytes:
    return kitchen.again("ogg", kitchen.audio("ogg", "-c:a libvorbis -q:a 0"), kitchen.hour).read_bytes()


def _set_picture(file: Any) -> None:
    """Behind the texts, since mutagen keeps their order."""
    _, body = by_hand.flac_picture(500 * KB)
    file["metadata_block_picture"] = [base64.b64encode(body).decode()]


def _plain_wave(kitchen: Kitchen) -> bytes:
    return kitchen.wave().read_bytes()


def wave(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("WAV", kitchen.song, "audio/wav", _PCM)
    wav = partial(kitchen.audio, "wav")
    plain = partial(_plain_wave, kitchen)
    names = ("title", "artist", "album", "date", "genre", "comment")
    info = by_hand.info(
        [
            (name, TEXTS[key].encode())
            for name, key in zip(("INAM", "IART", "IPRD", "ICRD", "IGNR", "ICMT"), names, strict=True)
        ]
    )
    yield one("wav-info-last.wav", make=lambda: by_hand.with_chunks(plain(), info), texts=as_utf8())
    yield one(
        "wrong-info.wav",
        make=lambda: by_hand.with_chunks(plain(), by_hand.info([("INAM", WRONG.encode("cp1251"))])),
        texts=[wrong()],
    )
    yield one(
        "wav-id3-last-cover-500k.wav",
        make=lambda: saved(WAVE, plain(), _set_wave),
        texts=texts(),
        facts={**_PCM, "has_cover": True},
    )
    yield one("wav-size-unknown.wav", make=lambda: _endless(wav("-c:a pcm_s16le", tagged=True).read_bytes()))
    yield one(
        "wav-24-bit-bext.wav",
        make=lambda: wav(
            "-c:a pcm_s24le -write_bext 1", "-metadata", "description=A low water", "-metadata", "originator=Sine"
        ).read_bytes(),
        texts=[Text("", "A low water"), Text("", "Sine")],
        facts={"codec": "pcm_s24le", "bits_per_sample": 24},
    )


def _set_wave(file: Any) -> None:
    file.add_tags()
    set_id3(file.tags)
    file.tags.add(APIC(encoding=0, mime="image/jpeg", type=3, desc="", data=by_hand.cover(500 * KB)))


def _endless(data: bytes) -> bytes:
    """The sizes that a program writes which does not know how long it will record."""
    at = data.index(b"data")
    return data[:4] + b"\xff\xff\xff\xff" + data[8 : at + 4] + b"\xff\xff\xff\xff" + data[at + 8 :]


def aiff(kitchen: Kitchen) -> Iterator[Sample]:
    facts = {"codec": "pcm_s16be", "sample_rate": 44100, "channels": 2, "bits_per_sample": 16}
    one = maker("AIFF", kitchen.song, "audio/aiff", facts)
    plain = lambda: kitchen.audio("aiff", "-c:a pcm_s16be").read_bytes()  # noqa: E731
    words = [(b"NAME", "title"), (b"AUTH", "artist"), (b"ANNO", "comment")]
    chunks = [by_hand.chunk(name, TEXTS[key].encode(), ">") for name, key in words]
    yield one(
        "aiff-name-last.aiff",
        make=lambda: by_hand.with_chunks(plain(), *chunks, order=">"),
        texts=as_utf8("title", "artist", "comment"),
    )
    yield one(
        "aiff-id3-last-cover-500k.aiff",
        make=lambda: saved(AIFF, plain(), _set_wave),
        texts=texts(),
        facts={**facts, "has_cover": True},
    )


def ape_family(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("APE", kitchen.song, "audio/x-ape", {"sample_rate": 44100, "channels": 2})
    partial(kitchen.audio, tagged=True)
    ape_texts = texts("title", "artist", "album", "date", "genre")
    size = kitchen.song * 60 * KB
    yield one(
        "monkey.ape", make=lambda: by_hand.monkey(kitchen.song, size) + ape_tag(), texts=ape_texts, countable=False
    )
    yield one(
        "monkey-old-cover-500k.ape",
        make=lambda: by_hand.old_monkey(kitchen.song, size) + ape_tag(500 * KB),
        texts=ape_texts,
        countable=False,
    )
    wavpack = partial(one, mime="audio/x-wavpack", facts={"codec": "wavpack", "sample_rate": 44100, "channels": 2})
    yield wavpack(
        "wavpack-cover-500k.wv",
        make=lambda: kitchen.audio("wv", "-c:a wavpack").read_bytes() + ape_tag(500 * KB),
        texts=ape_texts,
    )
    tta = partial(one, mime="audio/x-tta", facts={"codec": "tta", "sample_rate": 44100, "channels": 2})
    yield tta(
        "tta-behind-id3.tta",
        make=lambda: id3(*id3_frames()) + kitchen.audio("tta", "-c:a tta").read_bytes(),
        texts=texts(),
    )


def raw_streams(kitchen: Kitchen) -> Iterator[Sample]:
    facts: dict[str, object] = {"codec": "aac", "sample_rate": 44100, "channels": 2}
    one = maker("raw", kitchen.song, "audio/aac", facts)
    for name in ("ac3", "eac3"):
        yield one(
            f"{name}.{name}",
            make=lambda name=name: kitchen.audio(name, f"-c:a {name} -b:a 192k").read_bytes(),
            mime=f"audio/{name}",
            facts={**facts, "codec": name},
        )
