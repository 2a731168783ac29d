"""Reads the answers to data requests, and the pages that site adapters need."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from mediacrawl.base import queued as waiting
from mediacrawl.base.content_coding import unpacked
from mediacrawl.base.facts import ADAPTER, Fact, fact, pack, stated, unpack
from mediacrawl.base.queued import QueuedRequest
from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Outcome
from mediacrawl.base.visit import AdapterUse, Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import (
    PageWords,
    first_request,
    following_request,
    request_of_next_page,
)
from mediacrawl.crawl.headers import header, headers
from mediacrawl.crawl.interfaces import LeaseHolder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.threads import in_thread
from mediacrawl.politeness.robots import RobotsDirectives, directives_of
from mediacrawl.record import Description
from mediacrawl.scope import Base, Scope, Spelling, candidates
from mediacrawl.site_adapters import Answer, FoundRecord, Miss, SiteAdapter, page_slots, read_answer

if TYPE_CHECKING:
    from scrapy.http import Response

_KEYS = {
    "title": "title",
    "description": "description",
    "artist": "artist",
    "album": "album",
    "duration": "duration",
    "date": "upload_date",
    "thumbnail": "thumbnail_url",
}
"""Field of a `FoundRecord` -> key of its fact."""
_LONGEST_TITLE = 200
_MOST_LINKS = 5_000
"""URLs of media of one answer, as many as of a list: they are compared with the frontier in the reactor's thread."""


class AdapterReader:
    """Reads what site adapters ask for. Links and further data requests are written into the visit.

    A *miss* is a page or an answer that is not as the adapter says; `crawl.data_requests` counts it. A page with a miss
    is an ordinary page. A data request that missed is dropped, and its page is requested, unless it was already.

    Stats: ``adapter/read`` (answers), ``adapter/refused`` (data URLs that the scope refuses, or that are too long),
    ``adapter/known`` (pages whose data was requested for another URL of the page), ``adapter/cut`` (records and URLs
    beyond the limits of an answer), ``drop/<reason>``.
    """

    def __init__(self, context: CrawlContext, scheduler: LeaseHolder, scope: Scope) -> None:
        self._context = context
        self._scheduler = scheduler
        self._scope = scope
        self._adapters = context.adapters
        self.has_adapters = not context.adapters.is_empty
        """Whether there is a site adapter; without one no page has to be looked up."""
        own = OwnSettings(context.settings)
        self._bytes = own.getint("LIST_MAX_BYTES")
        self._page_bytes = own.getint("PAGE_MAX_BYTES")
        self._token = own.getstr("ROBOTS_TOKEN")

    # -- pages -----------------------------------------------------------------------------------------------

    def is_mapped(self, visit: Visit) -> bool:
        """Whether a page is one of an adapter that is on, so that what it shows without scripts is not all of it."""
        return visit.fetch.kind is Kind.PAGE and self._adapters.match(visit.lease.request_url) is not None

    def read_page(self, visit: Visit, response: Response, words: PageWords) -> None:
        """Queue the data request of a page that an adapter needs; do nothing for other pages."""
        lease = visit.lease
        if lease.evidence.via == waiting.MISSED or lease.state or visit.fetch.kind is not Kind.PAGE:
            return
        found = self._adapters.match(lease.request_url)
        if found is None or not found[0].fetches_page:
            return
        adapter, slots = found
        try:
            body = response.body[: self._page_bytes]
            known = page_slots(adapter, slots, body, response.url, header(response, "Content-Type"))
            request = first_request(lease, adapter, known, self._context.scores, words)
        except Miss as miss:
            visit.decision.adapter = AdapterUse(adapter.name, tried=True, missed=str(miss))
            return
        if request is None or self._refusal(request) is not None:
            self._scheduler.count("adapter/refused")
        elif self._scheduler.frontier.unknown([request.url]):
            visit.decision.adapter = AdapterUse(adapter.name, tried=True)
            visit.decision.found.append(request)
        else:
            self._scheduler.count("adapter/known")

    def _refusal(self, request: Candidate) -> Drop | None:
        return self._scope.check(request.url.partition("#")[0], request.depth, any_extension=True)

    # -- answers ---------------------------------------------------------------------------------------------

    async def read(self, visit: Visit, response: Response) -> None:
        """Read the answer to a data request.

        Args:
            visit: of the request, with the outcome that it has if the answer can be read.
            response: with a status of success.
        """
        ending = visit.decision.outcome or Outcome(End.DONE)
        if ending.end is End.AGAIN:
            # It broke off: half of it is no JSON.
            return
        queued = QueuedRequest.of(visit.lease.evidence)
        adapter = self._adapters.named(queued.adapter, queued.digest) if queued is not None else None
        if queued is None or adapter is None or queued.step > len(adapter.requests):
            visit.drop(Drop.ADAPTER_OFF)
            return
        # Until the thread returns, the outcome is that the URL is requested again, in case the visit ends meanwhile.
        visit.decision.outcome = Outcome(End.CONTINUE)
        try:
            answer = await self._answer(visit, response, queued, adapter)
        except Miss as miss:
            _miss(visit, queued, miss)
            return
        visit.decision.outcome = ending
        directives = directives_of(headers(response, "X-Robots-Tag"), self._token)
        if queued.step < len(adapter.requests):
            self._queue_following(visit, queued, adapter, answer)
        else:
            self._queue_media(visit, response, queued, answer, directives)
            self._queue_next_page(visit, queued, adapter, answer)

    async def _answer(self, visit: Visit, response: Response, queued: QueuedRequest, adapter: SiteAdapter) -> Answer:
        """Return what an answer says, read in a thread.

        Raises:
            Miss: it is not as the adapter says.
        """
        body = unpacked(response.body, self._bytes)[: self._bytes]
        visit.decision.parsed_bytes = len(body)
        self._scheduler.count("adapter/read")
        return await in_thread(
            read_answer,
            adapter,
            queued.step,
            queued.slots,
            body,
            response.url,
            content_type=header(response, "Content-Type"),
            page_number=queued.number,
        )

    def _queue_following(self, visit: Visit, queued: QueuedRequest, adapter: SiteAdapter, answer: Answer) -> None:
        try:
            request = following_request(visit.lease, queued, adapter, answer.slots, self._context.scores)
        except Miss as miss:
            _miss(visit, queued, miss)
            return
        reason = Drop.LENGTH if request is None else self._refusal(request)
        if request is None or reason is not None:
            self._scheduler.count("adapter/refused")
            visit.drop(reason or Drop.LENGTH)
        elif self._scheduler.frontier.unknown([request.url]):
            visit.decision.found.append(request)
        else:
            # Such as a token that is empty: without a miss all other pages would end here, and none would be requested.
            _miss(visit, queued, Miss(f"request {queued.step + 1}", "it was made for another page"))

    def _queue_next_page(self, visit: Visit, queued: QueuedRequest, adapter: SiteAdapter, answer: Answer) -> None:
        if not answer.next or queued.number >= self._adapters.pages or visit.decision.outcome != Outcome(End.DONE):
            return
        request = request_of_next_page(visit.lease, queued, adapter, answer.next, self._context.scores)
        reason = None if request is None else self._refusal(request)
        if request is None or reason is not None:
            self._scheduler.count("adapter/refused")
        else:
            visit.decision.found.append(request)

    def _queue_media(
        self,
        visit: Visit,
        response: Response,
        queued: QueuedRequest,
        answer: Answer,
        directives: RobotsDirectives,
    ) -> None:
        """Queue the media of an answer, with its facts if its words may be stored."""
        if directives.nofollow:
            visit.drop(Drop.NOFOLLOW)
            return
        lease, frontier = visit.lease, self._scheduler.frontier
        listed = queued.listed and not directives.unlisted(self._context.clock.now())
        media = [(url, record) for record in answer.records for url in record.media]
        if cut := answer.cut + max(len(media) - _MOST_LINKS, 0):
            self._scheduler.count("adapter/cut", cut)
            media = media[:_MOST_LINKS]
        accepted, drops = self._scope.sift(response.url, [url for url, _ in media], lease.depth + 1, frontier.recent)
        fresh, repeated = self._context.duplicates.sift(lease.key, accepted, frontier.unknown)
        # Of a list nothing belongs to one of its media that another page said of the page.
        inherited = unpack(lease.evidence.facts) if len(answer.records) == 1 else []
        for place, url in fresh:
            visit.decision.found.append(self._medium(visit, queued, url, media[place][1], inherited, listed=listed))
        for reason, number in (drops + repeated).items():
            self._scheduler.count(f"drop/{reason}", number)
        if queued.number == 1:
            visit.decision.adapter = AdapterUse(queued.adapter, hit=True)
        if listed:
            new = {place for place, _ in fresh}
            self._describe(visit, ((url, record) for place, (url, record) in enumerate(media) if place not in new))

    def _medium(
        self,
        visit: Visit,
        queued: QueuedRequest,
        url: Spelling,
        record: FoundRecord,
        inherited: Iterable[Fact],
        *,
        listed: bool,
    ) -> Candidate:
        lease = visit.lease
        evidence = Evidence(waiting.ADAPTER)
        if listed:
            # Of a page that was not requested no title is known: that in the evidence is of the page before it.
            page = lease.evidence if queued.page is None else Evidence()
            evidence = Evidence(
                waiting.ADAPTER,
                anchor=record.title[:_LONGEST_TITLE],
                page_title=page.page_title,
                page_language=page.page_language,
                facts=pack((*facts_of(record), *inherited)),
            )
        scores = self._context.scores
        return candidates.candidate(
            url, evidence, scores, Kind.MEDIA, depth=lease.depth + 1, parent=lease.parent or lease.request_url
        )

    def _describe(self, visit: Visit, known: Iterable[tuple[str, FoundRecord]]) -> None:
        """Adds what the answer says of known files to their records."""
        if self._context.describe is None:
            return
        base = Base(visit.lease.request_url)
        for written, record in islice(known, Description.MOST):
            url, facts = base.canonical(written), facts_of(record)
            if url is not None and facts:
                self._context.describe(Description(url, visit.lease.parent, facts))


def facts_of(record: FoundRecord) -> list[Fact]:
    """Return what an answer says of a medium, as facts whose frame is where it stood."""
    places = record.places or {}
    return stated(fact(ADAPTER, places.get(name, name), key, getattr(record, name)) for name, key in _KEYS.items())


def _miss(visit: Visit, queued: QueuedRequest, miss: Miss) -> None:
    """Drop a data request that missed. A body that broke off at each attempt says nothing about the adapter."""
    if visit.fetch.broke_off:
        visit.drop(Drop.UNREADABLE)
        return
    if queued.number == 1:
        # That a later page of a list is not there is how many lists end.
        visit.decision.adapter = AdapterUse(queued.adapter, missed=str(miss))
    visit.drop(Drop.ADAPTER_MISSED)
