"""``scrapy view``, which asks now, as in any Scrapy project, and not when a crawl would."""

from __future__ import annotations

from scrapy.commands.view import Command as ViewCommand

from mediacrawl.commands.at_once import AtOnce


class Command(AtOnce, ViewCommand):
    """Scrapy's command."""
