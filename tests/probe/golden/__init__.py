"""The golden files: one for each thing that a reader must understand, and beside it what a probe gives for it.

A module of this package is a family of files: its ``files()`` yields names and bytes, or a `Case`. Its expected records
are in the JSON file of the same name, a line for each file. ``python tests/probe/golden`` writes them anew, to be read
as a diff: a record that changed is a decision, not a formality.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.probe import Probe, ProbePolicy
from mediacrawl.probe.icecast import read_stream
from mediacrawl.record import build_item

FOLDER = Path(__file__).parent
FAMILIES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))
_COSTS = {"requests", "bytes_fetched", "head_bytes", "head_sha256", "schema_version"}
_KNOWN = {"id", "content_url", "content_size", "discovered_via", "probe_status", "tags"}
_LONG, _MANY = 120, 24


@dataclass
class Case:
    """A file and how it is probed: the limits, the type that its name claims, whether the server tells its size.

    What has `headers` of a station is a stream without end.
    """

    data: bytes
    policy: ProbePolicy | None = None
    expected: str = ""
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
    probe, asked = Probe(policy, expected=case.expected), []
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


def record(case: Case) -> dict[str, Any]:
    """Return all that a probe of the file shows: status, ranges, facts, texts, and what stopped a part of the walk."""
    probe, asked = ask(case, restart=True)
    result = probe.result()
    if case.headers is not None:
        result = read_stream(case.headers, case.data, probe.policy)
    item = build_item(result, probe, url="http://media.example/file")
    found: dict[str, Any] = {"status": item.probe_status, "asked": asked}
    for name in item.__slots__:
        value = getattr(item, name)
        if name not in _COSTS | _KNOWN and value not in (None, [], {}, ""):
            found[name] = _short(value)
    for cover in found.get("covers", []):
        if isinstance(cover, dict) and "position" in cover:
            cover["begins"] = case.data[cover["position"] :][: min(4, cover.get("size", 4))].hex()
    stopped = {name: why for name, why in probe.stages().items() if why != "done"}
    more = {"notes": result.notes, "stopped": stopped, "tags": _tags(item.tags)}
    return found | {name: value for name, value in more.items() if value}


def _tags(elements: list[dict[str, Any]]) -> list[str]:
    """Return the texts of a record, a line each; of many the first ones and how all of them hash."""
    lines = [_tag(element) for element in elements]
    return lines if len(lines) <= _MANY else [*lines[:_MANY], f"... {len(lines)} {_hash(repr(lines))}"]


def _tag(element: dict[str, Any]) -> str:
    """Return a text with its source, names, encoding and bytes as one line."""
    about = [element["source"], element["frame"], element["key"], str(element["index"]), element["declared"]]
    about += [f"{name}={element[name]}" for name in ("lang", "desc") if element[name]]
    raw = raw_bytes(element)
    bytes_ = f" <{raw.hex()}>" if raw != element["text"].encode("ascii", "ignore") else ""
    return " ".join(about) + f": {_short(element['text'])}{_short(bytes_)}"


def _short(value: Any) -> Any:
    """Return a value as JSON has it; what is long is its beginning, its length and its hash."""
    if isinstance(value, float):
        return float(f"{value:.9g}")
    if isinstance(value, str) and len(value) > _LONG:
        return f"{value[:40]}... {len(value)} {_hash(value)}"
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    if isinstance(value, list):
        shown = [_short(each) for each in value[:_MANY]]
        return shown if len(value) <= _MANY else [*shown, f"... {len(value)} {_hash(json.dumps(value, default=str))}"]
    return value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def write(family: str) -> None:
    """Write the expected records of a family."""
    lines = [f"{json.dumps(name)}: {json.dumps(record(case), ensure_ascii=False)}" for name, case in files(family)]
    path_of(family).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
