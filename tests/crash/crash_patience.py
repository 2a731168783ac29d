"""How long the crawls of the crash tests wait for an answer. Loaded by the crawler's process."""

import json

from scrapy.utils.httpobj import urlparse_cached

from mediacrawl.settings import DOWNLOADER_MIDDLEWARES

LONG = 60


class Patience:
    """Leaves the short timeout to what hangs: of all others, what is late on a busy machine is not requested again."""

    def process_request(self, request):
        url = urlparse_cached(request)
        if url.path != "/hangs.mp3" and not (url.hostname or "").startswith("hang-"):
            request.meta["download_timeout"] = LONG


SWITCHED_ON = {
    "DOWNLOADER_MIDDLEWARES": json.dumps({**DOWNLOADER_MIDDLEWARES, f"{__name__}.{Patience.__name__}": 340}),
    # A site with one URL, which fails, would rest for hours before that is given up.
    "BACKOFF_REST_AFTER": 0,
    "BACKOFF_MAX": 1.5,
}
"""The settings, for a crawl that can import this folder."""
