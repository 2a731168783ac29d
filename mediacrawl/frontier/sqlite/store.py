"""The store for one machine: an SQLite file that survives any kill."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.contract import Counts, FrontierError, FrontierPolicy, SpoiledError
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import class_for, rests
from mediacrawl.frontier.sqlite.classes import LinkClass, Queues, site_of_class, span
from mediacrawl.frontier.sqlite.database import (
    connect,
    in_memory,
    is_spoiled,
    lock,
    mark,
    order_anew,
    set_clock_back,
    unusable,
    unwritable,
)
from mediacrawl.frontier.sqlite.front import Front
from mediacrawl.frontier.sqlite.reader import site_info
from mediacrawl.frontier.sqlite.rows import Row
from mediacrawl.frontier.sqlite.seen import Again, SeenTable, open_sieve
from mediacrawl.frontier.sqlite.sites import ACTIVE, IDLE, PAUSED, RETIRED, Site, SiteTable
from mediacrawl.frontier.sqlite.totals import ROW_SIZE, Totals
from mediacrawl.politeness.backoff import GOOD
from mediacrawl.politeness.delay import after_restart, after_visit
from mediacrawl.records import FINAL, Added, Candidate, Drop, End, Lease, Outcome, SiteInfo

_SLICE = (
    f"SELECT class, seq, url, {ROW_SIZE} FROM url WHERE (class, seq) > (?1, ?2) AND class <= ?3 AND seq != ?4"
    " ORDER BY class, seq LIMIT 10000"
)
_UNDER = (
    "SELECT name FROM site WHERE name > ?1 AND place > 0"
    " AND (?2 = '' OR name = ?2 OR substr(name, -length(?3)) = ?3) ORDER BY name LIMIT ?4"
)
_WORST = "SELECT id FROM class WHERE filled = 1 ORDER BY score, id LIMIT ?"
_FILLED = "SELECT id FROM class WHERE id BETWEEN ? AND ? AND filled = 1"
PRUNED_CLASSES = 20_000
"""Classes that are noted at a time as those to be pruned next."""
NOTED_FOR = 60.0
"""Seconds for which they are: then others may be worse."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


def _guarded(method: Callable[Concatenate[SQLiteFrontier, _P], _R]) -> Callable[Concatenate[SQLiteFrontier, _P], _R]:
    """A method after whose failure the store answers nothing more: what memory holds is ahead of the file then."""

    @wraps(method)
    def guarded(self: SQLiteFrontier, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._failed:
            raise FrontierError(self._failed)
        try:
            return method(self, *args, **kwargs)
        except (sqlite3.Error, SpoiledError, OSError) as error:
            self._failed = unusable(self._path, error) if is_spoiled(error) else unwritable(self._path, error)
            raise FrontierError(self._failed) from error

    return guarded  # type: ignore[return-value]  # mypy wants the name of self, too


class SQLiteFrontier:
    """A `Frontier` in one SQLite file.

    On disk: ``frontier.db`` (SQLite, WAL; tables in ``schema.py``; evidence and samples as msgpack, never pickle),
    beside it ``-wal`` and ``-shm`` of SQLite, ``frontier.lock``, and with ``FRONTIER_BLOOM`` ``frontier.bloom``. They
    may be deleted together while no crawl runs; that starts the crawl anew.

    A kill of the process loses nothing. It leaves the last commit, and there is one before leases go out, so no
    request is ever made that the file does not know of. What is undone is only the *end* of a visit: its URL is
    leased in the file, so it is given out again, and its site waits its whole delay from the restart. A power cut can
    undo the commits since the last checkpoint (``synchronous = NORMAL``: the file stays whole): URLs found since then
    are found again. After an error of the disk the store answers nothing more; the file is at its last commit.

    Commits are shared: `take` makes one for all its leases and all that ended or joined before, and the scheduler
    one a second.

    In memory: the front (`Front`), what is leased, some sites with their classes, `RecentUrls`, the keys of the inbox,
    SQLite's cache. No waiting URL.

    Args:
        path: the database file; its folder is made if missing. None keeps the database in memory.
        policy: the frontier's numbers.
        now: seconds since the epoch; what was leased when the last process died is given back as of now.
        rng: source of the even picks.

    Raises:
        FrontierError: another process has it, or the file cannot be used.
    """

    def __init__(self, path: Path | None, policy: FrontierPolicy, now: float, rng: random.Random | None = None) -> None:
        self._policy = policy
        self._rng = rng or random.Random()
        self._path = path or Path(":memory:")
        self._failed = ""
        self._closed = False
        self._lock = lock(path) if path else None
        self._out: dict[str, Site] = {}
        self._away: dict[int, Site] = {}
        self._worst: list[int] = []
        self._noted = 0.0
        self._now = now
        try:
            self._db = connect(path, self._lock, policy.cache) if path and self._lock is not None else in_memory()
            self._load(now)
        except BaseException as error:
            self._unlock()
            if isinstance(error, sqlite3.Error | SpoiledError | ValueError | TypeError | KeyError):
                raise FrontierError(unusable(self._path, error)) from error
            raise

    # -- joining ---------------------------------------------------------------------------------------------

    @_guarded
    def add(self, candidates: Iterable[Candidate]) -> Added:
        new = known = 0
        for candidate in candidates:
            key = self._seen.new_key(candidate.url)
            if key is None:
                known += 1
                continue
            self._queue(candidate, key)
            new += 1
        self._totals.seen += new
        self._totals.waiting += new
        return Added(new, known)

    @_guarded
    def rejoin(self, candidate: Candidate) -> bool:
        key, home = url_key(candidate.url), self._site(candidate.site)
        out = home.lease if home is not None else None
        is_out = out is not None and out.url == candidate.url
        if is_out or key in self._again or not self._seen.known([key]):
            return False
        self._queue(candidate, key, again=True)
        self._again.add(key)
        self._totals.again += 1
        self._totals.waiting += 1
        return True

    @property
    def recent(self) -> Container[str]:
        return self._seen.recent

    @_guarded
    def unknown(self, urls: Sequence[str]) -> list[str]:
        return self._seen.unknown(urls)

    # -- going out -------------------------------------------------------------------------------------------

    @_guarded
    def take(self, now: float, limit: int) -> list[Lease]:
        leases: list[Lease] = []
        self._now = now
        release = self._front.next_release()
        if release is None or release > now:
            return leases
        self._flush()
        self._front.trim()
        while len(leases) < limit:
            even = self._policy.explore > 0 and self._rng.random() < self._policy.explore
            number = self._front.pick_even(now) if even else None
            # Few sites are due on disk, and chance met none of them.
            even = number is not None
            number = self._front.pick(now) if number is None else number
            if number is None:
                break
            lease = self._lease(self._sites.numbered(number), even=even)
            if lease is not None:
                leases.append(lease)
        if leases:
            self.commit()
        return leases

    @_guarded
    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        site = self._out.get(lease.site)
        if site is None or site.row is None or site.lease is not lease:
            return
        self._begin()
        self._now = now
        # The site's classes may have been read anew meanwhile.
        link_class, row = self._queues.classes.of(site.id)[lease.link_class], site.row
        self._bring_back(site, row)
        if outcome.hold:
            self._queues.classes.change(link_class, held=now + outcome.hold)
        self._end(site, link_class, row, outcome)
        stretch = self._policy.delay.stretch(self._front.active, self._totals.most)
        crawl_delay = site.clocks.crawl_delay
        site.clocks = after_visit(site.clocks, outcome, now, self._policy.delay, stretch)
        site.earned += outcome.earned
        self._settle(site)
        if site.clocks.crawl_delay != crawl_delay or outcome.retry_after:
            # A kill must not undo what the site has just asked for: it would be asked sooner.
            self.commit()

    @_guarded
    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        self._begin()
        home = self._site(site) or self._sites.make(site, IDLE)
        home.clocks = after_visit(home.clocks, outcome, now, self._policy.delay)
        self._count_rest(home)
        self._sites.change(home)
        if home.place == ACTIVE and home.lease is None:
            self._refresh(home)

    def next_release(self) -> float | None:
        return self._front.next_release()

    def holds(self, lease: Lease) -> bool:
        site = self._out.get(lease.site)
        return site is not None and site.lease is lease

    # -- looking ---------------------------------------------------------------------------------------------

    def pending(self) -> int:
        if not self._out and 0 < self._front.active == self._totals.resting:
            first = self._front.next_release()
            if first is not None and first > self._now:
                return 0
        return self._totals.waiting - self._totals.shelved + len(self._out)

    @property
    def front(self) -> int:
        """Sites that are held in memory."""
        return len(self._front)

    @_guarded
    def counts(self) -> Counts:
        sites, ready = self._front.active, self._front.ready
        return Counts(
            seen=self._totals.seen,
            waiting=self._totals.waiting,
            leased=len(self._out),
            ready=ready,
            penalty=sites - ready - self._front.leased,
            ends=self._totals.ends,
            sites=sites,
            most=max(self._totals.most, sites),
            shelved=self._totals.shelved,
            shelved_sites=(self._shelved_sites[PAUSED], self._shelved_sites[RETIRED]),
            resting=self._totals.resting,
            again=self._totals.again,
            bytes=self._totals.bytes,
        )

    @_guarded
    def site(self, name: str) -> SiteInfo | None:
        self._flush()
        return site_info(self._db, name, self._now)

    # -- steering --------------------------------------------------------------------------------------------

    @_guarded
    def set_scores(self, site: str, scores: Mapping[str, float]) -> None:
        home = self._site(site)
        if home is None:
            return
        table = self._queues.classes
        classes = table.of(home.id)
        best = home.rank
        # All that waits may be held: then the best of it counts, held or not.
        edge = max(self._now, home.clocks.release, home.due)
        for name, score in scores.items():
            found = classes.get(name)
            if found is None or score == found.score or not isfinite(score):
                continue
            table.rescore(found, score)
            if found.filled and found.held <= edge:
                best = max(best, found.rank)
        if best > home.rank and home.place == ACTIVE and home.lease is None:
            # It may be too high, if nothing waits in that class any more, and stays so if a rank fell: what was picked
            # for a rank that it has not is put back (`_choose`). To look now would cost more than all the rest.
            home.rank = best
            self._sites.change(home)
            self._front.found(home.id, home.due, best)

    @_guarded
    def prune(self, limit: int) -> int:
        excess = self._totals.waiting - limit
        if excess <= 0:
            return 0
        self._merge()
        if self._now > self._noted + NOTED_FOR:
            self._worst = []
        gone, _ = self._prune_noted(excess)
        while gone < excess and self._note_worst():
            pruned, moved = self._prune_noted(excess - gone)
            gone += pruned
            if not moved:
                # Only what is leased is left.
                break
        return gone

    def _note_worst(self) -> bool:
        """Note the classes that promise least, the worst at the end of the list; whether there are any.

        Those of retired sites promise nothing, whatever their score.

        They are looked for among all, which takes a second for some millions, and suffice for many slices: an index
        of them would cost more with each class that joins.
        """
        first = [row for site in self._sites.among(RETIRED) for row in self._db.execute(_FILLED, span(site.id))]
        # More than there are leases, so that they cannot be all.
        found = first or self._db.execute(_WORST, (PRUNED_CLASSES + len(self._out),))
        self._worst = [number for (number,) in found][::-1]
        self._noted = self._now
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

    @_guarded
    def pause(self, site: str) -> bool:
        home = self._site(site)
        if home is None:
            return False
        if home.place != PAUSED:
            self._begin()
            self._shelve(home, PAUSED)
        return True

    @_guarded
    def resume(self, site: str) -> bool:
        home = self._site(site)
        if home is None or home.place not in {PAUSED, RETIRED}:
            return False
        self._begin()
        if home.place == RETIRED:
            # What it has earned so far was spent as well.
            home.granted = home.clocks.visits - self._policy.further(home.earned)
            home.clocks = replace(home.clocks, standing=GOOD)
        self._unshelve(home)
        return True

    @_guarded
    def drop(self, site: str, reason: Drop, which: Callable[[str], bool] | None = None) -> int:
        home = self._site(site)
        if home is None:
            return 0
        self._merge()
        (first, last), leased = span(home.id), home.row.seq if home.row else -1
        gone, place = 0, (first, -1)
        while rows := self._db.execute(_SLICE, (*place, last, leased)).fetchall():
            place = rows[-1][:2]
            meant = [row for row in rows if which is None or which(row[2])]
            for link_class, seq, url, size in meant:
                key = url_key(url)
                self._totals.bytes -= on_disk(size)
                self._again.over(key)
                self._queues.journal.gone(link_class, seq, inbox=False)
                self._queues.journal.ended(key, self._totals.end(reason), inbox=False)
            self._flush()
            gone += len(meant)
        self._went(home, gone)
        return gone

    @_guarded
    def sites_under(self, domain: str = "", after: str = "", limit: int = 1_000) -> list[str]:
        self._flush()
        return [name for (name,) in self._db.execute(_UNDER, (after, domain, f".{domain}", limit))]

    # -- notes of other rooms --------------------------------------------------------------------------------

    @_guarded
    def note(self, room: str, key: str) -> bytes | None:
        row = self._db.execute("SELECT record FROM note WHERE room = ? AND key = ?", (room, key)).fetchone()
        return row[0] if row else None

    @_guarded
    def set_note(self, room: str, key: str, record: bytes) -> None:
        self._begin()
        self._db.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", (room, key, record))

    @property
    def shared(self) -> bool:
        return False

    def update_note(self, room: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        record = change(self.note(room, key))
        self.set_note(room, key, record)
        return record

    # -- the file --------------------------------------------------------------------------------------------

    @_guarded
    def commit(self) -> None:
        self._flush()
        if not self._db.in_transaction:
            return
        if self._queues.inbox.full:
            self._merge()
        self._totals.write(leased=len(self._out), seq=self._queues.last, active=self._front.active, at=self._now)
        self._db.execute("COMMIT")
        if self._lock is not None:
            mark(self._lock, self._totals.commits)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if not self._failed:
                for site in list(self._out.values()):
                    if site.lease is not None:
                        self.finish(site.lease, Outcome(End.RETURNED, asked=False), self._now)
                self._save_sieve()
                self.commit()
        finally:
            self._db.close()
            self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            os.close(self._lock)

    @_guarded
    def _save_sieve(self) -> None:
        if self._sieve is not None:
            self._begin()
            self._sieve.save()

    def _merge(self) -> None:
        """Move the rows of the inbox to their places."""
        self._begin()
        self._flush()
        if self._sieve is not None:
            self._sieve.merging()
        self._queues.inbox.merge(self._queues.last)
        if self._sieve is not None and self._sieve.due:
            self._sieve.save()

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN")

    def _flush(self) -> None:
        """Write into the open transaction, or a new one, what was gathered."""
        if self._queues.journal or self._sites or self._queues.classes:
            self._begin()
            self._queues.journal.flush()
            self._queues.classes.flush()
            self._sites.flush()

    def _load(self, now: float) -> None:
        db, policy = self._db, self._policy
        self._begin()
        self._totals = totals = Totals(db)
        set_clock_back(db, totals.stored.get("at", now) - now, now)
        order_anew(db, policy.order, str(totals.stored.get("order", "")))
        self._queues = Queues(db, policy.order, totals.stored.get("seq", 0), sieved=policy.bloom > 0)
        self._sieve = open_sieve(db, self._path.with_suffix(".bloom"), policy.bloom)
        self._seen = SeenTable(db, self._queues.inbox, self._sieve)
        self._again = Again(db)
        self._sites = SiteTable(db)
        self._give_back(now)
        self._front = Front(db, policy.order, (policy.front_least, policy.front_most), self._away, self._rng)
        self._front.active = totals.stored.get("active", 0)
        shelved = dict(db.execute("SELECT place, count(*) FROM site WHERE place > 1 GROUP BY place"))
        self._shelved_sites = Counter(shelved)
        self._budget_anew()
        self.commit()

    def _give_back(self, now: float) -> None:
        """End the leases of a process that died. It may have asked a moment ago: the sites wait their whole delay."""
        for (number,) in self._db.execute("SELECT site FROM lease").fetchall():
            site = self._sites.numbered(number)
            site.clocks = after_restart(site.clocks, True, now, self._policy.delay)
            site.due = max(site.due, site.clocks.release)
            self._totals.shelved += site.place > ACTIVE
            self._count_rest(site)
            self._sites.change(site)
        self._db.execute("DELETE FROM lease")
        self._sites.flush()

    def _budget_anew(self) -> None:
        """Retired sites that have not spent the budget of today's settings are asked again."""
        for site in self._sites.among(RETIRED):
            if not self._spent(site):
                self._unshelve(site)

    # -- sites -----------------------------------------------------------------------------------------------

    def _site(self, name: str) -> Site | None:
        return self._out.get(name) or self._sites.named(name)

    def _spent(self, site: Site) -> bool:
        return site.clocks.standing.gone or self._policy.spent(site.clocks.visits - site.granted, site.earned)

    def _settle(self, site: Site) -> None:
        """Put a site that is not leased where it belongs, as of its heads."""
        self._sites.change(site)
        heads, site.heads = site.heads, {}
        if site.place > ACTIVE:
            return
        if heads and self._spent(site):
            self._shelve(site, RETIRED)
        elif heads:
            self._wait(site, heads)
        elif site.place == ACTIVE:
            site.place = IDLE
            self._front.active -= 1
            self._front.remove(site.id)
        self._count_rest(site)

    def _count_rest(self, site: Site) -> None:
        """Where a site stands, or what is held against it, has changed: it may count as resting now, or no more."""
        now = site.place == ACTIVE and rests(site.clocks, site.due, self._now)
        self._totals.resting += now - site.rests
        site.rests = now

    def _wait(self, site: Site, heads: Container[int]) -> None:
        """A site waits for its release, or, if all its classes are held, for the end of the first hold."""
        filled = [c for c in self._queues.classes.of(site.id).values() if c.id in heads]
        free = [c for c in filled if c.held <= max(self._now, site.clocks.release)]
        due = 0.0 if free else min(c.held for c in filled)
        site.rank = max(c.rank for c in free or filled)
        site.due = max(site.clocks.release, due)
        if site.place == IDLE:
            site.place = ACTIVE
            self._front.active += 1
        self._front.put(site.id, site.due, site.rank)

    def _refresh(self, site: Site) -> None:
        """Settle a site whose rows or scores were changed from outside. A leased one only learns its new heads."""
        self._flush()
        heads = self._queues.classes.heads(site.id)
        if site.row is None or site.link_class is None:
            site.heads = heads
            self._settle(site)
            return
        if heads.get(site.link_class.id) == site.row.seq:
            self._queues.pass_over(site.link_class, site.row.seq, heads)
        site.heads = heads

    def _shelve(self, site: Site, place: int) -> None:
        """A site is paused or retired: what waits there waits on, and does not count as pending."""
        if site.place > ACTIVE:
            # What waits there is shelved already.
            self._shelved_sites[site.place] -= 1
        else:
            self._flush()
            self._totals.shelved += self._rows_of(site)
        if site.place == ACTIVE:
            self._front.active -= 1
            self._front.leased -= site.lease is not None
            self._front.remove(site.id)
        site.place = place
        self._shelved_sites[place] += 1
        self._count_rest(site)
        self._sites.change(site)

    def _unshelve(self, site: Site) -> None:
        self._flush()
        self._totals.shelved -= self._rows_of(site)
        self._shelved_sites[site.place] -= 1
        site.place = IDLE
        self._sites.change(site)
        if site.lease is not None:
            site.place = ACTIVE
            self._front.active += 1
            self._front.leased += 1
            self._count_rest(site)
        self._refresh(site)

    def _rows_of(self, site: Site) -> int:
        """How many URLs wait on a site, the leased one not counted. What was gathered must be written."""
        return self._queues.count(site.id) - (site.lease is not None)

    # -- rows ------------------------------------------------------------------------------------------------

    def _queue(self, candidate: Candidate, key: int, *, again: bool = False) -> None:
        # Site and class are written in the transaction of the rows, or a kill would leave them without any.
        self._begin()
        site = self._site(candidate.site) or self._new_site(candidate)
        classes = self._queues.classes.of(site.id)
        name = class_for(candidate.link_class, classes, self._policy.classes)
        link_class = classes.get(name) or self._queues.classes.make(site.id, name, candidate.score)
        if again:
            self._queues.classes.rescore(link_class, candidate.score if isfinite(candidate.score) else 0.0)
        row = Row.of(candidate, self._queues.next_place())
        self._queues.join(link_class, row, key)
        self._totals.bytes += row.size
        if site.lease is not None:
            site.heads.setdefault(link_class.id, row.seq)
        if site.place > ACTIVE:
            self._totals.shelved += 1
        elif site.lease is None:
            self._call(site, link_class)

    def _new_site(self, candidate: Candidate) -> Site:
        site = self._sites.make(candidate.site, IDLE)
        self._queues.classes.begin(site.id)
        return site

    def _call(self, site: Site, link_class: LinkClass) -> None:
        """A URL has joined a class of a site that is not leased: the site may have become due, or of better rank."""
        now, release = self._now, site.clocks.release
        # Not earlier than now: it goes behind those that have been due for longer.
        due = max(release, link_class.held, now)
        if site.place == IDLE:
            site.place = ACTIVE
            self._front.active += 1
            site.rank, site.due = link_class.rank, due
            self._count_rest(site)
        elif due < site.due and site.due > max(release, now):
            # All that waits is held; this is free sooner.
            site.rank, site.due = link_class.rank, due
            self._count_rest(site)
        elif link_class.rank > site.rank and link_class.held <= max(release, now):
            site.rank = link_class.rank
        else:
            return
        self._sites.change(site)
        self._front.found(site.id, site.due, site.rank)

    def _lease(self, site: Site, *, even: bool) -> Lease | None:
        """Lease a URL of a site that was just picked. None if nothing waits there that may be asked now."""
        heads = site.heads = self._queues.classes.heads(site.id)
        may = site.clocks.release <= self._now and not self._spent(site)
        link_class = self._choose(site, heads, even=even) if may else None
        if link_class is None:
            self._settle(site)
            return None
        row = self._queues.read(link_class, heads[link_class.id])
        self._queues.journal.leased(row.seq, link_class.id, site.id, self._now)
        site.lease = row.lease(site.name, link_class.name, site.clocks, self._now, even=even)
        site.row, site.link_class = row, link_class
        self._queues.pass_over(link_class, row.seq, heads)
        self._out[site.name] = self._away[site.id] = site
        self._front.leased += 1
        self._totals.waiting -= 1
        return site.lease

    def _choose(self, site: Site, heads: dict[int, int], *, even: bool) -> LinkClass | None:
        free = [c for c in self._queues.classes.of(site.id).values() if c.id in heads and c.held <= self._now]
        if not free:
            return None
        if not even and max(c.rank for c in free) < site.rank:
            # It was picked for a rank that it has not any more.
            return None
        if site.clocks.standing.row:
            return min(free, key=lambda c: heads[c.id])
        if even:
            return self._rng.choice(free)
        rank = self._policy.order.choose({c.rank for c in free}, self._rng)
        return min((c for c in free if c.rank == rank), key=lambda c: heads[c.id])

    def _bring_back(self, site: Site, row: Row) -> None:
        """A lease is over."""
        self._queues.journal.lease_over(row.seq)
        site.lease = site.row = site.link_class = None
        del self._out[site.name], self._away[site.id]
        self._front.leased -= site.place == ACTIVE

    def _end(self, site: Site, link_class: LinkClass, row: Row, outcome: Outcome) -> None:
        queues = self._queues
        if outcome.end in FINAL:
            self._totals.bytes -= row.size
            code, key = self._totals.end(outcome.reason or outcome.end), url_key(row.url)
            self._again.over(key)
            queues.journal.ended(key, code, inbox=queues.remove(link_class, row.seq))
            return
        self._totals.waiting += 1
        self._totals.shelved += site.place > ACTIVE
        if outcome.end is End.AGAIN or (outcome.end is End.CONTINUE and outcome.trouble is not None):
            queues.remove(link_class, row.seq)
            later = row.later(outcome, queues.next_place())
            queues.join(link_class, later, url_key(row.url))
            self._totals.bytes += later.size - row.size
            site.heads.setdefault(link_class.id, later.seq)
            return
        if outcome.end is End.CONTINUE:
            continued = row.continued(outcome)
            queues.change(link_class, continued)
            self._totals.bytes += continued.size - row.size
        site.heads[link_class.id] = row.seq

    def _prune_class(self, number: int, most: int) -> tuple[int, bool]:
        """Forget up to `most` waiting rows of a class, newest first, but not the leased one.

        Answers how many went, and whether the class is known to be empty now.
        """
        site = self._away.get(site_of_class(number)) or self._sites.numbered(site_of_class(number))
        leased = site.row.seq if site.row else -1
        rows = self._db.execute(
            f"SELECT seq, url, {ROW_SIZE} FROM url WHERE class = ? AND seq != ? ORDER BY seq DESC LIMIT ?",
            (number, leased, most),
        ).fetchall()
        for seq, url, size in rows:
            key = url_key(url)
            self._totals.bytes -= on_disk(size)
            if self._again.over(key):
                self._queues.journal.gone(number, seq, inbox=False)
                self._totals.again -= 1
                continue
            self._seen.forget(url)
            self._queues.journal.pruned(number, seq, key)
            self._totals.seen -= 1
        emptied = len(rows) < most and (site.link_class is None or site.link_class.id != number)
        if emptied:
            self._queues.classes.emptied(number)
        self._went(site, len(rows))
        return len(rows), emptied

    def _went(self, site: Site, rows: int) -> None:
        """Rows of a site were deleted from outside."""
        self._totals.waiting -= rows
        if site.place > ACTIVE:
            self._totals.shelved -= rows
        if rows:
            self._refresh(site)
