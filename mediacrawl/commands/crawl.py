"""``scrapy crawl``, which looks at the spider's arguments before it starts anything."""

from __future__ import annotations

import argparse

from scrapy import Spider
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import BaseSettings
from scrapy.spiderloader import get_spider_loader

from mediacrawl.parts import Parts
from mediacrawl.pipelines.mojibake import use_settings
from mediacrawl.spiders.arguments import ArgumentError

_FAILED = frozenset({"catalogue_error", "frontier_error", "store_error", "seed_error", "start_error"})
"""Reasons for the end of a crawl that never was one."""


class Command(CrawlCommand):
    """Scrapy's command. What cannot work is told in one sentence, with exit code 2, before the first line of a log."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options, and see that the crawl can begin.

        Raises:
            UsageError: it cannot; the message says why, and what to do.
        """
        super().process_options(args, opts)
        if len(args) != 1:
            return
        assert self.settings is not None
        try:
            _check(args[0], opts.spargs, self.settings)
        except ArgumentError as error:
            raise UsageError(str(error), print_help=False) from error

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl."""
        self._made: list[Crawler] = []
        super().run(args, opts)
        if any(crawler.stats.get_value("finish_reason") in _FAILED for crawler in self._made):
            self.exitcode = 1

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        crawler = super()._create_crawler(spidercls)
        self._made.append(crawler)
        return crawler


def _check(name: str, arguments: dict[str, str], settings: BaseSettings) -> None:
    loader = get_spider_loader(settings)
    if name not in loader.list():
        raise ArgumentError(f"there is no spider {name!r}; there are: {', '.join(sorted(loader.list()))}")
    check = getattr(loader.load(name), "check_arguments", None)
    if check is not None:
        _check_settings(settings)
        check(arguments, settings)


def _check_settings(settings: BaseSettings) -> None:
    parts = Parts(settings)
    try:
        _ = parts.policy, parts.scores, parts.probe, use_settings(settings)
    except ValueError as error:
        raise ArgumentError(f"a setting cannot be used: {error}") from error
