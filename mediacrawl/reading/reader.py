"""Reads responses: pages and feeds with `extract`, media files with `probe`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from mediacrawl.base.facts import pack
from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Limit, Outcome, Trouble
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.data_requests import PageWords
from mediacrawl.crawl.headers import header, headers
from mediacrawl.crawl.interfaces import LeaseHolder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.extract import (
    Page,
    file_facts,
    fingerprint,
    is_open_directory,
    link_header,
    parse_page,
    without_steering,
)
from mediacrawl.extract.charset import header_charset
from mediacrawl.extract.content_type import is_media
from mediacrawl.politeness.delay import after_cut, after_status
from mediacrawl.politeness.robots import RobotsDirectives, directives_of
from mediacrawl.priority import Scores
from mediacrawl.priority.revisits import is_revisit
from mediacrawl.reading.adapter_reader import AdapterReader
from mediacrawl.reading.file_reader import FileReader, streams
from mediacrawl.reading.list_reader import DocumentEncodings, ListReader
from mediacrawl.reading.page_media import PageMedia, players_within
from mediacrawl.reading.response import Recognized, ResponseKind, recognize
from mediacrawl.record import MediaItem
from mediacrawl.scope import Scope, Spelling, candidates, canonical
from mediacrawl.scope.duplicates import is_named_copy, of_a_copy
from mediacrawl.scope.urls import MEDIA_EXTENSIONS, extension_of, kind_of

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

_ENDINGS = frozenset(f".{ending}"[-3:] for extension in MEDIA_EXTENSIONS for ending in (extension, extension.upper()))
"""Last three characters of references to media; comparing them is faster than finding the extension."""
_NOWHERE = "http://"
"""An invalid URL, in place of references whose base is invalid."""
_FRAMES = frozenset({"iframe", "frame", "embed", "object", "player"})
_PLAYERS = frozenset(
    {
        *("audio", "video", "source", "data-src", "og:audio", "og:video", "twitter:player:stream", "enclosure"),
        *("json-ld", "microdata", "script"),
    }
)


Records = list[MediaItem] | Coroutine[Any, Any, list[MediaItem]]
"""Records, or a coroutine that returns them. Scrapy makes a task of each coroutine, which is too slow for every
page."""


class Reader:
    """Reads responses. The outcome and the found links are written into the visit.

    Stats: ``page/read``, ``page/cut`` (links beyond those that are kept of one page), ``page/tags_cut`` and
    ``page/anchors_cut`` (see `extract.Page`), ``page/media``, ``page/standing_alone`` (records without a file),
    ``page/named_copy``, ``page/noindex``, ``page/encoding/<who decided>`` (see `DocumentEncodings`), ``drop/<reason>``.

    Args:
        context: what the components of this crawl share.
        scheduler: its frontier knows which links are new.
        scope: decides whether a link is accepted.
        stats: the crawl's.
        follows: whether pages and feeds are read for their links; otherwise one in place of a media file is dropped.
    """

    def __init__(
        self,
        context: CrawlContext,
        scheduler: LeaseHolder,
        scope: Scope,
        stats: StatsCollector,
        *,
        follows: bool = True,
    ) -> None:
        self._context = context
        self._scheduler = scheduler
        self._scope = scope
        self._follows = follows
        self._encodings = DocumentEncodings(context.encodings, scheduler.count)
        self._duplicates = context.duplicates
        self._scores = context.scores
        self.files = FileReader(context, stats)
        """The reader of media files."""
        self.lists = ListReader(context, scheduler, scope, follows=follows)
        """The reader of feeds, sitemaps and playlists; a spider may replace it."""
        self._data = AdapterReader(context, scheduler, scope)
        self._attempts = context.policy.attempts
        self._clock = context.clock
        own = OwnSettings(context.settings)
        self._page_bytes, self._list_bytes = own.getint("PAGE_MAX_BYTES"), own.getint("LIST_MAX_BYTES")
        self._token = own.getstr("ROBOTS_TOKEN")

    def read(self, visit: Visit, response: Response) -> Records:
        """Read a response: links are written into the visit, records are returned.

        Pages are read at once; for files and lists, which are read in a thread, a coroutine is returned.
        """
        lease, fetch = visit.lease, visit.fetch
        refuses_range = response.status == 416 and fetch.range_bytes > 0
        if not lease.state and not refuses_range:
            ended = after_status(response.status, lease, self._attempts)
            if ended is not None:
                visit.decision.outcome = ended
                return []
        found = recognize(
            fetch.kind,
            lease.evidence.via,
            response.url,
            partial(header, response),
            response.body,
            streams=streams(response),
            probing=bool(lease.state) or refuses_range,
            list_bytes=self._list_bytes,
        )
        if found.kind is ResponseKind.STREAM or refuses_range:
            return self._read_file(visit, response, found)
        visit.decision.outcome = self._ending(visit)
        if found.kind is ResponseKind.DATA:
            return self._read_data(visit, response)
        if found.form and (self.lists.follows or found.kind is ResponseKind.MANIFEST):
            return self.lists.read(visit, response, found)
        if found.kind is ResponseKind.MEDIA or (found.form and fetch.kind is Kind.MEDIA):
            # Of a file whose first range broke off nothing is kept: its first bytes decide what it is.
            again = visit.decision.trouble is Trouble.CUT and not lease.state
            return [] if again else self._read_file(visit, response, found)
        if found.kind is ResponseKind.PAGE and self._follows:
            return self._read_page(visit, response)
        if visit.decision.trouble is not Trouble.CUT or not self._follows:
            # Of a body that broke off too little may have been received to recognize it.
            visit.drop(Drop.CONTENT_TYPE)
        return []

    def _ending(self, visit: Visit) -> Outcome:
        """Return the outcome of a page or a list that can be read."""
        outcome = after_cut(visit.lease, self._attempts) if visit.fetch.broke_off else Outcome(End.DONE)
        if outcome.end is End.AGAIN:
            visit.decision.trouble = Trouble.CUT
        return outcome

    async def _read_file(self, visit: Visit, response: Response, found: Recognized) -> list[MediaItem]:
        item = await self.files.read(visit, response, streams=found.kind is ResponseKind.STREAM)
        return [] if item is None else [item]

    async def _read_data(self, visit: Visit, response: Response) -> list[MediaItem]:
        await self._data.read(visit, response)
        return []

    def _read_page(self, visit: Visit, response: Response) -> list[MediaItem]:
        page = self._parse_page(visit, response)
        scheduler = self._scheduler
        scheduler.count("page/read")
        # A page that will be requested again gives its links, so that none is lost; records and duplicates follow then.
        again = visit.decision.trouble is Trouble.CUT
        reason = None if again else self._duplicate_of(visit, page)
        if reason is not None:
            visit.drop(reason)
            if reason is not Drop.NEAR_DUPLICATE:
                return []
        is_directory = is_open_directory(page)
        if is_directory:
            links = without_steering(page)
            self._count(Counter({Drop.INDEX_LINK: len(page.links) - len(links)}))
            page.links = links
        # References relative to a base that is too long are invalid.
        hrefs = [link.href if page.base or link.href[:4] == "http" else _NOWHERE for link in page.links]
        recent, depth = scheduler.frontier.recent, visit.lease.depth + 1
        base, own, declared = page.base or response.url, visit.lease.key, partial(_is_declared, page)
        accepted, drops = self._scope.sift(base, hrefs, depth, recent, page.charset, own=own, declared=declared)
        drops[Drop.TEMPLATE] += page.in_templates
        fresh, repeated = self._duplicates.sift(visit.lease.url, accepted, scheduler.frontier.unknown)
        if reason is Drop.NEAR_DUPLICATE:
            fresh = self._of_near_copy(visit, page, fresh)
        directives = directives_of([*headers(response, "X-Robots-Tag"), *page.robots], self._token)
        media = PageMedia(page, visit.lease, self._scope) if self._may_store(directives) else None
        if directives.nofollow:
            drops[Drop.NOFOLLOW] += len(fresh)
        else:
            self._queue_links(visit, page, fresh, media, is_directory=is_directory)
        self._count(drops + repeated)
        self._count_page(page)
        if page.cut or page.tags_cut or page.anchors_cut or drops[Drop.LONG_BASE] or not page.base:
            visit.decision.limits.add(Limit.LINKS)
        if not (directives.nofollow or again):
            words = PageWords(page.title, page.language) if media else PageWords(listed=False)
            self._data.read_page(visit, response, words)
        if media is None or reason is not None or again:
            return []
        items = self._players(visit, media)
        self._describe(media, fresh)
        if not directives.nofollow:
            self._queue_oembed(visit, page, media)
        return items

    def _parse_page(self, visit: Visit, response: Response) -> Page:
        own_url = link_header(headers(response, "Link"), "canonical")
        body = response.body[: self._page_bytes]
        if len(response.body) > len(body):
            visit.decision.limits.add(Limit.PAGE)
        visit.decision.parsed_bytes = len(body)
        charset = header_charset(header(response, "Content-Type"))
        history = self._encodings.of(response.url)
        refresh = header(response, "Refresh")
        page = parse_page(body, response.url, charset, self._token, canonical=own_url, refresh=refresh, history=history)
        self._encodings.note(response.url, "page", page.reading, page.language)
        return page

    def _players(self, visit: Visit, media: PageMedia) -> list[MediaItem]:
        """Return the records of players without a file, as many as the page's length allows."""
        named = media.items()
        items = players_within(named, visit.decision.parsed_bytes, visit.fetch.bytes)
        if items:
            self._scheduler.count("page/standing_alone", len(items))
        if len(named) > len(items):
            self._scheduler.count("page/standing_alone_dropped", len(named) - len(items))
        return items

    def _describe(self, media: PageMedia, fresh: list[tuple[int, Spelling]]) -> None:
        """Adds what the page says of known files to their records."""
        if self._context.describe is not None:
            for told in media.of_known(url.key for _, url in fresh):
                self._context.describe(told)

    def _queue_oembed(self, visit: Visit, page: Page, media: PageMedia) -> None:
        """Queue the page's oEmbed URL, if it is worth a request: the first one that is accepted."""
        evidence = media.oembed_evidence()
        if evidence is None:
            return
        lease, frontier = visit.lease, self._scheduler.frontier
        accepted, drops = self._scope.sift(page.base, page.oembed, lease.depth + 1, frontier.recent, page.charset)
        fresh, repeated = self._duplicates.sift(lease.url, accepted, frontier.unknown)
        for _, url in fresh[:1]:
            found = candidates.candidate(
                url, evidence, self._scores, Kind.LIST, depth=lease.depth + 1, parent=lease.request_url
            )
            visit.decision.found.append(found)
        self._count(drops + repeated)

    def _duplicate_of(self, visit: Visit, page: Page) -> Drop | None:
        """Why the page's links are not followed, or not all: it is a copy of another page."""
        if is_revisit(visit.lease) or self._data.is_mapped(visit):
            # A revisited page was compared at its first visit; those that it would be compared with are of another day.
            # Pages of a site adapter are alike without their scripts, and nothing may be learned from that.
            return None
        lease, thin = visit.lease, self._duplicates.policy.thin_text
        media = _media(page)
        if visit.fetch.kind is Kind.MEDIA:
            name = lease.url.partition("?")[0].rpartition("/")[2]
            shown = fingerprint(page, media, thin=thin, without=(name, unquote(name)) if name else ())
            if reason := self._duplicates.judge_stand_in(lease.site, shown):
                return reason
        return self._duplicates.judge(lease.site, lease.url, fingerprint(page, media, thin=thin))

    def _of_near_copy(self, visit: Visit, page: Page, fresh: list[tuple[int, Spelling]]) -> list[tuple[int, Spelling]]:
        """Return the links of a near copy that are followed."""
        original = canonical(page.canonical) if page.canonical else None
        if original is not None and is_named_copy(visit.lease.url, original):
            self._scheduler.count("page/named_copy")
            return of_a_copy(fresh, original)
        return self._duplicates.leading_on(visit.lease.site, fresh)

    def _may_store(self, directives: RobotsDirectives) -> bool:
        """Whether words of a page may be stored in records."""
        if not directives.unlisted(self._clock.now()):
            return True
        self._scheduler.count("page/noindex")
        return False

    def _count(self, drops: Counter[Drop]) -> None:
        for reason, number in (+drops).items():
            self._scheduler.count(f"drop/{reason}", number)

    def _count_page(self, page: Page) -> None:
        """Count the media of a page, and what was cut."""
        cut = [("cut", page.cut), ("tags_cut", page.tags_cut), ("anchors_cut", page.anchors_cut)]
        for name, number in [("media", len(page.media)), *cut]:
            if number:
                self._scheduler.count(f"page/{name}", number)

    def _queue_links(
        self,
        visit: Visit,
        page: Page,
        fresh: list[tuple[int, Spelling]],
        media: PageMedia | None,
        *,
        is_directory: bool,
    ) -> None:
        """Queue links with the page's facts about them; without facts if its words may not be stored."""
        for place, url in fresh:
            link = page.links[place]
            if page.nofollow(link):
                self._scheduler.count(f"drop/{Drop.NOFOLLOW}")
                self._scope.examples.setdefault(Drop.NOFOLLOW, url.key)
                continue
            facts = media.facts(link.href, url.key, link.via) if media else ""
            if is_directory and media and not facts and kind_of(url.key) is Kind.MEDIA:
                facts = pack(file_facts(link))
            evidence = Evidence(
                link.via,
                page.anchor(link) if media else "",
                page.title if media else "",
                page_language=page.language,
                page_charset=page.reading,
                facts=facts,
                path=page.path(link),
            )
            visit.decision.found.append(candidate(url, evidence, self._scores, visit))

    async def without_range(self, visit: Visit, why: str) -> MediaItem | None:
        """Handle a failed range, see `FileReader.without_range`."""
        return await self.files.without_range(visit, why)


def candidate(url: str | Spelling, evidence: Evidence, scores: Scores, visit: Visit | None = None) -> Candidate:
    """Return a URL that was found on the page of a visit, or a seed."""
    kind = Kind.MEDIA if evidence.via in _PLAYERS else Kind.LIST if evidence.via == "feed" else None
    if visit is None:
        return candidates.candidate(url, evidence, scores, kind)
    lease = visit.lease
    return candidates.candidate(url, evidence, scores, kind, depth=lease.depth + 1, parent=lease.request_url)


def _is_declared(page: Page, place: int) -> bool:
    """Whether the page declares a link as a feed or as media by its type, so that its ending does not count."""
    link = page.links[place]
    return link.via == "feed" or is_media(page.media_type(link))


def _media(page: Page) -> list[str]:
    """Return the references of a page to media, verbatim; one with a fragment may be missed.

    Frames and players count, too: in a series of pages they may be the only difference.
    """
    return [
        href
        for href, via, _ in page.links
        if (("?" in href or href[-3:] in _ENDINGS) and extension_of(href) in MEDIA_EXTENSIONS)
        or (via != "a" and (via in _PLAYERS or via in _FRAMES))
    ]
