"""A real crawl of feeds, sitemaps and playlists: what they say of a file is in its record."""

# ruff: noqa: RUF001 - national letters are what some of its texts are about

import base64
import gzip
from collections import Counter

import pytest
from crawling import Crawl, quick
from judging import stat
from lists_web import SONG, ListsWeb

SPACES = 'xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd" xmlns:atom="http://www.w3.org/2005/Atom"'
FEED = f"""<rss {SPACES}><channel><title>Morgenwelle</title><language>de</language><itunes:author>Ada</itunes:author>
<item><title>Folge 1</title><guid>eins</guid><enclosure url="{{base}}/1.mp3" length="3600" type="audio/x-mp3"/>
<itunes:duration>1:00:00</itunes:duration><pubDate>Wed, 01 May 2024 12:00:00 +0200</pubDate></item></channel></rss>"""
VIDEOS = """<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom"><title>Kanal</title>
<entry><yt:videoId>abcdefghijk</yt:videoId><title>Lied</title><link rel="alternate" href="{base}/watch?v=abcdefghijk"/>
</entry><entry><yt:videoId>bcdefghijkl</yt:videoId><title>Tanz</title></entry></feed>"""
SITEMAP = """<urlset xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"><url><loc>{base}/page</loc><video:video>
<video:title>Film</video:title><video:content_loc>{base}/file?id=7</video:content_loc></video:video></url></urlset>"""
HLS = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9.5,\n0.ts\n#EXTINF:3,\n1.ts\n#EXT-X-ENDLIST\n"
TITLE = "Группа крови"
PAGE_TITLE, ANCHOR = "Новости и песни с берега моря", "Вечерние записи"
CHANNEL, EPISODE = "Разговоры у реки", "Осенний дождь над городом"
STATION = "Радио Дальние Огни"
NAMED = "".join(f"%{octet:02X}" for octet in "Вечер".encode("cp1251")) + ".mp3"


def build(web):
    put, song = web.put, web.song
    links = "".join(f"<a href='/{name}'>{name}</a>" for name in ("feed", "v.xml", "l.m3u", "h.m3u8", "dir/"))
    links += f"<a href='{web.url('kino', '/')}'>Kino</a>"
    page = f"{links}<audio src='/long'></audio>"
    put("start", "/", f"<html><title>Start</title><body>{page}")
    put("start", "/feed", FEED, "application/rss+xml", headers=(("Link", '<https://hub.example/>; rel="hub"'),))
    song("start", "/1.mp3")
    put("start", "/v.xml", VIDEOS, "text/xml")
    put("start", "/l.m3u", f"#EXTM3U\n#EXTINF:5,{TITLE}\nlied.mp3\n".encode("cp1251"), "audio/x-mpegurl")
    song("start", "/lied.mp3")
    lines = "".join(f"#EXTINF:1,Nummer {number} {'x' * 80}\n/nothing.mp3\n" for number in range(200))
    put("start", "/long", f"#EXTM3U\n{lines}#EXTINF:1,Zuletzt\n/last.mp3\n/inner.pls\n", "audio/mpegurl")
    song("start", "/last.mp3")
    put("start", "/inner.pls", "[playlist]\nFile1=/deep.mp3\nFile2=/deeper.m3u\n", "audio/x-scpls")
    song("start", "/deep.mp3")
    put("start", "/deeper.m3u", "/toodeep.mp3\n", "audio/x-mpegurl")
    song("start", "/toodeep.mp3")
    put("start", "/h.m3u8", HLS, "application/vnd.apple.mpegurl")
    put(
        "start",
        "/dir/",
        "<title>Index of /dir/</title><pre><a href='?C=M'>x</a>\n<a href='a.mp3'>a</a> 01-May-2019 10:00 3K",
    )
    song("start", "/dir/a.mp3")
    put("start", "/robots.txt", "Sitemap: {base}/map.xml.gz\nSitemap: http://never.example/map.xml\n", "text/plain")
    packed = gzip.compress(SITEMAP.replace("{base}", web.url("start", "")).encode())
    put("start", "/map.xml.gz", packed, "application/x-gzip")
    put("start", "/page", "<html><title>Page</title>")
    # In code pages that nobody names.
    page = f"<html lang=ru><title>{PAGE_TITLE}</title><a href='/{NAMED}'>{ANCHOR}</a><a href='/live'>Live</a>"
    put("kino", "/", f"{page}<a href='/koi8.xml'>RSS</a>".encode("cp1251"))
    song("kino", f"/{NAMED}")
    entry = f"<item><title>{EPISODE}</title><enclosure url='/8.mp3' type='audio/mpeg'/></item>"
    feed = f"<rss><channel><title>{CHANNEL}</title><language>ru</language>{entry}</channel></rss>"
    put("kino", "/koi8.xml", feed.encode("koi8-r"), "application/rss+xml")
    song("kino", "/8.mp3")
    station = (("icy-name", STATION.encode("cp1251").decode("latin-1")), ("icy-metaint", "4096"))
    words = f"StreamTitle='{EPISODE}';".encode("cp1251")
    words += bytes(-len(words) % 16)
    body = SONG[:4_096] + bytes((len(words) // 16,)) + words + SONG[4_096:]
    put("kino", "/live", body, "audio/mpeg", headers=station)
    song("start", "/file?id=7")
    web.never_crawl = "never.example\n"
    web.hosts["never.example"] = "127.0.0.1"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with ListsWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("lists"))
        crawl.run("-o", "items.jl", **quick(0.05), seed=web.url("start", "/"))
        crawl.by_url = {item["content_url"]: item for item in crawl.items()}
        yield crawl


def item(crawl, path):
    return crawl.by_url[crawl.web.url("start", path)]


def test_an_episode_has_what_its_feed_says(crawled):
    found = item(crawled, "/1.mp3")
    assert (found["title"], found["artist"], found["podcast"], found["type"]) == (
        "Folge 1",
        "Ada",
        "Morgenwelle",
        "PodcastEpisode",
    )
    assert (found["date"], found["guid"], found["hub_url"]) == ("2024-05-01T10:00:00Z", "eins", "https://hub.example/")
    assert found["feed_url"] == crawled.web.url("start", "/feed")
    # What the feed claims of it is evidence, and not its length.
    assert found["duration"] < 60
    assert found["content_size"] != 3600
    told = {tag["frame"]: tag["text"] for tag in found["tags"] if tag["source"] == "feed"}
    assert (told["enclosure@length"], told["itunes:duration"]) == ("3600", "3600")


def test_videos_of_a_channel_are_records_and_their_pages_are_not_asked(crawled):
    for name, title in (("abcdefghijk", "Lied"), ("bcdefghijkl", "Tanz")):
        found = crawled.by_url[f"https://www.youtube.com/embed/{name}"]
        assert (found["title"], found["probe_status"], found["discovered_via"]) == (title, "page", "feed")
    assert not [entry for entry in crawled.web.log if "watch" in entry.path]


def test_a_title_in_an_unnamed_encoding_comes_out_right(crawled):
    found = item(crawled, "/lied.mp3")
    assert (found["title"], found["discovered_via"]) == (TITLE, "playlist")
    (tag,) = [tag for tag in found["tags"] if tag["frame"] == "#EXTINF" and tag["key"] == "title"]
    assert (tag["declared"], tag["encoding"], tag["document"]) == ("cp1251", "cp1251", "models")


def other(crawl, host, path):
    return crawl.by_url[crawl.web.url(host, path)]


def told(found, frame, source="page"):
    (tag,) = [tag for tag in found["tags"] if (tag["source"], tag["frame"]) == (source, frame)]
    return tag


def test_a_page_that_names_no_encoding_is_decided_whole(crawled):
    found = other(crawled, "kino", f"/{NAMED}")
    assert (found["page_title"], found["anchor_text"], found["page_charset"]) == (PAGE_TITLE, ANCHOR, "cp1251")
    for frame, text in (("page_title", PAGE_TITLE), ("anchor_text", ANCHOR)):
        tag = told(found, frame)
        assert (tag["text"], tag["declared"], tag["document"], tag["decision"]) == (
            text,
            "cp1251",
            "models",
            "declared",
        )
        assert base64.b64decode(tag["raw_b64"]) == text.encode("cp1251")


def test_a_file_name_in_a_code_page_is_evidence(crawled):
    tag = told(other(crawled, "kino", f"/{NAMED}"), "path", "url")
    assert (tag["key"], tag["text"], tag["encoding"]) == ("filename", "Вечер.mp3", "cp1251")
    assert base64.b64decode(tag["raw_b64"]) == "Вечер.mp3".encode("cp1251")


def test_a_feed_that_names_no_encoding_is_decided_whole(crawled):
    found = other(crawled, "kino", "/8.mp3")
    assert (found["title"], found["page_title"], found["anchor_text"]) == (EPISODE, CHANNEL, EPISODE)
    tag = told(found, "title", "feed")
    assert (tag["declared"], tag["document"]) == ("koi8_r", "models")


def test_a_station_says_its_name_in_a_code_page(crawled):
    found = other(crawled, "kino", "/live")
    assert (found["title"], found["probe_status"]) == (STATION, "stream")
    assert told(found, "StreamTitle", "icy")["text"] == EPISODE


def test_a_list_that_was_taken_for_a_file_is_read_to_its_end(crawled):
    assert [entry.range for entry in crawled.web.asked("start", "/long")] == ["bytes=0-16383", ""]
    assert item(crawled, "/last.mp3")["title"] == "Zuletzt"


def test_a_list_in_a_list_is_read_and_a_third_is_not(crawled):
    assert item(crawled, "/deep.mp3")["discovered_via"] == "playlist/playlist"
    assert crawled.web.asked("start", "/deeper.m3u")
    assert not crawled.web.asked("start", "/toodeep.mp3")


def test_a_manifest_is_a_record_and_its_pieces_are_not_asked(crawled):
    found = item(crawled, "/h.m3u8")
    assert (found["probe_status"], found["duration"], found["container"]) == ("stream", 12.5, "hls")
    assert not [entry for entry in crawled.web.log if entry.path.endswith(".ts")]


def test_the_sitemap_of_a_robots_txt_joins_and_names_files(crawled):
    assert item(crawled, "/file?id=7")["title"] == "Film"
    assert crawled.web.asked("start", "/page")
    assert not [entry for entry in crawled.web.log if entry.host == "never.example"]


def test_a_list_of_files_tells_their_size_and_is_not_sorted(crawled):
    told = {tag["frame"]: tag["text"] for tag in item(crawled, "/dir/a.mp3")["tags"] if tag["source"] == "page"}
    assert told == {"index:date": "2019-05-01T10:00", "index:size": "3072"}
    assert not crawled.web.asked("start", "/dir/?C=M")
    assert stat(crawled, "drop/index_link") == 1


def test_everything_is_asked_once(crawled):
    asked = Counter(entry.url for entry in crawled.web.log if not entry.range)
    assert asked.most_common(1)[0][1] == 1
