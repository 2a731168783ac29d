"""The places where we lean on what Scrapy keeps to itself. All of them, so that a new Scrapy is checked in one file.

Tried with Scrapy 2.19. Each has a fallback that is slower or later, never wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.core.engine import ExecutionEngine


def wake(engine: ExecutionEngine) -> None:
    """Let the engine ask the scheduler now. Without this it asks at its heartbeat, up to 5 s late."""
    slot = getattr(engine, "_slot", None)
    nextcall = getattr(slot, "nextcall", None)
    if nextcall is not None:
        nextcall.schedule()


def in_progress(engine: ExecutionEngine) -> set[Request]:
    """The requests that the engine still works on, from the downloader to the last item pipeline."""
    slot = getattr(engine, "_slot", None)
    requests: set[Request] | None = getattr(slot, "inprogress", None)
    if requests is not None:
        return requests
    scraper = engine.scraper.slot
    return set(engine.downloader.active) | (scraper.active if scraper else set())
