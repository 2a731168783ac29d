"""The files of `probe_samples` that break the rules of their format as programs do: wrong lengths, junk, later tags."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import probe_bytes as by_hand
from mutagen.oggspeex import OggSpeex
from probe_bytes import frame, id3
from probe_samples import TEXTS, Kitchen, Sample, Text, saved, texts
from probe_samples_mpeg import MP3
from probe_samples_tags import ape_tag, id3_frames

KB = 1024
_FLAC: dict[str, object] = {"codec": "flac", "sample_rate": 44100, "channels": 2, "bits_per_sample": 16}
_V1 = by_hand.id3v1(b"Low Tide", b"Sine", b"Low Water", b"2024", b"Recorded in one take")
_ALL_V1 = (*texts("album", "date", "comment"), Text("title", "Low Tide"), Text("artist", "Sine"))


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from wrong_lengths(kitchen)
    yield from behind_junk(kitchen)
    yield from few_frames(kitchen)
    yield from later_tags(kitchen)
    yield from without_length(kitchen)
    yield from written_last(kitchen)


def _maker(kitchen: Kitchen, mime: str, facts: dict[str, object]) -> Callable[..., Sample]:
    return partial(Sample, group="faults", seconds=kitchen.song, mime=mime, facts=facts)


def _noise(size: int) -> bytes:
    return random.Random(7).randbytes(size)


def _bare(kitchen: Kitchen) -> bytes:
    """MPEG audio without any tag or header."""
    return kitchen.audio("mp3", "-c:a libmp3lame -b:a 128k -write_xing 0 -id3v2_version 0").read_bytes()


# -- FLAC blocks of wrong length ---------------------------------------------------------------------------------------


def wrong_lengths(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker(kitchen, "audio/flac", _FLAC)
    covered = partial(one, texts=texts(), facts={**_FLAC, "has_cover": True}, countable=False)
    make = partial(_flac_with_lengths, kitchen)
    yield covered("flac-picture-length-short.flac", make=lambda: make({6: -300}))
    yield covered("flac-picture-length-long.flac", make=lambda: make({6: 70_000}))
    yield covered("flac-comments-length-short.flac", make=lambda: make({4: -9}))
    yield covered("flac-comments-length-long.flac", make=lambda: make({4: 5000}))
    yield covered("flac-padding-length-wrong.flac", make=lambda: make({1: -40}))
    yield covered("flac-second-streaminfo.flac", make=lambda: make({}, garbage=True))


def _flac_with_lengths(kitchen: Kitchen, wrong: dict[int, int], *, garbage: bool = False) -> bytes:
    """STREAMINFO, padding, a picture and comments; by type, how much is added to the length that a block states."""
    blocks, audio = by_hand.flac_blocks(kitchen.audio("flac", "-c:a flac", tagged=True).read_bytes())
    (comments,) = [body for kind, body in blocks if kind == 4]
    info = blocks[0]
    other = (0, bytes(10) + (300_164 << 44 | 8_589_934_592).to_bytes(8, "big") + bytes(16))
    order = [info, *([other] if garbage else []), (1, bytes(600)), by_hand.flac_picture(200 * KB), (4, comments)]
    whole = bytearray(by_hand.flac(order, audio))
    at = 4
    for kind, body in order:
        whole[at + 1 : at + 4] = (len(body) + wrong.get(kind, 0)).to_bytes(3, "big")
        at += 4 + len(body)
    return bytes(whole)


# -- MPEG audio --------------------------------------------------------------------------------------------------------


def behind_junk(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker(kitchen, "audio/mpeg", MP3)
    bare = partial(_bare, kitchen)
    for junk, name in ((_noise, "noise"), (bytes, "zeros")):
        for size in (3, 60):
            yield one(
                f"mp3-behind-{size}k-{name}.mp3",
                make=lambda junk=junk, size=size: junk(size * KB) + bare() + _V1,
                texts=_ALL_V1,
            )
    yield one("mp3-id3-40k-noise.mp3", make=lambda: id3(*id3_frames()) + _noise(40 * KB) + bare(), texts=texts())


def few_frames(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker(kitchen, "audio/mpeg", MP3)
    for count in (1, 3):
        yield one(
            f"mp3-{count}-frames-id3v1.mp3",
            make=lambda count=count: _first_frames(kitchen, count) + _V1,
            seconds=count * 1152 / 44100,
            texts=_ALL_V1,
            countable=False,
        )


def _first_frames(kitchen: Kitchen, count: int) -> bytes:
    data = _bare(kitchen)
    sizes = by_hand.mp3_frames(data)
    return data[: sum(next(sizes) for _ in range(count))]


def later_tags(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker(kitchen, "audio/mpeg", MP3)
    bare, frames = partial(_bare, kitchen), id3_frames(4)
    first, others = frames[:1], frames[1:]
    second = id3(*others, version=4)
    yield one("id3-stacked.mp3", make=lambda: id3(*first, version=4) + second + bare(), texts=texts())
    yield one(
        "id3-seek.mp3",
        make=lambda: _with_seek(first, bare()) + second + _V1,
        texts=[*texts(), *_ALL_V1],
    )
    yield one("id3-behind-no-footer.mp3", make=lambda: bare() + id3(*frames, version=4) + _V1, texts=texts())
    yield one("id3-ape-id3v1.mp3", make=lambda: id3(*frames, version=4) + bare() + ape_tag() + _V1, texts=texts())
    front = id3(frame("TPUB", b"\0Tidal"), padding=500)
    label = Text("label", "Tidal")
    for name, options, mime in (
        ("id3-before.ogg", "-c:a libvorbis -q:a 4", "audio/ogg"),
        ("id3-before.opus", "-c:a libopus -b:a 96k", "audio/ogg"),
        ("id3-before.wv", "-c:a wavpack", "audio/x-wavpack"),
    ):
        extension = name.rpartition(".")[2]
        yield one(
            name,
            make=lambda extension=extension, options=options: (
                front + kitchen.audio(extension, options, tagged=True).read_bytes()
            ),
            mime=mime,
            texts=[*texts(), label],
            facts={"channels": 2},
        )
    yield one(
        "speexenc-names.spx",
        make=lambda: saved(OggSpeex, kitchen.audio("spx", "-c:a libspeex -ar 16000 -ac 1").read_bytes(), _as_speexenc),
        mime="audio/ogg",
        texts=texts("title", "artist", "comment", totaltracks="12", totaldiscs="2"),
        facts={"codec": "speex", "sample_rate": 16000, "channels": 1},
    )


def _with_seek(frames: list[bytes], audio: bytes) -> bytes:
    """A tag that leads to the one behind the audio."""
    return id3(*frames, frame("SEEK", struct.pack(">I", len(audio)), 4), version=4) + audio


def _as_speexenc(file: Any) -> None:
    file.update({"TITLE": TEXTS["title"], "AUTHOR": TEXTS["artist"], "COMMENTS": TEXTS["comment"]})
    file.update({"TRACKTOTAL": "12", "DISCTOTAL": "2"})


# -- WavPack, Matroska -------------------------------------------------------------------------------------------------


def without_length(kitchen: Kitchen) -> Iterator[Sample]:
    one = _maker(kitchen, "audio/x-wavpack", {"codec": "wavpack", "sample_rate": 44100, "channels": 2})
    yield one("wavpack-no-length.wv", make=lambda: _without_total(kitchen) + ape_tag(), countable=False)


def _without_total(kitchen: Kitchen) -> bytes:
    """WavPack as it is written into a pipe: no block knows the samples of all."""
    data = bytearray(kitchen.audio("wv", "-c:a wavpack").read_bytes())
    at = 0
    while data[at : at + 4] == b"wvpk":
        data[at + 12 : at + 16] = b"\xff" * 4
        at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
    return bytes(data[:at])


def written_last(kitchen: Kitchen) -> Iterator[Sample]:
    facts: dict[str, object] = {"audio_codec": "aac", "sample_rate": 44100, "channels": 2, "is_video": True}
    one = partial(Sample, group="faults", seconds=kitchen.film, mime="video/x-matroska", facts=facts)
    film = lambda: kitchen.video("mkv", "-c:v libx264 -preset veryfast -b:v 400k -c:a aac -b:a 96k")  # noqa: E731
    yield one(
        "mkv-tracks-last.mkv",
        make=lambda: by_hand.with_all_last(film().read_bytes()),
        texts=texts(),
        countable=False,
    )
