"""``scrapy check``, which sends the requests of contracts immediately, as in any Scrapy project."""

from __future__ import annotations

import argparse

from scrapy.commands.check import Command as CheckCommand

from mediacrawl.commands.at_once import ask_at_once
from mediacrawl.commands.own import Checked


class Command(Checked, CheckCommand):
    """Scrapy's command."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options."""
        super().process_options(args, opts)
        ask_at_once(self._settings)
