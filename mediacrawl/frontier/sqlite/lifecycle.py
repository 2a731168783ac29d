"""The life of a site in the SQLite store: found, due, leased, settled, shelved. `site_state` has the transitions."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from math import isfinite

from mediacrawl.base.terms import FINAL, Candidate, End, Lease, Outcome
from mediacrawl.frontier.contract import FrontierPolicy
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.site_state import (
    ACTIVE,
    IDLE,
    RETIRED,
    ClassHead,
    after_find,
    choose_class,
    class_for,
    due_and_rank,
    place_of,
    rests,
)
from mediacrawl.frontier.sqlite.queues import LinkClass, UrlRow
from mediacrawl.frontier.sqlite.sites import Front, Site
from mediacrawl.frontier.sqlite.tables import Tables, hold_all
from mediacrawl.politeness.delay import GOOD, after_restart, after_visit


class SiteLifecycle:
    """Moves sites between their places, and their URLs with them.

    In memory: the front, and the sites that are leased.

    Attributes:
        now: seconds since the epoch, as of the last call that told it.
        front: the sites that wait.
        leased: sites that are leased, by name.
        shelved_sites: how many sites there are at each place above `ACTIVE`.
    """

    def __init__(
        self, tables: Tables, policy: FrontierPolicy, now: float, rng: random.Random, *, may_lack: bool = False
    ) -> None:
        self._tables = tables
        self._policy = policy
        self._rng = rng
        self.now = now
        self.leased: dict[str, Site] = {}
        self._leased_numbers: dict[int, Site] = {}
        if may_lack:
            hold_all(tables.db, policy.delay, now)
            # A site that seems new may have been met in a commit that is undone.
            tables.set_total("unsure", now + policy.delay.delay(()))
        self._unsure = tables.totals.stored.get("unsure", 0.0) + max(tables.clock_shift, 0.0)
        self._give_back()
        size = policy.front_least, policy.front_most
        self.front = Front(tables.db, policy.order, size, self._leased_numbers, rng)
        self.front.active = tables.totals.stored.get("active", 0)
        shelved = tables.db.execute("SELECT place, count(*) FROM site WHERE place > 1 GROUP BY place")
        self.shelved_sites = Counter(dict(shelved))
        for site in tables.sites.among(RETIRED):
            # Those that have not spent the budget of today's settings are requested again.
            if not self._is_spent(site):
                self.unshelve(site)

    def named(self, name: str) -> Site | None:
        """The site of this name, or None."""
        return self.leased.get(name) or self._tables.sites.named(name)

    def numbered(self, number: int) -> Site:
        """The site of this number, which is in the table."""
        return self._leased_numbers.get(number) or self._tables.sites.numbered(number)

    # -- URLs ------------------------------------------------------------------------------------------------

    def enqueue(self, candidate: Candidate, key: int, *, again: bool = False) -> None:
        """Add a URL to a class of its site, which gets its score if the URL had ended before (`again`)."""
        # Site and class are written in the transaction of the rows, or a kill would leave them without any.
        tables, queues = self._tables, self._tables.queues
        tables.begin()
        site = self.named(candidate.site) or self._new_site(candidate.site)
        classes = queues.classes.of(site.id)
        name = class_for(candidate.link_class, classes, self._policy.classes)
        link_class = classes.get(name) or queues.classes.make(site.id, name, candidate.score)
        if again:
            queues.classes.rescore(link_class, candidate.score if isfinite(candidate.score) else 0.0)
        row = UrlRow.of(candidate, queues.next_place())
        queues.join(link_class, row, key)
        tables.totals.bytes += row.size
        if site.lease is not None:
            site.heads.setdefault(link_class.id, row.seq)
        if site.place > ACTIVE:
            tables.totals.shelved += 1
        elif site.lease is None:
            self._move_up(site, link_class)

    def _new_site(self, name: str) -> Site:
        site = self._tables.sites.make(name, IDLE)
        site.clocks = replace(site.clocks, release=self._unsure)
        self._tables.queues.classes.begin(site.id)
        return site

    def _end_url(self, site: Site, link_class: LinkClass, row: UrlRow, outcome: Outcome) -> None:
        queues, totals = self._tables.queues, self._tables.totals
        if outcome.end in FINAL:
            totals.bytes -= row.size
            code, key = totals.end(outcome.reason or outcome.end), url_key(row.url)
            self._tables.revisits.over(key)
            queues.journal.ended(key, code, inbox=queues.remove(link_class, row.seq))
            return
        totals.waiting += 1
        totals.shelved += site.place > ACTIVE
        if outcome.end is End.AGAIN or (outcome.end is End.CONTINUE and outcome.trouble is not None):
            queues.remove(link_class, row.seq)
            later = row.later(outcome, queues.next_place())
            queues.join(link_class, later, url_key(row.url))
            totals.bytes += later.size - row.size
            site.heads.setdefault(link_class.id, later.seq)
            return
        if outcome.end is End.CONTINUE:
            continued = row.continued(outcome)
            queues.change(link_class, continued)
            totals.bytes += continued.size - row.size
        site.heads[link_class.id] = row.seq

    # -- leases ----------------------------------------------------------------------------------------------

    def pick(self, *, even: bool) -> tuple[Site | None, bool]:
        """The next site that may be requested, if any, and whether chance picked it.

        With `even` chance is to pick. It may meet none where few sites are due on disk.
        """
        number = self.front.pick_even(self.now) if even else None
        even = number is not None
        number = self.front.pick(self.now) if number is None else number
        return (None if number is None else self._tables.sites.numbered(number)), even

    def lease(self, site: Site, *, even: bool) -> Lease | None:
        """Lease a URL of a site that was just picked. None if no URL waits there that may be requested now."""
        queues = self._tables.queues
        if not even and self._has_fallen(site):
            return None
        heads = site.heads = queues.classes.heads(site.id)
        may = site.clocks.release <= self.now and not self._is_spent(site)
        link_class = self._choose(site, heads, even=even) if may else None
        if link_class is None:
            self._settle(site)
            return None
        row = queues.read(link_class, heads[link_class.id])
        queues.journal.leased(row.seq, link_class.id, site.id, self.now)
        site.lease = row.lease(site.name, link_class.name, site.clocks, self.now, even=even)
        site.row, site.link_class = row, link_class
        queues.pass_over(link_class, row.seq, heads)
        self.leased[site.name] = self._leased_numbers[site.id] = site
        self.front.leased += 1
        self._tables.totals.waiting -= 1
        return site.lease

    def _has_fallen(self, site: Site) -> bool:
        """Whether the scores of a picked site have fallen; then it goes back with the rank of its best class.

        The rows are not read for it, so that the rank may still be too high: a class may be empty, see `rescore`.
        """
        edge = max(self.now, site.clocks.release)
        classes = self._tables.queues.classes.of(site.id).values()
        best = max((c.rank for c in classes if c.filled and c.held <= edge), default=site.rank)
        if best >= site.rank:
            return False
        site.rank = best
        self._tables.sites.change(site)
        self.front.put(site.id, site.due, best)
        return True

    def _choose(self, site: Site, heads: Mapping[int, int], *, even: bool) -> LinkClass | None:
        waiting = [c for c in self._tables.queues.classes.of(site.id).values() if c.id in heads and c.held <= self.now]
        free = [ClassHead(number, c.rank, heads[c.id]) for number, c in enumerate(waiting)]
        oldest = bool(site.clocks.standing.row)
        chosen = choose_class(site.rank, free, self._policy.order, self._rng, even=even, oldest=oldest)
        return waiting[chosen.number] if chosen else None

    def end_lease(self, site: Site, outcome: Outcome) -> None:
        """The visit of a leased site has ended."""
        lease, row = site.lease, site.row
        assert lease is not None
        assert row is not None
        tables = self._tables
        # The site's classes may have been read again meanwhile.
        link_class = tables.queues.classes.of(site.id)[lease.link_class]
        tables.queues.journal.lease_over(row.seq)
        site.lease = site.row = site.link_class = None
        del self.leased[site.name], self._leased_numbers[site.id]
        self.front.leased -= site.place == ACTIVE
        if outcome.hold:
            tables.queues.classes.change(link_class, held=self.now + outcome.hold)
        self._end_url(site, link_class, row, outcome)
        stretch = self._policy.delay.stretch(self.front.active, tables.totals.most)
        site.clocks = after_visit(site.clocks, outcome, self.now, self._policy.delay, stretch)
        site.earned += outcome.earned
        self._settle(site)

    def _give_back(self) -> None:
        """End the leases of a process that died. It may have asked a moment ago: the sites wait their whole delay."""
        tables = self._tables
        for (number,) in tables.db.execute("SELECT site FROM lease").fetchall():
            site = tables.sites.numbered(number)
            site.clocks = after_restart(site.clocks, True, self.now, self._policy.delay)
            site.due = max(site.due, site.clocks.release)
            tables.totals.shelved += site.place > ACTIVE
            self._count_rest(site)
            tables.sites.change(site)
        tables.db.execute("DELETE FROM lease")
        tables.sites.flush()

    # -- places ----------------------------------------------------------------------------------------------

    def charge(self, name: str, outcome: Outcome, now: float) -> None:
        """A site was requested outside any lease."""
        site = self.named(name) or self._tables.sites.make(name, IDLE)
        site.clocks = after_visit(site.clocks, outcome, now, self._policy.delay)
        site.earned += outcome.earned
        if site.place == RETIRED and not self._is_spent(site):
            self.unshelve(site)
        self._count_rest(site)
        self._tables.sites.change(site)
        if site.place == ACTIVE and site.lease is None:
            self.refresh(site)

    def rescore(self, site: Site, scores: Mapping[str, float]) -> None:
        """Classes of a site have new scores."""
        table = self._tables.queues.classes
        classes = table.of(site.id)
        best = site.rank
        # All that waits may be held: then the best of it counts, held or not.
        edge = max(self.now, site.clocks.release, site.due)
        for name, score in scores.items():
            found = classes.get(name)
            if found is None or score == found.score or not isfinite(score):
                continue
            table.rescore(found, score)
            if found.filled and found.held <= edge:
                best = max(best, found.rank)
        if best > site.rank and site.place == ACTIVE and site.lease is None:
            # The rank may be too high: nothing may wait in that class. It also stays when a score falls. `choose_class`
            # then returns None, and the site gets its true rank. To look now would cost more than all the rest.
            site.rank = best
            self._tables.sites.change(site)
            self.front.found(site.id, site.due, best)

    def removed(self, site: Site, rows: int) -> None:
        """So many waiting rows of a site were deleted."""
        totals = self._tables.totals
        totals.waiting -= rows
        if site.place > ACTIVE:
            totals.shelved -= rows
        if rows:
            self.refresh(site)

    def refresh(self, site: Site) -> None:
        """Settle a site whose rows or clocks were changed outside a visit. A leased one only learns its new heads."""
        self._tables.flush()
        queues = self._tables.queues
        heads = queues.classes.heads(site.id)
        if site.row is None or site.link_class is None:
            site.heads = heads
            self._settle(site)
            return
        if heads.get(site.link_class.id) == site.row.seq:
            queues.pass_over(site.link_class, site.row.seq, heads)
        site.heads = heads

    def shelve(self, site: Site, place: int) -> None:
        """Pause or retire a site: its URLs continue to wait, and do not count as pending."""
        if site.place > ACTIVE:
            # Its URLs are shelved already.
            self.shelved_sites[site.place] -= 1
        else:
            self._tables.totals.shelved += self._tables.rows_of(site)
        if site.place == ACTIVE:
            self.front.active -= 1
            self.front.leased -= site.lease is not None
            self.front.remove(site.id)
        site.place = place
        self.shelved_sites[place] += 1
        self._count_rest(site)
        self._tables.sites.change(site)

    def resume(self, site: Site) -> None:
        """A paused or retired site is requested again, the latter with a new budget and in good standing."""
        if site.place == RETIRED:
            # What it has earned so far was spent as well.
            site.granted = site.clocks.visits - self._policy.further(site.earned)
            site.clocks = replace(site.clocks, standing=GOOD)
        self.unshelve(site)

    def unshelve(self, site: Site) -> None:
        """A paused or retired site is requested again."""
        self._tables.totals.shelved -= self._tables.rows_of(site)
        self.shelved_sites[site.place] -= 1
        site.place = IDLE
        self._tables.sites.change(site)
        if site.lease is not None:
            site.place = ACTIVE
            self.front.active += 1
            self.front.leased += 1
            self._count_rest(site)
        self.refresh(site)

    def _settle(self, site: Site) -> None:
        """Put a site that is not leased at its place, as of its heads."""
        self._tables.sites.change(site)
        heads, site.heads = site.heads, {}
        if site.place > ACTIVE:
            return
        place = place_of(site.place, waits=bool(heads), spent=bool(heads) and self._is_spent(site))
        if place == RETIRED:
            self.shelve(site, RETIRED)
        elif place == ACTIVE:
            self._wait(site, heads)
        elif site.place == ACTIVE:
            site.place = IDLE
            self.front.active -= 1
            self.front.remove(site.id)
        self._count_rest(site)

    def _wait(self, site: Site, heads: Collection[int]) -> None:
        filled = [c for c in self._tables.queues.classes.of(site.id).values() if c.id in heads]
        site.due, site.rank = due_and_rank(filled, site.clocks.release, self.now)
        if site.place == IDLE:
            site.place = ACTIVE
            self.front.active += 1
        self.front.put(site.id, site.due, site.rank)

    def _move_up(self, site: Site, link_class: LinkClass) -> None:
        """A URL was added to a class of a site that is not leased: the site may have become due, or of better rank."""
        before = (site.due, site.rank) if site.place == ACTIVE else None
        after = after_find(before, link_class, site.clocks.release, self.now)
        if after is None:
            return
        if before is None:
            site.place = ACTIVE
            self.front.active += 1
        due, (site.due, site.rank) = site.due, after
        if before is None or site.due != due:
            self._count_rest(site)
        self._tables.sites.change(site)
        self.front.found(site.id, site.due, site.rank)

    def _is_spent(self, site: Site) -> bool:
        return site.clocks.standing.gone or self._policy.spent(site.clocks.visits - site.granted, site.earned)

    def _count_rest(self, site: Site) -> None:
        """The place or the standing of a site has changed: it may count as resting now, or no more."""
        now = site.place == ACTIVE and rests(site.clocks, site.due, self.now)
        self._tables.totals.resting += now - site.rests
        site.rests = now
