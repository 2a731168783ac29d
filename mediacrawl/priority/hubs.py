"""Hubs: pages that led to a nugget, and the front pages of their hosts. They are revisited; files never are.

A page competes with new links: its expected news is compared with their scores. The rate of new nuggets is uncertain,
so one rate is sampled from what is likely, and kept for a day: a page that was misjudged gets another chance on some
day, however often pages are checked. By the mean rate it would never come back (Thompson sampling).
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import nlargest
from math import ceil, exp, isfinite
from operator import attrgetter
from random import Random
from sys import intern
from typing import Any, cast
from zlib import crc32

import msgpack

from mediacrawl.notes import Later, Notes
from mediacrawl.politeness.caching import LastUsed, conditional_headers, usable_validator
from mediacrawl.priority.link_class import link_class
from mediacrawl.records import Kind

DAY = 86_400.0
"""Seconds of a day: rates are nuggets a day, and times are seconds."""
MEMORY = 60.0
"""Days after which what was seen of a page counts a third (e^-1). A programme changes with the season."""
LEAST = 0.02
"""Least nuggets that are assumed of a page. With none no draw would ever give it a rate above 0."""
FLOOR = 90.0
"""Days after which a page is owed a visit, whatever was drawn, as long as it is not known to bring nothing."""
_LEAST_TIME = 1e-3
"""Days that a page is taken to have been watched at least, so that a rate can be drawn."""


@dataclass(frozen=True, slots=True)
class Posterior:
    """What is known of the rate of new nuggets on a page: a gamma distribution, the conjugate of Poisson counts.

    The first values expect one nugget in a month, and believe that no more than ten days of watching would.

    Attributes:
        a: nuggets seen, the older ones counting less.
        b: days watched, likewise.
    """

    a: float = 0.3
    b: float = 10.0

    @property
    def mean(self) -> float:
        """Expected new nuggets a day."""
        return self.a / self.b

    def after(self, days: float, new: float = 0.0) -> Posterior:
        """What is known after a visit.

        Args:
            days: since the visit before; what is negative (a clock was set back) counts as none.
            new: nuggets that were new on it.
        """
        days = max(days, 0.0)
        kept = exp(-days / MEMORY)
        return Posterior(max(self.a * kept + new, LEAST), max(self.b * kept + days, _LEAST_TIME))

    def with_nuggets(self, number: float) -> Posterior:
        """What is known when more was found behind the links of the last visit; no more days have passed for that."""
        return Posterior(self.a + max(number, 0.0), self.b)

    def draw(self, rng: Random) -> float:
        """One likely rate, nuggets a day."""
        return rng.gammavariate(self.a, 1.0 / self.b)


def expected(rate: float, days: float) -> float:
    """New nuggets that a visit is expected to find. Among revisits this number decides, and not its `score`.

    With the capped one all lively pages are alike, and some of them are never chosen: 300 pages gave 1.1 new nuggets a
    visit in place of 3.2, where there were visits for too few of them.
    """
    return max(rate * days, 0.0)


def score(nuggets: float) -> float:
    """The score of a visit, comparable with that of a link class: 1 at most."""
    return min(nuggets, 1.0)


def is_owed(posterior: Posterior, days: float) -> bool:
    """Whether a page is to be visited whatever was drawn."""
    return days >= FLOOR and posterior.a > LEAST


DRAWN_FOR = DAY
"""Seconds for which a sampled rate is kept. Resampling at each call biases the rate upward, since the highest of many
samples counts: with 240 calls a day in place of 2, pages without news were revisited three times as often; with samples
of a day, by a third more. Never resampled, one low sample would end a page, which cost half of the new nuggets."""
SOONEST = 3_600.0
"""Least seconds between two visits of a hub."""
_FORMAT = 1
_DEEPEST = 1 << 31
"""Beyond every depth; a damaged note may have any number."""


@dataclass(frozen=True, slots=True)
class HubPage:
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
class Revisit:
    """A hub that is to be requested again.

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
    def of(cls, page: HubPage, visited: float) -> Hub:
        """A hub of which nothing is known but that it was visited."""
        site, shape = intern(page.site), intern(page.link_class)
        return cls(
            page.url, site, page.kind, shape, page.depth, Posterior(), visited, requested=page.requested, is_new=True
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


expected_rate = attrgetter("posterior.mean")


def front_page(url: str) -> str:
    """URL of the front page of a page's host.

    Args:
        url: in canonical form, so it has a scheme, a host and a path.
    """
    return "/".join(url.split("/", 3)[:3]) + "/"


def pack(hubs: Iterable[Hub]) -> bytes:
    """The bytes of a note of hubs."""
    packed: bytes = msgpack.packb((_FORMAT, [_row(hub) for hub in hubs]), unicode_errors="replace")
    return packed


def unpack(record: bytes | None) -> list[Hub]:
    """The hubs that `pack` packed; empty for other bytes, or another version.

    Args:
        record: of a note; None if there is none.
    """
    try:
        version, rows = msgpack.unpackb(record or b"")
        return [_hub(*row) for row in rows] if version == _FORMAT else []
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
        return []


def reconciled(ours: Hub, theirs: Hub) -> Hub:
    """Merge one hub of two processes: the newest visit counts, and rewards in this process since are added."""
    if ours.last > theirs.last and not ours.is_new:
        return ours
    posterior = theirs.posterior.with_nuggets(ours.news)
    last = max(ours.last, theirs.last)
    left, asked = max(theirs.left - ours.news, 0.0), ours.asked or theirs.asked
    return replace(theirs, posterior=posterior, last=last, left=left, asked=asked)


def merged(record: bytes | None, hubs: Iterable[Hub], gone: dict[str, float], most: int) -> bytes:
    """The note of a bucket, with the changes of one process.

    Args:
        record: the note as it is; None if there is none.
        hubs: what changed.
        gone: removed hubs, and when (seconds since the epoch); a hub that was visited later stays.
        most: hubs of the bucket that are kept, by the greatest expected rate.
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
    return pack(nlargest(most, known.values(), key=expected_rate))


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


NAMESPACE = "hubs"
BUCKETS = 1_024
"""Number of notes, each with the hubs of one hash: with 50,000 hubs some 50 in a note, 14 KB. Notes cannot be listed,
so their names must be known. With fewer notes each change would write more."""
SAVED = 16
"""Notes that one call of `Hubs.save` writes or reads, some 14 KB and 0.1 ms each."""

FRONT_PAGES = "front_pages"
FORGIVEN = 30 * DAY
"""Seconds after which a front page that was gone may be requested again."""
_ANSWERS = 10_000
"""Answers of a store on another machine that are kept until they are used."""


@dataclass(slots=True)
class _Sent:
    """Changes of a bucket that are being sent to the shared store; copies, since another thread reads them."""

    bucket: int
    hubs: list[Hub]
    gone: dict[str, float]
    answer: Future[bytes] | None = None


class HubNotes:
    """All hubs, by the hash of their URL: each hash is a bucket, and one note.

    With several workers a bucket is read and merged by the store's thread, see `Hubs`.

    Args:
        notes: stores the hubs.
        later: changes a note without blocking; needed if `Notes.shared`.
        most: hubs that are kept, at least one in each bucket.
        on_read: called with each hub of a shared note.
    """

    def __init__(self, notes: Notes, later: Later | None, most: int, on_read: Callable[[Hub], None]) -> None:
        self._notes = notes
        self._later = later if notes.shared else None
        self._most = max(ceil(most / BUCKETS), 1)
        self._on_read = on_read
        self._buckets: list[dict[str, Hub]] = [{} for _ in range(BUCKETS)]
        self._dirty: OrderedDict[int, set[str]] = OrderedDict()
        self._turn = 0
        # With several workers: removed hubs, buckets that were sent, answers, buckets that were read.
        self._gone: defaultdict[int, dict[str, float]] = defaultdict(dict)
        self._out: set[int] = set()
        self._answers: deque[_Sent] = deque()
        self._read: OrderedDict[int, None] = OrderedDict()
        if self._later is None:
            for bucket in range(BUCKETS):
                self._buckets[bucket] = {hub.url: hub for hub in unpack(notes.note(NAMESPACE, str(bucket)))}

    def __len__(self) -> int:
        return sum(map(len, self._buckets))

    def get(self, url: str) -> Hub | None:
        """A hub; None if this URL is none."""
        return self._buckets[_bucket(url)].get(url)

    def add(self, hub: Hub, now: float) -> None:
        """Add a hub. Of too many in its bucket those of the least expected rate are removed."""
        hubs = self._buckets[_bucket(hub.url)]
        hubs[hub.url] = hub
        self.changed(hub)
        while len(hubs) > self._most:
            self.forget(min(hubs.values(), key=expected_rate), now)

    def changed(self, hub: Hub) -> None:
        """Note that a hub is to be written."""
        self._dirty.setdefault(_bucket(hub.url), set()).add(hub.url)

    def forget(self, hub: Hub, now: float) -> None:
        """Remove a hub."""
        bucket = _bucket(hub.url)
        del self._buckets[bucket][hub.url]
        self.changed(hub)
        if self._later is not None:
            self._gone[bucket][hub.url] = now

    def some(self, number: int) -> Iterator[Hub]:
        """About so many hubs, in whole buckets: those after the last call's, or those that were just read."""
        looked = 0
        for bucket in self._next_buckets():
            yield from self._buckets[bucket].values()
            looked += len(self._buckets[bucket])
            if looked >= number:
                return

    def _next_buckets(self) -> Iterator[int]:
        if self._later is not None:
            while self._read:
                yield self._read.popitem(last=False)[0]
            return
        for _ in range(BUCKETS):
            bucket, self._turn = self._turn, (self._turn + 1) % BUCKETS
            yield bucket

    def save(self, buckets: int = SAVED) -> None:
        """Write or read so many notes at most, changed buckets first."""
        self.listen()
        changed = [bucket for bucket in self._dirty if bucket not in self._out][:buckets]
        if self._later is None:
            for bucket in changed:
                self._notes.set_note(NAMESPACE, str(bucket), pack(self._buckets[bucket].values()))
                del self._dirty[bucket]
            return
        for bucket in changed:
            self._send(bucket, self._later)
        for _ in range(min(buckets - len(changed), BUCKETS)):
            bucket, self._turn = self._turn, (self._turn + 1) % BUCKETS
            if bucket not in self._out:
                self._send(bucket, self._later)

    def save_all(self) -> None:
        """Write all that changed, or send it where several workers write."""
        if self._later is None:
            self.save(len(self._dirty))
            return
        for bucket in list(self._dirty):
            self._send(bucket, self._later)

    def _send(self, bucket: int, later: Later) -> None:
        """Send the changes of a bucket, to be merged with its note."""
        hubs = [hub for url in self._dirty.pop(bucket, ()) if (hub := self._buckets[bucket].get(url)) is not None]
        sent = _Sent(bucket, [replace(hub) for hub in hubs], self._gone.pop(bucket, {}))
        for hub in hubs:
            hub.news, hub.is_new = 0.0, False
        most = self._most

        def change(record: bytes | None) -> bytes:
            return merged(record, sent.hubs, sent.gone, most)

        def answered(answer: Future[bytes]) -> None:
            # In the store's thread.
            sent.answer = answer
            self._answers.append(sent)

        self._out.add(bucket)
        later(NAMESPACE, str(bucket), change).add_done_callback(answered)

    def listen(self) -> None:
        """Process the answers since the last call."""
        while self._answers:
            sent = self._answers.popleft()
            self._out.discard(sent.bucket)
            assert sent.answer is not None
            if sent.answer.exception() is None:
                self._replace(sent.bucket, sent.answer.result())
                self._read[sent.bucket] = None
            else:
                self._take_back(sent)

    def _replace(self, bucket: int, record: bytes) -> None:
        """Replace a bucket by that of all workers, with the changes of this process since."""
        known, changed = self._buckets[bucket], self._dirty.get(bucket, set())
        read = {hub.url: hub for hub in unpack(record) if hub.url not in self._gone.get(bucket, ())}
        for url, ours in known.items():
            theirs = read.get(url)
            if theirs is None:
                if url in changed:
                    read[url] = ours
            elif url in changed:
                read[url] = replace(reconciled(ours, theirs), news=ours.news, is_new=False)
            elif (ours.posterior, ours.last) == (theirs.posterior, theirs.last):
                # Its sampled rate is kept.
                read[url] = ours
        self._buckets[bucket] = read
        for hub in read.values():
            self._on_read(hub)

    def _take_back(self, sent: _Sent) -> None:
        """Keep changes that could not be sent; they are sent with the next ones."""
        for copy in sent.hubs:
            hub = self._buckets[sent.bucket].get(copy.url)
            if hub is not None:
                hub.news += copy.news
                hub.is_new |= copy.is_new
                self.changed(hub)
        for url, since in sent.gone.items():
            if url not in self._buckets[sent.bucket]:
                self._gone[sent.bucket].setdefault(url, since)
                self._dirty.setdefault(sent.bucket, set()).add(url)


def _bucket(url: str) -> int:
    return crc32(url.encode()) % BUCKETS


class FrontPageState(StrEnum):
    """The state of a front page."""

    UNKNOWN = "unknown"
    """It is not known to have ended: it waits, or was never found."""
    ENDED = "ended"
    GONE = "gone"
    """It has ended, and there was no page."""
    ASKED = "asked"
    """The store was asked, and has not answered."""


class FrontPages:
    """Remembers which front pages have ended, since only a URL that has ended may be queued again.

    Any other hub has ended, or it would be none. A front page becomes a hub by finds elsewhere on its host, hours after
    its own visit or before it.

    In the notes: one for each in the namespace ``front_pages``, some 60 bytes, by URL (msgpack: when it was gone,
    seconds since the epoch; 0 if it was not). It is written after the visit's end, so a kill may lose it: then the page
    is not known to have ended, and is not revisited.

    Args:
        notes: stores them.
        later: reads a note without blocking, where the notes are on another machine; None where they are not.
    """

    def __init__(self, notes: Notes, later: Later | None = None) -> None:
        self._notes = notes
        self._later = later
        self._answers: LastUsed[Future[bytes]] = LastUsed(_ANSWERS, _ANSWERS)

    def ended(self, url: str, now: float, *, gone: bool = False) -> None:
        """Note the end of a visit of a front page.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._answers.drop(url)
        self._notes.set_note(FRONT_PAGES, url, cast("bytes", msgpack.packb(now if gone else 0.0)))

    def known(self, url: str, now: float) -> FrontPageState:
        """The state of a front page.

        Raises:
            FrontierError: the notes cannot be used.
        """
        if self._later is None:
            return _front_page_state(self._notes.note(FRONT_PAGES, url), now)
        answer = self._answers.get(url)
        if answer is None:
            self._answers.put(url, self._later(FRONT_PAGES, url, lambda record: record or b""), 1)
            return FrontPageState.ASKED
        if not answer.done():
            return FrontPageState.ASKED
        self._answers.drop(url)
        return FrontPageState.ASKED if answer.exception() is not None else _front_page_state(answer.result(), now)


def _front_page_state(record: bytes | None, now: float) -> FrontPageState:
    if not record:
        return FrontPageState.UNKNOWN
    try:
        gone = float(msgpack.unpackb(record))
    except (ValueError, TypeError, msgpack.UnpackException):
        return FrontPageState.UNKNOWN
    return FrontPageState.GONE if isfinite(gone) and 0 < gone <= now < gone + FORGIVEN else FrontPageState.ENDED


HELD = 50_000
"""Hubs that are remembered, some 760 bytes each in memory and 280 on disk."""
PASSED = 20_000
"""Visited pages that are remembered, 450 bytes each, since they may lead to a nugget later."""
LOOKED_AT = 1_000
"""Hubs that one call of `Hubs.due` examines, in some 0.9 ms, 1.8 if all rates are drawn."""
LOST = 30 * DAY
"""Seconds after which a hub that was queued and not visited may be queued again: its URL was pruned, or its site
rests."""
WORTH = 0.1
"""Least expected new nuggets of a revisit, even if nothing else waits: nine of ten may find none."""
LONGEST = 500
"""Characters of a URL that may be a hub."""
_COMING_BACK = frozenset({Kind.PAGE, Kind.LIST})


@dataclass(frozen=True, slots=True)
class _Passed:
    """A visited page that may become a hub."""

    page: HubPage
    visited: float
    etag: str
    modified: str


class Hubs:
    """Decides which pages are revisited, and when.

    A page is a hub if its fetch led to a nugget within two steps: one on the page, one that it links to, or one that a
    page links to which it links to. The front page of its host becomes one, too. The content of a page at its
    first visit gives no rate: only nuggets behind links that a *later* visit found new are news, at most one for each
    such link. So neither a long queue of old links nor an archive of 500 files makes a hub look lively.

    Of too many hubs in a bucket those of the least expected rate are removed.

    On disk: at most 1,024 notes in the namespace ``hubs``, one for each hash of a URL (msgpack: format, hubs). A kill
    loses the changes since the bucket's last `save`: an unknown visit is repeated, and the rewards of links in between
    are lost. A note that cannot be read counts as missing.

    With several workers a bucket is read and merged by the store's thread, without blocking: of each hub the newest
    visit counts, and rewards from other workers since are added. `save` reads every bucket in turn, within 1,024 / 16
    calls, some minutes. Hubs are only offered when their bucket has just been read, so that two workers hardly offer
    the same one; if they do, the frontier queues it once. A visit of a hub that this process has not read yet, in its
    first minutes, is not counted.

    Args:
        notes: stores the hubs.
        later: changes a note without blocking; needed if `Notes.shared`.
        most: hubs that are remembered, at least one in each bucket.
        passed: visited pages that are remembered, in memory only, to become hubs.
        soonest: least seconds between two visits of a hub.

    Raises:
        FrontierError: the notes cannot be used.
        ValueError: other processes write the notes, too, and `later` is missing.
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
            raise ValueError("with notes that other processes write too, hubs need `later`, since nothing may block")
        self._soonest = soonest
        self._passed: LastUsed[_Passed] = LastUsed(passed, passed)
        self._waiting: dict[str, tuple[str, float]] = {}
        self._hubs = HubNotes(notes, later, most, self._on_read)

    def __len__(self) -> int:
        return len(self._hubs)

    def get(self, url: str) -> Hub | None:
        """A hub; None if this URL is none."""
        return self._hubs.get(url)

    # -- visits and rewards ----------------------------------------------------------------------------------

    def visited(
        self,
        page: HubPage,
        now: float,
        *,
        new: float = 0.0,
        fresh: int = 0,
        etag: str | None = None,
        modified: str | None = None,
    ) -> None:
        """Note the visit of a page or list; other kinds are ignored.

        Called after the page's links were added, since a conditional request does not return them again. A failed visit
        counts as one without news. A page that does not exist any more is `gone`.

        Args:
            page: which.
            now: when the visit ended, seconds since the epoch.
            new: rewards of the new nuggets that it showed itself.
            fresh: number of its new links; 0 if it was unchanged (304).
            etag: the header ETag, empty if there was none; None to keep the known one (304, or no response).
            modified: the header Last-Modified, likewise.
        """
        if page.kind not in _COMING_BACK:
            return
        etag, modified = (None if one is None else usable_validator(one) for one in (etag, modified))
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
        # Otherwise all its links are new, and none of them is news.
        hub.last, hub.asked = now, True
        hub.etag = hub.etag if etag is None else etag
        hub.modified = hub.modified if modified is None else modified
        self._hubs.changed(hub)

    def earned(self, parent: str, reward: float = 1.0) -> None:
        """A new nugget was found at a link: the pages that led to it are rewarded, or become hubs.

        Args:
            parent: URL of the page with the link.
            reward: what the nugget is worth, 0 to 1.
        """
        passed = self._passed.get(parent)
        for url in dict.fromkeys((parent, passed.page.parent if passed is not None else "")):
            if self.get(url) is not None:
                self.rewarded(url, reward)
            elif (led := self._passed.get(url)) is not None:
                self.met(led.page, led.visited)

    def met(self, page: HubPage, visited: float) -> None:
        """The visit of a page led to a nugget within two steps: it is a hub, and so is its host's front page.

        Args:
            page: which; it may be known as a hub.
            visited: when it was visited, seconds since the epoch.
        """
        if page.kind not in _COMING_BACK:
            return
        front = front_page(page.url)
        self._add(page, visited, asked=True)
        if front != page.url:
            self._add(HubPage(front, page.site, Kind.PAGE, link_class(front)), visited)

    def rewarded(self, url: str, reward: float) -> None:
        """Reward a hub: a new nugget was found within two steps of its last visit.

        Args:
            url: of the hub; others are ignored.
            reward: what the nugget is worth, 0 to 1.
        """
        hub = self.get(url)
        credit = min(reward, hub.left) if hub is not None else 0.0
        if hub is None or not credit > 0:
            return
        hub.left -= credit
        hub.news += credit
        hub.learn(hub.posterior.with_nuggets(credit))
        self._hubs.changed(hub)

    def gone(self, url: str, now: float) -> None:
        """Remove a page that does not exist any more (404, 410), has moved, or must not be requested."""
        hub = self.get(url)
        if hub is not None:
            self._end_waiting(hub.site, url)
            self._hubs.forget(hub, now)

    def conditional(self, url: str) -> dict[str, str]:
        """The headers of a conditional request; none if the page is no hub, or had no validators."""
        hub = self.get(url)
        return {} if hub is None else conditional_headers(hub.etag, hub.modified)

    # -- revisits --------------------------------------------------------------------------------------------

    def due(self, now: float, number: int, rng: Random, least: float = WORTH) -> list[Revisit]:
        """Hubs to revisit, the best first, at most one of a site, and none of a site where one waits.

        A call examines a thousand hubs, and the next call the following ones.

        Args:
            now: seconds since the epoch.
            number: most hubs to return; with 0 none is examined.
            rng: source of the draws.
            least: least expected new nuggets of a hub: the score of the URL that would be requested in its place.
        """
        best: dict[str, tuple[float, Hub]] = {}
        self._hubs.listen()
        for hub in self._hubs.some(LOOKED_AT) if number > 0 else ():
            if self._is_waiting(hub.site, now):
                continue
            worth = hub.worth(now, rng, self._soonest)
            # Before its time its worth is 0, which is not returned even if `least` is 0.
            if worth > 0 and worth >= least and (hub.site not in best or worth > best[hub.site][0]):
                best[hub.site] = worth, hub
        chosen = nlargest(number, best.values(), key=lambda one: one[0])
        return [
            Revisit(hub.url, hub.site, hub.kind, hub.link_class, hub.depth, score(worth), hub.asked, hub.requested)
            for worth, hub in chosen
        ]

    def worth(self, url: str, now: float, rng: Random) -> float:
        """Expected new nuggets of a visit now; 0 if the URL is no hub."""
        hub = self.get(url)
        return 0.0 if hub is None else hub.worth(now, rng, self._soonest)

    def put_off(self, url: str, now: float) -> None:
        """Note that an offered hub cannot be revisited now: it counts as visited, others of its site may follow."""
        hub = self.get(url)
        if hub is not None:
            hub.last = now
            self._hubs.changed(hub)

    def queued(self, url: str, now: float) -> None:
        """Note that a hub waits in the frontier; until it is `visited` no other hub of its site is offered."""
        hub = self.get(url)
        if hub is not None:
            self._waiting[hub.site] = url, now

    def save(self, buckets: int = SAVED) -> None:
        """Write changed hubs, some notes at a time; with several workers, also read those of the others.

        Called every few seconds. With one process it writes into the frontier's own transaction.

        Args:
            buckets: most notes that are written or read.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._hubs.save(buckets)

    def save_all(self) -> None:
        """Write all changes, so that a clean stop loses nothing; with several workers they are sent when this returns.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._hubs.save_all()

    def _add(self, page: HubPage, visited: float, *, asked: bool = False) -> None:
        if len(page.url) > LONGEST or self.get(page.url) is not None:
            return
        hub = Hub.of(page, visited)
        hub.asked = asked
        passed = self._passed.get(page.url)
        if passed is not None:
            hub.last, hub.etag, hub.modified, hub.asked = passed.visited, passed.etag, passed.modified, True
        self._hubs.add(hub, visited)

    def _on_read(self, hub: Hub) -> None:
        """End the waiting of a hub that another worker has visited."""
        if hub.last > self._waiting.get(hub.site, ("", 0.0))[1]:
            self._end_waiting(hub.site, hub.url)

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
