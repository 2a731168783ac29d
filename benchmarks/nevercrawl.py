"""What a NeverCrawl list of a million lines costs: to read, to keep, to ask, and to read again while a crawl runs.

    python benchmarks/nevercrawl.py [--lines 1000000]

Each way runs in a process of its own, so that its memory can be told, on the same file (half of its lines have a
reason and a date, one in fifty is written in capitals or another script) and the same questions (one host in ten is
covered). Peers: a Python ``set`` of the domains, asked label by label, which knows no reasons, lines, paths or networks
and takes every line at its word; and the regular expression of Scrapy's OffsiteMiddleware, which joins all domains with
``|``, on the first 20,000 lines, since its time grows with their number at each question. Times are those of the
processor, so that a busy machine does not change them much. The sift is `Scope.sift` on new links, with no list, with
the million, and with paths of the page's own host as well.
"""

import argparse
import gc
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from datetime import date
from pathlib import Path

from shared import figure, finish, resident, table

from mediacrawl.scope import Base, NeverCrawl, Scope, site_of
from mediacrawl.scope.exclusions.never import ListContent

TARGETS = {"load": 3.0, "memory": 100.0, "question": 20.0, "slice": 20.0, "sift": 1.05}
JOINED = 20_000
"""Lines that the regular expression is made of."""
QUESTIONS = 50_000
PAGES, LINKS = 300, 100


def write(path, lines):
    """A list as it may grow: hosts of four kinds, most with a comment."""
    rng = random.Random(1)
    with path.open("w", encoding="utf-8") as file:
        file.write("# a list\n")
        for number in range(lines):
            host, end = rng.choice(("", "www.", "blog.")), rng.choice(("org", "net", "example"))
            name = f"{host}site{number}.d{rng.randrange(5000)}.{end}"
            if number % 50 == 0:
                name = name.upper() if number % 100 else f"büro-{name}"
            file.write(f"{name}{'  # asked by mail, 2026-11-02' if number % 2 else ''}\n")
    return path


def questions(path):
    """Hosts that no question was asked about: one in ten is covered."""
    names = [line.split()[0].lower() for line in path.read_text("utf-8").splitlines()[1 : QUESTIONS // 2]]
    rng = random.Random(2)
    hosts = [f"media{n}.{name}" for n, name in enumerate(rng.sample(names, min(QUESTIONS // 10, len(names))))]
    hosts += [f"www.free{n}.d{n % 5000}.org" for n in range(QUESTIONS - len(hosts))]
    rng.shuffle(hosts)
    return hosts


def in_use():
    """Return the bytes that this process has in memory after a collection."""
    gc.collect()
    return resident()


# -- the ways, each in its own process ---------------------------------------------------------------------------


def ours(path):
    site_of("www.example.org")
    NeverCrawl.of("com")
    before = in_use()
    start = time.process_time()
    never = NeverCrawl.load(path)
    loaded = time.process_time() - start
    return never.match, loaded, in_use() - before, slices(never, path)


def slices(never, path):
    """Read the list again with a line more, as a crawl does; the longest slice, and the whole time, in seconds."""
    text = path.read_bytes()
    path.write_bytes(text + b"one-more.example\n")
    longest, start = 0.0, time.process_time()
    last = start
    for _ in never.look():
        now = time.process_time()
        longest, last = max(longest, now - last), now
    whole = time.process_time() - start
    path.write_bytes(text)
    if never.match("one-more.example") is None:
        raise SystemExit("the new line is not in force")
    return longest, whole


def as_set(path):
    before = in_use()
    start = time.process_time()
    names = set()
    for line in path.open(encoding="utf-8"):
        name = line.partition("#")[0].strip().lower()
        if name:
            names.add(name if name.isascii() else name.encode("idna").decode())
    loaded = time.process_time() - start

    def match(host):
        while host:
            if host in names:
                return host
            host = host.partition(".")[2]
        return None

    return match, loaded, in_use() - before, (loaded, loaded)


def joined(path):
    before = in_use()
    start = time.process_time()
    names = [line.partition("#")[0].strip().lower() for line in path.read_text("utf-8").splitlines()[1 : JOINED + 1]]
    pattern = re.compile(rf"^(.*\.)?({'|'.join(map(re.escape, names))})$")
    loaded = time.process_time() - start
    return pattern.search, loaded, in_use() - before, (loaded, loaded)


WAYS = {"ours": ours, "set": as_set, "offsite": joined}


def measure(way, path):
    """In a process of its own: run a way, and print what it came to."""
    hosts = questions(path)
    match, loaded, held, (longest, whole) = WAYS[way](path)
    asked = hosts if way != "offsite" else hosts[:100]
    start = time.process_time()
    answers = [match(host if host.isascii() else host.encode("idna").decode()) is not None for host in asked]
    took = time.process_time() - start
    print(
        json.dumps(
            {
                "load": loaded,
                "memory": held,
                "question": took / len(asked) * 1e6,
                "longest": longest,
                "again": whole,
                "covered": sum(answers[:100] if way == "offsite" else answers),
            }
        )
    )


def sift(path):
    """Microseconds per new link without a list, with the list, and with the list and paths: the best of five rounds."""
    paths = ListContent.of("\n".join(f"h{n}.example/private/{n}" for n in range(1_000)).encode(), "paths")
    lists = {
        "none": NeverCrawl(),
        "list": NeverCrawl.load(path),
        "paths": NeverCrawl([ListContent.of(path.read_bytes(), "list"), paths]),
    }
    best = dict.fromkeys(lists, float("inf"))
    for turn in range(5):
        for name, never in lists.items():
            scope = Scope(today=lambda: date(2026, 11, 21), nevercrawl=never)
            pages = [
                (Base(f"http://h{page}.example/"), [f"/{name}{turn}/{page}/{n}.html" for n in range(LINKS)])
                for page in range(PAGES)
            ]
            start = time.process_time()
            for base, hrefs in pages:
                scope.sift(base, hrefs)
            best[name] = min(best[name], (time.process_time() - start) / PAGES / LINKS * 1e6)
    print(json.dumps(best))


def in_process(what, path):
    """Run this file for one way; answers what it printed."""
    command = [sys.executable, __file__, "--measure", what, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what}: {done.stderr[-2000:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        what, path = options.measure[0], Path(options.measure[1])
        sift(path) if what == "sift" else measure(what, path)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / "NeverCrawl.txt", options.lines)
        size = path.stat().st_size
        rows = {way: in_process(way, path) for way in WAYS}
        links = in_process("sift", path)
    report(rows, links, options.lines, size)


def report(rows, links, lines, size):
    print(f"{lines:,} lines, {size / lines:.1f} bytes each; the regular expression has {JOINED:,} of them")
    rows_shown = []
    for way, row in rows.items():
        number = JOINED if way == "offsite" else lines
        cells = (row["load"], row["memory"] / number, row["question"], row["longest"] * 1e3, row["again"])
        rows_shown.append((way, cells))
    heads = ("load s", "bytes a line", "us a new host", "longest slice ms", "read again s")
    table("NeverCrawl, and its peers", heads, rows_shown, digits=2)
    print("sift, us a new link: " + ", ".join(f"{name} {cost:.2f}" for name, cost in links.items()))
    if rows["ours"]["covered"] != rows["set"]["covered"]:
        raise SystemExit(f"the ways disagree: {rows['ours']['covered']} and {rows['set']['covered']} hosts are covered")
    mine = rows["ours"]
    figures = [
        figure(f"nevercrawl_{name}", value, unit, TARGETS[target], "less", digits=3, peer=peer)
        for name, value, unit, target, peer in (
            ("load", mine["load"], "s", "load", rows["set"]["load"]),
            ("memory", mine["memory"] / lines, "bytes/line", "memory", rows["set"]["memory"] / lines),
            ("new_host", mine["question"], "us", "question", rows["offsite"]["question"]),
            ("longest_slice", mine["longest"] * 1e3, "ms", "slice", rows["set"]["longest"] * 1e3),
            ("sift", links["list"] / links["none"], "times no list", "sift", 1.0),
        )
    ]
    finish("nevercrawl", figures)


if __name__ == "__main__":
    main()
