"""No input crashes a probe, makes it loop, or takes more than its budget: `run` counts every visit."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_builders import handmade
from probe_media import SAMPLES, audio, frame, id3, id3v1, picture, run, sample
from probe_old import old_files

from mediacrawl.probe import Probe, build_item, raw_bytes

NAMES = sorted(path.name for path in SAMPLES.iterdir() if path.suffix != ".sh")
WHOLE = {name: sample(name) for name in NAMES}
WHOLE["covers.mp3"] = id3(picture(90_000), frame("TIT2", b"\0Tone")) + audio(8) + id3v1(b"Tone")
WHOLE["old.mp3"] = id3(frame("TT2", b"\0x", version=2), picture(90, version=2), version=2) + audio(4)
WHOLE["safe.mp3"] = id3(frame("TIT2", b"\1\xff\0\xfea\0"), flags=0x80) + audio(4)
WHOLE.update(old_files())
HANDMADE = handmade()
WHOLE |= HANDMADE
STATUS = ("complete", "partial", "unsupported", "error:")


def check(data):
    probed = run(data, restart=False)
    assert probed.result.status.startswith(STATUS)
    item = build_item(probed.result, probed.probe, url="http://example.org/a")
    cut = sum(len(getattr(probed.result, name)) - len(getattr(item, name)) for name in ("tracks", "chapters", "covers"))
    assert len(item.tags) + (item.texts_dropped or 0) == len(probed.result.tags) + cut
    # A damaged length can make a text so long that the record has no room for it. The others keep their order.
    left = iter(probed.result.tags)
    for element in item.tags:
        assert any(raw_bytes(element) == tag.raw for tag in left)
        element["text"].encode("utf-8")


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_every_truncation_ends_calmly(name):
    data = WHOLE[name]
    for stop in range(0, len(data), max(1, len(data) // 60)):
        check(data[:stop])


@pytest.mark.parametrize("name", sorted(HANDMADE))
def test_a_small_file_cut_at_any_byte_ends_calmly(name):
    data = HANDMADE[name]
    for stop in range(len(data)):
        check(data[:stop])


@given(st.sampled_from(sorted(WHOLE)), st.data())
@settings(max_examples=examples(100))
def test_a_file_with_flipped_bytes_ends_calmly(name, draw):
    data = bytearray(WHOLE[name])
    # Damage where the structure is: at the front, at the end, and at ilst and the like in between.
    near = st.integers(0, min(600, len(data) - 1))
    place = near | near.map(lambda n: len(data) - 1 - n) | st.integers(0, len(data) - 1)
    changes = draw.draw(st.lists(st.tuples(place, st.integers(0, 255)), min_size=1, max_size=20))
    for at, value in changes:
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


@given(st.sampled_from(sorted(WHOLE)), st.data())
def test_a_server_that_answers_anything_ends_the_probe(name, draw):
    data, probe = WHOLE[name], Probe()
    answers = 0
    while (wanted := probe.next_range()) is not None:
        start = draw.draw(st.sampled_from([wanted[0], 0]) | st.integers(0, len(data)))
        length = draw.draw(st.integers(0, 20_000))
        size = draw.draw(st.sampled_from([len(data), None, len(data), 0, 100]))
        probe.feed(start, data[start : start + length], size)
        answers += 1
        assert answers <= probe.policy.max_requests
    assert probe.result().status.startswith(STATUS)
