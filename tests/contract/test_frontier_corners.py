"""Corners of the frontier in which a review found bugs once."""

import os
import random

import pytest

from mediacrawl.base.terms import Candidate, Drop, End, Outcome
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.sqlite.store import MemoryFrontier, SQLiteFrontier
from mediacrawl.politeness.delay import DelayPolicy

DELAY = DelayPolicy(factor=0, minimum=10, maximum=50, first=10)
NOW = 1_000_000_000.0


def policy(**numbers):
    return FrontierPolicy(**{"explore": 0.0, "delay": DELAY, **numbers})


def page(site, n, link_class="p", score=0.3):
    return Candidate(f"http://{site}/{n}", site, link_class, score=score)


def opened(tmp, now=NOW, **k):
    return SQLiteFrontier(tmp / "frontier.db", policy(**k), now, random.Random(1))


def kill(store):
    """As a SIGKILL: file at its last commit."""
    store._db.rollback() if store._db.in_transaction else None
    store._db.close()
    os.close(store._lock)
    store._closed = True


DONE = Outcome(End.DONE, response_time=0.1)


@pytest.fixture(params=["sqlite", "memory"])
def any_store(request, tmp_path):
    def make(**k):
        return opened(tmp_path, **k) if request.param == "sqlite" else MemoryFrontier(policy(**k), random.Random(1))

    return make


def test_pausing_a_retired_site_counts_once(any_store):
    store = any_store(budget=1)
    store.add([page("a.org", i) for i in range(5)] + [page("b.org", i) for i in range(5)])
    for lease in store.take(NOW, 5):
        store.finish(lease, DONE, NOW)
    store.take(NOW + 11, 5)
    assert store.site("a.org").state == "retired"
    store.pause("a.org")
    counts = store.counts()
    assert (counts.shelved, counts.shelved_sites, store.pending()) == (8, (1, 1), 0)


def test_a_paused_site_with_a_lease_at_a_kill_is_not_pending(tmp_path):
    store = opened(tmp_path)
    store.add([page("a.org", i) for i in range(3)])
    store.take(NOW, 1)
    store.pause("a.org")
    store.commit()
    kill(store)
    store = opened(tmp_path)
    assert store.next_release() is None
    assert store.pending() == 0, store.counts()


def test_a_ready_site_keeps_its_best_rank_when_a_poor_link_joins(any_store):
    store = any_store()
    store.add([page("w.org", 0)])
    store.finish(store.take(NOW, 1)[0], DONE, NOW)  # the store knows the time
    store.add([page("a.org", 1, "media", 1.0)])
    store.add([page("b.org", 1, "feed", 0.7)])
    store.add([page("a.org", 2, "page", 0.3)])
    assert [lease.site for lease in store.take(NOW + 1, 1)] == ["a.org"]


def test_a_linked_site_is_not_put_behind_again_by_each_link(any_store):
    store = any_store()
    store.add([page("w.org", 0)])
    store.finish(store.take(NOW, 1)[0], Outcome(End.DONE, asked=False), NOW)
    store.add([page("a.org", 0)])
    asked = []
    for i in range(1, 50):
        store.add([page(f"s{i}.org", 0), page("a.org", i)])
        (lease,) = store.take(NOW + i, 1)
        asked.append(lease.site)
        store.finish(lease, DONE, NOW + i)
    assert "a.org" in asked


def test_a_held_class_does_not_put_the_whole_site_to_sleep(any_store):
    store = any_store()
    store.add([page("a.org", 1, "media", 1.0), page("a.org", 2, "page", 0.3), page("a.org", 3, "page", 0.3)])
    (lease,) = store.take(NOW, 1)
    assert lease.link_class == "media"
    store.finish(lease, Outcome(End.DONE, response_time=0.1, hold=3600), NOW)
    store.add([page("a.org", 4, "media", 1.0)])
    assert store.next_release() == NOW + 10
    assert store.take(NOW + 11, 1)


def test_a_hold_survives_that_many_sites_were_met(any_store):
    store = any_store()
    store.add([page("a.org", 1), page("a.org", 2)])
    (lease,) = store.take(NOW, 1)
    store.add([page(f"s{i}.org", 0) for i in range(2001)])
    store.add([page("a.org", 3)])
    store.finish(lease, Outcome(End.RETURNED, asked=False, hold=3600), NOW)
    got = []
    while leases := store.take(NOW + 20, 100):
        got += [lease.site for lease in leases]
    assert len(got) == 2001
    assert "a.org" not in got


def test_an_idle_site_wakes_after_the_clock_was_set_back(tmp_path):
    store = opened(tmp_path)
    store.add([page("a.org", 1)])
    (lease,) = store.take(NOW, 1)
    store.finish(lease, DONE, NOW)
    store.charge("c.org", DONE, NOW)  # a seed list, or the other crawl's visit
    store.close()
    back = NOW - 30 * 86400
    store = opened(tmp_path, now=back)
    store.add([page("a.org", 2)])
    assert store.next_release() <= back + 3600, store.next_release() - back
    assert store.site("c.org").release <= back + 3600, store.site("c.org").release - back


def test_a_stale_lease_is_ignored(any_store):
    store = any_store()
    store.add([page("a.org", 1), page("a.org", 2)])
    (lease,) = store.take(NOW, 1)
    store.finish(lease, Outcome(End.CONTINUE, response_time=0.1, state=b"x"), NOW)
    store.take(NOW + 11, 1)
    store.finish(lease, DONE, NOW + 12)  # came late
    assert store.counts().leased == 1


def test_a_full_filter_saved_and_loaded_never_says_new(tmp_path):
    store = opened(tmp_path, bloom=100)
    store.add([page("a.org", i) for i in range(1000)])
    store.commit()
    store.prune(10_000)
    store.drop("nobody", Drop.OPERATOR)
    store.drop("a.org", Drop.OPERATOR)  # merges the inbox, as 20,000 URLs would
    store.close()
    store = opened(tmp_path, bloom=100)
    again = store.unknown([f"http://a.org/{i}" for i in range(1000)])
    added = store.add([page("a.org", i) for i in range(1000)])
    assert (again, added.new) == ([], 0)


def test_another_policy_at_opening_does_not_unretire(tmp_path):
    store = opened(tmp_path, budget=1)
    store.add([page("a.org", i) for i in range(5)])
    store.finish(store.take(NOW, 1)[0], DONE, NOW)
    store.take(NOW + 11, 1)
    assert store.site("a.org").state == "retired"
    store.close()
    store = opened(tmp_path, budget=0)
    store.close()  # what recheck does: MediaCrawlClocks.of(folder, replace(policy, budget=0))
    store = opened(tmp_path, budget=1, now=NOW + 100)
    assert store.take(NOW + 100, 1) == []


def test_nan_score(any_store):
    store = any_store()
    store.add([page("a.org", 1)])
    store.set_scores("a.org", {"p": float("nan")})
    store.add([page("a.org", 2)])


def test_what_is_never_asked_does_not_push_out_what_is(any_store):
    store = any_store(budget=1)
    store.add([page("trap.org", i, "media", 1.0) for i in range(101)])
    store.finish(store.take(NOW, 1)[0], DONE, NOW)
    store.take(NOW + 11, 1)
    assert store.site("trap.org").state == "retired"
    store.add([page("b.org", i) for i in range(50)])
    store.prune(100)
    assert store.site("b.org").waiting > 0, "all that can be asked was pruned, what is never asked was kept"


def test_a_poor_held_class_that_fills_does_not_delay_the_wake_up(tmp_path):
    store = opened(tmp_path)
    store.add([page("a.org", 1, "x", 0.9), page("a.org", 2, "y", 0.3)])
    (lease,) = store.take(NOW, 1)
    store.finish(lease, Outcome(End.RETURNED, asked=False, hold=3600), NOW)
    (lease,) = store.take(NOW, 1)
    store.finish(lease, Outcome(End.DROPPED, Drop.ROBOTS, asked=False, hold=60), NOW)
    store.add([page("a.org", 3, "y", 0.3)])  # y is held for 60 s, x for an hour
    assert store.next_release() <= NOW + 60, store.next_release() - NOW


def test_a_crawl_delay_counts_as_soon_as_it_is_told_though_the_visit_has_not_ended(any_store):
    store = any_store()
    store.add([page("a.org", 1), page("a.org", 2)])
    (lease,) = store.take(NOW, 1)
    store.charge("a.org", Outcome(End.DONE, asked=False, crawl_delay=40.0), NOW)
    assert store.site("a.org").crawl_delay == 40.0
    assert store.site("a.org").visits == 0
    store.finish(lease, Outcome(End.CONTINUE, response_time=0.1), NOW)
    assert store.next_release() == NOW + 40


def test_a_crawl_delay_that_was_told_is_waited_for_after_a_kill(tmp_path):
    store = opened(tmp_path)
    store.add([page("a.org", 1)])
    store.take(NOW, 1)
    store.charge("a.org", Outcome(End.DONE, asked=False, crawl_delay=40.0), NOW)
    store.commit()
    kill(store)
    assert opened(tmp_path, now=NOW + 1).next_release() == NOW + 41
