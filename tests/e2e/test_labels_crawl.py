"""A real crawl of servers whose labels are wrong: what they send is read for what it is."""

import gzip
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from crawling import Crawl, quick
from lists_web import SONG, ListsWeb

from mediacrawl.programs.demo.library import media_bytes

ENTRY = '<item><title>{name}</title><enclosure url="{base}/{name}.mp3" type="audio/mpeg"/></item>'
RSS = f"<rss version='2.0'><channel><title>Feed</title>{ENTRY}</channel></rss>"
ATOM = (
    "<feed xmlns='http://www.w3.org/2005/Atom'><title>Feed</title><entry><title>{name}</title>"
    "<link rel='enclosure' href='{base}/{name}.mp3' type='audio/mpeg'/></entry></feed>"
)
RDF = (
    "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:enc='http://purl.oclc.org/net/rss_2.0/enc#'"
    " xmlns='http://purl.org/rss/1.0/'><item><title>{name}</title>"
    "<enc:enclosure rdf:resource='{base}/{name}.mp3' enc:type='audio/mpeg'/></item></rdf:RDF>"
)
JSON = json.dumps(
    {
        "title": "Feed",
        "items": [{"id": "1", "title": "NAME", "attachments": [{"url": "BASE/NAME.mp3", "mime_type": "audio/mpeg"}]}],
        "version": "https://jsonfeed.org/version/1.1",
    }
)
OPML = "<opml><body><outline type='audio' text='{name}' url='{base}/{name}.mp3'/></body></opml>"
URLSET = "<urlset><url><loc>{base}/{name}.mp3</loc></url></urlset>"
M3U = "#EXTM3U\n#EXTINF:5,{name}\n{base}/{name}.mp3\n"
PLS = "[playlist]\nFile1={base}/{name}.mp3\nTitle1={name}\n"
XSPF = "<playlist><trackList><track><location>{base}/{name}.mp3</location></track></trackList></playlist>"
ASX = "<ASX version=3><ENTRY><TITLE>{name}</TITLE><REF HREF='{base}/{name}.mp3'></ENTRY></ASX>"
REFERENCE = "[Reference]\r\nRef1={base}/{name}.mp3\r\nRef2={base}/{name}.mp3?MSWMExt=.asf\r\n"
ICECAST = json.dumps({"icestats": {"host": "x", "source": {"listenurl": "BASE/NAME.mp3", "server_name": "NAME"}}})
YP = (
    "<directory><entry><server_name>{name}</server_name><listen_url>{base}/{name}.mp3</listen_url>"
    "<server_type>audio/mpeg</server_type></entry></directory>"
)

LISTS = {
    # name: label, body
    "rss-html": ("text/html", RSS),
    "rss-plain": ("text/plain; charset=utf-8", RSS),
    "rss-rss": ("text/rss", RSS),
    "rss-application": ("application/rss", RSS),
    "rss-x": ("application/x-rss+xml", RSS),
    "rss-comma": ("text/xml,charset=utf-8", f"<?xml version='1.0'?>{RSS}"),
    "rss-octets": ("application/octet-stream", RSS),
    "rss-none": ("", RSS),
    "rss-junk": ("text/html; charset=\"no such charset'", RSS),
    "rss-blanks": ("text/html; charset=utf-8", f"\n \n\n<?xml version='1.0'?>\n{RSS}"),
    "rss-mark": ("text/html", f"\ufeff{RSS}"),
    "rss-style": ("text/html", f"<?xml version='1.0'?><?xml-stylesheet href='/s.xsl'?><!-- <html> -->{RSS}"),
    "rss-warned": ("text/html", f"<br />\n<b>Warning</b>:  x() in <b>/srv/f.php</b> on line <b>3</b><br />\n{RSS}"),
    "atom-html": ("text/html", ATOM),
    "atom-json": ("application/json", ATOM),
    "atom-none": ("", f"<?xml version='1.0'?>{ATOM}"),
    "rdf-html": ("text/html", RDF),
    "rdf-plain": ("text/plain", RDF),
    "rdf-rdf": ("text/rdf", RDF),
    "json-json": ("application/json", JSON),
    "json-plain": ("text/plain", JSON),
    "json-html": ("text/html; charset=utf-8", JSON),
    "opml-html": ("text/html", OPML),
    "opml-plain": ("text/plain", f"<?xml version='1.0'?>{OPML}"),
    "opml-unknown": ("unknown/unknown", OPML),
    "map-html": ("text/html", URLSET),
    "map-octets": ("binary/octet-stream", URLSET),
    "map-download": ("application/force-download", URLSET),
    "m3u-html": ("text/html", M3U),
    "m3u-plain": ("text/plain", M3U),
    "m3u-download": ("application/x-download", M3U),
    "m3u-wide": ("audio/x-mpegurl", ("\ufeff" + M3U, "utf-16-le")),
    "m3u-wide-big": ("text/html", ("\ufeff" + M3U, "utf-16-be")),
    "m3u-wide-bare": ("application/octet-stream", (M3U, "utf-16-le")),
    "pls-html": ("text/html", PLS),
    "pls-plain": ("text/plain", PLS),
    "pls-none": ("", PLS),
    "xspf-html": ("text/html", XSPF),
    "xspf-plain": ("text/plain", XSPF),
    "xspf-json": ("application/json", XSPF),
    "asx-html": ("text/html", ASX),
    "asx-plain": ("text/plain", ASX),
    "asx-octets": ("application/octet-stream", ASX),
    "ini-asf": ("video/x-ms-asf", REFERENCE),
    "ini-html": ("text/html", REFERENCE),
    "ini-plain": ("text/plain", REFERENCE.lower()),
    "ice-json": ("application/json", ICECAST),
    "ice-html": ("text/html", ICECAST),
    "ice-xml": ("text/xml", YP),
    "ice-yp": ("text/html", f"<?xml version='1.0'?>{YP}"),
}
"""Path of a list -> its label and body: it names a file of its own name."""


MP3, M4A, FLAC, MP4 = map(media_bytes, ("folge-1.mp3", "burza.m4a", "low-water.flac", "bateau.mp4"))
OGG = (Path(__file__).parents[1] / "probe/samples/tone.oga").read_bytes()
BINARY = {
    # path: label, body, further headers
    "/play.php": ("text/html", MP3),
    "/get?id=1": ("text/html; charset=utf-8", M4A),
    "/get?id=2": ("text/plain", OGG),
    "/get?id=3": ("", FLAC),
    "/get?id=4": ("text/html", MP4),
    "/d1": ("application/force-download", MP3),
    "/d2": ("application/octetstream", M4A),
    "/d3": ("application/mp3", MP3),
    "/d4": ("audio/x-unknown", OGG),
    "/d5": ("application/download", FLAC),
    "/d6": ("application/x-download", MP4),
    "/d7": ("binary/octet-stream", MP3),
    "/d8": ("unknown/unknown", M4A),
    "/d9": ("", MP3),
    "/d10": ("application/save", OGG),
    "/d11": ("image/png", MP3, ("Content-Disposition", 'attachment; filename="x.mp3"')),
    "/d12": ("application/pdf", FLAC, ("Content-Disposition", "inline; filename=x.flac")),
    "/d13": ("application/zip", M4A, ("Content-Disposition", "attachment; filename*=UTF-8''L%C3%A9.m4a")),
    # Noise that only its name tells: the frames begin behind it.
    "/d14": ("", bytes(5_000) + b"x" * 3_000 + SONG, ("Content-Disposition", "attachment; filename=a.mp3")),
}
"""Path of a download script -> its answer: each is a media file."""
DECLARED = {"/episode.php": "audio/mpeg", "/ep.exe": "audio/mpeg", "/ep.zip?x=1": "audio/x-m4a", "/ep.bin": "video/mp4"}
"""Path of an enclosure -> the type that its feed declares."""
SITEMAPS = ("/a.txt.gz", "/b.gz", "/c.php.gz", "/d.xml.gz?v=2", "/E.XML.GZ", "/f.zip")
"""Sitemaps that the robots.txt names."""
INDEXED = ("/g.txt.gz", "/h.gz", "/i.json")
"""Sitemaps that an index names."""
FORWARDS = {
    "/r1": ('<meta http-equiv="refresh" content="0; /t1.html">', ""),
    "/r2": ("<meta http-equiv='Refresh' content=\"0;URL='/t2.html'\">", ""),
    "/r3": ('<noscript><meta http-equiv=REFRESH content="3, url = /t3.html"></noscript>', ""),
    "/r4": ('<meta http-equiv="refresh" content="0;\t\'/t4.html\'">', ""),
    "/r5": ('<meta http-equiv="refresh" content="5 t5.html">', ""),
    "/r6": ("<p>On", "0; url=/t6.html"),
    "/r7": ("<p>On", "0;/t7.html"),
    "/r8": ("<p>On", '1; URL="t8.html"'),
}
"""Path of a page that forwards -> its HTML, and its header Refresh."""
SCHEMES = (
    "feed://{host}/s1",
    "feed:{base}/s2",
    "itpc://{host}/s3",
    "pcast://{host}/s4",
    "podcast:{base}/s5",
    "FEED:{base}/s6",
)
PAGES = {
    "/p1": ("text/html", "<p>A feed begins with <rss version='2.0'> and <channel>. <a href='/p1.mp3'>x</a>"),
    "/p2": ("text/html", "<!-- <rss> --><pre>#EXTM3U\nsong.mp3</pre><a href='/p2.mp3'>x</a>"),
    "/p3": ("text/html", "#EXTM3U begins a list. <a href='/p3.mp3'>x</a>"),
    "/p4": ("text/html", "<b>RSS</b> is <rss><channel><item></item></channel></rss> <a href='/p4.mp3'>x</a>"),
    "/p5": ("application/rss+xml", "<!doctype html><html><body><a href='/p5.mp3'>x</a>"),
    "/p6": ("application/atom+xml", "<html><head><title>x</title></head><a href='/p6.mp3'>x</a>"),
    "/p7": (
        "text/xml",
        "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><a href='/p7.mp3'>x</a></html>",
    ),
    "/p8": ("application/json", "<!DOCTYPE html><html><a href='/p8.mp3'>x</a>"),
    "/p9": ("audio/x-mpegurl", "<html><a href='/p9.mp3'>x</a>"),
    "/p10": ("text/html", "ID3 tags <a href='/p10.mp3'>x</a>"),
}
"""Path of a page -> its label and body, with a link to a file of its own name."""


def build(web):
    web.links = []

    def link(host, path, href=None):
        web.links.append(f"<a href='{href or web.url(host, path)}'>x</a>")

    for number, (name, (label, body)) in enumerate(LISTS.items()):
        host = f"lists{number % 3}"
        text, encoding = body if isinstance(body, tuple) else (body, "utf-8")
        for old, new in (("{name}", name), ("NAME", name), ("{base}", web.url(host, "")), ("BASE", web.url(host, ""))):
            text = text.replace(old, new)
        web.put(host, f"/{name}", text.encode(encoding), label)
        web.song(host, f"/{name}.mp3")
        link(host, f"/{name}")
    for path, (label, body, *headers) in BINARY.items():
        web.put("scripts", path, body, label, headers=tuple(headers))
        link("scripts", path)
    items = "".join(f"<item><enclosure url='{path}' type='{kind}'/></item>" for path, kind in DECLARED.items())
    refused = "<item><enclosure url='/no.exe' type='application/zip'/></item><item><enclosure url='/no.zip'/></item>"
    web.put("declared", "/feed", f"<rss><channel>{items}{refused}</channel></rss>", "application/rss+xml")
    link("declared", "/feed")
    for path in (*DECLARED, "/s.dll", "/no.exe", "/no.zip"):
        web.put("declared", path, MP3, "application/octet-stream")
    web.put("declared", "/page", "<audio><source src='/s.dll' type='audio/mpeg'></audio>")
    link("declared", "/page")
    maps = "".join(f"Sitemap: {{base}}{path}\n" for path in (*SITEMAPS, "/index.php"))
    web.put("maps", "/robots.txt", maps, "text/plain")
    entries = "".join(f"<sitemap><loc>{{base}}{path}</loc></sitemap>" for path in INDEXED)
    web.put("maps", "/index.php", f"<sitemapindex>{entries}</sitemapindex>")
    labels = ("application/x-gzip", "text/plain", "text/html", "application/octet-stream", "", "application/xml")
    for number, path in enumerate((*SITEMAPS, *INDEXED)):
        url = web.url("maps", f"/m{number}.mp3")
        body = f"{url}\n" if number % 2 else f"<urlset><url><loc>{url}</loc></url></urlset>"
        web.put("maps", path, body.encode() if path == "/i.json" else gzip.compress(body.encode()), labels[number % 6])
        web.song("maps", f"/m{number}.mp3")
    web.put("maps", "/", "<p>Maps")
    link("maps", "/")
    for path, (html, refresh) in FORWARDS.items():
        web.put("forwards", path, f"<html>{html}", headers=(("Refresh", refresh),) if refresh else ())
        web.song("forwards", path.replace("r", "t") + ".html")
        link("forwards", path)
    for number, written in enumerate(SCHEMES, 1):
        feed = RSS.replace("{name}", f"s{number}").replace("{base}", web.url("schemes", ""))
        web.put("schemes", f"/s{number}", feed, "text/html")
        web.song("schemes", f"/s{number}.mp3")
        link("", "", written.replace("{base}", web.url("schemes", "")).replace("{host}", f"schemes.example:{web.port}"))
    for path, (label, body) in PAGES.items():
        web.put("pages", path, body, label)
        web.song("pages", f"{path}.mp3")
        link("pages", path)
    web.put(
        "moved",
        "/old",
        "<rss xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel>"
        "<itunes:new-feed-url> {base}/new </itunes:new-feed-url></channel></rss>",
        "text/xml",
    )
    web.put("moved", "/new", RSS.replace("{name}", "moved"), "text/html")
    web.song("moved", "/moved.mp3")
    link("moved", "/old")
    # Longer than a page may be; compressed it is known for a list only when it is read.
    noise = "".join(f"<item><title>{number**9:x} </title></item>" for number in range(4_000))
    for number, label in enumerate(("text/html", "text/plain", "audio/x-unknown", "text/html", "")):
        text = RSS.replace("<item>", f"{noise}<item>").replace("{name}", f"long{number}")
        body = text.replace("{base}", web.url("long", "")).encode()
        coding = (("Content-Encoding", "gzip"),) if number > 2 else ()
        web.put("long", f"/{number}", gzip.compress(body) if coding else body, label, headers=coding)
        web.song("long", f"/long{number}.mp3")
        link("long", f"/{number}")
    page = f"<p>{'x' * 70_000}</p><a href='/after.mp3'>x</a>"
    web.put("long", "/page", f"<html>{page}", "audio/mpeg")
    web.song("long", "/after.mp3")
    link("long", "/page")
    web.put("station", "/", "<p>A station: <a href='/;'>listen</a> <a href='/;stream/1'>or here</a>")
    for path in ("/;", "/;stream/1"):
        web.put("station", path, SONG, "audio/mpeg", headers=(("icy-name", f"Station {path}"), ("icy-metaint", "8192")))
    link("station", "/")
    web.put("start", "/", f"<html><title>Start</title>{''.join(web.links)}")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with ListsWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("labels"))
        crawl.run("-o", "items.jl", **quick(0.02), seed=web.url("start", "/"), PAGE_MAX_BYTES=100_000)
        crawl.found = {}
        for item in crawl.items():
            parts = urlsplit(item["content_url"])
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            crawl.found[parts.hostname.removesuffix(".example"), path] = item
        yield crawl


def missing(crawl, host, paths):
    return [path for path in paths if (host, path) not in crawl.found]


def test_a_list_is_read_under_any_label(crawled):
    found = {path for host, path in crawled.found if host.startswith("lists")}
    assert [name for name in LISTS if f"/{name}.mp3" not in found] == []


def test_the_answer_of_a_download_script_is_probed(crawled):
    assert missing(crawled, "scripts", BINARY) == []
    # Little of a file is enough, whatever its label is.
    read = {entry.path: entry.bytes_sent for entry in crawled.web.log if entry.host.startswith("scripts")}
    assert max(read.values()) <= 200_000


def test_the_declared_type_of_an_enclosure_precedes_its_ending(crawled):
    assert missing(crawled, "declared", (*DECLARED, "/s.dll")) == []
    assert not crawled.web.asked("declared", "/no.exe")
    assert not crawled.web.asked("declared", "/no.zip")


def test_a_sitemap_is_asked_for_whatever_its_name(crawled):
    assert missing(crawled, "maps", [f"/m{number}.mp3" for number in range(len(SITEMAPS) + len(INDEXED))]) == []


def test_a_page_that_forwards_is_followed(crawled):
    assert missing(crawled, "forwards", [path.replace("r", "t") + ".html" for path in FORWARDS]) == []


def test_links_of_podcast_programs_lead_to_feeds(crawled):
    assert missing(crawled, "schemes", [f"/s{number}.mp3" for number in range(1, 7)]) == []


def test_a_page_stays_a_page_whatever_its_label_and_text(crawled):
    assert missing(crawled, "pages", [f"{path}.mp3" for path in PAGES]) == []


def test_a_feed_that_has_moved_is_read_at_its_new_place(crawled):
    assert missing(crawled, "moved", ["/moved.mp3"]) == []


def test_a_list_that_is_longer_than_a_page_is_read_whole(crawled):
    assert missing(crawled, "long", [f"/long{number}.mp3" for number in range(5)]) == []
    assert [len(crawled.web.asked("long", f"/{number}")) for number in range(5)] == [1, 1, 1, 2, 2]


def test_a_page_is_read_as_far_as_any_whatever_its_label(crawled):
    assert missing(crawled, "long", ["/after.mp3"]) == []


def test_the_stream_of_a_station_is_not_its_page(crawled):
    assert crawled.web.asked("station", "/")
    assert crawled.found["station", "/;"]["title"] == "Station /;"
    assert missing(crawled, "station", ["/;stream/1"]) == []
