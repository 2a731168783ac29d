"""Which URLs are known.

A URL is known by a 64-bit key. Among 100 million URLs the chance that *any* two share a key is 1 in 3,700; a
Bloom filter of practical size would be wrong 100,000 times. The store judges; what is here only spares it questions.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b


def url_key(url: str) -> int:
    """The 64-bit key of a canonical URL, as a signed integer (the form that SQLite and Redis keep small)."""
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


class RecentUrls:
    """URLs that are certainly known: the navigation links of a site come back on each of its pages.

    They are kept as text, because Python hashes a text in a tenth of the time that its key takes. Two generations
    of a set: when the younger is full it becomes the older, and the older is forgotten. Forgetting is harmless, the
    store knows. At most ``2 * size`` URLs, about 200 bytes each. In memory only.
    """

    def __init__(self, size: int = 50_000) -> None:
        self._size = max(size, 1)
        self._young: set[str] = set()
        self._old: set[str] = set()

    def __contains__(self, url: object) -> bool:
        return url in self._young or url in self._old

    def unknown(self, urls: Iterable[str]) -> list[str]:
        """Those of `urls` that are not remembered, each once, in their order."""
        young, old = self._young, self._old
        return [url for url in dict.fromkeys(urls) if url not in young and url not in old]

    def add(self, url: str) -> None:
        """Remember `url`."""
        self._young.add(url)
        if len(self._young) >= self._size:
            self._old, self._young = self._young, set()

    def discard(self, url: str) -> None:
        """Forget `url`: it was pruned and may join again."""
        self._young.discard(url)
        self._old.discard(url)
