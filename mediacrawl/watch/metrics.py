"""The state of a crawl as OpenMetrics text, for Prometheus and others.

The counts are in the state files, where a restarted process continues them. So they are collected from there at each
request, and prometheus-client's own counters and its multiprocess mode, which keeps a file of each dead process, are
not used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.openmetrics.exposition import CONTENT_TYPE_LATEST, generate_latest

from mediacrawl.base.text import printable
from mediacrawl.log.totals import summed
from mediacrawl.watch.status import CrawlStatus

CONTENT_TYPE = CONTENT_TYPE_LATEST
MOST_NAMES = 80
"""Values of a label that are kept; the counts of the others are summed up as ``other``. There are five such labels, so
that there are never more than 500 series. No series is of one site."""
_LONGEST = 60
_COUNTERS = {
    "requests": ("requests", "Requests sent, robots.txt included."),
    "pages": ("pages", "HTML pages read."),
    "records": ("records", "Media files that were stored, each once."),
    "received_bytes": ("bytes", "Bytes received."),
    "failures": ("failed", "Requests without an answer, and answers that are no success."),
}
"""Name of a metric -> its total, and what it means."""
_BY_NAME = {
    "drops": ("reason", "URLs that were dropped, by reason."),
    "troubles": ("trouble", "Visits that spoke against their site."),
    "limits": ("limit", "Answers that went beyond a limit."),
    "formats": ("format", "Media files by format."),
}


def open_metrics(statuses: Sequence[CrawlStatus], now: float, free: float | None = None) -> str:
    """Return the metrics of a crawl.

    Args:
        statuses: of its processes, the newest last. Their counts are added up, and the frontier is shared.
        now: seconds since the epoch.
        free: bytes that are free on the disk of the state folder; None if that is not known.
    """
    registry = SimpleNamespace(collect=lambda: _metrics(statuses, now, free))
    text: bytes = generate_latest(registry)  # type: ignore[no-untyped-call]
    return text.decode()


def _metrics(statuses: Sequence[CrawlStatus], now: float, free: float | None) -> Iterator[Metric]:
    last, running = statuses[-1] if statuses else CrawlStatus(), sum(status.runs(now) for status in statuses)
    crawl = {"version": _label(last.version), "spider": _label(last.spider)}
    yield InfoMetricFamily("mediacrawl_crawl", "The crawl.", crawl)
    yield _gauge("up", "Whether a process of the crawl runs.", running > 0)
    yield _gauge("processes", "Processes that run.", running)
    if free is not None:
        yield _gauge("disk_free_bytes", "Bytes that are free for the state folder.", free)
    if not statuses:
        return
    totals = summed(statuses)
    for name, (total, meaning) in _COUNTERS.items():
        yield CounterMetricFamily(f"mediacrawl_{name}", meaning, getattr(totals, total))
    for name, (label, meaning) in _BY_NAME.items():
        yield _by_label(CounterMetricFamily(f"mediacrawl_{name}", meaning, labels=[label]), getattr(totals, name))
    if found := [float(row[0]) for status in statuses for row in status.finds]:
        yield _gauge("last_record_timestamp_seconds", "When the last media file was stored.", max(found))
    yield _gauge("state_age_seconds", "Age of the newest state.", max(now - last.written, 0.0))
    yield _gauge("urls_done", "URLs that have ended, each once.", last.done)
    yield _gauge("urls_waiting", "URLs that wait.", last.waiting)
    yield _gauge("urls_shelved", "URLs on paused and retired sites.", last.shelved)
    yield _by_label(GaugeMetricFamily("mediacrawl_sites", "Sites by state.", labels=["state"]), last.sites)
    ended = GaugeMetricFamily("mediacrawl_ended", "1, with the reason, after the crawl has ended.", labels=["reason"])
    yield _by_label(ended, {last.reason: 1} if last.reason else {})


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(f"mediacrawl_{name}", meaning, value)


def _by_label(family: Any, counts: Mapping[str, int]) -> Metric:
    by_label: Counter[str] = Counter()
    for name, number in counts.items():
        by_label[_label(name)] += number
    ranked = sorted(by_label.items(), key=lambda entry: (-entry[1], entry[0]))
    kept = Counter(dict(ranked[:MOST_NAMES]))
    if rest := sum(number for _, number in ranked[MOST_NAMES:]):
        kept["other"] += rest
    for label, number in kept.items():
        family.add_metric([label], number)
    return cast("Metric", family)


def _label(text: str) -> str:
    return printable(text[:_LONGEST])
