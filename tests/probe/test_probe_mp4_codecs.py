"""Sample descriptions and user data of MP4, QuickTime and 3GPP: codecs, sound, and text in many encodings."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_media import atom, run, sample, texts

from mediacrawl.probe.context import BrokenError
from mediacrawl.probe.formats.mp4_codecs import read_audio_entry, read_visual_entry


def sound(name, *boxes, channels=2, bits=16, rate=44100, version=0, more=b""):
    """Body of ``stsd`` with one description of sound."""
    head = struct.pack(">6xHHHIHHHHI", 1, version, 0, 0, channels, bits, 0, 0, rate << 16)
    return struct.pack(">II", 0, 1) + atom(name, head, more, *boxes)


def picture(name, *boxes):
    return atom(name, bytes(24), struct.pack(">HH", 640, 360), bytes(50), *boxes)


def descriptor(tag, body):
    return bytes([tag, 0x80, 0x80, 0x80, len(body)]) + body


def esds(kind, config=b"", bitrate=64_000, flags=0, more=b""):
    stream = struct.pack(">BB3xII", kind, 0x15, bitrate * 2, bitrate) + descriptor(5, config)
    return atom(b"esds", bytes(4), descriptor(3, b"\0\1" + bytes([flags]) + more + descriptor(4, stream)))


def test_real_files_are_what_ffprobe_says():
    result = run(sample("tone.3gp")).result
    assert (result.encoding_format, result.codec, result.channels) == ("audio/3gpp", "aac", 1)
    assert [(tag.frame, tag.key, tag.text, tag.lang) for tag in result.tags] == [
        ("perf", "artist", "Sine", "eng"),
        ("titl", "title", "Tone", "eng"),
    ]
    result = run(sample("keys.mov")).result
    assert (texts(result, "title"), texts(result, "artist")) == (["Tone"], ["Sine"])
    assert (result.is_video, result.duration) == (False, pytest.approx(1.023, abs=0.001))


@pytest.mark.parametrize(
    ("config", "channels", "rate"),
    [
        ("1208", 1, 44100),  # AAC-LC, mono
        ("1210", 2, 44100),
        ("1230", 6, 44100),
        ("138856e5a0", 1, 44100),  # SBR, said behind the plain form
        ("138856e5a54880", 2, 44100),  # and parametric stereo
        ("2b8a0800", 1, 44100),  # SBR, said in front
        ("eb8a0800", 2, 44100),  # parametric stereo, said in front
        ("1780ac4400", 0, 88200),  # a rate in 24 bits; the container's channels stand
        ("", 0, 0),
    ],
)
def test_aac_says_itself_how_it_sounds(config, channels, rate):
    found = read_audio_entry(sound(b"mp4a", esds(0x40, bytes.fromhex(config)), channels=2, rate=22050))
    assert (found.codec, found.bitrate) == ("aac", 64_000)
    assert found.channels == (channels or 2)
    assert found.sample_rate == (rate or 22050)


@pytest.mark.parametrize(
    ("kind", "codec"), [(0x6B, "mp3"), (0x69, "mp3"), (0xA5, "ac3"), (0xDD, "vorbis"), (0x40, "aac")]
)
def test_mp4a_holds_what_its_object_type_says(kind, codec):
    assert read_audio_entry(sound(b"mp4a", esds(kind))).codec == codec
    assert read_audio_entry(sound(b"mp4a", esds(kind, flags=0xE0, more=b"\0\0\1x\0\0"))).codec == codec


ALAC = atom(b"alac", bytes(4), struct.pack(">IBBBBBBHIII", 4096, 0, 24, 40, 10, 14, 6, 255, 0, 1_000_000, 96_000))
FLAC = atom(b"dfLa", bytes(8), struct.pack(">HH6xQ16x", 4096, 4096, 48_000 << 44 | 5 << 41 | 23 << 36))


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        (sound(b"alac", ALAC), ("alac", 6, 96_000, 24, 1_000_000)),
        (sound(b"fLaC", FLAC), ("flac", 6, 48_000, 24, 0)),
        (sound(b"ac-3", atom(b"dac3", bytes.fromhex("103dc0"))), ("ac3", 6, 48_000, 0, 384_000)),
        (sound(b"ac-3", channels=6), ("ac3", 6, 44_100, 0, 0)),
        (sound(b"ec-3", atom(b"dec3", bytes.fromhex("0c00200f00"))), ("eac3", 6, 48_000, 0, 384_000)),
        (sound(b"ec-3", atom(b"dec3", bytes.fromhex("0c01200f00"))), ("eac3", 6, 48_000, 0, 384_000)),
        (sound(b"ec-3", atom(b"dec3", b"\x0c")), ("eac3", 0, 44_100, 0, 0)),
        (sound(b"mp4a", esds(0xA9)), ("dts", 0, 44_100, 0, 64_000)),
        (sound(b"mlpa", channels=6), ("truehd", 6, 44_100, 0, 0)),
        (sound(b"Opus", rate=48_000), ("opus", 2, 48_000, 0, 0)),
        (sound(b".mp2"), ("mp2", 2, 44_100, 0, 0)),
        (sound(b"sowt"), ("pcm_s16le", 2, 44_100, 16, 0)),
        (sound(b"twos", bits=8), ("pcm_s8", 2, 44_100, 8, 0)),
        (sound(b"raw ", bits=8), ("pcm_u8", 2, 44_100, 8, 0)),
        (
            sound(b"in24", atom(b"wave", atom(b"enda", b"\0\1")), version=1, more=bytes(16)),
            ("pcm_s24le", 2, 44_100, 24, 0),
        ),
        (sound(b"ipcm", atom(b"pcmC", bytes(4), b"\1\x18")), ("pcm_s24le", 2, 44_100, 24, 0)),
        (sound(b"fl32"), ("pcm_f32be", 2, 44_100, 32, 0)),
        (sound(b"ms\0U"), ("mp3", 2, 44_100, 0, 0)),
        (sound(b"samr", channels=1, rate=8000), ("amr_nb", 1, 8_000, 0, 0)),
        (sound(b"enca", atom(b"sinf", atom(b"frma", b"ac-3"))), ("ac3", 0, 44_100, 0, 0)),
        (sound(b"what"), ("what", 2, 44_100, 0, 0)),
    ],
)
def test_each_sound_has_its_name_and_its_own_header(description, expected):
    found = read_audio_entry(description)
    assert (found.codec, found.channels, found.sample_rate, found.bits_per_sample, found.bitrate) == expected


def test_version_2_of_quicktime_counts_for_itself():
    more = struct.pack(">IdIIIIII", 72, 96_000.0, 8, 0x7F000000, 32, 1, 0, 0)
    found = read_audio_entry(sound(b"lpcm", version=2, more=more))
    assert (found.codec, found.channels, found.sample_rate) == ("pcm_f32le", 8, 96_000)


def test_version_1_of_the_list_itself_has_the_plain_layout():
    plain = sound(b"mp4a", esds(0x40, bytes.fromhex("1208")), version=1)
    assert read_audio_entry(b"\1" + plain[1:]).channels == 1


def test_quicktime_keeps_the_descriptor_in_wave():
    wave = atom(b"wave", atom(b"frma", b"mp4a"), esds(0x40, bytes.fromhex("1208")))
    assert read_audio_entry(sound(b"mp4a", wave, version=1, more=bytes(16))).channels == 1


@pytest.mark.parametrize(
    ("entry", "codec"),
    [
        (picture(b"avc1"), "h264"),
        (picture(b"hev1"), "hevc"),
        (picture(b"av01"), "av1"),
        (picture(b"vp09"), "vp9"),
        (picture(b"s263"), "h263"),
        (picture(b"SVQ3"), "svq3"),
        (picture(b"apcn"), "prores"),
        (picture(b"mp4v", esds(0x20)), "mpeg4"),
        (picture(b"mp4v", esds(0x61)), "mpeg2video"),
        (picture(b"encv", atom(b"sinf", atom(b"frma", b"avc1"))), "h264"),
        (picture(b"rle "), "qtrle"),
    ],
)
def test_each_picture_has_its_name(entry, codec):
    found = read_visual_entry(entry)
    assert (found.codec, found.width, found.height) == (codec, 640, 360)


@given(
    st.sampled_from([b"mp4a", b"alac", b"fLaC", b"ac-3", b"lpcm", b"enca"]), st.integers(0, 2), st.binary(max_size=120)
)
def test_any_description_is_read_or_refused(name, version, body):
    boxes = [atom(box, body) for box in (b"esds", b"alac", b"dfLa", b"dac3", b"pcmC", b"wave", b"sinf")]
    try:
        found = read_audio_entry(sound(name, body, *boxes, version=version, more=body[:36]))
    except BrokenError:
        return
    assert found.channels >= 0


# Text.

MVHD = atom(b"mvhd", bytes(12) + struct.pack(">II", 600, 6000) + bytes(80))


def with_user_data(*atoms, brand=b"qt  "):
    return run(atom(b"ftyp", brand + bytes(4)) + atom(b"moov", MVHD, atom(b"udta", *atoms))).result


def quicktime(*texts_):
    return b"".join(struct.pack(">HH", len(raw), language) + raw for language, raw in texts_)


@pytest.mark.parametrize(
    ("language", "raw", "lang", "declared", "text"),
    [
        (0, b"\x8eclair", "eng", "mac-roman", "éclair"),
        (32, b"\x8f\xf0\xe8", "rus", "mac-cyrillic", "При"),
        (11, b"\x83e\x83X\x83g", "jpn", "shift_jis", "テスト"),
        (14, b"\xa1\xe1", "ell", "mac-greek", "Γα"),
        (777, b"x", "", "mac-roman", "x"),
        (0x15C7, "é".encode(), "eng", "utf-8", "é"),
        (0x55C4, "Тон".encode(), "", "utf-8", "Тон"),
        (0x7FFF, b"\xfe\xff\x04\x16\0\0", "", "utf-16", "Ж"),
    ],
)
def test_the_language_of_quicktime_text_implies_its_encoding(language, raw, lang, declared, text):
    (tag,) = with_user_data(atom(b"\xa9nam", quicktime((language, raw)))).tags
    assert (tag.key, tag.lang, tag.declared, tag.text) == ("title", lang, declared, text)
    assert tag.raw == raw.removesuffix(b"\0\0")


def test_one_text_in_several_languages_is_several_texts():
    result = with_user_data(atom(b"\xa9nam", quicktime((0, b"Tone"), (2, b"T\x9an"), (0, b""))))
    assert [(tag.text, tag.lang, tag.index) for tag in result.tags] == [("Tone", "eng", 0), ("Tön", "deu", 1)]


def asset(name, body, language=0x15C7):
    return atom(name, struct.pack(">IH", 0, language), body)


def test_text_of_3gpp_is_utf_8_or_utf_16():
    result = with_user_data(
        asset(b"titl", "Тон\0".encode()),
        asset(b"auth", b"\xfe\xff" + "Тон\0".encode("utf-16-be")),
        asset(b"albm", b"Album\0\x05"),
        asset(b"kywd", b"\x02\x02a\0\x03bc\0"),
        atom(b"yrrc", bytes(4), struct.pack(">H", 2009)),
        asset(b"gnre", b""),
        brand=b"3gp5",
    )
    found = [(tag.key, tag.text, tag.declared) for tag in result.tags]
    assert found == [
        ("title", "Тон", "utf-8"),
        ("artist", "Тон", "utf-16"),
        ("album", "Album", "utf-8"),
        ("keywords", "a", "utf-8"),
        ("keywords", "bc", "utf-8"),
        ("date", "2009", "ascii"),
    ]
    assert result.status == "complete"


def attribute(name, *values):
    body = struct.pack(">I", len(name)) + name + struct.pack(">I", len(values))
    body += b"".join(struct.pack(">IH", len(raw) + 6, kind) + raw for kind, raw in values)
    return struct.pack(">I", len(body) + 4) + body


def test_what_windows_writes_is_read():
    rating = attribute(b"WM/SharedUserRating", (19, bytes(8)))
    author = attribute(b"WM/Writer", (8, "Тон\0".encode("utf-16-le")), (8, "B\0".encode("utf-16-le")))
    result = with_user_data(atom(b"Xtra", rating, author), brand=b"isom")
    assert [(tag.frame, tag.key, tag.text) for tag in result.tags] == [
        ("WM/Writer", "lyricist", "Тон"),
        ("WM/Writer", "lyricist", "B"),
    ]


def test_a_broken_text_does_not_hide_the_others():
    broken = atom(b"Xtra", struct.pack(">III", 4000, 4, 0))
    result = with_user_data(broken, atom(b"titl", b"\0"), atom(b"\xa9nam", quicktime((0, b"Tone"))))
    assert (texts(result, "title"), result.status) == (["Tone"], "partial")


def test_chapters_and_what_players_keep_for_themselves_are_no_text():
    result = with_user_data(
        atom(b"chpl", bytes(100_000)), atom(b"name", b"x"), atom(b"\xa9nam", quicktime((0, b"Tone")))
    )
    assert [tag.key for tag in result.tags] == ["title"]
