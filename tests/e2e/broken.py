"""Parts of a user that are broken. Loaded by the crawler's process."""

import asyncio
import gc

from itemadapter import ItemAdapter
from twisted.internet.defer import fail


class BrokenMiddleware:
    """Fails at each page that came, and at no robots.txt."""

    def process_response(self, request, response):
        if not request.url.endswith("/robots.txt"):
            raise LookupError("no such \x1b[2Jkey")
        return response


class BrokenAtPages:
    """Fails at the pages of one host."""

    def process_response(self, request, response):
        if "//pages.example" in request.url and not request.url.endswith("/robots.txt"):
            raise LookupError("only here")
        return response


class BrokenPipeline:
    """Fails at the records that a host's pages name."""

    def __init__(self, host):
        self.host = host

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler.settings.get("BROKEN_HOST", "records.example"))

    def process_item(self, item):
        if self.host in ItemAdapter(item)["page_url"]:
            raise TypeError("a bug in a pipeline")
        return item


class BrokenExtension:
    """Leaves failures behind that nobody waits for."""

    @classmethod
    def from_crawler(cls, crawler):
        from scrapy import signals

        extension = cls()
        crawler.signals.connect(extension.opened, signals.spider_opened)
        return extension

    def opened(self):
        fail(ValueError("a Deferred that nobody waits for"))
        self.task = asyncio.get_running_loop().create_task(self.work())
        self.task.add_done_callback(lambda _: self.leave())
        gc.collect()

    def leave(self):
        self.task = None
        gc.collect()

    async def work(self):
        raise ValueError("a task that nobody waits for")
