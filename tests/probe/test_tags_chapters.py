"""Chapters of ID3v2, Vorbis comments, FLAC's cue sheets, WAV, AIFF and ASF."""

import io
import struct
import zlib
from uuid import UUID

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from itemadapter import ItemAdapter
from mutagen import flac, id3
from probe_media import audio, cover, frame, run, sample, saved, size7
from probe_media import id3 as tag
from tag_writers import aiff, record, riff_chunk, wav, write_flac, write_opus, write_vorbis

from mediacrawl.encoding.records.fixer import Fixer
from mediacrawl.probe import ProbePolicy, raw_bytes
from mediacrawl.probe.policy import ProbePolicy as Policy

UNKNOWN = 0xFFFFFFFF
TOP, ORDERED = id3.CTOCFlags.TOP_LEVEL, id3.CTOCFlags.ORDERED


def chapter(name, start, end, *frames):
    return id3.CHAP(element_id=name, start_time=start, end_time=end, sub_frames=list(frames))


def contents(name, *children, flags=TOP | ORDERED):
    return id3.CTOC(element_id=name, flags=flags, child_element_ids=list(children), sub_frames=[])


def title(text, kind=id3.TIT2):
    return kind(encoding=3, text=[text])


def image(size):
    return id3.APIC(encoding=0, mime="image/jpeg", type=3, desc="", data=cover(size))


def song(*frames, version=4):
    tags = id3.ID3()
    for each in frames:
        tags.add(each)
    if version == 3:
        tags.update_to_v23()
    out = io.BytesIO(audio(60))
    tags.save(out, v2_version=version, v1=0)
    return out.getvalue()


URL = "https://example.org/two"
TWO = [
    chapter("a", 0, 61_500, title("Начало")),
    chapter("b", 61_500, UNKNOWN, title("Second"), id3.WXXX(encoding=3, desc="link", url=URL), image(2000)),
]


@pytest.mark.parametrize("version", [3, 4])
def test_chapters_have_times_titles_and_addresses(version):
    item = record(song(*TWO, contents("toc", "a", "b"), version=version))
    assert item.chapters == [
        {"start": 0, "end": 61.5, "title": "Начало"},
        {"start": 61.5, "title": "Second", "url": URL},
    ]
    # What is plain ASCII is its own evidence.
    (element,) = item.tags
    assert (element["key"], element["frame"], element["source"]) == ("chapters[0].title", "CHAP", f"id3v2.{version}")
    assert item.covers == []
    assert (item.has_cover, item.probe_status) == (False, "complete")


@pytest.mark.parametrize("version", [3, 4])
def test_chapters_are_those_of_mutagen(version):
    frames = [chapter(f"c{n}", n * 5000, n * 5000 + 5000, title(f"No {n}")) for n in range(40)]
    data = song(*frames, version=version)
    known = sorted(id3.ID3(io.BytesIO(data)).getall("CHAP"), key=lambda each: each.start_time)
    expected = [
        {"start": each.start_time / 1000, "end": each.end_time / 1000, "title": str(each.sub_frames["TIT2"])}
        for each in known
    ]
    assert record(data).chapters == expected
    assert len(expected) == 40


def starts(*frames):
    return [each["start"] for each in record(song(*frames)).chapters]


MANY = [chapter(name, start, UNKNOWN, title(name)) for name, start in (("c", 3000), ("a", 1000), ("b", 2000))]


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([], [1, 2, 3]),
        ([contents("toc", "a", "b", "c")], [1, 2, 3]),
        ([contents("toc", "b", "c", "a")], [2, 3, 1]),
        # Not ordered, or not the top one: by their times.
        ([contents("toc", "b", "c", "a", flags=TOP)], [1, 2, 3]),
        ([contents("toc", "b", "c", "a", flags=ORDERED)], [1, 2, 3]),
        # Tables in tables; one that names itself.
        ([contents("toc", "p", "q"), contents("p", "c", flags=ORDERED), contents("q", "b", "a", flags=0)], [3, 2, 1]),
        ([contents("toc", "b", "toc", "p"), contents("p", "p", "toc", "a", "c", flags=0)], [2, 1, 3]),
        ([contents("toc", "b", "a")], [2, 1, 3]),
        ([contents("toc", "nothing")], [1, 2, 3]),
        ([contents("toc")], [1, 2, 3]),
    ],
)
def test_the_top_table_of_contents_orders_the_chapters(tables, expected):
    assert starts(*MANY, *tables) == expected
    # Wherever the tables stand.
    assert starts(*tables, *MANY) == expected


def test_chapters_of_one_time_are_ordered_by_the_table():
    both = [chapter(name, 1000, 2000, title(name)) for name in ("y", "x")]
    found = record(song(*both, contents("toc", "x", "y"))).chapters
    assert [each["title"] for each in found] == ["x", "y"]


def test_what_no_table_names_and_has_no_title_is_there_for_its_picture():
    frames = [*MANY, chapter("p", 500, 700, image(500)), chapter("t", 600, 700, title("t"))]
    assert starts(*frames, contents("toc", "a", "b", "c")) == [0.6, 1, 2, 3]
    assert starts(*frames) == [0.5, 0.6, 1, 2, 3]


def test_a_chapter_without_a_title_has_its_subtitle():
    frames = [chapter("a", 0, UNKNOWN, title("sub", id3.TIT3)), chapter("b", 9000, UNKNOWN)]
    assert record(song(*frames)).chapters == [{"start": 0, "end": 9, "title": "sub"}, {"start": 9}]


@pytest.mark.parametrize("link", [b"-->", b"image/jpeg"])
def test_a_picture_that_is_elsewhere_has_its_address(link):
    picture = id3.APIC(encoding=0, mime=link.decode(), type=3, desc="", data=b"https://example.org/p.jpg")
    (found,) = record(song(chapter("a", 0, 1000, picture))).chapters
    assert found.get("image") == ("https://example.org/p.jpg" if link == b"-->" else None)


@pytest.mark.parametrize("url", ["no address", "javascript:alert(1)", "https://example.org/a b", "http://", "x" * 3000])
def test_what_is_no_address_of_the_web_is_left_out(url):
    link = id3.WXXX(encoding=3, desc="", url=url)
    assert record(song(chapter("a", 0, 1000, link))).chapters == [{"start": 0, "end": 1}]


def test_a_podcast_whose_chapters_have_pictures_keeps_what_is_reached():
    frames = [chapter(f"chp{n:02}", n * 60_000, (n + 1) * 60_000, title(f"Part {n}"), image(50_000)) for n in range(30)]
    probed = run(song(*frames, title("Episode"), version=3))
    found = probed.result.chapters
    assert probed.requests <= ProbePolicy().max_requests
    assert probed.fetched <= ProbePolicy().max_bytes
    assert "budget" in probed.result.notes
    assert 3 <= len(found) < 30
    assert [each.title for each in found] == [f"Part {n}" for n in range(len(found))]
    assert probed.result.duration == pytest.approx(60, abs=1)


def test_small_chapters_cost_no_request_of_their_own():
    frames = [chapter(f"chp{n}", n * 60_000, (n + 1) * 60_000, title(f"Part {n}")) for n in range(200)]
    probed = run(song(*frames))
    assert (len(probed.result.chapters), probed.result.status) == (200, "complete")
    assert probed.requests <= 3


def test_more_chapters_than_the_policy_allows_are_left_out():
    frames = [chapter(f"chp{n}", n * 1000, UNKNOWN, title(f"Part {n}")) for n in range(30)]
    probed = run(song(*frames), Policy(max_chapters=10))
    assert len(probed.result.chapters) == 10
    assert "limit:chapters" in probed.result.notes


# By hand.


def chap(name=b"a", start=1000, end=2000, *, inner=b"", **more):
    body = name + b"\0" + struct.pack(">IIII", start, end, UNKNOWN, UNKNOWN) + inner
    return frame("CHAP", body, **more)


def tit2(text, encoding=0, version=3):
    return frame("TIT2", bytes([encoding]) + text, version=version)


RAW = "Подмосковные вечера".encode("cp1251")


def test_a_title_in_the_wrong_encoding_is_repaired_where_it_stands():
    first = chap(b"b", 60_000, 90_000, inner=tit2(b"Plain"))
    data = tag(frame("TIT2", b"\0" + "Тихая песня моряка".encode("cp1251")), chap(inner=tit2(RAW)), first) + audio(8)
    item = record(data)
    (element,) = [each for each in item.tags if each["key"] == "chapters[0].title"]
    assert (raw_bytes(element), element["declared"]) == (RAW, "latin-1")
    assert item.chapters[0]["title"] == RAW.decode("latin-1")
    Fixer().fix(ItemAdapter(item))
    assert item.chapters[0] == {"start": 1, "end": 2, "title": "Подмосковные вечера"}
    assert item.chapters[1]["title"] == "Plain"
    assert (element["text"], element["encoding"]) == ("Подмосковные вечера", "cp1251")


def test_tags_of_version_two_have_no_chapters():
    body = b"a\0" + struct.pack(">IIII", 0, 1000, UNKNOWN, UNKNOWN)
    assert record(tag(frame("CHA", body, version=2), version=2) + audio(4)).chapters == []


@pytest.mark.parametrize(
    ("name", "flags", "change"),
    [
        ("grouped", 0x0020, lambda body: b"g" + body),
        ("compressed", 0x0080, lambda body: len(body).to_bytes(4, "big") + zlib.compress(body)),
        ("encrypted", 0x0040, lambda body: b"e" + body),
    ],
)
def test_flags_of_a_chapter_in_version_three(name, flags, change):
    body = b"a\0" + struct.pack(">IIII", 1000, 2000, UNKNOWN, UNKNOWN) + tit2(b"One")
    found = record(tag(frame("CHAP", change(body), flags=flags)) + audio(4)).chapters
    assert found == ([] if name == "encrypted" else [{"start": 1, "end": 2, "title": "One"}])


def apart(body):
    return body.replace(b"\xff", b"\xff\0")


def test_unsynchronisation_is_undone_inside_chapters():
    expected = [{"start": 1, "end": 2, "title": "ÿ"}]
    whole = tag(apart(chap(inner=tit2(b"\xff"))), flags=0x80)
    assert record(whole + audio(4)).chapters == expected
    body = b"a\0" + struct.pack(">IIII", 1000, 2000, UNKNOWN, UNKNOWN) + tit2(b"\xff", version=4)
    packed = apart(body)
    framed = b"CHAP" + size7(len(packed) + 4) + b"\0\x03" + size7(len(body)) + packed
    assert record(tag(framed, version=4) + audio(4)).chapters == expected


@pytest.mark.parametrize(
    "broken",
    [
        frame("CHAP", b"no end of the id" * 30),
        frame("CHAP", b"a\0short"),
        frame("CHAP", b""),
        frame("CTOC", b""),
        frame("CTOC", b"toc\0\x03\xff" + b"a\0" * 3),
        chap(start=UNKNOWN),
        chap(inner=b"TIT2\x7f\xff\xff\xff\0\0"),
        chap(start=5000, end=6000, inner=b"junk" * 10),
    ],
)
def test_a_broken_frame_does_not_hide_the_others(broken):
    good = chap(b"z", 7000, 8000, inner=tit2(b"Good"))
    for frames in ((broken, good), (good, broken)):
        probed = run(tag(*frames, tit2(b"Song")) + audio(4))
        assert {"Good"} <= {each.title for each in probed.result.chapters}
        assert [each.text for each in probed.result.tags if each.key == "title"] == ["Song"]


def test_compressed_chapters_end_at_the_limit():
    body = b"\0\0\0\0" + zlib.compress(bytes(60_000), 9)
    probed = run(tag(*[frame("CHAP", body, flags=0x80)] * 300) + audio(4))
    assert "limit:tags" in probed.result.notes
    # The limit is 4 MB: behind it nothing is unpacked any more.
    assert probed.probe.stages()["id3v2"] == "limit: tags"


# Vorbis comments.

MARKS = {
    "CHAPTER001": ["00:00:00.000"],
    "CHAPTER001NAME": ["Начало"],
    "CHAPTER002": ["00:01:01.500"],
    "CHAPTER002NAME": ["Second"],
    "CHAPTER002URL": [URL],
    "CHAPTER010": ["01:00:00"],
}
MARKED = [
    {"start": 0, "end": 61.5, "title": "Начало"},
    {"start": 61.5, "end": 3600, "title": "Second", "url": URL},
    {"start": 3600},
]


@pytest.mark.parametrize("write", [write_vorbis, write_opus, write_flac])
def test_comments_that_state_chapters_are_chapters(write):
    item = record(write({**MARKS, "TITLE": ["Song"]}))
    assert item.chapters == MARKED
    assert [(each["key"], each["frame"]) for each in item.tags if each["source"] == "vorbis"] == [
        ("chapters[0].title", "CHAPTER001NAME"),
        ("title", "TITLE"),
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"CHAPTER01": ["00:00:05.5-->00:00:07.25"]}, [{"start": 5.5, "end": 7.25}]),
        ({"CHAPTER01": ["0:0:5,5 --> 0:0:7"]}, [{"start": 5.5, "end": 7}]),
        ({"CHAPTER001": ["soon"], "CHAPTER001NAME": ["One"]}, []),
        ({"CHAPTER001": ["1:2"]}, []),
        ({"CHAPTER001NAME": ["One"]}, []),
        ({"CHAPTER001": ["00:00:01", "00:00:02"]}, [{"start": 1}]),
        ({"CHAPTER001": ["00:00:01"], "CHAPTER001URL": ["nothing"]}, [{"start": 1}]),
    ],
)
def test_odd_comments_about_chapters(fields, expected):
    item = record(write_flac(fields))
    assert item.chapters == expected
    # What made no chapter stays as it is.
    kept = {each["frame"] for each in item.tags}
    assert kept <= set(fields)
    assert expected or kept == set(fields)


def test_a_title_of_a_comment_in_the_wrong_encoding_is_repaired():
    data = write_vorbis({"CHAPTER001": ["00:00:00"], "CHAPTER001NAME": ["x" * len(RAW)]})
    item = record(data.replace(b"x" * len(RAW), RAW))
    Fixer().fix(ItemAdapter(item))
    assert item.chapters == [{"start": 0, "title": "Подмосковные вечера"}]


# FLAC's cue sheet.


def cue_sheet():
    """A disc of three tracks with pauses, as mutagen writes it; the sample has 8,000 Hz."""
    sheet = flac.CueSheet(None)
    sheet.media_catalog_number, sheet.lead_in_samples, sheet.compact_disc = b"4006408126348", 88_200, True
    for number, offset, first in ((1, 0, 0), (2, 8000, 4000), (3, 24_000, 8000)):
        track = flac.CueSheetTrack(number, offset, b"", 0, False)
        track.indexes += [flac.CueSheetTrackIndex(0, 0), flac.CueSheetTrackIndex(1, first)]
        sheet.tracks.append(track)
    sheet.tracks.append(flac.CueSheetTrack(170, 80_000, b"", 0, False))
    return sheet


def with_cue_sheet(comments=None):
    data = write_flac(comments or {})
    file = flac.FLAC(io.BytesIO(data))
    file.metadata_blocks.append(cue_sheet())
    return saved(file, data)


def test_the_tracks_of_a_cue_sheet_are_chapters():
    assert record(with_cue_sheet()).chapters == [
        {"start": 0, "end": 1.5},
        {"start": 1.5, "end": 4},
        {"start": 4, "end": 10},
    ]


def test_chapters_with_titles_come_before_those_of_a_cue_sheet():
    assert record(with_cue_sheet(MARKS)).chapters == MARKED


def test_a_cue_sheet_among_the_comments_is_a_text():
    text = 'TRACK 01 AUDIO\n  TITLE "One"\n  INDEX 01 00:00:00'
    item = record(write_flac({"CUESHEET": [text]}))
    assert (item.chapters, [each["text"] for each in item.tags]) == ([], [text])


# Marks in WAV and AIFF.


def cue(*points):
    """Cue points: number and sample."""
    body = struct.pack("<I", len(points))
    body += b"".join(struct.pack("<II4sIII", number, at, b"data", 0, 0, at) for number, at in points)
    return riff_chunk(b"cue ", body)


def label(number, text):
    return riff_chunk(b"labl", struct.pack("<I", number) + text + b"\0")


def region(number, samples, text=b""):
    return riff_chunk(b"ltxt", struct.pack("<II4s4H", number, samples, b"rgn ", 0, 0, 0, 0) + text)


def adtl(*chunks):
    return riff_chunk(b"LIST", b"adtl" + b"".join(chunks))


def test_named_cue_points_of_wav_are_chapters():
    points = cue((1, 0), (2, 16_000), (3, 4000), (4, 24_000))
    names = adtl(label(1, b"One"), label(2, RAW), region(1, 2000), label(4, b"  "), region(4, 800, b"Four"))
    item = record(wav(points, names, seconds=5))
    assert item.chapters == [
        {"start": 0, "end": 0.25, "title": "One"},
        {"start": 2, "end": 3, "title": RAW.decode("latin-1")},
        {"start": 3, "end": 3.1, "title": "Four"},
    ]
    assert [(each["key"], raw_bytes(each)) for each in item.tags] == [("chapters[1].title", RAW)]


@pytest.mark.parametrize(
    "chunks",
    [
        [cue((1, 0), (2, 8000))],
        [adtl(label(1, b"One"))],
        [cue((1, 0)), adtl(label(2, b"Two"))],
        [riff_chunk(b"cue ", b"\xff\xff\xff\xff"), adtl(label(1, b"One"))],
        [riff_chunk(b"cue ", b""), adtl(riff_chunk(b"labl", b""), riff_chunk(b"ltxt", b"\1"))],
    ],
)
def test_points_without_a_name_are_slices_of_samplers(chunks):
    assert record(wav(*chunks)).chapters == []


def mark(*markers):
    """AIFF's markers: number, sample, name."""
    body = struct.pack(">H", len(markers))
    for number, at, name in markers:
        text = bytes([len(name)]) + name
        body += struct.pack(">HI", number, at) + text + bytes(len(text) % 2)
    return riff_chunk(b"MARK", body, ">")


def test_named_markers_of_aiff_are_chapters_but_those_of_loops_are_none():
    marks = mark((1, 0, b"One"), (2, 44_100, b"beg loop"), (3, 88_200, b"end loop"), (4, 66_150, b"Two"), (5, 9, b""))
    instrument = riff_chunk(b"INST", bytes(8) + struct.pack(">3H3H", 1, 2, 3, 0, 4, 4), ">")
    expected = [{"start": 0, "end": 1.5, "title": "One"}, {"start": 1.5, "title": "Two"}]
    assert record(aiff(marks, instrument, seconds=3)).chapters == expected
    assert [each["start"] for each in record(aiff(marks, seconds=3)).chapters] == [0, 1, 1.5, 2]


# ASF.


def with_markers(*markers, count=None):
    """The markers of a WMA file behind the other objects of its header; times are those of play."""
    data = sample("tone.wma")
    at = data.index(UUID("8CABDCA1-A947-11CF-8EE4-00C00C205365").bytes_le)
    (preroll,) = struct.unpack_from("<Q", data, at + 24 + 56)
    name = "list\0".encode("utf-16-le")
    body = bytes(16) + struct.pack("<IHH", len(markers) if count is None else count, 0, len(name)) + name
    for seconds, text in markers:
        raw = (text + "\0").encode("utf-16-le")
        time = round(seconds * 1e7) + preroll * 10_000
        body += struct.pack("<QQHIII", 0, time, 12 + len(raw) + 2, 0, 0, len(raw) // 2) + raw + b"\0\0"
    kind = UUID("F487CD01-A951-11CF-8EE6-00C00C205365").bytes_le
    thing = kind + struct.pack("<Q", len(body) + 24) + body
    (size,) = struct.unpack_from("<Q", data, 16)
    head = data[:16] + struct.pack("<Q", size + len(thing)) + data[24:size]
    return head + thing + data[size:]


def test_markers_of_asf_are_chapters():
    item = record(with_markers((0.5, "Начало"), (1.25, "Second")))
    assert item.chapters == [{"start": 0.5, "end": 1.25, "title": "Начало"}, {"start": 1.25, "title": "Second"}]
    assert [each["key"] for each in item.tags if each["frame"] == "Marker"] == ["chapters[0].title"]
    assert item.title == "Tone"


def test_a_list_of_markers_that_ends_early_keeps_those_before():
    item = record(with_markers((0.5, "One"), count=2**32 - 1))
    assert item.chapters == [{"start": 0.5, "title": "One"}]
    assert item.title == "Tone"


# Hostile files.

WHOLE = {
    "id3v2.4": song(*TWO, contents("toc", "b", "a"), title("Episode"))[:6000],
    "id3v2.3": tag(apart(chap(inner=tit2(RAW)) + chap(b"b", inner=tit2(b"\xff"))), flags=0x80) + audio(4),
    "vorbis": write_vorbis(MARKS),
    "flac": with_cue_sheet({"TITLE": ["x"]}),
    "wav": wav(cue((1, 0), (2, 4000)), adtl(label(1, b"One"), region(2, 9, b"Two"))),
    "aiff": aiff(mark((1, 0, b"One"), (2, 9, RAW)), riff_chunk(b"INST", bytes(20), ">")),
    "asf": with_markers((0.5, "One"), (1, "Ж")),
}


def check(data):
    item = record(data)
    for each in item.chapters:
        assert 0 <= each["start"] < 1e9
        each.get("title", "").encode()
    for element in item.tags:
        raw_bytes(element)
    Fixer().fix(ItemAdapter(item))


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_every_cut_ends_calmly(name):
    data = WHOLE[name]
    for stop in range(min(len(data), 3000)):
        probed = run(data[:stop], restart=False)
        assert probed.result.status.startswith(("complete", "partial", "unsupported", "error:"))
    check(data)


@given(st.sampled_from(sorted(WHOLE)), st.data())
@settings(max_examples=examples(150))
def test_flipped_bytes_end_calmly(name, draw):
    data = bytearray(WHOLE[name])
    places = st.integers(0, min(len(data), 2500) - 1) | st.integers(0, len(data) - 1)
    for at, value in draw.draw(st.lists(st.tuples(places, st.integers(0, 255)), min_size=1, max_size=12)):
        data[at] = value
    check(bytes(data))
