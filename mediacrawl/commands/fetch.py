"""``scrapy fetch``, which sends its requests immediately, as in any Scrapy project."""

from __future__ import annotations

from scrapy.commands.fetch import Command as FetchCommand

from mediacrawl.commands.at_once import AtOnce


class Command(AtOnce, FetchCommand):
    """Scrapy's command."""
