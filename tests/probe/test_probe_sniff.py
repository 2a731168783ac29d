"""Sniffing: content decides, and what has no reader yet is known by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_media import id3, run, sample

from mediacrawl.probe import sniff
from mediacrawl.probe.formats import READERS

CASES = [
    (b"RIFF\0\0\0\0WAVEfmt ", "wav"),
    (b"RIFF\0\0\0\0AVI LIST", "avi"),
    (b"FORM\0\0\0\0AIFFCOMM", "aiff"),
    (b"\x1aE\xdf\xa3\x01\0", "matroska"),
    (bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c"), "asf"),
    (b"FLV\x01\x05", "flv"),
    (b"MAC \x96\x0f", "ape"),
    (b"wvpk\0\0", "wavpack"),
    (b"MPCKSH", "musepack"),
    (b"TTA1\1\0", "tta"),
    (b".snd\0\0", "au"),
    (b"dns.\x1c\0\0\0", "au"),
    (b"caff\0\1", "caf"),
    (b"DSD \x1c\0\0\0", "dsf"),
    (b"FRM8\0\0", "dff"),
    (b"tBaK\1", "tak"),
    (b"OFR \x0f\0\0\0", "optimfrog"),
    (b"ADIF\0\0", "adif"),
    (b"RIFX\0\0\0\0WAVEfmt ", "wav"),
    (bytes.fromhex("726966662e91cf11a5d628db04c10000"), "w64"),
    (b"MThd\0\0", "midi"),
    (b"RIFF\0\0\0\0RMIDdata", "midi"),
    (b"Extended Module: tone", "xm"),
    (b"IMPMtone", "it"),
    (bytes(28) + b"\x1a\x10" + bytes(14) + b"SCRM", "s3m"),
    (bytes(28) + b"\x1a\x20" + bytes(14) + b"SCRM", None),
    (b".RMF\0\0\0\x12", "realmedia"),
    (b".ra\xfd\0\4", "realaudio"),
    (b"#!AMR\n", "amr"),
    (b"#!AMR-WB\n", "amr"),
    (b"\0\0\1\xba\x44", "mpeg-ps"),
    ((b"\x47" + bytes(187)) * 4, "mpeg-ts"),
    (b"\0\0\0\x20ftypavif", "heif"),
    ((bytes.fromhex("fff15080020020") + bytes(9)) * 3, "aac"),
    (b"#EXTM3U\n#EXTINF:1,x", "m3u"),
    (b"[playlist]\nFile1=x", "pls"),
    (b"\xff\xd8\xff\xe0", "jpeg"),
    (b"%PDF-1.7", "pdf"),
    (b"<!DOCTYPE html><html>", "html"),
    (b"\xef\xbb\xbf \n<HTML lang=en>", "html"),
    (b"<!-- hello --><!-- again -->\n<html>", "html"),
    (b'<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC', "html"),
    (b"<p>Not found", "html"),
    (b'<?xml version="1.0"?><rss>', "xml"),
    (b"404 page not found", None),
    (b"OFR stands for something", None),
    ("caff\u00e8 latte, a recipe".encode(), None),
    ("MAC \u00e9lan, words of a page".encode("latin-1"), None),
    (b"MP+ is what follows MP", None),
    (b"FRM8 or what it is", None),
    (b"\0\0\0\x08wide\0\0\x10\0mdat", "mov"),
    (b"The wide river runs", None),
    (b"", None),
]


@pytest.mark.parametrize(("head", "container"), CASES)
def test_a_format_without_reader_is_known_by_name(head, container):
    assert sniff(head).container == container
    assert (sniff(head).mime is None) == (container is None)


@pytest.mark.parametrize(("head", "container"), [case for case in CASES[:-1] if case[1] not in READERS])
def test_it_costs_one_request_and_is_unsupported(head, container):
    probed = run(head + bytes(30_000))
    assert (probed.result.status, probed.result.container) == ("unsupported", container)
    assert probed.requests == 1


@pytest.mark.parametrize(
    ("name", "container", "mime"),
    [
        ("cbr.mp3", "mp3", "audio/mpeg"),
        ("first.m4a", "mp4", "audio/mp4"),
        ("film.mov", "mov", "video/quicktime"),
        ("tone.ogg", "ogg", "audio/ogg"),
        ("tone.flac", "flac", "audio/flac"),
    ],
)
def test_real_files_are_what_they_are(name, container, mime):
    assert sniff(sample(name)) == (container, mime)


def test_one_sync_word_is_not_mpeg_audio():
    assert sniff(sample("cbr.mp3")[:4] + bytes(4000)).container is None


def test_zeros_before_the_first_frame_are_stepped_over():
    assert sniff(bytes(700) + sample("cbr.mp3")).container == "mp3"


@pytest.mark.parametrize(
    ("name", "container", "codec"),
    [("cbr.mp3", "mp3", "mp3"), ("tone.mp2", "mp3", "mp2"), ("tone.aac", "aac", "aac")],
)
def test_a_recording_that_begins_inside_a_frame_is_known_by_those_behind(name, container, codec):
    whole = sample(name)
    data = (whole * 40)[100:]
    result = run(data).result
    assert (result.container, result.codec, result.status) == (container, codec, "complete")
    assert result.duration == pytest.approx(run(whole * 40).result.duration, rel=0.01)


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xff\x90" * 2000,  # frames of layer I, if one will
        (b"\xff\xfb\0" + bytes(130)) * 40,  # frames of free bit rate
        sample("cbr.mp3")[:700] + bytes(3300),  # they end
        bytes(2000) + sample("cbr.mp3"),  # they begin later than inside the first
        (b"\xff\xfb\x90\xc4" + bytes(413)) * 2,  # two are not enough
    ],
)
def test_bytes_that_look_like_frames_are_none(body):
    assert sniff(b"BM" + bytes(100) + body).container is None


def test_flac_behind_an_id3_tag_is_flac():
    result = run(id3(padding=100) + sample("tone.flac")).result
    assert (result.container, result.codec, result.duration) == ("flac", "flac", 2.0)
    assert result.status == "complete"


def test_many_comments_before_no_page_are_read_in_one_pass():
    assert sniff(b"<!---->" * 500 + b"x").container is None


@given(st.binary(max_size=300))
def test_any_bytes_are_something_or_nothing(head):
    assert sniff(head).container is None or sniff(head).mime
