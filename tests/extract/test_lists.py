"""Sitemaps, playlists, manifests: which is which, and bounds. What they name is in `golden_texts`."""

import gzip
import json

import golden_texts
import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.base.content_coding import unpacked
from mediacrawl.base.terms import Kind
from mediacrawl.extract import parse_list
from mediacrawl.extract.feeds import MAX_ENTRIES
from mediacrawl.extract.lists import list_form
from mediacrawl.extract.manifests import MOST_TRACKS
from mediacrawl.extract.playlists import MOST_ENTRIES, PLAIN, XML

URL = "https://site.example/list"
LISTS = {case.name: case.text.encode() for case in golden_texts.cases("lists")}
SITEMAP = LISTS["a sitemap names pages and videos"]
HLS = LISTS["the pieces of a manifest are no links"]
MASTER = LISTS["of several sizes the best is told"]
DASH = LISTS["a dash manifest is described"]
XSPF = LISTS["an xspf has several places of one track"]
ASX = LISTS["an asx is read though it is no xml"]
PLS = LISTS["a pls is in the order of its numbers"]
OPML = LISTS["an opml names feeds"]
M3U = LISTS["an m3u says what stands before each entry"]


def facts(listed):
    return {each.key: each.text for each in listed.facts}


@pytest.mark.parametrize(
    ("content_type", "body", "url", "form"),
    [
        ("text/xml", SITEMAP, URL, "sitemap"),
        ("text/xml", b"<sitemapindex><sitemap/></sitemapindex>", URL, "sitemap"),
        ("text/html", b"<?xml version='1.0'?><rss/>", URL, "feed"),
        ("audio/x-mpegurl", M3U, URL, "m3u"),
        ("text/plain", b"\xef\xbb\xbf" + M3U, URL, "m3u"),
        ("audio/mpegurl", b"one.mp3\r\ntwo.mp3", URL, "m3u"),
        ("text/plain", b"one.mp3\ntwo.mp3", "https://site.example/L.M3U?x=1", "m3u"),
        ("application/vnd.apple.mpegurl", HLS, URL, "hls"),
        ("text/plain", MASTER, URL, "hls"),
        ("application/dash+xml", DASH, URL, "dash"),
        ("application/xml", XSPF, URL, "xspf"),
        ("video/x-ms-asf", ASX, URL, "asx"),
        ("audio/x-scpls", PLS, URL, "pls"),
        ("text/x-opml", OPML, URL, "opml"),
        ("text/plain", b"https://site.example/1\nhttps://site.example/2\n", URL, "urls"),
        ("text/plain", b"https://site.example/ is my page\nand so on", URL, ""),
        ("text/plain", b"hello", URL, ""),
        ("audio/mpegurl", b"\xff\xfb\x90\x00" + bytes(100), "https://site.example/a.m3u", ""),
        ("text/html", b"<!doctype html><html><p>[playlist]", URL, ""),
        ("audio/mpeg", b"ID3\x04\x00", URL, ""),
        ("", b"", URL, ""),
    ],
)
def test_a_list_is_known_by_its_content(content_type, body, url, form):
    assert list_form(content_type, body, url) == form


def test_a_packed_sitemap_is_unpacked_as_far_as_is_wanted():
    assert unpacked(gzip.compress(SITEMAP), 10_000) == SITEMAP
    assert unpacked(gzip.compress(SITEMAP)[:-20], 10_000) in SITEMAP
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 60_000
    assert len(unpacked(bomb, 100_000)) == 100_000
    assert unpacked(b"\x1f\x8bnothing", 100) == b""
    assert unpacked(SITEMAP, 5) == SITEMAP


@pytest.mark.parametrize(
    "body",
    [
        b'{"icestats":{"source":{"listenurl":"http://a.example:8000/live","server_name":"Eins","listeners":3}}}',
        # As Icecast writes what it does not know, and what has quotation marks.
        b'{"icestats":{"source":[{"listenurl":"http://a.example:8000/live","title": - ,"server_name":"Eins"},{}]}}',
        b'\xef\xbb\xbf {"icestats" : {"source":[{"listenurl":"http://localhost:8000/live","server_name":"Eins"}, 7]}}',
        b"<directory><entry><server_name>Eins</server_name><listen_url>http://a.example:8000/live</listen_url></entry>",
        b"<icestats><source><listenurl>http://a.example:8000/live</listenurl><server_name>Eins</server_name></source>",
        b"<directory>\n<entry><listen_url>http://a.example:8000/live</listen_url><server_name>Eins</server_name></entry>",
    ],
)
def test_the_streams_of_an_icecast_server_are_a_list(body):
    assert list_form("text/html", body, URL) == "icecast"
    (link,) = parse_list("icecast", body, "http://a.example:8000/status-json.xsl").links
    assert (link.href, link.title, link.kind) == ("http://a.example:8000/live", "Eins", Kind.MEDIA)
    assert facts(link)["title"] == "Eins"


@pytest.mark.parametrize("body", [b'{"icestats":7}', b'{"icestats":{"source":"x"}}', b'{"icestats":', b"<directory/>"])
def test_an_icecast_server_without_streams_names_none(body):
    assert parse_list("icecast", body, URL).links == []


@pytest.mark.parametrize("before", [b"", b"; made by a server\r\n", b"# one\n\n;two\n"])
def test_a_file_of_references_names_each_once(before):
    body = before + b"[Reference]\r\nRef1=http://a.example/a.wma?x\r\nref2=http://a.example/b.wma\r\nRef2=twice\r\n"
    assert list_form("text/plain", body, URL) == "pls"
    assert [link.href for link in parse_list("pls", body, URL).links] == [
        "http://a.example/a.wma?x",
        "http://a.example/b.wma",
    ]


@pytest.mark.parametrize("items", ["", "<item><link>/1</link></item>"])
@pytest.mark.parametrize("name", ["itunes:new-feed-url", "new-feed-url"])
def test_a_feed_that_has_moved_names_its_new_place(items, name):
    body = f"<rss xmlns:itunes='http://www.itunes.com/dtds/podcast-1.0.dtd'><channel><{name}> /new </{name}>{items}"
    first = parse_list("feed", f"{body}</channel></rss>".encode(), URL).links[0]
    assert (first.href, first.kind) == ("/new", Kind.LIST)


def test_an_enclosure_of_rss_1_is_one():
    body = (
        b"<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns='http://purl.org/rss/1.0/'"
        b" xmlns:enc='http://purl.oclc.org/net/rss_2.0/enc#'><item rdf:about='/1'><title>Eins</title>"
        b"<enc:enclosure rdf:resource='a.mp3' enc:type='audio/mpeg'/></item></rdf:RDF>"
    )
    link = parse_list("feed", body, URL).links[0]
    assert (link.href, link.title, facts(link)["mime"]) == ("a.mp3", "Eins", "audio/mpeg")


# -- characters --------------------------------------------------------------------------------------------------------


# The numbers that Python reads have 4,300 digits at most (sys.set_int_max_str_digits).
LONG_NUMBER = "&#" + "9" * 5_000 + ";"


@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("asx", f"<asx><entry><title>{LONG_NUMBER}Eins</title><ref href=a.mp3></entry></asx>"),
        (
            "feed",
            f"<rss><item><enclosure url='a.mp3'/><description><![CDATA[{LONG_NUMBER}Zwei]]></description></item></rss>",
        ),
    ],
)
def test_a_character_of_too_long_a_number_is_unreadable_and_the_list_is_read(form, body):
    (link,) = parse_list(form, body.encode(), URL).links
    assert link.href == "a.mp3"
    assert facts(link)["title" if form == "asx" else "description"].startswith("\ufffd")


@pytest.mark.parametrize("half", ["&#xd800;", "&#xDFFF;", "&#x00dabc;", "&#55296;", "&#57343;", "&#0056320;"])
@pytest.mark.parametrize(
    ("form", "body"),
    [
        ("feed", "<rss><channel><item><title>Eins %s</title><enclosure url='%s.mp3'/></item></channel></rss>"),
        ("sitemap", "<urlset><url><loc>%s.mp3</loc></url></urlset>"),
        ("xspf", "<playlist><track><title>Eins %s</title><location>%s.mp3</location></track></playlist>"),
        ("opml", "<opml><body><outline xmlUrl='%s.mp3' title='Eins %s'/></body></opml>"),
    ],
)
def test_half_a_character_in_xml_is_unreadable_and_the_list_is_read(form, body, half):
    (link,) = parse_list(form, body.replace("%s", half).encode(), URL).links
    assert (link.href, link.title) == ("\ufffd.mp3", "" if form == "sitemap" else "Eins \ufffd")


def test_beyond_200000_bare_ampersands_a_list_is_not_read():
    body = (
        b"<urlset><url><loc>a</loc></url><!--" + b"-->" + b"& " * 200_001 + b"<url><loc>&#xd800;b</loc></url></urlset>"
    )
    assert [link.href for link in parse_list("sitemap", body, URL).links] == ["a"]


def test_white_space_in_the_tags_of_an_asx_is_passed_over():
    body = b"<asx>< \n entry ><\tref \n href = a.mp3 / >< / entry><" + b" " * 5_000 + b"<ref href='b.mp3'>"
    assert [link.href for link in parse_list("asx", body, URL).links] == ["a.mp3", "b.mp3"]


def test_lines_may_end_as_on_windows():
    links = parse_list("pls", PLS.replace(b"\n", b"\r\n"), URL).links
    assert links == parse_list("pls", PLS, URL).links


# -- bounds ------------------------------------------------------------------------------------------------------------


def hls(*lines):
    return parse_list("hls", "\n".join(("#EXTM3U", *lines)).encode(), URL).manifest


def dash(sets, attributes='type="static" mediaPresentationDuration="PT1M"'):
    body = f'<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" {attributes}><Period>{sets}</Period></MPD>'
    return parse_list("dash", body.encode(), URL).manifest


def test_outlines_in_each_other_are_read_as_deep_as_a_parser_goes():
    deep = 200
    body = "".join(f'<outline text="{n}" xmlUrl="/{n}">' for n in range(deep)) + "</outline>" * deep
    found = parse_list("opml", f"<opml><body>{body}</body></opml>".encode(), URL)
    assert sorted(int(link.title) for link in found.links) == list(range(deep))
    deeper = "<outline xmlUrl='/x'>" * 50_000
    found = parse_list("opml", f"<opml><body>{body}{deeper}</body></opml>".encode(), URL)
    assert len(found.links) == deep


@pytest.mark.parametrize("form", ["m3u", "pls", "xspf", "asx", "sitemap"])
def test_a_long_list_is_cut_and_counted(form):
    most = MAX_ENTRIES if form == "sitemap" else MOST_ENTRIES
    many = most + 7
    body = {
        "m3u": b"a.mp3\n" * many,
        "pls": b"".join(b"File%d=a.mp3\n" % number for number in range(many)),
        "xspf": b"<playlist>" + b"<track><location>a</location></track>" * many + b"</playlist>",
        "sitemap": b"<urlset>" + b"<url><loc>/1</loc></url>" * many,
        "asx": b"<asx>" + b"<entry><ref href='a'/></entry>" * many,
    }[form]
    found = parse_list(form, body, URL)
    assert (len(found.links), found.cut) == (most, 7)


def test_a_list_of_more_lines_than_are_read_has_no_length_and_still_an_end():
    found = hls(*["#EXTINF:1,", "a.ts"] * 100_001, "#EXT-X-ENDLIST")
    assert (found.live, found.duration) == (False, None)


def test_thousands_of_tracks_are_bounded():
    renditions = [f'#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="{number}"' for number in range(5_000)]
    assert len(hls(*renditions).tracks) == MOST_TRACKS
    assert len(dash('<AdaptationSet contentType="audio"/>' * 5_000).tracks) == 1
    sets = "".join(f"<AdaptationSet contentType='text' lang='{'a' * (1 + n % 8)}-{n}'/>" for n in range(5_000))
    assert len(dash(sets).tracks) == MOST_TRACKS


@pytest.mark.parametrize(
    "body",
    [
        b"<" * 100_000,
        b"<entry " * 20_000,
        b"<ref href=" * 20_000,
        b"<a '" * 20_000,
        b"#EXTINF:" + b'"' * 100_000,
        b"#EXTINF:" + b'a"b,' * 25_000,
        b"#EXT-X-STREAM-INF:" + b"A=" * 50_000,
        b"<MPD><Period>" + b"<Representation frameRate='1/0' width='9e9'/>" * 5_000,
        b"<outline>" * 20_000,
        b"File1=" * 20_000,
        b"\n" * 200_000,
        "۱٢".encode() * 1000,
    ],
)
def test_hostile_lists_are_lists(body):
    for form in (*PLAIN, *XML, "hls", "dash", "sitemap", "feed"):
        parse_list(form, body, URL)


@settings(max_examples=examples(50))
@given(st.sampled_from([*PLAIN, *XML, "hls", "dash", "sitemap", "feed"]), st.binary(max_size=300))
def test_any_bytes_are_a_list(form, noise):
    for start in (SITEMAP, HLS, MASTER, DASH, XSPF, ASX, PLS, OPML, M3U):
        parse_list(form, start[: len(start) // 2] + noise, URL)
    list_form("", noise, URL)


@given(st.text(alphabet='ACDEGIMNORTUPY-_="x0,: \n#', max_size=200))
def test_any_rendition_is_a_track_or_none(text):
    found = hls(f"#EXT-X-MEDIA:{text}", f"#EXT-X-MEDIA:TYPE=AUDIO,{text}", f"#EXT-X-STREAM-INF:{text}")
    assert all(track.kind in ("audio", "video", "subtitle") for track in found.tracks)


# -- oEmbed -----------------------------------------------------------------------------------------------------------

OEMBED = json.loads(LISTS["an answer tells of the player and of what it plays"])


@pytest.mark.parametrize("answer", [{**OEMBED, "title": "x" * 200_000}, b"[" * 100_000, b'{"a":' * 30_000])
def test_an_answer_beyond_the_limits_has_no_player(answer):
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    assert parse_list("oembed", body, URL).players == []


@given(st.one_of(st.binary(max_size=200), st.text().map(lambda text: json.dumps({**OEMBED, "html": text}).encode())))
def test_no_answer_makes_it_raise(body):
    assert len(parse_list("oembed", body, URL).players) <= 1
    assert len(parse_list("oembed", b"<oembed>" + body, URL).players) <= 1
