"""Probe: what is requested, what is believed, how it ends, and how it survives between visits."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from probe_media import audio, frame, id3, picture, run, sample, texts

from mediacrawl.probe import Probe, ProbePolicy
from mediacrawl.probe.context import SparseFile
from mediacrawl.probe.session import choose

LONG = id3(frame("TIT2", b"\0Tone"), picture(500_000)) + audio()


def test_the_first_range_is_the_head():
    assert Probe().next_range() == (0, 16 * 1024)


def test_a_small_file_costs_one_request():
    assert run(sample("tagged.mp3")).requests == 1


def test_the_state_survives_a_restart_at_every_visit():
    again, once = run(LONG), run(LONG, restart=False)
    assert again.result == once.result
    assert (again.requests, again.fetched) == (once.requests, once.fetched)


def test_before_it_is_finished_a_result_is_partial():
    probe = Probe()
    probe.feed(0, LONG[:16384], len(LONG))
    assert not probe.finished
    assert probe.result().status == "partial"
    assert texts(probe.result(), "title") == ["Tone"]


def test_a_refusal_keeps_what_is_known():
    probe = Probe()
    probe.feed(0, LONG[:16384], len(LONG))
    probe.refuse("range ignored")
    assert probe.next_range() is None
    result = probe.result()
    assert (result.status, result.notes) == ("partial", ["range ignored"])
    assert texts(result, "title") == ["Tone"]


def test_a_refusal_of_the_first_range_is_an_error():
    probe = Probe()
    probe.refuse("416")
    assert (probe.result().status, probe.result().notes) == ("error:NoData", ["416"])


@pytest.mark.parametrize("start", [0, 400_000])
def test_an_answer_without_a_new_byte_is_the_last(start):
    probe = Probe()
    probe.feed(0, LONG[:16384], len(LONG))
    probe.feed(start, LONG[start : start + 1000], len(LONG))
    assert probe.finished
    assert probe.result().notes == ["nothing new"]
    assert probe.requests == 2


def test_an_empty_answer_is_the_last():
    probe = Probe()
    probe.feed(0, b"", 0)
    assert probe.finished
    assert probe.result().status == "error:NoData"


def test_a_changed_file_is_not_glued_from_two_versions():
    probe = Probe()
    probe.feed(0, LONG[:16384], len(LONG))
    start, stop = probe.next_range()
    probe.feed(start, LONG[start:stop], len(LONG) + 1)
    assert probe.result().notes == ["file changed"]
    assert probe.size == len(LONG)


def test_a_short_answer_is_asked_on_from_where_it_ended():
    data, probe = sample("xing.mp3"), Probe()
    probe.feed(0, data[:600], len(data))
    assert probe.next_range()[0] > 0
    while (wanted := probe.next_range()) is not None:
        probe.feed(wanted[0], data[slice(*wanted)], len(data))
    assert probe.result() == run(data).result


def test_a_server_that_ignores_range_gives_a_long_head():
    data, probe = audio(), Probe()
    probe.feed(0, data[:65536], len(data))
    probe.refuse("range ignored")
    assert probe.result().duration == pytest.approx(60, abs=1)
    assert probe.bytes_fetched == 65536
    assert len(probe.head) == 16384


def test_bytes_beyond_the_budget_are_counted_and_not_kept():
    probe = Probe(ProbePolicy(max_bytes=20_000))
    probe.feed(0, LONG, len(LONG))
    assert probe.bytes_fetched == len(LONG)
    assert len(probe.dump()) < 21_000
    assert probe.finished


def test_bytes_beyond_the_end_of_the_file_are_not_kept():
    probe = Probe()
    probe.feed(0, b"fLaC" + bytes(96), 50)
    assert probe.segments() == [(0, b"fLaC" + bytes(46))]


def test_an_unknown_size_gives_tags_and_no_guessed_length():
    data, probe = id3(frame("TIT2", b"\0Tone")) + audio(), Probe()
    probe.feed(0, data[:16384], None)
    assert probe.finished
    result = probe.result()
    assert (texts(result, "title"), result.duration) == (["Tone"], None)
    assert result.notes == ["size unknown"]


@pytest.mark.parametrize("size", [-1, 2**62, 2**200])
def test_an_absurd_size_is_not_believed(size):
    probe = Probe()
    probe.feed(0, sample("tone.flac")[:16384], size)
    assert probe.size is None
    assert probe.result().codec == "flac"


def test_feeding_a_finished_probe_only_counts():
    probe = run(sample("tone.flac")).probe
    before = probe.result()
    probe.feed(0, b"x" * 100, 100)
    assert probe.result() == before
    assert probe.requests == 2


# Where ranges are chosen.


def chosen(needs, *, requests=6, room=262_144, size=10_000_000):
    policy, file = ProbePolicy(), SparseFile(size)
    return choose(needs, file, policy, requests_left=requests, bytes_left=room)


def test_a_range_is_rounded_up_to_a_step_and_ends_with_the_file():
    assert chosen([(20_000, 20_010)]) == (20_000, 28_192)
    assert chosen([(9_999_000, 9_999_010)]) == (9_999_000, 10_000_000)


def test_places_that_are_near_are_fetched_together():
    assert chosen([(20_000, 20_010), (70_000, 70_100)]) == (20_000, 77_344)


def test_places_that_are_near_are_fetched_apart_where_the_budget_does_not_hold_what_lies_between():
    assert chosen([(0, 100), (50_000, 50_100)], room=10_000) == (0, 8192)


def test_a_range_is_not_rounded_up_beyond_the_budget():
    assert chosen([(0, 100)], room=5000) == (0, 5000)


def test_places_that_are_far_are_fetched_in_their_order():
    assert chosen([(500_000, 500_010), (20_000, 20_010)])[0] == 500_000


def test_the_last_requests_go_to_the_parts_that_had_none():
    needs = [(20_000, 20_010), (500_000, 500_010), (9_000_000, 9_000_010)]
    assert [chosen(needs, requests=n)[0] for n in (3, 2, 1)] == [20_000, 500_000, 9_000_000]


def test_what_is_too_dear_is_left_and_the_rest_is_not():
    assert chosen([(0, 300_000), (500_000, 500_010)])[0] == 500_000
    assert chosen([(0, 300_000)]) is None
    assert chosen([(0, 10)], requests=0) is None


@given(
    st.lists(st.tuples(st.integers(0, 2**63), st.integers(0, 2**63)), max_size=6),
    st.integers(0, 6),
    st.integers(0, 2**18),
    st.integers(0, 2**40) | st.none(),
)
def test_a_chosen_range_is_never_empty_nor_beyond_the_budget(needs, requests, room, size):
    file = SparseFile(size)
    real = [(start, stop) for start, stop in needs if size is None or stop <= size]
    answer = choose(real, file, ProbePolicy(), requests_left=requests, bytes_left=room)
    if answer is not None:
        assert 0 < answer[1] - answer[0] <= room


# The packed state.

STATE = Probe().dump()


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"size": -1},
        {"size": "1"},
        {"requests": 1.5},
        {"bytes": True},
        {"next": [1]},
        {"next": 7},
        {"next": [0, 2**63]},
        {"why": None},
        {"segments": [[0, "text"]]},
        {"segments": [[-1, b"x"]]},
        {"segments": [0]},
        {"segments": None},
    ],
)
def test_a_corrupt_state_is_refused(change):
    state = msgpack.unpackb(STATE) | change
    with pytest.raises(ValueError, match="not the state of a probe"):
        Probe.load(msgpack.packb(state))


@given(st.binary(max_size=200))
def test_any_bytes_are_a_state_or_a_value_error(state):
    with pytest.raises(ValueError, match="not the state of a probe"):
        Probe.load(state)


@given(st.integers(0, len(STATE) - 1), st.integers(0, 255))
def test_a_damaged_state_gives_a_probe_or_a_value_error(at, value):
    damaged = STATE[:at] + bytes([value]) + STATE[at + 1 :]
    try:
        probe = Probe.load(damaged)
    except ValueError:
        return
    assert probe.result().status == "error:NoData"
