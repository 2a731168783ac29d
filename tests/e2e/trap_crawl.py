"""Real crawls of a web of traps, or of honest sites, and what they came to."""

import sqlite3
from collections import Counter
from contextlib import closing

from crawling import Crawl
from judging import stat
from sins_traps import TrapWeb


class Finished:
    """What a crawl came to, once it has been begun or gone on with."""

    def __init__(self, folder, *names, web=TrapWeb, **settings):
        with web() as web:
            self.prepare(web, folder, *names).run(**settings)

    @classmethod
    def on(cls, web, folder, *names):
        """A crawl of a web that stays, for several runs."""
        return cls.__new__(cls).prepare(web, folder, *names)

    def prepare(self, web, folder, *names):
        """Name the seeds."""
        web.seeds = [web.url(name) for name in names]
        self.crawl, self.media = Crawl(web, folder), web.media
        return self

    def run(self, **settings):
        """Begin the crawl, or continue with it, and wait for its end."""
        self.crawl.start(**{"POLITENESS_MIN_DELAY": 0.02, "POLITENESS_FIRST_DELAY": 0.02, **settings})
        self.code = self.crawl.wait(120)
        log = self.crawl.web.settled_log()
        self.visits = Counter(entry.host.removesuffix(".example") for entry in log)
        self.requests = Counter(entry.host.removesuffix(".example") for entry in log if entry.path != "/robots.txt")
        with closing(sqlite3.connect(self.crawl.folder / "state" / "media.db")) as db:
            self.found = {url for (url,) in db.execute("SELECT content_url FROM media")}

    def drops(self, reason):
        """How often a reason dropped something."""
        return stat(self.crawl, f"drop/{reason}")
