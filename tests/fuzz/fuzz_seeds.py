"""Files that are mutated: samples, what the demo serves (but MP3, of which there is enough), and the golden corpus."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

import golden
from probe_builders import handmade
from probe_media import SAMPLES, ape, audio, cover, sample
from probe_old import old_files

from mediacrawl.probe import Probe
from mediacrawl.probe.formats import READERS

LONGEST = 16 * 1024
"""Bytes of a seed that are kept, so that a million of its mutants take minutes, not days."""
DEMO = Path(__file__).parents[2] / "mediacrawl" / "programs" / "demo" / "media"
OTHER = "other"
"""The container of seeds that have no reader."""


@cache
def seeds() -> dict[str, bytes]:
    """All seeds by name, in an order that is the same each time."""
    found = {path.name: path.read_bytes() for folder in (SAMPLES, DEMO) for path in sorted(folder.iterdir())}
    for alike in [path.name for path in DEMO.glob("*.mp3")]:
        del found[alike]
    found.update(handmade() | old_files())
    found["cover.ape.mp3"] = audio(8) + ape((b"Cover Art (Front)", b"front.jpg\0" + cover(200)), (b"Title", b"Tone"))
    image = struct.pack(">II", 3, 10) + b"image/jpeg" + bytes(20) + struct.pack(">I", 2**24 + 9) + cover(300)
    flac = sample("tone.flac")
    found["long-picture.flac"] = flac[:42] + b"\6\0\0\x40" + image + flac[42:]
    for family in golden.FAMILIES:
        found.update((f"{family}: {name}", case.data) for name, case in golden.files(family) if case.headers is None)
    return {name: _cut(found[name]) for name in sorted(found) if found[name] and not name.endswith((".sh", ".txt"))}


def _cut(data: bytes) -> bytes:
    """A file of at most `LONGEST` bytes; of a longer one the middle is left out, since tags are at both ends."""
    return data if len(data) <= LONGEST else data[: LONGEST * 3 // 4] + data[-LONGEST // 4 :]


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
