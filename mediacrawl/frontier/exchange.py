"""Frontiers as files: one JSON object a line with all that is known of a URL, or a list of seeds, sorted by site."""

from __future__ import annotations

import errno
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO, Any

from mediacrawl.records import Candidate, Evidence, Kind

_EVIDENCE = {field.name for field in fields(Evidence)}


def json_line(candidate: Candidate) -> str:
    """A URL as one line, with its line feed: the candidate's fields, then those of its evidence that are not empty.

    The URL is the one that is requested. Its canonical form, the key, is derived from it when the line is read.
    """
    found = asdict(candidate) | {"url": candidate.request_url}
    del found["requested"]
    evidence = {name: value for name, value in found.pop("evidence").items() if value}
    return json.dumps({**found, **evidence}, ensure_ascii=False) + "\n"


def read_json(line: str) -> dict[str, Any]:
    """The fields of a line that `json_line` wrote, or another program: only ``url`` must be there.

    Raises:
        ValueError: it is no JSON object with a URL.
    """
    try:
        found = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or not isinstance(found.get("url"), str):
        raise ValueError("no JSON object with a url")  # noqa: TRY004 - what is wrong is the line
    return found


def evidence_of(found: dict[str, Any], via: str) -> Evidence:
    """The evidence in the fields of a line.

    Args:
        found: see `read_json`.
        via: the door, if the line does not name it.
    """
    texts = {name: value for name, value in found.items() if name in _EVIDENCE and isinstance(value, str)}
    return Evidence(**{"via": via, **texts})


def kind_of(found: dict[str, Any]) -> Kind | None:
    """What the line expects of the URL; None if it does not say."""
    kind = found.get("kind")
    return Kind(kind) if kind in (Kind.PAGE, Kind.MEDIA, Kind.LIST) else None


def seed_lines(candidates: Iterable[Candidate]) -> Iterator[str]:
    """The URLs as a list of seeds, with a comment before each site."""
    site = None
    for candidate in candidates:
        if candidate.site != site:
            site = candidate.site
            yield f"# {site}\n"
        yield candidate.request_url + "\n"


def is_json(path: Path) -> bool:
    """Whether a file of this name holds JSON lines: ``.jl``, ``.jsonl``, ``.json``, also with ``.gz``."""
    name = path.name.lower().removesuffix(".gz")
    return name.endswith((".jl", ".jsonl", ".json"))


def write(candidates: Iterable[Candidate], path: Path) -> int:
    """Write URLs to a file, in the form that its name asks for, by way of another name; answers how many.

    Raises:
        OSError: it cannot be written. Nothing is left then.
    """
    part = path.with_name(path.name + ".part")
    counted = _Counted(candidates)
    lines = map(json_line, counted) if is_json(path) else seed_lines(counted)
    try:
        with _text(part, "wt", packed=_is_packed(path)) as file:
            file.writelines(lines)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return counted.number


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


@contextmanager
def _text(path: Path, mode: str, *, packed: bool) -> Iterator[IO[str]]:
    # Text of a hostile page can hold lone surrogates; they must not stop the export.
    options = {"encoding": "utf-8", "errors": "replace", "newline": "\n"}
    opened: Any = gzip.open if packed else open
    with opened(path, mode, **options) as file:
        yield file


@contextmanager
def lines_of(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a file, unpacked if its name ends in ``.gz``; what is no UTF-8 becomes U+FFFD.

    Raises:
        OSError: it cannot be read; also while the lines are read.
    """
    with _text(path, "rt", packed=_is_packed(path)) as file:
        yield _told(file, path)


def _told(lines: Iterable[str], path: Path) -> Iterator[str]:
    try:
        yield from lines
    except (EOFError, zlib.error, OSError) as error:
        # gzip says in three ways that a file is damaged or cut short, none of which names it.
        raise OSError(errno.EIO, f"cannot be read to its end ({error})", str(path)) from error


class _Counted:
    """Counts what is taken from it."""

    def __init__(self, candidates: Iterable[Candidate]) -> None:
        self._candidates = candidates
        self.number = 0

    def __iter__(self) -> Iterator[Candidate]:
        for candidate in self._candidates:
            self.number += 1
            yield candidate
