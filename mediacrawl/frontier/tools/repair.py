"""The repair of a frontier's file: every row that can be read goes into a new file, which takes its place.

Every readable page is read (`pages`, `row_shapes`), the rows are completed to a consistent frontier (`rebuild`), and
the files are exchanged once `check` finds the new one sound. The damaged file is never written to, and is kept.

The pages are read without SQLite. Queries saved as many URLs from a file with one damaged page, but not from others. Of
2,244 waiting URLs in the file of the tests were saved, by this reader and by queries in both directions of each key:

======================================  ======  =======
damage                                  reader  queries
======================================  ======  =======
a page of noise                          2,217    2,215
another page of noise                    2,220    1,702
the root page of the table               2,242      782
the first page, or its header            2,244        0
the second half of the file is missing     942        0
noise at the beginning of the WAL        2,244    1,500
======================================  ======  =======

SQLite's own recovery (``.recover``) is in no wheel for Python: the shell in apsw 3.54 is built without it, and so is
Debian's sqlite3 3.40.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path

from mediacrawl.frontier.contract import FrontierError
from mediacrawl.frontier.order import BestFirst, RankOrder
from mediacrawl.frontier.sqlite.database import TABLES, VERSION, lock, store_files
from mediacrawl.frontier.tools.check import NOISE, ProgressCallback, examine, silent
from mediacrawl.frontier.tools.pages import DatabasePages, TreePage, Values, node_of
from mediacrawl.frontier.tools.rebuild import ReadTrees, RepairTerms, UrlNaming, rebuild
from mediacrawl.frontier.tools.row_shapes import HINTS, SHAPES, RowShape, tree_roots
from mediacrawl.sqlite_file import Mark

_BATCH = 2_000
"""Rows that are written at a time."""
_READ, _FREE = 1, 2
_MADE = {
    "sites": "{} sites lost their release time and wait their first delay",
    "classes": "{} link classes lost their name or score",
    "forgotten": "{} URLs were lost while they waited; they can be found again",
    "uncertain": "of {} known URLs it is lost whether they were visited; they count as 'lost' and are not asked",
}


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What a repair did.

    Attributes:
        path: the frontier.
        kept: where the broken file is now; None if there was nothing to repair, and nothing was changed.
        pages: of the file, or that it should have had.
        unreadable: those of them that make no sense, or some of whose rows do not.
        saved: table -> its rows in the new file; ``waiting``, ``seen``, ``ended``, ``sites``, ``classes``, ``notes``.
        lost: likewise, rows that the old file counted and the new one does not have; only where it told.
        made: ``sites`` and ``classes`` that were made again of the URLs found there, and ``forgotten`` and
            ``uncertain`` URLs, see `rebuild.Losses`.
    """

    path: Path
    kept: Path | None = None
    pages: int = 0
    unreadable: int = 0
    saved: dict[str, int] = field(default_factory=dict)
    lost: dict[str, int] = field(default_factory=dict)
    made: dict[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.kept is None:
            return f"{self.path} is sound; nothing was changed"
        lost = [f"{rows} {name}" for name, rows in self.lost.items() if rows]
        sentences = [
            f"{self.path} was repaired: {self.unreadable} of {self.pages} pages could not be read",
            "saved: " + ", ".join(f"{rows} {name}" for name, rows in self.saved.items()),
            "lost: " + (", ".join(lost) or "nothing that counts"),
            *(says.format(self.made[name]) for name, says in _MADE.items() if self.made.get(name)),
            f"the broken file is {self.kept}; delete it when all is well",
        ]
        return "\n".join(sentences)


def repair(
    path: Path,
    now: float,
    remake: UrlNaming,
    *,
    delay: float = 60.0,
    order: RankOrder | None = None,
    progress: ProgressCallback = silent,
) -> RepairReport:
    """Make a frontier's file whole again, as far as it can be read. A sound file is left as it is.

    The new file is made beside the old one and needs as much room again, and some 60 bytes a URL for temporary files.
    It takes some 40 s a million URLs; memory does not grow with the file.
    A kill at any time leaves the old file in its place, or the new one. (For a moment it is the old one without its
    WAL, which has its new name already. An exchange that was killed in the middle the next repair finishes.)

    Which URLs are saved:

    * Waiting URLs wait, if their row can be read, at their place and with what an earlier visit left. Of the site's
      row and the class's a lost one is made again of what the indexes say, or of the URL.
    * URLs that ended stay known. Those that wait for a revisit wait on, unless it is lost that they do.
    * A known URL of which nothing else is left is forgotten, so that it can be found again, if all ends could be
      read: then it was waiting. Else it stays known and counts as ended, as ``lost``: most were visited.
    * No site is requested early: one whose release time is lost waits `delay` from now, and all do if it is lost who
      was being requested when the last process died.

    Args:
        path: the database file.
        now: seconds since the epoch.
        remake: how the site and the class of a URL are named.
        delay: seconds that a site waits whose release time is lost.
        order: makes the ranks of scores; the next start with another one makes them again.
        progress: is called with what is being done.

    Raises:
        FrontierError: a crawl is working on it, it is not a frontier, nothing of it can be read, or the disk is full.
            The old file is then as it was.
    """
    if not path.parent.is_dir():
        raise FrontierError(f"there is no frontier at {path}")
    descriptor = lock(path)
    try:
        with _sentences(path):
            repaired = _repair(path, RepairTerms(now, remake, delay, order or BestFirst()), progress)
        if repaired.kept is not None:
            # Commits that were lost with the log are given up with this. After a power cut the next start still lets
            # every site wait.
            noted = Mark.read(descriptor)
            (noted._replace(commits=1) if noted.may_lack else Mark()).write(descriptor)
        return repaired
    finally:
        os.close(descriptor)


def _repair(path: Path, terms: RepairTerms, progress: ProgressCallback) -> RepairReport:
    if _finish(path):
        progress("finished the exchange of files that an earlier repair had begun")
    if not store_files(path):
        raise FrontierError(f"there is no frontier at {path}")
    if _is_sound(path, terms.order, progress):
        return RepairReport(path)
    part = path.with_name(path.name + ".part")
    _unlink(part)
    try:
        with closing(DatabasePages(path)) as image, closing(_new_file(part)) as db:
            told = _gather(image, db, path, progress)
            losses = rebuild(db, told, terms, progress)
        _approve(part, terms.order, progress)
        _give_mode(path, part)
        new = path.with_name(path.name + ".new")
        _sync(part)
        part.replace(new)
    except BaseException:
        _unlink(part)
        raise
    kept = _exchange(path, new)
    return RepairReport(path, kept, image.count, told.unreadable, losses.saved, losses.lost, losses.made)


@contextmanager
def _sentences(path: Path) -> Iterator[None]:
    """Errors of the disk and of SQLite, in a sentence."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise FrontierError(
            f"{path} cannot be repaired ({error}); it is as it was: make room beside it for a second file of its size "
            "(SQLITE_TMPDIR says where temporary files go), and repair again"
        ) from error


def _is_sound(path: Path, order: RankOrder, progress: ProgressCallback) -> bool:
    before = store_files(path)
    try:
        return path.exists() and examine(path, order, progress).sound
    except FrontierError:
        return False
    finally:
        # What SQLite made to read it. The store's lock is ours, so nobody uses them.
        for file in set(store_files(path)) - set(before):
            _unlink(file)


# -- reading what is left ------------------------------------------------------------------------------------------


class _Gathering:
    """What was read so far: a mark for each page, and how often something of a tree made no sense."""

    def __init__(self, image: DatabasePages, db: sqlite3.Connection) -> None:
        self.image = image
        self.db = db
        self.marks = bytearray(image.count + 1)
        self.bad: Counter[str] = Counter()
        self.unreadable = 0

    def walk(self, root: int, *, is_index: bool, tree: str) -> Iterator[tuple[int, TreePage]]:
        """The pages of a tree, as far as they can be reached, in order."""
        pages = [root]
        while pages:
            number = pages.pop()
            node = self._unread(number)
            if node is None or node.is_index != is_index:
                self.bad[tree] += 1
                self.unreadable += 1
                continue
            self.marks[number] = _READ
            pages.extend(reversed(node.children))
            yield number, node

    def tree(self, shape: RowShape, root: int) -> Iterator[Values]:
        """The rows of a tree."""
        for number, node in self.walk(root, is_index=shape.is_index, tree=shape.tree):
            if not node.has_rows:
                continue
            rows = self.fitting(shape, node)
            if len(rows) < len(node.cells):
                self.bad[shape.tree] += 1
                self.unreadable += 1
            if node.cells and not rows:
                # A page of another tree, to which noise led: it may be found from there, or as a page without tree.
                self.marks[number] = 0
            yield from rows

    def fitting(self, shape: RowShape, node: TreePage) -> list[Values]:
        """The rows of a page that can be rows of this shape."""
        rows = (shape.row(*row) for row in self.image.rows(node) if row is not None)
        return [row for row in rows if row is not None]

    def strays(self) -> Iterator[TreePage]:
        """The pages that no tree led to and that are not free, and what the WAL has behind its damage."""
        for number in self.image.free_pages():
            self.marks[number] = self.marks[number] or _FREE
        for number in range(2, self.image.count + 1):
            if not self.marks[number]:
                node = self.image.node(number)
                if node is not None and node.has_rows:
                    yield node
        for data in self.image.late():
            node = node_of(data)
            if node is not None and node.has_rows:
                yield node

    def keep(self, shape: RowShape, rows: Iterable[Values]) -> None:
        """Write rows into the new file."""
        found = iter(rows)
        while batch := list(islice(found, _BATCH)):
            self.db.executemany(shape.into, batch)

    def _unread(self, number: int) -> TreePage | None:
        return self.image.node(number) if 0 < number < len(self.marks) and not self.marks[number] else None


def _gather(image: DatabasePages, db: sqlite3.Connection, path: Path, progress: ProgressCallback) -> ReadTrees:
    """Write all rows that can be read into the new file.

    Raises:
        FrontierError: this is not a frontier, or nothing can be read.
    """
    found = _Gathering(image, db)
    roots = _roots(found, path)
    db.executescript(HINTS)
    db.execute("BEGIN")
    for tree, shape in SHAPES.items():
        progress(f"reading {tree}")
        found.keep(shape, found.tree(shape, roots[tree]))
    progress("reading pages that no table leads to")
    for node in found.strays():
        _keep_stray(found, node)
    db.execute("COMMIT")
    tables = ("url", "inbox", "seen", "ended", "site", "class", "note")
    if not any(db.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone() for table in tables):
        raise FrontierError(f"nothing of a frontier can be read in {path}; move it away, or start over with -a fresh=1")
    whole = frozenset(tree for tree in SHAPES if not found.bad[tree])
    # Behind the damage of a WAL some tables are newer than others.
    return ReadTrees(found.unreadable, frozenset() if image.late_pages else whole)


def _roots(found: _Gathering, path: Path) -> dict[str, int]:
    """Tree -> its first page."""
    header = found.image.header()
    schema: list[Values] = []
    for _, node in found.walk(1, is_index=False, tree="sqlite_schema"):
        if node.has_rows:
            schema.extend(values for row in found.image.rows(node) if row is not None for values in [row[1]])
    version = int.from_bytes(header[60:64], "big") if header else VERSION
    names = {values[1] for values in schema if len(values) == 5}
    if not found.bad["sqlite_schema"] and names and not names & SHAPES.keys():
        raise FrontierError(f"{path} is an SQLite file, but not a frontier; choose another folder with JOBDIR")
    if 0 < version < NOISE and version != VERSION:
        raise FrontierError(
            f"{path} has layout {version}, and this version of mediacrawl repairs layout {VERSION}: use the version "
            "of mediacrawl that wrote it"
        )
    return tree_roots(schema)


def _keep_stray(found: _Gathering, node: TreePage) -> None:
    """Write the rows of a page whose tree is not known, as those of the tree that most of them fit."""
    best: tuple[RowShape, list[Values]] | None = None
    for shape in SHAPES.values():
        if shape.alone and shape.is_index == node.is_index:
            rows = found.fitting(shape, node)
            if rows and (best is None or len(rows) > len(best[1])):
                best = shape, rows
    if best is not None:
        found.keep(*best)


# -- the files -----------------------------------------------------------------------------------------------------


def _new_file(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    # It is nobody's until it is synced and renamed, so it needs no journal.
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    db.execute("PRAGMA cache_size = -65536")
    db.execute("PRAGMA temp_store = FILE")
    db.executescript(f"BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT")
    return db


def _approve(path: Path, order: RankOrder, progress: ProgressCallback) -> None:
    report = examine(path, order, progress)
    if not report.sound:
        raise FrontierError(
            f"what was saved does not fit together ({report.problems[0]}); the old file is as it was: "
            "please report this, and start over with -a fresh=1"
        )


def _give_mode(old: Path, new: Path) -> None:
    """The new file belongs to whom the old one does: who repairs may be another user than who crawls."""
    if not old.exists():
        return
    shutil.copymode(old, new)
    status = old.stat()
    with suppress(PermissionError):
        os.chown(new, status.st_uid, status.st_gid)


def _exchange(path: Path, new: Path) -> Path:
    """Put the new file, which is complete, into the place of the old one; answers where the old one is now.

    The old file gets a second name first, so that the exchange is one rename. Its WAL must go before, since SQLite
    would put it over the new file; it has a second name by then, too.
    """
    kept = next(name for number in count(1) if not store_files(name := path.with_name(f"{path.name}.broken-{number}")))
    # The database comes last: once it has its second name `_finish` takes it that the WAL has, too.
    for file in reversed(store_files(path)):
        if not file.name.endswith("-shm"):
            _second_name(file, kept.with_name(kept.name + file.name.removeprefix(path.name)))
    _swap(path, new)
    return kept


def _swap(path: Path, new: Path) -> None:
    for suffix in ("-wal", "-shm"):
        _unlink(path.with_name(path.name + suffix))
    new.replace(path)
    _unlink(path.with_suffix(".bloom"))
    _sync(path.parent)


def _finish(path: Path) -> bool:
    """End an exchange that was killed in the middle; a new file whose exchange had not begun is deleted."""
    new = path.with_name(path.name + ".new")
    if not new.exists():
        return False
    names = list(path.parent.glob(f"{path.name}.broken-*"))
    begun = names and (not path.exists() or any(path.samefile(name) for name in names))
    if begun:
        _swap(path, new)
    _unlink(new)
    return bool(begun)


def _second_name(file: Path, name: Path) -> None:
    try:
        os.link(file, name)
    except OSError:
        # A file system without links: for a moment nothing is in its place, which `_finish` would mend.
        file.rename(name)
    _sync(name.parent)


def _unlink(path: Path) -> None:
    path.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
