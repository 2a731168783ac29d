"""What a site adapter does with a URL and how often that succeeds, in sentences for operators."""

from __future__ import annotations

from mediacrawl.base.queued import ADAPTER, QueuedRequest
from mediacrawl.site_adapters import Miss, SiteAdapter, data_request
from mediacrawl.watch.adapter_counts import AdapterCounts, figures


def data_url(adapter: SiteAdapter, slots: dict[str, str]) -> tuple[str, str]:
    """Return the first data URL of a page, and its mark in the frontier; both empty if the page's URL has none."""
    if adapter.fetches_page:
        return "", ""
    try:
        return data_request(adapter, 1, slots).url, adapter.mark(1, slots)
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
    """Return whose data request waits, as a sentence without its full stop."""
    of = f" of {len(adapter.requests)}" if adapter is not None else ""
    number = f", page {queued.number} of the list" if queued.number > 1 else ""
    if adapter is None or adapter.digest != queued.digest:
        state = ": the adapter was changed or removed, so the page is requested"
    elif counts.off:
        state = ": the adapter is switched off, so the page is requested"
    else:
        state = f" ({figures(counts)})"
    return f"request {queued.step}{of} of the adapter {queued.adapter} for {page}{number}{state}"


def marked(url: str, adapter: SiteAdapter) -> str:
    """Return the URL in the frontier of a data request that needs no slot later, as most do."""
    return f"{url}#{ADAPTER}:{adapter.name}"
