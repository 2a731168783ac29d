"""Long random lives of the SQLite store, in a file and in memory, each step against a plain model of what it promised.

The model (``expected_frontier.py``) has no heap, no cache and no file: a dictionary of the waiting URLs, and when each
site may be requested. The walk is short of memory in every way the settings allow, so that sites, classes and URLs come
and go by the disk.

MEDIACRAWL_STEPS=20000   steps of each walk; without it 400, the short form, in which a walk takes a second.
MEDIACRAWL_DICE=1000     seed of the first walk; without it 0, so that the short form is the same at every run.
"""

import os
import random
import shutil
from collections import Counter
from dataclasses import replace

import pytest
from expected_frontier import DELAY, Expected
from harness import slow

from mediacrawl.base.terms import Candidate, Drop, End, Kind, Outcome, SiteState, Trouble
from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.order import BestFirst, Levels
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.sqlite import front, pruning, seen, tables
from mediacrawl.frontier.sqlite.store import MemoryFrontier, SQLiteFrontier
from mediacrawl.frontier.sqlite.tables import bytes_of_rows
from mediacrawl.politeness.delay import GOOD, Clocks, after_visit
from mediacrawl.programs.frontier_tools.checking import check

STEPS = int(os.environ.get("MEDIACRAWL_STEPS") or 400)
FIRST_SEED = int(os.environ.get("MEDIACRAWL_DICE") or 0)
WALKS = 5
CHECKED = 20
"""Steps after which all invariants are checked; some write to the file what was gathered, which may hide a fault."""

SCORES = {"media": 1.0, "feed": 0.7, "page": 0.3, "query": 0.1, "rest": 0.0}
ALL = 1_000_000


class Walk:
    """One life of a store: random operations, each done to the model as well.

    `kept` is the model as it was at the last commit: a kill takes the store back to it. A store in `memory` lives once.
    """

    def __init__(self, folder, seed, *, memory=False):
        self.path = folder / "frontier.db"
        self.memory = memory
        self.dice = random.Random(seed)
        self.unrest = self.dice.choice([0.05, 0.5, 0.95])
        # Not by chance, so that few walks meet all of it.
        self.sites = [f"s{n}.org" for n in range((4, 60, 1000)[seed % 3])]
        self.budgets = ((0,), (0, 1, 6))[seed % 2]
        self.blooms = ((0,), (300,), (100_000,), (0, 300))[seed // 2 % 4]
        self.step = 0
        self.now = 1_000_000.0
        self.made = []
        self.expected = Expected()
        self.open()

    def open(self):
        self.policy, dice = self._policy(), random.Random(self.dice.random())
        if self.memory:
            self.frontier = MemoryFrontier(self.policy, dice)
        else:
            self.frontier = SQLiteFrontier(self.path, self.policy, self.now, dice)
        self.expected.restart(self.now)
        self.kept = self.expected.copied()

    def _policy(self):
        choice = self.dice.choice
        return FrontierPolicy(
            delay=DELAY,
            order=choice([BestFirst(), Levels(4)]),
            explore=choice([0.0, 0.02, 0.5]),
            classes=choice([3, 4, 60]),
            budget=choice(self.budgets),
            earns=2,
            front_least=choice([1, 4, 20]),
            front_most=choice([4, 30, 100]),
            bloom=choice(self.blooms),
        )

    def run(self, steps):
        operations = [getattr(self, name) for name in OPERATIONS]
        for self.step in range(steps):
            (operation,) = self.dice.choices(operations, OPERATIONS.values())
            operation()
            if self.step % CHECKED == 0:
                self.check()
        self.everything_comes_out()

    # -- operations ------------------------------------------------------------------------------------------

    def add(self):
        batch = [self._candidate() for _ in range(self.dice.randint(1, 40))]
        urls = list(dict.fromkeys(candidate.url for candidate in batch))
        new = [url for url in urls if not self.expected.knows(url)]
        assert not any(url in self.frontier.recent for url in new)
        if self.dice.random() < 0.7:
            assert self.frontier.unknown(urls) == new
        added = self.frontier.add(batch)
        assert (added.new, added.known) == (len(new), len(batch) - len(new))
        for candidate in batch:
            if not self.expected.knows(candidate.url):
                self.expected.join(candidate, self.policy.classes)

    def _candidate(self):
        link_class = self.dice.choice(list(SCORES))
        if self.made and self.dice.random() < 0.2:
            url, site = self.dice.choice(self.made)
        else:
            # A few sites have most of the URLs.
            number = int(self.dice.expovariate(1) * len(self.sites) / 5)
            site = self.sites[min(number, len(self.sites) - 1)]
            url = f"http://{site}/{len(self.made)}"
            self.made.append((url, site))
        return Candidate(url, site, link_class, score=SCORES[link_class])

    def rejoin(self):
        """Most have ended; the others wait again, are out, or were never accepted."""
        expected = self.expected
        for url in self.dice.sample([*expected.ended, *expected.anew, "http://s0.org/never"], 1) * 2:
            found = replace(self._candidate(), url=url, site=url.split("/")[2])
            has_ended = url in expected.ended
            assert self.frontier.rejoin(found) == has_ended
            if has_ended:
                expected.rejoin(found, self.policy.classes)

    def take(self, limit=None):
        limit = limit or self.dice.choice([1, 5, 32, ALL])
        heads = self.expected.heads()
        leases = self.frontier.take(self.now, limit)
        self.expected.heard = self.now
        for lease in leases:
            self.may_be_asked(lease)
            self.is_first_of_its_class(lease, heads)
            self.expected.lease(lease)
        if len(leases) < limit:
            self.no_ready_site_is_left()
        if leases:
            self.kept = self.expected.copied()

    def finish(self):
        for _ in range(self.dice.randint(0, len(self.expected.leased))):
            lease, _ = self.expected.leased[self.dice.choice(sorted(self.expected.leased))]
            self.now += self.dice.random() * 0.3
            self._finish(lease, self._outcome())

    def _finish(self, lease, outcome):
        self.frontier.finish(lease, outcome, self.now)
        self.expected.finish(lease, outcome, self.now)
        self.expected.heard = self.now

    def _outcome(self):
        choice = self.dice.choice
        end = choice([End.DONE] * 5 + [End.DROPPED, End.AGAIN, End.CONTINUE, End.RETURNED])
        asked = end is not End.RETURNED and self.dice.random() < 0.9
        return Outcome(
            end,
            reason=choice([Drop.ROBOTS, Drop.HTTP_STATUS]) if end is End.DROPPED else None,
            response_time=choice([None, 0.2, 9.0]) if asked else None,
            asked=asked,
            state=str(self.step).encode() * choice([1, 1, 500]),
            kind=choice([None, Kind.MEDIA]),
            hold=0 if end in {End.DONE, End.DROPPED} else choice([0, 0, 30, 300]),
            earned=choice([0, 0, 1]),
            trouble=choice([None, *Trouble]) if asked and self.dice.random() < self.unrest else None,
            wait=0 if asked else choice([0, 0, 20]),
            blamed=choice([True, False]),
        )

    def wait(self):
        self.now += self.dice.choice([0.5, 3, 10, 40])

    def _some_site(self):
        """Often one that is leased: there steering is hardest."""
        leased = sorted(self.expected.leased)
        return self.dice.choice(leased if leased and self.dice.random() < 0.5 else self.sites)

    def pause(self):
        site = self._some_site()
        assert self.frontier.pause(site) == (site in self.expected.clocks)
        if site in self.expected.clocks:
            self.expected.paused.add(site)

    def resume(self):
        if self.expected.paused:
            site = self.dice.choice(sorted(self.expected.paused))
            assert self.frontier.resume(site)
            self.expected.paused.discard(site)

    def resume_retired(self):
        spent = [s for s in self.expected.clocks if s not in self.expected.paused and self._spent(s)]
        if spent:
            self._resume_retired(self.dice.choice(spent))

    def _resume_retired(self, site):
        """A site that has spent its budget is retired when its turn comes: it may not be as yet."""
        if self.frontier.resume(site):
            expected = self.expected
            expected.granted[site] = expected.clocks[site].visits - self.policy.earns * expected.earned[site]
            expected.clocks[site] = replace(expected.clocks[site], standing=GOOD)

    def _spent(self, site):
        return self.expected.spent(site, self.policy)

    def drop(self):
        site = self._some_site()
        there = [url for url, row in self.expected.waiting.items() if row.site == site]
        assert self.frontier.drop(site, Drop.OPERATOR) == len(there)
        for url in there:
            del self.expected.waiting[url]
            self.expected.end(url, Drop.OPERATOR)

    def prune(self):
        waiting = self.expected.waiting
        limit = self.dice.randint(0, len(waiting) + 3)
        gone = self.frontier.prune(limit)
        assert gone == max(0, len(waiting) - limit)
        forgotten = self.frontier.unknown([*waiting, *self.expected.ended])
        given_up = [url for url in self.expected.anew if url_key(url) not in self.frontier._tables.revisits]
        assert len(forgotten) + len(given_up) == gone
        for url in forgotten:
            del waiting[url]
        for url in given_up:
            self.expected.give_up(url)

    def charge(self):
        site, outcome = self._some_site(), Outcome(End.DONE, response_time=0.1)
        if site in self.expected.clocks and self._spent(site):
            # It stays retired though nothing is held against it any more: the model could not tell.
            return
        self.frontier.charge(site, outcome, self.now)
        self.expected.clocks[site] = after_visit(self.expected.clocks.get(site, Clocks()), outcome, self.now, DELAY)

    def set_scores(self):
        names = self.dice.sample(list(SCORES), self.dice.randint(1, 3))
        self.frontier.set_scores(self._some_site(), {n: self.dice.choice([0, 0.05, 0.2, 0.5, 0.9, 1.5]) for n in names})

    def commit(self):
        self._leave_note()
        self.frontier.commit()
        assert self.frontier.counts().bytes == bytes_of_rows(self.frontier._db)
        self.kept = self.expected.copied()

    def stop(self):
        """A clean stop, and another start, by a clock that may have been set back."""
        if self.memory:
            return
        self._leave_note()
        self.frontier.close()
        # What is leased was given back without a request; its site's clocks are as they were.
        for lease, row in self.expected.leased.values():
            self.expected.waiting[lease.url] = row
        self.expected.leased.clear()
        self._start_again()

    def kill(self):
        """The process dies: another one opens a copy of the files, which are as they were at the last commit."""
        if self.memory:
            return
        there = self.path.parent.with_name(f"{self.path.parent.name}-{self.step}")
        shutil.copytree(self.path.parent, there)
        self.frontier._db.close()
        os.close(self.frontier._lock)
        shutil.rmtree(self.path.parent)
        self.path = there / self.path.name
        self.expected = self.kept
        self._start_again()

    def _start_again(self):
        self.file_is_sound()
        self.now += self.dice.choice([0.1, 0.9, 20, -10, -1000])
        self.open()
        assert (self.frontier.note("walk", "step") or b"") == self.expected.note
        self.nothing_is_forgotten()
        self.check()

    def _leave_note(self):
        """So that there is something to commit, and with it the time."""
        if self.dice.random() < 0.5:
            self.frontier._tables.merge()
        self.expected.note = str(self.step).encode()
        self.frontier.set_note("walk", "step", self.expected.note)

    # -- invariants ------------------------------------------------------------------------------------------

    def check(self):
        self.nobody_sleeps_too_long()
        self.all_counts_agree()
        self.what_the_operator_sees_is_true()

    def may_be_asked(self, lease):
        """Nobody is requested early, twice at a time, while paused, or beyond the budget; no hold is broken."""
        expected, site = self.expected, lease.site
        assert lease.url in expected.waiting
        assert site not in expected.leased
        assert site not in expected.paused
        assert self.now >= expected.clocks[site].release
        assert self.now >= expected.holds.get((site, lease.link_class), 0.0)
        assert not self._spent(site)

    def is_first_of_its_class(self, lease, heads):
        """Inside a class the URL goes first that were added first, with what its last visit left."""
        row = self.expected.waiting[lease.url]
        assert row.place == heads[lease.site, lease.link_class]
        assert (row.site, row.link_class, row.attempt, row.state) == (
            lease.site,
            lease.link_class,
            lease.attempt,
            lease.state,
        )

    def nothing_is_forgotten(self):
        """A URL that was accepted is known after a restart. A few are requested: more would be remembered from then."""
        accepted = [*self.expected.waiting, *self.expected.ended]
        assert self.frontier.unknown(self.dice.sample(accepted, min(50, len(accepted)))) == []

    def no_ready_site_is_left(self):
        """After a take below its limit no ready site is left."""
        wakes = self.expected.wakes(self.policy)
        assert [site for site, wake in wakes.items() if wake <= self.now] == []

    def nobody_sleeps_too_long(self):
        """The frontier wakes no later than the first site's release time, and sleeps on only if there is none."""
        wakes, release = self.expected.wakes(self.policy), self.frontier.next_release()
        if wakes:
            assert release is not None
            # It may be due since long; of a site that is ready the frontier answers 0.
            assert release <= max(min(wakes.values()), self.now)

    def all_counts_agree(self):
        """All counts agree, with the model and with each other."""
        expected, counts, pending = self.expected, self.frontier.counts(), self.frontier.pending()
        retired = self._retired()
        shelved = expected.paused | retired
        there = Counter(row.site for row in expected.waiting.values())
        assert counts.waiting == len(expected.waiting)
        assert counts.leased == len(expected.leased)
        assert counts.ends == Counter(expected.ended.values()) + expected.past
        assert counts.again == expected.past.total()
        assert counts.seen == counts.waiting + counts.leased + len(expected.ended)
        assert counts.shelved == sum(there[site] for site in shelved)
        assert counts.shelved_sites == (len(expected.paused), len(retired))
        active = (there.keys() | expected.leased.keys()) - shelved
        assert counts.sites == len(active)
        assert counts.resting == sum(expected.clocks[site].rests for site in active)
        assert pending == (0 if self._all_rest(active) else counts.waiting - counts.shelved + counts.leased)

    def _all_rest(self, active):
        """Whether all that is left rests, so that a crawl would end. What is due only the frontier knows."""
        release = self.frontier.next_release()
        asleep = release is not None and release > self.expected.heard and not self.expected.leased
        return asleep and all(self.expected.clocks[site].rests for site in active)

    def _retired(self):
        """The retired sites. Only the frontier knows whether a turn has come, but they must have spent their budget."""
        spent = [site for site in self.expected.clocks if self._spent(site)]
        return {site for site in spent if self.frontier.site(site).state is SiteState.RETIRED}

    def what_the_operator_sees_is_true(self):
        """A site shows its own visits, its state, and how much waits there."""
        site = self.dice.choice(self.sites)
        info, clocks = self.frontier.site(site), self.expected.clocks.get(site)
        if clocks is None:
            assert info is None
            return
        assert (info.visits, info.earned, info.samples) == (clocks.visits, self.expected.earned[site], clocks.samples)
        assert (info.troubles, info.trouble) == (clocks.standing.row, clocks.standing.trouble)
        assert info.waiting == sum(row.site == site for row in self.expected.waiting.values())
        assert (info.state is SiteState.PAUSED) == (site in self.expected.paused)

    def file_is_sound(self):
        """What is on disk agrees with itself after every stop, and after every kill."""
        assert check(self.path, order=self.policy.order).problems == []

    def everything_comes_out(self):
        """Everything comes out at the end, once, and the file is found whole."""
        for site in sorted(self.expected.paused):
            assert self.frontier.resume(site)
        self.expected.paused.clear()
        for _ in range(10_000 + len(self.expected.waiting)):
            for lease, _ in list(self.expected.leased.values()):
                self._finish(lease, Outcome(End.DONE, asked=False))
            for site in filter(self._spent, self.expected.clocks):
                self._resume_retired(site)
            release = self.frontier.next_release()
            if release is None:
                break
            self.now = max(self.now, release)
            self.take(self.dice.choice([3, ALL]))
        assert self.expected.waiting == {}
        assert self.frontier.counts().bytes == 0
        self.all_counts_agree()
        self.frontier.close()
        if not self.memory:
            self.file_is_sound()


OPERATIONS = {
    "add": 350,
    "rejoin": 60,
    "take": 200,
    "finish": 250,
    "wait": 60,
    "pause": 30,
    "resume": 30,
    "resume_retired": 30,
    "drop": 10,
    "prune": 10,
    "charge": 15,
    "set_scores": 20,
    "commit": 10,
    "stop": 8,
    "kill": 12,
}
"""How often each operation is done, in shares."""


@pytest.fixture
def little_room(monkeypatch):
    """Makes the store move rows, classes and sites between memory and disk at every turn."""

    def shrink(dice):
        monkeypatch.setattr(tables, "MERGE_AT", dice.choice([50, 500, 20_000]))
        for name in ("HELD_CLASSES", "HELD_SITES"):
            monkeypatch.setattr(tables, name, dice.choice([1, 3, 50]))
        monkeypatch.setattr(seen, "SAVE_AT", dice.choice([100, 1_000, 1_000_000]))
        monkeypatch.setattr(front, "WAKE", dice.choice([2, 64]))
        monkeypatch.setattr(front, "GROW", dice.choice([1, 1_000]))
        monkeypatch.setattr(pruning, "PRUNED_CLASSES", dice.choice([3, 20_000]))

    return shrink


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("seed", [FIRST_SEED, *slow(*range(FIRST_SEED + 1, FIRST_SEED + WALKS))])
def test_a_frontier_keeps_its_promises_on_a_long_random_walk(tmp_path, little_room, seed, memory):
    little_room(random.Random(f"room of {seed}"))
    walk = Walk(tmp_path / "state", seed, memory=memory)
    try:
        walk.run(STEPS)
    except Exception as error:
        error.add_note(f"At step {walk.step} of seed {seed}, with {walk.policy}.")
        again = f"MEDIACRAWL_DICE={seed} MEDIACRAWL_STEPS={STEPS}, and -k '[{seed}-{memory}]'"
        error.add_note(f"Repeat it with {again}.")
        raise
