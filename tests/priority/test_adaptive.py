"""The adaptive order learns which links lead to media, keeps what it learned, and tells why."""

import random

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from waiting_links import found, leased

from mediacrawl.base.terms import End, Evidence, Kind, Outcome
from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.sqlite.store import MemoryFrontier
from mediacrawl.priority.adaptive import (
    MOST_INLINKS,
    MOST_OUTLINKS,
    Adaptive,
    AdaptivePolicy,
    ScorePolicy,
    SiteClasses,
    moved_scores,
)
from mediacrawl.priority.learner import Learner
from mediacrawl.priority.links import WIDTH, places
from mediacrawl.priority.orders import Alike, RuleOrder, SiteRate
from mediacrawl.priority.visits import CreditPolicy
from mediacrawl.programs.commands.why import explain


@pytest.fixture
def notes():
    return MemoryFrontier(FrontierPolicy())


@pytest.fixture
def order(notes):
    return Adaptive(AdaptivePolicy(), notes)


def score(order, *args, **kwargs):
    candidate = found(*args, **kwargs)
    order.join([candidate], "start.example")
    return candidate.score


def moved(site, order):
    return dict(moved_scores([("", order.classes.held(site))], order.learner, ScorePolicy())).get("", {})


def visit(order, candidate, reward=0.0, source="start.example"):
    order.join([candidate], source)
    return dict(order.ended(leased(candidate), reward))


def test_some_fetches_suffice_to_know_whether_what_is_named_like_media_is_any(notes):
    def learned(reward):
        order = Adaptive(AdaptivePolicy(), notes)
        for number in range(5):
            visit(order, found(f"http://m{number}.example/one.mp3", kind=Kind.MEDIA), reward)
            visit(order, found(f"http://p{number}.example/two.html"))
        return score(order, "http://a.example/x.mp3", kind=Kind.MEDIA), score(order, "http://b.example/y.html")

    media, page = learned(1.0)
    assert media > 2 * page > 0
    media, page = learned(0.0)
    assert media < 2 * page


def test_a_class_that_gives_nothing_falls_and_one_that_gives_rises(order):
    before = score(order, "http://a.example/news/1"), score(order, "http://a.example/songs/1")
    for number in range(2, 12):
        visit(order, found(f"http://a.example/news/{number}"))
        visit(order, found(f"http://a.example/songs/{number}"), reward=1.0)
    after = score(order, "http://a.example/news/99"), score(order, "http://a.example/songs/99")
    assert after[0] < before[0]
    assert after[1] > before[1]
    assert after[1] > 5 * after[0]


def test_what_was_learned_on_one_site_counts_on_another(order):
    for number in range(60):
        host = f"host{number}.example"
        visit(order, found(f"http://{host}/predigt/{number}"), reward=1.0)
        visit(order, found(f"http://{host}/garten/{number}"))
    assert score(order, "http://new.example/predigt/1") > 4 * score(order, "http://other.example/garten/1")


def test_the_path_to_a_nugget_is_credited(order):
    for number in range(30):
        host = f"http://host{number}.example"
        visit(order, found(f"{host}/door/{number}"))
        visit(order, found(f"{host}/blind/{number}"))
        visit(order, found(f"{host}/x/{number}", parent=f"{host}/door/{number}"), source=f"host{number}.example")
        visit(order, found(f"{host}/f{number}.mp3", parent=f"{host}/x/{number}"), 1.0, f"host{number}.example")
    assert score(order, "http://new.example/door/1") > 2 * score(order, "http://other.example/blind/1")


def find_on(order, site):
    return visit(order, found(f"http://{site}/f.mp3", kind=Kind.MEDIA), reward=1.0)


def link(order, site, *sources):
    for source in sources:
        order.join([found(f"http://{site}/", parent=f"http://{source}/x")], source)


def test_a_site_that_sites_with_finds_link_to_is_preferred_to_others(order):
    for source in ("a.example", "b.example"):
        find_on(order, source)
    link(order, "new.example", "a.example", "b.example", "a.example", "nothing.example", "new.example")
    link(order, "other.example", "nothing.example", "vain.example")
    assert order.classes.held("new.example").inlinks == 2
    assert order.classes.held("other.example").inlinks == 0
    assert score(order, "http://new.example/q") > 2 * score(order, "http://other.example/q")


def test_the_links_of_a_site_count_from_its_first_find_on_and_the_scores_are_sent_at_once(notes):
    order = Adaptive(AdaptivePolicy(looked_at=0), notes)
    link(order, "new.example", "a.example", "b.example")
    before = score(order, "http://new.example/")
    moved = find_on(order, "a.example")
    assert moved["new.example"][found("http://new.example/").link_class] > before
    find_on(order, "a.example")
    assert order.classes.held("new.example").inlinks == 1


def test_a_site_with_finds_has_the_scores_of_its_own_record():
    def factor(inlinks, fetches, credit=0.0):
        record = {"inlinks": inlinks, "classes": [("a", fetches, credit, NO_FEATURES)]}
        return ScorePolicy().factor(SiteClasses.load(msgpack.packb(record)))

    assert factor(0, 0.0) < 1 < factor(MOST_INLINKS, 0.0)
    assert factor(2, 0.0) > factor(2, 1.0) > factor(2, 3.0) > factor(2, 1e300) > 0
    assert factor(0, 3.0, 0.1) == factor(MOST_INLINKS, 3.0, 0.1) == 1


def test_visits_of_this_process_count_as_those_of_the_record(order):
    for number in range(3):
        visit(order, found(f"http://a.example/{number}/x"))
    classes = order.classes.held("a.example")
    again = SiteClasses()
    again.merge(classes.dump())
    assert classes.visits == again.visits == 3
    factor = ScorePolicy().factor
    assert factor(classes) == factor(again) < factor(SiteClasses())


def test_no_more_links_from_a_site_are_remembered_than_some(order):
    for number in range(MOST_OUTLINKS + 50):
        link(order, f"s{number}.example", "a.example")
    assert len(order.classes.held("a.example").outlinks) == MOST_OUTLINKS


def test_no_more_sites_with_finds_are_counted_than_some(order):
    sources = [f"s{number}.example" for number in range(MOST_INLINKS + 2)]
    link(order, "new.example", *sources)
    for source in sources:
        find_on(order, source)
    assert order.classes.held("new.example").inlinks == MOST_INLINKS


def test_what_sites_with_finds_link_to_is_known_after_a_restart(notes):
    first = Adaptive(AdaptivePolicy(), notes)
    find_on(first, "a.example")
    link(first, "new.example", "a.example")
    first.save(0.0)
    again = Adaptive(AdaptivePolicy(), notes)
    again.begin()
    link(again, "next.example", "a.example")
    assert again.classes.of("new.example").inlinks == 1
    assert again.classes.of("next.example").inlinks == 1


def test_of_two_records_of_a_site_the_greater_number_of_inlinks_counts():
    ours, theirs = SiteClasses(), SiteClasses()
    ours.inlinks, theirs.inlinks = 1, 3
    ours.merge(theirs.dump())
    assert ours.inlinks == 3
    ours.merge(SiteClasses().dump())
    assert ours.inlinks == 3


def test_a_record_of_before_links_to_a_site_were_counted_is_read():
    classes = SiteClasses.load(msgpack.packb([("a", 3.0, 1.0, NO_FEATURES)]))
    assert (len(classes), classes.inlinks) == (1, 0)


def test_a_redirect_is_a_step_of_the_path(order):
    asked = found("http://short.example/go/1")
    visit(order, asked)
    target = found("http://media.example/file.mp3", parent=asked.parent)
    target.hops, target.evidence = 1, Evidence(requested_url=asked.url)
    order.join([target], asked.site)
    moved = dict(order.ended(leased(target), 1.0))
    assert order.classes.held("short.example").credit[0] == pytest.approx(0.7)
    assert set(moved) == {"short.example", "media.example"}


def test_a_redirect_of_a_file_without_its_counting_prefix_is_to_the_credit_of_its_feed(order):
    feed = found("http://show.example/feed")
    visit(order, feed)
    target = found("http://media.example/file.mp3", parent=feed.url)
    target.hops, target.evidence = 1, Evidence(requested_url="http://count.example/e/cdn.example/file.mp3")
    order.join([target], feed.site)
    list(order.ended(leased(target), 1.0))
    assert order.classes.held("show.example").credit[0] == pytest.approx(0.7)


def test_many_links_of_one_shape_are_told_apart_by_their_lists_on_their_own_site_only(notes):
    order = Adaptive(AdaptivePolicy(paths=3), notes)
    parent = "http://a.example/"
    few = [found(f"http://a.example/node/{n}", parent, path=f"ul.{n}/li/a") for n in range(3)]
    order.join(few, "a.example")
    assert {candidate.link_class for candidate in few} == {"a.example/node/#"}
    inside = [found(f"http://a.example/node/{n}", parent, path=f"ul.{name}/li/a") for n, name in enumerate(("x", "y"))]
    outside = [found(f"http://b.example/node/{n}", parent, path=f"ul.{name}/li/a") for n, name in enumerate(("x", "y"))]
    order.join(inside + outside, "a.example")
    assert inside[0].link_class != inside[1].link_class
    assert outside[0].link_class == outside[1].link_class == "b.example/node/#"


def test_a_visit_anew_says_nothing_of_links_and_credit_passes_through_it(order):
    hub = found("http://a.example/list/1", parent="http://a.example/door/1")
    visit(order, found("http://a.example/door/1"))
    visit(order, hub, source="a.example")
    learned = order.learner.learned + len(order.learner._rows)
    again = found(hub.url, parent=hub.parent)
    again.link_class = "again"
    list(order.ended(leased(again), 0.0))
    assert order.learner.learned + len(order.learner._rows) == learned
    visit(order, found("http://a.example/new.mp3", parent=hub.url), 1.0, "a.example")
    classes = order.classes.held("a.example")
    assert "again" not in classes.numbers
    assert classes.credit[classes.numbers["a.example/door/#"]] == pytest.approx(0.49)


def test_sites_that_were_not_asked_are_looked_at_again_in_turn(order):
    for number in range(20):
        order.join([found(f"http://site{number}.example/podcast/1")], "start.example")
    moved = {}
    for number in range(40):
        moved |= visit(order, found(f"http://asked{number}.example/podcast/2"), reward=1.0)
    raised = {site for site in moved if site.startswith("site")}
    assert len(raised) == 20


def test_a_score_that_has_not_moved_is_not_told(order):
    candidate = found("http://a.example/x/1")
    order.join([candidate], "")
    assert moved("a.example", order) == {}


def test_a_resumed_crawl_knows_what_the_first_one_learned(notes, tmp_path):
    path = tmp_path / "model.npz"
    first = Adaptive(AdaptivePolicy(), notes, path)
    first.begin()
    for number in range(150):
        visit(first, found(f"http://host{number % 7}.example/songs/{number}"), reward=1.0)
        visit(first, found(f"http://host{number % 7}.example/news/{number}"))
    first.save(0.0, last=True)
    again = Adaptive(AdaptivePolicy(), notes, path)
    assert again.begin() == 300
    for url in ("http://host3.example/songs/999", "http://host3.example/news/999", "http://new.example/songs/1"):
        assert score(again, url) == pytest.approx(score(first, url), rel=0.07)


def test_without_its_model_it_learns_again_from_what_it_visited(notes, tmp_path):
    path = tmp_path / "model.npz"
    first = Adaptive(AdaptivePolicy(), notes, path)
    for number in range(150):
        visit(first, found(f"http://host{number}.example/songs/{number}"), reward=1.0)
        visit(first, found(f"http://host{number}.example/news/{number}"))
    first.save(0.0, last=True)
    path.write_bytes(b"spoiled")
    again = Adaptive(AdaptivePolicy(), notes, path)
    again.begin()
    assert score(again, "http://new.example/songs/1") > 3 * score(again, "http://other.example/news/1")


def test_a_class_that_an_earlier_process_met_is_told_anew(notes, tmp_path):
    first = Adaptive(AdaptivePolicy(), notes, tmp_path / "model.npz")
    first.begin()
    early, late = (found(f"http://late.example/predigt/{number}") for number in (1, 2))
    first.join([early])
    notes.add([early])
    for number in range(60):
        visit(first, found(f"http://host{number}.example/predigt/{number}"), reward=1.0)
    first.save(0.0, last=True)
    again = Adaptive(AdaptivePolicy(), notes, tmp_path / "model.npz")
    again.begin()
    again.join([late])
    notes.add([late])
    ((name, known, waiting),) = notes.site("late.example").classes
    assert (known, waiting) == (early.score, 2)
    assert moved("late.example", again)[name] == pytest.approx(late.score)
    assert late.score > 2 * early.score


def test_a_disk_that_does_not_take_the_model_does_not_stop_the_crawl(notes, tmp_path, caplog):
    path = tmp_path / "model.npz"
    path.mkdir()
    order = Adaptive(AdaptivePolicy(), notes, path)
    order.begin()
    visit(order, found("http://a.example/door/1"))
    order.save(0.0)
    order.save(1.0, last=True)
    assert caplog.text.count("cannot be written into") == 2
    assert Adaptive(AdaptivePolicy(), notes).begin() == 1


def test_a_nugget_after_a_restart_is_credited_to_the_path_before_it(notes):
    first = Adaptive(AdaptivePolicy(), notes)
    page = found("http://a.example/door/1")
    visit(first, page)
    first.save(0.0)
    again = Adaptive(AdaptivePolicy(), notes)
    again.begin()
    visit(again, found("http://a.example/f.mp3", parent=page.url), 1.0, "a.example")
    assert SiteClasses.load(again.classes.of("a.example").dump()).credit.sum() == pytest.approx(1.7)


def test_a_model_of_another_crawl_is_a_beginning(notes, tmp_path):
    old = Adaptive(AdaptivePolicy(), notes, tmp_path / "old.npz")
    for number in range(100):
        visit(old, found(f"http://host{number}.example/songs/{number}"), reward=1.0)
        visit(old, found(f"http://host{number}.example/news/{number}"))
    old.save(0.0, last=True)
    new = Adaptive(AdaptivePolicy(), MemoryFrontier(FrontierPolicy()))
    new.begin(tmp_path / "old.npz")
    assert score(new, "http://host1.example/songs/1") > 3 * score(new, "http://host2.example/news/1")
    assert new.classes.held("host1.example").fetches.sum() == 0


def test_a_site_that_was_let_go_of_is_recalled(notes):
    order = Adaptive(AdaptivePolicy(sites=2), notes)
    for number in range(10):
        visit(order, found(f"http://a.example/songs/{number}"), reward=1.0)
    order.save(0.0)
    for number in range(5):
        visit(order, found(f"http://b{number}.example/x/1"))
    assert order.classes.held("a.example") is None
    classes = order.classes.of("a.example")
    assert classes.fetches[0] == 10
    assert classes.credit[0] == 10


def test_a_site_that_was_let_go_of_before_it_was_written_down_is_recalled_too(notes):
    order = Adaptive(AdaptivePolicy(sites=1), notes)
    for number in range(4):
        visit(order, found(f"http://a.example/songs/{number}"), reward=1.0)
        visit(order, found(f"http://b.example/x/{number}"))
    order.save(0.0)
    assert SiteClasses.load(notes.note("classes", "a.example")).fetches[0] == 4


def test_a_site_that_is_met_again_and_again_is_not_let_go_of(notes):
    order = Adaptive(AdaptivePolicy(sites=2), notes)
    for number in range(5):
        order.join([found("http://a.example/songs/1"), found(f"http://b{number}.example/x/1")])
        assert {site for site, _ in order.classes} >= {"a.example"}


def test_sites_that_were_let_go_of_are_not_remembered_for_their_turn(notes):
    order = Adaptive(AdaptivePolicy(sites=10, looked_at=1), notes)
    for number in range(500):
        order.join([found(f"http://a{number}.example/x/1")])
    assert len(order.classes._turn) <= 20
    assert set(order.classes.next(20)) == {site for site, _ in order.classes}


NO_FEATURES = bytes(4 * WIDTH)


@pytest.mark.parametrize(
    "record", [b"", b"\xc1", b"\x07", b"\x91\xc0", b"\x91\x94\xa1a\x01\x02\xc4\x00", b"\x81\xa7inlinks\xc0", b"\x80"]
)
def test_a_spoiled_record_is_none(record):
    assert len(SiteClasses.load(record)) == 0


def test_numbers_without_end_and_names_that_come_twice_are_not_taken_from_a_record():
    record = [("a", float("inf"), 1.0, NO_FEATURES), *[("b", 2.0, 1.0, NO_FEATURES)] * 2, ("c", 3.0, 1.0, NO_FEATURES)]
    classes = SiteClasses.load(msgpack.packb(record))
    assert {name: classes.fetches[place] for name, place in classes.numbers.items()} == {"b": 2.0, "c": 3.0}


def test_endless_shapes_fill_no_more_than_the_classes_of_a_site(order):
    for number in range(500):
        name = "".join(chr(97 + int(digit)) for digit in str(number))
        order.join([found(f"http://a.example/{name}/")], "start.example")
    assert len(order.classes.held("a.example")) == 60
    assert "other" in order.classes.held("a.example").numbers


def test_endless_shapes_in_lists_of_their_own_site_are_not_all_counted(order):
    for number in range(500):
        name = "".join(chr(97 + int(digit)) for digit in str(number))
        order.join([found(f"http://a.example/{name}/", path="ul/li/a")], "a.example")
    assert len(order.classes.held("a.example").links) == 256


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.floats(0, 1)), max_size=60))
def test_credit_never_exceeds_fetches_and_scores_stay_in_bounds(visits):
    order = Adaptive(AdaptivePolicy(sites=3), MemoryFrontier(FrontierPolicy()))
    parent = "http://s0.example/c0/0"
    for number, (site, shape, reward) in enumerate(visits):
        candidate = found(f"http://s{site}.example/{'abcdef'[shape]}/{number}", parent)
        for scores in visit(order, candidate, reward, "s0.example").values():
            assert all(0 < value < 1.2 for value in scores.values())
        parent = candidate.url
        if number % 5 == 0:
            order.save(0.0)
    for _, classes in order.classes:
        assert (classes.credit <= classes.fetches + 1e-9).all()


def test_an_explanation_names_the_words_that_count(order):
    for number in range(100):
        visit(order, found(f"http://host{number}.example/predigt/{number}"), reward=1.0)
        visit(order, found(f"http://host{number}.example/garten/{number}"))
    order.save(0.0)
    order.learner.flush()
    candidate = found("http://host1.example/predigt/7")
    record = order._notes.note("classes", "host1.example")
    told = explain(candidate, "host1.example/predigt/#", order.learner, record)
    assert (told.fetches, told.credit) == (1.0, 1.0)
    assert told.odds > 0.5
    assert any(text == "word predigt" and weight > 0 for text, weight in told.strongest)
    assert told.factor == 1
    assert "site" not in dict(told.rows())
    unknown = explain(candidate, "host1.example/other", Learner(), None)
    assert unknown.factor < 1
    assert "0 sites with finds" in dict(unknown.rows())["site"]
    assert (unknown.fetches, unknown.credit, unknown.learned) == (0.0, 0.0, 0)


# -- the others ------------------------------------------------------------------------------------------------


def test_the_rules_leave_scores_as_they_are():
    candidate = found("http://a.example/x")
    candidate.score = 0.37
    RuleOrder().join([candidate])
    assert candidate.score == 0.37
    assert list(RuleOrder().ended(leased(candidate), 1.0)) == []


def test_all_are_alike_to_an_even_order():
    candidates = [found("http://a.example/x"), found("http://a.example/f.mp3", kind=Kind.MEDIA)]
    Alike().join(candidates)
    assert candidates[0].score == candidates[1].score


def test_the_rate_of_a_site_moves_all_that_was_found_on_it():
    order = SiteRate(CreditPolicy())
    good = [found(f"http://t{n}.example/x", parent="http://good.example/") for n in range(5)]
    bad = [found(f"http://u{n}.example/x", parent="http://bad.example/") for n in range(5)]
    order.join(good, "good.example")
    order.join(bad, "bad.example")
    assert {candidate.link_class for candidate in good} == {"from good.example"}
    list(order.ended(leased(bad[0]), 0.0))
    moved = dict(order.ended(leased(good[0]), 1.0))
    assert set(moved) == {candidate.site for candidate in good}
    later = [found("http://v.example/x"), found("http://w.example/x")]
    order.join(later[:1], "good.example")
    order.join(later[1:], "bad.example")
    assert later[0].score > later[1].score


def test_the_rates_of_the_whole_path_move():
    order = SiteRate(CreditPolicy())
    page = found("http://page.example/1", parent="http://hub.example/")
    order.join([page], "hub.example")
    list(order.ended(leased(page), 0.0))
    file = found("http://page.example/f.mp3", parent=page.url)
    order.join([file], "page.example")
    assert "from hub.example" in {name for _, scores in order.ended(leased(file), 1.0) for name in scores}


def test_chance_does_not_move_it():
    rng = random.Random(3)
    urls = [f"http://s{rng.randrange(9)}.example/p/{n}" for n in range(200)]

    def run():
        order = Adaptive(AdaptivePolicy(), MemoryFrontier(FrontierPolicy()))
        return [visit(order, found(url), float(len(url) % 3 == 0)) for url in urls]

    assert run() == run()


# -- the first file of a site ----------------------------------------------------------------------------------------

START = "http://a.example/"
PAGES = [f"{START}{name}" for name in ("archive/", "news.html", "about/us.html", "shows/", "x/y/z.html", "?list=2")]


def walk(order, frontier, links, requests, reward):
    """Crawl a site whose start page has some links; answers what was requested after the start page.

    Args:
        order: the adaptive one.
        frontier: where the order keeps its notes.
        links: URLs; those that end in .mp3 are expected to be files.
        requests: that are made.
        reward: gives what is found at a URL.
    """
    expected = [found(url, START, kind=Kind.MEDIA if url.endswith(".mp3") else Kind.PAGE) for url in links]
    seed = found(START, "", via="seed")
    order.join([seed])
    frontier.add([seed])
    asked, now = [], 0.0
    for _ in range(requests + 1):
        now += 1000.0
        (lease,) = frontier.take(now, 1)
        asked.append(lease.url)
        if lease.url == START:
            order.join(expected, "a.example")
            frontier.add(expected)
        frontier.finish(lease, Outcome(End.DONE), now)
        for site, scores in order.ended(lease, reward(lease.url)):
            frontier.set_scores(site, scores)
    return asked[1:]


@pytest.fixture
def alone():
    """A frontier that picks nothing evenly, and an order that has learned nothing."""
    frontier = MemoryFrontier(FrontierPolicy(explore=0.0))
    return Adaptive(AdaptivePolicy(), frontier), frontier


@pytest.mark.parametrize("place", [0, 3, len(PAGES)])
@pytest.mark.parametrize("file", ["song.mp3", "audio/2024/song-12.mp3", "get.mp3"])
def test_a_sites_first_file_goes_before_its_pages_wherever_its_link_is(alone, place, file):
    links = [*PAGES[:place], f"{START}{file}", *PAGES[place:]]
    assert walk(*alone, links, 1, lambda _: 1.0) == [f"{START}{file}"]


@pytest.mark.parametrize("worthless", [1, 2, 4])
def test_a_file_that_gives_no_record_is_followed_by_the_next_file(alone, worthless):
    files = [f"{START}{name}/one.mp3" for name in "abcdef"]
    asked = walk(*alone, [*PAGES, *files], worthless + 1, lambda url: float(url == files[worthless]))
    assert asked == files[: worthless + 1]


def test_a_site_that_only_fakes_files_gets_to_its_pages(alone):
    files = [f"{START}{name}/one.mp3" for name in "abcdefghijklmnop"]
    asked = walk(*alone, [*PAGES, *files], 8, lambda _: 0.0)
    assert asked[:5] == files[:5]
    assert set(asked) & set(PAGES)


def test_a_site_gains_next_to_nothing_over_others_by_links_to_files(order):
    sites = {"fake.example": Kind.MEDIA, "plain.example": Kind.PAGE}
    best = {}
    for site, kind in sites.items():
        links = [found(f"http://{site}/{name}/x.html") for name in "abc"]
        links.append(found(f"http://{site}/d/x.mp3", kind=kind))
        order.join(links, site)
        scores = dict(order.ended(leased(found(f"http://{site}/", via="seed")), 0.0))
        scores = {**{link.link_class: link.score for link in links}, **scores.get(site, {})}
        best[site] = max(scores.values())
    assert best["fake.example"] < 1.3 * best["plain.example"]


def test_why_a_file_goes_first_is_told():
    file = found(f"{START}song.mp3", START, kind=Kind.MEDIA)
    told = dict(explain(file, file.link_class, Learner(), None).rows())
    assert told["file"] == "goes before the pages of its site, which has no record yet"
    classes = SiteClasses()
    classes.fetches[classes.add(file.link_class, places(file))] = 1.0
    classes.credit[0] = 1.0
    assert "file" not in dict(explain(file, file.link_class, Learner(), classes.dump()).rows())
    assert "file" not in dict(explain(found(PAGES[0], START), "any", Learner(), None).rows())
