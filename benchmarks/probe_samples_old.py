"""The files of `probe_samples` in old formats: MIDI and karaoke, modules of trackers, RealAudio and RealMedia.

ffmpeg makes films of RealMedia and sound of the first RealAudio. The rest is written by hand, by the same functions as
the files of the tests.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from probe_samples import TEXTS, WRONG, Kitchen, Sample, Text, as_utf8, texts, wrong

sys.path.append(str(Path(__file__).parents[1] / "tests" / "probe"))

import probe_old as by_hand

_RAW = WRONG.encode("cp1251")
_QUARTER = 96
"""Ticks of a quarter note, which is half a second long if nothing else is said."""


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from midi()
    yield from modules()
    yield from real(kitchen)


def midi() -> Iterator[Sample]:
    one = partial(Sample, group="MIDI", mime="audio/midi", facts={"codec": None, "is_video": False}, countable=False)
    named = [
        by_hand.meta(by_hand.NAME, TEXTS["title"].encode()),
        by_hand.meta(by_hand.COPYRIGHT, b"(c) 2024"),
        by_hand.meta(by_hand.TEXT, TEXTS["comment"].encode()),
    ]
    said = [*as_utf8("title", "comment"), Text("copyright", "(c) 2024")]
    yield one("midi-one-track.mid", make=partial(_song, named, 400), seconds=200, texts=said)
    # Twice as slow from the 200th quarter note on: 100 s, then 3,800 s.
    slower = [by_hand.tempo(500_000), by_hand.tempo(1_000_000, 200 * _QUARTER)]
    yield one("midi-tracks-190k.mid", make=partial(_song, [*named, *slower], 4000, 8), seconds=3900, texts=said)
    yield one(
        "midi-beyond-budget-400k.mid",
        make=partial(_song, named, 8000, 8),
        seconds=None,
        texts=said,
    )
    yield one(
        "wrong-karaoke.kar",
        make=lambda: by_hand.karaoke(_RAW, TEXTS["artist"].encode()),
        seconds=4,
        texts=[wrong(), *as_utf8("artist")],
    )
    listed = by_hand.riff_chunk(b"LIST", b"INFO" + by_hand.riff_chunk(b"INAM", _RAW))
    yield one(
        "wrong-info-last.rmi",
        make=lambda: by_hand.rmid(by_hand.riff_chunk(b"data", _song([], 8000)), listed),
        seconds=4000,
        texts=[wrong()],
    )


def _song(events: list[bytes], quarters: int, tracks: int = 0) -> bytes:
    """A song of some quarter notes in one track, or in further ones beside the first."""
    music = by_hand.notes(quarters, _QUARTER)
    if not tracks:
        return by_hand.midi(by_hand.track(*events, music, by_hand.end()), kind=0)
    first = by_hand.track(*events, by_hand.end())
    return by_hand.midi(first, *[by_hand.track(music, by_hand.end())] * tracks)


def modules() -> Iterator[Sample]:
    one = partial(Sample, group="modules", seconds=None, countable=False)
    names = [b"this song was made", b"", b"by Sine in 1996", *[b"sample %d" % number for number in range(20)]]
    message = b"\n".join(filter(None, names)).decode()
    said = [wrong(), Text("comment", message)]
    yield one("wrong-mod.mod", make=lambda: by_hand.mod(_RAW, names, sound=200_000), texts=said, mime="audio/x-mod")
    yield one("wrong-s3m.s3m", make=lambda: by_hand.s3m(_RAW, names), texts=said, mime="audio/x-s3m")
    yield one(
        "wrong-it-message-last.it",
        make=lambda: by_hand.it(_RAW, names, [b"drum"], TEXTS["comment"].encode()),
        texts=[*said, *texts("comment")],
        mime="audio/x-it",
    )
    instruments = [(name, [(b"kick", 2000)] if number % 4 == 3 else []) for number, name in enumerate(names)]
    yield one("wrong-xm.xm", make=lambda: by_hand.xm(_RAW, instruments, patterns=60), texts=said, mime="audio/x-xm")


def real(kitchen: Kitchen) -> Iterator[Sample]:
    film: dict[str, object] = {"audio_codec": "ac3", "sample_rate": 44100, "width": 320, "height": 240}
    one = partial(Sample, group="Real", seconds=kitchen.film, mime="application/vnd.rn-realmedia")
    words = [word for name, key in _NAMES.items() for word in ("-metadata", f"{name}={TEXTS[key]}")]
    said = as_utf8(*_NAMES.values())
    for codec in ("rv10", "rv20"):
        yield one(
            f"{codec}-ac3.rm",
            make=partial(_film, kitchen, codec, words),
            texts=said,
            facts={**film, "video_codec": codec, "frame_rate": 25.0, "is_video": True},
        )
    yield one(
        "wrong-14-4.ra",
        make=lambda: _first_real_audio(kitchen),
        seconds=kitchen.song,
        texts=[wrong(), *as_utf8("artist", "comment")],
        mime="audio/x-realaudio",
        facts={"codec": "ra_144", "sample_rate": 8000, "channels": 1},
    )


_NAMES = {"title": "title", "author": "artist", "comment": "comment"}
"""What RealMedia calls some of the texts."""


def _film(kitchen: Kitchen, codec: str, words: list[str]) -> bytes:
    options = f"-c:v {codec} -b:v 200k -c:a ac3 -b:a 64k"
    return kitchen.video("rm", options, *words, size="320x240", tagged=False).read_bytes()


def _first_real_audio(kitchen: Kitchen) -> bytes:
    """A header by hand before what ffmpeg's encoder makes."""
    sound = kitchen.audio("bin", "-map 0:a -c:a real_144 -ar 8000 -ac 1 -f data").read_bytes()
    header = by_hand.ra3([_RAW, TEXTS["artist"].encode(), b"", TEXTS["comment"].encode()], 0)
    return header + sound
