"""The store for one machine: an SQLite file that survives any kill."""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from mediacrawl.frontier.contract import Counts, FrontierError, FrontierPolicy
from mediacrawl.frontier.penalty_box import PenaltyBox
from mediacrawl.frontier.seen import RecentUrls, url_key
from mediacrawl.frontier.stores.inbox import Inbox, batches
from mediacrawl.frontier.stores.journal import Journal
from mediacrawl.frontier.stores.rows import Row, stored_row
from mediacrawl.frontier.stores.rules import FINAL, class_for, site_state
from mediacrawl.frontier.stores.schema import connect, lock, unusable
from mediacrawl.frontier.stores.sites import SITE_COLUMNS, LinkClass, Site, stored_site
from mediacrawl.politeness.delay import Clocks, after_restart, after_visit
from mediacrawl.records import Added, Candidate, End, Lease, Outcome, SiteInfo

WINDOW = 8
"""URLs of a class that are read ahead: one read in eight visits, and at most some 4 KB a class."""


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
        except sqlite3.Error as error:
            self._failed = (
                f"the frontier {self._path} cannot be written ({error}); what was committed is safe: "
                "make room, or end the program that holds it, and start the crawl again"
            )
            raise FrontierError(self._failed) from error

    return guarded  # type: ignore[return-value]  # mypy wants the name of self, too


class SQLiteFrontier:
    """A `Frontier` in one SQLite file.

    On disk: ``frontier.db`` (SQLite, WAL; tables in ``schema.py``; evidence and samples as msgpack, never pickle),
    beside it ``-wal`` and ``-shm`` of SQLite, and ``frontier.lock``. They may be deleted together while no crawl
    runs; that starts the crawl anew.

    A kill of the process leaves the last commit, and there is one before leases go out. So no request is ever
    made that the file does not know of, and what a kill can undo is only the *end* of a visit: that URL is given
    out again, and its site waits its whole delay from the restart, as it was known at the last commit. A power cut
    can undo the commits since the last checkpoint (``synchronous = NORMAL``: the file stays whole): URLs found since
    then are found again. After an error of the disk the store answers nothing more; the file is at its last commit.

    Args:
        path: the database file; its folder is made if missing.
        policy: the frontier's numbers.
        now: seconds since the epoch; what was leased when the last process died is given back as of now.
        rng: source of the even picks.

    Raises:
        FrontierError: another process has it, or the file cannot be used.
    """

    def __init__(self, path: Path, policy: FrontierPolicy, now: float, rng: random.Random | None = None) -> None:
        self._policy = policy
        self._rng = rng or random.Random()
        self._path = path
        self._failed = ""
        self._closed = False
        self._lock = lock(path)
        self._box = PenaltyBox(self._rng)
        self._recent = RecentUrls()
        self._sites: dict[str, Site] = {}
        self._by_id: dict[int, Site] = {}
        self._out: dict[int, Site] = {}
        self._endings: dict[str, int] = {}
        self._ended: Counter[str] = Counter()
        self._asked: dict[str, int] = {}
        self._now = now
        try:
            self._db = connect(path)
            self._load(now)
        except BaseException as error:
            os.close(self._lock)
            if isinstance(error, sqlite3.Error | ValueError | TypeError | KeyError):
                raise FrontierError(unusable(path, error)) from error
            raise

    # -- joining ---------------------------------------------------------------------------------------------

    @_guarded
    def add(self, candidates: Iterable[Candidate]) -> Added:
        new = known = 0
        for candidate in candidates:
            key = self._new_key(candidate.url)
            if key is None:
                known += 1
                continue
            self._recent.add(candidate.url)
            self._queue(candidate, key)
            new += 1
        self._seen += new
        self._waiting += new
        return Added(new, known)

    @property
    def recent(self) -> Container[str]:
        return self._recent

    @_guarded
    def unknown(self, urls: Sequence[str]) -> list[str]:
        asked = {url: url_key(url) for url in self._recent.unknown(urls)}
        known = self._known(list(asked.values()))
        for url, key in asked.items():
            if key in known:
                self._recent.add(url)
        # What is unknown now stays unknown until it is added, so that `add` need not ask again.
        self._asked = {url: key for url, key in asked.items() if key not in known}
        return list(self._asked)

    def _new_key(self, url: str) -> int | None:
        """The key of a URL that was never accepted; None if it was."""
        key = self._asked.pop(url, None)
        if key is not None:
            return key
        if url in self._recent:
            return None
        key = url_key(url)
        return None if self._known([key]) else key

    # -- going out -------------------------------------------------------------------------------------------

    @_guarded
    def take(self, now: float, limit: int) -> list[Lease]:
        leases: list[Lease] = []
        self._now = now
        self._box.release(now)
        while len(leases) < limit and (picked := self._box.pick(self._policy.explore)) is not None:
            lease = self._lease(self._by_id[picked[0]], even=picked[1], now=now)
            if lease is not None:
                leases.append(lease)
        if leases:
            self.commit()
        return leases

    @_guarded
    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        site = self._out.pop(lease.id, None)
        if site is None or site.row is None:
            return
        self._now = now
        (link_class, row), site.lease, site.row = site.row, None, None
        self._journal.lease_over(row.seq)
        if outcome.hold:
            link_class.held = now + outcome.hold
            site.held = max(site.held, link_class.held)
        self._end(link_class, row, outcome)
        site.clocks = after_visit(site.clocks, outcome, now, self._policy.delay)
        self._settle(site)

    @_guarded
    def charge(self, site: str, outcome: Outcome, now: float) -> None:
        self._begin()
        home = self._sites.get(site) or self._awake(site)
        home.clocks = after_visit(home.clocks, outcome, now, self._policy.delay)
        if home.lease is None:
            self._settle(home)
        else:
            self._save(home, active=True)

    def next_release(self) -> float | None:
        return self._box.next_release()

    # -- looking ---------------------------------------------------------------------------------------------

    def pending(self) -> int:
        return self._waiting + len(self._out)

    @_guarded
    def counts(self) -> Counts:
        ends = Counter(dict(self._db.execute("SELECT name, urls FROM ending WHERE urls > 0")))
        ends.update(self._ended)
        return Counts(self._seen, self._waiting, len(self._out), self._box.ready, self._box.penalty, dict(ends))

    @_guarded
    def site(self, name: str) -> SiteInfo | None:
        site = self._sites.get(name) or self._read_site(name)
        if site is None:
            return None
        clocks = site.clocks
        self._journal.flush()
        classes = tuple(
            self._db.execute(
                "SELECT name, score, (SELECT count(*) FROM url WHERE class = class.id)"
                " + (SELECT count(*) FROM inbox WHERE class = class.id) FROM class WHERE site = ? ORDER BY id",
                (site.id,),
            )
        )
        waiting = sum(row[2] for row in classes) - (site.lease is not None)
        return SiteInfo(
            name,
            site_state(leased=site.lease is not None, waiting=waiting, rests=clocks.rests),
            clocks.release,
            clocks.delay,
            clocks.crawl_delay,
            clocks.samples,
            clocks.visits,
            waiting,
            classes,
        )

    # -- steering --------------------------------------------------------------------------------------------

    @_guarded
    def set_score(self, site: str, link_class: str, score: float) -> None:
        home = self._sites.get(site) or self._read_site(site)
        if home is None:
            return
        self._begin()
        self._db.execute("UPDATE class SET score = ? WHERE site = ? AND name = ?", (score, home.id, link_class))
        classes = self._classes(home)
        if link_class not in classes:
            return
        classes[link_class].score = score
        if home.id in self._by_id and home.lease is None:
            self._settle(home)

    @_guarded
    def prune(self, limit: int) -> int:
        excess = self._waiting - limit
        gone = 0
        if excess > 0:
            self._merge()
            for number, name in self._db.execute(
                "SELECT class.id, site.name FROM class JOIN site ON site.id = class.site"
                " WHERE site.active = 1 ORDER BY class.score, class.id"
            ).fetchall():
                if gone >= excess:
                    break
                if name in self._sites:
                    gone += self._prune_class(number, self._sites[name], excess - gone)
        self._waiting -= gone
        self._seen -= gone
        return gone

    # -- notes of other rooms --------------------------------------------------------------------------------

    @_guarded
    def note(self, room: str, key: str) -> bytes | None:
        row = self._db.execute("SELECT record FROM note WHERE room = ? AND key = ?", (room, key)).fetchone()
        return row[0] if row else None

    @_guarded
    def set_note(self, room: str, key: str, record: bytes) -> None:
        self._begin()
        self._db.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", (room, key, record))

    # -- the file --------------------------------------------------------------------------------------------

    @_guarded
    def commit(self) -> None:
        if not self._db.in_transaction and not self._journal:
            return
        self._begin()
        self._journal.flush()
        if self._inbox.full:
            self._merge()
        for name, urls in self._ended.items():
            self._db.execute("UPDATE ending SET urls = urls + ? WHERE code = ?", (urls, self._endings[name]))
        self._ended.clear()
        totals = (("seen", self._seen), ("waiting", self._waiting + len(self._out)), ("seq", self._seq))
        self._db.executemany("INSERT OR REPLACE INTO total VALUES (?, ?)", totals)
        self._db.execute("COMMIT")

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if not self._failed:
                for site in list(self._out.values()):
                    if site.lease is not None:
                        self.finish(site.lease, Outcome(End.RETURNED, asked=False), self._now)
                self.commit()
        finally:
            self._db.close()
            os.close(self._lock)

    def _merge(self) -> None:
        self._journal.flush()
        self._begin()
        self._inbox.merge(self._seq)

    def _begin(self) -> None:
        if not self._db.in_transaction:
            self._db.execute("BEGIN")

    def _load(self, now: float) -> None:
        self._journal = Journal(self._db)
        totals = dict(self._db.execute("SELECT name, value FROM total"))
        self._seen: int = totals.get("seen", 0)
        self._waiting: int = totals.get("waiting", 0)
        self._seq: int = totals.get("seq", 0)
        self._inbox = Inbox(self._db, self._seq)
        self._endings = dict(self._db.execute("SELECT name, code FROM ending"))
        leased = {row[0] for row in self._db.execute("SELECT site FROM lease")}
        for row in self._db.execute(f"SELECT {SITE_COLUMNS} FROM site WHERE active = 1"):
            site = self._keep(stored_site(row))
            site.clocks = after_restart(site.clocks, site.id in leased, now, self._policy.delay)
            self._box.put(site.id, site.clocks.release, site.score)
        for number in leased:
            self._save(self._by_id[number], active=True)
        self._begin()
        self._db.execute("DELETE FROM lease")
        self.commit()

    # -- sites and classes -----------------------------------------------------------------------------------

    def _keep(self, site: Site) -> Site:
        self._sites[site.name] = self._by_id[site.id] = site
        return site

    def _read_site(self, name: str) -> Site | None:
        self._journal.flush()
        row = self._db.execute(f"SELECT {SITE_COLUMNS} FROM site WHERE name = ?", (name,)).fetchone()
        return stored_site(row) if row else None

    def _awake(self, name: str) -> Site:
        """The site, in memory and marked active; made if it is new."""
        site = self._read_site(name)
        if site is None:
            cursor = self._db.execute("INSERT INTO site (name, active) VALUES (?, 1)", (name,))
            assert cursor.lastrowid is not None
            site = Site(cursor.lastrowid, name, Clocks(), 0.0)
            site.classes = {}
        else:
            self._db.execute("UPDATE site SET active = 1 WHERE id = ?", (site.id,))
        return self._keep(site)

    def _save(self, site: Site, *, active: bool) -> None:
        self._journal.site(site.id, site.clocks, site.score, active=active)

    def _classes(self, site: Site) -> dict[str, LinkClass]:
        if site.classes is None:
            self._journal.flush()
            rows = self._db.execute(
                "SELECT id, name, score, EXISTS (SELECT 1 FROM url WHERE class = class.id) FROM class WHERE site = ?",
                (site.id,),
            )
            site.classes = {
                name: LinkClass(number, name, score, bool(more) or self._inbox.has(number))
                for number, name, score, more in rows
            }
        return site.classes

    def _class(self, site: Site, name: str, score: float) -> LinkClass:
        classes = self._classes(site)
        name = class_for(name, classes, self._policy.classes)
        if name in classes:
            return classes[name]
        cursor = self._db.execute("INSERT INTO class (site, name, score) VALUES (?, ?, ?)", (site.id, name, score))
        assert cursor.lastrowid is not None
        classes[name] = LinkClass(cursor.lastrowid, name, score, more=False)
        return classes[name]

    def _best(self, site: Site) -> LinkClass | None:
        """The class whose head goes next; if all are held, the one whose hold ends first; None if nothing waits."""
        filled = [c for c in self._classes(site).values() if c.filled]
        if len(filled) < 2:
            return filled[0] if filled else None
        free = [c for c in filled if c.held <= self._now] if site.held > self._now else filled
        return max(free, key=lambda c: c.rank) if free else min(filled, key=lambda c: c.held)

    def _settle(self, site: Site) -> None:
        """Put a site that is not leased where it belongs: into the box, or, if nothing waits, out of memory."""
        best = self._best(site)
        if best is not None:
            self._put(site, best)
        self._save(site, active=best is not None)
        if best is None:
            self._box.remove(site.id)
            del self._sites[site.name], self._by_id[site.id]

    def _put(self, site: Site, best: LinkClass) -> None:
        """Put a site into the box, as of its best class."""
        site.score = best.score
        self._box.put(site.id, max(site.clocks.release, best.held), best.score)

    # -- rows ------------------------------------------------------------------------------------------------

    def _queue(self, candidate: Candidate, key: int) -> None:
        # Site and class are written in the transaction of the rows, or a kill would leave them without any.
        self._begin()
        site = self._sites.get(candidate.site) or self._awake(candidate.site)
        link_class = self._class(site, candidate.link_class, candidate.score)
        self._push(link_class, Row.of(candidate, self._next_seq()), key)
        if site.lease is not None:
            return
        if site.id not in self._box or site.held > self._now:
            self._put(site, self._best(site) or link_class)
        elif link_class.score > site.score:
            site.score = link_class.score
            self._box.rescore(site.id, site.score)

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def _push(self, link_class: LinkClass, row: Row, key: int) -> None:
        # Only the head of a class is kept in memory as it comes; the others are read when their turn nears.
        beyond = link_class.filled
        self._journal.url(link_class.id, row, key)
        self._inbox.note(row.seq, link_class.id, key, beyond=beyond)
        if beyond:
            link_class.more = True
        else:
            link_class.window.append(row)
            link_class.last = row.seq

    def _pop(self, link_class: LinkClass) -> Row | None:
        if not link_class.window and link_class.more:
            self._refill(link_class)
        return link_class.window.popleft() if link_class.window else None

    def _refill(self, link_class: LinkClass) -> None:
        """Read the next rows of a class: those at their place are older than those in the inbox."""
        self._journal.flush()
        rows = [
            stored_row(*row)
            for row in self._db.execute(
                "SELECT seq, url, facts, state IS NOT NULL FROM url WHERE class = ? AND seq > ? ORDER BY seq LIMIT ?",
                (link_class.id, link_class.last, WINDOW),
            )
        ]
        if len(rows) < WINDOW:
            rows += self._inbox.draw(link_class.id, WINDOW - len(rows))
        link_class.window.extend(rows)
        link_class.more = len(rows) == WINDOW
        if rows:
            link_class.last = rows[-1].seq

    def _lease(self, site: Site, *, even: bool, now: float) -> Lease | None:
        """Lease a URL of a site that was just picked. None if all that waits there is held, or nothing does."""
        taken = self._next_row(site, even=even)
        if taken is None:
            self._settle(site)
            return None
        link_class, row = taken
        self._journal.leased(row.seq, link_class.id, site.id, now)
        if row.state is None:
            row.state = self._state_of(link_class, row)
        lease = row.lease(site.name, link_class.name, site.clocks.delay, now)
        site.lease, site.row = lease, taken
        self._out[lease.id] = site
        self._waiting -= 1
        return lease

    def _next_row(self, site: Site, *, even: bool) -> tuple[LinkClass, Row] | None:
        while True:
            free = [c for c in self._classes(site).values() if c.filled and c.held <= self._now]
            if not free:
                return None
            link_class = self._rng.choice(free) if even else max(free, key=lambda c: c.rank)
            row = self._pop(link_class)
            if row is not None:
                return link_class, row

    def _state_of(self, link_class: LinkClass, row: Row) -> bytes:
        """What an earlier visit left; up to a quarter of a megabyte, so it waits on disk."""
        self._journal.flush()
        found = self._db.execute(
            "SELECT state FROM url WHERE class = ? AND seq = ? UNION ALL SELECT state FROM inbox WHERE seq = ?",
            (link_class.id, row.seq, row.seq),
        ).fetchone()
        return bytes(found[0] or b"")

    def _end(self, link_class: LinkClass, row: Row, outcome: Outcome) -> None:
        if outcome.end in FINAL:
            name = str(outcome.reason or outcome.end)
            self._journal.gone(link_class.id, row.seq, inbox=self._inbox.holds(row.seq))
            self._journal.ended(url_key(row.url), self._code(name))
            self._ended[name] += 1
            return
        self._waiting += 1
        if outcome.end is End.AGAIN:
            self._journal.gone(link_class.id, row.seq, inbox=self._inbox.holds(row.seq))
            self._push(link_class, row.again(self._next_seq(), asked=outcome.asked), url_key(row.url))
            return
        if outcome.end is End.CONTINUE:
            row = row.continued(outcome)
            self._journal.changed(link_class.id, row, inbox=self._inbox.holds(row.seq))
        if row.state:
            row = Row(row.seq, row.url, row.facts, None)
        link_class.window.appendleft(row)

    def _code(self, name: str) -> int:
        if name not in self._endings:
            self._begin()
            cursor = self._db.execute("INSERT INTO ending (name) VALUES (?)", (name,))
            assert cursor.lastrowid is not None
            self._endings[name] = cursor.lastrowid
        return self._endings[name]

    def _known(self, keys: list[int]) -> set[int]:
        known = {key for key in keys if key in self._inbox}
        for batch in batches([key for key in keys if key not in known], _ASK):
            known.update(row[0] for row in self._db.execute(_KNOWN_SQL, batch))
        return known

    def _prune_class(self, number: int, site: Site, most: int) -> int:
        """Forget up to `most` waiting rows of a class, newest first. The leased row stays."""
        leased = site.row[1].seq if site.row else -1
        rows = self._db.execute(
            "SELECT seq, url FROM url WHERE class = ? AND seq != ? ORDER BY seq DESC LIMIT ?", (number, leased, most)
        ).fetchall()
        for seq, url in rows:
            self._recent.discard(url)
            self._journal.pruned(number, seq, url_key(url))
        self._journal.flush()
        if rows:
            site.classes = self._reread(site)
            if site.lease is None:
                self._settle(site)
        return len(rows)

    def _reread(self, site: Site) -> dict[str, LinkClass]:
        """The site's classes as the file has them; the leased row keeps its class object's place."""
        site.classes = None
        classes = self._classes(site)
        if site.row is not None:
            link_class, row = site.row
            fresh = classes[link_class.name]
            fresh.last = row.seq
            fresh.more = bool(
                self._db.execute("SELECT 1 FROM url WHERE class = ? AND seq > ?", (fresh.id, row.seq)).fetchone()
            )
            site.row = (fresh, row)
        return classes


_ASK = 16
_KNOWN_SQL = f"SELECT key FROM seen WHERE key IN ({', '.join('?' * _ASK)})"
