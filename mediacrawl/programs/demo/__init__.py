"""A small web on loopback with real media files, for the first run and for the tests.

`DemoSites` is the web: hosts, pages and media on one port, the seeds, and what a well-behaved crawl must find.
`DemoServer` serves it by HTTP. Both know nothing of the crawler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.demo.library import LEGACY_ENCODINGS, NAMES
    from mediacrawl.programs.demo.server import DemoServer
    from mediacrawl.programs.demo.sites import DemoSites
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("LEGACY_ENCODINGS", "NAMES"), "library"),
            "DemoServer": "server",
            "DemoSites": "sites",
        },
    )

__all__ = [
    "LEGACY_ENCODINGS",
    "NAMES",
    "DemoServer",
    "DemoSites",
]
