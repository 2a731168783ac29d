"""The door to redirects: none is followed blindly, each target goes back to the queue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy import Request

from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.middlewares.refused import refuse
from mediacrawl.own_settings import OwnSettings
from mediacrawl.priority.revisits import evidence_for_other
from mediacrawl.records import Drop, End, Kind, Outcome
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.canonical import Base, Spelling, canonical
from mediacrawl.scope.sites import authority_of
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOPS = "redirect_hops"
_OF_A_BODY = ("Content-Type", "Content-Length", "Content-Encoding", "Content-Language")
_CREDENTIALS = ("Authorization", "Cookie")


class RedirectCapMiddleware:
    """Follows at most ``REDIRECT_CAP`` redirects in a row (3).

    With our scheduler a redirect ends its lease, and its target joins the frontier as any found URL does, through scope
    and NeverCrawl, carrying its hop count. Alone in a Scrapy project the target is scheduled as a new request, which
    the duplicate filter and all middlewares see; switch Scrapy's own ``RedirectMiddleware`` off beside it.

    Stats: ``redirect/followed``, ``drop/redirect_cap``, ``drop/redirect_broken``.
    """

    def __init__(self, crawler: Crawler, parts: CrawlContext) -> None:
        self._crawler = crawler
        self._stats = crawler.stats
        self._cap = OwnSettings(parts.settings).getint("REDIRECT_CAP")
        self._scores = parts.scores

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler, CrawlContext.of(crawler))

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Pass on what is no redirect; queue the target of what is one.

        Raises:
            RefusedRequest: alone, for a redirect too many, or without a target.
        """
        if not is_redirect(response.status) or request.meta.get("dont_redirect"):
            return response
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and (visit.fetch.kind is Kind.ROBOTS or visit.lease.state):
            # Others read it: a robots.txt is followed in its own way, and in the middle of a probe it is a refusal.
            return response
        target = target_of(response)
        hops = visit.lease.hops if visit is not None else request.meta.get(_HOPS, 0)
        if target is None or target.requested == request.url:
            return self._refuse(request, response, Drop.REDIRECT_BROKEN)
        if hops >= self._cap:
            return self._refuse(request, response, Drop.REDIRECT_CAP)
        self._stats.inc_value("redirect/followed")
        if visit is None:
            return _again(request, response, target.requested, hops)
        visit.decide(Outcome(End.DONE))
        self._queue(visit, target)
        request_serialization.hide(request, self._crawler.spider)
        return response

    def _refuse(self, request: Request, response: Response, reason: Drop) -> Response:
        refused = refuse(request, self._stats, reason, response.url)
        if VISIT not in request.meta:
            raise refused
        return response

    def _queue(self, visit: Visit, target: Spelling) -> None:
        lease = visit.lease
        evidence = replace(evidence_for_other(lease), requested_url=lease.evidence.requested_url or lease.request_url)
        found = candidate(
            target,
            evidence,
            self._scores,
            lease.kind,
            depth=lease.depth,
            hops=lease.hops + 1,
            parent=lease.parent,
        )
        admit = getattr(self._crawler.spider, "admit", None)
        if admit is None or admit(found):
            visit.add_link(found)


def _again(request: Request, response: Response, target: str, hops: int) -> Request:
    """The request for a redirect's target, for Scrapy's own scheduler (RFC 9110, 15.4: what becomes of the method)."""
    meta = {name: value for name, value in request.meta.items() if name != "download_slot"}
    meta |= {_HOPS: hops + 1, "redirect_urls": [*meta.get("redirect_urls", []), request.url]}
    followed = request.replace(url=target, dont_filter=False, meta=meta)
    if (request.method == "POST" and response.status in {301, 302}) or (
        request.method != "HEAD" and response.status == 303
    ):
        followed = followed.replace(method="GET", body=b"")
        for name in _OF_A_BODY:
            followed.headers.pop(name, None)
    if authority_of(target) != authority_of(canonical(request.url) or request.url):
        # What was meant for one server is no business of another.
        followed = followed.replace(cookies={})
        for name in _CREDENTIALS:
            followed.headers.pop(name, None)
    return followed


def is_redirect(status: int) -> bool:
    """Whether an HTTP status says that what was asked for is elsewhere."""
    return status in _REDIRECTS


def target_of(response: Response) -> Spelling | None:
    """Where a redirect leads; None if it leads nowhere we go."""
    location = response.headers.get("Location")
    if not location:
        return None
    # A header is octets; those beyond ASCII mean themselves, whatever encoding the server had in mind.
    written = "".join(chr(octet) if octet < 0x80 else f"%{octet:02X}" for octet in location)
    return Base(response.url).resolve(written)
