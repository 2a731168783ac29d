"""Frontiers of earlier layouts become today's when they are opened.

Layout 1 had all sites in memory; layout 2 held nothing against a site.
"""

from __future__ import annotations

import sqlite3

_OLD = ("total", "site", "class", "url", "inbox", "seen", "ending", "lease", "robots")
_NUMBERS = (
    "CREATE TEMP TABLE numbers AS SELECT id AS old,"
    " site << 8 | (row_number() OVER (PARTITION BY site ORDER BY id) - 1) AS new FROM old_class"
)
_COPIES = (
    "INSERT INTO total SELECT name, value FROM old_total",
    "INSERT INTO total SELECT 'active', count(*) FROM old_site WHERE active = 1",
    # Ranks are made when the store finds that it does not know by which order they were made.
    "INSERT INTO total VALUES ('order', 'none')",
    (
        "INSERT INTO site"
        " SELECT id, name, active, 0, release, release, delay, crawl_delay, samples, visits, 0, 0, 0, x'' FROM old_site"
    ),
    "INSERT INTO class (id, name, score) SELECT new, name, score FROM old_class JOIN numbers ON old = id ORDER BY new",
    "INSERT INTO url SELECT new, seq, url, facts, state FROM old_url JOIN numbers ON old = class ORDER BY new, seq",
    "INSERT INTO inbox SELECT seq, new, key, url, facts, state FROM old_inbox JOIN numbers ON old = class",
    "INSERT INTO seen SELECT key FROM old_seen ORDER BY key",
    "INSERT INTO ended SELECT key, ended FROM old_seen WHERE ended > 0",
    "INSERT INTO ending SELECT code, name, urls FROM old_ending",
    "INSERT INTO lease SELECT seq, new, site, taken FROM old_lease JOIN numbers ON old = class",
    "INSERT INTO note SELECT 'robots', authority, record FROM old_robots",
)


_COLUMNS = (
    "ALTER TABLE site ADD COLUMN rests INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE site ADD COLUMN standing BLOB NOT NULL DEFAULT x''",
    # Layout 2 called those resting that asked for more than a day, and did not count them. Every row is written: those
    # that stay as they are in the file lack the new columns, and a repair would not know them.
    "UPDATE site SET rests = (place = 1 AND delay > 86400)",
    "INSERT INTO total SELECT 'resting', count(*) FROM site WHERE rests = 1",
)


def upgrade(db: sqlite3.Connection, before: int, tables: str, version: int) -> None:
    """Rewrite a file of an earlier layout in one transaction: a kill leaves the old one.

    Layout 1 takes some 10 s a million URLs, layout 2 one walk over its sites.

    Args:
        db: an open connection, not in a transaction.
        before: the layout that it has.
        tables: the statements that make today's tables.
        version: what the file says afterwards.

    Raises:
        sqlite3.Error: it cannot be done, for want of room most likely; the file is as it was.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in _COLUMNS if before == 2 else _rewriting(tables):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise


def _rewriting(tables: str) -> list[str]:
    return [
        "DROP INDEX site_active",
        *(f"ALTER TABLE {name} RENAME TO old_{name}" for name in _OLD),
        *tables.split(";\n"),
        _NUMBERS,
        *_COPIES,
        *(f"DROP TABLE old_{name}" for name in _OLD),
        "DROP TABLE numbers",
    ]
