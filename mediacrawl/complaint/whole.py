"""A case as one JSON object, for other programs. The requests themselves are in the attachment."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mediacrawl.complaint.case import Case
from mediacrawl.complaint.judging import Breach
from mediacrawl.complaint.lines import Fetched
from mediacrawl.complaint.saying import breach_text, exactly
from mediacrawl.observe.text import clean


def as_json(case: Case) -> dict[str, Any]:
    """The case in plain values. Times are UTC, lengths of time seconds."""
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


def _fetch(fetch: Fetched) -> dict[str, Any]:
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
