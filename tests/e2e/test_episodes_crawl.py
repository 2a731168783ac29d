"""A real crawl of episodes whose files have other words in their tags than the feed: the feed's come first."""

import json

import pytest
from crawling import Crawl, quick
from lists_web import ListsWeb

from mediacrawl.programs.demo.library import media_bytes
from mediacrawl.record import Description

TAGGED = media_bytes("folge-1.mp3")
DATE = "<pubDate>Wed, 01 May 2019 12:00:00 GMT</pubDate>"
FORMS = {
    "enclosure": "<enclosure url='{base}/enclosure.mp3' type='audio/mpeg'/>",
    "link": "<link>{base}/link.mp3</link>",
    "guid": "<guid>{base}/guid.mp3</guid>",
    "id": "<guid isPermaLink='false'>{base}/id.mp3</guid>",
    "section": "<content:encoded><![CDATA[<p>Hear <a class=x href='{base}/section.mp3'>it</a></p>]]></content:encoded>",
    "escaped": '<description>&lt;audio controls src="{base}/escaped.mp3?a=1&amp;amp;b=2"&gt;</description>',
    "source": "<description><![CDATA[<video><source src={base}/source.mp3></video>]]></description>",
    "paged": "<link>{base}/page</link><enclosure url='{base}/paged.mp3' type='audio/mpeg'/>",
}
QUERIES = {"escaped": "?a=1&b=2"}
ARCHIVE = Description.MOST + 30
SPACES = 'xmlns:content="http://purl.org/rss/1.0/modules/content/"'


def build(web):
    items = "".join(f"<item><title>Episode: {name}</title>{DATE}{form}</item>" for name, form in FORMS.items())
    # An album: the title of the entry is none of a song.
    songs = "".join(f"<enclosure url='{{base}}/song{number}.mp3' type='audio/mpeg'/>" for number in (1, 2))
    items += f"<item><title>Our new album</title>{DATE}{songs}</item>"
    notes = "<description><![CDATA[<a href='{base}/other.mp3'>other</a>]]></description>"
    items += f"<item><title>Episode: notes</title>{notes}<enclosure url='{{base}}/notes.mp3' type='audio/mpeg'/></item>"
    feed = f"<rss {SPACES}><channel><title>Show</title>{items}</channel></rss>"
    web.put("feeds", "/rss", feed, "application/rss+xml")
    entries = [
        {
            "id": "1",
            "title": "Episode: json url",
            "url": "{base}/jsonurl.mp3",
            "date_published": "2019-05-01T12:00:00Z",
        },
        {"id": "{base}/jsonid.mp3", "title": "Episode: json id"},
        {"id": "3", "title": "Episode: json html", "content_html": "<a href='{base}/jsonhtml.mp3'>it</a>"},
    ]
    document = {"version": "https://jsonfeed.org/version/1.1", "title": "Show", "items": entries}
    web.put("feeds", "/json", json.dumps(document), "application/feed+json")
    names = [f"{name}.mp3{QUERIES.get(name, '')}" for name in FORMS]
    names += ["song1.mp3", "song2.mp3", "other.mp3", "notes.mp3", "jsonurl.mp3", "jsonid.mp3", "jsonhtml.mp3"]
    for name in names:
        web.put("feeds", f"/{name}", TAGGED, "audio/mpeg")
    # The page links to an episode, and the feed names it later.
    web.put("late", "/", "<title>Page</title><a href='/late.mp3'>Late</a> <a href='/feed'>Feed</a>")
    web.put("late", "/late.mp3", TAGGED, "audio/mpeg")
    item = f"<item><title>Episode: late</title>{DATE}<enclosure url='/late.mp3' type='audio/mpeg'/></item>"
    web.put("late", "/feed", f"<rss><channel><title>Show</title>{item}</channel></rss>", "application/rss+xml")
    # One page has all files, more than a feed may describe of files that have records.
    names = [f"archive{number}" for number in range(ARCHIVE)]
    links = "".join(f"<a href='/{name}.mp3'>Download</a>\n" for name in names)
    web.put("archive", "/", f"<title>Archive</title><a href='/feed'>Feed</a>{links}")
    for name in names:
        web.put("archive", f"/{name}.mp3", TAGGED, "audio/mpeg")
    items = "".join(
        f"<item><title>Episode: {name}</title>{DATE}<enclosure url='/{name}.mp3' type='audio/mpeg'/></item>"
        for name in names
    )
    web.put("archive", "/feed", f"<rss><channel><title>Show</title>{items}</channel></rss>", "application/rss+xml")


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    with ListsWeb() as web:
        build(web)
        crawl = Crawl(web, tmp_path_factory.mktemp("episodes"))
        seeds = [web.url("feeds", "/rss"), web.url("feeds", "/json"), web.url("late", "/"), web.url("archive", "/")]
        crawl.run(**quick(0.05), seed="\n".join(seeds))
        printed = crawl.command("catalogue", "--json")
        assert printed.returncode == 0, printed.stderr
        records = map(json.loads, printed.stdout.splitlines())
        crawl.by_name = {record["content_url"].rpartition("/")[2].partition(".mp3")[0]: record for record in records}
        yield crawl


@pytest.mark.parametrize("name", FORMS)
def test_an_episode_has_the_title_and_the_date_of_its_feed(crawled, name):
    record = crawled.by_name[name]
    assert (record["title"], record["date"]) == (f"Episode: {name}", "2019-05-01T12:00:00Z")
    assert record["feed_url"] == crawled.web.url("feeds", "/rss")


@pytest.mark.parametrize(("name", "title"), [("jsonurl", "json url"), ("jsonid", "json id"), ("jsonhtml", "json html")])
def test_so_has_one_of_a_json_feed(crawled, name, title):
    assert crawled.by_name[name]["title"] == f"Episode: {title}"


def test_the_words_of_the_file_are_kept(crawled):
    texts = {(each["source"], each["text"]) for each in crawled.by_name["link"]["tags"] if each["key"] == "title"}
    assert ("feed", "Episode: link") in texts
    assert any(source.startswith("id3") for source, _ in texts)


@pytest.mark.parametrize("name", ["song1", "song2", "other"])
def test_one_of_several_works_of_an_entry_has_its_own_title(crawled, name):
    own = next(each["text"] for each in crawled.by_name[name]["tags"] if each["source"].startswith("id3"))
    assert crawled.by_name[name]["title"] == own


def test_what_else_an_entry_mentions_takes_no_title_from_its_file(crawled):
    assert crawled.by_name["notes"]["title"] == "Episode: notes"


def test_a_feed_names_an_episode_that_a_page_linked_to_before(crawled):
    assert crawled.by_name["late"]["title"] == "Episode: late"


def test_a_feed_names_all_episodes_of_an_archive(crawled):
    titles = {crawled.by_name[f"archive{number}"]["title"] for number in range(ARCHIVE)}
    assert titles == {f"Episode: archive{number}" for number in range(ARCHIVE)}
