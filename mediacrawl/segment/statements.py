"""The statements of ``queue.sql``, by name: for DuckDB here, for the engine of a cluster elsewhere."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

_name = re.compile(r"^-- name: (\w+)\n", re.MULTILINE)
_comment = re.compile(r"^--.*\n", re.MULTILINE)


@cache
def statements() -> dict[str, str]:
    """The SELECT of each step, by the name that its result has for the steps after it, in their order."""
    text = resources.files("mediacrawl.segment").joinpath("queue.sql").read_bytes().decode()
    _, *parts = _name.split(text)
    return {name: _comment.sub("", body).strip() for name, body in zip(parts[::2], parts[1::2], strict=True)}
