"""The audio files of `probe_samples` in containers that are rare on the web: phones', studios', Unix', Apple's, Sony's.

What ffmpeg does not write is put together by the builders of ``tests/probe``, which share nothing with the readers.
"""

from __future__ import annotations

import array
import struct
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import probe_bytes as by_hand
from probe_bytes import id3
from probe_samples import TEXTS, WRONG, Kitchen, Sample, as_utf8, maker, texts, wrong
from probe_samples_tags import ape_tag, id3_frames

sys.path.append(str(Path(__file__).parents[1] / "tests" / "probe"))

import probe_builders as built

KB = 1024
_STEREO: dict[str, object] = {"sample_rate": 44100, "channels": 2}
_DSD_RATE = 2_822_400


def samples(kitchen: Kitchen) -> Iterator[Sample]:
    """All of them."""
    yield from amr(kitchen)
    yield from au(kitchen)
    yield from core_audio(kitchen)
    yield from dsd(kitchen)
    yield from wave(kitchen)
    yield from aac(kitchen)
    yield from lossless(kitchen)


def amr(kitchen: Kitchen) -> Iterator[Sample]:
    frames = kitchen.song * 50
    one = maker("AMR", kitchen.song, "audio/amr", {"codec": "amr_nb", "sample_rate": 8000, "channels": 1})
    yield one("amr-12k.amr", make=lambda: built.amr(*[7] * frames))
    # A second of speech, then half a second of comfort noise: a frame of it, and seven of nothing.
    talk = [7] * 50 + [8, *[15] * 7] * 3 + [15]
    yield one("amr-pauses.amr", make=lambda: built.amr(*(talk * (frames // len(talk) + 1))[:frames]))
    yield one(
        "amr-wb.awb",
        make=lambda: built.amr(*[2] * frames, magic=b"#!AMR-WB\n"),
        mime="audio/amr-wb",
        facts={"codec": "amr_wb", "sample_rate": 16000, "channels": 1},
    )


def au(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("AU", kitchen.song, "audio/basic", {**_STEREO, "codec": "pcm_s16be", "bits_per_sample": 16})
    speech = lambda: kitchen.audio("au", "-c:a pcm_mulaw -ar 8000 -ac 1").read_bytes()  # noqa: E731
    comment = WRONG.encode("cp1251") + b"\0\0\0\0"
    yield one(
        "wrong-au-size-unknown.snd",
        make=lambda: built.au(
            speech()[int.from_bytes(speech()[4:8], "big") :], encoding=1, size=0xFFFFFFFF, text=comment
        ),
        facts={"codec": "pcm_mulaw", "sample_rate": 8000, "channels": 1},
        texts=[wrong("comment")],
    )


def core_audio(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("CAF", kitchen.song, "audio/x-caf", {**_STEREO, "codec": "alac", "bits_per_sample": 16})
    lambda: kitchen.audio("caf", "-c:a alac -sample_fmt s16p", tagged=True).read_bytes()
    pairs = [(key.encode(), TEXTS[key].encode()) for key in ("title", "artist", "album")]
    yield one(
        "caf-info-last.caf",
        make=lambda: built.caf(built.caf_desc(flags=2), built.caf_data(_samples(kitchen)), built.caf_info(*pairs)),
        facts={**_STEREO, "codec": "pcm_s16le", "bits_per_sample": 16},
        texts=texts("title", "artist", "album"),
    )


def _samples(kitchen: Kitchen) -> bytes:
    """The song's samples, as they stand in its WAV file."""
    data = kitchen.wave().read_bytes()
    return data[data.index(b"data") + 8 :]


def dsd(kitchen: Kitchen) -> Iterator[Sample]:
    # Its bits are 64 times as many as those of a CD's samples, so these are short.
    seconds = max(2, kitchen.song // 30)
    facts: dict[str, object] = {"sample_rate": _DSD_RATE, "channels": 2, "bits_per_sample": 1}
    one = maker("DSD", seconds, "audio/x-dsf", {**facts, "codec": "dsd_lsbf_planar"})
    tag = partial(id3, *id3_frames())
    yield one("dsf.dsf", make=lambda: built.dsf(_DSD_RATE * seconds, tag=tag()), texts=texts())
    yield one(
        "dsf-cover-500k.dsf",
        make=lambda: built.dsf(_DSD_RATE * seconds, tag=id3(by_hand.apic(500 * KB), *id3_frames())),
        texts=texts(),
        facts={**facts, "codec": "dsd_lsbf_planar", "has_cover": True},
    )
    audio = b"\x69" * (_DSD_RATE // 8 * 2 * seconds)
    info = built.dff_chunk(
        b"DIIN",
        built.dff_text(b"DIAR", TEXTS["artist"].encode()) + built.dff_text(b"DITI", WRONG.encode("cp1251")),
    )
    dff = partial(one, mime="audio/x-dff", facts={**facts, "codec": "dsd_msbf"})
    yield dff(
        "wrong-dsdiff-info.dff",
        make=lambda: built.dff(built.dff_prop(), built.dff_chunk(b"DSD ", audio), info),
        texts=[wrong(), *as_utf8("artist")],
    )
    yield dff(
        "dsdiff-id3.dff",
        make=lambda: built.dff(built.dff_prop(), built.dff_chunk(b"DSD ", audio), built.dff_chunk(b"ID3 ", tag())),
        texts=texts(),
    )


def wave(kitchen: Kitchen) -> Iterator[Sample]:
    facts = {**_STEREO, "codec": "pcm_s16le", "bits_per_sample": 16}
    one = maker("W64/RIFX", kitchen.song, "audio/x-w64", facts)
    names = [(b"INAM", "title"), (b"IART", "artist"), (b"IPRD", "album")]
    summary = built.w64_summary(*[(name, TEXTS[key].encode("utf-16-le")) for name, key in names])
    yield one(
        "w64-summary-last.w64",
        make=lambda: built.w64(built.w64_format(), built.w64_chunk(b"data", _samples(kitchen)), summary),
        texts=texts("title", "artist", "album"),
    )
    yield one(
        "rifx-info-last.wav",
        make=lambda: _rifx(_samples(kitchen)),
        mime="audio/wav",
        facts={**facts, "codec": "pcm_s16be"},
        texts=as_utf8("title", "artist"),
    )


def _rifx(audio: bytes) -> bytes:
    samples = array.array("h", audio)
    samples.byteswap()
    chunk = partial(by_hand.chunk, order=">")
    form = struct.pack(">HHIIHH", 1, 2, 44100, 176400, 4, 16)
    info = b"INFO" + chunk(b"INAM", TEXTS["title"].encode()) + chunk(b"IART", TEXTS["artist"].encode())
    body = b"WAVE" + chunk(b"fmt ", form) + chunk(b"data", samples.tobytes()) + chunk(b"LIST", info)
    return b"RIFX" + struct.pack(">I", len(body)) + body


def aac(kitchen: Kitchen) -> Iterator[Sample]:
    one = maker("LATM/ADIF", kitchen.song, "audio/mp4a-latm", {**_STEREO, "codec": "aac_latm"})
    stream = partial(kitchen.audio, options="-c:a aac -b:a 128k -f latm")
    yield one("latm-begins-inside-a-frame.loas", make=lambda: stream("latm").read_bytes()[3000:])
    adif = partial(one, mime="audio/aac", facts={**_STEREO, "codec": "aac"}, countable=False)
    yield adif("adif.aac", make=lambda: _adif(kitchen))
    yield adif("adif-id3v1.aac", make=lambda: _adif(kitchen) + by_hand.id3v1(b"Low Tide"))


def _adif(kitchen: Kitchen) -> bytes:
    """The frames of an ADTS stream without their headers, and their average in front."""
    data, at, frames = kitchen.audio("aac", "-c:a aac -b:a 128k -f adts").read_bytes(), 0, []
    while at < len(data):
        size = (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
        frames.append(data[at + 7 : at + size])
        at += size
    audio = b"".join(frames)
    return built.adif(audio, bitrate=round(len(audio) * 8 * 44100 / (1024 * len(frames))))


def lossless(kitchen: Kitchen) -> Iterator[Sample]:
    facts: dict[str, object] = {**_STEREO, "bits_per_sample": 16}
    one = maker("TAK/OFR", kitchen.song, "audio/x-tak", facts)
    one = partial(one, texts=texts("title", "artist", "album", "date", "genre"), countable=False)
    count, audio = kitchen.song * 44100, by_hand.cover(kitchen.song * 60 * KB)
    yield one("tak.tak", make=lambda: built.tak(count, audio=audio) + ape_tag(), facts={**facts, "codec": "tak"})
    yield one(
        "tak-cover-500k.tak",
        make=lambda: built.tak(count, audio=audio) + ape_tag(500 * KB),
        facts={**facts, "codec": "tak", "has_cover": True},
    )
    frog = partial(one, mime="audio/x-optimfrog", facts={**facts, "codec": "optimfrog"})
    yield frog("optimfrog.ofr", make=lambda: built.optimfrog(count, audio=audio) + ape_tag())
    yield frog("optimfrog-short-header.ofr", make=lambda: built.optimfrog(count, size=12, audio=audio) + ape_tag())
