"""Downloader middlewares. They pass facts to the domain packages, which decide.

Each works with `mediacrawl.scheduler.PenaltyBoxScheduler`, where a request carries a lease, and alone in any Scrapy
project. Those in `checks` decide whether a request is sent, `robots` by its site's robots.txt; those in `answers`
follow it until its response.
"""

from mediacrawl.middlewares.answers import (
    AdaptiveDelayMiddleware,
    CutMiddleware,
    ListsMiddleware,
    RedirectCapMiddleware,
    RequestLogMiddleware,
    UnpackMiddleware,
)
from mediacrawl.middlewares.checks import (
    AddressMiddleware,
    ContactMiddleware,
    NeverCrawlMiddleware,
    SeenMiddleware,
    SiteAdapterMiddleware,
)
from mediacrawl.middlewares.robots import RobotsMiddleware

__all__ = [
    "AdaptiveDelayMiddleware",
    "AddressMiddleware",
    "ContactMiddleware",
    "CutMiddleware",
    "ListsMiddleware",
    "NeverCrawlMiddleware",
    "RedirectCapMiddleware",
    "RequestLogMiddleware",
    "RobotsMiddleware",
    "SeenMiddleware",
    "SiteAdapterMiddleware",
    "UnpackMiddleware",
]
