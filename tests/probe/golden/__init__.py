"""The golden files: one for each thing that a reader must understand, and beside it what a probe gives for it.

A module of this package is a family of files: its ``files()`` yields names and bytes, or a `Case`. Its expected records
are in the JSON file of the same name, a line for each file. ``python tests/record/golden_records.py`` writes them anew.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediacrawl.base.parts import as_object
from mediacrawl.probe import Probe, ProbePolicy, ProbeResult, read_stream

FOLDER = Path(__file__).parent
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
_LONG, _MANY = 120, 24


@dataclass
class Case:
    """A file and how it is probed: the limits, its name, whether the server tells its size.

    What has `headers` of a station is a stream without end.
    """

    data: bytes
    policy: ProbePolicy | None = None
    name: str = ""
    sized: bool = True
    headers: list[tuple[str, bytes]] | None = None


def files(family: str) -> Iterator[tuple[str, Case]]:
    """Yield the files of a family by name."""
    for name, made in importlib.import_module(f"golden.{family}").files():
        yield name, made if isinstance(made, Case) else Case(made)


def path_of(family: str) -> Path:
    """Return the path of the expected records of a family."""
    return FOLDER / f"{family}.json"


def ask(case: Case, *, restart: bool) -> tuple[Probe, list[list[int]]]:
    """Probe a file as a server that honours Range gives it, and return the probe and the ranges that it asked for.

    Args:
        case: the file.
        restart: whether the state is packed and unpacked between visits, as a crawl does it.
    """
    policy = case.policy or ProbePolicy()
    probe, asked = Probe(policy, names=[case.name]), []
    while case.headers is None and (wanted := probe.next_range()) is not None:
        start, stop = wanted
        asked.append([start, stop])
        assert 0 <= start < stop
        probe.feed(start, case.data[start:stop], len(case.data) if case.sized else None)
        assert probe.requests <= policy.max_requests
        assert probe.bytes_fetched <= policy.max_bytes
        if restart:
            probe = Probe.load(probe.dump(), policy)
    return probe, asked


def probed(case: Case) -> tuple[Probe, dict[str, Any], ProbeResult]:
    """Return a probe of the file; its ranges, notes, and what stopped a part of the walk; and its result."""
    probe, asked = ask(case, restart=True)
    result = probe.result()
    if case.headers is not None:
        result = read_stream(case.headers, case.data, probe.policy)
    stopped = {name: why for name, why in probe.stages().items() if why != "done"}
    about = {"status": result.status, "asked": asked, "notes": result.notes, "stopped": stopped}
    return probe, about, result


def facts(case: Case) -> dict[str, Any]:
    """Return all that a probe of the file gives: status, ranges, facts, texts, and what stopped a part of the walk."""
    _, found, result = probed(case)
    for name in ProbeResult.__slots__:
        value = getattr(result, name)
        if name not in {"status", "notes", "errors", "tags", "is_video"} and value not in (None, [], ""):
            found[name] = short([as_object(part) for part in value] if isinstance(value, list) else value)
    if result.duration is not None:
        found["duration"] = short(round(result.duration, 6))
    found["type"] = "VideoObject" if result.is_video else "AudioObject"
    if result.status == "stream":
        found["type"] = "BroadcastService"
    return finished(case, found, [tag_line(tag, tag.raw) for tag in result.tags])


def finished(case: Case, found: dict[str, Any], lines: list[str]) -> dict[str, Any]:
    """Return what was found with the first bytes of the covers, and the texts; of many the first, and how all hash."""
    for cover in found.get("covers", []):
        if isinstance(cover, dict) and "position" in cover:
            cover["begins"] = case.data[cover["position"] :][: min(4, cover.get("size", 4))].hex()
    found["tags"] = lines if len(lines) <= _MANY else [*lines[:_MANY], f"... {len(lines)} {_hash(repr(lines))}"]
    return {name: value for name, value in found.items() if value or name not in {"notes", "stopped", "tags"}}


def tag_line(tag: Any, raw: bytes) -> str:
    """Return a text with its source, names, encoding and bytes as one line."""
    about = [tag.source, tag.frame, tag.key, str(tag.index), tag.declared]
    about += [f"{name}={getattr(tag, name)}" for name in ("lang", "desc") if getattr(tag, name)]
    bytes_ = f" <{raw.hex()}>" if raw != tag.text.encode("ascii", "ignore") else ""
    return " ".join(about) + f": {short(tag.text)}{short(bytes_)}"


def short(value: Any) -> Any:
    """Return a value as JSON has it; what is long is its beginning, its length and its hash."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:40]}... {len(value)} {_hash(value)}"
    if isinstance(value, dict):
        return {name: short(each) for name, each in value.items()}
    if isinstance(value, list):
        shown = [short(each) for each in value[:_MANY]]
        return shown if len(value) <= _MANY else [*shown, f"... {len(value)} {_hash(json.dumps(value, default=str))}"]
    return value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
