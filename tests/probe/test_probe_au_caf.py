"""AU and Core Audio Format: codecs by number or name, lengths, texts before or behind the audio."""

import struct

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from probe_builders import au, bits, caf, caf_chunk, caf_data, caf_desc, caf_info, caf_pakt, program
from probe_media import run, sample, texts

from mediacrawl.probe import Probe

# AU.


def test_a_real_au_file_has_ffmpegs_texts():
    result = run(sample("tone.au")).result
    assert (result.status, result.container, result.encoding_format) == ("complete", "au", "audio/basic")
    assert (result.codec, result.sample_rate, result.channels, result.bits_per_sample) == ("pcm_s16be", 8000, 1, 16)
    assert (result.duration, result.duration_estimated) == (pytest.approx(0.2), False)
    assert [(tag.source, tag.frame, tag.key, tag.text, tag.declared) for tag in result.tags] == [
        ("au", "Title", "title", "Tone", "latin-1"),
        ("au", "Artist", "artist", "Sine", "latin-1"),
    ]


@pytest.mark.parametrize(
    ("encoding", "codec", "bits", "depth"),
    [
        (1, "pcm_mulaw", 8, 8),
        (2, "pcm_s8", 8, 8),
        (3, "pcm_s16be", 16, 16),
        (4, "pcm_s24be", 24, 24),
        (5, "pcm_s32be", 32, 32),
        (6, "pcm_f32be", 32, 32),
        (7, "pcm_f64be", 64, 64),
        (23, "adpcm_g726le", 4, None),
        (24, "adpcm_g722", 4, None),
        (25, "adpcm_g726le", 3, None),
        (26, "adpcm_g726le", 5, None),
        (27, "pcm_alaw", 8, 8),
        (0x37323632, "adpcm_g726le", 2, None),
    ],
)
def test_a_codec_of_au_goes_by_its_number(encoding, codec, bits, depth):
    data = bytes(16_000 * 2 * bits // 8)
    result = run(au(data, encoding=encoding, rate=16_000, channels=2)).result
    assert (result.codec, result.bits_per_sample) == (codec, depth)
    assert (result.duration, result.bitrate, result.bitrate_mode) == (pytest.approx(1), 32_000 * bits, "cbr")


@pytest.mark.parametrize(
    ("magic", "order", "codec"),
    [
        (b".snd", ">", "pcm_f32be"),
        (b".sd\0", ">", "pcm_f32be"),
        (b"dns.", "<", "pcm_f32le"),
        (b"\0ds.", "<", "pcm_f32le"),
    ],
)
def test_the_low_byte_may_be_first(magic, order, codec):
    result = run(au(bytes(88_200), encoding=6, rate=11_025, channels=2, magic=magic, order=order)).result
    assert (result.codec, result.sample_rate, result.channels) == (codec, 11_025, 2)
    assert result.duration == pytest.approx(1)


@pytest.mark.parametrize("size", [0, 0xFFFFFFFF])
def test_audio_of_no_stated_size_is_measured_by_the_file(size):
    probed = run(au(bytes(160_000), size=size))
    assert (probed.result.duration, probed.result.status, probed.requests) == (pytest.approx(10), "complete", 1)


def test_where_nobody_tells_the_size_there_is_no_length():
    for size, seconds in ((0xFFFFFFFF, None), (32_000, 2)):
        probe = Probe()
        probe.feed(0, au(bytes(20_000), size=size), None)
        result = probe.result()
        assert (result.duration, result.sample_rate) == (seconds, 8000)


def test_a_cut_au_file_has_the_length_that_is_there():
    result = run(au(bytes(160_000))[: 28 + 48_000]).result
    assert (result.duration, result.notes, result.status) == (pytest.approx(3), ["au:truncated"], "partial")


def test_bytes_behind_the_audio_are_not_played():
    assert run(au(bytes(32_000), size=16_000)).result.duration == pytest.approx(1)


@pytest.mark.parametrize(
    "text", [b"Recorded in one take", b"Title=Tone\nin one take", b"1=2", "Тон".encode("koi8-r"), b"Name=Tone"]
)
def test_a_text_is_a_comment_as_it_stands(text):
    (tag,) = run(au(bytes(100), text=text + b"\0\0junk")).result.tags
    assert (tag.frame, tag.key, tag.raw, tag.declared) == ("annotation", "comment", text, "latin-1")


def test_lines_with_names_are_texts_of_their_own():
    title = "Тон".encode("cp1251")
    result = run(au(bytes(100), text=b"Title=" + title + b"\nTrack=3\ngenre=Folk=Low\n\0")).result
    assert [(tag.frame, tag.key, tag.raw) for tag in result.tags] == [
        ("Title", "title", title),
        ("Track", "tracknumber", b"3"),
        ("genre", "genre", b"Folk=Low"),
    ]


def test_a_long_text_of_au_costs_a_request_and_a_longer_one_is_left():
    probed = run(au(bytes(16_000), text=b"la " * 10_000))
    assert (len(texts(probed.result, "comment")[0]), probed.requests) == (30_000, 2)
    probed = run(au(bytes(16_000), text=b"la " * 40_000))
    assert (probed.result.tags, probed.result.notes, probed.requests) == ([], ["limit:text"], 1)
    assert probed.result.duration == pytest.approx(1)


@pytest.mark.parametrize("data", [b".snd", b".snd\0\0\0\x10" + bytes(40), au(b"")[:20]])
def test_a_broken_header_of_au_ends_calmly(data):
    assert run(data).result.status == "error:BrokenError"


@pytest.mark.parametrize(("encoding", "rate", "channels"), [(18, 8000, 1), (3, 0, 1), (3, 8000, 0), (99, 0, 0)])
def test_what_au_does_not_say_gives_no_length(encoding, rate, channels):
    result = run(au(bytes(400), encoding=encoding, rate=rate, channels=channels)).result
    assert (result.duration, result.sample_rate, result.channels) == (None, rate or None, channels or None)


@pytest.mark.parametrize("text", [b"dns.example.org is a resolver", b".snd files are old", b"caffeine is a stimulant"])
def test_a_text_that_begins_like_a_file_is_none(text):
    assert run(text).result.container is None


# Core Audio Format.


def test_a_real_caf_file_of_alac():
    result = run(sample("alac.caf")).result
    assert (result.status, result.container, result.encoding_format) == ("complete", "caf", "audio/x-caf")
    assert (result.codec, result.sample_rate, result.channels, result.bits_per_sample) == ("alac", 8000, 1, 16)
    # ffmpeg counts the one packet of 4096 samples as a whole.
    assert result.duration == pytest.approx(4096 / 8000)
    assert [(tag.source, tag.frame, tag.text, tag.declared) for tag in result.tags] == [
        ("caf", "title", "Tone", "utf-8"),
        ("caf", "artist", "Sine", "utf-8"),
    ]


@pytest.mark.parametrize(
    ("name", "flags", "bits", "packet", "codec"),
    [
        (b"lpcm", 0, 16, 4, "pcm_s16be"),
        (b"lpcm", 2, 16, 4, "pcm_s16le"),
        (b"lpcm", 2, 24, 6, "pcm_s24le"),
        (b"lpcm", 0, 8, 2, "pcm_s8"),
        (b"lpcm", 1, 32, 8, "pcm_f32be"),
        (b"lpcm", 3, 32, 8, "pcm_f32le"),
        (b"lpcm", 3, 64, 16, "pcm_f64le"),
        (b"ulaw", 0, 8, 2, "pcm_mulaw"),
        (b"alaw", 0, 8, 2, "pcm_alaw"),
    ],
)
def test_samples_of_caf_are_as_long_as_they_are(name, flags, bits, packet, codec):
    desc = caf_desc(name, flags=flags, bits=bits, packet=packet)
    result = run(caf(desc, caf_data(bytes(44_100 * packet * 3)))).result
    assert (result.codec, result.bits_per_sample, result.duration) == (codec, bits, pytest.approx(3))
    assert (result.bitrate, result.bitrate_mode) == (44_100 * packet * 8, "cbr")


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        (b"aac ", "aac"),
        (b"aach", "aac"),
        (b".mp3", "mp3"),
        (b".mp1", "mp1"),
        (b"opus", "opus"),
        (b"flac", "flac"),
        (b"samr", "amr_nb"),
        (b"ac-3", "ac3"),
        (b"QDM2", "qdm2"),
        (b"ms\0\x02", "adpcm_ms"),
        (b"XYZ ", "xyz"),
    ],
)
def test_packets_are_counted_by_a_table(name, codec):
    chunks = caf_desc(name, packet=0, frames=1024, bits=0), caf_pakt(87, 88_200), caf_data(bytes(30_000))
    result = run(caf(*chunks)).result
    assert (result.codec, result.duration, result.duration_estimated) == (codec, pytest.approx(2), False)
    assert (result.bitrate, result.bits_per_sample) == (120_000, None)


def test_packets_without_a_number_of_samples_have_those_of_the_description():
    chunks = caf_desc(b"aac ", packet=0, frames=1024, bits=0), caf_pakt(100, 0), caf_data(bytes(30_000))
    assert run(caf(*chunks)).result.duration == pytest.approx(100 * 1024 / 44_100)


def test_packets_of_one_size_need_no_table():
    data = caf(caf_desc(b"ima4", packet=68, frames=64, bits=0), caf_data(bytes(68 * 1000)))
    result = run(data).result
    assert (result.codec, result.duration) == ("adpcm_ima_qt", pytest.approx(64_000 / 44_100))


def descriptor(tag, body):
    return bytes([tag, len(body)]) + body


def aac_cookie(config):
    return descriptor(3, b"\0\1\0" + descriptor(4, b"\x40\x15" + bytes(11) + descriptor(5, config)) + b"\x06\1\2")


@pytest.mark.parametrize(
    ("config", "rate", "channels"),
    [
        (bits((2, 5), (4, 4), (2, 4), (0, 3)), 44100, 2),
        (bits((2, 5), (7, 4), (1, 4), (0, 3)), 22050, 1),
        (bits((2, 5), (7, 4), (2, 4), (0, 3), (0x2B7, 11), (5, 5), (1, 1), (4, 4)), 44100, 2),
        (bits((29, 5), (7, 4), (1, 4), (4, 4), (2, 5), (0, 3)), 44100, 2),
        (bits((2, 5), (3, 4), (0, 4), (0, 3), *program(front=(0, 1), back=(1,), low=1)), 48000, 6),
        (b"", 22050, 1),
    ],
)
def test_aac_in_caf_says_itself_how_it_sounds(config, rate, channels):
    desc = caf_desc(b"aac ", rate=22050.0, packet=0, frames=1024, channels=1, bits=0)
    result = run(caf(desc, caf_chunk(b"kuki", aac_cookie(config)), caf_pakt(10, 22050), caf_data(b""))).result
    assert (result.sample_rate, result.channels, result.duration) == (rate, channels, pytest.approx(1))


@pytest.mark.parametrize("boxed", [True, False])
def test_alac_in_caf_says_itself_how_it_sounds(boxed):
    config = struct.pack(">IBBBBBBHIII", 4096, 0, 24, 40, 10, 14, 2, 255, 0, 900_000, 96_000)
    box = struct.pack(">I", 12) + b"frmaalac" + struct.pack(">I", 36) + b"alac" + bytes(4) + config
    desc = caf_desc(b"alac", rate=96_000.0, packet=0, frames=4096, channels=1, bits=0)
    result = run(
        caf(desc, caf_chunk(b"kuki", box if boxed else config), caf_pakt(24, 96_000), caf_data(bytes(9)))
    ).result
    assert (result.sample_rate, result.channels, result.bits_per_sample) == (96_000, 2, 24)
    assert result.duration == pytest.approx(1)


def test_texts_of_caf_behind_the_audio_cost_one_more_request():
    pairs = (
        (b"title", "Тон".encode()),
        (b"track number", b"3"),
        (b"comments", b"x"),
        (b"year", b"2004"),
        (b"tempo", b"90"),
    )
    audio = caf_data(bytes(44_100 * 4 * 20))
    probed = run(caf(caf_desc(), audio, caf_chunk(b"free", bytes(5000)), caf_info(*pairs)))
    assert [(tag.frame, tag.key, tag.text) for tag in probed.result.tags] == [
        ("title", "title", "Тон"),
        ("track number", "tracknumber", "3"),
        ("comments", "comment", "x"),
        ("year", "date", "2004"),
        ("tempo", "bpm", "90"),
    ]
    assert (probed.requests, probed.result.status, probed.result.duration) == (2, "complete", pytest.approx(20))
    assert probed.fetched <= 24 * 1024


def test_a_table_of_packets_behind_the_audio_is_not_fetched_whole():
    chunks = caf_desc(b"aac ", packet=0, frames=1024, bits=0), caf_data(bytes(5_000_000))
    table = caf_pakt(150_000, 44_100 * 3600, table=bytes(300_000))
    probed = run(caf(*chunks, table, caf_info((b"title", b"Tone"))))
    assert (probed.result.duration, texts(probed.result, "title")) == (pytest.approx(3600), ["Tone"])
    assert (probed.requests, probed.fetched) == (3, 16 * 1024 + 8 * 1024 + len(caf_info((b"title", b"Tone"))))


def test_audio_up_to_the_end_has_the_size_minus_one():
    result = run(caf(caf_desc(), caf_info((b"title", b"Tone")), caf_data(bytes(176_400 * 2), size=-1))).result
    assert (result.duration, result.status, texts(result, "title")) == (pytest.approx(2), "complete", ["Tone"])


def test_a_cut_caf_file_has_the_length_that_is_there():
    whole = caf(caf_desc(), caf_data(bytes(176_400 * 9)), caf_info((b"title", b"Tone")))
    result = run(whole[: len(caf(caf_desc(), caf_data(b""))) + 176_400 * 4]).result
    assert (result.duration, result.notes, result.status) == (pytest.approx(4), ["caf:truncated"], "partial")


def test_more_samples_in_the_table_than_there_are_packets_are_not_played():
    chunks = caf_desc(b"ima4", packet=68, frames=64, bits=0), caf_pakt(1000, 10**9), caf_data(bytes(68 * 1000))
    assert run(caf(*chunks)).result.duration == pytest.approx(64_000 / 44_100)


@pytest.mark.parametrize("count", [0xFFFFFFFF, 2, 1])
def test_texts_that_claim_more_than_there_is_end_with_the_chunk(count):
    result = run(
        caf(caf_desc(), caf_info((b"title", b"Tone"), (b"artist", b"Sine"), count=count), caf_data(bytes(400)))
    ).result
    assert [tag.text for tag in result.tags] == ["Tone", "Sine"][:count]


@pytest.mark.parametrize("rate", [float("nan"), float("inf"), -1.0, 0.0, 1e300])
def test_a_rate_that_is_none_gives_no_length_of_caf(rate):
    result = run(caf(caf_desc(rate=rate), caf_data(bytes(400)))).result
    assert (result.sample_rate, result.duration, result.channels) == (None, None, 2)


@pytest.mark.parametrize(
    "chunks",
    [
        [caf_chunk(b"desc", b"short"), caf_info((b"title", b"Tone"))],
        [caf_info((b"title", b"Tone")), caf_desc(), caf_chunk(b"pakt", b"short")],
        [caf_desc(), caf_info((b"title", b"Tone")), caf_chunk(b"kuki", b"")],
    ],
)
def test_a_broken_chunk_of_caf_does_not_hide_the_texts(chunks):
    result = run(caf(*chunks, caf_data(bytes(176_400)))).result
    assert texts(result, "title") == ["Tone"]


TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=30)


@given(st.lists(TEXT, max_size=6), st.booleans())
@settings(max_examples=examples(50))
def test_what_was_written_into_caf_is_read_wherever_it_stands(values, behind):
    info = caf_info(*[(b"comments", value.encode()) for value in values])
    parts = [caf_data(bytes(400)), info] if behind else [info, caf_data(bytes(400))]
    found = run(caf(caf_desc(), *parts), restart=False).result.tags
    assert [tag.raw for tag in found] == [value.encode() for value in values]
