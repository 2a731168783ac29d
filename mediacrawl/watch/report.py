"""The summary at the end of a crawl."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mediacrawl.base.format import count, counted_in_words, elapsed, plural, share, size
from mediacrawl.base.text import cut, pad, printable
from mediacrawl.log.totals import MOST_SITES, Totals, summed

_LABEL = 11
_WIDTH = 100
_MOST = 6
"""Entries of a list that are shown."""
_REASONS = 14
"""Reasons for refusals that are shown; each may explain a missing URL."""
_FEWEST = 1_000
"""URLs that must have ended for a rate of finds: one of a find in 12 is known to a tenth then."""
_URL = 64
_LINES = 3
"""Lines of one list."""


@dataclass(slots=True)
class CrawlFacts(Totals):
    """The facts of one run of a crawl. Its totals are of this run.

    Attributes:
        duration: seconds from start to end.
        finish_reason: Scrapy's word: ``finished``, ``shutdown``, ``closespider_timeout`` ...
        before: the totals of earlier runs of this crawl.
        media_sites: media files by site.
        asked: requests by site.
        response_times: mean seconds of an answer by site.
        examples: a limit -> the first URL whose answer went beyond it.
        adapters: what site adapters found, a line for each.
        catalogue_path: where the records are; empty if they were not stored there.
        log_path: folder of the request log; empty if there is none.
        next_command: what to type next; empty for nothing.
    """

    duration: float = 0.0
    finish_reason: str = "finished"
    before: Totals = field(default_factory=Totals)
    media_sites: Mapping[str, int] = field(default_factory=dict)
    asked: Mapping[str, int] = field(default_factory=dict)
    response_times: Mapping[str, float] = field(default_factory=dict)
    examples: Mapping[str, str] = field(default_factory=dict)
    adapters: Sequence[str] = ()
    catalogue_path: str = ""
    log_path: str = ""
    next_command: str = "scrapy catalogue"


def summary(facts: CrawlFacts, width: int = _WIDTH) -> str:
    """Write the block that ends a crawl: at most 30 lines of so many columns, without a line feed at the end."""
    title = f"{plural(facts.records, 'media file')} on {_sites(facts.media_sites)} in {elapsed(facts.duration)}"
    lines = [title, "", *(_row(label, text, width) for label, text in _facts(facts) if text)]
    # These are never cut: they are there to be copied.
    rows = [("records in", facts.catalogue_path), ("requests in", facts.log_path), ("next", facts.next_command)]
    ending = [f"  {pad(label, _LABEL)} {printable(text)}" for label, text in rows if text]
    return "\n".join([*lines, *([""] if ending else []), *ending])


def _facts(facts: CrawlFacts) -> list[tuple[str, str]]:
    described = f"{size(facts.media_bytes_read)} to describe {size(facts.media_bytes_total)} of media"
    slowest = sorted(facts.response_times.items(), key=lambda entry: (-entry[1], entry[0]))[:3]
    where = f": {_ranking(facts.fault_sites)}" if facts.fault_sites else ""
    is_stored = facts.records and facts.catalogue_path
    return [
        ("pages", count(facts.pages)),
        ("media", _ranking(facts.formats)),
        (
            "records",
            f"{count(facts.records - facts.updated)} new, {count(facts.updated)} known before" if is_stored else "",
        ),
        ("in all", _whole(facts)),
        ("harvest", _harvest(facts)),
        (
            "read",
            f"{described}, {share(facts.media_bytes_read, facts.media_bytes_total)}" if facts.media_bytes_total else "",
        ),
        ("requests", _requests(facts)),
        ("visited", _ranking(facts.asked)),
        ("slowest", ", ".join(f"{cut(site, 40)} {elapsed(seconds)}" for site, seconds in slowest)),
        ("refused", _ranking(facts.drops, _REASONS)),
        ("failures", _ranking(counted_in_words(facts.failures))),
        *(("" if place else "over limit", line) for place, line in enumerate(_over_limits(facts))),
        *(("" if place else "adapters", line) for place, line in enumerate(facts.adapters)),
        (
            "faults",
            f"{plural(facts.faults, 'error')} that nobody expected, see critical.log{where}" if facts.faults else "",
        ),
        ("waiting", _waiting(facts)),
        ("held back", _shelved(facts)),
        ("ended", "" if facts.finish_reason == "finished" else facts.finish_reason),
        ("log", f"{plural(facts.lost_lines, 'line')} lost: the disk refused them" if facts.lost_lines else ""),
    ]


def _row(label: str, text: str, width: int) -> str:
    width = max(min(width, _WIDTH) - _LABEL - 2, _LABEL)
    # Wrapped by characters; lines that are too wide (East Asian letters take two columns) are cut.
    lines = textwrap.wrap(printable(text), width, break_on_hyphens=False, max_lines=_LINES, placeholder=" …")
    heads = [label, *[""] * _LINES]
    return "\n".join(f"  {pad(head, _LABEL)}{cut(line, width)}" for head, line in zip(heads, lines, strict=False))


def _ranking(numbers: Mapping[str, int], most: int = _MOST) -> str:
    """``mp3 12, flac 3, and 4 more``: the most frequent first."""
    ranked = sorted(numbers.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = [f"{cut(name, 40)} {count(number)}" for name, number in ranked[:most]]
    return ", ".join([*shown, *([f"and {count(len(ranked) - most)} more"] if len(ranked) > most else [])])


def _whole(facts: CrawlFacts) -> str:
    """The totals with those of earlier runs, which report and ``top`` show; empty in the first run."""
    if not facts.before.requests:
        return ""
    whole = summed([facts.before, facts])
    shown = [plural(whole.records, "media file"), plural(whole.pages, "page"), plural(whole.requests, "request")]
    return f"{', '.join(shown)} with the runs before this one"


def _over_limits(facts: CrawlFacts) -> list[str]:
    """Return a line for each limit, most answers first, with an example."""
    ranked = sorted(facts.limits.items(), key=lambda entry: (-entry[1], entry[0]))
    return [f"{limit} {count(number)}: {cut(facts.examples.get(limit, ''), _URL)}" for limit, number in ranked]


def _sites(sites: Mapping[str, int]) -> str:
    more = "over " if len(sites) >= MOST_SITES else ""
    return f"{more}{plural(len(sites), 'site')}"


def _harvest(facts: CrawlFacts) -> str:
    """Return the rate of finds; empty while few URLs have ended, which give no rate."""
    if facts.rate is None or facts.ended < _FEWEST:
        return ""
    rate = f"{facts.rate:.1f} new per 1,000 URLs"
    if facts.ratio is not None:
        return f"{rate}; {_times(facts.ratio)} chance"
    if (least := facts.ratio_at_least) is not None and least >= 1:
        return f"{rate}; at least {_times(least)} chance"
    return f"{rate}; too few random picks to compare with chance"


def _times(ratio: float) -> str:
    return f"{ratio:.0f} times" if ratio >= 9.95 else f"{ratio:.1f} times"


def _requests(facts: CrawlFacts) -> str:
    if not facts.requests:
        return "none"
    text = f"{count(facts.requests)} to {_sites(facts.asked)}, {size(facts.bytes)} received"
    if facts.duration < 1:
        return text
    return f"{text}, {facts.requests / facts.duration:.1f} a second"


def _waiting(facts: CrawlFacts) -> str:
    sites = sum(facts.sites.get(state, 0) for state in ("ready", "waiting", "resting"))
    resting = facts.sites.get("resting", 0)
    rest = f"; {plural(resting, '', 'rests')}, see frontier show SITE" if resting else ""
    return f"{plural(facts.waiting, 'URL')} on {plural(sites, 'site')}, for the next run{rest}" if facts.waiting else ""


def _shelved(facts: CrawlFacts) -> str:
    kinds = [(facts.sites.get(kind, 0), kind) for kind in ("paused", "retired")]
    sites = " and ".join(plural(number, f"{kind} site") for number, kind in kinds if number)
    if not sites or not facts.shelved:
        return ""
    budget = "; retired: see frontier show SITE" if facts.sites.get("retired") else ""
    return f"{plural(facts.shelved, 'URL')} on {sites}{budget}"
