"""The commands as Scrapy finds them: it makes an object of each before it runs one.

Each module of `mediacrawl.commands` and `mediacrawl.programs.commands` has a module of its name here, with an object
that imports it when it is used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

from scrapy.commands import ScrapyCommand

COMMANDS = "mediacrawl.commands"

_HELPERS = frozenset({"at_once", "catalogue_lines", "frontier_reader", "late", "on_disk", "own", "why"})
"""Modules that commands share."""

_HERE = Path(__file__).parent
_PACKAGES = {COMMANDS: _HERE, "mediacrawl.programs.commands": _HERE.with_name("programs") / "commands"}
__path__ = [str(folder) for folder in _PACKAGES.values()]
"""Scrapy takes the names of the commands from here."""


def _late(path: str, module: str) -> type[ScrapyCommand]:
    class Command(ScrapyCommand):
        """Has the attributes of a command, which is imported when one of them is read or set."""

        __module__ = module

        def __init__(self) -> None:
            """Import nothing."""

        def __getattribute__(self, attribute: str) -> Any:
            return getattr(command(self), attribute)

        def __setattr__(self, attribute: str, value: object) -> None:
            setattr(command(self), attribute, value)

    def command(late: Command) -> ScrapyCommand:
        held: dict[str, ScrapyCommand] = object.__getattribute__(late, "__dict__")
        if not held:
            held[path] = import_module(path).Command()
        return held[path]

    # Scrapy could make no object of an abstract class.
    Command.__abstractmethods__ = frozenset()
    return Command


for _package, _folder in _PACKAGES.items():
    for _found in iter_modules([str(_folder)]):
        _module = ModuleType(f"{__name__}.{_found.name}")
        if _found.name not in _HELPERS:
            _module.__dict__["Command"] = _late(f"{_package}.{_found.name}", _module.__name__)
        sys.modules[_module.__name__] = _module
