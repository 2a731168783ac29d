"""Small files of all formats, and ways to damage them, for the tests of the probe and of the record."""

import functools
import random

import golden
from harness import examples
from hypothesis import strategies as st
from probe_builders import handmade
from probe_media import audio, frame, id3, picture, sample
from probe_old import old_files

SMALL = 3000


@functools.cache
def seeds():
    """Small files of all families, and those that the fuzz tests have too."""
    found = {**handmade(), **old_files()}
    found["covers.mp3"] = id3(picture(9000), frame("TIT2", b"\0Tone")) + audio(4)
    for family in golden.FAMILIES:
        for name, case in golden.files(family):
            if (case.headers is None and len(case.data) <= SMALL) or (
                family == "real" and "," not in name and "before" not in name
            ):
                found[f"{family}: {name}"] = case.data
    return found


def cut_files(part):
    """Yield the files of an eighth of the seeds, cut at many places."""
    for name in sorted(seeds())[part::8]:
        data = seeds()[name]
        step = 1 if name.startswith("hand") else max(1, len(data) // 12)
        for stop in range(0, len(data), step):
            yield data[:stop]


def changed_files(part):
    """Yield the files of an eighth of the seeds with random bytes changed."""
    for name in sorted(seeds())[part::8]:
        chance = random.Random(name)
        for _ in range(examples(30)):
            data = bytearray(seeds()[name])
            for _ in range(chance.randrange(1, 8) if data else 0):
                data[chance.randrange(min(len(data), 2000))] = chance.randrange(256)
            yield bytes(data)


@st.composite
def flipped_files(draw):
    """Return a file with bytes flipped where the structure is: at the front, at the end, and in between."""
    data = bytearray(seeds()[draw(st.sampled_from(sorted(seeds())))] or b"\0")
    near = st.integers(0, min(600, len(data) - 1))
    place = near | near.map(lambda n: len(data) - 1 - n) | st.integers(0, len(data) - 1)
    for at, value in draw(st.lists(st.tuples(place, st.integers(0, 255)), min_size=1, max_size=20)):
        data[at] = value
    return bytes(data)


MAGIC = [
    *(b"ID3\3\0\0", b"ID3\4\0\x80", b"ID3\2\0\0", b"fLaC", b"OggS\0\2", b"\0\0\0\x10ftypM4A ", b"\xff\xfb\x90"),
    *(b"MThd\0\0\0\6\0\1\0\2\0\x60MTrk\0\0", b"RIFF\0\0\0\0RMIDdata", b"IMPM", b"Extended Module: "),
    *(b".RMF\0\0\0\x12\0\0", b".ra\xfd\0\3", b".ra\xfd\0\4\0\0", b".ra\xfd\0\5\0\0"),
    *(b"#!AMR\n", b"#!AMR-WB_MC1.0\n", b".snd\0\0\0\x20", b"caff\0\1\0\0desc", b"DSD \x1c\0\0\0\0\0\0\0"),
    *(b"FRM8\0\0\0\0\0\0\1\0DSD PROP", b"ADIF\0", b"tBaK\1", b"OFR \x0f\0\0\0", b"\x56\xe0\x08\x20\0\x12"),
    bytes.fromhex("726966662e91cf11a5d628db04c10000000000000000000077617665f3acd3118cd100c04f8edb8a"),
]
TAILS = [sample("cbr.mp3"), sample("tone.wv"), sample("tone.flac"), sample("tone.ogg"), sample("tone.tta")]
BITS = st.deferred(lambda: st.sampled_from([seeds()[name] for name in sorted(seeds()) if len(seeds()[name]) < 600]))
PIECES = st.lists(
    BITS
    | st.sampled_from([b"ID3", b"3DI\4\0\0\0\0\1\0", b"APETAGEX" + b"\xff" * 24, b"999999LYRICS200"])
    | st.binary(max_size=60),
    max_size=5,
)


@st.composite
def surrounded_files(draw):
    """Return a file with anything before and behind it, cut off."""
    front, middle, behind = draw(PIECES), draw(st.sampled_from(TAILS)), draw(PIECES)
    data = b"".join(front) + middle + b"".join(behind)
    return data[: len(data) - draw(st.integers(0, 90))]


@st.composite
def magic_bytes(draw):
    """Return any bytes behind the first bytes of a format."""
    return draw(st.sampled_from(MAGIC)) + draw(st.binary(max_size=2000)) + bytes(draw(st.integers(0, 400_000)))
