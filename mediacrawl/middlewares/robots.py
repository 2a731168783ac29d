"""Obeys robots.txt, which is fetched under the site's own lease before its first page."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Outcome, Trouble
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.failures import RefusedRequest, refuse, trouble_in
from mediacrawl.crawl.headers import BROKE_OFF, header, headers
from mediacrawl.crawl.interfaces import find_lease_holder, link_filter
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.middlewares.answers import RedirectCookies, target_of
from mediacrawl.politeness.caching import conditional_headers, is_conditional, lifetime
from mediacrawl.politeness.delay import trouble_of
from mediacrawl.politeness.robots import is_html
from mediacrawl.politeness.robots_book import (
    RobotsAction,
    RobotsAnswer,
    RobotsBook,
    RobotsDecision,
    RobotsUpdate,
    own_url,
)
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import Base, authority_of, canonical, site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

logger = logging.getLogger(__name__)

_URGENT = 10.0
"""Score of the link class of robots.txt files on another site: all URLs of an authority wait for one."""
_LONGEST = 2_048
"""Maximal length of a redirect's target, in characters."""


class RobotsMiddleware(CrawlComponent):
    """Obeys robots.txt (RFC 9309) with the product token of setting ``ROBOTS_TOKEN``.

    With mediacrawl's scheduler the first request of an authority is its robots.txt, under the lease of the page that
    needs it: the site's delay applies, and the page waits in the frontier. A redirect within the site is the next visit
    of that lease. A redirect to another site becomes a lease of that site, the *carrier*, with the delay of that site;
    its rules apply to the first authority. Alone in a Scrapy project the file is fetched through the downloader while
    the page waits, as Scrapy's own middleware does; unlike that one this middleware revalidates it after a day,
    interprets the status, and forbids everything while the file is unreachable.

    The requests of another project's spider do not wait for an unreachable file for ever: after ``RETRY_TIMES`` retries
    of it their errbacks are called, with the failure or with `RefusedRequest`.

    Settings: ``ROBOTS_ENABLED``, ``ROBOTS_TOKEN``, ``ROBOTS_MAX_AGE``, ``ROBOTS_RETRY``,
    ``ROBOTS_SITEMAPS``.

    Stats: ``drop/robots``, ``robots/fetched``, ``robots/failed``, ``robots/status/<code>``, ``robots/html``,
    ``robots/ambiguous_group``, ``robots/sitemaps``; of redirects ``robots/redirected``, ``robots/redirect_offsite`` (to
    another site), ``robots/redirect_refused`` (too many, no usable target, or a site that the scope excludes).
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        own = OwnSettings(context.settings)
        if not own.getbool("ROBOTS_ENABLED"):
            raise NotConfigured("ROBOTS_ENABLED is off")
        super().__init__(crawler, context)
        self._sitemaps_most = own.getint("ROBOTS_SITEMAPS")
        self._cookies = RedirectCookies()
        self._fetching: dict[str, Deferred[None]] = {}
        if context.leases:
            context.first_request = self._first_request

    async def process_request(self, request: Request) -> None:
        """Let the request pass, or refuse it.

        Raises:
            RefusedRequest: robots.txt forbids it, or is unreachable.
        """
        visit: Visit | None = request.meta.get(VISIT)
        if request.meta.get("dont_obey_robotstxt") or (visit is not None and visit.fetch.allowed):
            return
        if visit is not None and visit.fetch.kind is Kind.ROBOTS:
            if visit.fetch.url == _carrier(visit):
                self._refuse_carrier(request, visit)
            return
        if not request.url.lower().startswith(("http:", "https:")):
            return
        if visit is not None:
            # If the file is to be fetched by now, the next lease begins with it.
            verdict = self._ask(request, visit)
        else:
            authority = authority_of(canonical(request.url) or request.url)
            verdict = self._context.robots.ask(authority, request.url, self._clock.now())
            if verdict.say is RobotsAction.FETCH:
                await self._fetch(authority, verdict)
                verdict = self._context.robots.ask(authority, request.url, self._clock.now())
        self._obey(request, visit, verdict)

    def _first_request(self, request: Request, visit: Visit) -> Request | None:
        """Return the request of the robots.txt that a request has to wait for; None if it is known, or not obeyed.

        That of a carrier waits for its own file, unless that is known by now, or another carrier has replaced it.
        """
        if request.meta.get("dont_obey_robotstxt"):
            return None
        if visit.fetch.kind is Kind.ROBOTS:
            carried = self._context.robots.carried(visit.lease.parent, visit.lease.url)
            return self._robots_request(request, visit, carried) if carried is not None else None
        verdict = self._ask(request, visit)
        if verdict.say is RobotsAction.FETCH:
            return self._robots_request(request, visit, verdict)
        visit.fetch.allowed = verdict.say is RobotsAction.ALLOWED
        return None

    def _ask(self, request: Request, visit: Visit) -> RobotsDecision:
        # Not the time of the lease: another lease may have brought the file since.
        authority, now = authority_of(visit.lease.url), self._clock.now()
        verdict = self._context.robots.ask(authority, request.url, now, owed=visit.lease.delay)
        if verdict.say is not RobotsAction.FETCH:
            visit.fetch.crawl_delay = verdict.crawl_delay
        return verdict

    def process_response(self, request: Request, response: Response) -> Response:
        """Read a robots.txt."""
        visit: Visit | None = request.meta.get(VISIT)
        if visit is None or visit.fetch.kind is not Kind.ROBOTS:
            return response
        authority, carrier = _authority(visit), _carrier(visit)
        visit.decide(_outcome(visit))
        if carrier and self._context.robots.carried(authority, carrier) is None:
            self._stats.inc_value("robots/outdated")
            return response
        # The target of a redirect may be unreachable too.
        was_failing = _is_redirect(response) and self._context.robots.is_failing(authority)
        followed = self._follow(authority, visit, request, response)
        keeps_out = was_failing if followed else not self._read(authority, visit, request, response)
        if keeps_out and not carrier:
            _blame(visit, Trouble.CONNECTION if visit.fetch.broke_off else trouble_of(response.status))
            if not followed and not self._context.is_ours:
                # Goes to `_robots_failed`, which may call the errback of the spider.
                raise RefusedRequest(Drop.ROBOTS, f"{response.url} could not be had (status {response.status})")
        return response

    def _read(self, authority: str, visit: Visit, request: Request, response: Response) -> bool:
        """Learn the rules for a visit; return whether they are known."""
        self._cookies.drop(authority)
        now = self._clock.now()
        answer = _answer(request, response, now, broke_off=visit.fetch.broke_off)
        learned = self._learn(authority, answer, now, response, "" if _carrier(visit) else visit.lease.site)
        if not _carrier(visit) and learned.crawl_delay is not None:
            visit.fetch.crawl_delay = learned.crawl_delay
        if learned.sitemaps:
            visit.add_link(*self._sitemaps(authority, learned, visit))
        return learned.known

    def _obey(self, request: Request, visit: Visit | None, verdict: RobotsDecision) -> None:
        if verdict.say is RobotsAction.DENIED:
            logger.debug("robots.txt forbids %s: %s", request.url, verdict.rule)
            raise refuse(request, self._stats, Drop.ROBOTS, f"{request.url} ({verdict.rule})")
        if verdict.say is not RobotsAction.ALLOWED:
            ends = verdict.given_up and not self._context.is_ours
            if visit is not None and not ends:
                request_serialization.hide(request, self._crawler.spider)
            detail, hold = f"{request.url} ({verdict.rule})", 0.0 if ends else max(verdict.wait, 1.0)
            raise refuse(request, self._stats, Drop.ROBOTS, detail, hold=hold)

    # -- responses -------------------------------------------------------------------------------------------

    def _learn(
        self, authority: str, answer: RobotsAnswer, now: float, response: Response | None = None, site: str = ""
    ) -> RobotsUpdate:
        """Store the rules, or the failure; `site` is that of the authority, if it is known."""
        site = site or site_of(authority)
        learned = self._context.robots.learn(authority, answer, now)
        if self._context.request_log is not None:
            status = answer.status if learned.known or not answer.broke_off else 0
            self._context.request_log.write_robots(
                now, answer.url, status, answer.body, authority=authority, site=site, kept=learned.kept
            )
        self._count(answer, learned, response)
        if learned.crawl_delay and self._context.leases:
            # In one commit with the file: a kill must not separate the rules from their Crawl-delay.
            outcome = Outcome(End.DONE, asked=False, crawl_delay=learned.crawl_delay)
            self._context.frontier.charge(site, outcome, now)
        return learned

    def _count(self, answer: RobotsAnswer, learned: RobotsUpdate, response: Response | None) -> None:
        count = self._stats.inc_value
        count("robots/fetched" if learned.known else "robots/failed")
        status = response.status if response is not None else 0
        count(f"robots/status/{status if status == 0 or 100 <= status < 600 else 'other'}")
        if learned.ambiguous:
            count("robots/ambiguous_group")
        if learned.sitemaps:
            count("robots/sitemaps", len(learned.sitemaps))
        if (
            response is not None
            and 200 <= answer.status < 300
            and is_html(header(response, "Content-Type"), answer.body)
        ):
            count("robots/html")

    # -- with leases -----------------------------------------------------------------------------------------

    def _sitemaps(self, authority: str, learned: RobotsUpdate, visit: Visit) -> list[Candidate]:
        """Return the sitemaps that are added, of any host, if the spider explores."""
        links = link_filter(self._crawler)
        if links is None or not links.explores:
            return []
        base = Base(own_url(authority))
        urls = dict.fromkeys(base.resolve(written) for written in learned.sitemaps[: self._sitemaps_most])
        depth = visit.lease.depth + 1
        evidence, scores = Evidence("robots_sitemap"), self._context.scores
        found = [
            candidate(url, evidence, scores, Kind.LIST, depth=depth, parent=own_url(authority)) for url in urls if url
        ]
        return [each for each in found if links.admit(each)]

    def _follow(self, authority: str, visit: Visit, request: Request, response: Response) -> bool:
        """Follow a redirect; return False if the response is none, or is not followed.

        A redirect to itself is followed if it sets a cookie, and none was sent. On the same site this lease continues
        at the target; another site gets a lease of its own.
        """
        if not _is_redirect(response):
            return False
        self._cookies.keep(authority, response, request)
        once_more = "Cookie" not in request.headers and self._cookies.add_to(Request(response.url), authority)
        target = self._target(response, once_more=once_more)
        if target is None:
            return False
        by = onto = _carrier(visit)
        found = None
        if site_of(target) != visit.lease.site:
            found = _candidate(target, authority, visit, self._clock.now())
            onto = found.url
        if not self._context.robots.follow(authority, target, self._clock.now(), by=by, onto=onto):
            self._stats.inc_value("robots/redirect_refused")
            return False
        self._stats.inc_value("robots/redirected")
        if found is not None:
            self._stats.inc_value("robots/redirect_offsite")
            visit.add_link(found)
        else:
            visit.decide(Outcome(End.CONTINUE, state=visit.lease.state))
        return True

    def _target(self, response: Response, *, once_more: bool = False) -> str | None:
        """Return the target of a redirect; None, counted, if it is excluded, or is the same URL and not `once_more`."""
        target = target_of(response)
        links = link_filter(self._crawler)
        leads_on = target is not None and (once_more or target.key != canonical(response.url))
        leads_on = leads_on and target is not None and len(target.requested) <= _LONGEST
        if target is not None and leads_on and (links is None or links.admits_site(target.key)):
            return target.requested
        self._stats.inc_value("robots/redirect_refused")
        return None

    def _refuse_carrier(self, request: Request, visit: Visit) -> None:
        self._stats.inc_value("robots/outdated")
        request_serialization.hide(request, self._crawler.spider)
        visit.decide(Outcome(End.DONE))
        raise RefusedRequest(Drop.ROBOTS, f"{visit.lease.url} is not waited for any more")

    def _robots_request(self, request: Request, visit: Visit, verdict: RobotsDecision) -> Request:
        visit.fetch.url = verdict.url
        visit.fetch.kind = Kind.ROBOTS
        if not _carrier(visit):
            visit.fetch.crawl_delay = verdict.crawl_delay
        # Uncompressed: a decompression error would count against the page, and few of these files are large.
        headers = {"Accept-Encoding": "identity"}
        if agent := request.headers.get("User-Agent"):
            # Otherwise Scrapy's middleware sets it later.
            headers["User-Agent"] = agent.decode("latin-1")
        if verdict.etag or verdict.modified:
            headers |= conditional_headers(verdict.etag, verdict.modified)
        # It is tried again under the lease of any page that needs it: Scrapy's middleware would count for each page.
        meta = {**request.meta, VISIT: visit, "verbatim_url": True, "dont_retry": True}
        meta["download_fail_on_dataloss"] = False
        robots = request.replace(url=verdict.url, headers=headers, method="GET", body=b"", meta=meta)
        self._cookies.add_to(robots, _authority(visit))
        if not self._context.is_ours:
            request_serialization.hide(robots, self._crawler.spider)
        robots.errback = partial(self._robots_failed, request)
        return robots

    def _robots_failed(self, page: Request, failure: Failure) -> Any:
        """Forbid everything while the robots.txt is unreachable. The errback of the request that `page` waits for."""
        visit: Visit = failure.request.meta[VISIT]  # type: ignore[attr-defined]
        authority, carrier = _authority(visit), _carrier(visit)
        if _is_failure(visit, authority):
            if not carrier or self._context.robots.carried(authority, carrier) is not None:
                self._learn(authority, RobotsAnswer(0, url=visit.fetch.url), self._clock.now())
            visit.decide(_outcome(visit))
            if visit.fetch.sent is not None and not carrier:
                _blame(visit, visit.fetch.trouble or trouble_in(failure.value))
        ours = self._context.is_ours or carrier
        if not ours and self._context.robots.ask(authority, visit.lease.url, self._clock.now()).given_up:
            visit.drop(Drop.ROBOTS)
        holder = find_lease_holder(self._crawler)
        if holder is not None:
            holder.failed(failure)
        outcome = visit.decision.outcome
        if ours or outcome is None or outcome.end is not End.DROPPED or page.errback is None:
            return None
        # No request of this page will be sent.
        failure.request = page  # type: ignore[attr-defined]
        return page.errback(failure)

    # -- alone in a Scrapy project ---------------------------------------------------------------------------

    async def _fetch(self, authority: str, verdict: RobotsDecision) -> None:
        """Fetch the file in the downloader's slot of its host. Concurrent calls share one fetch."""
        if authority in self._fetching:
            await maybe_deferred_to_future(self._fetching[authority])
            return
        done = self._fetching[authority] = Deferred[None]()
        try:
            await self._fetch_once(authority, verdict)
        finally:
            del self._fetching[authority]
            done.callback(None)

    async def _fetch_once(self, authority: str, verdict: RobotsDecision) -> None:
        """Fetch the file, following redirects. Each hop is a request of its own through all middlewares."""
        url = verdict.url
        response = None
        try:
            for _ in range(RobotsBook.MAX_HOPS + 1):
                robots = _alone(url, self._context.robots.condition(authority, url))
                response = await self._crawler.engine.download_async(robots)
                target = self._target(response) if _is_redirect(response) else None
                if target is None:
                    break
                self._stats.inc_value("robots/redirected")
                url = target
        except Exception as error:  # noqa: BLE001 - whatever kept the file away, nothing of it may be fetched
            logger.info("%s could not be had: %s", url, error)
            response = None
        now = self._clock.now()
        if response is None:
            self._learn(authority, RobotsAnswer(0, url=url), now)
        else:
            broke_off = BROKE_OFF in response.flags
            self._learn(authority, _answer(robots, response, now, broke_off=broke_off), now, response)


def _alone(url: str, verdict: RobotsDecision) -> Request:
    # Others would follow its redirects without telling where they led.
    meta = {"dont_obey_robotstxt": True, "dont_redirect": True, "verbatim_url": True}
    meta["download_fail_on_dataloss"] = False
    headers = {"Accept-Encoding": "identity"} | conditional_headers(verdict.etag, verdict.modified)
    return Request(url, callback=NO_CALLBACK, meta=meta, headers=headers)


def _answer(request: Request, response: Response, now: float, *, broke_off: bool) -> RobotsAnswer:
    """Return the result of a fetch. A redirect that is not followed counts as unreachable."""
    status = response.status
    conditional = status == 304 and is_conditional(request.headers)
    if 300 <= status < 400 and not conditional:
        return RobotsAnswer(0, url=request.url)
    return RobotsAnswer(
        status=status,
        body=response.body if 200 <= status < 300 else b"",
        url=request.url,
        etag=header(response, "ETag"),
        modified=header(response, "Last-Modified"),
        life=lifetime(
            ",".join(headers(response, "Cache-Control")),
            header(response, "Expires"),
            header(response, "Date"),
            header(response, "Age"),
            now,
        ),
        conditional=conditional,
        broke_off=broke_off,
    )


def _is_redirect(response: Response) -> bool:
    return 300 <= response.status < 400 and response.status != 304


def _candidate(target: str, authority: str, visit: Visit, now: float) -> Candidate:
    """A carrier. Its fragment, which is never sent, makes it unique, so that the frontier does not know it yet."""
    site = site_of(target)
    return Candidate(
        url=f"{target}#{own_url(authority)}@{now:.3f}",
        site=site,
        link_class=f"robots.txt on {site}",
        kind=Kind.ROBOTS,
        depth=visit.lease.depth,
        parent=authority,
        score=_URGENT,
        evidence=Evidence("robots"),
    )


def _carrier(visit: Visit) -> str:
    """Return the URL of the lease if it is a carrier, otherwise empty."""
    return visit.lease.url if visit.lease.kind is Kind.ROBOTS else ""


def _authority(visit: Visit) -> str:
    """Return the authority whose robots.txt a visit requests."""
    return visit.lease.parent if _carrier(visit) else authority_of(visit.lease.url)


def _outcome(visit: Visit) -> Outcome:
    """Return the outcome of a robots.txt visit: the page keeps its place, a carrier is done."""
    return Outcome(End.DONE) if _carrier(visit) else Outcome(End.CONTINUE, state=visit.lease.state)


def _blame(visit: Visit, trouble: Trouble | None) -> None:
    """Count an unreachable robots.txt against the site, which would otherwise be tried forever."""
    visit.fetch.trouble = trouble or Trouble.SERVER_ERROR


def _is_failure(visit: Visit, authority: str) -> bool:
    """Whether the end of a robots.txt visit is a failure of the file, and not of the page that needs it.

    A refusal of a redirect's target must not drop the page.
    """
    redirected = visit.fetch.url != own_url(authority)
    if visit.decision.outcome is None:
        return redirected or visit.fetch.sent is not None
    return redirected and visit.decision.outcome.end is End.DROPPED
