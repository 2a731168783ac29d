"""``scrapy shell``, which sends its requests immediately, as in any Scrapy project."""

from __future__ import annotations

from scrapy.commands.shell import Command as ShellCommand

from mediacrawl.commands.at_once import AtOnce


class Command(AtOnce, ShellCommand):
    """Scrapy's command."""
