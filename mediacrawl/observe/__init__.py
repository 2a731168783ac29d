"""The request log, and the texts that an operator reads.

In come one `RequestLine` for each request, the text of each robots.txt, and numbers of the crawl. Out come two files of
JSON lines a day, by which a complaint is answered weeks later (`Search`), and short texts for the terminal. No header
of a server breaks a line or sends escape sequences to a terminal, a process kill loses no line, and the crawl continues
when the log's disk is full.
"""

from mediacrawl.observe.archive import read
from mediacrawl.observe.log_search import Search
from mediacrawl.observe.progress import ProgressFacts, progress_line
from mediacrawl.observe.report import CrawlFacts, summary
from mediacrawl.observe.request_log import LogError, RequestLine, RequestLog

__all__ = [
    "CrawlFacts",
    "LogError",
    "ProgressFacts",
    "RequestLine",
    "RequestLog",
    "Search",
    "progress_line",
    "read",
    "summary",
]
