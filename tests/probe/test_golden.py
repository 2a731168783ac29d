"""Every golden file is probed and gives its record, asks for its ranges, and ends calmly however it is damaged."""

import io
import json
import random

import golden
import mutagen
import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.mp4 import MP4
from probe_builders import handmade
from probe_media import SAMPLES, audio, frame, id3, picture, sample
from probe_old import old_files

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.probe import Probe
from mediacrawl.record import build_item

SMALL = 3000
STATUS = ("complete", "partial", "unsupported", "error:")


@pytest.mark.parametrize("family", golden.FAMILIES)
def test_each_file_gives_its_record(family):
    expected = json.loads(golden.path_of(family).read_text(encoding="utf-8"))
    found = {name: json.loads(json.dumps(golden.record(case))) for name, case in golden.files(family)}
    assert list(found) == list(expected)
    wrong = {name: (record, expected[name]) for name, record in found.items() if record != expected[name]}
    told = "\n".join(f"{name}\n  is       {is_}\n  expected {was}" for name, (is_, was) in wrong.items())
    assert not wrong, f"python tests/probe/golden {family} writes these anew:\n{told}"


@pytest.mark.parametrize("family", golden.FAMILIES)
def test_the_state_between_visits_changes_nothing_and_no_name_stands_twice(family):
    names = []
    for name, case in golden.files(family):
        names.append(name)
        packed, asked = golden.ask(case, restart=True)
        kept, asked_at_once = golden.ask(case, restart=False)
        assert (packed.dump(), asked) == (kept.dump(), asked_at_once), name
    assert len(set(names)) == len(names)


# -- what mutagen says -------------------------------------------------------------------------------------------------

OTHERWISE = {"adpcm.wav", "film.avi", "film.mpg", "fragmented.m4a", "rifx.wav", "tracks.mp4", "vbr.mp3"}
"""Samples whose length mutagen takes from the wrong place, and those of which it knows nothing."""


def test_facts_are_those_of_mutagen():
    agreed = 0
    for path in sorted(SAMPLES.iterdir()):
        file = io.BytesIO(path.read_bytes())
        file.name = path.name
        known = None if path.name in OTHERWISE else mutagen.File(file)
        if known is None:
            continue
        result = golden.ask(golden.Case(path.read_bytes()), restart=False)[0].result()
        assert result.duration == pytest.approx(known.info.length, abs=0.05), path.name
        # It takes mono AAC for stereo, and its samples for 16 bits.
        facts = ["sample_rate"] if isinstance(known, MP4) else ["sample_rate", "channels", "bits_per_sample"]
        for name in facts:
            told = getattr(known.info, name, None)
            assert not told or getattr(result, name) == told, (path.name, name)
        agreed += 1
    assert agreed >= 25


# -- damage ------------------------------------------------------------------------------------------------------------


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


SEEDS = seeds()


def check(data):
    """The record of damaged bytes can be written, and holds the texts in their order."""
    probe, _ = golden.ask(golden.Case(data), restart=False)
    result = probe.result()
    assert result.status.startswith(STATUS)
    item = build_item(result, probe, url="http://media.example/file")
    cut = sum(len(getattr(result, name)) - len(getattr(item, name)) for name in ("tracks", "chapters", "covers"))
    assert len(item.tags) + (item.texts_dropped or 0) == len(result.tags) + cut
    # A damaged length can make a text so long that the record has no room for it. The others keep their order.
    left = iter(result.tags)
    for element in item.tags:
        assert any(raw_bytes(element) == tag.raw for tag in left)
        element["text"].encode("utf-8")


@pytest.mark.parametrize("part", range(8))
def test_a_file_that_is_cut_ends_calmly(part):
    for name in sorted(SEEDS)[part::8]:
        data = SEEDS[name]
        step = 1 if name.startswith("hand") else max(1, len(data) // 12)
        for stop in range(0, len(data), step):
            check(data[:stop])


@pytest.mark.parametrize("part", range(8))
def test_random_changes_end_calmly(part):
    for name in sorted(SEEDS)[part::8]:
        chance = random.Random(name)
        for _ in range(examples(30)):
            data = bytearray(SEEDS[name])
            for _ in range(chance.randrange(1, 8) if data else 0):
                data[chance.randrange(min(len(data), 2000))] = chance.randrange(256)
            check(bytes(data))


@given(st.sampled_from(sorted(SEEDS)), st.data())
@settings(max_examples=examples(200))
def test_a_file_with_flipped_bytes_ends_calmly(name, draw):
    data = bytearray(SEEDS[name] or b"\0")
    # Damage where the structure is: at the front, at the end, and in between.
    near = st.integers(0, min(600, len(data) - 1))
    place = near | near.map(lambda n: len(data) - 1 - n) | st.integers(0, len(data) - 1)
    for at, value in draw.draw(st.lists(st.tuples(place, st.integers(0, 255)), min_size=1, max_size=20)):
        data[at] = value
    check(bytes(data))


MAGIC = [
    *(b"ID3\3\0\0", b"ID3\4\0\x80", b"ID3\2\0\0", b"fLaC", b"OggS\0\2", b"\0\0\0\x10ftypM4A ", b"\xff\xfb\x90"),
    *(b"MThd\0\0\0\6\0\1\0\2\0\x60MTrk\0\0", b"RIFF\0\0\0\0RMIDdata", b"IMPM", b"Extended Module: "),
    *(b".RMF\0\0\0\x12\0\0", b".ra\xfd\0\3", b".ra\xfd\0\4\0\0", b".ra\xfd\0\5\0\0"),
    *(b"#!AMR\n", b"#!AMR-WB_MC1.0\n", b".snd\0\0\0\x20", b"caff\0\1\0\0desc", b"DSD \x1c\0\0\0\0\0\0\0"),
    *(b"FRM8\0\0\0\0\0\0\1\0DSD PROP", b"ADIF\0", b"tBaK\1", b"OFR \x0f\0\0\0", b"\x56\xe0\x08\x20\0\x12"),
    bytes.fromhex("726966662e91cf11a5d628db04c10000000000000000000077617665f3acd3118cd100c04f8edb8a"),
]


@given(st.sampled_from(MAGIC), st.binary(max_size=2000), st.integers(0, 400_000))
def test_any_bytes_behind_a_magic_end_calmly(magic, body, padding):
    check(magic + body + bytes(padding))


TAILS = [sample("cbr.mp3"), sample("tone.wv"), sample("tone.flac"), sample("tone.ogg"), sample("tone.tta")]
BITS = [SEEDS[name] for name in sorted(SEEDS) if len(SEEDS[name]) < 600]
PIECES = st.lists(
    st.sampled_from([*BITS, b"ID3", b"3DI\4\0\0\0\0\1\0", b"APETAGEX" + b"\xff" * 24, b"999999LYRICS200"])
    | st.binary(max_size=60),
    max_size=5,
)


@given(PIECES, st.sampled_from(TAILS), PIECES, st.integers(0, 90))
@settings(max_examples=examples(100))
def test_anything_around_a_file_ends_calmly(front, middle, behind, cut):
    data = b"".join(front) + middle + b"".join(behind)
    check(data[: len(data) - cut])


@given(st.sampled_from(sorted(SEEDS)), st.data())
def test_a_server_that_answers_anything_ends_the_probe(name, draw):
    data, probe = SEEDS[name], Probe()
    answers = 0
    while (wanted := probe.next_range()) is not None:
        start = draw.draw(st.sampled_from([wanted[0], 0]) | st.integers(0, len(data)))
        length = draw.draw(st.integers(0, 20_000))
        size = draw.draw(st.sampled_from([len(data), None, len(data), 0, 100]))
        probe.feed(start, data[start : start + length], size)
        answers += 1
        assert answers <= probe.policy.max_requests
    assert probe.result().status.startswith(STATUS)
