"""Features are the same in every process, tell the general from the particular, and need no list of words."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.terms import Candidate, Evidence, Kind
from mediacrawl.priority.links import HALF, NOTHING, SIZE, WIDTH, features, place, places
from mediacrawl.priority.visits import packed, unpacked


def link(url="http://predigt.example/2024/folge-12.mp3", parent="http://predigt.example/start", **evidence):
    site = url.partition("://")[2].partition("/")[0]
    return Candidate(url, site, kind=Kind.MEDIA, parent=parent, evidence=Evidence(**evidence))


def texts(found):
    return {text for text, _ in features(found)}


def test_the_words_of_path_and_anchor_count_in_any_language():
    found = link("http://radio.example/%D0%BC%D1%83%D0%B7%D1%8B%D0%BA%D0%B0/12", anchor="Новая музыка - 2024")
    assert {"word музыка", "anchor новая", "anchor музыка"} <= texts(found)


def test_what_varies_in_a_path_is_taken_out_of_its_pattern():
    assert "pattern /#/*-#.mp3" in texts(link())
    assert "extension mp3" in texts(link())


@pytest.mark.parametrize(
    ("parent", "there"),
    [("http://predigt.example/start", "own"), ("http://blog.example/", "other"), ("", "seed")],
)
def test_it_counts_where_a_link_stood(parent, there):
    assert f"from {there}" in texts(link(parent=parent))


def test_what_has_a_host_in_it_lies_in_the_upper_half_of_the_table():
    for parent in ("http://predigt.example/start", "http://blog.example/"):
        for text, number in features(link(parent=parent, path="main/ul.list/li/a")):
            assert (number >= HALF) == (
                text.startswith(("class ", "source ")) or (text.startswith("tags ") and "example" in text)
            ), text


def test_pieces_of_the_name_of_a_host_count():
    assert {"name predi", "name redig", "name edigt"} <= texts(link())


def test_another_process_finds_the_same_places():
    script = (
        "from mediacrawl.priority.links import places; from mediacrawl.base.terms import Candidate, Evidence, Kind;"
        "print(places(Candidate('http://predigt.example/2024/folge-12.mp3', 'predigt.example', kind=Kind.MEDIA,"
        " parent='http://predigt.example/start', evidence=Evidence())))"
    )
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert told.strip() == str(places(link()))


@given(
    st.builds(
        link,
        url=st.text(max_size=60).map("http://a.example/{}".format),
        parent=st.sampled_from(["", "http://a.example/", "http://b.example/x"]),
        anchor=st.text(max_size=100),
        path=st.text(max_size=40),
    )
)
def test_every_link_has_a_full_row_of_places_in_the_table(found):
    row = places(found)
    assert len(row) == WIDTH
    used = [number for number in row if number != NOTHING]
    assert all(0 < number < SIZE for number in used)
    assert row == used + [NOTHING] * (WIDTH - len(used))


@given(st.text())
def test_no_feature_has_the_place_of_nothing(text):
    assert NOTHING < place(text) < HALF


def test_a_row_is_packed_without_what_fills_it_up():
    row = places(link())
    assert len(packed(row)) < 4 * len(row)
    assert unpacked(packed(row)) == row
    assert unpacked(packed([])) == [NOTHING] * WIDTH
