"""Pictures in tags: all are listed, each with its type, size and place; none is fetched."""

import base64
import io
import struct

import pytest
from mutagen import apev2, asf, flac, id3, oggvorbis
from probe_media import audio, cover, frame, run, sample, saved, size7
from probe_media import id3 as tag
from tag_writers import record

from mediacrawl.model.parts import COVER_TYPES
from mediacrawl.probe.formats import tail_tags

FRONT, BACK, FISH = 3, 4, 17
KINDS = {FRONT: "front", BACK: "back", FISH: "fish"}
SIZES = {FRONT: 700, BACK: 40_000, FISH: 300_000}
HUGE = cover(400_000)


def picture(kind, number=None):
    """A picture that differs from all others."""
    return cover(SIZES[kind])[:-4] + struct.pack(">I", kind if number is None else number)


def expected(data, *, kinds=tuple(KINDS), placed=True):
    """What the record must hold: the places are those of the pictures' bytes in the file."""
    found = []
    for kind in kinds:
        about = {"type": KINDS[kind], "mime": "image/jpeg", "size": SIZES[kind]}
        found.append(about | ({"position": data.index(picture(kind))} if placed else {}))
    return found


def by_kind(covers):
    return sorted(covers, key=lambda each: -1 if each["type"] is None else COVER_TYPES.index(each["type"]))


def apic(kind, desc=""):
    return id3.APIC(encoding=1 if desc else 0, mime="image/jpeg", type=kind, desc=desc, data=picture(kind))


@pytest.mark.parametrize("version", [3, 4])
@pytest.mark.parametrize("desc", ["", "Титул"])
def test_all_pictures_of_id3_are_listed(version, desc):
    tags = id3.ID3()
    for kind in KINDS:
        tags.add(apic(kind, f"{desc}{kind}"))
    out = io.BytesIO(audio(60))
    tags.save(out, v2_version=version, v1=0)
    data = out.getvalue()
    probed = run(data)
    item = record(data)
    assert by_kind(item.covers) == expected(data)
    assert (item.cover_mime, item.has_cover) == ("image/jpeg", True)
    assert probed.fetched < 120 * 1024


def test_pictures_of_version_two_have_three_letters_in_place_of_a_type():
    frames = [frame("PIC", b"\0JPG" + bytes([kind]) + b"\0" + picture(kind), version=2) for kind in KINDS]
    data = tag(*frames, version=2) + audio(60)
    assert by_kind(record(data).covers) == expected(data)


@pytest.mark.parametrize("version", [3, 4])
def test_the_length_that_a_flag_adds_is_no_part_of_the_picture(version):
    extra, flags = {3: (b"g", 0x0020), 4: (size7(722), 0x0001)}[version]
    body = extra + b"\0image/jpeg\0\x03\0" + picture(FRONT)
    data = tag(frame("APIC", body, version=version, flags=flags), version=version) + audio(4)
    assert record(data).covers == expected(data, kinds=[FRONT])


def test_where_bytes_are_changed_the_place_is_not_told():
    plain = tag(frame("APIC", b"\0image/jpeg\0\x03\0" + picture(FRONT)))[10:].replace(b"\xff", b"\xff\0")
    data = b"ID3\3\0\x80" + size7(len(plain)) + plain + audio(4)
    assert record(data).covers == [{"type": "front", "mime": "image/jpeg", "size": 700}]


def test_a_picture_that_is_only_linked_is_none():
    link = frame("APIC", b"\0-->\0\x03\0https://example.org/p.jpg")
    old = frame("PIC", b"\0-->\x03\0https://example.org/p.jpg", version=2)
    for data in (tag(link) + audio(4), tag(old, version=2) + audio(4)):
        item = record(data)
        assert (item.covers, item.has_cover) == ([], False)


def test_a_type_that_nobody_defined_is_none():
    data = tag(frame("APIC", b"\0image/png\0\x63\0" + cover(50))) + audio(4)
    assert record(data).covers == [{"mime": "image/png", "size": 50, "position": data.index(cover(50))}]


def flac_picture(kind):
    found = flac.Picture()
    found.type, found.mime, found.desc, found.data = kind, "image/jpeg", "Титул", picture(kind)
    return found


def test_all_pictures_of_flac_are_listed():
    file = flac.FLAC(io.BytesIO(sample("tone.flac")))
    for kind in KINDS:
        file.add_picture(flac_picture(kind))
    data = saved(file, sample("tone.flac"))
    assert by_kind(record(data).covers) == expected(data)


def with_comments(**fields):
    file = oggvorbis.OggVorbis(io.BytesIO(sample("tone.ogg")))
    file.update(fields)
    return saved(file, sample("tone.ogg"))


def test_pictures_among_comments_have_the_size_of_the_decoded_one_and_no_place():
    blocks = [base64.b64encode(flac_picture(kind).write()).decode() for kind in KINDS]
    data = with_comments(metadata_block_picture=blocks)
    assert by_kind(record(data).covers) == expected(data, placed=False)


@pytest.mark.parametrize("size", [700, 701, 702])
def test_the_older_comment_of_a_picture_has_its_type_from_its_bytes(size):
    text = base64.b64encode(cover(size)).decode()
    item = record(with_comments(coverart=[text], coverartmime=["image/jpeg"]))
    assert item.covers == [{"mime": "image/jpeg", "size": size}]


NAMES = {FRONT: "Cover Art (Front)", BACK: "COVER ART (BACK)", FISH: "Cover Art (Fish)"}


def test_all_pictures_of_ape_are_listed():
    tags = apev2.APEv2()
    for kind, name in NAMES.items():
        tags[name] = apev2.APEValue(b"p.jpg\0" + picture(kind), apev2.BINARY)
    tags["Title"] = "Tone"
    data = saved(tags, audio(60))
    probed, item = run(data), record(data)
    found = {each["position"]: each for each in item.covers}
    assert len(found) == 3
    for kind, name in KINDS.items():
        place = found[data.index(picture(kind))]
        assert (place.get("type"), place["size"]) == (name, SIZES[kind])
    assert item.title == "Tone"
    assert probed.fetched < 120 * 1024


def test_ape_has_a_name_for_each_type_of_id3():
    assert len(tail_tags._COVERS) == len(COVER_TYPES)
    assert [tail_tags._COVERS.index(name) for name in ("front", "back", "fish")] == [FRONT, BACK, FISH]


def test_all_pictures_of_asf_are_listed():
    file = asf.ASF(io.BytesIO(sample("tone.wma")))
    mime, desc = ("image/jpeg\0".encode("utf-16-le"), "Титул\0".encode("utf-16-le"))
    file["WM/Picture"] = [
        asf.ASFByteArrayAttribute(bytes([kind]) + struct.pack("<I", SIZES[kind]) + mime + desc + picture(kind))
        for kind in KINDS
    ]
    data = saved(file, sample("tone.wma"))
    assert by_kind(record(data).covers) == expected(data)


def test_many_pictures_end_at_the_limit():
    data = tag(*[frame("APIC", b"\0image/jpeg\0\x03\0" + cover(20))] * 100) + audio(4)
    assert len(record(data).covers) == 20


@pytest.mark.parametrize("size", [0, 1, 3, 12, 13, 14])
def test_a_picture_that_is_cut_short_is_still_a_picture(size):
    body = (b"\0image/jpeg\0\x03\0" + cover(20))[:size]
    item = record(tag(frame("APIC", body)) + audio(4))
    assert (item.has_cover, len(item.covers)) == (True, 1)
