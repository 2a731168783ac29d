"""Decides what a response is, and hands it to the one reader of what it is."""

from __future__ import annotations

from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from mediacrawl.base.terms import Drop, End, Kind, Outcome, Trouble
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.headers import header
from mediacrawl.crawl.interfaces import LeaseHolder
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.politeness.delay import after_cut, after_status
from mediacrawl.reading.adapter_reader import AdapterReader
from mediacrawl.reading.file_reader import FileReader
from mediacrawl.reading.list_reader import ListReader
from mediacrawl.reading.page_reader import PageReader
from mediacrawl.reading.response import ResponseKind, is_stream, recognize
from mediacrawl.record import MediaItem
from mediacrawl.scope import Scope

if TYPE_CHECKING:
    from scrapy.http import Response
    from scrapy.statscollectors import StatsCollector

Records = list[MediaItem] | Coroutine[Any, Any, list[MediaItem]]
"""Records, or a coroutine that returns them. Scrapy makes a task of each coroutine, which is too slow for every
page."""


class Reader:
    """Reads responses. The outcome and the found links are written into the visit.

    `response.recognize` decides what a response is. Then one reader reads it: `PageReader`, `ListReader`, `FileReader`
    for media and streams, or `AdapterReader` for the answer to a data request.

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
        self._follows = follows
        self.files = FileReader(context, stats)
        """The reader of media files."""
        self.lists = ListReader(context, scheduler, scope, follows=follows)
        """The reader of feeds, sitemaps and playlists; a spider may replace it."""
        self._data = AdapterReader(context, scheduler, scope)
        self._pages = PageReader(context, scheduler, scope, self._data)
        self._attempts = context.policy.attempts
        self._list_bytes = OwnSettings(context.settings).getint("LIST_MAX_BYTES")

    def read(self, visit: Visit, response: Response) -> Records:
        """Read a response: links are written into the visit, records are returned.

        Pages are read at once; for files and lists, which are read in a thread, a coroutine is returned.
        """
        lease, fetch, decision = visit.lease, visit.fetch, visit.decision
        refuses_range = response.status == 416 and fetch.range_bytes > 0
        if not lease.state and not refuses_range and response.status != 200:
            ended = after_status(response.status, lease, self._attempts)
            if ended is not None:
                decision.outcome = ended
                return []
        found = recognize(
            fetch.kind,
            lease.evidence.via,
            response.url,
            partial(header, response),
            response.body,
            streams=is_stream(response),
            probing=bool(lease.state) or refuses_range,
            list_bytes=self._list_bytes,
        )
        if found.kind is ResponseKind.STREAM or refuses_range:
            return self._read_file(visit, response, streams=found.kind is ResponseKind.STREAM)
        # Of a page or a list that can be read; a file's own reader decides once more.
        decision.outcome = after_cut(lease, self._attempts) if fetch.broke_off else Outcome(End.DONE)
        if decision.outcome.end is End.AGAIN:
            decision.trouble = Trouble.CUT
        if found.kind is ResponseKind.PAGE and self._follows:
            return self._pages.read(visit, response)
        if found.kind is ResponseKind.DATA:
            return self._read_data(visit, response)
        if found.form and (self.lists.follows or found.kind is ResponseKind.MANIFEST):
            return self.lists.read(visit, response, found)
        if found.kind is ResponseKind.MEDIA or (found.form and fetch.kind is Kind.MEDIA):
            # Of a file whose first range broke off nothing is kept: its first bytes decide what it is.
            again = decision.trouble is Trouble.CUT and not lease.state
            return [] if again else self._read_file(visit, response, streams=False)
        if decision.trouble is not Trouble.CUT or not self._follows:
            # Of a body that broke off too little may have been received to recognize it.
            visit.drop(Drop.CONTENT_TYPE)
        return []

    async def _read_file(self, visit: Visit, response: Response, *, streams: bool) -> list[MediaItem]:
        item = await self.files.read(visit, response, streams=streams)
        return [] if item is None else [item]

    async def _read_data(self, visit: Visit, response: Response) -> list[MediaItem]:
        await self._data.read(visit, response)
        return []

    async def without_range(self, visit: Visit, why: str) -> MediaItem | None:
        """Handle a failed range, see `FileReader.without_range`."""
        return await self.files.without_range(visit, why)
