"""A Redis list with the format of scrapy-redis: each element is a record as JSON text.

The input list does not change. The output is filled as ``KEY:part``; the state of the run is in ``KEY:progress``,
written in the same transaction, and at the end the list is renamed. A kill leaves both keys, and the same command
resumes. Unreadable elements are copied.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import redis

from mediacrawl.rerun import json_lines
from mediacrawl.rerun.blocks import (
    BLOCK_RECORDS,
    Block,
    BlockRecord,
    BlockWriter,
    Location,
    PackedBlock,
    Position,
    RecordSink,
    RerunError,
    RunState,
)
from mediacrawl.rerun.json_lines import JsonReader

_TIMEOUT = 30.0
"""Seconds to wait for an answer."""


@contextmanager
def _explained(where: Location) -> Iterator[None]:
    try:
        yield
    except (redis.RedisError, OSError, ValueError) as error:
        raise RerunError(f"{where.name}: Redis says: {error}") from error


def _client(where: Location) -> Any:
    with _explained(where):
        client = redis.Redis.from_url(where.url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT)
        client.ping()
    return client


class ListSource:
    """The elements of a list, first to last, without those pushed meanwhile."""

    can_resume = True

    def __init__(self, where: Location) -> None:
        self.where = where
        self._client = _client(where)
        self.reader = JsonReader()
        with _explained(where):
            kind = self._client.type(where.key).decode()
            if kind != "list":
                raise RerunError(f"{where.name} is {'not there' if kind == 'none' else f'a {kind}, not a list'}.")
            self.total = int(self._client.llen(where.key))

    def identity(self) -> RunState:
        """See `blocks.RecordSource`: hash of the first element; the list may grow at its end."""
        with _explained(self.where):
            head = self._client.lindex(self.where.key, 0) or b""
        return {"name": self.where.name, "head": hashlib.sha256(head).hexdigest()}

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `blocks.RecordSource`; a position is an index in the list, and the number of elements to read."""
        index, until = after if isinstance(after, list) else (0, self.total)
        while index < until:
            with _explained(self.where):
                found = self._client.lrange(self.where.key, index, min(index + BLOCK_RECORDS, until) - 1)
            if not found:
                raise RerunError(f"{self.where.name} has become shorter while it was read. Stop what takes from it.")
            begin, index, number = number, index + len(found), number + len(found)
            yield Block(found, begin, number, [index, until], index)

    def close(self) -> None:
        self._client.close()


@dataclass(frozen=True, slots=True)
class ElementWriter(BlockWriter):
    """Makes elements of records.

    Attributes:
        repeats: whether raw records of the input are JSON.
    """

    repeats: bool = True

    def pack(self, block: Block, entries: Sequence[BlockRecord]) -> PackedBlock:  # noqa: ARG002 - the protocol's
        return PackedBlock([element for entry in entries if (element := self._element(entry))])

    def _element(self, entry: BlockRecord) -> bytes:
        if entry.record is None or (self.repeats and not entry.changed and entry.raw is not None):
            return (entry.raw or b"").rstrip(b"\r\n")
        return json_lines.dump(entry.record, entry.raw if self.repeats else None)


class RedisList(RecordSink):
    """A list that is filled; durability is that of the server."""

    def __init__(self, where: Location) -> None:
        self._where = where
        self._client = _client(where)
        self._part, self._progress = f"{where.key}:part", f"{where.key}:progress"
        self._note: bytes | None = None

    def is_taken(self, *, restart: bool) -> bool:
        with _explained(self._where):
            return bool(self._client.exists(self._where.key)) and (restart or not self._client.exists(self._progress))

    def begin(self, *, restart: bool) -> RunState | None:
        with _explained(self._where):
            self._note = self._client.get(self._progress)
            if self._note is None and self._client.exists(self._part):
                raise RerunError(f"The key {self._part} is in the way, and is not of an earlier run. Rename it.")
            if restart:
                self._client.delete(self._part, self._progress)
                self._note = None
        try:
            state = json.loads(self._note) if self._note is not None else None
        except ValueError as error:
            raise RerunError(f"The key {self._progress} is damaged. Begin with --restart.") from error
        return state if isinstance(state, dict) else None

    def put(self, data: Sequence[bytes] | None, state: RunState | None) -> None:
        # A part of an element that is too long is not stored.
        if state is None:
            return
        note = json.dumps(state).encode()
        with _explained(self._where), self._client.pipeline(transaction=True) as commands:
            commands.watch(self._progress)
            if commands.get(self._progress) != self._note:
                raise RerunError(f"Another run is writing {self._where.name}. Wait for it to end.")
            commands.multi()
            if data:
                commands.rpush(self._part, *data)
            commands.set(self._progress, note)
            commands.execute()
        self._note = note

    def finish(self) -> None:
        with _explained(self._where), self._client.pipeline(transaction=True) as commands:
            commands.watch(self._part)
            is_filled = commands.exists(self._part)
            commands.multi()
            if is_filled:
                commands.rename(self._part, self._where.key)
            else:
                commands.delete(self._where.key)
            commands.delete(self._progress)
            commands.execute()

    def close(self) -> None:
        self._client.close()
