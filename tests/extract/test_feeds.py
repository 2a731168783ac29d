"""Feeds in XML and JSON: which text is one, its values, encodings, and bounds. What they name is in `golden_texts`."""

import json

import golden_texts
import pytest
from extract_texts import FEED_URL as URL
from extract_texts import entries, rss, said
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.base.facts import LONGEST_TEXT
from mediacrawl.base.times import moment, seconds
from mediacrawl.extract.feed_facts import name_beside_address
from mediacrawl.extract.feed_model import MOST_FILES, short_name, unlabelled
from mediacrawl.extract.feeds import MAX_ENTRIES, parse_feed
from mediacrawl.extract.json_feed import is_json_feed, parse_json_feed
from mediacrawl.extract.lists import list_form
from mediacrawl.extract.texts import unescape_url, yes_or_no

RSS = golden_texts.text("feeds", "rss names its media")
ATOM = golden_texts.text("feeds", "atom names its media and may have a base")
RDF = golden_texts.text("feeds", "rss 1 has its items beside the channel")
FEED = json.loads(golden_texts.text("json_feeds", "a feed names its media"))
VERSION = FEED["version"]


def read(feed):
    return parse_json_feed(feed if isinstance(feed, bytes) else json.dumps(feed).encode(), URL)


# -- which text is a feed ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content_type", "body", "answer"),
    [
        ("application/rss+xml", RSS, True),
        ("text/html", RSS, True),
        ("", ATOM, True),
        ("text/xml", RDF, True),
        ("application/rss+xml", "<html><body>not found", False),
        ("application/rss+xml", "", False),
        ("text/html", "<!doctype html><html><p>&lt;rss></html>", False),
        ("application/xml", "<urlset/>", False),
        ("text/xml", "<!-- <rss> --><urlset/>", False),
        ("application/atom+xml", "<?xml version='1.0'?><a:feed xmlns:a='x'/>", True),
    ],
)
def test_a_feed_is_known_by_its_first_element(content_type, body, answer):
    assert (list_form(content_type, body.encode(), URL) == "feed") is answer


@pytest.mark.parametrize(
    ("body", "is_feed"),
    [
        (json.dumps(FEED), True),
        ("\ufeff \n" + json.dumps(FEED, indent=4), True),
        (json.dumps({**FEED, "version": "https://jsonfeed.org/version/1"}), True),
        (json.dumps({**FEED, "version": "https://www.jsonfeed.org/version/1.1/"}), True),
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


@pytest.mark.parametrize(
    "body",
    [
        RSS.replace("Folge", "Größe").encode(),
        RSS.replace("Folge", "Größe").encode("utf-8-sig"),
        RSS.replace("Folge", "Größe").replace("utf-8", "ISO-8859-1").encode("latin-1"),
        RSS.replace("Folge", "Größe").replace("utf-8", "windows-1252").encode("cp1252"),
        RSS.replace("Folge", "Größe").replace("utf-8", "utf-16").encode("utf-16"),
        b"\n\n  " + RSS.replace("Folge", "Größe").encode(),
    ],
)
def test_a_feed_is_read_in_its_encoding(body):
    assert list_form("", body, URL) == "feed"
    assert parse_feed(body, URL).entries[0].title == "Größe 1"


def test_letters_of_another_encoding_in_a_feed_in_utf_8_stay_letters():
    body = rss('<item><title>Grüße aus Caf?</title><enclosure url="a.mp3"/></item>').replace(b"?", b"\xe9")
    assert parse_feed(body, URL).entries[0].title == "Grüße aus Café"
    shown = rss("<item><title>" + "é" * 2_000 + '</title><enclosure url="a.mp3"/></item>').decode().encode("latin-1")
    assert parse_feed(b"<?xml version='1.0' encoding='utf-8'?>" + shown, URL).entries[0].title == "é" * 200


# -- values ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("1:02:03", "3723"),
        ("62:03", "3723"),
        ("3600.50", "3600.5"),
        ("PT1H2M3S", "3723"),
        ("P0Y0M0DT0H3M30.000S", "210"),
        ("p0y0m0dt0h3m30,5s", "210.5"),
        ("PT0.5H", "1800"),
        ("PT1.5M", "90"),
        ("PT12.3450000S", "12.345"),
        ("P1DT1S", "86401"),
        ("P1W", "604800"),
        ("P0000-00-01T00:03:30", "86610"),
        ("P1M", ""),
        ("P1Y", ""),
        ("P0001-00-00T00:00:30", ""),
        ("PT", ""),
        ("P", ""),
        ("PT1H2", ""),
        ("-PT5S", ""),
        ("P0D", ""),
        ("00:00", ""),
        ("1:2:3:4", ""),
        ("99999999", ""),
        ("soon", ""),
    ],
)
def test_durations_are_seconds(written, number):
    assert seconds(f" {written} ") == number


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("Wed, 01 May 2024 12:00:00 EST", "2024-05-01T17:00:00Z"),
        ("2024-05-01T10:00:00+02:00", "2024-05-01T08:00:00Z"),
        ("2024-05", "2024-05"),
        ("Mon, 32 Foo 99999", ""),
        ("0001-01-01T00:00:00+14:00", ""),
        ("20240501", ""),
        ("05 Mar 2024", "2024-03-05"),
        ("Tue, 05 Mar 2024", "2024-03-05"),
        ("March 5, 2024", "2024-03-05"),
        ("Tue, 05 Mar 2024 24:00:00 GMT", "2024-03-05"),
        ("Tue, 05 Mar 2024 09:10:11 +01:00", "2024-03-05T08:10:11Z"),
        ("Tue, 05 Mar 2024 09:10:11-05:30", "2024-03-05T14:40:11Z"),
        ("Tuesday, March 5, 2024 9:10 PM", "2024-03-05T21:10:00"),
        ("5 Mar 2024 12:05:01 a.m.", "2024-03-05T00:05:01"),
        ("5 Mar 2024 12:05 pm", "2024-03-05T12:05:00"),
        ("2024/03/05", "2024-03-05"),
        ("2024/03/05 09:10:11", "2024-03-05T09:10:11"),
        ("2024/25 season", "2024"),
        ("03/05/2024", ""),
        ("5 March", ""),
        ("Episode 5, 12:30", ""),
    ],
)
def test_dates_are_those_of_iso_8601(written, date):
    assert moment(written) == date


@given(st.text(max_size=60))
def test_any_text_is_a_value(text):
    assert moment(text) == moment(f" {text} ")
    assert yes_or_no(text) in {"yes", "no", ""}
    number = seconds(text)
    assert number == "" or 0 < float(number) < 10_000_000


def test_a_namespace_is_known_by_its_url_and_else_by_its_prefix():
    assert short_name("{http://www.itunes.com/DTDs/Podcast-1.0.dtd}Author") == "itunes:author"
    assert short_name("itunes:author") == "itunes:author"
    assert short_name("{http://www.w3.org/2005/Atom}link") == "link"
    assert short_name("{urn:x}title", "urn:x") == "title"
    assert short_name("{urn:x}title") == "?:title"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("john@site.example (John Doe)", "John Doe"),
        ("john@site.example(John Doe)", "John Doe"),
        ("John Doe (john@site.example)", "John Doe"),
        ("John Doe <john@site.example>", "John Doe"),
        ('"Doe, John" <john@site.example>', "Doe, John"),
        ("john@site.example (Doe (John))", "Doe (John)"),
        ("john@site.example ()", "john@site.example"),
        ("(john@site.example)", "(john@site.example)"),
        ("<john@site.example>", "john@site.example"),
        ("John Doe (Radio)", "John Doe (Radio)"),
        ("John @ Doe (Radio)", "John @ Doe (Radio)"),
        ("John Doe", "John Doe"),
        ("", ""),
        ("(" * 500, "(" * 500),
        ("@" * 500 + ")", "@" * 500 + ")"),
    ],
)
def test_a_name_is_read_beside_the_address(written, name):
    assert name_beside_address(written) == name


@given(st.text(alphabet='a@()<> ".', max_size=40))
def test_any_author_has_a_name_of_no_other_letters(written):
    assert name_beside_address(written) in written


# -- bounds ------------------------------------------------------------------------------------------------------------


def test_a_parameter_of_a_url_is_no_character_reference():
    text = "<a href='/x.mp3?a=1&section=2&amp;copy=3&#38;reg=4'>x</a>"
    assert list(unlabelled("", "", [text], has_file=False)) == [("/x.mp3?a=1&section=2&copy=3&reg=4", True)]
    assert unescape_url("&" + "a" * 40 + ";&lt;&#60;&#x3c;&lt&none;") == "&" + "a" * 40 + ";<<<&lt&none;"


def test_texts_are_cut_and_have_no_markup():
    html = "&lt;p class=&quot;x&quot;&gt;wort &lt;br/&gt;" * 5_000
    title = "<![CDATA[" + "<b>x</b>" * 10_000 + "&amp;" * 10_000 + "]]>"
    (entry,) = entries(f'<item><title>{title}</title><description>{html}</description><enclosure url="a.mp3"/></item>')
    (text,) = said(entry)["description"]
    assert text.startswith("wort wort wort")
    assert len(text) <= LONGEST_TEXT
    assert "<" not in text
    assert len(entry.title) <= 200


def test_thousands_of_groups_and_files_are_bounded():
    content = "<media:content url='/{}.mp4' type='video/mp4'><media:title>{}</media:title></media:content>"
    group = "<media:group>" + "".join(content.format(n, n) for n in range(200)) + "<media:title>x</media:title>" * 500
    assert len(entries(f"<item>{group}</media:group></item>")) == MOST_FILES
    same = "<media:group><media:content url='/1.mp4'/></media:group>" * 5_000
    assert len(entries(f"<item>{same}</item>")) == 1


def test_entries_and_files_beyond_the_limits_are_counted_or_left_out():
    many = [{"url": f"{number}.mp3"} for number in range(1_000)]
    assert len(read({"version": VERSION, "items": [{"attachments": many}]}).entries) == MOST_FILES
    of_json = read({"version": VERSION, "items": [{"id": "1"}] * (MAX_ENTRIES + 5)})
    of_xml = parse_feed(rss("<item><link>/1</link></item>" * (MAX_ENTRIES + 5)), URL)
    assert [(len(feed.entries), feed.cut) for feed in (of_json, of_xml)] == [(MAX_ENTRIES, 5)] * 2


@pytest.mark.parametrize(
    "body",
    [
        '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss><channel><item><title>&x;</title></item></channel></rss>',
        '<!DOCTYPE rss SYSTEM "http://127.0.0.1:9/x.dtd"><rss><channel><item><title>x</title></item></channel></rss>',
        "<!DOCTYPE r ["
        + "".join(f'<!ENTITY a{n + 1} "{f"&a{n};" * 10}">' for n in range(12))
        + "]><rss><item><title>&a12;</title></item></rss>",
        "<rss>" * 50_000,
        "<rss><item>" + "<title>" * 50_000,
        "<rss " + "a='b' " * 30_000,
        "<rss xmlns:x='y'>" + "<x:item x:y='" * 10_000,
        "\x00\x01\x02",
        "",
        "<html><body>no feed",
        "<rss><channel><item><enclosure url='http://[' length='٣'/></item></channel></rss>",
        "<feed xml:base='http://['><entry xml:base='http://]['><link href='//['/></entry></feed>",
    ],
)
def test_a_hostile_feed_is_a_feed(body):
    feed = parse_feed(body.encode(), URL)
    assert len(feed.entries) <= MAX_ENTRIES
    assert all("root:" not in entry.title and len(entry.title) <= 200 for entry in feed.entries)


@given(st.binary(max_size=200) | st.text("<>/rsitemnclu=\"'&;:[]!-? ", max_size=200).map(str.encode))
def test_any_bytes_are_a_feed(body):
    parse_feed(body, URL)
    parse_feed(RSS[:700].encode() + body, URL)
    list_form("", body, URL)


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
def test_any_bytes_are_a_json_feed(noise):
    whole = json.dumps(FEED).encode()
    for body in (noise, whole[: len(whole) // 2] + noise, b'{"version": "https://jsonfeed.org/version/1"' + noise):
        parse_json_feed(body, URL)
        assert is_json_feed(body) in {True, False}
