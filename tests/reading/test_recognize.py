"""What a response is: decided once, by its content, then its labels, then what was expected."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.base.content_type import claim_of
from mediacrawl.base.queued import WAITS
from mediacrawl.base.terms import Kind
from mediacrawl.download.body_bytes import BodyLimits, bytes_wanted_of
from mediacrawl.extract import parse_list
from mediacrawl.programs.demo.library import media_bytes
from mediacrawl.reading.response import recognize

URL = "https://site.example/get?id=1"
RSS = b"<rss version='2.0'><channel><item><enclosure url='a.mp3'/></item></channel></rss>"
ATOM = b"<feed xmlns='http://www.w3.org/2005/Atom'><entry/></feed>"
RDF = b"<rdf:RDF xmlns:rdf='x'><item/></rdf:RDF>"
JSON = json.dumps({"title": "x", "items": [], "version": "https://jsonfeed.org/version/1.1"}).encode()
OPML, URLSET = b"<opml version='2.0'><body/></opml>", b"<urlset><url><loc>https://site.example/</loc></url></urlset>"
INDEX, URLS = b"<sitemapindex><sitemap/></sitemapindex>", b"https://site.example/1\nhttps://site.example/2\n"
BARE = b"#EXTINF:5,x\nhttps://site.example/a.mp3\n"
M3U, HLS = b"#EXTM3U\n#EXTINF:5,x\na.mp3\n", b"#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\n0.ts\n"
PLS, REFERENCE = b"[playlist]\nFile1=a.mp3\n", b"[Reference]\r\nRef1=http://site.example/a.wma\r\n"
XSPF, ASX = b"<playlist><trackList/></playlist>", b"<Asx Version=3.0><Entry><Ref Href='a.wma'/></Entry></Asx>"
DASH = b"<?xml version='1.0'?><MPD xmlns='urn:mpeg:dash:schema:mpd:2011'/>"
STATUS, YP = b'{"icestats":{"source":[]}}', b"<directory><entry><listen_url>http://a/</listen_url></entry></directory>"
MP3, M4A, FLAC = map(media_bytes, ("folge-1.mp3", "burza.m4a", "low-water.flac"))
PNG, PDF = b"\x89PNG\r\n\x1a\n" + bytes(99), b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n" + bytes(99)
HTML = b"<!doctype html><html><body><a href='a.mp3'>x</a>"
LABELS = (
    *("text/html", "text/html; charset=utf-8", "text/plain", "text/rss", "application/rss", "application/x-rss+xml"),
    *("text/xml,charset=utf-8", "application/octet-stream", "", "text/html; charset=\"x'", "application/json"),
    *("application/force-download", "unknown/unknown", "audio/x-unknown", "application/xml"),
)


def kind_of(body, content_type="", kind=Kind.PAGE, *, via="a", url=URL, name="", refresh="", **more):
    headers = {"Content-Type": content_type, "Content-Disposition": name, "Refresh": refresh}
    return recognize(kind, via, url, lambda header: headers.get(header, ""), body, **more).kind


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(("body", "kind"), [(b"", "page"), (b"moved", "page"), (MP3, "media"), (RSS, "feed")])
def test_text_that_refreshes_is_a_page(label, body, kind):
    refresh = "0; url=/t.html"
    assert kind_of(body, label, refresh=refresh) == kind
    assert kind_of(PDF, label, refresh=refresh) == kind_of(PDF, label)


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        *((feed, "feed") for feed in (RSS, ATOM, RDF, JSON)),
        *((body, "sitemap") for body in (URLSET, INDEX, URLS, gzip.compress(URLSET, mtime=0))),
        *((body, "playlist") for body in (M3U, BARE, PLS, REFERENCE, XSPF, ASX, STATUS, YP)),
        *((body, "manifest") for body in (HLS, DASH)),
        (OPML, "outline"),
        *((body, "media") for body in (MP3, M4A, FLAC)),
        (HTML, "page"),
    ],
)
def test_content_precedes_the_label(label, body, kind):
    assert kind_of(body, label) == kind


@pytest.mark.parametrize(
    "before",
    [
        *(b"\n\n  ", b"\xef\xbb\xbf", b"\xef\xbb\xbf\r\n", b"<?xml version='1.0'?>", b"<!-- <html> --><!-- x -->\n"),
        *(b"\xef\xbb\xbf\n\xef\xbb\xbf", b"PHP Warning:  x() in /srv/f.php on line 3\n"),
        b"<?xml version='1.0'?>\n<?xml-stylesheet type='text/xsl' href='/rss.xsl'?>\n<!DOCTYPE rss>\n",
        b"<br />\n<b>Warning</b>:  include(x) in <b>/srv/f.php</b> on line <b>3</b><br />\n<?xml version='1.0'?>",
        b"<font size='1'><table><tr><th>( ! ) Notice: Undefined index</th></tr></table></font>\n",
    ],
)
@pytest.mark.parametrize("feed", [RSS, ATOM, URLSET])
@pytest.mark.parametrize("label", ["text/html", "text/plain", ""])
def test_what_stands_before_a_list_in_xml_does_not_hide_it(label, before, feed):
    assert kind_of(before + feed, label) in {"feed", "sitemap"}


@pytest.mark.parametrize("label", ["text/html", "application/xhtml+xml", "text/html;charset=utf-8"])
@pytest.mark.parametrize(
    "body",
    [
        *(b"<p>It begins with <rss> and <channel>", b"<b>RSS</b>: <rss><item/></rss>", b"<div><feed></div>"),
        *(b"<!-- <rss> --><h1>x</h1>", b"#EXTM3U begins it. <p>So", b"#EXTM3U\nis a <a href=x>word</a>"),
        *(
            b"[playlist] <b>x</b>",
            b"<p>Error: a stray <rss> in it</p>",
            b"<pre>#EXTM3U\na.mp3</pre>",
            b"ID3 tags are <b>good</b>",
            b"RSS is <rss> in a text",
        ),
        *(b"Hello", b"", b"<custom-element>x", "<html><p>ж".encode("utf-16"), b"\x1b$B8l\x1b(B <p>"),
    ],
)
def test_a_page_that_mentions_a_list_is_a_page(label, body):
    assert kind_of(body, label) == "page"
    assert kind_of(body, label, Kind.LIST) == "page"


@pytest.mark.parametrize("label", ["application/rss+xml", "text/xml", "application/json", "audio/mpeg", "text/plain"])
@pytest.mark.parametrize(
    "body",
    [
        HTML,
        b"<?xml version='1.0'?>\n<!DOCTYPE html PUBLIC 'x'>\n<html xmlns='http://www.w3.org/1999/xhtml'>",
        b"<!-- x --><body><p>x",
        b"<title>Not found</title>",
    ],
)
@pytest.mark.parametrize("kind", [Kind.PAGE, Kind.LIST, Kind.MEDIA])
def test_a_page_is_one_under_any_label(kind, label, body):
    assert kind_of(body, label, kind) == "page"


@pytest.mark.parametrize(
    ("encoding", "label"),
    [
        ("utf-16", "text/html"),
        ("utf-16-le", "application/octet-stream"),
        ("utf-16-be", ""),
        ("utf-8-sig", "text/plain"),
    ],
)
@pytest.mark.parametrize(("body", "kind"), [(M3U, "playlist"), (HLS, "manifest"), (PLS, "playlist"), (URLS, "sitemap")])
def test_a_list_in_utf_16_is_read(body, kind, encoding, label):
    wide = body.decode().replace("x", "Ж").encode(encoding)
    found = recognize(Kind.PAGE, "a", URL, {"Content-Type": label}.get, wide)
    assert found.kind == kind
    listing = parse_list(found.form, found.text, URL, "utf-16" if "16" in encoding else None)
    assert kind == "manifest" or [link.href for link in listing.links]
    assert body != M3U or listing.links[0].title == "Ж"


@pytest.mark.parametrize(
    ("body", "label", "more", "kind"),
    [
        # Its name, or what was expected, where the content is unknown.
        (bytes(5_000), "", {}, "nothing"),
        (bytes(5_000), "application/save", {"name": 'attachment; filename="x.mp3"'}, "media"),
        (bytes(5_000), "text/html", {"name": 'attachment; filename="x.mp3"'}, "media"),
        (b"<p>x", "text/html", {"name": 'attachment; filename="x.mp3"'}, "page"),
        (bytes(5_000), "application/zip", {"name": "inline; filename=x.FLAC"}, "media"),
        (bytes(5_000), "", {"name": "attachment; filename*=UTF-8''L%C3%A9%20x.m4a"}, "media"),
        (bytes(5_000), "", {"name": 'attachment; filename="x.zip"'}, "nothing"),
        (bytes(5_000), "", {"kind": Kind.MEDIA}, "media"),
        (bytes(5_000), "audio/x-unknown", {}, "media"),
        (b"a.mp3\nb.mp3\n", "", {"name": "attachment; filename=list.m3u"}, "playlist"),
        (b"a.mp3\nb.mp3\n", "text/html", {"url": "https://site.example/l.m3u?x"}, "playlist"),
        (b"a.mp3\nb.mp3\n", "", {}, "nothing"),
        # What is known to be something else.
        *((body, label, {}, "nothing") for body in (PNG, PDF) for label in ("text/html", "text/plain", "")),
        (b'{"a": "https://site.example/"}', "application/json", {}, "nothing"),
        (b"<directory><entry>x</entry></directory>", "text/xml", {}, "nothing"),
        (b"<other/>", "application/xml", {}, "nothing"),
        (b"hello", "text/plain", {}, "nothing"),
        # What precedes the content.
        (HTML, "text/html", {"via": WAITS}, "data"),
        (MP3, "audio/mpeg", {"streams": True}, "stream"),
        (b"", "text/html", {"probing": True, "kind": Kind.MEDIA}, "media"),
        (b'{"type": "video"}', "application/json", {"via": "oembed", "kind": Kind.LIST}, "oembed"),
    ],
)
def test_labels_and_expectation_count_where_the_content_says_nothing(body, label, more, kind):
    assert kind_of(body, label, **more) == kind


@pytest.mark.parametrize(
    ("label", "claim"),
    [
        ("text/html; charset=x", "page"),
        ("Text/XML,charset=utf-8", "list"),
        ("application/vnd.apple.mpegurl", "list"),
        ("application/mp3", "media"),
        ("audio/x-unknown", "media"),
        *((label, "anything") for label in ("", "application/download", "binary/octet-stream", "x/y", "junk")),
        *((label, "other") for label in ("image/png", "application/pdf", "text/css", "application/vnd.ms-excel")),
    ],
)
def test_what_a_label_claims(label, claim):
    assert claim_of(label) == claim


LIMITS = BodyLimits(page=200_000, head=16_384, single=65_536, lists=3_000_000)


@pytest.mark.parametrize(
    ("first", "label", "wanted"),
    [
        (HTML, "text/html", 200_000),
        (b"<div>", "text/html", 200_000),
        (MP3, "text/html", 16_384),
        (M4A, "application/force-download", 16_384),
        (RSS, "text/html", 3_000_000),
        (gzip.compress(URLSET, mtime=0), "text/plain", 3_000_000),
        # Of a program little is read, unless it says that it is a page.
        (b"MZ\x90" + bytes(5_000), "application/octet-stream", 65_536),
        (b"MZ\x90" + bytes(50), "unknown/unknown", 65_536),
        (b"\x01" + bytes(5_000), "text/html", 200_000),
        (b'{"items": ', "application/json", 200_000),
    ],
)
def test_the_first_bytes_decide_how_many_are_read(first, label, wanted):
    assert bytes_wanted_of(first, LIMITS, 200_000, label) == wanted


def test_of_a_page_in_place_of_a_list_no_more_is_read_than_of_a_page():
    assert bytes_wanted_of(HTML, LIMITS, 3_000_000, "text/html") == 200_000


@settings(max_examples=100)
@given(st.binary(max_size=300), st.text(max_size=60), st.sampled_from(Kind), st.text(max_size=60))
def test_nothing_that_comes_breaks_the_decision(body, label, kind, name):
    kind_of(body, label, kind, name=name)
    bytes_wanted_of(body, LIMITS, 10, label)
