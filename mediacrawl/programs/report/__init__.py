"""The report of a crawl: a page that needs no network, and a screen for a terminal.

`page` writes the HTML page from the facts that `watch.facts` gathered; `screen` draws ``scrapy top``.
What strangers wrote is escaped in both. Begin in `page`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.report.page import report_page
    from mediacrawl.programs.report.screen import SORTS, STATES, TopView, screen_lines
else:
    __getattr__ = late_names(
        __name__,
        {
            "report_page": "page",
            **dict.fromkeys(("SORTS", "STATES", "TopView", "screen_lines"), "screen"),
        },
    )

__all__ = [
    "SORTS",
    "STATES",
    "TopView",
    "report_page",
    "screen_lines",
]
