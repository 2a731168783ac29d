"""A case for other programs: the requests as a CSV or JSON lines file, everything else as one JSON object."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from mediacrawl.complaint.case import Case, ComplaintError
from mediacrawl.complaint.judging import Breach
from mediacrawl.complaint.lines import LoggedRequest, LoggedRobots
from mediacrawl.complaint.text import breach_text, exactly
from mediacrawl.observe.archive import replacing
from mediacrawl.observe.text import clean, to_cell

FIELDS = (
    *("time", "method", "url", "sent", "status", "bytes", "duration", "gap", "delay", "kind", "drop", "error"),
    *("address", "retry_after", "content_type", "location", "robots_txt_of", "robots_txt_rule", "breaches"),
)


def rows(case: Case) -> Iterator[dict[str, Any]]:
    """One row for each line, with the keys of `FIELDS`."""
    wrong: dict[LoggedRequest, list[str]] = {}
    for breach in case.judgement.breaches:
        wrong.setdefault(breach.line, []).append(breach_text(breach).partition("  ")[2])
    for line in case.lines:
        yield _row(case, line, wrong.get(line, []))


def _row(case: Case, line: LoggedRequest, wrong: list[str]) -> dict[str, Any]:
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
    """Write the file atomically.

    Args:
        case: the case.
        path: CSV if it ends in ``.csv``, else JSON lines.

    Returns:
        Number of rows.

    Raises:
        ComplaintError: the file cannot be written.
    """
    text = _csv(case) if path.suffix.lower() == ".csv" else _json_lines(case)
    try:
        with replacing(path) as file:
            file.write(text.encode())
    except OSError as error:
        raise ComplaintError(f"{path} cannot be written: {error.strerror or error}.") from error
    return len(case.lines)


def _json_lines(case: Case) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows(case))


def _csv(case: Case) -> str:
    out = io.StringIO()
    table = csv.DictWriter(out, FIELDS)
    table.writeheader()
    for row in rows(case):
        # Some values come from a server.
        table.writerow(
            {name: to_cell(clean(value)) if isinstance(value, str) else value for name, value in row.items()}
        )
    return out.getvalue()


def as_json(case: Case) -> dict[str, Any]:
    """The case in plain values. Times are UTC, durations seconds."""
    sums: dict[str, Any] = {each.name: getattr(case.sums, each.name) for each in fields(case.sums)}
    sums["first"], sums["last"] = _time(case.sums.first), _time(case.sums.last)
    if case.sums.busiest:
        sums["busiest"] = {"begins": _time(case.sums.busiest[0]), "requests": case.sums.busiest[1]}
    return {
        "site": case.subject.site,
        "host": case.subject.host,
        "prefix": case.subject.prefix,
        "since": None if case.since is None else _time(case.since),
        "log_begins": _time(case.begins),
        "read": _time(case.now),
        "behaved": case.judgement.behaved,
        "sums": sums,
        "breaches": [_breach(breach) for breach in case.judgement.breaches],
        "unproven": len(case.judgement.unproven),
        "robots_txt": [_fetch(fetch) for fetch in case.robots.fetches if fetch.authority in case.authorities],
        "complete": not case.notes,
        "notes": case.notes,
    }


def _breach(breach: Breach) -> dict[str, Any]:
    return {
        "fault": breach.fault,
        "time": _time(breach.line.time),
        "url": clean(breach.line.url),
        "owed": breach.owed,
        "kept": breach.kept,
        "rule": clean(breach.rule),
        "text": breach_text(breach),
    }


def _fetch(fetch: LoggedRobots) -> dict[str, Any]:
    return {
        "time": _time(fetch.time),
        "authority": clean(fetch.authority),
        "url": clean(fetch.url),
        "status": fetch.status,
        "bytes": fetch.size,
        "text": fetch.body.decode("utf-8", "replace"),
    }


def _time(when: float) -> str:
    return f"{exactly(when).replace(' ', 'T')}Z"
