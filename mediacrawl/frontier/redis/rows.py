"""Waiting URLs in Redis: facts that the links of one page share are written once.

An element of a class's list holds the URLs that one page gave the class at one tag path. The *shared facts* are their
common prefix, their parent, that path and the evidence about the page; a *row* has the rest, without empty fields at
its end. A link of 80 characters with its parent, its anchor and the page's title takes some
60 bytes so, and 200 alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import msgpack
from pybloom_live import BloomFilter

from mediacrawl.base.terms import Candidate, End, Evidence, Kind, Outcome
from mediacrawl.frontier.contract import SpoiledError
from mediacrawl.frontier.redis.errors import spoiled
from mediacrawl.frontier.redis.session import Call, RedisSession
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import coarse_class, coarse_classes

ELEMENT_ROWS = 64
"""Rows in one element at most: a lease reads the whole element, some 10 us then."""

_KINDS = tuple(Kind)
_SHARED = (str, int, int, int, str, str, str, str, str, str, str)
_ROW: tuple[Any, ...] = ("", "", 0, "", "", 0, b"", "", "")
"""The empty fields of a row: rest of the URL, anchor, kind, guid, first
requested URL, attempt, state, facts, and the URL as it is requested if that is another."""

_packer = msgpack.Packer(unicode_errors="surrogatepass")


def _common_start(texts: Sequence[str]) -> str:
    """The longest common prefix of some texts, which is that of the least and the greatest of them."""
    low, high = min(texts), max(texts)
    if high.startswith(low):
        return low
    same, differs = 0, len(low)
    while differs - same > 1:
        middle = (same + differs) // 2
        same, differs = (middle, differs) if high.startswith(low[:middle]) else (same, middle)
    return low[:same]


@dataclass(frozen=True, slots=True)
class Row:
    """A waiting URL.

    Attributes:
        found: the URL and its evidence.
        attempt: failed requests so far.
        state: of a visit that continues, or empty.
    """

    found: Candidate
    attempt: int = 0
    state: bytes = b""

    @property
    def url(self) -> str:
        """In canonical form."""
        return self.found.url


def pack_rows(found: Sequence[Candidate]) -> tuple[bytes, list[bytes]]:
    """The shared facts and the rows of URLs of one class, all with the same `page_of`."""
    start = _common_start([candidate.url for candidate in found])
    shared = _pack_shared(found[0], start)
    return shared, [_pack_row(candidate, len(start)) for candidate in found]


def page_of(candidate: Candidate) -> tuple[object, ...]:
    """The fields that the URLs of one element share, besides their site and class."""
    found = candidate.evidence
    return (
        *(candidate.parent, candidate.depth, candidate.hops, found.via, found.page_title, found.feed_url),
        *(found.page_language, found.page_charset, found.path),
    )


def read_element(key: str, element: bytes) -> tuple[bytes, list[bytes]]:
    """The shared facts and the rows in an element of a class's list, both packed.

    Raises:
        SpoiledError: mediacrawl has not written it.
    """
    try:
        shared, *rows = msgpack.unpackb(element[8:], raw=True)
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        shared, rows = None, []
    if not isinstance(shared, bytes) or not all(isinstance(row, bytes) for row in rows):
        raise spoiled(key)
    return shared, rows


def read_row(site: str, link_class: str, shared: bytes, row: bytes) -> Row:
    """Read a row that `pack_rows` or `row_after_visit` packed.

    Raises:
        SpoiledError: neither has packed this.
    """
    try:
        start, common, depth, hops, parent, via, title, feed, language, charset, path = _unpacked_shared(shared)
        fields = tuple(msgpack.unpackb(row, unicode_errors="surrogatepass"))
        rest, anchor, kind, guid, first, attempt, state, facts, requested = (*fields, *_ROW[len(fields) :])
        evidence = Evidence(via, anchor, title, feed, guid, first, language, charset, facts, path)
        parent = start[:common] + parent
        known = (_KINDS[kind], depth, hops, parent, 0.0, evidence, requested)
        found = Candidate(start + rest, site, link_class, *known)
        texts = (anchor, facts, requested)
        if type(attempt) is int and type(state) is bytes and found.url and all(type(text) is str for text in texts):
            return Row(found, attempt, state)
    except (ValueError, TypeError, IndexError, msgpack.exceptions.UnpackException):
        pass
    raise SpoiledError(f"what waits on {site} cannot be read")


def row_after_visit(row: Row, outcome: Outcome) -> tuple[bytes, bytes] | None:
    """The shared facts and the row after a visit that did not end the URL; None if the row is unchanged."""
    if outcome.end is End.AGAIN:
        attempt, kind, state = row.attempt + (outcome.asked and outcome.blamed), row.found.kind, b""
    elif outcome.end is End.CONTINUE:
        attempt, kind, state = row.attempt, outcome.kind or row.found.kind, outcome.state
    else:
        return None
    if (attempt, kind, state) == (row.attempt, row.found.kind, row.state):
        return None
    return _pack_shared(row.found, row.url), _pack_row(row.found, len(row.url), kind, attempt, state)


def _pack_shared(found: Candidate, start: str) -> bytes:
    parent, evidence = found.parent, found.evidence
    common = len(_common_start([start, parent]))
    fields = (
        *(start, common, found.depth, found.hops, parent[common:], evidence.via, evidence.page_title),
        *(evidence.feed_url, evidence.page_language, evidence.page_charset, evidence.path),
    )
    packed: bytes = _packer.pack(fields if evidence.path else fields[:-1])
    return packed


def _pack_row(found: Candidate, start: int, kind: Kind | None = None, attempt: int = 0, state: bytes = b"") -> bytes:
    evidence = found.evidence
    number = _KINDS.index(kind or found.kind)
    told = (evidence.guid, evidence.requested_url)
    fields = [found.url[start:], evidence.anchor, number, *told, attempt, state, evidence.facts, found.requested]
    while fields and fields[-1] == _ROW[len(fields) - 1]:
        fields.pop()
    packed: bytes = _packer.pack(fields)
    return packed


def _unpacked_shared(packed: bytes) -> tuple[Any, ...]:
    fields = msgpack.unpackb(packed, use_list=False, unicode_errors="surrogatepass")
    if type(fields) is tuple and len(fields) == len(_SHARED) - 1:
        fields = (*fields, "")
    if type(fields) is not tuple or tuple(map(type, fields)) != _SHARED:
        raise ValueError
    return fields


ERROR_RATE = 0.001
"""Share of new URLs that the filter takes for known; 14.4 bits a URL. Each costs one more question."""

_KNOWN = ord("1")


def add_call(session: RedisSession, candidates: Iterable[Candidate], now: float, *, again: bool = False) -> Call:
    """Return the call that adds URLs. Its answer: how many joined (one given twice once), when the next site is due."""
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
