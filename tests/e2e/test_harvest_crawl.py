"""The harvest of real crawls: what is in its file, by the server's log and the catalogue."""

import json

import pytest
from honest_sites import HONEST, honest_files
from sins_traps import TrapWeb
from trap_crawl import Finished

SITE = "short-notes"
"""Thirty pages with a file each, and a front page."""

FINDS = """\
from mediacrawl.records import Nugget


def by_last_digit(response, item):
    return None if item is None else Nugget(item.content_url.removesuffix(".mp3")[-1])
"""
"""Thirty files are ten finds."""


class Harvested:
    """A crawl of the site that was stopped and gone on with, and then begun afresh with picks by chance only."""

    def __init__(self, web, folder):
        self.crawled = Finished.on(web, folder, SITE)
        (folder / "finds.py").write_text(FINDS)
        self.crawled.crawl.imports.append(folder)
        settings = {
            "mediacrawl.extensions.harvest.WINDOW": 10,
            "SCOPE_MAX_DEPTH": 100,
            "NUGGET_FUNCTION": "finds.by_last_digit",
        }
        settings["PRIORITY"] = "adaptive"
        self.crawled.run(**settings, CLOSESPIDER_ITEMCOUNT=8)
        self.first = self.lines()
        self.crawled.run(**settings)
        self.whole = self.lines()
        self.requests = self.crawled.visits[SITE]
        self.files = len(self.crawled.found)
        self.summary = self.crawled.crawl.text().partition("Summary\n")[2]
        chance = ["PRIORITY=random", "NUGGET_FUNCTION=finds.by_last_digit", "SCOPE_MAX_DEPTH=100"]
        chance += ["POLITENESS_MIN_DELAY=0.02", "POLITENESS_FIRST_DELAY=0.02"]
        self.crawled.crawl.start("-a", "fresh=1", *(word for each in chance for word in ("-s", each)))
        assert self.crawled.crawl.wait(60) == 0, self.crawled.crawl.text()[-3000:]
        self.afresh = self.lines()[len(self.whole) :]
        self.summary_afresh = self.crawled.crawl.text().partition("Summary\n")[2]

    def lines(self):
        text = (self.crawled.crawl.folder / "state" / "harvest.jl").read_text(encoding="ascii")
        return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def harvested(tmp_path_factory):
    with TrapWeb(HONEST, honest_files) as web:
        return Harvested(web, tmp_path_factory.mktemp("harvest"))


def test_the_file_tells_what_was_asked_and_found(harvested):
    last = harvested.whole[-1]
    assert last["pages"] == 61
    assert harvested.files == 30
    assert last["new"] == 10
    assert last["requests"] == harvested.requests
    assert last["waiting"] == 0
    for word, number in (("new", 10), ("again", 20), ("page", 31), ("fake", 0)):
        assert round(sum(line["outcomes"][word] * line["window"]["pages"] for line in harvested.whole)) == number


def test_a_crawl_that_goes_on_counts_on_from_the_last_line(harvested):
    assert 8 < harvested.first[-1]["pages"] < 61
    assert 0 < harvested.first[-1]["new"] <= harvested.whole[-1]["new"]
    assert harvested.whole[: len(harvested.first)] == harvested.first
    assert sum(line["window"]["pages"] for line in harvested.whole) == 61
    assert all(line["window"]["pages"] <= 10 for line in harvested.whole)


def test_a_crawl_that_begins_afresh_counts_from_zero(harvested):
    (line,) = harvested.afresh
    assert line["pages"] == line["window"]["pages"] == 61


def test_of_picks_by_chance_all_are_even_and_no_better_than_chance(harvested):
    (line,) = harvested.afresh
    assert line["explored"] == line["ratio"] == 1.0
    assert line["even"]["pages"] == line["pages"]
    assert line["even"]["new"] == line["new"] == 10


def test_the_summary_has_a_row_once_there_was_a_whole_window(harvested):
    assert "\n  harvest" in harvested.summary
    assert "new per 1,000 URLs, " in harvested.summary
    assert "\n  harvest" not in harvested.summary_afresh


def test_without_a_name_there_is_no_file_and_what_the_disk_refuses_is_told_once(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with TrapWeb(HONEST, honest_files) as web:
        crawled = Finished.on(web, tmp_path, SITE)
        crawled.run(HARVEST_FILE="", CLOSESPIDER_ITEMCOUNT=1)
        assert not (tmp_path / "state" / "harvest.jl").exists()
        settings = {"mediacrawl.extensions.harvest.WINDOW": 2, "HARVEST_FILE": tmp_path / "taken" / "harvest.jl"}
        crawled.run(**settings, CLOSESPIDER_ITEMCOUNT=5)
    assert crawled.code == 0
    assert crawled.crawl.text().count("The harvest cannot be written down") == 1
    assert len(crawled.found) > 5
