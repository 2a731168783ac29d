"""AIFF and AIFF-C: format and length from COMM, texts before or behind the audio."""

import io
import struct

import pytest
from mutagen.aiff import AIFF
from probe_media import frame, id3, picture, run, sample, texts


def chunk(name, body, *, size=None, pad=True):
    stated = len(body) if size is None else size
    return name + struct.pack(">I", stated) + body + (b"\0" if pad and len(body) % 2 else b"")


RATE_44100 = bytes.fromhex("400eac44000000000000")


def comm(frames, *, channels=2, bits=16, rate=RATE_44100, codec=None):
    more = codec + b"\0\0" if codec else b""
    return chunk(b"COMM", struct.pack(">HIH", channels, frames, bits) + rate + more)


def ssnd(size, *, stated=None):
    return chunk(b"SSND", bytes(8 + size), size=stated)


def aiff(*chunks, kind=b"AIFF"):
    body = kind + b"".join(chunks)
    return b"FORM" + struct.pack(">I", len(body)) + body


@pytest.mark.parametrize("name", ["tone.aiff", "sowt.aifc"])
def test_facts_are_those_of_mutagen(name):
    result, known = run(sample(name)).result, AIFF(io.BytesIO(sample(name)))
    assert (result.status, result.encoding_format) == ("complete", "audio/aiff")
    assert result.duration == pytest.approx(known.info.length)
    assert (result.sample_rate, result.channels) == (known.info.sample_rate, known.info.channels)
    assert (result.bits_per_sample, result.bitrate) == (known.info.sample_size, known.info.bitrate)
    assert texts(result, "title")[0] == "Tone"


def test_a_name_and_an_id3_tag_are_both_kept():
    result = run(sample("tone.aiff")).result
    assert [(tag.source, tag.frame) for tag in result.tags] == [
        ("aiff", "NAME"),
        ("id3v2.4", "TIT2"),
        ("id3v2.4", "TPE1"),
    ]


def test_the_codec_of_a_mac_program_is_the_other_byte_order():
    assert run(sample("sowt.aifc")).result.codec == "pcm_s16le"


def test_texts_behind_the_audio_cost_one_more_request():
    name = "Тон".encode("mac-cyrillic")
    marks = chunk(b"NAME", name) + chunk(b"AUTH", b"Sine\0") + chunk(b"(c) ", b"2004 Me") + chunk(b"ANNO", b"odd")
    probed = run(aiff(comm(441_000), ssnd(441_000 * 4), marks, chunk(b"ANNO", b"more")))
    assert [(tag.frame, tag.key, tag.raw, tag.declared) for tag in probed.result.tags] == [
        ("NAME", "title", name, "latin-1"),
        ("AUTH", "artist", b"Sine", "latin-1"),
        ("(c)", "copyright", b"2004 Me", "latin-1"),
        ("ANNO", "comment", b"odd", "latin-1"),
        ("ANNO", "comment", b"more", "latin-1"),
    ]
    assert (probed.requests, probed.result.status, probed.result.duration) == (2, "complete", pytest.approx(10))


def test_a_cover_behind_the_audio_is_not_fetched():
    tag = id3(frame("TIT2", b"\0Tone"), picture(500_000), frame("TPE1", b"\0Sine"))
    probed = run(aiff(comm(441_000), ssnd(441_000 * 4), chunk(b"ID3 ", tag)))
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["Tone"], ["Sine"])
    assert probed.result.cover_size == 500_000
    assert probed.fetched <= 48 * 1024


def test_a_broken_header_of_the_audio_does_not_hide_the_texts():
    result = run(aiff(chunk(b"COMM", b"short"), chunk(b"NAME", b"Tone"), ssnd(1000))).result
    assert texts(result, "title") == ["Tone"]
    assert (result.notes, result.status) == (["format:BrokenError"], "partial")


def test_comments_with_times_are_read():
    def comment(text):
        return struct.pack(">IHH", 99, 0, len(text)) + text + b"\0" * (len(text) % 2)

    body = struct.pack(">H", 2) + comment(b"one") + comment(b"four")
    assert texts(run(aiff(comm(10), chunk(b"COMT", body), ssnd(40))).result, "comment") == ["one", "four"]


def test_comments_that_claim_more_than_there_is_end_with_the_chunk():
    body = struct.pack(">H", 60_000) + struct.pack(">IHH", 0, 0, 2) + b"ab"
    result = run(aiff(comm(10), chunk(b"COMT", body), ssnd(40))).result
    assert (texts(result, "comment"), result.duration) == (["ab"], pytest.approx(10 / 44_100))


@pytest.mark.parametrize(
    ("codec", "bits", "name", "size"),
    [
        (b"NONE", 24, "pcm_s24be", 3),
        (b"twos", 12, "pcm_s16be", 2),
        (b"sowt", 8, "pcm_s8", 1),
        (b"fl32", 16, "pcm_f32be", 4),
        (b"ulaw", 16, "pcm_mulaw", 1),
        (b"ALAW", 16, "pcm_alaw", 1),
        (b"in24", 16, "pcm_s24be", 3),
    ],
)
def test_samples_are_as_long_as_their_codec_says(codec, bits, name, size):
    result = run(aiff(comm(44_100, bits=bits, codec=codec), ssnd(44_100 * 2 * size), kind=b"AIFC")).result
    assert (result.codec, result.duration) == (name, pytest.approx(1))
    assert result.bitrate == 44_100 * 2 * size * 8


def test_packets_of_a_codec_hold_many_samples():
    result = run(aiff(comm(690, codec=b"ima4"), ssnd(690 * 68), kind=b"AIFC")).result
    assert (result.codec, result.bits_per_sample) == ("adpcm_ima_qt", None)
    assert result.duration == pytest.approx(690 * 64 / 44_100)
    assert result.bitrate == pytest.approx(690 * 68 * 8 / result.duration, abs=1)


@pytest.mark.parametrize("stated", [0, 0xFFFFFFFF])
def test_a_recorder_that_was_cut_off_is_measured_by_the_file(stated):
    result = run(aiff(comm(0), ssnd(176_400 * 3, stated=stated))).result
    assert (result.duration, result.duration_estimated) == (pytest.approx(3), False)


def test_a_file_that_was_cut_off_has_the_length_that_is_there():
    whole = aiff(comm(441_000), ssnd(441_000 * 4))
    result = run(whole[: len(whole) - 176_400 * 8]).result
    assert (result.duration, result.status) == (pytest.approx(2), "partial")


@pytest.mark.parametrize("rate", [b"\x7f\xff" + b"\xff" * 8, b"\xff" * 10, bytes(10), b"\x40\x60" + b"\xff" * 8])
def test_a_rate_that_is_none_gives_no_length(rate):
    result = run(aiff(comm(10, rate=rate), ssnd(40))).result
    assert (result.sample_rate, result.duration, result.channels) == (None, None, 2)


def test_any_whole_rate_is_read():
    for rate in (1, 8000, 11025, 22050, 96000, 192000):
        exponent = rate.bit_length() - 1
        number = struct.pack(">HQ", 16383 + exponent, rate << (63 - exponent))
        assert run(aiff(comm(rate, rate=number), ssnd(rate * 4))).result.sample_rate == rate
