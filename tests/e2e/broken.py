"""Parts of a user that are broken. Loaded by the crawler's process."""

import asyncio
import gc

from twisted.internet.defer import fail


class BrokenMiddleware:
    """Fails at each page that came, and at no robots.txt."""

    def process_response(self, request, response):
        if not request.url.endswith("/robots.txt"):
            raise LookupError("no such \x1b[2Jkey")
        return response


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
