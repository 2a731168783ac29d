"""Middlewares that follow a request until its response: the limits of its bytes, its log line, the delay, redirects."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.core.downloader import Slot
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.exceptions import CloseSpider, IgnoreRequest, NotConfigured, StopDownload
from scrapy.http import TextResponse
from scrapy.http.cookies import CookieJar
from scrapy.responsetypes import responsetypes

from mediacrawl.base.clock import Heartbeat
from mediacrawl.base.content_coding import UNPACKED, codings_of, read_packed, unpack
from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.terms import Drop, End, Kind, Limit, Outcome, Trouble
from mediacrawl.base.visit import VISIT, FetchFacts, Visit
from mediacrawl.crawl import request_serialization, scrapy_internals
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import redirected
from mediacrawl.crawl.failures import RefusedRequest, UnreadableAnswerError, error_name, refuse, trouble_in
from mediacrawl.crawl.headers import BROKE_OFF, ENDED_HERE, header, headers
from mediacrawl.crawl.interfaces import link_filter
from mediacrawl.crawl.open_lists import OPEN_BYTES, OpenLists
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.policies import probe_policy, worth_opening
from mediacrawl.download.body_bytes import BodyLimits, bytes_wanted, bytes_wanted_of
from mediacrawl.log.request_log import LogError, RequestLine, RequestLog
from mediacrawl.politeness.delay import (
    Clocks,
    after_answer,
    after_trouble,
    after_visit,
    asked_to_wait,
    backed_off,
    trouble_of,
)
from mediacrawl.priority.nuggets import is_worth_opening
from mediacrawl.priority.revisits import evidence_for_other
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import Base, Spelling, authority_of, canonical, host_of, site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Headers, Response

logger = logging.getLogger(__name__)


class ListsMiddleware(CrawlComponent):
    """Limits the bytes of open lists (`OpenLists`), for mediacrawl's own spiders.

    A list has up to 3 MB, a page 1 MB; 128 lists at a time took half a gigabyte. At the limit, requests for lists go
    back to the frontier for some seconds without being sent; their sites continue with other URLs. `CutMiddleware` ends
    a list that exceeds the limit while it is received; it is requested again after its site's delay. A list is open
    from its request to the end of its visit. Bytes beyond ``LIST_MAX_BYTES`` after decompression are dropped here, so
    that this middleware precedes the decompressing one.

    Stats: ``list/waits``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases or not context.is_ours:
            raise NotConfigured
        super().__init__(crawler, context)
        self._lists = context.open_lists = OpenLists(OPEN_BYTES)
        self._longest = OwnSettings(context.settings).getint("LIST_MAX_BYTES")

    def process_request(self, request: Request) -> None:
        """Let the request pass, or return its lease.

        Raises:
            RefusedRequest: it is for a list, and the limit is reached.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and visit.fetch.kind is Kind.LIST and not self._lists.begin(visit.lease.id):
            self._stats.inc_value("list/waits")
            request_serialization.hide(request, self._crawler.spider)
            wait = self._lists.wait(self._clock.now())
            raise refuse(request, self._stats, Drop.IGNORED, f"{request.url}: too many lists are open", hold=wait)

    def process_response(self, request: Request, response: Response) -> Response:
        """Drop the bytes of a list that are not parsed."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None and visit.lease.id in self._lists.sizes:
            size = min(len(response.body), self._longest)
            self._lists.unpack(visit.lease.id, size)
            if size < len(response.body):
                return response.replace(body=response.body[:size])
        return response

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002 - the signal's
        if visit.lease.id in self._lists.sizes:
            self._lists.close(visit.lease.id)


_PACKED = 32_768
"""Bytes of a compressed page after which its length is looked at while it comes. Most pages are smaller."""


class CutMiddleware(CrawlComponent):
    """Ends a download when the wanted bytes were received (`download.body_bytes.bytes_wanted`, `bytes_wanted_of`).

    The headers decide, and then the first bytes of the body. A page is cut at ``PAGE_MAX_BYTES`` after decompression, a
    list at ``LIST_MAX_BYTES``, a media file from a server that ignores Range at `ProbePolicy.single_bytes`, a stream
    that never ends after some KB, and what is none of these before its body. So is a response that the function of
    ``NUGGET_WORTH_OPENING`` rejects; it is called with `handler.PoliteHTTPHandler` only. A list that no longer fits
    beside those that are open (`ListsMiddleware`) is ended, and asked for again. Only for requests with a lease.

    It also notes which bodies ended early in transit (`FetchFacts.broke_off`). A compressed body is judged by its own
    end marker, which is more reliable than Content-Length: some servers announce the uncompressed length.

    Stats: ``cut/body``, ``cut/headers``, ``cut/transit`` (incomplete responses), ``list/again``, ``nugget/failed``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        own = OwnSettings(context.settings)
        probe = probe_policy(context.settings)
        page, lists = own.getint("PAGE_MAX_BYTES"), own.getint("LIST_MAX_BYTES")
        # The byte behind a page shows that it is longer.
        self._limits = BodyLimits(page and page + 1, probe.head_bytes, probe.single_bytes, lists)
        self._of_lists = {
            bytes_wanted(Kind.LIST, {"content-encoding": coding}, self._limits, asked=0) for coding in ("", "gzip")
        }
        self._ignores_ranges = context.ignores_ranges
        self._most_unpacked = context.settings.getint("DOWNLOAD_MAXSIZE")
        self._worth = worth_opening(context.settings)
        if self._worth is not None:
            self._worth.count = crawler.stats.inc_value

    def process_request(self, request: Request) -> None:
        """Switch off Scrapy's own limit, which discards the whole response."""
        if VISIT in request.meta:
            request.meta["download_maxsize"] = 0

    def process_response(self, request: Request, response: Response) -> Response:
        """Note whether the body is complete, and set the limit of decompression."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            request.meta["download_maxsize"] = self._most_unpacked
            visit.fetch.packed.clear()
            visit.fetch.broke_off = self._broke_off(response, visit.fetch)
            if visit.fetch.broke_off:
                self._stats.inc_value("cut/transit")
        return response

    def _broke_off(self, response: Response, fetch: FetchFacts) -> bool:
        fetch.unpacked = None
        if ENDED_HERE in response.flags:
            return False
        # A response from a cache has sent no signal.
        values = headers(response, "Content-Encoding") if fetch.body_limit is None else [fetch.content_encoding]
        codings = codings_of(values) if any(values) else ()
        whole = None
        if codings:
            most = fetch.page_bytes or (self._most_unpacked or sys.maxsize - 1) + 1
            body, whole = read_packed(response.body, codings, most)
            fetch.unpacked = None if body is None else (response.body, body)
        return BROKE_OFF in response.flags if whole is None else not whole

    def _headers_received(self, headers: Headers, request: Request, status: int = 0) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        told = {
            name.decode("latin-1").lower(): b", ".join(values).decode("latin-1") for name, values in dict.items(headers)
        }
        fetch = visit.fetch
        fetch.content_encoding, fetch.content_type = told.get("content-encoding", ""), told.get("content-type", "")
        self._limit(fetch, bytes_wanted(fetch.kind, told, self._limits, asked=fetch.range_bytes))
        if not self._is_wanted(visit, status, told):
            visit.fetch.body_limit = 0
            visit.drop(Drop.NOT_WORTH)
            request_serialization.hide(request, self._crawler.spider)
        lists = self._lists(visit)
        if lists is not None and not lists.begin(visit.lease.id):
            self._ask_again(visit)
        if visit.fetch.body_limit == 0:
            self._stats.inc_value("cut/headers")
            raise StopDownload(fail=False)

    def _limit(self, fetch: FetchFacts, wanted: int) -> None:
        """Set the limit of a body. Of a medium more is read if the server sends no ranges, as far as is known."""
        if wanted == self._limits.head and (fetch.range_bytes or self._ignores_ranges(fetch.url)):
            wanted = self._limits.single
        fetch.body_limit, fetch.page_bytes = wanted, wanted if wanted == self._limits.page else 0

    def _lists(self, visit: Visit) -> OpenLists | None:
        """Return the register of open lists, if this response is read as one."""
        return self._context.open_lists if visit.fetch.body_limit in self._of_lists else None

    def _ask_again(self, visit: Visit) -> None:
        """End a list that exceeds the memory for open lists; it is requested again later."""
        self._stats.inc_value("list/again")
        visit.fetch.body_limit = 0
        kind = visit.fetch.kind if visit.lease.state else Kind.LIST
        visit.decide(Outcome(End.CONTINUE, state=visit.lease.state, kind=kind))

    def _is_wanted(self, visit: Visit, status: int, told: dict[str, str]) -> bool:
        """Whether the function of NUGGET_WORTH_OPENING wants the body of the first response of a URL."""
        if self._worth is None or visit.fetch.kind is Kind.ROBOTS or visit.lease.state:
            return True
        return not 200 <= status < 300 or is_worth_opening(self._worth, status, told, visit.fetch.url)

    def _bytes_received(self, data: bytes, request: Request) -> None:
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        fetch = visit.fetch
        limit = fetch.body_limit or 0
        is_open = (limit >= self._limits.page and fetch.kind is not Kind.ROBOTS) or limit == self._limits.head
        if is_open and not fetch.bytes and not (fetch.content_encoding and codings_of([fetch.content_encoding])):
            self._limit(fetch, bytes_wanted_of(data, self._limits, limit, fetch.content_type))
        fetch.bytes += len(data)
        lists = self._lists(visit)
        # A compressed list is a fifth of its text, so each of its bytes counts as five.
        if lists is not None and not lists.grow(
            visit.lease.id, fetch.bytes * self._limits.lists // (fetch.body_limit or 1)
        ):
            self._ask_again(visit)
        if self._is_enough(fetch, data):
            self._stats.inc_value("cut/body")
            raise StopDownload(fail=False)

    def _is_enough(self, fetch: FetchFacts, data: bytes) -> bool:
        """Whether no more of a body is read; `data` are its last bytes."""
        if fetch.body_limit is None:
            return False
        codings = codings_of([fetch.content_encoding]) if fetch.page_bytes and fetch.content_encoding else ()
        if codings:
            fetch.packed += data
            if fetch.bytes // _PACKED > (fetch.bytes - len(data)) // _PACKED:
                page = unpack(bytes(fetch.packed), codings, fetch.page_bytes)
                return page is not None and len(page) >= fetch.page_bytes
        return fetch.bytes >= fetch.body_limit


_NOT_ACCEPTABLE = frozenset({406, 415})
"""Statuses for an unacceptable Accept-Encoding (RFC 9110, 12.5.3; RFC 7694)."""
_HOSTS = 10_000
"""Hosts whose Accept-Encoding is remembered."""


class UnpackMiddleware(HttpCompressionMiddleware):
    """Scrapy's `HttpCompressionMiddleware`, for servers that send anything at all, and for pages of any length.

    A host that answers 406 or 415 to a request with Accept-Encoding gets none from then on (in memory), and the URL is
    requested once more, by the next visit. One whose body cannot be read is asked for uncompressed ones.

    What is no coding (`base.content_coding.codings_of`) is counted and removed from the header. A coding that cannot
    be decoded is counted, and the body is read as received. A body that contradicts its header raises
    `UnreadableAnswerError`; the libraries' own errors would count as faults. A page is unpacked as far as it is read.

    Stats: ``answer/unknown_encoding``, ``answer/unreadable``, ``answer/not_acceptable``, and Scrapy's
    ``httpcompression/...``.
    """

    def __init__(self, *, crawler: Crawler) -> None:
        super().__init__(crawler=crawler)
        self._crawler = crawler
        self._accepted: LastUsed[str] = LastUsed(_HOSTS)
        self._is_refused = False

    def process_request(self, request: Request) -> Request | Response | None:  # type: ignore[override]
        """Ask for a compressed response, unless that failed before."""
        accepted = self._accepted.get(host_of(request.url)) if self._is_refused else None
        if accepted is None:
            return super().process_request(request)
        request.headers["Accept-Encoding"] = accepted or None
        return None

    def process_response(  # type: ignore[override]
        self, request: Request, response: Response
    ) -> Request | Response:
        """Decompress a response.

        Raises:
            UnreadableAnswerError: its body contradicts its header.
            IgnoreRequest: it is no page, and decompresses to more than ``DOWNLOAD_MAXSIZE``.
        """
        visit: Visit | None = request.meta.get(VISIT)
        refused = response.status in _NOT_ACCEPTABLE and request.headers.get("Accept-Encoding")
        if refused and visit is not None and visit.fetch.kind is not Kind.ROBOTS:
            self._accept(request, "")
            self._count("answer/not_acceptable")
            visit.decide(Outcome(End.CONTINUE, state=visit.lease.state))
            request_serialization.hide(request, self._crawler.spider)
            return response
        told = ",".join(headers(response, "Content-Encoding")).lower()
        if not told or request.method == "HEAD":
            return response
        codings = codings_of([told])
        del response.headers["Content-Encoding"]
        if {word.strip() for word in told.split(",")} - {*UNPACKED, "identity", ""}:
            self._count("answer/unknown_encoding")
        if not UNPACKED.issuperset(codings):
            response.headers["Content-Encoding"] = ",".join(codings)
        elif codings and response.body:
            return self._unpacked(request, response, codings)
        return response

    def _unpacked(self, request: Request, response: Response, codings: tuple[str, ...]) -> Response:
        visit: Visit | None = request.meta.get(VISIT)
        page, limits = (visit.fetch.page_bytes, visit.fetch.limits) if visit is not None else (0, set[Limit]())
        most = page or request.meta.get("download_maxsize", self._max_size) or sys.maxsize
        known = visit.fetch.unpacked if visit is not None else None
        if known is not None and known[0] is response.body:
            body: bytes | None = known[1]
        else:
            body = unpack(response.body, codings, page or most + 1)
        if visit is not None:
            visit.fetch.unpacked = None
        if body is None:
            limits.add(Limit.UNREADABLE)
            self._accept(request, "identity")
            self._count("answer/unreadable")
            raise UnreadableAnswerError(f"its body cannot be unpacked ({', '.join(codings)})")
        if len(body) > most and not page:
            limits.add(Limit.SIZE)
            raise IgnoreRequest(f"{request.url} unpacks to more than the {most:,} bytes of DOWNLOAD_MAXSIZE")
        self._count("httpcompression/response_bytes", len(body[:most]))
        self._count("httpcompression/response_count")
        kind = responsetypes.from_args(headers=response.headers, url=response.url, body=body)
        # The encoding is found anew, as by Scrapy's own middleware.
        found = {"encoding": None} if issubclass(kind, TextResponse) else {}
        return response.replace(cls=kind, body=body[:most], **found)

    def _accept(self, request: Request, codings: str) -> None:
        """Ask the host of a request for these codings from now on; empty for no header."""
        self._accepted.put(host_of(request.url), codings)
        self._is_refused = True

    def _count(self, name: str, number: int = 1) -> None:
        if self.stats:
            self.stats.inc_value(name, number)


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


_SITES = 100_000
_LEASELESS = "without a lease: "


class AdaptiveDelayMiddleware(CrawlComponent):
    """Delay after a request = the mean of the site's last five response times, times a factor, at least 15 s.

    With mediacrawl's scheduler, which measures, and stores the sites' clocks, it only notes status, Retry-After and
    Date for the site's back-off. Requests without a lease, such as those of ``engine.download_async``, get the delay
    here. Alone in a Scrapy project it sets the delay of the download slot (`SiteSlot`): one request at a time, and the
    delay counts from the end of the last one. ``DOWNLOAD_DELAY`` and the Crawl-delay that `RobotsMiddleware` has read
    raise it, trouble doubles it (`politeness.delay`), and Retry-After is obeyed. A request that would wait longer
    than ``POLITENESS_MAX_DELAY`` for a site in trouble is refused: in Scrapy's downloader a few of them would block the
    whole crawl. All clocks are in memory only. A response time during which this process stood still is not counted.
    Disable Scrapy's AutoThrottle, which sets the same delay.

    Settings: ``POLITENESS_FACTOR``, ``POLITENESS_MIN_DELAY``, ``POLITENESS_MAX_DELAY``, ``POLITENESS_FIRST_DELAY``,
    ``POLITENESS_HOURS``, ``BACKOFF_...``. Stats: ``trouble/...`` (with mediacrawl's scheduler the scheduler
    counts them), alone ``drop/download_error``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        super().__init__(crawler, context)
        self._policy = context.policy.delay
        self._clocks: LastUsed[Clocks] = LastUsed(_SITES)

    def _opened(self) -> None:
        self._context.heartbeat.beat()
        self._repeat(Heartbeat.EVERY, self._context.heartbeat.beat)

    def process_request(self, request: Request) -> None:
        """Alone: set the delay of the slot before the request enters it.

        Raises:
            RefusedRequest: its site is not requested for long.
        """
        if VISIT in request.meta or not request.url.lower().startswith(("http:", "https:")):
            return
        if self._context.leases:
            # Not in the slot of the site's leases: those wait in the frontier, and must not wait here again.
            downloader = self._crawler.engine.downloader
            request.meta.setdefault("download_slot", _LEASELESS + downloader.get_slot_key(request))
        self._hold(request, authority_of(canonical(request.url) or request.url))

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the status and Retry-After."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            visit.fetch.status = response.status
            if response.status >= 300:
                # It does not belong to a successful response.
                visit.fetch.retry_after = "\n".join(headers(response, "Retry-After"))
                visit.fetch.date = header(response, "Date")
        else:
            asked, date = headers(response, "Retry-After"), header(response, "Date")
            wait = asked_to_wait(response.status, asked, self._clock.now(), date)
            self._stand(request, trouble_of(response.status), wait)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Alone: count a network error against the site."""
        trouble = trouble_in(exception)
        if VISIT not in request.meta and trouble not in {None, Trouble.LOCAL}:
            self._stand(request, trouble, 0.0)

    # -- alone in a Scrapy project: the download slot is the site's clock ------------------------------------

    def _hold(self, request: Request, authority: str) -> None:
        """Set the delay of the request's slot, including the Crawl-delay of robots.txt."""
        downloader = self._crawler.engine.downloader
        key, slot = downloader._get_slot(request)  # noqa: SLF001 - as Scrapy's AutoThrottle does
        clocks = self._clocks.get(key) or Clocks()
        now = self._clock.now()
        asked = self._context.robots.ask(authority, request.url, now).crawl_delay
        if asked is not None and asked != clocks.crawl_delay:
            clocks = self._keep(key, replace(clocks, crawl_delay=asked))
        if self._is_left_alone(clocks):
            raise self._refusal(request)
        if not isinstance(slot, SiteSlot):
            # Scrapy forgets slots that were not used for a minute; what they owe is in the clocks.
            slot = SiteSlot(self._delay(clocks), partial(self._ended, key))
            slot.wait(max(clocks.release - now, 0.0))
            downloader.slots[key] = slot
        slot.delay = max(slot.delay, self._delay(clocks))

    def _ended(self, key: str, took: float) -> float:
        """Note the end of a request; return the slot's delay from now on. `_stand` gets the result later."""
        before, now = self._clocks.get(key) or Clocks(), self._clock.now()
        measured = None if self._context.heartbeat.stood_since(now - took) else took
        clocks = after_visit(before, Outcome(End.DONE, response_time=measured), now, self._policy)
        return self._delay(self._keep(key, replace(clocks, standing=before.standing)))

    def _stand(self, request: Request, trouble: Trouble | None, wait: float) -> None:
        """Adapt the delay to the result of a request."""
        key = request.meta.get("download_slot") or self._crawler.engine.downloader.get_slot_key(request)
        clocks, slot = self._clocks.get(key), self._crawler.engine.downloader.slots.get(key)
        if clocks is None or not isinstance(slot, SiteSlot):
            return
        now = self._clock.now()
        if trouble is None:
            standing = after_answer(clocks.standing)
        else:
            standing = after_trouble(clocks.standing, trouble, now, self._policy.backoff)
            self._crawler.stats.inc_value(f"trouble/{trouble}")
        clocks = replace(clocks, standing=standing)
        slot.delay = max(self._delay(clocks), wait)
        clocks = self._keep(key, replace(clocks, delay=slot.delay, release=now + slot.delay))
        if self._is_left_alone(clocks):
            scrapy_internals.refuse_queued(
                self._crawler.engine, lambda r: self._refusal(r) if _slot_of(r) == key else None
            )

    def _is_left_alone(self, clocks: Clocks) -> bool:
        """Whether a site's release is farther away than requests may wait."""
        now = self._clock.now()
        usual = self._policy.delay(clocks.samples, clocks.crawl_delay, self._policy.hourly(now))
        return clocks.release - now > max(self._policy.maximum, usual)

    def _refusal(self, request: Request) -> Exception:
        return refuse(request, self._crawler.stats, Drop.DOWNLOAD_ERROR, f"{request.url}: its site is left alone")

    def _delay(self, clocks: Clocks) -> float:
        now = self._clock.now()
        delay = self._policy.delay(clocks.samples, clocks.crawl_delay, self._policy.hourly(now))
        return backed_off(delay, clocks.standing, now, self._policy.backoff)

    def _keep(self, key: str, clocks: Clocks) -> Clocks:
        self._clocks.put(key, clocks)
        return clocks


def _slot_of(request: Request) -> str:
    return str(request.meta.get("download_slot", ""))


class SiteSlot(Slot):
    """One request at a time, and a delay that counts from the *end* of the last one, also of one that failed.

    Scrapy's slot counts from the start of the last request, so after a timeout of 180 seconds it would send the next
    one at once. Tried with Scrapy 2.19, which asks `download_delay` how long to wait after `lastseen`, the start.

    Args:
        delay: seconds.
        ended: called at the end of each request with the seconds it took; returns the new delay.
    """

    def __init__(self, delay: float, ended: Callable[[float], float]) -> None:
        super().__init__(concurrency=1, delay=delay, jitter=0.0)
        self.transferring = _Transfers(self._over)
        self._ended = ended
        self._end = 0.0

    def wait(self, seconds: float) -> None:
        """Send nothing in the next `seconds`, the rest of an earlier slot's delay."""
        self._end = monotonic() + seconds - self.delay

    def download_delay(self) -> float:
        """Seconds from the start of the last request to the earliest start of the next one."""
        return max(self._end - self.lastseen, 0.0) + self.delay

    def _over(self) -> None:
        self._end = monotonic()
        self.delay = self._ended(self._end - self.lastseen)


class _Transfers(set[Request]):
    """The slot's running requests. Scrapy removes one at its end, before it chooses the next."""

    def __init__(self, ended: Callable[[], None]) -> None:
        super().__init__()
        self._ended = ended

    def remove(self, request: Request) -> None:
        super().remove(request)
        self._ended()


_SENT = "request_log_sent"


def _refuse() -> None:
    """End a crawl whose requests cannot be logged before it begins."""
    raise CloseSpider("log_error")


class RequestLogMiddleware(CrawlComponent):
    """One JSON line per request in ``<state folder>/log``; see `log.request_log.RequestLog` for what is on disk.

    With mediacrawl's scheduler the line is written at the end of the visit, with the reason of a drop, also if no
    request was sent. The lines of requests that a kill ended are written by the next start. Alone in a Scrapy project
    the line is written at the response or failure, and requests that a kill ended have none.

    Settings: ``REQUEST_LOG_ENABLED``, ``REQUEST_LOG_DAYS``. Stats: ``request_log/lost``, lines that could not be
    written; ``request_log/unfinished``, requests that were out when an earlier process was killed.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        own = OwnSettings(context.settings)
        if not own.getbool("REQUEST_LOG_ENABLED"):
            raise NotConfigured("REQUEST_LOG_ENABLED is off")
        super().__init__(crawler, context)
        connect = crawler.signals.connect
        try:
            self._log = RequestLog(context.log_folder, keep_days=own.getint("REQUEST_LOG_DAYS"))
        except LogError as error:
            logger.critical("%s", error)
            connect(_refuse, signals.spider_opened)
            raise NotConfigured from error
        context.request_log = self._log
        if context.leases:
            connect(self._goes_out, signals.request_reached_downloader)
        else:
            connect(self._headers, signals.headers_received)
        self._out: dict[int, int] = {}
        if self._log.recovered:
            self._stats.set_value("request_log/unfinished", self._log.recovered)

    def process_response(self, request: Request, response: Response) -> Response:
        """Note the response."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is not None:
            _copy_response(visit.fetch, response)
        else:
            self._alone(request, response=response)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Note the failure."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            self._alone(request, exception=exception)
        elif not visit.fetch.error:
            visit.fetch.error = error_name(exception)

    def _goes_out(self, request: Request) -> None:
        """Begin a line. The scheduler gets the same signal; the time of the first of both counts."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None:
            return
        visit.fetch.sent = self._clock.now() if visit.fetch.sent is None else visit.fetch.sent
        self._log.forget(self._out.pop(visit.lease.id, -1))
        self._out[visit.lease.id] = self._log.begin(
            RequestLine(
                time=visit.fetch.sent,
                url=visit.fetch.url,
                site=visit.lease.site,
                delay=visit.lease.delay,
                kind=visit.fetch.kind,
                address=visit.fetch.address or None,
            )
        )

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        out = self._out.pop(visit.lease.id, -1)
        if visit.fetch.sent is None and outcome.end is End.RETURNED:
            # It waits for its address or its robots.txt: nothing was sent, and nothing decided.
            self._log.forget(out)
            return
        now = self._clock.now() if visit.decision.ended is None else visit.decision.ended
        self._log.write(
            RequestLine(
                time=now if visit.fetch.sent is None else visit.fetch.sent,
                url=visit.fetch.url,
                status=visit.fetch.status or None,
                content_type=visit.fetch.content_type,
                content_length=visit.fetch.content_length,
                location=visit.fetch.location,
                duration=_duration(visit, now),
                bytes=visit.fetch.bytes,
                site=visit.lease.site,
                delay=visit.lease.delay,
                kind=visit.fetch.kind,
                drop=outcome.reason,
                error=visit.fetch.failure or None,
                address=visit.fetch.address or None,
                retry_after=visit.fetch.retry_after or None,
            ),
            out,
        )
        self._count_lost()

    def _count_lost(self) -> None:
        if self._log.lost:
            self._stats.set_value("request_log/lost", self._log.lost)

    # -- alone in a Scrapy project ---------------------------------------------------------------------------

    def _headers(self, request: Request) -> None:
        """Compute when the request was sent: this is the first signal that knows it."""
        if VISIT not in request.meta:
            request.meta[_SENT] = self._clock.now() - request.meta.get("download_latency", 0.0)

    def _alone(self, request: Request, response: Response | None = None, exception: Exception | None = None) -> None:
        now = self._clock.now()
        sent: float | None = request.meta.pop(_SENT, None)
        line = RequestLine(time=now, url=request.url, site=site_of(request.url))
        if isinstance(exception, RefusedRequest):
            line.drop = exception.reason
        elif exception is not None:
            line.error = error_name(exception)
            if sent is None and not isinstance(exception, IgnoreRequest):
                sent = now - (scrapy_internals.since_sent(self._crawler.engine, request) or 0.0)
        if sent is not None:
            line.time, line.duration = sent, now - sent
        if response is not None:
            _copy_response(line, response)
            line.response_url = response.url if response.url != request.url else None
        self._log.write(line)
        self._count_lost()

    def _closed(self) -> None:
        self._log.close()


def _duration(visit: Visit, now: float) -> float | None:
    """Seconds that a request took, a failed one until now; None if none was sent."""
    if visit.fetch.sent is None:
        return None
    return now - visit.fetch.sent if visit.fetch.response_time is None else visit.fetch.response_time


def _copy_response(record: FetchFacts | RequestLine, response: Response) -> None:
    record.status = response.status
    record.content_type = header(response, "Content-Type")
    record.content_length = header(response, "Content-Length")
    record.location = header(response, "Location")
    record.retry_after = "\n".join(headers(response, "Retry-After"))
    record.bytes = len(response.body)
    if response.ip_address and not record.address:
        record.address = str(response.ip_address)
