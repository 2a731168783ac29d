"""The records of the golden files of ``tests/probe/golden``, which are beside each family as JSON.

``python tests/record/golden_records.py`` writes them anew, or those of the families that are named. Read the diff: a
record that changed is a decision, not a formality.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "probe"))

import golden

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.record import build_item

_COSTS = {"requests", "bytes_fetched", "head_bytes", "head_sha256", "schema_version"}
_KNOWN = {"id", "content_url", "content_size", "discovered_via", "probe_status", "tags"}


def record(case: golden.Case) -> dict[str, Any]:
    """Return all that the record of the file shows, beside what the probe of it shows."""
    probe, found, result = golden.probed(case)
    item = build_item(result, probe, url="http://media.example/file")
    for name in item.__slots__:
        value = getattr(item, name)
        if name not in _COSTS | _KNOWN and value not in (None, [], {}, ""):
            found[name] = golden.short(value)
    lines = [golden.tag_line(SimpleNamespace(**element), raw_bytes(element)) for element in item.tags]
    return golden.finished(case, found, lines)


def write(family: str) -> None:
    """Write the expected records of a family."""
    files = golden.files(family)
    lines = [f"{json.dumps(name)}: {json.dumps(record(case), ensure_ascii=False)}" for name, case in files]
    golden.path_of(family).write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or golden.FAMILIES:
        write(name)
