"""The block at the end of a crawl."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mediacrawl.base.text import columns
from mediacrawl.log.totals import Totals
from mediacrawl.watch.report import CrawlFacts, summary


def facts(**changes):
    known = {
        "duration": 252.0,
        "pages": 1204,
        "records": 15,
        "formats": {"mp3": 9, "flac": 2, "mp4": 4},
        "updated": 2,
        "requests": 1288,
        "bytes": 31_000_000,
        "media_bytes_read": 412_000,
        "media_bytes_total": 9_840_000,
        "asked": {"tonspur.example": 12, "open-directory.example": 31, "link-list.example": 1},
        "media_sites": {"tonspur.example": 9, "open-directory.example": 6},
        "response_times": {"tonspur.example": 0.31, "slow.example": 2.4},
        "drops": {"robots": 3, "nevercrawl": 2},
        "catalogue_path": ".mediacrawl/media.db",
    }
    return CrawlFacts(**{**known, **changes})


def test_the_block_has_a_line_for_each_site_adapter():
    text = summary(facts(adapters=["b.example 4 tried; switched off", "a.example 9 tried, 9 hit"]))
    assert "  adapters   b.example 4 tried; switched off\n             a.example 9 tried, 9 hit\n" in text
    assert "adapters" not in summary(facts())


def test_the_block_says_what_was_found_what_it_cost_and_what_to_type_next():
    text = summary(facts())
    assert text.splitlines()[0] == "15 media files on 2 sites in 4 min 12 s"
    assert "412 KB to describe 9.8 MB of media, 4.2 %" in text
    assert "mp3 9, mp4 4, flac 2" in text
    assert "robots 3, nevercrawl 2" in text
    assert "slow.example 2.4 s, tonspur.example 0.3 s" in text
    assert ".mediacrawl/media.db" in text
    assert "scrapy catalogue" in text


def test_a_crawl_that_found_nothing_is_told_without_a_division_by_zero():
    text = summary(CrawlFacts())
    assert text.startswith("0 media files on 0 sites in 0.0 s")
    assert "to describe" not in text


def test_one_is_not_written_as_many():
    assert summary(facts(records=1, media_sites={"a.example": 1})).startswith("1 media file on 1 site in")


def test_an_early_end_and_lost_log_lines_are_not_hidden():
    text = summary(
        facts(
            finish_reason="shutdown",
            lost_lines=7,
            waiting=1900,
            sites={"ready": 1, "waiting": 9, "resting": 2, "paused": 7},
        )
    )
    assert "shutdown" in text
    assert "7 lines lost" in text
    assert "1,900 URLs on 12 sites, for the next run; 2 rest" in text


@pytest.mark.parametrize("width", [40, 80, 100, 300])
def test_no_row_is_wider_than_the_terminal_or_a_hundred_columns(width):
    rows = summary(facts(catalogue_path="", log_path="", next_command=""), width).splitlines()
    assert all(columns(row) <= min(width, 100) for row in rows)
    assert "\x1b" not in "".join(rows)


@pytest.mark.parametrize(
    ("picked", "nuggets", "shown"),
    [
        (1_000, 4, "; 20 times chance"),
        (200, 5, "; 3.2 times chance"),
        (1_000, 0, "; at least 27 times chance"),
        (20, 0, "; too few random picks to compare with chance"),
        (0, 0, "; too few random picks to compare with chance"),
    ],
)
def test_the_rate_of_finds_is_shown_with_how_many_times_chance_it_is(picked, nuggets, shown):
    text = summary(facts(ended=50_000, nuggets=4_000, picked=picked, picked_nuggets=nuggets))
    assert f"  harvest    80.0 new per 1,000 URLs{shown}\n" in text


def test_before_a_thousand_urls_have_ended_there_is_no_rate_of_finds():
    assert "harvest" not in summary(facts(ended=60, nuggets=12, picked=1))


names = st.dictionaries(st.text(), st.integers(0, 10**9), max_size=40)


@given(media=names, sites=names, refusals=names, reason=st.text())
def test_the_block_stays_within_a_screen_and_lets_no_control_character_through(media, sites, refusals, reason):
    known = {"formats": media, "media_sites": sites, "asked": sites, "drops": refusals, "failures": refusals}
    text = summary(facts(**known, finish_reason=reason, before=Totals(requests=3)))
    assert len(text.split("\n")) <= 30
    assert all(columns(line) <= 100 for line in text.split("\n"))
    assert text.replace("\n", "").replace("\u200c", "").replace("\u200d", "").isprintable()


def test_the_run_of_a_continued_crawl_names_the_totals_of_the_whole_crawl():
    text = summary(facts(pages=4, before=Totals(requests=100, records=5, pages=6)))
    assert text.startswith("15 media files on 2 sites")
    assert "  in all     20 media files, 10 pages, 1,388 requests with the runs before" in text
    assert "in all" not in summary(facts())


def test_without_a_catalogue_none_is_named():
    text = summary(facts(catalogue_path="", next_command=""))
    assert "records" not in text
    assert "media.db" not in text


def test_each_limit_has_a_row_with_an_example_that_fits_the_screen():
    url = f"http://a.example/{'a' * 500}\x1b[2J"
    text = summary(facts(limits={"links": 1_500, "slow": 2}, examples={"links": url, "slow": url}))
    begin = [line.partition(":")[0].split() for line in text.splitlines() if "http:" in line]
    assert begin == [["over", "limit", "links", "1,500"], ["slow", "2"]]
    assert text.count("http://a.example/aaa") == 2
    assert all(columns(line) <= 100 for line in text.splitlines() if "http:" in line)
    assert "\x1b" not in text
