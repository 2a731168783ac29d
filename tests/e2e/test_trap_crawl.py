"""A real crawl of a web of traps: few requests for each, nothing lost, and each rule is counted by its name."""

import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from crawling import Crawl
from judging import stat
from sins_traps import TRAPS, TrapWeb

# Trap -> requests at most, robots.txt not counted: two for each file that is there, one for each page that shows
# something new, and what it takes to see that the others do not.
AT_MOST = {
    "sessions": 2 * 10 + 11,
    "calendar": 2 + 1 + 3 + 3,
    "facets": 2 + 1 + 130,
    "growing": 2 + 1 + 4,
    "soft-404": 60 + 2 + 2,
    "dust": 2 * 20 + 21 + 25,
    "episodes": 2 * 20 + 21,
    "numbered": 2 * 25 + 25 + 28,
}
HONEST = ("episodes", "numbered")


class Finished:
    """What a crawl of traps came to."""

    def __init__(self, folder, *names, **settings):
        with TrapWeb() as web:
            web.seeds = [web.url(name) for name in names]
            crawl = Crawl(web, folder)
            settings = {"POLITENESS_MIN_DELAY": 0.02, "POLITENESS_FIRST_DELAY": 0.02, **settings}
            crawl.start(*(word for name, value in settings.items() for word in ("-s", f"{name}={value}")))
            self.code = crawl.wait(120)
            self.crawl, self.media = crawl, web.media
            log = [entry for entry in web.settled_log() if entry.path != "/robots.txt"]
        self.requests = Counter(entry.host.removesuffix(".example") for entry in log)
        with closing(sqlite3.connect(crawl.folder / "state" / "media.db")) as db:
            self.found = {url for (url,) in db.execute("SELECT content_url FROM media")}

    def drops(self, reason):
        """How often a reason dropped something."""
        return stat(self.crawl, f"drop/{reason}")


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """One whole crawl of all traps, for all tests that only look at it."""
    return Finished(tmp_path_factory.mktemp("traps"), *TRAPS)


def test_the_crawl_ends_by_itself(finished):
    assert finished.code == 0, finished.crawl.text()[-3000:]
    assert "Traceback" not in finished.crawl.text()


@pytest.mark.parametrize("name", AT_MOST)
def test_a_trap_takes_few_requests(finished, name):
    assert 0 < finished.requests[name] <= AT_MOST[name]


@pytest.mark.parametrize("name", AT_MOST)
def test_nothing_is_lost_in_a_trap_or_where_only_a_careless_rule_would_see_one(finished, name):
    assert finished.media[name] - finished.found == set()


def test_of_two_mirrors_one_is_crawled_whole_and_the_other_is_left(finished):
    sites = {name: finished.media[name] for name in ("mirror-first", "mirror-second")}
    left = [name for name, media in sites.items() if media - finished.found]
    assert len(left) == 1
    assert finished.requests[left[0]] < 100 < 120 <= finished.requests.total()


@pytest.mark.parametrize("reason", ["session", "dust", "duplicate", "near_duplicate", "mirror", "soft_404"])
def test_each_rule_is_counted_by_its_name(finished, reason):
    assert finished.drops(reason) > 0


def test_the_rules_on_urls_alone_end_the_traps_as_well(tmp_path):
    finished = Finished(
        tmp_path,
        *("calendar", "facets", "growing"),
        SCOPE_COPY_PAGES=0,
        SCOPE_MAX_COMBINATIONS=60,
        SCOPE_MAX_REPEATS=1,
        SCOPE_FIRST_YEAR=2026,
        SCOPE_MAX_DEPTH=4,
    )
    assert finished.code == 0
    assert all(finished.media[name] <= finished.found for name in ("calendar", "facets", "growing"))
    assert finished.requests["facets"] <= 2 + 1 + 15 + 60
    assert finished.drops("trap_facets") > 100
    assert finished.drops("trap_repeat") > 10
