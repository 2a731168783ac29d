"""A frontier in which all fits together, made of the rows that could be read of a broken one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mediacrawl.frontier.order import RankOrder
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import OTHER
from mediacrawl.frontier.sqlite.database import CLASS_BITS
from mediacrawl.frontier.sqlite.rows import UrlRow
from mediacrawl.frontier.sqlite.seen import NAMESPACE
from mediacrawl.frontier.tools.check import ProgressCallback
from mediacrawl.frontier.tools.row_shapes import LATEST, facts_fit
from mediacrawl.records import Candidate

LOST = "lost"
"""The end of a known URL of which nothing else is left; with a number, one whose name is lost."""

_MOST_CLASSES = 1 << CLASS_BITS
_KNOWN = "(SELECT count(*) FROM seen) + (SELECT count(*) FROM inbox WHERE key NOT IN (SELECT key FROM seen))"
_TOLD_SEEN = "SELECT coalesce((SELECT value FROM told WHERE name = 'seen' AND typeof(value) = 'integer'), -1)"
_NEW_SITE = "INSERT OR IGNORE INTO site (id, name, place, release, due, delay) VALUES (?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class UrlNaming:
    """How the site and the link class of a URL are named. Both functions get a canonical URL.

    Attributes:
        site_of: the site that it belongs to.
        link_class: the link class that it joins there.
    """

    site_of: Callable[[str], str]
    link_class: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class RepairTerms:
    """What a repair goes by.

    Attributes:
        now: seconds since the epoch.
        remake: names sites and classes.
        delay: seconds that a site waits whose release time is lost.
        order: makes ranks of scores.
    """

    now: float
    remake: UrlNaming
    delay: float
    order: RankOrder


@dataclass(frozen=True, slots=True)
class ReadTrees:
    """What reading a broken file told, beside the rows.

    Attributes:
        unreadable: pages that make no sense.
        whole: the trees of which nothing is missing.
    """

    unreadable: int
    whole: frozenset[str]


@dataclass(slots=True)
class Losses:
    """What was saved, and what was not.

    Attributes:
        saved: rows of each table.
        lost: rows that the old file counted and that are not there any more.
        made: ``sites`` and ``classes`` made again; ``forgotten``: known URLs of which nothing is left, and which may be
            found again; ``uncertain``: likewise, but they may have been visited, so they stay known.
    """

    saved: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)


def rebuild(db: sqlite3.Connection, told: ReadTrees, terms: RepairTerms, progress: ProgressCallback) -> Losses:
    """Make of the rows in `db` a whole frontier, in one transaction.

    Args:
        db: the new file, with the rows that were read and the tables of ``shapes.HINTS``.
        told: what else was read.
        terms: what is not in any file.
        progress: is called with what is being done.
    """
    db.create_function("url_key", 1, url_key, deterministic=True)
    db.create_function("rank_of", 1, terms.order.rank, deterministic=True)
    db.create_function("facts_fit", 1, facts_fit, deterministic=True)
    db.create_function("facts_of", 1, lambda url: UrlRow.of(Candidate(url, ""), 0).facts, deterministic=True)
    losses = Losses()
    steps: dict[str, Callable[[], object]] = {
        "which URLs wait": lambda: _rows(db, told),
        "which URLs ended": lambda: _ends(db, told, losses),
        "sites": lambda: _sites(db, told, terms, losses),
        "link classes": lambda: _classes(db, terms.remake, losses),
        "the order of the sites": lambda: _places(db),
        "totals": lambda: _totals(db, terms, losses),
    }
    db.execute("BEGIN")
    for name, step in steps.items():
        progress(f"working out {name}")
        step()
    db.execute("COMMIT")
    return losses


# -- rows ----------------------------------------------------------------------------------------------------------


def _rows(db: sqlite3.Connection, told: ReadTrees) -> None:
    """Each URL that has not ended waits once, at its last place."""
    _run(
        db,
        "INSERT OR IGNORE INTO url SELECT class, seq, url, facts, state FROM inbox ORDER BY class, seq",
        "UPDATE url SET facts = facts_of(url) WHERE NOT facts_fit(facts)",
        "CREATE TEMP TABLE ends (key INTEGER PRIMARY KEY, code INTEGER)",
        "INSERT OR IGNORE INTO ends SELECT key, code FROM ended ORDER BY key",
        "CREATE TEMP TABLE waits (key INTEGER, seq INTEGER, class INTEGER, PRIMARY KEY (key, seq, class))"
        " WITHOUT ROWID",
        "INSERT INTO waits SELECT url_key(url), seq, class FROM url ORDER BY 1",
        "CREATE TEMP TABLE surplus (class INTEGER, seq INTEGER, PRIMARY KEY (class, seq)) WITHOUT ROWID",
        "CREATE TEMP TABLE revisits (key INTEGER PRIMARY KEY)",
        f"INSERT OR IGNORE INTO revisits SELECT CAST(key AS INTEGER) FROM note WHERE room = '{NAMESPACE}'",
        "INSERT OR IGNORE INTO surplus SELECT class, seq FROM waits WHERE key IN (SELECT key FROM ends)"
        " AND key NOT IN (SELECT key FROM revisits)",
        "INSERT OR IGNORE INTO surplus SELECT class, seq FROM waits AS early WHERE EXISTS (SELECT 1 FROM waits AS late"
        " WHERE late.key = early.key AND (late.seq, late.class) > (early.seq, early.class))",
    )
    if {"seen", "inbox", "total"} <= told.whole and _one(db, f"SELECT {_KNOWN}") == _one(db, _TOLD_SEEN):
        # Each waiting URL was known: this one is the noise of a damaged page.
        _run(
            db,
            "INSERT OR IGNORE INTO surplus SELECT class, seq FROM waits"
            " WHERE key NOT IN (SELECT key FROM seen) AND key NOT IN (SELECT key FROM inbox)",
        )
    _run(
        db,
        "DELETE FROM url WHERE (class, seq) IN (SELECT class, seq FROM surplus)",
        "DELETE FROM waits WHERE (class, seq) IN (SELECT class, seq FROM surplus)",
        "DELETE FROM revisits WHERE key IN (SELECT key FROM waits)",
        f"DELETE FROM note WHERE room = '{NAMESPACE}' AND CAST(key AS INTEGER) IN (SELECT key FROM revisits)",
        "INSERT OR IGNORE INTO seen SELECT key FROM inbox ORDER BY key",
        "INSERT OR IGNORE INTO seen SELECT key FROM waits ORDER BY key",
        "INSERT OR IGNORE INTO seen SELECT key FROM ends ORDER BY key",
        "DELETE FROM inbox",
    )


def _ends(db: sqlite3.Connection, told: ReadTrees, losses: Losses) -> None:
    """Each end has a name, and what is to become of known URLs that neither wait nor ended.

    A URL has several ends if it was revisited. But pages may have been read twice, too: if the counts do not say
    that all is right each URL ends once.
    """
    ended, counted = _one(db, "SELECT count(*) FROM ended"), _one(db, "SELECT sum(urls) FROM ending")
    right = "ending" in told.whole and counted == ended
    twice = not right and ended != _one(db, "SELECT count(*) FROM ends")
    if twice:
        _run(db, "DELETE FROM ended", "INSERT INTO ended SELECT key, code FROM ends")
        ended = _one(db, "SELECT count(*) FROM ended")
    complete = counted == ended if "ending" in told.whole else "ended" in told.whole and not twice
    _run(
        db,
        "INSERT OR IGNORE INTO ending SELECT DISTINCT code, coalesce((SELECT name FROM hint_end WHERE"
        f" hint_end.code = ended.code), '{LOST} ' || code), 0 FROM ended WHERE code NOT IN (SELECT code FROM ending)",
        f"INSERT OR IGNORE INTO ending SELECT DISTINCT code, '{LOST} ' || code, 0 FROM ended"
        " WHERE code NOT IN (SELECT code FROM ending)",
        "CREATE TEMP TABLE adrift (key INTEGER PRIMARY KEY)",
        "INSERT INTO adrift SELECT key FROM seen WHERE key NOT IN (SELECT key FROM waits)"
        " AND key NOT IN (SELECT key FROM ends)",
    )
    adrift = _one(db, "SELECT count(*) FROM adrift")
    if complete:
        _run(db, "DELETE FROM seen WHERE key IN (SELECT key FROM adrift)")
        losses.made["forgotten"] = adrift
    elif adrift:
        _run(
            db,
            f"INSERT OR IGNORE INTO ending (name) VALUES ('{LOST}')",
            f"INSERT INTO ended SELECT key, (SELECT code FROM ending WHERE name = '{LOST}') FROM adrift",
        )
        losses.made["uncertain"] = adrift
    losses.lost["ended"] = max(counted - ended, 0)
    _run(db, "UPDATE ending SET urls = (SELECT count(*) FROM ended WHERE ended.code = ending.code)")


# -- sites and classes ---------------------------------------------------------------------------------------------


def _sites(db: sqlite3.Connection, told: ReadTrees, terms: RepairTerms, losses: Losses) -> None:
    """Each row has its site, and each site a time before which it is not requested."""
    before = _one(db, "SELECT count(*) FROM site")
    _set_clock_back(db, terms.now)
    db.execute(
        "INSERT OR IGNORE INTO site (id, name, place, release, delay) SELECT id, name,"
        " coalesce((SELECT place FROM hint_place WHERE hint_place.id = hint_name.id), 0),"
        " max(?1 + ?2, coalesce((SELECT due FROM hint_due WHERE hint_due.id = hint_name.id), 0)), ?2 FROM hint_name"
        " WHERE id > 0 AND id NOT IN (SELECT id FROM site)",
        (terms.now, terms.delay),
    )
    lost = f"SELECT DISTINCT class >> {CLASS_BITS} FROM url WHERE class >> {CLASS_BITS} NOT IN (SELECT id FROM site)"
    for (site,) in db.execute(lost).fetchall():
        _make_site(db, site, terms)
    losses.made["sites"] = _one(db, "SELECT count(*) FROM site") - before
    _run(
        db,
        f"DELETE FROM class WHERE id >> {CLASS_BITS} NOT IN (SELECT id FROM site)",
        "DELETE FROM lease WHERE NOT EXISTS (SELECT 1 FROM url WHERE url.class = lease.class AND url.seq = lease.seq)",
        "DELETE FROM lease WHERE seq NOT IN (SELECT max(seq) FROM lease GROUP BY site)",
    )
    if "lease" not in told.whole:
        db.execute("UPDATE site SET release = max(release, ?)", (terms.now + terms.delay,))


def _set_clock_back(db: sqlite3.Connection, now: float) -> None:
    """As a start does: if the machine's clock was set back, times that lie ahead move with it."""
    (at,) = db.execute("SELECT max(value) FROM told WHERE name = 'at' AND typeof(value) != 'text'").fetchone()
    if at is not None and now < at < LATEST:
        row = (at - now, now)
        db.execute("UPDATE site SET release = max(release - ?1, ?2) WHERE release > ?2", row)
        db.execute("UPDATE class SET held = max(held - ?1, ?2) WHERE held > ?2", row)


def _make_site(db: sqlite3.Connection, site: int, terms: RepairTerms) -> None:
    """A site of which only URLs are left. If its name is taken, they move to the one that has it."""
    first = site << CLASS_BITS
    last = first + _MOST_CLASSES - 1
    (url,) = db.execute("SELECT url FROM url WHERE class BETWEEN ? AND ? LIMIT 1", (first, last)).fetchone()
    name = terms.remake.site_of(url)
    row = (site, name, 0, terms.now + terms.delay, 0.0, terms.delay)
    if db.execute(_NEW_SITE, row).rowcount:
        return
    (home,) = db.execute("SELECT id FROM site WHERE name = ?", (name,)).fetchone()
    _run_with(
        db,
        (first, last, home << CLASS_BITS),
        "UPDATE OR IGNORE url SET class = ?3 + (class & 255) WHERE class BETWEEN ?1 AND ?2",
        "DELETE FROM seen WHERE key IN (SELECT url_key(url) FROM url WHERE class BETWEEN ?1 AND ?2)",
        "DELETE FROM url WHERE class BETWEEN ?1 AND ?2",
        "UPDATE OR REPLACE waits SET class = ?3 + (class & 255) WHERE class BETWEEN ?1 AND ?2",
    )


def _classes(db: sqlite3.Connection, remake: UrlNaming, losses: Losses) -> None:
    """Each row has its class, and the classes of a site are numbered from 0 without a gap."""
    _run(
        db,
        "CREATE TEMP TABLE filled (class INTEGER PRIMARY KEY, rows INTEGER)",
        "INSERT INTO filled SELECT class, count(*) FROM url GROUP BY class",
    )
    before = _one(db, "SELECT count(*) FROM class")
    gaps = db.execute(
        f"SELECT id >> {CLASS_BITS} AS site, max(id & {_MOST_CLASSES - 1}) FROM"
        f" (SELECT id, name FROM class UNION ALL SELECT class, NULL FROM filled) GROUP BY site"
        f" HAVING count(DISTINCT CASE WHEN name IS NOT NULL THEN id END) <= max(id & {_MOST_CLASSES - 1})"
        " OR count(DISTINCT name) < count(name)"
    ).fetchall()
    for site, last in gaps:
        _fill_gaps(db, site, last, remake)
    losses.made["classes"] = _one(db, "SELECT count(*) FROM class") - before
    _run(db, "UPDATE class SET filled = id IN (SELECT class FROM filled)")


def _fill_gaps(db: sqlite3.Connection, site: int, last: int, remake: UrlNaming) -> None:
    """The classes of a site of which some are lost, or have a name twice."""
    names: set[str] = set()
    for number in range(site << CLASS_BITS, (site << CLASS_BITS) + last + 1):
        found = db.execute("SELECT name FROM class WHERE id = ?", (number,)).fetchone()
        name = found[0] if found else _class_name(db, number, remake)
        if name in names:
            # URLs without a class of their own join that of the others: it must be there before all numbers are used.
            name = f"{LOST} {number & 255}" if OTHER in names else OTHER
        names.add(name)
        if found:
            db.execute("UPDATE class SET name = ? WHERE id = ?", (name, number))
            continue
        db.execute(
            "INSERT INTO class (id, name, score) VALUES (?1, ?2, 0.0)",
            (number, name),
        )


def _class_name(db: sqlite3.Connection, number: int, remake: UrlNaming) -> str:
    """The name of a class of which only URLs are left, or not even those."""
    row = db.execute("SELECT url FROM url WHERE class = ? LIMIT 1", (number,)).fetchone()
    return remake.link_class(row[0]) if row else OTHER


def _places(db: sqlite3.Connection) -> None:
    """Sites where URLs wait are requested in their order, and the others not."""
    _run(
        db,
        "CREATE TEMP TABLE best (site INTEGER PRIMARY KEY, free INTEGER, any INTEGER, held REAL)",
        "INSERT INTO best SELECT site.id, max(CASE WHEN held <= release THEN rank_of(score) END), max(rank_of(score)),"
        f" min(held) FROM filled JOIN class ON class.id = filled.class JOIN site ON site.id = class.id >> {CLASS_BITS}"
        " GROUP BY site.id",
        "UPDATE site SET place = id IN (SELECT site FROM best) WHERE place < 2",
        "UPDATE site SET rank = coalesce(best.free, best.any),"
        " due = max(release, CASE WHEN best.free IS NULL THEN best.held ELSE 0.0 END)"
        " FROM best WHERE best.site = site.id AND place = 1",
        "UPDATE site SET rests = 0 WHERE place != 1",
    )


def _totals(db: sqlite3.Connection, terms: RepairTerms, losses: Losses) -> None:
    told = dict(db.execute("SELECT name, value FROM told"))
    saved = losses.saved
    for name, table in (("waiting", "url"), ("seen", "seen"), ("ended", "ended"), ("sites", "site")):
        saved[name] = _one(db, f"SELECT count(*) FROM {table}")
    saved["classes"], saved["notes"] = (_one(db, f"SELECT count(*) FROM {table}") for table in ("class", "note"))
    for name in ("waiting", "seen"):
        if type(told.get(name)) is int:
            losses.lost[name] = max(told[name] - saved[name], 0)
    active = _one(db, "SELECT count(*) FROM site WHERE place = 1")
    shelved = _one(
        db,
        f"SELECT sum(rows) FROM filled JOIN site ON site.id = filled.class >> {CLASS_BITS} WHERE place > 1",
    ) - _one(db, "SELECT count(*) FROM lease JOIN site ON site.id = lease.site WHERE place > 1")
    totals = {
        "seen": saved["seen"],
        "again": saved["waiting"] + saved["ended"] - saved["seen"],
        "waiting": saved["waiting"],
        "seq": max(_one(db, "SELECT max(seq) FROM url"), _whole(told, "seq")),
        "active": active,
        "resting": _one(db, "SELECT count(*) FROM site WHERE rests = 1"),
        "shelved": shelved,
        "most": max(active, _whole(told, "most")),
        "at": terms.now,
        "order": repr(terms.order),
    }
    db.executemany("INSERT OR REPLACE INTO total VALUES (?, ?)", totals.items())


def _whole(told: dict[str, object], name: str) -> int:
    """A number that the old file told, if it is one that can be."""
    value = told.get(name)
    return value if type(value) is int and 0 <= value < 1 << 40 else 0


def _one(db: sqlite3.Connection, question: str) -> int:
    (answer,) = db.execute(question).fetchone()
    return int(answer or 0)


def _run(db: sqlite3.Connection, *statements: str) -> None:
    for statement in statements:
        db.execute(statement)


def _run_with(db: sqlite3.Connection, values: Iterable[object], *statements: str) -> None:
    for statement in statements:
        # A statement may need fewer of the values than there are.
        wanted = max(number for number in range(1, 4) if f"?{number}" in statement)
        db.execute(statement, tuple(values)[:wanted])
