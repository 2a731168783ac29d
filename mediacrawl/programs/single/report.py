"""The report of one file's probe for a person: requests, bytes, stages and the record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.base.evidence import raw_bytes
from mediacrawl.base.format import elapsed, playing_time, size
from mediacrawl.base.text import cut, pad, printable
from mediacrawl.probe import Probe, ProbeResult

_BYTES_SHOWN = 48
"""Bytes of one text shown in hexadecimal; ``--json`` has all."""
_TEXT_SHOWN = 200
_LABEL = 14
_HIDDEN = frozenset({"tags", "extra", "schema_version"})


@dataclass(slots=True)
class ProbeRequest:
    """One request.

    Attributes:
        url: the requested URL.
        asked: ``robots.txt``, ``the whole file``, or the bytes.
        status: HTTP status, 0 without a response.
        bytes: of the body, as received.
        seconds: until the body had arrived; None without a response.
        waited: seconds of delay before the request.
        remark: what is unusual, or why it failed.
    """

    url: str
    asked: str
    status: int = 0
    bytes: int = 0
    seconds: float | None = None
    waited: float = 0.0
    remark: str = ""


@dataclass(slots=True)
class ProbeReport:
    """The outcome of the probe of one file.

    Attributes:
        target: the URL or path, as it was given.
        fetches: requests, in order.
        stages: name of each stage of the walk -> how it ended.
        notes: why the result is not complete.
        ranges: start and length of the fetched segments.
        record: the record; None if there is none.
        why: the reason for no record.
    """

    target: str
    fetches: list[ProbeRequest] = field(default_factory=list)
    stages: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    record: dict[str, Any] | None = None
    why: str = ""

    def take(self, result: ProbeResult, probe: Probe) -> None:
        """Copies the result of a finished probe."""
        self.stages, self.notes = probe.stages() if probe.head else {}, list(result.notes)
        self.ranges = [(start, len(data)) for start, data in probe.segments()]
        if result.container or result.encoding_format:
            self.why = f"it is {result.container or result.encoding_format}, no audio or video"
        elif not self.ranges and self.notes:
            self.why = self.notes[0]


def as_object(report: ProbeReport) -> dict[str, Any]:
    """Returns the report as an object for JSON."""
    return {
        "target": report.target,
        "requests": [
            {name: getattr(fetch, name) for name in ("url", "asked", "status", "bytes", "seconds", "waited", "remark")}
            for fetch in report.fetches
        ],
        "ranges": [{"start": start, "bytes": length} for start, length in report.ranges],
        "stages": report.stages,
        "notes": report.notes,
        "record": report.record,
        "why": (report.why or None) if report.record is None else None,
    }


def fetch_line(fetch: ProbeRequest) -> str:
    """Formats one finished request on one line."""
    status = str(fetch.status) if fetch.status else "-"
    took = elapsed(fetch.seconds) if fetch.seconds is not None else "-"
    waited = f"  after {elapsed(fetch.waited)} of delay" if fetch.waited else ""
    remark = f"  {printable(cut(fetch.remark, _TEXT_SHOWN))}" if fetch.remark else ""
    return f"  {pad(fetch.asked, 28)} {status:>4} {size(fetch.bytes):>8} {took:>8}{waited}{remark}"


def lines(report: ProbeReport) -> Iterator[str]:
    """Formats what was read of a file, and the evidence; the requests are printed as they finish."""
    for start, length in report.ranges:
        yield _labelled("bytes read", f"{start:,} to {start + length - 1:,} ({size(length)})")
    for name, ended in report.stages.items():
        yield _labelled("stage", f"{printable(name)}: {printable(cut(ended, _TEXT_SHOWN))}")
    for note in report.notes:
        yield _labelled("not complete", printable(cut(note, _TEXT_SHOWN)))
    if report.record is None:
        yield _labelled("no record", printable(report.why or "nothing came"))
        return
    yield ""
    known = [(n, v) for n, v in report.record.items() if n not in _HIDDEN and v not in (None, "", [])]
    width = max((len(name) for name, _ in known), default=0) + 2
    for name, value in known:
        yield f"  {pad(name, width)}{printable(cut(_shown(name, value), _TEXT_SHOWN))}"
    for element in report.record["tags"]:
        yield ""
        place = " ".join(filter(None, [element["source"], element["frame"], element["lang"], element["desc"]]))
        yield f"  {printable(cut(place, _TEXT_SHOWN))} -> {printable(element['key'])}"
        yield f"    text      {printable(cut(element['text'], _TEXT_SHOWN))}"
        raw = raw_bytes(element)
        if raw is not None:
            more = f" ... {len(raw):,} bytes" if len(raw) > _BYTES_SHOWN else ""
            yield f"    bytes     {raw[:_BYTES_SHOWN].hex(' ')}{more}"
        yield f"    declared  {printable(element['declared'])}{_otherwise(element)}"
        if element.get("decision"):
            sure = element.get("confidence")
            told = f", confidence {sure:.2f}" if isinstance(sure, float) else ""
            other = f", next {printable(element['runner_up'])}" if element.get("runner_up") else ""
            yield f"    decided   {element['decision']}: {printable(str(element.get('encoding')))}{told}{other}"


def _labelled(label: str, text: str) -> str:
    return f"  {pad(label, _LABEL)}{text}"


def _shown(name: str, value: Any) -> str:
    if name == "duration":
        return f"{value:.3f} s ({playing_time(value)})"
    return (
        f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) and "number" not in name else str(value)
    )


def _otherwise(element: Mapping[str, Any]) -> str:
    told = element.get("text_declared")
    return f", which would be: {printable(cut(told, _TEXT_SHOWN))}" if isinstance(told, str) else ""
