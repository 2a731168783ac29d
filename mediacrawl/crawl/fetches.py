"""Writes the times and failures of downloads into the fetch of their visit.

A time during which this process stood still is no fact about the site, and is not written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy import Request, signals
from twisted.python.failure import Failure

from mediacrawl.crawl import scrapy_internals
from mediacrawl.crawl.failures import error_name, trouble_in
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.crawl.context import CrawlContext


class FetchRecorder:
    """Listens to the downloader's signals."""

    def __init__(self, crawler: Crawler, context: CrawlContext, visit_of: Callable[[Request], Visit | None]) -> None:
        self._crawler = crawler
        self._clock = context.clock
        self._heartbeat = context.heartbeat
        self._timeout = context.settings.getfloat("DOWNLOAD_TIMEOUT", 180.0)
        self._visit_of = visit_of

    def connect(self) -> None:
        """Begin to listen."""
        connect = self._crawler.signals.connect
        connect(self._reached_downloader, signals.request_reached_downloader)
        connect(self._downloaded, signals.response_downloaded)
        connect(self._left_downloader, signals.request_left_downloader)

    def failed(self, visit: Visit, failure: Failure) -> None:
        """Note the exception that ended a request."""
        visit.fetch.error = error_name(failure.value)

    def blame(self, visit: Visit, failure: Failure) -> None:
        """Note the evidence of an exception against the site, unless there is other evidence."""
        if visit.trouble is None:
            visit.fetch.trouble = trouble_in(failure.value)

    def _reached_downloader(self, request: Request) -> None:
        visit = self._visit_of(request)
        if visit is not None and visit.fetch.sent is None:
            visit.fetch.sent = self._clock.now()

    def _downloaded(self, request: Request) -> None:
        visit = self._visit_of(request)
        if visit is not None:
            self._measure(visit, request)

    def _left_downloader(self, request: Request) -> None:
        """A timeout counts as a response time; a connection that is refused at once does not."""
        visit = self._visit_of(request)
        if visit is None or visit.fetch.sent is None or visit.fetch.response_time is not None:
            return
        timeout = request.meta.get("download_timeout") or self._timeout
        if self._clock.now() - visit.fetch.sent >= timeout:
            self._measure(visit, request)

    def _measure(self, visit: Visit, request: Request) -> None:
        fetch = visit.fetch
        if fetch.sent is None or fetch.response_time is not None or self._heartbeat.stood_since(fetch.sent):
            return
        took, since_sent = self._clock.now() - fetch.sent, scrapy_internals.since_sent(self._crawler.engine, request)
        # Scrapy's own delay may have held the request back in the downloader.
        fetch.response_time = took if since_sent is None else min(took, since_sent)
