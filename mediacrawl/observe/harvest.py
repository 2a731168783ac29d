"""The harvest: how much that is new was found for how many pages, and how often the order beats chance.

A page here is a URL that came to its end, whatever it was. The share of the picks that is made evenly at random
(`FRONTIER_EXPLORE`) is a control that costs nothing: what these pages give is what chance would find in the same
queue. That queue is the learner's own, and holds more good links than one that was filled by chance, so the ratio says
rather too little than too much.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import UTC, datetime
from enum import StrEnum
from math import isfinite, sqrt
from pathlib import Path
from typing import Any

from mediacrawl.observe.text import clean
from mediacrawl.records import FINAL, Drop, Kind, Outcome
from mediacrawl.visit import Visit

CLASSES = 10
"""Link classes that a line names of the best, and of the worst."""

ENOUGH = 3
"""Nuggets that evenly picked pages must have given for their rate to be told: of three, the true rate is between a
fifth of it and three times as much (95 %); of fewer it says nothing."""

_REMEMBERED = 10_000
"""URLs that were picked evenly and go on at a later visit; with 2 % of the picks, those of 500,000 that are under way.
The oldest are forgotten first, and then count as picked for their score."""

_LONGEST = 200
"""Characters of a class's name in a line. Twenty names must fit into what is read back of the file."""

_PER = 1_000
"""Pages that rates are for."""

_NORMAL = 1.6449
"""The one-sided 95 % point of the normal distribution."""


class PageOutcome(StrEnum):
    """What a URL came to. The value is the word in the line."""

    NEW = "new"
    """It gave a new nugget."""
    AGAIN = "again"
    """It gave nuggets, all of them known."""
    UNTAGGED = "untagged"
    """It gave a record that is no nugget: one that says nothing of itself."""
    PAGE = "page"
    """It was read, also if it was a copy, and gave links at best."""
    LIST = "list"
    """So was a feed, a sitemap, a playlist."""
    UNCHANGED = "unchanged"
    """It was asked with a condition, and is what it was (304)."""
    FAKE = "fake"
    """It was asked as a media file, and was none."""
    OTHER = "other"
    """It was of a type that is not read."""
    REDIRECT = "redirect"
    """It leads elsewhere; that is a URL of its own."""
    GONE = "gone"
    """4xx, 5xx, a page in place of a file that says so, or it failed."""
    REFUSED = "refused"
    """It was not asked, or not to be listed: robots.txt, NeverCrawl, an address, a mirror ..."""


_GONE = frozenset({Drop.HTTP_STATUS, Drop.SOFT_404, Drop.DOWNLOAD_ERROR, Drop.UNREADABLE, Drop.CALLBACK_ERROR})


def page_outcome(visit: Visit, outcome: Outcome) -> PageOutcome:
    """Tell what a URL came to, by the visit at which it ended.

    Args:
        visit: the last one.
        outcome: what it told the frontier, an end for good.
    """
    if visit.decision.earned:
        return PageOutcome.NEW
    if visit.decision.repeats:
        return PageOutcome.AGAIN
    if visit.decision.stored:
        return PageOutcome.UNTAGGED
    if 300 <= visit.fetch.status < 400:
        return PageOutcome.UNCHANGED if visit.fetch.status == 304 else PageOutcome.REDIRECT
    if outcome.reason in _GONE or visit.fetch.status >= 400:
        return PageOutcome.GONE
    if outcome.reason is not None and (not outcome.asked or outcome.reason in _UNLISTED):
        return PageOutcome.REFUSED
    return _empty(visit.lease.kind, outcome.reason)


_UNLISTED = frozenset({Drop.NOINDEX, Drop.NOT_WORTH})
"""Refusals of which one learns only from the answer."""


def _empty(kind: Kind, reason: Drop | None) -> PageOutcome:
    if kind is Kind.MEDIA:
        return PageOutcome.FAKE
    if reason is Drop.CONTENT_TYPE:
        return PageOutcome.OTHER
    return PageOutcome.LIST if kind is Kind.LIST else PageOutcome.PAGE


@dataclass(slots=True, frozen=True)
class ClassScore:
    """A link class as a line tells of it.

    Attributes:
        name: of the class.
        site: whose it is.
        n: its URLs that came to their end.
        r: the credit that they earned.
        score: its score.
    """

    name: str
    site: str
    n: float
    r: float
    score: float


@dataclass(slots=True)
class HarvestCounts:
    """Pages, and what they gave.

    Attributes:
        pages: URLs that came to their end.
        requests: that went out, those for robots.txt included.
        new: new nuggets.
        even_pages: those of the pages that were picked evenly.
        even_new: new nuggets that these gave.
        revisits: those of the pages that were asked before, and came back.
    """

    pages: int = 0
    requests: int = 0
    new: int = 0
    even_pages: int = 0
    even_new: int = 0
    revisits: int = 0

    @property
    def rate(self) -> float | None:
        """New nuggets per 1,000 pages; None without pages."""
        return _PER * self.new / self.pages if self.pages else None

    @property
    def even_rate(self) -> float | None:
        """The same of the evenly picked pages."""
        return _PER * self.even_new / self.even_pages if self.even_pages else None

    @property
    def ratio(self) -> float | None:
        """How many times the rate of the evenly picked pages that of all is; None while those have given too few."""
        return self._times(self.even_new) if self.even_new >= ENOUGH else None

    @property
    def ratio_at_least(self) -> float | None:
        """What the ratio is at least, by 95 %; None without evenly picked pages.

        The rate of these is taken to be the highest at which so few nuggets are still found in one of 20 cases: where
        none was found, three in as many pages ("rule of three", Hanley and Lippman-Hand, JAMA 1983); else the limit of
        a Poisson mean in Wilson and Hilferty's form (1931), which is right to one per cent. The rate of all is taken
        as it is: with 2 % of even picks the answer is above 1 only after 150 nuggets, when that is known to 8 %.
        """
        return self._times(_most(self.even_new))

    def _times(self, even_new: float) -> float | None:
        if not self.pages or not self.even_pages:
            return None
        return self.new * self.even_pages / (even_new * self.pages)


def _sum(*tallies: HarvestCounts) -> HarvestCounts:
    return HarvestCounts(*(sum(column) for column in zip(*map(astuple, tallies), strict=True)))


def _most(found: int) -> float:
    """The highest mean of a Poisson distribution of which so few are drawn in one of 20 cases."""
    return (found + 1) * (1 - 1 / (9 * (found + 1)) + _NORMAL / (3 * sqrt(found + 1))) ** 3


class Harvest:
    """Counts pages and what they gave, over windows of so many pages and over all.

    Told of a visit it takes some 1 us.

    Which pages were picked evenly is decided by the first visit that asks for the URL itself. One for its robots.txt
    decides nothing, nor one that was put off: whether such a URL is taken once more depends on its score. What is
    remembered of URLs between their visits is in memory only, so of those under way a new start knows nothing.

    Attributes:
        last: the last whole window of this process; None before there was one.

    Args:
        every: pages of a window.
        before: what earlier processes counted, see `counts_of`.

    Raises:
        ValueError: a window of no pages.
    """

    def __init__(self, every: int = 1_000, before: HarvestCounts | None = None) -> None:
        if every < 1:
            raise ValueError(f"a window has at least one page, not {every}")
        self._every = every
        self._before = before or HarvestCounts()
        self._run = HarvestCounts()
        self._window = HarvestCounts()
        self._outcomes = dict[PageOutcome, int]()
        self._even = dict[str, None]()
        self.last: HarvestCounts | None = None

    @property
    def run(self) -> HarvestCounts:
        """All that this process counted."""
        return _sum(self._run, self._window)

    @property
    def total(self) -> HarvestCounts:
        """The same, with what earlier processes counted."""
        return _sum(self._before, self._run, self._window)

    @property
    def is_begun(self) -> bool:
        """Whether anything was counted in the window."""
        return self._window.pages > 0 or self._window.requests > 0

    def ended(self, visit: Visit, outcome: Outcome, *, revisit: bool = False) -> bool:
        """Count a visit that ended; answers whether the window is full and `line` is to be called.

        Args:
            visit: any.
            outcome: what it told the frontier.
            revisit: whether its URL had come to an end before.
        """
        if outcome.asked:
            self._window.requests += 1
        lease = visit.lease
        even = lease.even and not lease.attempt and not lease.state
        if not even and self._even:
            even = lease.url in self._even
        if outcome.end not in FINAL:
            if even and outcome.asked and visit.fetch.kind is not Kind.ROBOTS:
                self._remember(lease.url)
            return False
        self._even.pop(lease.url, None)
        # A robots.txt has a lease of its own where another site's redirects to it.
        if lease.kind is Kind.ROBOTS:
            return False
        return self.page(page_outcome(visit, outcome), new=visit.decision.earned, even=even, revisit=revisit)

    def page(self, outcome: PageOutcome, *, new: int, even: bool, revisit: bool = False) -> bool:
        """Count a page; answers whether the window is full.

        Args:
            outcome: what it came to.
            new: new nuggets that it gave.
            even: whether it was picked evenly.
            revisit: whether it was asked before, and came back.
        """
        window = self._window
        window.pages += 1
        window.new += new
        if even:
            window.even_pages += 1
            window.even_new += new
        if revisit:
            window.revisits += 1
        self._outcomes[outcome] = self._outcomes.get(outcome, 0) + 1
        return window.pages >= self._every

    def line(
        self,
        now: float,
        sites_ready: int,
        waiting: int,
        classes: tuple[Sequence[ClassScore], Sequence[ClassScore]] | None = None,
    ) -> dict[str, Any]:
        """What the window came to, with all so far; the next one begins.

        Args:
            now: seconds since the epoch.
            sites_ready: sites that could be asked now.
            waiting: URLs that wait.
            classes: the best link classes, the best first, and the worst, the worst first; None if nobody knows.
        """
        window, outcomes, total = self._window, self._outcomes, self.total
        self._run = self.run
        self._window, self._outcomes = HarvestCounts(), {}
        if window.pages >= self._every:
            self.last = window
        return {
            "time": datetime.fromtimestamp(now, UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            **_told(total),
            "window": {"pages": window.pages, "requests": window.requests, "new": window.new},
            "rate": _rounded(window.rate),
            "explored": _share(window.even_pages, window.pages),
            "revisits": _share(window.revisits, window.pages),
            "outcomes": {each: _share(outcomes.get(each, 0), window.pages) for each in PageOutcome},
            "sites_ready": sites_ready,
            "waiting": waiting,
            "classes": classes and {"best": _listed(classes[0]), "worst": _listed(classes[1])},
        }

    def _remember(self, url: str) -> None:
        if len(self._even) >= _REMEMBERED:
            del self._even[next(iter(self._even))]
        self._even[url] = None


def counts_of(line: Mapping[str, Any]) -> HarvestCounts:
    """The totals that a line tells, for the process that goes on.

    Args:
        line: as `Harvest.line` made it. What is missing in it, or is no number, is 0.
    """
    even = line.get("even")
    inner = even if isinstance(even, dict) else {}
    names = {"pages": line, "requests": line, "new": line, "even_pages": inner, "even_new": inner}
    found = {name: _whole(where.get(name.removeprefix("even_"))) for name, where in names.items()}
    return HarvestCounts(**found, revisits=_whole(line.get("revisited")))


def _told(total: HarvestCounts) -> dict[str, Any]:
    return {
        "pages": total.pages,
        "requests": total.requests,
        "new": total.new,
        "revisited": total.revisits,
        "rate_all": _rounded(total.rate),
        "even": {"pages": total.even_pages, "new": total.even_new, "rate": _rounded(total.even_rate)},
        "ratio": _rounded(total.ratio),
        "ratio_at_least": _rounded(total.ratio_at_least),
    }


def _listed(classes: Sequence[ClassScore]) -> list[dict[str, Any]]:
    return [
        {
            "name": clean(each.name[:_LONGEST]),
            "site": clean(each.site[:_LONGEST]),
            "n": _rounded(each.n),
            "r": _rounded(each.r),
            "score": _rounded(each.score),
        }
        for each in classes[:CLASSES]
    ]


def _rounded(number: float | None) -> float | None:
    # JSON has no word for a number that is none.
    return round(number, 4) if number is not None and isfinite(number) else None


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 60 else 0


TAIL = 256 * 1024
"""Bytes at the end of the file that are read back. A line has at most 100,000: twenty classes whose names and sites are
written in characters of twelve bytes."""


class HarvestLines:
    """Appends lines to a file, and reads the last one back.

    On disk: one JSON object a line, ASCII, some 3 KB each, written by one ``write`` on a file that is opened for it.
    So it may be moved away or deleted at any time. A kill loses what was counted since the last line, and may leave
    half of one; the next line then begins on a line of its own.

    Args:
        path: of the file; its folder is made if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, line: Mapping[str, Any]) -> None:
        """Append a line.

        Args:
            line: what JSON can say.

        Raises:
            OSError: the disk refuses it.
        """
        written = json.dumps(line, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab+", buffering=0) as file:
            if _is_torn(file.fileno()):
                written = b"\n" + written
            if file.write(written) != len(written):
                raise OSError(f"only a part of a line could be written to {self._path}")

    def last(self) -> dict[str, Any]:
        """The last whole line that can be read, in the last `TAIL` bytes; empty if there is none.

        Raises:
            OSError: the file cannot be read.
        """
        try:
            with self._path.open("rb") as file:
                file.seek(max(file.seek(0, os.SEEK_END) - TAIL, 0))
                tail = file.read(TAIL)
        except FileNotFoundError:
            return {}
        return next(_read(tail), {})


def _is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def _read(tail: bytes) -> Iterator[dict[str, Any]]:
    """The objects of whole lines, the last one first. What stands behind the last line feed is no whole line."""
    for line in reversed(tail.split(b"\n")[:-1]):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found


_MOST_SITES = 10_000


class Finds:
    """Counts what the catalogue stored.

    Attributes:
        formats: records by format; ``unknown`` for those without one, as in the summary of a catalogue.
        sites: records by the site of the file, of the first 10,000 sites.
    """

    def __init__(self) -> None:
        self.formats: Counter[str] = Counter()
        self.sites: Counter[str] = Counter()

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record that was stored for the first time in this crawl."""
        self.formats[str(record.get("encoding_format") or "unknown")] += 1
        site = str(record.get("site") or "")
        if site and (len(self.sites) < _MOST_SITES or site in self.sites):
            self.sites[site] += 1
