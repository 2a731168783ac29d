"""The Redis store: leases that have deadlines, what many workers do at once, and what is spoiled or odd."""

import random
from dataclasses import replace

import msgpack
import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Candidate, Drop, End, Evidence, Kind, Outcome, Trouble
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.contract import FrontierLostError, SpoiledError
from mediacrawl.frontier.order import Levels
from mediacrawl.frontier.redis.errors import is_away
from mediacrawl.frontier.redis.reader import RedisReader, check_redis
from mediacrawl.frontier.redis.rows import pack_rows, page_of, read_row
from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings
from mediacrawl.frontier.seen import url_key
from mediacrawl.politeness.delay import DelayPolicy

NOW, DELAY, LEASE = 1_000_000.0, 10.0, 120.0
POLICY = FrontierPolicy(delay=DelayPolicy(factor=0, minimum=DELAY, maximum=DELAY, first=DELAY), explore=0.0)
DONE = Outcome(End.DONE, response_time=0.1)


@pytest.fixture
def client(redis_server):
    client = redis.Redis.from_url(redis_server)
    client.flushall()
    yield client
    client.config_set("maxmemory", 0)
    client.replicaof("NO", "ONE")
    client.close()


@pytest.fixture
def open_store(client, redis_server):
    """Opens the store at a time that is told, as each of several workers does."""
    opened = []

    def open_store(now=NOW, policy=POLICY, **settings):
        told = StoreSettings(lease=LEASE, told=True, **settings)
        own = redis.Redis.from_url(redis_server)
        opened.append(RedisFrontier(own, "t", policy, now, random.Random(1), settings=told))
        return opened[-1]

    yield open_store
    for store in opened:
        store.session.client.close()


@pytest.fixture
def store(open_store):
    return open_store()


def page(site, n=0, link_class="p", **fields):
    return Candidate(f"http://{site}/{n}", site, link_class, **{"score": 0.3, **fields})


def pulse(*stores, start, seconds, step=10):
    """Workers that live say so."""
    for then in range(0, int(seconds) + 1, step):
        for one in stores:
            one.session.renew(start + then)


def balances(store):
    counts = store.counts()
    return counts.seen + counts.again == counts.waiting + counts.leased + sum(counts.ends.values())


# -- a frontier that was emptied --------------------------------------------------------------------------------


def told_everything(store):
    """Each method that reads or writes the frontier."""
    yield lambda: store.add([page("b.org")])
    yield lambda: store.rejoin(page("a.org"))
    yield lambda: store.unknown(["http://b.org/9"])
    yield lambda: store.take(NOW, 1)
    yield lambda: store.charge("a.org", DONE, NOW)
    yield lambda: store.set_scores("a.org", {"p": 0.9})
    yield lambda: store.pause("a.org")
    yield lambda: store.set_note("robots", "http://a.org", b"x")
    yield lambda: store.update_note("robots", "http://a.org", lambda _: b"x")
    yield lambda: store.session.renew(NOW)
    yield lambda: store.session.join(NOW)
    yield lambda: store.session.return_strays(list(store.leases.held))


def test_nothing_is_read_or_written_in_a_frontier_that_was_emptied(open_store, client):
    store = open_store()
    store.add([page("a.org")])
    (lease,) = store.take(NOW, 1)
    client.flushall()
    for ask in [lambda: store.finish(lease, DONE, NOW), *told_everything(store)]:
        with pytest.raises(FrontierLostError, match="without its data"):
            ask()
    assert client.keys("*") == []


def test_who_must_find_a_crawl_takes_an_empty_frontier_for_a_lost_one(open_store, client):
    with pytest.raises(FrontierLostError):
        open_store(begun=True)
    assert client.hget("t:frontier:total", "crawl") is None
    # An operator who looks begins no crawl.
    open_store(works=False)
    with pytest.raises(FrontierLostError):
        open_store(begun=True)
    # Without a seed, too: other programs bring URLs.
    open_store()
    open_store(begun=True)


def test_a_frontier_whose_counters_alone_were_evicted_is_no_new_crawl(open_store, client):
    open_store().add([page("a.org")])
    client.delete("t:total")
    with pytest.raises(FrontierLostError, match="fresh=1"):
        open_store()


def test_a_crawl_of_the_version_before_goes_on(open_store, client):
    store = open_store()
    store.add([page("a.org")])
    client.hdel("t:total", "crawl")
    again = open_store()
    assert len(again.take(NOW, 1)) == 1
    assert open_store().session.crawl == again.session.crawl != store.session.crawl


# -- leases ----------------------------------------------------------------------------------------------------


def test_what_a_silent_worker_had_comes_back_after_its_deadline_and_its_site_waits_its_delay(open_store):
    alive, silent = open_store(), open_store()
    alive.add([page("a.org")])
    (lease,) = silent.take(NOW, 1)
    pulse(alive, start=NOW, seconds=LEASE - 10)
    assert alive.counts().leased == 1
    pulse(alive, start=NOW + LEASE - 10, seconds=20)
    assert (alive.counts().leased, alive.counts().waiting) == (0, 1)
    back = NOW + LEASE
    assert alive.take(back + DELAY - 1, 1) == []
    (again,) = alive.take(back + DELAY + 10, 1)
    assert again.url == lease.url
    assert again.id != lease.id


def test_no_lease_of_a_dead_worker_is_left_however_many_it_had(open_store):
    alive, dead = open_store(), open_store()
    alive.add([page(f"{n}.org") for n in range(3_000)])
    while dead.take(NOW, 500):
        pass
    assert alive.counts().leased == 3_000
    pulse(alive, start=NOW, seconds=LEASE + 10)
    for _ in range(200):
        alive.session.renew(NOW + LEASE + 20)
    assert (alive.counts().leased, alive.counts().waiting) == (0, 3_000)


def test_a_silence_of_redis_kills_no_worker(open_store):
    first, second = open_store(), open_store()
    first.add([page("a.org")])
    second.take(NOW, 1)
    late = NOW + 10 * LEASE
    assert first.session.renew(late)
    assert second.session.renew(late + 1)
    assert first.counts().leased == 1


def test_a_worker_that_never_comes_back_after_a_silence_is_dead_all_the_same(open_store):
    first, second = open_store(), open_store()
    first.add([page("a.org")])
    second.take(NOW, 1)
    late = NOW + 10 * LEASE
    pulse(first, start=late, seconds=LEASE)
    assert first.counts().leased == 0
    assert not second.session.renew(late + LEASE)


def test_a_worker_that_was_taken_for_dead_is_given_nothing_until_it_joins_again(open_store):
    alive, sleeper = open_store(), open_store()
    alive.add([page("a.org"), page("b.org")])
    (lease,) = sleeper.take(NOW, 1)
    pulse(alive, start=NOW, seconds=LEASE + 10)
    woken = NOW + LEASE + DELAY + 20
    assert sleeper.take(woken, 5) == []
    assert not sleeper.session.renew(woken)
    before = sleeper.session.worker
    sleeper.session.join(woken)
    assert sleeper.session.worker != before
    assert {found.site for found in sleeper.take(woken, 5)} == {"a.org", "b.org"}
    sleeper.finish(lease, DONE, woken)
    assert sleeper.site(lease.site).visits == 1, "the late visit is charged to its site"
    assert sleeper.counts().ends == {}
    assert balances(sleeper)


def test_a_visit_that_ends_after_its_lease_was_given_to_another_makes_the_site_wait(open_store):
    alive, sleeper = open_store(), open_store()
    alive.add([page("a.org", 1), page("a.org", 2)])
    (lease,) = sleeper.take(NOW, 1)
    pulse(alive, start=NOW, seconds=LEASE + 10)
    late = NOW + LEASE + DELAY + 20
    sleeper.finish(lease, DONE, late)
    assert alive.take(late + DELAY - 1, 1) == []
    assert len(alive.take(late + DELAY, 1)) == 1


def test_trouble_that_comes_after_its_lease_was_given_to_another_does_not_count_and_what_it_asked_for_does(open_store):
    alive, sleeper = open_store(), open_store()
    alive.add([page("a.org")])
    (lease,) = sleeper.take(NOW, 1)
    pulse(alive, start=NOW, seconds=LEASE + 10)
    late = NOW + LEASE + DELAY + 20
    sleeper.finish(lease, Outcome(End.AGAIN, response_time=0.1, trouble=Trouble.THROTTLED, retry_after=300.0), late)
    told = alive.site("a.org")
    assert (told.troubles, told.level, told.visits) == (0, 0, 1)
    assert alive.take(late + 299, 1) == []
    # What is requested now is the first attempt, and its trouble would be the first.
    (again,) = alive.take(late + 300, 1)
    assert (again.attempt, again.troubles) == (0, 0)


def test_leases_that_a_lost_answer_told_of_come_back_at_once_and_those_that_are_known_stay(store):
    store.add([page("a.org"), page("b.org")])
    known, lost = store.take(NOW, 2)
    del store.leases.held[lost.id]
    assert store.session.return_strays(list(store.leases.held)) == 1
    assert store.counts().leased == 1
    (again,) = store.take(NOW, 1)
    assert again.url == lost.url
    store.finish(known, DONE, NOW)
    assert balances(store)


def test_leases_whose_end_redis_forgot_come_back_and_their_sites_wait_their_delay(store):
    slow = replace(DONE, crawl_delay=600.0)
    store.add([page("a.org", n) for n in range(2)])
    (first,) = store.take(NOW, 1)
    store.finish(first, slow, NOW)
    later = NOW + 600
    (second,) = store.take(later, 1)
    del store.leases.held[second.id]
    store.session.return_strays(list(store.leases.held), asked=True)
    assert store.take(later + 599, 1) == []
    assert len(store.take(later + 600, 1)) == 1


def test_a_paused_site_whose_lease_is_reaped_stays_paused_and_counts_once(open_store):
    alive, dead = open_store(), open_store()
    alive.add([page("a.org", n) for n in range(3)])
    dead.take(NOW, 1)
    assert alive.pause("a.org")
    pulse(alive, start=NOW, seconds=LEASE + 10)
    counts = alive.counts()
    assert (counts.waiting, counts.leased, counts.shelved, counts.sites) == (3, 0, 3, 0)
    assert alive.pending() == 0
    assert alive.take(NOW + 1_000, 1) == []
    alive.resume("a.org")
    assert len(alive.take(NOW + 1_000, 1)) == 1


# -- what is spoiled ------------------------------------------------------------------------------------------


def test_a_spoiled_site_does_not_unbalance_the_counts_of_those_taken_before_it(open_store, client):
    store = open_store()
    store.add([page(f"{n}.org") for n in range(5)])
    client.set("t:site:2.org", b"\x93\x01\x02\x03")
    with pytest.raises(FrontierError, match="SPOILED"):
        store.take(NOW, 5)
    held = client.hlen(f"t:leases:{store.session.worker}")
    assert held == 2
    counts = store.counts()
    assert (counts.leased, counts.waiting) == (held, 5 - held)
    assert store.session.return_strays(list(store.leases.held)) == held
    assert (store.counts().leased, store.counts().waiting) == (0, 5)


def test_a_spoiled_list_takes_no_url_with_it(open_store, client):
    store = open_store()
    store.add([page("a.org", 1, parent="http://a.org/x")])
    store.add([page("a.org", 2, parent="http://a.org/y")])
    good = client.lindex("t:q:1:a.org", 1)
    client.lset("t:q:1:a.org", 1, b"?")
    with pytest.raises(FrontierError):
        store.take(NOW, 1)
    client.lset("t:q:1:a.org", 1, good)
    (lease,) = store.take(NOW, 1)
    assert lease.url == "http://a.org/1"
    assert balances(store)


@pytest.mark.parametrize(
    "rubbish", [b"", b"\xc1", b"\x81\xa1a", b"cos\nsystem\n(S'true'\ntR.", b"\xdd\xff\xff\xff\xff"]
)
def test_a_site_that_is_no_site_is_told_in_one_sentence(open_store, client, rubbish):
    store = open_store()
    store.add([page("a.org")])
    client.set("t:site:a.org", rubbish)
    for ask in (lambda: store.site("a.org"), lambda: store.take(NOW, 1), lambda: store.add([page("a.org", 2)])):
        with pytest.raises(FrontierError, match="cannot be used"):
            ask()
    assert store.counts().seen == 1


def test_a_redis_that_takes_no_writes_for_a_while_is_away_and_not_broken(open_store, client):
    store = open_store()
    client.config_set("maxmemory", 1)
    with pytest.raises(FrontierError) as full:
        store.add([page("a.org")])
    assert is_away(full.value)
    client.config_set("maxmemory", 0)
    client.replicaof("127.0.0.1", 1)
    with pytest.raises(FrontierError) as follows:
        store.add([page("a.org")])
    assert is_away(follows.value)
    client.replicaof("NO", "ONE")
    store.add([page("b.org")])
    assert store.counts().seen == 1


def test_another_layout_is_refused_before_anything_is_written(open_store, client):
    client.hset("t:total", "layout", "0")
    before = client.hgetall("t:total")
    with pytest.raises(FrontierError, match="layout '0'"):
        open_store()
    assert client.hgetall("t:total") == before
    assert not client.exists("t:workers")


def test_another_order_is_refused_while_urls_wait_and_welcome_when_none_does(open_store):
    store = open_store()
    store.add([page("a.org")])
    with pytest.raises(FrontierError, match="order"):
        open_store(policy=replace(POLICY, order=Levels(4)))
    (lease,) = store.take(NOW, 1)
    store.finish(lease, DONE, NOW)
    open_store(policy=replace(POLICY, order=Levels(4)))


def test_scripts_that_redis_forgot_are_handed_over_again(store, client):
    store.add([page("a.org")])
    client.script_flush()
    assert len(store.take(NOW, 1)) == 1


# -- seen -----------------------------------------------------------------------------------------------------


def _bucketed(client):
    return {int(key) for bucket in client.scan_iter("t:seen:*") for key in client.smembers(bucket)}


@given(batches=st.lists(st.lists(st.integers(0, 2_500), max_size=400), max_size=8), pruned=st.integers(0, 2_000))
def test_what_is_seen_is_what_a_set_would_say_over_all_splits(redis_server, batches, pruned):
    client = redis.Redis.from_url(redis_server)
    client.flushall()
    store = RedisFrontier(client, "t", POLICY, NOW, random.Random(1), settings=StoreSettings(told=True))
    seen = set()
    for batch in batches:
        store.recent.clear()
        added = store.add([page("a.org", n) for n in batch])
        fresh = {f"http://a.org/{n}" for n in batch} - seen
        seen |= fresh
        assert (added.new, added.known) == (len(fresh), len(batch) - len(fresh))
    gone = store.prune(pruned)
    assert gone == max(len(seen) - pruned, 0)
    store.recent.clear()
    every = [f"http://a.org/{n}" for n in range(2_501)]
    unknown = set(store.unknown(every))
    assert len(unknown) == len(every) - len(seen) + gone
    assert unknown.isdisjoint(seen) or gone
    assert _bucketed(client) == {url_key(url) for url in every if url not in unknown}
    assert balances(store)
    client.close()


def _bytes(client):
    return sum(len(element) for key in client.scan_iter("t:q:*") for element in client.lrange(key, 0, -1))


STEPS = st.one_of(
    st.tuples(st.just("add"), st.lists(st.integers(0, 300), max_size=100)),
    st.tuples(st.just("visit"), st.sampled_from(End)),
    st.tuples(st.just("drop"), st.integers(1, 4)),
    st.tuples(st.just("prune"), st.integers(0, 200)),
    st.tuples(st.just("die"), st.none()),
)


@given(steps=st.lists(STEPS, max_size=12))
def test_the_count_of_bytes_is_the_sum_of_what_waits(redis_server, steps):
    client = redis.Redis.from_url(redis_server)
    client.flushall()
    settings = StoreSettings(lease=LEASE, told=True)
    store, now = RedisFrontier(client, "t", POLICY, NOW, random.Random(1), settings=settings), NOW
    for step, what in steps:
        if step == "add":
            store.add([page(f"{n % 3}.org", n, link_class=f"{n % 2}") for n in what])
        elif step == "visit":
            now += DELAY
            for lease in store.take(now, 2):
                store.finish(lease, Outcome(what, state=b"state" * 50, kind=Kind.MEDIA), now)
        elif step == "drop":
            store.drop("1.org", Drop.OPERATOR, lambda url, what=what: int(url.rpartition("/")[2]) % what == 0)
        elif step == "prune":
            store.prune(what)
        else:
            # Another worker gives back what this one had.
            store.take(now, 1)
            now += 2 * LEASE
            store = RedisFrontier(client, "t", POLICY, now, random.Random(1), settings=settings)
        assert store.counts().bytes == _bytes(client)
    client.close()


def test_buckets_stay_in_the_compact_form_and_are_found_after_many_splits(store, client):
    urls = [page(f"{n % 7}.org", n) for n in range(20_000)]
    for start in range(0, len(urls), 1_000):
        store.add(urls[start : start + 1_000])
    kinds = {client.object("encoding", key) for key in client.scan_iter("t:seen:*")}
    assert kinds == {b"intset"}
    store.recent.clear()
    assert store.unknown([one.url for one in urls] + ["http://new.org/"]) == ["http://new.org/"]
    assert store.add(urls).new == 0


# -- rows -----------------------------------------------------------------------------------------------------

_TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
_EVIDENCE = st.builds(
    Evidence,
    via=_TEXT,
    anchor=_TEXT,
    page_title=_TEXT,
    feed_url=_TEXT,
    guid=_TEXT,
    requested_url=_TEXT,
    page_language=_TEXT,
    page_charset=_TEXT,
    facts=_TEXT,
    path=_TEXT,
)
_CANDIDATE = st.builds(
    Candidate,
    url=st.text(st.characters(exclude_categories=()), min_size=1, max_size=60),
    site=st.just("a.org"),
    link_class=st.just("p"),
    kind=st.sampled_from(Kind),
    depth=st.integers(0, 2**31),
    hops=st.integers(0, 10),
    parent=_TEXT,
    score=st.just(0.0),
    evidence=_EVIDENCE,
)


@given(first=_CANDIDATE, others=st.lists(st.tuples(st.text(min_size=1, max_size=20), _TEXT, _TEXT), max_size=5))
def test_rows_of_any_candidates_of_a_page_come_out_as_they_went_in(first, others):
    group = [first] + [
        replace(first, url=f"{first.url[:9]}{url}", evidence=replace(first.evidence, anchor=anchor, guid=guid))
        for url, anchor, guid in others
    ]
    assert len({page_of(one) for one in group}) == 1
    shared, rows = pack_rows(group)
    assert [read_row("a.org", "p", shared, row).found for row in rows] == group


@given(found=st.lists(_CANDIDATE, max_size=4, unique_by=lambda one: one.url), state=st.binary(max_size=300))
def test_any_candidate_goes_through_redis_and_comes_back_whole_after_a_visit_that_goes_on(redis_server, found, state):
    client = redis.Redis.from_url(redis_server)
    client.flushall()
    store = RedisFrontier(client, "t", POLICY, NOW, random.Random(1), settings=StoreSettings(told=True))
    assert store.add(found).new == len(found)
    on = Outcome(End.CONTINUE, response_time=0.1, state=state, kind=Kind.MEDIA)
    wanted = {one.url: one for one in found}
    now = NOW
    while wanted:
        (lease,) = store.take(now, 1)
        one = wanted.pop(lease.url)
        assert (lease.evidence, lease.parent, lease.depth, lease.hops, lease.kind) == (
            *(one.evidence, one.parent, one.depth, one.hops, one.kind),
        )
        store.finish(lease, on, now)
        (again,) = store.take(now + DELAY, 1)
        assert (again.url, again.state, again.kind, again.evidence) == (one.url, state, Kind.MEDIA, one.evidence)
        store.finish(again, DONE, now + DELAY)
        now += 2 * DELAY
    assert balances(store)
    assert store.pending() == 0
    client.close()


def test_rows_that_were_written_before_paths_were_kept_are_read(store, client):
    store.add([page("a.org", 1, parent="http://a.org/", evidence=Evidence("a", "Lied"))])
    (element,) = client.lrange("t:q:1:a.org", 0, -1)
    shared, _ = msgpack.unpackb(element[8:], raw=True)
    assert len(msgpack.unpackb(shared)) == 10
    (lease,) = store.take(NOW, 1)
    assert lease.evidence == Evidence("a", "Lied")


def test_the_path_that_links_of_a_page_share_is_written_once():
    alone, whole = (
        pack_rows([page("a.org", n, evidence=Evidence(anchor="A link", path=path)) for n in range(60)])
        for path in ("", "main/ul.episodes/li/a")
    )
    assert len(whole[0]) == len(alone[0]) + len("main/ul.episodes/li/a") + 1
    assert whole[1] == alone[1]


@given(shared=st.binary(max_size=60), row=st.binary(max_size=60))
def test_rows_that_nobody_wrote_are_told_as_such(shared, row):
    with pytest.raises(SpoiledError):
        read_row("a.org", "p", shared, row)


_ODD_NAMES = {
    "colons": "q:1:a.org",
    "spaces": "a: b  c",
    "surrogate": "Ä\ud800\U0001f600",
    "long": "x" * 20_000,
    "empty": "",
    "other": "other",
    "pattern": "*[?]",
    "nul": "\x00",
}


@pytest.mark.parametrize("name", _ODD_NAMES.values(), ids=_ODD_NAMES)
def test_classes_of_odd_names_are_classes_like_others(store, name):
    store.add([page("a.org", 1, name), page("a.org", 2, "plain")])
    store.set_scores("a.org", {name: 0.9})
    (lease,) = store.take(NOW, 1)
    assert (lease.link_class, lease.url) == (name, "http://a.org/1")
    store.finish(lease, DONE, NOW)
    assert [found[0] for found in store.site("a.org").classes] == [name, "plain"]


@pytest.mark.parametrize("site", ["[2001:db8::1]", "1.2.3.4", "a:b", "1:a.org", "site", "x" * 300])
def test_sites_of_odd_names_are_sites_like_others(store, site):
    store.add([Candidate("http://h/1", site, "p"), Candidate("http://h/2", "a.org", "p")])
    assert {lease.site for lease in store.take(NOW, 5)} == {site, "a.org"}
    assert store.sites_under() == sorted([site, "a.org"])


# -- elements of many rows ------------------------------------------------------------------------------------


def test_of_classes_of_one_rank_the_one_that_was_found_first_goes_first(store):
    store.add([page("a.org", 1, "z"), page("a.org", 2, "a"), page("a.org", 3, "z")])
    now, out = NOW, []
    while leases := store.take(now, 1):
        out.append(leases[0].url[-1])
        store.finish(leases[0], DONE, now)
        now += DELAY
    assert out[0] == "1"
    assert out.index("1") < out.index("3")


def test_urls_of_one_page_go_out_in_their_order_and_a_part_of_them_can_be_dropped(store):
    store.add([page("a.org", n) for n in range(150)])
    now, out = NOW, []
    for _ in range(5):
        (lease,) = store.take(now, 1)
        out.append(lease.url)
        store.finish(lease, DONE, now)
        now += DELAY
    (held,) = store.take(now, 1)
    gone = store.drop("a.org", Drop.OPERATOR, lambda url: int(url.rpartition("/")[2]) % 2 == 0)
    store.finish(held, Outcome(End.RETURNED, asked=False), now)
    while leases := store.take(now, 1):
        out.append(leases[0].url)
        store.finish(leases[0], DONE, now)
        now += DELAY
    left = [n for n in range(150) if n <= 5 or n % 2]
    assert out == [f"http://a.org/{n}" for n in left]
    assert gone == 150 - len(left)
    assert balances(store)
    assert store.site("a.org").waiting == 0


def test_prune_of_two_workers_at_once_forgets_nothing_twice(open_store):
    first, second = open_store(), open_store()
    first.add([page(f"{n}.org", i) for n in range(20) for i in range(10)])
    gone = 0
    for limit in range(190, 90, -10):
        gone += first.prune(limit) + second.prune(limit - 5)
        first.take(NOW, 1)
    counts = first.counts()
    assert counts.seen == 200 - gone
    assert balances(first)


def test_a_worker_that_prunes_for_long_says_that_it_lives(store):
    store.add([page(f"{n}.org") for n in range(2_500)])
    breaths = []
    store.session.breathe = lambda: breaths.append(1)
    store.prune(2_499)
    assert len(breaths) >= 3


def test_drop_while_others_take_loses_and_doubles_nothing(open_store):
    first, second = open_store(), open_store()
    first.add([page("a.org", n, parent=f"http://a.org/{n // 3}") for n in range(900)])
    taken = []

    def which(url):
        # The other one is at work while this one reads.
        if len(taken) < 3 and url.endswith("50"):
            (lease,) = second.take(NOW + len(taken) * DELAY, 1)
            second.finish(lease, DONE, NOW + len(taken) * DELAY)
            taken.append(lease.url)
        return True

    gone = first.drop("a.org", Drop.OPERATOR, which)
    assert gone + len(taken) == 900
    assert first.counts().ends == {"operator": gone, "done": len(taken)}
    assert (first.counts().waiting, first.pending()) == (0, 0)


@pytest.mark.slow
def test_a_hundred_thousand_urls_on_one_site_are_as_quick_to_take_as_one(store, client):
    urls = [page("a.org", n) for n in range(100_000)]
    for start in range(0, len(urls), 5_000):
        store.add(urls[start : start + 5_000])
    (lease,) = store.take(NOW, 1)
    store.finish(lease, DONE, NOW)
    assert client.strlen("t:site:a.org") < 500
    assert (store.counts().waiting, store.site("a.org").waiting) == (99_999, 99_999)


# -- scores, and revisits -----------------------------------------------------------------------------------


def test_scores_that_change_nothing_write_nothing(store, client):
    store.add([page("a.org")])
    before = client.get("t:site:a.org")
    client.set("t:site:a.org", before, ex=1_000)
    store.set_scores("a.org", {"p": 0.3, "nowhere": 1.0})
    assert client.ttl("t:site:a.org") > 0, "a write would have taken the deadline away"
    store.set_scores("a.org", {"p": 0.31})
    assert client.ttl("t:site:a.org") == -1


def test_of_two_workers_that_let_a_url_join_once_more_one_succeeds(open_store):
    first, second = open_store(), open_store()
    first.add([page("a.org")])
    (lease,) = first.take(NOW, 1)
    first.finish(lease, DONE, NOW)
    assert (second.rejoin(page("a.org")), first.rejoin(page("a.org"))) == (True, False)
    assert (first.counts().again, first.counts().waiting) == (1, 1)


def test_a_visit_anew_of_a_dead_worker_is_made_by_another_and_waits_once(open_store, client):
    alive, silent = open_store(), open_store()
    alive.add([page("a.org")])
    (lease,) = alive.take(NOW, 1)
    alive.finish(lease, DONE, NOW)
    assert alive.rejoin(page("a.org", link_class="again"))
    assert len(silent.take(NOW + DELAY, 1)) == 1
    pulse(alive, start=NOW + DELAY, seconds=LEASE + 10)
    assert not alive.rejoin(page("a.org", link_class="again"))
    (anew,) = alive.take(NOW + LEASE + 4 * DELAY, 1)
    alive.finish(anew, DONE, NOW + LEASE + 4 * DELAY)
    assert alive.counts().ends == {"done": 2}
    assert client.scard("t:again") == 0
    assert balances(alive)


def test_a_frontier_with_visits_anew_is_sound_and_says_where_they_wait(open_store):
    store = open_store()
    store.add([page("a.org", n) for n in range(30)])
    now = NOW
    for n in range(20):
        (lease,) = store.take(now, 1)
        store.finish(lease, DONE, now)
        assert store.rejoin(page("a.org", n, "again", score=0.1))
        now += DELAY
    assert store.prune(25) == 5
    assert store.drop("a.org", Drop.OPERATOR, lambda url: url.endswith("7")) == 2
    assert balances(store)
    store.close()
    operator = open_store(works=False)
    assert check_redis(operator, lambda _: None)[0] == []
    with RedisReader(operator) as reader:
        where = reader.where("http://a.org/3", "a.org", "p")
        assert (where.known, where.link_class, where.before) == (True, "again", 3)
        assert reader.overview(now).again == operator.counts().again == 15


# -- end of a crawl -------------------------------------------------------------------------------------------


def test_a_larger_budget_brings_retired_sites_back_for_all_workers(open_store):
    small = replace(POLICY, budget=1)
    first = open_store(policy=small)
    first.add([page("a.org", n) for n in range(3)])
    (lease,) = first.take(NOW, 1)
    first.finish(lease, DONE, NOW)
    assert (first.pending(), first.counts().shelved_sites) == (0, (0, 1))
    second = open_store(NOW + DELAY, policy=replace(POLICY, budget=3))
    assert (second.pending(), second.counts().shelved_sites) == (2, (0, 0))
    assert len(second.take(NOW + DELAY, 1)) == 1


def test_an_operator_s_look_takes_no_place_among_the_workers(open_store, client):
    worker = open_store()
    operator = open_store(works=False)
    assert operator.session.worker == 0
    assert client.zcard("t:workers") == 1
    worker.add([page("a.org")])
    assert operator.take(NOW, 1) == []
    assert operator.counts().waiting == 1
