"""The last visits on disk, so that rewards reach the path of links also after a restart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgpack
import numpy as np

from mediacrawl.base.notes import Notes
from mediacrawl.priority.features import NOTHING, SIZE, WIDTH

NAMESPACE = "visits"
_PAGE = 100
"""Visits in one note. The last note is rewritten at each commit until it is full."""
_HEAD = "head"


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
        """Return the entry in msgpack; of its features those that it has."""
        used = np.array([number for number in self.row if number != NOTHING], "<u4").tobytes()
        packed: bytes = msgpack.packb(
            (self.key, self.parent, self.site, self.link_class, used, self.reward), unicode_errors="replace"
        )
        return packed

    @classmethod
    def load(cls, packed: bytes) -> VisitEntry | None:
        """What `dump` made; None if this is something else."""
        try:
            key, parent, site, link_class, used, reward = msgpack.unpackb(packed)
            row = np.frombuffer(used, "<u4").tolist()
            if not (len(row) <= WIDTH and all(number < SIZE for number in row) and 0 <= reward <= 1):
                return None
            row += [NOTHING] * (WIDTH - len(row))
            return cls(int(key), int(parent), str(site), str(link_class), row, float(reward))
        except (ValueError, TypeError, OverflowError, msgpack.exceptions.UnpackException):
            return None


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
