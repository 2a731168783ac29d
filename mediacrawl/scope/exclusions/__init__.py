"""NeverCrawl: domains, paths, addresses and networks that are never requested.

The lists are text files that operators edit while the crawl runs. `NeverCrawl` answers whether a host, URL or address
is excluded, with the reason, the date and the line.

A mistake in a file must not lift an exclusion. A file that is missing, unreadable or broken keeps its last good content
in force, and the problem is reported. Added entries count as soon as they are read. Removed entries, and a last line
without a line end, may come from a half-written file: they count when the next look finds the file unchanged. A list is
read in slices of about a millisecond; the old list is in force until the last one. Memory: the size of the file and
8 bytes an entry.

`never` has the syntax of a list, the index of a file, and `NeverCrawl`: begin reading there. `drop_excluded` drops the
waiting URLs of a frontier that are on the list. `adding` writes entries into a file.
"""

from mediacrawl.scope.exclusions.never import (
    RELOAD_INTERVAL,
    Exclusion,
    NeverCrawl,
    NeverCrawlError,
    drop_excluded,
)

__all__ = ["RELOAD_INTERVAL", "Exclusion", "NeverCrawl", "NeverCrawlError", "drop_excluded"]
