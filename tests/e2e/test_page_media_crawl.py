"""A real crawl of pages with media: what a page says is in the record of the file, or alone."""

import json
from collections import Counter
from html import escape

import pytest
from crawling import Crawl, quick
from judging import stat
from lists_web import ListsWeb

from mediacrawl.store import Catalogue

FILM = {
    "@type": "PodcastEpisode",
    "name": "Die Brücke",
    "author": {"@type": "Person", "name": "Ada"},
    "duration": "PT9H",
    "associatedMedia": {"@type": "MediaObject", "contentUrl": "/get?id=1"},
}
ALONE = {"@type": "VideoObject", "name": "Nur im Player", "duration": "PT2M", "embedUrl": "http://never.example/e/1"}
CARD = '<meta property="og:title" content="{}"><meta property="og:video" content="{}">'
CARD += '<meta property="og:video:type" content="text/html">'
MORE = '<link rel="alternate" type="application/json+oembed" href="/{}">'
MORE += '<link rel="alternate" type="text/xml+oembed" href="/{}">'
TOLD = {"type": "video", "title": "Der Fluss", "author_name": "Mia", "duration": 95}


def json_ld(facts):
    return f'<script type="application/ld+json">{json.dumps(facts)};</script>'


def build(web):
    player = web.put("player", "/p/1", "<title>P</title><audio src='/hidden.mp3' title='los'></audio>")
    web.song("player", "/hidden.mp3")
    names = ("film", "alone", "noindex", "nofollow", "framed", "shown", "said", "named", "bound", "wrong")
    links = "".join(f'<a href="/{name}">{name}</a>' for name in names)
    web.put("start", "/", f"<html lang=de><title>Start</title><p>Eine Liste von Seiten</p>{links}")
    web.put("start", "/film", f"<html lang=de><title>Film</title>{json_ld(FILM)}<link rel=license href=/cc>")
    web.song("start", "/get?id=1")
    web.put("start", "/alone", f"<html lang=de><title>Allein</title><p>Ein Film, nur hier.</p>{json_ld(ALONE)}")
    told = json_ld({**ALONE, "embedUrl": "http://never.example/e/2"})
    web.put(
        "start",
        "/noindex",
        f"<meta name=robots content=noindex><p>Nicht zu nennen.</p>{told}<audio src=/n.mp3 title=N>",
    )
    web.song("start", "/n.mp3")
    web.put(
        "start",
        "/nofollow",
        f"<meta name=robots content=nofollow><p>Nicht zu folgen.</p>{json_ld({**FILM, 'audio': '/x.mp3'})}",
    )
    web.put("start", "/framed", f"<title>Rahmen</title><p>Ein Lied im Rahmen.</p>{CARD.format('Das Lied', player)}")
    shown = {name: f"http://never.example/{name}" for name in ("shown", "said", "named", "bound", "wrong")}
    card = {name: CARD.format("Der Fluss", player) for name, player in shown.items()}
    web.put(
        "start",
        "/shown",
        f"<title>Gezeigt</title><p>Ein Fluss.</p>{card['shown']}{MORE.format('about.json', 'about?n=1')}",
    )
    frame = '<iframe src="http://never.example/frame/1"></iframe>'
    told = "".join(f"<{name}>{escape(str(text))}</{name}>" for name, text in {**TOLD, "html": frame}.items())
    web.put("start", "/about?n=1", f"<oembed>{told}</oembed>", "text/xml")
    # What is described for machines needs no more, nor what names its author; and what is not to be followed is not.
    told = json_ld({**ALONE, "embedUrl": shown["said"]})
    web.put(
        "start", "/said", f"<title>Gesagt</title><p>Ein Film, beredt.</p>{told}{MORE.format('about?n=2', 'about?n=3')}"
    )
    author = f"<meta name=author content=Ada>{card['named']}{MORE.format('about?n=6', 'about?n=7')}"
    web.put("start", "/named", f"<title>Benannt</title><p>Ein Film mit Namen.</p>{author}")
    bound = f"<meta name=robots content=nofollow>{card['bound']}{MORE.format('about?n=8', 'about?n=9')}"
    web.put("start", "/bound", f"<title>Gebunden</title><p>Ein Film, still und stumm.</p>{bound}")
    web.put(
        "start",
        "/wrong",
        f"<title>Falsch</title><p>Kein Fluss.</p>{card['wrong']}{MORE.format('about?n=4', 'about?n=5')}",
    )
    web.put("start", "/about?n=4", json.dumps({**TOLD, "html": ""}), "application/json")
    web.never_crawl = "never.example\n"


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with ListsWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("pages"))
        crawl.run("-o", "items.jl", **quick(0.05), seed=web.url("start", "/"))
        lines = crawl.items()
        crawl.by_url = {item["content_url"]: item for item in lines}
        # What is told of one player comes after what its page says.
        assert len(crawl.by_url) == len(lines) - 1
        yield crawl


def record(crawled, host, path):
    return crawled.by_url[crawled.web.url(host, path)]


def test_what_a_page_says_stands_in_the_record_of_its_file(crawled):
    found = record(crawled, "start", "/get?id=1")
    assert found["probe_status"] == "complete"
    assert (found["type"], found["title"], found["artist"]) == ("PodcastEpisode", "Die Brücke", "Ada")
    assert found["license_url"] == crawled.web.url("start", "/cc")
    assert (found["discovered_via"], found["page_title"], found["page_language"]) == ("json-ld", "Film", "de")
    assert {tag["source"] for tag in found["tags"]} == {"page"}


def test_a_player_whose_file_cannot_be_had_stands_alone(crawled):
    found = crawled.by_url["http://never.example/e/1"]
    assert (found["probe_status"], found["type"], found["title"]) == ("page", "VideoObject", "Nur im Player")
    assert (found["duration"], found["bytes_fetched"], found["requests"]) == (120, 0, 0)
    assert found["page_url"] == crawled.web.url("start", "/alone")
    assert found["embed_url"] == "http://never.example/e/1"


def test_of_a_page_that_is_not_to_be_listed_no_word_stands_in_a_record(crawled):
    assert "http://never.example/e/2" not in crawled.by_url
    found = record(crawled, "start", "/n.mp3")
    assert (found["tags"], found["title"], found["page_title"]) == ([], None, None)


def test_a_page_that_is_not_to_be_followed_gives_no_file_and_no_record(crawled):
    assert not crawled.web.asked("start", "/x.mp3")
    pages = {item["page_url"] for item in crawled.by_url.values()}
    assert crawled.web.url("start", "/nofollow") not in pages


def test_the_file_in_a_player_gets_what_was_said_of_the_player(crawled):
    found = record(crawled, "player", "/hidden.mp3")
    assert found["page_url"] == crawled.web.url("player", "/p/1")
    assert [tag["text"] for tag in found["tags"] if tag["key"] == "title"] == ["los", "Das Lied"]


def test_a_player_is_a_record_of_its_own_and_of_one_work_with_the_file_that_was_found_in_it(crawled):
    assert record(crawled, "player", "/p/1")["probe_status"] == "page"
    with Catalogue(crawled.folder / "state" / "media.db", read_only=True) as catalogue:
        (shown,) = [{found["content_url"], *sources} for found, sources in catalogue.works("Lied")]
    assert {crawled.web.url("player", path) for path in ("/p/1", "/hidden.mp3")} <= shown


def test_a_site_is_asked_what_a_page_does_not_say_of_its_player(crawled):
    found = crawled.by_url["http://never.example/shown"]
    assert (found["probe_status"], found["title"], found["artist"]) == ("page", "Der Fluss", "Mia")
    assert (found["duration"], found["embed_url"]) == (95, "http://never.example/frame/1")
    assert (found["page_url"], found["page_title"]) == (crawled.web.url("start", "/shown"), "Gezeigt")
    assert (found["discovered_via"], found["player_url"]) == ("oembed", "http://never.example/shown")
    # The form in JSON has an ending that is never requested.
    assert not crawled.web.asked("start", "/about.json")


def test_a_site_is_not_asked_what_its_page_says(crawled):
    assert crawled.by_url["http://never.example/said"]["discovered_via"] == "json-ld"
    assert crawled.by_url["http://never.example/named"]["artist"] == "Ada"
    assert crawled.by_url["http://never.example/bound"]["artist"] is None
    asked = {entry.path for entry in crawled.web.settled_log() if entry.path.startswith("/about")}
    assert asked == {"/about?n=1", "/about?n=4"}


def test_nothing_is_asked_twice_and_all_is_counted(crawled):
    asked = Counter((entry.url, entry.range) for entry in crawled.web.settled_log())
    assert max(asked.values()) == 1
    assert stat(crawled, "page/standing_alone") == 7
    assert stat(crawled, "page/media") == 12
