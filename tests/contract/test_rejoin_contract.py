"""URLs that are added again after they have ended: in any store each waits once, and is counted."""

import pytest
from contract_kit import DELAY, NOW, balances, done, kill, page, visit
from settled import SettledWorker

from mediacrawl.base.terms import Drop, End, Evidence, Outcome
from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.redis.store import RedisFrontier
from mediacrawl.politeness.delay import DelayPolicy


def test_a_url_that_has_ended_may_join_once_more_and_waits_once(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    visit(frontier, NOW)
    anew = page("http://a.org/1", link_class="again", score=0.9, evidence=Evidence("hub", path="main/a"), depth=2)
    assert frontier.rejoin(anew)
    assert not frontier.rejoin(anew)
    assert frontier.add([anew]).known == 1
    assert (frontier.counts().seen, frontier.counts().again, frontier.pending()) == (2, 1, 2)
    (lease,) = frontier.take(NOW + DELAY, 5)
    assert (lease.url, lease.link_class, lease.evidence, lease.depth, lease.attempt) == (
        *("http://a.org/1", "again", anew.evidence, 2, 0),
    )
    assert not frontier.rejoin(anew), "it is out"
    frontier.finish(lease, Outcome(End.AGAIN), NOW + DELAY)
    assert not frontier.rejoin(anew), "it waits again"
    assert balances(frontier)
    (lease,) = frontier.take(NOW + 2 * DELAY, 5)
    frontier.finish(lease, Outcome(End.CONTINUE, state=b"half"), NOW + 2 * DELAY)
    (lease,) = frontier.take(NOW + 3 * DELAY, 5)
    assert (lease.url, lease.state) == ("http://a.org/1", b"half")
    frontier.finish(lease, done(), NOW + 3 * DELAY)
    assert frontier.counts().ends == {"done": 2}
    assert balances(frontier)
    assert frontier.rejoin(anew), "it has ended anew"
    assert frontier.counts().again == 2
    assert balances(frontier)


@pytest.mark.parametrize("most", [2, 5, 256])
def test_on_a_site_of_many_classes_there_is_room_for_what_joins_once_more(make, most):
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0, classes=most))
    frontier.add([page("http://a.org/1", link_class="first", score=1.0)])
    visit(frontier, NOW)
    frontier.add([page(f"http://a.org/x{n}", link_class=f"a.org/c{n}/", score=0.1) for n in range(most + 5)])
    assert frontier.rejoin(page("http://a.org/1", link_class="again", score=0.9))
    frontier.add([page(f"http://a.org/y{n}", link_class=f"a.org/d{n}/", score=0.1) for n in range(5)])
    scores = {name: score for name, score, waiting in frontier.site("a.org").classes if waiting}
    assert scores["again" if most < 256 else "other"] == 0.9
    assert len(frontier.site("a.org").classes) <= 256
    if most < 256:
        assert scores["other"] == 0.1
        (lease,) = frontier.take(NOW, 1)
        assert lease.url == "http://a.org/1"


def test_what_was_never_accepted_cannot_join_once_more(frontier):
    frontier.add([page("http://a.org/1")])
    assert not frontier.rejoin(page("http://a.org/2"))
    assert not frontier.rejoin(page("http://b.org/1"))
    assert frontier.site("b.org") is None
    assert frontier.unknown(["http://a.org/2"]) == ["http://a.org/2"]
    assert (frontier.pending(), frontier.counts().again) == (1, 0)


def test_the_score_of_a_url_that_joins_once_more_is_the_new_one_of_its_class(frontier):
    frontier.add([page("http://a.org/1", link_class="again", score=0.3), page("http://b.org/1", score=0.5)])
    frontier.add([page("http://a.org/2", link_class="again")])
    visit(frontier, NOW)
    assert frontier.rejoin(page("http://a.org/1", link_class="again", score=0.9))
    frontier.add([page("http://b.org/2")])
    assert frontier.site("a.org").classes[0][:2] == ("again", 0.9)
    frontier.rejoin(page("http://b.org/1", link_class="poor", score=0.1))
    (first, second) = frontier.take(NOW + DELAY, 5)
    assert (first.url, second.url) == ("http://a.org/2", "http://b.org/2")
    frontier.rejoin(page("http://a.org/9", link_class="again", score=0.1))
    assert frontier.site("a.org").classes[0][:2] == ("again", 0.9), "that one did not join"


def test_a_poor_score_of_one_that_joins_once_more_puts_its_class_behind(frontier):
    frontier.add([page(f"http://a.org/{n}", link_class="again", score=0.9) for n in range(3)])
    frontier.add([page("http://b.org/1", score=0.5)])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, done(asked=False), NOW)
    assert frontier.rejoin(page(lease.url, link_class="again", score=0.1))
    assert [lease.site for lease in frontier.take(NOW, 2)] == ["b.org", "a.org"]


@pytest.mark.parametrize("score", [float("nan"), float("inf")])
def test_a_score_that_is_no_number_counts_for_nothing_when_a_url_joins_once_more(frontier, score):
    frontier.add(
        [page("http://a.org/1", score=0.5), page("http://a.org/2", score=0.5), page("http://b.org/1", score=0.1)]
    )
    visit(frontier, NOW)
    assert frontier.rejoin(page("http://a.org/1", score=score))
    assert frontier.site("a.org").classes == (("a.org/", 0.0, 2),)


def test_a_site_wakes_for_a_url_that_joins_once_more_and_still_gets_its_delay(frontier):
    frontier.add([page("http://a.org/1")])
    visit(frontier, NOW)
    assert frontier.next_release() is None
    assert frontier.rejoin(page("http://a.org/1"))
    assert frontier.next_release() == NOW + DELAY
    assert frontier.take(NOW + DELAY - 1, 1) == []
    assert len(frontier.take(NOW + DELAY, 1)) == 1


def test_a_url_joins_once_more_while_another_of_its_site_is_out(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    visit(frontier, NOW)
    (lease,) = frontier.take(NOW + DELAY, 1)
    assert frontier.rejoin(page("http://a.org/1", link_class="again"))
    frontier.finish(lease, done(), NOW + DELAY)
    assert [lease.url for lease in frontier.take(NOW + 2 * DELAY, 1)] == ["http://a.org/1"]


def test_a_url_that_joins_a_paused_site_once_more_waits_until_it_is_resumed(frontier):
    frontier.add([page("http://a.org/1")])
    visit(frontier, NOW)
    frontier.pause("a.org")
    assert frontier.rejoin(page("http://a.org/1"))
    counts = frontier.counts()
    assert (counts.waiting, counts.shelved, frontier.pending()) == (1, 1, 0)
    frontier.resume("a.org")
    assert len(frontier.take(NOW + DELAY, 1)) == 1


def test_a_visit_anew_that_is_pruned_is_given_up_and_its_url_stays_known(frontier):
    frontier.add([page(f"http://a.org/{n}", score=0.9) for n in range(4)])
    visit(frontier, NOW)
    assert frontier.rejoin(page("http://a.org/0", link_class="again", score=0.1))
    assert frontier.prune(2) == 2
    assert frontier.unknown([f"http://a.org/{n}" for n in range(4)]) == ["http://a.org/3"]
    assert (frontier.counts().seen, frontier.counts().again) == (3, 0)
    assert balances(frontier)
    assert frontier.rejoin(page("http://a.org/0", link_class="again", score=0.1))
    assert balances(frontier)


def test_a_visit_anew_that_is_dropped_ends_its_url_once_more(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    visit(frontier, NOW)
    frontier.rejoin(page("http://a.org/1"))
    assert frontier.drop("a.org", Drop.OPERATOR) == 2
    assert frontier.counts().ends == {"done": 1, "operator": 2}
    assert balances(frontier)
    assert frontier.rejoin(page("http://a.org/1"))
    assert frontier.rejoin(page("http://a.org/2"))
    assert balances(frontier)


def test_whether_a_url_waits_for_a_visit_anew_is_known_after_a_stop_and_after_a_kill(make):
    frontier = make()
    if frontier.__class__.__name__ == "MemoryFrontier":
        return
    frontier.add([page("http://a.org/1"), page("http://b.org/1"), page("http://c.org/1")])
    visit(frontier, NOW)
    assert frontier.rejoin(page("http://a.org/1", link_class="again"))
    frontier.close()
    frontier = make(now=NOW + DELAY)
    assert not frontier.rejoin(page("http://a.org/1", link_class="again"))
    assert frontier.rejoin(page("http://b.org/1"))
    leases = frontier.take(NOW + DELAY, 2)
    assert {lease.url for lease in leases} == {"http://a.org/1", "http://b.org/1"}
    assert frontier.rejoin(page("http://c.org/1"))
    kill(frontier)
    if isinstance(frontier, SettledWorker | RedisFrontier):
        frontier.close()
    frontier = make(now=NOW + 5 * DELAY)
    assert [frontier.rejoin(page(lease.url, lease.site)) for lease in leases] == [False, False]
    frontier.rejoin(page("http://c.org/1"))
    assert frontier.counts().waiting == 3
    assert balances(frontier)
    asked = [lease.url for turn in range(6) for lease in visit(frontier, NOW + (9 + turn) * DELAY)]
    assert sorted(asked) == ["http://a.org/1", "http://b.org/1", "http://c.org/1"]
    assert balances(frontier)
