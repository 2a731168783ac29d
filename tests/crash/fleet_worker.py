"""One worker of several, in a process and a folder of its own."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import ordeal
from crawling import Crawl

TIMEOUT, LOOK_UP = 2.0, 0.5
LEASE = 7.0
"""Seconds after which a worker that was not heard counts as dead: as short as the two time limits allow."""
SETTINGS = {
    **ordeal.SETTINGS,
    "DOWNLOAD_TIMEOUT": TIMEOUT,
    "RESOLVER_TIMEOUT": LOOK_UP,
    "FRONTIER_LEASE": LEASE,
}
JOINED = "One of the workers on"
"""What a worker logs when it was added."""


class Worker(Crawl):
    """One worker, which tells its number, and that of its start, with every request.

    Args:
        web: what is crawled.
        folder: where it keeps what is its own.
        number: its number.
        store: URL of the Redis server.
        settings: in addition to `SETTINGS`.
    """

    def __init__(self, web, folder, number, store, **settings):
        folder.mkdir(parents=True)
        super().__init__(web, folder)
        self.imports.append(Path(__file__).parent)
        self.number = number
        self.pid = 0
        self._settings = {
            **SETTINGS,
            "SCHEDULER_STORE": store,
            **settings,
        }

    def begin(self, *, seeds):
        """Start it, with the web's seeds or without."""
        agent = f"mediacrawl/0.1 (+http://localhost/tests) w{self.number}.{self.starts + 1}"
        settings = {**self._settings, "USER_AGENT": agent}
        words = {name: value if isinstance(value, str) else json.dumps(value) for name, value in settings.items()}
        switches = [word for name, value in words.items() for word in ("-s", f"{name}={value}")]
        self.start(*switches, seed=None if seeds else "")
        self.pid = self.process.pid
        return self

    def has_joined(self):
        """Whether it is one of the crawl's workers by now."""
        return JOINED in self.text()

    def logs(self):
        """What it logged, at each start."""
        return [path.read_text(encoding="utf-8", errors="replace") for path in sorted(self.folder.glob("crawl-*.log"))]

    def records(self):
        """The records of the web's own media files."""
        path = self.folder / "state" / "media.db"
        if not path.exists():
            return []
        with closing(sqlite3.connect(path)) as db:
            db.row_factory = sqlite3.Row
            assert [tuple(row) for row in db.execute("PRAGMA integrity_check")] == [("ok",)]
            rows = [dict(row) for row in db.execute("SELECT * FROM media")]
        return [row for row in rows if row["content_url"] in self.web.files]
