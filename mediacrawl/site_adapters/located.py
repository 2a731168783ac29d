"""JSON with the line of each field, for the messages of the linter."""

from __future__ import annotations

import json
import re
from collections import Counter
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

_DEEPEST = 30
_space = re.compile(r"[ \t\r\n]*")
_word = re.compile(r"[^,\]}\s]+")


class Located:
    """The value of a JSON text, and where its fields are.

    Raises:
        ValueError: it is no JSON, is nested too deep, or has a name twice. The message is ``LINE: what``.
    """

    def __init__(self, text: str) -> None:
        try:
            self.value: Any = json.loads(text, object_pairs_hook=_unique)
        except json.JSONDecodeError as error:
            raise ValueError(f"{error.lineno}: the file is no JSON: {error.msg} at column {error.colno}") from error
        except RecursionError as error:
            raise ValueError("1: the file is nested too deep") from error
        except ValueError as error:
            raise ValueError(f"1: {error}") from error
        self._text = text
        self._places: dict[str, int] = {}
        self._walk(0, "", 0)

    def line(self, field: str) -> int:
        """Return the line of a field, from 1; of a missing one the line of what it should be in."""
        while field and field not in self._places:
            field = field[: max(field.rfind("."), field.rfind("["), 0)]
        return self._text.count("\n", 0, self._places.get(field, 0)) + 1

    def _skip(self, place: int) -> int:
        found = _space.match(self._text, place)
        return found.end() if found else place

    def _walk(self, place: int, field: str, depth: int) -> int:
        """Note where a value begins; return where it ends."""
        if depth > _DEEPEST:
            raise ValueError(f"{self.line(field)}: {field} is nested too deep")
        place = self._skip(place)
        self._places.setdefault(field, place)
        mark = self._text[place]
        if mark == '"':
            return int(scanstring(self._text, place + 1, False)[1])
        if mark not in "{[":
            found = _word.match(self._text, place)
            return found.end() if found else place + 1
        return self._walk_inside(place, field, depth)

    def _walk_inside(self, place: int, field: str, depth: int) -> int:
        is_object, place, count = self._text[place] == "{", self._skip(place + 1), 0
        while self._text[place] not in "}]":
            inner = f"{field}[{count}]"
            if is_object:
                name, end = scanstring(self._text, place + 1, False)
                inner = f"{field}.{name}" if field else name
                self._places.setdefault(inner, place)
                place = self._skip(end) + 1
            place = self._skip(self._walk(place, inner, depth + 1))
            place = self._skip(place + 1) if self._text[place] == "," else place
            count += 1
        return place + 1


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, number in Counter(name for name, _ in pairs).items() if number > 1)
        raise ValueError(f"the name {twice} stands twice in one object")
    return found
