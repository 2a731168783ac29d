"""The state of a crawl as OpenMetrics text, for Prometheus and others.

The text is written here and not by prometheus-client: its multiprocess mode keeps a file of each dead process, and the
counts are in the state files anyway, where a restarted process continues them.

Source: OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), sections "Text format" and "Counter".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mediacrawl.observe.status import CrawlStatus
from mediacrawl.observe.text import printable
from mediacrawl.observe.totals import Totals, summed

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
MOST_NAMES = 80
"""Values of a label that are kept; the counts of the others are summed up as ``other``. There are five such labels, so
that there are never more than 500 series. No series is of one site."""
_LONGEST = 60

_COUNTERS = {
    "requests": "Requests sent, robots.txt included.",
    "pages": "HTML pages read.",
    "records": "Media files that were stored, each once.",
    "received_bytes": "Bytes received.",
    "failures": "Requests without an answer, and answers that are no success.",
}
_FIELDS = {"received_bytes": "bytes", "failures": "failed"}
_BY_NAME = {
    "drops": ("reason", "URLs that were dropped, by reason."),
    "troubles": ("trouble", "Visits that spoke against their site."),
    "limits": ("limit", "Answers that went beyond a limit."),
    "formats": ("format", "Media files by format."),
}


@dataclass(slots=True)
class _Text:
    lines: list[str] = field(default_factory=list)

    def family(self, name: str, kind: str, meaning: str, rows: Iterable[tuple[Mapping[str, str], float]]) -> None:
        """A family of series; left out if it has none. Values of labels are escaped already."""
        series = [(labels, value) for labels, value in rows]
        if not series:
            return
        self.lines += [f"# HELP mediacrawl_{name} {meaning}", f"# TYPE mediacrawl_{name} {kind}"]
        suffix = {"counter": "_total", "info": "_info"}.get(kind, "")
        for labels, value in series:
            inner = ",".join(f'{label}="{text}"' for label, text in labels.items())
            written = f"{value:.3f}" if value % 1 else f"{value:.0f}"
            self.lines.append(f"mediacrawl_{name}{suffix}{f'{{{inner}}}' if inner else ''} {written}")


def open_metrics(statuses: Sequence[CrawlStatus], now: float, free: float | None = None) -> str:
    """The metrics of a crawl.

    Args:
        statuses: of its processes, the newest last. Their counts are added up, and the frontier is shared.
        now: seconds since the epoch.
        free: bytes that are free on the disk of the state folder; None if that is not known.
    """
    text = _Text()
    running = sum(status.runs(now) for status in statuses)
    last = statuses[-1] if statuses else CrawlStatus()
    text.family(
        "crawl", "info", "The crawl.", [({"version": _escaped(last.version), "spider": _escaped(last.spider)}, 1)]
    )
    text.family("up", "gauge", "Whether a process of the crawl runs.", [({}, float(running > 0))])
    text.family("processes", "gauge", "Processes that run.", [({}, running)])
    if statuses:
        _add_counts(text, statuses, summed(statuses))
        _add_frontier(text, last, now)
    if free is not None:
        text.family("disk_free_bytes", "gauge", "Bytes that are free for the state folder.", [({}, free)])
    return "\n".join([*text.lines, "# EOF", ""])


def _add_counts(text: _Text, statuses: Sequence[CrawlStatus], totals: Totals) -> None:
    for name, meaning in _COUNTERS.items():
        text.family(name, "counter", meaning, [({}, getattr(totals, _FIELDS.get(name, name)))])
    for name, (label, meaning) in _BY_NAME.items():
        rows = [({label: value}, number) for value, number in _bounded(getattr(totals, name)).items()]
        text.family(name, "counter", meaning, rows)
    found = max((float(row[0]) for status in statuses for row in status.finds), default=None)
    if found is not None:
        meaning = "When the last media file was stored."
        text.family("last_record_timestamp_seconds", "gauge", meaning, [({}, found)])


def _add_frontier(text: _Text, last: CrawlStatus, now: float) -> None:
    age = max(now - last.written, 0.0)
    text.family("state_age_seconds", "gauge", "Age of the newest state.", [({}, age)])
    text.family("urls_done", "gauge", "URLs that have ended, each once.", [({}, last.done)])
    text.family("urls_waiting", "gauge", "URLs that wait.", [({}, last.waiting)])
    text.family("urls_shelved", "gauge", "URLs on paused and retired sites.", [({}, last.shelved)])
    states = [({"state": state}, number) for state, number in _bounded(last.sites).items()]
    text.family("sites", "gauge", "Sites by state.", states)
    ended = [({"reason": _escaped(last.reason)}, 1)] if last.reason else []
    text.family("ended", "gauge", "1, with the reason, after the crawl has ended.", ended)


def _bounded(counts: Mapping[str, int]) -> dict[str, int]:
    by_label: Counter[str] = Counter()
    for name, number in counts.items():
        by_label[_escaped(name)] += number
    ranked = sorted(by_label.items(), key=lambda entry: (-entry[1], entry[0]))
    kept = dict(ranked[:MOST_NAMES])
    rest = sum(number for _, number in ranked[MOST_NAMES:])
    return {**kept, "other": kept.get("other", 0) + rest} if rest else kept


def _escaped(text: str) -> str:
    return printable(text[:_LONGEST]).replace("\\", "\\\\").replace('"', '\\"')
