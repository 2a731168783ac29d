"""The import path of `net.resolver` that projects have in ``TWISTED_DNS_RESOLVER``."""

from mediacrawl.net.resolver import HostsResolver

__all__ = ["HostsResolver"]
