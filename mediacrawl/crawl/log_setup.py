"""Hides Scrapy's own INFO messages in a crawl, unless they are requested."""

from __future__ import annotations

import logging

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from mediacrawl import settings as ours

_OWN_LOGGERS = (
    *("scrapy.utils.log", "scrapy.middleware", "scrapy.addons", "scrapy.core.engine", "scrapy.statscollectors"),
    *("scrapy.crawler", "scrapy.extensions.telnet", "scrapy.extensions.memusage"),
)
"""Scrapy's loggers that log versions, settings, components, openings, closings and all stats at INFO."""
_INTERRUPTED = "Received "
"""Beginning of the messages about Ctrl-C, which are shown."""


def shows_all(settings: BaseSettings) -> bool:
    """Whether Scrapy's own messages are shown: LOG_LEVEL was given, or the log goes to a file (scrapyd, cron).

    Args:
        settings: the crawl's. A LOG_LEVEL of the project counts if it differs from ours.
    """
    given = (settings.getpriority("LOG_LEVEL") or 0) > SETTINGS_PRIORITIES["project"]
    return given or settings.get("LOG_LEVEL") != ours.LOG_LEVEL or bool(settings.get("LOG_FILE"))


def quiet() -> None:
    """Show only warnings of Scrapy's own loggers. To be called before Scrapy's crawler process is made.

    Uses filters, because Scrapy's set-up, which comes later, resets the levels.
    """
    for name in _OWN_LOGGERS:
        logging.getLogger(name).addFilter(_is_news)


def _is_news(record: logging.LogRecord) -> bool:
    return record.levelno > logging.INFO or str(record.msg).startswith(_INTERRUPTED)
