"""The spider ``feeds``, which polls feeds and lists, each as often as it changes, and probes new media files."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from mediacrawl.base.format import plural
from mediacrawl.base.terms import Drop, End, Evidence, Kind, Outcome
from mediacrawl.base.visit import VISIT, Visit
from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.arguments import Argument, ArgumentError, check_contact, read_source, switch, whole
from mediacrawl.crawl.headers import header, headers
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.polled_sources import PollPolicy, Source, Sources
from mediacrawl.extract import Listing, parse_list, recognize_list
from mediacrawl.politeness.caching import conditional_headers, lifetime, usable_validator
from mediacrawl.reading.list_reader import PollReader, shown
from mediacrawl.reading.reader import Reader
from mediacrawl.record import MediaItem
from mediacrawl.scope import Spelling, canonical, spelling
from mediacrawl.scope.candidates import candidate, parse_seeds
from mediacrawl.spiders.base import OwnFrontierSpider

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings

_VIA = "poll"
_AT_ONCE = 100
"""Sources that are added to the frontier at a time."""
_LOOK = 1.0
"""Seconds between two checks for due sources."""
_GONE = 410
_PERMANENT = frozenset({301, 308})


@dataclass(slots=True)
class _Poll:
    """The response to a poll, until its visit ends.

    Attributes:
        etag, modified: its validators.
        life: seconds of freshness by its headers (RFC 9111).
        listing: its content; None if it was not read.
    """

    etag: str
    modified: str
    life: float
    listing: Listing | None = None


@dataclass(frozen=True, slots=True)
class FeedsArguments:
    """The arguments of the spider.

    Attributes:
        urls: sources, as they are requested; none for those of the earlier run.
        problems: one sentence for each line that could not be used.
        rounds: end after so many; 0 for never.
        fresh: delete the known sources.
    """

    urls: tuple[str, ...]
    problems: tuple[str, ...]
    rounds: int
    fresh: bool

    @classmethod
    def read(cls, feeds: str = "", rounds: str = "", fresh: str = "") -> Self:
        """Read the arguments of the command line.

        Raises:
            ArgumentError: one of them cannot be used.
        """
        urls: list[str] = []
        problems: list[str] = []
        if feeds.strip():
            text, where = read_source(feeds.strip(), "feeds")
            found = recognize_list(text, most=len(text))
            if where != "feeds" and found.form == "opml":
                for link in parse_list("opml", found.text, "").links:
                    url = spelling(link.href)
                    urls += [url.requested] if url else []
                    problems += [] if url else [f"{where}: no URL of http or https: {link.href[:200]!r}"]
            else:
                seeds, problems = parse_seeds(text, where)
                urls = [url for _, url in seeds]
            if not urls:
                why = f": {problems[0]}" if problems else ""
                raise ArgumentError(f"no feed can be used in {feeds[:200]!r}{why}")
        unique = tuple(dict.fromkeys(urls))
        return cls(unique, tuple(dict.fromkeys(problems)), whole("rounds", rounds), switch("fresh", fresh))


class FeedsSpider(OwnFrontierSpider[Sources]):
    """Polls feeds, sitemaps and playlists, and probes the media files that they newly name.

    A poll is a visit, to which robots.txt, NeverCrawl lists and delays apply. Its request is conditional
    (``If-None-Match``, ``If-Modified-Since``), so an unchanged source costs one visit and is not parsed. The interval
    between polls is estimated from the changes of the source (`crawl.polled_sources`), and is at least what the
    source asks for (``ttl``, ``sy:updatePeriod``, ``Cache-Control``). A source that is gone (410) is logged and polled
    no more. After a permanent redirect the new URL is polled. The interval of a source that fails grows.

    The frontier is its own (``feeds/frontier.db``, see `OwnFrontierSpider`), and so is the file of the sources
    (`crawl.polled_sources.Sources`). The same command resumes an interrupted run.

    Stats: ``feeds/polled``, ``feeds/changed``, ``feeds/unchanged``, ``feeds/not_modified`` (304), ``feeds/failed``,
    ``feeds/gone``.

    `takes` has its arguments (``-a name=value``).
    """

    name = "feeds"
    folder = "feeds"
    state_file = Sources
    arguments: FeedsArguments
    takes = (
        Argument(
            "feeds",
            "FILE or URLs",
            "the sources: a file (one URL a line, or OPML), pkg:PACKAGE/FILE, or URLs or domains separated by comma."
            " Without it the sources of the earlier run.",
        ),
        Argument(
            "rounds",
            "N",
            "end when every source that is due was polled N times; 1 for a scheduled job. Without it the spider never"
            " ends.",
            partial(whole, "rounds"),
        ),
        Argument(
            "fresh",
            "1",
            "delete the file of the sources, and the frontier.",
            partial(switch, "fresh"),
        ),
    )

    def __init__(self, arguments: FeedsArguments, crawler: Crawler, **kwargs: Any) -> None:
        super().__init__(arguments, crawler, **kwargs)
        get = OwnSettings(crawler.settings).getfloat
        self._policy = PollPolicy(least=get("FEEDS_MIN_INTERVAL"), most=get("FEEDS_MAX_INTERVAL"))
        self._polls: dict[int, _Poll] = {}
        self._out: set[str] = set()
        self._done: Counter[str] = Counter()

    @classmethod
    def read_arguments(cls, settings: BaseSettings, **given: str) -> FeedsArguments:
        """Read the arguments of the command line, see `takes`."""
        arguments = FeedsArguments.read(**given)
        check_contact(settings, arguments.urls)
        own = cls.own_folder(settings)
        if not arguments.urls and not (own / Sources.name).exists():
            where = own.resolve()
            raise ArgumentError(f"no feeds are given and none are known in {where}; start with -a feeds=list.txt")
        return arguments

    # -- start -----------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if self.arguments.urls:
            self.file.listing(self.arguments.urls)
        check_contact(self.crawler.settings, self.file.polled())
        # Polls of an earlier run: sources that are still due are added again.
        for site in self._waiting_sites():
            self.scheduler.frontier.drop(site, Drop.PRUNED, lambda url: "#" in url)

    @property
    def reader(self) -> Reader:
        """The reader of lists and media files; pages are not read."""
        if self._reader is None:
            super().reader.lists = PollReader(self._context, self.scheduler, self.scope, self._read_list)
        assert self._reader is not None
        return self._reader

    async def _work(self) -> None:
        for problem in self.arguments.problems[:20]:
            self.logger.warning("Left out: %s", problem)
        due = {source.url for source in self.file.due(self._context.clock.now(), -1)}
        polled = self.file.polled()
        # The first round of sources that are not due is over.
        self._done.update(url for url in polled if url not in due)
        self.logger.info("%s, %d of them due", plural(len(polled), "source"), len(due))
        while not self._is_over():
            self._poll()
            await asyncio.sleep(_LOOK)

    def _is_over(self) -> bool:
        rounds, polled = self.arguments.rounds, self.file.polled()
        if scrapy_internals.is_closing(self.crawler.engine) or not polled:
            return True
        if not rounds:
            return False
        left = [url for url in polled if self._done[url] < rounds]
        # Polls on a site that rests are left for the next run.
        return not left or (self._out.issuperset(left) and not self.scheduler.frontier.pending())

    def _poll(self) -> None:
        now, found = self._context.clock.now(), []
        for source in self.file.due(now, _AT_ONCE + len(self._out)):
            rounds = self.arguments.rounds
            if source.url in self._out or (rounds and self._done[source.url] >= rounds):
                continue
            evidence = Evidence(_VIA, requested_url=source.url)
            url = Spelling(f"{canonical(source.asked) or source.url}#{now:.3f}", source.asked)
            known = candidate(url, evidence, self._context.scores, Kind.LIST)
            if why := self._why_not(source, known.site):
                source.failed(now, self._policy)
                self.logger.info("%s is not polled (%s)", source.url, why)
                self._settle(source)
                continue
            self._out.add(source.url)
            found.append(known)
        if found:
            self._add(found)

    def _why_not(self, source: Source, site: str) -> str:
        reason = self.scope.check(canonical(source.asked) or source.url)
        if reason is not None:
            self.crawler.stats.inc_value(f"drop/{reason}")
            return str(reason)
        return "left alone" if self._is_left_alone(site) else ""

    # -- requests and responses ------------------------------------------------------------------------------

    def make_request(self, visit: Visit) -> Request:
        """Return the request of a lease; that of a poll is conditional."""
        source, request = self._source(visit), super().make_request(visit)
        if source is not None and visit.fetch.url == source.asked:
            request.headers.update(conditional_headers(source.etag, source.modified))
        return request

    async def parse(self, response: Response, **_: Any) -> list[MediaItem] | None:
        """Read a response; an unchanged list is not read."""
        visit: Visit = response.meta[VISIT]
        source = self._source(visit)
        if source is not None and visit.fetch.kind is not Kind.ROBOTS:
            visit.receive(response.status)
            self._polls[visit.lease.id] = self._poll_of(visit, response)
            if response.status == 304:
                visit.decision.outcome = Outcome(End.DONE)
            elif visit.decision.outcome is not None:
                self._follow(visit, response, source)
        return await self.parsed(response)

    def _poll_of(self, visit: Visit, response: Response) -> _Poll:
        control = ",".join(headers(response, "Cache-Control"))
        expires, date, age = (header(response, name) for name in ("Expires", "Date", "Age"))
        life = lifetime(control, expires, date, age, self._context.clock.now())
        etag, modified = (usable_validator(header(response, name)) for name in ("ETag", "Last-Modified"))
        if visit.fetch.broke_off:
            # With validators the rest would never be sent.
            etag = modified = ""
        return _Poll(etag, modified, life or 0.0)

    def _read_list(self, visit: Visit, listing: Listing) -> None:
        if visit.lease.id in self._polls:
            self._polls[visit.lease.id].listing = listing

    def _follow(self, visit: Visit, response: Response, source: Source) -> None:
        """Poll the target of a redirect, even if it is a known URL."""
        mark = f"{visit.lease.url.partition('#')[2]}.{visit.lease.hops}"
        is_own = visit.fetch.url == source.asked
        found = [replace(each, url=f"{each.url}#{mark}", requested=each.request_url) for each in visit.decision.found]
        visit.decision.found = found
        if response.status in _PERMANENT and found and is_own:
            source.location = found[0].request_url
            source.etag = source.modified = ""
            self.file.save(source)

    def _source(self, visit: Visit) -> Source | None:
        evidence = visit.lease.evidence
        return self.file.get(evidence.requested_url) if evidence.via == _VIA else None

    # -- results of polls ------------------------------------------------------------------------------------

    def _note_end(self, visit: Visit, outcome: Outcome) -> None:
        poll, source = self._polls.pop(visit.lease.id, None), self._source(visit)
        # A redirect that is followed: the poll continues with its target.
        followed = 300 <= visit.fetch.status < 400 and visit.fetch.status != 304 and visit.decision.found
        if source is not None and outcome.end in {End.DONE, End.DROPPED} and not followed:
            self._end(source, visit, outcome, poll)

    def _end(self, source: Source, visit: Visit, outcome: Outcome, poll: _Poll | None) -> None:
        count = self.crawler.stats.inc_value
        count("feeds/polled")
        if outcome.end is End.DONE and poll is not None and (poll.listing is not None or visit.fetch.status == 304):
            # The new links must be durable before the validators are: with those the server does not send the list
            # again.
            self.scheduler.commit()
            self._learn(source, visit, poll)
        elif visit.fetch.status == _GONE:
            source.gone = str(_GONE)
            count("feeds/gone")
            self.logger.warning("%s is gone (%d); it is polled no more", source.url, _GONE)
        else:
            count("feeds/failed")
            source.failed(self._context.clock.now(), self._policy)
            why = outcome.reason or f"status {visit.fetch.status}"
            self.logger.info("%s could not be fetched (%s), %d in a row", source.url, why, source.failures)
        self._settle(source)

    def _learn(self, source: Source, visit: Visit, poll: _Poll) -> None:
        listing, count = poll.listing, self.crawler.stats.inc_value
        if listing is None:
            count("feeds/not_modified")
        else:
            source.title, source.hub = listing.title, listing.hub
            is_own = visit.fetch.url == source.asked
            source.etag, source.modified = (poll.etag, poll.modified) if is_own else ("", "")
            source.wait = listing.wait
            if listing.form == "opml":
                urls = [spelling(link.href) for link in listing.links]
                added = self.file.add(Source.of(url, source.url) for url in urls if url)
                self.logger.info("%s names %s, %d of them new", source.url, plural(len(urls), "source"), added)
        now = self._context.clock.now()
        changed = source.answered(shown(listing) if listing else None, now, self._policy, poll.life)
        count("feeds/changed" if changed else "feeds/unchanged")

    def _settle(self, source: Source) -> None:
        self._out.discard(source.url)
        self._done[source.url] += 1
        self.file.save(source)
