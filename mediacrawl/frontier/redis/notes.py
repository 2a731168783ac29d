"""Notes in Redis: the calls on them, and a worker's cache; and the stream by which workers share their visits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mediacrawl.frontier.redis.scripts import Call
from mediacrawl.frontier.redis.session import RedisSession
from mediacrawl.politeness.caching import LastUsed
from mediacrawl.records import Lease

Key = tuple[str, str]
"""Namespace and key of a note."""

Exchanged = tuple[int, list[tuple[int, bytes]]]
"""Number of the last visit of all workers, and batches with the number of the last visit of each, in their order."""

KEPT = 50_000
"""Notes that are kept."""
KEPT_BYTES = 64 * 1024 * 1024
"""Bytes that they may take together."""


class NoteCache:
    """Caches notes that were read with leases, and those written since. In memory only.

    A note about a *site* stays valid until another worker leases the site; each lease says who had it before. A note
    about an *authority* is read again with each lease, since the visit of another site may have fetched its robots.txt.
    """

    def __init__(self, by_site: Iterable[str] = (), by_authority: Iterable[str] = ()) -> None:
        self._by_site = tuple(by_site)
        self._by_authority = tuple(by_authority)
        self._kept: LastUsed[tuple[bytes | None]] = LastUsed(KEPT, KEPT_BYTES)
        self._sites: set[str] = set()

    def keys_for(self, lease: Lease, *, own: bool) -> list[Key]:
        """The notes to read for a lease.

        Args:
            lease: about to be handed out.
            own: whether this worker had the site's last lease.
        """
        keys = [(namespace, authority_of(lease.url)) for namespace in self._by_authority]
        if not own or lease.site not in self._sites:
            keys += [(namespace, lease.site) for namespace in self._by_site]
        return keys

    def leased(self, lease: Lease, notes: Mapping[Key, bytes | None]) -> None:
        """Cache the notes that came with a lease."""
        for key, record in notes.items():
            self._put(key, record)
        if len(self._sites) >= KEPT // max(len(self._by_site) + len(self._by_authority), 1):
            # The cache may have evicted notes of more sites than these; they must come with the lease again.
            self._sites.clear()
        self._sites.add(lease.site)

    def ended(self, lease: Lease) -> None:
        """Forget the notes about a lease's authority: after it other workers may write them."""
        for namespace in self._by_authority:
            self._kept.drop(_name((namespace, authority_of(lease.url))))

    def find(self, namespace: str, key: str) -> tuple[bool, bytes | None]:
        """Whether a note is cached, and the note."""
        found = self._kept.get(_name((namespace, key)))
        return (False, None) if found is None else (True, found[0])

    def update(self, namespace: str, key: str, record: bytes) -> None:
        """Update a cached note that this worker writes; one that is not cached may be another worker's."""
        if self._kept.get(_name((namespace, key))) is not None:
            self._put((namespace, key), record)

    def _put(self, key: Key, record: bytes | None) -> None:
        self._kept.put(_name(key), (record,), len(record or b""))


def authority_of(url: str) -> str:
    """Scheme, host and port of a canonical URL."""
    return "/".join(url.split("/", 3)[:3])


def _name(key: Key) -> str:
    return "\n".join(key)


def read_call(session: RedisSession, namespace: str, key: str) -> Call:
    """The call of `Notes.note`."""
    return Call(command=("HGET", session.scripts.key("note", namespace), key))


def write_call(session: RedisSession, namespace: str, key: str, record: bytes) -> Call:
    """The call of `Notes.set_note`."""
    return session.call("note", namespace=namespace, key=key, record=record)


def swap_call(session: RedisSession, namespace: str, key: str, old: bytes, new: bytes) -> Call:
    """The call that replaces a note if it is still `old`; it answers ``[1]``, or 0 and the note as it is."""
    return session.call("swap", namespace=namespace, key=key, old=old, new=new)


def exchange_call(session: RedisSession, batch: bytes, visits: int, after: int, *, keep: int, most: int) -> Call:
    """The call that publishes this worker's visits and reads those of all; `exchanged` reads its answer.

    Args:
        session: of the worker.
        batch: visits in the caller's format, passed on unread.
        visits: how many they are; 0 for none.
        after: number of the last visit that was read; visits of all workers are numbered from 1.
        keep: visits that are kept for workers that are added later; older ones are deleted.
        most: visits that are read at most, or those of one batch if it has more.
    """
    return session.call("learn", batch=batch, visits=visits, after=after, keep=keep, most=most)


def exchanged(answer: Sequence[Any]) -> Exchanged:
    """The answer of `exchange_call`."""
    last, found = answer
    return int(last), [(int(number), batch) for number, batch in zip(found[::2], found[1::2], strict=True)]
