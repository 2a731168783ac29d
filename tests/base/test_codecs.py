"""One vocabulary for codecs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.codecs import codec_of_object_type, codec_of_rfc6381, codec_of_tag, kind_of_codec


@pytest.mark.parametrize(
    ("text", "codec", "kind"),
    [
        ("avc1.42c01e", "h264", "video"),
        ("AVC3.64001f", "h264", "video"),
        ("dva1.09.01", "h264", "video"),
        ("hvc1.1.6.L93.B0", "hevc", "video"),
        ("hev1.2.4.L120.B0", "hevc", "video"),
        ("dvh1.05.06", "hevc", "video"),
        ("dvhe.08.07", "hevc", "video"),
        ("vp08.00.41.08", "vp8", "video"),
        ("vp8", "vp8", "video"),
        ("vp8.0", "vp8", "video"),
        ("vp09.00.10.08", "vp9", "video"),
        ("vp9", "vp9", "video"),
        ("av01.0.04M.08", "av1", "video"),
        ("vvc1.1.L83", "vvc", "video"),
        ("mp4v.20.9", "mpeg4", "video"),
        ("mp4v.6c", "mjpeg", "video"),
        ("s263.10", "h263", "video"),
        ("theora", "theora", "video"),
        ("mp4a.40.2", "aac", "audio"),
        ("mp4a.40.5", "aac", "audio"),
        ("mp4a.40.29", "aac", "audio"),
        ("mp4a.40.42", "aac", "audio"),
        ("mp4a.40", "aac", "audio"),
        ("mp4a", "aac", "audio"),
        ("mp4a.67", "aac", "audio"),
        ("mp4a.40.34", "mp3", "audio"),
        ("mp4a.6b", "mp3", "audio"),
        ("mp4a.6B", "mp3", "audio"),
        ("mp4a.69", "mp3", "audio"),
        ("mp4a.40.33", "mp2", "audio"),
        ("mp4a.a5", "ac3", "audio"),
        ("mp4a.a6", "eac3", "audio"),
        ("mp4a.ad", "opus", "audio"),
        ("ac-3", "ac3", "audio"),
        ("ec-3", "eac3", "audio"),
        ("ec+3", "eac3", "audio"),
        ("ac-4.02.01.01", "ac4", "audio"),
        ("opus", "opus", "audio"),
        ("Opus", "opus", "audio"),
        ("OPUS", "opus", "audio"),
        ("fLaC", "flac", "audio"),
        ("flac", "flac", "audio"),
        ("alac", "alac", "audio"),
        ("vorbis", "vorbis", "audio"),
        ("mp3", "mp3", "audio"),
        ("dtsc", "dts", "audio"),
        ("dtse", "dts", "audio"),
        ("dtsh", "dts", "audio"),
        ("mhm1.0x0d", "mpegh_3d_audio", "audio"),
        ("samr", "amr_nb", "audio"),
        ("stpp", "ttml", "subtitle"),
        ("stpp.ttml.im1t", "ttml", "subtitle"),
        ("wvtt", "webvtt", "subtitle"),
        ("  wvtt\n", "webvtt", "subtitle"),
        ("", None, None),
        (".", None, None),
        ("mp4a.", "aac", "audio"),
        ("mp4a.zz", None, None),
        ("mp4a.-40.2", None, None),
        ("mp4a." + "4" * 100_000, None, None),
        ("mp4a.40." + "3" * 100_000, "aac", "audio"),
        ("text/vtt", None, None),
        ("avc1" * 50_000, None, None),
    ],
)
def test_a_codecs_parameter_has_ffmpegs_names(text, codec, kind):
    assert (codec_of_rfc6381(text), kind_of_codec(codec)) == (codec, kind)


@pytest.mark.parametrize(
    ("tag", "kind", "codec"),
    [
        ("avc1", None, "h264"),
        ("avc1", "video", "h264"),
        ("avc1", "audio", None),
        ("fLaC", "audio", "flac"),
        ("flac", "audio", None),
        ("Opus", "audio", "opus"),
        ("stpp", "subtitle", "ttml"),
        ("tx3g", None, "mov_text"),
        ("????", None, None),
    ],
)
def test_a_sample_entry_is_known_by_its_letters_in_their_case(tag, kind, codec):
    assert codec_of_tag(tag, kind) == codec


@pytest.mark.parametrize(
    ("number", "codec"), [(0x20, "mpeg4"), (0x40, "aac"), (0x61, "mpeg2video"), (0x6B, "mp3"), (0, None), (-1, None)]
)
def test_an_object_type_is_a_codec(number, codec):
    assert codec_of_object_type(number) == codec


def test_no_two_sample_entries_differ_only_in_case():
    from mediacrawl.base.codecs import _BY_KIND, _BY_LOWER, _BY_TAG, _PLAIN

    assert len(_BY_TAG) == sum(map(len, _BY_KIND.values()))
    assert len({name.lower() for name in _BY_TAG}) == len(_BY_TAG)
    for name, codec in _PLAIN.items():
        assert _BY_LOWER[name] == codec
    assert all(kind_of_codec(codec) for codec in _BY_LOWER.values())


@given(st.text(max_size=50))
def test_any_text_is_a_codec_or_none(text):
    for written in (text, f"mp4a.{text}", f"mp4a.40.{text}"):
        codec = codec_of_rfc6381(written)
        assert codec is None or kind_of_codec(codec) is not None
