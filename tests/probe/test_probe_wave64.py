"""WAV in its less common containers: Sony's Wave64, and RIFX with the high byte first."""

import struct

import pytest
from probe_builders import w64, w64_chunk, w64_format, w64_summary
from probe_media import frame, id3, run, sample, texts

from mediacrawl.probe import Probe

# Wave64.


def data(seconds, *, size=None):
    return w64_chunk(b"data", bytes(176_400 * seconds), size=size)


def test_a_real_wave64_file():
    result = run(sample("tone.w64")).result
    assert (result.status, result.container, result.encoding_format) == ("complete", "w64", "audio/x-w64")
    assert (result.codec, result.sample_rate, result.channels, result.bits_per_sample) == ("pcm_s24le", 8000, 2, 24)
    assert (result.duration, result.duration_estimated, result.bitrate) == (pytest.approx(0.2), False, 384_000)


def test_texts_of_wave64_are_utf_16():
    title = "Тон".encode("utf-16-le")
    summary = w64_summary((b"INAM", title), (b"IART", "Sine\0".encode("utf-16-le")), (b"ICMT", "ж".encode("utf-16-le")))
    probed = run(w64(w64_format(), data(10), summary))
    assert [(tag.source, tag.frame, tag.key, tag.text, tag.declared) for tag in probed.result.tags] == [
        ("w64", "INAM", "title", "Тон", "utf-16-le"),
        ("w64", "IART", "artist", "Sine", "utf-16-le"),
        ("w64", "ICMT", "comment", "ж", "utf-16-le"),
    ]
    assert probed.result.tags[0].raw == title
    assert (probed.requests, probed.result.status, probed.result.duration) == (2, "complete", pytest.approx(10))


def test_a_letter_whose_high_byte_is_zero_keeps_it():
    (tag,) = run(w64(w64_format(), w64_summary((b"INAM", b"T\0o\0")), data(1))).result.tags
    assert (tag.raw, tag.text) == (b"T\0o\0", "To")


def test_chunks_of_wave64_are_those_of_wav():
    bext = w64_chunk(b"bext", b"A speech".ljust(256, b"\0") + b"Radio".ljust(32, b"\0") + bytes(32) + b"2004-05-06")
    result = run(
        w64(bext, w64_format(number=3, bits=32), w64_chunk(b"id3 ", id3(frame("TIT2", b"\0Tone"))), data(2))
    ).result
    assert (result.codec, result.duration) == ("pcm_f32le", pytest.approx(1))
    assert [tag.text for tag in result.tags] == ["A speech", "Radio", "2004-05-06", "Tone"]


def test_samples_of_a_packed_codec_are_counted_in_64_bits():
    head = w64_chunk(b"fmt ", struct.pack("<HHIIHH", 0x55, 2, 44_100, 16_000, 1, 0))
    result = run(
        w64(head, w64_chunk(b"fact", struct.pack("<Q", 44_100 * 10)), w64_chunk(b"data", bytes(160_000)))
    ).result
    assert (result.codec, result.duration, result.bitrate) == ("mp3", pytest.approx(10), 128_000)


@pytest.mark.parametrize("size", [2**63 - 1, 2**64 - 1])
def test_a_recorder_that_did_not_know_the_size_is_measured_by_the_file(size):
    probed = run(w64(w64_format(), data(3, size=size), size=size))
    assert (probed.result.duration, probed.result.status, probed.requests) == (pytest.approx(3), "complete", 1)


def test_chunks_are_aligned_to_eight_bytes():
    odd = w64_chunk(b"junk", b"12345"), w64_chunk(b"junk", b"123456789")
    assert run(w64(*odd, w64_format(), data(1))).result.duration == pytest.approx(1)


def test_a_cut_wave64_file_has_the_length_that_is_there():
    whole = w64(w64_format(), data(9), w64_summary((b"INAM", b"T\0")))
    result = run(whole[: len(w64(w64_format(), data(0))) + 176_400 * 4]).result
    assert (result.duration, result.notes, result.status) == (pytest.approx(4), ["w64:truncated"], "partial")


def test_where_the_server_tells_no_size_the_wave64_file_does():
    whole, probe = w64(w64_format(), data(2), w64_summary((b"INAM", b"T\0"))), Probe()
    while (wanted := probe.next_range()) is not None:
        probe.feed(wanted[0], whole[slice(*wanted)], None)
    result = probe.result()
    assert (result.duration, texts(result, "title"), result.status) == (pytest.approx(2), ["T"], "complete")


@pytest.mark.parametrize(
    "summary", [w64_summary((b"INAM", b"T\0"), count=2**32 - 1), w64_summary((b"INAM", b"T\0"), count=2)]
)
def test_texts_that_claim_more_than_there_is_end_with_the_chunk(summary):
    result = run(w64(w64_format(), summary, data(1))).result
    assert (texts(result, "title"), result.duration) == (["T"], pytest.approx(1))


@pytest.mark.parametrize("size", [0, 5, 23])
def test_a_chunk_shorter_than_its_header_ends_the_walk(size):
    result = run(w64(w64_format(), w64_chunk(b"junk", b"", size=size), data(1))).result
    assert (result.notes, result.duration, result.sample_rate) == (["chunks:BrokenError"], None, 44_100)


def test_another_form_than_that_of_wav_is_not_read():
    whole = w64(w64_format(), data(1))
    assert run(whole[:24] + bytes(16) + whole[40:]).result.status == "error:BrokenError"


# RIFX.


def chunk(name, body):
    return name + struct.pack(">I", len(body)) + body + bytes(len(body) % 2)


def rifx(*chunks):
    body = b"WAVE" + b"".join(chunks)
    return b"RIFX" + struct.pack(">I", len(body)) + body


def fmt(number=1, channels=2, rate=44_100, bits=16):
    block = channels * bits // 8
    return chunk(b"fmt ", struct.pack(">HHIIHH", number, channels, rate, rate * block, block, bits))


def test_a_real_rifx_file():
    result = run(sample("rifx.wav")).result
    assert (result.status, result.container, result.encoding_format) == ("complete", "wav", "audio/wav")
    assert (result.codec, result.sample_rate, result.channels, result.bits_per_sample) == ("pcm_s24be", 8000, 2, 24)
    assert (result.duration, result.bitrate) == (pytest.approx(0.1), 384_000)


@pytest.mark.parametrize(
    ("number", "bits", "codec"),
    [
        (1, 8, "pcm_u8"),
        (1, 16, "pcm_s16be"),
        (1, 32, "pcm_s32be"),
        (3, 32, "pcm_f32be"),
        (3, 64, "pcm_f64be"),
        (7, 8, "pcm_mulaw"),
    ],
)
def test_the_high_byte_is_first(number, bits, codec):
    result = run(rifx(fmt(number, bits=bits), chunk(b"data", bytes(44_100 * bits // 4)))).result
    assert (result.codec, result.bits_per_sample, result.duration) == (codec, bits, pytest.approx(1))


def test_texts_of_rifx_behind_the_audio():
    info = chunk(b"LIST", b"INFO" + chunk(b"INAM", b"odd") + chunk(b"IART", b"Sine"))
    fact = chunk(b"fact", struct.pack(">I", 441_000))
    probed = run(rifx(fmt(0x55, bits=8), fact, chunk(b"data", bytes(160_000)), info))
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["odd"], ["Sine"])
    assert (probed.result.duration, probed.requests, probed.result.status) == (pytest.approx(10), 2, "complete")
