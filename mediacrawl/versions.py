"""The versions of mediacrawl and Scrapy."""

import scrapy

from mediacrawl import __version__


def versions() -> str:
    """Both versions, on one line."""
    return f"mediacrawl {__version__} (Scrapy {scrapy.__version__})"
