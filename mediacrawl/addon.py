"""Scrapy add-ons: all of mediacrawl in somebody else's project, and other spiders in a project of ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, default_settings
from scrapy.utils.misc import load_object

import mediacrawl.settings as declared
from mediacrawl.crawl.policies import user_agent_of
from mediacrawl.crawl.request_serialization import is_ours

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler

_PROJECT = SETTINGS_PRIORITIES["project"]
_COMPONENTS = ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS")
_BY_NAME = ("DOWNLOAD_HANDLERS", "FEED_EXPORTERS")
"""Settings that map a scheme or a format to a class."""
_OF_PROCESS = ("ASYNCIO_EVENT_LOOP", "TWISTED_DNS_RESOLVER", "SCHEDULER", "USER_AGENT", "DOWNLOAD_DELAY")
"""Settings that Scrapy reads before there is a crawler, or our spiders when they are made, before `update_settings`."""
_OF_PROJECT = frozenset({"ADDONS", "BOT_NAME", "COMMANDS_MODULE", "LOG_LEVEL", "NEWSPIDER_MODULE", "SPIDER_MODULES"})
"""Scrapy's settings in our settings.py that say nothing about how a crawl works."""
_REPLACED = frozenset(
    {
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware",
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
        "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware",
        "scrapy.extensions.spiderstate.SpiderState",
    }
)
"""Components of Scrapy that stay off for every spider: ours do their work, and SpiderState would load a pickle."""
_SWITCHES = {
    "scrapy.extensions.remote_control.RemoteControl": "REMOTE_CONTROL_ENABLED",
    "scrapy.extensions.telnet.TelnetConsole": "TELNETCONSOLE_ENABLED",
}
"""Extensions of Scrapy -> the setting without which they do nothing."""


class MediaCrawl:
    """Switches on all of mediacrawl in any Scrapy project: ``ADDONS = {"mediacrawl.MediaCrawl": 100}``.

    The project gets the scheduler, middlewares, pipelines, extensions, download handlers and the resolver in the orders
    of `mediacrawl.settings`, the values of Scrapy's settings from there, and the spiders ``media``, ``feeds`` and
    ``recheck``. Settings of the project, of a spider and of the command line win: a component that is already in
    ``DOWNLOADER_MIDDLEWARES``, say, keeps its order, and ``None`` switches it off. Spiders of the project keep the
    components of Scrapy that only our spiders do without (cookies, retries, referer ...).
    """

    def __init__(self, crawler: Crawler) -> None:
        self._is_ours = is_ours(crawler.spidercls)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make it for a crawl."""
        return cls(crawler)

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Add our spiders, and set what Scrapy reads before there is a crawler."""
        modules = settings.getlist("SPIDER_MODULES")
        # A spider of the project replaces one of ours that has its name.
        ours = [module for module in declared.SPIDER_MODULES if module not in modules]
        if ours:
            settings.set("SPIDER_MODULES", [*ours, *modules], settings.getpriority("SPIDER_MODULES") or 0)
        for name in _OF_PROCESS:
            settings.set(name, getattr(declared, name), "addon")

    def update_settings(self, settings: BaseSettings) -> None:
        """Switch everything on."""
        left = _OF_PROJECT.union(_COMPONENTS, _BY_NAME, () if self._is_ours else ("COOKIES_ENABLED",))
        for name in filter(str.isupper, vars(declared)):
            if hasattr(default_settings, name) and name not in left:
                settings.set(name, getattr(declared, name), "addon")
        for name in _COMPONENTS:
            for path, order in self._components(name).items():
                settings.setdefault_in_component_priority_dict(name, load_object(path), order)
        for name in _BY_NAME:
            merged = {**getattr(declared, name), **settings.getdict(name)}
            settings.set(name, merged, settings.getpriority(name) or 0)
        if not self._is_ours:
            settings.set("USER_AGENT", user_agent_of(settings), settings.getpriority("USER_AGENT") or 0)
        leave_out_disabled(settings)

    def _components(self, name: str) -> Mapping[str, int | None]:
        """The components of a setting, without those that are off for our spiders only."""
        components: dict[str, int | None] = getattr(declared, name)
        if self._is_ours:
            return components
        return {path: order for path, order in components.items() if order is not None or path in _REPLACED}


class OtherSpiders:
    """Switches on Scrapy's own components for other spiders in a project that begins with our settings.py.

    Our spiders need no cookies, no offsite rule, no errors for a status, and so on, so settings.py switches these
    components off. The spiders of others are written for them. For all spiders it leaves out what is disabled
    (`leave_out_disabled`).
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
        leave_out_disabled(settings)


def leave_out_disabled(settings: BaseSettings) -> None:
    """Take the disabled ones of `_SWITCHES` out of Scrapy's list of extensions.

    Scrapy imports an extension before it asks whether it is enabled. These two bring aiohttp and twisted.conch: 10 MB
    of memory and a fifth of a second.
    """
    base: dict[str, int] = settings.getdict("EXTENSIONS_BASE")
    left = {path: order for path, order in base.items() if path not in _SWITCHES or settings.getbool(_SWITCHES[path])}
    settings.set("EXTENSIONS_BASE", left, settings.getpriority("EXTENSIONS_BASE") or 0)


def switch_on(settings: BaseSettings) -> None:
    """Switch on the components of Scrapy that are off for our spiders only, and name the contact in the User-Agent."""
    for name in ("DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS"):
        off = {path for path, order in getattr(declared, name).items() if order is None} - _REPLACED
        kept: dict[Any, int | None] = settings.getdict(name)
        kept = {path: order for path, order in kept.items() if order is not None or path not in off}
        settings.set(name, kept, priority=_PROJECT)
    settings.set("USER_AGENT", user_agent_of(settings), priority=_PROJECT)
