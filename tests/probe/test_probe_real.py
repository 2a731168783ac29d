"""RealAudio and RealMedia: texts as raw bytes, codecs by ffmpeg's names, lengths as stated or by the bit rate."""

import random
import struct

import pytest
from probe_media import run, sample, texts
from probe_old import ra3, ra4, ra_header, real_video, realmedia, rm_chunk, rm_properties, rm_stream, rm_text

from mediacrawl.probe import Probe

TITLE = "Вечерняя песня".encode("cp1251")
TEXTS = [TITLE, "Кино".encode("cp1251"), b"(c) 1996", b"Recorded low\0"]
FOUND = [
    ("Title", "title", TITLE),
    ("Author", "artist", TEXTS[1]),
    ("Copyright", "copyright", b"(c) 1996"),
    ("Comment", "comment", b"Recorded low"),
]


def tags(result):
    return [(tag.frame, tag.key, tag.raw) for tag in result.tags]


# -- RealAudio ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("codec", [b"lpcJ", b""])
def test_the_first_version_knows_one_codec(codec):
    probed = run(ra3(TEXTS, 20_000, codec=codec))
    result = probed.result
    assert tags(result) == FOUND
    assert {(tag.source, tag.declared) for tag in result.tags} == {("real", "latin-1")}
    assert (result.status, result.container, result.encoding_format) == ("complete", "realaudio", "audio/x-realaudio")
    assert (result.codec, result.sample_rate, result.channels, result.bits_per_sample) == ("ra_144", 8000, 1, None)
    assert (result.duration, result.duration_estimated, result.bitrate) == (20.0, False, 8000)
    assert probed.requests == 1


def test_the_second_version_names_its_codec():
    result = run(ra4(TEXTS, 19_000)).result
    assert tags(result) == FOUND
    assert (result.codec, result.sample_rate, result.channels) == ("ra_288", 8000, 1)
    assert (result.duration, result.bitrate, result.bitrate_mode) == (10.0, 15_200, "cbr")


def test_the_third_version_states_no_rate():
    result = run(ra4(TEXTS, 19_000, version=5, codec=b"sipr")).result
    assert (tags(result), result.codec, result.sample_rate) == (FOUND, "sipr", 8000)
    assert (result.status, result.duration, result.bitrate) == ("complete", None, None)


def test_a_file_without_texts_has_none():
    assert run(ra4([b"", b" ", b"\0", b""], 500)).result.tags == []


def test_a_file_that_was_cut_off_lasts_as_long_as_what_is_there():
    assert run(ra3(TEXTS, 20_000)[:-5000]).result.duration == 15.0


def test_a_file_of_unknown_size_lasts_as_long_as_it_says():
    data, probe = ra3(TEXTS, 30_000), Probe()
    probe.feed(0, data[:16_384], None)
    assert (probe.result().duration, probe.finished) == (30.0, True)


def test_texts_that_end_behind_the_header_are_none():
    data = bytearray(ra4([b"", b"", b"", b"abc"], 500))
    data[data.index(b"\3abc")] = 200
    result = run(bytes(data)).result
    assert (result.tags, result.codec, result.notes) == ([], "ra_288", ["texts:BrokenError"])


@pytest.mark.parametrize("version", [0, 2, 6])
def test_other_versions_are_broken(version):
    assert run(b".ra\xfd" + struct.pack(">H", version) + bytes(200)).result.status == "error:BrokenError"


# -- RealMedia ---------------------------------------------------------------------------------------------------------


def test_a_film_that_ffmpeg_made():
    result = run(sample("film.rm")).result
    assert (result.status, result.container, result.is_video) == ("complete", "realmedia", True)
    assert result.encoding_format == "application/vnd.rn-realmedia"
    assert (result.video_codec, result.audio_codec, result.codec) == ("rv10", "ac3", "rv10")
    assert (result.width, result.height, result.frame_rate) == (96, 64, 10.0)
    assert (result.sample_rate, result.channels) == (44_100, 1)
    assert result.duration == pytest.approx(0.6, abs=0.05)
    assert [(tag.key, tag.text) for tag in result.tags] == [
        ("title", "Film"),
        ("artist", "Sine"),
        ("copyright", "(c) 1999"),
        ("comment", "Low"),
    ]


def video(codec=b"RV40", rate=25.0, **options):
    return rm_stream(real_video(codec, 320, 240, rate), mime=b"video/x-pn-realvideo", **options)


def test_texts_and_streams_of_a_film():
    data = realmedia(rm_text(*TEXTS), video(rate=30_000 / 1001), rm_stream(ra_header(5, b"cook", 44_100, 2)))
    probed = run(data)
    result = probed.result
    assert tags(result) == FOUND
    assert (result.video_codec, result.audio_codec) == ("rv40", "cook")
    assert (result.sample_rate, result.channels) == (44_100, 2)
    assert (result.width, result.height, result.frame_rate) == (320, 240, pytest.approx(29.97, abs=0.001))
    assert (result.duration, result.duration_estimated, result.bitrate) == (60.0, False, 250_000)
    assert (result.status, probed.requests) == ("complete", 1)


def test_sound_alone_has_a_type_and_a_rate_of_its_own():
    result = run(realmedia(rm_stream(ra_header(4, b"sipr", 8000, 1), bitrate=8500), millis=0)).result
    assert (result.encoding_format, result.is_video) == ("audio/x-pn-realaudio", False)
    assert (result.codec, result.bitrate, result.duration) == ("sipr", 8500, None)


@pytest.mark.parametrize(
    ("letters", "codec"),
    [
        (b"lpcJ", "ra_144"),
        (b"28_8", "ra_288"),
        (b"dnet", "ac3"),
        (b"cook", "cook"),
        (b"atrc", "atrac3"),
        (b"raac", "aac"),
        (b"racp", "aac"),
        (b"NEWX", "newx"),
        (b"\1\2\3\4", None),
    ],
)
def test_codecs_have_the_names_of_ffmpeg(letters, codec):
    for version in (4, 5):
        result = run(realmedia(rm_stream(ra_header(version, letters, 22_050, 2)))).result
        assert (result.codec, result.sample_rate, result.channels) == (codec, 22_050, 2)


@pytest.mark.parametrize(
    ("letters", "codec"),
    [(b"RV10", "rv10"), (b"RV20", "rv20"), (b"RVTR", "rv20"), (b"RV30", "rv30"), (b"RV40", "rv40")],
)
def test_codecs_of_video_too(letters, codec):
    assert run(realmedia(video(letters))).result.video_codec == codec


def test_lossless_audio_has_a_header_of_its_own():
    header = b"LSD:" + struct.pack(">HHHHII", 0x103, 0, 2, 16, 44_100, 8000)
    result = run(realmedia(rm_stream(header, mime=b"audio/x-ralf-mpeg4-generic"))).result
    assert (result.codec, result.sample_rate, result.channels) == ("ralf", 44_100, 2)


def test_of_several_bit_rates_the_first_counts():
    one, two = ra_header(5, b"cook", 44_100, 2), ra_header(5, b"cook", 22_050, 1)
    header = b"MLTI" + struct.pack(">HHHHI", 2, 0, 1, 2, len(one)) + one + struct.pack(">I", len(two)) + two
    result = run(realmedia(rm_stream(header, mime=b"audio/x-pn-multirate-realaudio"))).result
    assert (result.codec, result.sample_rate, result.channels) == ("cook", 44_100, 2)


def test_the_longest_stream_is_the_length():
    data = realmedia(video(millis=90_000), rm_stream(ra_header(5, b"cook", 44_100, 2), millis=91_500))
    assert run(data).result.duration == 91.5


def test_properties_of_the_file_are_texts():
    pairs = [
        (b"Keywords", TITLE),
        (b"Generated By", b"Helix Producer\0"),
        (b"Creation Date", b"3/14/2003 12:00:00"),
        (b"Content Rating", 4),
        (b"Audiences", b"56k Dial-up;"),
    ]
    result = run(realmedia(rm_properties(*pairs))).result
    assert tags(result) == [
        ("Keywords", "keywords", TITLE),
        ("Generated By", "encodersettings", b"Helix Producer"),
        ("Creation Date", "date", b"3/14/2003 12:00:00"),
        ("Audiences", "audiences", b"56k Dial-up;"),
    ]
    assert (result.status, result.codec) == ("complete", None)


def test_streams_of_other_kinds_are_stepped_over():
    events = rm_stream(b"", mime=b"application/x-pn-realevent")
    result = run(realmedia(events, rm_chunk(b"XTRA", bytes(40)), rm_text(*TEXTS), video())).result
    assert (result.status, result.video_codec, len(result.tags)) == ("complete", "rv40", 4)


def test_texts_that_are_longer_than_their_chunk_hide_nothing():
    broken = rm_chunk(b"CONT", struct.pack(">H", 4) + b"Tone" + struct.pack(">H", 999) + b"Sine")
    result = run(realmedia(broken, video())).result
    assert (texts(result, "title"), result.video_codec) == (["Tone"], "rv40")
    assert (result.status, result.notes) == ("partial", ["texts:BrokenError"])


def test_a_long_header_costs_one_more_request():
    streams = [rm_stream(b"x" * 6000, mime=b"image/rp")] * 3
    probed = run(realmedia(*streams, rm_text(*TEXTS), video(), sound=100_000))
    assert (tags(probed.result), probed.result.status, probed.requests) == (FOUND, "complete", 2)


# -- hostile files -----------------------------------------------------------------------------------------------------

WHOLE = {
    "ra3": ra3(TEXTS, 40),
    "ra4": ra4(TEXTS, 40),
    "ra5": ra4(TEXTS, 40, version=5),
    "rm": realmedia(
        rm_text(*TEXTS),
        video(),
        rm_stream(ra_header(5, b"cook", 44_100, 2)),
        rm_properties((b"Keywords", b"low, tide"), (b"Flags", 3)),
        sound=40,
    ),
}


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_every_cut_ends_calmly(name):
    data = WHOLE[name]
    whole = tags(run(data).result)
    for stop in range(1, len(data)):
        result = run(data[:stop], restart=False).result
        assert result.status.startswith(("complete", "partial", "error:", "unsupported")), stop
        assert tags(result) == whole[: len(result.tags)], stop


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_random_changes_end_calmly(name):
    chance = random.Random(name)
    for _ in range(300):
        data = bytearray(WHOLE[name])
        for _ in range(chance.randrange(1, 8)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        result = run(bytes(data), restart=False).result
        assert result.status.startswith(("complete", "partial", "error:", "unsupported"))


def test_chunks_without_end_are_bounded():
    data = b".RMF\0\0\0\x12\0\0" + bytes(8) + rm_chunk(b"XTRA", b"") * 20_000
    assert "limit:parts" in run(data).result.notes


def test_a_chunk_that_says_it_is_longer_than_the_file_ends_the_walk():
    data = realmedia(rm_text(*TEXTS), sound=0)
    data = data.replace(b"CONT" + data[data.index(b"CONT") + 4 :][:4], b"CONT\xff\xff\xff\xf0")
    result = run(data).result
    assert (result.tags, result.duration) == ([], 60.0)
    assert result.status == "partial"


def test_properties_that_go_nowhere_end():
    data = rm_properties(*[(b"A", b"b")] * 3)
    data = data.replace(struct.pack(">IH", 15, 0), struct.pack(">IH", 0, 0))
    result = run(realmedia(data)).result
    assert (result.tags, result.notes) == ([], ["stream:BrokenError"])
