"""A real crawl, killed at random moments again and again, judged by the server's log and the files it left."""

import gzip
import itertools
import json
from collections import Counter

import crash_plan
import ordeal
import pytest
from crash_web import CRAWL_DELAY, PATIENT, CrashWeb, names_of
from crawling import CLOCK
from ordeal import Ordeal

from mediacrawl.log.request_log import UNFINISHED
from mediacrawl.scope import canonical

pytestmark = pytest.mark.slow

STEPS = 4
"""Pages of a chain before it has grown."""


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    with CrashWeb(STEPS) as web:
        crawl = Ordeal(web, tmp_path_factory.mktemp("ordeal"), crash_plan.dice("crawl"))
        try:
            crawl.code = crawl.suffer(crash_plan.KILLS)
            yield crawl
        finally:
            if crawl.process.poll() is None:
                crawl.kill()


@pytest.fixture(scope="module")
def left(crawl):
    """The frontier at the end."""
    return crawl.left()


@pytest.fixture(scope="module")
def lines(crawl):
    """The request log. All its lines are whole: a kill can tear only those longer than a page of memory."""
    log = crawl.folder / "state" / "log"
    files = [path.read_bytes() for path in log.glob("requests-*.jsonl")]
    # Of a day that ended meanwhile.
    packed = [path for path in log.glob("requests-*.jsonl.gz") if not path.with_suffix("").exists()]
    files += [gzip.decompress(path.read_bytes()) for path in packed]
    return [json.loads(line) for file in files for line in file.splitlines() if line]


def test_the_crawl_was_killed_often_and_ends_by_itself_after_all(crawl):
    assert len(crawl.kills) == crash_plan.KILLS >= 20
    assert crawl.code == 0, crawl.text()[-3000:]


def test_most_kills_found_the_crawl_at_work(crawl):
    asked = [0, *(kill.asked for kill in crawl.kills)]
    assert sum(after > before for before, after in itertools.pairwise(asked)) > crash_plan.KILLS / 2
    assert sum(bool(kill.left.leased) for kill in crawl.kills) > crash_plan.KILLS / 4


def test_no_start_showed_a_traceback(crawl):
    for log in crawl.folder.glob("crawl-*.log"):
        text = log.read_text(encoding="utf-8", errors="replace")
        assert "Traceback" not in text
        assert "CRITICAL" not in text


def test_every_reachable_url_was_asked_and_answered(crawl):
    whole = {canonical(entry.url) for entry in crawl.web.settled_log() if entry.status or entry.path == "/hangs.mp3"}
    assert {canonical(url) for url in crawl.web.kinds} - whole == set()


def test_every_reachable_url_ended_as_it_would_without_kills(crawl):
    assert crawl.ends() == crawl.web.ends


def test_nothing_waits_and_nothing_is_leased_at_the_end(left):
    assert (left.waiting, left.leased) == (frozenset(), frozenset())


def test_at_every_kill_each_url_stood_in_exactly_one_place_and_the_counts_said_so(crawl, left):
    for kill in crawl.kills:
        kill.left.check()
    left.check()


def test_no_kill_lost_a_url_or_took_an_end_back(crawl, left):
    states = [kill.left for kill in crawl.kills] + [left]
    for before, after in itertools.pairwise(states):
        after.check_after(before)


def test_at_every_kill_what_an_ended_url_had_given_was_there(crawl):
    links = {canonical(url): list(map(canonical, found)) for url, found in crawl.web.links.items()}
    for kill in crawl.kills:
        ended = [url for url in links if kill.left.has_ended(url)]
        assert [found for url in ended for found in links[url] if not kill.left.knows(found)] == []
        assert [url for url in crawl.web.files if kill.left.has_ended(canonical(url)) and url not in kill.stored] == []


def test_every_media_file_is_stored_once_and_whole(crawl):
    records = crawl.records()
    assert Counter(row["content_url"] for row in records) == Counter(dict.fromkeys(crawl.web.files, 1))
    for row in records:
        url = row["content_url"]
        names = names_of(crawl.web.files[url])
        assert (row["probe_status"], row["content_size"]) == ("complete", crawl.web.sizes[url]), url
        assert (row["title"], row["artist"]) == (names.title, names.artist), url
        assert row["duration"] > 0


def test_no_site_was_asked_sooner_than_its_delay_across_restarts_too(crawl):
    visits = Counter()
    for gap, site, before, after in crawl.gaps():
        visits[site] += 1
        owed = ordeal.FIRST if visits[site] < 5 else ordeal.DELAY
        assert gap >= owed - CLOCK, (site, before, after)


def test_a_crawl_delay_is_kept_across_restarts(crawl):
    patient = [gap for gap in crawl.gaps() if gap[1].removesuffix(".example") in PATIENT]
    over = 0
    for gap, _, before, after in patient:
        killed = crawl.killed_between(before, after)
        over += bool(killed)
        # What a robots.txt asked for is known to the file from the next commit on; a kill may come before it.
        if not (killed and before.path == "/robots.txt"):
            assert gap >= CRAWL_DELAY - CLOCK, (before, after)
    assert over > len(PATIENT)


def test_no_url_was_asked_twice_but_those_that_were_leased_at_a_kill(crawl):
    tries, unexplained = crawl.web.tries, crawl.unexplained()
    often = [what for what, times in unexplained.items() if times > tries.get(what[0], 1) - 1]
    assert often == [], "\n".join(crawl.story(often[0][0]))


def test_the_request_log_has_a_line_for_every_request_those_that_were_out_at_a_kill_among_them(crawl, lines):
    told = [line for line in lines if line["error"] != UNFINISHED]
    ended = Counter(line["url"] for line in told if line["status"] or line["error"])
    seen = Counter(canonical(entry.url) for entry in crawl.web.settled_log())
    assert {url: ended[url] - seen[url] for url in ended if ended[url] > seen[url]} == {}
    out = Counter(line["url"] for line in lines if line["error"] == UNFINISHED)
    assert {url: times for url, times in out.items() if times > crawl.leased(url)} == {}
    assert out.total() > 0
    assert seen - ended - out == Counter()
