"""What any frontier does, whatever it is kept in."""

from collections import Counter
from dataclasses import replace

import pytest
from contract_kit import DELAY, NOW, POLICY, done, kill, page
from contract_kit import visit as visit_once

from mediacrawl.base.terms import Drop, End, Evidence, Kind, Outcome, SiteState, Trouble
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.order import Levels
from mediacrawl.politeness.delay import DAY, BackoffPolicy, DelayPolicy


def test_an_empty_frontier_has_nothing_to_give_and_no_time_to_wake(frontier):
    assert frontier.take(NOW, 5) == []
    assert frontier.next_release() is None
    assert frontier.pending() == 0


def test_a_url_joins_once_however_often_it_is_found(frontier):
    first = frontier.add([page("http://a.org/1"), page("http://a.org/1"), page("http://a.org/2")])
    again = frontier.add([page("http://a.org/2")])
    assert (first.new, first.known) == (2, 1)
    assert (again.new, again.known) == (0, 1)
    assert frontier.pending() == 2


def test_a_finished_url_never_joins_again(frontier):
    frontier.add([page("http://a.org/1")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, done(), NOW)
    assert frontier.add([page("http://a.org/1")]).known == 1
    assert frontier.pending() == 0


def test_unknown_names_the_urls_never_accepted_in_their_order(frontier):
    frontier.add([page(f"http://a.org/{n}") for n in range(100)])
    asked = [f"http://a.org/{n}" for n in range(98, 170)]
    assert frontier.unknown(asked) == asked[2:]
    assert frontier.unknown([]) == []


def test_a_lease_carries_all_that_was_known_of_the_url(frontier):
    evidence = Evidence("enclosure", "Folge 1: Жизнь", "Seite", "http://a.org/feed", "guid-1", "", "ru", "cp1251")
    frontier.add(
        [page("http://a.org/1.mp3", kind=Kind.MEDIA, depth=3, hops=2, parent="http://a.org/", evidence=evidence)]
    )
    (lease,) = frontier.take(NOW, 1)
    assert (lease.url, lease.site, lease.kind, lease.depth, lease.hops, lease.parent, lease.evidence) == (
        "http://a.org/1.mp3",
        "a.org",
        Kind.MEDIA,
        3,
        2,
        "http://a.org/",
        evidence,
    )
    assert (lease.attempt, lease.state, lease.taken) == (0, b"", NOW)


@pytest.mark.parametrize("facts", ["", '{"title": "Lied"}'])
def test_the_tag_path_of_a_link_stays_with_it_through_its_visits(frontier, facts):
    paths = ["main/ul.episodes/li/a", "nav/a", "", "main/ul.episodes/li/a"]
    frontier.add([page(f"http://a.org/{n}", evidence=Evidence(path=path, facts=facts)) for n, path in enumerate(paths)])
    now, found = NOW, {}
    while leases := frontier.take(now, 1):
        (lease,) = leases
        found[lease.url] = lease.evidence
        end = End.DONE if lease.attempt else End.AGAIN
        frontier.finish(lease, Outcome(end), now)
        now += DELAY
    assert found == {f"http://a.org/{n}": Evidence(path=path, facts=facts) for n, path in enumerate(paths)}


def test_text_that_is_no_unicode_does_not_stop_a_url(frontier):
    frontier.add([page("http://a.org/1", evidence=Evidence(anchor="\ud83d alone"))])
    assert len(frontier.take(NOW, 1)) == 1


def test_a_site_has_one_lease_at_a_time(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2"), page("http://b.org/1")])
    leases = frontier.take(NOW, 10)
    assert sorted(lease.site for lease in leases) == ["a.org", "b.org"]
    assert frontier.take(NOW + 1000, 10) == []
    assert frontier.pending() == 3


def test_a_site_is_not_given_out_before_its_delay_is_over(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, done(), NOW + 3)
    assert frontier.next_release() == NOW + 3 + DELAY
    assert frontier.take(NOW + 3 + DELAY - 0.001, 1) == []
    assert [lease.url for lease in frontier.take(NOW + 3 + DELAY, 1)] == ["http://a.org/2"]


def test_a_url_that_joins_while_its_site_is_leased_waits_for_the_release(frontier):
    frontier.add([page("http://a.org/1")])
    (lease,) = frontier.take(NOW, 1)
    frontier.add([page("http://a.org/2")])
    assert frontier.take(NOW + 99, 1) == []
    frontier.finish(lease, done(), NOW)
    assert frontier.take(NOW, 1) == []
    assert len(frontier.take(NOW + DELAY, 1)) == 1


def test_what_is_asked_again_begins_anew(frontier):
    frontier.add([page("http://a.org/1")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.CONTINUE, state=b"head", kind=Kind.MEDIA), NOW)
    (lease,) = frontier.take(NOW + DELAY, 1)
    frontier.finish(lease, Outcome(End.AGAIN), NOW + DELAY)
    (lease,) = frontier.take(NOW + 2 * DELAY, 1)
    assert (lease.state, lease.kind, lease.attempt) == (b"", Kind.MEDIA, 1)


def test_a_site_that_ran_empty_still_owes_its_delay_when_a_url_joins(frontier):
    frontier.add([page("http://a.org/1")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, done(), NOW)
    frontier.add([page("http://a.org/2")])
    assert frontier.take(NOW + DELAY - 1, 1) == []
    assert len(frontier.take(NOW + DELAY, 1)) == 1


def test_a_crawl_delay_is_waited_for_however_long_it_is(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.DONE, response_time=0.1, crawl_delay=100_000.0), NOW)
    assert frontier.next_release() == NOW + 100_000
    assert frontier.site("a.org").state is SiteState.RESTING


def test_an_end_without_a_request_costs_the_site_nothing(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.DROPPED, Drop.ROBOTS, asked=False), NOW)
    assert [lease.url for lease in frontier.take(NOW, 1)] == ["http://a.org/2"]
    assert frontier.site("a.org").visits == 0


def test_a_hold_keeps_a_site_back_though_nothing_was_asked(frontier):
    frontier.add([page("http://a.org/1")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.RETURNED, asked=False, hold=30.0), NOW)
    assert frontier.take(NOW + 29, 1) == []
    assert len(frontier.take(NOW + 30, 1)) == 1


def test_a_hold_keeps_back_one_class_and_lets_the_others_of_its_site_go_on(frontier):
    frontier.add([page("http://old.a.org/1", "a.org", score=1.0), page("http://old.a.org/2", "a.org", score=1.0)])
    frontier.add([page("http://www.a.org/1", "a.org")])
    (dead,) = frontier.take(NOW, 1)
    assert dead.url == "http://old.a.org/1"
    frontier.finish(dead, Outcome(End.RETURNED, asked=False, hold=1000.0), NOW)
    (live,) = frontier.take(NOW, 1)
    assert live.url == "http://www.a.org/1"
    frontier.finish(live, done(), NOW)
    assert frontier.next_release() == NOW + 1000
    frontier.add([page("http://www.a.org/2", "a.org")])
    assert frontier.next_release() == NOW + DELAY
    (again,) = frontier.take(NOW + DELAY, 1)
    assert again.url == "http://www.a.org/2"
    frontier.finish(again, done(), NOW + DELAY)
    assert [lease.url for lease in frontier.take(NOW + 1000, 1)] == ["http://old.a.org/1"]


def test_an_attempt_counts_only_if_the_site_was_asked(frontier):
    frontier.add([page("http://a.org/1")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.AGAIN, asked=False), NOW)
    (again,) = frontier.take(NOW, 1)
    assert again.attempt == 0


def test_a_request_outside_any_lease_is_charged_to_its_site(frontier):
    frontier.add([page("http://a.org/1")])
    frontier.charge("a.org", done(response_time=0.5), NOW)
    frontier.charge("b.org", done(), NOW)
    frontier.add([page("http://b.org/1")])
    assert frontier.take(NOW + DELAY - 1, 2) == []
    assert len(frontier.take(NOW + DELAY, 2)) == 2
    assert frontier.site("a.org").samples == (0.5,)


def test_a_charge_while_a_site_is_leased_is_not_forgotten(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.charge("a.org", done(), NOW + 5)
    frontier.finish(lease, done(asked=False), NOW + 5)
    assert frontier.next_release() == NOW + 5 + DELAY


def test_a_large_state_comes_back_whole(frontier):
    frontier.add([page("http://a.org/1")])
    state = bytes(range(256)) * 1000
    for visit in range(3):
        (lease,) = frontier.take(NOW + visit * DELAY, 1)
        frontier.finish(lease, Outcome(End.CONTINUE, state=state), NOW + visit * DELAY)
    (lease,) = frontier.take(NOW + 3 * DELAY, 1)
    assert lease.state == state


def test_a_url_tried_again_goes_behind_the_others_and_counts_its_attempts(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.AGAIN), NOW)
    (second,) = frontier.take(NOW + DELAY, 1)
    frontier.finish(second, done(), NOW + DELAY)
    (third,) = frontier.take(NOW + 2 * DELAY, 1)
    assert (lease.url, second.url, third.url, third.attempt) == (
        "http://a.org/1",
        "http://a.org/2",
        "http://a.org/1",
        1,
    )


def test_a_url_that_goes_on_keeps_its_place_and_its_state(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.CONTINUE, state=b"\x00head", kind=Kind.MEDIA, response_time=1.0), NOW)
    (on,) = frontier.take(NOW + DELAY, 1)
    assert (on.url, on.state, on.kind, on.attempt) == ("http://a.org/1", b"\x00head", Kind.MEDIA, 0)


def test_a_returned_lease_comes_first_again_and_at_once(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.RETURNED, asked=False), NOW)
    assert [lease.url for lease in frontier.take(NOW, 1)] == ["http://a.org/1"]


def test_finishing_a_lease_twice_changes_nothing(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, done(), NOW)
    frontier.finish(lease, Outcome(End.AGAIN), NOW + 50)
    assert frontier.pending() == 1
    assert frontier.next_release() == NOW + DELAY


def test_urls_of_a_class_come_out_in_the_order_they_joined(frontier):
    urls = [f"http://a.org/{n}" for n in range(40)]
    frontier.add([page(url) for url in urls])
    out = []
    for visit in range(40):
        (lease,) = frontier.take(NOW + visit * DELAY, 1)
        out.append(lease.url)
        frontier.finish(lease, done(), NOW + visit * DELAY)
    assert out == urls


def test_the_site_with_the_best_class_goes_first_and_in_it_the_best_class(frontier):
    frontier.add(
        [
            page("http://a.org/1", link_class="pages"),
            page("http://b.org/1", link_class="pages"),
            page("http://b.org/1.mp3", link_class="songs", score=1.0),
        ]
    )
    assert [lease.url for lease in frontier.take(NOW, 2)] == ["http://b.org/1.mp3", "http://a.org/1"]


@pytest.mark.parametrize(("explore", "least", "most"), [(0.0, 0, 0), (0.5, 60, 140), (1.0, 200, 200)])
def test_a_lease_says_whether_it_was_picked_by_chance(make, explore, least, most):
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=explore))
    frontier.add([page(f"http://{site}.org/{n}") for site in "abc" for n in range(70)])
    even = 0
    for _ in range(200):
        (lease,) = frontier.take(NOW, 1)
        even += lease.even
        frontier.finish(lease, done(), NOW)
    assert least <= even <= most


def test_a_site_has_at_most_sixty_classes(make):
    frontier = make(FrontierPolicy(delay=POLICY.delay, explore=0.0, classes=5))
    frontier.add([page(f"http://a.org/{n}", link_class=f"a.org/c{n}/#") for n in range(20)])
    assert len(frontier.site("a.org").classes) == 5
    assert frontier.site("a.org").waiting == 20


def test_what_has_no_room_joins_a_class_of_its_folder_depth_extension_and_parameters(make):
    frontier = make(FrontierPolicy(delay=POLICY.delay, explore=0.0, classes=16))
    names = [f"a.org/{folder}/{n}.html?page ul/li/a" for n in range(12) for folder in ("old", "new")]
    frontier.add([page(f"http://a.org/{n}", link_class=name) for n, name in enumerate(names)])
    frontier.add([page(f"http://a.org/x{n}", link_class=f"a.org/x{n}/") for n in range(5)])
    # 12 classes of their own (of 16, less one for the others and 4 - 1 coarse ones), then by folder.
    waiting = {name: waiting for name, _, waiting in frontier.site("a.org").classes}
    assert len(waiting) == 16
    assert waiting["/old 1 .html?page"] + waiting["/new 1 .html?page"] == 24 - 11
    assert (waiting["/x0 1 ."], waiting["/x1 1 ."], waiting["other"]) == (1, 1, 3)


def test_pruning_takes_the_newest_of_the_worst_class_and_forgets_them(frontier):
    frontier.add([page(f"http://a.org/{n}", link_class="poor") for n in range(30)])
    frontier.add([page(f"http://b.org/{n}", link_class="good", score=1.0) for n in range(5)])
    assert frontier.prune(25) == 10
    assert frontier.pending() == 25
    assert frontier.unknown(["http://a.org/29", "http://a.org/20", "http://a.org/19"]) == [
        "http://a.org/29",
        "http://a.org/20",
    ]
    assert frontier.add([page("http://a.org/29", link_class="poor")]).new == 1


def test_the_bytes_of_what_waits_are_counted(frontier):
    assert frontier.counts().bytes == 0
    long = [page(f"http://a.org/{'x' * 2_000}{number}", link_class=f"c{number}") for number in range(20)]
    frontier.add(long)
    frontier.add(long)
    with_long = frontier.counts().bytes
    assert 20 * 2_000 <= with_long <= 20 * 8_200
    frontier.add([page(f"http://b.org/{number}", evidence=Evidence("a", "title " * 30)) for number in range(20)])
    with_all = frontier.counts().bytes
    assert with_long + 20 * 180 <= with_all <= with_long + 20 * 400
    assert frontier.drop("a.org", Drop.OPERATOR) == 20
    assert frontier.counts().bytes == with_all - with_long
    assert frontier.prune(10) == 10
    assert 10 * 180 <= frontier.counts().bytes <= 10 * 400
    for visit_number in range(10):
        visit_once(frontier, NOW + visit_number * DELAY)
    assert frontier.pending() == frontier.counts().bytes == 0


def test_the_bytes_of_what_goes_on_or_comes_back_are_counted(frontier):
    frontier.add([page(f"http://a.org/{number}") for number in range(3)])
    alone = frontier.counts().bytes
    for step, end in enumerate([End.CONTINUE, End.RETURNED, End.AGAIN, End.CONTINUE]):
        (lease,) = frontier.take(NOW + step * DELAY, 1)
        frontier.finish(lease, Outcome(end, state=b"s" * 900, kind=Kind.MEDIA), NOW + step * DELAY)
        if end is not End.AGAIN:
            assert frontier.counts().bytes >= alone + 800
    for step in range(4, 8):
        visit_once(frontier, NOW + step * DELAY)
    assert frontier.counts().bytes == 0


def test_pruning_leaves_a_lease_alone_and_the_frontier_usable(frontier):
    frontier.add([page(f"http://a.org/{n}") for n in range(10)])
    (lease,) = frontier.take(NOW, 1)
    frontier.prune(0)
    frontier.finish(lease, done(), NOW)
    assert frontier.pending() == 0
    assert frontier.next_release() is None
    frontier.add([page("http://a.org/new")])
    assert [lease.url for lease in frontier.take(NOW + DELAY, 1)] == ["http://a.org/new"]


def test_a_paused_site_is_not_asked_until_it_is_resumed(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2"), page("http://b.org/1")])
    assert frontier.pause("a.org")
    assert not frontier.pause("nowhere.org")
    assert [lease.site for lease in frontier.take(NOW, 5)] == ["b.org"]
    frontier.add([page("http://a.org/3")])
    assert frontier.pending() == 1
    counts = frontier.counts()
    assert (counts.waiting, counts.shelved, counts.sites, counts.shelved_sites) == (3, 3, 1, (1, 0))
    assert frontier.site("a.org").state is SiteState.PAUSED
    assert frontier.resume("a.org")
    assert not frontier.resume("a.org")
    assert [lease.site for lease in frontier.take(NOW, 5)] == ["a.org"]
    assert frontier.pending() == 4


def test_what_is_out_when_its_site_is_paused_comes_back_as_usual(frontier):
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    frontier.pause("a.org")
    frontier.finish(lease, Outcome(End.CONTINUE, state=b"half"), NOW)
    assert frontier.take(NOW + 1000, 5) == []
    assert frontier.next_release() is None
    assert (frontier.counts().shelved, frontier.pending()) == (2, 0)
    frontier.resume("a.org")
    (lease,) = frontier.take(NOW + 1000, 5)
    assert (lease.url, lease.state) == ("http://a.org/1", b"half")


def test_a_site_is_retired_when_it_has_had_its_budget(make):
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0, budget=3, earns=2))
    frontier.add([page(f"http://trap.org/{n}") for n in range(50)] + [page(f"http://good.org/{n}") for n in range(50)])
    asked = {"trap.org": 0, "good.org": 0}
    while leases := frontier.take(NOW, 2):
        for lease in leases:
            asked[lease.site] += 1
            earned = lease.site == "good.org" and asked[lease.site] in {1, 3}
            frontier.finish(lease, Outcome(End.DONE, earned=int(earned)), NOW)
    assert asked == {"trap.org": 3, "good.org": 3 + 2 * 2}
    assert frontier.site("trap.org").state is SiteState.RETIRED
    assert frontier.site("good.org").earned == 2
    assert frontier.pending() == 0
    assert frontier.counts().shelved == 47 + 43
    assert frontier.resume("trap.org")
    for _ in range(3):
        (lease,) = frontier.take(NOW, 2)
        frontier.finish(lease, done(), NOW)
    assert frontier.take(NOW, 2) == []


def test_finds_raise_no_budget_beyond_the_most(make):
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0, budget=3, earns=5, most=10))
    frontier.add([page(f"http://generator.org/{n}") for n in range(50)])
    # Resumed, it gets the budget again, and no more, since it had all that finds may bring.
    for asked in (10, 3, 3):
        for _ in range(asked):
            (lease,) = frontier.take(NOW, 2)
            frontier.finish(lease, Outcome(End.DONE, earned=1), NOW)
        assert frontier.take(NOW, 2) == []
        assert frontier.site("generator.org").state is SiteState.RETIRED
        assert frontier.resume("generator.org")


def test_dropping_a_site_ends_all_that_waits_there(frontier):
    frontier.add([page(f"http://a.org/{n}") for n in range(5)] + [page("http://b.org/1")])
    leases = frontier.take(NOW, 2)
    assert frontier.drop("a.org", Drop.OPERATOR) == 4
    assert frontier.drop("nowhere.org", Drop.OPERATOR) == 0
    assert frontier.counts().ends == {"operator": 4}
    assert frontier.add([page("http://a.org/4")]).known == 1
    for lease in leases:
        frontier.finish(lease, Outcome(End.AGAIN), NOW)
    assert frontier.pending() == 2
    assert frontier.counts().seen == 6


def test_sites_of_one_rank_go_in_the_order_in_which_they_became_due(frontier):
    frontier.add([page(f"http://{name}.org/{n}") for name in "abc" for n in range(2)])
    order = []
    for turn in range(6):
        now = NOW + turn * DELAY
        (lease,) = frontier.take(now, 1)
        order.append(lease.site)
        frontier.finish(lease, done(), now)
    assert order == ["a.org", "b.org", "c.org", "a.org", "b.org", "c.org"]


def test_levels_prefer_the_better_and_starve_none(make):
    policy = FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0, order=Levels(4))
    frontier = make(policy)
    for site, score in [("best.org", 1.0), ("good.org", 0.6), ("poor.org", 0.1)]:
        frontier.add([page(f"http://{site}/{n}", score=score) for n in range(400)])
    asked = Counter()
    for _ in range(400):
        (lease,) = frontier.take(NOW, 1)
        asked[lease.site] += 1
        frontier.finish(lease, done(), NOW)
    assert asked["best.org"] > asked["good.org"] > asked["poor.org"] > 10


def test_delays_grow_when_few_sites_of_many_are_left(make):
    delay = DelayPolicy(factor=0, minimum=DELAY, maximum=DELAY, first=DELAY, tail_sites=4, tail_factor=3.0)
    frontier = make(FrontierPolicy(delay=delay, explore=0.0))
    frontier.add([page(f"http://{n}.org/{m}") for n in range(6) for m in range(1 + (n == 0))])
    for lease in frontier.take(NOW, 6):
        frontier.finish(lease, done(), NOW)
    assert frontier.counts().sites == 1
    (lease,) = frontier.take(NOW + DELAY, 1)
    frontier.add([page("http://0.org/9")])
    frontier.finish(lease, done(), NOW + DELAY)
    assert frontier.site("0.org").delay == DELAY * (1 + 2 * 3 / 4)


def test_the_counts_balance_at_every_step(frontier):
    frontier.add([page(f"http://{host}.org/{n}") for host in "abc" for n in range(3)])
    leases = frontier.take(NOW, 3)
    for lease, outcome in zip(
        leases, (done(), Outcome(End.DROPPED, Drop.ROBOTS, asked=False), Outcome(End.AGAIN)), strict=True
    ):
        frontier.finish(lease, outcome, NOW)
        counts = frontier.counts()
        assert counts.seen == counts.waiting + counts.leased + sum(counts.ends.values())
    assert frontier.counts().ends == {"done": 1, "robots": 1}


def test_a_site_can_be_looked_at(frontier):
    assert frontier.site("a.org") is None
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    (lease,) = frontier.take(NOW, 1)
    assert frontier.site("a.org").state is SiteState.LEASED
    frontier.finish(lease, Outcome(End.DONE, response_time=0.25, crawl_delay=40.0), NOW)
    info = frontier.site("a.org")
    assert (info.delay, info.crawl_delay, info.samples, info.visits, info.waiting) == (40.0, 40.0, (0.25,), 1, 1)
    assert info.state is SiteState.WAITING


def test_notes_of_other_rooms_come_back_as_they_went_in(frontier):
    assert frontier.note("robots", "http://a.org") is None
    frontier.set_note("robots", "http://a.org", b"\x00one")
    frontier.set_note("robots", "http://a.org", b"two")
    frontier.set_note("mirrors", "http://a.org", b"three")
    assert frontier.note("robots", "http://a.org") == b"two"


def test_closing_twice_is_harmless(make):
    frontier = make()
    frontier.add([page("http://a.org/1")])
    frontier.take(NOW, 1)
    frontier.close()
    frontier.close()


# -- trouble ------------------------------------------------------------------------------------------------------

LADDER = BackoffPolicy(jitter=0.0, rest_after=3, rest=1_000.0, rest_maximum=4_000.0, retire_after=3_000.0, forbidden=2)
STRICT = replace(POLICY, delay=replace(POLICY.delay, backoff=LADDER))


def fail(frontier, now, trouble=Trouble.TIMEOUT, **fields):
    """Take what may be requested, and let all of it fail."""
    leases = frontier.take(now, 10)
    for lease in leases:
        frontier.finish(lease, Outcome(End.AGAIN, trouble=trouble, blamed=False, **fields), now)
    return leases


def test_a_site_in_trouble_is_asked_less_and_less_often_then_rests_and_says_so(make):
    frontier = make(STRICT)
    frontier.add([page("http://a.org/1")])
    releases, now = [], NOW
    for troubles in range(4):
        (lease,) = fail(frontier, now)
        assert lease.troubles == troubles
        releases.append(frontier.site("a.org").release - now)
        now = frontier.site("a.org").release
    assert releases == [2 * DELAY, 4 * DELAY, 1_000.0, 2_000.0]
    site = frontier.site("a.org")
    assert (site.state, site.trouble, site.troubles, site.since) == (SiteState.RESTING, Trouble.TIMEOUT, 4, NOW)
    assert frontier.take(now - 1, 1) == []
    assert len(frontier.take(now, 1)) == 1


def test_a_crawl_ends_when_all_that_is_left_rests_and_goes_on_at_the_next_start(make):
    frontier = make(STRICT)
    frontier.add([page("http://a.org/1"), page("http://a.org/2"), page("http://b.org/1")])
    now = NOW
    for _ in range(3):
        for lease in frontier.take(now, 10):
            trouble = Trouble.DNS if lease.site == "a.org" else None
            frontier.finish(lease, Outcome(End.AGAIN, response_time=0.1, trouble=trouble, blamed=False), now)
        now += 4 * DELAY
    assert (frontier.counts().resting, frontier.counts().sites, frontier.pending()) == (1, 2, 3)
    assert frontier.drop("b.org", Drop.OPERATOR) == 1
    assert frontier.pending() == 0
    assert frontier.counts().waiting == 2
    frontier.add([page("http://c.org/1")])
    assert frontier.pending() == 3
    frontier.drop("c.org", Drop.OPERATOR)
    release = frontier.next_release()
    frontier.close()
    if frontier.__class__.__name__ == "MemoryFrontier":
        return
    frontier = make(STRICT, now=now)
    assert (frontier.pending(), frontier.counts().resting, frontier.next_release()) == (0, 1, release)
    (probe,) = frontier.take(release, 5)
    assert frontier.pending() == 2
    frontier.finish(probe, done(), release)
    assert (frontier.counts().resting, frontier.pending()) == (0, 1)


@pytest.mark.parametrize("rested", ["broken", "asked for days"])
def test_a_site_whose_rest_is_over_is_waited_for_until_it_was_asked(make, rested):
    frontier = make(STRICT)
    frontier.add([page("http://a.org/1")])
    fields = {"trouble": Trouble.TIMEOUT} if rested == "broken" else {"retry_after": 2 * DAY}
    now = NOW
    while not frontier.counts().resting:
        (lease,) = frontier.take(now, 10)
        frontier.finish(lease, Outcome(End.AGAIN, blamed=False, **fields), now)
        now = frontier.site("a.org").release
    assert frontier.pending() == 0
    for _ in range(2):
        # Its address is not free, as after each start.
        (lease,) = frontier.take(now, 10)
        frontier.finish(lease, Outcome(End.RETURNED, asked=False, wait=5.0), now)
        assert (frontier.counts().resting, frontier.pending()) == (0, 1)
        assert (frontier.site("a.org").state, frontier.site("a.org").release) == (SiteState.WAITING, now + 5)
        if frontier.__class__.__name__ != "MemoryFrontier":
            frontier.close()
            frontier = make(STRICT, now=now)
            assert (frontier.counts().resting, frontier.pending()) == (0, 1)
        now += 5
    (lease,) = frontier.take(now, 10)
    frontier.finish(lease, Outcome(End.AGAIN, blamed=False, **fields), now)
    assert (frontier.counts().resting, frontier.pending()) == (1, 0)
    assert frontier.site("a.org").state is SiteState.RESTING


def test_a_crawl_does_not_stay_for_what_is_held_for_long(make):
    frontier = make()
    frontier.add([page("http://a.org/1"), page("http://b.org/1")])
    for lease, hold in zip(frontier.take(NOW, 2), (3_600.0, 1_200.0), strict=True):
        frontier.finish(lease, Outcome(End.RETURNED, asked=False, hold=hold), NOW)
    assert (frontier.counts().resting, frontier.pending()) == (1, 2)
    frontier.drop("b.org", Drop.OPERATOR)
    assert frontier.pending() == 0
    assert frontier.site("a.org").state is SiteState.RESTING
    frontier.add([page("http://a.org/2", link_class="other")])
    assert (frontier.counts().resting, frontier.pending()) == (0, 2)


def test_a_site_whose_probes_fail_for_too_long_is_retired_and_may_be_resumed(make):
    frontier = make(STRICT)
    frontier.add([page("http://a.org/1"), page("http://a.org/2")])
    now = NOW
    while fail(frontier, now):
        now = max(now, frontier.site("a.org").release)
    site = frontier.site("a.org")
    assert (site.state, site.gone, site.waiting) == (SiteState.RETIRED, True, 2)
    assert now - NOW >= 3_000.0
    assert frontier.pending() == 0
    assert frontier.counts().shelved == 2
    assert frontier.resume("a.org")
    site = frontier.site("a.org")
    assert (site.gone, site.troubles, site.release) == (False, 0, now)
    assert len(frontier.take(now, 5)) == 1


def test_a_site_that_sends_us_away_is_retired(make):
    frontier = make(STRICT)
    frontier.add([page(f"http://a.org/{n}") for n in range(5)])
    now = NOW
    for _ in range(2):
        (lease,) = frontier.take(now, 1)
        dropped = Outcome(End.DROPPED, reason=Drop.HTTP_STATUS, trouble=Trouble.FORBIDDEN, response_time=0.1)
        frontier.finish(lease, dropped, now)
        now += DELAY
    assert frontier.site("a.org").state is SiteState.RETIRED
    assert frontier.take(now, 5) == []


def test_at_a_site_in_trouble_the_url_that_has_waited_longest_goes_next(make):
    frontier = make(STRICT)
    frontier.add([page("http://a.org/page", link_class="pages", score=0.1)])
    frontier.add([page("http://a.org/song", link_class="songs", score=0.9)])
    asked, now = [], NOW
    for _ in range(4):
        asked += [lease.url[-4:] for lease in fail(frontier, now)]
        now = frontier.site("a.org").release
    assert asked == ["song", "page", "song", "page"]


def test_trouble_and_what_a_site_asked_for_survive_a_kill(make):
    frontier = make(STRICT)
    frontier.add([page("http://a.org/1")])
    fail(frontier, NOW, Trouble.THROTTLED, retry_after=777.0)
    if frontier.__class__.__name__ == "MemoryFrontier":
        return
    kill(frontier)
    frontier = make(STRICT, now=NOW + 1)
    site = frontier.site("a.org")
    assert (site.release, site.trouble, site.troubles, site.level) == (NOW + 777.0, Trouble.THROTTLED, 1, 1)


def test_a_site_whose_address_is_not_free_waits_without_having_been_asked(frontier):
    frontier.add([page("http://a.org/1")])
    (lease,) = frontier.take(NOW, 1)
    frontier.finish(lease, Outcome(End.RETURNED, asked=False, wait=2.5), NOW)
    site = frontier.site("a.org")
    assert (site.release, site.visits, site.delay) == (NOW + 2.5, 0, 0.0)
    assert frontier.take(NOW + 2, 1) == []
    assert len(frontier.take(NOW + 2.5, 1)) == 1


# -- dropping a part of a site ------------------------------------------------------------------------------------


def test_only_what_is_meant_is_dropped(frontier):
    frontier.add([page(f"http://a.org/{n}", link_class=f"c{n % 3}") for n in range(30)] + [page("http://b.org/1")])
    (lease,) = frontier.take(NOW, 1)
    gone = frontier.drop("a.org", Drop.NEVERCRAWL, lambda url: url.endswith(("1", "3", "7")))
    assert gone == 9 - lease.url.endswith(("1", "3", "7"))
    assert frontier.counts().ends == {Drop.NEVERCRAWL: gone}
    assert frontier.site("a.org").waiting == 29 - gone
    assert frontier.drop("a.org", Drop.NEVERCRAWL, lambda url: False) == 0
    frontier.finish(lease, done(), NOW)
    assert frontier.drop("a.org", Drop.NEVERCRAWL, lambda url: True) == 29 - gone


def test_sites_below_a_domain_are_listed_in_slices(frontier):
    names = [f"{n:02}.host.example" for n in range(25)]
    frontier.add([page(f"http://{name}/1") for name in [*names, "host.example", "ghost.example", "a.org"]])
    assert frontier.sites_under("host.example") == [*names, "host.example"]
    assert frontier.sites_under("host.example", limit=10) == names[:10]
    assert frontier.sites_under("host.example", after=names[9], limit=10) == names[10:20]
    assert frontier.sites_under() == sorted([*names, "host.example", "ghost.example", "a.org"])
    frontier.drop("host.example", Drop.OPERATOR)
    assert frontier.sites_under("host.example") == names
    assert frontier.sites_under("nowhere.example") == []


def test_finds_that_a_site_led_to_raise_its_budget_also_when_it_is_retired(make):
    frontier = make(FrontierPolicy(delay=DelayPolicy(0, 0, 0, 0), explore=0.0, budget=2, earns=2))
    frontier.add([page(f"http://a.org/{number}") for number in range(9)])
    for number in range(2):
        visit_once(frontier, NOW + number)
    assert frontier.site("a.org").state is SiteState.RETIRED
    led_on = Outcome(End.DONE, asked=False, earned=1)
    frontier.charge("a.org", led_on, NOW + 2)
    site = frontier.site("a.org")
    assert (site.state, site.earned, site.visits) == (SiteState.READY, 1, 2)
    frontier.charge("a.org", led_on, NOW + 3)
    for number in range(4):
        visit_once(frontier, NOW + 4 + number)
    assert frontier.site("a.org").state is SiteState.RETIRED
    assert frontier.pending() == 0
