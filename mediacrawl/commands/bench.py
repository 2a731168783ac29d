"""``scrapy bench``, which measures Scrapy against its own server; mediacrawl is measured by ``make bench``."""

from __future__ import annotations

import argparse

from scrapy.commands.bench import Command as BenchCommand
from scrapy.settings import SETTINGS_PRIORITIES, default_settings

import mediacrawl.settings as ours

_KEPT = frozenset(
    {
        *("BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "COMMANDS_MODULE", "LOG_LEVEL"),
        *("TELNETCONSOLE_ENABLED", "REMOTE_CONTROL_ENABLED"),
    }
)


class Command(BenchCommand):
    """Scrapy's command, with Scrapy's settings."""

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Read the options."""
        super().process_options(args, opts)
        assert self.settings is not None
        for name in vars(ours):
            known = name.isupper() and hasattr(default_settings, name) and name not in _KEPT
            if known and self.settings.getpriority(name) == SETTINGS_PRIORITIES["project"]:
                self.settings.set(name, getattr(default_settings, name), priority="project")
        self.settings.set("ADDONS", {}, priority="project")
