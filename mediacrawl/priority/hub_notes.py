"""The hubs, in memory and in the notes of the frontier, and the notes of front pages that have ended."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, isfinite
from typing import cast
from zlib import crc32

import msgpack

from mediacrawl.notes import Later, Notes
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.priority.hub import Hub, expected_rate, merged, pack, reconciled, unpack
from mediacrawl.priority.revisit_schedule import DAY

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
            self._answers.put(url, self._later(FRONT_PAGES, url, _as_it_is), 1)
            return FrontPageState.ASKED
        if not answer.done():
            return FrontPageState.ASKED
        self._answers.drop(url)
        return FrontPageState.ASKED if answer.exception() is not None else _front_page_state(answer.result(), now)


def _as_it_is(record: bytes | None) -> bytes:
    return record or b""


def _front_page_state(record: bytes | None, now: float) -> FrontPageState:
    if not record:
        return FrontPageState.UNKNOWN
    try:
        gone = float(msgpack.unpackb(record))
    except (ValueError, TypeError, msgpack.UnpackException):
        return FrontPageState.UNKNOWN
    return FrontPageState.GONE if isfinite(gone) and 0 < gone <= now < gone + FORGIVEN else FrontPageState.ENDED
