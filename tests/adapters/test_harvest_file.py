"""The door to the harvest, told of visits by the signals of a crawler."""

import json

import pytest
from scrapy import Spider, signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.crawl.interfaces import tell_visit_ended
from mediacrawl.extensions import HarvestFile, harvest
from mediacrawl.observe.harvest import ClassScore
from mediacrawl.priority.orders import RuleOrder
from mediacrawl.records import Drop, End, Evidence, Kind, Lease, Outcome
from mediacrawl.visit import FetchFacts, Visit

BEST = ClassScore("/episode/# article/a", "podcast.example", 40, 31.5, 0.81)
WORST = ClassScore("/cart?add", "shop.example", 9, 0, 0.002)


class NamedSpider(Spider):
    name = "named"
    makes_requests_of_leases = True


class Knowing(RuleOrder):
    """An order that knows which classes are the best and the worst."""

    def extremes(self, number):
        return [BEST][:number], [WORST][:number]


class Told:
    """A crawl of which only the door to the harvest is there."""

    def __init__(self, folder, **settings):
        ours = {"SCHEDULER": "mediacrawl.scheduler.PenaltyBoxScheduler", "SCHEDULER_STORE": "memory"}
        ours["EXTENSIONS_BASE"] = {}
        self.crawler = get_crawler(NamedSpider, {**ours, "MEDIACRAWL_DIR": str(folder), **settings})
        self.path = folder / "harvest.jl"
        CrawlContext.of(self.crawler).open()
        self.door = HarvestFile.from_crawler(self.crawler)
        self.send(signals.spider_opened)

    def send(self, signal, **told):
        for _, answer in self.crawler.signals.send_catch_log(signal, **told):
            assert answer is None

    def visit(self, outcome):
        lease = Lease(1, "http://a.example/", "a.example", "", Kind.PAGE, 0, 0, "", Evidence(), 0, b"", 0.0, 0.0)
        visit = Visit(lease, FetchFacts(lease.url, Kind.PAGE, status=200))
        tell_visit_ended(self.crawler, visit, outcome)

    @property
    def lines(self):
        return [json.loads(line) for line in self.path.read_text().splitlines()] if self.path.exists() else []


def test_a_line_is_written_when_the_window_is_full_and_one_for_the_rest_at_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(harvest, "WINDOW", 2)
    told = Told(tmp_path)
    told.visit(Outcome(End.DONE))
    told.visit(Outcome(End.CONTINUE))
    assert told.lines == []
    told.visit(Outcome(End.DROPPED, Drop.ROBOTS, asked=False))
    told.visit(Outcome(End.DONE))
    assert [line["pages"] for line in told.lines] == [2]
    told.send(signals.spider_closed, reason="finished")
    assert [line["pages"] for line in told.lines] == [2, 3]
    assert [line["requests"] for line in told.lines] == [2, 3]
    assert (told.door.run.pages, told.door.last.pages) == (3, 2)


def test_the_best_and_the_worst_classes_are_those_of_the_order(tmp_path, monkeypatch):
    monkeypatch.setattr(harvest, "WINDOW", 1)
    told = Told(tmp_path, PRIORITY="rules")
    told.visit(Outcome(End.DONE))
    CrawlContext.of(told.crawler).priority = Knowing()
    told.visit(Outcome(End.DONE))
    without, with_classes = (line["classes"] for line in told.lines)
    assert without is None
    assert with_classes["best"] == [
        {"name": "/episode/# article/a", "site": "podcast.example", "n": 40, "r": 31.5, "score": 0.81}
    ]
    assert with_classes["worst"][0]["site"] == "shop.example"


def test_a_crawl_that_ends_before_its_first_visit_writes_nothing(tmp_path):
    told = Told(tmp_path)
    told.send(signals.spider_closed, reason="finished")
    assert told.lines == []


@pytest.mark.parametrize(
    "settings",
    [{"HARVEST_FILE": ""}, {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}],
)
def test_it_can_be_switched_off_and_needs_our_scheduler(tmp_path, settings):
    with pytest.raises(NotConfigured):
        Told(tmp_path, **settings)
