"""New scores of link classes: in any store they change the order of what already waits."""

import random
from collections import Counter

import pytest
from contract_kit import NOW, done, page
from harness import slow

from mediacrawl.frontier import FrontierPolicy
from mediacrawl.politeness.delay import DelayPolicy


def test_a_new_score_changes_the_order_of_what_already_waits(frontier):
    frontier.add([page("http://a.org/1"), page("http://b.org/x", link_class="x"), page("http://b.org/y")])
    frontier.set_scores("b.org", {"b.org/": 2.0, "nowhere": 5.0})
    frontier.set_scores("nowhere.org", {"x": 9.0})
    assert [lease.url for lease in frontier.take(NOW, 1)] == ["http://b.org/y"]


def test_an_even_pick_reaches_a_site_that_is_never_the_best(make):
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.2))
    frontier.add([page(f"http://good.org/{n}", score=1.0) for n in range(100)])
    frontier.add([page("http://poor.org/1")])
    for _ in range(100):
        (lease,) = frontier.take(NOW, 1)
        frontier.finish(lease, done(), NOW)
        if lease.site == "poor.org":
            return
    pytest.fail("100 picks at 20 % even share never reached the poorer site")


def test_a_site_goes_behind_the_others_when_its_best_class_is_found_poor(frontier):
    frontier.add([page("http://a.org/1", score=0.9), page("http://b.org/1", score=0.5), page("http://c.org/1")])
    frontier.set_scores("a.org", {"a.org/": 0.1})
    assert [lease.site for lease in frontier.take(NOW, 3)] == ["b.org", "a.org", "c.org"]


def test_scores_that_come_while_a_site_is_leased_count_when_it_comes_back(frontier):
    frontier.add([page(f"http://a.org/{n}", link_class=f"c{n}", score=0.9 - n / 10) for n in range(3)])
    frontier.add([page("http://b.org/1", score=0.5)])
    (lease,) = frontier.take(NOW, 1)
    frontier.set_scores("a.org", {"c1": 0.1, "c2": 2.0})
    frontier.finish(lease, done(asked=False), NOW)
    assert [lease.url for lease in frontier.take(NOW, 2)] == ["http://a.org/2", "http://b.org/1"]


def test_a_good_score_of_a_class_in_which_nothing_waits_brings_its_site_nothing(frontier):
    frontier.add([page("http://a.org/x", link_class="x", score=0.9), page("http://a.org/y", link_class="y")])
    frontier.add([page("http://b.org/1", score=0.5)])
    (lease,) = frontier.take(NOW, 1)
    assert lease.link_class == "x"
    frontier.finish(lease, done(asked=False), NOW)
    frontier.set_scores("a.org", {"x": 3.0})
    assert [lease.url for lease in frontier.take(NOW, 2)] == ["http://b.org/1", "http://a.org/y"]


def test_scores_of_a_paused_site_count_when_it_is_resumed(frontier):
    frontier.add([page("http://a.org/1", score=0.1), page("http://b.org/1", score=0.5)])
    frontier.pause("a.org")
    frontier.set_scores("a.org", {"a.org/": 0.9})
    assert [lease.site for lease in frontier.take(NOW, 1)] == ["b.org"]
    frontier.resume("a.org")
    assert [lease.site for lease in frontier.take(NOW, 1)] == ["a.org"]


def test_what_is_no_finite_number_is_no_score(frontier):
    frontier.add([page("http://a.org/1", score=0.5), page("http://b.org/1", score=0.4)])
    frontier.set_scores("b.org", {"b.org/": float("inf")})
    frontier.set_scores("a.org", {"a.org/": float("nan")})
    assert frontier.site("b.org").classes == (("b.org/", 0.4, 1),)
    assert [lease.site for lease in frontier.take(NOW, 2)] == ["a.org", "b.org"]


def test_new_scores_outlive_the_process(make):
    frontier = make()
    frontier.add([page("http://a.org/1", score=0.5)])
    frontier.set_scores("a.org", {"a.org/": 0.7})
    frontier.commit()
    frontier.set_scores("a.org", {"a.org/": 0.6})
    frontier.close()
    if frontier.__class__.__name__ != "MemoryFrontier":
        assert make().site("a.org").classes == (("a.org/", 0.6, 1),)


@pytest.mark.parametrize("seed", [0, *slow(1, 2)])
def test_whatever_is_scored_anew_the_best_of_what_waits_goes_next(make, seed):
    dice = random.Random(seed)
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0))
    # No two of a rank, or age would decide.
    free = [2.0**exponent for exponent in dice.sample(range(-200, 200), 400)]
    names = [(f"{site}.org", name) for site in "abcdefgh" for name in "xyz"]
    scores = {name: free.pop() for name in names}
    waiting, leases = Counter(), []
    for step in range(150):
        joining = dice.choices(names, k=3)
        frontier.add([page(f"http://{s}/{step}{c}", link_class=c, score=scores[s, c]) for s, c in set(joining)])
        waiting.update(set(joining))
        site = dice.choice("abcdefgh") + ".org"
        new = {name: free.pop() for name in dice.sample("xyz", 2)} if len(free) > 3 else {}
        known = {name for name, _, _ in info.classes} if (info := frontier.site(site)) else set()
        frontier.set_scores(site, new)
        scores.update({(site, name): score for name, score in new.items() if name in known})
        while len(leases) > 4:
            frontier.finish(leases.pop(dice.randrange(len(leases))), done(), NOW)
        out = {lease.site for lease in leases}
        best = max((name for name in +waiting if name[0] not in out), key=scores.get)
        (lease,) = frontier.take(NOW, 1)
        assert (lease.site, lease.link_class) == best
        waiting[best] -= 1
        leases.append(lease)
