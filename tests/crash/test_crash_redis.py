"""Workers whose Redis forgets the last second, or stands still for a while."""

import signal
import time
from collections import Counter

import crash_plan
import pytest
from crash_web import CrashWeb
from crawling import CLOCK
from fleet_evidence import BESIDE, numbers_in, too_soon
from fleet_ordeal import WORKERS, FleetOrdeal
from fleet_worker import LEASE, Worker
from redis_server import RedisServer

from mediacrawl import settings
from mediacrawl.scope import canonical

pytestmark = pytest.mark.slow

AWAY = 12.0
"""Seconds for which Redis stands still: longer than a connection waits for an answer."""
STANDSTILL = 5.0
"""Seconds. Where a crawl waits for Redis itself it waits for as long as a connection does, 10 s; half of that is more
than a machine takes from it."""


# -- Redis forgets the last second -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def forgetful(tmp_path_factory):
    """A fleet whose Redis forgets a second whenever it is killed, as one whose machine loses its power."""
    folder = tmp_path_factory.mktemp("forgetful")
    server = RedisServer(folder / "redis", "--appendonly", "yes", "--appendfsync", "everysec").start()
    with CrashWeb(6, patient=False) as web:
        fleet = FleetOrdeal(web, folder, server, crash_plan.dice("forgetful"))
        try:
            fleet.codes = fleet.forget(2)
            fleet.note_end()
            yield fleet
        finally:
            fleet.stop()
            server.stop()


def test_workers_whose_redis_forgot_the_last_second_end_by_themselves(forgetful):
    assert forgetful.codes == [0] * WORKERS, [worker.text()[-2000:] for worker in forgetful.workers]
    assert [log for worker in forgetful.workers for log in worker.logs() if "Traceback" in log] == []
    assert sum(forgetful.forgot) > 0


def test_no_site_is_asked_sooner_than_its_delay_when_redis_forgot_the_last_second(forgetful):
    early = too_soon(forgetful.gaps(), CLOCK)
    assert early == [], forgetful.story(early[0][2].url)


def test_what_redis_forgot_is_found_and_asked_again(forgetful):
    asked = {canonical(entry.url) for entry in forgetful.web.settled_log()}
    assert {canonical(url) for url in forgetful.web.kinds} - asked == set()


# -- Redis is away -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def waiter(tmp_path_factory):
    """A worker whose Redis stood still for a while."""
    folder = tmp_path_factory.mktemp("waiter")
    server = RedisServer(folder / "redis", durable=True).start()
    watched = {
        "EXTENSIONS": {**settings.EXTENSIONS, "loop_watch.LoopWatch": 1},
        "LOOP_WATCH": str(folder / "loop"),
    }
    with CrashWeb(5, patient=False) as web:
        waiter = Worker(web, folder / "w0", 0, server.url, **watched)
        waiter.begin(seeds=True)
        try:
            waiter.until(lambda log: len(log) > 30)
            server.signal(signal.SIGSTOP)
            waiter.stopped = time.monotonic()
            time.sleep(AWAY)
            waiter.until(lambda _: " is away (" in waiter.text())
            waiter.alive = waiter.process.poll() is None
            waiter.woken = time.monotonic()
            server.signal(signal.SIGCONT)
            waiter.code = waiter.wait()
            waiter.stood = [tuple(map(float, line.split())) for line in (folder / "loop").read_text().splitlines()]
            waiter.ends = numbers_in(server).ends
            yield waiter
        finally:
            if waiter.process.poll() is None:
                waiter.kill()
            server.stop()


def test_a_worker_whose_redis_is_away_lives_on_and_finishes_when_it_is_back(waiter):
    assert waiter.alive
    assert waiter.code == 0, waiter.text()[-3000:]
    assert waiter.ends == Counter(waiter.web.ends.values()) + BESIDE


def test_it_says_so_once_and_once_that_redis_is_back(waiter):
    text = waiter.text()
    assert (text.count(" is away ("), text.count(" is back after ")) == (1, 1), text[-3000:]
    assert "Traceback" not in text


def test_its_crawl_never_waited_for_redis_longer_than_a_moment(waiter):
    stood = [seconds for end, seconds in waiter.stood if waiter.stopped < end < waiter.woken + 1]
    assert max(stood, default=0) < STANDSTILL


def test_it_asks_nothing_once_others_might_have_its_leases(waiter):
    asked = [entry.received_monotonic for entry in waiter.web.settled_log()]
    assert [moment for moment in asked if waiter.stopped + LEASE < moment < waiter.woken] == []
    assert max(asked) > waiter.woken
