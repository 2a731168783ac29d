"""The entries of a feed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.extract import MAX_ENTRIES, FeedEntry, looks_like_feed, parse_feed

URL = "https://site.example/feed.xml"

RSS = """<?xml version="1.0" encoding="utf-8"?>
<!-- made by hand -->
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/"><channel>
<title>Morgens &amp; <![CDATA[abends]]></title><atom:link rel="self" href="/feed"/>
<atom:link rel="next" href="?page=2"/>
<image><title>no</title></image>
<item><title> Folge
 1 </title><link>https://site.example/1</link><guid isPermaLink="false">id-1</guid>
<enclosure url="https://cdn.example/1.mp3" length="123456" type="audio/mpeg"/></item>
<item><title>Folge 2</title><enclosure url=" /2.mp3 " length="01:02:03" type="Audio/MPEG; x=y"/>
<media:content url="/2.jpg" medium="image"/><media:title>other</media:title>
<media:group><media:content url="/2.mp4" type="video/mp4" fileSize="7"/></media:group></item>
<item><title>Nachricht</title><link>/3</link><enclosure url="/3.jpg" type="image/jpeg"/></item>
<item/>
</channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom" xml:base="/podcast/"><title type="html">Lieder</title>
<link rel="next" href="p2"/>
<entry xml:base="x/"><id>urn:1</id><title>Eins</title><link href="eins.html"/><link rel="enclosure" type="audio/ogg"
href="eins.ogg" length="9"/><link rel="enclosure" href="eins.mp3"/><content type="html">&lt;p&gt;</content></entry>
</feed>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
<channel><title>Alt</title></channel><item rdf:about="/1"><title>Eins</title><link>/1</link></item></rdf:RDF>"""


def test_rss_names_its_media():
    feed = parse_feed(RSS.encode(), URL)
    assert (feed.title, feed.next, feed.cut) == ("Morgens & abends", "?page=2", 0)
    assert feed.entries == [
        FeedEntry("Folge 1", "https://site.example/1", "id-1", "https://cdn.example/1.mp3", "audio/mpeg", 123456),
        FeedEntry("Folge 2", "", "", "/2.mp3", "audio/mpeg", 0),
        FeedEntry("Folge 2", "", "", "/2.mp4", "video/mp4", 7),
        FeedEntry("Nachricht", "/3"),
    ]


def test_atom_names_its_media_and_may_have_a_base():
    feed = parse_feed(ATOM.encode(), URL)
    assert (feed.title, feed.next) == ("Lieder", "p2")
    page = "https://site.example/podcast/x/eins.html"
    assert feed.entries == [
        FeedEntry("Eins", page, "urn:1", "https://site.example/podcast/x/eins.ogg", "audio/ogg", 9),
        FeedEntry("Eins", page, "urn:1", "https://site.example/podcast/x/eins.mp3"),
    ]


def test_rss_1_has_its_items_beside_the_channel():
    feed = parse_feed(RDF.encode(), URL)
    assert (feed.title, feed.entries) == ("Alt", [FeedEntry("Eins", "/1", "/1")])


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
    assert looks_like_feed("", body)
    assert parse_feed(body, URL).entries[0].title == "Größe 1"


def test_a_broken_feed_gives_what_is_whole():
    item = "<item><title>a & b &nbsp; <b>c</title><link>/1</link></item>"
    feed = parse_feed(f"<rss><channel><title>t</title>{item * 3}</channel></rss>".encode(), URL)
    assert feed.entries[0].title.startswith("a")


def test_a_feed_that_was_cut_loses_only_its_last_entry():
    cut = RSS[: RSS.index("https://cdn") + 15].encode()
    assert parse_feed(cut, URL).entries == []
    cut = RSS[: RSS.index("/3</link>")].encode()
    assert [entry.title for entry in parse_feed(cut, URL).entries] == ["Folge 1", "Folge 2", "Folge 2"]


def test_a_long_feed_is_cut_and_counted():
    body = "<rss><channel>" + "<item><link>/1</link></item>" * (MAX_ENTRIES + 5) + "</channel></rss>"
    feed = parse_feed(body.encode(), URL)
    assert (len(feed.entries), feed.cut) == (MAX_ENTRIES, 5)


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
    assert looks_like_feed(content_type, body.encode()) is answer


@given(st.binary(max_size=200) | st.text("<>/rsitemnclu=\"'&;:[]!-? ", max_size=200).map(str.encode))
def test_any_bytes_are_a_feed(body):
    parse_feed(body, URL)
    parse_feed(RSS[:700].encode() + body, URL)
    assert looks_like_feed("", body) in {True, False}
