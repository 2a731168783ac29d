"""The last visits, in memory and on disk: so a reward reaches the path of links to a nugget, also after a restart."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgpack

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
