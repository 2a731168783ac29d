"""Which mediacrawl and which Scrapy this is, for ``--version`` and reports of errors."""

import scrapy

from mediacrawl import __version__


def versions() -> str:
    """Both versions, on one line."""
    return f"mediacrawl {__version__} (Scrapy {scrapy.__version__})"
