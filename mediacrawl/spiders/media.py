"""The spider ``media``: it joins the rooms."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from twisted.python.failure import Failure

from mediacrawl.frontier.stores import SQLITE_FILE, delete_store
from mediacrawl.parts import Parts, locate, today
from mediacrawl.probe.session import Session
from mediacrawl.records import VISIT, Candidate, End, Evidence, Kind, MediaItem, Outcome, Visit
from mediacrawl.scheduler import PenaltyBoxScheduler
from mediacrawl.scope import ExtensionFilter, Scope, Traps, site_of
from mediacrawl.spiders.arguments import SET_CONTACT, ArgumentError, Arguments, check_frontier, check_nevercrawl
from mediacrawl.spiders.borders import Borders
from mediacrawl.spiders.reader import Reader, candidate

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

_BATCH = 1000


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
        agent = self._parts.user_agent
        self._page_headers = {
            "User-Agent": agent,
            "Accept": "text/html,application/xhtml+xml,application/rss+xml,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",
        }
        # A range of a compressed answer is not a range of the file.
        self._media_headers = {"User-Agent": agent, "Accept": "*/*", "Accept-Encoding": "identity"}
        self._scope: Scope | None = None
        self._scheduler: PenaltyBoxScheduler | None = None
        self._reader: Reader | None = None

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
        check_frontier(settings, parts.folder, fresh=read.fresh)
        resumes = not read.fresh and (parts.folder / SQLITE_FILE).exists()
        if resumes and parts.anonymous and not read.seeds:
            raise ArgumentError(
                f"the crawl in {parts.folder.resolve()} cannot go on without an address to complain to; {SET_CONTACT}"
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
            batch = [candidate(url, Evidence("seed")) for url in seeds[start : start + _BATCH]]
            self.scheduler.add([seed for seed in batch if self.admit(seed)])
            await asyncio.sleep(0)
        nothing: tuple[Any, ...] = ()
        for _ in nothing:  # an asynchronous generator is what Scrapy wants
            yield _

    def _keep_borders(self) -> None:
        arguments = self.arguments
        borders = replace(arguments.borders, sites=arguments.sites)
        borders.save(self._parts.folder)
        # A crawl that goes on has asked for them before the last list was there.
        self._scope = self._reader = None
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

    @property
    def reader(self) -> Reader:
        """What reads the answers."""
        if self._reader is None:
            self._reader = Reader(self._parts, self.scheduler, self.scope, self.crawler.stats)
        return self._reader

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
        item = self.reader.read(visit, response) if visit.outcome is None else None
        if item is not None:
            visit.items = 1
            return [item]
        self.scheduler.end(visit)
        return None

    def range_failed(self, failure: Failure) -> list[MediaItem] | None:
        """Errback of a probe's later ranges."""
        visit: Visit = failure.request.meta[VISIT]  # type: ignore[attr-defined]
        item = None
        if visit.outcome is None and visit.sent is not None and not isinstance(failure.value, IgnoreRequest):
            item = self.reader.without_range(visit, type(failure.value).__name__)
        if item is not None:
            visit.items = 1
            return [item]
        self.scheduler.failed(failure)
        return None
