"""What a person sees of a run."""

import io

import pytest

from mediacrawl.observe.text import columns
from mediacrawl.rerun import PreviewTable, RerunCounts, RerunProgress, report
from mediacrawl.rerun.blocks import PreviewRow
from mediacrawl.rerun.console import is_coloured


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_without_a_terminal_there_is_a_line_every_ten_seconds():
    clock, stream = Clock(), io.StringIO()
    progress = RerunProgress(stream, 1000, clock)
    progress.begin(0, 0)
    for second in range(25):
        clock.now = 100.0 + second
        progress.show(second * 10, second * 100)
    progress.end()
    assert stream.getvalue().splitlines() == [
        "10.0 % · 1,000 records · 100 a second · 1 min 30 s left",
        "20.0 % · 2,000 records · 100 a second · 1 min 20 s left",
    ]


def test_on_a_terminal_there_is_a_bar_that_is_taken_away(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    clock, stream = Clock(), Terminal()
    progress = RerunProgress(stream, 1000, clock)
    progress.begin(0, 0)
    clock.now += 1
    progress.show(500, 7)
    progress.show(501, 8)
    progress.end()
    _, drawn, last = stream.getvalue().split("\r\x1b[K")
    assert drawn.startswith("[==========          ] 50.0 % · 7 records")
    assert columns(drawn) < 60
    assert last == ""


def test_what_an_earlier_run_did_counts_for_the_share_not_for_the_speed():
    clock = Clock()
    progress = RerunProgress(io.StringIO(), 1000, clock)
    progress.begin(500, 5000)
    clock.now += 10
    assert progress.line(600, 6000) == "60.0 % · 6,000 records · 100 a second · 40.0 s left"


def test_an_input_of_unknown_length_has_no_share():
    clock = Clock()
    progress = RerunProgress(io.StringIO(), 0, clock)
    progress.begin(0, 0)
    clock.now += 10
    assert progress.line(600, 6000) == "6,000 records · 600 a second"


@pytest.mark.parametrize("text", ["x" * 500, "夜" * 500, "\x1b[31m" * 90, "e\u0301" * 400, ""])
@pytest.mark.parametrize("width", [0, 60, 133])
def test_every_line_of_the_table_fits(text, width):
    table = PreviewTable(width, colour=False)
    line = table.line(PreviewRow(text, text, text, text, 0.5, "fixed"))
    assert columns(line) <= max(width, 60)
    assert line.isprintable()


def test_a_sign_tells_what_the_colour_tells():
    plain, coloured = PreviewTable(100, colour=False), PreviewTable(100, colour=True)
    for decision, sign, colour in (
        ("undecided", "?", 33),
        ("declared", "=", 2),
        ("user", "=", 2),
        ("fixed", "new", 32),
    ):
        row = PreviewRow("title", "old", "new", "cp1251", 0.987, decision)
        assert sign in plain.line(row)
        assert "\x1b" not in plain.line(row)
        assert coloured.line(row) == f"\x1b[{colour}m{plain.line(row)}\x1b[0m"


def test_colours_are_for_terminals_that_want_them():
    assert is_coloured("auto", Terminal(), {})
    assert not is_coloured("auto", Terminal(), {"NO_COLOR": "1"})
    assert not is_coloured("auto", Terminal(), {"TERM": "dumb"})
    assert not is_coloured("auto", io.StringIO(), {})
    assert is_coloured("always", io.StringIO(), {"NO_COLOR": "1"})
    assert not is_coloured("never", Terminal(), {})


def filled(first):
    tally = RerunCounts(records=3, changed=2, fields=6, fields_changed=4, undecided=1, doubtful=1)
    for number in range(4):
        tally.add_bad(first + number, "not JSON")
        tally.add_sample("cp1251", "title", f"before {first + number}", "\x1b" * 500, 0.98765)
    tally.encodings, tally.languages = {"cp1251": 4}, {"ru": 3, "bg": 1}
    return tally


def test_tallies_add_up_and_keep_the_first_samples():
    tally = RerunCounts()
    for first in (1, 5, 9):
        tally.add(filled(first))
    assert (tally.records, tally.fields_changed, tally.encodings) == (9, 12, {"cp1251": 12})
    assert tally.bad_lines == {"not JSON": [1, 2, 3, 4, 5]}
    assert [sample[1] for sample in tally.samples["cp1251"]] == ["before 1", "before 2", "before 3"]
    assert RerunCounts.from_json(tally.as_json()) == tally


def test_the_report_is_short_and_printable():
    tally = filled(1)
    for number in range(300):
        tally.encodings[f"made{number}"] = 1
        tally.add_sample(f"made{number}", "夜" * 99, "\x1b" * 99, "x", 0.5)
        tally.add_bad(number, f"problem {number}")
    text = report(tally)
    assert len(text.splitlines()) < 30
    assert all(line.isprintable() and columns(line) <= 140 for line in text.splitlines())
    assert report(RerunCounts()).startswith("0 records read, 0 mended (0 %)")
