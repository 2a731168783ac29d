"""Tells the operator when a crawl ends, and when it has found nothing for long."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.defer import deferred_from_coro

from mediacrawl.base.format import elapsed, plural
from mediacrawl.base.notices import NoticeError, send
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.crawl.threads import in_thread
from mediacrawl.log.text import AttachedHandler

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

_INTERVAL = 10.0
"""Seconds between two looks at the time of the last find."""


class Notify(CrawlComponent):
    """Sends a message to ``NOTIFY`` at the end of a crawl, and once when ``NOTIFY_STALL`` seconds brought no record.

    The message of an end has the last critical line of the log, which says what is broken. A stall is told again only
    after a find. A message that cannot be delivered is an error in the log; it is not sent again. Each worker of a
    fleet sends its own. A kill sends nothing: the alert rules in ``deploy/`` see that.

    Stats: ``notify/sent``, ``notify/failed``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        own = OwnSettings(crawler.settings)
        self._target, self._stall = own.getstr("NOTIFY"), own.getfloat("NOTIFY_STALL")
        if not self._target or not context.leases:
            raise NotConfigured
        super().__init__(crawler, context)
        self._interval = min(_INTERVAL, self._stall or _INTERVAL)
        self._last_find = 0.0
        self._folder = ""
        self._is_told = False
        self._critical = _LastCritical()

    def _opened(self) -> None:
        self._last_find = self._context.clock.now()
        self._critical.attach()
        self._folder = str(Path(self._context.frontier_folder).absolute())
        self._repeat(self._interval, self._check)

    def _item_scraped(self) -> None:
        self._last_find, self._is_told = self._context.clock.now(), False

    def _check(self) -> None:
        silent = self._context.clock.now() - self._last_find
        if self._is_told or not self._stall or silent < self._stall:
            return
        self._is_told = True
        deferred_from_coro(self._send("stall", "nothing_found", f"has found nothing for {elapsed(silent)}"))

    async def _closed(self, reason: str) -> None:
        self._critical.detach()
        await self._send("end", reason, f"has ended: {reason}", self._critical.last)

    async def _send(self, event: str, reason: str, what: str, more: str = "") -> None:
        totals = self._context.totals(self._crawler.stats.get_stats())
        counts = {name: getattr(totals, name) for name in ("records", "pages", "requests", "waiting")}
        crawl, folder = self._crawler.spidercls.name, self._folder
        found = f"{plural(totals.records, 'media file')}, {plural(totals.pages, 'page')}"
        asked = f"{plural(totals.requests, 'request')}, {plural(totals.waiting, 'URL')} waiting"
        text = f"mediacrawl: the crawl {crawl} in {folder} {what}. {found}, {asked} (this process)."
        text += more and f" {more}"
        notice = {"event": event, "reason": reason, "text": text, "crawl": crawl, "folder": folder, "counts": counts}
        try:
            await in_thread(send, self._target, notice)
        except NoticeError as error:
            self._crawler.stats.inc_value("notify/failed")
            # The target may hold a password.
            logger.error("The message of NOTIFY was not delivered: %s", error)  # noqa: TRY400 - one line helps
        else:
            self._crawler.stats.inc_value("notify/sent")


class _LastCritical(AttachedHandler):
    """Keeps the last critical message of the log."""

    def __init__(self) -> None:
        super().__init__(logging.CRITICAL)
        self.last = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the message."""
        self.last = record.getMessage()
