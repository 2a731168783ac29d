"""Queues the targets of redirects, up to a number in a row, and drops queued duplicates of known URLs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy import Request

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import redirected
from mediacrawl.crawl.failures import refuse
from mediacrawl.crawl.interfaces import link_filter
from mediacrawl.priority.revisits import evidence_for_other
from mediacrawl.records import Drop, End, Kind, Outcome
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.canonical import Base, Spelling, canonical
from mediacrawl.scope.sites import authority_of
from mediacrawl.site_adapters.queued import WAITS
from mediacrawl.visit import VISIT, Visit

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOPS = "redirect_hops"
_OF_A_BODY = ("Content-Type", "Content-Length", "Content-Encoding", "Content-Language")
_CREDENTIALS = ("Authorization", "Cookie")


class RedirectCapMiddleware(CrawlComponent):
    """Follows at most ``REDIRECT_CAP`` redirects in a row (3).

    With mediacrawl's scheduler a redirect ends its lease, and its target is added to the frontier as any link does,
    through scope and NeverCrawl, with its hop count. Alone in a Scrapy project the target is scheduled as a new
    request, which the duplicate filter and all middlewares see; disable Scrapy's own ``RedirectMiddleware``.

    Stats: ``redirect/followed``, ``drop/redirect_cap``, ``drop/redirect_broken``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        self._cap = OwnSettings(context.settings).getint("REDIRECT_CAP")
        self._scores = context.scores
        self._is_ours = context.is_ours

    def process_response(self, request: Request, response: Response) -> Response | Request:
        """Queue the target of a redirect; pass on other responses.

        Raises:
            RefusedRequest: for a redirect beyond the limit or without a target; our own spiders see the response, since
                they end its lease.
        """
        if not is_redirect(response.status) or request.meta.get("dont_redirect"):
            return response
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and (visit.fetch.kind is Kind.ROBOTS or visit.lease.state):
            # RobotsMiddleware follows those of a robots.txt; in the middle of a probe a redirect is a refusal.
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
        if VISIT not in request.meta or not self._is_ours:
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
        found = redirected(found, lease)
        links = link_filter(self._crawler)
        if links is None or links.admit(found):
            visit.add_link(found)


def _again(request: Request, response: Response, target: str, hops: int) -> Request:
    """Return the request for a redirect's target, for Scrapy's own scheduler (the method: RFC 9110, 15.4)."""
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
        # Credentials belong to one server.
        followed = followed.replace(cookies={})
        for name in _CREDENTIALS:
            followed.headers.pop(name, None)
    return followed


def is_redirect(status: int) -> bool:
    """Whether an HTTP status is a redirect."""
    return status in _REDIRECTS


def target_of(response: Response) -> Spelling | None:
    """Return the target of a redirect; None without a usable one."""
    location = response.headers.get("Location")
    return Base(response.url).resolve_location(location) if location else None


class SeenMiddleware(CrawlComponent):
    """Drops URLs that became duplicates while they waited in the frontier.

    A URL with parameters that never change the page is replaced by the URL without them,
    which is added to the frontier unless it is known. Without mediacrawl's scheduler every request passes.

    Stats: ``drop/dust``.
    """

    def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it.

        Raises:
            RefusedRequest: its URL is a duplicate.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.fetch.kind is Kind.ROBOTS or visit.lease.state:
            return
        lease = visit.lease
        if lease.evidence.via == WAITS:
            # Its URL is exactly what the site's own scripts request.
            return
        reason, url = self._context.duplicates.waiting(lease.site, Spelling(lease.url, lease.request_url))
        if reason is None:
            return
        if reason is Drop.DUST:
            visit.add_link(
                candidate(
                    url,
                    evidence_for_other(lease),
                    self._context.scores,
                    lease.kind,
                    depth=lease.depth,
                    hops=lease.hops,
                    parent=lease.parent,
                )
            )
        raise refuse(request, self._stats, reason, lease.request_url)
