"""Notes: small records that a package keeps about a host, a site or a page, and that outlive the process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol

Later = Callable[[str, str, Callable[[bytes | None], bytes]], "Future[bytes]"]
"""Changes a note that other processes change too, see `frontier.contract.Remote.later`."""


class Notes(Protocol):
    """A store of notes by namespace and key. Every frontier is one: notes are in its file and in its commits."""

    @property
    def shared(self) -> bool:
        """Whether other processes write notes too. Then no copy of a note may be kept and trusted."""
        ...

    def note(self, namespace: str, key: str) -> bytes | None:
        """The note that was stored last under a key, or None.

        Args:
            namespace: of the package that keeps it: ``robots``, ``parameters`` ...
            key: an authority, a site, a hash of a text.
        """
        ...

    def set_note(self, namespace: str, key: str, record: bytes) -> None:
        """Store a note in the package's own format: msgpack or JSON, never pickle."""
        ...

    def update_note(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        """Change a note in one atomic step.

        Args:
            namespace: see `note`.
            key: see there.
            change: makes the new note of the old one. It may be called more than once, so it has no side effect.

        Returns:
            The new note.
        """
        ...


class NoNotes:
    """A store that keeps nothing, for a crawl without our frontier."""

    @property
    def shared(self) -> bool:
        """False."""
        return False

    def note(self, namespace: str, key: str) -> bytes | None:  # noqa: ARG002
        """None."""
        return None

    def set_note(self, namespace: str, key: str, record: bytes) -> None:
        """Do nothing."""

    def update_note(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:  # noqa: ARG002
        """Return what `change` makes of no note."""
        return change(None)
