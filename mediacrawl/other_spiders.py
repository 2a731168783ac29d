"""The settings of crawls that are none of ours, in this project: what Scrapy's own parts do for them is on again.

Our spiders need no cookies, no offsite rule, no errors for a status, and so on, so that settings.py switches these
parts of Scrapy off. Other people's spiders are written for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from mediacrawl import settings as ours
from mediacrawl.foreign import is_ours
from mediacrawl.policies import user_agent_of

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_PROJECT = SETTINGS_PRIORITIES["project"]
_REPLACED = frozenset(
    {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware",
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware",
        "scrapy.extensions.spiderstate.SpiderState",
    }
)
"""Parts of Scrapy that stay off: ours do their work for every spider, and SpiderState would load a pickle."""


class OtherSpiders:
    """Add-on: Scrapy's own parts for crawls of spiders that are not ours, and our User-Agent for all they send.

    Args:
        crawler: of any spider.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._is_ours = is_ours(crawler.spidercls)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Change the settings of the project; what a spider or the command line sets stays."""
        if not self._is_ours:
            switch_on(settings)


def switch_on(settings: BaseSettings) -> None:
    """Switch on the parts of Scrapy that are off for our spiders only, and write the contact into User-Agent.

    Args:
        settings: of the project; changed.
    """
    for name in ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS"):
        off = {path for path, order in getattr(ours, name).items() if order is None} - _REPLACED
        kept = {path: order for path, order in settings.getdict(name).items() if order is not None or path not in off}
        settings.set(name, kept, priority=_PROJECT)
    settings.set("USER_AGENT", user_agent_of(settings), priority=_PROJECT)
