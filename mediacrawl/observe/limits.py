"""Which answers went beyond a limit: what the summary and the log say of them."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from mediacrawl.observe.text import cut

_MEANINGS = {
    "links": "more links than are read of one page",
    "text": "more text than a record may hold",
    "slow": "reading it held up the crawl",
    "unreadable": "it cannot be unpacked, or its head cannot be read",
    "fault": "a fault of ours, see critical.log",
    "size": "unpacked it is too large",
}
_SITES = 1_000
"""Sites of which a URL is kept for each limit; a stranger must not fill our memory or our log with them."""
_URL = 200
_SHOWN, _SHOWN_URL = 2, 34
"""URLs of a limit in the summary, and characters of each: a line of it has room for so many."""


class OverLimits:
    """Counts the answers that went beyond a limit, and keeps the first URL of each site for each limit.

    Nothing of it is on disk; the log has a line for each URL that is kept, and each limit has a stat.
    """

    def __init__(self) -> None:
        self.answers = Counter[str]()
        """Limit -> answers that went beyond it."""
        self._urls: dict[str, dict[str, str]] = {}

    def add(self, limit: str, site: str, url: str) -> str:
        """Count an answer.

        Args:
            limit: name of the limit, see `records.Limit`.
            site: that sent the answer.
            url: that was asked.

        Returns:
            A sentence for the log if this is the first such answer of its site; else nothing.
        """
        self.answers[limit] += 1
        urls = self._urls.setdefault(limit, {})
        if site in urls or len(urls) >= _SITES:
            return ""
        urls[site] = url
        return f"{cut(url, _URL)} went beyond a limit: {_MEANINGS.get(limit, limit)}"

    def lines(self) -> list[str]:
        """One line for each limit that was met: answers, sites and the first URLs; most answers first."""
        return [self._line(limit, number, self._urls[limit]) for limit, number in self.answers.most_common()]

    def _line(self, limit: str, number: int, urls: dict[str, str]) -> str:
        some = ", ".join(cut(url, _SHOWN_URL) for url in islice(urls.values(), _SHOWN))
        more = f" and {len(urls) - _SHOWN:,} more sites" if len(urls) > _SHOWN else ""
        return f"{limit} {number:,}: {some}{more}"
