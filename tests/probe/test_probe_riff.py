"""WAV: format and length from the head, texts before or behind the audio, wrong sizes of all kinds."""

import io
import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from mutagen.id3 import TPE2
from mutagen.wave import WAVE
from probe_media import frame, id3, picture, run, sample, saved, texts

from mediacrawl.probe import Probe
from mediacrawl.probe.policy import ProbePolicy

SUBFORMAT = bytes.fromhex("000000001000800000aa00389b71")


def chunk(name, body, *, size=None, pad=True):
    stated = len(body) if size is None else size
    return name + struct.pack("<I", stated) + body + (b"\0" if pad and len(body) % 2 else b"")


def fmt(number=1, channels=2, rate=44100, bits=16, *, block=None, byte_rate=None, more=b""):
    block = channels * bits // 8 if block is None else block
    byte_rate = rate * block if byte_rate is None else byte_rate
    return chunk(b"fmt ", struct.pack("<HHIIHH", number, channels, rate, byte_rate, block, bits) + more)


def info(*texts, pad=True):
    return chunk(b"LIST", b"INFO" + b"".join(chunk(name, text, pad=pad) for name, text in texts))


def wav(*chunks, magic=b"RIFF", size=None):
    body = b"WAVE" + b"".join(chunks)
    return magic + struct.pack("<I", len(body) if size is None else size) + body


def data(seconds, byte_rate=176_400):
    return chunk(b"data", bytes(seconds * byte_rate))


def test_facts_are_those_of_mutagen():
    result, known = run(sample("tone.wav")).result, WAVE(io.BytesIO(sample("tone.wav"))).info
    assert (result.status, result.encoding_format) == ("complete", "audio/wav")
    assert (result.duration, result.bitrate) == (pytest.approx(known.length), known.bitrate)
    assert (result.sample_rate, result.channels) == (known.sample_rate, known.channels)
    assert (texts(result, "title"), texts(result, "artist")) == (["Tone"], ["Sine"])


def test_blocks_of_a_codec_have_the_rate_that_follows_from_their_samples():
    result = run(sample("adpcm.wav")).result
    assert (result.codec, result.duration) == ("adpcm_ima_wav", pytest.approx(1.02, abs=0.01))
    assert result.bitrate == pytest.approx(32_000, rel=0.02)


def test_texts_behind_the_audio_cost_one_more_request():
    probed = run(wav(fmt(), data(20), info((b"INAM", b"Tone\0"), (b"IART", b"Sine"))))
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["Tone"], ["Sine"])
    assert probed.result.duration == pytest.approx(20)
    assert (probed.requests, probed.result.status) == (2, "complete")
    assert probed.fetched <= 24 * 1024


def test_the_bytes_of_a_text_are_kept_as_they_stand():
    raw = "Тон".encode("cp1251")
    (tag,) = run(wav(fmt(), info((b"INAM", raw + b"\0\0\0")), data(1))).result.tags
    assert (tag.source, tag.frame, tag.key, tag.raw, tag.declared) == ("riff", "INAM", "title", raw, "latin-1")


@pytest.mark.parametrize("pad", [True, False])
def test_a_missing_byte_of_padding_is_no_obstacle(pad):
    chunks = info((b"INAM", b"odd"), (b"IART", b"x"), (b"ICMT", b"three"), pad=pad)
    result = run(wav(fmt(), chunk(b"odd ", b"123", pad=pad), chunks, data(1))).result
    assert [tag.text for tag in result.tags] == ["odd", "x", "three"]
    assert result.duration == pytest.approx(1)


def test_padding_that_is_not_zero_is_padding():
    odd = chunk(b"odd ", b"123", pad=False) + b"x"
    assert texts(run(wav(fmt(), odd, info((b"INAM", b"Tone")), data(1))).result, "title") == ["Tone"]


def test_an_id3_tag_in_a_chunk_is_read_past_its_cover():
    tag = id3(frame("TIT2", b"\0Tone"), picture(500_000), frame("TPE1", b"\0Sine"))
    whole = wav(fmt(), data(20), info((b"INAM", b"Other")), chunk(b"id3 ", tag))
    probed = run(whole)
    assert (texts(probed.result, "title"), texts(probed.result, "artist")) == (["Other", "Tone"], ["Sine"])
    assert (probed.result.has_cover, probed.result.cover_size) == (True, 500_000)
    assert probed.requests <= 4
    assert probed.fetched <= 48 * 1024


def test_a_tag_that_mutagen_wrote_is_read():
    file = WAVE(io.BytesIO(sample("tone.wav")))
    file.add_tags()
    file["TPE2"] = TPE2(encoding=1, text=["Тон"])
    assert texts(run(saved(file, sample("tone.wav"))).result, "albumartist") == ["Тон"]


def test_a_tag_longer_than_its_chunk_ends_with_it():
    title = id3(frame("TIT2", b"\0Tone!"))
    tag = id3(frame("TIT2", b"\0Tone!"), frame("TPE1", b"\0Sine"))
    result = run(wav(fmt(), chunk(b"id3 ", tag, size=len(title)), data(1))).result
    assert (texts(result, "title"), texts(result, "artist")) == (["Tone!"], [])


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF, 0x7FFFF000, 0x80000000])
def test_a_recorder_that_did_not_know_the_size_is_measured_by_the_file(size):
    streamed = wav(fmt(), info((b"INAM", b"Tone")), chunk(b"data", bytes(176_400 * 3), size=size), size=size)
    result = run(streamed).result
    assert (result.duration, result.duration_estimated) == (pytest.approx(3), False)
    assert (texts(result, "title"), result.status) == (["Tone"], "complete")


@pytest.mark.parametrize("parts", [(data(2), info((b"INAM", b"Tone"))), (info((b"INAM", b"Tone")), data(2))])
def test_where_the_server_tells_no_size_the_file_does(parts):
    whole, probe = wav(fmt(), *parts), Probe()
    while (wanted := probe.next_range()) is not None:
        probe.feed(wanted[0], whole[slice(*wanted)], None)
    result = probe.result()
    assert (result.duration, texts(result, "title"), result.status) == (pytest.approx(2), ["Tone"], "complete")


def test_audio_without_any_size_has_no_length():
    probe = Probe()
    probe.feed(
        0, wav(fmt(), info((b"INAM", b"Tone")), chunk(b"data", bytes(90_000), size=0xFFFFFFFF), size=0)[:16_384], None
    )
    result = probe.result()
    assert (result.duration, texts(result, "title"), result.sample_rate) == (None, ["Tone"], 44_100)


def test_an_empty_data_chunk_before_texts_is_empty():
    result = run(wav(fmt(), chunk(b"data", b""), info((b"INAM", b"Tone")))).result
    assert (result.duration, texts(result, "title")) == (None, ["Tone"])


def test_a_file_that_was_cut_off_has_the_length_that_is_there():
    whole = wav(fmt(), data(20), info((b"INAM", b"Tone")))
    result = run(whole[: 44 + 176_400 * 5]).result
    assert result.duration == pytest.approx(5)
    assert (result.notes, result.status) == (["riff:truncated"], "partial")


def test_a_size_that_did_not_fit_into_its_field_is_that_of_the_file():
    # 2^32 bytes more than stated; none of the audio is a chunk's header.
    head = wav(fmt(), chunk(b"data", b"", size=176_400))
    size, probe = len(head) + 2**32 + 176_400, Probe()
    while (wanted := probe.next_range()) is not None:
        start, stop = wanted
        zeros = bytes(min(stop, size) - max(start, len(head)))
        probe.feed(start, head[start:stop] + zeros, size)
    result = probe.result()
    assert result.duration == pytest.approx((2**32 + 176_400) / 176_400, rel=0.001)
    assert probe.requests == 2


@pytest.mark.parametrize("magic", [b"RF64", b"BW64"])
def test_sizes_of_long_files_stand_in_a_chunk_of_their_own(magic):
    samples = bytes(176_400)
    sizes = struct.pack("<QQQI", 10**6, len(samples), 44_100, 0)
    long_data = chunk(b"data", samples, size=0xFFFFFFFF)
    whole = wav(chunk(b"ds64", sizes), fmt(), long_data, info((b"INAM", b"Tone")), magic=magic, size=0xFFFFFFFF)
    result = run(whole).result
    assert (result.duration, result.duration_estimated) == (pytest.approx(1), False)
    assert texts(result, "title") == ["Tone"]


@pytest.mark.parametrize(
    ("number", "bits", "codec"),
    [
        (1, 8, "pcm_u8"),
        (1, 16, "pcm_s16le"),
        (1, 20, "pcm_s24le"),
        (1, 32, "pcm_s32le"),
        (3, 32, "pcm_f32le"),
        (3, 64, "pcm_f64le"),
        (6, 8, "pcm_alaw"),
        (7, 8, "pcm_mulaw"),
        (0xBEEF, 16, None),
    ],
)
@pytest.mark.parametrize("extensible", [False, True])
def test_a_codec_goes_by_its_number(number, bits, codec, extensible):
    more = struct.pack("<HHIH", 22, bits, 3, number) + SUBFORMAT
    head = fmt(0xFFFE, bits=bits, block=8, more=more) if extensible else fmt(number, bits=bits, block=8)
    result = run(wav(head, data(2, 44_100 * 8))).result
    assert (result.codec, result.audio_codec) == (codec, codec)
    assert result.duration == pytest.approx(2)
    assert result.bits_per_sample == (bits if codec else None)


def test_another_name_for_a_format_is_not_taken_for_its_number():
    more = struct.pack("<HHIH", 22, 16, 3, 1) + bytes(14)
    assert run(wav(fmt(0xFFFE, more=more), data(1))).result.codec is None


def test_the_samples_of_a_packed_codec_are_counted_by_fact():
    head = fmt(0x55, 2, 44_100, 0, block=1, byte_rate=16_000)
    fact = chunk(b"fact", struct.pack("<I", 441_000))
    result = run(wav(head, fact, data(8, 16_000))).result
    assert (result.codec, result.duration, result.duration_estimated) == ("mp3", pytest.approx(10), False)
    assert result.bitrate == pytest.approx(8 * 16_000 * 8 / 10)
    result = run(wav(head, data(8, 16_000))).result
    assert (result.duration, result.duration_estimated) == (pytest.approx(8), True)


def test_a_wrong_byte_rate_does_not_bend_the_length_of_plain_samples():
    assert run(wav(fmt(byte_rate=1), data(3))).result.duration == pytest.approx(3)


def test_the_texts_of_broadcast_wave_are_read():
    body = b"A speech".ljust(256, b"\0") + b"Radio\0junk".ljust(32, b"\0") + bytes(32) + b"2004-05-06" + bytes(272)
    result = run(wav(chunk(b"bext", body), fmt(), data(1))).result
    assert [(tag.frame, tag.text) for tag in result.tags] == [
        ("bext Description", "A speech"),
        ("bext Originator", "Radio"),
        ("bext OriginationDate", "2004-05-06"),
    ]


@pytest.mark.parametrize("broken", [chunk(b"fmt ", b"\1\0"), chunk(b"ds64", b"\1\0"), chunk(b"fact", b"")])
def test_a_broken_header_of_the_audio_does_not_hide_the_texts(broken):
    result = run(wav(broken, data(1), info((b"INAM", b"Tone")))).result
    assert texts(result, "title") == ["Tone"]
    assert (result.notes, result.status) == (["format:BrokenError"], "partial")


def test_a_text_that_is_too_long_hides_no_other():
    result = run(wav(fmt(), info((b"ICMT", b"x" * 70_000), (b"INAM", b"Tone")), data(1))).result
    assert (texts(result, "title"), texts(result, "comment")) == (["Tone"], [])
    assert "limit:text" in result.notes


def test_a_million_chunks_are_not_walked():
    result = run(wav(fmt(), chunk(b"JUNK", b"") * 20_000, data(1)), ProbePolicy()).result
    assert "limit:parts" in result.notes


@given(
    st.lists(st.binary(min_size=1, max_size=40).map(lambda raw: raw.rstrip(b"\0") + b"."), max_size=6), st.booleans()
)
@settings(max_examples=examples(50))
def test_what_was_written_is_read_wherever_it_stands(values, behind):
    listed = info(*[(b"ICMT", value) for value in values])
    parts = [data(1), listed] if behind else [listed, data(1)]
    assert [tag.raw for tag in run(wav(fmt(), *parts), restart=False).result.tags] == values


def test_a_cover_is_not_fetched():
    probed = run(wav(fmt(), chunk(b"id3 ", id3(picture(900_000))), data(1)))
    assert (probed.result.duration, probed.fetched < 48 * 1024) == (pytest.approx(1), True)
