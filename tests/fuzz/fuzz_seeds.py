"""Files that are mutated: real samples, what the demo serves (but MP3, of which there is enough), shapes and parts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from fuzz_parts import parts
from fuzz_shapes import shapes
from probe_media import SAMPLES

from mediacrawl.probe.formats import READERS
from mediacrawl.probe.planner import Probe

LONGEST = 16 * 1024
"""Bytes of a seed that are kept, so that a million of its mutants take minutes, not days."""
DEMO = Path(__file__).parents[2] / "mediacrawl" / "demo" / "media"
OTHER = "other"
"""The container of seeds that have no reader."""


@cache
def seeds() -> dict[str, bytes]:
    """All seeds by name, in an order that is the same each time."""
    found = {path.name: path.read_bytes() for folder in (SAMPLES, DEMO) for path in sorted(folder.iterdir())}
    for alike in [path.name for path in DEMO.glob("*.mp3")]:
        del found[alike]
    found.update(shapes() | parts())
    return {name: found[name][:LONGEST] for name in sorted(found) if not name.endswith((".sh", ".txt"))}


@cache
def by_container() -> dict[str, list[str]]:
    """Names of seeds by the container that is seen in them; `OTHER` for those that no reader takes."""
    groups: dict[str, list[str]] = {}
    for name, data in seeds().items():
        container = _container(data)
        groups.setdefault(container if container in READERS else OTHER, []).append(name)
    return groups


def _container(data: bytes) -> str | None:
    probe = Probe()
    probe.feed(0, data, len(data))
    return probe.result().container
