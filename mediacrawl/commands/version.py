"""``scrapy version``, with the version of mediacrawl."""

from __future__ import annotations

import argparse

import scrapy
from scrapy.commands.version import Command as VersionCommand

from mediacrawl import __version__
from mediacrawl.base.text import say
from mediacrawl.commands.own import Shown
from mediacrawl.encoding import use_models


class Command(Shown, VersionCommand):
    """Scrapy's command."""

    summary = "Print the versions of mediacrawl and Scrapy"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Print them; with ``-v`` also those of all libraries, and whether the native module is used."""
        say(versions())
        if opts.verbose:
            is_native = use_models().is_native
            say(f"Encoding detection: {'native' if is_native else 'pure Python (the C extension was not built)'}")
            super().run(args, opts)


def versions() -> str:
    """Both versions, on one line."""
    return f"mediacrawl {__version__} (Scrapy {scrapy.__version__})"
