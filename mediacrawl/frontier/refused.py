"""URLs that ended because their address is guarded: they join again when GUARD_ALLOW allows more than it did then."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

NOTE_KIND = "refused"
"""Kind of the note of the frontier in which they are kept; its key is empty."""
_MOST = 64 * 1024
"""Characters of all of them together. What is refused beyond it stays ended: strangers' pages may name any number."""


@dataclass(frozen=True, slots=True)
class RefusedUrls:
    """What was refused, and under which allowances.

    On disk: one note of the frontier, JSON, ``{"allow": [...], "urls": [...]}``. A kill loses the URLs whose ends were
    not committed either, and one at most whose end was.

    Attributes:
        allow: entries of GUARD_ALLOW at the last start.
        urls: in canonical form, at most 64 KB of them.
    """

    allow: frozenset[str] = frozenset()
    urls: tuple[str, ...] = ()

    @classmethod
    def read(cls, record: bytes | None) -> RefusedUrls:
        """What `dump` wrote; nothing, if it cannot be read."""
        try:
            kept = json.loads(record or b"{}")
            return cls(frozenset(map(str, kept["allow"])), tuple(map(str, kept["urls"])))
        except (ValueError, KeyError, TypeError, RecursionError):
            return cls()

    def dump(self) -> bytes:
        """As it is kept."""
        return json.dumps({"allow": sorted(self.allow), "urls": self.urls}).encode()

    def with_url(self, url: str) -> RefusedUrls:
        """The same with one more URL, if there is room for it."""
        if url in self.urls or sum(map(len, self.urls)) + len(url) > _MOST:
            return self
        return replace(self, urls=(*self.urls, url))

    def at_start(self, allow: Iterable[str]) -> tuple[RefusedUrls, tuple[str, ...]]:
        """What is kept from a start on, and the URLs that are added again: all, if more is allowed now than before.

        Whether an address is allowed is known only when its name was looked up; what is still refused comes back here.
        """
        now = frozenset(allow)
        if now <= self.allow:
            return replace(self, allow=now), ()
        return RefusedUrls(now), self.urls
