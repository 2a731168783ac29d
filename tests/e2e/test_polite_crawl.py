"""A crawl of 240 sites of mixed behaviour, judged by what their servers saw: nobody has anything to complain about."""

import itertools
import math
import sys
import time
from collections import Counter

import pytest
from crawling import CLOCK, Crawl
from judging import Verdict, stat
from mixed_web import KINDS, MixedWeb, pauses

from mediacrawl.base.terms import Drop

MINIMUM, FIRST, FACTOR = 0.3, 0.5, 1.0
ADDRESS_MINIMUM, ADDRESS_FACTOR = 0.1, 1.0
RELOAD = 1.0
RUN = 35.0
"""Seconds, more on a slow machine: a site that asks for 20 between two requests gets robots.txt and a page read."""
SLOWEST = f"asking{KINDS['asking'] - 1}.example"
SETTINGS = {
    "POLITENESS_MIN_DELAY": MINIMUM,
    "POLITENESS_FIRST_DELAY": FIRST,
    "POLITENESS_FACTOR": FACTOR,
    "POLITENESS_ADDRESS_MIN_DELAY": ADDRESS_MINIMUM,
    "POLITENESS_ADDRESS_FACTOR": ADDRESS_FACTOR,
    # A site's fifth page is requested 2.6 s after its robots.txt at the soonest: four delays of FIRST and two of
    # MINIMUM.
    "ROBOTS_MAX_AGE": 2.0,
    "ROBOTS_RETRY": 3.0,
    "BACKOFF_REST_AFTER": 4,
    "BACKOFF_REST": 12.0,
    "mediacrawl.politeness.delay.BackoffPolicy.forbidden": 4,
    "NEVERCRAWL_RELOAD": RELOAD,
    "DOWNLOAD_TIMEOUT": 20,
    "BREAKER_SITES": 0,
}

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has all of 127.0.0.0/8")


def is_visited(web):
    """Whether all sites were requested often enough to be judged."""
    visits = Counter(entry.host for entry in web.log)
    return len(visits) == len(web.sites) and visits[SLOWEST] >= 2 and visits.total() > 5 * len(visits)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A crawl of `RUN` seconds at least; when all doomed sites have been asked something they are put on NeverCrawl."""
    with MixedWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("polite"))
        crawl.start(**SETTINGS)
        began = time.monotonic()
        doomed = {host for host, site in web.sites.items() if site.kind == "doomed"}
        # Most of their pages wait then, whatever else the crawl is at.
        crawl.until(lambda log: doomed <= {entry.host for entry in log}, 3 * RUN)
        today = time.strftime("%Y-%m-%d", time.gmtime())
        crawl.nevercrawl.write_text("".join(f"{host}  # asked by mail, {today}\n" for host in doomed))
        crawl.listed = time.monotonic()
        crawl.until(lambda _: "URLs that waited are dropped" in crawl.text())
        # The server has read by then what went out before.
        then = len(web.log) + 50
        crawl.until(lambda log: len(log) >= then)
        crawl.in_force = time.monotonic()
        while time.monotonic() - began < RUN or (not is_visited(web) and time.monotonic() - began < 3 * RUN):
            if crawl.process.poll() is not None:
                break
            time.sleep(0.2)
        if crawl.process.poll() is None:
            crawl.interrupt()
        else:
            crawl.wait()
        yield crawl


@pytest.fixture(scope="module")
def visits(crawled):
    """Host -> its log entries in order, each with what the server answered."""
    by_host = {}
    for entry in sorted(crawled.web.settled_log(), key=lambda entry: entry.received_monotonic):
        by_host.setdefault(entry.host, []).append(entry)
    return {host: list(zip(log, crawled.web.sites[host].answers, strict=True)) for host, log in by_host.items()}


def ended(entry):
    return entry.finished_monotonic or entry.received_monotonic


def test_all_of_it_was_visited(crawled, visits):
    assert len(visits) == len(crawled.web.sites) >= 200
    assert sum(map(len, visits.values())) > 5 * len(visits)
    assert pauses(KINDS["asking"] - 1) == 20
    assert len(visits[SLOWEST]) >= 2


def test_no_site_is_asked_before_its_time(visits):
    for host, log in visits.items():
        crawl_delay, trouble, row, times = 0.0, 0, 0, []
        for (before, answer), (after, _) in itertools.pairwise(log):
            if before.status:
                times = [*times, ended(before) - before.received_monotonic][-5:]
            mean = sum(times) / len(times) if times else 0.0
            crawl_delay = crawl_delay if answer.crawl_delay is None else answer.crawl_delay
            if before.status in {0, 429, 500, 503}:
                trouble, row = trouble + 1, row + 1
            elif before.status != 403:
                trouble, row = max(trouble - 1, 0), 0
            # What the server measures is a little less than what the crawler does, so this is what is owed at least.
            owed = max(MINIMUM, FACTOR * mean, FIRST if len(times) < 5 else 0.0, crawl_delay)
            owed *= 2.0 ** min(trouble, 4)
            if row >= SETTINGS["BACKOFF_REST_AFTER"]:
                owed = SETTINGS["BACKOFF_REST"]
            gap = after.received_monotonic - ended(before)
            assert gap >= min(owed, 3600.0) - CLOCK, (host, before.path, before.status, after.path, gap, owed)


def test_no_site_is_asked_before_it_said(visits):
    waited = 0
    for host, log in visits.items():
        for (before, answer), (after, _) in itertools.pairwise(log):
            if answer.until:
                waited += 1
                assert after.received >= answer.until - CLOCK, (host, before.path, after.path)
    assert waited > 20


def test_no_address_is_asked_by_two_or_before_its_time(crawled):
    by_address = {}
    for entry in crawled.web.settled_log():
        by_address.setdefault(crawled.web.hosts[entry.host], []).append(entry)
    shared = 0
    for address, log in by_address.items():
        log.sort(key=lambda entry: entry.received_monotonic)
        times = []
        for before, after in itertools.pairwise(log):
            if before.status:
                times = [*times, ended(before) - before.received_monotonic][-5:]
            owed = max(ADDRESS_MINIMUM, ADDRESS_FACTOR * sum(times) / len(times) if times else 0.0)
            gap = after.received_monotonic - ended(before)
            shared += before.host != after.host
            assert gap >= owed - CLOCK, (address, before.url, after.url, gap, owed)
    assert shared > 200


def test_a_rule_that_changes_binds_what_waits_already(visits):
    obeyed = 0
    for host, log in visits.items():
        closed = ()
        for entry, answer in log:
            closed = answer.closed if answer.crawl_delay is not None else closed
            assert entry.path not in closed, host
        obeyed += bool(closed)
    assert obeyed > 5


def test_a_site_on_nevercrawl_gets_no_request_after_the_reload(crawled, visits):
    doomed = [host for host, site in crawled.web.sites.items() if site.kind == "doomed"]
    for host in doomed:
        after = [entry for entry, _ in visits[host] if entry.received_monotonic > crawled.listed]
        assert [entry.url for entry in after if entry.received_monotonic > crawled.in_force] == []
        # One was on its way; the others had their delay between them while the time to reload went by.
        assert len(after) <= 1 + math.ceil(RELOAD / MINIMUM), after
    assert stat(crawled, f"drop/{Drop.NEVERCRAWL}") > 0
    assert not any(".doomed" in url or "//doomed" in url for url in Verdict(crawled).waiting)


def test_trouble_is_counted_and_its_sites_rest_or_are_retired(crawled):
    for trouble in ("throttled", "server_error", "connection", "forbidden"):
        assert stat(crawled, f"trouble/{trouble}") > 0
    assert "retired site" in crawled.text()


@pytest.mark.parametrize("kind", ["asking", "doomed", "fickle", "moving", "throttled"])
def test_the_complaint_desk_finds_that_we_behaved(crawled, kind):
    done = crawled.command("complaint", f"{kind}3.example", NEVERCRAWL_FILES=crawled.nevercrawl, **SETTINGS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "We behaved" in done.stdout


def test_no_url_is_lost(crawled):
    verdict = Verdict(crawled)
    assert verdict.leased == 0
    assert verdict.seen == len(verdict.waiting) + sum(verdict.ended.values())
