"""``scrapy version``, which tells ours as well."""

from __future__ import annotations

import argparse

from scrapy.commands.version import Command as VersionCommand

from mediacrawl.encoding.native import description
from mediacrawl.versions import versions


class Command(VersionCommand):
    """Scrapy's command."""

    def short_desc(self) -> str:
        """One line for ``scrapy -h``."""
        return "Print the versions of mediacrawl and Scrapy"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print them; with ``-v`` those of all libraries as well, and whether the native part prices texts."""
        print(versions())
        if opts.verbose:
            print(f"Encoding detection: {description()}")
            super().run(args, opts)
