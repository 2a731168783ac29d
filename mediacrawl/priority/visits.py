"""The last visits, in memory and written down: so a reward reaches the path of links to a nugget, also after a restart.

`Visits` has them in memory. `VisitJournal` writes them into the notes of the frontier, `SharedJournal` into Redis: the
workers of one crawl learn from each other. Each reads the visits of all, a new worker those that are kept.

A visit counts at once for the worker that made it. Each worker sends once a second what it has, asks for what is new,
and a second later learns what it was told. So a visit counts for the others within three seconds after its end, two as
a rule, as long as Redis answers and all of them together make no more than `HEARD` visits a second. Of more, that many
are learned each second until all are, or the oldest are forgotten.
"""

from __future__ import annotations

import sys
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from secrets import token_bytes
from typing import Protocol, runtime_checkable

import msgpack

from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.notes import Notes
from mediacrawl.priority.links import NOTHING, SIZE, WIDTH


@dataclass(frozen=True, slots=True)
class CreditPolicy:
    """How a nugget is shared among the links that led to it.

    Media lie behind pages that show none: an order that rewards only the last link finds a fifth of what one finds that
    rewards the whole path (53 against 291 new files in 1,000 pages, ``benchmarks/harvest.py``).

    Attributes:
        decay: what each step back along the path keeps of the step before, 0 to 1.
        steps: links back that get something; 1 is the nugget's own link alone.
        remembered: visits that are remembered, 350 bytes each.
    """

    decay: float = 0.7
    steps: int = 8
    remembered: int = 200_000


@dataclass(frozen=True, slots=True)
class VisitEntry:
    """A visit that ended.

    Attributes:
        key, parent: of its URL, and of the page that named it.
        site, link_class: where it waited.
        row: its features.
        reward: what was found there, 0 to 1.
    """

    key: int
    parent: int
    site: str
    link_class: str
    row: Sequence[int]
    reward: float

    def dump(self) -> bytes:
        """Return the entry in msgpack."""
        entry: bytes = msgpack.packb(
            (self.key, self.parent, self.site, self.link_class, packed(self.row), self.reward), unicode_errors="replace"
        )
        return entry

    @classmethod
    def load(cls, entry: bytes) -> VisitEntry | None:
        """What `dump` made; None if this is something else."""
        try:
            key, parent, site, link_class, used, reward = msgpack.unpackb(entry)
            row = unpacked(memoryview(used))
            if not (len(row) == WIDTH and max(row) < SIZE and 0 <= reward <= 1):
                return None
            return cls(int(key), int(parent), str(site), str(link_class), row, float(reward))
        except (ValueError, TypeError, OverflowError, msgpack.exceptions.UnpackException):
            return None


def packed(row: Sequence[int]) -> bytes:
    """Return the places of a row without what fills it up, 4 bytes each: a fourth of the memory of a list."""
    found = array("I", [number for number in row if number != NOTHING])
    if sys.byteorder == "big":
        found.byteswap()
    return found.tobytes()


def unpacked(row: bytes | memoryview) -> list[int]:
    """Return the row that `packed` was given."""
    found = array("I")
    found.frombytes(row)
    if sys.byteorder == "big":
        found.byteswap()
    return found.tolist() + [NOTHING] * (WIDTH - len(found))


@dataclass(slots=True)
class Past:
    """A visit that may still get credit.

    Attributes:
        parent: key of the page that named its URL; 0 for a seed.
        site, link_class: where it waited.
        row: its features, from `packed`; empty where none are learned.
        credit: what it got so far, 1 at most: a list of 500 files is not worth 500 pages.
    """

    parent: int
    site: str
    link_class: str
    row: bytes
    credit: float = 0.0


class Visits:
    """The last visits, by the key of their URL, and the visit whose page had the link.

    In memory only; `VisitJournal` keeps them.
    """

    def __init__(self, policy: CreditPolicy) -> None:
        self._policy = policy
        self._past: dict[int, Past] = {}

    def __len__(self) -> int:
        return len(self._past)

    def __contains__(self, key: int) -> bool:
        return key in self._past

    def add(self, key: int, visit: Past) -> None:
        """A URL was visited. If it was before, that is forgotten."""
        self._past.pop(key, None)
        self._past[key] = visit
        if len(self._past) > self._policy.remembered:
            del self._past[next(iter(self._past))]

    def keep(self, entry: VisitEntry) -> Past:
        """Add a visit of the adaptive order, and return it."""
        # Each lease has strings of its own, and of 200,000 visits most are of the same classes.
        visit = Past(entry.parent, sys.intern(entry.site), sys.intern(entry.link_class), packed(entry.row))
        self.add(entry.key, visit)
        return visit

    def reward(self, key: int, reward: float) -> Iterator[tuple[Past, float]]:
        """Share out a nugget: the visits that led to it, the nearest first, with what each got more.

        Args:
            key: of the URL that it was found at.
            reward: what it is worth, 0 to 1.
        """
        met = set[int]()
        for _ in range(self._policy.steps):
            visit = self._past.get(key)
            if visit is None or key in met:
                # Forgotten, or pages that led to each other.
                return
            met.add(key)
            more = min(reward, 1.0 - visit.credit)
            if more > 0:
                visit.credit += more
                yield visit, more
            key, reward = visit.parent, reward * self._policy.decay


NAMESPACE = "visits"
_PAGE = 100
"""Visits in one note. The last note is rewritten at each commit until it is full."""
_HEAD = "head"


class VisitJournal:
    """The last visits, in notes of a hundred.

    In the notes: namespace ``visits``, some 130 bytes a visit, and under ``head`` how many there were. They are written
    by `save`, in the commits of the frontier, so a kill leaves those of the last commit.
    """

    def __init__(self, notes: Notes, most: int) -> None:
        self._notes = notes
        # One is being filled.
        self._pages = max(most // _PAGE, 1) + 1
        self.number = 0
        """Visits so far, those of earlier processes counted."""
        self._page = list[bytes]()
        self._written = 0

    def add(self, entry: VisitEntry) -> None:
        """Write down a visit, at the next `save` at the latest."""
        self._page.append(entry.dump())
        self.number += 1
        if len(self._page) == _PAGE:
            self.save()
            self._page.clear()

    def save(self) -> None:
        """Give the notes what they do not have."""
        if self._written == self.number:
            return
        if self._page:
            self._notes.set_note(NAMESPACE, self._key((self.number - 1) // _PAGE), msgpack.packb(self._page))
        self._notes.set_note(NAMESPACE, _HEAD, msgpack.packb(self.number))
        self._written = self.number

    def read(self) -> Iterator[tuple[int, VisitEntry]]:
        """Yield the visits of earlier processes with their numbers, the oldest first; once, before any is added."""
        self.number = self._written = self._head()
        pages, left = divmod(self.number, _PAGE)
        for page in range(max(pages - self._pages + 1, 0), pages + (left > 0)):
            listed = _listed(self._notes.note(NAMESPACE, self._key(page)))
            if page == pages:
                self._page = (listed + [b""] * left)[:left]
            for number, packed in enumerate(listed, page * _PAGE + 1):
                entry = VisitEntry.load(packed)
                if entry is not None:
                    yield number, entry

    def _key(self, page: int) -> str:
        # With another number of pages the old ones are at other places: then they are not looked for.
        return f"{self._pages}:{page % self._pages}"

    def _head(self) -> int:
        try:
            number = msgpack.unpackb(self._notes.note(NAMESPACE, _HEAD) or b"\0")
        except (ValueError, TypeError, msgpack.exceptions.UnpackException):
            return 0
        return number if isinstance(number, int) and number >= 0 else 0


def _listed(packed: bytes | None) -> list[bytes]:
    try:
        found = msgpack.unpackb(packed) if packed else []
    except (ValueError, TypeError, msgpack.exceptions.UnpackException):
        return []
    return [entry for entry in found if isinstance(entry, bytes)] if isinstance(found, list) else []


HEARD = 1_000
"""Visits that are heard of at once, give or take a batch: to read and learn them holds the crawl up for some 20 ms."""

_BATCH = 250
"""Visits in one batch, 40 KB at most as a rule; a worker makes a tenth of that in a second."""
_WAITING = 20_000
"""Visits that wait while Redis is unreachable, 200 bytes each. Of more the oldest are dropped."""
_PIECES = 100
"""Times `HEARD` visits that are read at the start, within two seconds; what is left comes while the crawl runs."""
_START_TIMEOUT = 5.0
"""Seconds that the start waits for an answer, and then does without."""
_TELLERS = 1_000
"""Workers whose last batch is remembered, 200 bytes each."""

Exchanged = tuple[int, list[tuple[int, bytes]]]
"""Number of the last visit of all workers, and batches with the number of the last visit of each, in their order."""


@runtime_checkable
class SharedNotes(Notes, Protocol):
    """Notes that several workers share: the frontier in Redis, as one worker has it."""

    def exchange(self, batch: bytes, visits: int, after: int, *, keep: int, most: int) -> Future[Exchanged]:
        """Send visits, and get those of all workers; returns at once.

        Args:
            batch: the visits, which are passed on verbatim.
            visits: their number; 0 for none.
            after: number of the last visit that was heard of.
            keep: visits that are kept; the oldest of more are forgotten.
            most: visits that are heard of at most, or those of one batch if it has more.
        """
        ...


class SharedJournal:
    """The last visits of all workers, written down where all read them.

    In Redis, in the stream ``learned``: batches in msgpack (the worker, the number of its batch, `VisitEntry.dump` of
    each visit), 200 bytes a visit, the last `most` visits. They are sent once a second by `save`, so a kill of a
    worker loses the visits of its last second. While Redis is unreachable visits wait in memory,
    `_WAITING` at most. A batch that was sent twice, since no answer came, is heard once.
    """

    def __init__(self, exchange: SharedNotes, most: int) -> None:
        self._exchange = exchange
        self._most = most
        self._own = token_bytes(8)
        self._batches = 0
        self._waiting = deque[bytes](maxlen=_WAITING)
        self._answer: Future[Exchanged] | None = None
        self._told: LastUsed[int] = LastUsed(_TELLERS)
        self._heard = list[tuple[int, VisitEntry]]()
        self._after = 0
        self.last = 0
        """Number of the last visit of all, as Redis said last."""

    def add(self, entry: VisitEntry) -> None:
        """Tell the others of a visit, at the next `save`."""
        self._waiting.append(entry.dump())

    def save(self) -> None:
        """Send a batch of the waiting visits, and request new ones; not before the last answer arrived."""
        self._take()
        if self._answer is None:
            self._ask()

    def close(self) -> None:
        """Send all that waits: there is no next time."""
        while self._waiting:
            self._ask()

    def heard(self) -> list[tuple[int, VisitEntry]]:
        """Visits of other workers with their numbers, in their order: those of the answers that came since."""
        found, self._heard = self._heard, []
        return found

    def read(self) -> Iterator[tuple[int, VisitEntry]]:
        """Yield the visits that are kept with their numbers, the oldest first; what it leaves, `heard` gives later."""
        for _ in range(_PIECES):
            self._ask()
            try:
                if self._answer is not None:
                    self._answer.exception(_START_TIMEOUT)
            except TimeoutError:
                return
            self._take()
            yield from self.heard()
            if self._after >= self.last:
                return

    def _ask(self) -> None:
        batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), _BATCH))]
        packed = b""
        if batch:
            self._batches += 1
            packed = msgpack.packb((self._own, self._batches, batch))
        self._answer = self._exchange.exchange(packed, len(batch), self._after, keep=self._most, most=HEARD)

    def _take(self) -> None:
        """The answer, if it has arrived."""
        if self._answer is None or not self._answer.done():
            return
        answer, self._answer = self._answer, None
        if answer.exception() is not None:
            # The frontier failed, and raises that at its next call.
            return
        self.last, batches = answer.result()
        for number, packed in batches:
            self._heard += self._unpacked(number, packed)
        # It may be less than before: a restarted Redis may have lost its last second.
        self._after = batches[-1][0] if batches else min(self._after, self.last)

    def _unpacked(self, number: int, packed: bytes) -> Iterator[tuple[int, VisitEntry]]:
        """Yield the visits of a batch; none, if it is this worker's own, was heard before, or is something else."""
        try:
            teller, batch, listed = msgpack.unpackb(packed)
        except (ValueError, TypeError, msgpack.exceptions.UnpackException):
            return
        if not (isinstance(teller, bytes) and isinstance(batch, int) and isinstance(listed, list)):
            return
        if teller == self._own or batch <= (self._told.get(teller.hex()) or 0):
            return
        self._told.put(teller.hex(), batch)
        for place, dumped in enumerate(listed, number - len(listed) + 1):
            entry = VisitEntry.load(dumped)
            if entry is not None:
                yield place, entry
