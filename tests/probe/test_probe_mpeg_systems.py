"""MPEG transport and program streams: tables and headers from the front, times from both ends."""

import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_media import run, sample

from mediacrawl.probe.formats import mpeg_ts
from mediacrawl.probe.formats.mpeg_video import find_video_header

# Real files; the values are those of ffprobe.


@pytest.mark.parametrize(
    ("name", "container", "video", "audio", "rate"),
    [
        ("film.ts", "mpeg-ts", "h264", "aac", 10),
        ("hevc.ts", "mpeg-ts", "hevc", None, 10),
        ("film.mpg", "mpeg-ps", "mpeg1video", "mp2", 25),
        ("film.vob", "mpeg-ps", "mpeg2video", "ac3", 25),
    ],
)
def test_a_film_has_size_rate_and_codecs(name, container, video, audio, rate):
    result = run(sample(name)).result
    assert (result.status, result.container, result.is_video) == ("complete", container, True)
    assert (result.codec, result.video_codec, result.audio_codec) == (video, video, audio)
    assert (result.width, result.height, result.frame_rate) == (96, 64, pytest.approx(rate))
    if audio:
        assert (result.sample_rate, result.channels) == (44100, 1)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("film.ts", 0.623), ("hevc.ts", 0.6), ("tone.ts", 1.04), ("film.mpg", 0.72), ("film.vob", 0.72)],
)
def test_the_length_is_what_was_recorded(name, seconds):
    result = run(sample(name)).result
    assert result.duration == pytest.approx(seconds, rel=0.01)
    assert result.duration_estimated is False
    assert result.bitrate == pytest.approx(len(sample(name)) * 8 / result.duration, rel=0.001)


def test_a_stream_of_sound_alone_is_audio():
    result = run(sample("tone.ts")).result
    assert (result.encoding_format, result.is_video, result.codec) == ("audio/mp2t", False, "mp3")


# Transport streams.


def packets(data):
    return [data[at : at + 188] for at in range(0, len(data), 188)]


@pytest.mark.parametrize(("before", "behind"), [(4, 0), (0, 16)])
def test_packets_with_more_around_them_are_read_as_well(before, behind):
    plain = run(sample("film.ts")).result
    data = b"".join(bytes(before) + packet + bytes(behind) for packet in packets(sample("film.ts")))
    result = run(data).result
    assert (result.status, result.container) == ("complete", "mpeg-ts")
    assert (result.duration, result.width, result.audio_codec) == (plain.duration, plain.width, plain.audio_codec)


NOTHING = struct.pack(">BHB", 0x47, 0x1FFF, 0x10) + b"\xff" * 184


def test_a_long_film_costs_its_two_ends():
    data = sample("film.ts")
    half = len(data) // 188 // 2 * 188
    probed = run(data[:half] + NOTHING * 9000 + data[half:])
    assert probed.result.duration == pytest.approx(0.6)  # the picture's; the sound is one packet
    assert (probed.result.width, probed.requests, probed.fetched) == (96, 2, 24 * 1024)


def test_a_header_that_only_the_end_holds_is_read_there():
    """Sound often begins behind the head; the end is fetched anyway, for its times."""
    sound = [packet for packet in packets(sample("film.ts")) if number_of(packet) == 0x101]
    others = [packet for packet in packets(sample("film.ts")) if number_of(packet) != 0x101]
    half = len(others) // 2
    probed = run(b"".join(others[:half]) + NOTHING * 9000 + b"".join(others[half:] + sound))
    assert (probed.result.sample_rate, probed.result.channels, probed.requests) == (44100, 1, 2)


def number_of(packet):
    return (packet[1] & 0x1F) << 8 | packet[2]


def test_tables_are_searched_for_behind_the_head():
    probed = run(NOTHING * 300 + sample("film.ts") + NOTHING * 100)
    assert (probed.result.video_codec, probed.result.width) == ("h264", 96)
    assert probed.result.status == "complete"
    assert probed.requests <= 4


def test_without_tables_the_search_ends():
    probed = run(NOTHING * 9000)
    assert probed.result.status == "error:BrokenError"
    assert (probed.requests, probed.fetched) == (3, 128 * 1024)


def moved(data, ticks):
    """All time stamps of the packets later by some ticks, over the end of the clock if need be."""
    out = bytearray(data)
    for at in range(0, len(out), 188):
        start = out.find(b"\0\0\1", at, at + 188)
        if not out[at + 1] & 0x40 or start < 0 or out[start + 6] >> 6 != 2:
            continue
        for place in (start + 9, start + 14)[: (out[start + 7] >> 6) - 1]:
            value = int.from_bytes(out[place : place + 5], "big")
            time = (value >> 33 & 7) << 30 | (value >> 17 & 0x7FFF) << 15 | value >> 1 & 0x7FFF
            time = (time + ticks) % 2**33
            value = value & 0xF000010001 | (time >> 30) << 33 | (time >> 15 & 0x7FFF) << 17 | (time & 0x7FFF) << 1
            out[place : place + 5] = value.to_bytes(5, "big")
    return bytes(out)


def test_a_clock_that_begins_anew_gives_the_same_length():
    half = len(packets(sample("film.ts"))) // 2 * 188
    data = sample("film.ts")
    split = data[:half] + NOTHING * 9000 + data[half:]
    plain = run(split).result.duration
    # The first time stamps are at 1.4 s: the clock ends between the first and the last.
    assert run(moved(split, 2**33 - 150_000)).result.duration == pytest.approx(plain)


def test_times_that_cannot_be_are_no_length():
    data = packets(sample("film.ts"))
    half = len(data) // 2
    end = moved(b"".join(data[half:]), 5 * 3600 * 90_000)
    result = run(b"".join(data[:half]) + NOTHING * 200 + end).result
    assert result.duration is None or result.duration < 60
    assert run(b"".join(data[:half]) + NOTHING * 60_000 + end).result.duration == pytest.approx(5 * 3600, rel=0.01)


def test_scrambled_packets_still_tell_their_codecs_and_their_clock():
    data = bytearray(sample("film.ts"))
    for at in range(0, len(data), 188):
        number = (data[at + 1] & 0x1F) << 8 | data[at + 2]
        if 0x100 <= number < 0x1000:
            data[at + 3] |= 0xC0
    result = run(bytes(data)).result
    assert (result.video_codec, result.audio_codec, result.width) == ("h264", "aac", None)
    assert result.duration == pytest.approx(0.6, abs=0.2)


def section(number, kind, body):
    whole = bytes([kind]) + struct.pack(">H", 0xB000 | len(body) + 9) + b"\0\1\xc1\0\0" + body + bytes(4)
    return (struct.pack(">BHB", 0x47, 0x4000 | number, 0x10) + b"\0" + whole).ljust(188, b"\xff")


@pytest.mark.parametrize(
    ("kind", "descriptors", "codec"),
    [
        (0x81, b"", "ac3"),
        (0x06, b"\x6a\x01\0", "ac3"),
        (0x06, b"\x0a\x04deu\0\x7a\x00", "eac3"),
        (0x06, b"\x05\x04Opus", "opus"),
        (0x06, b"\x56\x00", None),
        (0x11, b"", "aac_latm"),
    ],
)
def test_codecs_of_sound_are_named_by_type_and_descriptors(kind, descriptors, codec):
    programs = section(0, 0, struct.pack(">HHHH", 0, 0xE010, 1, 0xE100))
    entry = struct.pack(">BHH", kind, 0xE101, 0xF000 | len(descriptors)) + descriptors
    program = section(0x100, 2, struct.pack(">HH", 0xE101, 0xF000) + entry)
    result = run(programs + program + NOTHING * 200).result
    assert (result.audio_codec, result.container) == (codec, "mpeg-ts")


def test_a_private_stream_without_descriptors_is_what_its_frames_are():
    """As ffmpeg writes sound that Blu-ray does not know."""
    data = b"".join(packets(sample("tone.ts")))
    at = data.index(b"\x03\xe1\x00\xf0")  # MPEG audio, in the program map
    result = run(data[:at] + b"\x06" + data[at + 1 :]).result
    assert (result.audio_codec, result.sample_rate, result.channels) == ("mp3", 44100, 1)
    assert result.encoding_format == "audio/mp2t"


BLU_RAY = b"\x05\x04HDMV"


@pytest.mark.parametrize(
    ("kind", "about", "codec"),
    [(0x86, b"", None), (0x86, BLU_RAY, "dts"), (0x80, b"", None), (0x80, BLU_RAY, "pcm_bluray"), (0x82, b"", "dts")],
)
def test_types_of_blu_ray_count_only_where_the_program_says_so(kind, about, codec):
    """Elsewhere type 0x86 announces advertisements, in most American broadcasts before the sound."""
    programs = section(0, 0, struct.pack(">HHHH", 0, 0xE010, 1, 0xE100))
    entry = struct.pack(">BHH", kind, 0xE101, 0xF000)
    program = section(0x100, 2, struct.pack(">HH", 0xE101, 0xF000 | len(about)) + about + entry)
    assert run(programs + program + NOTHING * 200).result.audio_codec == codec


def test_a_table_of_a_thousand_programs_is_searched_once(monkeypatch):
    """Each of its maps would cost a walk over all packets."""
    looked = 0
    table = mpeg_ts._section

    def counted(packets):
        nonlocal looked
        looked += len(packets)
        return table(packets)

    monkeypatch.setattr(mpeg_ts, "_section", counted)
    body = b"".join(struct.pack(">HH", number, 0xE1FF) for number in range(1, 1001))
    whole = b"\0\0" + struct.pack(">H", 0xB000 | len(body) + 9) + b"\0\1\xc1\0\0" + body + bytes(4)
    parts = [whole[at : at + 184].ljust(184, b"\xff") for at in range(0, len(whole), 184)]
    data = b"".join(
        struct.pack(">BHB", 0x47, 0 if number else 0x4000, 0x10) + part for number, part in enumerate(parts)
    )
    other = struct.pack(">BHB", 0x47, 0x1FF, 0x10) + b"\xff" * 184
    assert run(data + other * 5000).result.status == "error:BrokenError"
    assert looked < 3000


# Program streams.


def test_a_long_program_stream_costs_its_two_ends():
    data = sample("film.mpg")
    padding = b"\0\0\1\xbe" + struct.pack(">H", 2042) + b"\xff" * 2042
    probed = run(data[:4096] + padding * 500 + data[4096:])
    assert probed.result.duration == pytest.approx(0.72, rel=0.01)
    assert (probed.requests, probed.fetched) == (2, 24 * 1024)


def pack(time, rate=25_200, *, body=b""):
    value = 1 << 46 | (time >> 30 & 7) << 43 | 1 << 42 | (time >> 15 & 0x7FFF) << 27 | 1 << 26
    value |= (time & 0x7FFF) << 11 | 1 << 10 | 1
    return b"\0\0\1\xba" + value.to_bytes(6, "big") + struct.pack(">I", rate << 10 | 3 << 8 | 0xF8)[:4] + body


def picture(codec=2):
    extension = b"\0\0\1\xb5\x14\x8a\0\x01\0\0" if codec == 2 else b""
    return b"\0\0\1\xb3" + bytes.fromhex("2d0240330271a380") + extension


def pes(body, kind=0xE0):
    return b"\0\0\1" + bytes([kind]) + struct.pack(">H", len(body) + 3) + b"\x80\0\0" + body


def test_the_time_of_packs_serves_where_packets_have_none():
    filling = pes(bytes(2000))
    times = range(0, 900_000, 9000)
    data = b"".join(pack(time, body=pes(picture()) + filling) for time in times)
    result = run(data).result
    assert (result.duration, result.duration_estimated) == (pytest.approx(9.9), False)
    assert (result.width, result.height, result.frame_rate, result.video_codec) == (720, 576, 25, "mpeg2video")


def test_times_that_were_set_anew_leave_an_estimate():
    filling = pes(bytes(2000))
    chapter = [pack(time, body=pes(picture()) + filling) for time in range(0, 90_000 * 60, 900)]
    plain = run(b"".join(chapter)).result
    again = run(b"".join(chapter[:200] + chapter * 3 + chapter[:400])).result
    assert (plain.duration, plain.duration_estimated) == (pytest.approx(60, rel=0.01), False)
    assert (again.duration, again.duration_estimated) == (pytest.approx(186, rel=0.01), True)


def test_a_map_names_the_codecs_of_a_program_stream():
    entries = struct.pack(">BBH", 0x1B, 0xE0, 2) + b"\x28\0" + struct.pack(">BBH", 0x0F, 0xC0, 0)
    body = b"\xe1\xff" + struct.pack(">H", 3) + b"abc" + struct.pack(">H", len(entries)) + entries + bytes(4)
    streams = pes(bytes(1000)) + pes(bytes(1000), 0xC0)
    result = run(pack(0, body=b"\0\0\1\xbc" + struct.pack(">H", len(body)) + body + streams)).result
    assert (result.video_codec, result.audio_codec) == ("h264", "aac")


def old_pes(time, body):
    """A packet of MPEG-1: stuffing, the size of a buffer, a time."""
    stamp = 0x21_0001_0001 | (time >> 30) << 33 | (time >> 15 & 0x7FFF) << 17 | (time & 0x7FFF) << 1
    body = b"\xff\xff\xff\x60\x20" + stamp.to_bytes(5, "big") + body
    return b"\0\0\1\xe0" + struct.pack(">H", len(body)) + body


def test_stuffing_before_the_times_of_mpeg_1_is_stepped_over():
    frames = [pack(9) + old_pes(3600 * n, picture(1) + b"\0\0\1\0" + bytes(900)) for n in range(100)]
    result = run(b"".join(frames)).result
    assert (result.duration, result.width) == (pytest.approx(4), 720)


def test_frames_that_state_no_rate_are_as_far_apart_as_their_times():
    parts = packets(sample("hevc.ts"))
    assert find_video_header("hevc", sample("hevc.ts")).frame_rate is None
    assert run(b"".join(parts)).result.frame_rate == pytest.approx(10)


def test_bare_video_is_as_long_as_its_rate_says():
    data = picture(1) + bytes(1_000_000)
    result = run(data).result
    assert (result.codec, result.container, result.width, result.height) == ("mpeg1video", "mpeg-es", 720, 576)
    assert (result.bitrate, result.duration_estimated) == (1_000_800, True)
    assert result.duration == pytest.approx(8, rel=0.01)
    assert run(b"\0\0\1\xb3" + bytes(20_000)).result.notes == ["video:no header"]


# Headers of video.


def bits(*fields):
    """Bits of fields (count, value), or (None, value) as an Exp-Golomb code."""
    text = ""
    for count, value in fields:
        plain = f"{value + 1:b}"
        text += "0" * (len(plain) - 1) + plain if count is None else f"{value:0{count}b}"
    text += "1"
    text = text.ljust(-(-len(text) // 8) * 8, "0")
    return int(text, 2).to_bytes(len(text) // 8, "big")


def test_h264_in_fields_is_cropped_and_has_half_the_ticks():
    golomb = None
    plain = bits(
        *((8, 100), (8, 0), (8, 40), (golomb, 0), (golomb, 1), (golomb, 0), (golomb, 0), (1, 0)),
        *((1, 1), (1, 1), *[(golomb, 0)] * 16, *[(1, 0)] * 7),  # one flat scaling list
        *((golomb, 0), (golomb, 2), (golomb, 4), (1, 0), (golomb, 120), (golomb, 33), (1, 0), (1, 1), (1, 1)),
        # 1936 columns and 1088 lines, of which 1920 and 1080 are shown.
        *((1, 1), (golomb, 3), (golomb, 5), (golomb, 0), (golomb, 2)),
        *((1, 1), (1, 1), (8, 255), (16, 4), (16, 3), (1, 0), (1, 0), (1, 0), (1, 1), (32, 1), (32, 50)),
    )
    found = find_video_header("h264", b"\0\0\0\1\x09\xf0\0\0\1\x67" + plain.replace(b"\0\0", b"\0\0\3"))
    assert (found.width, found.height, found.frame_rate) == (1920, 1080, 25)


def test_h264_with_lists_and_counted_order_is_read_to_its_end():
    golomb = None
    low = ((8, 66), (8, 0), (8, 30), (golomb, 0), (golomb, 0), (golomb, 1), (1, 0))
    order = ((golomb, 3), (golomb, 4), (golomb, 2), (golomb, 5), (golomb, 6))  # two offsets and a list of two
    cropped = ((1, 1), (golomb, 0), (golomb, 1), (golomb, 0), (golomb, 2))
    size = ((golomb, 1), (1, 0), (golomb, 9), (golomb, 7), (1, 1), (1, 1), *cropped, (1, 0))
    found = find_video_header("h264", b"\0\0\1\x67" + bits(*low, *order, *size))
    assert (found.width, found.height, found.frame_rate) == (158, 124, None)
    # With 4:2:2 a line of colours belongs to one line of the picture.
    high = ((8, 122), (8, 0), (8, 30), (golomb, 0), (golomb, 2), (golomb, 0), (golomb, 0), (1, 0), (1, 1))
    # One list that falls from 8 to 0 by -8 after a step to 9 and back, seven that are left out.
    lists = ((1, 1), (golomb, 1), (golomb, 2), (golomb, 16), *[(1, 0)] * 7)
    found = find_video_header("h264", b"\0\0\1\x67" + bits(*high, *lists, (golomb, 0), (golomb, 2), *size))
    assert (found.width, found.height) == (158, 126)


def test_h265_with_layers_is_cropped():
    layers = ((4, 0), (3, 2), (1, 1), (88, 0), (8, 93), (2, 3), (2, 0), (12, 0), (88, 5), (8, 93))
    size = ((None, 0), (None, 1), (None, 1928), (None, 1088), (1, 1), (None, 1), (None, 3), (None, 0), (None, 4))
    found = find_video_header("hevc", b"\0\0\1\x42\1" + bits(*layers, *size))
    assert (found.width, found.height) == (1920, 1080)


@given(st.sampled_from(["h264", "hevc", "mpeg2video"]), st.binary(max_size=80))
def test_any_bytes_behind_a_start_code_are_a_picture_or_none(codec, body):
    for start in (b"\0\0\1\x67", b"\0\0\1\x42\1", b"\0\0\1\xb3"):
        found = find_video_header(codec, start + body)
        assert found is None or (found.width > 0 and found.height > 0)


@given(st.sampled_from(["film.ts", "film.vob", "film.mpg"]), st.data())
@settings(max_examples=examples(60))
def test_damage_ends_calmly(name, draw):
    data = bytearray(sample(name))
    place = st.integers(0, 800) | st.integers(0, len(data) - 1)
    for at, value in draw.draw(st.lists(st.tuples(place, st.integers(0, 255)), max_size=12)):
        data[at] = value
    assert run(bytes(data), restart=False).result.status
