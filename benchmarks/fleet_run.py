"""Runs a fleet: N workers, Redis and a web server, and what each of them took while all of them worked."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

from fleet_redis import Counted, RedisServer
from shared import begin_crawl, failed

HOSTS = 500
TICK = os.sysconf("SC_CLK_TCK")

Worker = subprocess.Popen[bytes]
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Load:
    """What a fleet is to do.

    Attributes:
        crawler: ``mediacrawl`` or ``scrapy-redis``.
        workers: how many.
        pages: that all together read.
        concurrent: requests of one worker at once.
    """

    crawler: str
    workers: int
    pages: int
    concurrent: int = 100


@dataclass(frozen=True)
class Run:
    """What a fleet took.

    Attributes:
        pages: that all together read.
        cpu: seconds of CPU of the workers, user and system, from the start of their processes to the end.
        rate: pages a second, from when all workers read pages until the first of them has its share.
        answers: answers a second of any kind in that time.
        steady: pages for each CPU second of the workers, in that time.
        busy: CPU seconds for each second of that time, of ``workers``, ``redis`` and ``web``.
        trips: messages to Redis for which a worker waited for an answer.
        redis: what Redis counted.
    """

    pages: int
    cpu: float
    rate: float
    answers: float
    steady: float
    busy: dict[str, float]
    trips: int
    redis: Counted


class Curve:
    """What was counted over time, with straight lines between.

    Args:
        points: time and number; both only grow.
    """

    def __init__(self, points: Points) -> None:
        self._times = [time for time, _ in points]
        self._values = [value for _, value in points]

    def at(self, time: float) -> float:
        """The number at a time."""
        place = min(max(bisect_left(self._times, time), 1), len(self._times) - 1)
        (a, b), (x, y) = self._times[place - 1 : place + 1], self._values[place - 1 : place + 1]
        return x + (y - x) * min(max((time - a) / max(b - a, 1e-9), 0.0), 1.0)

    def grown(self, start: float, end: float) -> float:
        """How much the number grew."""
        return self.at(end) - self.at(start)


def run(load: Load, server: subprocess.Popen[str], port: int) -> Run:
    """Run a fleet on a Redis of its own.

    Args:
        load: what it is to do.
        server: the web's process.
        port: the web's.
    """
    with tempfile.TemporaryDirectory() as name, RedisServer(Path(name, "redis")) as redis:
        before = redis.counted()
        folders = [Path(name, f"worker{number}") for number in range(load.workers)]
        url = f"http://site{{}}.test:{port}/page/{{}}.html"
        orders = {"crawler": load.crawler, "pages": load.pages // load.workers, "concurrent": load.concurrent}
        workers = {
            begin_crawl(folder, HOSTS, url, seeds=folder is folders[0], redis=redis.url, **orders): folder
            for folder in folders
        }
        try:
            cpu, points = _watch(workers, {"redis": redis.process.pid, "web": server.pid})
        finally:
            for worker in workers:
                if worker.returncode is None:
                    worker.kill()
                    worker.wait()
        counted = redis.counted() - before
        rows = [json.loads((folder / "rows.json").read_text()) for folder in folders]
        return _judge(rows, cpu, points, counted)


def _watch(workers: dict[Worker, Path], others: dict[str, int]) -> tuple[float, dict[str, Points]]:
    """Wait for the workers; answers their CPU seconds, and those of other processes over time."""
    points: dict[str, Points] = {key: [] for key in others}
    cpu = 0.0
    while any(worker.returncode is None for worker in workers):
        for key, pid in others.items():
            points[key].append((time.time(), _cpu(pid)))
        for worker, folder in workers.items():
            cpu += _ended(worker, folder) if worker.returncode is None else 0.0
        time.sleep(0.1)
    return cpu, points


def _ended(worker: Worker, folder: Path) -> float:
    """CPU seconds of a worker that has ended; 0 if it has not."""
    pid, status, usage = os.wait4(worker.pid, os.WNOHANG)
    if not pid:
        return 0.0
    worker.returncode = os.waitstatus_to_exitcode(status)
    if worker.returncode or not (folder / "rows.json").exists():
        raise failed(folder)
    return usage.ru_utime + usage.ru_stime


def _cpu(pid: int) -> float:
    """CPU seconds that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def _judge(workers: list[list[list[float]]], cpu: float, points: dict[str, Points], counted: Counted) -> Run:
    began = max(next(row[0] for row in rows if row[2]) for rows in workers)
    ended = min(rows[-1][0] for rows in workers)
    if ended <= began:
        raise SystemExit("the first worker had its share before the last one began: give them more pages")

    def grown(column: int) -> float:
        return sum(Curve([(row[0], row[column]) for row in rows]).grown(began, ended) for rows in workers)

    pages, work = grown(2), grown(1)
    wall = ended - began
    busy = {key: Curve(found).grown(began, ended) / wall for key, found in points.items()}
    return Run(
        pages=int(sum(rows[-1][2] for rows in workers)),
        cpu=cpu,
        rate=pages / wall,
        answers=grown(4) / wall,
        steady=pages / work,
        busy={"workers": work / wall, **busy},
        trips=int(sum(rows[-1][3] for rows in workers)),
        redis=counted,
    )
