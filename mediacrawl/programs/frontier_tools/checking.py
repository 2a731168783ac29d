"""Whether a frontier's file is whole: SQLite's own check, and what our tables promise each other.

The file is only read. All questions are answered as of one commit, so a crawl may continue writing meanwhile; its WAL
grows until the check ends. Memory does not grow with the file: what is to be sorted goes to temporary files, some 40
bytes a waiting URL (``SQLITE_TMPDIR`` says where). It takes some 8 s a million URLs.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from sys import float_info
from typing import NamedTuple

import msgpack

from mediacrawl.base.sqlite_file import Mark, has_log, open_to_read
from mediacrawl.base.terms import Kind
from mediacrawl.base.text import printable
from mediacrawl.frontier.byte_budget import on_disk
from mediacrawl.frontier.contract import FrontierError, SpoiledError
from mediacrawl.frontier.order import BestFirst, RankOrder
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import unpack_standing
from mediacrawl.frontier.sqlite.database import (
    CLASS_BITS,
    check_layout,
    missing_commits,
    missing_commits_text,
)
from mediacrawl.frontier.sqlite.tables import BYTES, NAMESPACE

ProgressCallback = Callable[[str], None]
"""Called with, in a few words, what is being done now."""

NOISE = 100
"""No layout has this number; one that is higher is damage."""

LATEST = 1e11
"""Seconds since the epoch, the year 5138: no time that we write is later."""

_FACTS_TYPES = (str, int, int, str, int, *[str] * 11)
_LEAST_FACTS = 13
"""Fields that are in every row: those behind them are left out at its end if they say nothing."""
_EXAMPLES = 3
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
"""What reading a damaged file raises; the latter if SQLite's sentence quotes noise."""
_SITE = f">> {CLASS_BITS}"
_TIMES_FIT = (
    f"abs(due) < {LATEST} AND release BETWEEN 0 AND {LATEST} AND delay BETWEEN 0 AND {LATEST}"
    f" AND crawl_delay BETWEEN 0 AND {LATEST} AND typeof(visits) = 'integer' AND visits >= 0"
    " AND typeof(earned) = 'integer' AND typeof(granted) = 'integer'"
)
SITE_FITS = (
    f"place IN (0, 1, 2, 3) AND rests IN (0, 1) AND samples_fit(samples) AND standing_fits(standing) AND {_TIMES_FIT}"
)
"""Whether a row of the table of sites can be one."""


@dataclass(slots=True)
class CheckReport:
    """What a check found.

    Attributes:
        path: the frontier.
        live: whether a crawl was working on it; then this is about its last commit.
        problems: one sentence each; none if the file is sound.
        facts: ``seen``, ``waiting``, ``leased``, ``ended``, ``sites``, ``classes``: how many there are. What cannot be
            read is missing.
    """

    path: Path
    live: bool = False
    problems: list[str] = field(default_factory=list)
    facts: dict[str, int] = field(default_factory=dict)

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        """What was found, as lines that can be printed."""
        facts = ", ".join(f"{number} {name}" for name, number in self.facts.items())
        first = f"{self.path}: {facts}" + (" (a crawl is working on it: as of its last commit)" if self.live else "")
        if self.sound:
            return f"{first}\nIt is sound."
        return "\n".join(map(printable, (first, *self.problems, "What can be saved: mediacrawl frontier repair")))


class _Rule(NamedTuple):
    """`offenders` selects one text for each row that breaks the rule, `says` what that means."""

    says: str
    offenders: str


_HELP = (
    (
        "CREATE TEMP TABLE waits (key INTEGER, seq INTEGER, class INTEGER, place INTEGER,"
        " PRIMARY KEY (key, seq, class, place)) WITHOUT ROWID"
    ),
    (
        "INSERT INTO waits SELECT key_of(CAST(url AS BLOB)), seq, class, 0 FROM main.url"
        " UNION ALL SELECT key_of(CAST(url AS BLOB)), seq, class, 1 FROM main.inbox ORDER BY 1"
    ),
    "CREATE TEMP TABLE revisits (key INTEGER PRIMARY KEY)",
    f"INSERT OR IGNORE INTO revisits SELECT CAST(key AS INTEGER) FROM main.note WHERE room = '{NAMESPACE}'",
    "CREATE TEMP TABLE filled (class INTEGER PRIMARY KEY, rows INTEGER)",
    (
        "INSERT INTO filled SELECT class, sum(rows) FROM (SELECT class, count(*) AS rows FROM main.url GROUP BY class"
        " UNION ALL SELECT class, count(*) FROM main.inbox GROUP BY class) GROUP BY class"
    ),
    "CREATE TEMP TABLE home (site INTEGER PRIMARY KEY, rows INTEGER)",
    f"INSERT INTO home SELECT class {_SITE} AS site, sum(rows) FROM filled GROUP BY site",
    "CREATE TEMP TABLE counted (code INTEGER PRIMARY KEY, urls INTEGER)",
    "INSERT INTO counted SELECT code, count(*) FROM main.ended GROUP BY code",
)
"""What several rules ask: all waiting URLs by key; those of them that had ended before; how many there are by class,
and by site; ends by name."""

_RULES = (
    _Rule(
        "URLs wait in a class that is not there", "SELECT class FROM filled WHERE class NOT IN (SELECT id FROM class)"
    ),
    _Rule(
        "URLs wait on a site that is not there", "SELECT site FROM home WHERE site NOT IN (SELECT id FROM main.site)"
    ),
    _Rule(
        "link classes belong to a site that is not there",
        f"SELECT id FROM class WHERE id {_SITE} NOT IN (SELECT id FROM site)",
    ),
    _Rule(
        "sites have gaps in the numbers of their classes, or a name twice",
        f"SELECT id {_SITE} AS site FROM class GROUP BY site"
        f" HAVING max(id) - (site << {CLASS_BITS}) + 1 != count(*) OR count(DISTINCT name) != count(*)",
    ),
    _Rule("URLs wait twice", "SELECT key FROM waits GROUP BY key HAVING count(*) > 1"),
    _Rule(
        "waiting URLs are not known as seen",
        "SELECT key FROM waits WHERE place = 0 AND key NOT IN (SELECT key FROM seen)",
    ),
    _Rule(
        "rows of the inbox have the key of another URL",
        "SELECT url FROM inbox WHERE key != key_of(CAST(url AS BLOB))",
    ),
    _Rule(
        "rows of the inbox are older than rows that left it",
        "SELECT seq FROM inbox WHERE seq <= (SELECT max(seq) FROM waits WHERE place = 0)",
    ),
    _Rule(
        "URLs wait that have ended",
        "SELECT DISTINCT key FROM ended WHERE key IN (SELECT key FROM waits) AND key NOT IN (SELECT key FROM revisits)",
    ),
    _Rule(
        "URLs that are to be revisited do not wait", "SELECT key FROM revisits WHERE key NOT IN (SELECT key FROM waits)"
    ),
    _Rule(
        "URLs have ended that are not known as seen", "SELECT key FROM ended WHERE key NOT IN (SELECT key FROM seen)"
    ),
    _Rule(
        "waiting URLs have facts that cannot be read",
        "SELECT url FROM url WHERE NOT facts_fit(facts) UNION ALL SELECT url FROM inbox WHERE NOT facts_fit(facts)",
    ),
    _Rule(
        "leases have no waiting URL",
        "SELECT seq FROM lease"
        " WHERE NOT EXISTS (SELECT 1 FROM url WHERE url.class = lease.class AND url.seq = lease.seq)"
        " AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.seq = lease.seq AND inbox.class = lease.class)",
    ),
    _Rule("leases name another site than their class", f"SELECT seq FROM lease WHERE site != class {_SITE}"),
    _Rule("sites are leased twice", "SELECT site FROM lease GROUP BY site HAVING count(*) > 1"),
    _Rule(
        "sites count as active, but nothing waits there",
        "SELECT name FROM site WHERE place = 1 AND id NOT IN (SELECT site FROM home)",
    ),
    _Rule(
        "sites count as idle, but something waits there",
        "SELECT name FROM site WHERE place = 0 AND id IN (SELECT site FROM home)",
    ),
    _Rule("sites are at a place that there is not", "SELECT name FROM site WHERE place NOT IN (0, 1, 2, 3)"),
    _Rule(
        "sites would be asked before their release time",
        "SELECT name FROM site WHERE place = 1 AND due < release AND id NOT IN (SELECT site FROM lease)",
    ),
    _Rule(
        "sites have times or numbers that cannot be",
        f"SELECT name FROM site WHERE NOT ({_TIMES_FIT})",
    ),
    _Rule("sites have response times that cannot be read", "SELECT name FROM site WHERE NOT samples_fit(samples)"),
    _Rule("what is held against sites cannot be read", "SELECT name FROM site WHERE NOT standing_fits(standing)"),
    _Rule("sites rest where nothing waits", "SELECT name FROM site WHERE rests NOT IN (0, 1) OR rests > (place = 1)"),
    _Rule(
        "link classes count as empty, but URLs wait there",
        "SELECT id FROM class WHERE filled = 0 AND id IN (SELECT class FROM filled)",
    ),
    _Rule(
        "names of ends count other URLs than ended so",
        "SELECT name FROM ending WHERE urls !="
        " coalesce((SELECT counted.urls FROM counted WHERE counted.code = ending.code), 0)",
    ),
    _Rule("ends have no name", "SELECT code FROM counted WHERE code NOT IN (SELECT code FROM ending)"),
)

_RANKS = _Rule(
    "sites have a rank that no score has",
    "SELECT name FROM site WHERE place = 1"
    f" AND rank NOT BETWEEN rank_of(-{float_info.max}) AND rank_of({float_info.max})",
)
"""Not that of their best class: what is found or scored while a site is leased counts when it comes back, and after a
kill that is the next time it is requested. A rank that is too low or too high by that harms nothing."""

_SEEN = "(SELECT count(*) FROM seen) + (SELECT count(*) FROM inbox WHERE key NOT IN (SELECT key FROM seen))"
TOTALS = {
    "seen": _SEEN,
    "waiting": "coalesce((SELECT sum(rows) FROM home), 0)",
    "bytes": f"coalesce(({BYTES}), 0)",
    "active": "(SELECT count(*) FROM site WHERE place = 1)",
    "resting": "(SELECT count(*) FROM site WHERE rests = 1)",
    "shelved": "coalesce((SELECT sum(rows) FROM home JOIN main.site ON site.id = home.site WHERE place > 1), 0)"
    " - (SELECT count(*) FROM lease JOIN main.site ON site.id = lease.site WHERE place > 1)",
}
FACTS = {
    "seen": _SEEN,
    "waiting": "(SELECT count(*) FROM url) + (SELECT count(*) FROM inbox)",
    "leased": "(SELECT count(*) FROM lease)",
    "ended": "(SELECT count(*) FROM ended)",
    "sites": "(SELECT count(*) FROM site)",
    "classes": "(SELECT count(*) FROM class)",
}


def silent(step: str) -> None:
    """A `ProgressCallback` that tells nobody."""


def check(path: Path, *, order: RankOrder | None = None, progress: ProgressCallback = silent) -> CheckReport:
    """Read a whole frontier and tell what is wrong with it. The file is not changed.

    Args:
        path: the database file.
        order: makes ranks of scores; ranks of another order are not checked.
        progress: is called with what is being done.

    Raises:
        FrontierError: there is no file, it is of another version, or not a frontier at all.
    """
    if not path.exists():
        raise FrontierError(f"there is no frontier at {path}")
    return examine(path, order or BestFirst(), progress, live=_is_live(path))


def examine(path: Path, order: RankOrder, progress: ProgressCallback, *, live: bool = False) -> CheckReport:
    """As `check`, for who knows whether a crawl works on the file."""
    report = CheckReport(path, live)
    if not path.stat().st_size and _noted(path).commits:
        # Not even opened: SQLite would delete the log of a file without content, and with it what can be saved.
        report.problems.append("it is empty, though a crawl was here")
        return report
    try:
        with _reading(path) as db:
            if not _has_tables(db, report):
                return report
            db.create_function("rank_of", 1, order.rank, deterministic=True)
            db.execute("BEGIN")
            noted = _noted(path)
            if (missing := missing_commits(db, noted)) and not live:
                report.problems.append(_lost(path, missing, noted))
            _check_pages(db, report, progress)
            _count(db, report)
            _check_rows(db, report, order, progress)
    except UNREADABLE as error:
        report.problems.append(f"SQLite cannot read the file ({error})")
    return report


def _noted(path: Path) -> Mark:
    try:
        with path.with_suffix(".lock").open("rb") as file:
            return Mark.read(file.fileno())
    except OSError:
        return Mark()


def _lost(path: Path, missing: int, noted: Mark) -> str:
    if noted.may_lack:
        return f"the last {missing} commits are missing: the machine went down"
    return f"the {missing_commits_text(path, missing)}"


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(open_to_read(path)) as db:
        db.execute("PRAGMA query_only = OFF")
        add_functions(db)
        db.execute("PRAGMA temp_store = FILE")
        db.execute("PRAGMA cache_size = -65536")
        yield db


def _has_tables(db: sqlite3.Connection, report: CheckReport) -> bool:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    if not 0 <= version < NOISE:
        report.problems.append(f"its header is damaged: it says layout {version}")
    elif not check_layout(db, report.path):
        if (noted := _noted(report.path)).commits:
            report.problems.append(_lost(report.path, noted.commits, noted))
            return False
        raise FrontierError(f"{report.path} is empty; the next crawl makes a frontier of it")
    return True


def _is_live(path: Path) -> bool:
    """Whether a crawl holds the lock. The lock's file is not made, and not kept."""
    try:
        descriptor = os.open(path.with_suffix(".lock"), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(descriptor)
    return False


def _check_pages(db: sqlite3.Connection, report: CheckReport, progress: ProgressCallback) -> None:
    progress("reading all pages")
    try:
        found = [row[0] for row in db.execute("PRAGMA integrity_check(4)")]
    except UNREADABLE as error:
        found = [str(error)]
    (size,) = db.execute("PRAGMA page_size").fetchone()
    if not report.live and not has_log(report.path) and report.path.stat().st_size % size:
        # SQLite passes over that.
        report.problems.append("the file is cut short: its last page is not whole")
    if found != ["ok"]:
        text = "; ".join(" ".join(line.split()) for line in found)
        report.problems.append(f"SQLite finds the file damaged: {text}")


def _count(db: sqlite3.Connection, report: CheckReport) -> None:
    for name, expression in FACTS.items():
        try:
            (report.facts[name],) = db.execute(f"SELECT {expression}").fetchone()
        except UNREADABLE:
            # The other tables may be readable.
            continue


def _check_rows(db: sqlite3.Connection, report: CheckReport, order: RankOrder, progress: ProgressCallback) -> None:
    progress("sorting what waits")
    try:
        for statement in _HELP:
            db.execute(statement)
        totals = dict(db.execute("SELECT name, value FROM total"))
        for rule in (*_RULES, _RANKS) if totals.get("order", repr(order)) == repr(order) else _RULES:
            progress(f"checking whether {rule.says}")
            _check_rule(db, report, rule)
        progress("checking totals")
        _check_totals(db, report, totals)
    except UNREADABLE as error:
        report.problems.append(f"its tables cannot be read to their ends ({error})")


def _check_rule(db: sqlite3.Connection, report: CheckReport, rule: _Rule) -> None:
    examples: list[str] = []
    broken = 0
    for (example,) in db.execute(
        f"WITH offenders (example) AS ({rule.offenders}) SELECT CAST(example AS BLOB) FROM offenders"
    ):
        broken += 1
        if len(examples) < _EXAMPLES:
            examples.append((example or b"nothing").decode(errors="replace"))
    if broken:
        report.problems.append(f"{broken} {rule.says} ({', '.join(examples)}{', ...' if broken > _EXAMPLES else ''})")


def _check_totals(db: sqlite3.Connection, report: CheckReport, totals: dict[str, object]) -> None:
    for name, expression in TOTALS.items():
        if name == "bytes" and totals.get("complete", 0) != totals.get("commits"):
            # An earlier version wrote the file, or a repair; the next start counts them.
            continue
        (counted,) = db.execute(f"SELECT {expression}").fetchone()
        if totals.get(name, 0) != counted:
            report.problems.append(f"the total of {name} says {totals.get(name, 0)}, the tables say {counted}")
    last = totals.get("seq", 0)
    (highest,) = db.execute("SELECT coalesce(max(seq), 0) FROM waits").fetchone()
    if not isinstance(last, int) or last < highest:
        report.problems.append(f"the last place given is {last}, but a URL waits at {highest}")
    seen, ended = report.facts["seen"], report.facts["ended"]
    (waiting,) = db.execute("SELECT count(*) FROM waits").fetchone()
    again = totals.get("again", 0)
    if not isinstance(again, int) or seen + again != waiting + ended:
        times = f" and {again} times one joined once more" if again else ""
        report.problems.append(f"{seen} URLs are known{times}, but {waiting} wait and {ended} have ended")


def add_functions(db: sqlite3.Connection) -> None:
    """Give a connection the functions that rules and totals call."""
    for function in (key_of, on_disk, facts_fit, samples_fit, standing_fits):
        db.create_function(function.__name__, 1, function, deterministic=True)


def key_of(url: bytes) -> int:
    """The key of a URL as the file has it; 0 if that is not text."""
    try:
        return url_key(url.decode())
    except UnicodeDecodeError:
        return 0


def facts_fit(facts: object) -> bool:
    """Whether this is what `tables.UrlRow.of` packs."""
    try:
        fields = msgpack.unpackb(facts, use_list=False)
    except (ValueError, TypeError, msgpack.UnpackException):
        return False
    if type(fields) is not tuple or len(fields) < _LEAST_FACTS:
        return False
    return tuple(map(type, fields)) == _FACTS_TYPES[: len(fields)] and fields[0] in frozenset(Kind)


def samples_fit(samples: object) -> bool:
    """Whether this is what `site_state.pack_samples` packs."""
    try:
        times = msgpack.unpackb(samples)
    except (ValueError, TypeError, msgpack.UnpackException):
        return False
    return type(times) is list and all(type(time) in {int, float} and 0 <= time < LATEST for time in times)


def standing_fits(standing: object) -> bool:
    """Whether this is what `site_state.pack_standing` packs."""
    if type(standing) is not bytes:
        return False
    try:
        unpack_standing(standing)
    except SpoiledError:
        return False
    return True
