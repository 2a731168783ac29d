"""The notes that a worker has at hand: those of the sites that it has leased come with the lease."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mediacrawl.politeness.caching import LastUsed
from mediacrawl.records import Lease

Key = tuple[str, str]
"""Room and key of a note."""

KEPT = 50_000
"""Notes that are kept."""
KEPT_BYTES = 64 * 1024 * 1024
"""Bytes that they may take together."""


class NoteCache:
    """What was read for leases, and written since. In memory only.

    A note about a *site* is true as long as no other worker has had the site since; the lease says who had it. One
    about an *authority* is read anew with each lease, since a robots.txt may be brought by a lease of another site.

    Args:
        by_site: rooms that keep their notes by site.
        by_authority: rooms that keep them by authority.
    """

    def __init__(self, by_site: Iterable[str] = (), by_authority: Iterable[str] = ()) -> None:
        self._by_site = tuple(by_site)
        self._by_authority = tuple(by_authority)
        self._kept: LastUsed[tuple[bytes | None]] = LastUsed(KEPT, KEPT_BYTES)
        self._sites: set[str] = set()

    def keys_for(self, lease: Lease, *, own: bool) -> list[Key]:
        """The notes to be read for a lease.

        Args:
            lease: which is about to be handed out.
            own: whether this worker was the last one that had its site.
        """
        keys = [(room, authority_of(lease.url)) for room in self._by_authority]
        if not own or lease.site not in self._sites:
            keys += [(room, lease.site) for room in self._by_site]
        return keys

    def met(self, lease: Lease, notes: Mapping[Key, bytes | None]) -> None:
        """A lease is handed out, with its notes."""
        for key, record in notes.items():
            self._put(key, record)
        if len(self._sites) >= KEPT // max(len(self._by_site) + len(self._by_authority), 1):
            # Of more sites than these not all notes are kept, and one that is not must come with the lease again.
            self._sites.clear()
        self._sites.add(lease.site)

    def over(self, lease: Lease) -> None:
        """A lease is over: from now on others may write about its authority."""
        for room in self._by_authority:
            self._kept.drop(_name((room, authority_of(lease.url))))

    def look(self, room: str, key: str) -> tuple[bool, bytes | None]:
        """Whether a note is at hand, and what it says."""
        found = self._kept.get(_name((room, key)))
        return (False, None) if found is None else (True, found[0])

    def learn(self, room: str, key: str, record: bytes) -> None:
        """A note was written here. One that is not at hand is not kept: it may be somebody else's."""
        if self._kept.get(_name((room, key))) is not None:
            self._put((room, key), record)

    def _put(self, key: Key, record: bytes | None) -> None:
        self._kept.put(_name(key), (record,), len(record or b""))


def authority_of(url: str) -> str:
    """Scheme, host and port of a canonical URL."""
    return "/".join(url.split("/", 3)[:3])


def _name(key: Key) -> str:
    return "\n".join(key)
