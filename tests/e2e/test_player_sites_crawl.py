"""A crawl over all player sites with what was learned from recordings, judged by the server's log."""

import itertools
import json
from collections import Counter

import pytest
from crawling import CLOCK, Crawl
from judging import Verdict
from player_sites import SITES
from player_sites.server import CRAWLED, PlayerWeb, moved

from mediacrawl.programs.commands.adapters import allowed_to
from mediacrawl.scope import canonical
from mediacrawl.site_adapters import learn_files
from mediacrawl.site_adapters.loading import load

pytestmark = pytest.mark.slow
DELAY = 0.05
SHARE = 0.95
"""Of the media of learned sites."""
QUICK = ("-s", f"POLITENESS_FIRST_DELAY={DELAY}", "-s", f"POLITENESS_MIN_DELAY={DELAY}", "-s", "POLITENESS_FACTOR=0")


@pytest.fixture(scope="module")
def adapters():
    """What is learned of each site that can be learned, by the name of the site."""
    learned = {}
    for name, site in CRAWLED.items():
        found = learn_files(site.recordings(), allows=allowed_to("mediacrawl"))
        if found.adapter is not None:
            learned[name] = found.adapter
    return learned


@pytest.fixture(scope="module")
def crawled(adapters, tmp_path_factory):
    with PlayerWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("players"))
        folder = crawl.folder / "learned"
        folder.mkdir()
        for name, written in adapters.items():
            (folder / f"{name}.json").write_text(json.dumps(moved(written, web.port)), encoding="utf-8")
        crawl.run(*QUICK, "-s", f"ADAPTERS_DIR={folder}")
        crawl.verdict = Verdict(crawl)
        crawl.adapters = {path.stem: load(path) for path in folder.iterdir()}
        yield crawl


def expected(crawl, name):
    """URLs of all media of a site's pages, in canonical form."""
    web = crawl.web
    pages = [page for page in web.pages if web.site_of(page).name == name]
    return {canonical(url) for page in pages for record in web.truth(page) for url in record.media}


def test_the_crawl_finds_nearly_all_media_of_learned_sites(crawled):
    wanted = {name: expected(crawled, name) for name in crawled.adapters}
    found = set(crawled.verdict.records)
    share = sum(len(urls & found) for urls in wanted.values()) / sum(map(len, wanted.values()))
    lacking = {name: len(urls - found) for name, urls in wanted.items() if urls - found}
    assert share >= SHARE, lacking


def test_no_record_is_one_of_an_advertisement_or_of_another_page(crawled):
    wrong = []
    for name in crawled.adapters:
        site = SITES[name]
        for url, record in crawled.verdict.records.items():
            if record["discovered_via"] == "adapter" and crawled.web.site_of(url) is site:
                own = [canonical(media) for each in crawled.web.truth(record["page_url"]) for media in each.media]
                wrong += [] if url in own else [(url, record["page_url"])]
    assert wrong == []


def test_titles_are_those_of_the_answers(crawled):
    for name in crawled.adapters:
        for page in crawled.web.sites[name].pages:
            own = page.replace(".example/", f".example:{crawled.web.port}/")
            for record in crawled.web.truth(own):
                found = [crawled.verdict.records.get(canonical(url)) for url in record.media]
                tags = [each for row in found if row for each in json.loads(row["tags"])]
                told = {each["text"] for each in tags if each["key"] == "title" and each["source"] == "adapter"}
                assert not told or not record.title or record.title in told, (name, own, told)


def test_a_page_that_is_not_needed_is_not_requested(crawled):
    asked = {canonical(entry.url) for entry in crawled.web.settled_log()}
    for name, adapter in crawled.adapters.items():
        if not adapter.fetches_page:
            pages = {canonical(page) for page in crawled.web.pages if crawled.web.site_of(page).name == name}
            assert not pages & asked, name


def test_every_request_was_the_frontiers_and_none_came_early(crawled):
    assert [gap for gap in crawled.gaps() if gap[0] < DELAY - CLOCK] == []
    (log,) = (crawled.folder / "state" / "log").glob("requests-*.jsonl")
    logged = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    asked = Counter(canonical(line["url"]) for line in logged if line["status"])
    assert asked == Counter(canonical(entry.url) for entry in crawled.web.settled_log())


def test_robots_txt_of_each_host_came_first(crawled):
    entries = sorted(crawled.web.settled_log(), key=lambda entry: entry.host)
    for _, of_host in itertools.groupby(entries, key=lambda entry: entry.host):
        assert min(of_host, key=lambda entry: entry.received_monotonic).path == "/robots.txt"
