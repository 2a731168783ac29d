"""Real fleets on a real Redis, on the demo web, judged by what the *server* saw: killed, stopped, and gone on."""

import json
import os
import re
import signal
import time
from contextlib import closing
from pathlib import Path

import crawling
import pytest
import redis
from crawling import Crawl
from demo_web import DemoWeb
from harness import slow

from mediacrawl.log import archive
from mediacrawl.scope import canonical, site_of
from mediacrawl.store import Catalogue
from mediacrawl.watch.status import CrawlStatus
from mediacrawl.watch.worker_stats import LOST

SHORT = ["-s", "DOWNLOAD_TIMEOUT=2", "-s", "RESOLVER_TIMEOUT=1", "-s", "FRONTIER_LEASE=8", "-s", "LOGSTATS_INTERVAL=1"]
"""Leases of a worker that was killed come back in seconds."""


def paced(seconds):
    """Settings for a crawl that continues long enough for a second worker, which is seconds late on a busy machine."""
    return ["-s", f"POLITENESS_MIN_DELAY={seconds}", "-s", f"POLITENESS_FIRST_DELAY={seconds}"]


class FleetCrawl(Crawl):
    """A crawl of two workers, on a Redis that is named, or on the fleet's own."""

    def __init__(self, web, folder, url=None):
        super().__init__(web, folder)
        self.redis = ["-s", f"SCHEDULER_STORE={url}"] if url else []

    def _launch(self, arguments, environment, printed, log):
        self.reported.unlink(missing_ok=True)
        command = ["fleet", "-n", "2", *arguments[2:], *SHORT, *self.redis]
        return super()._launch(command, environment, printed, log)

    def pids(self):
        """The process of each worker that was started last, by its number."""
        return dict(re.findall(r"worker (\d) is started[^\n]*: process (\d+)", self.text()))

    def until_both_ask(self):
        """Wait until both workers have asked for something."""
        self.until(lambda _: self.reported.exists() and all(each["requests"] for each in self.report()["workers"]))

    @property
    def reported(self):
        return self.folder / "state" / "fleet.json"

    def worker_logs(self):
        """All that each worker has printed."""
        return [path.read_text(encoding="utf-8") for path in sorted(self.folder.glob("state/worker-*/crawl.log"))]

    def report(self):
        return json.loads(self.reported.read_text(encoding="utf-8"))

    def urls(self):
        """The records in the one catalogue by canonical URL; a record has the spelling that was found first."""
        with Catalogue(self.folder / "state" / "media.db", read_only=True) as catalogue:
            return {canonical(record["content_url"]) for record in catalogue.newest()}

    def requested(self, sites):
        """The lines of the request log on some sites: one that times out five times rests, and its URLs wait on."""
        return [line for line in archive.read(self.folder / "state" / "log") if line["site"] in sites]

    def early(self):
        """Requests that came to a site sooner than its delay, whoever made them."""
        return [gap for gap in self.gaps() if gap[0] < crawling.MIN_DELAY - crawling.CLOCK]


@pytest.fixture
def crawl(tmp_path, redis_server):
    url = f"{redis_server}/9"
    with closing(redis.Redis.from_url(url)) as client:
        client.flushdb()
    with DemoWeb() as web, FleetCrawl(web, tmp_path, url) as crawl:
        yield crawl


@pytest.fixture
def alone(tmp_path):
    """Nobody named a Redis."""
    with DemoWeb() as web, FleetCrawl(web, tmp_path) as crawl:
        yield crawl


def gone(pid, seconds=60):
    """Wait for the end of a process that is not our child."""
    end = time.monotonic() + seconds
    while is_alive(pid):
        assert time.monotonic() < end, f"process {pid} goes on"
        time.sleep(0.05)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.slow
def test_a_worker_that_is_killed_is_started_again_and_all_is_found(crawl):
    crawl.start(*paced(1))
    crawl.until_both_ask()
    os.kill(int(crawl.pids()["2"]), signal.SIGKILL)
    assert crawl.wait() == 0, crawl.text()[-3000:]
    assert "worker 2 was ended by SIGKILL; it is started again in 1 s" in crawl.text()
    assert crawl.urls() >= set(crawl.web.titles)
    assert crawl.early() == []
    assert crawl.web.violations() == []
    report = crawl.report()
    assert [worker["starts"] for worker in report["workers"]] == [1, 2]
    assert [worker["state"] for worker in report["workers"]] == ["finished", "finished"]
    assert report["stats"]["seeds/joined"] == len(crawl.web.seeds)
    assert "[fleet]   records in  " in crawl.text()
    # One log of all requests; the answer to a complaint is in one place.
    logged = archive.read(crawl.folder / "state" / "log")
    assert len([line for line in logged if line["status"]]) >= report["stats"]["response_received_count"]
    assert not list(crawl.folder.glob("state/worker-*/log/requests-*"))


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0.0, 0.3])
def test_what_a_killed_worker_requested_and_found_is_in_every_total(crawl, moment):
    # Left by a crawl that is deleted.
    stale = crawl.folder / "state" / "worker-2"
    stale.mkdir(parents=True)
    CrawlStatus(written=1.0, first_began=1.0, reason="shutdown", requests=9_999, records=999).save(stale)
    crawl.start("-a", "fresh=1", *paced(1))
    crawl.until_both_ask()
    time.sleep(moment)
    os.kill(int(crawl.pids()["2"]), signal.SIGKILL)
    assert crawl.wait() == 0, crawl.text()[-3000:]
    logged = [line for line in archive.read(crawl.folder / "state" / "log") if line["duration"] is not None]
    state = str(crawl.folder / "state")
    with Catalogue(crawl.folder / "state" / "media.db", read_only=True) as catalogue:
        stored = catalogue.summary()
    report = json.loads(crawl.command("report", state, "--json").stdout)
    numbers = stored.records, stored.media_sites, len(logged), len({line["site"] for line in logged})
    assert (report["records"], report["media_sites"], report["requests"], report["sites_asked"]) == numbers
    said = re.search(
        r"Summary of .*\n.*?(\d+) media files on (\d+) sites(?s:.*?) requests +(\d+) to (\d+) sites", crawl.text()
    )
    assert said is not None, crawl.text()[-3000:]
    assert tuple(map(int, said.groups())) == numbers


@pytest.mark.slow
def test_a_fleet_that_was_stopped_or_killed_goes_on_within_its_borders(crawl):
    slow = paced(2)
    crawl.start("-a", "scope=site", *slow)
    crawl.until_both_ask()
    assert crawl.interrupt() == 0
    assert [log.count("Closing spider (shutdown)") for log in crawl.worker_logs()] == [1, 1]
    assert "Closing spider" not in crawl.text()
    assert "Traceback" not in crawl.text()
    assert crawl.report()["reason"] == "stopped"

    crawl.start(*slow, seed="")
    crawl.until_both_ask()
    workers = crawl.pids().values()
    crawl.kill()
    for pid in workers:
        gone(pid)
    assert crawl.report()["reason"] == ""

    crawl.start(seed="")
    assert crawl.wait() == 0, crawl.text()[-3000:]
    seeds = {site_of(url) for url in crawl.web.seeds}
    assert {site_of(entry.url) for entry in crawl.web.settled_log()} == seeds
    # Episode 3 is only reached by way of another site.
    assert crawl.urls() >= {url for url in crawl.web.titles if site_of(url) in seeds and "folge-3" not in url}
    assert crawl.early() == []


@pytest.mark.parametrize("killed", [*slow(False), True], ids=["at_work", "one_was_killed"])
def test_a_frontier_that_was_emptied_ends_the_fleet_and_no_worker_begins_anew(crawl, killed):
    crawl.start(*paced(1))
    crawl.until_both_ask()
    pids = crawl.pids()
    if killed:
        os.kill(int(pids["2"]), signal.SIGKILL)
    with closing(redis.Redis.from_url(crawl.redis[1].partition("=")[2])) as client:
        client.flushdb()
        assert crawl.wait() == LOST, crawl.text()[-3000:]
        # A worker that is about to start looks whether Redis answers, which leaves a trace, and begins no crawl.
        assert set(client.keys("*")) <= {b"media:frontier:total"}
        assert client.hget("media:frontier:total", "crawl") is None
    assert "has lost the frontier: no worker is started again" in crawl.text()
    assert "was emptied while this crawl worked on it" in crawl.text()
    assert "Traceback" not in crawl.text()
    assert crawl.report()["reason"] == "failed"
    assert any("Spider closed (frontier_lost)" in log for log in crawl.worker_logs())
    assert "for the next run" not in crawl.text()


@pytest.mark.slow
def test_without_any_redis_a_fleet_has_its_own_and_goes_on_with_it_when_all_of_it_was_killed(alone):
    look = ("frontier", "stats", "-s", "PRIORITY=rules")
    alone.start(*paced(1))
    alone.until_both_ask()
    state = alone.folder / "state"
    told = rf"the fleet has started its own: Valkey 9\S+ at 127\.0\.0\.1:\d+, with its data in {state}/redis\n"
    assert len(re.findall(told, alone.text())) == 1, alone.text()[:2000]
    password = (state / "redis" / "url").read_text().partition("redis://:")[2].partition("@")[0]
    seen = alone.command(*look)
    assert re.search(r"accepted: \d+ wait", seen.stdout), seen.stderr
    with redis.Redis.from_url((state / "redis" / "url").read_text().strip()) as client:
        server = client.info("server")["process_id"]
    # All at once: the fleet, its workers, the server and what looks after that.
    supervisor = Path(f"/proc/{server}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1]
    pids = [*map(int, alone.pids().values()), int(supervisor), server]
    alone.kill()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    for pid in pids:
        gone(pid)
    finished = alone.urls()

    seen = alone.command(*look)
    assert (seen.returncode, seen.stderr) == (0, "")
    assert re.search(r"accepted: [1-9]\d* wait", seen.stdout)

    alone.start(seed="")
    assert alone.wait() == 0, alone.text()[-3000:]
    records = alone.urls()
    assert finished - records == set(), "stored before the kill, and gone"
    missed = set(alone.web.titles) - records
    assert missed == set(), f"never stored; {alone.requested(set(map(site_of, missed)))} {alone.text()[-1500:]}"
    assert alone.early() == []
    assert alone.web.violations() == []
    # It ended in order, and left its password nowhere.
    assert not (state / "redis" / "url").exists()
    for path in alone.folder.rglob("*"):
        if path.is_file() and path.name != "redis.conf":
            assert password.encode() not in path.read_bytes(), path
