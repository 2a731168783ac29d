"""Records by site, a bounded number in memory and all of them in the frontier's notes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgpack

from mediacrawl.base.notes import Notes

Record = TypeVar("Record")


class SiteNotes(Generic[Record]):
    """Records by site, read from the notes when needed and written when saved.

    On disk: one note per site, in msgpack. An unreadable one counts as none, and is learned again. A kill loses what
    was not written yet: of each site at most ``every - 1`` changes. If other processes write too (`Notes.shared`), each
    change is written at once, and each read checks whether the note has changed.

    Args:
        notes: where they outlive the process.
        namespace: of the notes.
        load: makes a record of what `dump` made; of None the record of a new site. May raise ValueError, TypeError,
            KeyError, IndexError, AttributeError or OverflowError.
        dump: makes what msgpack can write, bounded by the caller.
        every: changes of a site that are written together.
        size: records in memory.
    """

    def __init__(
        self,
        notes: Notes,
        namespace: str,
        load: Callable[[Any], Record],
        dump: Callable[[Record], Any],
        *,
        every: int = 8,
        size: int = 1000,
    ) -> None:
        self._notes = notes
        self._namespace = namespace
        self._load = load
        self._dump = dump
        self._every = 1 if notes.shared else every
        self._size = max(size, 1)
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._unsaved: dict[str, int] = {}
        self._written: dict[str, bytes | None] = {}
        """Of shared notes: the bytes of the note of each record."""

    def get(self, site: str) -> Record:
        """Return the record of a site; it may be changed, and is then saved by `save`."""
        record = self._records.get(site)
        note = None
        if record is None or self._notes.shared:
            note = self._notes.note(self._namespace, site)
        if record is not None and (not self._notes.shared or note == self._written[site]):
            self._records.move_to_end(site)
            return record
        while len(self._records) >= self._size:
            self._forget()
        record = self._records[site] = self._read(note)
        self._written[site] = note
        return record

    def at_hand(self, site: str) -> Record | None:
        """Return the record of a site if it is in memory."""
        return self._records.get(site)

    def save(self, site: str) -> None:
        """Save the record of a site, which was read just now and changed; it is written with the others."""
        self._unsaved[site] = self._unsaved.get(site, 0) + 1
        if self._unsaved[site] >= self._every:
            self._write(site, self._records[site])

    def save_all(self) -> None:
        """Write all changes that are not written yet."""
        for site in list(self._unsaved):
            self._write(site, self._records[site])

    def _forget(self) -> None:
        site, record = self._records.popitem(last=False)
        self._written.pop(site, None)
        if site in self._unsaved:
            self._write(site, record)

    def _write(self, site: str, record: Record) -> None:
        del self._unsaved[site]
        note = self._written[site] = msgpack.packb(self._dump(record), unicode_errors="replace")
        self._notes.set_note(self._namespace, site, note)

    def _read(self, note: bytes | None) -> Record:
        if note is None:
            return self._load(None)
        try:
            record = self._load(msgpack.unpackb(note, strict_map_key=False))
            # Our own records can be written again; a float could become an integer of 300 digits.
            msgpack.packb(self._dump(record), unicode_errors="replace")
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError):
            return self._load(None)
        return record
