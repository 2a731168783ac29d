"""The repair of a frontier's file: what SQLite can still read goes into a new file, which takes its place.

Each table is read along its key up to the first error, then from its end back to the first error. The rows are
completed to a consistent frontier. The damaged file is never written to, and is kept. Of 2,244 waiting URLs 2,215 were
saved from a file with a page of noise, 1,702 with another such page, 782 when the root page of their table was
destroyed, and none when the header or the second half of the file was lost: SQLite does not open such a file.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from mediacrawl.base.files import sync_folder
from mediacrawl.base.sqlite_file import Mark, open_to_read, trouble
from mediacrawl.base.terms import Candidate
from mediacrawl.frontier.contract import FrontierError
from mediacrawl.frontier.order import BestFirst, RankOrder
from mediacrawl.frontier.site_state import OTHER
from mediacrawl.frontier.sqlite import database, tables
from mediacrawl.frontier.sqlite.database import CLASS_BITS, store_files
from mediacrawl.frontier.sqlite.tables import NAMESPACE, UrlRow
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.programs.frontier_tools import checking as checks

_CLASS, _COUNT, _CODE = f"BETWEEN {1 << CLASS_BITS} AND {1 << 48}", f"BETWEEN 0 AND {1 << 48}", "BETWEEN 1 AND 9999"
_LAST_WAY = "start over from your seeds with -a fresh=1, which keeps the catalogue"
_SITE, _KEY = f">> {CLASS_BITS}", "key_of(CAST(url AS BLOB))"
# A canonical URL is ASCII without blanks; length ends at a zero.
_URL = "url GLOB 'http*://?*' AND url NOT GLOB '*[^!-~]*' AND length(url) = length(CAST(url AS BLOB))"
_WHOLE = {
    **dict.fromkeys(("seen", "note", "total"), "1"),
    "url": f"class {_CLASS} AND seq {_COUNT} AND {_URL}",
    "inbox": f"class {_CLASS} AND seq {_COUNT} AND {_URL} AND key = {_KEY}",
    "ended": f"code {_CODE}",
    "ending": f"code {_CODE} AND urls {_COUNT}",
    "site": f"id {_COUNT} AND id > 0 AND {checks.SITE_FITS}",
    "class": f"id {_CLASS} AND abs(score) < 1e300 AND held BETWEEN 0 AND {checks.LATEST}",
}
"""The tables that are copied, and what each of their rows fulfils beside its types."""
_KINDS = {"INTEGER": int, "REAL": float, "TEXT": str, "BLOB": bytes | None, "": int | float | str}
_LOST_SITES = f"SELECT class {_SITE} AS lost, min(url) FROM url WHERE lost NOT IN (SELECT id FROM site) GROUP BY lost"
_MERGE = f"""
-- If all known URLs are there each waiting one is among them: one that is not is the noise of a damaged page.
DELETE FROM url WHERE {_KEY} NOT IN (SELECT key FROM seen)
    AND {checks.TOTALS["seen"]} = (SELECT value FROM total WHERE name = 'seen');
INSERT OR IGNORE INTO url SELECT class, seq, url, facts, state FROM inbox ORDER BY class, seq;
DELETE FROM inbox;
UPDATE url SET facts = facts_of(url) WHERE NOT facts_fit(facts);
"""
_WAITING = f"""
DELETE FROM url WHERE class {_SITE} NOT IN (SELECT id FROM site);
DELETE FROM class WHERE id {_SITE} NOT IN (SELECT id FROM site);
-- Of a URL that is there twice the last place counts.
CREATE TEMP TABLE waits (key INTEGER PRIMARY KEY, class INTEGER, seq INTEGER);
INSERT OR REPLACE INTO waits SELECT {_KEY} AS hash, class, seq FROM url WHERE hash NOT IN (SELECT key FROM ended)
    OR hash IN (SELECT CAST(key AS INTEGER) FROM note WHERE room = '{NAMESPACE}') ORDER BY hash, seq, class;
DELETE FROM url WHERE (class, seq) NOT IN (SELECT class, seq FROM waits);
DELETE FROM note WHERE room = '{NAMESPACE}' AND CAST(key AS INTEGER) NOT IN (SELECT key FROM waits);
INSERT OR IGNORE INTO seen SELECT key FROM waits ORDER BY key;
INSERT OR IGNORE INTO seen SELECT key FROM ended ORDER BY key;
CREATE TEMP TABLE adrift AS SELECT key FROM seen
    WHERE key NOT IN (SELECT key FROM waits) AND key NOT IN (SELECT key FROM ended);
CREATE TEMP TABLE filled AS SELECT class, count(*) AS rows FROM url GROUP BY class;
CREATE TEMP TABLE home AS SELECT class {_SITE} AS site, sum(rows) AS rows FROM filled GROUP BY site;
"""
"""Each URL that has not ended waits once; those that wait or have ended are known. Others that are known are adrift."""
_UNCERTAIN = """INSERT OR IGNORE INTO ending (name) VALUES ('lost');
INSERT INTO ended SELECT key, (SELECT code FROM ending WHERE name = 'lost') FROM adrift"""
_GAPS = f"""
WITH RECURSIVE number (id, last) AS (
    SELECT min(id) {_SITE} << {CLASS_BITS}, max(id) FROM (SELECT id FROM class UNION SELECT class FROM filled)
    GROUP BY id {_SITE}
    UNION ALL SELECT id + 1, last FROM number WHERE id < last
)
SELECT id, (SELECT url FROM url WHERE class = number.id LIMIT 1) FROM number WHERE id NOT IN (SELECT id FROM class)
"""
"""The classes of a site are numbered from 0: those that are not there, each with one of its URLs."""
_SETTLED = f"""
UPDATE class SET name = 'lost ' || (id & {(1 << CLASS_BITS) - 1}) WHERE EXISTS (SELECT 1 FROM class AS other
    WHERE other.id BETWEEN class.id {_SITE} << {CLASS_BITS} AND class.id - 1 AND other.name = class.name);
UPDATE class SET filled = id IN (SELECT class FROM filled);
INSERT OR IGNORE INTO ending SELECT DISTINCT code, 'lost ' || code, 0 FROM ended;
UPDATE ending SET urls = (SELECT count(*) FROM ended WHERE ended.code = ending.code);
CREATE TEMP TABLE best AS SELECT site.id AS site, max(iif(held <= release, rank_of(score), NULL)) AS free,
    max(rank_of(score)) AS any, min(held) AS held
    FROM filled JOIN class ON class.id = filled.class JOIN site ON site.id = class.id {_SITE} GROUP BY site.id;
UPDATE site SET place = id IN (SELECT site FROM best) WHERE place < 2;
UPDATE site SET rank = coalesce(best.free, best.any), due = max(release, iif(best.free IS NULL, best.held, 0.0))
    FROM best WHERE best.site = site.id AND place = 1;
UPDATE site SET rests = 0 WHERE place != 1;
"""
"""Names, counts, and the order of the sites where URLs wait."""
_MADE = {
    "sites": "{} sites lost their release time, or more, and wait their first delay",
    "classes": "{} link classes lost their name and score",
    "forgotten": "{} URLs were lost while they waited; they can be found again",
    "uncertain": "of {} known URLs it is lost whether they were visited; they count as 'lost' and are not requested",
}


@dataclass(frozen=True, slots=True)
class UrlNaming:
    """How the site and the link class of a URL are named. Both functions get a canonical URL."""

    site_of: Callable[[str], str]
    link_class: Callable[[str], str]


@dataclass(slots=True)
class RepairReport:
    """What a repair did.

    Attributes:
        kept: where the damaged file is now; None if there was nothing to repair, and nothing was changed.
        damaged: the tables that could not be read to their ends, or some of whose rows make no sense.
        saved: ``waiting``, ``seen``, ``ended``, ``sites``, ``classes``: how many are in the new file.
        lost: ``waiting``, ``seen``, ``ended``, ``commits`` that the old file counted and the new one lacks.
        made: `_MADE` has its keys, and says what each counts.
    """

    path: Path
    kept: Path | None = None
    damaged: set[str] = field(default_factory=set)
    saved: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.kept is None:
            return f"{self.path} is sound; nothing was changed"
        lost = [f"{number} {name}" for name, number in self.lost.items() if number]
        lost += ["what the old file counted, which is lost, too"] * ("waiting" not in self.lost)
        sentences = [
            f"{self.path} was repaired" + f"; damaged: {', '.join(sorted(self.damaged))}" * bool(self.damaged),
            "saved: " + ", ".join(f"{number} {name}" for name, number in self.saved.items()),
            "lost: " + (", ".join(lost) or "nothing that counts"),
            *(says.format(self.made[name]) for name, says in _MADE.items() if self.made.get(name)),
            f"the damaged file is {self.kept}; delete it when all is well",
        ]
        return "\n".join(sentences)


def repair(
    path: Path,
    now: float,
    naming: UrlNaming,
    *,
    policy: DelayPolicy | None = None,
    order: RankOrder | None = None,
    progress: checks.ProgressCallback = checks.silent,
) -> RepairReport:
    """Make a frontier's file whole again, as far as SQLite can read it. A sound file is left as it is.

    On disk: the new file is made beside the old one and needs as much room again. The old one and its WAL are kept as
    ``frontier.db.broken-1`` (or a higher number). A kill at any time leaves the old file in its place, or the new one.
    (For a moment it is the old one without its WAL, which has its new name already; the next repair finishes that.)

    Waiting and leased URLs whose row can be read wait at their place. A known URL of which nothing else is left is
    forgotten if all ends could be read, so that it can be found again; otherwise it counts as ended, as ``lost``. Every
    site waits its whole delay from now: a request of a moment ago may be lost.

    Args:
        path: the database file.
        now: seconds since the epoch.
        naming: names the sites and classes that are lost.
        policy: of the delays.
        order: makes the ranks of scores; the next start with another one makes them again.
        progress: is called with what is done now.

    Raises:
        FrontierError: a crawl is working on it, it is not a frontier, nothing of it can be read, or the disk is full.
            The old file is then as it was.
    """
    if not path.parent.is_dir():
        raise FrontierError(f"there is no frontier at {path}")
    descriptor = database.lock(path)
    part, new = (path.with_name(path.name + ending) for ending in (".part", ".new"))
    report, order = RepairReport(path), order or BestFirst()
    try:
        _finish(path, new)
        if not store_files(path):
            raise FrontierError(f"there is no frontier at {path}")
        with suppress(FrontierError):
            if path.exists() and checks.examine(path, order, progress).sound:
                return report
        with closing(_new_file(part, order)) as db:
            _read(path, db, report, progress)
            progress("completing what was read")
            totals = _complete(db, report, naming, policy or DelayPolicy(), now, noted=Mark.read(descriptor).commits)
            db.executemany("INSERT INTO total VALUES (?, ?)", [*totals.items(), ("order", repr(order))])
            db.commit()
        if problems := checks.examine(part, order, progress).problems:
            raise FrontierError(f"{path} cannot be repaired ({problems[0]}); please report this, and {_LAST_WAY}")
        report.kept = _exchange(path, part, new)
    except (sqlite3.Error, OSError) as error:
        raise FrontierError(
            f"{path} cannot be repaired ({error}); it is as it was: make room beside it for a second file of its size "
            "(SQLITE_TMPDIR says where temporary files go), and repair again"
        ) from error
    finally:
        part.unlink(missing_ok=True)
        os.close(descriptor)
    return report


def _read(path: Path, db: sqlite3.Connection, report: RepairReport, progress: checks.ProgressCallback) -> None:
    """Copy all rows that SQLite gives."""
    nothing = f"nothing of a frontier can be read in {path}; {_LAST_WAY}"
    try:
        old = open_to_read(path)
    except (FileNotFoundError, *checks.UNREADABLE) as error:
        raise FrontierError(
            f"{path} {what} ({error})" if (what := trouble(error, path)) else f"{nothing} ({error})"
        ) from error
    with closing(old):
        with suppress(*checks.UNREADABLE):
            (version,) = old.execute("PRAGMA user_version").fetchone()
            if 0 <= version < checks.NOISE:
                database.check_layout(old, path)
        old.execute("PRAGMA cell_size_check = ON")
        for table, whole in _WHOLE.items():
            progress(f"reading {table}")
            _copy(old, db, table, report.damaged)
            if db.execute(f"DELETE FROM {table} WHERE NOT ({whole})").rowcount:
                report.damaged.add(table)
    if not any(_one(db, f"EXISTS (SELECT 1 FROM {table})") for table in _WHOLE.keys() - {"ending", "total"}):
        raise FrontierError(nothing)


def _copy(old: sqlite3.Connection, db: sqlite3.Connection, table: str, damaged: set[str]) -> None:
    columns = db.execute(
        "SELECT name, type, pk FROM pragma_table_info(?1)"
        " UNION ALL SELECT 'rowid', 'INTEGER', 1 WHERE ?1 = 'ended' ORDER BY pk",
        (table,),
    ).fetchall()
    keys = [name for name, _, pk in columns if pk]
    names, kinds = ", ".join(column[0] for column in columns), [_KINDS[column[1]] for column in columns]

    def rows() -> Iterator[tuple[Any, ...]]:
        for direction in ("ASC", "DESC"):
            order = ", ".join(f"{key} {direction}" for key in keys)
            try:
                for row in old.execute(f"SELECT {names} FROM {table} ORDER BY {order}"):
                    if all(map(isinstance, row, kinds)):
                        yield row
                    else:
                        damaged.add(table)
            except checks.UNREADABLE:
                damaged.add(table)
            else:
                return

    db.executemany(f"INSERT OR IGNORE INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))})", rows())


def _complete(
    db: sqlite3.Connection, report: RepairReport, naming: UrlNaming, policy: DelayPolicy, now: float, *, noted: int
) -> dict[str, float]:
    """Make a consistent frontier of the rows that were read. Return its totals. `noted` are the commits of the mark."""
    totals = dict(db.execute(f"SELECT name, value FROM total WHERE value BETWEEN 0 AND {checks.LATEST}"))
    db.executescript(_MERGE)
    sites = [(site, naming.site_of(url)) for site, url in db.execute(_LOST_SITES)]
    db.executemany("INSERT OR IGNORE INTO site (id, name) VALUES (?, ?)", sites)
    tables.move_times(db, min(now - totals.get("at", now), 0.0), now)
    tables.hold_all(db, policy, now)
    db.executescript(_WAITING)
    counted, ended = _one(db, "sum(urls) FROM ending"), _one(db, "count(*) FROM ended")
    complete = "ended" not in report.damaged and counted <= ended
    db.executescript("DELETE FROM seen WHERE key IN (SELECT key FROM adrift)" if complete else _UNCERTAIN)
    classes = [(number, naming.link_class(url) if url else OTHER) for number, url in db.execute(_GAPS)]
    db.executemany("INSERT INTO class (id, name, score) VALUES (?, ?, 0.0)", classes)
    db.executescript(_SETTLED)
    adrift = {"forgotten" if complete else "uncertain": _one(db, "count(*) FROM adrift")}
    report.made = {"sites": len(sites), "classes": len(classes), **adrift}
    report.saved = saved = {name: _one(db, number) for name, number in checks.FACTS.items() if name != "leased"}
    lost = {name: totals[name] - saved[name] for name in ("waiting", "seen") if name in totals}
    lost |= {"ended": counted - ended, "commits": noted - totals.get("commits", noted)}
    report.lost = {name: max(number, 0) for name, number in lost.items()}
    db.execute("DELETE FROM total")
    return {name: _one(db, number) for name, number in checks.TOTALS.items()} | {
        "again": saved["waiting"] + saved["ended"] - saved["seen"],
        "seq": max(_one(db, "max(seq) FROM url"), totals.get("seq", 0)),
        "most": max(_one(db, checks.TOTALS["active"]), totals.get("most", 0)),
        "commits": max(noted, totals.get("commits", 0)),
        "at": now,
        # A site that seems new may be one whose row is lost.
        "unsure": now + policy.delay(()),
    }


def _one(db: sqlite3.Connection, question: str) -> int:
    (answer,) = db.execute(f"SELECT {question}").fetchone()
    return int(answer or 0)


def _new_file(path: Path, order: RankOrder) -> sqlite3.Connection:
    path.unlink(missing_ok=True)
    # SQLite would follow a link that another process has put there meanwhile.
    path.touch(exist_ok=False)
    db = sqlite3.connect(path)
    checks.add_functions(db)
    db.create_function("rank_of", 1, order.rank, deterministic=True)
    db.create_function("facts_of", 1, lambda url: UrlRow.of(Candidate(url, ""), 0).facts, deterministic=True)
    # It is nobody's until it is synced and renamed, so it needs no journal.
    db.executescript(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA temp_store = FILE;"
        f"{database.TABLES} PRAGMA user_version = {database.VERSION}"
    )
    return db


def _exchange(path: Path, part: Path, new: Path) -> Path:
    """Give the old files second names, and the place of the old one to the new one. Return where the old one is now."""
    with suppress(FileNotFoundError, PermissionError):
        shutil.copymode(path, part)
        os.chown(part, path.stat().st_uid, path.stat().st_gid)
    sync_folder(part)
    part.replace(new)
    kept = next(name for number in count(1) if not store_files(name := path.with_name(f"{path.name}.broken-{number}")))
    # The database comes last: once it has its second name `_finish` takes it that the WAL has, too.
    for file in reversed([file for file in store_files(path) if not file.name.endswith("-shm")]):
        name = kept.with_name(kept.name + file.name.removeprefix(path.name))
        try:
            os.link(file, name)
        except OSError:
            # A file system without links: for a moment nothing is in its place, which `_finish` would mend.
            file.rename(name)
        sync_folder(path.parent)
    _finish(path, new)
    return kept


def _finish(path: Path, new: Path) -> None:
    """End an exchange that has begun, perhaps in a repair that was killed: the old file has its second name then."""
    names = path.parent.glob(f"{path.name}.broken-*")
    if new.exists() and any(not path.exists() or path.samefile(name) for name in names):
        # They go before the rename: SQLite would put the WAL over the new file.
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        new.replace(path)
        path.with_suffix(".bloom").unlink(missing_ok=True)
        sync_folder(path.parent)
    new.unlink(missing_ok=True)
