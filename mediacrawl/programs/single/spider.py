"""The spiders of ``scrapy probe`` and ``scrapy adapters try``: they request a few URLs as every crawl does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import CloseSpider
from twisted.python.failure import Failure

from mediacrawl.base.facts import unpack
from mediacrawl.base.format import elapsed, in_words
from mediacrawl.base.queued import ADAPTER, WAITS, QueuedRequest
from mediacrawl.base.terms import Drop, End, Evidence, Kind, Outcome, SiteState
from mediacrawl.base.text import cut, printable
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl.signals import listen_to_visits
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.sqlite.reader import FrontierReader
from mediacrawl.frontier.stores import SQLITE_FILE, open_store
from mediacrawl.politeness.robots_book import own_url
from mediacrawl.probe import Odd, Probe, ProbeResult
from mediacrawl.programs.single.report import ProbeReport, ProbeRequest, as_object, lines
from mediacrawl.record import MediaItem
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import authority_of, canonical, site_of, spelling
from mediacrawl.spiders.base import MediaCrawlClocks, ProbingSpider

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from mediacrawl.record import Fixer

FOLDER = "probe"
"""Folder within the state folder with the clocks of probed sites."""

_UNASKED = frozenset({SiteState.IDLE, SiteState.PAUSED, SiteState.RETIRED})
"""States of a site to which a running crawl sends no requests."""
_GOES_ON = frozenset({End.CONTINUE, End.AGAIN})
_NO_ROBOTS = "robots.txt does not allow it"
_LONG = 61.0
"""Seconds of delay that are announced: more than a site's first delay."""
_WORDS = {
    "robots": _NO_ROBOTS,
    "noindex": "the server wants it listed nowhere (X-Robots-Tag)",
    "nevercrawl": "a NeverCrawl list names it",
    "placeholder_contact": "there is no contact: set MEDIACRAWL_CONTACT",
    "port": "its port is one of those that are never asked (SCOPE_REFUSED_PORTS)",
    "address": "its name leads to an address that is no public web server's",
    "content_type": "it is no audio or video",
    "ignored": "the answer was refused; the log says why",
}


PROBED = 1
"""Media of a page that are probed. Each costs at least one delay of its site; the others are only named."""
_SEED = "probe"
"""The link source of the pages."""
_SHOWN = 300
"""Characters of the facts of one medium; ``--json`` has all."""


class SingleSpider(ProbingSpider):
    """Probes the given files, and reports everything about each.

    The queue is in memory; the delays of sites are kept in ``probe/`` of the state folder, and shared with the media
    crawl there.

    Args:
        crawler: of the spider.
        urls: in canonical form.
        folder: the state folder of the media crawl.
        fixer: decodes the texts of a record.
        tell: called after each request, with the URL that it was made for.
    """

    name = "probe"
    follows = False
    kind: ClassVar[Kind] = Kind.MEDIA
    """What the URLs are requested as."""

    def __init__(
        self, crawler: Crawler, urls: list[str], folder: Path, fixer: Fixer, tell: Callable[[str, ProbeRequest], None]
    ) -> None:
        super().__init__(crawler)
        self._urls = urls
        self._folder = folder
        self._fixer = fixer
        self._tell = tell
        self.accounts: dict[str, ProbeReport] = {url: ProbeReport(url) for url in urls}
        """By the URL that was requested first, before redirects."""
        self._homes: dict[str, ProbeReport] = {}
        """By authority: its first file."""
        self._ranges: dict[int, str] = {}
        self._odd: dict[int, Odd | None] = {}
        self._media_clocks: list[MediaCrawlClocks] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler, **arguments: Any) -> Self:
        """Make it for a crawl."""
        spider = cls(crawler, **arguments)
        spider._set_crawler(crawler)
        crawler.signals.connect(spider._opened, signals.spider_opened)
        listen_to_visits(crawler, spider._visit_ended)
        crawler.signals.connect(spider._closed, signals.spider_closed)
        return spider

    def _opened(self) -> None:
        self.reader.files.heard = self._heard
        context = self._context
        try:
            self._meet_crawl()
            own = self._folder / FOLDER
            clock = context.clock
            store = open_store("sqlite", own, context.policy, clock.now(), offset=clock.offset)
            self._media_clocks.append(MediaCrawlClocks(store))
            for url in self._urls:
                for clocks in self._media_clocks:
                    clocks.copy(site_of(url), self.scheduler.frontier, context.clock.now())
            for site in dict.fromkeys(map(site_of, self._urls)):
                if (left := self._left(site)) > _LONG:
                    self.logger.warning("%s is left alone for %s more", site, elapsed(left))
        except FrontierError as error:
            self.logger.critical("%s", error)
            raise CloseSpider("frontier_error") from error

    def _meet_crawl(self) -> None:
        """Take over the delays of the media crawl in the state folder.

        A running crawl cannot be told of our requests, so its sites are refused.

        Raises:
            FrontierError: a crawl runs, and requests one of the sites too.
        """
        now = self._context.clock.now()
        try:
            clocks = MediaCrawlClocks.of(self._folder, self._context.policy, self._context.clock)
        except FrontierError:
            with FrontierReader(self._folder / SQLITE_FILE) as running:
                for site in dict.fromkeys(map(site_of, self._urls)):
                    known = running.site(site, now)
                    if known is not None and known.state not in _UNASKED:
                        raise FrontierError(
                            f"a crawl works in {self._folder} and asks {site}, which would be asked twice; "
                            f"say mediacrawl frontier pause {site} first, and resume it afterwards"
                        ) from None
                    if known is not None and known.release > now:
                        visit = Outcome(End.DONE, retry_after=known.release - now)
                        self.scheduler.frontier.charge(site, visit, now)
            return
        if clocks is not None:
            self._media_clocks.append(clocks)

    async def start(self) -> AsyncIterator[Any]:
        """Add the URLs to the frontier."""
        for url in self._urls:
            spelled = spelling(url)
            reason = Drop.BAD_URL if spelled is None else self.scope.check(spelled.key, 0)
            if spelled is None or reason is not None:
                self.accounts[url].why = _WORDS.get(str(reason), f"scope refuses it: {reason}")
                continue
            found = Evidence("probe", requested_url=url)
            self.scheduler.add([candidate(spelled, found, self._context.scores, self.kind)])
        return
        yield  # type: ignore[unreachable]  # an asynchronous generator is what Scrapy wants

    def make_request(self, visit: Visit) -> Request:
        """Return the request of a lease."""
        request = super().make_request(visit)
        if visit.fetch.kind is not Kind.ROBOTS:
            self._homes.setdefault(authority_of(visit.fetch.url), self._account(visit))
        asked = (request.headers.get("Range") or b"").decode("ascii").replace("=", " ")
        self._ranges[visit.lease.id] = asked or "the whole file"
        return request

    async def parse(self, response: Response, **_: Any) -> list[MediaItem] | None:
        """Read a response; a record is decoded here, and stored nowhere."""
        return self._decided(response.meta[VISIT], await self.parsed(response))

    async def range_failed(self, failure: Failure) -> list[MediaItem] | None:
        """Called with a failure of a probe's later ranges; the first ones may suffice for a record."""
        visit: Visit = failure.request.meta[VISIT]  # type: ignore[attr-defined]
        return self._decided(visit, await super().range_failed(failure))

    def _decided(self, visit: Visit, items: list[MediaItem] | None) -> list[MediaItem] | None:
        for item in items or ():
            adapter = ItemAdapter(item)
            self._fixer.fix(adapter)
            self._account(visit).record = adapter.asdict()
        return items

    def _account(self, visit: Visit) -> ProbeReport:
        lease = visit.lease
        if lease.kind is Kind.ROBOTS:
            # The robots.txt of another authority is kept here.
            return self._homes[lease.parent]
        first = lease.evidence.requested_url or lease.request_url
        return self.accounts.get(first) or self.accounts.setdefault(first, ProbeReport(first))

    def _heard(self, visit: Visit, odd: Odd | None, result: ProbeResult | None, probe: Probe) -> None:
        self._odd[visit.lease.id] = odd
        if result is not None:
            self._account(visit).take(result, probe)

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        account, lease = self._account(visit), visit.lease
        for clocks in self._media_clocks:
            clocks.charge(lease.site, outcome, self._context.clock.now())
        if outcome.end is End.DROPPED:
            account.why = self._why(visit, outcome)
        elif visit.fetch.location:
            account.why = f"redirected to {visit.fetch.location}"
        if visit.fetch.sent is not None:
            self._tell_of(visit, account, goes_on=outcome.end in _GOES_ON)
        self._give_up(lease.parent if lease.kind is Kind.ROBOTS else authority_of(lease.url), account)

    def _tell_of(self, visit: Visit, account: ProbeReport, *, goes_on: bool) -> None:
        lease, odd = visit.lease, self._odd.pop(visit.lease.id, None)
        asked = "robots.txt" if visit.fetch.kind is Kind.ROBOTS else self._ranges.get(lease.id, "")
        came = visit.fetch
        remark = in_words(visit.error or came.failure) or str(odd or "").replace("_", " ")
        remark = remark or (came.location and f"to {came.location}")
        if goes_on and (left := self._left(lease.site)) > _LONG:
            remark = ", ".join(filter(None, [remark, f"the next in {elapsed(left)}"]))
        fetch = ProbeRequest(
            visit.fetch.url,
            asked,
            visit.fetch.status,
            visit.fetch.bytes,
            visit.fetch.response_time,
            lease.delay,
            remark,
        )
        account.fetches.append(fetch)
        self._tell(account.target, fetch)

    def _left(self, site: str) -> float:
        """Return the seconds until a site's release time."""
        known = self.scheduler.frontier.site(site)
        return known.release - self._context.clock.now() if known is not None else 0.0

    def _give_up(self, authority: str, account: ProbeReport) -> None:
        """Drop the URLs that wait for a robots.txt that could not be fetched; a crawl would wait for weeks."""
        if not self._context.robots.is_failing(authority):
            return
        account.why = why = f"{own_url(authority)} could not be had, and without it nothing may be asked"
        for url, other in self.accounts.items():
            if authority_of(url) == authority:
                other.why = other.why or why
        self.scheduler.frontier.drop(site_of(authority), Drop.ROBOTS, lambda url: authority_of(url) == authority)

    def _why(self, visit: Visit, outcome: Outcome) -> str:
        known = self._account(visit).why
        if str(outcome.reason) == "http_status" and visit.fetch.status:
            return f"the server answered {visit.fetch.status}"
        if str(outcome.reason) == "content_type" and known:
            return known
        return _WORDS.get(str(outcome.reason)) or in_words(visit.error) or str(outcome.reason)

    def _closed(self) -> None:
        for clocks in self._media_clocks:
            clocks.close()


# -- site adapters ---------------------------------------------------------------------------------------------------


@dataclass
class PageTrial(ProbeReport):
    """What an adapter made of one page.

    Attributes:
        requests: URLs of the data requests, each with the values of the slots that were known before it.
        media: what the last answer named: URL, and its facts.
        probed: reports of the media that were probed.
    """

    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    media: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    probed: list[ProbeReport] = field(default_factory=list)

    def as_object(self) -> dict[str, Any]:
        """Return the trial as an object for JSON."""
        return {
            "page": self.target,
            "requests": [{"url": url, "slots": slots} for url, slots in self.requests],
            "media": [{"url": url, **facts} for url, facts in self.media],
            "probed": [as_object(report) for report in self.probed],
            "why": self.why or None,
        }

    def lines(self) -> Iterator[str]:
        """Yield the trial for people, one line each; the requests were told when they ended."""
        for number, (url, slots) in enumerate(self.requests, 1):
            values = ", ".join(f"{name} = {value}" for name, value in slots.items())
            yield f"  data request {number}: {printable(url)}{printable(values and f' ({values})')}"
        for number, (url, facts) in enumerate(self.media):
            told = ", ".join(f"{name} {value}" for name, value in facts.items())
            left = "" if number < PROBED else " (not probed here)"
            yield f"  media: {printable(url)}{printable(told and f' ({cut(told, _SHOWN)})')}{left}"
        if not self.media:
            yield f"  no media: {printable(self.why or 'the log says why')}"
        for report in self.probed:
            yield f"\n{printable(report.target)}"
            yield from lines(report)


class AdapterTrySpider(SingleSpider):
    """Tries a site adapter on pages: requests their data, and probes the first medium of each.

    Links of a page that is requested are not followed. The rest is as for `SingleSpider`.

    Args:
        crawler: of the spider, whose ``ADAPTERS_DIR`` has the one adapter.
        urls: of the pages, in canonical form.
        folder: the state folder of the media crawl.
        fixer: decodes the texts of a record.
        tell: called after each request, with the URL that it was made for.
    """

    name = "adapters"
    follows = True
    kind = Kind.PAGE

    def __init__(
        self, crawler: Crawler, urls: list[str], folder: Path, fixer: Fixer, tell: Callable[[str, ProbeRequest], None]
    ) -> None:
        super().__init__(crawler, urls, folder, fixer, tell)
        self.trials = {url: PageTrial(url) for url in urls}
        self.accounts = {**self.trials}

    def make_request(self, visit: Visit) -> Request:
        """Return the request of a lease; a data request is told as one."""
        request = super().make_request(visit)
        if visit.lease.kind is not Kind.MEDIA:
            self._ranges[visit.lease.id] = "the data" if visit.lease.evidence.via == WAITS else "the page"
        return request

    def _finish(self, visit: Visit, items: list[MediaItem]) -> list[MediaItem] | None:
        trial = self._trial(visit)
        kept = [found for found in visit.decision.found if found.evidence.via in {WAITS, _SEED}]
        media = [found for found in visit.decision.found if found.evidence.via == ADAPTER]
        if trial is not None and media:
            room = PROBED - len(trial.media)
            trial.media += [
                (each.request_url, {fact.key: fact.text for fact in unpack(each.evidence.facts)}) for each in media
            ]
            kept += media[: max(room, 0)]
        visit.decision.found[:] = kept
        return super()._finish(visit, items)

    def _trial(self, visit: Visit) -> PageTrial | None:
        lease = visit.lease
        page = lease.parent if lease.evidence.via in {WAITS, ADAPTER} else lease.evidence.requested_url or lease.url
        return self.trials.get(canonical(page) or page)

    def _account(self, visit: Visit) -> ProbeReport:
        trial = self._trial(visit)
        if visit.lease.kind is Kind.ROBOTS or trial is None:
            return super()._account(visit)
        if visit.lease.kind is not Kind.MEDIA:
            return trial
        account = super()._account(visit)
        if account not in trial.probed:
            trial.probed.append(account)
        return account

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        super()._visit_ended(visit, outcome)
        trial, use = self._trial(visit), visit.decision.adapter
        if trial is None or visit.lease.kind is Kind.MEDIA:
            return
        for found in visit.decision.found:
            queued = QueuedRequest.of(found.evidence)
            if queued is not None:
                trial.requests.append((found.request_url, dict(queued.slots)))
        if use is not None and use.missed:
            trial.why = use.missed
        if visit.lease.evidence.via == WAITS:
            # A crawl requests the page of a miss as an ordinary one, which would try nothing.
            page = trial.target
            self.scheduler.frontier.drop(site_of(page), Drop.OPERATOR, lambda url: url == page)
