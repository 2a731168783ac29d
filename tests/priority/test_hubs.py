"""Which pages come back, when, and what is left of that after a restart or at another worker."""

import time
from bisect import bisect_right
from collections import deque
from concurrent.futures import Future
from dataclasses import replace
from math import exp, inf, nan
from random import Random
from unittest.mock import patch

import msgpack
import pytest
import redis
from hypothesis import example, given
from hypothesis import strategies as st

from mediacrawl.base.notes import NoNotes
from mediacrawl.base.terms import Kind
from mediacrawl.frontier import FrontierError, FrontierPolicy
from mediacrawl.frontier.redis.store import RedisFrontier, StoreSettings
from mediacrawl.frontier.redis.worker import RedisWorker
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.frontier.stores import open_store
from mediacrawl.priority import hubs as hubs_module
from mediacrawl.priority.hubs import BUCKETS, DAY, FLOOR, LEAST, LOST, SOONEST, Hub, Hubs, Posterior, pack, unpack

NOW = 1_700_000_000.0
FRONT, LIST, SHOW = "https://a.example/", "https://a.example/shows", "https://a.example/shows/1"
DEEP = "https://a.example/shows/1/notes"


class Means(Random):
    """Draws nothing: the mean of each rate."""

    def gammavariate(self, alpha, beta):
        return alpha * beta


def page(url, last=NOW, parent="", kind=Kind.PAGE, **facts):
    return Hub(url, url.split("/")[2], kind, f"class of {url}", 1, parent=parent, last=last, **facts)


def hub(hubs, number, rate=1.0, last=NOW, host=None, b=1_000.0):
    """A hub that is known well: its URL. It is a front page, unless its host is given."""
    url = f"https://{host}/{number}" if host else f"https://h{number}.example/"
    hubs.met(page(url, last, posterior=Posterior(b * rate, b)))
    return url


def gone_from(hubs, url, now):
    hubs.gone(url, url.split("/")[2], now)


def urls_of(due):
    return [again.url for again, _ in due]


def known(hubs):
    """All that is kept of all hubs."""
    return {url: pack([replace(hub)]) for bucket in hubs._hubs._buckets for url, hub in bucket.items()}


@pytest.fixture
def hubs():
    return Hubs(NoNotes())


# -- who is a hub ------------------------------------------------------------------------------------------------


def test_a_nugget_makes_hubs_of_the_page_it_is_linked_on_of_the_one_before_and_of_the_front_page(hubs):
    for url, parent in ((LIST, "https://b.example/x"), (SHOW, LIST), (DEEP, SHOW)):
        hubs.visited(page(url, parent=parent))
    assert len(hubs) == 0
    hubs.earned(DEEP)
    assert set(known(hubs)) == {DEEP, SHOW, FRONT}
    assert (hubs.get(FRONT).link_class, hubs.get(FRONT).depth, hubs.get(FRONT).kind) == ("a.example/", 0, Kind.PAGE)


def test_a_page_that_shows_a_nugget_itself_is_a_hub(hubs):
    hubs.visited(page(LIST, NOW), new=0.5)
    assert set(known(hubs)) == {LIST, FRONT}


def test_files_never_come_back(hubs):
    hubs.visited(page("https://a.example/x.mp3", NOW, kind=Kind.MEDIA), new=1.0)
    hubs.met(page("https://a.example/x.mp3", NOW, kind=Kind.MEDIA))
    hubs.earned("https://a.example/x.mp3")
    assert len(hubs) == 0


def test_a_url_without_end_is_no_hub(hubs):
    hubs.visited(page(f"{LIST}?{'x' * 500}", NOW), new=1.0)
    assert set(known(hubs)) == {FRONT}


def test_a_page_that_was_met_again_keeps_what_is_known_of_it(hubs):
    url = hub(hubs, 1, rate=2.0)
    hubs.met(page(url, NOW + DAY))
    assert (hubs.get(url).posterior.mean, hubs.get(url).last) == (2.0, NOW)


def test_of_too_many_hubs_those_of_the_least_expected_rate_are_forgotten():
    hubs = Hubs(NoNotes(), most=2 * BUCKETS)
    lively = {hub(hubs, number, rate=1.0) for number in range(100)}
    dead = {hub(hubs, number, rate=1e-4) for number in range(100, 200)}
    assert set(known(hubs)) == lively | dead
    for number in range(1_000, 21_000):
        hubs.met(page(f"https://h{number}.example/", NOW))
    assert len(hubs) == 2 * BUCKETS
    assert lively <= set(known(hubs))
    assert dead.isdisjoint(known(hubs))


# -- what is learned ---------------------------------------------------------------------------------------------


def test_what_a_page_showed_when_it_was_met_is_no_rate(hubs):
    hubs.visited(page(LIST, NOW), fresh=500)
    for _ in range(500):
        hubs.earned(LIST)
    assert hubs.get(LIST).posterior == Posterior()


def test_a_later_visit_is_credited_what_comes_of_links_that_were_new_on_it_and_no_more(hubs):
    hubs.met(page(LIST, NOW))
    hubs.visited(page(LIST, NOW + 60 * DAY), fresh=3)
    for _ in range(500):
        hubs.earned(LIST, 0.8)
    assert hubs.get(LIST).posterior.a == pytest.approx(0.3 * exp(-1) + 3.0)
    hubs.visited(page(LIST, NOW + 61 * DAY), fresh=0)
    before = hubs.get(LIST).posterior
    hubs.earned(LIST)
    assert hubs.get(LIST).posterior == before


@pytest.mark.parametrize("was_known", [False, True])
def test_the_first_visit_of_a_front_page_that_was_met_before_it_says_nothing_of_its_rate(hubs, was_known):
    if was_known:
        hubs.visited(page(FRONT, NOW))
    hubs.met(page(SHOW, NOW))
    (kept,) = unpack(pack([hubs.get(FRONT)]))
    assert (hubs.get(SHOW).asked, hubs.get(FRONT).asked, kept.asked) == (True, was_known, was_known)
    gone_from(hubs, SHOW, NOW)
    assert [again.asked for again, _ in hubs.due(NOW + 90 * DAY, 9, Means())] == [was_known]
    hubs.visited(page(FRONT, NOW + DAY), new=3.0, fresh=100)
    assert (hubs.get(FRONT).posterior.a > 1.0, hubs.get(FRONT).left > 0) == (was_known, was_known)
    assert hubs.get(FRONT).asked


def test_a_nugget_two_steps_behind_a_hub_is_credited_to_it(hubs):
    hubs.met(page(LIST, NOW))
    hubs.visited(page(LIST, NOW + DAY), fresh=1)
    before = hubs.get(LIST).posterior
    hubs.visited(page(SHOW, NOW + DAY, LIST))
    hubs.earned(SHOW)
    assert hubs.get(LIST).posterior == before.with_nuggets(1.0)
    assert hubs.get(SHOW).posterior == Posterior()


def test_a_hub_that_is_gone_is_forgotten(hubs):
    hubs.met(page(LIST, NOW))
    gone_from(hubs, LIST, NOW)
    gone_from(hubs, LIST, NOW)
    assert set(known(hubs)) == {FRONT}


# -- conditional requests ----------------------------------------------------------------------------------------


def test_a_hub_is_asked_for_under_the_conditions_that_its_last_answer_gave(hubs):
    modified = "Tue, 14 Nov 2023 22:13:20 GMT"
    hubs.visited(page(LIST, NOW), new=1.0, validators=('W/"1"', modified))
    assert hubs.conditional(LIST) == {"If-None-Match": 'W/"1"', "If-Modified-Since": modified}
    hubs.visited(page(LIST, NOW + 1))
    assert hubs.conditional(LIST) == {"If-None-Match": 'W/"1"', "If-Modified-Since": modified}
    hubs.visited(page(LIST, NOW + 2), validators=("", modified))
    assert hubs.conditional(LIST) == {"If-Modified-Since": modified}
    assert hubs.conditional(FRONT) == hubs.conditional("https://b.example/") == {}


def test_what_a_page_gave_before_it_turned_out_to_be_a_hub_counts_too(hubs):
    hubs.visited(page(LIST, NOW), validators=('"1"', ""))
    hubs.earned(LIST)
    assert hubs.conditional(LIST) == {"If-None-Match": '"1"'}


@pytest.mark.parametrize("bad", ['"a"\r\nCookie: b', "x" * 1_000, '"\u20ac"'])
def test_what_must_not_stand_in_a_header_is_not_sent_back(hubs, bad):
    hubs.visited(page(LIST, NOW), new=1.0, validators=(bad, bad))
    assert hubs.conditional(LIST) == {}


# -- who comes back ----------------------------------------------------------------------------------------------


def test_the_best_hubs_come_back_first_with_the_score_of_a_link(hubs):
    urls = [hub(hubs, number, rate) for number, rate in enumerate((0.2, 5.0, 0.4, 0.8))]
    due = hubs.due(NOW + DAY, 3, Means())
    assert urls_of(due) == [urls[1], urls[3], urls[2]]
    assert [again.candidate(worth).score for again, worth in due] == pytest.approx([1.0, 0.8, 0.4])


def test_the_score_of_a_waiting_revisit_grows_until_it_is_visited_or_lost(hubs):
    fast, slow, front = (hub(hubs, number, rate) for number, rate in enumerate((0.4, 0.2, 9.0)))
    for url in (fast, slow, front):
        hubs.queued(hubs.get(url), NOW, is_pending=url != front)
    assert hubs.pending == 2
    assert dict(hubs.rescored(NOW + DAY, 9, Means())) == pytest.approx({"h0.example": 0.4, "h1.example": 0.2})
    assert dict(hubs.rescored(NOW + 9 * DAY, 1, Means())) == {"h0.example": 1.0}
    hubs.visited(page(fast, NOW + 9 * DAY))
    assert list(dict(hubs.rescored(NOW + 9 * DAY, 9, Means()))) == ["h1.example"]
    assert (hubs.rescored(NOW + LOST, 9, Means()), hubs.pending) == ([], 0)


def test_what_is_worth_less_than_what_else_would_be_asked_stays(hubs):
    url = hub(hubs, 1, rate=0.5)
    assert hubs.due(NOW + DAY, 9, Means(), least=0.6) == []
    assert urls_of(hubs.due(NOW + 2 * DAY, 9, Means(), least=0.6)) == [url]
    assert hubs.due(NOW + 2 * DAY, 0, Means()) == []


def test_a_site_has_one_revisit_at_a_time_and_the_next_when_that_was_visited(hubs):
    slow, fast = hub(hubs, 1, 1.0, host="a.example"), hub(hubs, 2, 2.0, host="a.example")
    assert urls_of(hubs.due(NOW + DAY, 9, Means())) == [fast]
    hubs.queued(hubs.get(fast), NOW + DAY, is_pending=True)
    assert hubs.due(NOW + 9 * DAY, 9, Means()) == []
    hubs.visited(page(fast, NOW + 9 * DAY))
    assert urls_of(hubs.due(NOW + 9 * DAY + 2 * SOONEST, 9, Means())) == [slow]


def test_a_revisit_that_was_never_made_may_join_again_after_a_month(hubs):
    url = hub(hubs, 1)
    hubs.queued(hubs.get(url), NOW, is_pending=True)
    assert hubs.due(NOW + LOST - 1, 9, Means()) == []
    assert urls_of(hubs.due(NOW + LOST, 9, Means())) == [url]


def test_a_hub_that_is_gone_or_was_forgotten_while_it_waited_keeps_no_place(hubs):
    gone, other = hub(hubs, 1, host="a.example"), hub(hubs, 2, host="a.example")
    hubs.queued(hubs.get(gone), NOW, is_pending=True)
    gone_from(hubs, gone, NOW)
    assert urls_of(hubs.due(NOW + DAY, 9, Means())) == [other]


def test_however_lively_a_hub_is_it_is_left_alone_for_an_hour(hubs):
    url = hub(hubs, 1, rate=1e6)
    assert hubs.due(NOW + SOONEST - 1, 9, Means()) == []
    assert hubs.due(NOW + SOONEST - 1, 9, Means(), least=0.0) == []
    assert urls_of(hubs.due(NOW + SOONEST, 9, Means())) == [url]


def test_how_soon_a_hub_may_come_back_can_be_set():
    hubs = Hubs(NoNotes(), soonest=10.0)
    url = hub(hubs, 1, rate=1e6)
    assert hubs.due(NOW + 9, 9, Means()) == []
    assert urls_of(hubs.due(NOW + 10, 9, Means())) == [url]


def test_a_hub_that_cannot_come_back_now_leaves_its_place_to_others_of_its_site(hubs):
    slow, fast = hub(hubs, 1, 1.0, host="a.example"), hub(hubs, 2, 2.0, host="a.example")
    hubs.put_off(hubs.get(fast), NOW + DAY)
    assert urls_of(hubs.due(NOW + 1.5 * DAY, 9, Means())) == [slow]
    assert urls_of(hubs.due(NOW + 9 * DAY, 9, Means())) == [fast]


def test_a_hub_is_owed_a_visit_in_ninety_days_unless_it_is_known_to_bring_nothing(hubs):
    for number, a in ((1, 2 * LEAST), (2, LEAST)):
        hubs.get(hub(hubs, number)).learn(Posterior(a, 1e6))
    assert hubs.due(NOW + (FLOOR - 1) * DAY, 9, Means()) == []
    assert [(again.url, worth) for again, worth in hubs.due(NOW + FLOOR * DAY, 9, Means())] == [
        ("https://h1.example/", 1.0)
    ]


def test_a_clock_that_was_set_back_keeps_no_hub_from_coming_back(hubs):
    url = hub(hubs, 1, last=NOW + 1_000 * DAY)
    assert hubs.due(NOW, 9, Means()) == []
    assert urls_of(hubs.due(NOW + DAY, 9, Means())) == [url]


def test_all_hubs_are_looked_at_in_turn(hubs):
    urls = {hub(hubs, number) for number in range(1_500)}
    calls = [hubs.due(NOW + DAY, 5_000, Means()) for _ in range(3)]
    assert max(map(len, calls)) < len(urls)
    assert {again.url for call in calls for again, _ in call} == urls


def test_a_page_is_not_drawn_again_however_often_it_is_looked_at(hubs):
    hubs.met(page(FRONT, NOW))
    rng = Random(1)
    draws = {worth for _ in range(100) for _, worth in hubs.due(NOW + DAY, 1, rng, least=0.0)}
    days = {worth for day in range(2, 102) for _, worth in hubs.due(NOW + day * DAY, 1, rng, least=0.0)}
    assert (len(draws), len(days) > 20) == (1, True)


# -- what is kept ------------------------------------------------------------------------------------------------


def filled(notes, number=200):
    hubs = Hubs(notes)
    for one in range(number):
        url = hub(hubs, one)
        hubs.visited(page(url, NOW + one, kind=Kind.LIST), new=one / 7, fresh=one, validators=(f'"{one}"', f"M{one}"))
    return hubs


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_restart_knows_all_hubs_as_they_were(tmp_path, store):
    def opened():
        return open_store(store, tmp_path, FrontierPolicy(), NOW, Random(1))

    frontier = opened()
    before = filled(frontier)
    before.save_all()
    if store == "sqlite":
        frontier.close()
        frontier = opened()
    after = Hubs(frontier)
    frontier.close()
    assert len(after) == 200
    assert known(after) == known(before)


def written(frontier):
    """The notes of a frontier."""
    rows = frontier._db.execute("SELECT room, key, record FROM note")
    return {(room, key): record for room, key, record in rows}


def test_what_changed_is_written_some_notes_at_a_time_and_once():
    frontier = MemoryFrontier(FrontierPolicy())
    hubs = filled(frontier)
    changed = len(hubs._hubs._changes)
    hubs.save(10)
    assert len(written(frontier)) == 10
    hubs.save_all()
    assert len(written(frontier)) == changed
    frontier._db.execute("DELETE FROM note")
    hubs.save_all()
    assert not written(frontier)
    url = next(iter(known(hubs)))
    gone_from(hubs, url, NOW)
    hubs.save()
    assert len(written(frontier)) == 1
    assert url not in {hub.url for record in written(frontier).values() for hub in unpack(record)}


ROW = ("http://a.example/", "a.example", "page", "c", 1, 0.3, 10.0, NOW, 2.0, "", "", True)
ANYTHING = st.one_of(
    st.text(max_size=5), st.floats(), st.integers(-(2**63), 2**64 - 1), st.none(), st.sampled_from(list(Kind))
)


@st.composite
def damaged(draw):
    """A row of a note in which some fields are something else."""
    row = list(ROW)
    for place in draw(st.sets(st.integers(0, len(ROW) - 1), max_size=3)):
        row[place] = draw(ANYTHING)
    return row[: draw(st.integers(len(ROW) - 1, len(ROW)))]


ROWS = st.lists(damaged() | st.lists(st.integers(), max_size=12), max_size=3)


@given(st.one_of(st.binary(max_size=60), ROWS.map(lambda rows: msgpack.packb((1, rows), default=str))))
def test_a_note_that_cannot_be_read_is_as_good_as_none(record):
    for one in unpack(record):
        assert one.posterior.b > 0
        assert pack(unpack(pack([one]))) == pack([one])


@pytest.mark.parametrize("depth", [inf, nan, 1e300, -1, 2**63])
def test_a_depth_that_no_page_has_makes_a_note_unreadable(depth):
    assert len(unpack(msgpack.packb((1, [ROW])))) == 1
    assert unpack(msgpack.packb((1, [(*ROW[:4], depth, *ROW[5:])]))) == []


def test_a_damaged_note_costs_its_own_hubs_alone():
    frontier = MemoryFrontier(FrontierPolicy())
    hubs = filled(frontier)
    hubs.save_all()
    (room, bucket), record = next(iter(written(frontier).items()))
    lost = {one.url for one in unpack(record)}
    for damaged in (record[:-1], record + b"x", msgpack.packb((2, [])), msgpack.packb("x"), b"\xc1"):
        frontier.set_note(room, bucket, damaged)
        assert set(known(Hubs(frontier))) == set(known(hubs)) - lost
    first = unpack(record)[0]
    for posterior in (Posterior(float("nan"), 1.0), Posterior(1.0, 0.0), Posterior(-1.0, 1.0)):
        assert unpack(pack([replace(first, posterior=posterior)])) == []


# -- several workers ---------------------------------------------------------------------------------------------


class Shared(NoNotes):
    """Notes that several workers share; each answer comes when the test says so, or not at all."""

    shared = True

    def __init__(self):
        self.records, self.waiting = {}, deque()

    def later(self, room, key, change):
        answer = Future()
        self.waiting.append((room, key, change, answer))
        return answer

    def answer(self, number=10**6, error=None):
        for _ in range(min(number, len(self.waiting))):
            room, key, change, answer = self.waiting.popleft()
            if error is not None:
                answer.set_exception(error)
                continue
            # As when another worker was faster: asked twice, with another record the first time.
            change(None)
            self.records[room, key] = change(self.records.get((room, key)) or None)
            answer.set_result(self.records[room, key])


def workers(shared, number=2):
    return [Hubs(shared, later=shared.later) for _ in range(number)]


def exchange(shared, *hubs):
    """All learn what all know."""
    for _ in range(2):
        for one in hubs:
            one.save_all()
            one.save(hubs_module.BUCKETS)
            shared.answer()
    for one in hubs:
        one._hubs.listen()


def test_a_worker_is_told_of_the_hubs_of_the_others_and_never_waits():
    shared = Shared()
    one, other = workers(shared)
    url = hub(one, 1)
    one.save()
    assert other.due(NOW + DAY, 9, Means()) == []
    shared.answer()
    for _ in range(BUCKETS // 16):
        other.save()
    assert other.get(url) is None
    shared.answer()
    assert urls_of(other.due(NOW + DAY, 9, Means())) == [url]


def test_a_hub_is_offered_when_its_bucket_was_just_read_and_not_before_it_was_read_again():
    shared = Shared()
    one, other = workers(shared)
    url = hub(one, 1)
    exchange(shared, one, other)
    assert urls_of(one.due(NOW + DAY, 9, Means())) == [url]
    one.queued(one.get(url), NOW + DAY, is_pending=True)
    other.visited(page(url, NOW + DAY + 10))
    assert one.due(NOW + 2 * DAY, 9, Means()) == []
    exchange(shared, one, other)
    assert one.get(url).last == NOW + DAY + 10
    # The other one's visit has ended the waiting here.
    assert urls_of(one.due(NOW + 9 * DAY, 9, Means())) == [url]


ACTS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from(["credit", "save", "answer", "fail"])), max_size=40
)


@given(ACTS)
@example([(0, 0, "credit"), (0, 0, "save"), (0, 0, "credit"), (0, 0, "answer"), (0, 0, "save"), (0, 0, "answer")])
@example([(0, 0, "credit"), (0, 0, "save"), (0, 0, "credit"), (0, 0, "fail"), (0, 0, "save"), (0, 0, "answer")])
def test_no_credit_is_lost_or_given_twice_whoever_earned_it_and_whenever_it_is_told(acts):
    with patch.object(hubs_module, "BUCKETS", 2):
        _earn_and_tell(acts)


def _earn_and_tell(acts):
    shared = Shared()
    hubs = workers(shared, 3)
    urls = [hub(hubs[0], number) for number in range(3)]
    for url in urls:
        hubs[0].visited(page(url, NOW), fresh=10_000)
    exchange(shared, *hubs)
    first = {url: hubs[0].get(url).posterior.a for url in urls}
    given = dict.fromkeys(urls, 0)
    for worker, number, act in acts:
        if act == "credit":
            hubs[worker].earned(urls[number], 1.0)
            given[urls[number]] += 1
        elif act == "save":
            hubs[worker].save(number + 1)
        else:
            shared.answer(1, FrontierError("away") if act == "fail" else None)
    shared.answer()
    exchange(shared, *hubs)
    for one in hubs:
        assert {url: one.get(url).posterior.a - first[url] for url in urls} == pytest.approx(given)


def test_of_two_visits_the_newest_counts_and_a_page_that_is_met_anew_forgets_nothing():
    shared = Shared()
    one, other = workers(shared)
    url = hub(one, 1, rate=2.0)
    exchange(shared, one, other)
    one.visited(page(url, NOW + 10 * DAY), validators=('"old"', ""))
    other.visited(page(url, NOW + 20 * DAY), validators=('"new"', ""))
    (third,) = workers(shared, 1)
    third.met(page(url, NOW + 30 * DAY))
    third.save()
    shared.answer(error=FrontierError("away"))
    exchange(shared, other, third, one)
    for hubs in (one, other, third):
        assert (hubs.get(url).last, hubs.get(url).etag) == (NOW + 30 * DAY, '"new"')
        assert hubs.get(url).posterior.mean == pytest.approx(2.0, rel=0.05)


def test_what_happens_while_an_answer_is_on_its_way_counts():
    shared = Shared()
    with patch.object(hubs_module, "BUCKETS", 1):
        (one,) = workers(shared, 1)
        gone, left = hub(one, 1), hub(one, 2)
        one.save()
        met = hub(one, 3)
        gone_from(one, gone, NOW)
        shared.answer()
        one._hubs.listen()
        assert set(known(one)) == {left, met}
        exchange(shared, one)
        assert set(known(one)) == {hub.url for hub in unpack(shared.records["hubs", "0"])} == {left, met}


def test_a_hub_that_is_read_again_unchanged_is_not_drawn_again():
    shared = Shared()
    (one,) = workers(shared, 1)
    one.met(page(FRONT, NOW))
    rng, scores = Random(1), set()
    for _ in range(5):
        exchange(shared, one)
        scores |= {worth for _, worth in one.due(NOW + DAY, 1, rng, least=0.0)}
    assert len(scores) == 1


def test_of_too_many_hubs_of_several_workers_those_of_the_least_expected_rate_are_forgotten():
    shared = Shared()
    with patch.object(hubs_module, "BUCKETS", 1):
        one, other = (Hubs(shared, later=shared.later, most=2) for _ in range(2))
        urls = [hub(one, 1, rate=4.0), hub(one, 2, rate=1.0), hub(other, 3, rate=3.0), hub(other, 4, rate=2.0)]
        exchange(shared, one, other)
        assert set(known(one)) == set(known(other)) == {urls[0], urls[2]}


def test_a_hub_that_is_gone_is_gone_at_all_workers_even_if_it_could_not_be_told_at_once():
    shared = Shared()
    one, other = workers(shared)
    url = hub(one, 1)
    exchange(shared, one, other)
    gone_from(one, url, NOW + 1)
    one.save_all()
    shared.answer(error=FrontierError("away"))
    exchange(shared, one, other)
    assert one.get(url) is other.get(url) is None
    assert url not in {hub.url for record in shared.records.values() for hub in unpack(record)}


def test_without_a_way_to_ask_later_shared_notes_are_refused():
    with pytest.raises(ValueError, match="`later`"):
        Hubs(Shared())


def test_two_workers_on_redis_share_their_hubs(redis_server):
    with redis.Redis.from_url(redis_server) as client:
        client.flushall()
    frontiers = []
    try:
        for _ in range(2):
            client = redis.Redis.from_url(redis_server)
            store = RedisFrontier(client, "t", FrontierPolicy(), time.time(), Random(1), settings=StoreSettings())
            frontiers.append(RedisWorker(store, time.time))
        one, other = (Hubs(frontier, later=frontier.later) for frontier in frontiers)
        url = hub(one, 1)
        one.visited(page(url, NOW + 1), fresh=5)
        one.save_all()
        _wait(one, frontiers[0])
        other.save(BUCKETS)
        _wait(other, frontiers[1])
        assert urls_of(other.due(NOW + 30 * DAY, 1, Means())) == [url]
        before = other.get(url).posterior
        for hubs in (one, other):
            hubs.earned(url, 1.0)
        for hubs, frontier in ((one, frontiers[0]), (other, frontiers[1]), (one, frontiers[0])):
            hubs.save_all()
            hubs.save(BUCKETS)
            _wait(hubs, frontier)
        for hubs in (one, other):
            assert hubs.get(url).posterior == before.with_nuggets(2.0)
            assert hubs.get(url).left == 3.0
    finally:
        for frontier in frontiers:
            frontier.close()


def _wait(hubs, frontier):
    """Until all that was sent is answered."""
    for _ in range(100):
        frontier.settle()
        hubs._hubs.listen()
        if not any(hubs._hubs._sent.values()):
            return
    raise AssertionError("Redis does not answer")


# -- does it find more? ------------------------------------------------------------------------------------------


def simulated_pages(rng, number=300, days=180):
    """When each page got a new item, in days. Most pages are nearly dead, and some change their habit each season."""
    pages = []
    for _ in range(number):
        now, times = 0.0, []
        rate, until = rng.lognormvariate(-4.0, 1.7), rng.expovariate(1 / 90)
        while now < days:
            now += rng.expovariate(rate)
            if now > until:
                now, rate = until, rng.lognormvariate(-4.0, 1.7)
                until += rng.expovariate(1 / 90)
            elif now < days:
                times.append(now)
        pages.append(times)
    return pages


def found_in_turn(pages, visits):
    last, found = [0.0] * len(pages), 0
    for number, now in enumerate(visits):
        one = number % len(pages)
        found += min(bisect_right(pages[one], now) - bisect_right(pages[one], last[one]), 20)
        last[one] = now
    return found


def found_by_hubs(pages, visits, rng):
    """As many visits, each of the page that is worth it most. A page names its last twenty items."""
    hubs, found = Hubs(NoNotes()), 0
    numbers = {f"https://h{number}.example/": number for number in range(len(pages))}
    for url in numbers:
        hubs.met(page(url, 0.0))
    for now in visits:
        ((again, _),) = hubs.due(now * DAY, 1, rng, least=0.0)
        times = pages[numbers[again.url]]
        new = min(bisect_right(times, now) - bisect_right(times, hubs.get(again.url).last / DAY), 20)
        found += new
        hubs.visited(page(again.url, now * DAY), fresh=new)
        hubs.earned(again.url, float(new))
        for _ in range(new - 1):
            hubs.earned(again.url, 1.0)
    return found


@pytest.mark.slow
def test_drawn_rates_find_more_per_visit_than_their_means_and_than_asking_in_turn():
    visits = [number / 4 for number in range(1, 180 * 4)]
    worlds = [simulated_pages(Random(seed)) for seed in range(3)]
    in_turn = sum(found_in_turn(pages, visits) for pages in worlds)
    by_mean = sum(found_by_hubs(pages, visits, Means()) for pages in worlds)
    drawn = sum(found_by_hubs(pages, visits, Random(1)) for pages in worlds)
    assert drawn > 1.05 * by_mean
    assert drawn > 1.05 * in_turn
