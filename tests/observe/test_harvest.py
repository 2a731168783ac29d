"""The harvest: what pages came to, by windows and over all, and the evenly picked ones beside the others."""

import json
from math import exp, factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.observe.harvest import (
    ENOUGH,
    TAIL,
    ClassScore,
    Harvest,
    HarvestCounts,
    HarvestLines,
    PageOutcome,
    counts_of,
    page_outcome,
)
from mediacrawl.records import Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.visit import FetchFacts, Visit, VisitDecision

CONTINUE = Outcome(End.CONTINUE)
DONE = Outcome(End.DONE)


def visit(url="http://a.example/", kind=Kind.PAGE, *, even=False, attempt=0, state=b"", **came):
    """A visit, as it is when it ends."""
    lease = Lease(1, url, "a.example", "", kind, 1, 0, "", Evidence(), attempt, state, 15.0, 0.0, even=even)
    fetch = FetchFacts(url, came.pop("asks", kind), status=came.pop("status", 0), error=came.pop("error", ""))
    return Visit(lease, fetch, VisitDecision(**came))


def dropped(reason, *, asked=True):
    return Outcome(End.DROPPED, reason, asked=asked)


# -- what a URL came to --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ended", "outcome", "word"),
    [
        (visit(status=206, kind=Kind.MEDIA, stored=1, earned=1), DONE, "new"),
        (visit(status=200, stored=3, earned=1, repeats=2), DONE, "new"),
        (visit(status=206, kind=Kind.MEDIA, stored=1, repeats=1), DONE, "again"),
        (visit(status=206, kind=Kind.MEDIA, stored=1), DONE, "untagged"),
        (visit(status=200), DONE, "page"),
        (visit(status=200), dropped(Drop.DUPLICATE), "page"),
        (visit(status=200, kind=Kind.LIST), DONE, "list"),
        (visit(status=304), dropped(Drop.HTTP_STATUS), "unchanged"),
        (visit(status=200, kind=Kind.MEDIA), DONE, "fake"),
        (visit(status=200, kind=Kind.MEDIA), dropped(Drop.CONTENT_TYPE), "fake"),
        (visit(status=200, kind=Kind.MEDIA), dropped(Drop.DUPLICATE), "fake"),
        (visit(status=200), dropped(Drop.CONTENT_TYPE), "other"),
        (visit(status=301, kind=Kind.MEDIA), DONE, "redirect"),
        (visit(status=302), dropped(Drop.REDIRECT_CAP), "redirect"),
        (visit(status=404), dropped(Drop.HTTP_STATUS), "gone"),
        (visit(status=416, kind=Kind.MEDIA), dropped(Drop.CONTENT_TYPE), "gone"),
        (visit(status=200, kind=Kind.MEDIA), dropped(Drop.SOFT_404), "gone"),
        (visit(error="TimeoutError"), dropped(Drop.DOWNLOAD_ERROR), "gone"),
        (visit(), dropped(Drop.CALLBACK_ERROR, asked=False), "gone"),
        (visit(), dropped(Drop.ROBOTS, asked=False), "refused"),
        (visit(asks=Kind.ROBOTS), dropped(Drop.NEVERCRAWL, asked=False), "refused"),
        (visit(kind=Kind.MEDIA), dropped(Drop.ADDRESS, asked=False), "refused"),
        (visit(status=200, kind=Kind.MEDIA), dropped(Drop.NOINDEX), "refused"),
        (visit(status=200), dropped(Drop.NOT_WORTH), "refused"),
    ],
)
def test_what_a_url_came_to_is_told_by_its_last_visit(ended, outcome, word):
    assert page_outcome(ended, outcome) == word


@given(
    kind=st.sampled_from(Kind), asks=st.sampled_from(Kind), status=st.integers(0, 999), asked=st.booleans(),
    reason=st.none() | st.sampled_from(Drop), counts=st.tuples(*[st.integers(0, 2)] * 3),
)  # fmt: skip
def test_whatever_ends_has_one_word_and_only_nuggets_are_new(kind, asks, status, asked, reason, counts):
    earned, repeats, stored = counts
    ended = visit(kind=kind, asks=asks, status=status, earned=earned, repeats=repeats, stored=stored)
    outcome = Outcome(End.DROPPED if reason else End.DONE, reason, asked=asked)
    assert (page_outcome(ended, outcome) is PageOutcome.NEW) == (earned > 0)


# -- windows and totals --------------------------------------------------------------------------------------------

PAGES = st.lists(
    st.tuples(st.sampled_from(PageOutcome), st.integers(0, 3), st.booleans(), st.booleans(), st.booleans()), max_size=60
)


@given(pages=PAGES, every=st.integers(1, 9))
def test_windows_add_up_to_the_totals_over_any_number_of_starts(pages, every, tmp_path_factory):
    file = HarvestLines(tmp_path_factory.mktemp("harvest") / "harvest.jl")
    lines = []

    def write(harvest):
        lines.append(harvest.line(0.0, 0, 0))
        file.append(lines[-1])

    harvest = Harvest(every)
    for outcome, new, even, revisit, ends in pages:
        if harvest.page(outcome, new=new, even=even, revisit=revisit):
            write(harvest)
        if ends:
            if harvest.is_begun:
                write(harvest)
            harvest = Harvest(every, counts_of(file.last()))
    write(harvest)
    assert all(line["window"]["pages"] <= every for line in lines)
    assert sum(line["window"]["pages"] for line in lines) == lines[-1]["pages"] == len(pages)
    assert sum(line["window"]["new"] for line in lines) == lines[-1]["new"] == sum(page[1] for page in pages)
    assert lines[-1]["even"]["pages"] == sum(page[2] for page in pages)
    assert lines[-1]["even"]["new"] == sum(page[1] for page in pages if page[2])
    assert lines[-1]["revisited"] == sum(page[3] for page in pages)
    for each in PageOutcome:
        told = sum(round(line["outcomes"][each] * line["window"]["pages"]) for line in lines)
        assert told == sum(page[0] is each for page in pages)
    assert file.last() == lines[-1]


def test_a_line_tells_rates_of_the_window_and_of_all():
    harvest = Harvest(10)
    for number in range(20):
        full = harvest.page(PageOutcome.NEW if number < 4 else PageOutcome.PAGE, new=number < 4, even=number % 5 == 0)
        line = harvest.line(1_700_000_000.0, 7, 90) if full else None
    assert (line["time"], line["sites_ready"], line["waiting"]) == ("2023-11-14T22:13:20Z", 7, 90)
    assert (line["rate"], line["rate_all"], line["explored"]) == (0.0, 200.0, 0.2)
    assert line["even"] == {"pages": 4, "new": 1, "rate": 250.0}
    assert line["outcomes"]["page"] == 1.0
    assert line["classes"] is None
    assert (harvest.last.pages, harvest.last.new) == (10, 0)


def test_a_line_tells_the_share_of_urls_that_had_no_room_in_a_class_of_their_own():
    harvest = Harvest(4)
    for number in range(4):
        harvest.ended(visit(), Outcome(End.CONTINUE), overflow=True)
        harvest.ended(visit(kind=Kind.ROBOTS), Outcome(End.DONE), overflow=True)
        harvest.ended(visit(), Outcome(End.DONE), overflow=number == 0)
    assert harvest.line(0.0, 0, 0)["overflow"] == 0.25


def test_what_an_earlier_process_counted_is_in_the_total_and_not_in_the_run():
    harvest = Harvest(10, HarvestCounts(pages=500, new=4))
    harvest.page(PageOutcome.NEW, new=1, even=False)
    assert (harvest.run.pages, harvest.run.new) == (1, 1)
    assert (harvest.total.pages, harvest.total.new) == (501, 5)


def test_a_window_has_a_page_at_least():
    with pytest.raises(ValueError, match="at least one page"):
        Harvest(0)


# -- visits --------------------------------------------------------------------------------------------------------


def test_a_page_is_a_url_that_ended_and_requests_are_all_that_went_out():
    harvest = Harvest()
    harvest.ended(visit(asks=Kind.ROBOTS, status=200), CONTINUE)
    harvest.ended(visit(status=503), Outcome(End.AGAIN))
    harvest.ended(visit(), Outcome(End.RETURNED, asked=False))
    harvest.ended(visit(kind=Kind.ROBOTS, status=200), DONE)
    assert (harvest.total.pages, harvest.total.requests) == (0, 3)
    harvest.ended(visit(status=200), DONE)
    harvest.ended(visit(), dropped(Drop.ROBOTS, asked=False))
    assert (harvest.total.pages, harvest.total.requests) == (2, 4)


@pytest.mark.parametrize("first", [True, False])
def test_a_probe_of_two_ranges_was_picked_as_its_first_one_was(first):
    harvest = Harvest()
    harvest.ended(visit(kind=Kind.MEDIA, even=first), CONTINUE)
    harvest.ended(visit(kind=Kind.MEDIA, even=not first, state=b"head", earned=1), DONE)
    assert (harvest.total.even_pages, harvest.total.even_new) == (first, first)


def test_a_url_that_failed_at_first_was_picked_as_it_was_then():
    harvest = Harvest()
    harvest.ended(visit(even=True), Outcome(End.AGAIN))
    harvest.ended(visit(attempt=1), DONE)
    harvest.ended(visit("http://b.example/"), Outcome(End.AGAIN))
    harvest.ended(visit("http://b.example/", even=True, attempt=1), DONE)
    assert harvest.total.even_pages == 1


@pytest.mark.parametrize(
    ("before", "outcome"),
    [
        (visit(even=True, asks=Kind.ROBOTS), CONTINUE),
        (visit(even=True), Outcome(End.RETURNED, asked=False, wait=3.0)),
    ],
)
def test_a_visit_that_did_not_ask_for_the_url_does_not_say_how_it_was_picked(before, outcome):
    harvest = Harvest()
    harvest.ended(before, outcome)
    harvest.ended(visit(), DONE)
    assert harvest.total.even_pages == 0
    harvest.ended(visit(even=True), DONE)
    assert harvest.total.even_pages == 1


def test_of_evenly_picked_urls_under_way_only_so_many_are_remembered():
    harvest = Harvest(10**6)
    urls = [f"http://a.example/{number}.mp3" for number in range(10_100)]
    for url in urls:
        harvest.ended(visit(url, Kind.MEDIA, even=True), CONTINUE)
    for url in urls:
        harvest.ended(visit(url, Kind.MEDIA, state=b"head"), DONE)
    assert harvest.total.even_pages == 10_000


# -- how many times chance -----------------------------------------------------------------------------------------


def poisson(most, mean):
    """How likely at most so many events are."""
    return sum(exp(-mean) * mean**number / factorial(number) for number in range(most + 1))


@pytest.mark.parametrize("found", range(13))
def test_the_least_ratio_is_that_to_a_rate_which_gives_so_few_in_one_of_twenty_cases(found):
    told = HarvestCounts(pages=100_000, new=8_000, even_pages=2_000, even_new=found)
    rate_of_even_picks = told.rate / told.ratio_at_least
    assert poisson(found, 2_000 * rate_of_even_picks / 1_000) == pytest.approx(0.05, rel=0.03)


def test_where_even_picks_found_nothing_the_rule_of_three_holds():
    told = HarvestCounts(pages=50_000, new=5_000, even_pages=1_000)
    assert told.ratio is None
    assert told.ratio_at_least == pytest.approx(100 / 3, rel=0.02)


def test_the_ratio_is_told_from_three_nuggets_on():
    assert ENOUGH == 3
    assert HarvestCounts(pages=1_000, new=90, even_pages=100, even_new=2).ratio is None
    assert HarvestCounts(pages=1_000, new=90, even_pages=100, even_new=3).ratio == pytest.approx(3.0)


@given(even=st.integers(0, 200), others=st.integers(0, 5_000), even_new=st.integers(0, 400), new=st.integers(0, 9_000))
def test_the_least_ratio_is_below_the_ratio(even, others, even_new, new):
    told = HarvestCounts(pages=even + others, new=new + even_new, even_pages=even, even_new=even_new)
    if told.ratio is None:
        assert even == 0 or even_new < ENOUGH
    else:
        assert 0 <= told.ratio_at_least < told.ratio or new + even_new == 0
    assert (told.ratio_at_least is None) == (even == 0)


# -- the file ------------------------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    return HarvestLines(tmp_path / "state" / "harvest.jl")


def lines_of(tmp_path):
    return (tmp_path / "state" / "harvest.jl").read_bytes().split(b"\n")


def test_the_last_line_is_read_back_and_before_there_is_a_file_there_is_none(file):
    assert file.last() == {}
    file.append({"pages": 1})
    file.append({"pages": 2})
    assert file.last() == {"pages": 2}


def test_half_a_line_that_a_kill_left_is_not_read_and_the_next_one_begins_anew(file, tmp_path):
    file.append({"pages": 1_000})
    path = tmp_path / "state" / "harvest.jl"
    path.write_bytes(path.read_bytes() + b'{"pages":2000')
    assert file.last() == {"pages": 1_000}
    file.append({"pages": 1_500})
    assert lines_of(tmp_path) == [b'{"pages":1000}', b'{"pages":2000', b'{"pages":1500}', b""]
    assert file.last() == {"pages": 1_500}


@given(cut=st.integers(0, 400))
def test_wherever_a_kill_cuts_the_file_the_last_whole_line_counts(cut, tmp_path_factory):
    path = tmp_path_factory.mktemp("harvest") / "harvest.jl"
    file = HarvestLines(path)
    for number in range(20):
        file.append({"pages": number})
    whole = path.read_bytes()[:cut]
    path.write_bytes(whole)
    number = whole.count(b"\n")
    assert file.last() == ({"pages": number - 1} if number else {})
    file.append({"pages": 99})
    assert file.last() == {"pages": 99}


@pytest.mark.parametrize("rubbish", [b"\n", b"nonsense\n", b"[1, 2]\n", b"\xff\xfe\n", b"[" * 5_000 + b"\n"])
def test_a_line_that_is_no_object_is_passed_over(file, tmp_path, rubbish):
    file.append({"pages": 7})
    with (tmp_path / "state" / "harvest.jl").open("ab") as end:
        end.write(rubbish)
    assert file.last() == {"pages": 7}


def test_only_the_end_of_a_long_file_is_read(file, tmp_path):
    file.append({"pages": 1})
    with (tmp_path / "state" / "harvest.jl").open("ab") as end:
        end.write(b"-" * TAIL)
    assert file.last() == {}


@pytest.mark.parametrize(
    "line",
    [
        {"pages": "7", "new": -1, "requests": True, "revisited": 1e3, "even": [1]},
        {"pages": None, "even": {"pages": float("nan"), "new": 10**40}},
        {},
    ],
)
def test_totals_that_are_no_numbers_are_none(line):
    assert counts_of(line) == HarvestCounts()


def test_the_best_and_the_worst_classes_are_told_ten_each(file):
    told = [ClassScore(f"class {number}", "a.example", number, 0.5, 1 / (number + 1)) for number in range(12)]
    line = Harvest(1).line(0.0, 0, 0, (told, told[::-1]))
    file.append(line)
    best, worst = file.last()["classes"]["best"], file.last()["classes"]["worst"]
    assert len(best) == len(worst) == 10
    assert best[1] == {"name": "class 1", "site": "a.example", "n": 1, "r": 0.5, "score": 0.5}
    assert worst[0]["name"] == "class 11"


numbers = st.floats(allow_nan=True, allow_infinity=True)


@given(name=st.text() | st.just("\U0001f3a7" * 5_000), site=st.text(), n=numbers, r=numbers, score=numbers)
def test_whatever_a_class_is_called_its_line_is_one_line_that_can_be_read_back(
    name, site, n, r, score, tmp_path_factory
):
    path = tmp_path_factory.mktemp("harvest") / "harvest.jl"
    told = [ClassScore(name, site, n, r, score)] * 10
    HarvestLines(path).append(Harvest(1).line(0.0, 1, 2, (told, told)))
    written = path.read_bytes()
    assert written.count(b"\n") == 1
    assert len(written) < TAIL / 2
    assert json.loads(written.decode("ascii"))["waiting"] == 2
    assert HarvestLines(path).last()["sites_ready"] == 1
