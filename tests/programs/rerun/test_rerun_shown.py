"""What a person sees of a run."""

import io

import pytest

from mediacrawl.base.text import columns
from mediacrawl.programs.rerun import PreviewTable
from mediacrawl.programs.rerun.blocks import PreviewRow, RerunCounts
from mediacrawl.programs.rerun.console import RerunConsole, report
from mediacrawl.record import FixResult
from mediacrawl.record.fixer import TextChange


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def console(err, total, done=0, items=0):
    """A run that has begun; its clock."""
    clock = Clock()
    shown = RerunConsole(PreviewTable(io.StringIO(), 0), err, clock)
    shown.begin(total, done, items)
    return shown, clock


def test_without_a_terminal_there_is_a_line_every_ten_seconds():
    stream = io.StringIO()
    shown, clock = console(stream, 1000)
    for second in range(25):
        clock.now = 100.0 + second
        shown.block(second * 10, second * 100, ())
    shown.end()
    assert stream.getvalue().splitlines() == [
        "10.0 % · 1,000 records · 100 a second · 1 min 30 s left",
        "20.0 % · 2,000 records · 100 a second · 1 min 20 s left",
    ]


def test_on_a_terminal_there_is_a_bar_that_is_taken_away(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    stream = Terminal()
    shown, clock = console(stream, 1000)
    clock.now += 1
    shown.block(500, 7, ())
    shown.block(501, 8, ())
    shown.end()
    _, drawn, last = stream.getvalue().split("\r\x1b[K")
    assert drawn.startswith("[==========          ] 50.0 % · 7 records")
    assert columns(drawn) < 60
    assert last == ""


@pytest.mark.parametrize(
    ("total", "done", "line"),
    [
        # What an earlier run did counts for the share, not for the speed.
        (1000, 500, "60.0 % · 6,000 records · 100 a second · 40.0 s left"),
        (0, 0, "6,000 records · 100 a second"),
    ],
)
def test_the_progress_of_a_run(total, done, line):
    stream = io.StringIO()
    shown, clock = console(stream, total, done, 5000)
    clock.now += 10
    shown.block(600, 6000, ())
    assert stream.getvalue().splitlines() == ["Going on after 5,000 records.", line]


@pytest.mark.parametrize("text", ["x" * 500, "夜" * 500, "\x1b[31m" * 90, "e\u0301" * 400, ""])
@pytest.mark.parametrize("width", [30, 60, 133])
def test_every_line_of_the_table_fits(text, width, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    table = PreviewTable(Terminal(), 1, "never")
    line = table.line(PreviewRow(text, text, text, text, 0.5, "fixed"))
    assert columns(line) <= max(width, 60)
    assert line.isprintable()


def test_a_sign_tells_what_the_colour_tells():
    plain, coloured = PreviewTable(io.StringIO(), 9, "never"), PreviewTable(io.StringIO(), 9, "always")
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


@pytest.mark.parametrize(
    ("choice", "out", "environment", "is_coloured"),
    [
        ("auto", Terminal(), {}, True),
        ("auto", Terminal(), {"NO_COLOR": "1"}, False),
        ("auto", Terminal(), {"TERM": "dumb"}, False),
        ("auto", io.StringIO(), {}, False),
        ("always", io.StringIO(), {"NO_COLOR": "1"}, True),
        ("never", Terminal(), {}, False),
    ],
)
def test_colours_are_for_terminals_that_want_them(choice, out, environment, is_coloured, monkeypatch):
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.setenv(name, environment.get(name, ""))
    line = PreviewTable(out, 1, choice).line(PreviewRow("title", "old", "new", "cp1251", 1.0, "fixed"))
    assert ("\x1b" in line) is is_coloured


def test_a_table_has_one_head_and_ends_at_its_limit():
    out = io.StringIO()
    table = PreviewTable(out, 2, "never")
    row = PreviewRow("title", "old", "new", "cp1251", 0.987, "fixed")
    for _ in range(3):
        table.show([row], "a.mp3")
    assert [line.split()[0] for line in out.getvalue().splitlines()] == ["field", "a.mp3", "title", "a.mp3", "title"]


def change(encoding, number, after="\x1b" * 500):
    return TextChange("title", f"before {number}", after, encoding, "ru", 0.98765, "fixed", lossy=False)


def filled(first):
    tally = RerunCounts()
    for number in range(first, first + 4):
        tally.add_bad(number, "not JSON")
        tally.add_result(FixResult((change("cp1251", number),), changed=True))
    return tally


def test_tallies_add_up():
    tally = RerunCounts()
    for first in (1, 5, 9):
        tally.add(filled(first))
    assert (tally.records, tally.fields_changed, tally.encodings) == (12, 12, {"cp1251": 12})
    assert (tally.bad, tally.bad_lines) == ({"not JSON": 12}, {"not JSON": [1, 2, 3, 4, 5]})
    assert tally.mended == {"title": 12}
    assert RerunCounts.from_json(tally.as_json()) == tally


def test_the_report_is_short_and_printable():
    tally = filled(1)
    for number in range(300):
        tally.add_result(FixResult((change(f"made{number}", "夜" * 99, "\x1b" * 99),)))
        tally.add_bad(number, f"problem {number}")
    text = report(tally)
    assert len(text.splitlines()) < 30
    assert all(line.isprintable() and columns(line) <= 140 for line in text.splitlines())
    assert report(RerunCounts()).startswith("0 records read, 0 mended (0 %)")
