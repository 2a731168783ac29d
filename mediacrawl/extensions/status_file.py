"""Writes the state of the crawl for ``scrapy top``, ``scrapy report`` and other programs."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import CallLaterResult, call_later

from mediacrawl import __version__
from mediacrawl.config.paths import catalogue_path, log_folder
from mediacrawl.config.setting_checks import changed_settings
from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import lease_spider, listen_to_visits
from mediacrawl.frontier import Counts, FrontierError
from mediacrawl.observe.format import in_words
from mediacrawl.observe.status import CrawlStatus, HistoryFile, RecentRows, Sample, sample_interval
from mediacrawl.records import Kind, Outcome
from mediacrawl.report.estimate import estimate
from mediacrawl.site_adapters.counts import AdapterCounts
from mediacrawl.site_adapters.explaining import ranked
from mediacrawl.visit import Visit

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

INTERVAL = 1.0
"""Seconds between two writes; a write takes some 0.5 ms."""

_SAMPLES = 250
"""Samples that are kept for the estimate: of the last half hour."""

_ADAPTERS = 100
"""Site adapters whose counts are in the state, some 200 bytes each."""

_COUNTS = ("requests", "pages", "records", "updated", "bytes", "errors")
_BY_NAME = ("formats", "drops", "troubles", "limits")


class StatusFile:
    """Writes ``status.json`` each second, and ``history.jl``, in the state folder of the crawl.

    A resumed crawl continues the counts of the earlier process; a new one begins at zero. A disk that refuses the files
    is logged once, and the crawl goes on.

    On disk: see `observe.status.CrawlStatus` and `observe.status.HistoryFile`. A kill loses what was counted in the
    last second.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not context.leases or not context.keeps_frontier:
            # With another scheduler there is no frontier to show; without a state folder there is no place for files.
            raise NotConfigured
        self._crawler = crawler
        self._context = context
        self._clock = context.clock
        self._folder = Path(context.frontier_folder)
        self._history = HistoryFile(self._folder)
        self._before = CrawlStatus()
        self._began = 0.0
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, str] = {}
        self._finds, self._failures = RecentRows(), RecentRows()
        self._settings: Mapping[str, str] = {}
        self._sampled = 0.0
        self._samples: list[Sample] = []
        self._timer: CallLaterResult | None = None
        self._failing = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        file = cls(crawler, CrawlContext.of(crawler))
        connect = crawler.signals.connect
        connect(file._opened, signals.spider_opened)
        connect(file._item_stored, signals.item_scraped)
        listen_to_visits(crawler, file._visit_ended)
        connect(file._closed, signals.spider_closed)
        return file

    def status(self, reason: str = "") -> CrawlStatus:
        """The state of the crawl now.

        Args:
            reason: why it ended; empty while it runs.
        """
        now, counts, before = self._clock.now(), self._context.counts(), self._before
        get = self._crawler.stats.get_value
        own = Counter(self._counts)
        own.update(pages=get("page/read", 0), records=sum(self._context.finds.formats.values()))
        own["updated"] = get("catalogue/updated", 0)
        release = self._next_release()
        totals: dict[str, Any] = {name: getattr(before, name) + own[name] for name in _COUNTS}
        totals |= {name: self._total(name) for name in _BY_NAME}
        return CrawlStatus(
            written=now,
            began=self._began,
            first_began=before.first_began or self._began,
            reason=reason,
            pid=os.getpid(),
            spider=self._crawler.spidercls.name,
            version=__version__,
            ended=sum(counts.ends.values()),
            waiting=counts.waiting + counts.leased - counts.shelved,
            shelved=counts.shelved,
            sites=_sites(counts),
            next_release=release,
            examples={**before.examples, **self._examples, **self._scope_examples()},
            finds=self._finds.rows,
            failures=self._failures.rows,
            settings=self._settings,
            log=str(log_folder(self._context.settings).absolute()),
            catalogue=str(catalogue_path(self._context.settings).absolute()),
            frontier=self._context.place,
            adapters=self._adapters(),
            **totals,
        )

    @property
    def last_title(self) -> str:
        """The title of the last record; empty if there is none."""
        return str(self._finds.rows[0][1]) if self._finds.rows else ""

    def time_left(self) -> str:
        """The estimate of the time that is left: ``about 3 h``, ``at least 4 h``; empty if it cannot be told."""
        return estimate(self._samples).short

    def _total(self, name: str) -> dict[str, int]:
        """Counts by name, of this process and the ones before."""
        total: Counter[str] = Counter(getattr(self._before, name))
        prefix = {"drops": "drop/", "troubles": "trouble/", "limits": "limit/"}.get(name)
        if prefix is None:
            total.update(self._context.finds.formats)
        else:
            stats = self._crawler.stats.get_stats().items()
            total.update({key.removeprefix(prefix): value for key, value in stats if key.startswith(prefix)})
        return dict(total)

    def _adapters(self) -> dict[str, str]:
        """The counts of site adapters, those of earlier processes included."""
        known = {name: AdapterCounts.load(kept) for name, kept in self._before.adapters.items()}
        shown = ranked({**known, **self._context.adapter_counts})[:_ADAPTERS]
        return {name: counts.dump().decode("ascii") for name, counts in shown}

    def _next_release(self) -> float | None:
        try:
            return self._context.frontier.next_release()
        except FrontierError:
            return None

    def _scope_examples(self) -> dict[str, str]:
        spider = lease_spider(self._crawler)
        if spider is None or not self._counts["requests"]:
            # The scope is made when the seeds are known, not before.
            return {}
        return {str(reason): url for reason, url in spider.scope.examples.items()}

    # -- signals ---------------------------------------------------------------------------------------------

    def _opened(self) -> None:
        self._began = self._clock.now()
        self._settings = changed_settings(self._context.settings)
        if self._context.counts().seen:
            self._before = CrawlStatus.load(self._folder) or CrawlStatus()
            self._finds, self._failures = RecentRows(self._before.finds), RecentRows(self._before.failures)
        else:
            # The files belong to a crawl whose frontier was deleted.
            self._history.clear()
        self._show()

    def _visit_ended(self, visit: Visit, outcome: Outcome) -> None:
        names = [*([outcome.reason] if outcome.reason else []), *([outcome.trouble] if outcome.trouble else [])]
        for name in (*names, *visit.limits):
            self._examples.setdefault(str(name), visit.fetch.url)
        if not outcome.asked:
            return
        self._counts["requests"] += 1
        self._counts["bytes"] += visit.fetch.bytes
        if visit.error or (visit.fetch.status >= 400 and visit.fetch.kind is not Kind.ROBOTS):
            self._counts["errors"] += 1
            what = in_words(visit.error or str(visit.fetch.status))
            self._failures.add(self._clock.now(), visit.lease.site, what, visit.fetch.url)

    def _item_stored(self, item: Any) -> None:
        record = ItemAdapter(item)
        url = record.get("content_url")
        if isinstance(url, str) and url:
            title = " — ".join(str(record[name]) for name in ("title", "artist") if record.get(name))
            self._finds.add(self._clock.now(), title, url, str(record.get("site") or ""))

    def _show(self) -> None:
        self._timer = call_later(INTERVAL, self._show)
        self._write(self.status())

    def _write(self, status: CrawlStatus) -> None:
        elapsed = status.written - self._began
        due = bool(status.reason) or status.written - self._sampled >= sample_interval(elapsed) - INTERVAL / 2
        try:
            status.save(self._folder)
            if due:
                self._sampled = status.written
                sample = Sample.of(status)
                self._samples = [*self._samples[-_SAMPLES:], sample]
                self._history.append(sample)
        except OSError as error:
            if not self._failing:
                logger.error("The state of the crawl cannot be written: %s", error)  # noqa: TRY400 - one line helps
            self._failing = True
        else:
            self._failing = False

    def _closed(self, reason: str) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._began:
            self._write(self.status(reason))


def _sites(counts: Counts) -> dict[str, int]:
    paused, retired = counts.shelved_sites
    return {
        "ready": counts.ready,
        "waiting": max(counts.penalty - counts.resting, 0),
        "resting": counts.resting,
        "paused": paused,
        "retired": retired,
    }
