"""No link of a stranger leads to a port of another protocol: a real crawl, and a socket at such a port that counts."""

import json
import socket
import threading

import pytest
from crawling import Crawl
from judging import stat
from lists_web import ListsWeb


class Listener:
    """A socket that counts who connects."""

    def __init__(self):
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._count, daemon=True).start()

    def _count(self):
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return
            self.connections += 1

    def close(self):
        self._socket.close()


@pytest.fixture
def listener():
    listener = Listener()
    yield listener
    listener.close()


def test_no_door_leads_to_a_refused_port(tmp_path, listener):
    with ListsWeb() as web:
        # A free port stands for those of the setting that this machine may not listen at, or uses.
        ports = (listener.port, 25, 6379)
        away = [f"http://start.example:{port}/" for port in ports]
        links = "".join(
            f"<a href='{url}link-{n}'>x</a><audio src='{url}{n}.mp3'></audio>" for n, url in enumerate(away)
        )
        web.put("start", "/", f"<html><title>x</title>{links}<a href='/moved'>x</a><a href='/feed.xml'>x</a>")
        web.put("start", "/moved", b"", status=302, headers=(("Location", f"{away[0]}moved"),))
        feed = f"<rss><channel><item><enclosure url='{away[0]}fed.mp3' type='audio/mpeg'/></item></channel></rss>"
        web.put("start", "/feed.xml", feed, "application/rss+xml")
        web.put("start", "/robots.txt", f"User-agent: *\nDisallow:\nSitemap: {away[0]}sitemap.xml\n", "text/plain")
        web.put("other", "/robots.txt", b"", status=302, headers=(("Location", f"{away[0]}robots.txt"),))
        web.put("other", "/", "<html><title>x</title>")
        crawl = Crawl(web, tmp_path)
        seeds = "\n".join([web.url("start", "/"), web.url("other", "/"), f"{away[0]}seed"])
        crawl.start(SCOPE_REFUSED_PORTS=",".join(map(str, ports)), seed=seeds)
        # The site without a robots.txt waits for hours.
        wanted = {("start", "/moved"), ("start", "/feed.xml"), ("other", "/robots.txt")}
        crawl.until(lambda log: wanted <= {(entry.host.removesuffix(".example"), entry.path) for entry in log})
        assert crawl.interrupt() == 0
    text = crawl.text()
    assert listener.connections == 0, text
    assert stat(crawl, "drop/port") >= 3 + 3 + 1 + 1 + 1
    assert stat(crawl, "robots/redirect_refused") == 1
    assert text.count(f"Left out: port {listener.port} is never asked (SCOPE_REFUSED_PORTS)") == 1
    asked = [
        json.loads(line)["url"]
        for file in (tmp_path / "state" / "log").glob("*.jsonl")
        for line in file.read_bytes().splitlines()
    ]
    assert not [url for url in asked if url.startswith(tuple(away))]
