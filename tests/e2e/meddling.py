"""What a user's own parts may do to a request on its way. Loaded by the crawler's process; the URL's path says what."""

import asyncio
from dataclasses import replace

from scrapy import Request
from scrapy.exceptions import DropItem, IgnoreRequest
from scrapy.http import HtmlResponse
from scrapy.utils.httpobj import urlparse_cached


def path_of(request):
    return urlparse_cached(request).path


def elsewhere(request):
    """The same case's second host."""
    return request.url.replace("://", "://elsewhere-").replace(path_of(request), "/elsewhere")


class Meddler:
    """A downloader middleware that does something else for each path."""

    def process_request(self, request):
        match path_of(request):
            case "/ignored-on-the-way":
                raise IgnoreRequest("not today")
            case "/raises-on-the-way":
                raise RuntimeError("a bug on the way out")
            case "/answered":
                return HtmlResponse(request.url, body=b"<p>from a cache</p>")
            case "/replaced-once" if "again" not in request.meta:
                return request.replace(meta={**request.meta, "again": True})
            case "/replaced-for-ever":
                return request.replace(dont_filter=True)
            case "/sent-elsewhere":
                return request.replace(url=elsewhere(request))
            case "/renewed-on-the-way":
                return Request(request.url, dont_filter=True)
            case "/renewed-elsewhere":
                return Request(elsewhere(request))
        return None

    def process_response(self, request, response):
        match path_of(request):
            case "/ignored-on-the-way-back":
                raise IgnoreRequest("not this one")
            case "/raises-on-the-way-back":
                raise RuntimeError("a bug on the way back")
            case "/retried-for-ever":
                return request.replace(dont_filter=True)
            case "/moved-elsewhere":
                return request.replace(url=elsewhere(request))
            case "/renewed-on-the-way-back":
                return Request(request.url)
        return response

    def process_exception(self, request, exception):
        if path_of(request) == "/rescued":
            return HtmlResponse(request.url, body=b"<p>better than nothing</p>")
        return None


class SpiderMeddler:
    """A spider middleware that does something else for each path."""

    def process_spider_input(self, response):
        if path_of(response.request) == "/raises-before-the-spider":
            raise RuntimeError("a bug before the spider")

    async def process_spider_output(self, response, result):
        path = path_of(response.request)
        async for output in result:
            if path == "/swallowed.mp3":
                continue
            if path == "/raises-behind-the-spider.mp3":
                raise RuntimeError("a bug behind the spider")
            yield output
            if path == "/doubled.mp3":
                yield output


class MeddlingPipeline:
    """A pipeline that does something else for each path."""

    async def process_item(self, item):
        path = item.content_url.rpartition("/")[2]
        match path:
            case "raises.mp3":
                raise RuntimeError("a bug in a pipeline")
            case "dropped.mp3":
                raise DropItem("not wanted")
            case "replaced.mp3":
                return replace(item, title="replaced")
            case "slow.mp3":
                # Longer than the scheduler waits before it looks for leases that nobody ends.
                await asyncio.sleep(2.5)
        return item
