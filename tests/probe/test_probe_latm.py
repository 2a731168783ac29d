"""AAC in LATM, as a file and in a transport stream, and ADIF."""

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_builders import adif, bits, latm, latm_config, loas, program
from probe_media import id3v1, run, sample, texts

from mediacrawl.probe import Probe, sniff
from mediacrawl.probe.formats.aac_streams import LATM, LatmConfig, find_config, frame_format
from mediacrawl.probe.formats.audio_frames import find, follow

FRAME = 1024 / 44_100


def test_a_real_file_is_counted():
    result = run(sample("tone.latm")).result
    assert (result.status, result.container, result.encoding_format) == ("complete", "latm", "audio/mp4a-latm")
    assert (result.codec, result.audio_codec, result.sample_rate, result.channels) == ("aac_latm", "aac_latm", 44100, 1)
    # By ffprobe's count of packets.
    assert (result.duration, result.duration_estimated) == (pytest.approx(66 * FRAME), False)
    assert result.bitrate == pytest.approx(len(sample("tone.latm")) * 8 / result.duration, abs=1)


def test_a_real_transport_stream_with_latm():
    result = run(sample("latm.ts")).result
    assert (result.container, result.encoding_format, result.status) == ("mpeg-ts", "audio/mp2t", "complete")
    assert (result.codec, result.audio_codec, result.sample_rate, result.channels) == ("aac_latm", "aac_latm", 44100, 2)
    # 45 packets by ffprobe's count, of which the last packet of the stream holds several.
    assert result.duration == pytest.approx(45 * FRAME, abs=0.001)


def test_a_long_file_costs_its_ends():
    probed = run(latm(8000, 200))
    assert probed.result.duration == pytest.approx(8000 * FRAME, rel=0.001)
    assert (probed.result.duration_estimated, probed.result.status) == (True, "complete")
    assert (probed.requests, probed.fetched) == (2, 20 * 1024)


def test_dense_frames_at_the_end_are_counted_in():
    head, both = (run(latm(2000, 97) + latm(500, end)).result for end in (97, 697))
    assert both.bitrate > head.bitrate
    assert head.duration == pytest.approx(2500 * FRAME)


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize(
    ("config", "rate", "channels", "seconds"),
    [
        ({"index": 4, "channels": 2}, 44_100, 2, 1024 / 44_100),
        ({"index": 3, "channels": 6}, 48_000, 6, 1024 / 48_000),
        ({"index": 3, "channels": 2, "short": 1}, 48_000, 2, 960 / 48_000),
        ({"index": 3, "channels": 2, "parts": 4}, 48_000, 2, 4 * 1024 / 48_000),
        # SBR: the core has half the rate. PS: it has one channel.
        ({"kind": 5, "index": 6, "more": ((3, 4), (2, 5))}, 48_000, 2, 1024 / 24_000),
        ({"kind": 29, "index": 6, "channels": 1, "more": ((3, 4), (2, 5))}, 48_000, 2, 1024 / 24_000),
        ({"kind": 23, "index": 3, "channels": 1}, 48_000, 1, 512 / 48_000),
    ],
)
def test_the_config_says_how_a_stream_sounds(version, config, rate, channels, seconds):
    result = run(latm(40, config=latm_config(version=version, **config))).result
    assert (result.sample_rate, result.channels, result.duration) == (rate, channels, pytest.approx(40 * seconds))


def test_a_rate_may_be_stated_in_full():
    fields = [(0, 1), (1, 1), (0, 6), (0, 4), (0, 3), (2, 5), (15, 4), (40_000, 24), (2, 4), (0, 3)]
    result = run(latm(40, config=fields)).result
    assert (result.sample_rate, result.channels, result.duration) == (40_000, 2, pytest.approx(40 * 1024 / 40_000))


def test_xhe_aac_has_frames_of_its_own_length():
    # An escaped object type, then a UsacConfig: index of the rate, index of the length, channels.
    fields = [(0, 1), (1, 1), (0, 6), (0, 4), (0, 3), (31, 5), (10, 6), (3, 4), (2, 4), (3, 5), (3, 3), (2, 5)]
    result = run(latm(40, config=fields)).result
    assert (result.sample_rate, result.channels, result.duration) == (48_000, 2, pytest.approx(40 * 2048 / 48_000))


def test_channels_that_no_number_names_are_counted_by_their_elements():
    fields = [(0, 1), (1, 1), (0, 6), (0, 4), (0, 3), (2, 5), (3, 4), (0, 4), (0, 3)]
    result = run(latm(40, config=[*fields, *program(index=3, front=(0, 1), back=(1,), low=1)])).result
    assert (result.channels, result.sample_rate) == (6, 48_000)


def test_a_recording_that_begins_inside_a_frame_waits_for_the_config():
    data = latm(2000, 100, every=20, first=7)[40:]
    result = run(data).result
    assert (result.container, result.sample_rate, result.channels) == ("latm", 44_100, 2)
    assert result.duration == pytest.approx(1999 * FRAME, rel=0.01)


def test_a_stream_that_never_says_how_it_sounds_has_no_length():
    frames = [loas(b"\x80" + bytes([number % 256]) * 90) for number in range(400)]
    result = run(b"".join(frames)).result
    assert (result.container, result.codec, result.duration) == ("latm", "aac_latm", None)
    assert result.notes == ["audio:BrokenError"]


def test_a_server_that_tells_no_size_gives_the_facts():
    probe = Probe()
    probe.feed(0, latm(300)[:16_384], None)
    result = probe.result()
    assert (result.sample_rate, result.duration, result.notes) == (44_100, None, ["size unknown"])


def test_a_tag_behind_the_frames_is_read_and_not_played():
    result = run(latm(100) + id3v1(b"Tone")).result
    assert (texts(result, "title"), result.duration) == (["Tone"], pytest.approx(100 * FRAME))


@pytest.mark.parametrize(
    ("head", "container"),
    [
        (latm(4, every=100, first=1), "latm"),  # four frames without a config
        (latm(2), "latm"),  # two, of which the first has one
        (latm(3, every=100, first=1), None),
        (latm(1), None),
        (b"V\xe0\x20 is a letter" + bytes(4000), None),
        (latm(2, config=latm_config(kind=9)), None),
        (latm(2, config=latm_config(index=14)), None),
    ],
)
def test_a_few_sync_words_are_no_stream(head, container):
    assert sniff(head).container == container


# ADIF.


def test_the_header_of_adif():
    data = adif(bytes(80_000 - 32), comment=b"made by hand", copyright_id=b"CZ0123456")
    probed = run(data)
    result = probed.result
    assert (result.status, result.container, result.encoding_format) == ("complete", "adif", "audio/aac")
    assert (result.codec, result.sample_rate, result.channels) == ("aac", 44_100, 2)
    assert (result.bitrate, result.bitrate_mode) == (64_000, "cbr")
    assert (result.duration, result.duration_estimated) == (pytest.approx(len(data) * 8 / 64_000), True)
    assert [(tag.source, tag.key, tag.raw, tag.declared) for tag in result.tags] == [
        ("adif", "comment", b"made by hand", "latin-1")
    ]
    assert probed.requests == 2


@pytest.mark.parametrize(
    ("elements", "channels"),
    [
        ({"front": (0,)}, 1),
        ({"front": (1,), "mixed": 1}, 2),
        ({"front": (0, 1), "back": (1,), "low": 1}, 6),
        ({"front": (0, 1, 1), "side": (1,), "back": (0,), "low": 1}, 9),
    ],
)
def test_channels_of_adif_are_those_of_its_elements(elements, channels):
    assert run(adif(bytes(9000), fields=program(**elements, index=3))).result.channels == channels
    assert run(adif(bytes(9000), fields=program(**elements, index=3))).result.sample_rate == 48_000


@pytest.mark.parametrize(("varies", "bitrate"), [(1, 64_000), (0, 0)])
def test_a_rate_that_varies_gives_no_length(varies, bitrate):
    result = run(adif(bytes(9000), varies=varies, bitrate=bitrate)).result
    assert (result.duration, result.bitrate, result.channels) == (None, bitrate or None, 2)
    assert result.notes == ["length:unknown bit rate"]


def test_a_tag_behind_adif_is_read_and_not_played():
    result = run(adif(bytes(80_000)) + id3v1(b"Tone")).result
    assert (texts(result, "title"), result.duration) == (["Tone"], pytest.approx(len(adif(bytes(80_000))) / 8000))


@pytest.mark.parametrize("log", [b"ADIF Export from a logger <EOH>", b"ADIF\n<CALL:5>OK1XX <EOR>\n"])
def test_a_log_of_radio_amateurs_is_no_audio(log):
    assert sniff(log).container is None


@given(st.binary(max_size=300), st.sampled_from([b"\x56\xe0", b"\x56\xe1\x10", b"\x56\xe0\x08\x20\0\x12"]))
@settings(max_examples=examples(60))
def test_any_bytes_are_frames_or_none(data, sync):
    data = sync.join([data[:7], data[7:30], data[30:]])
    at = find(LATM, data)
    assert at is None or at < len(data)
    find_config(data)
    for kind in (LATM, frame_format(LatmConfig(44_100, 2, 1024))):
        frames = list(follow(kind, data, data.index(sync)))
        assert all(frame.size > 3 and frame.rate > 0 for frame in frames)


@given(st.binary(max_size=60))
@settings(max_examples=examples(60))
def test_any_header_of_adif_ends_calmly(body):
    result = run(b"ADIF" + body, restart=False).result
    assert result.channels is None or result.channels <= 255


def test_the_builder_packs_from_the_highest_bit():
    assert bits((1, 1), (0, 6), (3, 2)) == b"\x81\x80"
