"""What happened: the request log, and the lines that a person reads.

Comes in: one `RequestLine` for each request and the text of each robots.txt; numbers of the crawl. Goes out: files of
JSON lines, one pair a day, that answer a complaint weeks later, the lines of one site among millions (`Search`), and
short texts for the terminal. It promises that no header a server sends breaks a line or commands a terminal, that a
process kill loses no line, and that the crawl goes on when the log's disk is full.
"""

from mediacrawl.observe.archive import read
from mediacrawl.observe.day_file import LogError
from mediacrawl.observe.log_search import Search
from mediacrawl.observe.report import CrawlFacts, progress_line, summary
from mediacrawl.observe.request_log import RequestLine, RequestLog

__all__ = ["CrawlFacts", "LogError", "RequestLine", "RequestLog", "Search", "progress_line", "read", "summary"]
