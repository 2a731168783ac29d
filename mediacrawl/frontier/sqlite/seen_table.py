"""Which URLs are known: the judge, and what spares it questions."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from itertools import islice

from mediacrawl.frontier.seen import RecentUrls, SeenFilter, url_key
from mediacrawl.frontier.sqlite.inbox import Inbox

_ASK = 16
"""Keys of one question: a page has about ten links that are not among the recent ones."""
_KNOWN = f"SELECT key FROM seen WHERE key IN ({', '.join('?' * _ASK)})"


class SeenTable:
    """The table of 64-bit keys, and before it the URLs met lately, the inbox, and, where it pays, a Bloom filter.

    On disk: table ``seen``; a key joins by way of the inbox. In memory: `RecentUrls`.

    Args:
        db: the store's connection.
        inbox: where the keys of the latest URLs are.
        sieve: says which keys are certainly new; None if every question goes to the table.
    """

    def __init__(self, db: sqlite3.Connection, inbox: Inbox, sieve: SeenFilter | None = None) -> None:
        self._db = db
        self._inbox = inbox
        self._sieve = sieve
        self.recent = RecentUrls()
        self._asked: dict[str, int] = {}

    def unknown(self, urls: Sequence[str]) -> list[str]:
        """Those of `urls` that were never accepted, in their order."""
        asked = {url: url_key(url) for url in self.recent.unknown(urls)}
        known = self.known(list(asked.values()))
        for url, key in asked.items():
            if key in known:
                self.recent.add(url)
        # What is unknown now stays unknown until it is added, so that `add` need not ask again.
        self._asked = {url: key for url, key in asked.items() if key not in known}
        return list(self._asked)

    def new_key(self, url: str) -> int | None:
        """The key of a URL that was never accepted, which counts as known from now on; None if it was."""
        key = self._asked.pop(url, None)
        if key is None:
            if url in self.recent:
                return None
            key = url_key(url)
            if self.known([key]):
                return None
        self.recent.add(url)
        if self._sieve is not None:
            self._sieve.add(key)
        return key

    def known(self, keys: Sequence[int]) -> set[int]:
        """Those of `keys` that were accepted."""
        known = {key for key in keys if key in self._inbox}
        doubtful = [key for key in keys if key not in known and (self._sieve is None or key in self._sieve)]
        for batch in batches(doubtful, _ASK):
            known.update(row[0] for row in self._db.execute(_KNOWN, batch))
        return known

    def forget(self, url: str) -> None:
        """A URL was pruned: it may join again. The filter goes on saying "perhaps"."""
        self.recent.discard(url)
        self._asked.pop(url, None)


def batches(keys: list[int], size: int) -> list[list[int]]:
    """`keys` in lists of exactly `size`, so that one prepared statement serves all; the last key fills up the last."""
    found = iter(keys)
    cut = iter(lambda: list(islice(found, size)), [])
    return [batch + batch[-1:] * (size - len(batch)) for batch in cut]
