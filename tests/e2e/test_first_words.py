"""What a user reads of a crawl, with the log as it is by default: its first lines, its last ones, and their numbers."""

import json
import re
import time
from contextlib import closing

import pytest
import redis
from crawling import Crawl
from demo_web import DemoWeb
from harness import slow

from mediacrawl.log import archive


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    """A whole crawl of the demo web, as a user starts it who says nothing of a log."""
    with DemoWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("crawl"))
        crawl.level = ""
        # A server that is not there.
        more = ("-s", "LOGSTATS_INTERVAL=1", "-s", "GUARD_ALLOW=127.0.0.1", "-s", "BACKOFF_REST_AFTER=1")
        crawl.start(*more, seed="\n".join([*web.seeds, "http://127.0.0.1:2/"]))
        crawl.code = crawl.wait()
        yield crawl


def loggers(text):
    return set(re.findall(r"^\S+ \S+ \[([\w.]+)\]", text, re.MULTILINE))


def test_the_log_has_what_the_crawl_says_and_nothing_that_scrapy_says_of_itself(read):
    assert read.code == 0
    assert {name for name in loggers(read.text()) if not name.startswith("mediacrawl.") and name != "media"} == set()
    assert "Summary" in read.text()
    assert "page/read" not in read.text()


@pytest.mark.parametrize("words", [["-v"], *slow(["-L", "INFO"])], ids=lambda words: words[-1])
def test_a_user_who_wants_all_gets_the_stats_and_what_scrapy_says(crawl, words):
    crawl.level = ""
    crawl.run("-a", "scope=site", *words, seed=crawl.web.seeds[0])
    text = crawl.text()
    assert "Overridden settings" in text
    assert "'page/read'" in text
    assert "Spider closed (finished)" in text
    assert "Crawled " not in text


# -- crawls that read nothing ----------------------------------------------------------------------------------------


def last_line(crawl):
    return crawl.text().rstrip().rpartition("\n")[2]


def run(crawl, *words, seed):
    crawl.level = ""
    crawl.run("-a", "scope=site", *words, seed=seed)
    return last_line(crawl)


def test_the_first_line_says_how_a_crawl_begins_and_the_second_start_what_is_left(crawl):
    crawl.level = ""
    crawl.start(seed="\n".join(crawl.web.seeds[:3]))
    crawl.until(lambda log: len(log) > 8)
    assert crawl.interrupt() == 0
    adapters, first = crawl.text().splitlines()[:2]
    assert "1 site adapter (*.json) in " in adapters
    assert "Start: 3 seeds on 3 sites; scope=web: links to other sites are followed (-a scope=site stays" in first
    assert "no whitelist (-a include=FILE)" in first
    assert f"frontier {crawl.folder / 'state'}; records {crawl.folder / 'state' / 'media.db'}" in first
    crawl.start("-a", "scope=site", seed="")
    crawl.until(lambda _: "Resuming" in crawl.text())
    assert crawl.interrupt() == 0
    # What is not as the crawl began is told before.
    first = "".join(crawl.text().splitlines()[:3])
    assert re.search(r"Resuming: \d+ URLs wait\. No seeds; scope=site: only the \d sites?", first)


def test_seeds_that_ended_in_an_earlier_run_are_told_with_how_they_ended(crawl):
    seed = crawl.web.seeds[0]
    assert "Nothing was" not in run(crawl, seed=seed)
    for again in (seed, ""):
        assert re.search(r"Nothing was read: .*have ended: done .*; -a fresh=1 starts over", run(crawl, seed=again))


def test_seeds_that_no_rule_lets_join_are_told_with_the_rule(crawl):
    site = crawl.web.seeds[0]
    whitelist = crawl.folder / "include.txt"
    whitelist.write_text("elsewhere.example\n", encoding="utf-8")
    said = run(crawl, "-a", f"include={whitelist}", seed="\n".join(crawl.web.seeds[:3]))
    assert "Nothing was read: 3 seeds were refused: not_included 3. -a include=FILE names another whitelist" in said
    crawl.nevercrawl.write_text(crawl.nevercrawl.read_text() + f"{site.split('/')[2].split(':')[0]}\n")
    empty = crawl.folder / "all.txt"
    empty.write_text("re:.\n", encoding="utf-8")
    said = run(crawl, "-a", f"include={empty}", seed=site)
    assert "1 seed was refused: nevercrawl 1. To see which NeverCrawl list names it" in said


def test_a_seed_whose_robots_txt_forbids_it_is_told(crawl):
    forbidden = [url for url, why in crawl.web.forbidden.items() if "robots" in why]
    said = run(crawl, seed=forbidden[0])
    assert "1 URL has ended: robots 1. Its robots.txt forbids it" in said


def test_sites_that_cannot_be_reached_are_told_and_wait(crawl):
    seeds = "http://127.0.0.1:2/\nhttp://nowhere.invalid/"
    said = run(
        *(crawl, "-s", "GUARD_ALLOW=127.0.0.1", "-s", "BACKOFF_REST_AFTER=1", "-s", "RESOLVER_TIMEOUT=1"), seed=seeds
    )
    assert re.search(r"\d requests without an answer: ", said)
    assert "connection refused " in said
    assert "host name not found " in said
    assert "2 URLs wait on sites that rest or were not reached; mediacrawl frontier show SITE" in said


@pytest.fixture(params=["sqlite", "redis"])
def store(request):
    """Settings that name a store, which is empty."""
    if request.param == "sqlite":
        return ()
    url = f"{request.getfixturevalue('redis_server')}/7"
    with closing(redis.Redis.from_url(url)) as client:
        client.flushdb()
    return ("-s", f"SCHEDULER_STORE={url}")


def test_what_was_refused_for_its_address_joins_again_when_that_is_allowed(crawl, store):
    seed = f"http://127.0.0.1:{crawl.web.port}/"
    said = run(crawl, *store, seed=seed)
    why = crawl.command("frontier", "why", seed, "-s", "PRIORITY=rules", *store).stdout
    assert "ended          address (its name leads to an address that is no public server's)" in why
    assert "guard          -s GUARD_ALLOW=127.0.0.1 allows it" in why
    for text in (said, run(crawl, *store, seed=seed)):
        assert "Nothing was read: 1 URL has ended: address 1. -s GUARD_ALLOW=... allows addresses" in text
    assert not crawl.web.log
    run(crawl, *store, "-s", "GUARD_ALLOW=127.0.0.0/8", seed="" if not store else seed)
    assert "GUARD_ALLOW allows more than before: 1 URL is added again (drop/address)" in crawl.text()
    assert {entry.path for entry in crawl.web.settled_log()} >= {"/robots.txt", "/"}


def test_why_tells_what_was_answered_last_and_what_robots_txt_did(crawl, store):
    port = crawl.web.port
    missing = f"http://tonspur.example:{port}/fehlt"
    forbidden = f"http://archiwum-dzwieku.example:{port}/prywatne/burza.m4a"
    seeds = [missing, forbidden, "http://127.0.0.1:2/"]
    run(crawl, *store, "-s", "GUARD_ALLOW=127.0.0.1", "-s", "BACKOFF_REST_AFTER=1", seed="\n".join(seeds))

    def why(url):
        done = crawl.command("frontier", "why", url, "-s", "PRIORITY=rules", *store)
        assert done.returncode == 0, done.stderr
        return done.stdout

    said = why(seeds[0])
    assert "ended          http_status (the server refused it, or failed at each attempt)" in said
    assert re.search(
        r"last asked     404 \(text/html; charset=utf-8, \d+ B\) at \S+ \S+ UTC, in 0.0 s; 1 request", said
    )
    assert re.search(r"robots.txt     (404|200), [\d.]+ s ago", said)
    said = why(seeds[1])
    assert "ended          robots (its robots.txt forbids it)" in said
    assert "last asked     not sent at " in said
    assert re.search(r"robots.txt     200, [\d.]+ s ago", said)
    said = why(seeds[2])
    assert "waits          0 URLs of its class before it" in said
    assert re.search(r"robots.txt     connection refused, [\d.]+ s ago: nothing is asked", said)
    assert re.search(r"127\.0\.0\.1 +resting, may be asked in ", said)


def shown(crawl):
    """Media files, sites of these, requests, sites of these, pages, and URLs done, by each that shows them."""
    state = str(crawl.folder / "state")
    report = json.loads(crawl.command("report", state, "--json").stdout)
    names = ("records", "media_sites", "requests", "sites_asked", "pages", "done")
    screen = crawl.command("top", "--once", state).stdout
    parts = ("media file", "page", "request", "failure"), ("done", "waiting")
    said = [re.search(rf"([\d,]+) {word}", screen)[1] for words in parts for word in words]
    numbers = {name: report[name] for name in names}
    known = [numbers["records"], numbers["pages"], numbers["requests"], sum(report["failures"].values())]
    assert list(map(int, said)) == [*known, report["done"], report["waiting"]]
    assert report["known"] == report["done"] + report["waiting"] + report["shelved"]
    listed = crawl.command("catalogue", "--summary").stdout
    if listed:
        assert f"records    {numbers['records']} on {numbers['media_sites']} sites\n" in listed
    return numbers, report


def test_summary_report_screen_and_catalogue_tell_the_same_numbers(read):
    numbers, report = shown(read)
    summary = read.text().partition("Summary\n")[2]
    assert summary.startswith(f"{numbers['records']} media files on {numbers['media_sites']} sites in ")
    assert f"  requests   {numbers['requests']} to {numbers['sites_asked']} sites, " in summary
    assert f"  pages      {numbers['pages']}\n" in summary
    failures = re.search(r"^  failures +(.*)$", summary, re.MULTILINE)[1]
    told = {name: str(number) for name, number in report["failures"].items() if name.isdecimal()}
    assert dict(re.findall(r"(\d{3}) (\d+)", failures)) == told
    # The server that is not there is named by the class of its error.
    assert len(report["failures"]) == len(told) + 1
    assert "connection refused 1" in failures
    # A robots.txt is missing too, which is no failure.
    missing = [entry for entry in read.web.settled_log() if entry.status == 404]
    assert report["failures"]["404"] == len([entry for entry in missing if entry.path != "/robots.txt"]) < len(missing)


def test_a_crawl_that_was_killed_goes_on_with_its_numbers_and_a_fresh_one_with_none(crawl):
    crawl.start()
    crawl.until(lambda log: len(log) > 60)
    crawl.kill()
    first = shown(crawl)[0]
    assert first["requests"] >= 55
    crawl.run(seed="")
    numbers, _ = shown(crawl)
    assert numbers["records"] == len(crawl.web.expected_records)
    logged = [line for line in archive.read(crawl.folder / "state" / "log") if line["duration"] is not None]
    assert numbers["requests"] == len(logged)
    summary = crawl.text().partition("Summary\n")[2]
    whole = [f"{numbers['records']} media files", f"{numbers['pages']} pages", f"{numbers['requests']} requests"]
    assert f"  in all     {', '.join(whole)} with the runs before" in summary

    # Times in the catalogue are whole seconds.
    time.sleep(1.1)
    crawl.start("-a", "fresh=1", "-s", "CLOSESPIDER_ITEMCOUNT=3")
    crawl.wait()
    state = crawl.folder / "state"
    fresh = json.loads(crawl.command("report", str(state), "--json").stdout)
    assert "in all" not in crawl.text().partition("Summary\n")[2]
    assert f"  requests   {fresh['requests']} to {fresh['sites_asked']} sites, " in crawl.text()
    assert (
        crawl.text()
        .partition("Summary\n")[2]
        .startswith(f"{fresh['records']} media files on {fresh['media_sites']} site")
    )
