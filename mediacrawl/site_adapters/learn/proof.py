"""Proves an adapter on recordings: the engine applies it, and finds the recorded requests and the media."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from mediacrawl.site_adapters.engine import Miss, data_request, page_slots, read_answer
from mediacrawl.site_adapters.form import SiteAdapter
from mediacrawl.site_adapters.har.recording import Entry
from mediacrawl.site_adapters.learn.urls import request_key, same_request
from mediacrawl.site_adapters.learn.visits import Visit
from mediacrawl.site_adapters.loading import parse


@dataclass(frozen=True)
class Run:
    """What an adapter finds on a recorded page.

    Attributes:
        media: URLs, in the order of the answer.
        why: the end of a sentence if it finds nothing.
    """

    media: tuple[str, ...] = ()
    why: str = ""


def adapter_of(written: Mapping[str, Any]) -> SiteAdapter:
    """The adapter that a file with this content gives.

    Raises:
        AdapterError: it has faults.
    """
    return parse(json.dumps(written, ensure_ascii=False).encode("utf-8"), str(written.get("name", "site")))


def run(adapter: SiteAdapter, visit: Visit, ignored: Collection[str]) -> Run:
    """Apply an adapter to a recorded page."""
    slots = adapter.match(visit.address)
    if slots is None:
        return Run(why="the page's URL does not match the pattern")
    try:
        if adapter.slots_of_page:
            body = visit.page.html.encode("utf-8", "replace")
            slots = page_slots(adapter, slots, body, visit.address, "text/html; charset=utf-8")
        for step in range(1, len(adapter.requests) + 1):
            asked = data_request(adapter, step, slots)
            entry = _recorded(visit, asked.url, ignored)
            if entry is None:
                return Run(why=f"its data request {step} ({asked.url:.300}) is not in the recording")
            body = (entry.body or "").encode("utf-8", "replace")
            mime = f"{entry.mime or 'text/plain'}; charset=utf-8"
            answer = read_answer(adapter, step, slots, body, entry.url, content_type=mime)
            slots = dict(answer.slots)
    except Miss as miss:
        return Run(why=f"{miss.step}: {miss.why}")
    return Run(tuple(url for record in answer.records for url in record.media))


def _recorded(visit: Visit, url: str, ignored: Collection[str]) -> Entry | None:
    wanted = request_key(url, ignored)
    for answered in visit.answers:
        if request_key(answered.entry.url, ignored) == wanted:
            return answered.entry
    return None


def gives(media: Collection[str], wanted: Collection[str]) -> bool:
    """Whether all URLs of one group are in another."""
    return all(any(same_request(url, other) for other in media) for url in wanted)
