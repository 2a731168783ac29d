"""``scrapy shell``, which asks now, as in any Scrapy project, and not when a crawl would."""

from __future__ import annotations

from scrapy.commands.shell import Command as ShellCommand

from mediacrawl.commands.at_once import AtOnce


class Command(AtOnce, ShellCommand):
    """Scrapy's command."""
