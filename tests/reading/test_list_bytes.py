"""How much of a list is fetched, and what is taken for one."""

import pytest

from mediacrawl.base.terms import Evidence, Kind
from mediacrawl.download.body_bytes import BodyLimits, bytes_wanted
from mediacrawl.priority import Scores
from mediacrawl.reading.page_reader import TARGETS
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import kind_of

LIMITS = BodyLimits(page=200, head=16, single=64, lists=3_000)


@pytest.mark.parametrize(
    ("kind", "headers", "wanted"),
    [
        (Kind.PAGE, {"content-type": "application/rss+xml"}, 3_000),
        (Kind.PAGE, {"content-type": "application/feed+json; charset=utf-8"}, 3_000),
        (Kind.PAGE, {"content-type": "text/xml; charset=utf-8", "content-encoding": "gzip"}, 600),
        (Kind.PAGE, {"content-type": "application/gzip"}, 0),
        (Kind.PAGE, {"content-type": "application/x-midi"}, 16),
        (Kind.PAGE, {"content-type": "application/vnd.rn-realmedia-vbr"}, 16),
        (Kind.LIST, {"content-type": "application/gzip"}, 3_000),
        (Kind.LIST, {"content-type": "text/html"}, 3_000),
        (Kind.LIST, {"content-type": "audio/mpeg"}, 3_000),
        (Kind.LIST, {"content-type": "text/plain", "content-encoding": "gzip"}, 600),
        (Kind.MEDIA, {"content-type": "audio/x-mpegurl"}, 3_000),
        (Kind.MEDIA, {"content-type": "audio/x-mpegurl", "content-range": "bytes 0-15/99"}, 17),
    ],
)
def test_a_list_is_fetched_whole_and_what_comes_packed_in_part(kind, headers, wanted):
    assert bytes_wanted(kind, headers, LIMITS, asked=16 if kind is Kind.MEDIA else 0) == wanted


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://site.example/l.m3u8?x=1", Kind.LIST),
        ("https://site.example/map.xml.gz", Kind.LIST),
        ("https://site.example/a.mp3", Kind.MEDIA),
        ("https://site.example/A.MID", Kind.MEDIA),
        ("https://site.example/a.kar?x=1", Kind.MEDIA),
        ("https://site.example/a.mod", Kind.MEDIA),
        ("https://site.example/a.rmvb", Kind.MEDIA),
        ("https://site.example/index.html.it", Kind.PAGE),
        ("https://site.it", Kind.PAGE),
        ("https://site.example/feed.xml", Kind.PAGE),
    ],
)
def test_an_extension_tells_a_list(url, kind):
    assert kind_of(url) is kind
    assert candidate(url, Evidence("a"), Scores()).kind is kind


@pytest.mark.parametrize(("via", "kind"), [("audio", Kind.MEDIA), ("a", Kind.PAGE)])
def test_a_module_of_impulse_tracker_is_one_where_a_player_plays_it(via, kind):
    assert candidate("https://site.example/a.it", Evidence(via), Scores(), TARGETS.get(via)).kind is kind


def test_a_playlist_in_an_audio_element_is_a_list_all_the_same():
    assert candidate("https://site.example/l.pls", Evidence("audio"), Scores(), Kind.MEDIA).kind is Kind.LIST


def test_a_sitemap_goes_where_pages_go_and_a_feed_before_them():
    url, scores = "https://site.example/x", Scores()
    page, feed = scores.first(Kind.PAGE), scores.first(Kind.LIST, "feed")
    assert scores.first(Kind.LIST, "robots_sitemap") == page < feed
    assert candidate(url, Evidence("robots_sitemap"), scores, Kind.LIST).score == page
