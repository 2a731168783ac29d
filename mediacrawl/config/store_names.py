"""Which kind of frontier the settings name.

A module of its own, since commands that only read files start twice as fast without the policies.
"""

from __future__ import annotations

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from mediacrawl.config.own_settings import OwnSettings
from mediacrawl.config.paths import state_folder
from mediacrawl.connection import redis_url
from mediacrawl.fleet import server
from mediacrawl.frontier.stores import SQLITE_FILE

REDIS = "redis"


def store_of(settings: BaseSettings, *, is_ours: bool = True) -> str:
    """The kind of the frontier's store: ``sqlite``, ``memory``, or ``redis``, also if that is named by a URL.

    Args:
        settings: of the crawl.
        is_ours: whether the spider is one of ours. The frontier of another one is on disk only with JOBDIR: without it
            a second run starts afresh, as with Scrapy's own scheduler.
    """
    name = OwnSettings(settings).getstr("SCHEDULER_STORE").strip()
    if name == "sqlite" and not is_ours and not settings.get("JOBDIR"):
        return "memory"
    return REDIS if "://" in name else name


def is_of_fleet(settings: BaseSettings) -> bool:
    """Whether the state folder holds the frontier of a fleet with its own Redis server, and no other one is named."""
    folder = state_folder(settings)
    return (
        store_of(settings) == "sqlite"
        and (settings.getpriority("SCHEDULER_STORE") or 0) < SETTINGS_PRIORITIES["cmdline"]
        and redis_url(settings) is None
        and server.has_server(folder)
        and not (folder / SQLITE_FILE).exists()
    )
