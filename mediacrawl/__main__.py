"""``mediacrawl``: Scrapy's command line with our settings, so that it also works outside a checkout."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from scrapy.cmdline import execute
from scrapy.commands import ScrapyCommand
from scrapy.settings import Settings
from scrapy.utils.conf import closest_scrapy_cfg
from scrapy.utils.project import ENVVAR, get_project_settings

from mediacrawl import settings as declared
from mediacrawl.base.nearest import did_you_mean
from mediacrawl.base.text import printable, say
from mediacrawl.commands.late import COMMANDS
from mediacrawl.commands.own import shown
from mediacrawl.commands.version import versions
from mediacrawl.crawl import scrapy_internals

_PROGRAM = "mediacrawl"


@shown
def main() -> None:
    """Run Scrapy. A settings module that is set already is kept, and that of a project that is based on ours."""
    words = sys.argv[1:]
    if words[:1] == ["--version"]:
        say(versions())
        return
    settings = _settings()
    name = next((word for word in words if not word.startswith("-")), "")
    commands = scrapy_internals.command_objects(settings, inproject=True)
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
        if settings["COMMANDS_MODULE"] in {COMMANDS, declared.COMMANDS_MODULE}:
            return settings
        os.environ.pop(ENVVAR, None)
    os.environ.setdefault(ENVVAR, "mediacrawl.settings")
    return get_project_settings()


def _help(commands: Mapping[str, ScrapyCommand]) -> str:
    lines = [f"  {name:<13} {command.short_desc()}" for name, command in sorted(commands.items())]
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
