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

from mediacrawl.demo import DemoWeb
from mediacrawl.observe import archive
from mediacrawl.scope import site_of
from mediacrawl.store import Catalogue

SHORT = ["-s", "DOWNLOAD_TIMEOUT=2", "-s", "RESOLVER_TIMEOUT=1", "-s", "FRONTIER_LEASE=8", "-s", "LOGSTATS_INTERVAL=1"]
"""Leases of a worker that was killed come back in seconds."""


def paced(seconds):
    """Settings for a crawl that goes on long enough for a second worker, which is seconds late on a busy machine."""
    return ["-s", f"POLITENESS_MIN_DELAY={seconds}", "-s", f"POLITENESS_FIRST_DELAY={seconds}"]


class FleetCrawl(Crawl):
    """A crawl of two workers."""

    def __init__(self, web, folder, url):
        super().__init__(web, folder)
        self.redis = ["-s", f"SCHEDULER_STORE={url}"]

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

    def report(self):
        return json.loads(self.reported.read_text(encoding="utf-8"))

    def urls(self):
        """The records in the one catalogue."""
        with Catalogue(self.folder / "state" / "media.db", read_only=True) as catalogue:
            return {record["content_url"] for record in catalogue.newest()}

    def early(self):
        """Requests that came to a site sooner than its delay, whoever made them."""
        return [gap for gap in self.gaps() if gap[0] < crawling.MIN_DELAY - crawling.CLOCK]


@pytest.fixture
def crawl(tmp_path, redis_server):
    url = f"{redis_server}/9"
    with closing(redis.Redis.from_url(url)) as client:
        client.flushdb()
    with DemoWeb() as web:
        crawl = FleetCrawl(web, tmp_path, url)
        yield crawl
        if crawl.process is not None and crawl.process.poll() is None:
            crawl.kill()


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


def test_a_fleet_that_was_stopped_or_killed_goes_on_within_its_borders(crawl):
    slow = paced(2)
    crawl.start("-a", "scope=site", *slow)
    crawl.until_both_ask()
    assert crawl.interrupt() == 0
    assert crawl.text().count("Closing spider (shutdown)") == 2
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
