"""What the components of a crawl share, by its settings."""

import pytest
from scrapy.core.scheduler import Scheduler
from scrapy.settings import Settings

from mediacrawl.crawl.context import CrawlContext
from mediacrawl.scheduler import PenaltyBoxScheduler


class OwnScheduler(PenaltyBoxScheduler):
    """What a user makes of ours."""


class PenaltyBoxSchedulerOfAnother(Scheduler):
    """Scrapy's, whatever its name is."""


@pytest.mark.parametrize(
    ("named", "leases"),
    [
        ("mediacrawl.scheduler.PenaltyBoxScheduler", True),
        (PenaltyBoxScheduler, True),
        (f"{__name__}.OwnScheduler", True),
        (OwnScheduler, True),
        ("scrapy.core.scheduler.Scheduler", False),
        (f"{__name__}.PenaltyBoxSchedulerOfAnother", False),
        (type("PenaltyBoxScheduler", (Scheduler,), {}), False),
        ("nowhere.PenaltyBoxScheduler", False),
        (None, False),
    ],
)
def test_a_crawl_has_leases_with_our_scheduler_and_classes_of_it(named, leases):
    assert CrawlContext(Settings({"SCHEDULER": named})).leases is leases
