"""JSON Feed, versions 1.0 and 1.1."""

import json

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import MAX_ENTRIES, FeedEntry, list_form, parse_list
from mediacrawl.extract.feed_model import MOST_FILES
from mediacrawl.extract.json_feed import is_json_feed, parse_json_feed
from mediacrawl.records import Kind

URL = "https://site.example/feed.json"
VERSION = "https://jsonfeed.org/version/1.1"
SOUND = {
    "url": "https://cdn.example/1.mp3",
    "mime_type": "Audio/MPEG",
    "size_in_bytes": 1234,
    "duration_in_seconds": 61.5,
    "title": "MP3",
}
ITEM = {
    "id": 7,
    "url": "https://site.example/1",
    "external_url": "https://other.example/",
    "title": " Folge\n 1 ",
    "summary": "Vom Meer",
    "content_html": "<p>Vom <b>Meer</b></p>",
    "date_published": "2024-05-01T10:00:00+02:00",
    "date_modified": "2024-06-01T10:00:00+02:00",
    "authors": [{"name": "Ada"}, {"url": "https://b.example/"}, {"name": "Bo"}],
    "tags": ["Meer", "Wind"],
    "image": "/1.jpg",
    "language": "de",
    "attachments": [SOUND, {**SOUND, "url": "1.ogg", "mime_type": "audio/ogg"}],
}
FEED = {
    "version": VERSION,
    "title": "Welle",
    "language": "de-AT",
    "icon": "icon.png",
    "next_url": "?page=2",
    "hubs": [{"type": "rssCloud", "url": "https://no.example/"}, {"type": "WebSub", "url": "https://hub.example/"}],
    "authors": [{"name": "Radio"}],
    "items": [ITEM],
}


def read(feed):
    return parse_json_feed(feed if isinstance(feed, bytes) else json.dumps(feed).encode(), URL)


def told(entry):
    found = {}
    for each in entry.facts:
        found.setdefault(each.key, []).append(each.text)
    return found


def item_of(**properties):
    """What is told of the only file of an entry, without what the feed says."""
    feed = read({"version": VERSION, "items": [{"attachments": [{"url": "a.mp4"}], **properties}]})
    return told(feed.entries[0])


def test_a_feed_names_its_media():
    feed = read(FEED)
    assert (feed.title, feed.language, feed.next, feed.hub) == ("Welle", "de-AT", "?page=2", "https://hub.example/")
    page = ("Folge 1", "https://site.example/1", "7")
    assert feed.entries == [
        FeedEntry(*page, "https://cdn.example/1.mp3", "audio/mpeg", 1234),
        FeedEntry(*page, "1.ogg", "audio/ogg", 1234),
    ]
    assert told(feed.entries[1]) == {
        "title": ["Folge 1", "MP3"],
        "description": ["Vom Meer"],
        "date": ["2024-05-01T08:00:00Z"],
        "artist": ["Ada", "Bo"],
        "keywords": ["Meer", "Wind"],
        "thumbnail_url": ["https://site.example/1.jpg"],
        "language": ["de"],
        "mime": ["audio/ogg"],
        "size": ["1234"],
        "duration": ["61.5"],
        "hub_url": ["https://hub.example/"],
        "podcast": ["Welle"],
        "type": ["PodcastEpisode"],
    }


def test_the_feed_speaks_where_the_entry_does_not_and_is_no_podcast_if_an_entry_has_no_sound():
    bare = {"id": "8", "attachments": [SOUND]}
    feed = read({**FEED, "items": [bare, {"id": "9", "title": "Text"}]})
    found = told(feed.entries[0])
    assert (found["artist"], found["language"]) == (["Radio"], ["de-AT"])
    assert found["thumbnail_url"] == ["https://site.example/icon.png"]
    assert "podcast" not in found
    assert "type" not in found
    assert feed.entries[1] == FeedEntry("Text", "", "9")


@pytest.mark.parametrize(
    ("properties", "key", "texts"),
    [
        ({"author": {"name": "Ada"}}, "artist", ["Ada"]),
        ({"authors": "Ada"}, "artist", ["Ada"]),
        ({"authors": [{"name": 7}, None, []]}, "artist", ["7"]),
        ({"date_modified": "2024-05-01"}, "date", ["2024-05-01"]),
        ({"date_published": "soon"}, "date", None),
        ({"content_text": "Text"}, "description", ["Text"]),
        ({"content_html": "<p>Tom &amp;amp; <b>Jo</b></p>"}, "description", ["Tom &amp; Jo"]),
        ({"banner_image": "b.jpg"}, "thumbnail_url", ["https://site.example/b.jpg"]),
        ({"image": "/" + "x" * 600}, "thumbnail_url", None),
        ({"title": ["no"]}, "title", None),
        ({"title": "\ud83d!"}, "title", ["?!"]),
        ({"tags": "one"}, "keywords", ["one"]),
        ({"tags": [True, {}, None, "x"]}, "keywords", ["x"]),
    ],
)
def test_properties_of_an_entry_are_read_as_they_are_written(properties, key, texts):
    assert item_of(**properties).get(key) == texts


@pytest.mark.parametrize(
    ("attachment", "hrefs"),
    [
        ({"url": "a.mp3"}, ["a.mp3"]),
        ({"url": "a.mp3", "mime_type": "image/jpeg"}, []),
        ({"url": ""}, []),
        ({"url": ["a.mp3"]}, []),
        ({"mime_type": "audio/mpeg"}, []),
        ("a.mp3", []),
        (None, []),
        ({"url": "a.mp3", "size_in_bytes": -1, "duration_in_seconds": "x"}, ["a.mp3"]),
        ({"url": "a.mp3", "size_in_bytes": 1e400, "duration_in_seconds": 1e400}, ["a.mp3"]),
        ({"url": "a.mp3", "size_in_bytes": True, "duration_in_seconds": True}, ["a.mp3"]),
    ],
)
def test_what_is_attached_is_a_file_if_it_has_a_url_and_is_no_picture(attachment, hrefs):
    feed = read({"version": VERSION, "items": [{"id": "1", "attachments": [attachment]}]})
    assert [entry.enclosure for entry in feed.entries if entry.enclosure] == hrefs
    assert all(entry.length == 0 and "size" not in told(entry) for entry in feed.entries)


@pytest.mark.parametrize(
    ("body", "is_feed"),
    [
        (json.dumps(FEED), True),
        ("\ufeff \n" + json.dumps(FEED, indent=4), True),
        (json.dumps({**FEED, "version": "https://jsonfeed.org/version/1"}), True),
        (json.dumps(FEED).replace("/", "\\/"), True),
        # Of sorted names the version is the last.
        (json.dumps(FEED, sort_keys=True), True),
        (json.dumps({"about": "jsonfeed.org " * 3, "version": VERSION}), True),
        (json.dumps({"about": "https://jsonfeed.org/version/1"}), False),
        (json.dumps([FEED]), False),
        ('{"version": "1.0"}', False),
        ("<html>" + json.dumps(FEED), False),
        ("", False),
    ],
)
def test_a_json_feed_is_known_by_its_version(body, is_feed):
    assert is_json_feed(body.encode()) is is_feed
    assert list_form("application/json", body.encode(), URL) == ("feed" if is_feed else "")


def test_the_version_inside_of_something_else_makes_no_feed():
    quoted = {"items": [{"version": VERSION, "title": "x"}]}
    assert is_json_feed(json.dumps(quoted).encode())
    assert read(quoted).entries == []


def test_a_list_of_it_is_like_that_of_a_feed_in_xml():
    found = parse_list("feed", json.dumps(FEED).encode(), URL, "iso-8859-1")
    assert (found.form, found.title, found.reading, found.hub) == ("feed", "Welle", "utf-8", "https://hub.example/")
    assert [(link.href, link.via, link.kind) for link in found.links] == [
        ("?page=2", "feed", Kind.LIST),
        ("https://cdn.example/1.mp3", "enclosure", Kind.MEDIA),
        ("https://site.example/1", "feed", None),
        ("1.ogg", "enclosure", Kind.MEDIA),
        ("https://site.example/1", "feed", None),
    ]


@pytest.mark.parametrize(
    ("end", "files"),
    [
        ("", ["1 https://cdn.example/1.mp3", "1 1.ogg", "2 https://cdn.example/1.mp3", "2 1.ogg"]),
        (
            '}, {"id": "3", "attachm',
            ["1 https://cdn.example/1.mp3", "1 1.ogg", "2 https://cdn.example/1.mp3", "2 1.ogg"],
        ),
        # What something else follows in place of a comma is no value.
        ("{" * 1_000, ["1 https://cdn.example/1.mp3", "1 1.ogg"]),
    ],
)
def test_a_feed_that_was_cut_has_what_came_before(end, files):
    body = json.dumps({**FEED, "items": [{**ITEM, "id": "1"}, {**ITEM, "id": "2"}]})
    feed = read((body[: body.rindex("}]}]") + 2] + end).encode())
    assert [f"{entry.guid} {entry.enclosure}" for entry in feed.entries if entry.enclosure] == files
    assert feed.title == "Welle"


def test_entries_and_files_beyond_the_limits_are_counted_or_left_out():
    feed = read({"version": VERSION, "items": [{"id": "1"}] * (MAX_ENTRIES + 3)})
    assert (len(feed.entries), feed.cut) == (MAX_ENTRIES, 3)
    many = [{"url": f"{number}.mp3"} for number in range(1_000)]
    assert len(read({"version": VERSION, "items": [{"attachments": many}]}).entries) == MOST_FILES


LEAVES = (
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8) | st.sampled_from(["//[", "a.mp3"])
)
NAMES = "id url title attachments authors name mime_type size_in_bytes duration_in_seconds tags image hubs type"
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=6),
    max_leaves=15,
)


@settings(max_examples=examples(80))
@given(VALUES, VALUES)
def test_no_feed_raises_whatever_its_values_are(items, hubs):
    feed = read({"version": VERSION, "items": items if isinstance(items, list) else [items], "hubs": hubs})
    for entry in feed.entries:
        entry.enclosure.encode("utf-8")
        for each in entry.facts:
            each.text.encode("utf-8")


@given(st.binary(max_size=200))
def test_any_bytes_are_a_feed(noise):
    whole = json.dumps(FEED).encode()
    for body in (noise, whole[: len(whole) // 2] + noise, b'{"version": "https://jsonfeed.org/version/1"' + noise):
        parse_json_feed(body, URL)
        assert is_json_feed(body) in {True, False}
