"""NeverCrawl: the domains, paths and networks that are never asked, whatever links to them.

In come text files that operators change while the crawl runs, and questions: this host, this URL, this address? Out
comes the entry that forbids it, with its reason, its date and the line where it stands.

A mistake in a file must not open the gates. One that is missing, unreadable or broken leaves its last good content in
force, and a sentence says so. What was added to a file counts as soon as it is read. What is gone from it, and a last
line that does not end, may be those of a file that is half written: they count when the next look finds the file
unchanged. The list is read in slices, so that a million lines stop nothing; the old one is in force until the last of
them. It takes the file's own size in memory and 8 bytes a line.

`adding` writes a line into a file, `waiting` drops what waits in a frontier; both are imported by those who need them.
"""

from mediacrawl.scope.exclusions.errors import NeverCrawlError
from mediacrawl.scope.exclusions.lines import Entry
from mediacrawl.scope.exclusions.never import RELOAD_INTERVAL, NeverCrawl

__all__ = ["RELOAD_INTERVAL", "Entry", "NeverCrawl", "NeverCrawlError"]
