"""Calls on notes, and on the stream by which workers share their visits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mediacrawl.frontier.redis.scripts import Call
from mediacrawl.frontier.redis.session import RedisSession

Exchanged = tuple[int, list[tuple[int, bytes]]]
"""Number of the last visit of all workers, and batches with the number of the last visit of each, in their order."""


def read(session: RedisSession, namespace: str, key: str) -> Call:
    """The call of `Notes.note`."""
    return Call(command=("HGET", session.scripts.key("note", namespace), key))


def write(session: RedisSession, namespace: str, key: str, record: bytes) -> Call:
    """The call of `Notes.set_note`."""
    return session.call("note", namespace=namespace, key=key, record=record)


def swap(session: RedisSession, namespace: str, key: str, old: bytes, new: bytes) -> Call:
    """The call that replaces a note if it is still `old`; it answers ``[1]``, or 0 and the note as it is."""
    return session.call("swap", namespace=namespace, key=key, old=old, new=new)


def exchange(session: RedisSession, batch: bytes, visits: int, after: int, *, keep: int, most: int) -> Call:
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
    """The answer of `exchange`."""
    last, found = answer
    return int(last), [(int(number), batch) for number, batch in zip(found[::2], found[1::2], strict=True)]
