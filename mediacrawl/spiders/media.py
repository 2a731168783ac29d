"""The spider ``media``, which crawls the web for audio and video files."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Drop, End, Evidence, Outcome, SiteState
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.arguments import (
    SET_CONTACT,
    Argument,
    ArgumentError,
    Arguments,
    check_frontier,
    check_nevercrawl,
    refuse_unknown,
    same_site,
    share_of_revisits,
    switch,
    whole,
)
from mediacrawl.crawl.connection import redis_url
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.crawl_scope import CrawlScope
from mediacrawl.crawl.failures import trouble_in
from mediacrawl.crawl.headers import header, headers
from mediacrawl.crawl.own_settings import REDIS, OwnSettings, state_folder, store_of
from mediacrawl.crawl.policies import is_anonymous
from mediacrawl.crawl.signals import listen_to_visits, seeds_joined
from mediacrawl.crawl.storage import MODEL_FILE, OLD_MODEL, redis_client
from mediacrawl.crawl.threads import in_reactor
from mediacrawl.frontier import FrontierError
from mediacrawl.frontier.refused import NOTE_KIND, RefusedUrls
from mediacrawl.frontier.stores import SQLITE_FILE, delete_store
from mediacrawl.log.messages import start_line
from mediacrawl.middlewares.answers import is_redirect, target_of
from mediacrawl.politeness.delay import asked_to_wait, trouble_of
from mediacrawl.scope import site_of
from mediacrawl.scope.candidates import candidate
from mediacrawl.scope.urls import port_of
from mediacrawl.spiders.base import ProbingSpider

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from mediacrawl.crawl.interfaces import LeaseHolder
    from mediacrawl.scope.include import Include


class Readmission:
    """Keeps in the frontier which URLs ended for their address (see `frontier.refused.RefusedUrls`)."""

    def __init__(self, context: CrawlContext, scheduler: Callable[[], LeaseHolder]) -> None:
        self._allow = [str(entry) for entry in OwnSettings(context.settings).getlist("GUARD_ALLOW")]
        self._context = context
        self._scheduler = scheduler
        self._waiting: list[str] = []
        self._is_out = self._is_full = False

    async def urls(self) -> tuple[str, ...]:
        """Return the URLs that are to be added again at this start. They stay noted until `taken` is called.

        Raises:
            FrontierError: the frontier cannot be read.
        """
        joining: tuple[str, ...] = ()

        def look(old: bytes | None) -> bytes:
            nonlocal joining
            kept = RefusedUrls.read(old)
            left, joining = kept.at_start(self._allow)
            return (kept if joining else left).dump()

        await self._change(look)
        return joining

    async def taken(self) -> None:
        """The URLs were added: from now on those are kept that are refused under today's GUARD_ALLOW.

        Raises:
            FrontierError: the frontier cannot be written to.
        """
        await self._change(lambda old: RefusedUrls.read(old).at_start(self._allow)[0].dump())

    async def _change(self, change: Callable[[bytes | None], bytes]) -> None:
        if self._context.later is not None:
            await in_reactor(self._context.later(NOTE_KIND, "", change))
        else:
            self._context.frontier.update_note(NOTE_KIND, "", change)

    def visit_ended(self, visit: Visit, outcome: Outcome) -> None:  # noqa: ARG002
        """Note a URL that ended for its address."""
        if self._is_full:
            return
        self._waiting.append(visit.lease.key)
        if not self._is_out:
            self._write()

    def _write(self) -> None:
        """Write the noted URLs. In Redis one change is made at a time, since simultaneous ones would be retried."""
        urls, self._waiting = self._waiting, []

        def change(old: bytes | None) -> bytes:
            kept = RefusedUrls.read(old)
            for url in urls:
                more = kept.with_url(url)
                self._is_full = self._is_full or (more is kept and url not in kept.urls)
                kept = more
            return kept.dump()

        try:
            if self._context.later is not None:
                self._is_out = True
                self._context.later(NOTE_KIND, "", change).add_done_callback(self._heard)
            else:
                self._context.frontier.update_note(NOTE_KIND, "", change)
        except FrontierError as error:
            self._scheduler().stop("frontier_error", error)

    def _heard(self, _: Future[bytes]) -> None:
        from twisted.internet import reactor  # noqa: PLC0415 - it is chosen by the first import

        reactor.callFromThread(self._written)

    def _written(self) -> None:
        self._is_out = False
        if self._waiting:
            self._write()


logger = logging.getLogger(__name__)

_BATCH = 1000
_OTHERS = 10
"""Seconds that a worker without seeds waits for a worker with seeds."""
_WARN_AFTER = 60.0
"""Seconds that a seed list waits for its site's delay before a warning is logged."""


class MediaSpider(ProbingSpider):
    """Finds audio and video files and reads their metadata. `takes` has its arguments (``-a name=value``)."""

    name = "media"
    explores = True
    takes = (
        Argument(
            "seed",
            "FILE or URLs",
            "the first URLs: a file with one URL or domain a line, pkg:PACKAGE/FILE, the http(s) URL of such a list"
            " (its path ends in .txt, .lst, .list, .csv or .tsv), or URLs or domains separated by comma or line."
            " Without it the crawl in the state folder is resumed.",
        ),
        Argument(
            "scope",
            "web|site",
            "site: request only URLs on the sites of the seeds. Without it as the crawl began, at first web.",
            same_site,
        ),
        Argument(
            "include",
            "FILE",
            "a whitelist: domains, and regular expressions as re:PATTERN (RE2), one a line. Without it as the crawl"
            " began.",
        ),
        Argument(
            "fresh", "1", "delete the frontier of an earlier crawl in the same state folder.", partial(switch, "fresh")
        ),
        Argument(
            "stop_below",
            "N",
            "end the crawl when fewer than N sites have waiting URLs, after it had more.",
            partial(whole, "stop_below"),
        ),
        Argument(
            "revisit",
            "yes|no|SHARE",
            "yes: request pages that led to media again; the crawl then does not end by itself. A number above 0 and at"
            " most 1 is the share of the requests for this, in place of REVISIT_SHARE. Without it as the crawl began,"
            " at first no.",
            share_of_revisits,
        ),
    )
    logs_start = True
    """Whether the spider logs how the crawl starts; for others the scheduler does."""

    def __init__(self, arguments: Arguments, crawler: Crawler, **kwargs: Any) -> None:
        super().__init__(crawler, **kwargs)
        self.arguments = arguments
        self._readmission = Readmission(self._context, lambda: self.scheduler)
        self._context.refused_seeds = self._refused = Counter[str]()
        self.stop_below = arguments.stop_below

    @classmethod
    def from_crawler(cls, crawler: Crawler, **kwargs: Any) -> Self:
        """Make it for a crawl; scrapyd's ``_job`` and ``_version`` become attributes.

        Raises:
            ArgumentError: an argument cannot be used, or there is none of its name.
        """
        context = CrawlContext.of(crawler)
        given = {each.name: kwargs.pop(each.name) for each in MediaSpider.takes if each.name in kwargs}
        refuse_unknown(kwargs, cls)
        arguments = Arguments.read(context.folder, **given, share=_share(context.settings))
        arguments.check(context.settings)
        spider = cls(arguments, crawler, **kwargs)
        spider._set_crawler(crawler)
        if arguments.fresh:
            spider._delete_old()
        listen_to_visits(crawler, spider._readmission.visit_ended, Drop.ADDRESS)
        if context.store == REDIS:
            crawler.signals.connect(spider._hold, signals.spider_opened)
        return spider

    def _hold(self) -> None:
        self.scheduler.hold(True)

    @classmethod
    def check_arguments(cls, arguments: dict[str, str], settings: BaseSettings) -> None:
        """Check before the crawl starts that it can.

        Raises:
            ArgumentError: it cannot start; the message says why and what to do.
        """
        known = {each.name: arguments[each.name] for each in cls.takes if each.name in arguments}
        folder = state_folder(settings)
        read = Arguments.read(folder, **known, share=_share(settings))
        read.check(settings)
        check_nevercrawl(settings)
        check_frontier(settings, folder, fresh=read.fresh)
        if read.stop_below and store_of(settings) != "sqlite":
            raise ArgumentError("stop_below needs SCHEDULER_STORE = 'sqlite': the waiting URLs are written to a file")
        resumes = not read.fresh and (folder / SQLITE_FILE).exists()
        if resumes and is_anonymous(settings) and not read.seeds:
            raise ArgumentError(
                f"the crawl in {folder.resolve()} cannot continue without an address to complain to; {SET_CONTACT}"
            )
        # With Redis other workers and programs may add seeds.
        if not read.seeds and not read.lists and not resumes and redis_url(settings) is None:
            raise ArgumentError(
                f"no seed is given and there is no crawl in {folder.resolve()}; "
                "start with -a seed=seeds.txt, or see the demo: scrapy demo"
            )

    @property
    def revisit(self) -> float:
        """Share of the requests that may be revisits; 0 for none."""
        return self.arguments.borders.revisit

    # -- start -----------------------------------------------------------------------------------------------

    async def start(self) -> AsyncIterator[Any]:
        """Add the seeds to the frontier, in batches: 33,000 requests would block the reactor for a second."""
        for url in self.arguments.lists:
            await self._fetch_list(url)
        for problem in self.arguments.report():
            self.logger.warning("Left out: %s", problem)
        await self._agree_on_scope()
        try:
            self._save_scope()
            self._log_start()
            await self._readmit()
        except FrontierError as error:
            self.scheduler.stop("frontier_error", error)
            return
        seeds = self.arguments.seeds
        for start in range(0, len(seeds), _BATCH):
            self._add_seeds(seeds[start : start + _BATCH])
            await asyncio.sleep(0)
        # No page names a seed, so a lost one would not be found again after a kill.
        self.scheduler.commit()
        self.crawler.stats.set_value("seeds/joined", len(seeds))
        self.crawler.signals.send_catch_log(seeds_joined, spider=self)
        nothing: tuple[Any, ...] = ()
        for _ in nothing:  # Scrapy requires an asynchronous generator
            yield _

    def _log_start(self) -> None:
        arguments, context = self.arguments, self._context
        borders, delay = arguments.borders, context.applied_delay
        line = start_line(
            seeds=len(arguments.seeds),
            sites=len({site_of(url) for url in arguments.seeds}),
            border_sites=len(arguments.sites) if borders.same_site else None,
            whitelist=borders.include,
            minimum=max(delay.minimum, delay.floor),
            factor=delay.factor,
            first=delay.first,
            frontier=context.place if context.store != "memory" else "in memory",
            catalogue=str(context.catalogue or ""),
            waiting=self.scheduler.waiting_at_start,
        )
        logger.info("%s", line)

    def _add_seeds(self, seeds: Sequence[str]) -> None:
        """Add seeds, and count which are refused."""
        joining = []
        for seed in (candidate(url, Evidence("seed"), self._context.scores) for url in seeds):
            reason = self.refusal(seed)
            if reason is None:
                joining.append(seed)
            else:
                self._refused[str(reason)] += 1
        self.scheduler.add(joining)

    async def _readmit(self) -> None:
        """Add URLs again that were refused for their address, if GUARD_ALLOW allows them now."""
        urls = await self._readmission.urls()
        if not urls:
            return
        found = [candidate(url, Evidence("seed"), self._context.scores) for url in urls]
        joined = sum(self.scheduler.add_again(one) for one in found if self.admit(one))
        await self._readmission.taken()
        if joined:
            added = plural(joined, "URL", "is")
            self.logger.info("GUARD_ALLOW allows more than before: %s added again (drop/address)", added)

    async def _agree_on_scope(self) -> None:
        """Use the same scope as all workers of the crawl. No request is sent until it is known.

        Raises:
            CloseSpider: the crawl's whitelist cannot be read on this machine.
        """
        later, arguments = self._context.later, self.arguments
        if later is None:
            return
        mine = replace(arguments.borders, sites=arguments.sites)
        if not (arguments.seeds or arguments.said):
            await self._wait_for_seeds()

        before: list[CrawlScope | None] = []

        def joining(old: bytes | None) -> bytes:
            before.append(CrawlScope.read(old))
            return mine.after(old, arguments.said).dump()

        record = await in_reactor(later("borders", "", joining))
        try:
            arguments.adopt(CrawlScope.read(record) or mine, before[-1])
        except ArgumentError as error:
            self.logger.critical("%s", error)
            raise CloseSpider("seed_error") from error
        finally:
            self.scheduler.hold(False)

    async def _wait_for_seeds(self) -> None:
        """Wait for the worker with the seeds, which sets the scope."""
        for _ in range(_OTHERS):
            if self.scheduler.frontier.counts().seen:
                return
            await asyncio.sleep(1)
        self.logger.info("No worker has added seeds so far; this one waits")

    def _save_scope(self) -> None:
        arguments = self.arguments
        borders = replace(arguments.borders, sites=arguments.sites)
        try:
            borders.save(self._context.folder)
        except OSError as error:
            raise FrontierError(
                f"the scope of the crawl cannot be written in {self._context.folder}: {error.strerror}; mend that, and"
                " start the crawl again"
            ) from error
        # They were created with the earlier scope.
        self._scope = self._reader = None
        if arguments.before is not None:
            for sentence in borders.kept(arguments.before, arguments.said):
                self.logger.info("%s", sentence)
            for sentence in borders.changes(arguments.before):
                self.logger.warning("%s", sentence)

    async def _fetch_list(self, url: str) -> None:
        """Fetch a seed list. Each redirect is one more visit, which waits for the delay of its site."""
        asked = url
        for _ in range(OwnSettings(self._context.settings).getint("REDIRECT_CAP") + 1):
            response = await self._visit(asked, url)
            target = target_of(response) if is_redirect(response.status) else None
            if target is None or port_of(target.key) in self._context.scope_rules.refused_ports:
                break
            asked = target.requested
        if response.status != 200:
            self.logger.critical("The seed list %s could not be fetched: status %d at %s", url, response.status, asked)
            raise CloseSpider("seed_error")
        self.arguments.take_list(response.body, url)
        try:
            self.arguments.check(self._context.settings)
        except ArgumentError as error:
            self.logger.critical("%s", error)
            raise CloseSpider("seed_error") from error

    async def _visit(self, url: str, seed_list: str) -> Response:
        """Request a seed list without a lease. The site's delay applies before it and after it."""
        frontier, site, clock = self.scheduler.frontier, site_of(url), self._context.clock
        await self._wait_for(site)
        # Charged before the request, for as long as the response may take: no other request goes to the site meanwhile,
        # nor after a kill.
        began, came_to = clock.now(), Outcome(End.DONE)
        frontier.charge(site, Outcome(End.DONE), began + self._context.settings.getfloat("DOWNLOAD_TIMEOUT"))
        self.scheduler.commit()
        meta = {"dont_obey_robotstxt": True, "dont_redirect": True}
        try:
            response = await self.crawler.engine.download_async(Request(url, headers=self._page_headers, meta=meta))
        except Exception as error:
            came_to.trouble = trouble_in(error)
            self.logger.critical("The seed list %s could not be fetched: %s", seed_list, error)
            raise CloseSpider("seed_error") from error
        else:
            came_to.trouble = trouble_of(response.status)
            asked, date = headers(response, "Retry-After"), header(response, "Date")
            came_to.retry_after = asked_to_wait(response.status, asked, clock.now(), date)
            return response
        finally:
            frontier.charge(site, replace(came_to, response_time=clock.now() - began), clock.now())
            # A crawl that is restarted at once must wait as long as the site asked for.
            self.scheduler.commit()

    async def _wait_for(self, site: str) -> None:
        """Wait until a site may be requested. If another of its URLs is requested meanwhile, its delay starts again."""
        clock = self._context.clock
        known = self.scheduler.frontier.site(site)
        if known and known.release - clock.now() > _WARN_AFTER:
            self.logger.warning("The seed list waits: %s may be requested in %.0f s", site, known.release - clock.now())
        while known and (known.state is SiteState.LEASED or known.release > clock.now()):
            await asyncio.sleep(max(known.release - clock.now(), 0.1))
            known = self.scheduler.frontier.site(site)

    @property
    def include(self) -> Include | None:
        """The whitelist, if there is one."""
        return self.arguments.include

    @property
    def only_sites(self) -> frozenset[str] | None:
        """The sites to keep to; None for the whole web."""
        return self.arguments.only_sites

    def _delete_old(self) -> None:
        if self._context.store == REDIS:
            from mediacrawl.frontier.redis.store import delete_frontier  # noqa: PLC0415 - most crawls use no Redis

            client, prefix, server = redis_client(self._context.settings, self.name)
            keys = plural(delete_frontier(client, prefix, server), "key")
            self.logger.info("fresh: deleted %s at %s", keys, server)
        for path in delete_store(self._context.folder):
            self.logger.info("fresh: deleted %s", path)
        model = self._context.frontier_folder / MODEL_FILE
        if model.exists():
            kept = model.replace(model.with_name(OLD_MODEL))
            self.logger.info("fresh: the learned order is kept in %s; PRIORITY_MODEL can name it as a start", kept)
        CrawlScope.forget(self._context.folder)
        self.logger.info("fresh: the catalogue and the request log in %s are kept", self._context.folder)


def _share(settings: BaseSettings) -> float:
    return OwnSettings(settings).getfloat("REVISIT_SHARE")
