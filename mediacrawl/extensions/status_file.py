"""Writes state and stats of the crawl for other programs, and serves its metrics."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl import __version__
from mediacrawl.base.format import in_words
from mediacrawl.base.terms import Outcome
from mediacrawl.base.visit import Visit
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import LeaseSpider, lease_spider
from mediacrawl.crawl.own_settings import REDIS, OwnSettings
from mediacrawl.crawl.setting_checks import changed_settings
from mediacrawl.log.totals import failure_of, summed
from mediacrawl.watch.adapter_counts import AdapterCounts, ranked
from mediacrawl.watch.status import (
    SHOWN,
    CrawlStatus,
    HistoryFile,
    Row,
    Sample,
    estimate,
    process_start,
    row,
    sample_interval,
)
from mediacrawl.watch.worker_stats import WorkerStats

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.watch.server import MetricsServer

logger = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two writes; a write takes some 0.5 ms."""
_SOON = 0.3
"""Seconds after the end of a visit in which the state is written: a kill loses no more."""

_SAMPLES = 250
"""Samples that are kept for the estimate: of the last half hour."""

_LEAST_RATE = 10.0
"""Seconds over which a rate is counted at least."""

_ADAPTERS = 100
"""Site adapters whose counts are in the state, some 200 bytes each."""


class StatusFile(CrawlComponent):
    """Writes ``status.json`` each second and after visits, and ``history.jl``, in the state folder of the crawl.

    A resumed crawl continues the counts of the earlier process; a new one begins at zero. A disk that refuses the files
    is logged once, and the crawl goes on.

    On disk: see `watch.status.CrawlStatus` and `watch.status.HistoryFile`. A kill loses what was counted in the
    last `_SOON` seconds.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases or not context.keeps_frontier:
            # With another scheduler there is no frontier to show; without a state folder there is no place for files.
            raise NotConfigured
        super().__init__(crawler, context)
        self._folder = Path(context.frontier_folder)
        self._history = HistoryFile(self._folder)
        self._began = 0.0
        self._examples: dict[str, str] = {}
        self._finds, self._failures = deque[Row](maxlen=SHOWN), deque[Row](maxlen=SHOWN)
        self._settings: Mapping[str, str] = {}
        self._spider: LeaseSpider | None = None
        self._log = self._catalogue = self._frontier = ""
        self._pid_began = ""
        self._sampled = 0.0
        self._samples: list[Sample] = []
        self._soon: CallLaterResult | None = None
        self._failing = False

    def status(self, reason: str = "") -> CrawlStatus:
        """Return the state of the crawl now; `reason` is empty while it runs."""
        context, before = self._context, self._context.earlier
        totals = summed([before, context.totals(self._crawler.stats.get_stats())])
        return CrawlStatus(
            **totals.by_name(),
            written=self._clock.now(),
            began=self._began,
            first_began=before.first_began or self._began,
            reason=reason,
            pid=os.getpid(),
            pid_began=self._pid_began,
            spider=context.spider,
            version=__version__,
            examples={**before.examples, **self._examples, **self._scope_examples()},
            finds=list(self._finds),
            recent_failures=list(self._failures),
            settings=self._settings,
            adapters=self._adapters() if before.adapters or context.adapters.counts else {},
            log=self._log,
            catalogue=self._catalogue,
            frontier=self._frontier,
        )

    @property
    def last_title(self) -> str:
        """The title of the last record; empty if there is none."""
        return self._finds[0][1] if self._finds else ""

    def rates(self) -> tuple[float, float] | None:
        """Return the requests and records a minute, of the last 10 s at least; None at the beginning."""
        now = self.status()
        for then in reversed(self._samples):
            if (minutes := (now.written - then.time) / 60.0) >= _LEAST_RATE / 60.0:
                return (now.requests - then.requests) / minutes, (now.records - then.records) / minutes
        return None

    def time_left(self) -> str:
        """The estimate of the time that is left: ``about 3 h``, ``at least 4 h``; empty if it cannot be told."""
        return estimate(self._samples).short

    def _adapters(self) -> dict[str, str]:
        """The counts of site adapters, those of earlier processes included."""
        known = {name: AdapterCounts.load(kept) for name, kept in self._context.earlier.adapters.items()}
        shown = ranked({**known, **self._context.adapters.counts})[:_ADAPTERS]
        return {name: counts.dump().decode("ascii") for name, counts in shown}

    def _scope_examples(self) -> dict[str, str]:
        if self._spider is None or not self._context.tally.totals.requests:
            # The scope is made when the seeds are known, not before.
            return {}
        return {str(reason): url for reason, url in self._spider.scope.examples.items()}

    # -- signals ---------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._began, self._pid_began = self._clock.now(), process_start(os.getpid())
        context = self._context
        self._settings, self._spider = changed_settings(context.settings), lease_spider(self._crawler)
        catalogue = context.catalogue
        self._log = str(context.log_folder.absolute())
        self._catalogue = str(catalogue.absolute()) if catalogue else ""
        self._frontier = context.place if context.store == REDIS else str(self._folder.absolute())
        before = context.earlier
        self._finds.extend(before.finds)
        self._failures.extend(before.recent_failures)
        if not context.resumes:
            # The file belongs to a crawl whose frontier was deleted.
            self._history.clear()
        self._show()
        self._repeat(INTERVAL, self._show)

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        fetch, decision = visit.fetch, visit.decision
        for name in filter(None, (outcome.reason, outcome.trouble, *fetch.limits, *decision.limits)):
            self._examples.setdefault(str(name), visit.fetch.url)
        if not outcome.asked:
            return
        if self._soon is None and self._timer is not None:
            self._soon = call_later(_SOON, self._write_soon)
        if what := failure_of(visit):
            self._failures.appendleft(row(self._clock.now(), visit.lease.site, in_words(what), visit.fetch.url))

    def _item_scraped(self, item: Any) -> None:
        record = ItemAdapter(item)
        url = record.get("content_url")
        if isinstance(url, str) and url:
            title = " — ".join(str(record[name]) for name in ("title", "artist") if record.get(name))
            self._finds.appendleft(row(self._clock.now(), title, url, str(record.get("site") or "")))

    def _show(self) -> None:
        status = self.status()
        due = status.written - self._sampled >= sample_interval(status.written - self._began) - INTERVAL / 2
        self._write(status, sample=due)

    def _write_soon(self) -> None:
        self._soon = None
        self._write(self.status(), sample=False)

    def _write(self, status: CrawlStatus, *, sample: bool) -> None:
        if not self._context.has_folder:
            return
        try:
            status.save(self._folder)
            if sample:
                self._sampled = status.written
                self._samples = [*self._samples[-_SAMPLES:], Sample.of(status)]
                self._history.append(self._samples[-1])
        except OSError as error:
            if not self._failing:
                logger.error("The state of the crawl cannot be written: %s", error)  # noqa: TRY400 - one line helps
            self._failing = True
        else:
            self._failing = False

    def _closed(self, reason: str) -> None:
        # A visit that ends later does not replace the last state: there is no timer by now.
        if self._soon is not None:
            self._soon.cancel()
        if self._began:
            self._write(self.status(reason), sample=True)


_STATS_EVERY = 10.0
"""Seconds between two writes; LOGSTATS_INTERVAL, if that is less. A kill loses what was counted since."""


class StatsFile(CrawlComponent):
    """Writes the stats to ``STATS_FILE``, which ``mediacrawl fleet`` reads.

    The file is written when the crawl begins, when its seeds were added, every ten seconds (or
    ``LOGSTATS_INTERVAL``, if that is less), and at the end.

    Works alone in any Scrapy project.

    On disk: see `watch.worker_stats.WorkerStats`. A kill loses the counts since the last write.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        name = OwnSettings(context.settings).getstr("STATS_FILE")
        if not name:
            raise NotConfigured
        path = Path(name)
        self._path = path if path.parent != Path() else context.folder / path
        super().__init__(crawler, context)
        every = (_STATS_EVERY, context.settings.getfloat("LOGSTATS_INTERVAL"))
        self._interval = min((seconds for seconds in every if seconds > 0), default=_STATS_EVERY)
        self._failing = False

    def _opened(self) -> None:
        self._write()
        self._repeat(self._interval, self._write)

    def _write(self) -> None:
        if not self._context.has_folder:
            return
        account = WorkerStats(self._context.clock.now(), self._crawler.stats.get_stats())
        try:
            account.save(self._path)
        except OSError as error:
            if not self._failing:
                logger.error("The stats cannot be written: %s", error)  # noqa: TRY400 - one line is what helps
            self._failing = True
        else:
            self._failing = False

    # Other components count until the end.
    _seeds_joined = _closed = _stopped = _write


class MetricsPort(CrawlComponent):
    """Starts a `MetricsServer` if ``METRICS_PORT`` is set. It needs `StatusFile`, whose files it reads.

    A port that cannot be had is an error in the log; the crawl goes on. Settings: ``METRICS_PORT``, ``METRICS_HOST``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        settings = OwnSettings(crawler.settings)
        self._port, self._host = settings.getint("METRICS_PORT"), settings.getstr("METRICS_HOST")
        if not self._port or not context.leases or not context.keeps_frontier:
            raise NotConfigured
        super().__init__(crawler, context)
        self._server: MetricsServer | None = None

    def _opened(self) -> None:
        # Importing the report takes 5 MB and 70 ms, and few crawls open a port.
        from mediacrawl.watch.server import MetricsServer  # noqa: PLC0415

        try:
            self._server = MetricsServer(self._host, self._port, self._context.frontier_folder)
        except (OSError, ValueError) as error:
            logger.error("No metrics: %s port %d cannot be used: %s", self._host, self._port, error)  # noqa: TRY400
            return
        logger.info("Metrics at %smetrics, the report at %s", self._server.url, self._server.url)

    def _stopped(self) -> None:
        if self._server is not None:
            self._server.close()
