"""Every key of the Redis store in turn is gone, of another kind, or holds what nobody of ours wrote."""

import random

import pytest
import redis

from mediacrawl.base.terms import Candidate, Drop, End, Outcome
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.redis.leases import exchange_call
from mediacrawl.frontier.redis.reader import RedisReader, check_redis
from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings
from mediacrawl.frontier.redis.worker import RedisWorker
from mediacrawl.politeness.delay import DelayPolicy

pytestmark = pytest.mark.slow

NOW, NOISE = 1e6, b"\xff\x00noise"
POLICY = FrontierPolicy(delay=DelayPolicy(factor=0, minimum=1, maximum=1, first=1), explore=0.5, budget=2)
DONE = Outcome(End.DONE, response_time=0.1)
KEYS = (
    *("total", "ends", "names", "firsts", "due:*", "workers", "retired", "again", "seen:0", "learned"),
    *("site:1.org", "q:1:1.org", "leases:2", "note:robots"),
)
UNREAD = ("retired", "learned")
"""Nothing above asks for them."""


def page(site, n=0, link_class="p"):
    return Candidate(f"http://{site}/{n}", site, link_class, score=0.3)


@pytest.fixture
def client(redis_server):
    client = redis.Redis.from_url(redis_server)
    client.flushall()
    yield client
    client.close()


@pytest.fixture
def open_store(client, redis_server):
    opened = []

    def open_store(*, works=True, told=True):
        settings = StoreSettings(told=told, works=works)
        own = redis.Redis.from_url(redis_server)
        opened.append(own)
        return RedisFrontier(own, "t", POLICY, NOW, random.Random(1), settings=settings)

    yield open_store
    for own in opened:
        own.close()


@pytest.fixture
def store(open_store):
    """A frontier that has a bit of everything."""
    store = open_store()
    store.add([page(f"{site}.org", n, f"c{n % 2}") for site in range(8) for n in range(4)])
    for then in (NOW, NOW + 5, NOW + 10):
        for lease in store.take(then, 2):
            store.finish(lease, DONE, then)
    store.rejoin(page("0.org"))
    store.set_note("robots", "http://0.org", b"note")
    store.session.scripts.one(exchange_call(store.session, b"batch", 1, 0, keep=10, most=5))
    open_store().take(NOW + 20, 1)
    store.pause("3.org")
    return store


def gone(client, key):
    client.delete(key)


def text(client, key):
    client.delete(key)
    client.set(key, NOISE)


def of_another_kind(client, key):
    client.delete(key)
    client.rpush(key, NOISE)


def with_noise_in_it(client, key):
    write = {
        b"hash": lambda: client.hset(key, mapping=dict.fromkeys(client.hkeys(key), NOISE)),
        b"zset": lambda: client.zadd(key, {NOISE: 5}),
        b"set": lambda: client.sadd(key, NOISE),
        b"list": lambda: client.lpush(key, NOISE),
        b"string": lambda: client.set(key, NOISE),
        b"stream": lambda: client.xadd(key, {"x": NOISE}),
    }
    write[client.type(key)]()


def everything(store, open_store):
    """Whatever is asked of a frontier, by workers and by operators."""
    yield open_store
    yield lambda: store.session.renew(NOW + 30)
    yield lambda: store.add([page("1.org", 99), page("new.org")])
    yield lambda: store.rejoin(page("1.org"))
    yield lambda: store.unknown(["http://1.org/1", "http://z.org/"])
    yield lambda: [store.finish(lease, DONE, NOW + 41) for lease in store.take(NOW + 40, 5)]
    yield lambda: store.set_scores("1.org", {"c0": 0.9})
    yield lambda: store.note("robots", "http://0.org")
    yield lambda: store.update_note("robots", "http://0.org", lambda _: b"other")
    yield lambda: store.charge("1.org", DONE, NOW + 42)
    yield lambda: store.resume("3.org")
    yield lambda: store.session.return_strays(list(store.leases.held))
    yield lambda: store.drop("1.org", Drop.PRUNED)
    yield lambda: store.prune(3)
    yield lambda: store.site("1.org")
    yield lambda: read(open_store)
    yield lambda: check_redis(open_store(works=False), lambda _: None)
    yield lambda: [store.session.renew(NOW + 500 + n) for n in range(5)]
    yield store.close


def read(open_store):
    with RedisReader(open_store(works=False)) as reader:
        reader.overview(NOW)
        list(reader.waiting())
        reader.where("http://1.org/3", "1.org", "c1")
        reader.rank("1.org")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("fault", [gone, text, of_another_kind, with_noise_in_it])
def test_what_is_spoiled_is_told_in_a_sentence(store, open_store, client, key, fault):
    (name,) = client.keys(f"t:{key}")[:1]
    name = name.decode()
    fault(client, name)
    told = []
    for ask in everything(store, open_store):
        try:
            ask()
        except FrontierError as error:
            told.append(str(error))
    if fault in {text, of_another_kind} and key not in UNREAD:
        assert any(name in sentence for sentence in told), told
    assert [sentence for sentence in told if len(sentence.splitlines()) > 1] == []


def test_noise_among_the_ends_stops_a_worker_with_a_sentence_that_names_the_key(client, open_store):
    worker = RedisWorker(open_store(told=False), lambda: NOW, visit=1.0)
    worker.add([page("a.org")])
    assert worker.settle()
    client.hset("t:ends", "done", NOISE)
    with worker._outbox.news:
        assert worker._outbox.news.wait_for(lambda: worker._outbox.failed, 60)
    with pytest.raises(FrontierError, match=r"t:ends \(.*delete that key"):
        worker.take(NOW, 1)
    worker.close()
