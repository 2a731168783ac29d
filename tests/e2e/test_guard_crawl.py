"""Tricks that lead a crawler into its own network: a real crawl, and sockets at guarded addresses that count."""

import re
import sqlite3
import time
from contextlib import contextmanager

import pytest
from crawling import Crawl
from harness import slow
from judging import Verdict, stat
from traps import BELOW, GOOD, TrickyWeb

from mediacrawl.log.archive import read


@pytest.fixture(scope="module", params=["0", *slow("0.001")], ids=["handler", "middleware"])
def tricked(request, tmp_path_factory):
    """One crawl of all tricks: as seeds, as links, in a feed, behind redirects, and as where a robots.txt is.

    With clocks for addresses a middleware asks before the handler does.
    """
    with plain_traps() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("tricks"))
        crawl.start(
            MEDIACRAWL_CONTACT="https://tests.crawler.net/bot",
            RESOLVER_SERVERS=web.dns.where,
            GUARD_ALLOW=GOOD,
            FRONTIER_ATTEMPTS=1,
            POLITENESS_ADDRESS_MIN_DELAY=request.param,
            **{"mediacrawl.politeness.addresses.LEAST": 0.1},
        )
        end = time.monotonic() + 240
        while time.monotonic() < end and crawl.process.poll() is None and not played(crawl):
            time.sleep(1)
        # Those whose robots.txt cannot be obtained wait for hours.
        assert crawl.interrupt() == 0, crawl.text()[-4000:]
        crawl.lines = list(read(crawl.folder / "state" / "log"))
        crawl.verdict = Verdict(crawl)
        yield crawl


@contextmanager
def plain_traps():
    """The web at a port that was free at the plainest of the guarded addresses too, not only at the allowed one."""
    while True:
        with TrickyWeb() as web:
            if "127.0.0.1" in web.traps.addresses:
                yield web
                return


def played(crawl):
    """Whether all tricks have ended. A trick that never does is told by the tests."""
    if not crawl.web.log:
        # The crawl may be making its databases: who asks too early makes an empty one.
        return False
    try:
        verdict = Verdict(crawl)
    except sqlite3.Error:
        return False
    urls = [url for trick in of(crawl, "address", "visited") for url in ways(trick).values()]
    # What is behind the others' redirects never joins; it is counted where it is met.
    urls += [f"http://to{number}.example:{crawl.web.port}/" for number in range(len(crawl.web.tricks))]
    if any(verdict.of(url)[0] in {"open", "never joined"} for url in urls):
        return False
    asked = {entry.host for entry in crawl.web.log}
    return {f"robots{number}.example" for number in range(len(crawl.web.tricks))} <= asked and rebound(crawl)


def rebound(crawl):
    """Whether all names that change their answer were refused for it."""
    hosts = [trick["name"] + BELOW for trick in of(crawl, "rebinds")]
    return all(f": {host} leads to " in crawl.text() for host in hosts)


def ways(trick):
    """The URLs that a trick was played with."""
    return {way: trick["url"] + way for way in ("seed", "link", "enclosure", "redirected")}


def of(tricked, *ends):
    return [trick for trick in tricked.web.tricks if trick["ends"] in ends]


def test_no_trick_ever_makes_a_connection(tricked):
    assert tricked.web.traps.caught == []


def test_what_leads_to_a_guarded_address_is_dropped_by_this_name_on_every_way(tricked):
    ends = {
        (trick["name"], way): tricked.verdict.of(url)
        for trick in of(tricked, "address")
        for way, url in ways(trick).items()
    }
    assert {what: end for what, end in ends.items() if end != ("address", 0)} == {}


def test_nothing_is_held_against_a_site_that_was_not_asked(tricked):
    refused = [line for line in tricked.lines if line["drop"] == "address"]
    assert len(refused) > 100
    assert {(line["status"], line["duration"]) for line in refused} == {(None, None)}
    assert {"loopback", "private", "metadata"} <= set(re.findall(r"'guard/(\w+)': \d+", tricked.text()))


def test_only_http_and_https_leave_scope(tricked):
    tried = [trick for trick in of(tricked, "nowhere") if trick["name"].startswith("scheme-")]
    assert len(tried) >= 10
    assert {line["url"].partition(":")[0] for line in tricked.lines} == {"http", "https"}
    # As links, in the feed, and behind redirects.
    assert stat(tricked, "drop/scheme") >= 2 * len(tried)
    assert stat(tricked, "drop/redirect_broken") >= len(tried)


def test_a_name_that_changes_its_answer_was_asked_while_it_was_good_and_then_no_more(tricked):
    asked = {entry.host for entry in tricked.web.settled_log()}
    assert {trick["name"] + BELOW for trick in of(tricked, "rebinds")} <= asked
    assert rebound(tricked)


def test_of_a_name_with_good_and_guarded_addresses_the_good_one_is_asked(tricked):
    (mixed,) = of(tricked, "visited")
    assert [tricked.verdict.of(url)[1] for url in ways(mixed).values()] == [1] * 4


def test_each_refusal_is_one_line_of_the_log(tricked):
    assert "Traceback" not in tricked.text()
    told = re.findall(r"Not asked: (\S+): \S+ leads to \S+ \(\w+\)", tricked.text())
    assert len(told) >= sum(line["drop"] == "address" for line in tricked.lines)
    counted = sum(map(int, re.findall(r"'guard/\w+': (\d+)", tricked.text())))
    assert len(told) == counted
