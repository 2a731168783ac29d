"""``mediacrawl``: Scrapy's command line with our settings, so that it also works outside a checkout."""

from __future__ import annotations

import os
import pkgutil
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec

from scrapy.cmdline import execute
from scrapy.settings import Settings
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.project import ENVVAR, get_project_settings

from mediacrawl.commands import shown
from mediacrawl.commands.version import versions
from mediacrawl.crawl import scrapy_internals
from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.text import printable, say

_PROGRAM = "mediacrawl"
_COMMANDS = "mediacrawl.commands"
_LISTING = "completion"
"""A command that needs all others."""


@shown
def main() -> None:
    """Run Scrapy. A settings module that is set already is kept, and that of a project that is based on ours."""
    words = sys.argv[1:]
    if words[:1] == ["--version"]:
        say(versions())
        return
    settings = _settings()
    name = next((word for word in words if not word.startswith("-")), "")
    if _load_alone(name, settings):
        scrapy_internals.name_program(_PROGRAM, [each.name for each in pkgutil.iter_modules(_paths())])
        execute()
        return
    commands = scrapy_internals.commands(settings)
    if commands and not name:
        say(_help(commands))
    elif commands and name not in commands:
        hint = did_you_mean(name, commands)
        message = f"{_PROGRAM}: error: there is no command {name!r}{hint or ';'} {_PROGRAM} --help lists all commands"
        say(printable(message), sys.stderr)
        sys.exit(2)
    else:
        scrapy_internals.name_program(_PROGRAM, commands)
        execute()


def _settings() -> Settings:
    if ENVVAR not in os.environ and closest_scrapy_cfg():
        settings = get_project_settings()
        if settings["COMMANDS_MODULE"] == _COMMANDS:
            return settings
        os.environ.pop(ENVVAR, None)
    os.environ.setdefault(ENVVAR, "mediacrawl.settings")
    return get_project_settings()


def _load_alone(name: str, settings: Settings) -> bool:
    """Load one command of ours without the others; False if it is not one."""
    if name == _LISTING or settings["COMMANDS_MODULE"] != _COMMANDS or not name.isidentifier():
        return False
    if find_spec(f"{_COMMANDS}.{name}") is None:
        return False
    command = getattr(import_module(f"{_COMMANDS}.{name}"), "Command", None)
    if command is None or command.__module__ != f"{_COMMANDS}.{name}":
        return False
    scrapy_internals.use_only(name, command())
    return True


def _paths() -> list[str]:
    return list(import_module(_COMMANDS).__path__)


def _help(commands: Mapping[str, str]) -> str:
    lines = [f"  {name:<13} {text}" for name, text in sorted(commands.items())]
    return "\n".join(
        [
            versions(),
            "",
            f"Usage: {_PROGRAM} <command> [options] [arguments]",
            "",
            "Commands:",
            *lines,
            "",
            f"{_PROGRAM} <command> -h shows the options of a command,",
            f"{_PROGRAM} crawl media -h the arguments of a crawl too.",
        ]
    )


if __name__ == "__main__":
    main()
