"""``mediacrawl``: Scrapy's command line with our settings, so that it also works outside a checkout."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from scrapy.cmdline import execute
from scrapy.utils.project import get_project_settings

from mediacrawl.crawl import scrapy_internals
from mediacrawl.nearest import did_you_mean
from mediacrawl.observe.text import printable
from mediacrawl.versions import versions

_PROGRAM = "mediacrawl"


def main() -> None:
    """Run Scrapy. A settings module that is set already is kept."""
    os.environ.setdefault("SCRAPY_SETTINGS_MODULE", "mediacrawl.settings")
    words = sys.argv[1:]
    if words[:1] == ["--version"]:
        print(versions())
        return
    commands = scrapy_internals.commands(get_project_settings())
    name = next((word for word in words if not word.startswith("-")), "")
    if commands and not name:
        print(_help(commands))
    elif commands and name not in commands:
        hint = did_you_mean(name, commands)
        message = f"{_PROGRAM}: error: there is no command {name!r}{hint or ';'} {_PROGRAM} --help lists all commands"
        print(printable(message), file=sys.stderr)
        sys.exit(2)
    else:
        scrapy_internals.name_program(_PROGRAM, commands)
        execute()


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
