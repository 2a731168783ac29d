"""``scrapy crawl``, which checks the spider's arguments before it starts."""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys
from collections import Counter
from functools import cached_property

from scrapy import Spider
from scrapy.commands.crawl import Command as CrawlCommand
from scrapy.crawler import Crawler
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings
from scrapy.spiderloader import SpiderLoaderProtocol, get_spider_loader
from scrapy.utils.log import configure_logging

from mediacrawl import settings as ours
from mediacrawl.base.nearest import did_you_mean
from mediacrawl.base.text import say
from mediacrawl.commands.own import Shown, refuse_options
from mediacrawl.crawl.arguments import ArgumentError, listed, mistakes
from mediacrawl.crawl.context import gives_leases
from mediacrawl.crawl.own_settings import is_of_fleet, state_folder
from mediacrawl.crawl.policies import address_policy, frontier_policy
from mediacrawl.crawl.request_serialization import is_ours
from mediacrawl.crawl.setting_checks import unknown_names, wrong_values
from mediacrawl.frontier.contract import FrontierLostError
from mediacrawl.pipelines.mojibake import use_settings
from mediacrawl.spiders.base import NEEDS_SCHEDULER
from mediacrawl.watch.worker_stats import LOST

logger = logging.getLogger(__name__)

_FAILED = frozenset(
    {
        *("breaker", "catalogue_error", "frontier_error", "log_error", "mojibake_error", "network_down"),
        *("redis_error", "seed_error", "start_error", "store_error"),
    }
)
"""Finish reasons of a crawl that could not start or continue."""


class Command(Shown, CrawlCommand):
    """Scrapy's command. Mistakes are reported before the crawl starts, a sentence for each, with exit code 2.

    Scrapy's own INFO messages are hidden for our spiders, unless LOG_LEVEL, LOG_FILE or ``-v`` is given.
    """

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add to Scrapy's options ``-h``, which waits until the spider is known, and ``-v``."""
        super().add_options(parser)
        parser.add_argument("-h", "--help", action="store_true", help="show this help message and exit")
        parser.add_argument(
            "-v",
            "--verbose",
            action="store_true",
            help="show Scrapy's own messages and all stats as well, as with -s LOG_LEVEL=INFO",
        )
        self._parser = parser

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options, and check that the crawl can start.

        Raises:
            UsageError: it cannot; the message says why, and what to do.
        """
        if opts.help:
            spider, known = args[0] if args else "", self._spiders.list()
            shown = f"With a spider, -h lists its arguments as well: {', '.join(sorted(known))}"
            if spider in known:
                takes = getattr(self._spiders.load(spider), "takes", ())
                shown = listed(takes, spider) if takes else f"The spider {spider} does not tell its arguments."
            say(f"{self._parser.format_help()}\n{shown}")
            sys.exit(0)
        refuse_options(args, "an argument of a spider is written -a name=value")
        names = Counter(written.partition("=")[0] for written in opts.spargs)
        if twice := [name for name, number in names.items() if number > 1]:
            # Scrapy would silently take the last.
            raise UsageError(f"-a {twice[0]}= is given more than once; several URLs go in one, separated by comma")
        super().process_options(args, opts)
        settings = self._settings
        if opts.verbose and (settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
            settings.set("LOG_LEVEL", "INFO", "cmdline")
        if len(args) != 1:
            spiders = ", ".join(sorted(self._spiders.list()))
            raise UsageError(f"name one spider: {spiders}; as in crawl media -a seed=seeds.txt")
        try:
            self._check_words(args[0], opts.spargs)
            self.check(args[0], opts.spargs, settings)
        except ArgumentError as error:
            if settings.get("LOG_FILE"):
                _log(settings, str(error))
            raise UsageError(str(error)) from error
        if not shows_all(settings) and is_ours(self._spiders.load(args[0])):
            quiet()

    def _check_words(self, name: str, arguments: dict[str, str]) -> None:
        """Check the names and values of arguments and settings, before anything on disk is read.

        Raises:
            ArgumentError: one is invalid; one sentence for each mistake.
        """
        names = self._spiders.list()
        if name not in names:
            hint = did_you_mean(name, names)
            raise ArgumentError(f"there is no spider {name!r}; there are: {', '.join(sorted(names))}{hint}")
        told = [*mistakes(arguments, self._spiders.load(name)), *wrong_values(self._settings)]
        for read in (frontier_policy, address_policy, use_settings) if not told else ():
            # A setting contradicts another one, or names files that cannot be used.
            try:
                read(self._settings)
            except ValueError as error:
                told.append(str(error))
        if told:
            raise ArgumentError("\n".join([*told, *unknown_names(self._settings)]))

    def check(self, spider: str, arguments: dict[str, str], settings: BaseSettings) -> None:
        """Check that a crawl can start.

        Raises:
            ArgumentError: it cannot.
        """
        check = getattr(self._spiders.load(spider), "check_arguments", None)
        if check is None:
            return
        if not gives_leases(settings.get("SCHEDULER")):
            raise ArgumentError(NEEDS_SCHEDULER % spider)
        if spider == "media" and is_of_fleet(settings):
            raise ArgumentError(
                f"the crawl in {state_folder(settings).resolve()} is one of mediacrawl fleet: go on with mediacrawl"
                " fleet -n 1, or name another MEDIACRAWL_DIR"
            )
        check(arguments, settings)

    @cached_property
    def _spiders(self) -> SpiderLoaderProtocol:
        """The spiders by the options, loaded once: each loader copies all settings."""
        return get_spider_loader(self._settings)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Crawl."""
        self._made: list[Crawler] = []
        super().run(args, opts)
        reasons = {crawler.stats.get_value("finish_reason") for crawler in self._made}
        if FrontierLostError.reason in reasons:
            self.exitcode = LOST
        elif reasons & _FAILED or any(crawler.stats.get_value("frontier/failed") for crawler in self._made):
            self.exitcode = 1

    def _create_crawler(self, spidercls: type[Spider] | str) -> Crawler:
        crawler = super()._create_crawler(spidercls)
        self._made.append(crawler)
        return crawler


def _log(settings: Settings, sentences: str) -> None:
    """Write sentences into the log file (scrapyd, cron), where no terminal is watched."""
    # The mistake may be one of these.
    settings.setdict({"LOG_ENABLED": True, "LOG_LEVEL": "CRITICAL"}, priority="cmdline")
    with contextlib.suppress(OSError):
        configure_logging(settings)
        for sentence in sentences.splitlines():
            logger.critical("%s", sentence)


_OWN_LOGGERS = (
    *("scrapy.utils.log", "scrapy.middleware", "scrapy.addons", "scrapy.core.engine", "scrapy.statscollectors"),
    *("scrapy.crawler", "scrapy.extensions.telnet", "scrapy.extensions.memusage"),
)
"""Scrapy's loggers that log versions, settings, components, openings, closings and all stats at INFO."""
_INTERRUPTED = "Received "
"""Beginning of the messages about Ctrl-C, which are shown."""


def shows_all(settings: BaseSettings) -> bool:
    """Whether Scrapy's own messages are shown: LOG_LEVEL was given, or the log goes to a file (scrapyd, cron).

    Args:
        settings: the crawl's. A LOG_LEVEL of the project counts if it differs from ours.
    """
    given = (settings.getpriority("LOG_LEVEL") or 0) > SETTINGS_PRIORITIES["project"]
    return given or settings.get("LOG_LEVEL") != ours.LOG_LEVEL or bool(settings.get("LOG_FILE"))


def quiet() -> None:
    """Show only warnings of Scrapy's own loggers. To be called before Scrapy's crawler process is made.

    Uses filters, because Scrapy's set-up, which comes later, resets the levels.
    """
    for name in _OWN_LOGGERS:
        logging.getLogger(name).addFilter(
            lambda record: record.levelno > logging.INFO or str(record.msg).startswith(_INTERRUPTED)
        )
