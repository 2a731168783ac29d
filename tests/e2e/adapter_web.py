"""A web of sites with site adapters, and what a crawl of it counted."""

import json
import sqlite3
from collections import Counter
from contextlib import closing

from lists_web import ListsWeb

from mediacrawl.watch.adapter_counts import NAMESPACE, AdapterCounts

DELAY = 0.05
QUICK = ("-s", f"POLITENESS_FIRST_DELAY={DELAY}", "-s", f"POLITENESS_MIN_DELAY={DELAY}", "-s", "POLITENESS_FACTOR=0")


class AdapterWeb(ListsWeb):
    """Sites below ``.example``, some with an adapter.

    Attributes:
        adapters: name of a host -> its adapter.
        headers: URL -> the headers of the last request for it.
    """

    def __init__(self):
        super().__init__()
        self.adapters = {}
        self.headers = {}

    async def _answer(self, exchange):
        self.headers[f"http://{exchange.request.host}:{self.port}{exchange.request.target}"] = exchange.request.headers
        await super()._answer(exchange)

    def adapter(self, name, page, slots, requests, records):
        page = {"host": f"{name}.example:{self.port}", **page}
        self.adapters[name] = {
            "form": 1,
            "name": f"{name}.example",
            "page": page,
            "slots": slots,
            "requests": requests,
            "records": records,
        }

    def save(self, folder):
        folder.mkdir(exist_ok=True)
        for name, written in self.adapters.items():
            (folder / f"{name}.json").write_text(json.dumps(written), encoding="utf-8")
        return folder

    def json(self, host, path, told, **more):
        return self.put(host, path, json.dumps(told), "application/json", **more)

    def robots(self, host, text):
        self.put(host, "/robots.txt", text, "text/plain")

    def paths(self, host):
        """How often each path of a host was requested; robots.txt not counted."""
        entries = [entry for entry in self.settled_log() if entry.host == f"{host}.example"]
        targets = [entry.url.partition(f":{self.port}")[2] for entry in entries if entry.path != "/robots.txt"]
        return Counter(targets)


def counts(crawl, name):
    with closing(sqlite3.connect(crawl.folder / "state" / "frontier.db")) as db:
        rows = db.execute("SELECT record FROM note WHERE room = ? AND key = ?", (NAMESPACE, f"{name}.example"))
        return AdapterCounts.load(rows.fetchone()[0])
