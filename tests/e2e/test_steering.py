"""An operator steers a crawl that runs, and a crawl ends itself when little is left."""

import pytest
from judging import Verdict, stat

from mediacrawl.frontier.operator_orders import OrderFolder
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.priority import link_class
from mediacrawl.scope import site_of

PAUSED = "tonspur.example"


def order(crawl, verb, what):
    box = OrderFolder(crawl.folder / "state")
    answer = box.wait(box.post(verb, what), 30)
    assert answer is not None, crawl.text()[-3000:]
    return answer


def asked(crawl, site):
    return [entry.path for entry in crawl.web.settled_log() if site_of(entry.url) == site]


def test_a_running_crawl_obeys(crawl, tmp_path):
    more = tmp_path / "more.txt"
    more.write_text(f"# more\n{crawl.web.seeds[0]}new-page\nnot a url\n")
    crawl.start(POLITENESS_MIN_DELAY=0.4, POLITENESS_FIRST_DELAY=0.4)
    crawl.until(lambda log: sum(site_of(entry.url) == PAUSED for entry in log) >= 3)
    assert f"{PAUSED} is paused" in order(crawl, "pause", PAUSED)
    # Between two orders is a second: by then nothing is on its way that went out before. And the server has read it
    # when it has read what others sent since.
    order(crawl, "pause", PAUSED)
    since = len(crawl.web.log) + 3
    crawl.until(lambda log: len(log) >= since)
    before = asked(crawl, PAUSED)
    assert "1 URL joined" in order(crawl, "add", str(more))
    assert "is no order" in order(crawl, "dance", PAUSED)
    assert asked(crawl, PAUSED) == before
    assert "is asked again" in order(crawl, "resume", PAUSED)
    assert crawl.wait() == 0
    assert "/new-page" in asked(crawl, PAUSED)
    verdict = Verdict(crawl)
    assert verdict.waiting == []
    assert stat(crawl, "steering/orders") == 5


def test_a_crawl_ends_without_a_site_that_stays_paused_and_says_so(crawl):
    crawl.start()
    # Its front page has been read then, and several of its URLs wait.
    crawl.until(lambda log: sum(site_of(entry.url) == PAUSED for entry in log) >= 3)
    order(crawl, "pause", PAUSED)
    assert crawl.wait() == 0
    waiting = Verdict(crawl).waiting
    assert waiting
    assert {site_of(url) for url in waiting} == {PAUSED}
    assert f"{len(waiting)} URLs on 1 paused site" in crawl.text()


@pytest.mark.slow
def test_a_crawl_ends_when_few_sites_are_left_and_its_seeds_go_on(crawl, tmp_path_factory):
    # Of two pages of a calendar that happen to be left one would be a copy of the other.
    crawl.run("-a", "stop_below=4", FRONTIER_EXPLORE=0)
    assert "'finish_reason': 'stop_below'" in crawl.text()
    with FrontierReader(crawl.folder / "state" / "frontier.db") as reader:
        left = [candidate.request_url for candidate in reader.waiting()]
    assert left
    assert len({site_of(url) for url in left}) < 4
    remaining = crawl.folder / "state" / "remaining.txt"
    lines = remaining.read_text().splitlines()
    assert [line for line in lines if not line.startswith("#")] == left
    assert [site_of(url) for url in left] == sorted(site_of(url) for url in left)
    (crawl.folder / "second").mkdir()
    crawl.run(MEDIACRAWL_DIR=crawl.folder / "second", seed=str(remaining))
    with FrontierReader(crawl.folder / "second" / "frontier.db") as reader:
        # As a seed, the address of an answer in JSON (oEmbed) is none of a page.
        pages = [url for url in left if "/oembed?" not in url]
        ends = {url: reader.where(url, site_of(url), link_class(url)).end for url in pages}
    assert set(ends.values()) <= {"done", "robots"}
    assert "done" in ends.values()
