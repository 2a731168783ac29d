"""Streams of frames without a header for the file: AAC, AC-3, E-AC-3, DTS."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import cover, frame, id3, id3v1, run, sample, texts

from mediacrawl.probe.formats.audio_frames import find, follow
from mediacrawl.probe.formats.mpeg_audio import MPEG
from mediacrawl.probe.formats.raw_audio import AAC, AC3, DTS

# Name, codec, MIME type, Hz, channels, seconds: what ffprobe says, and how many frames there are.
KNOWN = [
    ("tone.aac", "aac", "audio/aac", 44100, 1, 88 * 1024 / 44100),
    ("tone.ac3", "ac3", "audio/ac3", 48000, 2, 1.024),
    ("tone.eac3", "eac3", "audio/eac3", 48000, 2, 1.024),
    ("tone.dts", "dts", "audio/vnd.dts", 44100, 1, 18 * 512 / 44100),
]


@pytest.mark.parametrize(("name", "codec", "mime", "rate", "channels", "seconds"), KNOWN)
def test_a_file_at_hand_is_counted(name, codec, mime, rate, channels, seconds):
    result = run(sample(name)).result
    assert (result.codec, result.audio_codec, result.encoding_format) == (codec, codec, mime)
    assert (result.sample_rate, result.channels) == (rate, channels)
    assert result.duration == pytest.approx(seconds)
    assert (result.status, result.duration_estimated) == ("complete", False)
    assert result.bitrate == pytest.approx(len(sample(name)) * 8 / seconds, rel=0.001)


@pytest.mark.parametrize(("name", "seconds"), [(row[0], row[5]) for row in KNOWN])
def test_a_long_file_costs_its_head_and_at_most_its_tail(name, seconds):
    times = 3_000_000 // len(sample(name))
    probed = run(sample(name) * times)
    assert probed.result.duration == pytest.approx(seconds * times, rel=0.01)
    assert probed.result.duration_estimated is (name == "tone.aac")
    assert (probed.requests, probed.result.status) == (2 if name == "tone.aac" else 1, "complete")
    assert probed.fetched <= 20 * 1024


def adts(size, *, blocks=1, channels=2, index=4):
    header = bytes([0xFF, 0xF1, 0x40 | index << 2 | channels >> 2, (channels & 3) << 6 | size >> 11])
    return header + bytes([size >> 3 & 255, (size & 7) << 5 | 0x1F, 0xFC | blocks - 1]) + bytes(size - 7)


def test_dense_frames_at_the_end_of_an_aac_stream_are_counted_in():
    head, both = (run(adts(100) * 2000 + end * 500).result for end in (adts(100), adts(700)))
    assert head.duration == pytest.approx(2500 * 1024 / 44100)
    assert both.bitrate > head.bitrate
    assert head.duration_estimated
    assert both.duration_estimated


def test_frames_of_several_blocks_last_longer():
    assert run(adts(300, blocks=3) * 30).result.duration == pytest.approx(30 * 3 * 1024 / 44100)


@pytest.mark.parametrize(("configuration", "channels"), [(1, 1), (2, 2), (6, 6), (7, 8)])
def test_channels_of_aac(configuration, channels):
    assert run(adts(300, channels=configuration) * 30).result.channels == channels


def test_tags_around_aac_are_read_and_not_played():
    tag = id3(frame("TIT2", b"\0Tone"), frame("APIC", b"\0image/jpeg\0\3\0" + cover(400_000)))
    probed = run(tag + adts(100) * 3000 + id3v1(b"Tone"))
    assert (texts(probed.result, "title"), probed.result.container) == (["Tone", "Tone"], "aac")
    assert probed.result.duration == pytest.approx(3000 * 1024 / 44100)
    assert (probed.result.cover_size, probed.requests) == (400_000, 3)


def ac3(*, version=8, code=0, size_code=18, mode=2, lfe=0):
    """One frame of AC-3; behind acmod stand the levels that it asks for, all zero, then lfeon."""
    levels = (2 if mode & 1 and mode != 1 else 0) + (2 if mode & 4 else 0) + (2 if mode == 2 else 0)
    bits = (mode << 13 | lfe << (12 - levels)).to_bytes(2, "big")
    head = b"\x0b\x77\0\0" + bytes([code << 6 | size_code, version << 3]) + bits
    return head.ljust({18: 640, 26: 1392, 27: 1394}[size_code], b"\1")


@pytest.mark.parametrize(
    ("mode", "lfe", "channels"), [(1, 0, 1), (1, 1, 2), (2, 0, 2), (2, 1, 3), (3, 1, 4), (7, 0, 5), (7, 1, 6)]
)
def test_channels_of_ac3(mode, lfe, channels):
    assert run(ac3(mode=mode, lfe=lfe) * 20).result.channels == channels


def test_frames_of_ac3_that_alternate_in_size_have_one_bit_rate():
    pair = ac3(code=1, size_code=26) + ac3(code=1, size_code=27)
    result = run(pair * 500).result
    assert (result.bitrate, result.sample_rate, result.duration_estimated) == (320_000, 44100, False)
    assert result.duration == pytest.approx(1000 * 1536 / 44100, rel=0.001)


def test_a_low_sample_rate_of_ac3_halves_the_bit_rate():
    result = run(ac3(version=9) * 20).result
    assert (result.sample_rate, result.bitrate) == (24000, 80_000)
    assert result.duration == pytest.approx(20 * 1536 / 24000)


def eac3(size=512, *, kind=0, substream=0, code=0, blocks=3, mode=7, lfe=1):
    words = size // 2 - 1
    head = bytes([0x0B, 0x77, kind << 6 | substream << 3 | words >> 8, words & 255])
    return (head + bytes([code << 6 | blocks << 4 | mode << 1 | lfe, 16 << 3])).ljust(size, b"\1")


def test_further_channels_and_programmes_of_eac3_take_no_time():
    unit = eac3() + eac3(300, kind=1) + eac3(200, substream=1)
    result = run(unit * 400).result
    assert result.duration == pytest.approx(400 * 1536 / 48000, rel=0.01)
    assert (result.codec, result.channels) == ("eac3", 6)


@pytest.mark.parametrize(
    ("code", "blocks", "rate", "samples"), [(0, 0, 48000, 256), (1, 2, 44100, 768), (3, 1, 22050, 1536)]
)
def test_blocks_and_low_rates_of_eac3(code, blocks, rate, samples):
    result = run(eac3(code=code, blocks=blocks) * 30).result
    assert result.sample_rate == rate
    assert result.duration == pytest.approx(30 * samples / rate)


def test_a_frame_too_long_for_its_follower_to_be_seen_is_one():
    assert run(eac3(4096) * 30).result.duration == pytest.approx(30 * 1536 / 48000)


def test_frames_of_eac3_that_differ_by_a_word_have_one_bit_rate():
    result = run((eac3(836) + eac3(838)) * 400).result
    assert result.duration == pytest.approx(800 * 1536 / 48000, rel=0.001)
    assert result.duration_estimated is False


def test_two_bytes_are_not_ac3():
    assert run(b"\x0b\x77" + b"\1" * 30_000).result.container is None


@pytest.mark.parametrize("junk", [b"\0" * 40_000, b"\x0b\x77\0\0\x14\x40!" * 3000])
def test_what_stops_being_a_stream_ends_calmly(junk):
    result = run(ac3() * 2 + junk).result
    assert (result.status, result.notes) == ("error:BrokenError", ["audio:BrokenError"])


SYNCS = st.sampled_from([b"\xff\xf1", b"\xff\xfb\x90", b"\xff\xfb\x00", b"\x0b\x77", b"\x7f\xfe\x80\x01"])


@pytest.mark.parametrize("kind", [AAC, AC3, DTS, MPEG])
@given(st.binary(max_size=400), SYNCS)
@settings(max_examples=examples(40))
def test_any_bytes_are_frames_or_none(kind, data, sync):
    data = sync.join([data[:7], data[7:30], data[30:]])
    at = find(kind, data)
    assert at is None or at < len(data)
    frames = list(follow(kind, data, data.index(sync)))
    assert all(frame.size > 0 and frame.rate > 0 and frame.seconds >= 0 for frame in frames)
