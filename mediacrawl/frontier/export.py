"""Export and import of a frontier: JSON lines with the evidence of each URL, or a list of seeds, sorted by site."""

from __future__ import annotations

import errno
import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Any

from mediacrawl.base.files import replacing
from mediacrawl.base.queued import QueuedRequest, WaitingPage
from mediacrawl.base.terms import Candidate, Evidence, Kind

_EVIDENCE = {field.name for field in fields(Evidence)}


def json_line(candidate: Candidate) -> str:
    """A URL as a line of JSON with its line feed: the candidate's fields, then the non-empty ones of its evidence.

    ``url`` is the URL that is requested. Its canonical form is derived when the line is read. A data request becomes
    its page, since another crawl may have other site adapters.
    """
    candidate = without_adapter(candidate)
    found = asdict(candidate) | {"url": candidate.request_url}
    del found["requested"]
    evidence = {name: value for name, value in found.pop("evidence").items() if value}
    return json.dumps({**found, **evidence}, ensure_ascii=False) + "\n"


def without_adapter(candidate: Candidate) -> Candidate:
    """The page of a data request; another URL as it is."""
    queued = QueuedRequest.of(candidate.evidence)
    if queued is None or not candidate.parent:
        return candidate
    page = queued.page or WaitingPage()
    evidence = replace(candidate.evidence, via=page.via, guid=page.guid, requested_url=page.requested_url)
    return replace(
        candidate,
        url=candidate.parent,
        requested="",
        kind=Kind.PAGE,
        hops=page.hops,
        parent=page.parent,
        evidence=evidence,
    )


def read_json(line: str) -> dict[str, Any]:
    """The fields of a line that `json_line` or another program wrote; only ``url`` is required.

    Raises:
        ValueError: the line is no JSON object with a URL.
    """
    try:
        found = json.loads(line)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(found, dict) or not isinstance(found.get("url"), str):
        raise ValueError("no JSON object with a url")  # noqa: TRY004 - the line is wrong
    return found


def evidence_of(found: dict[str, Any], via: str) -> Evidence:
    """Return the evidence in the fields of a line; `via` is the link source if the line does not name it."""
    texts = {name: value for name, value in found.items() if name in _EVIDENCE and isinstance(value, str)}
    return Evidence(**{"via": via, **texts})


def kind_of(found: dict[str, Any]) -> Kind | None:
    """The kind of the URL; None if the line does not name it."""
    kind = found.get("kind")
    return Kind(kind) if kind in (Kind.PAGE, Kind.MEDIA, Kind.LIST) else None


def seed_lines(candidates: Iterable[Candidate]) -> Iterator[str]:
    """URLs as a list of seeds, with a comment before each site; a data request as its page."""
    site = None
    for candidate in candidates:
        if candidate.site != site:
            site = candidate.site
            yield f"# {site}\n"
        yield without_adapter(candidate).request_url + "\n"


def is_json(path: Path) -> bool:
    """Whether a file of this name holds JSON lines: ``.jl``, ``.jsonl``, ``.json``, also with ``.gz``."""
    name = path.name.lower().removesuffix(".gz")
    return name.endswith((".jl", ".jsonl", ".json"))


def write(candidates: Iterable[Candidate], path: Path) -> int:
    """Write URLs to a file in the format of its extension, under another name first; answers how many.

    Raises:
        OSError: it cannot be written. No part of it is left.
    """
    number = 0

    def counted() -> Iterator[Candidate]:
        nonlocal number
        for number, candidate in enumerate(candidates, 1):  # noqa: B007 - the number is the answer
            yield candidate

    lines = map(json_line, counted()) if is_json(path) else seed_lines(counted())
    with replacing(path, ".part") as plain:
        packed = gzip.GzipFile(fileobj=plain, mode="wb") if _is_compressed(path) else nullcontext(plain)
        with packed as file:
            # Text of a hostile page may have lone surrogates, which must not stop the export.
            file.writelines(line.encode("utf-8", "replace") for line in lines)
    return number


def _is_compressed(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


@contextmanager
def lines_of(path: Path) -> Iterator[Iterator[str]]:
    """The lines of a file, decompressed if its name ends in ``.gz``. Invalid UTF-8 becomes U+FFFD.

    Raises:
        OSError: the file cannot be read; also while the lines are read.
    """
    opened: Any = gzip.open if _is_compressed(path) else open
    with opened(path, "rt", encoding="utf-8", errors="replace", newline="\n") as file:
        yield _named(file, path)


def _named(lines: Iterable[str], path: Path) -> Iterator[str]:
    try:
        yield from lines
    except (EOFError, zlib.error, OSError) as error:
        # gzip raises three errors for a damaged or truncated file; none of them names it.
        raise OSError(errno.EIO, f"cannot be read to its end ({error})", str(path)) from error
