"""Frontiers of layout 1, which had all sites in memory, become layout 2 when they are opened."""

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
        " SELECT id, name, active, 0, release, release, delay, crawl_delay, samples, visits, 0, 0 FROM old_site"
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


def upgrade(db: sqlite3.Connection, tables: str, version: int) -> None:
    """Rewrite a file of layout 1 in one transaction: a kill leaves the old layout. It takes some 10 s a million URLs.

    Args:
        db: an open connection, not in a transaction.
        tables: the statements that make the tables of layout 2.
        version: what the file says afterwards.

    Raises:
        sqlite3.Error: it cannot be done, for want of room most likely; the file is as it was.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("DROP INDEX site_active")
        for name in _OLD:
            db.execute(f"ALTER TABLE {name} RENAME TO old_{name}")
        for statement in (*tables.split(";\n"), _NUMBERS, *_COPIES):
            db.execute(statement)
        for name in _OLD:
            db.execute(f"DROP TABLE old_{name}")
        db.execute("DROP TABLE numbers")
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
