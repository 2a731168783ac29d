"""Sitemaps, playlists, manifests: which is which, and what each says."""

import gzip

import pytest
from harness import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from mediacrawl.extract import Manifest, list_form, parse_list, unpacked
from mediacrawl.extract.feeds import MAX_ENTRIES
from mediacrawl.extract.playlists import MOST_ENTRIES, PLAIN, XML
from mediacrawl.records import Kind

URL = "https://site.example/list"

SITEMAP = b"""<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
<url><loc> https://site.example/1 </loc><image:image><image:loc>https://site.example/1.jpg</image:loc></image:image>
<video:video><video:title>Eins &amp; zwei</video:title><video:content_loc>https://cdn.example/v?id=1</video:content_loc>
<video:player_loc allow_embed="yes">https://site.example/player?v=1</video:player_loc><video:duration>600</video:duration>
<video:publication_date>2024-05-01T10:00:00+02:00</video:publication_date><video:tag>Meer</video:tag><video:tag>Wind</video:tag>
<video:family_friendly>yes</video:family_friendly><video:description>Vom Meer</video:description></video:video>
<video:video><video:title>Drei</video:title><video:player_loc>/player?v=3</video:player_loc></video:video></url>
<url><loc>https://site.example/2</loc><lastmod>2024-01-01</lastmod></url></urlset>"""

HLS = b"""#EXTM3U
#EXT-X-VERSION:3
#EXT-X-TARGETDURATION:10
#EXTINF:9.5,
0.ts
#EXTINF:9.5,
1.ts
#EXTINF:3.000,
2.ts
#EXT-X-ENDLIST
"""
MASTER = b"""#EXTM3U
#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360,CODECS="avc1.4d401e,mp4a.40.2"
low.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=2500000,RESOLUTION=1280x720,FRAME-RATE=25.000,CODECS="avc1.4d401f,mp4a.40.2"
high.m3u8
"""
DASH = b"""<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"
mediaPresentationDuration="PT1M3.5S">
<ProgramInformation><Title>Film</Title></ProgramInformation><Period><AdaptationSet mimeType="video/mp4" codecs="hvc1.1"
frameRate="30000/1001"><Representation bandwidth="1000" width="1920" height="1080"/></AdaptationSet>
<AdaptationSet><Representation codecs="mp4a.40.2" bandwidth="99"/></AdaptationSet></Period></MPD>"""
XSPF = """<?xml version="1.0" encoding="UTF-8"?><playlist version="1" xmlns="http://xspf.org/ns/0/"><title>Lieder</title>
<trackList><track><location>http://cdn.example/1.ogg</location><location>http://cdn.example/1.mp3</location>
<title>Eins</title><creator>Ада</creator><album>A</album><annotation>Live</annotation><duration>61500</duration></track>
</trackList></playlist>""".encode()
ASX = b"""<ASX version = "3.0"><TITLE>Radio & mehr</TITLE><Entry><Title>Eins & Zwei</Title><Author>Ada</author>
<REF HREF="http://cdn.example/1.wma?a=1&b=2" /><ref href='mms://x.example/1'/><Duration value="00:01:05"/></entry>
<entryref href=http://site.example/2.asx></ASX>"""
PLS = b"""[playlist]
NumberOfEntries=2
File2=b.mp3
Title2=Zwei
Length2=-1
file1=a.mp3
Title1=Eins
Length1=61
"""
OPML = b"""<opml version="2.0"><body><outline text="Gruppe"><outline text="A" xmlUrl="https://a.example/feed"/>
<outline title="B" type="rss" xmlUrl="https://b.example/feed"/></outline></body></opml>"""
M3U = """#EXTM3U
#PLAYLIST:Liste
#EXTALB:Album
#EXTINF:61,Ada - Eins
one.mp3

#EXTINF:-1 tvg-logo="/l.png" group-title="News, x",Zwei, drei
http://cdn.example/two
"""


def facts(listed):
    return {each.key: each.text for each in listed.facts}


@pytest.mark.parametrize(
    ("content_type", "body", "url", "form"),
    [
        ("text/xml", SITEMAP, URL, "sitemap"),
        ("text/xml", b"<sitemapindex><sitemap/></sitemapindex>", URL, "sitemap"),
        ("text/html", b"<?xml version='1.0'?><rss/>", URL, "feed"),
        ("audio/x-mpegurl", M3U.encode(), URL, "m3u"),
        ("text/plain", b"\xef\xbb\xbf" + M3U.encode(), URL, "m3u"),
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


def test_a_sitemap_names_pages_and_videos():
    found = parse_list("sitemap", SITEMAP, URL)
    assert [(link.href, link.kind) for link in found.links] == [
        ("https://cdn.example/v?id=1", Kind.MEDIA),
        ("https://site.example/1", None),
        ("https://site.example/2", None),
    ]
    assert facts(found.links[0]) == {
        "type": "VideoObject",
        "title": "Eins & zwei",
        "duration": "600",
        "upload_date": "2024-05-01T08:00:00Z",
        "description": "Vom Meer",
        "keywords": "Wind",
        "explicit": "no",
        "player_url": "https://site.example/player?v=1",
    }
    (player,) = found.players
    assert (player.href, player.page, player.title) == ("/player?v=3", "https://site.example/1", "Drei")


def sitemap(*entries):
    spaces = """xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
    xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" """
    body = "".join(f"<url><loc>https://site.example/1</loc>{entry}</url>" for entry in entries)
    return parse_list("sitemap", f"<urlset {spaces}>{body}</urlset>".encode(), URL)


def video(said, href="https://cdn.example/1.mp4"):
    return f"<video:video><video:content_loc>{href}</video:content_loc>{said}</video:video>"


@pytest.mark.parametrize(
    ("said", "key", "texts"),
    [
        ("<video:live>yes</video:live>", "is_live", ["yes"]),
        ("<video:live>YES</video:live>", "is_live", ["yes"]),
        ("<video:live>no</video:live>", "is_live", []),
        ("<video:live>soon</video:live>", "is_live", []),
        ('<video:uploader info="https://site.example/ann">Ann</video:uploader>', "artist", ["Ann"]),
        ("<video:tag>Meer</video:tag><video:tag>Wind</video:tag>", "keywords", ["Meer", "Wind"]),
        ("<video:tag>x</video:tag>" * 32, "keywords", ["x"] * 5),
        ("<video:category>Cooking</video:category>", "genre", ["Cooking"]),
        ("<video:family_friendly>no</video:family_friendly>", "explicit", ["yes"]),
        ("<video:family_friendly>yes</video:family_friendly>", "explicit", ["no"]),
        ("<video:family_friendly>perhaps</video:family_friendly>", "explicit", []),
        ("<video:view_count>1234</video:view_count>", "views", ["1234"]),
    ],
)
def test_the_video_extension_says_more_of_a_video(said, key, texts):
    (media, page) = sitemap(video(said)).links
    assert [each.text for each in media.facts if each.key == key] == texts
    assert page.facts == ()


def test_who_may_watch_a_video_is_nothing_about_its_file():
    said = """<video:title>Film</video:title><video:restriction relationship="allow">IE GB</video:restriction>
    <video:platform relationship="deny">tv</video:platform><video:price currency="EUR">1.99</video:price>
    <video:requires_subscription>yes</video:requires_subscription>"""
    (media, _) = sitemap(video(said)).links
    assert facts(media) == {"type": "VideoObject", "title": "Film"}


NEWS = """<news:news><news:publication><news:name>Blatt</news:name><news:language>de</news:language></news:publication>
<news:publication_date>2024-05-01T10:00:00+02:00</news:publication_date><news:title>Sturm</news:title></news:news>"""
OF_NEWS = {"date": "2024-05-01T08:00:00Z", "language": "de"}


def test_what_a_sitemap_says_of_news_is_about_the_only_video_of_the_entry():
    (media, _) = sitemap(video("") + NEWS).links
    assert facts(media) == {"type": "VideoObject", "title": "Sturm", **OF_NEWS}
    (media, _) = sitemap(NEWS + video("<video:title>Film</video:title>")).links
    assert [each.text for each in media.facts if each.key == "title"] == ["Film", "Sturm"]


def test_the_title_of_news_is_none_of_several_videos_and_news_alone_says_nothing():
    several = sitemap(NEWS + video("") + video("", "https://cdn.example/2.mp4")).links
    assert [facts(link) for link in several[:2]] == [{"type": "VideoObject", **OF_NEWS}] * 2
    (page,) = sitemap(NEWS).links
    assert page.facts == ()


def test_an_index_names_sitemaps():
    body = b"<sitemapindex><sitemap><loc>https://site.example/a.xml.gz</loc></sitemap></sitemapindex>"
    (link,) = parse_list("sitemap", body, URL).links
    assert (link.href, link.kind) == ("https://site.example/a.xml.gz", Kind.LIST)


def test_a_long_sitemap_is_cut_and_counted():
    body = b"<urlset>" + b"<url><loc>https://site.example/1</loc></url>" * (MAX_ENTRIES + 3) + b"</urlset>"
    found = parse_list("sitemap", body, URL)
    assert (len(found.links), found.cut) == (MAX_ENTRIES, 3)


def test_a_packed_sitemap_is_unpacked_as_far_as_is_wanted():
    assert unpacked(gzip.compress(SITEMAP), 10_000) == SITEMAP
    assert unpacked(gzip.compress(SITEMAP)[:-20], 10_000) in SITEMAP
    bomb = gzip.compress(bytes(50_000_000))
    assert len(bomb) < 60_000
    assert len(unpacked(bomb, 100_000)) == 100_000
    assert unpacked(b"\x1f\x8bnothing", 100) == b""
    assert unpacked(SITEMAP, 5) == SITEMAP


def test_an_m3u_says_what_stands_before_each_entry():
    found = parse_list("m3u", M3U.encode(), URL)
    assert found.title == "Liste"
    first, second = found.links
    assert (first.href, first.title, first.kind) == ("one.mp3", "Ada - Eins", Kind.MEDIA)
    assert facts(first) == {"title": "Ada - Eins", "duration": "61", "album": "Album"}
    assert (second.href, second.title) == ("http://cdn.example/two", "Zwei, drei")
    assert facts(second) == {"title": "Zwei, drei", "thumbnail_url": "/l.png", "genre": "News, x"}


def test_a_pls_is_in_the_order_of_its_numbers():
    first, second = parse_list("pls", PLS.replace(b"\n", b"\r\n"), URL).links
    assert (first.href, facts(first)) == ("a.mp3", {"title": "Eins", "duration": "61"})
    assert (second.href, facts(second)) == ("b.mp3", {"title": "Zwei"})


def test_an_xspf_has_several_places_of_one_track():
    found = parse_list("xspf", XSPF, URL)
    assert found.title == "Lieder"
    assert [link.href for link in found.links] == ["http://cdn.example/1.ogg", "http://cdn.example/1.mp3"]
    assert facts(found.links[1]) == {
        "title": "Eins",
        "artist": "Ада",
        "album": "A",
        "duration": "61.5",
        "description": "Live",
    }


@pytest.mark.parametrize(
    ("playlist", "tracks", "track", "location", "href"),
    [
        ("", "", "", "a.ogg", "a.ogg"),
        ("http://cdn.example/x/", "", "", "a.ogg", "http://cdn.example/x/a.ogg"),
        ("http://cdn.example/x/", "", "", "/a.ogg", "http://cdn.example/a.ogg"),
        ("http://cdn.example/x/", "", "", "http://b.example/a.ogg", "http://b.example/a.ogg"),
        ("http://cdn.example/x/", "y/", "z/", "a.ogg", "http://cdn.example/x/y/z/a.ogg"),
        ("http://cdn.example/x/", "y/", "", "a.ogg", "http://cdn.example/x/y/a.ogg"),
        ("x/", "", "", "a.ogg", "https://site.example/x/a.ogg"),
        ("", "", "http://b.example/", "a.ogg", "http://b.example/a.ogg"),
        ("mailto:x", "", "", "a.ogg", "a.ogg"),
        ("http://[", "", "", "a.ogg", "a.ogg"),
    ],
)
def test_the_places_of_an_xspf_are_relative_to_its_bases(playlist, tracks, track, location, href):
    base = [f' xml:base="{each}"' if each else "" for each in (playlist, tracks, track)]
    body = f"""<playlist xmlns="http://xspf.org/ns/0/"{base[0]}><trackList{base[1]}><track{base[2]}>
    <location>{location}</location><location>{location}?2</location></track></trackList></playlist>"""
    found = parse_list("xspf", body.encode(), URL)
    assert [link.href for link in found.links] == [href, f"{href}?2"]


def test_the_picture_of_a_track_is_a_whole_url():
    body = b"<playlist><track><location>a.ogg</location><image>p.jpg</image></track></playlist>"
    assert facts(parse_list("xspf", body, URL).links[0]) == {"thumbnail_url": "https://site.example/p.jpg"}


def test_an_asx_is_read_though_it_is_no_xml():
    found = parse_list("asx", ASX, URL)
    assert found.title == "Radio & mehr"
    assert [link.href for link in found.links] == [
        "http://cdn.example/1.wma?a=1&b=2",
        "mms://x.example/1",
        "http://site.example/2.asx",
    ]
    assert facts(found.links[0]) == {"title": "Eins & Zwei", "artist": "Ada", "duration": "65"}
    assert facts(found.links[2]) == {}


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


def test_whole_characters_beside_them_are_read():
    body = "<urlset><url><loc>&#xd7ff;&#xe000;&#55295;&#57344;&#x1d800;&#x20AC;</loc></url></urlset>"
    (link,) = parse_list("sitemap", body.encode(), URL).links
    assert link.href == "\ud7ff\ue000\ud7ff\ue000\U0001d800€"


def test_white_space_in_the_tags_of_an_asx_is_passed_over():
    body = b"<asx>< \n entry ><\tref \n href = a.mp3 / >< / entry><" + b" " * 5_000 + b"<ref href='b.mp3'>"
    assert [link.href for link in parse_list("asx", body, URL).links] == ["a.mp3", "b.mp3"]


def test_an_opml_names_feeds():
    links = parse_list("opml", OPML, URL).links
    assert [(link.href, link.title, link.kind, link.via) for link in links] == [
        ("https://a.example/feed", "A", Kind.LIST, "feed"),
        ("https://b.example/feed", "B", Kind.LIST, "feed"),
    ]


@pytest.mark.parametrize(
    ("attributes", "href", "via", "kind"),
    [
        ('type="rss" text="x" xmlUrl=" /f " htmlUrl="/h"', "/f", "feed", Kind.LIST),
        ('type="rss" title="x" xmlurl="/f"', "/f", "feed", Kind.LIST),
        ('type="atom" text="x" url="/f"', "/f", "feed", Kind.LIST),
        ('type="include" text="x" url="/more"', "/more", "feed", Kind.LIST),
        ('type="link" text="x" url="/more.opml"', "/more.opml", "feed", Kind.LIST),
        ('type="link" text="x" url="/page"', "/page", "feed", None),
        ('type="link" text="x" url="/a.mp3"', "/a.mp3", "playlist", Kind.MEDIA),
        ('type="audio" text="x" URL="/tune?id=1"', "/tune?id=1", "playlist", Kind.MEDIA),
        ('type="video/mp4" text="x" url="/tune?id=1"', "/tune?id=1", "playlist", Kind.MEDIA),
    ],
)
def test_an_outline_says_what_it_refers_to(attributes, href, via, kind):
    (link,) = parse_list("opml", f"<opml><body><outline {attributes}/></body></opml>".encode(), URL).links
    assert (link.href, link.title, link.via, link.kind) == (href, "x", via, kind)
    assert facts(link) == ({"title": "x"} if kind is Kind.MEDIA else {})


def test_outlines_in_each_other_are_read_as_deep_as_a_parser_goes():
    deep = 200
    body = "".join(f'<outline text="{n}" xmlUrl="/{n}">' for n in range(deep)) + "</outline>" * deep
    found = parse_list("opml", f"<opml><body>{body}</body></opml>".encode(), URL)
    assert sorted(int(link.title) for link in found.links) == list(range(deep))
    deeper = "<outline xmlUrl='/x'>" * 50_000
    found = parse_list("opml", f"<opml><body>{body}{deeper}</body></opml>".encode(), URL)
    assert len(found.links) == deep


def test_outlines_without_a_reference_are_groups():
    body = b"<opml><body><outline text='group'/><outline type='link'/><outline htmlUrl='/h'/></body></opml>"
    assert parse_list("opml", body, URL).links == []


def test_the_pieces_of_a_manifest_are_no_links():
    found = parse_list("hls", HLS, URL)
    assert found.links == []
    assert found.manifest == Manifest("hls", "application/vnd.apple.mpegurl", duration=22.0)
    assert not found.manifest.is_video


def test_a_manifest_without_an_end_is_live():
    live = parse_list("hls", HLS.replace(b"#EXT-X-ENDLIST", b""), URL).manifest
    assert (live.live, live.duration) == (True, None)


def test_of_several_sizes_the_best_is_told():
    found = parse_list("hls", MASTER, URL).manifest
    assert (found.width, found.height, found.frame_rate, found.bitrate) == (1280, 720, 25.0, 2_500_000)
    assert (found.video_codec, found.audio_codec, found.live) == ("h264", "aac", False)


def test_a_dash_manifest_is_described():
    found = parse_list("dash", DASH, URL).manifest
    assert (found.title, found.duration, found.width, found.height) == ("Film", 63.5, 1920, 1080)
    assert (found.frame_rate, found.video_codec, found.audio_codec) == (29.97, "hevc", "aac")
    live = parse_list("dash", DASH.replace(b'"static"', b'"dynamic"'), URL).manifest
    assert (live.live, live.duration) == (True, None)


@pytest.mark.parametrize("form", ["m3u", "pls", "xspf", "asx"])
def test_a_long_playlist_is_cut_and_counted(form):
    many = MOST_ENTRIES + 7
    body = {
        "m3u": b"a.mp3\n" * many,
        "pls": b"".join(b"File%d=a.mp3\n" % number for number in range(many)),
        "xspf": b"<playlist>" + b"<track><location>a</location></track>" * many + b"</playlist>",
        "asx": b"<asx>" + b"<entry><ref href='a'/></entry>" * many,
    }[form]
    found = parse_list(form, body, URL)
    assert (len(found.links), found.cut) == (MOST_ENTRIES, 7)


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
    starts = (SITEMAP, HLS, MASTER, DASH, XSPF, ASX, PLS, OPML, M3U.encode())
    for start in starts:
        parse_list(form, start[: len(start) // 2] + noise, URL)
    list_form("", noise, URL)
