"""URLs that are added to the frontier in Redis, and the questions whether they are known."""

from __future__ import annotations

from collections.abc import Iterable
from math import isfinite

from pybloom_live import BloomFilter

from mediacrawl.frontier.redis.rows import ELEMENT_ROWS, pack_rows, page_of
from mediacrawl.frontier.redis.scripts import Call
from mediacrawl.frontier.redis.session import RedisSession
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import coarse_class, coarse_classes
from mediacrawl.records import Candidate

ERROR_RATE = 0.001
"""Share of new URLs that the filter takes for known; 14.4 bits a URL. Each costs one more question."""

_KNOWN = ord("1")


def add_call(session: RedisSession, candidates: Iterable[Candidate], now: float, *, again: bool = False) -> Call:
    """The call that adds URLs; it answers how many joined and when the next site is due. A URL given twice joins once.

    Args:
        session: of the worker.
        candidates: URLs to add.
        now: seconds since the epoch.
        again: whether they join for another visit (`Frontier.rejoin`).
    """
    groups = []
    policy = session.policy
    elements = dict[object, list[Candidate]]()
    for candidate in candidates:
        key = (candidate.site, candidate.link_class, *page_of(candidate))
        elements.setdefault(key, []).append(candidate)
    for element in elements.values():
        for start in range(0, len(element), ELEMENT_ROWS):
            part = element[start : start + ELEMENT_ROWS]
            shared, rows = pack_rows(part)
            keys = [url_key(candidate.url) for candidate in part]
            flat = [field for key, row in zip(keys, rows, strict=True) for field in (str(key), row)]
            first = part[0]
            score = first.score if isfinite(first.score) else 0.0
            rank, coarser = policy.order.rank(score), coarse_class(first.link_class)
            groups.append((first.site, first.link_class, score, rank, shared, flat, coarser))
    revisit = {"again": True, **session.budget} if again else {}
    coarse = coarse_classes(policy.classes)
    return session.call("add", now, groups=groups, classes=policy.classes, coarse=coarse, **revisit)


def known_call(session: RedisSession, urls: Iterable[str]) -> Call:
    """The call that asks which URLs are known; `are_known` reads its answer."""
    return session.call("unknown", keys=[str(url_key(url)) for url in urls])


def are_known(answer: bytes) -> list[bool]:
    """The answer of `known_call`, URL by URL."""
    return [byte == _KNOWN for byte in answer]


class LocalSieve:
    """A worker's own Bloom filter of the URLs that it has added.

    The worker asks about the URLs in the filter by their keys, 20 bytes each, before it sends them with their evidence;
    it sends the others at once. In memory only: two pybloom-live filters. When the newer one is full the older one is
    discarded, which costs bytes on the wire and nothing else.
    """

    def __init__(self, capacity: int) -> None:
        self._capacity = max(capacity, 1_000)
        self._new = BloomFilter(self._capacity, ERROR_RATE)
        self._old: BloomFilter | None = None

    def __contains__(self, url: object) -> bool:
        return url in self._new or (self._old is not None and url in self._old)

    def add(self, url: str) -> None:
        if self._new.count >= self._capacity:
            self._old, self._new = self._new, BloomFilter(self._capacity, ERROR_RATE)
        self._new.add(url)
