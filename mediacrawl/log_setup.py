"""What of Scrapy's own messages a crawl of ours shows: warnings, and little else, unless somebody asks for more."""

from __future__ import annotations

import logging

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from mediacrawl import settings as ours

_OF_ITSELF = (
    *("scrapy.utils.log", "scrapy.middleware", "scrapy.addons", "scrapy.core.engine", "scrapy.statscollectors"),
    *("scrapy.crawler", "scrapy.extensions.telnet", "scrapy.extensions.memusage"),
)
"""Loggers of Scrapy that tell at INFO of versions, settings, parts, openings and closings, and of all stats."""
_ANSWERS = "Received "
"""What one of them says to Ctrl-C begins so."""


def shows_all(settings: BaseSettings) -> bool:
    """Whether Scrapy's own messages are shown: LOG_LEVEL was given, or the log goes to a file (scrapyd, cron).

    Args:
        settings: the crawl's. A LOG_LEVEL of the project counts if it is another one than ours.
    """
    given = (settings.getpriority("LOG_LEVEL") or 0) > SETTINGS_PRIORITIES["project"]
    return given or settings.get("LOG_LEVEL") != ours.LOG_LEVEL or bool(settings.get("LOG_FILE"))


def quiet() -> None:
    """Show warnings only of what Scrapy says of itself. To be called before Scrapy's crawler process is made.

    By filters: Scrapy's own set-up, which comes later, resets the levels of its loggers.
    """
    for name in _OF_ITSELF:
        logging.getLogger(name).addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    return record.levelno > logging.INFO or str(record.msg).startswith(_ANSWERS)
