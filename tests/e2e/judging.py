"""What became of the URLs of a crawl, by the files it left."""

import re
import sqlite3
from contextlib import closing
from numbers import Real

import pytest

from mediacrawl.frontier.seen import url_key
from mediacrawl.scope import canonical


class Verdict:
    """The end of each URL in the frontier, the records, and what the server saw."""

    def __init__(self, crawl):
        state = crawl.folder / "state"
        with closing(sqlite3.connect(state / "frontier.db")) as db:
            known = db.execute("SELECT key FROM seen UNION SELECT key FROM inbox")
            self.ends = dict.fromkeys((key for (key,) in known), "open")
            self.ends |= dict(db.execute("SELECT key, name FROM ended JOIN ending USING (code)"))
            self.ended = dict(db.execute("SELECT name, urls FROM ending WHERE urls"))
            self.waiting = [url for (url,) in db.execute("SELECT url FROM url UNION ALL SELECT url FROM inbox")]
            (self.seen,) = db.execute("SELECT value FROM total WHERE name = 'seen'").fetchone()
            (self.leased,) = db.execute("SELECT count(*) FROM lease").fetchone()
        with closing(sqlite3.connect(state / "media.db")) as db:
            db.row_factory = sqlite3.Row
            self.records = {canonical(row["content_url"]): dict(row) for row in db.execute("SELECT * FROM media")}
        self.asked = {}
        for entry in crawl.web.settled_log():
            self.asked.setdefault(canonical(entry.url), []).append(entry)

    def of(self, url):
        """How a URL ended, with the status of its record in place of ``done``; and how often it was requested."""
        url = canonical(url)
        end = self.ends.get(url_key(url), "never joined")
        if url in self.records:
            assert end == "done", url
            end = self.records[url]["probe_status"]
        return end, len(self.asked.get(url, ()))

    def of_host(self, host):
        """The same for all URLs of a host that were asked, by path; robots.txt not counted."""
        urls = {url: entries[0].path for url, entries in self.asked.items() if entries[0].host == host}
        return {path: self.of(url) for url, path in urls.items() if not path.startswith("/robots.txt")}


def stat(crawl, name):
    """A number that Scrapy dumped into the log at the end."""
    return int(re.search(rf"'{re.escape(name)}': (\d+)", crawl.text())[1])


def says(found, expected):
    """Whether a value holds what `VirtualHost.expect` declares."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(says(found.get(name), value) for name, value in expected.items())
    if isinstance(expected, tuple):
        return isinstance(found, list) and all(any(says(each, one) for each in found) for one in expected)
    if isinstance(expected, list):
        return isinstance(found, list) and len(found) == len(expected) and all(map(says, found, expected))
    if isinstance(expected, Real) and not isinstance(expected, bool):
        return isinstance(found, Real) and found == pytest.approx(expected, abs=0.002)
    return found == expected
