"""The names of a package that are imported when they are used first (PEP 562).

A library's ``__init__`` names everything that others may import from it. Most who import one name need none of the
modules that the other names come from.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from sys import modules as loaded


def late_names(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return a ``__getattr__`` for a package.

    Args:
        package: its name.
        modules: names that it exports, each with the module below the package that defines it.
    """

    def attribute(name: str) -> object:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value: object = getattr(import_module(f"{package}.{module}"), name)
        # Called once for each name.
        setattr(loaded[package], name, value)
        return value

    return attribute
