"""Records as files of other programs, read back by other programs' readers."""

import csv
import gzip
import json
import re
from email.utils import parsedate_to_datetime

import pytest
from lxml import etree

from mediacrawl.base.clock import since
from mediacrawl.extract.feeds import parse_feed
from mediacrawl.store.export import ExportError, export_records
from mediacrawl.store.rows import as_record, as_row
from mediacrawl.store.schema import COLUMNS

EVIL = '=HYPERLINK("http://x")\n<&>\u202e,"\x1b\x00'


def record(**fields):
    known = {"id": "1", "content_url": "http://a.example/x.mp3", "type": "AudioObject", **fields}
    return as_record(as_row(known, 1_790_000_000.0))


RECORDS = [
    record(
        title="Ночной поезд",
        artist="Пример & Co",
        duration=61.4,
        content_size=4_000_000,
        encoding_format="audio/mpeg",
        duration_estimated=False,
        found_at="2026-03-11T12:00:00Z",
        tags=[{"key": "title", "text": "Ночной поезд"}],
    ),
    record(id="2", content_url="http://a.example/evil.mp3", title=EVIL, comment=EVIL, found_at="yesterday"),
    record(id="3", content_url="http://a.example/none"),
]
NAMESPACE = {"x": "http://xspf.org/ns/0/", "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd"}


def test_a_spreadsheet_gets_utf_8_with_a_mark_and_no_formula(tmp_path):
    path = tmp_path / "x.csv"
    assert export_records(iter(RECORDS), path, "t") == 3
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert rows[0]["title"] == "Ночной поезд"
    assert rows[0]["duration"] == "61.4"
    assert rows[0]["duration_estimated"] == "false"
    assert json.loads(rows[0]["tags"])[0]["key"] == "title"
    assert rows[1]["title"].startswith("'=HYPERLINK")
    assert not any(cell.startswith(("=", "@", "+")) for row in rows for cell in row.values())


@pytest.mark.parametrize("name", ["x.jsonl", "x.jl.gz"])
def test_json_lines_hold_whole_records(tmp_path, name):
    export_records(RECORDS, tmp_path / name, "t")
    data = (tmp_path / name).read_bytes()
    lines = (gzip.decompress(data) if name.endswith(".gz") else data).splitlines()
    assert [json.loads(line) for line in lines] == [dict(each) for each in RECORDS]


def test_parquet_has_the_types_of_the_record(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    export_records(RECORDS * 1_500, tmp_path / "x.parquet", "t")
    table = parquet.read_table(tmp_path / "x.parquet")
    assert table.num_rows == 4_500
    types = {name: str(table.schema.field(name).type) for name in ("title", "duration", "content_size", "has_cover")}
    assert types == {"title": "string", "duration": "double", "content_size": "int64", "has_cover": "bool"}
    assert table.to_pylist()[0]["title"] == "Ночной поезд"


def test_a_playlist_has_one_line_for_each_title(tmp_path):
    export_records(RECORDS, tmp_path / "x.m3u8", "Lieder\nx")
    lines = (tmp_path / "x.m3u8").read_text("utf-8").splitlines()
    assert lines[:4] == [
        "#EXTM3U",
        "#PLAYLIST:Lieder x",
        "#EXTINF:61,Пример & Co - Ночной поезд",
        "http://a.example/x.mp3",
    ]
    assert len(lines) == 8
    assert lines[6] == "#EXTINF:-1,none"
    assert "\x1b" not in "".join(lines)


def test_xspf_is_well_formed_and_in_its_name_space(tmp_path):
    export_records(RECORDS, tmp_path / "x.xspf", "Lieder")
    root = etree.parse(tmp_path / "x.xspf").getroot()
    tracks = root.findall("x:trackList/x:track", NAMESPACE)
    assert tracks[0].findtext("x:location", namespaces=NAMESPACE) == "http://a.example/x.mp3"
    assert tracks[0].findtext("x:duration", namespaces=NAMESPACE) == "61400"
    assert "<&>" in tracks[1].findtext("x:title", namespaces=NAMESPACE)
    assert tracks[2].find("x:duration", NAMESPACE) is None


def test_a_podcast_program_can_subscribe_to_what_was_found(tmp_path):
    export_records(RECORDS, tmp_path / "x.rss", "night train")
    channel = etree.parse(tmp_path / "x.rss").getroot().find("channel")
    assert [channel.findtext(name) for name in ("title", "link")] == ["night train", "https://example.invalid/"]
    assert (tmp_path / "x.rss").read_bytes().count(b"xmlns") == 1
    first, second, third = channel.findall("item")
    assert dict(first.find("enclosure").attrib) == {
        "url": "http://a.example/x.mp3",
        "length": "4000000",
        "type": "audio/mpeg",
    }
    assert first.findtext("itunes:duration", namespaces=NAMESPACE) == "61"
    assert parsedate_to_datetime(first.findtext("pubDate")).isoformat() == "2026-03-11T12:00:00+00:00"
    assert first.find("guid").get("isPermaLink") == "false"
    assert second.find("pubDate") is None
    assert third.findtext("title") == "none"


def test_the_feed_is_read_by_the_crawl_itself(tmp_path):
    export_records(RECORDS, tmp_path / "x.rss", "t")
    feed = parse_feed((tmp_path / "x.rss").read_bytes(), "http://localhost/")
    assert [entry.guid for entry in feed.entries] == [str(each["id"]) for each in RECORDS]


@pytest.mark.parametrize(
    ("fields", "date"),
    [
        ({"date": "2019-05-01T10:00:00Z"}, "Wed, 01 May 2019 10:00:00 +0000"),
        ({"date": "2019-05-01T10:00:00+02:00"}, "Wed, 01 May 2019 10:00:00 +0200"),
        ({"date": "2019-05-01"}, "Wed, 01 May 2019 00:00:00 +0000"),
        ({"date": "2019-05"}, "Wed, 01 May 2019 00:00:00 +0000"),
        ({"date": " 2019 "}, "Tue, 01 Jan 2019 00:00:00 +0000"),
        ({"date": "Wed, 01 May 2019 10:00:00 GMT"}, "Wed, 01 May 2019 10:00:00 +0000"),
        ({"date": "2019-05-01", "upload_date": "2020-02-03"}, "Mon, 03 Feb 2020 00:00:00 +0000"),
        ({"date": "2019-05-01", "upload_date": "soon"}, "Wed, 01 May 2019 00:00:00 +0000"),
        ({"date": "in spring"}, "Wed, 11 Mar 2026 12:00:00 +0000"),
        ({"date": "99999999999"}, "Wed, 11 Mar 2026 12:00:00 +0000"),
        ({}, "Wed, 11 Mar 2026 12:00:00 +0000"),
    ],
)
def test_an_item_of_a_feed_has_the_date_of_its_record(tmp_path, fields, date):
    export_records([record(found_at="2026-03-11T12:00:00Z", **fields)], tmp_path / "x.rss", "t")
    assert etree.parse(tmp_path / "x.rss").findtext("channel/item/pubDate") == date


@pytest.mark.parametrize(
    ("contact", "link"),
    [
        ("https://crawler.tonspur.example/bot", "https://crawler.tonspur.example/bot"),
        ("bot@tonspur.example", "mailto:bot@tonspur.example"),
        ("mailto:bot@tonspur.example", "mailto:bot@tonspur.example"),
    ],
)
def test_a_feed_links_to_the_contact(tmp_path, contact, link):
    export_records(RECORDS, tmp_path / "x.rss", "t", contact)
    assert etree.parse(tmp_path / "x.rss").findtext("channel/link") == link


@pytest.mark.parametrize("name", ["x.rss", "x.xspf"])
def test_each_name_space_is_declared_once_at_the_root(tmp_path, name):
    records = [record(id=str(number), title="a", artist="b", duration=3.0) for number in range(20)]
    export_records(records, tmp_path / name, "t")
    data = (tmp_path / name).read_bytes()
    assert data.count(b"xmlns") == 1
    assert b"ns0" not in data
    if name == "x.rss":
        assert data.count(b"<itunes:duration>") == data.count(b"<itunes:author>") == 20


@pytest.mark.parametrize("kind", ["file", "nothing", "hard link"])
@pytest.mark.parametrize("name", ["x.csv", "x.jsonl.gz", "x.parquet", "x.rss"])
def test_a_planted_link_at_the_temporary_name_is_not_followed(tmp_path, name, kind):
    if name == "x.parquet":
        pytest.importorskip("pyarrow")
    victim, planted = tmp_path / "victim", tmp_path / f"{name}.part"
    if kind != "nothing":
        victim.write_text("precious")
    if kind == "hard link":
        planted.hardlink_to(victim)
    else:
        planted.symlink_to(victim)
    export_records(RECORDS, tmp_path / name, "t")
    assert (victim.read_text() if kind != "nothing" else "precious") == "precious"
    assert victim.exists() == (kind != "nothing")
    assert (tmp_path / name).stat().st_size > 0
    assert not (tmp_path / name).is_symlink()
    assert not planted.exists()


@pytest.mark.parametrize("name", ["x", "x.doc", "x.m3u8.gz", "csv", "x.parquet.gz"])
def test_a_name_that_says_no_format_is_refused(tmp_path, name):
    with pytest.raises(ExportError, match=r"must end in \.csv, \.jsonl"):
        export_records(RECORDS, tmp_path / name, "t")
    assert list(tmp_path.iterdir()) == []


def test_an_export_that_fails_leaves_the_earlier_file(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("earlier")

    def broken():
        yield RECORDS[0]
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        export_records(broken(), path, "t")
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]
    assert path.read_text() == "earlier"


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2026-03-11", "2026-03-11T00:00:00Z"),
        ("2026-03-11T12:30", "2026-03-11T12:30:00Z"),
        ("2026-03-11T12:30+02:00", "2026-03-11T10:30:00Z"),
        ("12h", "2026-09-21T02:13:20Z"),
        (" 7d ", "2026-09-14T14:13:20Z"),
    ],
)
def test_times_are_read_as_a_person_types_them(text, stored):
    assert since(text, 1_790_000_000.0) == stored


@pytest.mark.parametrize("text", ["", "yesterday", "7", "7y", "999999w", "-3d", "2026-13-01"])
def test_a_time_that_is_none_is_named(text):
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is no time")):
        since(text, 1_790_000_000.0)
