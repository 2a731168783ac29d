"""The progress line of a running crawl."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.base.format import count, elapsed, plural
from mediacrawl.base.text import cut, printable
from mediacrawl.log.totals import Totals

_MOST_SILENT = 2
"""Sites without an answer that are named."""
_TITLE = 40
"""Columns of a title."""


@dataclass(frozen=True, slots=True)
class ProgressFacts:
    """What a progress line shows beside the totals of the process.

    Attributes:
        now, began: the time, and when the crawl began, seconds since the epoch.
        rates: requests and records a minute, in the last minute; None at the beginning.
        requests_out: requests that have been sent and have no answer yet.
        new_site_delay: seconds that a new site waits between requests; 0 if no site is new.
        silent: sites that do not answer, and why.
        title: of the last media file.
        left: the estimate of the time that is left; empty without one.
    """

    now: float = 0.0
    began: float = 0.0
    rates: tuple[float, float] | None = None
    requests_out: int = 0
    new_site_delay: float = 0.0
    silent: Sequence[tuple[str, str]] = ()
    title: str = ""
    left: str = ""


def progress_line(totals: Totals, facts: ProgressFacts, width: int = 80) -> str:
    """Write the state of a running crawl on one line that fits a terminal.

    The parts are in the order of their importance: those at the end are left out first.
    """
    parts = [plural(totals.records, "media file"), plural(totals.pages, "page"), *_waits(totals, facts)]
    if facts.now - facts.began >= 1:
        parts.append(f"after {elapsed(facts.now - facts.began)}")
    if facts.rates is not None:
        requests, records = facts.rates
        parts += [f"{_rate(requests)} requests a minute", f"{_rate(records)} files a minute"]
    if facts.silent:
        parts.append(_silent(facts.silent))
    elif totals.failed:
        parts.append(plural(totals.failed, "failure"))
    if facts.left:
        parts.append(f"{facts.left} left")
    if facts.title:
        parts.append(f"last: {cut(printable(facts.title), _TITLE)}")
    line = parts[0]
    for part in parts[1:]:
        longer = f"{line} · {part}"
        if longer != cut(longer, width):
            break
        line = longer
    return cut(line, width)


def _waits(totals: Totals, facts: ProgressFacts) -> list[str]:
    """Return what the crawl waits for."""
    parts = []
    if number := totals.sites.get("waiting", 0) + totals.sites.get("resting", 0):
        if totals.sites.get("ready") or facts.requests_out:
            parts.append(plural(number, "site", "waits"))
        else:
            parts.append("the only site waits" if number == 1 else f"all {count(number)} sites wait")
    if totals.next_release is not None:
        parts.append(f"next in {elapsed(max(0.0, totals.next_release - facts.now))}")
    if parts and facts.new_site_delay:
        parts.append(f"a new site gets a request every {elapsed(facts.new_site_delay)}")
    return parts


def _silent(silent: Sequence[tuple[str, str]]) -> str:
    named = [f"{printable(site)}, {printable(why)}" for site, why in silent[:_MOST_SILENT]]
    more = f"; {count(len(silent) - _MOST_SILENT)} more" if len(silent) > _MOST_SILENT else ""
    do = "does not answer" if len(silent) == 1 else "do not answer"
    return f"{plural(len(silent), 'site')} {do}: {'; '.join(named)}{more}"


def _rate(number: float) -> str:
    return f"{number:.1f}" if number < 10 else count(round(number))
