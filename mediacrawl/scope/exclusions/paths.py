"""Paths of NeverCrawl entries, in a form in which no way of writing one slips through.

An entry's path covers whole segments: ``/private`` covers ``/private``, ``/private/`` and ``/private/a?b``, and not
``/privateer``. That is what people mean who name a folder; by octets, as in robots.txt, a short path would cover
strangers.

Escapes are resolved (``%70`` is p, ``%2F`` a slash), backslashes are slashes, empty segments and dots are left out, and
upper and lower case are one, since some servers make no difference: where two readings of a path are possible, either
one covers it. An entry covers a page too many rather than one too few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

_without_parameters = re.compile(r";[^/]*").sub


def comparable(path: str) -> str:
    """The form of a path in which entries are kept: ``/music/private``; empty for the root.

    Args:
        path: as it stands in an entry, without query; or nothing.
    """
    *_, passed = _walk(_plain(path))
    return _joined(passed)


def beginnings(path: str, deepest: int) -> Iterator[str]:
    """The comparable forms of all folders that a path passes through, and of itself, in every reading.

    Args:
        path: of a URL, without query.
        deepest: segments; longer beginnings are not wanted.
    """
    text = _plain(path)
    for reading in (text, _without_parameters("", text)) if ";" in text else (text,):
        for passed in _walk(reading):
            if 0 < len(passed) <= deepest:
                yield _joined(passed)


def depth(path: str) -> int:
    """Segments of a path in its comparable form."""
    return path.count("/")


def _plain(path: str) -> str:
    return unquote(path, errors="surrogateescape").replace("\\", "/").casefold()


def _walk(text: str) -> Iterator[list[str]]:
    """The segments so far, after each segment. The list is one and the same, and grows and shrinks."""
    passed: list[str] = []
    yield passed
    for segment in text.split("/"):
        if segment in {"", "."}:
            continue
        if segment == "..":
            del passed[-1:]
        else:
            passed.append(segment)
        yield passed


def _joined(passed: list[str]) -> str:
    return "".join(f"/{segment}" for segment in passed)
