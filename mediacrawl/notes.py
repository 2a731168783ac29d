"""Where a room keeps what it learned about a host, a site or a page, so that it outlives the process."""

from __future__ import annotations

from typing import Protocol


class Notes(Protocol):
    """Small records of other rooms, kept in the same file and the same commits as the URLs; every frontier is one."""

    def note(self, room: str, key: str) -> bytes | None:
        """What `set_note` stored last under this name, or None.

        Args:
            room: who keeps it: ``robots``, ``parameters`` ...
            key: what it is about: an authority, a site, a hash of a text.
        """
        ...

    def set_note(self, room: str, key: str, record: bytes) -> None:
        """Keep a record in the room's own format (msgpack or JSON, never pickle)."""
        ...


class NoNotes:
    """Keeps nothing: for a project without our frontier."""

    def note(self, room: str, key: str) -> bytes | None:  # noqa: ARG002
        """Nothing is known."""
        return None

    def set_note(self, room: str, key: str, record: bytes) -> None:
        """Nothing is kept."""
