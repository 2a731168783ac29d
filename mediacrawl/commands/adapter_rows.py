"""``scrapy frontier why`` for pages and data requests of site adapters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.files import locate
from mediacrawl.frontier.sqlite.reader import FrontierReader, UrlStatus
from mediacrawl.scope.canonical import canonical
from mediacrawl.scope.sites import site_of
from mediacrawl.site_adapters.counts import NAMESPACE, AdapterCounts
from mediacrawl.site_adapters.explaining import data_url, marked, page_in_words, request_in_words
from mediacrawl.site_adapters.queued import LINK_CLASS, QueuedRequest
from mediacrawl.site_adapters.registry import SiteAdapters

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from mediacrawl.frontier.redis.reader import RedisReader
    from mediacrawl.site_adapters.form import SiteAdapter

_LOOKED_AT = 100_000
"""Waiting URLs of a site among which a data request is looked for."""


class AdapterRows:
    """Finds what site adapters have to do with a URL."""

    def __init__(self, settings: BaseSettings, reader: FrontierReader | RedisReader) -> None:
        folder = OwnSettings(settings).getstr("ADAPTERS_DIR")
        self._adapters = SiteAdapters.load(locate(folder)) if folder else SiteAdapters()
        self._reader = reader

    def where(self, url: str) -> UrlStatus | None:
        """Return where the data request for a URL is; None if there is none that is known."""
        site = site_of(url)
        for adapter in self._adapters:
            found = self._reader.where(marked(url, adapter), site, LINK_CLASS)
            if found.known:
                return found
        # One of a chain has a mark that its slots are in.
        for each in islice(self._reader.waiting(site) if len(self._adapters) else (), _LOOKED_AT):
            if each.url.partition("#")[0] == url and QueuedRequest.of(each.evidence) is not None:
                return self._reader.where(each.url, site, each.link_class)
        return None

    def rows(self, url: str, where: UrlStatus) -> Iterator[tuple[str, str]]:
        """Return what is to be told of a URL: as a page of an adapter, and as a data request.

        Args:
            url: of the page or of the data request, as it is requested.
            where: it is.
        """
        found = self._adapters.match(url)
        if found is not None:
            yield "adapter", page_in_words(*found, self._counts(found[0]))
            data, mark = data_url(*found)
            key = canonical(data) if data else None
            if key is not None:
                yield "its data", _state(self._reader.where(f"{key}#{mark}", site_of(key), LINK_CLASS))
        queued = QueuedRequest.of(where.candidate.evidence) if where.candidate is not None else None
        if queued is not None and where.candidate is not None:
            adapter = self._adapters.named(queued.adapter)
            counts = self._counts(adapter) if adapter is not None else AdapterCounts()
            yield "data request", request_in_words(queued, where.candidate.parent, adapter, counts)

    def _counts(self, adapter: SiteAdapter) -> AdapterCounts:
        return AdapterCounts.load(self._reader.note(NAMESPACE, adapter.name), adapter.digest)


def _state(where: UrlStatus) -> str:
    if not where.known:
        return "not asked for yet"
    if where.candidate is None:
        return f"the request has ended: {where.end}" if where.end else "the request has ended"
    return "the request is out" if where.leased else "the request waits"
