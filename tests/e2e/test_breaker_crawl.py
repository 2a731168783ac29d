"""Faults are written down with their tracebacks, and when too many come, or nobody can be reached, the crawl stops."""

import json
import re
import socket
from pathlib import Path

import pytest
from crawling import Crawl
from judging import Verdict, stat

from mediacrawl import settings
from mediacrawl.demo import HttpServer, Resource, respond

SITES = 30
ERRORS = 8


class ManySites:
    """Sites with a page each, all at one port of loopback."""

    never_crawl = "# nobody\n"

    def __init__(self, port, server=None):
        self._server = server
        self.hosts = {f"site-{number}.example": "127.0.0.1" for number in range(SITES)}
        self.seeds = [f"http://{host}:{port}/" for host in self.hosts]

    def settled_log(self):
        return self._server.settled_log() if self._server else []


async def answer(exchange):
    at_robots = exchange.request.path == "/robots.txt"
    body = b"User-agent: *\nDisallow:\n" if at_robots else f"<p>{exchange.request.host}".encode()
    await exchange.send(respond(Resource(body, "text/plain" if at_robots else "text/html"), exchange.request))


def broken(**more):
    parts = {
        "DOWNLOADER_MIDDLEWARES": {**settings.DOWNLOADER_MIDDLEWARES, "broken.BrokenMiddleware": 500},
        "EXTENSIONS": {**settings.EXTENSIONS, "broken.BrokenExtension": 500},
        **more,
    }
    return switches(**{name: json.dumps(value) for name, value in parts.items()})


def switches(**values):
    return [word for name, value in values.items() for word in ("-s", f"{name}={value}")]


@pytest.fixture(scope="module")
def web():
    with HttpServer(answer) as server:
        yield ManySites(server.port, server)


@pytest.fixture(scope="module")
def tripped(web, tmp_path_factory):
    """A crawl that met nothing but faults."""
    crawl = Crawl(web, tmp_path_factory.mktemp("broken"))
    crawl.imports.append(Path(__file__).parent)
    crawl.start(*broken(BREAKER_ERRORS=ERRORS), *switches(LOGSTATS_INTERVAL=0))
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
    assert r"LookupError: no such \x1b[2Jkey (e2e/broken.py:" in line
    assert "in process_response)" in line
    assert re.search(r"the last at http://site-\d+\.example:\d+/", line)
    assert str(tripped.folder / "state" / "log" / "critical.log") in line


def test_the_summary_names_the_faults(tripped):
    assert re.search(r"faults +\d+ errors that nobody expected, see critical.log", tripped.text())


def test_a_fault_is_told_once_with_its_traceback_and_then_in_a_line(critical):
    assert critical.count("raise LookupError(") == 1
    lines = re.findall(r"^\d{4}-\S+ \S+Z LookupError: .* http://site-\d+.example:\d+/$", critical, re.MULTILINE)
    assert len(lines) >= ERRORS - 2


def test_failures_that_nobody_waits_for_are_written_down_too(critical):
    assert critical.count("ValueError: a Deferred that nobody waits for") >= 2
    assert critical.count("ValueError: a task that nobody waits for") >= 2


def test_nothing_that_is_written_down_commands_a_terminal(critical):
    assert "\x1b" not in critical


def test_no_url_is_lost_and_the_next_start_goes_on(tripped, web):
    verdict = Verdict(tripped)
    assert verdict.leased == 0
    assert len(verdict.waiting) == SITES
    tripped.start(seed="")
    assert tripped.wait(60) == 0
    verdict = Verdict(tripped)
    assert verdict.waiting == []
    assert verdict.ended == {"done": SITES}


def test_with_the_breaker_off_the_crawl_goes_on_through_all_faults(web, tmp_path):
    crawl = Crawl(web, tmp_path)
    crawl.imports.append(Path(__file__).parent)
    crawl.start(*broken(BREAKER_ERRORS=0), *switches(FRONTIER_ATTEMPTS=1))
    assert crawl.wait(60) == 0
    assert stat(crawl, "errors/faults") == SITES + 2
    assert Verdict(crawl).ended == {"download_error": SITES}


@pytest.fixture
def nobody():
    """Sites at a port where nobody listens."""
    # The port stays taken, or another process may begin to listen there.
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        yield ManySites(deaf.getsockname()[1])


def test_when_no_site_can_be_reached_the_crawl_stops_and_keeps_all(nobody, tmp_path):
    crawl = Crawl(nobody, tmp_path)
    crawl.start(*switches(BREAKER_SITES=20, BREAKER_SILENCE=0, LOGSTATS_INTERVAL=0.2))
    assert crawl.wait(60) == 1, crawl.text()[-3000:]
    assert "'finish_reason': 'network_down'" in crawl.text()
    (line,) = re.findall(r"CRITICAL: (The crawl stops.*)", crawl.text())
    assert "the last 20 sites could not be reached (connection 20)" in line
    assert "the network of this machine seems to be down" in line
    verdict = Verdict(crawl)
    assert (len(verdict.waiting), verdict.leased) == (SITES, 0)
    assert re.search(r"INFO: Errors of the last .*: connection \d+", crawl.text())
    assert not (tmp_path / "state" / "log" / "critical.log").exists()
