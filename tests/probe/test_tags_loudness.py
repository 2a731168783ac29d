"""Loudness: ReplayGain as text and as numbers, LAME's header, Opus's gains, Sound Check."""

import io
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mutagen import id3
from mutagen.mp3 import MP3
from probe_media import audio, frame, run, saved
from probe_media import id3 as tag
from tag_writers import COLUMNS, WRITERS, matroska, record, write_ape, write_id3, write_mp4, write_opus

from mediacrawl.probe.formats.gains import decimal, lame_gains, rgad_gains, rva2_gains, rvad_gains

TEXTS = {
    "REPLAYGAIN_TRACK_GAIN": "-6.50 dB",
    "REPLAYGAIN_TRACK_PEAK": "0.988547",
    "REPLAYGAIN_ALBUM_GAIN": "+1,25 dB",
    "REPLAYGAIN_ALBUM_PEAK": "1.024",
}
MEASURED = {"track_gain": -6.5, "track_peak": 0.988547, "album_gain": 1.25, "album_peak": 1.024}


@pytest.mark.parametrize("container", WRITERS)
@pytest.mark.parametrize("spelling", [str, str.lower])
def test_replaygain_is_the_same_in_each_container(container, spelling):
    prefix = "TXXX:" if COLUMNS[container] == "id3" else ""
    fields = {prefix + spelling(name): [text] for name, text in TEXTS.items()}
    assert record(WRITERS[container](fields)).loudness == MEASURED


def test_matroska_states_the_gain_of_what_a_tag_is_about():
    song = (30, {"TITLE": ["x"], "REPLAYGAIN_GAIN": ["-6.50 dB"], "REPLAYGAIN_PEAK": ["0.988547"]})
    album = (50, {"REPLAYGAIN_GAIN": ["1.25"], "REPLAYGAIN_PEAK": ["1.024"]})
    assert record(matroska(album, song)).loudness == MEASURED


# ID3v2's numbers.


def rva2(name, *channels):
    return name.encode() + b"\0" + b"".join(channels)


@pytest.mark.parametrize(
    ("name", "gain", "peak", "expected"),
    [
        ("track", -6.5, 0.5, {"track_gain": -6.5, "track_peak": 0.5}),
        ("Album", 1.25, 1.25, {"album_gain": 1.25, "album_peak": 1.25}),
        ("track", 3, 0, {"track_gain": 3}),
        ("normalize", 3, 0.5, {}),
    ],
)
@pytest.mark.parametrize("version", [3, 4])
def test_a_volume_that_is_named_after_replaygain_is_one(version, name, gain, peak, expected):
    tags = id3.ID3()
    tags.add(id3.RVA2(desc=name, channel=1, gain=gain, peak=peak))
    data = saved(tags, audio(4)) if version == 4 else None
    body = rva2(name, struct.pack(">Bh", 1, round(gain * 512)), b"\x10", struct.pack(">H", round(peak * 32768)))
    assert record(data or tag(frame("XRVA", body)) + audio(4)).loudness == expected


LEFT = b"\x03\x02\x00\x08\x40"
MASTER = b"\x01\xf3\x00"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (rva2("track", LEFT, MASTER, b"\x00"), [("replaygain_track_gain", "-6.5")]),
        (rva2("track", MASTER, b"\x10\x40\x00"), [("replaygain_track_gain", "-6.5"), ("replaygain_track_peak", "0.5")]),
        (
            rva2("album", MASTER, b"\x0c\x0c\x00"),
            [("replaygain_album_gain", "-6.5"), ("replaygain_album_peak", "1.5")],
        ),
        (rva2("track", MASTER, b"\x20\x80\x00"), [("replaygain_track_gain", "-6.5")]),
        (rva2("track", LEFT), []),
        (rva2("track", MASTER), []),
        (b"track", []),
    ],
)
def test_only_the_master_volume_counts(body, expected):
    assert rva2_gains(body) == expected


@pytest.mark.parametrize(
    ("name", "body", "gain"),
    [
        # Flags: the right channel is raised, the left one too; 16 bits; a quarter of full volume each.
        ("RVAD", b"\x03\x10\x40\x00\x40\x00", 1.94),
        ("RVAD", b"\x00\x10\x80\x00\x80\x00\x00\x00\x00\x00", -6.02),
        ("RVAD", b"\x01\x10\x40\x00\x40\x00", 1.94),
        ("RVAD", b"\x00\x10\x00\x00\x00\x00", None),
        ("RVAD", b"\x03\x00", None),
        ("RVAD", b"\x03\x10\x40", None),
    ],
)
def test_the_older_volume_is_a_share_of_full_volume(name, body, gain):
    expected = {} if gain is None else {"track_gain": gain}
    assert record(tag(frame(name, body)) + audio(4)).loudness == expected
    assert record(tag(frame("RVA", body, version=2), version=2) + audio(4)).loudness == expected


def test_a_measured_gain_comes_before_a_volume():
    frames = [frame("RVAD", b"\x03\x10\x40\x00\x40\x00"), frame("TXXX", b"\0replaygain_track_gain\0-3 dB")]
    assert record(tag(*frames) + audio(4)).loudness == {"track_gain": -3}


# LAME.


def field(kind, origin, tenths):
    """A gain in 16 bits: what for, who set it, the sign, tenths of a decibel."""
    return (kind << 13 | origin << 10 | (tenths < 0) << 9 | abs(tenths)).to_bytes(2, "big")


def lame(peak=0.0, track=b"\0\0", album=b"\0\0", name=b"LAME3.100"):
    return name + bytes(2) + struct.pack(">I", round(peak * (1 << 23))) + track + album + bytes(17)


def with_lame(part):
    """A mono frame of 128 kbit/s whose header counts the others, with LAME's part, before 4 seconds of such frames."""
    header, size = b"\xff\xfb\x90\xc4", 417
    fields = struct.pack(">4sIIII", b"Info", 0xB, 153, 154 * size, 80)
    return (header + bytes(17) + fields + part).ljust(size, b"\0") + header.ljust(size, b"\0") * 153


def test_the_gains_of_lames_header_are_those_of_mutagen():
    data = with_lame(lame(0.988547, field(1, 3, -65), field(2, 3, 12)))
    known = MP3(io.BytesIO(data)).info
    assert (known.track_gain, known.album_gain) == (-6.5, 1.2)
    assert known.track_peak == pytest.approx(0.988547)
    assert record(data).loudness == {"track_gain": -6.5, "track_peak": 0.988547, "album_gain": 1.2}
    assert [(each.source, each.raw) for each in run(data).result.tags] == [
        ("lame", b"0.988547"),
        ("lame", b"-6.5"),
        ("lame", b"1.2"),
    ]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (lame(), []),
        (lame(0.5), [("replaygain_track_peak", "0.5")]),
        (lame(track=field(1, 3, -511)), [("replaygain_track_gain", "-51.1")]),
        (lame(album=field(2, 3, -7)), [("replaygain_album_gain", "-0.7")]),
        (lame(track=field(1, 0, -65)), []),
        (lame(track=field(3, 3, -65)), []),
        (lame(track=field(1, 3, -65), name=b"LAME3.93 "), [("replaygain_track_gain", "-0.5")]),
        (lame(track=field(1, 3, -65), name=b"LAME3.97b"), [("replaygain_track_gain", "-6.5")]),
        (lame(0.5)[:14], []),
        (b"", []),
    ],
)
def test_fields_of_lame_that_are_not_set_say_nothing(part, expected):
    assert lame_gains(part) == expected


def test_what_a_tagger_measured_comes_before_what_lame_wrote():
    data = write_ape({"REPLAYGAIN_TRACK_GAIN": ["-3.00 dB"]})
    tail = data[len(audio(4)) :]
    data = with_lame(lame(0.5, field(1, 3, -65))) + tail
    assert record(data).loudness == {"track_gain": -3, "track_peak": 0.5}


def test_the_oldest_frame_of_replaygain_is_read():
    body = struct.pack(">f", 0.75) + field(1, 1, -65) + field(2, 1, 12)
    assert record(tag(frame("RGAD", body)) + audio(4)).loudness == {
        "track_gain": -6.5,
        "track_peak": 0.75,
        "album_gain": 1.2,
    }
    assert rgad_gains(struct.pack(">f", float("nan")) + bytes(4)) == []


# Opus, and Sound Check.


def opus_with_gain(data, gain):
    """Sets the gain in the header; it is in 256ths of a decibel."""
    at = data.index(b"OpusHead") + 16
    return data[:at] + struct.pack("<h", gain) + data[at + 2 :]


def test_the_gains_of_opus_are_in_256ths():
    data = write_opus({"R128_TRACK_GAIN": ["-1280"], "R128_ALBUM_GAIN": ["384"]})
    assert record(data).loudness == {"r128_track_gain": -5, "r128_album_gain": 1.5}
    assert record(opus_with_gain(data, -896)).loudness == {
        "r128_track_gain": -5,
        "r128_album_gain": 1.5,
        "output_gain": -3.5,
    }


NORM = " 000003E8 000007D0 00002710 00002710 00024CA8 00024CA8 00007FFF 00007FFF 00024CA8 00024CA8"


@pytest.mark.parametrize("data", [write_id3({"COMM:iTunNORM": [NORM]}), write_mp4({"iTunNORM": [NORM]})])
def test_sound_check_is_the_gain_of_the_louder_channel(data):
    # 2000 in the second channel; 1000 is no change: ten times the logarithm of a half.
    assert record(data).loudness == {"itunes_gain": -3.01}


@given(st.binary(max_size=60))
def test_any_bytes_are_read_calmly(body):
    for read in (lame_gains, rgad_gains, rva2_gains, rvad_gains):
        for key, text in read(body) + read(b"track\0" + body):
            assert key.startswith("replaygain_")
            assert -1000 < float(text) < 1e40
    for name in ("RVA2", "RVAD", "RGAD", "UFID", "PCST"):
        record(tag(frame(name, body)) + audio(4))


@pytest.mark.parametrize(("number", "text"), [(-6.5, "-6.5"), (3.0, "3"), (-0.0000001, "0"), (0.988547, "0.988547")])
def test_numbers_are_written_without_needless_digits(number, text):
    assert decimal(number) == text
