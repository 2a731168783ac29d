"""Errors, of both kinds.

Those that the web makes (timeouts, refusals, bad statuses) are **anticipated**: they have a name each, and are counted.
An exception that nobody thought of is a **fault**, ours or a part's: its traceback is worth reading once, and when
faults come fast the crawl does harm and no good, so it has to stop. Only when they come from many sites and many
addresses, though, or from no answer at all: the faults of one site are what its operator makes of a bug of ours. The
crawl stops as well when no site can be reached any more: then it is not the web that is broken.

The idea is from M. Nielsen's account of a crawl of 250 million pages (2012), which was stopped by the second kind more
than once, and each time for a reason.
"""

from __future__ import annotations

import sysconfig
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field
from enum import Enum
from ipaddress import IPv6Address, ip_address
from itertools import islice
from pathlib import PurePath
from types import TracebackType
from typing import NamedTuple

from mediacrawl.observe.format import count, elapsed
from mediacrawl.observe.text import cut, printable

_KINDS = 1_000
"""Faults that are told apart; of more the one not seen for longest is forgotten."""
_KEPT = 100_000
"""Sites that are remembered as dead by themselves, and as having answered; of more the first is forgotten."""
_ANSWERED = 5
"""Of so many silent sites that end a crawl at least one must have answered before."""
_SHORT = 100
"""Times that a fault which was told in full is told in one line more, with its URL; beyond it is only counted."""
_SITES = 1_000
"""Sites whose faults are counted; of more the one whose last fault is oldest is forgotten."""
_MESSAGE = 200
"""Characters of an exception's message that are shown."""
_URL = 500
_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_PYTHON = sysconfig.get_path("stdlib")


class Fault(NamedTuple):
    """An exception that nobody thought of.

    Attributes:
        error: name of its class, and what it says: ``KeyError: 'title'``.
        place: where it was raised: ``spiders/reader.py:77 in read``; empty if nobody knows.
        url: what was worked on; empty if nobody knows.
        site: whose answer was worked on; empty if none was, or nobody knows.
        address: IP address that the answer came from; empty if nobody knows.
    """

    error: str
    place: str
    url: str
    site: str = ""
    address: str = ""

    @classmethod
    def of(
        cls, error: BaseException, traceback: TracebackType | None, url: str, site: str = "", address: str = ""
    ) -> Fault:
        """Describe an exception. Never raises, and nothing in it commands a terminal."""
        try:
            said = str(error)
        except Exception:  # noqa: BLE001 - an exception may be as broken as what raised it
            said = "(it cannot be written)"
        told = f"{type(error).__name__}: {said}" if said else type(error).__name__
        return cls(cut(printable(told), _MESSAGE), _place(traceback), cut(printable(url), _URL), site, address)

    def __str__(self) -> str:
        """``KeyError: 'title' in spiders/reader.py:77 in read``."""
        return f"{self.error} ({self.place})" if self.place else self.error


def _place(traceback: TracebackType | None) -> str:
    """The innermost line that is not a library's, for libraries rarely are what is broken; else the innermost."""
    place, own = "", ""
    while traceback is not None:
        code = traceback.tb_frame.f_code
        place = f"{'/'.join(PurePath(code.co_filename).parts[-2:])}:{traceback.tb_lineno} in {code.co_name}"
        if not _is_library(code.co_filename):
            own = place
        traceback = traceback.tb_next
    return printable(own or place)


def _is_library(path: str) -> bool:
    return path.startswith(("<", _PYTHON)) or not _LIBRARIES.isdisjoint(PurePath(path).parts)


class FaultReport(Enum):
    """How a fault is to be told."""

    WHOLE = "whole"
    """With its traceback: it is new."""
    SHORT = "short"
    """In one line."""
    COUNTED = "counted"
    """Not at all: it was told often enough."""


@dataclass(slots=True)
class _Known:
    times: int
    fault: Fault


class Faults:
    """The faults of one crawl, and whether they are evidently the crawler's and come too fast.

    Of the faults within `window` those of one site, and those of one address, count `of_one` times at most. So `most`
    of them come from many sites and addresses, or from outside of any answer: the crawler is broken, and not what a
    few servers send. IPv6 addresses are told apart by their first 64 bits, which is what one server has to itself.

    Args:
        most: faults within `window` that are too many; 0 for any number.
        window: seconds.
        of_one: faults of one site or address that count; 0 for all.
        alone: whether all faults of a site count as long as no other site has answered. It is for crawls where nothing
            leaves a site alone that causes faults: one that asks a single site would never stop.
    """

    def __init__(self, most: int, window: float, of_one: int = 0, *, alone: bool = False) -> None:
        self.total = 0
        self._window = window
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._sites: OrderedDict[str, int] = OrderedDict()
        self._last: deque[tuple[float, Fault]] = deque(maxlen=max(most, 1))
        self._most = most
        self._of_one = of_one
        self._alone = alone
        self._answered: set[str] = set()

    def take(self, fault: Fault, now: float) -> FaultReport:
        """Count a fault, and say how to tell it.

        Args:
            fault: that came.
            now: seconds, on any clock that never goes back.
        """
        self.total += 1
        if fault.site:
            self._sites[fault.site] = self._sites.pop(fault.site, 0) + 1
            if len(self._sites) > _SITES:
                self._sites.popitem(last=False)
        if self._counts(fault, now):
            self._last.append((now, fault))
        known = self._known.setdefault(_kind(fault), _Known(0, fault))
        self._known.move_to_end(_kind(fault))
        if len(self._known) > _KINDS:
            self._known.popitem(last=False)
        known.times += 1
        known.fault = fault
        if known.times == 1:
            return FaultReport.WHOLE
        return FaultReport.SHORT if known.times <= _SHORT else FaultReport.COUNTED

    def answered(self, site: str) -> None:
        """An answer of a site was worked on.

        Args:
            site: its name.
        """
        if len(self._answered) < 2:
            self._answered.add(site)

    def _counts(self, fault: Fault, now: float) -> bool:
        """Whether a fault counts for the end of the crawl."""
        while self._last and now - self._last[0][0] > self._window:
            self._last.popleft()
        if not self._of_one or (self._alone and not self._answered - {fault.site}):
            return True
        lately = [each for _, each in self._last]
        if fault.site and sum(each.site == fault.site for each in lately) >= self._of_one:
            return False
        network = _network(fault.address)
        return not network or sum(_network(each.address) == network for each in lately) < self._of_one

    @property
    def too_many(self) -> bool:
        """Whether as many as are too many count, and came within the window."""
        full = self._most > 0 and len(self._last) == self._most
        return full and self._last[-1][0] - self._last[0][0] <= self._window

    def verdict(self) -> str:
        """One sentence or two on what is broken: where the last faults came from, and the commonest of them."""
        kinds = Counter(_kind(fault) for _, fault in self._last)
        kind, times = kinds.most_common(1)[0]
        fault = next(fault for _, fault in reversed(self._last) if _kind(fault) == kind)
        spent = elapsed(self._last[-1][0] - self._last[0][0])
        example = f", the last at {fault.url}" if fault.url else ""
        sites = len({fault.site for _, fault in self._last} - {""})
        whence = f"sites: {count(sites)}, places in the code: {count(len(kinds))}"
        return f"{len(self._last)} faults came within {spent} ({whence}); {times} of them: {fault}{example}"

    def table(self) -> list[tuple[int, Fault]]:
        """The known faults and how often each came, the commonest first."""
        return sorted(((known.times, known.fault) for known in self._known.values()), key=lambda row: -row[0])

    def sites(self) -> dict[str, int]:
        """The faults of each site."""
        return dict(self._sites)


def _network(address: str) -> str:
    """What stands for one server: an IPv4 address, the first 64 bits of an IPv6 one; empty for no address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    return str(int(parsed) >> 64) if isinstance(parsed, IPv6Address) else str(parsed)


def _kind(fault: Fault) -> tuple[str, str]:
    """Faults of one class at one line are one: their messages differ with what was worked on."""
    return fault.error.partition(":")[0], fault.place


class UnreachableSites:
    """Sites in a row that could not be reached, without one that answered between.

    A site that failed while others could be reached is dead by itself. Until it answers it counts no more, or a crawl
    that has only its dead seeds left would take its own network for broken. Sites that never answered say nothing of
    our network either, since one page may link to hundreds of them. So if any site has answered, some of those that did
    must be silent too: one in `_ANSWERED` of `most`, or all if there are fewer.

    Args:
        most: sites that are too many; 0 for any number.
        least: seconds that it must last: a router that starts anew takes its time, and so does a name server.
    """

    def __init__(self, most: int, least: float) -> None:
        self._most = most
        self._least = least
        self._sites: dict[str, str] = {}
        self._dead: dict[str, None] = {}
        self._answered: dict[str, None] = {}
        self._silent = 0
        self._began = self._last = 0.0

    def failed(self, site: str, how: str, now: float) -> None:
        """A site could not be reached.

        Args:
            site: its name.
            how: in a word: ``dns``, ``timeout``, ``connection``.
            now: seconds, on any clock that never goes back.
        """
        if site in self._dead:
            return
        if not self._sites:
            self._began = now
        self._last = now
        if site in self._sites:
            return
        has_answered = site in self._answered
        if has_answered or len(self._sites) < self._most:
            self._sites[site] = how
            self._silent += has_answered

    def answered(self, site: str) -> None:
        """A site answered, whatever it said."""
        self._dead |= dict.fromkeys(self._sites)
        self._sites.clear()
        self._silent = 0
        self._dead.pop(site, None)
        self._answered.pop(site, None)
        self._answered[site] = None
        for kept in (self._dead, self._answered):
            while len(kept) > _KEPT:
                del kept[next(iter(kept))]

    @property
    def too_long(self) -> bool:
        """Whether too many sites failed, for too long."""
        enough = min(max(self._most // _ANSWERED, 1), len(self._answered))
        long = self._last - self._began >= self._least
        return long and 0 < self._most <= len(self._sites) and self._silent >= enough

    def verdict(self) -> str:
        """One sentence on what seems to be down."""
        kinds = Counter(self._sites.values())
        told = ", ".join(f"{kind} {number}" for kind, number in kinds.most_common())
        down = "the resolver" if kinds.most_common(1)[0][0] == "dns" else "the network"
        spent = elapsed(self._last - self._began)
        return (
            f"the last {len(self._sites)} sites could not be reached ({told}), nor any other for {spent}: "
            f"{down} of this machine seems to be down"
        )


@dataclass(slots=True)
class ErrorCounts:
    """Anticipated errors by kind, since they were last told."""

    since: float
    counts: Counter[str] = field(default_factory=Counter)

    def line(self, now: float) -> str:
        """All of them in one line, the commonest first, and begin anew; empty if there were none."""
        spent, self.since = now - self.since, now
        told = ", ".join(f"{printable(kind)} {count(number)}" for kind, number in self.counts.most_common() if number)
        self.counts.clear()
        return f"Errors of the last {elapsed(spent)}: {told}" if told else ""


_MEANINGS = {
    "links": "more links than are read of one page",
    "text": "more text than a record may hold",
    "slow": "reading it held up the crawl",
    "unreadable": "it cannot be unpacked, or its head cannot be read",
    "fault": "a fault of ours, see critical.log",
    "size": "unpacked it is too large",
}
_SITES_PER_LIMIT = 1_000
"""Sites of which a URL is kept for each limit; a stranger must not fill our memory or our log with them."""
_LONGEST_URL = 200
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
        if site in urls or len(urls) >= _SITES_PER_LIMIT:
            return ""
        urls[site] = url
        return f"{cut(url, _LONGEST_URL)} went beyond a limit: {_MEANINGS.get(limit, limit)}"

    def lines(self) -> list[str]:
        """One line for each limit that was met: answers, sites and the first URLs; most answers first."""
        return [self._line(limit, number, self._urls[limit]) for limit, number in self.answers.most_common()]

    def _line(self, limit: str, number: int, urls: dict[str, str]) -> str:
        some = ", ".join(cut(url, _SHOWN_URL) for url in islice(urls.values(), _SHOWN))
        more = f" and {len(urls) - _SHOWN:,} more sites" if len(urls) > _SHOWN else ""
        return f"{limit} {number:,}: {some}{more}"
