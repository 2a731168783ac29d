"""``scrapy crawl``, which looks at the spider's arguments before it starts anything."""

from __future__ import annotations

import argparse

from scrapy import Spider
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError

from mediacrawl.spiders.arguments import ArgumentError

_FAILED = frozenset({"frontier_error", "seed_error", "start_error"})
"""Reasons for the end of a crawl that never was one."""


class Command(CrawlCommand):
    """Scrapy's command. Bad arguments get one sentence and exit code 2 instead of a traceback."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl.

        Raises:
            UsageError: an argument cannot be used; its message says which, and what to do.
        """
        assert self.crawler_process is not None
        assert self.settings is not None
        if len(args) == 1 and args[0] in self.crawler_process.spider_loader.list():
            check = getattr(self.crawler_process.spider_loader.load(args[0]), "check_arguments", None)
            try:
                if check is not None:
                    check(opts.spargs, self.settings)
            except ArgumentError as error:
                raise UsageError(str(error), print_help=False) from error
        self._made: list[Crawler] = []
        super().run(args, opts)
        if any(crawler.stats.get_value("finish_reason") in _FAILED for crawler in self._made):
            self.exitcode = 1

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        crawler = super()._create_crawler(spidercls)
        self._made.append(crawler)
        return crawler
