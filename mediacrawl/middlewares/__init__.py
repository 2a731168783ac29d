"""Downloader middlewares. They pass facts to the domain packages, which decide.

Each works with `mediacrawl.scheduler.PenaltyBoxScheduler`, where a request carries a lease, and alone in any Scrapy
project.
"""

from mediacrawl.middlewares.adaptive_delay import AdaptiveDelayMiddleware
from mediacrawl.middlewares.address import AddressMiddleware
from mediacrawl.middlewares.contact import ContactMiddleware
from mediacrawl.middlewares.cut import CutMiddleware, UnpackMiddleware
from mediacrawl.middlewares.lists import ListsMiddleware
from mediacrawl.middlewares.nevercrawl import NeverCrawlMiddleware
from mediacrawl.middlewares.redirect import RedirectCapMiddleware, SeenMiddleware
from mediacrawl.middlewares.request_log import RequestLogMiddleware
from mediacrawl.middlewares.robots import RobotsMiddleware
from mediacrawl.middlewares.site_adapter import SiteAdapterMiddleware

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
