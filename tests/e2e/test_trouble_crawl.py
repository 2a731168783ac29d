"""Sites that fail in every way a site can: a real crawl leaves them alone, keeps their URLs, and says so."""

import contextlib
import socket
import threading
import time

import pytest
from crawling import Crawl
from judging import Verdict
from wire import HttpServer, Resource, Response, respond

from mediacrawl.log.archive import read

REST_AFTER = 3
SETTINGS = {
    "BACKOFF_REST_AFTER": REST_AFTER,
    "ROBOTS_RETRY": 0.2,
    # Longer than a process may stand still: else others than the site that hangs would not answer in time.
    "DOWNLOAD_TIMEOUT": 5,
    "POLITENESS_FACTOR": 0,
    "RESOLVER_TIMEOUT": 1,
    "mediacrawl.politeness.addresses.FAILURE": 0.1,
    "BREAKER_SITES": 0,
    "GUARD_ALLOW": "127.0.0.0/8",
    # The contact is of this machine only, so that nothing else could be requested by mistake.
    "LOG_LEVEL": "DEBUG",
}


class FailingWeb(HttpServer):
    """Sites that fail; one has the port of nobody, one a name that nobody knows, and one speaks no TLS on its port."""

    never_crawl = "# nobody\n"

    def __init__(self):
        super().__init__(self._answer)
        # Nobody listens there, and nobody else can be given it.
        self._nobody = socket.socket()
        self._nobody.bind(("127.0.0.1", 0))
        self.nobody_port = self._nobody.getsockname()[1]
        self._plain = socket.create_server(("127.0.0.1", 0))
        self.plain_port = self._plain.getsockname()[1]
        threading.Thread(target=self._speak_plainly, daemon=True).start()
        self.hosts = {f"{name}.example": "127.0.0.1" for name in ("fine", "broken", "hanging", "plain", "refusing")}

    @property
    def seeds(self):
        port = self.port
        return [
            f"http://fine.example:{port}/",
            *(f"http://broken.example:{port}/{path}" for path in ("", "other", "song.mp3")),
            f"http://hanging.example:{port}/",
            f"https://plain.example:{self.plain_port}/",
            f"http://refusing.example:{self.nobody_port}/",
            "http://nowhere.example/",
        ]

    def stop(self):
        super().stop()
        self._nobody.close()
        # Ends the thread as well: on Linux a listener that is only closed continues waiting.
        self._plain.shutdown(socket.SHUT_RDWR)
        self._plain.close()

    def _speak_plainly(self):
        with contextlib.suppress(OSError):
            while True:
                caller, _ = self._plain.accept()
                with caller:
                    caller.recv(4096)
                    caller.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    async def _answer(self, exchange):
        host, path = exchange.request.host, exchange.request.path
        if host == "hanging.example":
            await exchange.until_gone()
        elif host == "broken.example" and path != "/robots.txt":
            await exchange.send(Response(500, (), b"broken\n"))
        elif path == "/robots.txt":
            await exchange.send(Response(404, (), b"none\n"))
        else:
            await exchange.send(respond(Resource(b"<p>Here.</p>", "text/html"), exchange.request))


@pytest.fixture(scope="module")
def crawl(tmp_path_factory):
    """Two runs of the same crawl: the second begins when all that is left rests."""
    with FailingWeb() as web, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        settings = {**SETTINGS, "RESOLVER_SERVERS": f"127.0.0.1:{silent.getsockname()[1]}"}
        crawl = Crawl(web, tmp_path_factory.mktemp("trouble"))
        crawl.code = crawl.start(**settings).wait()
        crawl.first, crawl.asked = crawl.text(), len(web.settled_log())
        began = time.monotonic()
        crawl.start(**settings, seed="").wait()
        crawl.took = time.monotonic() - began
        yield crawl


def show(crawl, site):
    """What ``scrapy frontier show`` says of a site."""
    done = crawl.command("frontier", "show", site)
    assert done.returncode == 0, done.stderr
    return done.stdout


TROUBLES = {
    "broken.example": "server_error",
    "hanging.example": "timeout",
    "plain.example": "tls",
    "refusing.example": "connection",
    "nowhere.example": "dns",
}


@pytest.mark.parametrize(("site", "trouble"), TROUBLES.items())
def test_each_kind_of_trouble_is_told_by_its_name(crawl, site, trouble):
    text = show(crawl, site)
    assert f"{REST_AFTER} in a row" in text, text
    assert f"the last: {trouble}" in text, text
    assert "resting, may be asked in" in text, text


def test_the_crawl_ends_when_all_that_is_left_rests(crawl):
    assert crawl.code == 0
    assert "Spider closed (finished)" in crawl.first
    assert "5 rest, see frontier show SITE" in crawl.first


def test_no_url_of_a_site_that_failed_is_given_up(crawl):
    verdict = Verdict(crawl)
    assert verdict.ended == {"done": 1}
    assert sorted(verdict.waiting) == sorted(crawl.web.seeds[1:])


def test_at_a_site_in_trouble_all_urls_have_their_turn(crawl):
    paths = [entry.path for entry in crawl.web.settled_log() if entry.host == "broken.example"]
    assert sorted(paths[1:4]) == ["/", "/other", "/song.mp3"]


def test_the_next_start_asks_nobody_who_rests(crawl):
    assert len(crawl.web.settled_log()) == crawl.asked
    assert "Spider closed (finished)" in crawl.text()
    assert crawl.took < 60


def test_troubles_are_counted(crawl):
    crawl_log = crawl.first
    for trouble in TROUBLES.values():
        assert f"'trouble/{trouble}': {REST_AFTER}" in crawl_log, trouble


def test_the_request_log_names_what_failed_and_where(crawl):
    lines = [line for line in read(crawl.folder / "state" / "log") if line["site"] in TROUBLES]
    assert {line["site"] for line in lines if line["error"] or line["status"] == 500} == set(TROUBLES)
    assert {line["address"] for line in lines if line["site"] == "broken.example"} == {"127.0.0.1"}
