"""``scrapy fetch``, which asks now, as in any Scrapy project, and not when a crawl would."""

from __future__ import annotations

from scrapy.commands.fetch import Command as FetchCommand

from mediacrawl.commands.at_once import AtOnce


class Command(AtOnce, FetchCommand):
    """Scrapy's command."""
