"""The workers of one crawl learn from each other: each reads the visits of all, a new worker those that are kept.

A visit counts at once for the worker that made it. Each worker sends once a second what it has, asks for what is new,
and a second later learns what it was told. So a visit counts for the others within three seconds after its end, two as
a rule, as long as Redis answers and all of them together make no more than `HEARD` visits a second. Of more, that many
are learned each second until all are, or the oldest are forgotten.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from secrets import token_bytes
from typing import Protocol, runtime_checkable

import msgpack

from mediacrawl.base.last_used import LastUsed
from mediacrawl.base.notes import Notes
from mediacrawl.priority.visits import VisitEntry

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
