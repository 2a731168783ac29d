"""What an operator asks of a URL: which site adapter it concerns, and how that fares."""

from __future__ import annotations

from collections.abc import Mapping

from mediacrawl.base.format import plural
from mediacrawl.site_adapters.counts import AdapterCounts
from mediacrawl.site_adapters.engine import Miss, data_request
from mediacrawl.site_adapters.form import SiteAdapter
from mediacrawl.site_adapters.queued import ADAPTER, QueuedRequest, mark


def data_url(adapter: SiteAdapter, slots: dict[str, str]) -> tuple[str, str]:
    """Return the first data URL of a page, and its mark in the frontier; both empty if the page's URL has none."""
    if adapter.fetches_page:
        return "", ""
    try:
        return data_request(adapter, 1, slots).url, mark(adapter, 1, slots)
    except Miss:
        return "", ""


def page_in_words(adapter: SiteAdapter, slots: dict[str, str], counts: AdapterCounts) -> str:
    """Return what an adapter does with a page, as a sentence without its full stop."""
    if counts.off:
        missed = f"the last at {counts.example} ({counts.why})"
        return f"the adapter {adapter.name} is switched off, {missed}: the page is requested as an ordinary one"
    if adapter.fetches_page:
        return f"when it was read, its data is asked by the adapter {adapter.name} ({figures(counts)})"
    url, _ = data_url(adapter, slots)
    if not url:
        return f"the adapter {adapter.name} makes no data URL of it: the page is requested as an ordinary one"
    return f"its data is asked at {url} by the adapter {adapter.name} ({figures(counts)})"


def request_in_words(queued: QueuedRequest, page: str, adapter: SiteAdapter | None, counts: AdapterCounts) -> str:
    """Whose data request waits, as a sentence without its full stop."""
    of = f" of {len(adapter.requests)}" if adapter is not None else ""
    number = f", page {queued.number} of the list" if queued.number > 1 else ""
    if adapter is None or adapter.digest != queued.digest:
        state = ": the adapter was changed or removed, so the page is requested"
    elif counts.off:
        state = ": the adapter is switched off, so the page is requested"
    else:
        state = f" ({figures(counts)})"
    return f"request {queued.step}{of} of the adapter {queued.adapter} for {page}{number}{state}"


def figures(counts: AdapterCounts) -> str:
    """Return the counts of an adapter in words."""
    missed = f", {plural(counts.row, 'miss')} in a row" if counts.row > 1 else ""
    return f"{counts.tried:,} tried, {counts.hit:,} hit, {counts.missed:,} missed{missed}"


def marked(url: str, adapter: SiteAdapter) -> str:
    """Return the URL in the frontier of a data request that needs no slot later, as most do."""
    return f"{url}#{ADAPTER}:{adapter.name}"


def summary_lines(counts: Mapping[str, AdapterCounts], most: int = 4) -> list[str]:
    """Return a line for each adapter that was applied, those that are switched off first."""
    lines = [
        f"{name} {figures(each)}{f'; switched off, as {each.example} ({each.why})' if each.off else ''}"
        for name, each in ranked(counts)
    ]
    return lines[:most] + ([f"and {len(lines) - most:,} more"] if len(lines) > most else [])


def ranked(counts: Mapping[str, AdapterCounts]) -> list[tuple[str, AdapterCounts]]:
    """Return the adapters that were applied: those that are switched off, then those that were applied most."""
    used = [(name, each) for name, each in counts.items() if each.tried or each.off]
    return sorted(used, key=lambda pair: (not pair[1].off, -pair[1].tried, pair[0]))
