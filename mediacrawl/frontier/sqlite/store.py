"""The store for one machine: an SQLite database, in a file that survives any kill, or in memory."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import wraps
from math import isfinite
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from mediacrawl.base.files import is_at
from mediacrawl.base.sqlite_file import Mark, has_log, this_boot
from mediacrawl.base.terms import Added, Candidate, Drop, End, Lease, Outcome, SiteInfo
from mediacrawl.frontier.contract import Counts, FrontierError, FrontierLostError, FrontierPolicy, SpoiledError
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import ACTIVE, IDLE, PAUSED, RETIRED, class_for, rests
from mediacrawl.frontier.sqlite.database import connect, explain, in_memory, lock
from mediacrawl.frontier.sqlite.front import Front
from mediacrawl.frontier.sqlite.pruning import Pruner
from mediacrawl.frontier.sqlite.reader import site_info
from mediacrawl.frontier.sqlite.tables import LinkClass, Site, Tables, UrlRow, hold_all
from mediacrawl.politeness.delay import GOOD, after_restart, after_visit


class SiteLifecycle:
    """Moves sites between their places, and their URLs with them.

    In memory: the front, and the sites that are leased.

    Attributes:
        now: seconds since the epoch, as of the last call that told it.
        front: the sites that wait.
        leased: sites that are leased, by name.
        shelved_sites: how many sites there are at each place above `ACTIVE`.
    """

    def __init__(
        self, tables: Tables, policy: FrontierPolicy, now: float, rng: random.Random, *, may_lack: bool = False
    ) -> None:
        self._tables = tables
        self._policy = policy
        self._rng = rng
        self.now = now
        self.leased: dict[str, Site] = {}
        self._leased_numbers: dict[int, Site] = {}
        if may_lack:
            hold_all(tables.db, policy.delay, now)
            # A site that seems new may have been met in a commit that is undone.
            tables.set_total("unsure", now + policy.delay.delay(()))
        self._unsure = tables.totals.stored.get("unsure", 0.0) + max(tables.clock_shift, 0.0)
        self._give_back()
        size = policy.front_least, policy.front_most
        self.front = Front(tables.db, policy.order, size, self._leased_numbers, rng)
        self.front.active = tables.totals.stored.get("active", 0)
        shelved = tables.db.execute("SELECT place, count(*) FROM site WHERE place > 1 GROUP BY place")
        self.shelved_sites = Counter(dict(shelved))
        for site in tables.sites.among(RETIRED):
            # Those that have not spent the budget of today's settings are requested again.
            if not self._is_spent(site):
                self.unshelve(site)

    def named(self, name: str) -> Site | None:
        """The site of this name, or None."""
        return self.leased.get(name) or self._tables.sites.named(name)

    def numbered(self, number: int) -> Site:
        """The site of this number, which is in the table."""
        return self._leased_numbers.get(number) or self._tables.sites.numbered(number)

    # -- URLs ------------------------------------------------------------------------------------------------

    def enqueue(self, candidate: Candidate, key: int, *, again: bool = False) -> None:
        """Add a URL to a class of its site, which gets its score if the URL had ended before (`again`)."""
        # Site and class are written in the transaction of the rows, or a kill would leave them without any.
        tables, queues = self._tables, self._tables.queues
        tables.begin()
        site = self.leased.get(candidate.site) or tables.sites.named(candidate.site) or self._new_site(candidate.site)
        classes = queues.classes.of(site.id)
        link_class = classes.get(candidate.link_class)
        if link_class is None:
            name = class_for(candidate.link_class, classes, self._policy.classes)
            link_class = classes.get(name) or queues.classes.make(site.id, name, candidate.score)
        if again:
            queues.classes.rescore(site.id, {link_class.name: candidate.score if isfinite(candidate.score) else 0.0})
        row = UrlRow.of(candidate, queues.next_place())
        tables.totals.bytes += queues.join(link_class, row, key)
        if site.lease is not None:
            site.heads.setdefault(link_class.id, row.seq)
        if site.place > ACTIVE:
            tables.totals.shelved += 1
        elif site.lease is None:
            self._move_up(site, link_class)

    def _new_site(self, name: str) -> Site:
        site = self._tables.sites.make(name, IDLE)
        site.clocks = replace(site.clocks, release=self._unsure)
        self._tables.queues.classes.begin(site.id)
        return site

    def _move_up(self, site: Site, link_class: LinkClass) -> None:
        """A URL was added to a class of a site that is not leased: the site may have become due, or of better rank."""
        now, release = self.now, site.clocks.release
        # Not earlier than now: it goes behind those that have been due for longer.
        due, rank = max(release, link_class.held, now), link_class.rank
        if site.place == ACTIVE and not (due < site.due and site.due > max(release, now)):
            # Else all that waits is held, and this is free sooner.
            if rank <= site.rank or link_class.held > max(release, now):
                return
            due = site.due
        if site.place != ACTIVE or site.due != due:
            self.front.active += site.place != ACTIVE
            site.place, site.due = ACTIVE, due
            self._count_rest(site)
        site.rank = rank
        self._tables.sites.change(site)
        self.front.found(site.id, due, rank)

    # -- leases ----------------------------------------------------------------------------------------------

    def lease(self, number: int, *, even: bool) -> Lease | None:
        """Lease a URL of the site of this number, which was just picked. None if no URL there may be requested now.

        With `even` the site was picked evenly at random.
        """
        tables, queues = self._tables, self._tables.queues
        site = tables.sites.numbered(number)
        classes = queues.classes.of(number).values()
        if not even and self._has_fallen(site, classes):
            return None
        heads = site.heads = queues.classes.heads(number)
        may = site.clocks.release <= self.now and not self._is_spent(site)
        link_class = self._choose(site, classes, even=even) if may else None
        if link_class is None:
            self._settle(site, classes)
            return None
        row = queues.lease(link_class, heads, number, self.now)
        site.lease = row.lease(site.name, link_class.name, site.clocks, self.now, even=even)
        site.row, site.link_class = row, link_class
        self.leased[site.name] = self._leased_numbers[number] = site
        self.front.leased += 1
        tables.totals.waiting -= 1
        return site.lease

    def _has_fallen(self, site: Site, classes: Iterable[LinkClass]) -> bool:
        """Whether the scores of a picked site have fallen; then it goes back with the rank of its best class.

        The rows are not read for it, so that the rank may still be too high: a class may be empty, see `rescore`.
        """
        edge = max(self.now, site.clocks.release)
        best = max((c.rank for c in classes if c.filled and c.held <= edge), default=site.rank)
        if best >= site.rank:
            return False
        site.rank = best
        self._tables.sites.change(site)
        self.front.put(site.id, site.due, best)
        return True

    def _choose(self, site: Site, classes: Iterable[LinkClass], *, even: bool) -> LinkClass | None:
        """The class of a picked site whose first URL is leased; None if the site goes back to its place."""
        heads = site.heads
        free = [c for c in classes if c.id in heads and c.held <= self.now]
        ranks = {c.rank for c in free}
        if not free or (not even and max(ranks) < site.rank):
            # Nothing may be requested, or the site was picked for a rank that it does not have any more.
            return None
        if site.clocks.standing.row:
            # It has just failed: the URL that has waited longest goes first.
            return min(free, key=lambda c: heads[c.id])
        if even:
            return self._rng.choice(free)
        rank = self._policy.order.choose(ranks, self._rng)
        return min((c for c in free if c.rank == rank), key=lambda c: heads[c.id])

    def end_lease(self, site: Site, outcome: Outcome) -> None:
        """The visit of a leased site has ended."""
        tables, lease = self._tables, site.lease
        assert lease is not None
        key = url_key(lease.url)
        tables.begin()
        # The site's classes may have been read again meanwhile.
        classes = tables.queues.classes.of(site.id)
        link_class = classes[lease.link_class]
        if outcome.hold:
            tables.queues.classes.change(link_class, held=self.now + outcome.hold)
        tables.end_lease(site, link_class, key, outcome)
        del self.leased[site.name], self._leased_numbers[site.id]
        self.front.leased -= site.place == ACTIVE
        stretch = self._policy.delay.stretch(self.front.active, tables.totals.most)
        site.clocks = after_visit(site.clocks, outcome, self.now, self._policy.delay, stretch)
        site.earned += outcome.earned
        self._settle(site, classes.values())

    def _give_back(self) -> None:
        """End the leases of a process that died. It may have asked a moment ago: the sites wait their whole delay."""
        tables = self._tables
        for (number,) in tables.db.execute("SELECT site FROM lease").fetchall():
            site = tables.sites.numbered(number)
            site.clocks = after_restart(site.clocks, True, self.now, self._policy.delay)
            site.due = max(site.due, site.clocks.release)
            tables.totals.shelved += site.place > ACTIVE
            self._count_rest(site)
            tables.sites.change(site)
        tables.db.execute("DELETE FROM lease")
        tables.sites.flush()

    # -- places ----------------------------------------------------------------------------------------------

    def charge(self, name: str, outcome: Outcome, now: float) -> None:
        """A site was requested outside any lease."""
        site = self.named(name) or self._tables.sites.make(name, IDLE)
        site.clocks = after_visit(site.clocks, outcome, now, self._policy.delay)
        site.earned += outcome.earned
        if site.place == RETIRED and not self._is_spent(site):
            self.unshelve(site)
        self._count_rest(site)
        self._tables.sites.change(site)
        if site.place == ACTIVE and site.lease is None:
            self.refresh(site)

    def rescore(self, site: Site, scores: Mapping[str, float]) -> None:
        """Classes of a site have new scores."""
        changed = self._tables.queues.classes.rescore(site.id, scores)
        # All that waits may be held: then the best of it counts, held or not.
        edge = max(self.now, site.clocks.release, site.due)
        best = max([c.rank for c in changed if c.filled and c.held <= edge], default=site.rank)
        if best > site.rank and site.place == ACTIVE and site.lease is None:
            # The rank may be too high: nothing may wait in that class. It also stays when a score falls. `_choose` then
            # returns None, and the site gets its true rank. To look now would cost more than all the rest.
            site.rank = best
            self._tables.sites.change(site)
            self.front.found(site.id, site.due, best)

    def removed(self, site: Site, rows: int) -> None:
        """So many waiting rows of a site were deleted."""
        totals = self._tables.totals
        totals.waiting -= rows
        if site.place > ACTIVE:
            totals.shelved -= rows
        if rows:
            self.refresh(site)

    def refresh(self, site: Site) -> None:
        """Settle a site whose rows or clocks were changed outside a visit. A leased one only learns its new heads."""
        self._tables.flush()
        queues = self._tables.queues
        heads = queues.classes.heads(site.id)
        if site.row is None or site.link_class is None:
            site.heads = heads
            self._settle(site, queues.classes.of(site.id).values())
            return
        if heads.get(site.link_class.id) == site.row.seq:
            queues.pass_over(site.link_class, site.row.seq, heads)
        site.heads = heads

    def shelve(self, site: Site, place: int) -> None:
        """Pause or retire a site: its URLs continue to wait, and do not count as pending."""
        if site.place > ACTIVE:
            # Its URLs are shelved already.
            self.shelved_sites[site.place] -= 1
        else:
            self._tables.totals.shelved += self._tables.rows_of(site)
        if site.place == ACTIVE:
            self.front.active -= 1
            self.front.leased -= site.lease is not None
            self.front.remove(site.id)
        site.place = place
        self.shelved_sites[place] += 1
        self._count_rest(site)
        self._tables.sites.change(site)

    def resume(self, site: Site) -> None:
        """A paused or retired site is requested again, the latter with a new budget and in good standing."""
        if site.place == RETIRED:
            # What it has earned so far was spent as well.
            site.granted = site.clocks.visits - self._policy.further(site.earned)
            site.clocks = replace(site.clocks, standing=GOOD)
        self.unshelve(site)

    def unshelve(self, site: Site) -> None:
        """A paused or retired site is requested again."""
        self._tables.totals.shelved -= self._tables.rows_of(site)
        self.shelved_sites[site.place] -= 1
        site.place = IDLE
        self._tables.sites.change(site)
        if site.lease is not None:
            site.place = ACTIVE
            self.front.active += 1
            self.front.leased += 1
            self._count_rest(site)
        self.refresh(site)

    def _settle(self, site: Site, classes: Iterable[LinkClass]) -> None:
        """Put a site that is not leased at its place, as of its heads.

        Where URLs wait it is due at its release time, with the best rank of its classes that are not held; if all are
        held, at the end of the first hold.
        """
        heads, site.heads = site.heads, {}
        if site.place <= ACTIVE and heads and self._is_spent(site):
            self.shelve(site, RETIRED)
            return
        if site.place <= ACTIVE:
            self.front.active += bool(heads) - site.place
            site.place = ACTIVE if heads else IDLE
            if heads:
                filled, release = [c for c in classes if c.id in heads], site.clocks.release
                free = [c for c in filled if c.held <= max(self.now, release)]
                site.due = release if free else max(release, min([c.held for c in filled]))
                site.rank = max([c.rank for c in free or filled])
            self._count_rest(site)
        self._tables.sites.change(site)
        if site.place == ACTIVE:
            self.front.put(site.id, site.due, site.rank)
        elif site.place == IDLE:
            self.front.remove(site.id)

    def _is_spent(self, site: Site) -> bool:
        visits, policy = site.clocks.visits - site.granted, self._policy
        return site.clocks.standing.gone or (visits >= policy.budget > 0 and policy.spent(visits, site.earned))

    def _count_rest(self, site: Site) -> None:
        """The place or the standing of a site has changed: it may count as resting now, or no more."""
        now = site.place == ACTIVE and rests(site.clocks, site.due, self.now)
        self._tables.totals.resting += now - site.rests
        site.rests = now


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

    shared = False

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
        self.recent = self._tables.seen.recent
        self.next_release = self._lifecycle.front.next_release
        self._pruner = Pruner(self._tables, self._lifecycle.numbered, self._lifecycle.removed)

    # -- found URLs ------------------------------------------------------------------------------------------

    @guarded
    def add(self, candidates: Iterable[Candidate]) -> Added:
        met = list(candidates)
        new = self._tables.seen.new_keys([candidate.url for candidate in met])
        added = Added(len(new), len(met) - len(new))
        for candidate in met:
            key = new.pop(candidate.url, None)
            if key is not None:
                self._lifecycle.enqueue(candidate, key)
        self._tables.totals.seen += added.new
        self._tables.totals.waiting += added.new
        return added

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
        front.shrink()
        while len(leases) < limit:
            even = self._policy.explore > 0 and self._rng.random() < self._policy.explore
            number, even = front.next_site(now, even=even)
            if number is None:
                break
            lease = self._lifecycle.lease(number, even=even)
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
        sites, ready = front.active, len(front.ready)
        return Counts(
            seen=totals.seen,
            waiting=totals.waiting,
            leased=len(self._lifecycle.leased),
            ready=ready,
            penalty=sites - ready - front.leased,
            ends=dict(totals.ends),
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
        life = self._lifecycle
        return self._pruner.prune(excess, life.now, len(life.leased)) if excess > 0 else 0

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
        row = self._db.execute(query, (namespace, key)).fetchone()
        return row[0] if row else None

    @guarded
    def set_note(self, namespace: str, key: str, record: bytes) -> None:
        if not self._db.in_transaction:
            self._tables.begin()
        self._db.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", (namespace, key, record))

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
