"""``scrapy frontier`` on a frontier in Redis, which nobody else needs to be requested."""

import time

import pytest
import redis
from command_line import MEDIACRAWL, run
from test_frontier_command import page

from mediacrawl.base.terms import Drop, End, Evidence, Kind, Outcome
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.redis.store import RedisFrontier
from mediacrawl.politeness.delay import DelayPolicy

# So long that a minute until the test looks makes no difference.
DELAY = 75_500.0
POLICY = FrontierPolicy(delay=DelayPolicy(0, DELAY, DELAY, DELAY), explore=0.0)
PREFIX = "media:frontier"


@pytest.fixture
def store(redis_server):
    """Two sites, a URL that ended, one that was dropped, three that wait, and one that is out."""
    client = redis.Redis.from_url(redis_server)
    client.flushall()
    store = RedisFrontier(client, PREFIX, POLICY, time.time())
    store.add([page("http://a.example/"), page("http://b.example/secret")])
    ends = {
        "http://a.example/": Outcome(End.DONE, response_time=0.5),
        "http://b.example/secret": Outcome(End.DROPPED, Drop.ROBOTS),
    }
    for lease in store.take(time.time(), 5):
        store.finish(lease, ends[lease.url], time.time())
    found = Evidence("audio", "Lied \x1b[31m 1")
    song = page("http://a.example/1.mp3", Kind.MEDIA, 1.0, depth=1, parent="http://a.example/", evidence=found)
    store.add([page("http://a.example/2"), song, page("http://b.example/x"), page("http://out.example/")])
    (lease,) = store.take(time.time(), 5)
    assert lease.url == "http://out.example/"
    yield store
    store.close()


@pytest.fixture
def frontier(store, redis_server, tmp_path):
    def frontier(*words):
        contact = ("-s", "MEDIACRAWL_CONTACT=http://localhost/")
        return run(tmp_path, *MEDIACRAWL, "frontier", *words, "-s", f"SCHEDULER_STORE={redis_server}", *contact)

    return frontier


def test_orders_are_carried_out_at_once(frontier, store):
    assert "2 URLs wait there, until" in frontier("pause", "a.example").check().out
    assert store.counts().shelved == 2
    assert "2 URLs wait there" in frontier("resume", "a.example").check().out
    assert "1 URL of b.example dropped" in frontier("drop", "b.example").check().out
    assert store.counts().ends == {"done": 1, "robots": 1, "operator": 1}
    assert "not known here" in frontier("pause", "nowhere.example").check().out


def test_check_counts_everything_once_more(frontier, store, redis_server):
    store.close()
    assert "4 URLs wait on 3 sites, 6 are known" in frontier("check").check().out
    client = redis.Redis.from_url(redis_server)
    client.hincrby(f"{PREFIX}:total", "waiting", 5)
    broken = frontier("check")
    assert broken.code == 1
    assert "4 are waiting, and the counter says 9" in broken.out
    client.set(f"{PREFIX}:site:b.example", b"\x80\x04K\x01.")
    assert "b.example cannot be read" in frontier("check").out
    assert frontier("repair").code == 1
