"""The door to DNS: names of the setting ``RESOLVER_HOSTS`` first, then the system's resolver.

Its place will hold the resolver with time to live and the guard against private addresses (politeness).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy.resolver import CachingThreadedResolver
from twisted.internet import defer

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from twisted.internet.base import ReactorBase


class HostsResolver(CachingThreadedResolver):
    """Scrapy's resolver with fixed names before it."""

    hosts: dict[str, str] = {}  # noqa: RUF012 - one resolver a process, set in from_crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        """Make it for a crawl."""
        resolver = super().from_crawler(crawler, reactor)
        resolver.hosts = {
            name.lower(): str(address) for name, address in crawler.settings.getdict("RESOLVER_HOSTS").items()
        }
        return resolver

    def getHostByName(self, name: str, timeout: Sequence[int] = ()) -> defer.Deferred[str]:  # noqa: N802
        """The address of `name`."""
        fixed = self.hosts.get(name.lower())
        return defer.succeed(fixed) if fixed else super().getHostByName(name, timeout)
