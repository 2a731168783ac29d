"""Bytes of Redis memory that a URL takes, waiting or seen: mediacrawl's frontier, and scrapy-redis' queue and filter.

URLs of 80 characters, 20 on each page. What two links of a page have in common is their host and the first part of
their path, the rest is chance. A *waiting* URL costs what Redis' memory grew by, sites and all, without what the seen
URLs take; a *seen* one what the keys of the seen set take with their values.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from fleet_redis import RedisServer
from scrapy import Request, Spider
from scrapy_redis.dupefilter import RFPDupeFilter
from scrapy_redis.queue import PriorityQueue

from mediacrawl.base.terms import Candidate, Evidence
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.redis.store import RedisFrontier

LENGTH = 80
LINKS = 20
ANCHOR = 20
TITLE = 40
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789-"
PREFIX = "bench:frontier"
BATCH = 10
"""Pages that are added at once."""


class Links:
    """Pages with links, made of chance.

    Args:
        sites: how many there are.
        full: whether links tell their parent, anchor and page title, as those of a crawl do.
        abroad: links of each page that lead to other sites.
    """

    def __init__(self, sites: int, *, full: bool, abroad: int = 0) -> None:
        self._sites = sites
        self._full = full
        self._abroad = abroad
        self._rng = random.Random(7)

    def _text(self, length: int) -> str:
        return "".join(self._rng.choices(LETTERS, k=length))

    def _url(self, site: int) -> str:
        start = f"https://www.site{site:04}.example/{('music', 'radio', 'video')[site % 3]}/"
        return start + self._text(LENGTH - len(start))

    def page(self, number: int) -> list[Candidate]:
        """The links of a page."""
        own = number % self._sites
        homes = [own] * (LINKS - self._abroad) + [self._rng.randrange(self._sites) for _ in range(self._abroad)]
        parent, title = (self._url(own), self._text(TITLE)) if self._full else ("", "")
        return [self._link(home, parent, title) for home in homes]

    def _link(self, home: int, parent: str, title: str) -> Candidate:
        site = f"site{home:04}.example"
        evidence = Evidence("a", self._text(ANCHOR), title) if self._full else Evidence()
        return Candidate(self._url(home), site, f"{site}/", depth=1, parent=parent, evidence=evidence)

    def batches(self, urls: int) -> Iterator[list[Candidate]]:
        """So many URLs, some pages at a time."""
        pages = urls // LINKS
        for start in range(0, pages, BATCH):
            yield [link for number in range(start, min(start + BATCH, pages)) for link in self.page(number)]


def waiting(server: RedisServer, links: Links, urls: int) -> float:
    """Bytes of a waiting URL in mediacrawl's frontier."""
    store, before = _opened(server)
    for batch in links.batches(urls):
        store.add(batch)
    bytes_seen, _ = server.taken_by(f"{PREFIX}:seen:*")
    grown = server.used() - before - bytes_seen
    found = store.counts().waiting
    store.close()
    return grown / found


def seen(server: RedisServer, sizes: list[int], sites: int) -> dict[int, float]:
    """Bytes of a seen URL at several sizes of the set, in mediacrawl's frontier.

    Beside them, as 0, that of the largest by the memory that is left when all other keys are deleted.
    """
    store, before = _opened(server)
    figures, joined, wanted = {}, 0, sorted(sizes)
    for batch in Links(sites, full=False).batches(max(sizes)):
        joined += store.add(batch).new
        while wanted and joined >= wanted[0]:
            figures[wanted.pop(0)] = server.taken_by(f"{PREFIX}:seen:*")[0] / joined
    for key in server.client.scan_iter("*", count=1_000):
        if b":seen:" not in key:
            server.client.unlink(key)
    figures[0] = (server.used() - before) / joined
    store.close()
    return figures


def peer(server: RedisServer, links: Links, urls: int) -> tuple[float, float]:
    """Bytes of a waiting and of a seen URL in scrapy-redis."""
    server.client.flushall()
    before = server.used()
    queue = PriorityQueue(server.client, Spider("bench"), "%(spider)s:requests")
    known = RFPDupeFilter(server.client, "bench:dupefilter")
    joined = 0
    for batch in links.batches(urls):
        for link in batch:
            request = Request(link.url, meta=_meta(link))
            if not known.request_seen(request):
                queue.push(request)
                joined += 1
    bytes_seen, _ = server.taken_by("bench:dupefilter")
    return (server.used() - before - bytes_seen) / joined, bytes_seen / joined


def _meta(link: Candidate) -> dict[str, Any] | None:
    found = link.evidence
    return {"parent": link.parent, "anchor": found.anchor, "title": found.page_title} if link.parent else None


def _opened(server: RedisServer) -> tuple[RedisFrontier, int]:
    """An empty frontier, and the memory that Redis uses then."""
    server.client.flushall()
    store = RedisFrontier(server.client, PREFIX, FrontierPolicy(), 0.0, random.Random(1))
    return store, server.used()
