"""Corners of the Redis store in which a crash test found bugs once: Redis is started over, and may have forgotten."""

import random
import signal
import time

import pytest
import redis
from redis_server import AGES

from mediacrawl.base.terms import Candidate, End, Outcome
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings
from mediacrawl.frontier.redis.worker import RedisWorker
from mediacrawl.politeness.delay import DelayPolicy

DELAY, VISIT = 0.1, 3.0
"""Seconds of the delay that each site is owed, and of the longest visit."""
POLICY = FrontierPolicy(delay=DelayPolicy(factor=0, minimum=DELAY, maximum=DELAY, first=DELAY), explore=0.0)
DONE = Outcome(End.DONE, response_time=0.1)
PREFIX = "t:frontier"


@pytest.fixture(params=AGES)
def redis_age(request):
    """Each end of the range of versions."""
    return request.param


@pytest.fixture
def store(server):
    """Opens the store, as each of several workers does."""
    opened = []

    def store():
        client = redis.Redis.from_url(server.url)
        opened.append(RedisFrontier(client, PREFIX, POLICY, time.time(), random.Random(1), settings=StoreSettings()))
        return opened[-1]

    yield store
    for one in opened:
        one.close()


@pytest.fixture
def worker(store):
    """The store, as a crawl has it."""
    worker = RedisWorker(store(), time.time, visit=VISIT)
    yield worker
    worker.close()


def page(site, n=0):
    return Candidate(f"http://{site}/{n}", site, "p", score=0.3)


def restart(server, forgotten_since=None):
    """Kill Redis and start it again, without what was written since its file had so many bytes."""
    server.kill()
    if forgotten_since is not None:
        server.forget(forgotten_since)
    server.start()
    with redis.Redis.from_url(server.url) as client:
        wait_until(lambda: answers(client))


def answers(client):
    try:
        return client.ping()
    except redis.BusyLoadingError:
        return False


def wait_until(seen):
    end = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < end
        time.sleep(0.02)


def total(server, name):
    with redis.Redis.from_url(server.url) as client:
        return client.hget(f"{PREFIX}:total", name)


def taken(worker):
    """Leases that the worker hands out: it asks for them in advance."""
    found = []

    def took():
        found.extend(worker.take(time.time(), 10))
        return found

    wait_until(took)
    return found


def test_workers_that_did_not_notice_a_restart_of_redis_hold_up_nobody(server, store):
    a, b = store(), store()
    a.add([page("a.org")])
    restart(server)
    late = store()
    quiet = total(server, "quiet")
    for one in (a, late, b, late):
        one.session.renew(time.time())
    assert quiet is not None
    assert total(server, "quiet") == quiet
    wait_until(lambda: late.take(time.time(), 1))


def test_nobody_leases_before_it_is_noted_that_redis_was_started_anew(server, store):
    a, b = store(), store()
    a.add([page("a.org"), page("b.org")])
    restart(server)
    taken, notice = [], a.session.scripts.missed

    def late():
        # The scripts are there again, by this worker, and it has not said yet that it is another start.
        taken.extend(b.take(time.time(), 1))
        notice()

    a.session.scripts.missed = late
    taken += a.take(time.time(), 1)
    assert taken == []


def test_a_restart_that_no_worker_joined_after_is_noticed_as_well(server, store):
    a = store()
    a.add([page("a.org")])
    restart(server)
    a.session.renew(time.time())
    assert float(total(server, "quiet")) > time.time()
    assert a.take(time.time(), 1) == []


def test_a_lease_that_redis_forgot_has_a_number_that_never_comes_again(server, store):
    a = store()
    a.add([page("a.org"), page("b.org")])
    size = server.written
    (before,) = a.take(time.time(), 1)
    late = store()
    restart(server, size)
    again = store()
    wait_until(
        lambda: (
            (again.session.due >= 0 and again.session.due <= time.time()) or again.session.renew(time.time()) is None
        )
    )
    after = again.take(time.time(), 2)
    assert {lease.site for lease in after} == {"a.org", "b.org"}
    assert before.id not in {lease.id for lease in after}
    assert again.session.worker not in {a.session.worker, late.session.worker}
    a.finish(before, DONE, time.time())
    assert (again.counts().leased, again.counts().ends) == (2, {})


def test_a_worker_asks_nothing_any_more_that_redis_may_have_given_to_others(server, worker):
    worker.add([page("a.org"), page("b.org")])
    worker.settle()
    size = server.written
    held, *_ = taken(worker)
    assert worker.holds(held)
    restart(server, size)
    wait_until(lambda: not worker.holds(held))
    worker.finish(held, Outcome(End.RETURNED, asked=False), time.time())
    again = taken(worker)
    assert held.id not in {lease.id for lease in again}


def test_a_link_that_redis_forgot_joins_when_it_is_found_again(server, worker):
    worker.add([page("a.org")])
    worker.settle()
    size = server.written
    worker.add([page("b.org")])
    worker.settle()
    restart(server, size)
    wait_until(lambda: worker.settle() and worker.counts().seen == 1)
    # The numbers are there a moment before the worker doubts what it knows.
    wait_until(lambda: page("b.org").url not in worker.recent)
    worker.add([page("b.org")])
    worker.settle()
    assert worker.counts().seen == 2


def test_a_site_that_is_asked_while_redis_forgets_waits_for_the_answer(server, store, worker):
    worker.add([page("a.org"), page("a.org", 1)])
    worker.settle()
    size = server.written
    (asked,) = taken(worker)
    then = time.time()
    restart(server, size)
    wait_until(lambda: not worker.holds(asked))
    # It says so a moment before Redis knows; until it knows, nothing is given out there.
    looker = store()
    wait_until(lambda: looker.site("a.org").release >= then + VISIT)
    worker.finish(asked, DONE, time.time())


def test_leases_are_not_asked_when_redis_was_not_heard_for_so_long_that_others_may_have_them(server, store):
    worker = RedisWorker(store(), time.time, lease=VISIT + 1, visit=VISIT)
    worker.add([page("a.org")])
    worker.settle()
    (held,) = taken(worker)
    # Not yet, if this process stood still for a second.
    wait_until(lambda: worker.holds(held))
    server.signal(signal.SIGSTOP)
    wait_until(lambda: not worker.holds(held))
    assert worker.take(time.time(), 1) == []
    server.signal(signal.SIGCONT)
    wait_until(lambda: worker.holds(held))
    worker.close()


def test_a_pause_of_redis_changes_nothing(server, worker):
    worker.add([page("a.org")])
    worker.settle()
    (lease,) = taken(worker)
    server.signal(signal.SIGSTOP)
    time.sleep(0.2)
    server.signal(signal.SIGCONT)
    worker.settle()
    assert worker.holds(lease)
    assert total(server, "quiet") is None
    worker.finish(lease, DONE, time.time())
    worker.settle()
    assert worker.counts().ends == {"done": 1}
