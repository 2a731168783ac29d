"""A crawl with site adapters and without a network: all that happens between the frontier and the answers."""

import asyncio
import json
from types import SimpleNamespace

from reactor_thread import wait_for
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.utils.test import get_crawler

from mediacrawl.base.terms import Evidence, Kind
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.middlewares import (
    NeverCrawlMiddleware,
    RedirectCapMiddleware,
    SeenMiddleware,
    SiteAdapterMiddleware,
)
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope.candidates import candidate
from mediacrawl.spiders.base import ProbingSpider
from mediacrawl.watch.adapter_counts import NAMESPACE, AdapterCounts

NOW = 1_700_000_000.0
CLIP = {
    "form": 1,
    "name": "clip",
    "page": {"host": "clip.example", "path": "/v/{id}-{title}"},
    "slots": {"id": {"in": "url", "like": "digits"}, "title": {"in": "url"}},
    "requests": [
        {"url": "http://api.example/{id}.json?b=1&a=2", "headers": {"Accept": "application/json"}, "read": "json"}
    ],
    "records": {
        "media": [{"json": "files[*]"}],
        "title": {"json": "about.title"},
        "duration": {"json": "about.ms", "unit": "ms"},
        "next": {"json": "next"},
    },
}
PAGE, DATA = "http://clip.example/v/1-a", "http://api.example/1.json?b=1&a=2"
GIVEN = {"files": ["http://cdn.example/1.mp3"], "about": {"title": "Käse", "ms": 61_000}}
KEYED = {
    "form": 1,
    "name": "keyed",
    "page": {"host": "clip.example", "path": "/play/{id}"},
    "slots": {
        "id": {"in": "url"},
        "key": {"in": "page", "css": "div", "attribute": "data-key"},
        "cdn": {"in": "answer 1", "json": "cdn"},
    },
    "requests": [
        {"url": "http://api.example/config", "read": "json"},
        {"url": "http://api.example/data/{key}", "read": "json"},
    ],
    "records": {"media": [{"json": "file", "url": "{!cdn}{value}"}]},
}
PLAY = "http://clip.example/play/1"


class CrawlSpider(ProbingSpider):
    name = "media"
    explores = False


class DataCrawl:
    """A crawl with the frontier, the scheduler and the spider, whose answers are told. All happens in the reactor.

    Attributes:
        answers: URL -> status, body (an object becomes JSON), and headers.
        asked: URLs that were requested, and the headers of each.
        media: candidates of media that joined, as leases.
        broken: URLs whose answers break off.
    """

    def __init__(self, folder, *adapters, pages=(), **settings):
        (folder / "adapters").mkdir(exist_ok=True)
        for path in (folder / "adapters").iterdir():
            path.unlink()
        for each in adapters:
            (folder / "adapters" / f"{each['name']}.json").write_text(json.dumps(each))
        ours = {"SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler", "SCHEDULER_STORE": "sqlite"}
        ours |= {"PRIORITY": "rules", "EXTENSIONS_BASE": {}, "MEDIACRAWL_CONTACT": "http://localhost/tests"}
        ours |= {"FRONTIER_EXPLORE": 0.0, "MEDIACRAWL_DIR": str(folder / "state"), "NEVERCRAWL_FILES": []}
        ours |= {"ADAPTERS_DIR": str(folder / "adapters"), **settings}
        self.now = NOW
        self.crawler = get_crawler(CrawlSpider, ours)
        self.context = CrawlContext.of(self.crawler)
        self.context.clock = SimpleNamespace(now=lambda: self.now, offset=None)
        self.scheduler = PenaltyBoxScheduler.from_crawler(self.crawler)
        wakes = SimpleNamespace(schedule=lambda: None)
        self.crawler.engine = SimpleNamespace(
            scheduler=self.scheduler, _slot=SimpleNamespace(inprogress=set(), nextcall=wakes, closing=None)
        )
        self.context.open()
        self.context.adapters.count = self.scheduler.count
        self.spider = self.crawler.spider = CrawlSpider(self.crawler)
        self.spider.crawler = self.crawler
        kinds = (NeverCrawlMiddleware, SeenMiddleware, SiteAdapterMiddleware)
        self.middlewares = [each.from_crawler(self.crawler) for each in kinds]
        self.redirects = RedirectCapMiddleware.from_crawler(self.crawler)
        self.answers, self.asked, self.media, self.broken = {}, [], [], set()
        self.add(*pages)

    @property
    def frontier(self):
        return self.context.frontier

    def add(self, *urls, **fields):
        evidence = fields.pop("evidence", Evidence("audio", "Lied"))
        self.scheduler.add([candidate(url, evidence, self.context.scores, Kind.PAGE, **fields) for url in urls])

    def run(self):
        """Request all that waits."""
        wait_for(self._run)
        return self

    def step(self):
        """Request the next URL; answers its lease."""
        return wait_for(self._step)

    async def _run(self):
        while self.frontier.pending():
            await self._step()

    async def _step(self):
        self.now = max(self.now, self.frontier.next_release()) + 1.0
        (lease,) = self.frontier.take(self.now, 1)
        visit = Visit.of(lease)
        if lease.kind is Kind.MEDIA:
            self.media.append(lease)
            self.scheduler.end(visit)
            return lease
        request = self.spider.make_request(visit)
        try:
            for middleware in self.middlewares:
                middleware.process_request(request)
        except IgnoreRequest:
            self.scheduler.end(visit)
            return lease
        self.asked.append((request.url, {name.decode(): request.headers[name].decode() for name in request.headers}))
        visit.fetch.sent, visit.fetch.response_time = self.now, 0.1
        response = self._answer(request)
        visit.fetch.status, visit.fetch.broke_off = response.status, request.url in self.broken
        found = self.spider.parse(self.redirects.process_response(request, response))
        if asyncio.iscoroutine(found):
            await found
        self.scheduler.end(visit)
        return lease

    def _answer(self, request):
        status, body, headers = (*self.answers.get(request.url, (404, "")), {})[:3]
        kind = "application/json" if isinstance(body, dict) else "text/html"
        body = json.dumps(body) if isinstance(body, dict) else body
        made = HtmlResponse if kind == "text/html" else Response
        return made(request.url, status, {"Content-Type": kind, **headers}, body.encode(), request=request)

    @property
    def urls(self):
        return [url for url, _ in self.asked]

    def stat(self, name):
        return self.scheduler._context.counted[name] + self.crawler.stats.get_value(name, 0)

    def counts(self, name="clip"):
        return AdapterCounts.load(self.frontier.note(NAMESPACE, name))

    def ends(self):
        return self.frontier.counts().ends

    def close(self):
        self.context.close()


def crawls(folder):
    """For a fixture: a function that makes a `DataCrawl` in this folder. All are closed at the end."""
    made = []

    def make(*adapters, **more):
        made.append(DataCrawl(folder, *adapters, **more))
        return made[-1]

    yield make
    for each in made:
        each.close()
