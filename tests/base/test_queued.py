"""Data requests as they wait in the frontier."""

from dataclasses import replace

import pytest
from adapter_files import CLIP, WATCH, adapter
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.queued import LONGEST, WAITS, QueuedRequest, WaitingPage, is_marked, mark_of_redirect
from mediacrawl.base.terms import Evidence

PAGE = WaitingPage("audio", "an id", "http://a.example/first", "http://a.example/", 2)
QUEUED = QueuedRequest("clips.example", "0123", 2, {"id": "ü", "t": ""}, 3, "1700000000", False, PAGE)
SLOTS = {"id": "1", "title": "a", "v": "2", "key": "k", "state": "s"}


def waiting(queued):
    return Evidence(WAITS, guid=queued.dump())


@pytest.mark.parametrize("queued", [QUEUED, replace(QUEUED, page=None, listed=True, again="", number=1, slots={})])
def test_a_data_request_is_read_as_it_was_written(queued):
    assert QueuedRequest.of(waiting(queued)) == queued


def test_slots_that_are_too_long_are_not_kept():
    assert replace(QUEUED, slots={"id": "x" * LONGEST}).dump() == ""


@pytest.mark.parametrize(
    "guid",
    [
        *("", "null", "[]", "{}", "[" * 4_000, '["a", "b", 1]', "x" * (LONGEST + 1)),
        *('["a","b",0,{},1,"",true,null]', '["a","b",4,{},1,"",true,null]', '["a","b",1,{"x":1},1,"",true,null]'),
        *('["a","b",1,{},0,"",true,null]', '["a","b",1,{},1,"",1,null]', '["a","b",1,{},1,"",true,[]]'),
        *('["a","b",1,[],1,"",true,null]', '["a","b",1,{},1,"",true,["a","","","",-1]]'),
    ],
)
def test_what_another_program_wrote_is_no_data_request(guid):
    assert QueuedRequest.of(Evidence(WAITS, guid=guid)) is None


def test_other_evidence_is_no_data_request_whatever_its_id_says():
    assert QueuedRequest.of(Evidence("enclosure", guid=QUEUED.dump())) is None


@given(st.text(max_size=300))
def test_any_text_is_read_without_an_error(guid):
    QueuedRequest.of(Evidence(WAITS, guid=guid))


def test_only_slots_that_are_needed_are_kept():
    watch = adapter(WATCH)
    assert watch.needed_slots(0) == {"id", "number", "key", "state", "ticket", "v"}
    assert watch.needed_slots(1) == {"ticket", "v"}
    assert watch.needed_slots(2) == {"v"}
    assert watch.kept_slots(1, SLOTS) == {"id": "1", "v": "2", "key": "k", "state": "s"}
    assert watch.kept_slots(2, {**SLOTS, "ticket": "x"}) == {"v": "2", "ticket": "x"}


def test_pages_that_differ_in_what_is_not_needed_later_have_one_data_request():
    watch, clip = adapter(WATCH), adapter(CLIP)
    assert watch.mark(1, SLOTS) == watch.mark(1, {**SLOTS, "title": "b", "id": "9"})
    assert watch.mark(1, SLOTS) != watch.mark(1, {**SLOTS, "v": "3"})
    assert clip.mark(1, {"id": "1"}) == clip.mark(1, {"id": "2"}) == "adapter:clips.example"


def test_a_revisit_and_a_redirect_have_marks_of_their_own():
    clip = adapter(CLIP)
    first, again = clip.mark(1, {}), clip.mark(1, {}, "1700000000")
    there, elsewhere = (mark_of_redirect(first, f"http://a.example/{name}") for name in "ab")
    assert len({first, again, there, elsewhere}) == 4
    further = [mark_of_redirect(before, "http://a.example/c") for before in (there, elsewhere)]
    assert further[0] != further[1]
    assert {each.count("~") for each in further} == {1}
    assert all(is_marked(f"http://a.example/#{each}") for each in (first, again, there))
    assert not is_marked("http://a.example/")
    assert not is_marked("http://a.example/#1")
