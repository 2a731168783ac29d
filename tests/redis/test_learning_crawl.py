"""What workers on Redis learn from each other, seen from outside: what a crawl leaves, and who may join it."""

import random
import time

import pytest
import redis
from crawling import Crawl
from demo_web import DemoWeb
from scrapy.settings import Settings
from waiting_links import found, leased

from mediacrawl.base.terms import Candidate, Kind
from mediacrawl.crawl.storage import adaptive_policy, load_learner
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.redis import leases as redis_leases
from mediacrawl.frontier.redis.leases import NoteCache
from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings
from mediacrawl.priority.learner import load_model

ON_REDIS = ("-s", "SCHEDULER_STORE=redis")


@pytest.mark.slow
def test_a_crawl_leaves_its_visits_its_records_and_its_model_and_a_file_for_other_crawls(crawl, client):
    crawl.start(*ON_REDIS, "-s", "PRIORITY=adaptive")
    assert crawl.wait() == 0
    ended = sum(int(number) for number in client.hvals("media:frontier:ends"))
    ((last, _),) = client.xrevrange("media:frontier:learned", count=1)
    assert last == f"{ended}-0".encode()
    assert client.hlen("media:frontier:note:classes") == int(client.hget("media:frontier:total", "sites"))
    learner, number = load_model(crawl.folder / "state" / "model.npz", 0.1)
    assert (learner.learned >= ended, number) == (True, 0)
    folder = crawl.folder / "state"
    settings = {"SCHEDULER_STORE": "redis", "PRIORITY": "adaptive", "MEDIACRAWL_DIR": str(folder)}
    assert (load_learner(Settings(settings)).weights == learner.weights).all()
    (folder / "model.npz").write_bytes(b"spoiled")
    assert load_learner(Settings(settings)) is None


@pytest.mark.slow
def test_a_worker_with_another_order_is_refused(crawl, client, tmp_path):
    # Slow enough to be under way when the other one has started.
    crawl.start(*ON_REDIS, "-s", "PRIORITY=adaptive", "-s", "POLITENESS_MIN_DELAY=10")
    crawl.until(lambda log: len(log) > 5)
    (tmp_path / "other").mkdir()
    with DemoWeb() as web:
        other = Crawl(web, tmp_path / "other").start(*ON_REDIS, "-s", "PRIORITY=rules", seed="")
        assert other.wait() != 0
    assert "was begun with PRIORITY = 'adaptive', and this worker has 'rules'; use one for all workers" in other.text()
    assert "Traceback" not in other.text()


def test_workers_agree_in_what_scores_and_an_operators_command_does_not_decide_it(client, redis_server):
    def join(scored, works=True):
        settings = StoreSettings(scored=scored, works=works)
        own = redis.Redis.from_url(redis_server)
        return RedisFrontier(own, "t", FrontierPolicy(), time.time(), random.Random(1), settings=settings)

    join("rules").close()
    # Nothing waits: it may be another one.
    join("adaptive").add([Candidate("http://a.org/", "a.org", "p", Kind.PAGE)])
    for works in (True, False):
        with pytest.raises(FrontierError, match=r"begun with PRIORITY = 'adaptive', and this worker has 'random'"):
            join("random", works)
        join("adaptive", works).close()
    # A crawl that an earlier version began.
    client.hdel("t:total", "scored")
    join("rules", works=False).close()
    join("random").close()
    with pytest.raises(FrontierError, match="PRIORITY = 'random'"):
        join("adaptive")


def test_workers_on_redis_look_at_fewer_sites_again(client, redis_server):
    numbers = {"PRIORITY": "adaptive", "SCHEDULER_STORE": redis_server}
    assert adaptive_policy(Settings(numbers)).looked_at == 1
    assert adaptive_policy(Settings({"SCHEDULER_STORE": "sqlite"})).looked_at == 4


def test_notes_that_are_not_kept_any_more_come_with_the_lease_again(monkeypatch):
    monkeypatch.setattr(redis_leases, "KEPT", 20)
    notes = NoteCache(by_site=["copies", "classes"])
    for turn in range(3):
        for number in range(15):
            lease = leased(found(f"http://{number}.org/"))
            notes.leased(lease, dict.fromkeys(notes.keys_for(lease, own=turn > 0), b"1"))
            assert notes.find("classes", lease.site) == (True, b"1")
            assert notes.find("copies", lease.site) == (True, b"1")
