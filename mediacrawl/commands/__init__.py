"""Doors for the terminal: what ``scrapy`` can do in this project beside Scrapy's own commands.

Each also works outside of a project, by its entry point, where mediacrawl is installed.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy.exceptions import UsageError

INTERRUPTED = 130
"""Exit code of a program that was ended by Ctrl-C (128 and the number of the signal)."""


def refuse_options(words: Iterable[str]) -> None:
    """Refuse what looks like an option. Scrapy hands on what it does not know, so a misspelt one is seen here.

    Args:
        words: of the command line that are to be no options; ``-`` alone is none.

    Raises:
        UsageError: one is.
    """
    for word in words:
        if word.startswith("-") and len(word) > 1:
            raise UsageError(f"unknown option {word}", print_help=False)
