"""Allows only loopback until MEDIACRAWL_CONTACT is set."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.exceptions import NotConfigured

from mediacrawl.base.terms import Drop
from mediacrawl.crawl.component import CrawlComponent
from mediacrawl.crawl.failures import refuse
from mediacrawl.crawl.policies import is_anonymous
from mediacrawl.scope import is_loopback
from mediacrawl.scope.urls import host_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from mediacrawl.crawl.context import CrawlContext

logger = logging.getLogger(__name__)

_HOLD = 3600.0
"""Seconds until such a URL is checked again. It stays in the frontier for a start with a contact."""


class ContactMiddleware(CrawlComponent):
    """Allows only requests to loopback addresses while MEDIACRAWL_CONTACT is the placeholder.

    A crawl with other seeds does not start then, and the scope refuses other links. This middleware covers URLs that an
    earlier crawl left in the frontier. It is disabled in a crawl with a contact.

    Stats: ``contact/held``.
    """

    def __init__(self, crawler: Crawler, context: CrawlContext) -> None:
        if not is_anonymous(crawler.settings):
            raise NotConfigured
        super().__init__(crawler, context)

    def process_request(self, request: Request) -> None:
        """Let the request pass, or hold it.

        Raises:
            RefusedRequest: its host is not a loopback address.
        """
        if not request.url.lower().startswith(("http:", "https:")) or is_loopback(host_of(request.url)):
            return
        if not self._stats.get_value("contact/held"):
            logger.error("%s waits, as does all that is not on this machine: set MEDIACRAWL_CONTACT", request.url)
        self._stats.inc_value("contact/held")
        detail = f"{request.url}: set MEDIACRAWL_CONTACT"
        raise refuse(request, self._stats, Drop.PLACEHOLDER_CONTACT, detail, hold=_HOLD)
