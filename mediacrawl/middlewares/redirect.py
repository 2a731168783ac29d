"""Queues the targets of redirects, up to a number in a row, and drops queued duplicates of known URLs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http.cookies import CookieJar

from mediacrawl.base.queued import WAITS
from mediacrawl.base.terms import Drop, End, Kind, Outcome
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import redirected
from mediacrawl.crawl.failures import refuse
from mediacrawl.crawl.interfaces import link_filter
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.priority.revisits import evidence_for_other
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import Base, Spelling, authority_of, canonical

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HOPS = "redirect_hops"
_OF_A_BODY = ("Content-Type", "Content-Length", "Content-Encoding", "Content-Language")
_CREDENTIALS = ("Authorization", "Cookie")
_AGAIN = "cookie"
"""The fragment, which is never sent, of a URL that is requested once more with a cookie: so the frontier knows it only
once."""
_CHAINS = 2_000
"""Rows of redirects whose cookies are remembered."""


class RedirectCookies:
    """The cookies that redirects set, each for the rest of its own row of redirects only.

    They are in memory: nothing is stored, and a row that another process goes on with has none.
    """

    def __init__(self) -> None:
        self._jars: LastUsed[CookieJar] = LastUsed(_CHAINS)

    def keep(self, chain: str, response: Response, request: Request) -> None:
        """Keep the cookies that a redirect sets; `chain` names its row of redirects."""
        if "Set-Cookie" in response.headers:
            jar = self._jars.get(chain) or CookieJar()
            jar.extract_cookies(response, request)
            self._jars.put(chain, jar)

    def add_to(self, request: Request, chain: str) -> bool:
        """Add the header Cookie to a request of a row of redirects; return whether there is one."""
        jar = self._jars.get(chain)
        if jar is not None:
            jar.add_cookie_header(request)
        return "Cookie" in request.headers

    def drop(self, chain: str) -> None:
        """Forget the cookies of a row of redirects."""
        self._jars.drop(chain)


class RedirectCapMiddleware(CrawlComponent):
    """Follows at most ``REDIRECT_CAP`` redirects in a row (3).

    With mediacrawl's scheduler a redirect ends its lease, and its target is added to the frontier as any link does,
    through scope and NeverCrawl, with its hop count. Alone in a Scrapy project the target is scheduled as a new
    request, which the duplicate filter and all middlewares see; disable Scrapy's own ``RedirectMiddleware``.

    A URL that redirects to itself, or there and back, and sets a cookie is requested once more with it. Cookies are
    sent within their own row of redirects only, and are not stored.

    Stats: ``redirect/followed``, ``redirect/cookie``, ``drop/redirect_cap``, ``drop/redirect_broken``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        self._cap = OwnSettings(context.settings).getint("REDIRECT_CAP")
        self._scores = context.scores
        self._is_ours = context.is_ours
        self._cookies = RedirectCookies()

    def process_request(self, request: Request) -> None:
        """Add the cookies that the redirects before this request have set."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and visit.lease.hops and self._is_ours and visit.fetch.kind is not Kind.ROBOTS:
            self._cookies.add_to(request, _chain(visit))

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
        again = visit is not None and target is not None and self._is_wanted_again(visit, target, request, response)
        if target is None or (target.requested == request.url and not again):
            return self._refuse(request, response, Drop.REDIRECT_BROKEN)
        if hops >= self._cap:
            return self._refuse(request, response, Drop.REDIRECT_CAP)
        self._stats.inc_value("redirect/followed")
        if visit is None:
            return _again(request, response, target.requested, hops)
        visit.decide(Outcome(End.DONE))
        self._queue(visit, target, again=again)
        request_serialization.hide(request, self._crawler.spider)
        return response

    def _is_wanted_again(self, visit: Visit, target: Spelling, request: Request, response: Response) -> bool:
        """Keep the cookies of a redirect, and return whether its target was requested before, without them."""
        lease, chain = visit.lease, _chain(visit)
        if not self._is_ours:
            return False
        if not lease.hops:
            self._cookies.drop(chain)
        self._cookies.keep(chain, response, request)
        is_back = target.key in (lease.key, canonical(chain)) and _AGAIN not in lease.url.split("#")
        return is_back and self._cookies.add_to(Request(target.requested), chain)

    def _refuse(self, request: Request, response: Response, reason: Drop) -> Response:
        refused = refuse(request, self._stats, reason, response.url)
        if VISIT not in request.meta or not self._is_ours:
            raise refused
        return response

    def _queue(self, visit: Visit, target: Spelling, *, again: bool) -> None:
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
        if links is not None and not links.admit(found):
            return
        if again:
            self._stats.inc_value("redirect/cookie")
            found = replace(found, url=f"{found.url}#{_AGAIN}", requested=found.request_url)
        visit.add_link(found)


def _chain(visit: Visit) -> str:
    """Return the URL that was requested first in a visit's row of redirects."""
    return visit.lease.evidence.requested_url or visit.lease.request_url


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
        reason, url = self._context.duplicates.waiting(lease.site, Spelling(lease.key, lease.request_url))
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
