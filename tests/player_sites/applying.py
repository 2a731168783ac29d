"""Applies site adapters to pages of a server, as the crawl does, in one process and without delays."""

from collections.abc import Callable, Mapping

from mediacrawl.site_adapters.engine import Answer, FoundRecord, data_request, page_slots, read_answer
from mediacrawl.site_adapters.form import SiteAdapter

Get = Callable[[str, Mapping[str, str]], tuple[int, str, bytes]]
"""Requests a URL with headers; answers status, media type and body."""
MOST_ANSWERS = 20
"""Parts of a list that are read."""


def records_of(adapter: SiteAdapter, page: str, get: Get) -> list[FoundRecord]:
    """The records that an adapter finds for a page, those of all parts of a list.

    Args:
        adapter: of the page's site.
        page: absolute URL.
        get: requests a URL.

    Raises:
        Miss: the page or an answer is not as the adapter says.
        AssertionError: the URL is no page of the adapter, or a data request is not answered by status 200.
    """
    slots = adapter.match(page)
    assert slots is not None, f"{page} is no page of the adapter"
    if adapter.fetches_page:
        _, kind, body = get(page, {})
        slots = page_slots(adapter, slots, body, page, kind)
    for step in range(1, len(adapter.requests) + 1):
        asked = data_request(adapter, step, slots)
        answer = _read(adapter, step, slots, asked.url, asked.headers, get)
        slots = dict(answer.slots)
    found = list(answer.records)
    for number in range(2, MOST_ANSWERS + 1):
        if not answer.next:
            break
        answer = _read(adapter, step, slots, answer.next, asked.headers, get, number)
        found += answer.records
    return found


def _read(
    adapter: SiteAdapter,
    step: int,
    slots: Mapping[str, str],
    url: str,
    headers: Mapping[str, str],
    get: Get,
    number: int = 1,
) -> Answer:
    status, kind, body = get(url, headers)
    assert status == 200, f"{url} is answered by status {status}"
    return read_answer(adapter, step, slots, body, url, content_type=kind, page_number=number)
