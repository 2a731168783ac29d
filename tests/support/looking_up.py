"""A resolver of ours in a real reactor, asked from the thread of the tests."""

import asyncio
from collections import Counter

from reactor_thread import running, wait_for

from mediacrawl.download import resolver
from mediacrawl.download.resolver import HostsResolver
from mediacrawl.politeness.addresses import NamePolicy, server_of

LONG = 60.0
"""Seconds in which every answer comes, however slow the machine is."""


def lose_the_first_round(monkeypatch):
    """What is not answered in the first round is soon asked again, and what is requested again is waited for."""
    monkeypatch.setattr(resolver, "_TIMEOUTS", (0.5, LONG))


class Names:
    """A resolver, asked from the tests' thread; its clock stands still until a test moves it."""

    def __init__(self, *servers, **policy):
        self.now = 1_000.0
        self.count = Counter()
        named_servers = tuple(server_of(getattr(server, "where", server)) for server in servers)
        made = NamePolicy(**{"servers": named_servers, "timeout": 8.0, **policy})
        self.resolver = wait_for(lambda: self._make(made))

    async def _make(self, policy):
        return HostsResolver(running(), policy, lambda: self.now)

    def _told(self, name):
        self.count[name] += 1

    def __call__(self, host):
        return wait_for(lambda: self.resolver.addresses(host, self._told))

    def all(self, hosts):
        """Ask for many at once; answers addresses or errors."""

        async def gather():
            asked = [self.resolver.addresses(host, self._told) for host in hosts]
            return await asyncio.gather(*asked, return_exceptions=True)

        return wait_for(gather)
