"""Which URLs are known.

A URL is known by a 64-bit key. Among 100 million URLs the chance that *any* two share a key is 1 in 3,700; a
Bloom filter of practical size would be wrong 100,000 times. The store judges; what is here only spares it questions.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from random import getrandbits


def url_key(url: str) -> int:
    """The 64-bit key of a canonical URL, as a signed integer (the form that SQLite and Redis keep small)."""
    return int.from_bytes(blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


_hash: Callable[[str], int] = hash if sys.hash_info.width >= 64 else url_key
"""64 bits of a text. Python's own hash has 32 on some small machines: there the key is taken, which costs more."""

_SLOTS = 1 << 20
"""Texts that are remembered at most: 8 MB."""
_EMPTY = -1
"""What no text has as its hash in CPython."""


class RecentUrls:
    """URLs that are known: the navigation links of a site come back on each of its pages.

    Each of the hundred links of a page is looked up here before the store is asked. The table is direct-mapped: the
    hash of a text (Python's own, SipHash with a key for each process) selects one slot, and the slot holds that hash. A
    text takes 8 bytes; in a set it would take 130. A later text with the same slot replaces it. The store knows the URL
    that was replaced.

    A new URL counts as known if its hash equals the one in its slot. The slot fixes 20 of the 64 bits, so this happens
    once in 2**44 look-ups of new URLs, and that URL is lost.

    References as pages have them are remembered as well, with what they are relative to
    (`scope.urls.Base.written`). None leads to a URL that was discarded. In memory only.

    Args:
        slots: texts at most, a power of two.
    """

    def __init__(self, slots: int = _SLOTS) -> None:
        if slots < 1 or slots & (slots - 1):
            raise ValueError(f"{slots} is no power of two")
        self._mask = slots - 1
        self._table = array("q", [_EMPTY]) * slots
        self._new_references()

    def __contains__(self, url: str) -> bool:
        """Whether a URL is remembered."""
        key = _hash(url)
        return self._table[key & self._mask] == key

    def add(self, url: str) -> None:
        """Remember a URL."""
        key = _hash(url)
        self._table[key & self._mask] = key

    def unknown(self, urls: Iterable[str]) -> list[str]:
        """Those of `urls` that are not remembered, each once, in their order."""
        return [url for url in dict.fromkeys(urls) if url not in self]

    def update(self, urls: Iterable[str]) -> None:
        """Remember several URLs."""
        for url in urls:
            self.add(url)

    def unknown_keys(self, urls: Iterable[str]) -> dict[str, int]:
        """As `unknown`, with the key of each."""
        return {url: url_key(url) for url in urls if url not in self}

    def unknown_links(
        self, hrefs: Iterable[tuple[int, str]], origin: str, written: Callable[[str], str]
    ) -> Iterator[tuple[int, str, str]]:
        """The links of a page that may lead to new URLs, with what `remember` is told of them.

        Most links are known, and most of these are canonical: a look-up takes a fifth of the time of resolving.

        Args:
            hrefs: the number and the reference of each.
            origin: scheme and authority of what they are relative to.
            written: gives a reference with what it is relative to; empty if it cannot be remembered.

        Yields:
            Number, reference, and the reference as it is written.
        """
        table, mask, salt, hash_of = self._table, self._mask, self._salt, _hash
        for number, href in hrefs:
            key = hash_of(origin + href if href[:1] == "/" != href[1:2] else href)
            if table[key & mask] == key:
                continue
            reference = written(href)
            key = hash_of(reference) ^ salt
            if table[key & mask] != key or not reference:
                yield number, href, reference

    def remember(self, reference: str, url: str) -> None:
        """Remember that a reference (empty: one that cannot be remembered) leads to a canonical URL."""
        if not reference:
            return
        key = _hash(reference) ^ self._salt
        self._table[key & self._mask] = key
        if url not in self:
            # Another thread has forgotten it meanwhile.
            self._table[key & self._mask] = _EMPTY

    # A URL that is forgotten may be accepted again. Which references lead to it is not known, so all are forgotten.

    def discard(self, url: str) -> None:
        """Forget a URL."""
        self.difference_update([url])

    def difference_update(self, urls: Iterable[str]) -> None:
        """Forget several URLs."""
        for url in urls:
            key = _hash(url)
            if self._table[key & self._mask] == key:
                self._table[key & self._mask] = _EMPTY
        self._new_references()

    def clear(self) -> None:
        """Forget all URLs."""
        self._table[:] = array("q", [_EMPTY]) * len(self._table)
        self._new_references()

    def _new_references(self) -> None:
        # The hashes of references are mixed with a number: with another one, none of them is found again.
        self._salt = getrandbits(63)
