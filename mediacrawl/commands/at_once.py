"""Settings under which Scrapy's own commands request one URL immediately, as in any Scrapy project."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings
from scrapy.utils.url import guess_scheme

from mediacrawl.addon import switch_on
from mediacrawl.commands.own import Checked
from mediacrawl.crawl.arguments import ArgumentError, check_contact
from mediacrawl.crawl.own_settings import OwnSettings
from mediacrawl.scope import canonical

_DELAY = "mediacrawl.middlewares.AdaptiveDelayMiddleware"
_OUR_REDIRECTS = "mediacrawl.middlewares.RedirectCapMiddleware"
_REDIRECTS = "scrapy.downloadermiddlewares.redirect.RedirectMiddleware"
_LOCAL = ("file", "data")
_DELAYS = (
    *("POLITENESS_FACTOR", "POLITENESS_MIN_DELAY", "POLITENESS_FIRST_DELAY"),
    *("POLITENESS_ADDRESS_FACTOR", "POLITENESS_ADDRESS_MIN_DELAY"),
)


class AtOnce(Checked):
    """Base of ``fetch``, ``shell`` and ``view``; to be named before Scrapy's own class."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options.

        Raises:
            UsageError: the contact does not allow the URL, or a setting is invalid.
        """
        super().process_options(args, opts)
        check_urls(self._settings, args)
        ask_at_once(self._settings)


def ask_at_once(settings: BaseSettings, *, pipelines: bool = False, delays: bool = False) -> None:
    """Let a command send requests without a frontier and without a delay.

    Requesting one page is no crawl. robots.txt, NeverCrawl, the contact, the address guard and the request log work as
    usual; nothing but lines of that log is stored. Settings of a spider or the command line stay.

    Args:
        settings: the command's, before it has a crawler; changed.
        pipelines: whether items go through the item pipelines.
        delays: whether delays apply, for a command that may send many requests.
    """
    switch_on(settings)
    off = {_OUR_REDIRECTS} if delays else {_OUR_REDIRECTS, _DELAY}
    middlewares = settings.getdict("DOWNLOADER_MIDDLEWARES")
    handlers = settings.getdict("DOWNLOAD_HANDLERS")
    changed = {
        "SCHEDULER": default_settings.SCHEDULER,
        "DOWNLOADER_MIDDLEWARES": {
            path: None if path in off else order for path, order in middlewares.items() if path != _REDIRECTS
        },
        "DOWNLOAD_HANDLERS": {scheme: handler for scheme, handler in handlers.items() if scheme not in _LOCAL},
    }
    keep_nothing(settings, changed, pipelines=pipelines, delays=delays)


def keep_nothing(settings: BaseSettings, changed: dict[str, Any], *, pipelines: bool, delays: bool) -> None:
    """Switch off what keeps something of a crawl, and the delays; make other changes too."""
    extensions = settings.getdict("EXTENSIONS")
    changed["JOBDIR"] = None
    changed["EXTENSIONS"] = {
        path: None if str(path).startswith("mediacrawl.") else order for path, order in extensions.items()
    }
    if not pipelines:
        changed["ITEM_PIPELINES"] = {}
    if delays:
        changed["POLITENESS_FIRST_DELAY"] = OwnSettings(settings).getfloat("POLITENESS_MIN_DELAY")
    else:
        changed |= dict.fromkeys(_DELAYS, 0.0)
    settings.setdict(changed, priority=SETTINGS_PRIORITIES["project"])


def check_urls(settings: BaseSettings, urls: Iterable[str]) -> None:
    """Check that the contact allows URLs of the command line.

    Args:
        settings: the command's.
        urls: as typed; what is no URL is left to the command.

    Raises:
        UsageError: one is not allowed.
    """
    known = [url for typed in urls if (url := canonical(guess_scheme(typed))) is not None]
    try:
        check_contact(settings, known)
    except (ArgumentError, ValueError) as error:
        raise UsageError(str(error)) from error
