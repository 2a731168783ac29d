"""Which URLs are known.

A URL is known by a 64-bit key. Among 100 million URLs the chance that *any* two share a key is 1 in 3,700; a
Bloom filter of practical size would be wrong 100,000 times. The store judges; what is here only spares it questions.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Protocol


def url_key(url: str) -> int:
    """The 64-bit key of a canonical URL, as a signed integer (the form that SQLite and Redis keep small)."""
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


class SeenFilter(Protocol):
    """What says that a key is certainly new, or perhaps known. It never takes a known key for a new one."""

    def __contains__(self, key: object) -> bool:
        """Whether a key is perhaps known."""
        ...

    def add(self, key: int) -> None:
        """A key is known from now on."""
        ...


class RecentUrls(set[str]):
    """URLs that are certainly known: the navigation links of a site come back on each of its pages.

    They are kept as text, because Python hashes a text in a tenth of the time that its key takes, and it is a plain
    set, because each of the hundred links of a page is looked up in it. When it is full any half of it is forgotten,
    which is harmless: the store knows. At most `size` URLs, about 130 bytes each. The table of a set takes 2 MB up to
    78,000 texts, and 4 MB beyond. In memory only.

    Args:
        size: URLs at most.

    Attributes:
        references: references as pages have them that lead to accepted URLs, with what they are relative to
            (`scope.canonical.Base.written`); at most a fifth of `size`. None leads to a URL that was discarded.
    """

    def __init__(self, size: int = 75_000) -> None:
        super().__init__()
        self._size = max(size, 2)
        self.references: set[str] = set()

    def remember(self, reference: str, url: str) -> None:
        """Remember that a reference leads to a URL, unless it is empty. When full, all references are forgotten."""
        if not reference:
            return
        if len(self.references) >= self._size // 5:
            self.references.clear()
        self.references.add(reference)
        if url not in self:
            # Another thread has forgotten it meanwhile.
            self.references.discard(reference)

    # A URL that is forgotten may be accepted again. Which references lead to it is not known, so all are forgotten.

    def discard(self, url: object) -> None:
        """Forget a URL."""
        super().discard(url)
        self.references.clear()

    def difference_update(self, *urls: Iterable[object]) -> None:
        """Forget several URLs."""
        super().difference_update(*urls)
        self.references.clear()

    def clear(self) -> None:
        """Forget all URLs."""
        super().clear()
        self.references.clear()

    def unknown(self, urls: Iterable[str]) -> list[str]:
        """Those of `urls` that are not remembered, each once, in their order."""
        return [url for url in dict.fromkeys(urls) if url not in self]

    def add(self, url: str) -> None:
        """Remember `url`."""
        if len(self) >= self._size:
            for _ in range(self._size // 2):
                self.pop()
        super().add(url)
