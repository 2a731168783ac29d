"""A worker on Redis that waits for each answer, so that it can be held to the contract word by word."""

from collections import Counter
from unittest import mock

from mediacrawl.base.terms import Added, Drop
from mediacrawl.frontier.redis import worker as redis_worker
from mediacrawl.frontier.redis.worker import RedisWorker


class Times:
    """A clock that is told."""

    def __init__(self, now):
        self.now = now

    def __call__(self):
        return self.now


class OneClock(redis_worker.ServerClock):
    """Redis's clock and the worker's are the one that is told."""

    skew = property(lambda self: 0.0, lambda self, seconds: None)


class SettledWorker(RedisWorker):
    """What is told is in Redis when the method returns, and leases are those of now."""

    def __init__(self, store, now):
        with mock.patch.object(redis_worker, "ServerClock", OneClock):
            super().__init__(store, Times(now), lease=1e9)

    def add(self, candidates):
        self.tallies()
        added = super().add(candidates)
        assert self.settle()
        told = self.tallies()
        return Added(told["frontier/new"], added.known + told["frontier/known"])

    def rejoin(self, candidate):
        self.tallies()
        super().rejoin(candidate)
        assert self.settle()
        return bool(self.tallies()["frontier/again"])

    def unknown(self, urls):
        return self._outbox.ask(lambda: self._store.unknown(urls))

    def take(self, now, limit):
        self._clock.own.now = now
        assert self.settle()
        with self._outbox.news:
            self._pool.wanted = limit
            self._outbox.news.notify_all()
            assert self._outbox.news.wait_for(lambda: not self._pool.wanted or self._outbox.failed, 10)
            outs = [out for out, _ in self._pool.ready]
            for out, notes in self._pool.ready:
                self._pool.out[out.lease.id] = out
                self._notes.leased(out.lease, notes)
            self._pool.ready.clear()
        return [out.lease for out in outs]

    def finish(self, lease, outcome, now):
        if lease.id in self._pool.out:
            self._clock.own.now = now
        super().finish(lease, outcome, now)
        assert self.settle()

    def note(self, room, key):
        with mock.patch.object(redis_worker, "A_MOMENT", 10.0):
            return super().note(room, key)

    def charge(self, site, outcome, now):
        self._clock.own.now = now
        super().charge(site, outcome, now)
        assert self.settle()

    def set_scores(self, *what):
        super().set_scores(*what)
        assert self.settle()

    def next_release(self):
        assert self.settle()
        due = self._session.due
        return None if due < 0 else 0.0 if due <= self._clock.own.now else due

    def prune(self, limit):
        before = Counter(self.tallies())
        self._session.client.delete(self._session.scripts.key("alone", "prune"))
        super().prune(limit)
        assert self.settle()
        return (self.tallies() - before)[f"drop/{Drop.PRUNED}"]

    def pending(self):
        assert self.settle()
        return super().pending()

    def counts(self):
        assert self.settle()
        return super().counts()
