"""Doors for the terminal: what ``scrapy`` can do in this project beside Scrapy's own commands.

Each also works outside of a project, by its entry point, where mediacrawl is installed.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import inside_project

from mediacrawl.observe.text import printable
from mediacrawl.setting_checks import SettingsError, check_settings

INTERRUPTED = 130
"""Exit code of a program that was ended by Ctrl-C (128 and the number of the signal)."""


class Checked:
    """What our commands have in common; to be named before `ScrapyCommand`.

    Outside a project ``scrapy`` has no settings of a crawl, and they take ours, as ``mediacrawl`` does.
    """

    settings: Settings | None

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options, and see that the settings can be used.

        Raises:
            UsageError: one cannot; the message has one sentence for each.
        """
        assert self.settings is not None
        if not inside_project():
            self.settings.setmodule("mediacrawl.settings", priority="project")
        super().process_options(args, opts)  # type: ignore[misc]
        try:
            check_settings(self.settings, _warn)
        except SettingsError as error:
            raise UsageError(str(error), print_help=False) from error


def _warn(_: str, sentence: str) -> None:
    say(printable(f"warning: {sentence}"), sys.stderr)


def say(text: str, stream: TextIO | None = None, *, flush: bool = False) -> None:
    """Print on an output that may not know all characters.

    Args:
        text: what is to be said, harmless to a terminal already.
        stream: where; left out, the standard output.
        flush: whether it must be seen at once.
    """
    stream = stream or sys.stdout
    encoding = stream.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding), file=stream, flush=flush)


def leave_output() -> None:
    """The reader (`head`, `less`) has seen enough; Python must not complain at exit that nobody listens."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_options(words: Iterable[str], hint: str = "") -> None:
    """Refuse what looks like an option. Scrapy hands on what it does not know, so a misspelt one is seen here.

    Args:
        words: of the command line that are to be no options; ``-`` alone is none.
        hint: what else may have been meant.

    Raises:
        UsageError: one is.
    """
    for word in words:
        if word.startswith("-") and len(word) > 1:
            raise UsageError(f"unknown option {word}{hint and '; '}{hint}", print_help=False)
