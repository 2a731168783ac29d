"""The table for people."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.text import columns
from mediacrawl.commands.catalogue_lines import line, overview
from mediacrawl.store import json_line
from mediacrawl.store.figures import CatalogueFigures
from mediacrawl.store.rows import as_record, as_row
from mediacrawl.store.schema import COLUMNS


def record(**fields):
    return as_record(as_row({"content_url": "https://tonspur.example/a/b/song.mp3", **fields}, 0.0))


def test_a_line_tells_time_size_format_name_and_address():
    text = line(record(title="Größe", artist="Müller", duration=185.2, content_size=4_200_000, container="mp3"), None)
    assert text.split() == [
        "3:05", "4.2", "MB", "mp3", "Größe", "—", "Müller", "https://tonspur.example/a/b/song.mp3",
    ]  # fmt: skip


def test_what_is_not_known_is_a_dash_and_an_estimate_is_marked():
    assert line(record(), None).split()[:4] == ["-", "-", "-", "-"]
    assert line(record(duration=61.0, duration_estimated=True), None).split()[0] == "~1:01"


def test_a_claimed_eternity_keeps_the_columns_straight():
    eternal = line(record(duration=1e300, content_size=2**62), None)
    assert eternal.index("https") == line(record(), None).index("https")


def test_wide_characters_keep_the_columns_straight():
    latin = line(record(title="abc", container="flac"), 90)
    wide = line(record(title="夜に駆ける" * 9, container="flac"), 90)
    assert columns(latin[: latin.index("https")]) == columns(wide[: wide.index("https")])
    assert columns(wide) <= 90


anything = st.none() | st.text() | st.integers() | st.floats() | st.booleans()


@given(anything, anything, anything, anything, st.text(min_size=1), st.integers(1, 300))
def test_no_record_leaves_its_line_or_commands_the_terminal(title, duration, size, container, url, width):
    # As another program may have written it into the file.
    stored = {**record(), "title": title, "duration": duration, "content_size": size, "container": container}
    text = line({**stored, "content_url": url}, width)
    assert columns(text) <= max(width, 50)
    assert text.replace("\u200c", "").replace("\u200d", "").isprintable()
    line({**stored, "content_url": url}, None)


@given(st.text())
def test_a_json_line_stays_one_line_and_harmless(title):
    text = json_line(record(title=title))
    assert "\n" not in text
    assert "\x9b" not in text
    assert "\u202e" not in text


def test_a_json_line_has_all_fields_in_the_order_of_the_schema():
    assert list(record(colour="red")) == list(COLUMNS)
    assert list(record()) == [name for name in COLUMNS if name != "extra"]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"\xff", "\ud800"])
def test_what_json_cannot_hold_becomes_text(value):
    json_line({**record(), "duration": value}).encode()


def test_the_overview_tells_the_saving():
    text = overview(
        CatalogueFigures(
            records=3,
            media_sites=2,
            formats={"audio/mpeg": 2, "video/mp4": 1},
            media_bytes_total=9_840_000,
            media_bytes_read=412_000,
            median_bytes_fetched=24_576,
            seconds=600.0,
        ),
        "media.db",
    )
    assert "412 KB to describe them, 4.2 %" in text
    assert "audio/mpeg 2, video/mp4 1" in text
