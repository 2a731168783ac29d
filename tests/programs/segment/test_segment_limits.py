"""Inputs larger than memory, Ctrl-C, and what is left behind."""

import io
import random

import pytest
from harness import slow
from segment_run import DAY, Dying, go, rows_of, silent, write_lines

from mediacrawl.programs.segment import Rules, SegmentError, examine
from mediacrawl.programs.segment.engine import Engine, SegmentProgress, in_pieces, sorted_table, threads_for
from mediacrawl.scope import ScopeRules

pytest.importorskip("duckdb", reason="pip install -e '.[segment]'")


MEMORY = 80_000_000


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.slow
def test_an_input_that_is_larger_than_the_memory_is_sorted_on_disk(tmp_path):
    rng, number = random.Random(1), 45_000
    with (tmp_path / "links.jl").open("w") as file:
        for place in range(number):
            url = f"http://s{place % 500}.example/{rng.randbytes(20).hex()}"
            words = f'"parent": "{rng.randbytes(1024).hex()}", "anchor": "{rng.randbytes(100).hex()}"'
            file.write(f'{{"url": "{url}", "score": {place % 100}, {words}}}\n')
    assert (tmp_path / "links.jl").stat().st_size > 1.3 * MEMORY
    result = go(tmp_path / "links.jl", tmp_path / "next.jl", memory=MEMORY, limit=number - 1)
    assert result.written == result.links - 1 == number - 1
    # All links of a site have one score here.
    order = [(-row["score"], row["site"], row["url"]) for row in rows_of(tmp_path / "next.jl")]
    assert order == sorted(order)
    assert (tmp_path / "next.jl").stat().st_size > 1.3 * MEMORY
    assert names(tmp_path) == ["links.jl", "next.jl"]


def test_rows_that_do_not_fit_are_put_in_order_piece_by_piece(tmp_path):
    with Engine(tmp_path, MEMORY, 1, silent()) as engine:
        select = "SELECT i AS best, (i * 7919) % 1000 AS score, 'x' || i AS url FROM range(5000) t(i)"
        engine.table("wide", select)
        select = "SELECT * FROM wide\nORDER BY score DESC, url"
        sorted_table(engine, "whole", select)
        engine.memory = 50_000
        in_pieces(engine, "pieces", *select.split("\nORDER BY "))
        assert engine.run("SELECT * FROM pieces") == engine.run("SELECT * FROM whole")
        assert len(engine.run("SELECT * FROM pieces")) == 5000


class Impatient(SegmentProgress):
    """Presses Ctrl-C while a statement of a step runs."""

    def __init__(self, what):
        super().__init__(io.StringIO(), lambda: 0.0)
        self.pressed_in = what
        self.is_there = False

    def part(self, what, before, share):
        super().part(what, before, share)
        self.is_there = self.pressed_in in what

    def show(self, percent):
        if self.is_there:
            raise KeyboardInterrupt


@pytest.mark.parametrize("what", ["reading links", *slow("canonical form", "sorting")])
def test_ctrl_c_leaves_nothing_behind(tmp_path, what):
    links = [f"http://s{number % 1000}.example/{number}" for number in range(100_000)]
    source = write_lines(tmp_path / "links.txt", links)
    (tmp_path / "next.jl").write_text("earlier\n")
    with pytest.raises(KeyboardInterrupt):
        go(source, tmp_path / "next.jl", progress=Impatient(what), force=True)
    assert names(tmp_path) == ["links.txt", "next.jl"]
    assert (tmp_path / "next.jl").read_text() == "earlier\n"


def test_a_process_that_dies_ends_the_run_with_a_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(examine, "Examiner", Dying)
    monkeypatch.setattr("mediacrawl.programs.segment.engine.INPUT_A_THREAD", 1)
    source = write_lines(tmp_path / "links.txt", ["http://a.example/"])
    with pytest.raises(SegmentError, match="worker process ended"):
        go(source, tmp_path / "next.txt", jobs=2)
    assert names(tmp_path) == ["links.txt"]


def test_rules_that_cannot_be_read_end_the_run_before_it_begins(tmp_path):
    source = write_lines(tmp_path / "links.txt", ["http://a.example/"])
    for rules in (
        Rules(DAY, include=tmp_path / "missing.txt"),
        Rules(DAY, ScopeRules(nevercrawl=(tmp_path / "missing.txt",))),
        Rules(DAY, ScopeRules(extensions=tmp_path / "missing.txt")),
    ):
        with pytest.raises(SegmentError, match=r"missing\.txt"):
            go(source, tmp_path / "next.txt", rules=rules, jobs=2)
    assert names(tmp_path) == ["links.txt"]


def test_a_temporary_folder_can_be_named_and_is_left_as_it_was(tmp_path):
    source = write_lines(tmp_path / "links.txt", ["http://a.example/"])
    (tmp_path / "scratch").mkdir()
    go(source, tmp_path / "next.txt", temp=tmp_path / "scratch")
    assert names(tmp_path / "scratch") == []
    with pytest.raises(SegmentError, match="--temp"):
        go(source, tmp_path / "other.txt", temp=tmp_path / "missing")


def test_threads_are_no_more_than_the_memory_allows():
    assert [threads_for(memory, 8) for memory in (64_000_000, 250_000_000, 4_000_000_000)] == [1, 2, 8]


def test_a_small_input_is_read_by_one_thread_and_starts_no_processes(tmp_path, monkeypatch):
    assert [threads_for(4_000_000_000, 8, size) for size in (0, 100_000, 1 << 20, 1 << 30, None)] == [1, 1, 4, 8, 8]
    monkeypatch.setattr(examine, "workers", None)
    source = write_lines(tmp_path / "links.txt", ["http://a.example/"])
    assert go(source, tmp_path / "next.txt", jobs=8).written == 1


def test_progress_is_a_line_now_and_then_and_a_bar_on_a_terminal():
    now = [0.0]
    stream = io.StringIO()
    progress = SegmentProgress(stream, lambda: now[0])
    progress.begin(7)
    progress.step("reading \x1b[2J")
    now[0] = 5.0
    progress.show(10.0)
    assert stream.getvalue() == ""
    now[0] = 10.0
    progress.show(50.0)
    assert stream.getvalue() == "step 1 of 7: reading \\x1b[2J · 50% · 10.0 s\n"
    stream = io.StringIO()
    stream.isatty = lambda: True
    progress = SegmentProgress(stream, lambda: now[0])
    progress.step("sorting")
    now[0] = 11.0
    progress.show(50.0)
    assert "[==========          ] sorting · 50%" in stream.getvalue()
    progress.end()
    assert stream.getvalue().endswith("\r\x1b[K")
