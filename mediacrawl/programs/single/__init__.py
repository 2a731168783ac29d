"""One URL at a time, for a person who looks at it: ``scrapy probe`` and ``scrapy adapters try``.

The requests go through the parts of a crawl, under its rules and delays, with a frontier in memory, and nothing is
stored. `spider` makes them, `report` shows each request, the stages of the probe and the record. Begin in `spider`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.single.report import ProbeReport, ProbeRequest, as_object, fetch_line, lines
    from mediacrawl.programs.single.spider import AdapterTrySpider, PageTrial, SingleSpider
else:
    __getattr__ = late_names(
        __name__,
        {
            **dict.fromkeys(("ProbeReport", "ProbeRequest", "as_object", "fetch_line", "lines"), "report"),
            **dict.fromkeys(("AdapterTrySpider", "PageTrial", "SingleSpider"), "spider"),
        },
    )

__all__ = [
    "AdapterTrySpider",
    "PageTrial",
    "ProbeReport",
    "ProbeRequest",
    "SingleSpider",
    "as_object",
    "fetch_line",
    "lines",
]
