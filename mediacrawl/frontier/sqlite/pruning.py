"""Deletes waiting URLs of the SQLite store: the least promising ones, or those of a site."""

from __future__ import annotations

from collections.abc import Callable

from mediacrawl.base.terms import Drop
from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import RETIRED
from mediacrawl.frontier.sqlite.tables import ROW_SIZE, Site, Tables, site_of_class, span

PRUNED_CLASSES = 20_000
"""Classes that are noted at a time as those to be pruned next."""
NOTED_FOR = 60.0
"""Seconds for which they are: then others may be worse."""

_WORST = "SELECT id FROM class WHERE filled = 1 ORDER BY score, id LIMIT ?"
_FILLED = "SELECT id FROM class WHERE id BETWEEN ? AND ? AND filled = 1"
_NEWEST = f"SELECT seq, url, {ROW_SIZE} FROM url WHERE class = ? AND seq != ? ORDER BY seq DESC LIMIT ?"
_SLICE = (
    f"SELECT class, seq, url, {ROW_SIZE} FROM url WHERE (class, seq) > (?1, ?2) AND class <= ?3 AND seq != ?4"
    " ORDER BY class, seq LIMIT 10000"
)


class Pruner:
    """Deletes waiting URLs. What is out stays."""

    def __init__(self, tables: Tables, site_of: Callable[[int], Site], removed: Callable[[Site, int], None]) -> None:
        self._tables = tables
        self._site_of = site_of
        self._removed = removed
        self._worst: list[int] = []
        self._noted = 0.0

    def prune(self, excess: int, now: float, leased: int) -> int:
        """Forget so many waiting URLs, as `Frontier.prune` says; answers how many went."""
        self._tables.merge()
        if now > self._noted + NOTED_FOR:
            self._worst = []
        gone, _ = self._prune_noted(excess)
        while gone < excess and self._note_worst(now, leased):
            pruned, moved = self._prune_noted(excess - gone)
            gone += pruned
            if not moved:
                # Only what is leased is left.
                break
        return gone

    def drop(self, site: Site, reason: Drop, which: Callable[[str], bool] | None) -> int:
        """End waiting URLs of a site, as `Frontier.drop` says; answers how many."""
        tables = self._tables
        tables.merge()
        (first, last), leased = span(site.id), site.row.seq if site.row else -1
        gone, place = 0, (first, -1)
        while rows := tables.db.execute(_SLICE, (*place, last, leased)).fetchall():
            place = rows[-1][:2]
            meant = [row for row in rows if which is None or which(row[2])]
            for link_class, seq, url, size in meant:
                key = url_key(url)
                tables.totals.bytes -= on_disk(size)
                tables.revisits.over(key)
                tables.queues.end(link_class, seq, key, tables.totals.end(reason))
            tables.flush()
            gone += len(meant)
        self._removed(site, gone)
        return gone

    def _note_worst(self, now: float, leased: int) -> bool:
        """Note the classes with the lowest scores, the worst at the end of the list; whether there are any.

        Those of retired sites come first, whatever their score.

        They are looked for among all, which takes a second for some millions, and suffice for many slices: an index
        of them would cost more with each class that is added.
        """
        db, retired = self._tables.db, self._tables.sites.among(RETIRED)
        first = [row for site in retired for row in db.execute(_FILLED, span(site.id))]
        # More than there are leases, so that they cannot be all.
        found = first or db.execute(_WORST, (PRUNED_CLASSES + leased,))
        self._worst = [number for (number,) in found][::-1]
        self._noted = now
        return bool(self._worst)

    def _prune_noted(self, most: int) -> tuple[int, bool]:
        """Prune up to `most` URLs of the noted classes; how many went, and whether any class was changed by it."""
        gone, moved = 0, False
        while self._worst and gone < most:
            pruned, emptied = self._prune_class(self._worst[-1], most - gone)
            gone += pruned
            moved = moved or emptied or pruned > 0
            if gone < most:
                self._worst.pop()
        return gone, moved

    def _prune_class(self, number: int, most: int) -> tuple[int, bool]:
        """Forget up to `most` rows of a class, newest first; how many went, and whether it is known to be empty now."""
        tables = self._tables
        site = self._site_of(site_of_class(number))
        leased = site.row.seq if site.row else -1
        rows = tables.db.execute(_NEWEST, (number, leased, most)).fetchall()
        for seq, url, size in rows:
            key = url_key(url)
            tables.totals.bytes -= on_disk(size)
            tables.queues.remove(number, seq)
            if tables.revisits.over(key):
                tables.totals.again -= 1
                continue
            tables.seen.forget(url)
            tables.queues.forget(key)
            tables.totals.seen -= 1
        emptied = len(rows) < most and (site.link_class is None or site.link_class.id != number)
        if emptied:
            tables.queues.classes.emptied(number)
        self._removed(site, len(rows))
        return len(rows), emptied
