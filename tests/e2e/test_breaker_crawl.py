"""Faults are written down with their tracebacks, and when too many come, or nobody can be reached, the crawl stops."""

import json
import re
import socket
from pathlib import Path

import pytest
from crawling import Crawl
from judging import Verdict, stat
from wire import HttpServer, Resource, respond

from mediacrawl import settings

SITES = 30
ERRORS = 8


class ManySites:
    """Sites with a page each, each at an address of loopback of its own."""

    never_crawl = "# nobody\n"

    def __init__(self, port, server=None):
        self._server = server
        self.hosts = {f"site-{number}.example": f"127.0.0.{number + 1}" for number in range(SITES)}
        self.seeds = [f"http://{host}:{port}/" for host in self.hosts]

    def settled_log(self):
        return self._server.settled_log() if self._server else []


async def answer(exchange):
    at_robots = exchange.request.path == "/robots.txt"
    body = b"User-agent: *\nDisallow:\n" if at_robots else f"<p>{exchange.request.host}".encode()
    await exchange.send(respond(Resource(body, "text/plain" if at_robots else "text/html"), exchange.request))


def broken(**more):
    return {
        "DOWNLOADER_MIDDLEWARES": {**settings.DOWNLOADER_MIDDLEWARES, "broken.BrokenMiddleware": 500},
        "EXTENSIONS": {**settings.EXTENSIONS, "broken.BrokenExtension": 500},
        **more,
    }


@pytest.fixture(scope="module")
def web():
    with HttpServer(answer, address="0.0.0.0") as server:
        yield ManySites(server.port, server)


@pytest.fixture(scope="module")
def tripped(web, tmp_path_factory):
    """A crawl that met nothing but faults."""
    crawl = Crawl(web, tmp_path_factory.mktemp("broken"))
    crawl.imports.append(Path(__file__).parent)
    crawl.start(**broken(BREAKER_ERRORS=ERRORS, LOGSTATS_INTERVAL=0))
    crawl.code = crawl.wait(60)
    return crawl


@pytest.fixture(scope="module")
def critical(tripped):
    return (tripped.folder / "state" / "log" / "critical.log").read_text(encoding="utf-8")


def test_too_many_faults_end_the_crawl_with_a_reason_and_an_exit_code(tripped):
    assert tripped.code == 1, tripped.text()[-3000:]
    assert "'finish_reason': 'breaker'" in tripped.text()
    assert stat(tripped, "errors/faults") >= ERRORS


def test_the_crawl_says_what_is_broken_where_and_at_which_url(tripped):
    (line,) = re.findall(r"CRITICAL: (The crawl stops.*)", tripped.text())
    assert f"{ERRORS} faults came within" in line
    assert re.search(r"\(sites: [1-8], places in the code: [123]\)", line)
    assert r"LookupError: no such \x1b[2Jkey (e2e/broken.py:" in line
    assert "in process_response)" in line
    assert re.search(r"the last at http://site-\d+\.example:\d+/", line)
    assert str(tripped.folder / "state" / "log" / "critical.log") in line


def test_a_fault_is_told_once_with_its_traceback_and_then_in_a_line(critical):
    assert critical.count("raise LookupError(") == 1
    lines = re.findall(r"^\d{4}-\S+ \S+Z LookupError: .* http://site-\d+.example:\d+/$", critical, re.MULTILINE)
    assert len(lines) >= ERRORS - 2


def test_failures_that_nobody_waits_for_are_written_down_too(critical):
    assert critical.count("ValueError: a Deferred that nobody waits for") >= 2
    assert critical.count("ValueError: a task that nobody waits for") >= 2


def test_no_url_is_lost_and_the_next_start_goes_on(tripped, web):
    verdict = Verdict(tripped)
    assert verdict.leased == 0
    assert len(verdict.waiting) == SITES
    tripped.start(seed="")
    assert tripped.wait(60) == 0
    verdict = Verdict(tripped)
    assert verdict.waiting == []
    assert verdict.ended == {"done": SITES}


@pytest.fixture
def nobody():
    """Sites at a port where nobody listens."""
    # The port stays taken, or another process may begin to listen there.
    with socket.socket() as deaf:
        deaf.bind(("0.0.0.0", 0))
        yield ManySites(deaf.getsockname()[1])


def test_when_no_site_can_be_reached_the_crawl_stops_and_keeps_all(nobody, tmp_path):
    crawl = Crawl(nobody, tmp_path)
    crawl.start(BREAKER_SITES=20, LOGSTATS_INTERVAL=0.2, **{"mediacrawl.extensions.breaker.SILENCE": 0})
    assert crawl.wait(60) == 1, crawl.text()[-3000:]
    assert "'finish_reason': 'network_down'" in crawl.text()
    (line,) = re.findall(r"CRITICAL: (The crawl stops.*)", crawl.text())
    assert "the last 20 sites could not be reached (connection 20)" in line
    assert "the network of this machine seems to be down" in line
    verdict = Verdict(crawl)
    assert (len(verdict.waiting), verdict.leased) == (SITES, 0)
    assert re.search(r"INFO: Errors of the last .*: connection refused \d+", crawl.text())
    assert not (tmp_path / "state" / "log" / "critical.log").exists()


RECORDS, PAGES, REST_AFTER = 20, 12, 10
"""Records of a page, pages of each bad site, and those of them that are asked until it rests."""


class FaultyWeb(ManySites):
    """Sound sites, and two bad ones: a part of the user fails at what comes from there."""

    def __init__(self, port, server):
        super().__init__(port, server)
        self.hosts |= {"records.example": "127.0.1.1", "pages.example": "127.0.1.2"}
        self.sound = list(self.seeds)
        self.bad = [
            f"http://{host}.example:{port}/{number}" for host in ("records", "pages") for number in range(PAGES)
        ]
        self.seeds = [*self.bad, *self.sound]


async def answer_with_records(exchange):
    """Pages that tell of films, and no two alike."""
    if exchange.request.path == "/robots.txt":
        await answer(exchange)
        return
    own = f"{exchange.request.host}{exchange.request.path}"
    told = [
        {"@type": "VideoObject", "name": f"Film {number}", "embedUrl": f"http://never.example/{own}/{number}"}
        for number in range(RECORDS)
    ]
    # As many records as a page of this length may have.
    body = f'<p>{own}</p><!--{"x" * 20_000}--><script type="application/ld+json">{json.dumps(told)}</script>'.encode()
    await exchange.send(respond(Resource(body, "text/html"), exchange.request))


def failing(host):
    """Parts that fail at what comes from some hosts; no link is followed."""
    parts = {
        "DOWNLOADER_MIDDLEWARES": {**settings.DOWNLOADER_MIDDLEWARES, "broken.BrokenAtPages": 500},
        "ITEM_PIPELINES": {**settings.ITEM_PIPELINES, "broken.BrokenPipeline": 250},
    }
    rest = {"BACKOFF_MAX": 0.3, "BACKOFF_REST_AFTER": REST_AFTER, "SCOPE_MAX_DEPTH": 0}
    return {**parts, **rest, "BROKEN_HOST": host}


@pytest.fixture(scope="module")
def two_bad_sites(tmp_path_factory):
    with HttpServer(answer_with_records, address="0.0.0.0") as server:
        crawl = Crawl(FaultyWeb(server.port, server), tmp_path_factory.mktemp("faulty"))
        crawl.imports.append(Path(__file__).parent)
        crawl.start(**failing("records.example"))
        crawl.code = crawl.wait(60)
        yield crawl


def test_hundreds_of_faults_of_two_sites_stop_no_crawl_of_the_others(two_bad_sites):
    assert two_bad_sites.code == 0, two_bad_sites.text()[-3000:]
    assert "Spider closed (finished)" in two_bad_sites.text()
    assert stat(two_bad_sites, "errors/faults") == REST_AFTER * RECORDS + REST_AFTER
    verdict = Verdict(two_bad_sites)
    assert [url for url in two_bad_sites.web.sound if verdict.of(url) != ("done", 1)] == []


def test_a_site_whose_answers_cause_faults_rests_and_what_waits_there_waits_on(two_bad_sites):
    verdict = Verdict(two_bad_sites)
    ends = [verdict.of(url) for url in two_bad_sites.web.bad]
    assert sum(asked for _, asked in ends) == 2 * REST_AFTER
    assert {end for end, asked in ends if not asked} == {"open"}
    for host in ("records", "pages"):
        shown = two_bad_sites.command("frontier", "show", f"{host}.example").stdout
        assert "the last: fault" in shown
        assert re.search(r"resting, may be asked in 1\d min", shown), shown


def test_the_summary_and_the_log_name_the_sites_that_caused_faults(two_bad_sites):
    text = two_bad_sites.text()
    for host in ("records", "pages"):
        assert f"WARNING: {host}.example rests: " in text
        assert f"http://{host}.example:{two_bad_sites.web._server.port}/" in text
    said = f"see critical.log: records.example {REST_AFTER * RECORDS}, pages.example {REST_AFTER} "
    assert said in " ".join(text.split())
