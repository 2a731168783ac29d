"""Errors of the web, and faults of the program.

Errors of the web (timeouts, refused connections, bad statuses) are expected: each has a name and is counted. An
unexpected exception is a **fault**: its traceback is logged, and the crawl stops when faults come fast from many sites
and many addresses, or without any response. The faults of one site do not stop it, since its operator could cause them
at will. The crawl also stops when no site can be reached any more: then the network is down.

The idea is from M. Nielsen's account of a crawl of 250 million pages (2012).
"""

from __future__ import annotations

import sysconfig
from collections import Counter, OrderedDict, deque
from ipaddress import IPv6Address, ip_address
from pathlib import PurePath
from types import TracebackType
from typing import NamedTuple

from mediacrawl.base.format import count, elapsed
from mediacrawl.base.text import cut, printable

_KINDS = 1_000
"""Faults that are kept apart; the least recently seen is forgotten."""
_KEPT = 100_000
"""Sites that are kept as dead, and as having answered; the oldest is forgotten."""
_ANSWERED = 5
"""Of so many unreachable sites that stop a crawl, at least one must have answered before."""
_MESSAGE = 200
"""Characters of an exception's message that are shown."""
_URL = 500
_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_PYTHON = sysconfig.get_path("stdlib")


class Fault(NamedTuple):
    """An unexpected exception.

    Attributes:
        error: class and message: ``KeyError: 'title'``.
        place: where it was raised: ``spiders/reader.py:77 in read``; may be empty.
        url: of the response; empty without one.
        site: of the response; empty without one.
        address: IP address of the server; empty if unknown.
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
        """Describe an exception. Never raises; the result is printable."""
        try:
            said = str(error)
        except Exception:  # noqa: BLE001 - an exception may be as broken as what raised it
            said = "(it cannot be written)"
        message = f"{type(error).__name__}: {said}" if said else type(error).__name__
        return cls(cut(printable(message), _MESSAGE), _place(traceback), cut(printable(url), _URL), site, address)

    def __str__(self) -> str:
        """``KeyError: 'title' in spiders/reader.py:77 in read``."""
        return f"{self.error} ({self.place})" if self.place else self.error


def _place(traceback: TracebackType | None) -> str:
    """The innermost frame outside libraries; otherwise the innermost."""
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


class Faults:
    """The faults of one crawl, and whether they are too many.

    Of the faults within `window` those of one site, and those of one address, count `of_one` times at most. So `most`
    of them come from many sites and addresses, or from outside of responses: the program is broken. IPv6 addresses are
    compared by their first 64 bits, which one server has to itself.

    Args:
        most: faults within `window` that are too many; 0 for any number.
        window: seconds.
        of_one: faults of one site or address that count; 0 for all.
        alone: whether all faults of a site count as long as no other site has answered, for crawls of a single site.
    """

    def __init__(self, most: int, window: float, of_one: int = 0, *, alone: bool = False) -> None:
        self.total = 0
        self._window = window
        self._known: OrderedDict[tuple[str, str], tuple[int, Fault]] = OrderedDict()
        self._last: deque[tuple[float, Fault]] = deque(maxlen=max(most, 1))
        self._most = most
        self._of_one = of_one
        self._alone = alone
        self._answered: set[str] = set()

    def take(self, fault: Fault, now: float) -> int:
        """Count a fault; return how often it came so far."""
        self.total += 1
        if self._counts(fault, now):
            self._last.append((now, fault))
        times = self._known.pop(_kind(fault), (0, fault))[0] + 1
        self._known[_kind(fault)] = times, fault
        if len(self._known) > _KINDS:
            self._known.popitem(last=False)
        return times

    def answered(self, site: str) -> None:
        """A response of a site was processed."""
        if len(self._answered) < 2:
            self._answered.add(site)

    def _counts(self, fault: Fault, now: float) -> bool:
        """Whether a fault counts for stopping the crawl."""
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
        """Whether `most` faults count within the window."""
        full = self._most > 0 and len(self._last) == self._most
        return full and self._last[-1][0] - self._last[0][0] <= self._window

    def verdict(self) -> str:
        """What is broken, in one or two sentences: the sources of the last faults, and the commonest."""
        kinds = Counter(_kind(fault) for _, fault in self._last)
        kind, times = kinds.most_common(1)[0]
        fault = next(fault for _, fault in reversed(self._last) if _kind(fault) == kind)
        spent = elapsed(self._last[-1][0] - self._last[0][0])
        example = f", the last at {fault.url}" if fault.url else ""
        sites = len({fault.site for _, fault in self._last} - {""})
        whence = f"sites: {count(sites)}, places in the code: {count(len(kinds))}"
        return f"{len(self._last)} faults came within {spent} ({whence}); {times} of them: {fault}{example}"

    def table(self) -> list[tuple[int, Fault]]:
        """The known faults and their numbers, the commonest first."""
        return sorted(self._known.values(), key=lambda row: -row[0])


def _network(address: str) -> str:
    """The key of one server: an IPv4 address, or the first 64 bits of an IPv6 one; empty without an address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return ""
    return str(int(parsed) >> 64) if isinstance(parsed, IPv6Address) else str(parsed)


def _kind(fault: Fault) -> tuple[str, str]:
    """Faults of one class at one line are the same."""
    return fault.error.partition(":")[0], fault.place


class UnreachableSites:
    """Sites in a row that could not be reached, without one that answered in between.

    A site that failed while others answered is dead by itself, and does not count until it answers; otherwise a crawl
    with only dead seeds left would take its network for down. Sites that never answered are no evidence, since one page
    may link to hundreds of them. So if any site has answered, some of these must be unreachable too: one in `_ANSWERED`
    of `most`, or all if there are fewer.

    Args:
        most: sites that are too many; 0 for any number.
        least: seconds that it must last, longer than the restart of a router or a name server.
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
        """A site could not be reached."""
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
        """A site answered."""
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
        """Whether too many sites were unreachable for too long."""
        enough = min(max(self._most // _ANSWERED, 1), len(self._answered))
        long = self._last - self._began >= self._least
        return long and 0 < self._most <= len(self._sites) and self._silent >= enough

    def verdict(self) -> str:
        """One sentence on what seems to be down."""
        kinds = Counter(self._sites.values())
        message = ", ".join(f"{kind} {number}" for kind, number in kinds.most_common())
        kind = kinds.most_common(1)[0][0]
        down = {"dns": "the resolver", "local": "a part that the log names"}.get(kind, "the network")
        spent = elapsed(self._last - self._began)
        return (
            f"the last {len(self._sites)} sites could not be reached ({message}), nor any other for {spent}: "
            f"{down} of this machine seems to be down"
        )
