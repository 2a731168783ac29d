"""Builds the next queue from the links of earlier crawls, without the network, for more links than fit in memory.

Input: files of links (JSON lines, Parquet, lists of URLs, our catalogue, each in any number) and of seen URLs. Output:
one queue with each URL once, in its canonical form, without seen URLs and those that scope refuses; the site with the
best score first, and of each site the best URL first.

Guarantees: `scope` alone decides on canonical forms and on refusal, as in a crawl; the same input gives the same
output, whatever the memory and the number of processes; every omitted URL is counted by reason; the output is written
atomically. Sorting and joining are done by the statements in ``queue.sql``, by DuckDB here and by a cluster's engine
elsewhere (docs/segment.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mediacrawl.base.lazy import late_names

if TYPE_CHECKING:
    from mediacrawl.programs.segment.engine import SegmentProgress
    from mediacrawl.programs.segment.examine import Rules, SegmentError
    from mediacrawl.programs.segment.options import SegmentOptions, sources, target
    from mediacrawl.programs.segment.run import report, segment
else:
    __getattr__ = late_names(
        __name__,
        {
            "SegmentProgress": "engine",
            **dict.fromkeys(("Rules", "SegmentError"), "examine"),
            **dict.fromkeys(("SegmentOptions", "sources", "target"), "options"),
            **dict.fromkeys(("report", "segment"), "run"),
        },
    )

__all__ = [
    "Rules",
    "SegmentError",
    "SegmentOptions",
    "SegmentProgress",
    "report",
    "segment",
    "sources",
    "target",
]
