"""robots.txt: ours beside Protego and Python's own parser, and a book of a million hosts.

Steps (``--only``, several with commas):

cases   how many of the 130 cases in ``tests/cases/robots_cases.json`` each parser gets right
book    a million hosts (``--hosts``) on the SQLite store: disk, memory, and what a question costs when its file is in
        memory parsed, in memory as it is kept, in the store, and in the store with nothing of it in the system's cache
speed   a file parsed and a question asked, over generated files, in turn with the others; with the hostile ones at
        the end: half a megabyte made to take long
kept    bytes a host on disk and in memory

The files are made with a fixed seed to be like 4,231 real ones, of which our own group as text has 816 bytes on average
and 140 at the median (packed 245 and 98): the number of rules is log-normal, a tenth of the files has no group for
us, a half has groups for other agents, and their paths are those of usual software with words and numbers of their own.
How near this comes is printed. Times are wall clock of one core; ratios are medians of what ran in the same round.

Run: ``make bench NAME=robots ARGS=--quick`` (half a minute), or without for the full run (some five minutes, 1 GB).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.robotparser import RobotFileParser

from protego import Protego
from shared import Figure, figure, finish, forget, resident

from mediacrawl.base.notes import NoNotes
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.stores import open_store
from mediacrawl.politeness import robots_book
from mediacrawl.politeness.robots import MAX_BYTES, RobotsRules
from mediacrawl.politeness.robots_book import RobotsAnswer, RobotsBook, RobotsTimes

AGENT = "mediacrawl"
CASES = Path(__file__).parents[1] / "tests" / "cases" / "robots_cases.json"
STEPS = ("cases", "book", "speed", "kept")
"""The book comes before those that leave much in memory behind them."""
BYTES = 1_024.0
"""Bytes a host at most, on disk and in memory."""
RATIO = 1.5
"""Times the cost of Protego at most."""
NOW = 1_795_255_200.0

USUAL = [
    *("/wp-admin/", "/wp-includes/", "/cgi-bin/", "/search", "/admin/", "/user/login", "/cart", "/checkout", "/tmp/"),
    *("/*?sort=", "/*?s=", "/*&page=", "/*.pdf$", "/*/feed/", "/api/", "/node/add/", "/comment/reply/", "/xmlrpc.php"),
    *("/index.php?option=com_", "/private/", "/*?utm_source=", "/catalogsearch/", "/customer/", "/trackback/"),
]
_WORDS = "archive audio books cart de en events files fr game help image item list media music news page product"
WORDS = _WORDS.split()
_BOTS = "GPTBot CCBot AhrefsBot SemrushBot MJ12bot Googlebot bingbot Yandex Baiduspider ia_archiver DotBot"
BOTS = _BOTS.split()


# -- files -------------------------------------------------------------------------------------------------------


def path(rng: random.Random) -> str:
    """A rule's path: that of usual software, or the site's own."""
    if rng.random() < 0.4:
        return rng.choice(USUAL)
    parts = [rng.choice(WORDS) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.4:
        parts[-1] += str(rng.randrange(10_000))
    return "/" + "/".join(parts) + rng.choice(["", "/", "/", "/*", "*.html", ".php", "?id="])


def group(agents: Iterable[str], rules: int, rng: random.Random) -> list[str]:
    lines = [f"User-agent: {agent}" for agent in agents]
    lines += [f"{'Allow' if rng.random() < 0.12 else 'Disallow'}: {path(rng)}" for _ in range(rules)]
    if rng.random() < 0.08:
        lines.append(f"Crawl-delay: {rng.choice([1, 5, 10, 30])}")
    return [*lines, ""]


def file(rng: random.Random) -> bytes:
    """A robots.txt as sites have them."""
    rules = min(int(rng.lognormvariate(1.7, 2.1)) + 1, 3_000)
    lines = ["# robots.txt"] if rng.random() < 0.3 else []
    if rng.random() < 0.5:
        for _ in range(rng.randint(1, 8)):
            lines += group(rng.sample(BOTS, rng.randint(1, 3)), rng.randint(1, 6), rng)
    if rng.random() < 0.9:
        lines += group(["*"] if rng.random() < 0.98 else [AGENT], rules, rng)
    lines += [f"Sitemap: https://site.example/sitemap-{number}.xml" for number in range(rng.choice([0, 1, 1, 2, 5]))]
    return "\n".join(lines).encode()


def files(count: int) -> list[bytes]:
    rng = random.Random(2026)
    return [file(rng) for _ in range(count)]


def questions(rng: random.Random, count: int) -> list[str]:
    return [
        f"https://site.example{path(rng).replace('*', 'x').replace('$', '')}{rng.randrange(99)}" for _ in range(count)
    ]


def hostile() -> dict[str, bytes]:
    """Half a megabyte each, of what costs most."""
    made: dict[str, Callable[[int], str]] = {
        "short rules": lambda number: f"Disallow:/{number:x}",
        "stars": lambda number: f"Disallow:*{number:x}*b",
        "near misses": lambda number: f"Disallow:*{'a' * (number % 8 + 1)}{number % 97}",
    }
    found = {}
    for name, line in made.items():
        lines, size, number = ["User-agent: *"], 0, 0
        while size < MAX_BYTES - 200:
            lines.append(line(number))
            size += len(lines[-1]) + 1
            number += 1
        found[name] = "\n".join(lines).encode()
    return found | {"one rule": b"User-agent: *\nDisallow: /" + b"*a" * (MAX_BYTES // 2 - 50) + b"b$\n"}


# -- parsers -----------------------------------------------------------------------------------------------------


def ours(body: bytes, agent: str = AGENT) -> Callable[[str], bool]:
    rules = RobotsRules.parse(body, agent)
    return lambda url: bool(rules.allowed(url))


def protego(body: bytes, agent: str = AGENT) -> Callable[[str], bool]:
    rules = Protego.parse(body.decode("utf-8-sig", "replace"))
    return lambda url: rules.can_fetch(url, agent)


def urllib(body: bytes, agent: str = AGENT) -> Callable[[str], bool]:
    rules = RobotFileParser()
    rules.parse(body.decode("utf-8-sig", "replace").splitlines())
    rules.modified()
    return lambda url: rules.can_fetch(agent, url)


PARSERS = {"mediacrawl": ours, "Protego": protego, "urllib": urllib}


# -- measuring ---------------------------------------------------------------------------------------------------


def micros(do: Callable[[], object], count: int) -> float:
    """Microseconds for each of `count` things that one call does."""
    start = time.perf_counter()
    do()
    return (time.perf_counter() - start) / count * 1e6


class Bench:
    """One run, and its figures."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.hosts: int = arguments.hosts
        self.rounds: int = arguments.rounds
        self.bodies = files(arguments.files)
        self.figures: list[Figure] = []

    def cases(self) -> None:
        """How many cases each gets right."""
        cases = json.loads(CASES.read_text("utf-8"))
        for name, parser in PARSERS.items():
            right = 0
            for case in cases:
                allowed = parser(case["robots_txt"].encode(), case["user_agent"])(case["url"])
                right += allowed is case["allowed"]
            print(f"{name:<12}{right:>5} of {len(cases)} cases right")
            if name == "mediacrawl":
                self.figures.append(figure("cases right", right, f"of {len(cases)}", len(cases), "more"))

    def speed(self) -> None:
        """Parse and ask, all parsers in turn."""
        bodies = self.bodies[:2_000]
        urls = questions(random.Random(7), 20)
        large = max(bodies, key=len)
        print(f"{len(bodies):,} files, {len(urls)} questions to each; the largest has {len(large):,} bytes")
        rounds: list[dict[str, tuple[float, float, float]]] = []
        for _ in range(self.rounds):
            row = {}
            for name, parser in PARSERS.items():
                parsed = [parser(body) for body in bodies]
                parse = micros(lambda parser=parser: [parser(body) for body in bodies], len(bodies))
                ask = micros(
                    lambda parsed=parsed: [asked(url) for asked in parsed for url in urls], len(bodies) * len(urls)
                )
                row[name] = (parse, ask, micros(lambda parser=parser: parser(large), 1))
            rounds.append(row)
        print(f"{'':<12}{'us a parse':>12}{'us a question':>15}{'us for the largest':>20}")
        for name in PARSERS:
            parse, ask, most = (statistics.median(row[name][place] for row in rounds) for place in range(3))
            print(f"{name:<12}{parse:>12.1f}{ask:>15.2f}{most:>20.0f}")
        for place, what in enumerate(("parse", "question")):
            ratio = statistics.median(row["mediacrawl"][place] / row["Protego"][place] for row in rounds)
            self.figures.append(figure(f"a {what}, times Protego's cost", round(ratio, 2), "x", RATIO, "less"))
        url = "https://site.example/" + "a" * 2_000
        for name, body in hostile().items():
            rules = RobotsRules.parse(body, AGENT)
            parse = micros(lambda body=body: RobotsRules.parse(body, AGENT), 1) / 1e3
            ask = micros(lambda rules=rules: rules.allowed(url), 1) / 1e3
            print(f"hostile, {name:<12} {parse:>6.0f} ms a parse, {ask:>6.1f} ms a question of 2,000 characters")

    def kept(self) -> None:
        """Bytes a host, as notes and in memory."""
        texts = [RobotsRules.parse(body, AGENT).group_text for body in self.bodies]
        sizes = [len(text) for text in texts]
        packed = [min(len(text), len(zlib.compress(text.encode()))) for text in texts]
        whole = [len(body) for body in self.bodies]
        for name, found in (("whole files", whole), ("our group as text", sizes), ("packed", packed)):
            mean, median = statistics.fmean(found), statistics.median(found)
            print(f"{name:<20}{mean:>8.0f} bytes on average, {median:.0f} at the median")
        held = self._traced(most_read=1)
        parsed = self._traced(most_read=len(self.bodies)) - held
        print(f"in memory: {held:.0f} bytes a host as it is kept, {parsed:.0f} more if it is parsed")
        objects = self._traced_protego()
        print(f"as a Protego object: {objects:.0f} bytes a host")
        self.figures.append(figure("bytes a host held in memory", round(held), "bytes", BYTES, "less"))

    def _traced(self, most_read: int) -> float:
        """Python bytes a host of a book without a store."""
        usual = robots_book.READ, robots_book.READ_TEXT, robots_book.HELD
        robots_book.READ, robots_book.READ_TEXT, robots_book.HELD = most_read, 10**9, len(self.bodies)
        tracemalloc.start()
        book = RobotsBook(AGENT, RobotsTimes(), NoNotes())
        for number, body in enumerate(self.bodies):
            book.learn(authority(number), answer(number, body), NOW)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        robots_book.READ, robots_book.READ_TEXT, robots_book.HELD = usual
        return size / len(self.bodies)

    def _traced_protego(self) -> float:
        bodies = self.bodies[:1_000]
        tracemalloc.start()
        kept = [Protego.parse(body.decode()) for body in bodies]
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size / len(kept)

    def book(self) -> None:
        """All hosts on the SQLite store."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "frontier.db"
            store = open_store("sqlite", Path(folder), FrontierPolicy(), NOW)
            empty, before = path.stat().st_size, resident()
            book = RobotsBook(AGENT, RobotsTimes(), store)
            start = time.perf_counter()
            for number in range(self.hosts):
                book.learn(authority(number), answer(number, self.bodies[number % len(self.bodies)]), NOW)
                if number % 640 == 0:
                    store.commit()
            store.commit()
            each = (time.perf_counter() - start) / self.hosts * 1e6
            grown = resident() - before
            store.close()
            size = (path.stat().st_size - empty) / self.hosts
            print(f"{self.hosts:,} hosts learned: {each:.0f} us each; {size * self.hosts / 1e6:.0f} MB on disk,")
            print(f"{size:.0f} bytes a host; the process grew by {grown / 1e6:.0f} MB, whatever their number")
            self.figures.append(figure("bytes a host kept on disk", round(size), "bytes", BYTES, "less"))
            self._ask(Path(folder), path)

    def _ask(self, folder: Path, path: Path) -> None:
        rng = random.Random(3)
        few = [authority(rng.randrange(self.hosts)) for _ in range(robots_book.READ // 4)]
        more = [
            authority(rng.randrange(self.hosts)) for _ in range(min(robots_book.HELD // 2, self.hosts // 2, 20_000))
        ]
        others = [authority(rng.randrange(self.hosts)) for _ in range(min(20_000, self.hosts))]
        for cold in (False, True):
            store = open_store("sqlite", folder, FrontierPolicy(), NOW)
            book = RobotsBook(AGENT, RobotsTimes(), store)
            if cold:
                for name in (path, path.with_name(f"{path.name}-wal")):
                    if name.exists():
                        forget(name)
                some = others[:2_000]
                print(f"question, nothing of the file in the system's cache: {asked(book, some):>8.1f} us")
            else:
                print(f"question, in the store:                              {asked(book, others):>8.1f} us")
                asked(book, more)
                print(f"question, in memory as it is kept:                   {asked(book, more):>8.1f} us")
                asked(book, few)
                print(f"question, in memory parsed:                          {asked(book, few):>8.1f} us")
            store.close()


def asked(book: RobotsBook, authorities: list[str]) -> float:
    urls = [(name, f"{name}/archive/page7.html") for name in authorities]
    return micros(lambda: [book.ask(name, url, NOW + 60) for name, url in urls], len(urls))


def authority(number: int) -> str:
    """A name of usual length."""
    return f"https://www.{WORDS[number % len(WORDS)]}-of-{number * 7919 % 99_999_989}.example"


def answer(number: int, body: bytes) -> RobotsAnswer:
    """Three of five servers send validators."""
    tag = f'"{number * 2_654_435_761 % 2**40:x}-{len(body):x}"' if number % 5 < 3 else ""
    modified = "Sat, 21 Nov 2026 10:00:00 GMT" if number % 5 < 3 else ""
    return RobotsAnswer(200, body, f"{authority(number)}/robots.txt", tag, modified)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(STEPS), help="steps, with commas")
    parser.add_argument("--hosts", type=int, default=0, help="of the book")
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    arguments.hosts = arguments.hosts or (20_000 if arguments.quick else 1_000_000)
    arguments.files = 1_000 if arguments.quick else 5_000
    arguments.rounds = 3 if arguments.quick else 5
    steps = arguments.only.split(",")
    if unknown := set(steps) - set(STEPS):
        raise SystemExit(f"no such step: {', '.join(sorted(unknown))}; there are {', '.join(STEPS)}")
    bench = Bench(arguments)
    for step in STEPS:
        if step in steps:
            print(f"\n{step}")
            method: Any = getattr(bench, step)
            method()
    finish("robots", bench.figures)


if __name__ == "__main__":
    main()
