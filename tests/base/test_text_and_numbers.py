"""Text for terminals and files, numbers for people."""

import csv
import doctest
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base import format as numbers
from mediacrawl.base.text import (
    clean,
    columns,
    cut,
    cut_middle,
    from_cell,
    is_formula,
    pad,
    printable,
    to_cell,
    wrapped,
)

anything = st.text(st.characters(codec=None, exclude_categories=()))


@given(anything)
def test_clean_text_can_be_written_by_every_utf8_writer(text):
    json.dumps(clean(text), ensure_ascii=False).encode()


@given(st.text())
def test_text_without_surrogates_comes_back_unchanged(text):
    assert clean(text) == text


def test_two_halves_of_a_pair_become_their_character_and_a_lone_half_a_question():
    assert clean("a\ud83d\ude00b\ud83dc") == "a😀b�c"


@given(anything)
def test_nothing_printable_commands_a_terminal(text):
    shown = printable(text)
    assert all(char.isprintable() or char in "\u200c\u200d" for char in shown)


@given(st.text(st.sampled_from("=+-@'\t\r\n0.e1x\uff21\uff1d")))
def test_no_cell_is_a_formula_and_its_text_comes_back(text):
    assert not is_formula(to_cell(text))
    assert from_cell(to_cell(text)) == text


TRIGGERS = ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"]


def cells_of(row, delimiter):
    """The cells that a spreadsheet with this delimiter makes of a file: a quote counts only where a cell begins."""
    return [cell for cells in csv.reader(io.StringIO(row, newline=""), delimiter=delimiter) for cell in cells]


@pytest.mark.parametrize("before", ["", "a", "a;b", 'a";', "'", '"'])
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|", "\n", "\r\n", ';"', ";'", ';""'])
@pytest.mark.parametrize("trigger", TRIGGERS)
def test_no_part_of_a_cell_is_a_formula_for_any_delimiter(before, delimiter, trigger):
    text = f"{before}{delimiter}{trigger}cmd|' /C calc'!A0"
    assert from_cell(to_cell(text)) == text
    for written in (",", ";", "\t", "|"):
        row = io.StringIO(newline="")
        csv.writer(row, delimiter=written).writerows([["1", to_cell(text), "2"], [to_cell(text), "2"]])
        for read in (",", ";", "\t", "|"):
            assert not any(cell.startswith(tuple(TRIGGERS)) for cell in cells_of(row.getvalue(), read)), (written, read)


@pytest.mark.parametrize("text", ["https://a.example/@48.1,-11.5,7z", "12;-3\t+4", "a; -b", "a, =b", "x,y;z", "1,-2"])
def test_what_is_no_formula_for_any_delimiter_stays(text):
    assert to_cell(text) == text


@given(st.text(alphabet=";,|\t\n=+-@'\"a1. \uff1d", max_size=12))
def test_a_cell_is_read_as_the_text_that_it_was_made_of(text):
    assert from_cell(to_cell(text)) == text


@pytest.mark.parametrize("text", ["=1+1", '=HYPERLINK("//evil")', "+1+1", "-1+1", "@SUM(A1)", "\tx", "\uff1d1"])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text):
    assert to_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "a=b", "-1", "+1.5", "-0,5", "-1e-9", "a\n b", "'tis"])
def test_other_cells_stay_as_they_are(text):
    assert to_cell(text) == text


def test_an_escape_sequence_and_a_direction_mark_become_visible():
    assert printable("\x1b[31mred\x9b2J \u202egpj\n.exe") == "\\x1b[31mred\\x9b2J \\u202egpj .exe"


def test_persian_keeps_its_joiner():
    wanted = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"
    assert printable(wanted) == wanted


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("夜に駆ける", 10), ("ｶﾅ", 2), ("e\u0301a", 2), ("👨\u200d👩", 4), ("Größe", 5)]
)
def test_columns_are_those_of_a_terminal(text, width):
    assert columns(text) == width


@given(st.text(), st.integers(0, 40))
def test_what_is_cut_fits(text, width):
    shown = printable(text)
    assert columns(cut(shown, width)) <= width
    assert columns(cut_middle(shown, width)) <= width
    assert columns(pad(cut(shown, width), width)) == width


def test_a_wide_character_is_never_cut_in_half():
    assert cut("夜に駆ける", 6) == "夜に…"
    assert columns(pad(cut("夜に駆ける", 6), 6)) == 6


def test_a_pile_of_combining_marks_is_cut_though_it_takes_no_columns():
    assert len(cut("e" + "\u0301" * 10_000, 10)) <= 41


def test_a_long_url_keeps_its_host_and_the_name_of_its_file():
    short = cut_middle("https://tonspur.example/" + "a/" * 100 + "song.mp3", 40)
    assert short.startswith("https://tonspur.ex")
    assert short.endswith("song.mp3")
    assert columns(short) == 40


def test_the_examples_in_the_docstrings_are_true():
    assert doctest.testmod(numbers).failed == 0
    assert doctest.testmod(numbers).attempted >= 5


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 KB"), (9949, "9.9 KB"), (999_499, "999 KB"), (999_500, "1.0 MB"),
     (10**15, "1.0 PB"), (10**19, "10000 PB")],
)  # fmt: skip
def test_a_size_changes_its_unit_before_it_needs_four_digits(count, text):
    assert numbers.size(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.4, "0:59"), (3599.6, "1:00:00"), (360_000, "100:00:00")]
)
def test_a_playing_time_is_read_as_on_a_player(seconds, text):
    assert numbers.playing_time(seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(59.94, "59.9 s"), (59.96, "1 min 00 s"), (3599.7, "1 h 00 min")])
def test_elapsed_time_never_shows_sixty_seconds(seconds, text):
    assert numbers.elapsed(seconds) == text


@given(st.text("ab é語\u0301 ", max_size=200), st.integers(8, 60))
def test_a_broken_line_fits_and_loses_nothing(text, width):
    lines = wrapped(text, width).split("\n")
    assert " ".join(lines).split() == text.split()
    # A word that is longer stays whole.
    assert all(columns(line) <= width or len(line.split()) == 1 for line in lines)


def test_lines_are_broken_on_a_terminal_only_and_colours_take_no_room():
    assert wrapped("one two three", None) == "one two three"
    assert wrapped("one two three\nfour", 8) == "one two\n    three\nfour"
    assert wrapped("  label   a value", 12) == "  label   a\n    value"
    coloured = "\x1b[32mone two\x1b[0m"
    assert wrapped(coloured, 7) == coloured
    assert wrapped("https://a.example/" + "x" * 40 + " next", 20).splitlines()[0].endswith("x" * 40)
