"""Ogg and FLAC: comments from the front, pictures stepped over, length from the end."""

import base64
import io
import struct

import pytest
from mutagen import File
from mutagen.flac import FLAC, Picture
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from probe_media import cover, run, sample, saved, texts

from mediacrawl.probe import ProbeResult
from mediacrawl.probe.formats.flac import read_streaminfo
from mediacrawl.probe.policy import ProbePolicy


def picture_block(size):
    picture = Picture()
    picture.data, picture.mime, picture.type = cover(size), "image/png", 3
    return picture


def page(serial, number, payload, *, granule=0, flags=0):
    """One page of Ogg; our reader does not look at the checksum."""
    lacing = b"\xff" * (len(payload) // 255) + bytes([len(payload) % 255])
    head = struct.pack("<4sBBqIIIB", b"OggS", 0, flags, granule, serial, number, 0, len(lacing))
    return head + lacing + payload


def grown_ogg(data, more):
    """Puts pages of another stream before the last page, as long as wanted."""
    at = data.rindex(b"OggS")
    return data[:at] + page(99, 0, bytes(60_000)) * (more // 60_000 + 1) + data[at:]


@pytest.mark.parametrize("name", ["tone.ogg", "tone.opus", "tone.oga", "tone.spx", "tone.flac"])
def test_facts_and_texts_are_those_of_mutagen(name):
    data = sample(name)
    named = io.BytesIO(data)
    named.name = name
    result, known = run(data).result, File(named)
    assert result.status == "complete"
    assert result.duration == pytest.approx(known.info.length)
    assert result.channels == known.info.channels
    if hasattr(known.info, "sample_rate"):
        assert result.sample_rate == known.info.sample_rate
    mine = [(tag.frame, tag.text) for tag in result.tags]
    assert sorted(mine) == sorted((key.upper(), value) for key, value in known.tags)


def test_a_film_in_ogg_is_video():
    result = run(sample("film.ogv")).result
    assert (result.encoding_format, result.is_video) == ("video/ogg", True)
    assert (result.width, result.height, result.frame_rate) == (96, 64, 10)
    assert (result.video_codec, result.audio_codec) == ("theora", "vorbis")
    assert result.duration == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize("name", ["tone.ogg", "tone.opus", "tone.spx", "film.ogv"])
def test_a_long_ogg_file_costs_head_and_tail(name):
    probed = run(grown_ogg(sample(name), 2_000_000))
    assert probed.result.duration == pytest.approx(run(sample(name)).result.duration)
    assert (probed.requests, probed.result.status) == (2, "complete")
    assert probed.fetched <= 24 * 1024


def test_a_long_last_page_costs_one_request_more():
    data = sample("tone.ogg")
    at = data.rindex(b"OggS")
    (granule,) = struct.unpack_from("<q", data, at + 6)
    (serial,) = struct.unpack_from("<I", data, at + 14)
    probed = run(data[:at] + bytes(500_000) + page(serial, 9, bytes(60_000), granule=granule))
    assert probed.result.duration == pytest.approx(3)
    assert probed.requests == 3


def pages(data):
    """Cuts a file into its pages."""
    starts = [at for at in range(len(data)) if data.startswith(b"OggS\0", at)]
    return [data[at:stop] for at, stop in zip(starts, [*starts[1:], len(data)], strict=True)]


def moved(data, serial, offset=0):
    """The same stream under another number, its clock put forward by some samples."""
    out = b""
    for part in pages(data):
        (granule,) = struct.unpack_from("<q", part, 6)
        granule += offset if granule > 0 else 0
        out += part[:6] + struct.pack("<qI", granule, serial) + part[18:]
    return out


@pytest.mark.parametrize(("offset", "estimated"), [(0, False), (10, False), (7200, True)])
def test_a_recording_of_a_live_stream_does_not_begin_at_zero(offset, estimated):
    result = run(moved(sample("tone.ogg"), 5, 44100 * offset)).result
    # How long its first page is cannot be known.
    assert result.duration == pytest.approx(2 if estimated else 3 + offset, abs=0.1)
    assert result.duration_estimated is estimated


@pytest.mark.parametrize("missing", [1, 1000, 1410])
def test_a_page_that_was_cut_off_is_not_played(missing):
    data = sample("tone.ogg")
    *_, before, last = pages(data)
    assert missing < len(last)
    (granule,) = struct.unpack_from("<q", before, 6)
    assert run(data[:-missing]).result.duration == pytest.approx(granule / 44100)


def test_a_picture_is_no_part_of_the_bit_rate():
    data = sample("tone.opus")
    file = OggOpus(io.BytesIO(data))
    file["metadata_block_picture"] = base64.b64encode(picture_block(100_000).write()).decode()
    assert run(saved(file, data)).result.bitrate == pytest.approx(run(data).result.bitrate, rel=0.5)


@pytest.mark.parametrize("name", ["tone.opus", "tone.spx"])
def test_a_chain_of_files_has_about_the_length_of_all(name):
    data, rate = sample(name), {"tone.opus": 48000, "tone.spx": 16000}[name]
    whole = run(data).result.duration
    chain = data + b"".join(moved(data, 7000 + n, rate) for n in range(30))
    result = run(chain).result
    assert result.duration == pytest.approx(31 * whole, rel=0.2)
    assert result.duration_estimated
    assert (result.status, result.notes) == ("partial", ["length:no last page"])


def ogg_with_picture(size):
    data = sample("tone.ogg")
    file = OggVorbis(io.BytesIO(data))
    file["metadata_block_picture"] = base64.b64encode(picture_block(size).write()).decode()
    file["zz_after"] = "behind the picture"
    return saved(file, data)


def test_a_picture_among_the_comments_is_leapt_over():
    probed = run(grown_ogg(ogg_with_picture(2_000_000), 100_000))
    result = probed.result
    assert (result.cover_mime, result.cover_size) == ("image/png", 2_000_000)
    assert texts(result, "title") == ["Tone"]
    assert texts(result, "zz_after") == ["behind the picture"]
    assert probed.requests <= 4
    assert probed.fetched <= 160 * 1024


def test_a_tail_of_another_stream_gives_no_length():
    result = run(sample("tone.ogg") + page(7, 0, bytes(60_000)) * 3).result
    assert (result.status, result.duration) == ("partial", None)
    assert result.notes == ["length:no last page"]


def test_comments_that_are_not_utf8_keep_their_bytes():
    data = sample("tone.ogg").replace(b"TITLE=Tone", b"TITLE=\xcf\xf0\xe8\xe2")
    data = data.replace(b"title=Tone", b"title=\xcf\xf0\xe8\xe2")
    (title,) = [tag for tag in run(data).result.tags if tag.key == "title"]
    assert (title.raw, title.declared) == (b"\xcf\xf0\xe8\xe2", "utf-8")


def comments(*entries, count=None):
    body = struct.pack("<I", 4) + b"made" + struct.pack("<I", len(entries) if count is None else count)
    return body + b"".join(struct.pack("<I", len(entry)) + entry for entry in entries)


def flac(*blocks):
    """A FLAC file of STREAMINFO and other blocks, (type, body), with some audio behind."""
    info = sample("tone.flac")[8:42]
    parts = [(0, info), *blocks]
    out = b"fLaC"
    for n, (kind, body) in enumerate(parts):
        last = 0x80 if n == len(parts) - 1 else 0
        out += bytes([kind | last]) + struct.pack(">I", len(body))[1:] + body
    return out + bytes(500_000)


@pytest.mark.parametrize("order", [(4, 6, 1), (6, 4, 1), (6, 6, 4)])
def test_a_picture_in_flac_is_not_fetched_wherever_it_stands(order):
    bodies = {4: comments(b"TITLE=Tone"), 6: picture_block(2_000_000).write(), 1: bytes(100)}
    probed = run(flac(*[(kind, bodies[kind]) for kind in order]))
    assert probed.result.status == "complete"
    assert texts(probed.result, "title") == ["Tone"]
    assert (probed.result.cover_mime, probed.result.cover_size) == ("image/png", 2_000_000)
    assert probed.requests <= 3
    assert probed.fetched <= 32 * 1024


def test_a_bit_rate_that_no_header_states_is_that_of_the_audio():
    assert run(flac((6, picture_block(300_000).write()))).result.bitrate == 500_000 * 8 / 2
    data = grown_ogg(sample("tone.oga"), 2_000_000)
    result = run(data).result
    assert result.bitrate == pytest.approx(len(data) * 8 / result.duration, abs=1)


def test_flac_gives_the_checksum_of_its_audio():
    known = FLAC(io.BytesIO(sample("tone.flac"))).info
    result = run(sample("tone.flac")).result
    assert int(result.audio_md5, 16) == known.md5_signature
    assert result.bits_per_sample == 16


def test_a_comment_without_a_name_does_not_cost_the_others():
    result = run(flac((4, comments(b"nothing", b"TITLE=Tone", b"=x", b"ARTIST=\xff")))).result
    assert texts(result, "title") == ["Tone"]
    assert result.notes == ["vorbis:no name"]


def test_a_comment_without_a_name_keeps_its_text():
    result = run(flac((4, comments(b"\xcf\xf0\xe8", b"=x", b"a" * 100 + b"=y")))).result
    assert [(tag.frame, tag.raw) for tag in result.tags] == [
        ("", b"\xcf\xf0\xe8"),
        ("", b"x"),
        ("", b"a" * 100 + b"=y"),
    ]


def test_names_of_other_letters_stay_apart():
    names = ["Имя".encode("cp1251"), "Дом".encode("cp1251"), "Имя".encode()]
    result = run(flac((4, comments(*[name + b"=x" for name in names])))).result
    assert [tag.frame for tag in result.tags] == ["\xc8\xec\xff", "\xc4\xee\xec", "Имя"]


@pytest.mark.parametrize("info", [bytes(34), b"short"])
def test_a_broken_header_of_the_stream_does_not_hide_the_comments(info):
    body = comments(b"TITLE=Tone")
    blocks = bytes([0, 0, 0, len(info)]) + info + bytes([0x84, 0, 0, len(body)]) + body
    result = run(b"fLaC" + blocks + bytes(1000)).result
    assert texts(result, "title") == ["Tone"]
    assert (result.duration, result.status) == (None, "partial")


def test_a_count_of_four_billion_comments_ends_with_the_block():
    result = run(flac((4, comments(b"TITLE=Tone", count=2**32 - 1)))).result
    assert texts(result, "title") == ["Tone"]
    assert result.duration == 2


def test_many_empty_comments_end_at_the_limit():
    block = comments(*[b""] * 60_000)
    result = run(flac((4, block)), ProbePolicy(max_requests=100)).result
    assert "limit:parts" in result.notes


def test_a_comment_longer_than_its_block_keeps_those_before():
    block = comments(b"TITLE=Tone", count=2) + struct.pack("<I", 2**31) + b"ARTIST=x"
    result = run(flac((4, block))).result
    assert texts(result, "title") == ["Tone"]
    assert result.duration == 2
    assert result.status == "partial"


def test_streaminfo_is_read_to_the_bit():
    result = ProbeResult()
    read_streaminfo(result, bytes.fromhex("1000100000000e0000100ac442f0000000ff") + bytes(15) + b"\x01")
    assert (result.sample_rate, result.channels, result.bits_per_sample) == (44_100, 2, 16)
    assert (result.duration, result.audio_md5) == (255 / 44_100, "0" * 31 + "1")
