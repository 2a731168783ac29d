"""A real crawl whose second page, and second feed, describe files that have records already."""

import json

import pytest
from crawling import Crawl
from judging import stat
from lists_web import ListsWeb

from mediacrawl.store import Catalogue

QUICK = ("-s", "POLITENESS_FIRST_DELAY=0.05", "-s", "POLITENESS_MIN_DELAY=0.05", "-s", "POLITENESS_FACTOR=0")
PODCAST = 'xmlns:podcast="https://podcastindex.org/namespace/1.0"'


def build(web):
    web.song("start", "/song.mp3")
    web.song("start", "/talk.mp3")
    web.put("start", "/", "<title>Start</title><a href='/song.mp3'>A song</a> <a href='/talk.mp3'>A talk</a>")
    facts = {
        "@context": "https://schema.org",
        "@type": "AudioObject",
        "name": "Nachtlied",
        "license": "https://creativecommons.org/licenses/by/4.0/",
        "contentUrl": web.url("start", "/song.mp3"),
    }
    script = f"<script type='application/ld+json'>{json.dumps(facts)}</script>"
    web.put("other", "/", f"<title>Credits</title>{script}<a href='/feed'>Feed</a>")
    item = f"<item><title>Gespräch</title><enclosure url='{web.url('start', '/talk.mp3')}' type='audio/mpeg'/>"
    item += "<podcast:location>Bergen</podcast:location></item>"
    feed = f"<rss {PODCAST}><channel><title>Am Fluss</title>{item}</channel></rss>"
    web.put("other", "/feed", feed, "application/rss+xml; charset=utf-8")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with ListsWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("described"))
        for host in ("start", "other"):
            crawl.start(*QUICK, seed=web.url(host, "/"))
            assert crawl.wait() == 0, crawl.text()[-3000:]
        yield crawl


def record(crawl, path):
    with Catalogue(crawl.folder / "state" / "media.db", read_only=True) as catalogue:
        return next(each for each in catalogue.newest() if each["content_url"] == crawl.web.url("start", path))


def test_a_second_page_adds_to_the_record_and_is_named(crawled):
    found = record(crawled, "/song.mp3")
    assert (found["title"], found["license_url"]) == ("Nachtlied", "https://creativecommons.org/licenses/by/4.0/")
    # The record is still the file's own: found on the first page, probed once.
    assert (found["page_url"], found["anchor_text"], found["probe_status"]) == (
        crawled.web.url("start", "/"),
        "A song",
        "complete",
    )
    pages = {tag["key"]: tag["page_url"] for tag in found["tags"] if "page_url" in tag}
    assert pages["license_url"] == pages["title"] == crawled.web.url("other", "/")


def test_so_does_a_second_feed(crawled):
    found = record(crawled, "/talk.mp3")
    assert (found["title"], found["podcast"], found["location"]) == ("Gespräch", "Am Fluss", "Bergen")


def test_no_file_is_requested_again(crawled):
    assert {len(crawled.web.asked("start", path)) for path in ("/song.mp3", "/talk.mp3")} == {1}
    assert stat(crawled, "catalogue/described") == 2
