"""FLV: onMetaData within bounds, codecs of the first tags, the length from the last one."""

import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import run, sample, texts


def named(name, value):
    return struct.pack(">H", len(name)) + name + value


def number(value):
    return b"\0" + struct.pack(">d", value)


def string(raw):
    return b"\2" + struct.pack(">H", len(raw)) + raw


def array(*properties, count=0):
    return b"\x08" + struct.pack(">I", count) + b"".join(properties) + b"\0\0\x09"


def thing(*properties):
    return b"\3" + b"".join(properties) + b"\0\0\x09"


def tag(kind, data, *, time=0):
    length = struct.pack(">I", len(data))[1:]
    stamp = struct.pack(">I", time)
    return bytes([kind]) + length + stamp[1:] + stamp[:1] + bytes(3) + data + struct.pack(">I", len(data) + 11)


def flv(*tags):
    return b"FLV\1\5" + struct.pack(">II", 9, 0) + b"".join(tags)


def script(value):
    return tag(18, string(b"onMetaData") + value)


SOUND = tag(8, b"\x2f" + bytes(100))
PICTURE = tag(9, b"\x12" + bytes(100))


@pytest.mark.parametrize(("name", "codecs"), [("film.flv", ("flv1", "mp3")), ("live.flv", ("h264", "aac"))])
def test_the_samples_are_read_as_ffprobe_reads_them(name, codecs):
    probed = run(sample(name))
    result = probed.result
    assert (result.status, result.encoding_format, result.is_video) == ("complete", "video/x-flv", True)
    assert (result.video_codec, result.audio_codec, result.codec) == (*codecs, codecs[0])
    assert (result.width, result.height, result.frame_rate) == (96, 64, 10)
    assert (result.sample_rate, result.channels) == (22_050, 1)
    assert (texts(result, "title"), probed.requests) == (["Film"], 1)
    assert result.duration == pytest.approx(1, abs=0.11)
    assert result.bitrate == pytest.approx(len(sample(name)) * 8 / result.duration, abs=1)


@pytest.mark.parametrize("kind", [array, thing])
def test_texts_are_kept_byte_for_byte(kind):
    raw = "Фильм".encode("cp1251")
    value = kind(named(b"title", string(raw)), named(b"creator", b"\x0c" + struct.pack(">I", 4) + b"Sine"))
    result = run(flv(script(value), SOUND)).result
    assert [(t.source, t.frame, t.key, t.raw, t.declared) for t in result.tags] == [
        ("flv", "title", "title", raw, "utf-8"),
        ("flv", "creator", "artist", b"Sine", "utf-8"),
    ]


def test_a_long_file_without_a_length_costs_its_tail():
    body = tag(9, b"\x22" + bytes(60_000), time=1000) * 20
    tags = (script(array()), tag(8, b"\x2f", time=5000), PICTURE, body, tag(8, b"\x2f", time=95_000))
    probed = run(flv(*tags))
    assert (probed.result.duration, probed.result.duration_estimated) == (pytest.approx(90), False)
    assert (probed.requests, probed.result.status) == (2, "complete")


def test_a_last_tag_longer_than_the_tail_is_reached():
    probed = run(flv(SOUND, PICTURE, tag(9, b"\x22" + bytes(90_000), time=7000)))
    assert (probed.result.duration, probed.requests) == (pytest.approx(7), 2)
    probed = run(flv(SOUND, PICTURE, SOUND * 2000, tag(9, b"\x22" + bytes(90_000), time=7000)))
    assert (probed.result.duration, probed.requests) == (pytest.approx(7), 3)


def test_a_script_at_the_end_has_no_time():
    probed = run(flv(SOUND, PICTURE, tag(9, b"\x22", time=7000), tag(18, string(b"onCuePoint"))))
    assert probed.result.duration == pytest.approx(7)


def test_a_time_of_more_than_four_hours_has_its_highest_byte_last():
    assert run(flv(SOUND, tag(8, b"\x2f", time=20_000_000))).result.duration == pytest.approx(20_000)


def test_a_file_that_was_cut_off_has_no_length_that_can_be_known():
    whole = flv(script(array(named(b"title", string(b"Film")))), SOUND, PICTURE, tag(9, b"\x22" + bytes(900), time=7))
    result = run(whole[:-500]).result
    assert (result.duration, texts(result, "title"), result.status) == (None, ["Film"], "partial")


@pytest.mark.parametrize("size", [10, 30_000])
def test_an_index_of_key_frames_is_stepped_over(size):
    times = b"\x0a" + struct.pack(">I", size) + number(1.5) * size
    index = named(b"keyframes", thing(named(b"times", times), named(b"filepositions", times)))
    probed = run(flv(script(array(index, named(b"title", string(b"Film")), named(b"duration", number(60)))), SOUND))
    assert (texts(probed.result, "title"), probed.result.duration) == (["Film"], 60)
    assert probed.fetched <= 48 * 1024


@pytest.mark.parametrize(("claimed", "there"), [(100_000, 3), (5, 4)])
def test_an_array_that_claims_more_numbers_than_the_data_hold_is_broken(claimed, there):
    index = named(b"times", b"\x0a" + struct.pack(">I", claimed) + number(1) * there)
    last = tag(9, b"\x22", time=4000)
    probed = run(flv(script(thing(named(b"title", string(b"Film")), index)), SOUND * 9000, last))
    assert (texts(probed.result, "title"), probed.result.duration) == (["Film"], 4)
    assert (probed.result.notes, probed.requests) == (["metadata:BrokenError"], 2)


def test_a_text_ends_with_its_tag():
    value = b"\3" + named(b"title", string(b"Film")) + named(b"creator", b"\2" + struct.pack(">H", 500) + b"Sine")
    result = run(flv(script(value), SOUND * 9)).result
    assert [each.text for each in result.tags] == ["Film"]
    assert "metadata:BrokenError" in result.notes


def test_a_property_without_a_name_is_no_end():
    value = array(named(b"", string(b"nameless")), named(b"title", string(b"Film")))
    assert texts(run(flv(script(value), SOUND)).result, "title") == ["Film"]


def test_every_kind_of_value_is_stepped_over():
    mixed = b"\x0a" + struct.pack(">I", 3) + number(1) + string(b"x") + thing(named(b"a", number(2)))
    values = [
        b"\1\1",
        b"\5",
        b"\6",
        b"\7\0\1",
        b"\x0b" + bytes(10),
        b"\x0f" + struct.pack(">I", 3) + b"<a>",
        b"\x10" + struct.pack(">H", 1) + b"C" + named(b"a", number(1)) + b"\0\0\x09",
        array(named(b"a", array())),
        mixed,
    ]
    each = b"".join(named(b"k%d" % i, value) for i, value in enumerate(values))
    assert texts(run(flv(script(thing(each, named(b"title", string(b"Film")))), SOUND)).result, "title") == ["Film"]


def test_metadata_without_an_end_is_read_to_its_end():
    value = b"\x08" + struct.pack(">I", 1) + named(b"title", string(b"Film"))
    result = run(flv(script(value), SOUND)).result
    assert (texts(result, "title"), result.notes) == (["Film"], [])


def test_nesting_has_a_bound():
    value = number(1)
    for _ in range(3000):
        value = thing(named(b"a", value))
    result = run(flv(script(thing(named(b"title", string(b"Film")), named(b"deep", value))), SOUND)).result
    assert (texts(result, "title"), result.notes) == (["Film"], ["limit:depth"])


def test_arrays_in_arrays_have_a_bound():
    deep = b"".join([b"\x0a\0\0\0\1"] * 3000) + number(1)
    assert run(flv(script(thing(named(b"deep", deep))), SOUND)).result.notes == ["limit:depth"]


def test_a_count_of_values_is_not_believed():
    value = b"\x0a\xff\xff\xff\xff" + b"\5" * 40_000
    probed = run(flv(script(thing(named(b"many", value))), SOUND))
    assert probed.result.notes == ["limit:parts"]


@pytest.mark.parametrize(
    ("data", "codec", "rate", "channels"),
    [
        (b"\x2f\xff", "mp3", 44_100, 2),
        (b"\x26", "mp3", 11_025, 1),
        (b"\x3e", "pcm_s16le", 44_100, 1),
        (b"\x3c", "pcm_u8", 44_100, 1),
        (b"\xb2", "speex", 16_000, 1),
        (b"\xaf\x00\x13\x88", "aac", 22_050, 1),
        (b"\xaf\x01\xff\xff", "aac", 44_100, 2),
        (b"\x90Opus", "opus", None, None),
    ],
)
def test_sound_goes_by_its_first_tag(data, codec, rate, channels):
    result = run(flv(tag(8, data), tag(8, data, time=9))).result
    assert (result.codec, result.audio_codec, result.sample_rate, result.channels) == (codec, codec, rate, channels)
    assert (result.encoding_format, result.is_video) == ("audio/x-flv", False)


@pytest.mark.parametrize(
    ("data", "codec"),
    [(b"\x12", "flv1"), (b"\x17", "h264"), (b"\x1c", "hevc"), (b"\x90hvc1", "hevc"), (b"\x90av01", "av1")],
)
def test_pictures_go_by_their_first_tag(data, codec):
    result = run(flv(tag(9, data), tag(9, data, time=9))).result
    assert (result.video_codec, result.is_video, result.encoding_format) == (codec, True, "video/x-flv")


def test_where_no_tag_is_at_hand_the_metadata_name_the_codecs():
    facts = [named(b"videocodecid", string(b"avc1")), named(b"audiocodecid", number(10)), named(b"stereo", b"\1\1")]
    value = array(*facts, named(b"audiosamplerate", number(48_000)), named(b"duration", number(5)))
    cut = flv(script(value))
    result = run(cut).result
    assert (result.video_codec, result.audio_codec) == ("h264", "aac")
    assert (result.sample_rate, result.channels, result.duration) == (48_000, 2, 5)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -5.0, 1e300])
def test_numbers_that_are_none_say_nothing(bad):
    value = array(*[named(name, number(bad)) for name in (b"duration", b"width", b"height", b"framerate")])
    result = run(flv(script(value), PICTURE, tag(9, b"\x22", time=3000))).result
    assert (result.duration, result.width, result.height, result.frame_rate) == (3, None, None, None)


VALUES = st.recursive(
    st.floats(allow_nan=False).map(number) | st.binary(max_size=20).map(string) | st.sampled_from([b"\5", b"\1\1"]),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda values: b"\x0a" + struct.pack(">I", len(values)) + b"".join(values))
        | st.lists(inner, max_size=4).map(lambda values: thing(*(named(b"k", value) for value in values)))
    ),
    max_leaves=12,
)


@given(VALUES, st.binary(min_size=1, max_size=20).filter(lambda raw: not raw.endswith(b"\0") and raw.strip()))
@settings(max_examples=examples(50))
def test_what_stands_behind_any_value_is_read(value, raw):
    data = flv(script(array(named(b"any", value), named(b"zz", string(raw)))), SOUND)
    tags = run(data, restart=False).result.tags
    assert raw in [each.raw for each in tags]
