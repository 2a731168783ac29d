"""Many registrable names on one address share a budget of requests that bring no find."""

import itertools
import sqlite3
import time
from contextlib import closing

import msgpack
from crawling import Crawl, quick
from lists_web import ListsWeb

from mediacrawl.programs.demo.library import media_bytes

BUDGET = 10
DELAY = 0.02
SECONDS = 8.0
DOUBLED = 64
"""More requests than fit into `SECONDS`: 10 after 0.02 s each, 10 after 0.04 s, 10 after 0.08 s ..."""
SETTINGS = {**quick(0), "POLITENESS_ADDRESS_MIN_DELAY": DELAY, "FRONTIER_SITE_BUDGET": BUDGET}


class Farm(ListsWeb):
    """Each name has pages that link to further names, for ever, all on one address. Some farms have songs."""

    def __init__(self, names, *, songs):
        super().__init__()
        self.names = names
        self.songs = songs

    def start(self):
        super().start()
        self.hosts = {f"spam{number}.example": "127.0.0.1" for number in range(self.names)}
        self.seeds = [self.url("spam0", "/")]

    async def _answer(self, exchange):
        host, target = exchange.request.host.removesuffix(".example"), exchange.request.target
        number = int(host.removeprefix("spam"))
        if target == "/robots.txt":
            pass
        elif target.endswith(".mp3"):
            # A file with another title is another find.
            song = media_bytes("folge-1.mp3").replace(b"Folge 1", b"Folge %c" % (ord("A") + number))
            self.put(host, target, song, "audio/mpeg")
        else:
            song = f"<a href='/{number}.mp3'>a song</a>" if self.songs else ""
            names = [self.url(f"spam{other}", "/") for other in range(number + 1, self.names)]
            links = "".join(f"<a href='{url}'>next</a>" for url in names)
            self.put(host, target, f"<title>{host}</title><p>{hash(host)} {host} {number * 7919}</p>{song}{links}")
        await super()._answer(exchange)


def crawl_for(tmp_path, seconds, names, *, songs):
    """What the server saw, and the number of requests without a find that the address is charged with."""
    with Farm(names, songs=songs) as web:
        crawl = Crawl(web, tmp_path)
        crawl.start(**SETTINGS)
        crawl.until(lambda log: log)
        time.sleep(seconds)
        crawl.interrupt()
        log = web.settled_log()
    with closing(sqlite3.connect(crawl.folder / "state" / "frontier.db")) as db:
        ((note,),) = db.execute("SELECT record FROM note WHERE room = 'address'").fetchall()
    return log, msgpack.unpackb(note)[-1]


def test_names_without_a_find_share_the_budget_of_their_address(tmp_path):
    log, barren = crawl_for(tmp_path, SECONDS, 400, songs=False)
    assert BUDGET < len(log) < DOUBLED
    assert barren == len(log)
    gaps = [after.received_monotonic - before.received_monotonic for before, after in itertools.pairwise(log)]
    assert min(gaps[4 * BUDGET :], default=1.0) >= DELAY * 2**4
