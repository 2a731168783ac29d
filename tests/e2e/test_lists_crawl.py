"""A real crawl of feeds, sitemaps and playlists: what they say of a file stands in its record."""

import gzip
import json
from collections import Counter

import pytest
from crawling import Crawl
from judging import stat
from lists_web import ListsWeb

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


def build(web):
    put, song = web.put, web.song
    links = "".join(f"<a href='/{name}'>{name}</a>" for name in ("feed", "v.xml", "l.m3u", "h.m3u8", "dir/"))
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
    song("start", "/file?id=7")
    web.never_crawl = "never.example\n"
    web.hosts["never.example"] = "127.0.0.1"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with ListsWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("lists"))
        quick = ("-s", "POLITENESS_FIRST_DELAY=0.05", "-s", "POLITENESS_MIN_DELAY=0.05", "-s", "POLITENESS_FACTOR=0")
        crawl.start("-o", "items.jl", *quick, seed=web.url("start", "/"))
        assert crawl.wait() == 0, crawl.text()[-3000:]
        lines = (crawl.folder / "items.jl").read_text(encoding="utf-8").splitlines()
        crawl.items = {item["content_url"]: item for item in map(json.loads, lines)}
        yield crawl


def item(crawl, path):
    return crawl.items[crawl.web.url("start", path)]


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
        found = crawled.items[f"https://www.youtube.com/embed/{name}"]
        assert (found["title"], found["probe_status"], found["discovered_via"]) == (title, "page", "feed")
    assert not [entry for entry in crawled.web.log if "watch" in entry.path]


def test_a_title_in_an_unnamed_encoding_comes_out_right(crawled):
    found = item(crawled, "/lied.mp3")
    assert (found["title"], found["discovered_via"]) == (TITLE, "playlist")
    (tag,) = [tag for tag in found["tags"] if tag["frame"] == "#EXTINF" and tag["key"] == "title"]
    assert (tag["declared"], tag["encoding"]) == ("latin-1", "cp1251")


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
