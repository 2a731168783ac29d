"""The site adapters in the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mediacrawl.observe.format import count
from mediacrawl.observe.status import CrawlStatus
from mediacrawl.report.plots import text
from mediacrawl.site_adapters.counts import AdapterCounts
from mediacrawl.site_adapters.explaining import ranked

_LONGEST = 300
"""Characters of a URL."""


@dataclass(frozen=True, slots=True)
class AdapterRow:
    """A site adapter in the table of adapters.

    Attributes:
        name: of the adapter.
        tried, hit, missed: see `site_adapters.counts.AdapterCounts`.
        off: whether it is switched off.
        example: URL of the page of the last miss; empty without one.
        why: what was missed there.
    """

    name: str
    tried: int
    hit: int
    missed: int
    off: bool
    example: str
    why: str


def adapter_counts(ordered: Sequence[CrawlStatus]) -> dict[str, AdapterCounts]:
    """Return the counts of each adapter from the states of all processes, the newest last.

    Each process knows what all have counted, and the one that counted longest the most.
    """
    known: dict[str, AdapterCounts] = {}
    for status in ordered:
        for name, kept in status.adapters.items():
            counts, before = AdapterCounts.load(kept), known.get(name)
            if before is None or counts.digest != before.digest or counts.tried >= before.tried:
                known[name] = counts
    return known


def adapter_rows(ordered: Sequence[CrawlStatus]) -> list[AdapterRow]:
    """Return the adapters of all processes, those that are switched off first."""
    return [
        AdapterRow(name, each.tried, each.hit, each.missed, each.off, each.example[:_LONGEST], each.why)
        for name, each in ranked(adapter_counts(ordered))
    ]


def adapters_section(rows: Sequence[AdapterRow]) -> str:
    """The table of adapters; empty without one."""
    if not rows:
        return ""
    head = "<th>adapter</th><th class='n'>tried</th><th class='n'>hit</th><th class='n'>missed</th><th>state</th>"
    head += "<th>last miss</th><th>page</th>"
    lines = "".join(map(_row, rows))
    about = "Pages whose data were asked for in place of the page, or beside it. An adapter is switched off after"
    about += " ADAPTER_MISSES misses in a row, until its file is changed."
    return f'<p>{about}</p><div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>'


def _row(row: AdapterRow) -> str:
    numbers = "".join(f'<td class="n">{count(each)}</td>' for each in (row.tried, row.hit, row.missed))
    state = '<span class="bad">switched off</span>' if row.off else "on"
    miss = f'<td class="long">{text(row.why)}</td><td class="long soft">{text(row.example)}</td>'
    return f'<tr><th scope="row"><code>{text(row.name)}</code></th>{numbers}<td>{state}</td>{miss}</tr>'
