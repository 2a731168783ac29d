"""The base classes of commands, and how their errors are shown."""

from __future__ import annotations

import argparse
import atexit
import os
import sys
from collections.abc import Callable, Iterable
from errno import EDQUOT, EFBIG, EIO, ENOSPC
from functools import partial, wraps
from typing import Any, ClassVar

from scrapy.exceptions import UsageError
from scrapy.settings import Settings
from scrapy.utils.project import inside_project

from mediacrawl.base.nearest import did_you_mean
from mediacrawl.base.text import printable, say, terminal_width, wrapped
from mediacrawl.crawl.setting_checks import SettingsError, check_settings

INTERRUPTED = 130
"""Exit code after Ctrl-C (128 and the number of the signal)."""

_UNWRITTEN = frozenset({ENOSPC, EDQUOT, EFBIG, EIO})


class Shown:
    """The base of commands: they end quietly when `head` closes the pipe, and with a sentence at any other OSError.

    Errors and the usage are broken at the width of the terminal. To be named before `ScrapyCommand`.

    Attributes:
        usage: what may follow the name of the command.
        summary: one line for the list of all commands.
        description: the text of ``-h``.
    """

    usage: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    description: ClassVar[str] = ""
    settings: Settings | None

    @property
    def _settings(self) -> Settings:
        """The settings, which Scrapy has set before it reads the options."""
        assert self.settings is not None
        return self.settings

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name in {"process_options", "run"} & vars(cls).keys():
            setattr(cls, name, shown(vars(cls)[name]))

    def syntax(self) -> str:
        """Return the usage."""
        return _broken(self.usage or super().syntax(), " " * 24)  # type: ignore[misc]

    def short_desc(self) -> str:
        """Return the summary."""
        return self.summary or super().short_desc()  # type: ignore[misc]

    def long_desc(self) -> str:
        """Return the description."""
        return self.description or super().long_desc()  # type: ignore[misc]


def shown(method: Callable[..., None]) -> Callable[..., None]:
    """Make a function end the process as `Shown` says."""

    @wraps(method)
    def run(*args: Any) -> None:
        failures = getattr(args[0], "failures", ()) if args else ()
        try:
            try:
                method(*args)
            except failures as error:
                args[0]._fail(str(error))  # noqa: SLF001 - the command's own
            finally:
                sys.stdout.flush()
        except BrokenPipeError:
            leave_output()
            sys.exit(0)
        except OSError as error:
            # A file that is open already, such as the standard output, has no name here.
            where = error.filename or ("the output" if error.errno in _UNWRITTEN else "")
            say(printable(f"{where}{where and ': '}{error.strerror or error}"), sys.stderr)
            leave_output()
            sys.exit(1)
        except UsageError as error:
            raise UsageError(_broken(str(error), "mediacrawl: error:")) from error

    return run


def _broken(text: str, before: str) -> str:
    """Break a text at the width of the terminal, with room for what Scrapy writes before it."""
    return wrapped(f"{before} {text}", terminal_width(sys.stderr))[len(before) + 1 :]


@atexit.register
def _close_output() -> None:
    """Write what is left of a help text. What Scrapy prints is not `shown`."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        leave_output()


class Checked(Shown):
    """The base of our commands, to be named before `ScrapyCommand`: checks the settings.

    Outside a project, where Scrapy has only its default settings, ours are used.
    """

    exitcode: int

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options and check the settings.

        Raises:
            UsageError: a setting is invalid; one sentence for each.
        """
        if not inside_project():
            self._settings.setmodule("mediacrawl.settings", priority="project")
        super().process_options(args, opts)  # type: ignore[misc]
        try:
            check_settings(self._settings, lambda _, sentence: say(printable(f"warning: {sentence}"), sys.stderr))
        except SettingsError as error:
            raise UsageError(str(error)) from error

    def _fail(self, sentences: str, code: int = 1) -> None:
        """Print what went wrong, and end with an exit code."""
        for sentence in sentences.splitlines():
            say(printable(sentence), sys.stderr)
        self.exitcode = code


class OwnCommand(Checked):
    """The base of commands that are not Scrapy's, to be named before `ScrapyCommand`. They log nothing."""

    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    failures: ClassVar[tuple[type[Exception], ...]] = ()
    """Errors whose message is printed, a sentence a line; the exit code is then 1."""

    verbs: ClassVar[Any] = {}
    """Subcommands, done by the methods of their names, as `_add`, and the argument of each: None, ``one SITE``, or
    ``FILE ...`` for any number, which the method checks."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options and check the settings.

        Raises:
            UsageError: a setting or an option is invalid, or there is an argument where ``usage`` has none.
        """
        # Scrapy hands on options that it does not know.
        refuse_options(args[: args.index("--")] if "--" in args else args)
        super().process_options(args, opts)
        if args and self.usage in {"", "[options]"}:
            raise UsageError(f"mediacrawl {self._name} takes no arguments, but got {args[0]!r}")

    @property
    def _name(self) -> str:
        return type(self).__module__.rpartition(".")[2]

    def _subcommand(self, args: list[str], default: str) -> Callable[[], None]:
        """Return what runs the subcommand that is named, or the default one.

        Raises:
            UsageError: it is not known, or has the wrong number of arguments.
        """
        verb, *words = args or [default]
        if verb not in self.verbs:
            known = f"use one of {', '.join(self.verbs)}{did_you_mean(verb, self.verbs)}"
            raise UsageError(f"{verb!r} is not known; {known}" if verb else known)
        wanted = self.verbs[verb] or "no further word"
        if not wanted.endswith("...") and len(words) != wanted.startswith("one "):
            raise UsageError(f"{self._name} {verb} takes {wanted}")
        return partial(getattr(self, f"_{verb}"), *words)


def leave_output() -> None:
    """Discard further output after the reader (`head`, `less`) has closed the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse_options(words: Iterable[str], hint: str = "") -> None:
    """Refuse unknown options, which Scrapy passes on as arguments.

    Raises:
        UsageError: one is an option.
    """
    for word in words:
        if word.startswith("-") and len(word) > 1:
            raise UsageError(f"unknown option {word}{hint and '; '}{hint}")
