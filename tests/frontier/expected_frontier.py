"""What a frontier owes, as plain as can be: the model of ``test_frontier_long_run.py``."""

from collections import Counter
from copy import copy
from dataclasses import dataclass, field, fields, replace
from typing import NamedTuple

from mediacrawl.base.terms import End, Lease
from mediacrawl.frontier.site_state import class_for
from mediacrawl.politeness.delay import BackoffPolicy, Clocks, DelayPolicy, after_restart, after_visit

BACKOFF = BackoffPolicy(maximum=100, rest_after=3, rest=50, rest_maximum=200, retire_after=400, forbidden=4)
DELAY = DelayPolicy(factor=1, minimum=5, maximum=60, first=8, backoff=BACKOFF)


class Row(NamedTuple):
    """What the model knows of a URL that has not ended. `place` is its place in the FIFO of its class."""

    site: str
    link_class: str
    place: int
    attempt: int = 0
    state: bytes = b""


@dataclass
class Expected:
    """What a frontier owes, as plain as can be: all URLs in one dictionary or another, all sites by name.

    Attributes:
        waiting: URL -> row.
        ended: URL -> how.
        again: URL -> how it ended before it was added again, for those that have not ended since.
        past: how those ended that were added again.
        leased: site -> its lease, and the row of that.
        clocks: site -> what is owed to it; each site that was ever met is here.
        classes: site -> its link classes.
        holds: site and class -> time before which the class is not looked at.
        paused: sites.
        earned, granted: site -> media files found there, visits that do not count against its budget.
        places: places given to rows so far.
        heard: the last time that the frontier was told.
        note: the last note that was left with it.
    """

    waiting: dict[str, Row] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    anew: dict[str, str] = field(default_factory=dict)
    past: Counter[str] = field(default_factory=Counter)
    leased: dict[str, tuple[Lease, Row]] = field(default_factory=dict)
    clocks: dict[str, Clocks] = field(default_factory=dict)
    classes: dict[str, tuple[str, ...]] = field(default_factory=dict)
    holds: dict[tuple[str, str], float] = field(default_factory=dict)
    paused: set[str] = field(default_factory=set)
    earned: Counter[str] = field(default_factory=Counter)
    granted: Counter[str] = field(default_factory=Counter)
    places: int = 0
    heard: float = 0.0
    note: bytes = b""

    def copied(self):
        """As it is now, to go back to after a kill."""
        return Expected(*(copy(getattr(self, each.name)) for each in fields(self)))

    # -- what happens ----------------------------------------------------------------------------------------

    def join(self, candidate, most_classes):
        site = candidate.site
        self.clocks.setdefault(site, Clocks())
        there = self.classes.get(site, ())
        name = class_for(candidate.link_class, there, most_classes)
        if name not in there:
            self.classes[site] = (*there, name)
        self.waiting[candidate.url] = Row(site, name, self._next_place())

    def rejoin(self, candidate, most_classes):
        how = self.anew[candidate.url] = self.ended.pop(candidate.url)
        self.past[how] += 1
        self.join(candidate, most_classes)

    def end(self, url, how):
        self.ended[url] = how
        self.anew.pop(url, None)

    def give_up(self, url):
        """A revisit is pruned."""
        del self.waiting[url]
        how = self.ended[url] = self.anew.pop(url)
        self.past[how] -= 1

    def lease(self, lease):
        self.leased[lease.site] = (lease, self.waiting.pop(lease.url))

    def finish(self, lease, outcome, now):
        _, row = self.leased.pop(lease.site)
        if outcome.hold:
            self.holds[row.site, row.link_class] = now + outcome.hold
        self.clocks[row.site] = after_visit(self.clocks[row.site], outcome, now, DELAY)
        self.earned[row.site] += outcome.earned
        if outcome.end in {End.DONE, End.DROPPED}:
            self.end(lease.url, outcome.reason or outcome.end)
            return
        if outcome.end is End.AGAIN:
            row = Row(row.site, row.link_class, self._next_place(), row.attempt + (outcome.asked and outcome.blamed))
        if outcome.end is End.CONTINUE:
            row = row._replace(state=outcome.state, place=self._next_place() if outcome.trouble else row.place)
        self.waiting[lease.url] = row

    def restart(self, now):
        """A process opens the file: what was leased waits again, and a clock that was set back takes times along."""
        back = self.heard - now
        if back > 0:
            for site, clocks in self.clocks.items():
                self.clocks[site] = replace(clocks, release=_set_back(clocks.release, back, now))
            self.holds = {key: _set_back(until, back, now) for key, until in self.holds.items()}
        for site, (lease, row) in self.leased.items():
            self.clocks[site] = after_restart(self.clocks[site], True, now, DELAY)
            self.waiting[lease.url] = row
        self.leased.clear()
        self.heard = now

    def _next_place(self):
        self.places += 1
        return self.places

    # -- what follows from it --------------------------------------------------------------------------------

    def knows(self, url):
        return url in self.waiting or url in self.ended or any(lease.url == url for lease, _ in self.leased.values())

    def spent(self, site, policy):
        gone = self.clocks[site].standing.gone
        return gone or policy.spent(self.clocks[site].visits - self.granted[site], self.earned[site])

    def heads(self):
        """Site and class -> place of the first row there."""
        heads = {}
        for row in self.waiting.values():
            key = (row.site, row.link_class)
            heads[key] = min(heads.get(key, row.place), row.place)
        return heads

    def wakes(self, policy):
        """Site -> when it may be requested, for those that may be and have something that waits."""
        wakes = {}
        for site, name in self.heads():
            if site not in self.leased and site not in self.paused and not self.spent(site, policy):
                wake = max(self.clocks[site].release, self.holds.get((site, name), 0.0))
                wakes[site] = min(wakes.get(site, wake), wake)
        return wakes


def _set_back(time, back, now):
    return max(time - back, now) if time > now else time
