"""Somebody else's Scrapy project, and a small server that tells what it was requested."""

import asyncio
import itertools
import json
import os
import re
import socket
import threading
from contextlib import contextmanager
from datetime import datetime

import harness
from command_line import SCRAPY, run
from harness import until
from wire import HttpServer, Resource, Response, ServerExchange, respond

from mediacrawl.log.archive import read

CLOCK = 0.005
"""Seconds by which the clocks of two processes, read one after the other, may seem to differ."""

SPIDER = '''\
"""What a user writes who has never heard of mediacrawl."""

import scrapy


class LinksSpider(scrapy.Spider):
    name = "links"

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url, callback=self.parse, errback=self.failed)

    def parse(self, response):
        yield {"url": response.url, "status": response.status, "content_url": response.url + "#media"}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, callback=self.parse, errback=self.failed)

    def failed(self, failure):
        self.logger.info("FAILED %s %s", failure.request.url, type(failure.value).__name__)
'''


@contextmanager
def refused():
    """A port of loopback that refuses connections: it is taken, so that nobody else can listen there meanwhile."""
    with socket.socket() as taken:
        taken.bind(("", 0))
        yield taken.getsockname()[1]


class Crawled:
    """A crawl that has ended: its exit code, log and items."""

    def __init__(self, code, log, items):
        self.code = code
        self.log = log
        self.items = items

    @property
    def refused(self):
        """URLs that a part of mediacrawl refused, as the spider's errback was told."""
        return re.findall(r"FAILED (\S+) RefusedRequest", self.log)

    def check(self):
        """Nothing went wrong, and nothing that Scrapy will take away is used."""
        assert self.code == 0, self.log[-4000:]
        assert "Deprecat" not in self.log, self.log[-4000:]
        assert "Traceback" not in self.log, self.log[-4000:]
        assert "Spider closed (finished)" in self.log, self.log[-4000:]
        return self


class StockProject:
    """A project made by ``scrapy startproject``; settings are added below its own as a user adds them."""

    def __init__(self, folder):
        self.folder = folder
        self.settings = folder / "theirs" / "settings.py"
        self.template = self.settings.read_text(encoding="utf-8")

    @classmethod
    def make(cls, folder):
        run(folder, *SCRAPY, "startproject", "theirs", str(folder / "theirs")).check()
        project = cls(folder / "theirs")
        project.spider(SPIDER)
        return project

    def begin(self, state):
        self.state = state
        self.constants = []
        self.added = f"MEDIACRAWL_DIR = {str(state / 'state')!r}\n"
        # What the template has set, and what every test needs to end in seconds: no delay of Scrapy's own.
        self.added += "ROBOTSTXT_OBEY = False\nDOWNLOAD_DELAY = 0\nDOWNLOAD_TIMEOUT = 5\n"

    def set(self, **settings):
        """Settings as the user writes them into settings.py; names that are paths are constants of ours."""
        self.constants += [
            word for name, value in settings.items() if "." in name for word in ("-s", f"{name}={value}")
        ]
        self.added += "".join(f"{name} = {value!r}\n" for name, value in settings.items() if "." not in name)

    def middleware(self, name, order):
        """Switch on one downloader middleware of mediacrawl."""
        self.set(DOWNLOADER_MIDDLEWARES={f"mediacrawl.middlewares.{name}": order})

    def spider(self, source):
        name = source.partition('name = "')[2].partition('"')[0]
        (self.folder / "theirs" / "spiders" / f"{name}_spider.py").write_text(source, encoding="utf-8")

    def start(self, *urls, spider="links", extra=()):
        """Start ``scrapy crawl``."""
        self.settings.write_text(self.template + self.added, encoding="utf-8")
        self.items = self.state / "items.jl"
        self.log = self.state / "crawl.log"
        named = ["-a", f"urls={','.join(urls)}"] if urls else []
        arguments = ["crawl", spider, "-O", str(self.items), *named, *self.constants, *extra]
        with self.log.open("wb") as log:
            environment = dict(os.environ)
            self.process = harness.start("scrapy", arguments, self.folder, environment, log, log, "default")
        return self

    def wait(self, seconds=90):
        """Wait for the end of the crawl."""
        try:
            self.process.wait(seconds)
        finally:
            self.process.kill()
            self.process.wait(30)
        log = self.log.read_text(encoding="utf-8", errors="replace")
        lines = self.items.read_text(encoding="utf-8").splitlines() if self.items.exists() else []
        return Crawled(self.process.returncode, log, [json.loads(line) for line in lines])

    @property
    def sent(self):
        """The request log: pairs of when a request was sent and how long it took, in that order, without refusals.

        The server may be late to hear of a request, or of a client that has gone: these are the crawler's own times.
        """
        lines = [line for line in read(self.state / "state" / "log") if line["duration"] is not None]
        return sorted((datetime.fromisoformat(line["time"]).timestamp(), line["duration"]) for line in lines)

    def until_logged(self, words, seconds=60):
        """Wait until the crawl's log has these words."""
        until(lambda: words in self.log.read_text(encoding="utf-8", errors="replace"), seconds)

    def crawl(self, *urls, spider="links", extra=()):
        """``scrapy crawl``, from its start to its end."""
        return self.start(*urls, spider=spider, extra=extra).wait()


class SmallWeb:
    """One server for all addresses of loopback's names: answers by path, and by ``host/path`` where that is set."""

    def __init__(self):
        self._server = HttpServer(self._answer)
        self._answers = {}
        self.at("/robots.txt", Resource(b"", status=404))

    def __enter__(self):
        self._server.start()
        return self

    def __exit__(self, *_):
        self._server.stop()

    def url(self, path="/", host="127.0.0.1"):
        return f"http://{host}:{self._server.port}{path}"

    def at(self, path, *answers):
        """What is at a path: resources, or functions of the exchange, one after the other, the last for ever."""
        self._answers[path] = itertools.chain(answers[:-1], itertools.repeat(answers[-1]))

    @property
    def port(self):
        return self._server.port

    def page(self, path, *hrefs, delay=0.0):
        links = "".join(f'<a href="{href}">{href}</a>\n' for href in hrefs)
        self.at(path, Resource(f"<html><body>{links}</body></html>".encode(), delay=delay))

    def redirect(self, path, to, status=302):
        """Whatever the method is."""
        self.status(path, status, ("Location", to))

    def status(self, path, status, *headers):
        async def answer(exchange):
            await exchange.send(Response(status, headers))

        self.at(path, answer)

    def hold(self, path, *hrefs):
        """A page that is sent only when the event that this answers is set."""
        event = threading.Event()
        links = "".join(f'<a href="{href}">{href}</a>' for href in hrefs)

        async def held(exchange):
            while not event.is_set():
                await asyncio.sleep(0.02)
            await exchange.send(respond(Resource(f"<p>at last {links}".encode()), exchange.request))

        self.at(path, held)
        return event

    @property
    def log(self):
        return self._server.settled_log()

    @property
    def paths(self):
        """What was asked, in its order, without robots.txt."""
        return [entry.path for entry in self.log if entry.path != "/robots.txt"]

    def gaps(self, host=None):
        """Seconds between the end of each answer and the next request (to one host)."""
        entries = [entry for entry in self.log if host in (None, entry.host)]
        return [after.received_monotonic - before.finished_monotonic for before, after in itertools.pairwise(entries)]

    def until(self, seen, seconds=60):
        """Wait until a condition on the requests so far holds."""
        until(lambda: seen(self._server.log), seconds)

    async def _answer(self, exchange: ServerExchange):
        request = exchange.request
        answers = self._answers.get(request.host + request.path) or self._answers.get(request.path)
        answer = next(answers, None) if answers else None
        if answer is None:
            await exchange.send(Response(404))
        elif callable(answer):
            await answer(exchange)
        else:
            await asyncio.sleep(answer.delay)
            await exchange.send(respond(answer, request))
