"""MPEG audio and its tags: what they say, and what it costs to hear it."""

import io
import struct
import zlib

import pytest
from mutagen.apev2 import APEv2
from mutagen.id3 import ID3
from mutagen.mp3 import MP3
from probe_media import audio, cover, frame, id3, id3v1, picture, run, sample, saved, texts

from mediacrawl.probe.formats.audio_frames import FrameFormat, find
from mediacrawl.probe.formats.mpeg_audio import MPEG, read_frame
from mediacrawl.probe.policy import ProbePolicy

TITLE = frame("TIT2", b"\0Tone")
ARTIST = frame("TPE1", b"\1" + "Синус".encode("utf-16"))


def only(result, key):
    (tag,) = [tag for tag in result.tags if tag.key == key]
    return tag


@pytest.mark.parametrize("name", ["cbr.mp3", "xing.mp3", "tagged.mp3"])
def test_stream_facts_are_those_of_mutagen(name):
    result, known = run(sample(name)).result, MP3(io.BytesIO(sample(name))).info
    assert result.duration == pytest.approx(known.length, abs=0.05)
    assert result.bitrate == known.bitrate
    assert (result.sample_rate, result.channels) == (known.sample_rate, known.channels)
    assert result.status == "complete"


def test_a_vbri_header_gives_the_length():
    # The header stands 32 bytes behind the frame's header: version, delay, quality, bytes, frames, table.
    vbri = b"VBRI" + bytes.fromhex("0001 0000 0064") + (16000).to_bytes(4, "big")
    vbri += (1000).to_bytes(4, "big") + bytes.fromhex("0001 0001 0002 0001")
    data = sample("cbr.mp3")
    data = data[:36] + vbri + data[36 + len(vbri) :]
    result = run(data).result
    assert result.duration == pytest.approx(1000 * 1152 / 44100)
    assert (result.bitrate_mode, result.duration_estimated) == ("vbr", False)


def test_without_header_the_length_comes_from_several_frames_and_says_so():
    data = sample("vbr.mp3") * 9
    result = run(data).result
    assert abs(MP3(io.BytesIO(data)).info.length - 54) > 45
    assert result.duration == pytest.approx(54, rel=0.1)
    assert (result.duration_estimated, result.bitrate_mode) == (True, "vbr")


def frames(kilobits, count, *, channels=b"\xc4"):
    """Silent frames of MPEG-1 layer III at 44.1 kHz: their headers are all that a probe reads."""
    index = {32: 1, 64: 5, 128: 9, 320: 14}[kilobits]
    header = b"\xff\xfb" + bytes([index << 4]) + channels
    return header.ljust(144000 * kilobits // 44100, b"\0") * count


def test_frames_at_the_end_count_as_those_at_the_front_do():
    alike, other = (run(frames(32, 500) + end).result for end in (frames(32, 100), frames(320, 100)))
    assert (alike.bitrate_mode, alike.bitrate) == ("cbr", 32000)
    assert (other.bitrate_mode, other.duration_estimated) == ("vbr", True)
    assert 34000 < other.bitrate < 100000


def test_one_false_header_in_the_tail_is_not_a_frame():
    data = frames(32, 500)
    junk = b"".join(bytes(range(1, 200)) + b"\xff\xfb\xe0\xc4" for _ in range(10))
    assert run(data + junk).result.bitrate_mode == "cbr"


def xing(count, size, *, name=b"Xing", lame=b""):
    """A frame that counts the others; with the bytes of LAME's part behind the quality."""
    header = frames(64, 1)[:36]
    fields = struct.pack(">4sIII", name, 0xB, count, size) + struct.pack(">I", 80) + lame
    return (header[:4] + bytes(17) + fields).ljust(len(frames(64, 1)), b"\0")


def lame(method, delay=576, padding=1152, name=b"LAME3.100"):
    part = name + bytes([method]) + bytes(11) + (delay << 12 | padding).to_bytes(3, "big")
    return part + bytes(12)


@pytest.mark.parametrize("name", [b"LAME3.100", b"Lavc59.37"])
@pytest.mark.parametrize(("method", "mode"), [(1, "cbr"), (2, "abr"), (4, "vbr"), (9, "abr"), (0, "vbr")])
def test_what_the_encoder_added_is_not_played(name, method, mode):
    head = xing(100, 209 * 101, lame=lame(method, name=name))
    result = run(head + frames(64, 100)).result
    assert result.duration == pytest.approx((100 * 1152 - 576 - 1152) / 44100)
    assert (result.bitrate_mode, result.duration_estimated) == (mode, False)
    assert result.bitrate == pytest.approx(64000, rel=0.01)


def test_a_header_that_counts_frames_alone_leaves_the_bit_rate_to_the_size():
    result = run(xing(100, 0) + frames(64, 100)).result
    assert result.duration == pytest.approx(100 * 1152 / 44100)
    assert result.bitrate == pytest.approx(64000, rel=0.01)


def test_bytes_behind_the_header_of_another_encoder_are_no_delay():
    result = run(xing(100, 209 * 101, lame=b"\xff" * 36) + frames(64, 100)).result
    assert result.duration == pytest.approx(100 * 1152 / 44100)


def test_a_file_that_was_cut_off_is_as_long_as_what_is_left():
    whole = xing(1000, 209 * 1001) + frames(64, 1000)
    result = run(whole[: len(whole) // 2]).result
    assert result.duration == pytest.approx(500 * 1152 / 44100, rel=0.01)
    assert result.duration_estimated
    assert (result.notes, result.status) == (["mpeg:truncated"], "partial")


def test_files_joined_to_one_are_as_long_as_all():
    part = xing(300, 209 * 301) + frames(64, 300)
    result = run(part * 4).result
    assert result.duration == pytest.approx(1200 * 1152 / 44100, rel=0.01)
    assert result.duration_estimated


def test_bytes_of_something_else_behind_the_audio_do_not_lengthen_it():
    result = run(xing(300, 209 * 301) + frames(64, 300) + b"\1" * 60_000).result
    assert result.duration == pytest.approx(300 * 1152 / 44100)
    assert result.duration_estimated is False


@pytest.mark.parametrize("name", ["cbr.mp3", "tone.mp2"])
def test_other_layers_and_rates_are_read(name):
    result = run(sample(name) * 20).result
    assert result.codec == "mp" + {"cbr.mp3": "3", "tone.mp2": "2"}[name]
    assert (result.bitrate_mode, result.status) == ("cbr", "complete")
    assert result.duration == pytest.approx(len(sample(name)) * 20 * 8 / result.bitrate)


def test_layer_one_has_slots_of_four_bytes():
    frame_of_one = b"\xff\xff\xc4\xc4".ljust(48 * 384000 // 48000, b"\0")
    assert read_frame(frame_of_one, 0).size == len(frame_of_one)
    result = run(frame_of_one * 1000).result
    assert (result.codec, result.bitrate, result.sample_rate) == ("mp1", 384000, 48000)
    assert result.duration == pytest.approx(8)


def test_frames_of_free_bit_rate_end_where_the_next_begins():
    free = (b"\xff\xfb\x00\xc4" + b"\xff\xfb\x90" * 50).ljust(700, b"\1")
    result = run(free * 1000).result
    assert (result.codec, result.channels) == ("mp3", 1)
    assert result.duration == pytest.approx(1000 * 1152 / 44100, rel=0.01)
    assert result.bitrate == pytest.approx(700 * 8 * 44100 / 1152, rel=0.01)


def test_junk_before_the_first_frame_is_stepped_over():
    junk = b"\xff\xfb\x90\xc4 no  frame" * 1000
    result = run(id3(TITLE) + junk + audio()).result
    assert result.duration == pytest.approx(60, abs=1)
    assert result.status == "complete"


def test_where_no_frame_is_the_search_ends():
    probed = run(id3(TITLE) + b"\1" * 300_000)
    assert probed.result.notes == ["audio:BrokenError"]
    assert probed.fetched <= 144 * 1024


def test_bytes_that_all_look_like_headers_cost_little():
    steps = [0]

    def counting(data, at):
        steps[0] += 1
        return read_frame(data, at)

    find(FrameFormat(counting, MPEG.sync), b"\xff\xfb\x90\xc4" * 20_000)
    assert steps[0] <= 10_000


def test_a_file_at_hand_from_end_to_end_is_counted_not_estimated():
    result = run(sample("vbr.mp3")).result
    assert result.duration == pytest.approx(6, abs=0.1)
    assert result.duration_estimated is False


def test_tags_at_the_end_are_not_played():
    bare = run(audio()).result.duration
    ape = APEv2()
    ape.update({"Title": "Tone", "Lyrics": "x" * 2000})
    assert run(saved(ape, audio()) + id3v1(b"Tone")).result.duration == pytest.approx(bare, abs=0.02)


@pytest.mark.parametrize(
    ("tag", "requests", "kilobytes"),
    [
        (b"", 2, 24),
        (id3(TITLE, picture(500_000)), 3, 32),
        (id3(picture(2_000_000), TITLE), 3, 32),
        (id3(TITLE, picture(2_000_000), ARTIST), 3, 32),
        (id3(picture(54_000, version=2), frame("TT2", b"\0Tone", version=2), version=2), 3, 64),
        (id3(TITLE, padding=100_000), 3, 32),
    ],
)
def test_a_cover_is_never_fetched(tag, requests, kilobytes):
    probed = run(tag + audio())
    assert probed.result.status == "complete"
    assert probed.requests <= requests
    assert probed.fetched <= kilobytes * 1024
    assert probed.result.duration == pytest.approx(60, abs=1)
    assert texts(probed.result, "title") == (["Tone"] if tag else [])
    assert bool(probed.result.has_cover) == (b"JFIF" in tag)


@pytest.mark.parametrize("version", [2, 3, 4])
def test_a_cover_is_described(version):
    result = run(id3(picture(300_000, version=version), version=version) + audio()).result
    assert (result.has_cover, result.cover_mime) == (True, "image/jpeg")
    assert result.cover_size == 300_000


def test_chapters_with_images_do_not_cost_the_duration():
    chapters = [frame("CHAP", b"c%d\0" % n + cover(60_000)) for n in range(30)]
    data = id3(TITLE, *chapters, frame("TALB", b"\0Late")) + audio() + id3v1(b"Tone")
    probed = run(data)
    assert probed.result.status == "partial"
    assert "budget" in probed.result.notes
    assert probed.result.duration == pytest.approx(60, abs=1)
    assert [tag.source for tag in probed.result.tags] == ["id3v2.3", "id3v1"]


def test_stacked_tags_are_stepped_over():
    result = run(id3(TITLE) + id3(ARTIST, padding=300) + audio()).result
    assert result.duration == pytest.approx(60, abs=1)
    assert result.notes == []


# What the text says.


@pytest.mark.parametrize(
    ("body", "declared", "raw", "text"),
    [
        (b"\0caf\xe9\0", "latin-1", b"caf\xe9", "caf\xe9"),
        (b"\0\xcf\xf0\xe8\xe2\xe5\xf2", "latin-1", b"\xcf\xf0\xe8\xe2\xe5\xf2", "Ïðèâåò"),
        (b"\1\xff\xfea\0\0\0", "utf-16", b"\xff\xfea\0", "a"),
        (b"\1\xfe\xff\0a", "utf-16", b"\xfe\xff\0a", "a"),
        (b"\1a\0b\0", "utf-16", b"a\0b\0", "ab"),
        (b"\2\0a\0\0", "utf-16-be", b"\0a", "a"),
        (b"\3\xc3\xa9", "utf-8", b"\xc3\xa9", "é"),
        (b"\3caf\xe9", "utf-8", b"caf\xe9", "caf\ufffd"),
        (b"\1\xff\xfe\x00\xd8a\0", "utf-16", b"\xff\xfe\x00\xd8a\0", "\ufffda"),
        (b"\x07Tone", "latin-1", b"Tone", "Tone"),
        (b"Tone", "latin-1", b"Tone", "Tone"),
    ],
)
def test_text_keeps_its_bytes_and_its_claim(body, declared, raw, text):
    tag = only(run(id3(frame("TIT2", body)) + audio()).result, "title")
    assert (tag.declared, tag.raw, tag.text) == (declared, raw, text)


def test_a_field_of_several_values_gives_several_tags():
    body = b"\1" + "Ab".encode("utf-16-be").join([b"\xfe\xff", b"\0\0", b"\0\0"])
    tags = run(id3(frame("TPE1", body, version=4), version=4) + audio()).result.tags
    assert [(tag.index, tag.text) for tag in tags] == [(0, "Ab"), (1, "Ab")]
    assert [tag.declared for tag in tags] == ["utf-16", "utf-16-be"]


def test_comments_have_language_and_description():
    frames = [
        frame("COMM", b"\0eng\0Hello"),
        frame("COMM", b"\0rusnote\0\xcf\xf0"),
        frame("COMM", b"\1deu" + "a".encode("utf-16") + b"\0\0" + "b".encode("utf-16")),
        frame("COMM", b"\0\xff\xff\xff\0No language"),
        frame("COMM", b"\0engNo terminator"),
        frame("COMM", b"\1eng\0\xcf\xf0\xe8"),
        frame("COMM", b"\1eng\0A\0B"),
        frame("TXXX", b"\0Mood\0Calm"),
    ]
    tags = run(id3(*frames) + audio()).result.tags
    assert [(tag.key, tag.lang, tag.desc, tag.text) for tag in tags] == [
        ("comment", "eng", "", "Hello"),
        ("comment:note", "rus", "note", "Ïð"),
        ("comment:a", "deu", "a", "b"),
        ("comment", "", "", "No language"),
        ("comment", "eng", "", "No terminator"),
        ("comment", "eng", "", b"\xcf\xf0\xe8".decode("utf-16-le", errors="replace")),
        ("comment", "eng", "", "\u4100\u4200"),
        ("txxx:mood", "", "Mood", "Calm"),
    ]


def test_small_letters_in_the_name_of_a_frame_do_not_hide_it():
    result = run(id3(frame("tit2", b"\0Tone"), frame("Comm", b"\0eng\0Hello")) + audio()).result
    assert [(tag.frame, tag.key, tag.text) for tag in result.tags] == [
        ("TIT2", "title", "Tone"),
        ("COMM", "comment", "Hello"),
    ]


def test_the_old_names_of_version_two_are_known():
    old = [("TT2", "title"), ("TP1", "artist"), ("TAL", "album"), ("TYE", "date"), ("TCO", "genre")]
    frames = [frame(name, b"\0x", version=2) for name, _ in old]
    tags = run(id3(*frames, version=2) + audio()).result.tags
    assert [(tag.frame, tag.key) for tag in tags] == old
    assert {tag.source for tag in tags} == {"id3v2.2"}


def test_id3v1_is_kept_beside_id3v2():
    data = id3(TITLE) + audio() + id3v1(b"\xd2\xee\xed  ", b"Sine\0rest of something", 7, 17)
    found = [(t.source, t.key, t.raw) for t in run(data).result.tags]
    assert found == [
        ("id3v2.3", "title", b"Tone"),
        ("id3v1", "title", b"\xd2\xee\xed"),
        ("id3v1", "artist", b"Sine"),
        ("id3v1", "tracknumber", b"7"),
        ("id3v1", "genre", b"Rock"),
    ]


def test_fields_of_id3v1_end_where_the_next_begins():
    fields = b"T" * 30 + b"A" * 30 + b"L" * 30 + b"2004"
    plain, numbered = b"C" * 30 + b"\xff", b"C" * 28 + b"\0\7\xff"
    for comment, more in ((plain, {"comment": "C" * 30}), (numbered, {"comment": "C" * 28, "track": "7"})):
        found = {tag.frame: tag.text for tag in run(audio() + b"TAG" + fields + comment).result.tags}
        assert found == {"title": "T" * 30, "artist": "A" * 30, "album": "L" * 30, "date": "2004"} | more


def test_texts_are_those_of_mutagen():
    tags = ID3(io.BytesIO(sample("tagged.mp3")))
    result = run(sample("tagged.mp3")).result
    for name, key in (("TIT2", "title"), ("TPE1", "artist")):
        assert texts(result, key)[0] == tags[name].text[0]


# How the bytes are packed.


def test_unsynchronisation_of_a_whole_tag_is_undone():
    frames = frame("TIT2", b"\1\xff\xfea\0") + frame("TPE1", b"\0\xff\0\xff\xe0")
    tag = id3(frames.replace(b"\xff", b"\xff\0"), flags=0x80)
    result = run(tag + audio()).result
    assert texts(result, "title") == ["a"]
    assert texts(result, "artist") == ["ÿ", "ÿà"]


def test_unsynchronisation_of_a_frame_is_undone():
    body = b"\0\0\0\4" + b"\0\xff\0\xe0x"
    frames = frame("TIT2", body, version=4, flags=0x0003) + frame("TPE1", b"\0b", version=4)
    result = run(id3(frames, version=4) + audio()).result
    assert (texts(result, "title"), texts(result, "artist")) == (["ÿàx"], ["b"])


def test_unsynchronised_frames_of_version_four_have_their_sizes_as_they_stand():
    frames = [frame(name, b"\1\xff\0\xfe\xff\0\0", version=4) for name in ("TIT2", "TPE1")]
    result = run(id3(*frames, version=4, flags=0x80) + audio()).result
    assert (texts(result, "title"), texts(result, "artist")) == (["\xff"], ["\xff"])


def test_plain_sizes_in_a_tag_of_version_four_are_understood():
    long = b"\0" + b"a" * 299
    wrong = b"TIT2" + (300).to_bytes(4, "big") + b"\0\0" + long
    result = run(id3(wrong, frame("TPE1", b"\0b", version=4), version=4) + audio()).result
    assert (texts(result, "title"), texts(result, "artist")) == (["a" * 299], ["b"])


def test_an_extended_header_is_stepped_over_and_a_missing_one_is_not():
    extended = (6).to_bytes(4, "big") + bytes(6)
    assert texts(run(id3(extended, TITLE, flags=0x40) + audio()).result, "title") == ["Tone"]
    assert texts(run(id3(TITLE, flags=0x40) + audio()).result, "title") == ["Tone"]
    safe = b"\0\0\0\6\1\0"
    tag = id3(safe, frame("TIT2", b"\0Tone", version=4), version=4, flags=0x40)
    assert texts(run(tag + audio()).result, "title") == ["Tone"]


@pytest.mark.parametrize(("version", "flags"), [(3, 0x80), (4, 0x09)])
def test_a_compressed_frame_is_read(version, flags):
    body = b"\0\0\0\5" + zlib.compress(b"\0Tone")
    tag = id3(frame("TIT2", body, version=version, flags=flags), version=version)
    assert texts(run(tag + audio()).result, "title") == ["Tone"]


@pytest.mark.parametrize(("version", "flags"), [(3, 0x40), (4, 0x04)])
def test_an_encrypted_frame_is_left_alone(version, flags):
    tag = id3(frame("TIT2", b"\x80secret", version=version, flags=flags), version=version)
    assert run(tag + audio()).result.tags == []


# Hostile tags.


def test_a_compressed_bomb_is_not_inflated():
    bomb = b"\x7f\xff\xff\xff" + zlib.compress(b"\0" + bytes(30_000_000), 9)
    result = run(id3(frame("TXXX", bomb, flags=0x80), TITLE) + audio()).result
    assert texts(result, "title") == ["Tone"]
    assert "limit:text" in result.notes


@pytest.mark.parametrize("size", [60_000, 70_000])
def test_what_is_inflated_counts_even_where_nothing_is_kept(size):
    body = b"\0\0\0\0" + zlib.compress(bytes(size), 9)
    result = run(id3(*[frame("TXXX", body, flags=0x80)] * 100) + audio()).result
    assert "limit:tags" in result.notes
    assert result.duration == pytest.approx(60, abs=1)


def test_many_frames_end_at_the_limit():
    result = run(id3(*[frame("TIT2", b"")] * 30_000) + audio(), ProbePolicy(max_bytes=2**20)).result
    assert "limit:parts" in result.notes or "budget" in result.notes
    assert result.duration == pytest.approx(60, abs=1)


def test_many_values_in_one_frame_end_at_the_limit():
    result = run(id3(frame("TPE1", b"\0" + b"a\0" * 5000)) + audio()).result
    assert len(texts(result, "artist")) == ProbePolicy().max_values
    assert result.notes == ["limit:values"]


def test_a_long_text_is_left_in_the_file():
    probed = run(id3(frame("USLT", b"\0eng\0" + b"la " * 100_000), TITLE) + audio())
    assert texts(probed.result, "title") == ["Tone"]
    assert "limit:text" in probed.result.notes
    assert probed.fetched < 64 * 1024


def test_a_tag_that_claims_more_than_the_file_keeps_what_is_there():
    tag = b"ID3\3\0\0" + b"\x7f\x7f\x7f\x7f" + TITLE + bytes(20_000)
    probed = run(tag)
    assert texts(probed.result, "title") == ["Tone"]
    assert probed.result.status == "partial"
    assert probed.requests <= 3


def test_a_frame_longer_than_its_tag_keeps_those_before():
    tag = id3(TITLE, b"TPE1\x00\xff\xff\xff\0\0x")
    result = run(tag + audio()).result
    assert texts(result, "title") == ["Tone"]
    assert result.notes == ["id3v2:BrokenError"]
    assert result.duration == pytest.approx(60, abs=1)
