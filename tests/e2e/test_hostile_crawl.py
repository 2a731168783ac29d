"""A real crawl of a web where more than half of the sites attack: the others are crawled whole, and at their pace."""

import re
from collections import Counter

import pytest
from crawling import CLOCK, Crawl
from hostile_web import ATTACKS, HONEST, HostileWeb
from judging import Verdict, stat

from mediacrawl.log.archive import read

pytestmark = pytest.mark.slow

DELAY = 0.3
SETTINGS = {
    "POLITENESS_MIN_DELAY": DELAY,
    "POLITENESS_FIRST_DELAY": DELAY,
    "DOWNLOAD_TIMEOUT": 6,
    "BACKOFF_MAX": 3,
    "BACKOFF_REST_AFTER": 3,
    "FRONTIER_ATTEMPTS": 2,
    "GUARD_ALLOW": "127.0.0.0/8",
}
MEMORY = 400 * 1024 * 1024
"""Bytes: a crawl of this web without attacks takes 160 MB, and an answer may unpack to 16 MB several times over."""
DISK = 5
"""Bytes written for each byte fetched."""
EMPTY = 2 * 1024 * 1024
"""Bytes that an empty frontier and an empty catalogue take."""
UNREADABLE = ("broken-br", "broken-deflate", "encoding-many")
NAMED = {
    "page": ("packed-zeros", "packed-twice"),
    "unreadable": UNREADABLE,
    "links": ("short-links", "long-base", "deep-base"),
    "text": ("many-tags",),
}
"""Limit -> attacks whose answers go beyond it."""


@pytest.fixture(scope="module")
def web():
    with HostileWeb() as web:
        yield web


@pytest.fixture(scope="module")
def crawl(web, tmp_path_factory):
    """The crawl until it has asked the honest sites for everything, and each attacker for something."""
    crawl = Crawl(web, tmp_path_factory.mktemp("hostile"))
    crawl.start(**SETTINGS)
    attackers = {f"{name}.example" for name in ATTACKS}

    def is_whole(log):
        asked = Counter(entry.url for entry in log)
        # Of a file two ranges are asked, and the next page comes after them.
        read = all(asked[url] >= 1 + (url in web.media) for url in web.honest_urls)
        return read and attackers <= {entry.host for entry in log}

    crawl.until(is_whole, 120)
    crawl.code = crawl.interrupt()
    return crawl


@pytest.fixture(scope="module")
def verdict(crawl):
    return Verdict(crawl)


def test_there_are_as_many_attackers_as_honest_sites():
    assert len(ATTACKS) >= HONEST == 60


def test_nothing_stops_the_crawl_before_it_is_stopped(crawl):
    assert crawl.code == 0, crawl.text()[-3000:]
    assert "'finish_reason': 'shutdown'" in crawl.text()
    assert "Traceback" not in crawl.text()
    assert not (crawl.folder / "state" / "critical.log").exists()


def test_the_honest_sites_are_crawled_whole(verdict, web):
    assert web.honest_urls - verdict.asked.keys() == set()
    assert web.media - verdict.records.keys() == set()


def test_no_site_was_asked_sooner_than_its_delay(crawl):
    early = [gap for gap in crawl.gaps() if gap[3].received_monotonic - gap[2].received_monotonic < DELAY - CLOCK]
    assert early == []


def test_memory_and_disk_stay_within_their_bounds(crawl):
    assert 0 < crawl.peak < MEMORY
    state = crawl.folder / "state"
    written = sum(path.stat().st_size for path in state.rglob("*") if path.is_file())
    fetched = sum(line["bytes"] for line in read(state / "log"))
    assert written <= EMPTY + DISK * fetched


@pytest.mark.parametrize(("limit", "attack"), [(limit, attack) for limit in NAMED for attack in NAMED[limit]])
def test_the_log_names_the_urls_that_went_beyond_a_limit(crawl, web, limit, attack):
    assert re.search(rf"WARNING: {re.escape(web.url(attack))}\S* went beyond a limit: ", crawl.text())
    assert stat(crawl, f"limit/{limit}") >= len(NAMED[limit])


def test_the_summary_has_a_row_for_each_limit(crawl):
    rows = re.search(r"^  over limit (.*?)^  \w", crawl.text(), re.MULTILINE | re.DOTALL)[1]
    beyond = re.findall(r"WARNING: (\S+) went beyond a limit: ", crawl.text())
    for limit in NAMED:
        # The first one is the example; which that is depends on the order of the answers.
        row = re.search(rf"\b{limit} \d+: (\S+?)[,…\s]", rows)
        assert any(url.startswith(row[1]) for url in beyond), rows


def test_no_page_holds_up_the_crawl(crawl):
    assert "reading it held up the crawl" not in crawl.text()


def test_nothing_that_a_stranger_wrote_commands_a_terminal(crawl):
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", crawl.text()) == []
    assert "WARNING: forged" not in crawl.text()
