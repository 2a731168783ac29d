"""From the links of earlier crawls, the next queue; without the network, and for more links than memory holds.

In come files of links: JSON lines, Parquet, lists of URLs, our catalogue, each in any number; and what was seen. Out
comes one queue: each URL once, in its canonical form, none that was seen, none that scope refuses, sites with the best
score first, and of each site the best first.

The room promises: what a URL is called and whether it may join is decided by `scope` alone, as in a crawl; the same
input gives the same output, whatever the memory and the number of processes; nothing is left out without being counted
under a name; the output is whole or not there. It sorts and joins nothing itself: the statements in ``queue.sql`` do,
which DuckDB runs here and a cluster's engine runs there (docs/segment.md).
"""

from mediacrawl.segment.examine import Examiner, Rules, SegmentError, statements
from mediacrawl.segment.options import SegmentOptions
from mediacrawl.segment.run import SegmentResult, report, segment

__all__ = ["Examiner", "Rules", "SegmentError", "SegmentOptions", "SegmentResult", "report", "segment", "statements"]
