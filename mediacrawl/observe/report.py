"""The summary at the end of a crawl."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mediacrawl.observe.format import count, counted_in_words, elapsed, plural, share, size
from mediacrawl.observe.harvest import HarvestCounts
from mediacrawl.observe.text import cut, pad, printable

_LABEL = 11
_WIDTH = 100
_MOST = 6
"""Entries of a list that are shown."""
_REASONS = 14
"""Reasons for refusals that are shown; each may explain a missing URL."""
_LINES = 3
"""Lines of one list."""


@dataclass(slots=True)
class CrawlFacts:
    """The facts of one crawl: plain numbers, taken from the stats.

    Attributes:
        duration: seconds from start to end.
        finish_reason: Scrapy's word: ``finished``, ``shutdown``, ``closespider_timeout`` ...
        pages: HTML pages read.
        media: records that the crawl stored, each once, by format (``audio/flac`` ...; ``unknown`` for none).
        media_sites: the same by the site of the file.
        new_records: records that the catalogue did not have before.
        updated_records: records that existed.
        requests: sent, robots.txt included.
        bytes_received: of all answers.
        media_bytes_read: of the media files that were described.
        media_bytes_total: the size of those files.
        sites: requests by site.
        response_times: mean seconds of an answer by site.
        refusals: dropped URLs by reason, see `records.Drop`.
        errors: requests without an answer, and answers that are no success, by their name.
        waiting_urls: URLs left for the next run.
        waiting_sites: sites that they belong to, paused and retired ones not counted.
        shelved_urls: those of them that wait on a paused or retired site.
        paused_sites: sites that the operator paused.
        retired_sites: sites that used up their budget of requests, were broken for days, or sent us away.
        resting_sites: those of the waiting sites that rest.
        ended_pages: URLs that ended.
        new_nuggets: new nuggets that they gave.
        even_pages: those of them that were picked evenly, by chance.
        even_nuggets: new nuggets that these gave.
        last_pages: URLs of the last whole window of the harvest; 0 before there was one.
        last_nuggets: new nuggets that these gave.
        over_limits: which answers went beyond a limit, a line for each limit, see `limits.OverLimits`.
        faults: exceptions that nobody thought of.
        fault_sites: those of them that answers caused, by site.
        adapters: what site adapters found, a line for each.
        lost_lines: lines that the request log could not write.
        catalogue_path: where the records are; empty if they were not stored there.
        log_path: folder of the request log; empty if there is none.
        next_command: what to type next; empty for nothing.
    """

    duration: float = 0.0
    finish_reason: str = "finished"
    pages: int = 0
    media: Mapping[str, int] = field(default_factory=dict)
    media_sites: Mapping[str, int] = field(default_factory=dict)
    new_records: int = 0
    updated_records: int = 0
    requests: int = 0
    bytes_received: int = 0
    media_bytes_read: int = 0
    media_bytes_total: int = 0
    sites: Mapping[str, int] = field(default_factory=dict)
    response_times: Mapping[str, float] = field(default_factory=dict)
    refusals: Mapping[str, int] = field(default_factory=dict)
    errors: Mapping[str, int] = field(default_factory=dict)
    waiting_urls: int = 0
    waiting_sites: int = 0
    shelved_urls: int = 0
    paused_sites: int = 0
    retired_sites: int = 0
    resting_sites: int = 0
    ended_pages: int = 0
    new_nuggets: int = 0
    even_pages: int = 0
    even_nuggets: int = 0
    last_pages: int = 0
    last_nuggets: int = 0
    over_limits: Sequence[str] = ()
    faults: int = 0
    fault_sites: Mapping[str, int] = field(default_factory=dict)
    adapters: Sequence[str] = ()
    lost_lines: int = 0
    catalogue_path: str = ""
    log_path: str = ""
    next_command: str = "scrapy catalogue"


def summary(facts: CrawlFacts, width: int = _WIDTH) -> str:
    """Write the block that ends a crawl: at most 30 lines, without a line feed at the end.

    Args:
        facts: what happened.
        width: columns of its lines, at most.
    """
    title = (
        f"{plural(sum(facts.media.values()), 'media file')} on {plural(len(facts.media_sites or facts.sites), 'site')}"
    )
    title += f" in {elapsed(facts.duration)}"
    lines = [title, "", *(_row(label, text, width) for label, text in _facts(facts) if text)]
    ending = _ending(facts)
    return "\n".join([*lines, *([""] if ending else []), *ending])


def _facts(facts: CrawlFacts) -> list[tuple[str, str]]:
    return [
        ("pages", count(facts.pages)),
        ("media", _ranking(facts.media)),
        ("records", _records(facts)),
        ("harvest", _harvest(facts)),
        ("read", _saving(facts)),
        ("requests", _requests(facts)),
        ("visited", _ranking(facts.sites)),
        ("slowest", _slowest(facts.response_times)),
        ("refused", _ranking(facts.refusals, _REASONS)),
        ("errors", _ranking(counted_in_words(facts.errors))),
        *(("" if place else "over limit", line) for place, line in enumerate(facts.over_limits)),
        *(("" if place else "adapters", line) for place, line in enumerate(facts.adapters)),
        ("faults", _faults(facts)),
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
    return _list([f"{cut(name, 40)} {count(number)}" for name, number in ranked], most)


def _list(entries: list[str], most: int) -> str:
    rest = len(entries) - most
    return ", ".join(entries[:most] + ([f"and {count(rest)} more"] if rest > 0 else []))


def _records(facts: CrawlFacts) -> str:
    if not facts.new_records and not facts.updated_records:
        return ""
    return f"{count(facts.new_records)} new, {count(facts.updated_records)} known before"


def _harvest(facts: CrawlFacts) -> str:
    """Empty before a whole window: few pages give no rate."""
    last = HarvestCounts(pages=facts.last_pages, new=facts.last_nuggets).rate
    run = HarvestCounts(
        pages=facts.ended_pages, new=facts.new_nuggets, even_pages=facts.even_pages, even_new=facts.even_nuggets
    )
    if last is None or run.rate is None:
        return ""
    rates = f"{run.rate:.1f} new per 1,000 URLs, {last:.1f} in the last {count(facts.last_pages)}"
    if run.ratio is not None:
        return f"{rates}; {_times(run.ratio)} chance"
    if (least := run.ratio_at_least) is not None and least >= 1:
        return f"{rates}; at least {_times(least)} chance"
    return f"{rates}; too few even picks to tell"


def _times(ratio: float) -> str:
    return f"{ratio:.0f} times" if ratio >= 9.95 else f"{ratio:.1f} times"


def _saving(facts: CrawlFacts) -> str:
    if not facts.media_bytes_total:
        return ""
    part = share(facts.media_bytes_read, facts.media_bytes_total)
    return f"{size(facts.media_bytes_read)} to describe {size(facts.media_bytes_total)} of media, {part}"


def _requests(facts: CrawlFacts) -> str:
    if not facts.requests:
        return "none"
    text = f"{count(facts.requests)} to {plural(len(facts.sites), 'site')}, {size(facts.bytes_received)} received"
    if facts.duration < 1:
        return text
    return f"{text}, {facts.requests / facts.duration:.1f} a second"


def _slowest(times: Mapping[str, float]) -> str:
    ranked = sorted(times.items(), key=lambda entry: (-entry[1], entry[0]))
    return ", ".join(f"{cut(site, 40)} {elapsed(seconds)}" for site, seconds in ranked[:3])


def _waiting(facts: CrawlFacts) -> str:
    urls = facts.waiting_urls - facts.shelved_urls
    rest = f"; {plural(facts.resting_sites, '', 'rests')}, see frontier show SITE" if facts.resting_sites else ""
    return f"{plural(urls, 'URL')} on {plural(facts.waiting_sites, 'site')}, for the next run{rest}" if urls else ""


def _faults(facts: CrawlFacts) -> str:
    if not facts.faults:
        return ""
    where = f": {_ranking(facts.fault_sites)}" if facts.fault_sites else ""
    return f"{plural(facts.faults, 'error')} that nobody expected, see critical.log{where}"


def _shelved(facts: CrawlFacts) -> str:
    kinds = [(facts.paused_sites, "paused"), (facts.retired_sites, "retired")]
    sites = " and ".join(plural(number, f"{kind} site") for number, kind in kinds if number)
    if not sites or not facts.shelved_urls:
        return ""
    budget = "; retired: see frontier show SITE" if facts.retired_sites else ""
    return f"{plural(facts.shelved_urls, 'URL')} on {sites}{budget}"


def _ending(facts: CrawlFacts) -> list[str]:
    """Paths and commands, which are never cut: they are there to be copied."""
    rows = [("records in", facts.catalogue_path), ("requests in", facts.log_path), ("next", facts.next_command)]
    return [f"  {pad(label, _LABEL)} {printable(text)}" for label, text in rows if text]
