"""The spider ``media``: it joins the rooms."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from twisted.python.failure import Failure

from mediacrawl.extract import Page, looks_like_feed, parse_feed, parse_page
from mediacrawl.frontier.stores import SQLITE_FILE, delete_store
from mediacrawl.parts import Parts, locate, today
from mediacrawl.politeness.retry import after_status, is_passing
from mediacrawl.politeness.wishes import Wishes, robots_tag
from mediacrawl.priority import first_score, link_class
from mediacrawl.probe import build_item, sniff
from mediacrawl.probe.answer import Answer, answer_kind, is_media
from mediacrawl.probe.session import FirstAnswer, Session
from mediacrawl.records import VISIT, Candidate, Drop, End, Evidence, Kind, MediaItem, Outcome, Visit
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope import MEDIA_EXTENSIONS, ExtensionFilter, Scope, Traps, extension_of, site_of
from mediacrawl.spiders.arguments import ArgumentError, Arguments, check_frontier, check_nevercrawl
from mediacrawl.spiders.borders import Borders

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

_BATCH = 1000
_NO_WISHES = Wishes()
_PLAYERS = frozenset({"audio", "video", "source", "og:audio", "og:video", "twitter:player:stream", "enclosure"})


class MediaSpider(Spider):
    """Finds audio and video files and reads what they say about themselves.

    Args (``-a name=value``):
        seed: where to begin: a path, ``pkg:package/file``, the URL of a list (its path ends in .txt, .csv, .lst), or
            URLs themselves, by comma or line. Left out, the crawl that lies in the state folder goes on.
        scope: ``web`` (default) or ``site``: keep to the seeds' sites.
        include: path of a whitelist of domains and regular expressions.
        fresh: 1 forgets what an earlier crawl in the same state folder left.
    """

    name = "media"

    def __init__(self, arguments: Arguments, crawler: Crawler, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.arguments = arguments
        self._parts = Parts.of(crawler)
        self._attempts = self._parts.policy.attempts
        self._page_bytes = self._parts.settings.getint("PAGE_MAX_BYTES", 200_000)
        agent = self._parts.user_agent
        self._page_headers = {
            "User-Agent": agent,
            "Accept": "text/html,application/xhtml+xml,application/rss+xml,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        }
        # A range of a compressed answer is not a range of the file.
        self._media_headers = {"User-Agent": agent, "Accept": "*/*", "Accept-Encoding": "identity"}
        self._token = str(self._parts.settings.get("ROBOTS_TOKEN") or "mediacrawl")
        self._scope: Scope | None = None
        self._scheduler: PenaltyBoxScheduler | None = None

    @classmethod
    def from_crawler(
        cls,
        crawler: Crawler,
        seed: str = "",
        scope: str = "",
        include: str = "",
        fresh: str = "",
        **kwargs: Any,
    ) -> Self:
        """Make it for a crawl; other arguments (scrapyd's ``_job``) become attributes.

        Raises:
            ArgumentError: an argument cannot be used.
        """
        arguments = Arguments.read(Parts.of(crawler).folder, seed, scope, include, fresh)
        arguments.check(anonymous=Parts.of(crawler).anonymous)
        spider = cls(arguments, crawler, **kwargs)
        spider._set_crawler(crawler)
        if arguments.fresh:
            spider._forget()
        return spider

    @classmethod
    def check_arguments(cls, arguments: dict[str, str], settings: BaseSettings) -> None:
        """See before the crawl starts that it can.

        Raises:
            ArgumentError: it cannot; one sentence says why and what to do.
        """
        known = {name: arguments[name] for name in ("seed", "scope", "include", "fresh") if name in arguments}
        parts = Parts(settings)
        read = Arguments.read(parts.folder, **known)
        read.check(anonymous=parts.anonymous)
        check_nevercrawl(settings)
        check_frontier(settings, parts.folder)
        resumes = not read.fresh and (parts.folder / SQLITE_FILE).exists()
        if resumes and parts.anonymous and not read.seeds:
            raise ArgumentError(
                f"the crawl in {parts.folder.resolve()} cannot go on without an address to complain to; "
                "set MEDIACRAWL_CONTACT to a page or mail address of yours (-s MEDIACRAWL_CONTACT=https://...)"
            )
        if not read.seeds and not read.lists and not resumes:
            raise ArgumentError(
                f"no seed is given and no crawl lies in {parts.folder.resolve()}; "
                "begin with -a seed=seeds.txt, or see the demo: scrapy demo"
            )

    # -- the beginning ---------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Any]:
        """Hand the seeds to the frontier, in batches: as requests 33,000 of them would block the crawl for a second."""
        for url in self.arguments.lists:
            await self._fetch_list(url)
        for problem in self.arguments.report():
            self.logger.warning("Left out: %s", problem)
        self._keep_borders()
        seeds = self.arguments.seeds
        if seeds:
            self.logger.info("%d seeds", len(seeds))
        for start in range(0, len(seeds), _BATCH):
            batch = [self._candidate(url, Evidence("seed")) for url in seeds[start : start + _BATCH]]
            self.scheduler.add([candidate for candidate in batch if self.admit(candidate)])
            await asyncio.sleep(0)
        nothing: tuple[Any, ...] = ()
        for _ in nothing:  # an asynchronous generator is what Scrapy wants
            yield _

    def _keep_borders(self) -> None:
        arguments = self.arguments
        borders = replace(arguments.borders, sites=arguments.sites)
        borders.save(self._parts.folder)
        if borders.same_site:
            self.logger.info("scope=site: keeping to %d sites", len(borders.sites))
        if borders.include:
            self.logger.info("include: keeping to what %s names", borders.include)

    async def _fetch_list(self, url: str) -> None:
        """Fetch a seed list. Its site's delay is waited for before and counts after, like that of any visit."""
        frontier, site = self.scheduler.frontier, site_of(url)
        known = frontier.site(site)
        if known is not None:
            await asyncio.sleep(max(known.release - self._parts.clock.now(), 0.0))
        began = self._parts.clock.now()
        try:
            await self._take_list(url)
        finally:
            now = self._parts.clock.now()
            frontier.charge(site, Outcome(End.DONE, response_time=now - began), now)

    async def _take_list(self, url: str) -> None:
        request = Request(url, headers=self._page_headers, meta={"dont_obey_robotstxt": True})
        try:
            response = await self.crawler.engine.download_async(request)
        except Exception as error:
            self.logger.critical("The seed list %s could not be had: %s", url, error)
            raise CloseSpider("seed_error") from error
        if response.status != 200:
            self.logger.critical("The seed list %s could not be had: status %d", url, response.status)
            raise CloseSpider("seed_error")
        self.arguments.take_list(response.body, url)
        try:
            self.arguments.check(anonymous=self._parts.anonymous)
        except ArgumentError as error:
            self.logger.critical("%s", error)
            raise CloseSpider("seed_error") from error

    def _forget(self) -> None:
        for path in delete_store(self._parts.folder):
            self.logger.info("fresh: deleted %s", path)
        Borders.forget(self._parts.folder)
        self.logger.info("fresh: the catalogue and the request log in %s are kept", self._parts.folder)

    # -- what the other doors ask ----------------------------------------------------------------------------

    @property
    def scheduler(self) -> PenaltyBoxScheduler:
        """The scheduler that this spider needs.

        Raises:
            TypeError: the project's setting ``SCHEDULER`` names another one.
        """
        if self._scheduler is None:
            scheduler = self.crawler.engine.scheduler
            # Not isinstance: Scrapy's base class says yes for every scheduler.
            if PenaltyBoxScheduler not in type(scheduler).__mro__:
                raise TypeError("the spider media needs SCHEDULER = 'mediacrawl.scheduler.PenaltyBoxScheduler'")
            self._scheduler = cast("PenaltyBoxScheduler", scheduler)
        return self._scheduler

    @property
    def scope(self) -> Scope:
        """What decides whether a URL may join; made when the seeds are known."""
        if self._scope is None:
            settings = self._parts.settings
            self._scope = Scope(
                today=today,
                traps=Traps(max_length=settings.getint("SCOPE_MAX_LENGTH", 2048)),
                max_depth=settings.getint("SCOPE_MAX_DEPTH", 20),
                extensions=ExtensionFilter.load(locate(settings["SCOPE_EXTENSIONS_FILE"])),
                nevercrawl=self._parts.nevercrawl,
                include=self.arguments.include,
                only_sites=self.arguments.only_sites,
                loopback_only=self._parts.anonymous,
            )
        return self._scope

    def admit(self, candidate: Candidate) -> bool:
        """Whether a URL that was found otherwise than on a page may join; a refusal is counted."""
        reason = self.scope.check(candidate.url, candidate.depth)
        if reason is not None:
            self.crawler.stats.inc_value(f"drop/{reason}")
        return reason is None

    def make_request(self, visit: Visit) -> Request:
        """The request of a lease: a page whole, a media file by the range that its probe asks for next."""
        meta = {VISIT: visit, "verbatim_url": True, "download_slot": visit.lease.site}
        if visit.kind is not Kind.MEDIA:
            return Request(visit.url, headers=self._page_headers, meta=meta)
        session = Session.load(visit.lease.state, self._parts.probe)
        start, stop = session.probe.next_range() or (0, 1)
        visit.asked = stop - start
        headers = {**self._media_headers, "Range": f"bytes={start}-{stop - 1}"}
        if session.first.validator and start:
            headers["If-Range"] = session.first.validator
        return Request(visit.url, headers=headers, meta=meta, errback=self.range_failed if visit.lease.state else None)

    # -- answers ---------------------------------------------------------------------------------------------

    def parse(self, response: Response, **_: Any) -> list[MediaItem] | None:
        """Read an answer. The visit ends here, or, if it gave an item, when the pipelines have stored it."""
        visit: Visit = response.meta[VISIT]
        item = self._read(visit, response) if visit.outcome is None else None
        if item is not None:
            visit.items = 1
            return [item]
        self.scheduler.end(visit)
        return None

    def range_failed(self, failure: Failure) -> list[MediaItem] | None:
        """A later range did not come: once more, or the probe ends, and what is known by then is the record."""
        visit: Visit = failure.request.meta[VISIT]  # type: ignore[attr-defined]
        item = None
        if visit.outcome is None and visit.sent is not None and not isinstance(failure.value, IgnoreRequest):
            session = Session.load(visit.lease.state, self._parts.probe)
            if session.try_again():
                visit.outcome = Outcome(End.CONTINUE, state=session.dump())
            else:
                visit.outcome = Outcome(End.DONE)
                session.probe.refuse(type(failure.value).__name__)
                item = self._item(visit, session)
        if item is not None:
            visit.items = 1
            return [item]
        self.scheduler.failed(failure)
        return None

    def _read(self, visit: Visit, response: Response) -> MediaItem | None:
        ended = after_status(response.status, visit.lease.attempt, self._attempts)
        if ended is not None and not visit.lease.state:
            visit.outcome = ended
            return None
        visit.outcome = Outcome(End.DONE)
        answer = answer_kind(_header(response, "Content-Type"))
        if answer is Answer.ANYTHING:
            answer = _by_content(response.body)
        if answer is Answer.MEDIA or (visit.kind is Kind.MEDIA and _reads_as_media(visit, answer, response.body)):
            return self._read_media(visit, response)
        if answer is Answer.PAGE:
            self._read_page(visit, response)
        elif answer is Answer.FEED and looks_like_feed(_header(response, "Content-Type"), response.body):
            self._read_feed(visit, response)
        else:
            visit.drop(Drop.CONTENT_TYPE)
        return None

    def _read_page(self, visit: Visit, response: Response) -> None:
        page = parse_page(response.body[: self._page_bytes], response.url, _charset(response), self._token)
        scheduler = self.scheduler
        scheduler.count("page/read")
        frontier = scheduler.frontier
        hrefs = [link.href for link in page.links]
        accepted, drops = self.scope.sift(page.base, hrefs, visit.lease.depth + 1, frontier.recent)
        places = {url: place for place, url in accepted}
        fresh = frontier.unknown(list(places))
        if page.nofollow_all or self._wishes(response).nofollow:
            drops[Drop.NOFOLLOW] += len(fresh)
        else:
            self._queue_links(visit, page, [(url, places[url]) for url in fresh])
        for reason, number in drops.items():
            scheduler.count(f"drop/{reason}", number)

    def _queue_links(self, visit: Visit, page: Page, fresh: list[tuple[str, int]]) -> None:
        for url, place in fresh:
            link = page.links[place]
            if page.nofollow(link):
                self.scheduler.count(f"drop/{Drop.NOFOLLOW}")
                continue
            evidence = Evidence(link.via, page.anchor(link), page.title)
            visit.found.append(self._candidate(url, evidence, visit))

    def _read_feed(self, visit: Visit, response: Response) -> None:
        feed = parse_feed(response.body[: self._page_bytes], response.url)
        scheduler = self.scheduler
        scheduler.count("feed/read")
        doors = [
            (href, via, entry)
            for entry in feed.entries
            for href, via in ((entry.enclosure, "enclosure"), (entry.link, "feed"))
            if href
        ]
        recent = scheduler.frontier.recent
        hrefs = [href for href, _, _ in doors]
        accepted, drops = self.scope.sift(response.url, hrefs, visit.lease.depth + 1, recent)
        if self._wishes(response).nofollow:
            drops[Drop.NOFOLLOW] += len(accepted)
            accepted = []
        for place, url in accepted:
            _, via, entry = doors[place]
            evidence = Evidence(via, entry.title[:200], feed.title[:200], response.url, entry.guid[:200])
            visit.found.append(self._candidate(url, evidence, visit))
        for reason, number in drops.items():
            scheduler.count(f"drop/{reason}", number)

    def _read_media(self, visit: Visit, response: Response) -> MediaItem | None:
        session = Session.load(visit.lease.state, self._parts.probe)
        if self._wishes(response).noindex:
            visit.drop(Drop.NOINDEX)
            return None
        if is_passing(response.status) and session.try_again():
            visit.outcome = Outcome(End.CONTINUE, state=session.dump())
            return None
        if not session.first.at:
            session.first = _first_answer(response)
        session.take(
            response.status,
            _header(response, "Content-Range"),
            _header(response, "Content-Length"),
            response.body,
            ranged=visit.asked > 0,
        )
        if not session.probe.finished:
            visit.outcome = Outcome(End.CONTINUE, state=session.dump(), kind=Kind.MEDIA)
            return None
        return self._item(visit, session)

    def _item(self, visit: Visit, session: Session) -> MediaItem | None:
        lease, first, probe = visit.lease, session.first, session.probe
        result = probe.result()
        stats = self.crawler.stats
        if not is_media(result.encoding_format):
            visit.drop(Drop.CONTENT_TYPE)
            return None
        stats.inc_value("media/found")
        stats.inc_value(f"media/status/{result.status}")
        stats.inc_value(f"media/format/{result.encoding_format}")
        stats.inc_value("media/bytes_fetched", probe.bytes_fetched)
        stats.inc_value("media/bytes_of_files", probe.size or probe.bytes_fetched)
        stats.inc_value("media/requests", probe.requests)
        return build_item(
            result,
            probe,
            url=lease.url,
            requested_url=lease.evidence.requested_url,
            evidence=lease.evidence,
            page_url=lease.parent,
            site=lease.site,
            found_at=first.at,
            checked_at=_now(),
            http_status=first.status,
            content_type=first.content_type,
            etag=first.etag,
            last_modified=first.last_modified,
            server_accepts_ranges=first.ranges,
        )

    def _wishes(self, response: Response) -> Wishes:
        values = response.headers.getlist("X-Robots-Tag")
        return robots_tag([value.decode("latin-1") for value in values], self._token) if values else _NO_WISHES

    def _candidate(self, url: str, evidence: Evidence, visit: Visit | None = None) -> Candidate:
        """A URL that was found on the page of a visit, or a seed."""
        kind = Kind.MEDIA if evidence.via in _PLAYERS or extension_of(url) in MEDIA_EXTENSIONS else Kind.PAGE
        return Candidate(
            url=url,
            site=site_of(url),
            link_class=link_class(url),
            kind=kind,
            depth=visit.lease.depth + 1 if visit else 0,
            parent=visit.lease.url if visit else "",
            score=first_score(kind),
            evidence=evidence,
        )


def _header(response: Response, name: str) -> str:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else ""


def _charset(response: Response) -> str | None:
    _, _, charset = _header(response, "Content-Type").lower().partition("charset=")
    return charset.strip("\"' ;") or None


def _by_content(body: bytes) -> str:
    """What an answer is whose Content-Type does not say."""
    sniffed = sniff(body)
    if is_media(sniffed.mime):
        return Answer.MEDIA
    return Answer.PAGE if sniffed.container == "html" else Answer.OTHER


def _reads_as_media(visit: Visit, answer: str, body: bytes) -> bool:
    """Whether the answer to a request for media goes to the probe. Servers send pages there, and media as text/html."""
    return bool(visit.lease.state) or answer is not Answer.PAGE or is_media(sniff(body).mime)


def _first_answer(response: Response) -> FirstAnswer:
    return FirstAnswer(
        at=_now(),
        status=response.status,
        content_type=_header(response, "Content-Type"),
        etag=_header(response, "ETag"),
        last_modified=_header(response, "Last-Modified"),
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
