"""Stores each item in the catalogue as it comes."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.crawler import Crawler
from scrapy.statscollectors import StatsCollector

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.housekeeping import refuse_start
from mediacrawl.crawl.own_settings import catalogue_path
from mediacrawl.record import Description, MediaItem
from mediacrawl.store import Catalogue, StoreError, UpsertOutcome, json_line

logger = logging.getLogger(__name__)

_MOST_WAITING = 10_000
"""Files without a record whose descriptions are kept; of more the oldest are forgotten."""
_MOST_CHARACTERS = 10_000_000
"""Characters of all these descriptions: one of some facts has a thousand, a hostile one fifty thousand."""
_MOST_EARLY = 3
"""Descriptions of one such file that are kept."""


class CataloguePipeline:
    """Stores items in ``media.db`` and passes them on unchanged.

    Takes any item with a ``content_url`` that is a text: ours, dicts, dataclasses, ``scrapy.Item``, attrs, pydantic.
    Others pass untouched. Works in any project; the one setting is ``MEDIACRAWL_DB``. An item is stored when
    `process_item` returns (for what that is worth see `store.Catalogue`); this waits for the disk, 0.2 ms on a
    good one, and no other request is handled meanwhile.

    What a second page or list says of a known file is added to its record (`describe`). If the file still waits to be
    requested, it is kept in memory until there is a record: for 10,000 files and 10 million characters at most. A kill
    loses it.

    Stats: ``catalogue/new``, ``catalogue/updated`` (known before this crawl), ``catalogue/again`` (stored in this crawl
    before), ``catalogue/skipped`` (no ``content_url``), ``catalogue/error``, ``catalogue/described`` (a second page or
    list added something to a record).
    """

    def __init__(self, path: Path, stats: StatsCollector, context: CrawlContext) -> None:
        self._path = path
        self._stats = stats
        self._context = context
        self._catalogue: Catalogue | None = None
        self._early: OrderedDict[str, list[Description]] = OrderedDict()
        self._characters = 0

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Read the settings."""
        assert crawler.stats is not None
        context = CrawlContext.of(crawler)
        pipeline = cls(catalogue_path(crawler.settings), crawler.stats, context)
        context.describe = pipeline.describe
        return pipeline

    def open_spider(self) -> Coroutine[Any, Any, None] | None:
        """Open the catalogue; a crawl whose records cannot be stored does not begin."""
        try:
            self._catalogue = Catalogue(self._path, began=self._context.earlier.first_began)
        except StoreError as error:
            logger.critical("%s", error)
            return refuse_start("catalogue_error")
        return None

    def process_item(self, item: Any) -> Any:
        """Store the item.

        Raises:
            StoreError: it could not be stored. The whole item is in the log as one line of JSON, so that it can be
                stored later.
        """
        record = _record(item)
        if record is None:
            self._stats.inc_value("catalogue/skipped")
            return item
        assert self._catalogue is not None
        try:
            stored = self._catalogue.upsert(record)
        except StoreError as error:
            self._stats.inc_value("catalogue/error")
            logger.critical("%s This item is not stored, keep it from here: %s", error, json_line(dict(record)))
            raise
        self._stats.inc_value(f"catalogue/{stored}")
        if stored is not UpsertOutcome.AGAIN:
            self._context.tally.add(record)
        for told in self._early.pop(str(record.get("id")), ()):
            self._characters -= told.characters
            self.describe(told)
        return item

    def describe(self, told: Description) -> None:
        """Add to the record of a known file what a second page or list says of it, now or when there is a record."""
        if self._catalogue is None:
            return
        try:
            changed = self._catalogue.change(told.record_id, told.added_to)
        except StoreError as error:
            self._stats.inc_value("catalogue/error")
            logger.critical("%s What %s says of %s is not stored.", error, told.page_url, told.url)
            return
        if changed:
            self._stats.inc_value("catalogue/described")
        elif changed is None:
            self._keep(told)

    def _keep(self, told: Description) -> None:
        early = self._early.setdefault(told.record_id, [])
        if len(early) < _MOST_EARLY:
            early.append(told)
            self._characters += told.characters
        while len(self._early) > _MOST_WAITING or self._characters > _MOST_CHARACTERS:
            _, oldest = self._early.popitem(last=False)
            self._characters -= sum(each.characters for each in oldest)

    def close_spider(self) -> None:
        """Close the catalogue."""
        if self._catalogue:
            self._catalogue.close()


def _record(item: Any) -> Mapping[str, Any] | None:
    """Return the item as a mapping; None if there is nothing to store it by."""
    if isinstance(item, MediaItem):
        # The short way for our own: itemadapter would copy each tag.
        record: Mapping[str, Any] = {name: getattr(item, name) for name in MediaItem.__slots__}
    elif ItemAdapter.is_item(item):
        record = ItemAdapter(item).asdict()
    else:
        return None
    url = record.get("content_url")
    return record if isinstance(url, str) and url else None
