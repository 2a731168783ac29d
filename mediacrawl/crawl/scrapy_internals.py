"""The places where we lean on what Scrapy keeps to itself. All of them, so that a new Scrapy is checked in one file.

Tried with Scrapy 2.19. Each has a fallback that is slower or later, never wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn

from scrapy import cmdline

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.commands import ScrapyCommand
    from scrapy.core.engine import ExecutionEngine
    from scrapy.settings import BaseSettings


def wake(engine: ExecutionEngine) -> None:
    """Let the engine ask the scheduler now. Without this it asks at its heartbeat, up to 5 s late."""
    slot = getattr(engine, "_slot", None)
    nextcall = getattr(slot, "nextcall", None)
    if nextcall is not None:
        nextcall.schedule()


def is_closing(engine: ExecutionEngine) -> bool:
    """Whether the crawl is coming to its end. Without this, code that waits for the end would wait forever."""
    return getattr(getattr(engine, "_slot", None), "closing", None) is not None


def in_progress(engine: ExecutionEngine) -> set[Request]:
    """Return the requests that the engine still works on, from the downloader to the last item pipeline."""
    slot = getattr(engine, "_slot", None)
    requests: set[Request] | None = getattr(slot, "inprogress", None)
    if requests is not None:
        return requests
    scraper = engine.scraper.slot
    return set(engine.downloader.active) | (scraper.active if scraper else set())


def is_downloaded(engine: ExecutionEngine, request: Request) -> bool:
    """Whether the downloader and its middlewares have a request, and the spider has not got its answer yet.

    Without this what a middleware makes of a request (a retry, a redirect) counts as a new request of the spider.
    """
    scraped = getattr(engine.scraper.slot, "active", ())
    return request in in_progress(engine) and request not in scraped


def refuse_queued(engine: ExecutionEngine, refusal: Callable[[Request], Exception | None]) -> None:
    """End requests that wait in the downloader's slots. Without this they go out, as many as Scrapy lets in at a time.

    Args:
        engine: the crawl's.
        refusal: the error a waiting request ends with; None lets it wait on.
    """
    for slot in engine.downloader.slots.values():
        for entry in list(slot.queue):
            error = refusal(entry[0])
            if error is not None:
                slot.queue.remove(entry)
                entry[1].errback(error)


def since_sent(engine: ExecutionEngine, request: Request) -> float | None:
    """Seconds since the slot of `request` sent its last request: this one, if it sends one at a time."""
    slot = engine.downloader.slots.get(request.meta.get("download_slot", ""))
    return max(monotonic() - slot.lastseen, 0.0) if slot is not None and slot.lastseen else None


def command_objects(settings: BaseSettings, *, inproject: bool) -> dict[str, ScrapyCommand]:
    """Name of each command -> the command. Without this Scrapy lists them, and none is completed in a shell."""
    find = getattr(cmdline, "_get_commands_dict", None)
    return {} if find is None else dict(find(settings, inproject))


def name_program(program: str, known: Iterable[str]) -> None:
    """Let the help and the errors of commands name the program that was started. Without this they say ``scrapy``."""
    parser = getattr(cmdline, "ScrapyArgumentParser", None)
    if parser is None:
        return
    typed = re.compile(rf"\bscrapy (?=(?:{'|'.join(map(re.escape, known))})\b)")

    class Named(parser):  # type: ignore[misc, valid-type]
        """Scrapy's parser, with another name of the program."""

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs, prog=program)

        def format_help(self) -> str:
            return typed.sub(f"{program} ", super().format_help())

        def format_usage(self) -> str:
            return typed.sub(f"{program} ", super().format_usage())

        def error(self, message: str) -> NoReturn:
            super().error(typed.sub(f"{program} ", message))
            raise AssertionError

    cmdline.ScrapyArgumentParser = Named  # type: ignore[misc]
