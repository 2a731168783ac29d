"""Workers of one crawl learn from each other's visits, those of workers that join late and of one that died, too."""

import random
import signal
import subprocess
import sys
import time
from concurrent.futures import Future
from itertools import pairwise
from pathlib import Path

import msgpack
import numpy as np
import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st
from waiting_links import found, leased

from mediacrawl.base.terms import End, Outcome
from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.redis.leases import NoteCache, exchange_call, exchanged
from mediacrawl.frontier.redis.store import RedisFrontier
from mediacrawl.frontier.redis.worker import RedisWorker
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.priority import visits as last_visits
from mediacrawl.priority.adaptive import Adaptive, AdaptivePolicy, SiteClasses
from mediacrawl.priority.learner import load_model
from mediacrawl.priority.links import NOTHING, WIDTH
from mediacrawl.priority.orders import RECORDS
from mediacrawl.priority.visits import SharedJournal, SharedNotes, VisitEntry

POLICY = FrontierPolicy(delay=DelayPolicy(factor=0, minimum=0.01, maximum=0.01, first=0.01), explore=0.0)
DONE = Outcome(End.DONE, response_time=0.1)


def wait_until(seen):
    end = time.monotonic() + 60
    while not seen():
        assert time.monotonic() < end, "it does not come"
        time.sleep(0.005)


class Member:
    """A worker with what it has learned, without the crawl around it."""

    def __init__(self, url, path=None, begins=True, timeout=None, **policy):
        client = redis.Redis.from_url(url)
        store = RedisFrontier(client, "t", POLICY, time.time(), random.Random(1))
        if timeout is not None:
            # Not before: to open it fails at once where Redis is slow to answer.
            pool = client.connection_pool
            pool.connection_kwargs |= {"socket_timeout": timeout, "socket_connect_timeout": timeout}
            pool.disconnect()
            pool.reset()
        self.worker = RedisWorker(store, time.time, visit=1.0, notes=NoteCache(by_site=[RECORDS]))
        self.order = Adaptive(AdaptivePolicy(looked_at=1, **policy), self.worker, path)
        if begins:
            self.order.begin()

    def visit(self, url, reward=0.0, parent="http://start.example/"):
        """One that begins and ends here, without a lease of the frontier's."""
        candidate = found(url, parent)
        self.order.join([candidate], "start.example")
        return dict(self.order.ended(leased(candidate), reward))

    def ask(self, url, reward=0.0):
        """The same with a lease, with which the record comes; nothing else may wait there."""
        candidate = found(url)
        self.order.join([candidate], "start.example")
        self.worker.add([candidate])
        assert self.worker.settle()
        leases = []
        wait_until(lambda: leases.extend(self.worker.take(time.time(), 1)) or leases)
        (lease,) = leases
        assert lease.url == url
        list(self.order.ended(lease, reward))
        self.worker.finish(lease, DONE, time.time())

    def save(self, now=0.0, **how):
        self.order.save(now, **how)
        assert self.worker.settle()

    def record(self, site):
        """Fetches and credit by class, as this worker has them."""
        classes = self.order.classes.held(site)
        if classes is None:
            return {}
        return {name: (classes.fetches[at], pytest.approx(classes.credit[at])) for name, at in classes.numbers.items()}

    def score(self, url):
        candidate = found(url)
        self.order.join([candidate], "start.example")
        return candidate.score


def talk(*members):
    """Three seconds of a crawl: what each had is sent, asked for, and learned."""
    for _ in range(3):
        for member in members:
            member.save()


@pytest.fixture
def client(redis_server):
    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
        yield client


@pytest.fixture
def hire(client, redis_server):
    hired = []

    def hire(url=redis_server, **how):
        hired.append(Member(url, **how))
        return hired[-1]

    yield hire
    for member in hired:
        member.worker.close()


def sing(member, first=0, number=40):
    for n in range(first, first + number):
        member.visit(f"http://host{n}.example/songs/{n}", reward=1.0)
        member.visit(f"http://host{n}.example/news/{n}")


def row(*used):
    return [*used] + [NOTHING] * (WIDTH - len(used))


# -- two workers -----------------------------------------------------------------------------------------------


def test_only_what_workers_share_is_an_exchange(hire):
    assert isinstance(hire().worker, SharedNotes)
    assert not isinstance(MemoryFrontier(FrontierPolicy()), SharedNotes)


def test_what_one_worker_visits_the_other_learns(hire):
    first, second = hire(), hire()
    before = second.score("http://new.example/songs/1"), second.score("http://new.example/news/1")
    sing(first)
    talk(first, second)
    assert second.order.learner.learned == first.order.learner.learned == 80
    assert np.allclose(second.order.learner.weights, first.order.learner.weights)
    assert second.record("host3.example") == first.record("host3.example")
    assert len(second.order.visits) == 80
    after = second.score("http://other.example/songs/1"), second.score("http://other.example/news/1")
    assert before[0] == before[1]
    # Half of all seeds led to a find, so a seed is worth more than before whatever its words are.
    assert after[0] > 2 * before[0]
    assert after[1] < after[0] / 2


def test_both_learn_from_both_and_know_the_same(hire):
    members = hire(), hire(), hire()
    for turn in range(3):
        for number, member in enumerate(members):
            sing(member, first=100 * number + 10 * turn, number=10)
            member.save()
    talk(*members)
    for member in members:
        assert member.order.learner.learned == 180
        for site in ("host5.example", "host105.example", "host225.example"):
            assert member.record(site) == {f"{site}/songs/#": (1, 1), f"{site}/news/#": (1, 0)}
    assert len({member.order.journal.last for member in members}) == 1


def test_a_nugget_is_credited_to_the_path_whoever_visited_it(hire):
    first, second = hire(), hire()
    first.visit("http://hub.example/door/1")
    talk(first, second)
    second.visit("http://deep.example/f.mp3", 1.0, parent="http://hub.example/door/1")
    talk(first, second)
    for member in (first, second):
        assert member.record("hub.example") == {"hub.example/door/#": (1, 0.7)}
        assert member.record("deep.example") == {"deep.example/f.mp3": (1, 1)}


def test_a_site_that_only_others_met_is_theirs_to_look_at_again(hire):
    first, second = hire(), hire()
    for number in range(10):
        first.visit(f"http://theirs{number}.example/songs/1", 1.0)
    talk(first, second)
    moved = {site for n in range(30) for site in second.visit(f"http://ours{n}.example/songs/1")}
    assert moved
    assert not any(site.startswith("theirs") for site in moved)
    second.score("http://theirs3.example/songs/1")
    assert "theirs3.example" in {site for n in range(40) for site in second.visit(f"http://own{n}.example/news/1")}


# -- records ---------------------------------------------------------------------------------------------------


def test_a_record_is_written_by_who_visited_the_site_and_by_nobody_who_only_heard_of_it(hire, client):
    first, second = hire(), hire()
    first.visit("http://a.example/songs/1")
    first.save()
    written = SiteClasses.load(client.hget("t:note:classes", "a.example"))
    assert written.fetches[written.numbers["a.example/songs/#"]] == 1
    client.delete("t:note:classes")
    talk(second, first, second)
    assert second.record("a.example") == first.record("a.example")
    second.visit("http://b.example/songs/1", parent="http://a.example/songs/1")
    second.visit("http://c.example/f.mp3", 1.0, parent="http://b.example/songs/1")
    talk(second, first)
    # Who credits a site whose record it never read leaves it to others, too.
    assert set(client.hkeys("t:note:classes")) == {b"b.example", b"c.example"}


def test_a_record_comes_with_the_lease_and_of_each_class_more_fetches_count(hire, client):
    first, second = hire(), hire()
    for number in range(3):
        first.ask(f"http://a.example/songs/{number}", 1.0)
        first.save()
    client.delete("t:learned")
    second.order.classes.of("a.example").add("a.example/other/#", row(7))
    second.ask("http://a.example/news/1")
    assert second.record("a.example") == {
        "a.example/songs/#": (3, 3),
        "a.example/other/#": (0, 0),
        "a.example/news/#": (1, 0),
    }
    second.save()
    first.ask("http://a.example/songs/9")
    assert first.record("a.example") == {"a.example/songs/#": (4, 3), "a.example/news/#": (1, 0)}


def test_a_visit_that_the_record_has_does_not_count_again_when_it_is_heard_of(hire):
    first, second = hire(begins=False), hire()
    for number in range(3):
        second.ask(f"http://a.example/songs/{number}", 1.0)
    talk(second)
    # It learns that there are three before it hears of them, and then reads the record that has them.
    first.order.journal.last = 3
    first.ask("http://a.example/songs/9")
    talk(first)
    assert len(first.order.visits) == 4
    assert first.record("a.example") == {"a.example/songs/#": (4, 3)}


def test_a_site_that_is_not_leased_is_not_asked_about(hire, monkeypatch):
    first, second = hire(), hire()
    first.ask("http://a.example/songs/1", 1.0)
    first.save()
    asked = []
    monkeypatch.setattr(second.worker, "note", lambda *key: asked.append(key))
    second.score("http://a.example/songs/2")
    talk(second)
    assert asked == []


# -- joining late ----------------------------------------------------------------------------------------------


def test_who_joins_late_knows_what_was_learned_and_learns_nothing_twice(hire, client):
    first = hire()
    first.visit("http://hub.example/door/1")
    sing(first)
    sing(first, 50)
    talk(first)
    late = hire()
    assert len(late.order.visits) == 161
    for each in (first, late):
        each.order.learner.flush()
    assert late.order.learner.learned == first.order.learner.learned > 0
    assert late.score("http://new.example/songs/1") == pytest.approx(first.score("http://new.example/songs/1"), rel=0.1)
    assert late.record("host7.example") == first.record("host7.example")
    late.visit("http://deep.example/f.mp3", 1.0, parent="http://hub.example/door/1")
    assert late.record("hub.example")["hub.example/door/#"] == (1, 0.7)


def test_what_does_not_fit_into_the_start_is_heard_of_second_by_second(hire, client, monkeypatch):
    first = hire()
    for start in range(0, 50, 10):
        sing(first, start, 10)
        first.save()
    monkeypatch.setattr(last_visits, "_PIECES", 1)
    monkeypatch.setattr(last_visits, "HEARD", 25)
    first.worker.close()
    late = hire()
    sizes = [len(late.order.visits)]
    while len(late.order.visits) < 100:
        late.save()
        sizes.append(len(late.order.visits))
    assert len(sizes) > 2
    assert all(after - before <= 25 + 20 for before, after in pairwise(sizes))
    assert late.record("host42.example") == first.record("host42.example")


def test_the_last_worker_leaves_the_model_for_other_crawls(hire, tmp_path):
    first = hire(path=tmp_path / "state" / "model.npz")
    sing(first)
    talk(first)
    first.save(1.0, last=True)
    learner, number = load_model(tmp_path / "state" / "model.npz", 0.2)
    assert (learner.learned, number) == (80, 0)
    other = Adaptive(AdaptivePolicy(), MemoryFrontier(FrontierPolicy()))
    other.begin(tmp_path / "state" / "model.npz")
    warm = found("http://new.example/songs/1")
    other.join([warm])
    assert warm.score > first.score("http://other.example/news/1")


# -- when something breaks -------------------------------------------------------------------------------------

DOOMED = """
import os, signal, sys
sys.path[:0] = {path!r}
from test_shared import Member, sing, talk
doomed = Member({url!r})
sing(doomed, 0, 20)
talk(doomed)
sing(doomed, 50, 20)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_of_a_killed_worker_its_last_second_is_lost_and_no_more(hire, redis_server):
    alive = hire()
    code = DOOMED.format(url=redis_server, path=[str(Path(__file__).parent), *sys.path])
    doomed = subprocess.run([sys.executable, "-c", code], check=False, timeout=60, capture_output=True)
    assert doomed.returncode == -signal.SIGKILL, doomed.stderr.decode()
    talk(alive)
    assert len(alive.order.visits) == 40
    assert alive.order.learner.learned == 40
    late = hire()
    assert len(late.order.visits) == 40


def test_a_batch_whose_answer_was_lost_is_heard_once(hire):
    first, second = hire(), hire()
    run, lost = first.worker._session.scripts.run, []

    def lossy(calls):
        answers = run(calls)
        if any(call.script == "learn" and call.what["visits"] for call in calls) and not lost:
            lost.append(answers)
            raise redis.ConnectionError("the answer is lost")
        return answers

    first.worker._session.scripts.run = lossy
    sing(first, 0, 10)
    talk(first)
    sing(first, 10, 10)
    talk(first, second)
    assert lost
    assert second.order.learner.learned == first.order.learner.learned == 40
    assert second.order.journal.last == 60


def test_visits_wait_while_redis_is_away_and_of_too_many_the_last_are_told(server, hire, monkeypatch):
    monkeypatch.setattr(last_visits, "_WAITING", 30)
    first, second = (hire(server.url, timeout=1.0) for _ in range(2))
    talk(first, second)
    server.signal(signal.SIGSTOP)
    first.order.save(0.0)
    wait_until(lambda: first.worker._outbox.outage)
    for number in range(50):
        first.visit(f"http://a{number}.example/songs/1", 1.0)
        first.order.save(0.0)
    assert len(first.order.visits) == 50
    server.signal(signal.SIGCONT)
    wait_until(lambda: not first.worker._outbox.outage and not second.worker._outbox.outage)
    talk(first, second)
    assert second.record("a49.example") == first.record("a49.example") != {}
    assert len(second.order.visits) == 30


def test_all_that_waits_is_sent_at_the_end(hire, monkeypatch):
    first, second = hire(), hire()
    monkeypatch.setattr(last_visits, "_BATCH", 7)
    sing(first, 0, 20)
    first.save(last=True)
    talk(second)
    assert len(second.order.visits) == 40


def test_a_redis_that_forgot_the_last_second_is_heard_again(hire, client):
    first, second = hire(), hire()
    sing(first, 0, 10)
    talk(first, second)
    before = client.dump("t:learned")
    sing(first, 10, 5)
    talk(first, second)
    client.restore("t:learned", 0, before, replace=True)
    talk(first, second)
    sing(first, 20, 5)
    talk(first, second)
    assert second.order.journal.last == 30
    assert len(second.order.visits) == 40


STRANGE = [
    *(b"", b"\xc1", b"\x93\xa1a\x01\x90", msgpack.packb((b"x", 1)), msgpack.packb(([], 1, []))),
    *(msgpack.packb((b"x", 1, [b"", 7, None, b"\x91\xc0"])), msgpack.packb((b"x", "1", [])), b"cposix\nsystem\n"),
]


def test_what_is_no_batch_is_passed_over(hire, client):
    first, second = hire(), hire()
    sing(first, 0, 5)
    talk(first)
    for number, strange in enumerate(STRANGE):
        client.xadd("t:learned", {"batch": strange}, id=f"{100 + number}-0")
    sing(first, 5, 5)
    talk(first, second)
    assert len(second.order.visits) == 20
    assert second.order.journal.last == 100 + len(STRANGE) - 1 + 10


# -- the journal alone -----------------------------------------------------------------------------------------


class Direct:
    """An exchange whose answers are there at once."""

    def __init__(self, store):
        self._store = store

    def exchange(self, batch, visits, after, *, keep, most):
        answer = Future()
        call = exchange_call(self._store.session, batch, visits, after, keep=keep, most=most)
        answer.set_result(exchanged(self._store.session.scripts.one(call)))
        return answer


def entry(key):
    return VisitEntry(key, 0, "a.example", "a.example/x", row(key % 1_000 + 1), 0.0)


ACTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=40)


@given(ACTS)
def test_all_hear_of_each_visit_of_the_others_once_and_in_one_order(redis_server, acts):
    with redis.Redis.from_url(redis_server) as client:
        client.delete("j:learned")
        store = RedisFrontier(client, "j", POLICY, time.time(), random.Random(1))
        journals = [SharedJournal(Direct(store), 10_000) for _ in range(3)]
        heard, made = [[], [], []], [[], [], []]

        def save(which):
            journals[which].save()
            heard[which] += journals[which].heard()

        for which, number in acts:
            if which == 3:
                save(number % 3)
                continue
            for _ in range(number):
                key = sum(map(len, made)) + 1
                made[which].append(key)
                journals[which].add(entry(key))
        for which in (0, 1, 2, 0, 1, 2, 0, 1, 2):
            save(which)
        numbers = {}
        for which in range(3):
            others = {key for one in range(3) if one != which for key in made[one]}
            assert sorted(found.key for _, found in heard[which]) == sorted(others)
            assert [number for number, _ in heard[which]] == sorted({number for number, _ in heard[which]})
            for number, found_entry in heard[which]:
                assert numbers.setdefault(number, found_entry.key) == found_entry.key
            assert journals[which].last == sum(map(len, made))
        late = SharedJournal(Direct(store), 10_000)
        assert {found.key for _, found in late.read()} == {key for one in made for key in one}


@pytest.mark.parametrize("size", [2, 40, 250])
def test_about_as_many_visits_are_kept_as_are_remembered_whatever_the_size_of_batches(client, size):
    store = RedisFrontier(client, "k", POLICY, time.time(), random.Random(1))
    journal = SharedJournal(Direct(store), 1_000)
    for key in range(1, 3_001):
        journal.add(entry(key))
        if key % size == 0:
            journal.save()
    kept = [found.key for _, found in SharedJournal(Direct(store), 1_000).read()]
    assert kept[-1] == 3_000
    assert 1_000 <= len(kept) <= 1_500
