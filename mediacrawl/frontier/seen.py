"""Which URLs are known.

A URL is known by a 64-bit key. Among 100 million URLs the chance that *any* two share a key is 1 in 3,700; a
Bloom filter of practical size would be wrong 100,000 times. The store judges; what is here only spares it questions.
"""

from __future__ import annotations

from hashlib import blake2b


def url_key(url: str) -> int:
    """The 64-bit key of a canonical URL, as a signed integer (the form that SQLite and Redis keep small)."""
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


class RecentKeys:
    """Keys that are certainly known: the navigation links of a site come back on each of its pages.

    Two generations of a set: when the younger is full it becomes the older, and the older is forgotten.
    Forgetting is harmless, the store knows. At most ``2 * size`` keys, about 65 bytes each. In memory only.
    """

    def __init__(self, size: int = 100_000) -> None:
        self._size = max(size, 1)
        self._young: set[int] = set()
        self._old: set[int] = set()

    def __contains__(self, key: int) -> bool:
        return key in self._young or key in self._old

    def add(self, key: int) -> None:
        """Remember `key`."""
        self._young.add(key)
        if len(self._young) >= self._size:
            self._old, self._young = self._young, set()

    def discard(self, key: int) -> None:
        """Forget `key`: the URL was pruned and may join again."""
        self._young.discard(key)
        self._old.discard(key)
