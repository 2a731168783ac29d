"""Where a room keeps what it learned about a host, a site or a page, so that it outlives the process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

Later = Callable[[str, str, Callable[[bytes | None], bytes]], "Future[bytes]"]
"""Makes a note of the one before while nobody else does, see `frontier.contract.Remote.later`."""


class Notes(Protocol):
    """Small records of other rooms, kept in the same file and the same commits as the URLs; every frontier is one."""

    @property
    def shared(self) -> bool:
        """Whether other processes write here too: then nothing that was read once may be held for true."""
        ...

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

    def update_note(self, room: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        """Make a record of the one before, while nobody else does; answers it.

        Args:
            room: see `note`.
            key: see there.
            change: what it becomes. It may be asked more than once, and has no effect of its own.
        """
        ...


class NoNotes:
    """Keeps nothing: for a project without our frontier."""

    @property
    def shared(self) -> bool:
        """There is nothing."""
        return False

    def note(self, room: str, key: str) -> bytes | None:  # noqa: ARG002
        """Nothing is known."""
        return None

    def set_note(self, room: str, key: str, record: bytes) -> None:
        """Nothing is kept."""

    def update_note(self, room: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:  # noqa: ARG002
        """Nothing was known, and nothing is kept."""
        return change(None)
