"""Which URLs joined once more after they had ended, and have not ended since: each is to wait once only."""

from __future__ import annotations

import sqlite3

ROOM = "again"
"""The room of their notes: the text of a key, and nothing more."""


class Again:
    """The keys of URLs that wait, or are out, for a visit after they had ended.

    On disk: table ``note``, written with the rows that it tells of. In memory: the keys, some 60 bytes each; a crawl
    that makes a fifth of its visits anew has some thousands waiting.

    Args:
        db: the store's connection.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._keys = {int(key) for (key,) in db.execute("SELECT key FROM note WHERE room = ?", (ROOM,))}

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def add(self, key: int) -> None:
        """A URL joins once more. An open transaction is needed."""
        self._keys.add(key)
        self._db.execute("INSERT OR REPLACE INTO note VALUES (?, ?, x'')", (ROOM, str(key)))

    def over(self, key: int) -> bool:
        """A URL has ended, or was pruned; answers whether it had joined once more. An open transaction is needed."""
        if key not in self._keys:
            return False
        self._keys.discard(key)
        self._db.execute("DELETE FROM note WHERE room = ? AND key = ?", (ROOM, str(key)))
        return True
