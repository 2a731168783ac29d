"""A worker on Redis: its thread, what it does when answers are lost, and what others do while it sleeps."""

import random
import shutil
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace

import pytest
import redis

from mediacrawl.base.terms import Candidate, Drop, End, Outcome, Trouble
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.contract import FrontierAwayError, FrontierLostError, Remote
from mediacrawl.frontier.redis import outbox, worker_thread
from mediacrawl.frontier.redis import worker as redis_worker
from mediacrawl.frontier.redis.leases import NoteCache
from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings
from mediacrawl.frontier.redis.worker import RedisWorker
from mediacrawl.politeness.delay import DelayPolicy

DELAY, HOUR = 0.05, 3_600.0
"""Seconds of the delay that each site is owed."""
POLICY = FrontierPolicy(delay=DelayPolicy(factor=0, minimum=DELAY, maximum=DELAY, first=DELAY), explore=0.0)
DONE = Outcome(End.DONE, response_time=0.1)
TIMED_OUT = Outcome(End.AGAIN, trouble=Trouble.TIMEOUT)
RETURNED = Outcome(End.RETURNED, asked=False)


@pytest.fixture
def open_store(redis_server):
    with redis.Redis.from_url(redis_server) as client:
        client.flushall()

    def open_store(url=redis_server, policy=POLICY, lease=120.0, timeout=None):
        client = redis.Redis.from_url(url)
        settings = StoreSettings(lease=lease)
        store = RedisFrontier(client, "t", policy, time.time(), random.Random(1), settings=settings)
        if timeout is not None:
            # Not before: to open it fails at once where Redis is slow to answer.
            pool = client.connection_pool
            pool.connection_kwargs |= {"socket_timeout": timeout, "socket_connect_timeout": timeout}
            pool.disconnect()
            pool.reset()
        return store

    return open_store


@pytest.fixture
def open_worker(open_store):
    opened = []

    def open_worker(store=None, clock=time.time, **numbers):
        opened.append(RedisWorker(store or open_store(), clock, **{"visit": 1.0, **numbers}))
        return opened[-1]

    yield open_worker
    for worker in opened:
        worker.close()


@pytest.fixture
def worker(open_worker):
    return open_worker()


def page(site, n=0, link_class="p", **fields):
    return Candidate(f"http://{site}/{n}", site, link_class, **{"score": 0.3, **fields})


def wait_until(seen):
    end = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.01)


def taken(worker, number=1, now=time.time):
    """So many leases: the worker asks for them in advance."""
    found = []

    def took():
        found.extend(worker.take(now(), number - len(found)))
        return len(found) >= number

    wait_until(took)
    return found


def counts(worker):
    """The numbers of this moment, and not of its last sign of life."""
    assert worker.settle()
    return worker.counts()


def patiently(question):
    """What it answers, however often Redis is too slow for a worker with a short timeout."""
    found = []

    def answered():
        with suppress(FrontierAwayError):
            found.append(question())
        return found

    wait_until(answered)
    return found[0]


def test_it_is_what_a_crawl_takes_for_a_frontier_of_many_machines(worker):
    assert isinstance(worker, Remote)
    assert worker.shared


def test_all_is_in_redis_when_it_is_settled_and_the_tallies_say_what_joined(worker):
    worker.add([page("a.org", n) for n in range(10)])
    worker.add([page("a.org", n) for n in range(15)])
    assert worker.settle()
    told = worker.tallies()
    assert (told["frontier/new"], told["frontier/known"]) == (15, 0)
    assert worker.tallies().total() == 0
    assert worker.counts().waiting == 15


def test_new_scores_gather_until_the_next_commit_and_the_last_of_each_class_counts(worker):
    worker.add([page("a.org", n, f"c{n}") for n in range(3)])
    assert worker.settle()
    told = worker._outbox.posted
    for score in (0.5, 0.6, 0.7):
        worker.set_scores("a.org", {"c0": score})
        worker.set_scores("a.org", {"c1": score / 2})
    assert worker._outbox.posted == told
    worker.commit()
    assert worker._outbox.posted == told + 1
    assert {name: score for name, score, _ in worker.site("a.org").classes} == {"c0": 0.7, "c1": 0.35, "c2": 0.3}


def test_new_scores_do_not_gather_without_end(worker, monkeypatch):
    monkeypatch.setattr(redis_worker, "SCORED", 10)
    worker.add([page(f"{n}.org") for n in range(15)])
    assert worker.settle()
    for n in range(15):
        worker.set_scores(f"{n}.org", {"p": 0.9})
    assert len(worker._scored) == 5
    wait_until(lambda: worker.site("9.org").classes == (("p", 0.9, 1),))
    worker.settle()
    assert worker.site("14.org").classes == (("p", 0.9, 1),)


def test_a_url_that_joins_once_more_is_told_by_the_tallies(worker):
    worker.add([page("a.org")])
    (lease,) = taken(worker)
    worker.finish(lease, DONE, time.time())
    for _ in range(2):
        assert worker.rejoin(page("a.org", link_class="again"))
    assert worker.rejoin(page("never.org"))
    found = counts(worker)
    assert (found.seen, found.again, found.waiting) == (1, 1, 1)
    assert worker.tallies()["frontier/again"] == 1
    (lease,) = taken(worker)
    assert lease.link_class == "again"


def test_tallies_that_are_fetched_while_it_works_are_complete(worker):
    found = []
    with ThreadPoolExecutor(1) as pool:
        fetching = threading.Event()

        def fetch():
            while not fetching.is_set():
                found.append(dict(worker.tallies()))

        answer = pool.submit(fetch)
        for n in range(300):
            worker.add([page(f"{n}.org")])
        assert worker.settle()
        fetching.set()
        answer.result()
    found.append(worker.tallies())
    assert sum(one.get("frontier/new", 0) for one in found) == 300


def test_links_of_a_page_are_there_before_its_end_and_no_other_worker_thinks_the_crawl_over(open_worker):
    first, second = open_worker(), open_worker()
    first.add([page("0.org")])
    assert first.settle()
    for n in range(20):
        (lease,) = taken(first)
        first.add([page(f"{n + 1}.org")])
        first.finish(lease, DONE, time.time())
        found = counts(second)
        assert found.waiting + found.leased > 0
        assert second.pending() > 0


def test_workers_end_together_when_the_last_one_has_finished(open_worker):
    first, second = open_worker(), open_worker()
    first.add([page("a.org")])
    assert first.settle()
    (lease,) = taken(second)
    assert counts(first).leased == 1
    assert first.pending() == 1
    second.finish(lease, DONE, time.time())
    wait_until(lambda: second.settle() and first.settle() and first.pending() == second.pending() == 0)


@pytest.mark.parametrize("hours", [-5, 5, 24 * 365])
def test_a_worker_whose_clock_is_off_takes_and_waits_like_the_others(open_worker, open_store, hours):
    slow = replace(POLICY, delay=DelayPolicy(factor=0, minimum=HOUR, maximum=HOUR, first=HOUR))

    def clock():
        return time.time() + hours * HOUR

    worker = open_worker(open_store(policy=slow), clock)
    worker.add([page("a.org", n) for n in range(2)])
    (lease,) = taken(worker, now=clock)
    worker.finish(lease, DONE, clock())
    assert worker.settle()
    release = worker.site("a.org").release
    assert abs(release - time.time() - HOUR) < 60
    assert abs(worker.next_release() - clock() - HOUR) < 60
    assert abs(worker.server_time() - time.time()) < 60


def test_what_is_told_while_redis_is_paused_is_told_once(server, open_worker, open_store):
    worker = open_worker(open_store(server.url, timeout=0.1))
    worker.add([page("a.org"), page("b.org")])
    assert worker.settle()
    first, second = taken(worker, 2)
    server.signal(signal.SIGSTOP)
    worker.finish(first, DONE, time.time())
    worker.add([page("c.org", n) for n in range(5)])
    wait_until(lambda: worker._outbox.outage)
    worker.finish(second, DONE, time.time())
    assert worker.pending() > 0
    server.signal(signal.SIGCONT)
    wait_until(lambda: not worker._outbox.outage)
    found = patiently(lambda: counts(worker))
    assert found.ends == {"done": 2}
    assert (found.seen, found.waiting, found.leased) == (7, 5, 0)
    assert worker.tallies()["frontier/lost_leases"] == 0
    assert [patiently(lambda site=site: worker.site(site)).visits for site in ("a.org", "b.org")] == [1, 1]


def lose_an_answer(store, script):
    """The first answer to a script does not arrive; what was lost comes into the list that is answered."""
    run, lost = store.session.scripts.run, []

    def lossy(calls):
        answers = run(calls)
        if any(call.script == script for call in calls) and not lost:
            lost.append(answers)
            raise redis.ConnectionError("the answer is lost")
        return answers

    store.session.scripts.run = lossy
    return lost


def test_leases_whose_answer_was_lost_come_back_and_are_handed_out(open_worker, open_store):
    store = open_store()
    lost = lose_an_answer(store, "take")
    worker = open_worker(store)
    worker.add([page("a.org"), page("b.org")])
    assert {lease.site for lease in taken(worker, 2)} == {"a.org", "b.org"}
    assert lost
    assert counts(worker).leased == 2


def test_leases_whose_notes_could_not_be_read_come_back_and_are_handed_out(open_worker, open_store):
    store = open_store()
    run, lost = store.session.scripts.run, []

    def lossy(calls):
        if calls and all("HGET" in call.command for call in calls) and not lost:
            lost.append(calls)
            raise redis.ConnectionError("it broke between the leases and their notes")
        return run(calls)

    store.session.scripts.run = lossy
    worker = open_worker(store, notes=NoteCache(by_site=["copies"]))
    worker.add([page("a.org"), page("b.org")])
    assert {lease.site for lease in taken(worker, 2)} == {"a.org", "b.org"}
    assert lost
    assert counts(worker).leased == 2


def test_an_end_whose_answer_was_lost_counts_once(open_worker, open_store):
    store = open_store()
    lost = lose_an_answer(store, "finish")
    worker = open_worker(store)
    worker.add([page("a.org", n) for n in range(2)])
    assert worker.settle()
    (lease,) = taken(worker)
    worker.add([page("b.org")])
    worker.finish(lease, DONE, time.time())
    wait_until(lambda: lost and not worker._outbox.outage)
    found = counts(worker)
    assert (found.ends, found.seen, found.leased) == ({"done": 1}, 3, 0)
    assert worker.site("a.org").visits == 1
    assert worker.tallies()["frontier/lost_leases"] == 0


def test_a_lease_that_was_given_over_a_connection_given_up_comes_back_while_its_worker_lives(
    open_worker, open_store, monkeypatch
):
    monkeypatch.setattr(worker_thread, "STRAYS", 0.2)
    worker = open_worker(open_store())
    worker.add([page("a.org")])
    assert worker.settle()
    stale = open_store()
    stale.session.worker = worker._session.worker
    assert len(stale.take(time.time(), 1)) == 1
    (lease,) = taken(worker)
    assert lease.site == "a.org"
    assert counts(worker).leased == 1


def test_a_worker_that_may_hand_out_nothing_does_not_ask_to_be_woken_at_once(open_worker):
    worker = open_worker(visit=1_000.0)
    worker.add([page("a.org")])
    assert worker.settle()
    worker._pool.wanted = 1
    with worker._outbox.news:
        worker._outbox.news.notify_all()
    wait_until(lambda: worker._pool.ready)
    now = time.time()
    assert worker.take(now, 1) == []
    assert worker.next_release() > now


def test_a_worker_that_was_taken_for_dead_joins_as_another_and_asks_nothing_that_it_had(open_worker, open_store):
    sleeper, alive = open_worker(), open_store()
    sleeper.add([page("a.org"), page("b.org", 1), page("b.org", 2)])
    assert sleeper.settle()
    leases = {lease.site: lease for lease in taken(sleeper, 2)}
    before = sleeper._session.worker

    def taken_for_dead():
        # It may say between the two that it lives: then once more.
        alive.session.client.zadd("t:workers", {before: 1.0}, xx=True)
        alive.session.renew(time.time())
        return sleeper._session.worker != before

    wait_until(taken_for_dead)
    assert not any(map(sleeper.holds, leases.values()))
    sleeper.finish(leases["a.org"], RETURNED, time.time())
    sleeper.finish(leases["b.org"], TIMED_OUT, time.time())
    assert counts(sleeper).ends == {}
    told = sleeper.tallies()
    assert (told["frontier/reaped"], told["frontier/lost_leases"]) == (1, 2)
    asked = sleeper.site("b.org")
    assert (asked.visits, asked.troubles) == (1, 0), "the site was asked; that it did not answer is the sleeper's fault"
    again = taken(sleeper, 2)
    assert {lease.url for lease in again} == {"http://a.org/0", "http://b.org/1"}
    assert all(map(sleeper.holds, again))
    found = counts(sleeper)
    assert (found.leased, found.waiting, found.seen) == (2, 1, 3)


def test_a_restart_of_redis_between_two_messages_is_noticed_before_anything_is_leased(server, open_store):
    store = open_store(server.url)
    store.add([page("a.org")])
    server.kill()
    server.start()
    try:
        assert store.take(time.time(), 1) == []
    except FrontierError:
        # The client saw that its connection was closed, and says so.
        store.session.renew(time.time())
        assert store.take(time.time(), 1) == []


def test_a_redis_that_is_full_for_a_while_is_waited_for(server, open_worker, open_store):
    worker = open_worker(open_store(server.url))
    worker.add([page("a.org")])
    assert worker.settle()
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory", 1)
        wait_until(lambda: worker._outbox.outage)
        worker.add([page("b.org")])
        assert worker.pending() > 0
        client.config_set("maxmemory", 0)
    wait_until(lambda: not worker._outbox.outage)
    assert counts(worker).seen == 2


def emptied_between_takes(server):
    with redis.Redis.from_url(server.url) as client:
        client.flushall()


def emptied_while_disconnected(server):
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxclients", 1)
        for kind in ("normal", "pubsub"):
            client.client_kill_filter(_type=kind, skipme=True)
        client.flushall()
        client.config_set("maxclients", 10_000)


def restarted_without_its_file(server):
    server.kill()
    shutil.rmtree(server.folder / "appendonlydir")
    server.start()


@pytest.mark.parametrize("fault", [emptied_between_takes, emptied_while_disconnected, restarted_without_its_file])
@pytest.mark.parametrize("busy", [True, False], ids=["busy", "idle"])
def test_a_frontier_that_was_emptied_ends_the_crawl_of_every_worker_and_stays_empty(
    server, open_worker, open_store, fault, busy
):
    workers = [open_worker(open_store(server.url)) for _ in range(2)]
    workers[0].add([page(f"{n}.org", link) for n in range(4) for link in range(3)])
    assert workers[0].settle()
    held = [(worker, taken(worker)[0]) for worker in workers] if busy else []
    fault(server)
    for worker, lease in held:
        with suppress(FrontierError):
            worker.add([page(f"found-{lease.site}")])
            worker.set_note("robots", lease.site, b"note")
            worker.finish(lease, DONE, time.time())
    for worker in workers:
        wait_until(lambda one=worker: one._outbox.failed)
        assert worker.pending() > 0
        with pytest.raises(FrontierLostError, match="was emptied while this crawl worked on it"):
            worker.take(time.time(), 1)
        worker.close()
    with redis.Redis.from_url(server.url) as client:
        assert client.keys("*") == []


@pytest.mark.parametrize("told", [True, False], ids=["something_was_told", "nothing_was_told"])
def test_a_worker_that_ends_before_it_noticed_the_loss_gives_no_numbers_of_before(
    server, open_worker, open_store, told
):
    worker = open_worker(open_store(server.url))
    worker._thread.pulse = 3_600.0
    worker.add([page("a.org")])
    assert worker.settle()
    assert worker.counts().waiting == 1
    emptied_between_takes(server)
    if told:
        worker.set_note("robots", "a.org", b"note")
    with pytest.raises(FrontierLostError, match="was emptied while this crawl worked on it"):
        worker.settle()
    worker.close()


def test_a_worker_that_slept_while_another_crawl_was_begun_keeps_away_from_it(server, open_worker, open_store):
    asleep = open_worker(open_store(server.url))
    asleep.add([page("old.org")])
    assert asleep.settle()
    with redis.Redis.from_url(server.url) as client:
        client.flushall()
        fresh = open_store(server.url)
        fresh.add([page("new.org")])
    wait_until(lambda: asleep._outbox.failed)
    with pytest.raises(FrontierLostError, match="another crawl was begun there"):
        asleep.take(time.time(), 1)
    asleep.close()
    fresh.session.renew(time.time())
    assert fresh.counts().waiting == 1
    assert [lease.site for lease in fresh.take(time.time(), 5)] == ["new.org"]


def test_keys_that_redis_evicts_end_the_crawl_and_it_says_so_at_the_start(server, open_worker, open_store, caplog):
    with redis.Redis.from_url(server.url) as client:
        client.config_set("maxmemory-policy", "allkeys-random")
        client.config_set("maxmemory", client.info("memory")["used_memory"] + 4_000_000)
        worker = open_worker(open_store(server.url))
        assert "set maxmemory-policy noeviction" in caplog.text
        for n in range(1_000):
            client.set(f"other:{n}", b"x" * 10_000)
    wait_until(lambda: worker._outbox.failed)
    with pytest.raises(FrontierLostError, match="evicted"):
        worker.take(time.time(), 1)


@pytest.mark.slow
def test_an_answer_that_does_not_come_says_what_the_trouble_was(server, open_worker, open_store, monkeypatch):
    monkeypatch.setattr(outbox, "PATIENCE", 0.5)
    worker = open_worker(open_store(server.url))
    server.kill()
    answer = worker.later("addresses", "192.0.2.1", lambda old: b"new")
    wait_until(lambda: worker._outbox.outage)
    worker.close()
    with pytest.raises(FrontierAwayError, match=rf"away for \d+ s \(.*:{server.port}.*refused.*by its deadline"):
        answer.result(60)


def test_an_answer_that_does_not_come_since_the_frontier_is_broken_says_how(open_worker, open_store):
    worker = open_worker()
    worker.add([page("a.org")])
    assert worker.settle()
    open_store().session.client.set("t:note:addresses", "not a hash")
    answers = [worker.later("addresses", f"192.0.2.{n}", lambda old: b"new") for n in range(5)]
    for answer in answers:
        with pytest.raises(FrontierError, match=r"t:note:addresses .*WRONGTYPE"):
            answer.result(60)
    with pytest.raises(FrontierError, match="WRONGTYPE"):
        worker.take(time.time(), 1)


def test_notes_changed_by_many_at_once_lose_no_change(open_worker):
    workers = [open_worker() for _ in range(3)]

    def more(old):
        return str(int(old or b"0") + 1).encode()

    answers = [worker.later("sums", "n", more) for _ in range(100) for worker in workers]
    found = sorted(int(answer.result(60)) for answer in answers)
    assert found == list(range(1, 301))


def test_a_note_comes_with_the_lease_and_is_read_anew_after_another_worker_had_the_site(open_worker):
    first, second = (open_worker(notes=NoteCache(by_site=["copies"])) for _ in range(2))
    first.add([page("a.org", n) for n in range(3)])
    assert first.settle()
    (lease,) = taken(first)
    assert first.note("copies", "a.org") is None
    first.set_note("copies", "a.org", b"1")
    assert first.note("copies", "a.org") == b"1"
    first.finish(lease, DONE, time.time())
    assert first.settle()
    (lease,) = taken(second)
    assert second.note("copies", "a.org") == b"1"
    second.set_note("copies", "a.org", b"2")
    second.finish(lease, DONE, time.time())
    assert second.settle()
    taken(first)
    assert first.note("copies", "a.org") == b"2"


def test_notes_of_megabytes_pass(worker):
    note = bytes(range(256)) * 8_192
    worker.set_note("robots", "http://a.org", note)
    assert worker.settle()
    assert worker.update_note("robots", "http://a.org", lambda old: (old or b"") + b"!") == note + b"!"


def test_a_drop_of_one_worker_ends_what_waits_for_all(open_worker):
    first, second = open_worker(), open_worker()
    first.add([page("a.org", n) for n in range(50)])
    assert first.settle()
    assert second.drop("a.org", Drop.NEVERCRAWL) + len(first._pool.ready) == 50
    assert counts(second).waiting == 0


def test_a_worker_gives_back_what_it_has_when_it_closes(open_worker, open_store):
    worker, looks = open_worker(), open_store()
    worker.add([page(f"{n}.org") for n in range(20)])
    assert worker.settle()
    taken(worker, 5)
    number = worker._session.worker
    worker.close()
    found = looks.counts()
    assert (found.leased, found.waiting) == (0, 20)
    assert looks.session.client.zscore("t:workers", number) is None


@pytest.mark.parametrize("noticed", [False, True])
def test_what_a_closing_crawl_no_longer_waits_for_may_be_answered_later(
    server, open_worker, open_store, monkeypatch, noticed
):
    """A Redis that does not answer, before the worker has noticed that and after it."""
    monkeypatch.setattr(outbox, "PATIENCE", 60.0 if noticed else 0.0)
    worker = open_worker(open_store(server.url, timeout=1.0))
    server.signal(signal.SIGSTOP)
    answers = [worker.later("n", "k", lambda _: b"x"), worker.hand_in([page("a.org")])]
    if noticed:
        wait_until(lambda: worker._outbox.outage)
    wait_until(lambda: worker.give_up() or all(answer.done() for answer in answers))
    for answer in answers:
        with pytest.raises(FrontierAwayError, match="is not asked any more"):
            answer.result(0)
    server.signal(signal.SIGCONT)
    assert patiently(lambda: worker.later("n", "k", lambda _: b"y").result(60)) == b"y"
    assert worker._outbox.failed is None
