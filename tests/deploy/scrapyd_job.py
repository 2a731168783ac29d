"""A crawl of a corner of the demo web, as a job of a scrapyd."""

import json
import sqlite3
from collections import Counter
from contextlib import closing

from crawling import FIRST_DELAY, MIN_DELAY

from mediacrawl.scope import canonical, site_of

SITES = ("podcast-am-morgen.example", "zaehler.example", "tonspur.example", "tasmy-i-plenki.example")
"""A corner of the demo web, each site with a link to the next or named as a seed."""
ODD = "Sängers «Höhe», 'ä' & \"b\" ночь"
"""Part of a file name: what comes through a form, a queue in JSON and a command line can be lost at each."""


class Job:
    """The settings and arguments of a crawl of a corner of the demo web."""

    def __init__(self, daemon, web, folder):
        self.daemon = daemon
        self.web = web
        self.include = folder / f"{ODD}.txt"
        self.include.write_text("\n".join(SITES), encoding="utf-8")
        self.never = folder / "NeverCrawl.txt"
        self.never.write_text(web.never_crawl, encoding="utf-8")
        self.seeds = [seed for seed in web.seeds if site_of(seed) in SITES]
        self.media = {url for url in web.expected_media if site_of(url) in SITES}

    def schedule(self, settings=(), **arguments):
        """Start it; answers the job's id."""
        ours = {
            "POLITENESS_FACTOR": 1.0,
            "POLITENESS_MIN_DELAY": MIN_DELAY,
            "POLITENESS_ADDRESS_FACTOR": 0.0,
            "POLITENESS_ADDRESS_MIN_DELAY": 0.0,
            "POLITENESS_FIRST_DELAY": FIRST_DELAY,
            "MEDIACRAWL_CONTACT": "http://localhost/tests",
            "NEVERCRAWL_FILES": self.never,
            "RESOLVER_HOSTS": json.dumps(self.web.hosts),
            **dict(settings),
        }
        return self.daemon.schedule(ours, **arguments)

    def asked(self):
        """How often each URL was requested; those of media once for each range."""
        return Counter(entry.url for entry in self.web.settled_log())

    def found(self, catalogue):
        """The files in a catalogue by canonical URL; a record has the spelling that was found first."""
        with closing(sqlite3.connect(catalogue)) as db:
            return {canonical(url) for (url,) in db.execute("SELECT content_url FROM media")}
