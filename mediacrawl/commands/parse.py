"""``scrapy parse``, which sends its requests immediately, and lists the links of the media spider."""

from __future__ import annotations

import argparse
from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.commands.parse import Command as ParseCommand
from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.spiderloader import get_spider_loader
from twisted.internet.defer import Deferred

from mediacrawl.base.terms import Candidate, Lease
from mediacrawl.commands.at_once import ask_at_once, check_urls, keep_nothing
from mediacrawl.commands.own import Checked
from mediacrawl.crawl import request_serialization
from mediacrawl.crawl.arguments import mistakes
from mediacrawl.crawl.intake import Intake
from mediacrawl.crawl.interfaces import find_lease_holder
from mediacrawl.crawl.leases import Leases
from mediacrawl.crawl.request_serialization import is_ours
from mediacrawl.scheduler import PenaltyBoxScheduler

if TYPE_CHECKING:
    from collections.abc import Callable

_MEDIA = "media"
_LISTING = {
    "SCHEDULER": "mediacrawl.commands.parse.ListingScheduler",
    "SCHEDULER_STORE": "memory",
    "PRIORITY": "rules",
}
"""Settings that show what our media spider makes of one response, from a frontier in memory."""


class ListingIntake(Intake):
    """Adds the command's requests and the targets of redirects to the frontier, and lists all other links."""

    found: tuple[Candidate, ...] = ()
    """The links since `ListingScheduler.take_found` was called last."""

    def add(self, candidates: list[Candidate], source: str = "", *, scored: bool = False) -> int:
        """Add what is requested; return the number of new URLs."""
        asked = [each for each in candidates if each.hops or not source]
        self.found += tuple(each for each in candidates if source and not each.hops)
        return super().add(asked, source, scored=scored)

    def serialized(self, request: Request) -> str | None:  # noqa: ARG002 - nothing is stored
        """Return None: requests wait in memory."""
        return None


class ListingLeases(Leases):
    """Gives the command's requests to the spider, with the command's callbacks."""

    def request_of(self, lease: Lease) -> Request | None:
        """Return the spider's request, with the callback and the meta of the command's."""
        request = super().request_of(lease)
        asked = self._intake.held.get(request_serialization.held_key(lease.evidence))
        if request is not None and asked is not None:
            request.callback = asked.callback
            request.cb_kwargs.update(asked.cb_kwargs)
            request.meta.update({name: value for name, value in asked.meta.items() if name not in request.meta})
        return request


class ListingScheduler(PenaltyBoxScheduler):
    """Lists links; only redirects are followed."""

    intake_class = ListingIntake
    leases_class = ListingLeases
    _intake: ListingIntake

    def take_found(self) -> list[Request]:
        """Return the links since the last call, as requests."""
        found, self._intake.found = self._intake.found, ()
        return [Request(each.url) for each in found]


class Command(Checked, ParseCommand):
    """Scrapy's command. The links that the media spider finds are shown as requests."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options.

        Raises:
            UsageError: the URL may not be requested, for want of a contact, or the spider has its requests made of a
            list.
        """
        super().process_options(args, opts)
        check_urls(self._settings, args)
        loader = get_spider_loader(self._settings)
        if opts.spider in loader.list() and is_ours(loader.load(opts.spider)):
            if told := mistakes(opts.spargs, loader.load(opts.spider)):
                raise UsageError("\n".join(told))
            if opts.spider != _MEDIA:
                raise UsageError(f"the spider {opts.spider} asks for what was stored before; use --spider media")
            keep_nothing(self._settings, dict(_LISTING), pipelines=opts.pipelines, delays=opts.depth > 1)
        else:
            ask_at_once(self._settings, pipelines=opts.pipelines, delays=opts.depth > 1)

    def run_callback(
        self, response: Response, callback: Callable[..., Any], cb_kwargs: dict[str, Any] | None = None
    ) -> Deferred[Any]:
        """Return the results of a callback, and what it added to our scheduler."""
        given = super().run_callback(response, callback, cb_kwargs)
        scheduler = find_lease_holder(self.pcrawler)
        # Not isinstance: Scrapy's base class says yes for every scheduler.
        if type(scheduler) is ListingScheduler:
            return given.addCallback(lambda output: list(chain(output, scheduler.take_found())))
        return given
