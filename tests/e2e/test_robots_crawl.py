"""F1 to F18, what a fetcher of robots.txt must do by RFC 9309, in real crawls that are judged by the server's log."""

import itertools
import socket
from collections import Counter

import crawling
import pytest
from crawling import Crawl
from judging import Verdict, stat
from robots_web import ALIKE, ANSWERS, CHANGING, PAGES, RULES, RobotsWeb

from mediacrawl.download.body_bytes import ROBOTS_BYTES
from mediacrawl.log.archive import read
from mediacrawl.politeness.robots_book import LEAST_TRIES, RobotsBook
from mediacrawl.scope import canonical

FREE, CLOSED, LATE = "/", "/private/x", "/late/x"
KEEPER = "moved-away-301-keeper"
READ, REFUSED = ("done", 1), ("robots", 0)

OPEN = {FREE: READ, CLOSED: READ}
RULED = {FREE: READ, CLOSED: REFUSED}
SHUT = {FREE: REFUSED, CLOSED: REFUSED}
MAX_AGE, MIN_AGE = 1.2, 0.4
YOUNGEST = "mediacrawl.politeness.robots_book.RobotsTimes.min_age"

# What a pause or a doubled delay would add belongs to other tests; those of hours would end no crawl here.
HASTE = {
    "BACKOFF_REST_AFTER": 0,
    "BACKOFF_MAX": 0.3,
    "mediacrawl.politeness.delay.BackoffPolicy.forbidden": 0,
    "FRONTIER_EXPLORE": 0,
    "mediacrawl.scope.duplicates.DuplicatePolicy.pages": 0,
}


FAILING = {
    *("to-itself", "to-nowhere", "to-never", "to-failure", "endless-redirects", "to-metadata", "to-file", "to-ftp"),
    *("s429", "s500", "s501", "s503", "s599", "reset", "packed-badly", "comes-back", "hang", "status-huge"),
    *("differs", "nothing-came", *ALIKE),
}
"""Hosts whose robots.txt is requested again until it is given up; and those that answer at last."""

PATIENCE = 4
"""Seconds, more than a process may stand still: an answer that is late, or a redirect to another site, which is waited
for as long as ROBOTS_RETRY, must not be taken for lost."""

TRIES = {
    "ROBOTS_RETRY": PATIENCE,
    # Not doubled, or five tries would take minutes.
    "ROBOTS_MAX_AGE": PATIENCE,
    "mediacrawl.politeness.robots_book.RobotsTimes.give_up": 2,
    "DOWNLOAD_TIMEOUT": PATIENCE,
    # A site that hangs would be left alone for longer than ROBOTS_MAX_AGE otherwise, and asked again each time.
    "POLITENESS_FACTOR": 0,
}


@pytest.fixture(scope="module")
def second():
    """The same hosts on another port, where everything is forbidden."""
    with RobotsWeb(shut=True) as second:
        yield second


@pytest.fixture(scope="module")
def web():
    with RobotsWeb() as web:
        yield web


@pytest.fixture(scope="module")
def unreachable(web):
    """F8: URLs of servers that cannot be reached."""
    with socket.socket() as held:
        # Nobody listens there, and nobody else can be given it.
        held.bind(("127.0.0.1", 0))
        yield {
            "refused": f"http://steady.example:{held.getsockname()[1]}/x",
            "tls": web.url("s404", "/x").replace("http:", "https:"),
            "dns": f"http://nobody.invalid:{web.port}/x",
        }


@pytest.fixture(scope="module")
def crawls(web, second, unreachable, tmp_path_factory):
    """A crawl of all hosts that do not change, and one beside it of those whose robots.txt cannot be obtained."""
    both = [Crawl(web, tmp_path_factory.mktemp(name)) for name in ("robots", "failing")]
    names = [name for name in (*ANSWERS, KEEPER) if name not in FAILING], FAILING
    seeds = [[web.url(name, path) for name in some for path in (FREE, CLOSED)] for some in names]
    seeds[0] += [web.url("huge", LATE), second.url("broken-lines")]
    seeds[1] += unreachable.values()
    for crawl, urls, settings in zip(both, seeds, ({"ROBOTS_RETRY": PATIENCE}, TRIES), strict=True):
        crawl.start(**HASTE, **settings, seed="\n".join(urls))
    for crawl in both:
        crawl.code = crawl.wait()
    return both


@pytest.fixture(scope="module")
def crawl(crawls):
    """The first of them, for all tests that only look at it."""
    return crawls[0]


@pytest.fixture(scope="module")
def verdicts(crawls):
    return [Verdict(crawl) for crawl in crawls]


@pytest.fixture(scope="module")
def verdict(verdicts):
    return verdicts[0]


@pytest.fixture(scope="module")
def failed(verdicts):
    """The verdict on the hosts whose robots.txt could not be fetched."""
    return verdicts[1]


@pytest.fixture(scope="module")
def failures(crawls):
    """The second crawl's log of robots.txt files."""
    return list(read(crawls[1].folder / "state" / "log", name="robots"))


@pytest.fixture(scope="module")
def lines(crawl):
    return list(read(crawl.folder / "state" / "log", name="robots"))


def ends(verdict, web, name):
    return {path: verdict.of(web.url(name, path)) for path in (FREE, CLOSED)}


def asked(web, name):
    """What the server of a host was asked, in its order."""
    return [entry for entry in web.settled_log() if entry.host == f"{name}.example"]


def paths(web, name):
    # Canonical URLs have an equals sign behind a name without a value.
    return [entry.path.removesuffix("=") for entry in asked(web, name)]


def test_the_crawl_ends_by_itself_and_without_a_complaint(crawls, verdicts):
    for crawl, verdict in zip(crawls, verdicts, strict=True):
        assert crawl.code == 0, crawl.text()[-3000:]
        assert "Traceback" not in crawl.text()
        assert (verdict.waiting, verdict.leased) == ([], 0)


def test_the_first_request_of_every_host_was_its_robots_txt(web, crawl):
    first = {}
    for entry in web.settled_log():
        first.setdefault(entry.host, entry.path)
    assert {f"{name}.example" for name in ANSWERS} <= set(first)
    assert {path for host, path in first.items() if not host.endswith("-keeper.example")} == {"/robots.txt"}


def test_no_site_was_asked_sooner_than_its_delay_whoever_wanted_its_robots_txt(crawl):
    gaps = list(crawl.gaps())
    assert len(gaps) > 100
    assert [gap for gap in gaps if gap[0] < crawling.MIN_DELAY - crawling.CLOCK] == []


KNOWN = {
    # F1: rules bind, and a broken line hurts no other. F2: bytes that are no UTF-8 hide no rule.
    **dict.fromkeys(("broken-lines", "steady", "latin", "asterisks"), RULED),
    "noise": OPEN,
    # F3: a redirect is followed, and its rules bind the first host, not their keeper. F4: more than five of them, too.
    **dict.fromkeys((f"moved{away}-{code}" for code in (301, 302, 303, 307, 308) for away in ("", "-away")), RULED),
    **dict.fromkeys(("five-redirects", "six-redirects"), RULED),
    KEEPER: OPEN,
    # F5: one that is not there allows everything.
    **dict.fromkeys(("s401", "s403", "s404", "s410"), OPEN),
    # F13: the first 500 KiB count.
    "huge": RULED,
    # F18: a page in its place has no rules, and the Content-Type hides none.
    "page-instead": OPEN,
    "typed-as-page": RULED,
    "ambiguous": RULED,
}
"""What the robots.txt of a host that can be fetched comes to."""


@pytest.mark.parametrize("name", KNOWN)
def test_f01_to_f05_f13_and_f18_a_robots_txt_that_came_binds_as_it_says(verdict, web, name):
    assert ends(verdict, web, name) == KNOWN[name]


def test_f03_the_way_of_a_redirect(verdict, web):
    for code in (301, 302, 303, 307, 308):
        assert paths(web, f"moved-{code}") == ["/robots.txt", "/robots.txt?1", FREE]
        assert paths(web, f"moved-away-{code}") == ["/robots.txt", FREE]
        assert paths(web, f"moved-away-{code}-keeper").count("/keeps/rules.txt") == 1
    assert paths(web, "five-redirects") == ["/robots.txt", "/robots.txt?2", "/robots.txt?4", FREE]
    assert paths(web, "five-redirects-keeper") == [f"/keeps/tour?{number}" for number in (1, 3, 5)]


def test_f03_a_site_that_is_never_crawled_is_not_asked_for_anothers_rules(failed, web):
    assert ends(failed, web, "to-never") == SHUT
    assert asked(web, "to-never-keeper") == []


def test_f04_redirects_without_end_allow_nothing(failed, web):
    assert ends(failed, web, "endless-redirects") == SHUT
    tour = paths(web, "endless-redirects") + paths(web, "endless-redirects-keeper")
    tries = tour.count("/robots.txt")
    assert tries >= LEAST_TRIES
    assert Counter(int(path.partition("?")[2] or 0) for path in tour) == dict.fromkeys(
        range(RobotsBook.MAX_HOPS + 1), tries
    )


# F4: redirects that lead nowhere. F6: 429. F7: 5xx. F8: no answer, or one that breaks off, however it begins.
# F15: redirects to where nobody is to go.
UNKNOWN = [
    *("to-itself", "to-nowhere", "to-metadata", "to-file", "to-ftp"),
    *("s429", "s500", "s501", "s503", "s599", "status-huge", "hang", "reset", "packed-badly"),
    *("differs", "nothing-came"),
]


@pytest.mark.parametrize("name", UNKNOWN)
def test_f04_to_f10_and_f15_of_a_host_whose_robots_txt_cannot_be_had_nothing_else_is_asked(failed, web, crawls, name):
    assert set(paths(web, name)) == {"/robots.txt"}
    # F10: it is tried again and again, and given up.
    assert ends(failed, web, name) == SHUT
    assert len(asked(web, name)) >= LEAST_TRIES
    lines = read(crawls[1].folder / "state" / "log")
    assert not any(line["status"] for line in lines if "169.254" in line["url"] or "/etc/" in line["url"])


@pytest.mark.parametrize("name", ["refused", "tls", "dns"])
def test_f08_of_a_server_that_cannot_be_reached_nothing_is_asked(failed, unreachable, failures, name):
    url = canonical(unreachable[name])
    assert failed.of(url) == REFUSED
    tried = [line["status"] for line in failures if line["url"] == url.removesuffix("/x") + "/robots.txt"]
    assert len(tried) >= LEAST_TRIES
    assert set(tried) <= {0, None}


def test_f08_a_host_that_comes_back_has_lost_nothing(failed, web):
    assert ends(failed, web, "comes-back") == RULED
    assert paths(web, "comes-back") == ["/robots.txt"] * 3 + ["/"]


@pytest.mark.parametrize("name", ALIKE)
def test_a_file_that_breaks_off_at_the_same_place_twice_is_whole(failed, web, name):
    assert ends(failed, web, name) == RULED
    assert paths(web, name) == ["/robots.txt"] * 2 + ["/"]


def test_f14_another_port_is_another_authority(verdict, web, second, crawl):
    assert verdict.of(second.url("broken-lines")) == REFUSED
    assert [entry.path for entry in second.settled_log()] == ["/robots.txt"]


def test_f16_where_a_page_is_redirected_to_the_other_hosts_rules_decide(verdict, web):
    assert verdict.of(web.url("leads-away", CLOSED)) == READ
    assert paths(web, "shut") == ["/robots.txt"]
    assert verdict.of(web.url("shut", CLOSED)) == REFUSED


def test_what_is_odd_about_a_robots_txt_is_counted(verdict, web, crawl):
    assert verdict.of(web.url("huge", LATE)) == READ
    assert stat(crawl, "robots/html") == 2
    assert stat(crawl, "robots/ambiguous_group") == 1
    assert stat(crawl, "robots/sitemaps") == 1


def test_a_huge_robots_txt_is_cut_when_enough_of_it_has_come(web, crawl):
    (line,) = [line for line in read(crawl.folder / "state" / "log") if line["url"] == web.url("huge", "/robots.txt")]
    assert 512_000 <= line["bytes"] <= ROBOTS_BYTES + 65_536


def test_the_log_has_each_text_whole_under_the_authority_that_it_binds(lines, web):
    texts = {(line["authority"], line["url"]): line for line in lines if line["status"] == 200}
    for name, at in [
        ("latin", web.url("latin", "/robots.txt")),
        ("moved-301", web.url("moved-301", "/robots.txt?1")),
        ("moved-away-308", web.url("moved-away-308-keeper", "/keeps/rules.txt")),
        ("five-redirects", web.url("five-redirects-keeper", "/keeps/tour?5")),
    ]:
        line = texts[web.url(name, ""), at]
        assert "Disallow: /private/" in line["text"]
        assert line["site"] == f"{name}.example"
    assert len(texts[web.url("huge", ""), web.url("huge", "/robots.txt")]["text"]) > 500 * 1000


def test_the_letter_says_that_a_robots_txt_broke_off(crawls):
    done = crawls[1].command("complaint", "chunk-missing.example")
    assert f"UTC  broke off, {len(RULES)} B: not to be had" in done.stdout


# -- while the crawl runs ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def changing(tmp_path_factory):
    """A crawl that lasts several times as long as a robots.txt counts."""
    with RobotsWeb() as web:
        crawl = Crawl(web, tmp_path_factory.mktemp("changing"))
        web.seeds = [web.url(name, f"/{number}") for number in range(PAGES) for name in CHANGING]
        web.seeds += [web.url(name, CLOSED) for name in CHANGING]
        times = {"ROBOTS_RETRY": 0.3, "ROBOTS_MAX_AGE": MAX_AGE, YOUNGEST: MIN_AGE, "POLITENESS_FIRST_DELAY": 0.4}
        # A copy counts for twice the delay, which is not to depend on how slow this machine is.
        crawl.start(**HASTE, **times, POLITENESS_FACTOR=0)
        crawl.code = crawl.wait(90)
        assert crawl.code == 0, crawl.text()[-3000:]
        yield crawl


def fetches(crawl, name):
    return [entry for entry in asked(crawl.web, name) if entry.path == "/robots.txt"]


def spans(entries):
    """Seconds from each fetch of robots.txt to the next."""
    return [after.received_monotonic - before.received_monotonic for before, after in itertools.pairwise(entries)]


def test_f09_while_robots_txt_cannot_be_had_the_older_copy_counts(changing):
    verdict = Verdict(changing)
    statuses = [entry.status for entry in fetches(changing, "breaks")]
    assert statuses[0] == 200
    assert set(statuses[1:]) == {500}
    assert [verdict.of(changing.web.url("breaks", f"/{number}")) for number in range(PAGES)] == [READ] * PAGES
    assert verdict.of(changing.web.url("breaks", CLOSED)) == REFUSED
    after = asked(changing.web, "breaks")
    assert any(entry.path != "/robots.txt" for entry in after[after.index(fetches(changing, "breaks")[1]) :])


@pytest.mark.parametrize("name", ["steady", "cached-for-ever"])
def test_f11_a_copy_is_asked_for_anew_when_it_is_old_and_not_before(changing, name):
    found = spans(fetches(changing, name))
    assert len(found) >= 2
    assert min(found) >= MAX_AGE - crawling.CLOCK


@pytest.mark.parametrize(("name", "header"), [("tagged", "if-none-match"), ("dated", "if-modified-since")])
def test_f12_a_copy_is_asked_for_with_a_condition_and_counts_on_when_nothing_changed(changing, name, header):
    first, *later = fetches(changing, name)
    assert first.status == 200
    assert header not in first.headers
    assert later
    assert {entry.status for entry in later} == {304}
    assert all(entry.headers[header] for entry in later)
    assert min(spans([first, *later])) >= MAX_AGE - crawling.CLOCK
    verdict = Verdict(changing)
    assert verdict.of(changing.web.url(name, CLOSED)) == REFUSED
    assert verdict.of(changing.web.url(name, f"/{PAGES - 1}")) == READ


def test_f12_a_server_may_shorten_the_time_down_to_the_least(changing):
    found = spans(fetches(changing, "uncached"))
    assert min(found) >= MIN_AGE - crawling.CLOCK
    assert len(found) > len(spans(fetches(changing, "steady")))


def test_f17_a_changed_rule_binds_urls_that_wait_already(changing):
    verdict = Verdict(changing)
    entries = asked(changing.web, "closes")
    second = entries.index(fetches(changing, "closes")[1])
    assert {entry.path for entry in entries[second:]} == {"/robots.txt"}
    ended = [verdict.of(changing.web.url("closes", f"/{number}")) for number in range(PAGES)]
    assert set(ended) == {READ, REFUSED}
    assert ended.count(READ) == second - 1


def test_a_robots_txt_that_never_comes_keeps_no_crawl_open_but_its_site_rests(tmp_path):
    with RobotsWeb() as web:
        crawl = Crawl(web, tmp_path)
        web.seeds = [web.url(name) for name in ("to-failure", "s500")]
        crawl.run(**{**HASTE, "BACKOFF_REST_AFTER": 3, "ROBOTS_RETRY": 0.2})
        assert set(paths(web, "to-failure")) == {"/robots.txt"}
        assert paths(web, "s500") == ["/robots.txt"] * 3
        assert {*map(canonical, web.seeds)} <= {*Verdict(crawl).waiting}


def test_a_site_that_is_left_alone_for_longer_than_its_copy_counts_is_asked_for_its_pages_too(tmp_path):
    with RobotsWeb() as web:
        crawl = Crawl(web, tmp_path)
        web.seeds = [web.url("patient")]
        crawl.run(**HASTE, **{"ROBOTS_RETRY": 1, YOUNGEST: 0.3})
        assert paths(web, "patient") == ["/robots.txt", "/"]


# -- after a kill ------------------------------------------------------------------------------------------------


def test_a_kill_while_a_carrier_is_on_its_way_costs_no_rule(tmp_path):
    with RobotsWeb() as web:
        crawl = Crawl(web, tmp_path)
        web.seeds = [web.url("moved-away-301", path) for path in (FREE, CLOSED)]
        web.seeds += [web.url(KEEPER, f"/{number}") for number in range(4)]
        crawl.start(**HASTE, ROBOTS_RETRY=2)
        crawl.until(lambda log: any(entry.host == "moved-away-301.example" for entry in log))
        crawl.kill()
        crawl.run(**HASTE, ROBOTS_RETRY=2, seed="")
        verdict = Verdict(crawl)
        assert {path: verdict.of(web.url("moved-away-301", path)) for path in (FREE, CLOSED)} == RULED
        assert paths(web, "moved-away-301")[0] == "/robots.txt"
        assert {f"/{number}" for number in range(4)} <= set(paths(web, KEEPER))
