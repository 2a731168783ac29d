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
from functools import partial
from heapq import nlargest, nsmallest
from itertools import islice
from math import ceil, exp, isfinite
from operator import attrgetter
from random import Random
from sys import intern
from typing import Any, NamedTuple
from zlib import crc32

import msgpack

from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.notes import Later, Notes
from mediacrawl.base.terms import Candidate, Evidence, Kind, Lease
from mediacrawl.frontier.site_state import AGAIN
from mediacrawl.politeness.caching import conditional_headers, usable_validator
from mediacrawl.priority.links import link_class

DAY = 86_400.0
"""Seconds of a day: rates are nuggets a day, and times are seconds."""
MEMORY = 60.0
"""Days after which what was seen of a page counts a third (e^-1). A programme changes with the season."""
LEAST = 0.02
"""Least nuggets that are assumed of a page. With none no draw would ever give it a rate above 0."""
FLOOR = 90.0
"""Days after which a page is owed a visit, whatever was drawn, as long as it is not known to bring nothing."""
DRAWN_FOR = DAY
"""Seconds for which a sampled rate is kept. Resampling at each call biases the rate upward, since the highest of many
samples counts: with 240 calls a day in place of 2, pages without news were revisited three times as often; with samples
of a day, by a third more. Never resampled, one low sample would end a page, which cost half of the new nuggets."""
SOONEST = 3_600.0
"""Least seconds between two visits of a hub."""
_LEAST_TIME = 1e-3
"""Days that a page is taken to have been watched at least, so that a rate can be drawn."""
_COMING_BACK = frozenset({Kind.PAGE, Kind.LIST})


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
        """Return what is known after a visit.

        Args:
            days: since the visit before; what is negative (a clock was set back) counts as none.
            new: nuggets that were new on it.
        """
        days = max(days, 0.0)
        kept = exp(-days / MEMORY)
        return Posterior(max(self.a * kept + new, LEAST), max(self.b * kept + days, _LEAST_TIME))

    def with_nuggets(self, number: float) -> Posterior:
        """Return what is known when more was found behind the links of the last visit; no more days have passed."""
        return Posterior(self.a + max(number, 0.0), self.b)

    def is_owed(self, days: float) -> bool:
        """Whether a page is to be visited whatever was drawn, so many days after its last visit."""
        return days >= FLOOR and self.a > LEAST


@dataclass(slots=True)
class Hub:
    """A visited page or list, and what is known of its news.

    Attributes:
        url, site, kind, link_class, depth, requested: as in `base.terms.Candidate`.
        parent: URL of the page it was found on, in canonical form. In memory only.
        posterior: of its rate of new nuggets.
        last: when it was visited last, seconds since the epoch.
        left: credit that it may still get for that visit: as much as it showed links that nobody knew.
        etag, modified: what to send with the next visit, if not empty.
        asked: whether a visit of it is known. Of a front page it may not be: it waits, or was never found.
        rate: that was drawn, nuggets a day; negative if none counts any more. In memory only.
        drawn: when, seconds since the epoch. In memory only.
    """

    url: str
    site: str
    kind: Kind = Kind.PAGE
    link_class: str = ""
    depth: int = 0
    requested: str = ""
    parent: str = ""
    posterior: Posterior = Posterior()
    last: float = 0.0
    left: float = 0.0
    etag: str = ""
    modified: str = ""
    asked: bool = True
    rate: float = -1.0
    drawn: float = 0.0

    @classmethod
    def of(cls, lease: Lease, visited: float, parent: str = "") -> Hub:
        """Return the page of a lease, of which nothing is known but when it was visited.

        Args:
            lease: of the visit.
            visited: when it ended, seconds since the epoch.
            parent: the canonical form of its parent's URL.
        """
        site, shape = intern(lease.site), intern(lease.link_class)
        return cls(lease.url, site, lease.kind, shape, lease.depth, lease.requested, parent, last=visited)

    def candidate(self, worth: float) -> Candidate:
        """Return it as a revisit waits in the frontier: with a score that is comparable with that of a link class."""
        place = self.url, self.site, AGAIN, self.kind, self.depth
        return Candidate(*place, score=min(worth, 1.0), evidence=Evidence(AGAIN), requested=self.requested)

    def worth(self, now: float, rng: Random, soonest: float = SOONEST) -> float:
        """Return the new nuggets that a visit is expected to find now; at least one if the hub is owed a visit.

        Among revisits this number decides, and not the score, which is 1 at most: by that all lively pages are alike,
        and some are never chosen. Then 300 pages gave 1.1 new nuggets a visit in place of 3.2, where there were visits
        for too few of them.

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
            self.rate, self.drawn = rng.gammavariate(self.posterior.a, 1.0 / self.posterior.b), now
        worth = self.rate * days
        return max(worth, 1.0) if self.posterior.is_owed(days) else worth

    def learn(self, posterior: Posterior) -> None:
        """Take over what is known of its rate; what was drawn before counts no more."""
        self.posterior, self.rate = posterior, -1.0


_expected_rate = attrgetter("posterior.mean")


def front_page(url: str) -> str:
    """Return the URL of the front page of a page's host.

    Args:
        url: in canonical form, so it has a scheme, a host and a path.
    """
    return "/".join(url.split("/", 3)[:3]) + "/"


# -- what may happen to the hubs of a bucket ---------------------------------------------------------------------

Bucket = dict[str, Hub]
"""Hubs by URL."""
Change = Callable[[Bucket], None]
"""Something that happened to a hub of a bucket. With several workers it happens to the bucket as this process has it,
and to that of all, so nothing in it may change afterwards."""


def _join(hub: Hub, hubs: Bucket) -> None:
    """Add a hub; of a known one only the time of the visit counts."""
    known = hubs.setdefault(hub.url, replace(hub, parent=""))
    known.last, known.asked = max(known.last, hub.last), known.asked or hub.asked


def _visit(page: Hub, new: float, fresh: int, keeps_validators: bool, hubs: Bucket) -> None:
    hub = hubs.get(page.url)
    if hub is None or page.last < hub.last:
        return
    # At a visit that is the first one all links are new, and none of them is news.
    if hub.asked:
        hub.learn(hub.posterior.after((page.last - hub.last) / DAY, new))
        hub.left = float(fresh)
    hub.last, hub.asked = page.last, True
    if not keeps_validators:
        hub.etag, hub.modified = page.etag, page.modified


def _reward(url: str, reward: float, hubs: Bucket) -> None:
    hub = hubs.get(url)
    credit = min(reward, hub.left) if hub is not None else 0.0
    if hub is not None and credit > 0:
        hub.left -= credit
        hub.learn(hub.posterior.with_nuggets(credit))


def _forget(url: str, since: float, hubs: Bucket) -> None:
    """Remove a hub; one that was visited later stays."""
    if url in hubs and hubs[url].last <= since:
        del hubs[url]


def _cut(hubs: Bucket, most: int) -> None:
    """Remove the hubs of the least expected rate, if there are too many."""
    if len(hubs) > most:
        for hub in nsmallest(len(hubs) - most, hubs.values(), key=_expected_rate):
            del hubs[hub.url]


# -- notes -------------------------------------------------------------------------------------------------------

_FORMAT = 1
_DEEPEST = 1 << 31
"""Beyond every depth; a damaged note may have any number."""


def pack(hubs: Iterable[Hub]) -> bytes:
    """Return the bytes of a note of hubs."""
    packed: bytes = msgpack.packb((_FORMAT, [_row(hub) for hub in hubs]), unicode_errors="replace")
    return packed


def unpack(record: bytes | None) -> list[Hub]:
    """Return the hubs that `pack` packed; empty for other bytes, or another version.

    Args:
        record: of a note; None if there is none.
    """
    try:
        version, rows = msgpack.unpackb(record or b"")
        return [_hub(*row) for row in rows] if version == _FORMAT else []
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException):
        return []


def _row(hub: Hub) -> tuple[Any, ...]:
    place = hub.url, hub.site, str(hub.kind), hub.link_class, hub.depth
    known = *place, hub.posterior.a, hub.posterior.b, hub.last, hub.left, hub.etag, hub.modified, hub.asked
    return (*known, hub.requested) if hub.requested else known


def _hub(*row: Any) -> Hub:
    url, site, kind, shape, depth, a, b, last, left, etag, modified, asked, *requested = row
    numbers = float(a), float(b), float(last), float(left)
    if not all(map(isfinite, numbers)) or min(numbers[:2]) <= 0 or not 0 <= depth < _DEEPEST:
        raise ValueError("not the numbers of a hub")
    names = str(url), intern(str(site)), Kind(kind), intern(str(shape)), int(depth), "".join(map(str, requested)), ""
    return Hub(*names, Posterior(*numbers[:2]), *numbers[2:], str(etag), str(modified), bool(asked))


NAMESPACE = "hubs"
BUCKETS = 1_024
"""Number of notes, each with the hubs of one hash: with 50,000 hubs some 50 in a note, 14 KB. Notes cannot be listed,
so their names must be known. With fewer notes each change would write more."""
SAVED = 16
"""Notes that one call of `Hubs.save` writes or reads, some 14 KB and 0.1 ms each."""


class HubNotes:
    """All hubs, by the hash of their URL: each hash is a bucket, and one note.

    With several workers the changes of a bucket are made again to its note, by the store's thread, see `Hubs`.

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
        self._buckets: list[Bucket] = [{} for _ in range(BUCKETS)]
        self._changes: OrderedDict[int, list[Change]] = OrderedDict()
        """Bucket -> what its note lacks; with one worker the list is empty, since the whole note is written."""
        self._turn = 0
        # With several workers: batches of changes that were sent, answers, and buckets that were read.
        self._sent: defaultdict[int, deque[list[Change]]] = defaultdict(deque)
        self._answers: deque[tuple[int, Future[bytes]]] = deque()
        self._read: OrderedDict[int, None] = OrderedDict()
        if self._later is None:
            for bucket in range(BUCKETS):
                self._buckets[bucket] = {hub.url: hub for hub in unpack(notes.note(NAMESPACE, str(bucket)))}

    def __len__(self) -> int:
        return sum(map(len, self._buckets))

    def get(self, url: str) -> Hub | None:
        """Return a hub; None if this URL is none."""
        return self._buckets[_bucket(url)].get(url)

    def change(self, url: str, change: Change) -> None:
        """Change the hub of a URL, here at once and in its note at one of the next calls of `save`."""
        bucket = _bucket(url)
        changes = self._changes.setdefault(bucket, [])
        if self._later is not None:
            changes.append(change)
        change(self._buckets[bucket])
        _cut(self._buckets[bucket], self._most)

    def some(self, number: int) -> Iterator[Hub]:
        """Yield about so many hubs, in whole buckets: those after the last call's, or those that were just read."""
        seen = 0
        for _ in range(BUCKETS if self._later is None else len(self._read)):
            bucket = self._next() if self._later is None else self._read.popitem(last=False)[0]
            yield from self._buckets[bucket].values()
            seen += len(self._buckets[bucket])
            if seen >= number:
                return

    def _next(self) -> int:
        bucket, self._turn = self._turn, (self._turn + 1) % BUCKETS
        return bucket

    def save(self, number: int) -> None:
        """Write or read so many notes at most, changed buckets first."""
        self.listen()
        changed = [bucket for bucket in self._changes if not self._sent[bucket]][:number]
        if self._later is None:
            for bucket in changed:
                self._notes.set_note(NAMESPACE, str(bucket), pack(self._buckets[bucket].values()))
                del self._changes[bucket]
            return
        others = [self._next() for _ in range(min(number - len(changed), BUCKETS))]
        for bucket in (*changed, *(each for each in others if not self._sent[each])):
            self._send(bucket, self._later)

    def save_all(self) -> None:
        """Write all that changed, or send it where several workers write."""
        if self._later is None:
            self.save(len(self._changes))
            return
        for bucket in list(self._changes):
            self._send(bucket, self._later)

    def _send(self, bucket: int, later: Later) -> None:
        """Send the changes of a bucket, to be made to its note."""
        changes, most = self._changes.pop(bucket, []), self._most

        def change(record: bytes | None) -> bytes:
            hubs = {hub.url: hub for hub in unpack(record)}
            for each in changes:
                each(hubs)
            _cut(hubs, most)
            return pack(hubs.values()) if changes else record or b""

        self._sent[bucket].append(changes)
        # The callback is called in the store's thread.
        answer = later(NAMESPACE, str(bucket), change)
        answer.add_done_callback(lambda answer: self._answers.append((bucket, answer)))

    def listen(self) -> None:
        """Process the answers since the last call."""
        while self._answers:
            bucket, answer = self._answers.popleft()
            sent = self._sent[bucket].popleft()
            if answer.exception() is None:
                self._replace(bucket, answer.result())
                self._read[bucket] = None
            elif sent:
                # They are sent with the next ones.
                self._changes[bucket] = sent + self._changes.get(bucket, [])

    def _replace(self, bucket: int, record: bytes) -> None:
        """Replace a bucket by that of all workers, with the changes of this process since."""
        known, hubs = self._buckets[bucket], {hub.url: hub for hub in unpack(record)}
        for changes in (*self._sent[bucket], self._changes.get(bucket, [])):
            for change in changes:
                change(hubs)
        for url, hub in hubs.items():
            before = known.get(url)
            if before is not None and (before.posterior, before.last) == (hub.posterior, hub.last):
                hub.rate, hub.drawn = before.rate, before.drawn
            self._on_read(hub)
        self._buckets[bucket] = hubs


def _bucket(url: str) -> int:
    return crc32(url.encode()) % BUCKETS


FRONT_PAGES = "front_pages"
_ENDED = b"\x01"
_ANSWERS = 10_000
"""Answers of a store on another machine that are kept until they are used."""


class FrontPages:
    """Remembers which front pages have ended, since only a URL that has ended may be queued again.

    Any other hub has ended, or it would be none. A front page becomes a hub by finds elsewhere on its host, hours after
    its own visit or before it.

    In the notes: one for each in the namespace ``front_pages``, by URL: a byte, or nothing if there was no page. It is
    written after the visit's end, so a kill may lose it: then the page is not known to have ended, and is not
    revisited.

    Args:
        notes: stores them.
        later: reads a note without blocking, where the notes are on another machine; None where they are not.
    """

    def __init__(self, notes: Notes, later: Later | None = None) -> None:
        self._notes = notes
        self._later = later
        self._answers: LastUsed[Future[bytes]] = LastUsed(_ANSWERS)

    def ended(self, url: str, *, gone: bool = False) -> None:
        """Note the end of a visit of a front page.

        Raises:
            FrontierError: the notes cannot be used.
        """
        self._answers.drop(url)
        self._notes.set_note(FRONT_PAGES, url, b"" if gone else _ENDED)

    def has_ended(self, url: str) -> bool | None:
        """Whether a visit found a page there; None while a store on another machine has not answered.

        Raises:
            FrontierError: the notes cannot be used.
        """
        if self._later is None:
            return bool(self._notes.note(FRONT_PAGES, url))
        answer = self._answers.get(url)
        if answer is None:
            self._answers.put(url, self._later(FRONT_PAGES, url, lambda record: record or b""))
        elif answer.done():
            self._answers.drop(url)
            return None if answer.exception() is not None else bool(answer.result())
        return None


HELD = 50_000
"""Hubs that are remembered, some 760 bytes each in memory and 280 on disk."""
PASSED = 20_000
"""Visited pages that are remembered, 450 bytes each, since they may lead to a nugget later."""
EXAMINED = 1_000
"""Hubs that one call of `Hubs.due` examines, in some 0.9 ms, 1.8 if all rates are drawn."""
LOST = 30 * DAY
"""Seconds after which a hub that was queued and not visited may be queued again: its URL was pruned, or its site
rests."""
WORTH = 0.1
"""Least expected new nuggets of a revisit, even if nothing else waits: nine of ten may find none."""
LONGEST = 500
"""Characters of a URL that may be a hub."""


class _Waiting(NamedTuple):
    """A hub in the frontier: since when, and whether it is one of the pending URLs that are revisits."""

    url: str
    since: float
    is_pending: bool


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

    With several workers what happened to a bucket happens again to its note, in the store's thread, without blocking:
    of each hub the newest visit counts, and rewards of all workers are added. `save` reads every bucket in turn, within
    1,024 / 16 calls, some minutes. Hubs are only offered when their bucket has just been read, so that two workers
    hardly offer the same one; if they do, the frontier queues it once. A visit of a hub that this process has not read
    yet, in its first minutes, is not counted.

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
        self._passed: LastUsed[Hub] = LastUsed(passed)
        self._waiting: dict[str, _Waiting] = {}
        self._hubs = HubNotes(notes, later, most, self._on_read)

    def __len__(self) -> int:
        return len(self._hubs)

    def get(self, url: str) -> Hub | None:
        """Return a hub; None if this URL is none."""
        return self._hubs.get(url)

    # -- visits and rewards ----------------------------------------------------------------------------------

    def visited(
        self, page: Hub, *, new: float = 0.0, fresh: int = 0, validators: tuple[str, str] | None = None
    ) -> None:
        """Note the visit of a page or list; other kinds are ignored.

        Called after the page's links were added, since a conditional request does not return them again. A failed visit
        counts as one without news. A page that does not exist any more is `gone`.

        Args:
            page: see `Hub.of`.
            new: rewards of the new nuggets that it showed itself.
            fresh: number of its new links; 0 if it was unchanged (304).
            validators: the headers ETag and Last-Modified, empty if there were none; None to keep the known ones (304,
                or no response).
        """
        if page.kind not in _COMING_BACK:
            return
        page.etag, page.modified = map(usable_validator, validators or ("", ""))
        self._passed.put(page.url, page)
        self._end_waiting(page.site, page.url)
        if self.get(page.url) is not None:
            self._hubs.change(page.url, partial(_visit, page, max(new, 0.0), fresh, validators is None))
        elif new > 0:
            self.met(page)

    def earned(self, parent: str, reward: float = 1.0) -> None:
        """Reward the pages that led to a new nugget; those that are no hubs become some.

        Args:
            parent: URL of the page with the link.
            reward: what the nugget is worth, 0 to 1.
        """
        passed = self._passed.get(parent)
        for url in dict.fromkeys((parent, passed.parent if passed is not None else "")):
            if (hub := self.get(url)) is not None:
                if min(reward, hub.left) > 0:
                    self._hubs.change(url, partial(_reward, url, reward))
            elif (led := self._passed.get(url)) is not None:
                self.met(led)

    def met(self, page: Hub) -> None:
        """Take up a page whose visit led to a nugget within two steps, and its host's front page.

        Args:
            page: see `Hub.of`; one that is known stays as it is.
        """
        if page.kind not in _COMING_BACK:
            return
        front = front_page(page.url)
        unknown = Hub(front, page.site, Kind.PAGE, link_class(front), last=page.last, asked=False)
        for hub in (page, self._passed.get(front) or unknown):
            if len(hub.url) <= LONGEST and self.get(hub.url) is None:
                self._hubs.change(hub.url, partial(_join, hub))

    def gone(self, url: str, site: str, now: float) -> None:
        """Remove a page that does not exist any more (404, 410), has moved, or must not be requested."""
        self._end_waiting(site, url)
        hub = self.get(url)
        if hub is not None:
            self._hubs.change(url, partial(_forget, url, max(now, hub.last)))

    def conditional(self, url: str) -> dict[str, str]:
        """Return the headers of a conditional request; none if the page is no hub, or had no validators."""
        hub = self.get(url)
        return {} if hub is None else conditional_headers(hub.etag, hub.modified)

    # -- revisits --------------------------------------------------------------------------------------------

    def due(self, now: float, number: int, rng: Random, least: float = WORTH) -> list[tuple[Hub, float]]:
        """Return hubs to revisit and what each is worth, the best first: at most one of a site, none where one waits.

        A call examines a thousand hubs, and the next call the following ones.

        Args:
            now: seconds since the epoch.
            number: most hubs to return; with 0 none is examined.
            rng: source of the draws.
            least: least expected new nuggets of a hub: the score of the URL that would be requested in its place.
        """
        best: dict[str, tuple[Hub, float]] = {}
        self._hubs.listen()
        for hub in self._hubs.some(EXAMINED) if number > 0 else ():
            waits = self._waiting.get(hub.site)
            if waits is not None and 0 <= now - waits.since < LOST:
                continue
            worth = hub.worth(now, rng, self._soonest)
            # Before its time its worth is 0, which is not returned even if `least` is 0.
            if worth > 0 and worth >= least and (hub.site not in best or worth > best[hub.site][1]):
                best[hub.site] = hub, worth
        return nlargest(number, best.values(), key=lambda each: each[1])

    def put_off(self, hub: Hub, now: float) -> None:
        """Note that an offered hub cannot be revisited now: it counts as visited, others of its site may follow."""
        self._hubs.change(hub.url, partial(_join, replace(hub, last=now)))

    def queued(self, hub: Hub, now: float, *, is_pending: bool) -> None:
        """Note that a hub waits in the frontier; until it is `visited` no other hub of its site is offered.

        Args:
            hub: which.
            now: seconds since the epoch.
            is_pending: whether it is a revisit, on a site that is requested: it counts in `pending`.
        """
        self._waiting[hub.site] = _Waiting(hub.url, now, is_pending)

    @property
    def pending(self) -> int:
        """Number of revisits among the pending URLs of the frontier."""
        return sum(waits.is_pending for waits in self._waiting.values())

    def rescored(self, now: float, number: int, rng: Random) -> list[tuple[str, float]]:
        """Return some sites where a revisit waits, in turn, with the score that it has by now: it grows with time."""
        found = []
        for site in list(islice(self._waiting, number)):
            waits = self._waiting.pop(site)
            hub = self.get(waits.url)
            if hub is None or hub.last > waits.since or not 0 <= now - waits.since < LOST:
                # Another worker has requested it, or it was forgotten.
                continue
            self._waiting[site] = waits
            if waits.is_pending:
                found.append((site, min(hub.worth(now, rng, self._soonest), 1.0)))
        return found

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

    def _on_read(self, hub: Hub) -> None:
        """End the waiting of a hub that another worker has visited."""
        waits = self._waiting.get(hub.site)
        if waits is not None and hub.last > waits.since:
            self._end_waiting(hub.site, hub.url)

    def _end_waiting(self, site: str, url: str) -> None:
        waits = self._waiting.get(site)
        if waits is not None and waits.url == url:
            del self._waiting[site]
