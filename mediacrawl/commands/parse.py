"""``scrapy parse``, which sends its requests immediately, as in any Scrapy project."""

from __future__ import annotations

import argparse
from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy.commands.parse import Command as ParseCommand
from scrapy.exceptions import UsageError
from scrapy.http import Response
from scrapy.spiderloader import get_spider_loader
from twisted.internet.defer import Deferred

from mediacrawl.commands import Checked
from mediacrawl.commands.at_once import ask_at_once, check_urls, list_at_once
from mediacrawl.commands.listing import ListingScheduler
from mediacrawl.crawl.arguments import mistakes
from mediacrawl.crawl.interfaces import find_lease_holder
from mediacrawl.crawl.request_serialization import is_ours

if TYPE_CHECKING:
    from collections.abc import Callable

_MEDIA = "media"


class Command(Checked, ParseCommand):
    """Scrapy's command. The links that the media spider finds are shown as requests."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options.

        Raises:
            UsageError: the URL may not be requested, for want of a contact, or the spider has its requests made of a
            list.
        """
        super().process_options(args, opts)
        assert self.settings is not None
        check_urls(self.settings, args)
        loader = get_spider_loader(self.settings)
        prepare = ask_at_once
        if opts.spider in loader.list() and is_ours(loader.load(opts.spider)):
            prepare = list_at_once
            if told := mistakes(opts.spargs, loader.load(opts.spider)):
                raise UsageError("\n".join(told))
            if opts.spider != _MEDIA:
                raise UsageError(f"the spider {opts.spider} asks for what was stored before; use --spider media")
        prepare(self.settings, pipelines=opts.pipelines, delays=opts.depth > 1)

    def run_callback(
        self, response: Response, callback: Callable[..., Any], cb_kwargs: dict[str, Any] | None = None
    ) -> Deferred[Any]:
        """The results of a callback, and what it added to our scheduler."""
        given = super().run_callback(response, callback, cb_kwargs)
        scheduler = find_lease_holder(self.pcrawler)
        # Not isinstance: Scrapy's base class says yes for every scheduler.
        if type(scheduler) is ListingScheduler:
            return given.addCallback(lambda output: list(chain(output, scheduler.take_found())))
        return given
