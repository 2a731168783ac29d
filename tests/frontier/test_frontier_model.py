"""Any order of add, take, finish, crash and clock jump: nothing lost, nothing twice, nobody asked early."""

import random
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from harness import examples
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mediacrawl.frontier import FrontierPolicy
from mediacrawl.frontier.seen import url_key
from mediacrawl.frontier.sqlite import queues, sites
from mediacrawl.frontier.sqlite.tables import bytes_of_rows
from mediacrawl.frontier.stores import open_store
from mediacrawl.politeness.delay import DelayPolicy
from mediacrawl.records import Candidate, Drop, End, Kind, Outcome, SiteState

# With room for one site in memory the others come and go by the disk.
POLICY = FrontierPolicy(
    delay=DelayPolicy(factor=2, minimum=5, maximum=50, first=8), explore=0.3, front_least=1, front_most=2, bloom=500
)
POLICIES = [POLICY, replace(POLICY, budget=2, earns=1)]
SITES = ["a.org", "b.org", "c.org", "d.org"]


@pytest.fixture(autouse=True)
def little_room(monkeypatch):
    """Classes and sites come and go by the disk."""
    for module in (queues, sites):
        monkeypatch.setattr(module, "HELD_SITES", 2)
    monkeypatch.setattr(sites, "WAKE", 1)


class Machine(RuleBasedStateMachine):
    """The store against a model: a set of URLs that must still come out, and the last request of each site."""

    store = "memory"

    @initialize(policy=st.sampled_from(POLICIES))
    def start(self, policy):
        self.policy = policy
        self.folder = Path(tempfile.mkdtemp())
        self.now = 1_000_000.0
        self.frontier = open_store(self.store, self.folder, self.policy, self.now, random.Random(0))
        self.accepted, self.ended, self.leases = set(), set(), {}
        self.owed = {}
        self.anew, self.past = set(), 0
        self.pruned = set()
        self.committed = set()
        self.paused = set()

    def teardown(self):
        if hasattr(self, "frontier"):
            self.everything_comes_out()
            self.frontier.close()
            shutil.rmtree(self.folder)

    def everything_comes_out(self):
        for site in list(self.paused):
            self.resume(site)
        for lease in list(self.leases.values()):
            self.frontier.finish(self.leases.pop(lease.site), Outcome(End.DONE), self.now)
            self.ended.add(lease.url)
        while (release := self._release_of_all()) is not None:
            self.now = max(self.now, release)
            self.take(4)
            for lease in list(self.leases.values()):
                assert self.leases.pop(lease.site).url not in self.ended
                self.frontier.finish(lease, Outcome(End.DONE, asked=False), self.now)
                self.ended.add(lease.url)
        assert self.ended == self.accepted
        assert self.frontier.counts().waiting == 0
        assert self.frontier.counts().bytes == 0

    def _release_of_all(self):
        """When the next site may be requested, those counted that have spent their budget: they get another."""
        for site in self._retired():
            assert self.frontier.resume(site)
        return self.frontier.next_release()

    @rule(
        numbers=st.lists(st.integers(0, 40), max_size=6),
        site=st.sampled_from(SITES),
        link_class=st.sampled_from("xyz"),
        score=st.sampled_from([0.0, 1.0]),
    )
    def add(self, numbers, site, link_class, score):
        urls = [f"http://{site}/{number}" for number in numbers]
        new = set(urls) - self.accepted
        assert set(self.frontier.unknown(urls)) == new
        added = self.frontier.add([Candidate(url, site, link_class, score=score) for url in urls])
        assert (added.new, added.known) == (len(new), len(urls) - len(new))
        self.accepted |= new

    @rule(data=st.data(), link_class=st.sampled_from("xyz"), score=st.floats(-1, 2))
    def rejoin(self, data, link_class, score):
        """Most URLs that are tried have ended; others wait again, or were never accepted."""
        tried = sorted(self.ended | self.anew | {"http://a.org/never"})
        url = data.draw(st.sampled_from(tried))
        site = url.split("/")[2]
        assert self.frontier.rejoin(Candidate(url, site, link_class, score=score)) == (url in self.ended)
        if url in self.ended:
            self.ended.discard(url)
            self.anew.add(url)
            self.past += 1

    def _end(self, urls):
        self.ended |= urls
        self.anew -= urls

    @rule(limit=st.integers(1, 5))
    def take(self, limit):
        leases = self.frontier.take(self.now, limit)
        for lease in leases:
            assert lease.site not in self.leases, "two leases of one site"
            assert lease.url in self.accepted - self.ended
            assert lease.site not in self.paused
            assert self.now >= self.owed.get(lease.site, 0.0), "asked early"
            self.leases[lease.site] = lease
            self.committed = set(self.leases)
        if len(leases) < limit:
            self.no_ready_site_is_left()

    def no_ready_site_is_left(self):
        assert self._sites_that_are(SiteState.READY) == set()

    def _sites_that_are(self, state):
        infos = [self.frontier.site(site) for site in SITES]
        return {info.name for info in infos if info is not None and info.state is state}

    def _retired(self):
        # A look at a site writes what was gathered, so there is none where it is not needed.
        return self._sites_that_are(SiteState.RETIRED) if self.policy.budget else set()

    @precondition(lambda self: self.leases)
    @rule(
        data=st.data(),
        end=st.sampled_from(End),
        seconds=st.floats(0, 30),
        asked=st.booleans(),
        hold=st.sampled_from([0.0, 0.0, 40.0]),
        earned=st.sampled_from([0, 0, 1]),
    )
    def finish(self, data, end, seconds, asked, hold, earned):
        lease = self.leases.pop(data.draw(st.sampled_from(sorted(self.leases))))
        self.now += seconds
        asked = asked and end is not End.RETURNED
        outcome = Outcome(
            end,
            reason=Drop.ROBOTS if end is End.DROPPED else None,
            response_time=seconds if asked else None,
            asked=asked,
            state=data.draw(st.sampled_from([b"s", b"", b"state" * 500])),
            kind=Kind.MEDIA,
            hold=hold,
            earned=earned,
        )
        self.frontier.finish(lease, outcome, self.now)
        if end in {End.DONE, End.DROPPED}:
            self._end({lease.url})
        if asked:
            self.owed[lease.site] = self.now + max(5.0, min(50.0, self.frontier.site(lease.site).delay))

    @rule(seconds=st.floats(0, 100))
    def wait(self, seconds):
        self.now += seconds

    @rule(seconds=st.floats(-500, 50))
    def stop_and_start(self, seconds):
        """A clean stop, and a clock that may have been set back meanwhile."""
        if self.store == "memory":
            return
        self.frontier.close()
        self.leases.clear()
        self.committed = set()
        self._start_again(seconds)

    def _start_again(self, seconds):
        self.now += seconds
        if seconds < 0:
            self.owed = {site: min(owed, self.now) for site, owed in self.owed.items()}
        self.frontier = open_store(self.store, self.folder, self.policy, self.now, random.Random(0))

    @rule(site=st.sampled_from(SITES))
    def pause(self, site):
        known = self.frontier.pause(site)
        assert known or not any(url.startswith(f"http://{site}/") for url in self.accepted)
        if known:
            self.paused.add(site)

    @rule(site=st.sampled_from(SITES))
    def resume(self, site):
        assert self.frontier.resume(site) == (site in self.paused | self._retired())
        self.paused.discard(site)

    @rule(site=st.sampled_from(SITES))
    def drop(self, site):
        leased = {lease.url for lease in self.leases.values()}
        waiting = {url for url in self.accepted - self.ended - leased if url.startswith(f"http://{site}/")}
        assert self.frontier.drop(site, Drop.OPERATOR) == len(waiting)
        self._end(waiting)

    @rule(limit=st.integers(0, 30))
    def prune(self, limit):
        before = self.frontier.counts().waiting
        gone = self.frontier.prune(limit)
        assert self.frontier.counts().waiting == before - gone <= max(limit, 0)
        forgotten = set(self.frontier.unknown(sorted(self.accepted)))
        given_up = {url for url in self.anew if not self._waits_anew(url)}
        assert len(forgotten) + len(given_up) == gone
        self._end(given_up)
        self.past -= len(given_up)
        self.pruned |= forgotten
        self.accepted -= forgotten

    def _waits_anew(self, url):
        return url_key(url) in self.frontier._tables.revisits

    @rule()
    def weigh(self):
        """The count of bytes is the sum of the waiting URLs or is out."""
        self.frontier.commit()
        assert self.frontier.counts().bytes == self._bytes()

    def _bytes(self):
        return bytes_of_rows(self.frontier._db)

    @rule(site=st.sampled_from(SITES), link_class=st.sampled_from("xyz"), score=st.floats(-1, 2))
    def rescore(self, site, link_class, score):
        self.frontier.set_scores(site, {link_class: score})

    @invariant()
    def every_accepted_url_is_somewhere(self):
        if not hasattr(self, "frontier"):
            return
        counts = self.frontier.counts()
        shelved = self.paused | self._retired()
        assert counts.seen == len(self.accepted)
        assert len(self.accepted - self.ended) == counts.waiting + counts.leased
        assert self.frontier.pending() == counts.waiting - counts.shelved + counts.leased
        assert counts.shelved == sum(url.split("/")[2] in shelved for url in self._waiting())
        assert counts.leased == len(self.leases)
        assert sum(counts.ends.values()) == len(self.ended) + self.past
        assert counts.again == self.past
        assert counts.sites == len({url.split("/")[2] for url in self.accepted - self.ended} - shelved)

    def _waiting(self):
        return self.accepted - self.ended - {lease.url for lease in self.leases.values()}

    @invariant()
    def what_waits_has_a_time_to_wake(self):
        if not hasattr(self, "frontier"):
            return
        counts = self.frontier.counts()
        busy = {*self.leases, *self.paused, *self._retired()}
        free = {url for url in self.accepted - self.ended if url.split("/")[2] not in busy}
        assert (self.frontier.next_release() is None) == (not free), counts


class SQLiteMachine(Machine):
    store = "sqlite"

    @rule()
    def merge(self):
        """The inbox is full."""
        self.frontier._tables.merge()

    @rule()
    def crash(self):
        """The process dies: the files stay as they are, and another process opens a copy of them."""
        copy = Path(tempfile.mkdtemp())
        for name in self.folder.iterdir():
            shutil.copy(name, copy)
        self.frontier.close()
        shutil.rmtree(self.folder)
        self.folder = copy
        asked, self.committed = self.committed, set()
        self.leases.clear()
        self._start_again(0.0)
        # What joined, ended or was pruned since the last commit may be undone; leases were committed first.
        known = self.accepted | self.pruned
        self.accepted = known - set(self.frontier.unknown(sorted(known)))
        assert asked <= {url.split("/")[2] for url in self.accepted}
        self.ended = self._gone()
        self.anew = {url for url in self.accepted if self._waits_anew(url)}
        self.past = self.frontier.counts().again
        self.paused = {site for site in SITES if self._is_paused(site)}
        # The ends since then are undone, and with them what they taught about the site: it gets what was owed before.
        for site in asked:
            self.owed[site] = self.now + 8.0

    def _is_paused(self, site):
        info = self.frontier.site(site)
        return info is not None and info.state is SiteState.PAUSED

    def _gone(self):
        waiting = {row[0] for row in self.frontier._db.execute("SELECT url FROM url UNION SELECT url FROM inbox")}
        return self.accepted - waiting


STEPS = settings(
    max_examples=examples(60), stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)

TestMemory = Machine.TestCase
TestMemory.settings = STEPS
TestSQLite = SQLiteMachine.TestCase
TestSQLite.settings = settings(STEPS, max_examples=examples(25))
