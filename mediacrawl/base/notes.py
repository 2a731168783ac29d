"""Notes: small records that a package keeps about a host, a site or a page, and that outlive the process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Protocol, TypeVar

Later = Callable[[str, str, Callable[[bytes | None], bytes]], "Future[bytes]"]
"""Changes a note that other processes change too, see `frontier.contract.Remote.later`."""

T = TypeVar("T")


def changed_later(
    later: Later, namespace: str, key: str, change: Callable[[bytes | None], tuple[bytes, T]]
) -> Future[T]:
    """Change a note that other processes change too; the result is what was found out by that.

    Args:
        later: makes the change.
        namespace: see `Notes.note`.
        key: see there.
        change: makes the new note of the old one, and the result. It may be called more than once; the last call
            counts.
    """
    answer: Future[T] = Future()
    results: list[T] = []

    def make(record: bytes | None) -> bytes:
        new, result = change(record)
        results[:] = [result]
        return new

    def done(changed: Future[bytes]) -> None:
        # Who waited may have given up.
        with suppress(InvalidStateError):
            error = changed.exception()
            if error is None:
                answer.set_result(results[0])
            else:
                answer.set_exception(error)

    later(namespace, key, make).add_done_callback(done)
    return answer


class Notes(Protocol):
    """A store of notes by namespace and key. Every frontier is one: notes are in its file and in its commits."""

    @property
    def shared(self) -> bool:
        """Whether other processes write notes too. Then no copy of a note may be kept and trusted."""
        ...

    def note(self, namespace: str, key: str) -> bytes | None:
        """Return the note that was stored last under a key, or None.

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
