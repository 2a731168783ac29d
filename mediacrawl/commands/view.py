"""``scrapy view``, which sends its requests immediately, as in any Scrapy project."""

from __future__ import annotations

from scrapy.commands.view import Command as ViewCommand

from mediacrawl.commands.at_once import AtOnce


class Command(AtOnce, ViewCommand):
    """Scrapy's command."""
