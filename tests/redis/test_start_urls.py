"""Entries of start_urls: an entry waits, is taken by one worker, is refused, or was added; never none of these."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.frontier.redis import start_urls
from mediacrawl.frontier.redis.start_urls import LONGEST, FeedError, StartUrls

KEY, TAKEN, REFUSED = "media:start_urls", "media:start_urls:taken", "media:start_urls:refused"
URLS = [f"https://site.example/{number}".encode() for number in range(5)]


@pytest.fixture
def queue(client):
    return StartUrls(client, KEY)


def overdue(client):
    """The deadlines of all that is taken have passed."""
    for entry in client.zrange(TAKEN, 0, -1):
        client.zadd(TAKEN, {entry: 1})


def test_a_list_is_taken_from_its_head(client, queue):
    client.rpush(KEY, *URLS)
    taken = queue.take(3)
    assert (taken.entries, taken.left) == (URLS[:3], 2)
    assert queue.take(3).entries == URLS[3:]


def test_a_set_is_taken_in_any_order(client, queue):
    client.sadd(KEY, *URLS)
    taken = queue.take(3)
    assert len(taken.entries) == 3
    assert taken.left == 2
    assert {*taken.entries, *queue.take(3).entries} == set(URLS)


def test_a_sorted_set_is_taken_from_the_highest_score(client, queue):
    client.zadd(KEY, {url: score for score, url in enumerate(URLS)})
    assert queue.take(2).entries == [URLS[4], URLS[3]]


def test_what_was_taken_is_nobody_elses_until_its_deadline(client, queue):
    client.rpush(KEY, *URLS)
    queue.take(5)
    other = StartUrls(client, KEY).take(5)
    assert (other.entries, other.left) == ([], 5)
    overdue(client)
    assert set(StartUrls(client, KEY).take(5).entries) == set(URLS)


def test_the_deadline_is_by_the_clock_of_redis(client, queue):
    client.rpush(KEY, URLS[0])
    before = client.time()[0]
    queue.take(1)
    after = client.time()[0] + 1
    assert before + start_urls.LEASE <= client.zscore(TAKEN, URLS[0]) <= after + start_urls.LEASE


def test_what_has_joined_is_gone_and_what_was_refused_is_kept_with_its_reason(client, queue):
    client.rpush(KEY, *URLS)
    queue.take(5)
    queue.settle([("", url) for url in URLS[:3]] + [("offsite", URLS[3]), ("bad_url", URLS[4])])
    assert client.lrange(REFUSED, 0, -1) == [b"offsite " + URLS[3], b"bad_url " + URLS[4]]
    assert client.keys("*") == [REFUSED.encode()]


def test_an_entry_that_is_too_long_is_refused_without_being_read(client, queue):
    long = b"https://site.example/" + b"x" * LONGEST
    client.rpush(KEY, URLS[0], long, URLS[1])
    taken = queue.take(10)
    assert (taken.entries, taken.too_long) == (URLS[:2], 1)
    assert client.lrange(REFUSED, 0, -1) == [b"too_long " + long]


def test_no_more_bytes_are_taken_than_a_batch_may_have(client, queue):
    entries = [b"%d" % number + b"x" * (LONGEST - 10) for number in range(40)]
    client.rpush(KEY, *entries)
    taken = queue.take(1000)
    assert start_urls.BATCH_BYTES <= sum(map(len, taken.entries)) <= start_urls.BATCH_BYTES + LONGEST
    assert taken.left == 40 - len(taken.entries)


def test_an_entry_that_stands_there_often_is_taken_once(client, queue):
    client.rpush(KEY, *[URLS[0]] * 30)
    taken = queue.take(10)
    assert (taken.entries, taken.left) == (URLS[:1], 20)
    queue.settle([("", URLS[0])])
    assert queue.take(100).entries == URLS[:1]


def test_a_key_of_another_type_is_told_and_nothing_is_taken(client, queue):
    for key in (KEY, TAKEN, REFUSED):
        client.flushall()
        if key != KEY:
            client.rpush(KEY, *URLS)
        client.set(key, pickle.dumps(URLS))
        with pytest.raises(FeedError, match=f"{key} is a string"):
            queue.take(5)
        assert key == KEY or client.lrange(KEY, 0, -1) == URLS
        client.delete(key)
        client.hset(key, "a", "b")
        with pytest.raises(FeedError, match=f"{key} is a hash"):
            queue.take(5)


def test_a_server_that_is_away_is_told_in_one_line(tmp_path):
    import redis
    from redis_server import RedisServer

    server = RedisServer(tmp_path)
    queue = StartUrls(redis.Redis.from_url(server.url, retry=None), KEY)
    for ask in (lambda: queue.take(1), lambda: queue.settle([("", b"x")]), lambda: queue.give_back([b"x"])):
        with pytest.raises(FeedError) as told:
            ask()
        assert "\n" not in str(told.value)


@given(
    kind=st.sampled_from(["list", "set", "zset"]),
    entries=st.lists(st.binary(max_size=30), min_size=1, max_size=20, unique=True),
    steps=st.lists(st.tuples(st.sampled_from(["take", "join", "refuse", "kill"]), st.integers(1, 7)), max_size=12),
)
def test_no_entry_is_ever_lost(redis_server, kind, entries, steps):
    import redis

    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
        put = {
            "list": client.rpush,
            "set": client.sadd,
            "zset": lambda key, *all_: client.zadd(key, dict.fromkeys(all_, 1)),
        }
        put[kind](KEY, *entries)
        queue, held, joined = StartUrls(client, KEY), [], set()
        for step, number in steps:
            if step == "take":
                held += queue.take(number).entries
            elif step == "kill":
                held = []
                overdue(client)
            else:
                ended, held = held[:number], held[number:]
                queue.settle([("" if step == "join" else "offsite", entry) for entry in ended])
                joined |= set(ended) if step == "join" else set()
        refused = {entry.removeprefix(b"offsite ") for entry in client.lrange(REFUSED, 0, -1)}
        waiting = set(StartUrls(client, KEY).take(100).entries) | set(client.zrange(TAKEN, 0, -1))
        assert joined | refused | waiting == set(entries)
        assert len(joined) + len(refused) + len(waiting) == len(entries)
