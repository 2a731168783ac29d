"""Serves metrics, health and the report of the crawl on ``METRICS_PORT``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals
from scrapy.exceptions import NotConfigured

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.crawl.context import CrawlContext

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

    from mediacrawl.report.server import MetricsServer

logger = logging.getLogger(__name__)


class MetricsPort:
    """Starts a `MetricsServer` if ``METRICS_PORT`` is set. It needs `StatusFile`, whose files it reads.

    A port that cannot be had is an error in the log; the crawl goes on. Settings: ``METRICS_PORT``, ``METRICS_HOST``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        settings = OwnSettings(crawler.settings)
        self._port, self._host = settings.getint("METRICS_PORT"), settings.getstr("METRICS_HOST")
        if not self._port or not context.leases or not context.keeps_frontier:
            raise NotConfigured
        self._context = context
        self._server: MetricsServer | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        extension = cls(crawler, CrawlContext.of(crawler))
        crawler.signals.connect(extension._opened, signals.spider_opened)
        crawler.signals.connect(extension._stopped, signals.engine_stopped)
        return extension

    def _opened(self) -> None:
        # Importing the report takes 5 MB and 70 ms, and few crawls open a port.
        from mediacrawl.report.server import MetricsServer  # noqa: PLC0415

        try:
            self._server = MetricsServer(self._host, self._port, self._context.frontier_folder)
        except (OSError, ValueError) as error:
            logger.error("No metrics: %s port %d cannot be used: %s", self._host, self._port, error)  # noqa: TRY400
            return
        logger.info("Metrics at %smetrics, the report at %s", self._server.url, self._server.url)

    def _stopped(self) -> None:
        if self._server is not None:
            self._server.close()
