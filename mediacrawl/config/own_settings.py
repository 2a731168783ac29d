"""Reads the settings of mediacrawl; one that is set nowhere has the default that `mediacrawl.settings` declares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import mediacrawl.settings as declared
from mediacrawl.setting_types import list_setting

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


class OwnSettings:
    """The settings of a crawl, as mediacrawl reads them.

    In a project whose settings module does not begin with ``from mediacrawl.settings import *`` most of our settings
    are not set. Their defaults are declared once, in ``mediacrawl/settings.py``, and come from there.

    Args:
        settings: those of the crawl.
    """

    def __init__(self, settings: BaseSettings) -> None:
        self._settings = settings

    def get(self, name: str) -> Any:
        """The value of a setting, or its declared default."""
        return self._settings.get(name, getattr(declared, name))

    def getstr(self, name: str) -> str:
        """The value of a setting as text; empty text stands for the declared default."""
        return str(self._settings.get(name) or getattr(declared, name))

    def getbool(self, name: str) -> bool:
        """The same, as Scrapy reads a truth value."""
        return self._settings.getbool(name, getattr(declared, name))

    def getint(self, name: str) -> int:
        """The same, as a whole number."""
        return self._settings.getint(name, getattr(declared, name))

    def getfloat(self, name: str) -> float:
        """The same, as a number."""
        return self._settings.getfloat(name, getattr(declared, name))

    def getlist(self, name: str) -> list[Any]:
        """The same, as a list; text is split at commas, or read as JSON."""
        return list_setting(self._settings, name, getattr(declared, name))

    def getdict(self, name: str) -> dict[Any, Any]:
        """The same, as a mapping; text is read as JSON."""
        return self._settings.getdict(name, getattr(declared, name))
