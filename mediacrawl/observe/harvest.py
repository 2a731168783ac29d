"""The harvest: new nuggets per page, compared with chance.

A page here is a URL that has ended, whatever it was. The picks that are made at random (`FRONTIER_EXPLORE`) are a free
control group: they show what chance finds in the same queue. That queue is the learner's own and has more good links
than a random one, so the ratio is rather too low.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
"""Link classes in a line, of the best and of the worst."""

ENOUGH = 3
"""Nuggets of randomly picked pages before their rate is shown: with three, the true rate is between a fifth of it and
three times as much (95 %)."""

_REMEMBERED = 10_000
"""Randomly picked URLs that continue at a later visit; with 2 % of the picks, those of 500,000 under way. The oldest
are forgotten first, and then count as picked by score."""

_LONGEST = 200
"""Characters of the name of a class in a line. Twenty names must fit into `TAIL`."""

_PER = 1_000
"""Pages of a rate."""

_NORMAL = 1.6449
"""The one-sided 95 % point of the normal distribution."""


class PageOutcome(StrEnum):
    """What a URL gave. The value is the word in the line."""

    NEW = "new"
    """A new nugget."""
    AGAIN = "again"
    """Nuggets, all of them known."""
    UNTAGGED = "untagged"
    """A record without tags, which is no nugget."""
    PAGE = "page"
    """A page was read, with links at best; also a copy."""
    LIST = "list"
    """A feed, a sitemap or a playlist was read."""
    UNCHANGED = "unchanged"
    """Not modified (304)."""
    FAKE = "fake"
    """Expected to be a media file, and was none."""
    OTHER = "other"
    """A content type that is not read."""
    REDIRECT = "redirect"
    """A redirect; the target is a URL of its own."""
    GONE = "gone"
    """4xx, 5xx, a soft 404, or a failure."""
    REFUSED = "refused"
    """Not requested, or not to be listed: robots.txt, NeverCrawl, an address ..."""


_GONE = frozenset({Drop.HTTP_STATUS, Drop.SOFT_404, Drop.DOWNLOAD_ERROR, Drop.UNREADABLE, Drop.CALLBACK_ERROR})


def page_outcome(visit: Visit, outcome: Outcome) -> PageOutcome:
    """Classify a URL by the visit at which it ended."""
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
"""Refusals that need the response."""


def _empty(kind: Kind, reason: Drop | None) -> PageOutcome:
    if kind is Kind.MEDIA:
        return PageOutcome.FAKE
    if reason is Drop.CONTENT_TYPE:
        return PageOutcome.OTHER
    return PageOutcome.LIST if kind is Kind.LIST else PageOutcome.PAGE


@dataclass(slots=True, frozen=True)
class ClassScore:
    """A link class in a line.

    Attributes:
        name: of the class.
        site: to which it belongs.
        n: its URLs that have ended.
        r: their credit.
        score: its score.
    """

    name: str
    site: str
    n: float
    r: float
    score: float


@dataclass(slots=True)
class HarvestCounts:
    """Pages and their nuggets.

    Attributes:
        pages: URLs that have ended.
        requests: sent, with those for robots.txt.
        new: new nuggets.
        even_pages: pages picked at random.
        even_new: new nuggets of these.
        revisits: pages that were visited before.
        overflow: pages of link classes for what had no room in a class of its own.
    """

    pages: int = 0
    requests: int = 0
    new: int = 0
    even_pages: int = 0
    even_new: int = 0
    revisits: int = 0
    overflow: int = 0

    @property
    def rate(self) -> float | None:
        """New nuggets per 1,000 pages; None without pages."""
        return _PER * self.new / self.pages if self.pages else None

    @property
    def even_rate(self) -> float | None:
        """The same for the pages picked at random."""
        return _PER * self.even_new / self.even_pages if self.even_pages else None

    @property
    def ratio(self) -> float | None:
        """The rate divided by that of randomly picked pages; None while those have given too few nuggets."""
        return self._times(self.even_new) if self.even_new >= ENOUGH else None

    @property
    def ratio_at_least(self) -> float | None:
        """The lower 95 % confidence bound of the ratio; None without randomly picked pages.

        For the rate of these the upper bound is taken: without nuggets the "rule of three" (Hanley and Lippman-Hand,
        JAMA 1983), otherwise Wilson and Hilferty's approximation of the limit of a Poisson mean (1931), good to one per
        cent. The rate of all pages is taken as it is: with 2 % of random picks the result exceeds 1 only after 150
        nuggets, when that rate is known to 8 %.
        """
        return self._times(_most(self.even_new))

    def _times(self, even_new: float) -> float | None:
        if not self.pages or not self.even_pages:
            return None
        return self.new * self.even_pages / (even_new * self.pages)


def added_up(tallies: Iterable[HarvestCounts]) -> HarvestCounts:
    """The counts of several processes, or windows, together."""
    return HarvestCounts(*(sum(column) for column in zip(*map(astuple, tallies), strict=True)))


def _most(found: int) -> float:
    """The upper 95 % bound of a Poisson mean."""
    return (found + 1) * (1 - 1 / (9 * (found + 1)) + _NORMAL / (3 * sqrt(found + 1))) ** 3


class Harvest:
    """Counts pages and nuggets, in windows and in total. A visit takes some 1 us.

    The first visit that requests the URL itself decides whether it was picked at random. One for its robots.txt, or a
    postponed one, does not: whether such a URL is taken again depends on its score. What is kept of URLs between their
    visits is in memory only.

    Attributes:
        last: the last whole window of this process; None before there was one.

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
        """The counts of this process."""
        return added_up([self._run, self._window])

    @property
    def total(self) -> HarvestCounts:
        """The counts of this process and of earlier ones."""
        return added_up([self._before, self._run, self._window])

    @property
    def is_begun(self) -> bool:
        """Whether the window has any counts."""
        return self._window.pages > 0 or self._window.requests > 0

    def ended(self, visit: Visit, outcome: Outcome, *, revisit: bool = False, overflow: bool = False) -> bool:
        """Count a visit that ended; returns whether the window is full and `line` is due.

        Args:
            visit: any.
            outcome: of the visit.
            revisit: whether its URL has ended before.
            overflow: whether its link class is one for what had no room in a class of its own.
        """
        self._window.overflow += overflow and outcome.end in FINAL and visit.lease.kind is not Kind.ROBOTS
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
        # A robots.txt on another site, to which a redirect led, has a lease of its own.
        if lease.kind is Kind.ROBOTS:
            return False
        return self.page(page_outcome(visit, outcome), new=visit.decision.earned, even=even, revisit=revisit)

    def page(self, outcome: PageOutcome, *, new: int, even: bool, revisit: bool = False) -> bool:
        """Count a page; returns whether the window is full.

        Args:
            outcome: what it gave.
            new: its new nuggets.
            even: whether it was picked at random.
            revisit: whether it was visited before.
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
        """The counts of the window and the totals; begins the next window.

        Args:
            now: seconds since the epoch.
            sites_ready: sites that could be requested now.
            waiting: URLs that wait.
            classes: the best link classes, the best first, and the worst, the worst first; None if unknown.
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
            "overflow": _share(window.overflow, window.pages),
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
    """The totals in a line of an earlier process.

    Args:
        line: from `Harvest.line`. Missing and invalid numbers are 0.
    """
    even = line.get("even")
    inner = even if isinstance(even, dict) else {}
    names = {"pages": line, "requests": line, "new": line, "even_pages": inner, "even_new": inner}
    found = {name: _whole(where.get(name.removeprefix("even_"))) for name, where in names.items()}
    return HarvestCounts(**found, revisits=_whole(line.get("revisited")))


def harvest_of(lines: Sequence[Mapping[str, Any]], since: float = 0.0) -> tuple[HarvestCounts, HarvestCounts]:
    """Return the counts of a file of lines, and those of its last whole window.

    Args:
        lines: the oldest first.
        since: seconds since the epoch; what was counted before is left out.
    """
    begin = datetime.fromtimestamp(since, UTC).isoformat()
    counts, before, window = HarvestCounts(), HarvestCounts(), HarvestCounts()
    for line in lines:
        counts = counts_of(line)
        last = counts_of(inner if isinstance(inner := line.get("window"), dict) else {})
        if str(line.get("time")) < begin:
            before = counts
        elif last.pages >= _PER:
            window = last
    names = ("pages", "requests", "new", "even_pages", "even_new", "revisits")
    return HarvestCounts(**{name: max(getattr(counts, name) - getattr(before, name), 0) for name in names}), window


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
    # JSON has no NaN.
    return round(number, 4) if number is not None and isfinite(number) else None


def _share(part: int, whole: int) -> float:
    return round(part / whole, 4) if whole else 0.0


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 60 else 0


TAIL = 256 * 1024
"""Bytes at the end of the file that are read back. A line has at most 100,000: twenty classes whose names and sites are
all escapes."""


class HarvestLines:
    """Appends lines to a file, and reads the last one.

    On disk: one JSON object a line, ASCII, some 3 KB each, written by one ``write`` on a file that is opened for it, so
    the file may be moved or deleted at any time. A kill loses what was counted since the last line, and may leave a
    torn line; the next one then begins on a new line.

    Args:
        path: of the file; its folder is made if it is missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def append(self, line: Mapping[str, Any]) -> None:
        """Append a line.

        Raises:
            OSError: it cannot be written.
        """
        written = json.dumps(line, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab+", buffering=0) as file:
            if _is_torn(file.fileno()):
                written = b"\n" + written
            if file.write(written) != len(written):
                raise OSError(f"only a part of a line could be written to {self._path}")

    def last(self) -> dict[str, Any]:
        """The last whole line within `TAIL` bytes; empty if there is none.

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

    def all(self) -> Iterator[dict[str, Any]]:
        """All lines, the oldest first; torn ones are skipped. None if the file cannot be read."""
        try:
            with self._path.open("rb") as file:
                for line in file:
                    yield from _read(line)
        except OSError:
            return


def _is_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def _read(tail: bytes) -> Iterator[dict[str, Any]]:
    """The objects of whole lines, the last one first."""
    for line in reversed(tail.split(b"\n")[:-1]):
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            yield found
