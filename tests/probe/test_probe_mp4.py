"""MP4, M4A and QuickTime: first, last, fragmented, with and without video."""

import io
import struct

import pytest
from mutagen.mp4 import MP4, MP4Cover, MP4FreeForm
from probe_media import atom, cover, grow_mdat, run, sample, saved, texts

from mediacrawl.probe.formats.keys import mp4_key
from mediacrawl.probe.formats.mp4_text import text_codec
from mediacrawl.probe.policy import ProbePolicy


def tagged(data, **values):
    file = MP4(io.BytesIO(data))
    file.update(values)
    return saved(file, data)


def with_cover(name, size):
    data = sample(name)
    file = MP4(io.BytesIO(data))
    file["covr"] = [MP4Cover(cover(size), MP4Cover.FORMAT_JPEG)]
    return grow_mdat(saved(file, data), 1_000_000)


@pytest.mark.parametrize("name", ["first.m4a", "last.m4a", "alac.m4a"])
def test_stream_facts_are_those_of_mutagen(name):
    result, known = run(sample(name)).result, MP4(io.BytesIO(sample(name))).info
    assert result.duration == pytest.approx(known.length)
    assert result.bitrate == known.bitrate
    assert (result.sample_rate, result.channels) == (known.sample_rate, 1)  # mutagen takes mono AAC for stereo
    assert (result.status, result.encoding_format) == ("complete", "audio/mp4")
    assert not result.is_video


@pytest.mark.parametrize(("name", "mime"), [("film.mp4", "video/mp4"), ("film.mov", "video/quicktime")])
def test_a_film_has_a_picture_and_a_rate(name, mime):
    result = run(sample(name)).result
    assert (result.is_video, result.encoding_format) == (True, mime)
    assert (result.width, result.height, result.frame_rate) == (96, 64, 10)
    assert (result.codec, result.video_codec, result.audio_codec) == ("h264", "h264", "aac")
    assert result.duration == pytest.approx(2.0, abs=0.05)
    assert texts(result, "title") == ["Film"]


@pytest.mark.parametrize(
    ("data", "requests", "kilobytes"),
    [
        (grow_mdat(sample("first.m4a"), 1_000_000), 1, 16),
        (grow_mdat(sample("last.m4a"), 1_000_000), 2, 32),
        (with_cover("first.m4a", 2_000_000), 3, 32),
        (with_cover("last.m4a", 500_000), 4, 40),
        (grow_mdat(sample("fragmented.m4a"), 1_000_000), 2, 24),
    ],
)
def test_moov_is_found_where_it_stands(data, requests, kilobytes):
    probed = run(data)
    assert probed.result.status == "complete"
    assert probed.requests <= requests
    assert probed.fetched <= kilobytes * 1024
    assert texts(probed.result, "title") == ["Tone"]
    assert bool(probed.result.has_cover) == (b"covr" in data)


def test_a_cover_is_described():
    result = run(with_cover("first.m4a", 700_000)).result
    assert (result.cover_mime, result.cover_size) == ("image/jpeg", 700_000)


def test_the_sample_tables_of_a_long_film_are_jumped_over():
    data = sample("film.mp4")
    at = data.index(b"moov") - 4
    moov = data[at:]
    # A table of 600 KB at the end of each track's "stbl", as an hour of film has.
    table = atom(b"stsz", bytes(600_000))
    for name in (b"stbl", b"minf", b"mdia", b"trak", b"moov"):
        moov = longer(moov, name, len(table))
    for place in sorted(places(moov, b"stbl"), reverse=True):
        end = place + struct.unpack_from(">I", moov, place)[0] - len(table)
        moov = moov[:end] + table + moov[end:]
    probed = run(data[:at] + moov)
    assert probed.result.status == "complete"
    assert (probed.result.video_codec, probed.result.audio_codec) == ("h264", "aac")
    assert texts(probed.result, "title") == ["Film"]
    assert probed.requests <= 6
    assert probed.fetched <= 56 * 1024


def places(data, name):
    found, at = [], data.find(name)
    while at >= 0:
        found.append(at - 4)
        at = data.find(name, at + 4)
    return found


def longer(data, name, more):
    """Corrects the sizes of all atoms of a name; ``moov`` grows by both tracks."""
    out = bytearray(data)
    for at in places(data, name):
        (size,) = struct.unpack_from(">I", out, at)
        struct.pack_into(">I", out, at, size + more * (2 if name == b"moov" else 1))
    return bytes(out)


def longer_one(data, name, more):
    at = data.index(name) - 4
    (size,) = struct.unpack_from(">I", data, at)
    return data[:at] + struct.pack(">I", size + more) + data[at + 4 :]


def test_text_is_that_of_mutagen_and_keeps_its_bytes():
    values = {"©nam": "Тон", "©ART": ["A", "B"], "aART": "C", "©day": "2001", "©cmt": "ü"}
    data = tagged(sample("last.m4a"), **values, trkn=[(3, 12)], disk=[(1, 0)])
    tags = run(data).result.tags
    found = {(tag.key, tag.index): tag.text for tag in tags}
    assert found["title", 0] == "Тон"
    assert [found["artist", 0], found["artist", 1]] == ["A", "B"]
    assert [found[key, 0] for key in ("albumartist", "date", "comment")] == ["C", "2001", "ü"]
    assert [found["tracknumber", 0], found["discnumber", 0]] == ["3/12", "1"]
    assert {tag.raw for tag in tags if tag.key == "title"} == {"Тон".encode()}


def test_text_that_is_not_utf8_is_kept_where_mutagen_leaves_it_out():
    data = tagged(sample("last.m4a"), **{"©nam": "abcd"})
    data = data.replace(b"abcd", b"\xcf\xf0\xe8\xe2")
    (title,) = [tag for tag in run(data).result.tags if tag.key == "title"]
    assert "©nam" not in MP4(io.BytesIO(data))
    assert (title.raw, title.declared, title.frame) == (b"\xcf\xf0\xe8\xe2", "utf-8", "©nam")


def test_free_form_text_is_named_by_its_last_part():
    name = "----:com.apple.iTunes:ISRC"
    data = tagged(sample("last.m4a"), **{name: [MP4FreeForm(b"XX-1", 1)]})
    (tag,) = [tag for tag in run(data).result.tags if tag.key == "isrc"]
    assert (tag.frame, tag.text) == (name, "XX-1")


def test_quicktime_keys_are_read_from_a_meta_without_version():
    hdlr = atom(b"hdlr", bytes(8) + b"mdta" + bytes(13))
    key = b"com.apple.quicktime.title"
    keys = atom(b"keys", struct.pack(">II", 0, 1), atom(b"mdta", key))
    item = atom(b"\0\0\0\1", atom(b"data", struct.pack(">II", 1, 0), b"Tone"))
    meta = atom(b"meta", hdlr, keys, atom(b"ilst", item))
    result = run(atom(b"ftyp", b"qt  " + bytes(4)) + atom(b"moov", meta)).result
    assert [(tag.key, tag.text) for tag in result.tags] == [("title", "Tone")]


def ilst(*items):
    """A file whose ``moov`` holds nothing but items of iTunes."""
    hdlr = atom(b"hdlr", bytes(8) + b"mdir" + bytes(13))
    meta = atom(b"udta", atom(b"meta", bytes(4), hdlr, atom(b"ilst", *items)))
    return atom(b"ftyp", b"M4A " + bytes(4)) + atom(b"moov", meta)


def item(name, kind, raw):
    return atom(name, atom(b"data", struct.pack(">II", kind, 0), raw))


def test_numbers_that_mean_something_are_told():
    genre, unknown, beats, flag = b"\0\x12", b"\x03\xe8", b"\0\x78", b"\1"
    items = item(b"gnre", 0, genre), item(b"gnre", 0, unknown), item(b"tmpo", 21, beats), item(b"cpil", 21, flag)
    found = [(tag.key, tag.text) for tag in run(ilst(*items, item(b"cpil", 21, b"\0"))).result.tags]
    assert found == [("genre", "Rock"), ("bpm", "120"), ("compilation", "1")]


@pytest.mark.parametrize(("more", "mime"), [(0, "image/png"), (12, None)])
def test_a_cover_whose_header_is_cut_by_the_head_is_known(more, mime):
    """Nobody asks for the few bytes in between: what follows the cover is far away."""
    front = len(ilst(atom(b"free")))
    free = atom(b"free", bytes(16 * 1024 - front - 24 + more))
    result = run(ilst(free, item(b"covr", 14, bytes(300_000)), item(b"\xa9nam", 1, b"Tone"))).result
    assert (result.status, texts(result, "title")) == ("complete", ["Tone"])
    assert (result.has_cover, result.cover_mime, result.cover_size) == (True, mime, 300_000)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("com.apple.quicktime.creationdate", "date"),
        ("com.apple.quicktime.software", "encodedby"),
        ("album_artist", "albumartist"),
        ("track", "tracknumber"),
        ("encoder", "encodersettings"),
        ("----:com.apple.iTunes:CONDUCTOR", "conductor"),
        ("com.apple.quicktime.description", "description"),
        ("\xa9ART", "artist"),
    ],
)
def test_names_that_writers_choose_have_common_ones(name, key):
    assert mp4_key(name) == key


def test_a_broken_item_does_not_hide_the_others():
    broken = atom(b"----", atom(b"mean"), atom(b"name")), atom(b"\xa9ART", struct.pack(">I4s", 4, b"data"))
    result = run(ilst(*broken, item(b"\xa9nam", 1, b"Tone"))).result
    assert (texts(result, "title"), result.status) == (["Tone"], "partial")


# Hostile and broken.


def test_nested_atoms_do_not_recurse():
    data = b""
    for _ in range(500):
        data = atom(b"moov", data)
    result = run(atom(b"ftyp", b"isom" + bytes(4)) + data).result
    assert (result.status, result.notes) == ("partial", ["nothing found"])


def test_a_sample_description_that_nests_is_refused_calmly():
    data = sample("last.m4a")
    nested = b""
    for _ in range(3000):
        nested = atom(b"moov", nested)
    at = data.index(b"stsd") - 4
    (size,) = struct.unpack_from(">I", data, at)
    stsd = atom(b"stsd", struct.pack(">II", 0, 1), nested)
    broken = data[:at] + stsd + data[at + size :]
    for name in (b"stbl", b"minf", b"mdia", b"trak", b"moov"):
        broken = longer_one(broken, name, len(stsd) - size)
    result = run(broken).result
    assert texts(result, "title") == ["Tone"]
    assert result.audio_codec == "moov"


def test_many_small_atoms_end_at_the_limit():
    data = atom(b"ftyp", b"isom" + bytes(4)) + atom(b"free") * 100_000
    probed = run(data, ProbePolicy(max_requests=100))
    assert probed.result.notes == ["limit:parts"]
    assert probed.result.status == "partial"


@pytest.mark.parametrize("size", [0, 2, 7, 0xFFFFFFFF])
def test_a_broken_size_of_an_atom_ends_the_walk(size):
    data = atom(b"ftyp", b"isom" + bytes(4)) + struct.pack(">I4s", size, b"free") + bytes(50_000)
    assert run(data).result.status == "error:BrokenError"


def test_a_file_that_was_cut_off_keeps_what_is_there():
    data = grow_mdat(sample("first.m4a"), 1_000_000)[:60_000]
    result = run(data).result
    assert texts(result, "title") == ["Tone"]
    assert result.duration == pytest.approx(3.02, abs=0.05)


def test_a_size_of_64_bits_that_leads_nowhere_ends_the_walk():
    wide = struct.pack(">I4sQ", 1, b"mdat", 2**64 - 1)
    probed = run(atom(b"ftyp", b"isom" + bytes(4)) + wide + bytes(50_000))
    assert probed.result.status == "error:BrokenError"
    assert probed.requests == 1


@pytest.mark.parametrize(
    ("frame", "raw", "codec"),
    [
        ("\xa9nam", "Песня".encode("cp1251") + b"\0", "utf-8"),
        ("\xa9nam", "うた".encode("iso2022_jp"), "utf-8"),
        ("----:a:b", b"brat\0\1\xf4\0cdcv", ""),
        ("----:a:b", b"\xc0\xc1\xc2\xc3", ""),
        ("----:a:b", "Песня".encode(), "utf-8"),
        ("cpil", b"\1", ""),
    ],
)
def test_a_value_without_a_type_is_text_if_it_can_be(frame, raw, codec):
    assert text_codec(frame, 0, raw) == codec
