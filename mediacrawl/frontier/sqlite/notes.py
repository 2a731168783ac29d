"""The notes of other packages in the SQLite store, and the guard of all its methods."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from mediacrawl.frontier.contract import FrontierError, SpoiledError
from mediacrawl.frontier.sqlite.database import explain
from mediacrawl.frontier.sqlite.tables import Tables

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Store = TypeVar("_Store", bound="SQLiteNotes")


def guarded(method: Callable[Concatenate[_Store, _P], _R]) -> Callable[Concatenate[_Store, _P], _R]:
    """A method after whose failure the store answers nothing more: memory is ahead of the file then."""

    @wraps(method)
    def call(self: _Store, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        if self._failed:
            raise FrontierError(self._failed)
        try:
            return method(self, *args, **kwargs)
        except (sqlite3.Error, SpoiledError, OSError) as error:
            self._failed = explain(self._path, error)
            raise FrontierError(self._failed) from error

    return call  # type: ignore[return-value]  # mypy wants the name of self, too


class SQLiteNotes:
    """`Notes` in the file of a frontier. On disk: table ``note``, written with the next commit."""

    _path: Path
    _tables: Tables
    _failed = ""

    @guarded
    def note(self, namespace: str, key: str) -> bytes | None:
        query = "SELECT record FROM note WHERE room = ? AND key = ?"
        row = self._tables.db.execute(query, (namespace, key)).fetchone()
        return row[0] if row else None

    @guarded
    def set_note(self, namespace: str, key: str, record: bytes) -> None:
        self._tables.begin()
        self._tables.db.execute("INSERT OR REPLACE INTO note VALUES (?, ?, ?)", (namespace, key, record))

    @property
    def shared(self) -> bool:
        return False

    def update_note(self, namespace: str, key: str, change: Callable[[bytes | None], bytes]) -> bytes:
        record = change(self.note(namespace, key))
        self.set_note(namespace, key, record)
        return record
