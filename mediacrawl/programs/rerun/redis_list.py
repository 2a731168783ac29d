"""A Redis list with the format of scrapy-redis: each element is a record as JSON text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import redis

from mediacrawl.programs.rerun import blocks
from mediacrawl.programs.rerun.blocks import (
    Block,
    BlockRecord,
    Location,
    Position,
    Reader,
    RerunError,
    RunState,
    Writer,
    packed,
    unpacked,
)
from mediacrawl.programs.rerun.json_lines import line_of, parsed_line

_TIMEOUT = 30.0
"""Seconds to wait for an answer."""

_AT_ONCE = 1_000
"""Elements of one command."""


@contextmanager
def _connected(where: Location) -> Iterator[Any]:
    """Connect to a server, and convert its errors into a sentence."""
    try:
        with redis.Redis.from_url(where.url, socket_timeout=_TIMEOUT, socket_connect_timeout=_TIMEOUT) as client:
            yield client
    except (redis.RedisError, OSError, ValueError) as error:
        raise RerunError(f"{where.name}: Redis says: {error}") from error


class ListReader(Reader):
    """The elements of a list, first to last, without those pushed meanwhile. The list does not change."""

    def __init__(self, where: Location) -> None:
        self.where = where
        with _connected(where) as client:
            kind = client.type(where.key).decode()
            if kind != "list":
                raise RerunError(f"{where.name} is {'not there' if kind == 'none' else f'a {kind}, not a list'}.")
            self.total = int(client.llen(where.key))

    def identity(self) -> RunState:
        """Return the hash of the first element; the list may grow at its end."""
        with _connected(self.where) as client:
            head = client.lindex(self.where.key, 0) or b""
        return {"name": self.where.name, "head": hashlib.sha256(head).hexdigest()}

    def blocks(self, after: Position | None, number: int) -> Iterator[Block]:
        """See `Reader`; a position is an index in the list, and the number of elements to read."""
        index, until = after if isinstance(after, list) else (0, self.total)
        with _connected(self.where) as client:
            while index < until:
                found = client.lrange(self.where.key, index, min(index + blocks.BLOCK_RECORDS, until) - 1)
                if not found:
                    raise RerunError(
                        f"{self.where.name} has become shorter while it was read. Stop what takes from it."
                    )
                begin, index, number = number, index + len(found), number + len(found)
                yield Block(found, begin, number, [index, until], index)

    def records(self, block: Block) -> Iterator[BlockRecord]:
        return (parsed_line(raw, block.number, place) for place, raw in enumerate(block.data))


class ListWriter(Writer):
    """Fills a list under the name ``KEY:part``, and renames it. A kill leaves ``KEY:part``, which is filled again.

    Unreadable elements are copied. Durability is that of the server.
    """

    def packed(self, record: dict[str, Any], entry: BlockRecord) -> bytes:
        return packed(line_of(record, entry))

    def kept(self, raw: bytes) -> bytes:
        return packed(raw) if raw else b""

    def is_taken(self) -> bool:
        with _connected(self.where) as client:
            if client.exists(self._part):
                raise RerunError(f"The key {self._part} is in the way. Rename it; or delete it, if a run has left it.")
            return bool(client.exists(self.where.key))

    def place(self, part: Path) -> int:
        with _connected(self.where) as client, part.open("rb") as stream:
            client.delete(self._part)
            elements = unpacked(stream)
            while found := list(islice(elements, _AT_ONCE)):
                client.rpush(self._part, *found)
            if client.exists(self._part):
                client.rename(self._part, self.where.key)
            else:
                client.delete(self.where.key)
        return 0

    @property
    def _part(self) -> str:
        return f"{self.where.key}:part"
