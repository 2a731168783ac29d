"""TAK and OptimFROG: length and facts from their headers, APE tags at the end."""

import io
import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.optimfrog import OptimFROG
from mutagen.tak import TAK
from probe_builders import optimfrog, tak, tak_block
from probe_media import frame, id3, id3v1, run, texts


def ape(*items):
    body = b"".join(struct.pack("<II", len(text), 0) + key + b"\0" + text for key, text in items)
    rest = struct.pack("<III", 2000, len(body) + 32, len(items))
    return b"".join([b"APETAGEX", rest, b"\0\0\0\xa0", bytes(8), body, b"APETAGEX", rest, b"\0\0\0\x80", bytes(8)])


TAG = ape((b"Title", "Тон".encode()), (b"Artist", b"Sine"))


@pytest.mark.parametrize(
    ("samples", "rate", "depth", "channels"),
    [(44_100, 44_100, 16, 2), (48_000 * 3600 * 24, 48_000, 24, 1), (8000, 8000, 8, 6), (96_000 * 9, 192_000, 24, 16)],
)
def test_facts_of_tak_are_those_of_mutagen(samples, rate, depth, channels):
    data = tak(samples, rate=rate, depth=depth, channels=channels) + TAG
    result, known = run(data).result, TAK(io.BytesIO(data)).info
    assert (result.status, result.container, result.encoding_format) == ("complete", "tak", "audio/x-tak")
    assert (result.codec, result.sample_rate, result.channels) == ("tak", known.sample_rate, known.channels)
    assert (result.bits_per_sample, result.duration) == (known.bits_per_sample, pytest.approx(known.length))
    assert (result.sample_rate, result.bits_per_sample, result.channels) == (rate, depth, channels)
    assert (result.duration, result.duration_estimated) == (pytest.approx(samples / rate), False)


@pytest.mark.parametrize("size", [12, 15])
@pytest.mark.parametrize(
    ("samples", "rate", "kind", "depth", "channels"),
    [
        (44_100, 44_100, 3, 16, 2),
        (44_100 * 3600 * 90, 44_100, 5, 24, 2),
        (8000, 8000, 0, 8, 1),
        (9600, 96_000, 7, 32, 6),
        (9600, 96_000, 8, None, 2),
    ],
)
def test_facts_of_optimfrog_are_those_of_mutagen(size, samples, rate, kind, depth, channels):
    data = optimfrog(samples, rate=rate, kind=kind, channels=channels, size=size) + TAG
    result, known = run(data).result, OptimFROG(io.BytesIO(data)).info
    assert (result.status, result.container, result.encoding_format) == ("complete", "optimfrog", "audio/x-optimfrog")
    assert (result.codec, result.sample_rate, result.channels) == ("optimfrog", known.sample_rate, known.channels)
    assert (result.bits_per_sample, result.duration) == (known.bits_per_sample, pytest.approx(known.length))
    assert (result.sample_rate, result.bits_per_sample, result.channels) == (rate, depth, channels)
    assert result.duration == pytest.approx(samples / rate)


@pytest.mark.parametrize("make", [tak, optimfrog])
def test_a_long_file_costs_head_and_tail(make):
    data = make(44_100 * 60, audio=b"\xa5" * 3_000_000)
    probed = run(data + TAG)
    assert [(tag.source, tag.key, tag.text) for tag in probed.result.tags] == [
        ("ape", "title", "Тон"),
        ("ape", "artist", "Sine"),
    ]
    assert (probed.requests, probed.fetched) == (2, 20 * 1024)
    assert probed.result.bitrate == pytest.approx(len(data) * 8 / 60, abs=1)


@pytest.mark.parametrize("make", [tak, optimfrog])
def test_tags_around_the_audio_are_all_read(make):
    result = run(id3(frame("TIT2", b"\0Front")) + make(44_100) + TAG + id3v1(b"End")).result
    # APE counts first in these formats, and ID3v1 never before ID3v2.
    assert (texts(result, "title"), result.duration, result.status) == (["Тон", "End", "Front"], 1, "complete")


def test_blocks_before_the_stream_information_are_stepped_over():
    table = tak_block(2, bytes(20_000))
    probed = run(tak(44_100, before=tak_block(5, b"") + table) + bytes(500_000))
    assert (probed.result.duration, probed.requests) == (1, 3)


@pytest.mark.parametrize("before", [tak_block(0, b""), tak_block(1, b"short"), tak_block(5, b"") * 2000])
def test_tak_without_stream_information_has_no_length(before):
    result = run(b"tBaK" + before + tak_block(0, b"") + bytes(900) + TAG).result
    assert (result.duration, texts(result, "title"), result.notes) == (None, ["Тон"], ["header:BrokenError"])


@pytest.mark.parametrize("data", [optimfrog(44_100, rate=0), optimfrog(44_100)[:4] + bytes(4) + optimfrog(44_100)[8:]])
def test_a_broken_header_of_optimfrog_does_not_hide_the_tag(data):
    result = run(data + TAG).result
    assert (result.duration, texts(result, "title"), result.notes) == (None, ["Тон"], ["header:BrokenError"])


@pytest.mark.parametrize("text", [b"OFR rules of the agency", b"MAC addresses of a switch"])
def test_a_text_that_begins_like_a_file_is_none(text):
    assert run(text).result.container is None


@given(st.sampled_from([tak(44_100)[:60], optimfrog(44_100)[:60]]), st.data())
@settings(max_examples=examples(60))
def test_damaged_headers_end_calmly(seed, draw):
    data = bytearray(seed)
    for at, value in draw.draw(st.lists(st.tuples(st.integers(4, 40), st.integers(0, 255)), max_size=6)):
        data[at] = value
    result = run(bytes(data[: draw.draw(st.integers(0, 60))]), restart=False).result
    assert result.duration is None or result.duration > 0
