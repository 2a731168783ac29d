"""What an operator is told of site adapters."""

from dataclasses import replace

from adapter_files import CLIP, WATCH, adapter

from mediacrawl.base.queued import QueuedRequest
from mediacrawl.programs.frontier_tools.adapter_words import page_in_words, request_in_words
from mediacrawl.watch.adapter_counts import AdapterCounts, ranked, summary_lines

ON = AdapterCounts("d", tried=1_200, hit=1_000, missed=4, row=2)
OFF = replace(ON, off=True, example="http://a.example/9", why="records: the answer names no media at file")
PAGE = "http://clips.example/v/1"


def test_of_a_page_it_is_told_where_its_data_is_asked():
    told = page_in_words(adapter(CLIP), {"id": "1"}, ON)
    assert told == (
        "its data is asked at https://clips.example/api/1.json by the adapter clips.example"
        " (1,200 tried, 1,000 hit, 4 missed, 2 misses in a row)"
    )
    assert "when it was read" in page_in_words(adapter(WATCH), {"id": "1"}, AdapterCounts())
    assert "makes no data URL of it" in page_in_words(adapter(CLIP), {"id": "x" * 3_000}, ON)


def test_of_a_page_whose_adapter_is_off_it_is_told_why():
    told = page_in_words(adapter(CLIP), {"id": "1"}, OFF)
    assert told.startswith("the adapter clips.example is switched off, the last at http://a.example/9 (records: ")
    assert told.endswith("the page is requested as an ordinary one")


def test_of_a_data_request_its_step_its_page_and_the_state_of_its_adapter_are_told():
    watch = adapter(WATCH)
    queued = QueuedRequest(watch.name, watch.digest, 2, number=3)
    told = request_in_words(queued, PAGE, watch, ON)
    assert told.startswith(f"request 2 of 2 of the adapter player.example for {PAGE}, page 3 of the list (1,200 tried")
    assert "switched off" in request_in_words(queued, PAGE, watch, OFF)
    assert "changed or removed" in request_in_words(queued, PAGE, None, ON)
    assert "changed or removed" in request_in_words(replace(queued, digest="other"), PAGE, watch, ON)


def test_the_summary_names_those_that_are_off_first_and_leaves_out_what_was_not_applied():
    counts = {"a": ON, "b": OFF, "c": replace(ON, tried=5), "d": AdapterCounts()}
    assert [name for name, _ in ranked(counts)] == ["b", "a", "c"]
    lines = summary_lines(counts, most=2)
    assert lines[0].startswith("b 1,200 tried, 1,000 hit, 4 missed, 2 misses in a row; switched off, as http://a.ex")
    assert lines[2:] == ["and 1 more"]
    assert summary_lines({}) == []
