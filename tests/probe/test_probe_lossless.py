"""Monkey's Audio, WavPack, True Audio, Musepack: length and facts from their headers."""

import io
import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.monkeysaudio import MonkeysAudio
from mutagen.musepack import Musepack
from mutagen.trueaudio import TrueAudio
from mutagen.wavpack import WavPack
from probe_media import frame, id3, id3v1, run, sample, texts

AUDIO = bytes(range(1, 200)) * 500


def monkey_new(*, frames=3, per_frame=294912, last=1000, descriptor=52):
    head = struct.pack("<4sHHIIIIIII", b"MAC ", 3990, 0, descriptor, 24, 0, 44, len(AUDIO), 0, 0) + bytes(16)
    header = struct.pack("<HHIIIHHI", 2000, 0, per_frame, last, frames, 24, 2, 48000)
    return head.ljust(descriptor, b"\0") + header + AUDIO


def monkey_old(version, level=2000, flags=0, *, frames=3, last=1000):
    return struct.pack("<4sHHHHIIIII", b"MAC ", version, level, flags, 2, 44100, 44, 0, frames, last) + AUDIO


def test_the_newer_header_of_monkeys_audio():
    result = run(monkey_new()).result
    assert result.duration == pytest.approx(MonkeysAudio(io.BytesIO(monkey_new())).info.length)
    assert (result.codec, result.sample_rate, result.channels, result.bits_per_sample) == ("ape", 48000, 2, 24)
    assert result.status == "complete"
    assert result.bitrate == round(len(monkey_new()) * 8 / result.duration)


def test_a_longer_descriptor_of_monkeys_audio_moves_the_header():
    assert run(monkey_new(descriptor=80)).result.duration == run(monkey_new()).result.duration


@pytest.mark.parametrize(
    ("version", "level", "blocks"),
    [(3970, 2000, 294912), (3920, 2000, 73728), (3830, 4000, 73728), (3830, 2000, 9216), (3700, 4000, 9216)],
)
def test_the_older_header_of_monkeys_audio(version, level, blocks):
    result = run(monkey_old(version, level)).result
    assert result.duration == pytest.approx((2 * blocks + 1000) / 44100)


@pytest.mark.parametrize(("flags", "bits"), [(0, 16), (1, 8), (8, 24)])
def test_the_depth_of_old_monkeys_audio_is_in_its_flags(flags, bits):
    assert run(monkey_old(3970, flags=flags)).result.bits_per_sample == bits


@pytest.mark.parametrize(("name", "kind", "codec"), [("tone.wv", WavPack, "wavpack"), ("tone.tta", TrueAudio, "tta")])
def test_facts_are_those_of_mutagen(name, kind, codec):
    result, known = run(sample(name)).result, kind(io.BytesIO(sample(name))).info
    assert result.duration == pytest.approx(known.length)
    assert (result.codec, result.sample_rate) == (codec, known.sample_rate)
    assert (result.channels, result.bits_per_sample, result.status) == (1, 16, "complete")
    assert (texts(result, "title"), texts(result, "artist")) == (["Tone"], ["Sine"])


def grown(data, more):
    """Puts bytes between the audio and the tag at the end."""
    at = data.index(b"APETAGEX")
    return data[:at] + bytes(more) + data[at:]


@pytest.mark.parametrize(
    ("name", "titles"), [("tone.wv", ["Tone", "End", "Front"]), ("tone.tta", ["Front", "Tone", "End"])]
)
def test_a_long_file_costs_head_and_tail(name, titles):
    probed = run(id3(frame("TIT2", b"\0Front")) + grown(sample(name), 2_000_000) + id3v1(b"End"))
    assert texts(probed.result, "title") == titles
    assert probed.result.duration == 1
    assert (probed.requests, probed.fetched) == (2, 20 * 1024)


def block(samples, *, total=44100, flags=0x4800001 | 0x1800, parts=b"", size=1000, high=0):
    body = parts.ljust(size - 32, b"\0")
    return struct.pack("<4sIHBBIIIII", b"wvpk", size - 8, 0x410, 0, high, total, 0, samples, flags, 0) + body


@pytest.mark.parametrize("total", [2**32 - 1, 0])
def test_a_wavpack_of_unknown_length_is_as_long_as_its_first_block_says(total):
    # Each block says that it is the first one.
    probed = run(block(4410, total=total) * 1000)
    assert probed.result.duration == pytest.approx(100)
    assert probed.result.duration_estimated
    assert (probed.result.status, probed.requests) == ("complete", 3)


def test_tags_at_the_end_are_not_in_the_bit_rate():
    data = sample("tone.tta").partition(b"APETAGEX")[0] + bytes(100_000)
    tagged = run(data + id3v1(b"Tone")).result
    assert tagged.bitrate == pytest.approx(len(data) * 8 / tagged.duration, abs=1)


def test_blocks_without_audio_are_stepped_over():
    assert run(block(0) + block(4410, total=88200) * 30).result.duration == pytest.approx(2)


def test_a_very_long_wavpack_has_a_count_of_forty_bits():
    result = run(block(4410, total=5, high=1) * 30).result
    assert round(result.duration * 44100) == 2**32 - 1 + 5


def test_channels_and_rate_may_stand_in_sub_blocks():
    parts = b"\x0d\x01\x06\x3f" + b"\x67\x02" + (50000).to_bytes(3, "little") + b"\0"
    result = run(block(4410, total=100_000, flags=0x7800001 | 0x800, parts=parts) * 30).result
    assert (result.channels, result.sample_rate, result.duration) == (6, 50000, 2)


@pytest.mark.parametrize(
    ("part", "channels"),
    [
        (b"\x4d\x03\x06" + bytes(5), 6),
        (b"\x0d\x03\x07\x08\x00" + bytes(3), 8),
        (b"\x8d\x03\x00\x00\x07\x08\x00" + bytes(3), 8),
    ],
)
def test_forms_of_the_channels_sub_block(part, channels):
    assert run(block(4410, parts=part) * 30).result.channels == channels


def test_direct_stream_digital_in_wavpack_has_the_rate_of_its_bits():
    parts = b"\x0e\x01\x03\x00"
    result = run(block(4410, total=44100 * 8, flags=0x84800000 | 0x1800, parts=parts) * 30).result
    assert (result.sample_rate, result.bits_per_sample, result.duration) == (2_822_400, 1, 1)


def musepack7(frames=100, *, last=None, index=0):
    end = 0 if last is None else 1 << 31 | last << 20
    return b"MP+\x07" + struct.pack("<IIIII", frames, index << 16, 0, 0, end) + AUDIO


def number(value):
    out = bytes([value & 127])
    while value := value >> 7:
        out = bytes([value & 127 | 128]) + out
    return out


def packet(key, body):
    return key + number(len(body) + 3) + body


def musepack8(samples=44100, silent=0, *, before=b""):
    header = bytes(4) + b"\x08" + number(samples) + number(silent) + bytes([1 << 5 | 20, 1 << 4])
    return b"MPCK" + before + packet(b"SH", header) + packet(b"RG", b"\1" + bytes(8)) + packet(b"AP", b"x") + AUDIO


def test_musepack_of_version_seven():
    result, known = run(musepack7()).result, Musepack(io.BytesIO(musepack7())).info
    assert result.duration == pytest.approx(known.length, abs=0.02)
    assert (result.codec, result.sample_rate, result.channels) == ("musepack7", 44100, 2)
    assert run(musepack7(last=100, index=1)).result.duration == pytest.approx((99 * 1152 + 100) / 48000)


def test_musepack_of_version_eight():
    data = musepack8(48000 * 200, 480)
    result, known = run(data).result, Musepack(io.BytesIO(data)).info
    assert result.duration == pytest.approx(known.length)
    assert (result.codec, result.sample_rate, result.channels) == ("musepack8", 48000, 2)
    assert result.status == "complete"


def test_packets_before_the_stream_header_of_musepack_are_stepped_over():
    assert run(musepack8(48000, before=packet(b"XX", bytes(50)))).result.duration == pytest.approx(1)


@pytest.mark.parametrize("bad", [b"XX\0", b"XX\x01", b"XX" + b"\xff" * 9 + b"\1", b"AP\x03", b"XX\xff\xff\xff\xff\x7f"])
def test_packets_that_lead_nowhere_end_calmly(bad):
    result = run(musepack8(before=bad)).result
    assert (result.notes, result.duration) == (["header:BrokenError"], None)


@pytest.mark.parametrize("data", [monkey_new(frames=0), monkey_old(3970, frames=0), musepack7(0), musepack8(0)])
def test_no_audio_gives_no_length(data):
    assert run(data).result.duration is None


SEEDS = [
    monkey_new()[:90],
    monkey_old(3970)[:60],
    sample("tone.wv")[:200],
    sample("tone.tta")[:60],
    musepack7()[:60],
    musepack8()[:60],
]


CHANGES = st.lists(st.tuples(st.integers(4, 50), st.integers(0, 255)), max_size=6)


@given(st.sampled_from(SEEDS), CHANGES, st.integers(0, 90))
@settings(max_examples=examples(80))
def test_damaged_headers_end_calmly(seed, changes, cut):
    data = bytearray(seed)
    for at, value in changes:
        data[at] = value
    result = run(bytes(data[: len(data) - cut]) + bytes(cut * 100), restart=False).result
    assert result.duration is None or result.duration > 0
