"""Commands for ``scrapy`` and ``mediacrawl``.

Each also works outside of a project, by its entry point, where mediacrawl is installed.
"""

from __future__ import annotations

import argparse
import atexit
import os
import sys
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TextIO

from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import inside_project

from mediacrawl.config.setting_checks import SettingsError, check_settings
from mediacrawl.observe.text import printable, terminal_width, wrapped

INTERRUPTED = 130
"""Exit code after Ctrl-C (128 and the number of the signal)."""


class Shown:
    """The base of commands that end quietly when `head` closes the pipe, and break errors at a terminal's width.

    To be named before `ScrapyCommand`.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in {"process_options", "run"} & vars(cls).keys():
            setattr(cls, name, shown(vars(cls)[name]))
        if syntax := vars(cls).get("syntax"):
            cls.syntax = lambda self: _broken(syntax(self), " " * 24)  # type: ignore[attr-defined]


def shown(method: Callable[..., None]) -> Callable[..., None]:
    """Make a function end the process quietly when the reader of its output has left, see `Shown`."""

    @wraps(method)
    def run(*args: Any) -> None:
        try:
            method(*args)
        except BrokenPipeError:
            leave_output()
            sys.exit(0)
        except UsageError as error:
            raise UsageError(_broken(str(error), "mediacrawl: error:")) from error

    return run


def _broken(text: str, before: str) -> str:
    """Break a text at the width of the terminal, with room for what Scrapy writes before it."""
    return wrapped(f"{before} {text}", terminal_width(sys.stderr))[len(before) + 1 :]


@atexit.register
def _close_output() -> None:
    """Write what is left; of a full disk Python tells by itself."""
    try:
        sys.stdout.flush()
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            leave_output()


class Checked(Shown):
    """The base of our commands, to be named before `ScrapyCommand`: checks the settings.

    Outside a project, where Scrapy has only its default settings, ours are used.
    """

    settings: Settings | None
    exitcode: int

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options and check the settings.

        Raises:
            UsageError: a setting is invalid; one sentence for each.
        """
        assert self.settings is not None
        if not inside_project():
            self.settings.setmodule("mediacrawl.settings", priority="project")
        super().process_options(args, opts)  # type: ignore[misc]
        try:
            check_settings(self.settings, _warn)
        except SettingsError as error:
            raise UsageError(str(error)) from error

    def _fail(self, sentences: str, code: int = 1) -> None:
        """Say what went wrong, and end with an exit code."""
        for sentence in sentences.splitlines():
            say(printable(sentence), sys.stderr)
        self.exitcode = code


def _warn(_: str, sentence: str) -> None:
    say(printable(f"warning: {sentence}"), sys.stderr)


def say(text: str, stream: TextIO | None = None, *, flush: bool = False, as_is: bool = False) -> None:
    """Print text, with escapes for characters that the output cannot encode, broken at the width of a terminal.

    Args:
        text: printable.
        stream: standard output if left out.
        flush: whether to flush.
        as_is: whether long lines stay whole: they are for programs.
    """
    stream = stream or sys.stdout
    encoding = stream.encoding or "ascii"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    print(text if as_is else wrapped(text, terminal_width(stream)), file=stream, flush=flush)


def leave_output() -> None:
    """Discard further output after the reader (`head`, `less`) has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_options(words: Iterable[str], hint: str = "") -> None:
    """Refuse unknown options, which Scrapy passes on as arguments.

    Args:
        words: arguments; ``-`` alone is no option.
        hint: added to the error.

    Raises:
        UsageError: one is an option.
    """
    for word in words:
        if word.startswith("-") and len(word) > 1:
            raise UsageError(f"unknown option {word}{hint and '; '}{hint}")
