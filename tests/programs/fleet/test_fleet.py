"""A fleet of real processes: what dies is started again, and nothing is left when it ends."""

import logging
import os
import time

import pytest

from mediacrawl.programs.fleet import fleet as module
from mediacrawl.watch.worker_stats import LOST


def given(words, name):
    """The values of an argument or a setting in a command line."""
    return [word.partition("=")[2] for word in words if word.startswith(f"{name}=")]


def when_said(text, times=1):
    """Asks the fleet to stop once a worker has said something."""
    return lambda harbour: times if any(text in record for _, record in harbour.shown) else 0


def wait_for_the_first(harbour):
    """Until the first worker's process has ended, without taking note of it."""
    os.waitid(os.P_PID, harbour.pids()[0], os.WEXITED | os.WNOWAIT)


# -- beginning and end ---------------------------------------------------------------------------------------


def test_a_fleet_ends_when_all_workers_have_finished(harbour):
    fleet = harbour(["begin 0"], ["begin 0"], ["begin 0"])
    # The first must not be over before the others are started: then they would not be needed.
    fleet.lives["1"] = ["begin say=wait_for_me wait"]
    fleet.stop_when = lambda h: len([1 for _, record in h.shown if "ready" in record]) == 3
    assert fleet.run() == 0
    assert [each["starts"] for each in fleet.report()["workers"]] == [1, 1, 1]
    assert fleet.report()["stats"] == {"n": 3, "seeds/joined": 9}
    assert "30 pages" in fleet.text() or "pages      30" in fleet.text()


def test_a_crawl_that_is_over_before_the_others_begin_needs_no_others(harbour):
    fleet = harbour(["begin 0"], ["begin 0"])
    fleet.before_each_look = wait_for_the_first
    assert fleet.run() == 0
    assert fleet.told(2) == []
    assert fleet.report()["reason"] == "finished"


def test_the_others_begin_when_the_first_has_handed_in_all_seeds(harbour):
    fleet = harbour(["open wait"], ["begin wait"])
    seen = []

    def stop(harbour):
        if when_said("ready")(harbour):
            seen.append(harbour.told(2))
        return len(seen) > 40

    fleet.stop_when = stop
    assert fleet.run() == 0
    assert fleet.told(2) == []
    assert fleet.handed_on == []


def test_before_the_others_begin_they_are_handed_what_the_first_knows(harbour):
    fleet = harbour(["begin wait"], ["say=two wait"], ["say=three wait"])
    fleet.stop_when = lambda h: when_said("two")(h) and when_said("three")(h)
    assert fleet.run() == 0
    assert fleet.handed_on == [("worker-1", ["worker-2", "worker-3"])]


def test_workers_have_folders_of_their_own(harbour):
    fleet = harbour(["begin wait"], ["say=two wait"])
    fleet.stop_when = when_said("two")
    fleet.settings = ("MEDIACRAWL_DIR=elsewhere", "LOG_FILE=one.log", "JOBDIR=shared")
    fleet.run()
    for number in (1, 2):
        (words,) = fleet.told(number)
        assert given(words, "MEDIACRAWL_DIR")[-1] == str(fleet.folder / f"worker-{number}")
        assert given(words, "JOBDIR")[-1] == given(words, "LOG_FILE")[-1] == ""


# -- seeds and fresh -----------------------------------------------------------------------------------------


def test_seeds_go_to_the_first_worker_only_and_until_they_are_handed_in(harbour):
    fleet = harbour(["open 1", "open 1", "begin 1", "begin wait"], ["say=two wait"])
    fleet.patience = fleet.patience.__class__(0.02, 0.1, 60.0, 30.0, 9)
    fleet.arguments = {"seed": "https://a.example/", "scope": "site"}
    fleet.stop_when = lambda h: when_said("two")(h) and len(h.told(1)) == 4
    assert fleet.run() == 0
    assert [given(words, "seed") for words in fleet.told(1)] == [["https://a.example/"]] * 3 + [[]]
    assert [given(words, "seed") for words in fleet.told(2)] == [[]]
    assert all(given(words, "scope") == ["site"] for number in (1, 2) for words in fleet.told(number))


def test_fresh_never_reaches_a_worker_once_the_crawl_has_begun(harbour):
    fleet = harbour(["1", "open 1", "begin 1", "begin wait"], ["say=two wait"])
    fleet.patience = fleet.patience.__class__(0.02, 0.1, 60.0, 30.0, 9)
    fleet.arguments = {"fresh": "1"}
    fleet.stop_when = lambda h: when_said("two")(h) and len(h.told(1)) == 4
    assert fleet.run() == 0
    # The first start died before its spider opened: nothing of this crawl was there yet.
    assert [given(words, "fresh") for words in fleet.told(1)] == [["1"], ["1"], [], []]
    assert [given(words, "fresh") for words in fleet.told(2)] == [[]]


# -- deaths --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("death", "how"), [("kill", "was ended by SIGKILL"), ("3", "ended with exit code 3")])
def test_a_worker_that_dies_is_started_again_and_its_work_counts(harbour, death, how):
    fleet = harbour(["begin wait"], [f"begin {death}", "begin say=again wait"])
    fleet.stop_when = when_said("again")
    assert fleet.run() == 0
    assert f"worker 2 {how}" in fleet.text(logging.WARNING)
    assert fleet.report()["stats"]["n"] == 3
    assert fleet.report()["workers"][1]["starts"] == 2


def test_a_worker_that_dies_again_and_again_at_its_start_ends_the_fleet(harbour):
    fleet = harbour(["begin wait"], ["say=it_is_broken 7"])
    assert fleet.run() == 1
    assert len(fleet.told(2)) == 3
    last = fleet.text(logging.ERROR)
    assert "worker 2 died 3 times" in last
    assert "exit code 7" in last
    assert last.endswith("it_is_broken")
    assert "stopped cleanly" in "".join(fleet.records(1))
    assert fleet.report()["reason"] == "failed"


def test_no_worker_is_started_into_a_frontier_that_was_lost(harbour):
    fleet = harbour(["begin wait"], [f"begin say=it_was_emptied {LOST}", "begin wait"])
    assert fleet.run() == LOST
    assert [len(fleet.told(number)) for number in (1, 2)] == [1, 1]
    last = fleet.text(logging.ERROR)
    assert "worker 2 has lost the frontier" in last
    assert "it_was_emptied" in "".join(fleet.records(2))
    assert fleet.report()["reason"] == "failed"


def test_who_comes_after_the_seeds_must_find_a_crawl(harbour):
    fleet = harbour(["1", "begin 1", "begin wait"], ["say=two wait"])
    fleet.stop_when = lambda h: when_said("two")(h) and len(h.told(1)) == 3
    assert fleet.run() == 0
    begun = [[word for word in words if "FRONTIER_BEGUN" in word] for words in [*fleet.told(1), *fleet.told(2)]]
    assert begun == [[f"FRONTIER_BEGUN={must}"] for must in (False, False, True, True)]


def test_a_worker_that_cannot_be_started_is_given_up_like_others(harbour):
    fleet = harbour(["begin 0"])
    (fleet.folder / "worker-1").write_text("no folder")
    assert fleet.run() == 1
    assert fleet.text(logging.ERROR).count("cannot be started: ") == 3
    assert "worker 1 died 3 times" in fleet.text(logging.ERROR)


# -- stops ---------------------------------------------------------------------------------------------------


def test_asked_once_every_worker_stops_cleanly(harbour):
    fleet = harbour(["begin wait"], ["begin say=two wait"])
    fleet.stop_when = when_said("two")
    assert fleet.run() == 0
    assert ["stopped cleanly" in "".join(fleet.records(number)) for number in (1, 2)] == [True, True]
    assert fleet.report()["reason"] == "stopped"
    assert [each["state"] for each in fleet.report()["workers"]] == ["stopped", "stopped"]


def test_asked_twice_they_are_killed(harbour):
    fleet = harbour(["begin wait"], ["deaf say=two wait"])
    fleet.stop_when = lambda h: (1 + ("stopped cleanly" in "".join(h.records(1)))) * when_said("two")(h)
    assert fleet.run() == 130
    assert fleet.report()["workers"][1]["last_code"] == -9


@pytest.mark.parametrize(("first", "code"), [("begin say=two 1", 1), ("begin wait", module.KILLED)])
def test_where_the_log_says_that_ctrl_c_kills_the_first_one_does(harbour, monkeypatch, first, code):
    """The fleet has stopped by itself, or was asked to once before."""
    monkeypatch.setattr(module, "SLOW", 0.5)
    fleet = harbour([first], ["deaf say=two wait"])
    before, looks = int(code == module.KILLED), []

    def stop(harbour):
        if "Ctrl-C kills them" in harbour.text():
            # Nothing kills them but one more.
            assert looks[9:] or "the workers are killed" not in harbour.text()
            looks.append(harbour)
        return before * bool(when_said("two")(harbour)) + (len(looks) > 9)

    fleet.stop_when = stop
    assert fleet.run() == code
    assert "the workers are killed" in fleet.text(logging.WARNING)
    assert fleet.report()["workers"][1]["last_code"] == -9


def test_no_process_is_left(harbour):
    fleet = harbour(["begin wait"], ["say=two wait"])
    fleet.stop_when = when_said("two")
    fleet.run()
    assert len(fleet.pids()) == 2
    for pid in fleet.pids():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


# -- logs and stats ------------------------------------------------------------------------------------------


def test_logs_are_merged_record_by_record(harbour):
    fleet = harbour(["begin trace wait"])
    log, go_on = (fleet.folder / "worker-1" / name for name in ("crawl.log", "go_on"))
    halves = iter(["Traceback", "ValueError"])

    def wait_for_a_half(harbour):
        """The first look finds half of a record in the log, the next one the other half."""
        half = next(halves, "")
        if half == "ValueError":
            go_on.touch()
        while half not in log.read_text():
            assert time.monotonic() < harbour.ends
            time.sleep(0.005)

    fleet.before_each_look = wait_for_a_half
    fleet.stop_when = when_said("ValueError")
    fleet.run()
    (trace,) = [record for record in fleet.records(1) if "Traceback" in record]
    assert trace.startswith("2026-01-01 00:00:01 [stand_in] ERROR: broken\nTraceback")
    assert "ValueError" in trace
    assert "ValueError" in log.read_text()
    assert "worker 1, start 1" in log.read_text()
