"""The requests to a site as a file that can be attached to a mail: JSON lines or CSV."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mediacrawl.complaint.case import Case
from mediacrawl.complaint.errors import ComplaintError
from mediacrawl.complaint.lines import Asked
from mediacrawl.complaint.saying import breach_text, exactly
from mediacrawl.observe.text import clean, to_cell

FIELDS = (
    *("time", "method", "url", "sent", "status", "bytes", "duration", "gap", "delay", "kind", "drop", "error"),
    *("address", "retry_after", "content_type", "location", "robots_txt_of", "robots_txt_rule", "breaches"),
)


def rows(case: Case) -> Iterator[dict[str, Any]]:
    """One row for each line, with the names in `FIELDS`: the line, and what the desk found out about it."""
    wrong: dict[Asked, list[str]] = {}
    for breach in case.judgement.breaches:
        wrong.setdefault(breach.line, []).append(breach_text(breach).partition("  ")[2])
    for line in case.lines:
        yield _row(case, line, wrong.get(line, []))


def _row(case: Case, line: Asked, wrong: list[str]) -> dict[str, Any]:
    gap, state = case.gaps.get(line), case.robots.at(line.url, line.time)
    fetched = state.source.time if state and state.source and not line.is_robots else None
    return {
        "time": f"{exactly(line.time).replace(' ', 'T')}Z",
        "method": "GET" if line.sent else None,
        "url": line.url,
        "sent": line.sent,
        "status": line.status,
        "bytes": line.bytes,
        "duration": line.duration,
        "gap": None if gap is None else round(gap, 3),
        "delay": line.delay,
        "kind": line.kind,
        "drop": line.drop,
        "error": line.error,
        "address": line.address,
        "retry_after": line.retry_after,
        "content_type": line.content_type,
        "location": line.location,
        "robots_txt_of": None if fetched is None else f"{exactly(fetched).replace(' ', 'T')}Z",
        "robots_txt_rule": case.judgement.rules.get(line),
        "breaches": "; ".join(wrong),
    }


def write(case: Case, path: Path) -> int:
    """Write the file, whole or not at all.

    Args:
        case: see there.
        path: CSV if it ends in ``.csv``, else JSON lines.

    Returns:
        How many rows it has.

    Raises:
        ComplaintError: the disk said no.
    """
    text = _csv(case) if path.suffix.lower() == ".csv" else _json_lines(case)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ComplaintError(f"{path} cannot be written: {error.strerror or error}.") from error
    return len(case.lines)


def _json_lines(case: Case) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows(case))


def _csv(case: Case) -> str:
    out = io.StringIO()
    table = csv.DictWriter(out, FIELDS)
    table.writeheader()
    for row in rows(case):
        # What a server sent stands here too.
        table.writerow(
            {name: to_cell(clean(value)) if isinstance(value, str) else value for name, value in row.items()}
        )
    return out.getvalue()
