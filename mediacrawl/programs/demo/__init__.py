"""A small web on loopback with real media files, for the first run and for the tests.

`DemoSites` is the web: hosts, pages and media on one port, the seeds, and what a well-behaved crawl must find.
`DemoServer` serves it by HTTP. Both know nothing of the crawler.
"""

from mediacrawl.programs.demo.answers import Resource, Response, strong_etag
from mediacrawl.programs.demo.library import grow_mp3, media_bytes
from mediacrawl.programs.demo.server import DemoServer
from mediacrawl.programs.demo.sites import DemoSites, Station

__all__ = [
    "DemoServer",
    "DemoSites",
    "Resource",
    "Response",
    "Station",
    "grow_mp3",
    "media_bytes",
    "strong_etag",
]
