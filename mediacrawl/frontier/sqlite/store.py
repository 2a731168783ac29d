"""The store for one machine: an SQLite database, in a file that survives any kill, or in memory."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from mediacrawl.base.files import is_at
from mediacrawl.base.sqlite_file import Mark, has_log, this_boot
from mediacrawl.base.terms import Added, Candidate, Drop, End, Lease, Outcome, SiteInfo
from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.contract import Counts, FrontierError, FrontierLostError, FrontierPolicy, SpoiledError
from mediacrawl.frontier.seen import RecentUrls, url_key
from mediacrawl.frontier.site_state import PAUSED, RETIRED
from mediacrawl.frontier.sqlite.database import connect, explain, in_memory, lock
from mediacrawl.frontier.sqlite.lifecycle import SiteLifecycle
from mediacrawl.frontier.sqlite.queues import site_of_class, span
from mediacrawl.frontier.sqlite.reader import site_info
from mediacrawl.frontier.sqlite.sites import Site
from mediacrawl.frontier.sqlite.tables import ROW_SIZE, Tables

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

    def __init__(self, tables: Tables, lifecycle: SiteLifecycle) -> None:
        self._tables = tables
        self._lifecycle = lifecycle
        self._worst: list[int] = []
        self._noted = 0.0

    def prune(self, excess: int) -> int:
        """Forget so many waiting URLs, as `Frontier.prune` says; answers how many went."""
        self._tables.merge()
        if self._lifecycle.now > self._noted + NOTED_FOR:
            self._worst = []
        gone, _ = self._prune_noted(excess)
        while gone < excess and self._note_worst():
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
                tables.queues.journal.gone(link_class, seq, inbox=False)
                tables.queues.journal.ended(key, tables.totals.end(reason), inbox=False)
            tables.flush()
            gone += len(meant)
        self._lifecycle.removed(site, gone)
        return gone

    def _note_worst(self) -> bool:
        """Note the classes with the lowest scores, the worst at the end of the list; whether there are any.

        Those of retired sites come first, whatever their score.

        They are looked for among all, which takes a second for some millions, and suffice for many slices: an index
        of them would cost more with each class that is added.
        """
        db, retired = self._tables.db, self._tables.sites.among(RETIRED)
        first = [row for site in retired for row in db.execute(_FILLED, span(site.id))]
        # More than there are leases, so that they cannot be all.
        found = first or db.execute(_WORST, (PRUNED_CLASSES + len(self._lifecycle.leased),))
        self._worst = [number for (number,) in found][::-1]
        self._noted = self._lifecycle.now
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
        site = self._lifecycle.numbered(site_of_class(number))
        leased = site.row.seq if site.row else -1
        rows = tables.db.execute(_NEWEST, (number, leased, most)).fetchall()
        for seq, url, size in rows:
            key = url_key(url)
            tables.totals.bytes -= on_disk(size)
            if tables.revisits.over(key):
                tables.queues.journal.gone(number, seq, inbox=False)
                tables.totals.again -= 1
                continue
            tables.seen.forget(url)
            tables.queues.journal.pruned(number, seq, key)
            tables.totals.seen -= 1
        emptied = len(rows) < most and (site.link_class is None or site.link_class.id != number)
        if emptied:
            tables.queues.classes.emptied(number)
        self._lifecycle.removed(site, len(rows))
        return len(rows), emptied


_P = ParamSpec("_P")
_R = TypeVar("_R")
_Store = TypeVar("_Store", bound="SQLiteFrontier")


def guarded(method: Callable[Concatenate[_Store, _P], _R]) -> Callable[Concatenate[_Store, _P], _R]:
    """A method after whose failure the store answers nothing more: memory is ahead of the file then."""

    @wraps(method)
    def call(self: _Store, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._failed:
            raise FrontierError(self._failed)
        try:
            return method(self, *args, **kwargs)
        except (sqlite3.Error, SpoiledError, OSError) as error:
            self._failed = explain(self._path, error)
            raise FrontierError(self._failed) from error

    return call  # type: ignore[return-value]  # mypy wants the name of self, too


_UNDER = (
    "SELECT name FROM site WHERE name > ?1 AND place > 0"
    " AND (?2 = '' OR name = ?2 OR substr(name, -length(?3)) = ?3) ORDER BY name LIMIT ?4"
)


class SQLiteFrontier:
    """A `Frontier` in one SQLite file.

    On disk: ``frontier.db`` (SQLite, WAL; tables in ``database.py``; evidence and samples as msgpack, never pickle),
    beside it ``-wal`` and ``-shm`` of SQLite, ``frontier.lock``, and with ``FRONTIER_BLOOM`` ``frontier.bloom``. They
    may be deleted together while no crawl runs; which starts a new crawl.

    A kill of the process loses nothing. It leaves the last commit, and there is one before leases go out, so no
    request is ever made that the file does not know of. What is undone is only the *end* of a visit: its URL is
    leased in the file, so it is given out again, and its site waits its whole delay from the restart. A power cut can
    undo the commits since the last checkpoint (``synchronous = NORMAL``: the file stays whole): pages that ended since
    then are requested again, so that their links are found again. No site is requested early: all wait their whole
    delay from the restart, new ones the first delay, and a checkpoint follows each Crawl-delay or Retry-After that is
    longer than that. After an error of the disk the store answers nothing more; the file is at its last commit.

    The store looks at each commit, and so before each lease, whether its files are still at their place. If they were
    removed, moved or replaced, it answers nothing more and leaves whatever is there as it is.

    Commits are shared: `take` makes one for all its leases and all that ended or joined before, and the scheduler
    one a second.

    In memory: the front (`Front`), what is leased, some sites with their classes, `RecentUrls`, the keys of the inbox,
    SQLite's cache. No waiting URL.

    Args:
        path: the database file; its folder is made if missing. None keeps the database in memory.
        policy: the frontier's numbers.
        now: seconds since the epoch; what was leased when the last process died is given back as of now.
        rng: source of the even picks.
        offset: of the crawl's clock, see `base.clock.Clock`. It shows how far the machine's clock was set between two
            processes, unless the machine was restarted; stored times then move with it. Without it, or after a restart,
            only a clock that was set back is noticed.

    Raises:
        FrontierError: another process has it, or the file cannot be used. Nothing on the disk was changed.
    """

    def __init__(
        self,
        path: Path | None,
        policy: FrontierPolicy,
        now: float,
        rng: random.Random | None = None,
        *,
        offset: float | None = None,
    ) -> None:
        self._policy = policy
        self._rng = rng or random.Random()
        self._path = path or Path(":memory:")
        self._closed = False
        self._failed = ""
        self._lock = lock(path) if path else None
        try:
            with ExitStack() as refused:
                refused.callback(self._unlock)
                if path is not None and self._lock is not None:
                    self._db, may_lack = connect(path, self._lock, policy.cache)
                else:
                    self._db, may_lack = in_memory(), False
                refused.callback(self._db.leave)
                self._tables = Tables(self._db, self._path, policy, now, offset)
                self._lifecycle = SiteLifecycle(self._tables, policy, now, self._rng, may_lack=may_lack)
                self.commit()
                if self._lock is not None:
                    # A power cut must not bring back the mark of a file that was closed.
                    os.fsync(self._lock)
                refused.pop_all()
        except (sqlite3.Error, OSError, SpoiledError, ValueError, TypeError, KeyError) as error:
            raise FrontierError(explain(self._path, error)) from error
        self._pruner = Pruner(self._tables, self._lifecycle)

    # -- found URLs ------------------------------------------------------------------------------------------

    @guarded
    def add(self, candidates: Iterable[Candidate]) -> Added:
        new = known = 0
        for candidate in candidates:
            key = self._tables.seen.new_key(candidate.url)
            if key is None:
                known += 1
                continue
            self._lifecycle.enqueue(candidate, key)
            new += 1
        self._tables.totals.seen += new
        self._tables.totals.waiting += new
        return Added(new, known)

    @guarded
    def rejoin(self, candidate: Candidate) -> bool:
        key, site = url_key(candidate.url), self._lifecycle.named(candidate.site)
        lease = site.lease if site is not None else None
        is_out = lease is not None and lease.url == candidate.url
        if is_out or key in self._tables.revisits or not self._tables.seen.known([key]):
            return False
        self._lifecycle.enqueue(candidate, key, again=True)
        self._tables.revisits.add(key)
        self._tables.totals.again += 1
        self._tables.totals.waiting += 1
        return True

    @property
    def recent(self) -> RecentUrls:
        return self._tables.seen.recent

    @guarded
    def unknown(self, urls: Sequence[str]) -> list[str]:
        return self._tables.seen.unknown(urls)

    # -- leases ----------------------------------------------------------------------------------------------

    @guarded
    def take(self, now: float, limit: int) -> list[Lease]:
        leases: list[Lease] = []
        self._lifecycle.now = now
        front = self._lifecycle.front
        release = front.next_release()
        if release is None or release > now:
            return leases
        self._tables.flush()
        front.trim()
        while len(leases) < limit:
            even = self._policy.explore > 0 and self._rng.random() < self._policy.explore
            site, even = self._lifecycle.pick(even=even)
            if site is None:
                break
            lease = self._lifecycle.lease(site, even=even)
            if lease is not None:
                leases.append(lease)
        if leases:
            self.commit()
        return leases

    @guarded
    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        site = self._lifecycle.leased.get(lease.site)
        if site is None or site.lease is not lease:
            return
        self._tables.begin()
        self._lifecycle.now = now
        crawl_delay = site.clocks.crawl_delay
        self._lifecycle.end_lease(site, outcome)
        if site.clocks.crawl_delay != crawl_delay or outcome.retry_after:
            # A kill must not undo what the site has just asked for: it would be requested sooner. Nor must a power cut,
            # after which each site waits the first delay.
            self.commit()
            if max(site.clocks.crawl_delay, outcome.retry_after) > self._policy.delay.delay(()):
                self._db.execute("PRAGMA wal_checkpoint")

    @guarded
    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        self._tables.begin()
        self._lifecycle.charge(site, outcome, now)

    def next_release(self) -> float | None:
        return self._lifecycle.front.next_release()

    def holds(self, lease: Lease) -> bool:
        site = self._lifecycle.leased.get(lease.site)
        return site is not None and site.lease is lease

    # -- what there is ---------------------------------------------------------------------------------------

    def pending(self) -> int:
        front, totals, leased = self._lifecycle.front, self._tables.totals, len(self._lifecycle.leased)
        if not leased and 0 < front.active == totals.resting:
            first = front.next_release()
            if first is not None and first > self._lifecycle.now:
                return 0
        return totals.waiting - totals.shelved + leased

    @guarded
    def counts(self) -> Counts:
        front, totals, shelved = self._lifecycle.front, self._tables.totals, self._lifecycle.shelved_sites
        sites, ready = front.active, front.ready
        return Counts(
            seen=totals.seen,
            waiting=totals.waiting,
            leased=len(self._lifecycle.leased),
            ready=ready,
            penalty=sites - ready - front.leased,
            ends=totals.ends,
            sites=sites,
            most=max(totals.most, sites),
            shelved=totals.shelved,
            shelved_sites=(shelved[PAUSED], shelved[RETIRED]),
            resting=totals.resting,
            again=totals.again,
            bytes=totals.bytes,
        )

    @guarded
    def site(self, name: str) -> SiteInfo | None:
        self._tables.flush()
        return site_info(self._db, name, self._lifecycle.now)

    @guarded
    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        self._tables.flush()
        return [name for (name,) in self._db.execute(_UNDER, (after, domain, f".{domain}", limit))]

    # -- scores and orders -----------------------------------------------------------------------------------

    @guarded
    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        found = self._lifecycle.named(site)
        if found is not None:
            self._lifecycle.rescore(found, scores)

    @guarded
    def prune(self, limit: int) -> int:
        excess = self._tables.totals.waiting - limit
        return self._pruner.prune(excess) if excess > 0 else 0

    @guarded
    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        found = self._lifecycle.named(site)
        return 0 if found is None else self._pruner.drop(found, reason, which)

    @guarded
    def pause(self, site: str) -> bool:
        found = self._lifecycle.named(site)
        if found is not None and found.place != PAUSED:
            self._tables.begin()
            self._lifecycle.shelve(found, PAUSED)
        return found is not None

    @guarded
    def resume(self, site: str) -> bool:
        found = self._lifecycle.named(site)
        if found is None or found.place not in {PAUSED, RETIRED}:
            return False
        self._tables.begin()
        self._lifecycle.resume(found)
        return True

    # -- notes -----------------------------------------------------------------------------------------------

    @guarded
    def note(self, namespace: str, key: str) -> bytes | None:
        query = "SELECT record FROM note WHERE room = ? AND key = ?"
        row = self._tables.db.execute(query, (namespace, key)).fetchone()
        return row[0] if row else None

    @guarded
    def set_note(self, namespace: str, key: str, record: bytes) -> None:
        self._tables.begin()
        self._tables.db.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", (namespace, key, record))

    @property
    def shared(self) -> bool:
        return False

    def update_note(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        record = change(self.note(namespace, key))
        self.set_note(namespace, key, record)
        return record

    # -- the file --------------------------------------------------------------------------------------------

    @guarded
    def commit(self) -> None:
        life = self._lifecycle
        if self._lock is not None and not (self._db.is_in_place and is_at(self._lock, self._path.with_suffix(".lock"))):
            self._failed = (
                f"the frontier {self._path} was removed, moved or replaced while the crawl ran: the crawl ends, since"
                " nothing that it does is kept. Put the folder back to resume, or start again to begin a new crawl"
            )
            raise FrontierLostError(self._failed)
        written = self._tables.commit(leased=len(life.leased), active=life.front.active, at=life.now)
        if written and self._lock is not None:
            Mark(self._tables.totals.commits, this_boot()).write(self._lock)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if not self._failed:
                for site in list(self._lifecycle.leased.values()):
                    if site.lease is not None:
                        self.finish(site.lease, Outcome(End.RETURNED, asked=False), self._lifecycle.now)
                self._save_sieve()
                self.commit()
        finally:
            if self._failed:
                self._db.leave()
            else:
                self._db.close()
                if self._lock is not None and not has_log(self._path):
                    Mark(self._tables.totals.commits, this_boot(), closed=True).write(self._lock)
            self._unlock()

    @guarded
    def _save_sieve(self) -> None:
        self._tables.save_sieve()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)


class MemoryFrontier(SQLiteFrontier):
    """A `Frontier` in SQLite's ``:memory:`` database. On disk: nothing. A kill leaves: nothing.

    It takes and finishes as many URLs a second as a file does, and a waiting URL takes some 400 bytes.
    """

    def __init__(self, policy: FrontierPolicy, rng: random.Random | None = None) -> None:
        super().__init__(None, replace(policy, bloom=0), 0.0, rng)
