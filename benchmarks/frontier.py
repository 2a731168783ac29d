"""The SQLite frontier under load, beside Scrapy's `DownloaderAwarePriorityQueue` in the same run.

Steps (``--only``, several with commas):

adding   pages with ten new links until 10 M URLs were added, each looked up by `unknown` first, as in the crawl;
         beside it pages of 100 links of which 90 are known
speed    take + finish a URL and add a page's links, at 1 k, 100 k and 1 M sites, in turn with Scrapy's queue
startup  a store with all its sites is opened in a fresh process, until the first lease is out
memory   bytes of Python objects per site in memory, and per waiting URL
seen     the exact answer from disk, beside pybloom-live's filter

Every store is measured in a process of its own. All of them are filled first and then measured in turn. What ours
puts off (the merge of its inbox, SQLite's checkpoint with its syncs) is done before and, as a part of the measured
time, after each block of takes or of pages, so that each pays for its own and for nothing else. The files are in the
system's cache, which is read first; what takes cost at the largest size with nothing of it there is told beside.
Tables have means over the rounds; ratios are given of the means and as the median of what ran in the same round.
Leases are taken in batches of 32, each of which is durable before it goes out; ends are committed after
20 batches, which is a simulated second of 640 pages. Sites are drawn evenly, all with the same score, so they are
visited in the order of their release times. Times are wall clock and CPU (user + system) of the measured calls; where a
target judges, the worst of these counts.

Scrapy's queue is built as in Scrapy's own tests, see ``frontier_scrapy.py``. In memory it forgets all at a kill; its
SQLite queue keeps one open file for each site, so no more sites fit than the system lets one process open files.

Run: ``make bench NAME=frontier ARGS=--quick`` (a minute) or without for the full run (an hour, 12 GB of disk).
With ``--folder`` the filled stores are kept there and used again.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from shared import HERE, Figure, environment, figure, finish, forget

STEPS = ("adding", "speed", "startup", "memory", "seen")
MILLION = 1_000_000
PEER_PAGES = 500
GROWTH, FASTER, SITE_BYTES, URL_BYTES, MINUTES = 1.5, 100.0, 600.0, 10.0, 15.0


@dataclass(frozen=True)
class Scale:
    """How much is measured.

    Attributes:
        stores: sites and URLs a site of ours; the last is the one of step ``adding``.
        added: URLs that pages add, with a line of the table at each.
        peers: sites of Scrapy's queue in memory, and pops a round.
        disks: the same of its SQLite queue.
        rounds: how often all are measured in turn.
        visits: take + finish of ours in a round.
        pages: new URLs that pages add in a round.
        memory: sites of the step ``memory``.
        filters: URLs in pybloom-live's filter.
    """

    stores: tuple[tuple[int, int], ...]
    added: tuple[int, ...]
    peers: tuple[tuple[int, int], ...]
    disks: tuple[tuple[int, int], ...]
    rounds: int
    visits: int
    pages: int
    memory: int
    filters: tuple[int, ...]


FULL = Scale(
    stores=((1_000, 60), (100_000, 20), (MILLION, 20)),
    added=(MILLION, 2 * MILLION, 5 * MILLION, 10 * MILLION),
    peers=((1_000, 2000), (100_000, 20), (MILLION, 2)),
    disks=((1_000, 500), (10_000, 100)),
    rounds=7,
    # As many, so that the stores keep their size; an inbox full of URLs.
    visits=20_480,
    pages=20_480,
    memory=30_000,
    filters=(100_000, MILLION, 10 * MILLION),
)
QUICK = Scale(
    stores=((1_000, 60), (100_000, 2)),
    added=(30_000, 60_000),
    peers=((1_000, 1000), (100_000, 10)),
    disks=((1_000, 200),),
    rounds=3,
    visits=6_400,
    pages=7_000,
    memory=4_000,
    filters=(50_000, 200_000),
)


class Worker:
    """A measured store in its own process.

    Args:
        kind: ``ours``, ``scrapy`` or ``bloom``.
        options: of its constructor.
    """

    def __init__(self, kind: str, **options: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "frontier_worker.py"), kind, json.dumps(options)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def __call__(self, do: str, **options: Any) -> dict[str, Any]:
        """Have it do something; answers what it measured."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **options}) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"the worker ended at {do!r}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> None:
        """End the process, and wait for it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()


@dataclass
class Bench:
    """One run: its scale, its folder, and the figures so far."""

    scale: Scale
    folder: Path
    figures: list[Figure] = field(default_factory=list)

    def store(self, sites: int, urls: int, classes: int = 3) -> dict[str, Any]:
        """Options of a worker on a filled store of this form; it is filled if it is not there."""
        options, done = self._place(sites, urls, classes)
        if not done.exists():
            with Worker("ours", **options) as worker:
                filled = worker("fill", urls=urls)
                size = worker("close")
            done.touch()
            print(
                f"filled {sites:,} sites with {filled['added']:,} URLs: {per(filled, 'added'):.1f} us a URL"
                f" (CPU {per(filled, 'added', 'cpu'):.1f}), {size['bytes'] / filled['added']:.0f} bytes a URL on disk"
            )
        return options

    def _place(self, sites: int, urls: int, classes: int = 3) -> tuple[dict[str, Any], Path]:
        """Options of a worker, and the file that says that its store is filled. What was left half filled goes."""
        folder = self.folder / f"{sites}x{urls}x{classes}"
        done = folder / "filled"
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        return {"folder": str(folder), "sites": sites, "classes": classes}, done

    # -- the steps -------------------------------------------------------------------------------------------

    def adding(self) -> None:
        """Pages until the last of ``added``; the store is then filled up and serves the other steps."""
        sites, urls = self.scale.stores[-1]
        options, done = self._place(sites, urls)
        if done.exists():
            print(f"{done.parent} is filled already: nothing to add")
            return
        with Worker("ours", **options) as worker:
            worker("tune")
            seeds = worker("fill", urls=1)
            each = per(seeds, "added"), per(seeds, "added", "cpu")
            print(f"{sites:,} sites, a seed each: {each[0]:.1f} us a URL (CPU {each[1]:.1f})")
            row = row_of("URLs added", "us a URL", "CPU us", "minutes", "CPU min.", "RSS MB", "MB on disk")
            wall = cpu = 0.0
            count = 0
            more: list[float] = []
            for mark in self.scale.added:
                part = worker("pages", urls=mark - count, known=False)
                wall, cpu, count = wall + part["wall"], cpu + part["cpu"], count + part["added"]
                each = per(part, "added"), per(part, "added", "cpu")
                row(count, *each, wall / 60, cpu / 60, mb(part["rss"]), mb(part["bytes"]))
                asked = worker("pages", urls=self.scale.pages)
                more.append(max(per(asked, "added"), per(asked, "added", "cpu")))
                print(f"   with nine known ones asked beside each: {more[-1]:.1f} us")
            worker("fill", urls=urls)
            worker("close")
        done.touch()
        minutes = max(wall, cpu) / 60
        name = "adding 10 M URLs with the seen check"
        if count < 10 * MILLION:
            minutes = max(each) * 10 / 60
            name += f" (the pace at {count:,}, extrapolated)"
        self.figures.append(figure(name, round(minutes, 2), "minutes", MINUTES, "less"))
        print(f"with nine known ones asked beside each: {statistics.fmean(more) * 10 / 60:.1f} minutes, extrapolated")

    def speed(self) -> None:
        """Ours and Scrapy's queues in turn."""
        ours = {f"mediacrawl {sites:,}": self.store(sites, urls) for sites, urls in self.scale.stores}
        workers = {name: Worker("ours", **options) for name, options in ours.items()}
        counts = dict.fromkeys(workers, self.scale.visits)
        peers = {f"Scrapy, memory {sites:,}": (sites, pops, "") for sites, pops in self.scale.peers}
        peers |= {f"Scrapy, SQLite {sites:,}": (sites, pops, "disk") for sites, pops in self.scale.disks}
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            filled = {}
            for name, (sites, pops, disk) in peers.items():
                where = f"{folder}/{sites}" if disk else ""
                # The measured pops must not empty a site: it would no longer be walked over.
                urls = max(pops * (self.scale.rounds + 2) // sites + 1, 1)
                workers[name] = Worker("scrapy", sites=sites, urls=urls, disk=where)
                counts[name] = pops
                filled[name] = workers[name]("filled")
            try:
                for name, options in ours.items():
                    warm(Path(options["folder"]) / "frontier.db")
                    workers[name]("open")
                rows = self._rounds(workers, counts)
                largest, options = list(ours.items())[-1]
                cold = self._cold(workers[largest], Path(options["folder"]) / "frontier.db")
            finally:
                for worker in workers.values():
                    worker.end()
        self._speed_table(rows, filled)
        print(f"{largest} with nothing of the file in the system's cache: {cold:.0f} us a take")

    def _cold(self, worker: Worker, path: Path) -> float:
        """Microseconds of wall clock of a take + finish in a store whose file the system has dropped from its cache."""
        forget(path)
        return per(worker("visits", count=self.scale.visits), "count")

    def _rounds(self, workers: dict[str, Worker], counts: dict[str, int]) -> dict[str, list[dict[str, Any]]]:
        rows: dict[str, list[dict[str, Any]]] = {name: [] for name in workers}
        for name, worker in workers.items():
            worker("tune")
            worker("visits", count=max(counts[name] // 2, 1))
        for _ in range(self.scale.rounds):
            for name, worker in workers.items():
                taken = worker("visits", count=counts[name])
                added = (
                    worker("pages", urls=self.scale.pages, settle=True)
                    if name.startswith("mediacrawl")
                    else worker("pages", urls=PEER_PAGES)
                )
                rows[name].append(
                    {
                        "take": per(taken, "count"),
                        "take cpu": per(taken, "count", "cpu"),
                        "add": per(added, "added"),
                        "add cpu": per(added, "added", "cpu"),
                    }
                )
        return rows

    def _speed_table(self, rows: dict[str, list[dict[str, Any]]], filled: dict[str, dict[str, Any]]) -> None:
        print(f"mean of {self.scale.rounds} rounds; a take + finish, and a URL added with nine known ones beside it")
        row = row_of("queue, sites", "us a take", "CPU us", "takes/s", "us an add", "CPU us", "adds/s")
        for name, measured in rows.items():
            take, take_cpu, add, add_cpu = (statistics.fmean(r[k] for r in measured) for k in measured[0])
            row(name, take, take_cpu, 1e6 / take, add, add_cpu, 1e6 / add)
        for name, facts in filled.items():
            size, push = facts["bytes"] / facts["sites"], facts["push"]["wall"]
            print(f"{name}: {size:,.0f} bytes of memory a site with {facts['urls']} URLs, push {push:.0f} us")
        allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        print(f"Scrapy's SQLite queue opens a file for each site; a process may open {allowed:,} here")
        small, large = (f"mediacrawl {self.scale.stores[place][0]:,}" for place in (0, -1))
        for kind in ("take", "add"):
            growth = ratios(rows, large, small, kind)
            print(f"{kind}, {large} over {small}: {described(growth)}")
            if kind == "take":
                name = f"take + finish at {self.scale.stores[-1][0]:,} sites, times its cost at 1,000"
                self.figures.append(figure(name, round(max(growth), 2), "x", GROWTH, "less"))
        for name in rows:
            at = f"mediacrawl {name.rpartition(' ')[2]}"
            if name.startswith("Scrapy") and at in rows:
                takes, adds = ratios(rows, name, at, "take"), ratios(rows, name, at, "add")
                print(f"{name}, times our cost: take {described(takes)}; add {described(adds)}")
                if name == "Scrapy, memory 100,000":
                    title = "take + finish at 100,000 sites, times as fast as Scrapy's queue in memory"
                    self.figures.append(figure(title, round(min(takes), 1), "x", FASTER, "more"))

    def startup(self) -> None:
        """The largest store, from the start of opening to the first lease."""
        sites, urls = self.scale.stores[-1]
        options = self.store(sites, urls)
        size = (Path(options["folder"]) / "frontier.db").stat().st_size
        print(f"start-up at {sites:,} sites, {size / 1e9:.2f} GB on disk, until the first lease is out")
        row = row_of("the file is", "ms", "CPU ms", "RSS MB", "peak MB", "sites in memory")
        for name in ("on disk", "in the system's cache", "in the system's cache"):
            if name == "on disk":
                forget(Path(options["folder"]) / "frontier.db")
            with Worker("ours", **options) as worker:
                opened = worker("open")
                peak = worker("close")["peak"]
            row(name, 1e3 * opened["wall"], 1e3 * opened["cpu"], mb(opened["rss"]), mb(peak), opened["front"])

    def memory(self) -> None:
        """Python objects by tracemalloc, which is kept out of all timed runs, and the whole process beside it."""
        sites = self.scale.memory
        print(f"{sites:,} sites; traced: Python objects; RSS: with SQLite's cache; warm: after two visits to each site")
        row = row_of(
            "URLs a site, classes", "in memory", "traced MB", "RSS MB", "warm in mem.", "warm MB", "warm RSS MB"
        )
        asleep: dict[tuple[int, int], float] = {}
        warmed: dict[tuple[int, int], float] = {}

        def show(name: str, opened: dict[str, Any], warm: dict[str, Any]) -> None:
            facts = [(answer["front"], mb(answer["traced"]), mb(answer["rss"])) for answer in (opened, warm)]
            row(name, *facts[0], *facts[1])

        for form in ((1, 1), (20, 1), (60, 1), (20, 3)):
            opened, warm = self._warmed(self.store(sites, *form), visits=2 * sites if form[0] > 1 else 0)
            asleep[form], warmed[form] = opened["traced"], warm["traced"]
            show(f"{form[0]}, {form[1]}", opened, warm)
        held = []
        for front in (sites // 10, sites):
            opened, warm = self._warmed({**self.store(sites, 20, 3), "front": front}, visits=sites * 9 // 10)
            held.append(warm)
            show(f"20, 3; room for {front:,}", opened, warm)
        self._memory_figures(sites, asleep, warmed, held)

    def _memory_figures(
        self,
        sites: int,
        asleep: dict[tuple[int, int], float],
        warmed: dict[tuple[int, int], float],
        held: list[dict[str, Any]],
    ) -> None:
        few, many = held
        print(
            f"Python objects in all, over all {sites:,} sites where something waits: {warmed[20, 3] / sites:.0f} bytes"
        )
        if many["front"] > 2 * few["front"]:
            each = (many["traced"] - few["traced"]) / (many["front"] - few["front"])
        else:
            # It holds all sites, whatever it is told.
            each = many["traced"] / many["front"]
        self.figures.append(figure("memory per active site held in memory", round(each), "bytes", SITE_BYTES, "less"))
        slopes = (
            (asleep[60, 1] - asleep[1, 1]) / (59 * sites),
            (warmed[60, 1] - warmed[20, 1]) / (40 * sites),
        )
        # A URL in memory would cost some 300 bytes; a few are what differs in the bounded parts.
        value = round(max(*slopes, 0.0), 2)
        self.figures.append(figure("memory per waiting URL beyond the window", value, "bytes", URL_BYTES, "less"))

    def _warmed(self, options: dict[str, Any], visits: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a fresh process has in memory, before and after visits: traced in one process, RSS of another."""
        answers = []
        for trace in (True, False):
            with Worker("ours", **options) as worker:
                opened = worker("open", trace=trace)
                if visits:
                    worker("visits", count=visits)
                answers.append((opened, worker("memory")))
        (opened, warm), (opened_plain, warm_plain) = answers
        return opened | {"rss": opened_plain["rss"]}, warm | {"rss": warm_plain["rss"]}

    def seen(self) -> None:
        """What the exact answer costs at each size, and what the filter costs."""
        exact = []
        for sites, urls in self.scale.stores:
            options = self.store(sites, urls)
            with Worker("ours", **options) as worker:
                worker("open")
                exact.append(worker("seen", pages=100))
                exact[-1]["name"] = "exact"
        sites, urls = self.scale.stores[-1]
        with Worker("ours", **self.store(sites, urls)) as worker:
            worker("open")
            forget(Path(options["folder"]) / "frontier.db")
            cold = worker("seen", pages=4)
            cold["name"] = "exact, file on disk"
        filters = []
        for size in self.scale.filters:
            with Worker("bloom", capacity=size) as worker:
                filters.append(worker("measure", count=20_000))
        print("microseconds a URL, asked 100 at a time: CPU; wall clock where the file is on disk")
        row = row_of("seen check", "URLs", "a new one", "a known one", "to add", "RAM B/URL", "false")
        for line, clock in (*((line, "cpu") for line in exact), (cold, "wall")):
            row(line["name"], line["seen"], line["absent"][clock], line["known"][clock], "", 0, 0)
        for line in filters:
            costs = [line[key]["cpu"] for key in ("absent", "known", "add")]
            row("pybloom-live", line["seen"], *costs, line["bytes"], f"{100 * line['false']:.2f} %")


def cut(scale: Scale, urls: int | None, added: int | None) -> Scale:
    """The scale with fewer URLs."""
    if urls is not None:
        scale = replace(scale, stores=(*scale.stores[:-1], (scale.stores[-1][0], urls)))
    if added is not None:
        scale = replace(scale, added=(*(mark for mark in scale.added if mark < added), added))
    return scale


def per(answer: dict[str, Any], count: str, clock: str = "wall") -> float:
    """Microseconds each."""
    return float(1e6 * answer[clock] / max(answer[count], 1))


def mb(size: float) -> float:
    """Bytes as megabytes."""
    return size / 1e6


def ratios(rows: dict[str, list[dict[str, Any]]], above: str, below: str, kind: str) -> list[float]:
    """One queue's cost over another's: of the means and as the rounds' median, by wall clock and by CPU."""
    found = []
    for key in (kind, f"{kind} cpu"):
        pairs = [(a[key], b[key]) for a, b in zip(rows[above], rows[below], strict=True)]
        found += [sum(a for a, _ in pairs) / sum(b for _, b in pairs), statistics.median(a / b for a, b in pairs)]
    return found


def described(found: list[float]) -> str:
    """What `ratios` answers, in words."""
    mean, median, mean_cpu, median_cpu = found
    return f"{mean:.2f} (median round {median:.2f}; CPU {mean_cpu:.2f}, {median_cpu:.2f})"


def warm(path: Path) -> None:
    """Have the system read the file into its cache."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def row_of(*titles: str) -> Any:
    """Print a table's head; answers what prints a row."""
    widths = [max(len(titles[0]), 26), *(max(len(title), 11) for title in titles[1:])]

    def row(*cells: object) -> None:
        first, *others = (
            cell if isinstance(cell, str) else f"{cell:,.1f}" if isinstance(cell, float) else f"{cell:,}"
            for cell in cells
        )
        print(
            f"{first:<{widths[0]}}",
            *(f"{cell:>{width}}" for cell, width in zip(others, widths[1:], strict=True)),
            flush=True,
        )

    row(*titles)
    return row


def main() -> None:
    """Print tables, and the figures as the last line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a minute")
    parser.add_argument("--only", default=",".join(STEPS), help=f"steps: {','.join(STEPS)}")
    parser.add_argument("--urls", type=int, help="URLs a site of the largest store, instead of 20")
    parser.add_argument("--added", type=int, help="URLs that pages add, instead of 10,000,000")
    parser.add_argument("--folder", type=Path, help="keep the filled stores here, and use them again")
    options = parser.parse_args()
    steps = options.only.split(",")
    if unknown := set(steps) - set(STEPS):
        parser.error(f"no such step: {', '.join(unknown)}")
    with tempfile.TemporaryDirectory() as temporary:
        scale = cut(QUICK if options.quick else FULL, options.urls, options.added)
        bench = Bench(scale, options.folder or Path(temporary))
        for step in STEPS:
            if step in steps:
                print(f"\n== {step}", flush=True)
                getattr(bench, step)()
    finish("frontier", bench.figures)


if __name__ == "__main__":
    main()
