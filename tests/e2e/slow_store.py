"""A frontier that takes its time, as one does whose disk is busy. Loaded by the crawler's process."""

import time

from scrapy import signals

TAKES = 0.05


class SlowStore:
    """Each end of a visit takes `TAKES` seconds longer to be written."""

    def __init__(self, crawler):
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler):
        extension = cls(crawler)
        crawler.signals.connect(extension.opened, signals.spider_opened)
        return extension

    def opened(self):
        frontier = self._crawler.engine.scheduler.frontier
        finish = frontier.finish

        def slowly(*told):
            time.sleep(TAKES)
            finish(*told)

        frontier.finish = slowly
