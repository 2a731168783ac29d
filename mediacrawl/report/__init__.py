"""The report of a crawl: facts from its state, log, catalogue and frontier, as a page that needs no network.

`log_digest` reads the request log, `facts` puts all facts together, `page` writes the HTML page. ``scrapy report``
finds the files.
"""

from mediacrawl.report.facts import CrawlReport, Sources, busiest, make_report
from mediacrawl.report.log_digest import LogDigest, digest
from mediacrawl.report.page import page

__all__ = ["CrawlReport", "LogDigest", "Sources", "busiest", "digest", "make_report", "page"]
