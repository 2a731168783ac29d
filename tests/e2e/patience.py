"""How long the crawl of the misbehaving web waits for an answer. Loaded by the crawler's process."""

from scrapy.utils.httpobj import urlparse_cached

HANGS = {"hang", "hang-in-head", "hang-in-body", "head-then-hang", "slow-drip"}
LONG = 60


class Patience:
    """Leaves the short timeout to what never answers: that a machine stands still is no sin of the others."""

    def process_request(self, request):
        url = urlparse_cached(request)
        sin = (url.hostname or "").removesuffix(".example")
        if sin not in HANGS or url.path == "/robots.txt":
            request.meta["download_timeout"] = LONG
