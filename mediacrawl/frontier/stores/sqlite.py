"""The store for one machine: an SQLite file that survives any kill."""

from __future__ import annotations

import os
import random
from collections import Counter, deque
from collections.abc import Container, Iterable, Sequence
from pathlib import Path

from mediacrawl.frontier.contract import Counts, FrontierPolicy
from mediacrawl.frontier.penalty_box import PenaltyBox
from mediacrawl.frontier.seen import RecentUrls, url_key
from mediacrawl.frontier.stores.inbox import Inbox, batches
from mediacrawl.frontier.stores.journal import Journal
from mediacrawl.frontier.stores.rows import Row, unpack_samples
from mediacrawl.frontier.stores.schema import connect, lock
from mediacrawl.politeness.delay import Clocks, after_restart, after_visit
from mediacrawl.records import Added, Candidate, End, Lease, Outcome, SiteInfo, SiteState

OTHER = "other"
WINDOW = 8
"""URLs of a class that are read ahead: one read in eight visits, and at most some 4 KB a class."""


class _Class:
    """A link class in memory: its score, and the head of its FIFO. ``more`` says that the file holds further rows."""

    __slots__ = ("id", "last", "more", "name", "score", "window")

    def __init__(self, number: int, name: str, score: float, more: bool) -> None:
        self.id = number
        self.name = name
        self.score = score
        self.more = more
        self.last = -1
        self.window: deque[Row] = deque()

    @property
    def filled(self) -> bool:
        return bool(self.window) or self.more

    @property
    def rank(self) -> tuple[float, int]:
        """Best first by score, then the one whose head has waited longest."""
        return self.score, -(self.window[0].seq if self.window else self.last + 1)


class _Site:
    """A site with something waiting or leased. ``classes`` is None until they are needed after a start."""

    __slots__ = ("classes", "clocks", "id", "lease", "name", "row", "score")

    def __init__(self, number: int, name: str, clocks: Clocks, score: float) -> None:
        self.id = number
        self.name = name
        self.clocks = clocks
        self.score = score
        self.classes: dict[str, _Class] | None = None
        self.lease: Lease | None = None
        self.row: tuple[_Class, Row] | None = None


class SQLiteFrontier:
    """A `Frontier` in one SQLite file.

    On disk: ``frontier.db`` (SQLite, WAL; tables in ``schema.py``; evidence and samples as msgpack, never pickle),
    beside it ``-wal`` and ``-shm`` of SQLite, and ``frontier.lock``. They may be deleted together while no crawl
    runs; that starts the crawl anew.

    A kill of the process leaves the last commit, and there is one before leases go out. So no request is ever
    made that the file does not know of, and what a kill can undo is only the *end* of a visit: that URL is given
    out again, and its site waits its whole delay from the restart. A power cut can undo the commits since the last
    checkpoint (``synchronous = NORMAL``: the file stays whole): URLs found since then are found again.

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
        self._lock = lock(path)
        try:
            self._db = connect(path)
        except BaseException:
            os.close(self._lock)
            raise
        self._closed = False
        self._box = PenaltyBox(self._rng)
        self._recent = RecentUrls()
        self._journal = Journal(self._db)
        self._sites: dict[str, _Site] = {}
        self._by_id: dict[int, _Site] = {}
        self._out: dict[int, _Site] = {}
        self._endings: dict[str, int] = {}
        self._ended: Counter[str] = Counter()
        self._asked: dict[str, int] = {}
        self._load(now)

    # -- joining ---------------------------------------------------------------------------------------------

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

    def take(self, now: float, limit: int) -> list[Lease]:
        leases: list[Lease] = []
        self._box.release(now)
        while len(leases) < limit and (picked := self._box.pick(self._policy.explore)) is not None:
            lease = self._lease(self._by_id[picked[0]], even=picked[1], now=now)
            if lease is not None:
                leases.append(lease)
        if leases:
            self.commit()
        return leases

    def finish(self, lease: Lease, outcome: Outcome, now: float) -> None:
        site = self._out.pop(lease.id, None)
        if site is None or site.row is None:
            return
        (link_class, row), site.lease, site.row = site.row, None, None
        self._journal.lease_over(row.seq)
        self._end(link_class, row, outcome)
        site.clocks = after_visit(site.clocks, outcome, now, self._policy.delay)
        best = self._best(site)
        site.score = best.score if best else site.score
        self._save(site, active=best is not None)
        if best is None:
            del self._sites[site.name], self._by_id[site.id]
        else:
            self._box.put(site.id, site.clocks.release, site.score)

    def next_release(self) -> float | None:
        return self._box.next_release()

    # -- looking ---------------------------------------------------------------------------------------------

    def pending(self) -> int:
        return self._waiting + len(self._out)

    def counts(self) -> Counts:
        ends = Counter(dict(self._db.execute("SELECT name, urls FROM ending WHERE urls > 0")))
        ends.update(self._ended)
        return Counts(self._seen, self._waiting, len(self._out), self._box.ready, self._box.penalty, dict(ends))

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
            self._state(site, waiting),
            clocks.release,
            clocks.delay,
            clocks.crawl_delay,
            clocks.samples,
            clocks.visits,
            waiting,
            classes,
        )

    # -- steering --------------------------------------------------------------------------------------------

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
        if (best := self._best(home)) is not None:
            home.score = best.score
            self._box.rescore(home.id, best.score)

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

    # -- robots records --------------------------------------------------------------------------------------

    def robots(self, authority: str) -> bytes | None:
        row = self._db.execute("SELECT record FROM robots WHERE authority = ?", (authority,)).fetchone()
        return row[0] if row else None

    def set_robots(self, authority: str, record: bytes) -> None:
        self._begin()
        self._db.execute("INSERT OR REPLACE INTO robots VALUES (?, ?)", (authority, record))

    # -- the file --------------------------------------------------------------------------------------------

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
        for site in list(self._out.values()):
            if site.lease is not None:
                self.finish(site.lease, Outcome(End.RETURNED, asked=False), site.clocks.release)
        self.commit()
        self._closed = True
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
        totals = dict(self._db.execute("SELECT name, value FROM total"))
        self._seen: int = totals.get("seen", 0)
        self._waiting: int = totals.get("waiting", 0)
        self._seq: int = totals.get("seq", 0)
        self._inbox = Inbox(self._db, self._seq)
        self._endings = dict(self._db.execute("SELECT name, code FROM ending"))
        leased = {row[0] for row in self._db.execute("SELECT site FROM lease")}
        for row in self._db.execute(f"SELECT {_SITE} FROM site WHERE active = 1"):
            site = self._keep(_site(row))
            owed = after_restart(site.clocks, site.id in leased, now, self._policy.delay)
            if owed is not site.clocks:
                site.clocks = owed
            self._box.put(site.id, site.clocks.release, site.score)
        for number in leased:
            self._save(self._by_id[number], active=True)
            self._journal.flush()
        self._begin()
        self._db.execute("DELETE FROM lease")
        self.commit()

    # -- sites and classes -----------------------------------------------------------------------------------

    def _keep(self, site: _Site) -> _Site:
        self._sites[site.name] = self._by_id[site.id] = site
        return site

    def _read_site(self, name: str) -> _Site | None:
        self._journal.flush()
        row = self._db.execute(f"SELECT {_SITE} FROM site WHERE name = ?", (name,)).fetchone()
        return _site(row) if row else None

    def _awake(self, name: str) -> _Site:
        """The site, in memory and marked active; made if it is new."""
        site = self._read_site(name)
        if site is None:
            cursor = self._db.execute("INSERT INTO site (name, active) VALUES (?, 1)", (name,))
            assert cursor.lastrowid is not None
            site = _Site(cursor.lastrowid, name, Clocks(), 0.0)
            site.classes = {}
        else:
            self._db.execute("UPDATE site SET active = 1 WHERE id = ?", (site.id,))
        return self._keep(site)

    def _save(self, site: _Site, *, active: bool) -> None:
        self._journal.site(site.id, site.clocks, site.score, active=active)

    def _state(self, site: _Site, waiting: int) -> SiteState:
        if site.lease is not None:
            return SiteState.LEASED
        if not waiting:
            return SiteState.IDLE
        return SiteState.RESTING if site.clocks.rests else SiteState.WAITING

    def _classes(self, site: _Site) -> dict[str, _Class]:
        if site.classes is None:
            self._journal.flush()
            rows = self._db.execute(
                "SELECT id, name, score, EXISTS (SELECT 1 FROM url WHERE class = class.id) FROM class WHERE site = ?",
                (site.id,),
            )
            site.classes = {
                name: _Class(number, name, score, bool(more) or self._inbox.has(number))
                for number, name, score, more in rows
            }
        return site.classes

    def _class(self, site: _Site, name: str, score: float) -> _Class:
        classes = self._classes(site)
        if name not in classes and len(classes) >= self._policy.classes - 1:
            name = OTHER
        if name in classes:
            return classes[name]
        cursor = self._db.execute("INSERT INTO class (site, name, score) VALUES (?, ?, ?)", (site.id, name, score))
        assert cursor.lastrowid is not None
        classes[name] = _Class(cursor.lastrowid, name, score, more=False)
        return classes[name]

    def _best(self, site: _Site) -> _Class | None:
        filled = [c for c in self._classes(site).values() if c.filled]
        if len(filled) < 2:
            return filled[0] if filled else None
        return max(filled, key=lambda c: c.rank)

    # -- rows ------------------------------------------------------------------------------------------------

    def _queue(self, candidate: Candidate, key: int) -> None:
        # Site and class are written in the transaction of the rows, or a kill would leave them without any.
        self._begin()
        site = self._sites.get(candidate.site) or self._awake(candidate.site)
        link_class = self._class(site, candidate.link_class, candidate.score)
        self._push(link_class, Row.of(candidate, self._next_seq()), key)
        if site.lease is not None:
            return
        if site.id not in self._box:
            site.score = link_class.score
            self._box.put(site.id, site.clocks.release, site.score)
        elif link_class.score > site.score:
            site.score = link_class.score
            self._box.rescore(site.id, site.score)

    def _next_seq(self) -> int:
        self._seq += 1
        return self._seq

    def _push(self, link_class: _Class, row: Row, key: int) -> None:
        beyond = link_class.more or len(link_class.window) >= WINDOW
        self._journal.url(link_class.id, row, key)
        self._inbox.note(row.seq, link_class.id, key, beyond=beyond)
        if beyond:
            link_class.more = True
        else:
            link_class.window.append(row)
            link_class.last = row.seq

    def _pop(self, link_class: _Class) -> Row | None:
        if not link_class.window and link_class.more:
            self._refill(link_class)
        return link_class.window.popleft() if link_class.window else None

    def _refill(self, link_class: _Class) -> None:
        """Read the next rows of a class: those at their place are older than those in the inbox."""
        self._journal.flush()
        rows = [
            Row(*row)
            for row in self._db.execute(
                "SELECT seq, url, facts, state FROM url WHERE class = ? AND seq > ? ORDER BY seq LIMIT ?",
                (link_class.id, link_class.last, WINDOW),
            )
        ]
        if len(rows) < WINDOW:
            rows += self._inbox.draw(link_class.id, WINDOW - len(rows))
        link_class.window.extend(rows)
        link_class.more = len(rows) == WINDOW
        if rows:
            link_class.last = rows[-1].seq

    def _lease(self, site: _Site, *, even: bool, now: float) -> Lease | None:
        """Lease a URL of a site that was just picked. None if its classes turn out to be empty."""
        while True:
            filled = [c for c in self._classes(site).values() if c.filled]
            if not filled:
                self._save(site, active=False)
                del self._sites[site.name], self._by_id[site.id]
                return None
            link_class = self._rng.choice(filled) if even else max(filled, key=lambda c: c.rank)
            row = self._pop(link_class)
            if row is not None:
                break
        self._journal.leased(row.seq, link_class.id, site.id, now)
        lease = row.lease(site.name, link_class.name, site.clocks.delay, now)
        site.lease, site.row = lease, (link_class, row)
        self._out[lease.id] = site
        self._waiting -= 1
        return lease

    def _end(self, link_class: _Class, row: Row, outcome: Outcome) -> None:
        if outcome.end in _FINAL:
            name = str(outcome.reason or outcome.end)
            self._journal.gone(link_class.id, row.seq, inbox=self._inbox.holds(row.seq))
            self._journal.ended(url_key(row.url), self._code(name))
            self._ended[name] += 1
            return
        self._waiting += 1
        if outcome.end is End.AGAIN:
            self._journal.gone(link_class.id, row.seq, inbox=self._inbox.holds(row.seq))
            self._push(link_class, row.again(self._next_seq()), url_key(row.url))
            return
        if outcome.end is End.CONTINUE:
            row = row.continued(outcome)
            self._journal.changed(link_class.id, row, inbox=self._inbox.holds(row.seq))
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

    def _prune_class(self, number: int, site: _Site, most: int) -> int:
        """Forget up to `most` waiting rows of a class, newest first. The leased row stays."""
        leased = site.row[1].seq if site.row else -1
        rows = self._db.execute(
            "SELECT seq, url FROM url WHERE class = ? AND seq != ? ORDER BY seq DESC LIMIT ?", (number, leased, most)
        ).fetchall()
        for seq, url in rows:
            self._recent.discard(url)
            self._journal.pruned(number, seq, url_key(url))
        self._journal.flush()
        site.classes = self._reread(site) if rows else site.classes
        return len(rows)

    def _reread(self, site: _Site) -> dict[str, _Class]:
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
        elif self._best(site) is None:
            self._box.remove(site.id)
            self._save(site, active=False)
            del self._sites[site.name], self._by_id[site.id]
        return classes


_FINAL = frozenset({End.DONE, End.DROPPED})
_ASK = 16
_KNOWN_SQL = f"SELECT key FROM seen WHERE key IN ({', '.join('?' * _ASK)})"
_SITE = "id, name, release, delay, crawl_delay, samples, visits, score"


def _site(row: tuple[int, str, float, float, float, bytes, int, float]) -> _Site:
    number, name, release, delay, crawl_delay, samples, visits, score = row
    clocks = Clocks(release, delay, crawl_delay, unpack_samples(samples), visits)
    return _Site(number, name, clocks, score)
