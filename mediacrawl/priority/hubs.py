"""Hubs: pages that led to a nugget, and the front pages of their hosts. They come back; files never do."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from heapq import nlargest
from math import ceil, isfinite
from operator import attrgetter
from random import Random
from sys import intern
from typing import Any
from zlib import crc32

import msgpack

from mediacrawl.notes import Later, Notes
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.politeness.robots_note import shortened
from mediacrawl.priority.link_class import link_class
from mediacrawl.priority.revisit import DAY, Posterior, expected, is_owed, score
from mediacrawl.records import Kind

ROOM = "hubs"
BUCKETS = 1_024
"""Notes that hold all hubs, each those of one hash: with 50,000 hubs some 50 in a note, 14 KB. A store of notes lists
nothing, so their names must be known; in fewer each change would write more."""
HELD = 50_000
"""Hubs that are remembered, some 760 bytes each in memory and 280 on disk."""
PASSED = 20_000
"""Visited pages that are remembered, 450 bytes each, in case they turn out to have led to a nugget."""
LOOKED_AT = 1_000
"""Hubs that one call of `Hubs.due` looks at, in some 0.9 ms, 1.8 if all are drawn anew."""
SAVED = 16
"""Notes that one call of `Hubs.save` writes or reads, at most some 14 KB and 0.1 ms each."""
DRAWN_FOR = DAY
"""Seconds for which a drawn rate counts. If each look drew anew, the highest of many draws would count, and a page that
brings nothing would come back the more often the more often it is looked at: with 240 looks a day in place of 2 three
times as often, and so only by a third. Never drawn anew, one bad draw would end a page: half of the new nuggets."""
SOONEST = 3_600.0
"""Seconds between two visits of a hub at least, however lively it is: these are libraries, not news tickers."""
LOST = 30 * DAY
"""Seconds after which a hub that joined and was never visited may join again: its URL was pruned, or its site rests."""
WORTH = 0.1
"""New nuggets that a revisit must be expected to bring, even if nothing else waits: nine of ten may be in vain."""
LONGEST = 500
"""Characters of a URL that may be a hub."""
_FORMAT = 1
_DEEPEST = 1 << 31
"""Depth that no page has; a damaged note may state any number."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page or list, as the frontier has it.

    Attributes:
        url, site, kind, link_class, depth, requested: as in `records.Candidate`.
        parent: URL of the page it was found on, in canonical form; empty for a seed.
    """

    url: str
    site: str
    kind: Kind = Kind.PAGE
    link_class: str = ""
    depth: int = 0
    parent: str = ""
    requested: str = ""


@dataclass(frozen=True, slots=True)
class Again:
    """A hub that is to be asked again.

    Attributes:
        url, site, kind, link_class, depth, requested: as in `records.Candidate`.
        score: what is expected of it, as the score of a link class.
        asked: as in `Hub`.
    """

    url: str
    site: str
    kind: Kind
    link_class: str
    depth: int
    score: float
    asked: bool = True
    requested: str = ""


@dataclass(slots=True)
class Hub:
    """What is known of a hub.

    Attributes:
        url, site, kind, link_class, depth, requested: as in `records.Candidate`.
        posterior: of its rate of new nuggets.
        last: when it was visited last, seconds since the epoch.
        left: credit that it may still get for that visit: as much as it showed links that nobody knew.
        etag, modified: what to send with the next visit, if not empty.
        asked: whether a visit of it was told. Of a front page it may not be: it waits, or was never found.
        news: credit since its note was written. In memory only, as all that follows.
        is_new: whether this process met it, and does not know whether others have.
        rate: that was drawn, nuggets a day; negative if none counts any more.
        drawn: when, seconds since the epoch.
    """

    url: str
    site: str
    kind: Kind
    link_class: str
    depth: int
    posterior: Posterior
    last: float
    left: float = 0.0
    etag: str = ""
    modified: str = ""
    asked: bool = False
    requested: str = ""
    news: float = 0.0
    is_new: bool = False
    rate: float = -1.0
    drawn: float = 0.0

    @classmethod
    def of(cls, page: Page, visited: float) -> Hub:
        """A hub of which nothing is known but that it was visited.

        Args:
            page: which it is.
            visited: when, seconds since the epoch.
        """
        site, shape = intern(page.site), intern(page.link_class)
        return cls(
            page.url, site, page.kind, shape, page.depth, _UNKNOWN, visited, requested=page.requested, is_new=True
        )

    def worth(self, now: float, rng: Random, soonest: float = SOONEST) -> float:
        """New nuggets that a visit is expected to find now; at least one if the hub is owed a visit.

        Args:
            now: seconds since the epoch.
            rng: source of the draw.
            soonest: seconds since its last visit before which it is worth nothing.
        """
        # If the clock was set back the hub must not wait for the old time to come.
        self.last = min(self.last, now)
        if now - self.last < soonest:
            return 0.0
        days = (now - self.last) / DAY
        if self.rate < 0 or not 0 <= now - self.drawn < DRAWN_FOR:
            self.rate, self.drawn = self.posterior.draw(rng), now
        worth = expected(self.rate, days)
        return max(worth, 1.0) if is_owed(self.posterior, days) else worth

    def learn(self, posterior: Posterior) -> None:
        """More is known of its rate; what was drawn before counts no more."""
        self.posterior, self.rate = posterior, -1.0


_UNKNOWN = Posterior()


@dataclass(frozen=True, slots=True)
class _Passed:
    """A visited page that may turn out to be a hub."""

    page: Page
    visited: float
    etag: str
    modified: str


@dataclass(slots=True)
class _Sent:
    """What was told of a bucket, on its way to the store that all share; copies, since another thread reads them."""

    bucket: int
    hubs: list[Hub]
    gone: dict[str, float]
    answer: Future[bytes] | None = None


class Hubs:
    """Which pages come back, and when.

    A page is a hub if its fetch led to a nugget within two steps: one that it shows itself, that it links to, or that a
    page links to which it links to. The front page of its host is one then too. What a page showed when it was met is
    no rate: only what comes of links that a *later* visit found new is news, and no more than one nugget for each such
    link. So a long queue of old links does not make a hub look lively, nor does an archive of 500 files.

    Of too many hubs those of the least expected rate are forgotten, in each bucket for itself.

    On disk: at most 1,024 notes in the room ``hubs``, one for each hash of a URL (msgpack: format, hubs). A kill loses
    what was told since the bucket's last `save`: a visit that is not known is made once more, and the credit of links
    that were on their way is never given. A note that cannot be read is as good as none.

    With several workers a bucket is read and merged by the store's thread, never waited for: of each hub the newest
    visit counts, and what other workers credited to it since is added. This process learns what the others know as
    `save` comes round to a bucket: after 1,024 / 16 calls, minutes. Hubs are only offered when their bucket has just
    been read, so that two workers hardly offer the same one; if they do, the frontier lets it wait once. A visit of a
    hub that this process has not read yet, in its first minutes, is not counted.

    Args:
        notes: where they outlive the process.
        later: how a note is made of the one before, if `Notes.shared`.
        most: hubs that are remembered, at least one in each bucket.
        passed: visited pages that are remembered, in memory only, to become hubs.
        soonest: seconds between two visits of a hub at least.

    Raises:
        FrontierError: what keeps the notes failed.
        ValueError: other processes write the notes too, and `later` is missing.
    """

    def __init__(
        self,
        notes: Notes,
        *,
        later: Later | None = None,
        most: int = HELD,
        passed: int = PASSED,
        soonest: float = SOONEST,
    ) -> None:
        if notes.shared and later is None:
            raise ValueError("with notes that other processes write too, hubs need `later`: nothing may wait for them")
        self._notes = notes
        self._later = later if notes.shared else None
        self._most = max(ceil(most / BUCKETS), 1)
        self._soonest = soonest
        self._passed: LastUsed[_Passed] = LastUsed(passed, passed)
        self._buckets: list[dict[str, Hub]] = [{} for _ in range(BUCKETS)]
        self._dirty: OrderedDict[int, set[str]] = OrderedDict()
        self._waiting: dict[str, tuple[str, float]] = {}
        self._turn = 0
        # Only where other workers write too: who is gone, whose answer is awaited, what was answered, what was read.
        self._gone: defaultdict[int, dict[str, float]] = defaultdict(dict)
        self._out: set[int] = set()
        self._answers: deque[_Sent] = deque()
        self._heard: OrderedDict[int, None] = OrderedDict()
        if self._later is None:
            for bucket in range(BUCKETS):
                self._buckets[bucket] = {hub.url: hub for hub in unpack(notes.note(ROOM, str(bucket)))}

    def __len__(self) -> int:
        return sum(map(len, self._buckets))

    def get(self, url: str) -> Hub | None:
        """What is known of a hub; None if it is none.

        Args:
            url: in canonical form.
        """
        return self._buckets[_bucket(url)].get(url)

    # -- what visits tell ------------------------------------------------------------------------------------

    def visited(
        self,
        page: Page,
        now: float,
        *,
        new: float = 0.0,
        fresh: int = 0,
        etag: str | None = None,
        modified: str | None = None,
    ) -> None:
        """A page or list was visited, for the first time or again; what else is visited is passed over.

        It is told when the page's links have joined: asked under the new conditions it does not show them again.
        A visit that failed is told too, as one that brought nothing: its hub is asked as seldom as a hub that brings
        nothing. One that is not there any more is `gone`.

        Args:
            page: which.
            now: when the visit ended, seconds since the epoch.
            new: rewards of the new nuggets that it showed itself.
            fresh: its links that nobody knew; 0 if it had not changed (304).
            etag: the header ETag, empty if there was none; None if what is known holds (304, or nothing came).
            modified: the header Last-Modified, likewise.
        """
        if page.kind not in _COMING_BACK:
            return
        etag, modified = (None if one is None else shortened(one) for one in (etag, modified))
        self._passed.put(page.url, _Passed(page, now, etag or "", modified or ""), 1)
        self._end_waiting(page.site, page.url)
        hub = self.get(page.url)
        if hub is None:
            if new > 0:
                self.met(page, now)
            return
        if hub.asked:
            hub.learn(hub.posterior.after((now - hub.last) / DAY, max(new, 0.0)))
            hub.left = float(fresh)
        # Else all that it shows is new, and none of that is news.
        hub.last, hub.asked = now, True
        hub.etag = hub.etag if etag is None else etag
        hub.modified = hub.modified if modified is None else modified
        self._change(hub)

    def earned(self, parent: str, reward: float = 1.0) -> None:
        """A new nugget was found at a link: who led there is credited, or becomes a hub.

        Args:
            parent: URL of the page that the link stood on.
            reward: what the nugget is worth, 0 to 1.
        """
        passed = self._passed.get(parent)
        for url in dict.fromkeys((parent, passed.page.parent if passed is not None else "")):
            if self.get(url) is not None:
                self.credited(url, reward)
            elif (led := self._passed.get(url)) is not None:
                self.met(led.page, led.visited)

    def met(self, page: Page, visited: float) -> None:
        """The visit of a page led to a nugget within two steps: it is a hub, and so is its host's front page.

        Args:
            page: which; it may be known as a hub.
            visited: when it was visited, seconds since the epoch.
        """
        if page.kind not in _COMING_BACK:
            return
        front = front_page(page.url)
        self._meet(page, visited, asked=True)
        if front != page.url:
            self._meet(Page(front, page.site, Kind.PAGE, link_class(front)), visited)

    def credited(self, url: str, reward: float) -> None:
        """A new nugget was found within two steps of a hub's last visit.

        Args:
            url: of the hub; what is none is passed over.
            reward: what the nugget is worth, 0 to 1.
        """
        hub = self.get(url)
        credit = min(reward, hub.left) if hub is not None else 0.0
        if hub is None or not credit > 0:
            return
        hub.left -= credit
        hub.news += credit
        hub.learn(hub.posterior.with_nuggets(credit))
        self._change(hub)

    def gone(self, url: str, now: float) -> None:
        """A page is not there any more (404, 410, it leads elsewhere, it may not be asked): forget it.

        Args:
            url: of the page.
            now: seconds since the epoch.
        """
        hub = self.get(url)
        if hub is not None:
            self._end_waiting(hub.site, url)
            self._forget(hub, now)

    def conditional(self, url: str) -> dict[str, str]:
        """The headers under which a page need not be sent again; none if it is no hub, or gave nothing to ask with.

        Args:
            url: of the page.
        """
        hub = self.get(url)
        if hub is None:
            return {}
        pairs = (("If-None-Match", hub.etag), ("If-Modified-Since", hub.modified))
        return {name: value for name, value in pairs if value}

    # -- who comes back --------------------------------------------------------------------------------------

    def due(self, now: float, number: int, rng: Random, least: float = WORTH) -> list[Again]:
        """Hubs to be asked again, the best first, at most one of a site, and none of a site where one waits.

        It looks at a thousand hubs and goes on behind them at the next call. A better one that is not looked at now
        comes up in one of the next calls.

        Args:
            now: seconds since the epoch.
            number: how many at most; with 0 nothing is looked at.
            rng: source of the draws.
            least: new nuggets that a hub must be expected to bring: the score of what would be asked in its place.
        """
        best: dict[str, tuple[float, Hub]] = {}
        self._listen()
        for hub in self._some() if number > 0 else ():
            if self._is_waiting(hub.site, now):
                continue
            worth = hub.worth(now, rng, self._soonest)
            # Before its time it is worth nothing, and stays even if nothing is too little.
            if worth > 0 and worth >= least and (hub.site not in best or worth > best[hub.site][0]):
                best[hub.site] = worth, hub
        chosen = nlargest(number, best.values(), key=lambda one: one[0])
        return [
            Again(hub.url, hub.site, hub.kind, hub.link_class, hub.depth, score(worth), hub.asked, hub.requested)
            for worth, hub in chosen
        ]

    def worth(self, url: str, now: float, rng: Random) -> float:
        """New nuggets that a visit of a hub is expected to find now; 0 if it is none.

        Args:
            url: of the hub.
            now: seconds since the epoch.
            rng: source of the draw.
        """
        hub = self.get(url)
        return 0.0 if hub is None else hub.worth(now, rng, self._soonest)

    def put_off(self, url: str, now: float) -> None:
        """A hub was offered and cannot come back now: it counts as visited, and others of its site may come.

        Args:
            url: of the hub.
            now: seconds since the epoch.
        """
        hub = self.get(url)
        if hub is not None:
            hub.last = now
            self._change(hub)

    def joined(self, url: str, now: float) -> None:
        """A hub waits in the frontier, since now or before; until it was `visited` none of its site comes back.

        Args:
            url: of the hub.
            now: seconds since the epoch.
        """
        hub = self.get(url)
        if hub is not None:
            self._waiting[hub.site] = url, now

    def _is_waiting(self, site: str, now: float) -> bool:
        waits = self._waiting.get(site)
        if waits is None:
            return False
        if not 0 <= now - waits[1] < LOST:
            del self._waiting[site]
            return False
        return True

    def _end_waiting(self, site: str, url: str) -> None:
        if self._waiting.get(site, ("",))[0] == url:
            del self._waiting[site]

    def _some(self) -> Iterator[Hub]:
        """The hubs that are looked at now, in whole buckets; each once."""
        looked = 0
        for bucket in self._next_buckets():
            yield from self._buckets[bucket].values()
            looked += len(self._buckets[bucket])
            if looked >= LOOKED_AT:
                return

    def _next_buckets(self) -> Iterator[int]:
        if self._later is not None:
            while self._heard:
                yield self._heard.popitem(last=False)[0]
            return
        for _ in range(BUCKETS):
            bucket, self._turn = self._turn, (self._turn + 1) % BUCKETS
            yield bucket

    # -- memory and store ------------------------------------------------------------------------------------

    def save(self, buckets: int = SAVED) -> None:
        """Write what changed, some notes at a time; with several workers, learn beside that what the others know.

        To be called every few seconds. With one process it writes into the frontier's own transaction.

        Args:
            buckets: notes that are written or read at most.

        Raises:
            FrontierError: what keeps the notes failed.
        """
        self._listen()
        changed = [bucket for bucket in self._dirty if bucket not in self._out][:buckets]
        if self._later is None:
            for bucket in changed:
                self._notes.set_note(ROOM, str(bucket), pack(self._buckets[bucket].values()))
                del self._dirty[bucket]
            return
        for bucket in changed:
            self._send(bucket, self._later)
        for _ in range(min(buckets - len(changed), BUCKETS)):
            bucket, self._turn = self._turn, (self._turn + 1) % BUCKETS
            if bucket not in self._out:
                self._send(bucket, self._later)

    def save_all(self) -> None:
        """Write all that changed, for a clean stop loses nothing; with several workers it is sent when this returns.

        Raises:
            FrontierError: what keeps the notes failed.
        """
        if self._later is None:
            self.save(len(self._dirty))
            return
        for bucket in list(self._dirty):
            self._send(bucket, self._later)

    def _meet(self, page: Page, visited: float, *, asked: bool = False) -> None:
        if len(page.url) > LONGEST or self.get(page.url) is not None:
            return
        hub = Hub.of(page, visited)
        hub.asked = asked
        passed = self._passed.get(page.url)
        if passed is not None:
            hub.last, hub.etag, hub.modified, hub.asked = passed.visited, passed.etag, passed.modified, True
        self._buckets[_bucket(page.url)][page.url] = hub
        self._change(hub)
        self._forget_least(_bucket(page.url), visited)

    def _forget_least(self, bucket: int, now: float) -> None:
        hubs = self._buckets[bucket]
        while len(hubs) > self._most:
            self._forget(min(hubs.values(), key=_expected), now)

    def _forget(self, hub: Hub, now: float) -> None:
        bucket = _bucket(hub.url)
        del self._buckets[bucket][hub.url]
        self._change(hub)
        if self._later is not None:
            self._gone[bucket][hub.url] = now

    def _change(self, hub: Hub) -> None:
        self._dirty.setdefault(_bucket(hub.url), set()).add(hub.url)

    # -- several workers -------------------------------------------------------------------------------------

    def _send(self, bucket: int, later: Later) -> None:
        """Have a bucket read, and merged with what this process learned of it since."""
        hubs = [hub for url in self._dirty.pop(bucket, ()) if (hub := self._buckets[bucket].get(url)) is not None]
        sent = _Sent(bucket, [replace(hub) for hub in hubs], self._gone.pop(bucket, {}))
        for hub in hubs:
            hub.news, hub.is_new = 0.0, False
        most = self._most

        def change(record: bytes | None) -> bytes:
            return merged(record, sent.hubs, sent.gone, most)

        def heard(answer: Future[bytes]) -> None:
            # In the store's thread.
            sent.answer = answer
            self._answers.append(sent)

        self._out.add(bucket)
        later(ROOM, str(bucket), change).add_done_callback(heard)

    def _listen(self) -> None:
        """Take what was answered since."""
        while self._answers:
            sent = self._answers.popleft()
            self._out.discard(sent.bucket)
            assert sent.answer is not None
            if sent.answer.exception() is None:
                self._take(sent.bucket, sent.answer.result())
                self._heard[sent.bucket] = None
            else:
                self._take_back(sent)

    def _take(self, bucket: int, record: bytes) -> None:
        """What all workers know of a bucket takes the place of what this one knew; what it learned since is added."""
        known, changed = self._buckets[bucket], self._dirty.get(bucket, set())
        told = {hub.url: hub for hub in unpack(record) if hub.url not in self._gone.get(bucket, ())}
        for url, ours in known.items():
            theirs = told.get(url)
            if theirs is None:
                if url in changed:
                    told[url] = ours
            elif url in changed:
                told[url] = replace(reconciled(ours, theirs), news=ours.news, is_new=False)
            elif (ours.posterior, ours.last) == (theirs.posterior, theirs.last):
                # What was drawn counts on.
                told[url] = ours
        self._buckets[bucket] = told
        for hub in told.values():
            if hub.last > self._waiting.get(hub.site, ("", 0.0))[1]:
                self._end_waiting(hub.site, hub.url)

    def _take_back(self, sent: _Sent) -> None:
        """It could not be told: it is told with the next."""
        for told in sent.hubs:
            hub = self._buckets[sent.bucket].get(told.url)
            if hub is not None:
                hub.news += told.news
                hub.is_new |= told.is_new
                self._change(hub)
        for url, since in sent.gone.items():
            if url not in self._buckets[sent.bucket]:
                self._gone[sent.bucket].setdefault(url, since)
                self._dirty.setdefault(sent.bucket, set()).add(url)


_COMING_BACK = frozenset({Kind.PAGE, Kind.LIST})
_expected = attrgetter("posterior.mean")


def front_page(url: str) -> str:
    """URL of the front page of a page's host.

    Args:
        url: in canonical form, so it has a scheme, a host and a path.
    """
    return "/".join(url.split("/", 3)[:3]) + "/"


def pack(hubs: Iterable[Hub]) -> bytes:
    """A note of hubs, as it is kept.

    Args:
        hubs: of one bucket.
    """
    packed: bytes = msgpack.packb((_FORMAT, [_row(hub) for hub in hubs]), unicode_errors="replace")
    return packed


def unpack(record: bytes | None) -> list[Hub]:
    """What `pack` made; nothing if it is something else, or of another version.

    Args:
        record: of a note; None if there is none.
    """
    try:
        version, rows = msgpack.unpackb(record or b"")
        return [_hub(*row) for row in rows] if version == _FORMAT else []
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
        return []


def reconciled(ours: Hub, theirs: Hub) -> Hub:
    """What two processes know of one hub: the newest visit counts, and what was credited here since is added.

    Args:
        ours: as this process knows it.
        theirs: as the note has it.
    """
    if ours.last > theirs.last and not ours.is_new:
        return ours
    posterior = theirs.posterior.with_nuggets(ours.news)
    last = max(ours.last, theirs.last)
    left, asked = max(theirs.left - ours.news, 0.0), ours.asked or theirs.asked
    return replace(theirs, posterior=posterior, last=last, left=left, asked=asked)


def merged(record: bytes | None, hubs: Iterable[Hub], gone: dict[str, float], most: int) -> bytes:
    """The note of a bucket, with what one process learned of it since.

    Args:
        record: the note as it is; None if there is none.
        hubs: what changed.
        gone: hubs that were forgotten, and when (seconds since the epoch); who was visited later than that stays.
        most: hubs of the bucket that are kept, those of the greatest expected rate.
    """
    known = {hub.url: hub for hub in unpack(record)}
    changed = False
    for url, since in gone.items():
        if url in known and known[url].last <= since:
            del known[url]
            changed = True
    for ours in hubs:
        theirs = known.get(ours.url)
        known[ours.url] = ours if theirs is None else reconciled(ours, theirs)
        changed = True
    if not changed:
        return record or b""
    return pack(nlargest(most, known.values(), key=_expected))


def _row(hub: Hub) -> tuple[Any, ...]:
    place = hub.url, hub.site, str(hub.kind), hub.link_class, hub.depth
    known = *place, hub.posterior.a, hub.posterior.b, hub.last, hub.left, hub.etag, hub.modified, hub.asked
    return (*known, hub.requested) if hub.requested else known


def _hub(*row: Any) -> Hub:
    url, site, kind, shape, depth, a, b, last, left, etag, modified, asked, *requested = row
    numbers = float(a), float(b), float(last), float(left)
    if not all(map(isfinite, numbers)) or min(numbers[:2]) <= 0 or not 0 <= depth < _DEEPEST:
        raise ValueError("not the numbers of a hub")
    names = str(url), intern(str(site)), Kind(kind), intern(str(shape)), int(depth)
    texts = str(etag), str(modified), bool(asked), "".join(map(str, requested))
    return Hub(*names, Posterior(numbers[0], numbers[1]), numbers[2], numbers[3], *texts)


def _bucket(url: str) -> int:
    return crc32(url.encode()) % BUCKETS
