"""The rate of finds of real crawls, beside that of random picks: in the state, in its samples and in the summary."""

import json

import pytest
from honest_sites import HONEST, honest_files
from sins_traps import TrapWeb
from trap_crawl import Finished

SITE = "short-notes"
"""Thirty pages with a file each, and a front page."""

FINDS = """\
from mediacrawl.base.terms import Nugget


def by_last_digit(response, item):
    return None if item is None else Nugget(item.content_url.removesuffix(".mp3")[-1])
"""
"""Thirty files are ten finds."""


class Harvested:
    """A crawl of the site that was stopped and resumed, and then begun afresh with random picks only."""

    def __init__(self, web, folder):
        self.crawled = Finished.on(web, folder, SITE)
        (folder / "finds.py").write_text(FINDS)
        self.crawled.crawl.imports.append(folder)
        settings = {"SCOPE_MAX_DEPTH": 100, "NUGGET_FUNCTION": "finds.by_last_digit", "PRIORITY": "adaptive"}
        settings["mediacrawl.watch.report._FEWEST"] = 40
        self.crawled.run(**settings, CLOSESPIDER_ITEMCOUNT=8)
        self.first = self.state()
        self.crawled.run(**settings)
        self.whole = self.state()
        self.files = len(self.crawled.found)
        chance = ["PRIORITY=random", "NUGGET_FUNCTION=finds.by_last_digit", "SCOPE_MAX_DEPTH=100"]
        chance += ["POLITENESS_MIN_DELAY=0.02", "POLITENESS_FIRST_DELAY=0.02", "mediacrawl.watch.report._FEWEST=40"]
        self.crawled.crawl.start("-a", "fresh=1", *(word for each in chance for word in ("-s", each)))
        assert self.crawled.crawl.wait(60) == 0, self.crawled.crawl.text()[-3000:]
        self.afresh = self.state()
        self.summary_afresh = self.crawled.crawl.text().partition("Summary\n")[2]

    def state(self):
        folder = self.crawled.crawl.folder / "state"
        lines = (folder / "history.jl").read_text().split("\n")
        return json.loads((folder / "status.json").read_text()) | {"sample": json.loads(lines[-1])}


@pytest.fixture(scope="module")
def harvested(tmp_path_factory):
    with TrapWeb(HONEST, honest_files) as web:
        return Harvested(web, tmp_path_factory.mktemp("harvest"))


def test_a_resumed_crawl_continues_the_counts(harvested):
    assert harvested.files == 30
    assert 8 < harvested.first["ended"] < 61
    assert 0 < harvested.first["nuggets"] <= 10
    assert (harvested.whole["ended"], harvested.whole["nuggets"]) == (61, 10)
    assert harvested.whole["sample"][-4:-2] == [61, 10]


def test_random_picks_are_no_better_than_chance(harvested):
    found = harvested.afresh
    assert (found["ended"], found["picked"], found["nuggets"], found["picked_nuggets"]) == (61, 61, 10, 10)
    assert "  harvest    163.9 new per 1,000 URLs; 1.0 times chance\n" in harvested.summary_afresh
