"""One file's probe, as it is told to a person: what was asked, what came, what was read, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mediacrawl.encoding.records.evidence import raw_bytes
from mediacrawl.observe.format import elapsed, playing_time, size
from mediacrawl.observe.text import cut, pad, printable
from mediacrawl.probe.planner import Probe
from mediacrawl.probe.result import ProbeResult

_BYTES_SHOWN = 48
"""Bytes of one text that are shown in hexadecimal; ``--json`` has all."""
_TEXT_SHOWN = 200
_LABEL = 14
_HIDDEN = frozenset({"tags", "extra", "schema_version"})


@dataclass(slots=True)
class ProbeRequest:
    """One request.

    Attributes:
        url: what was asked for.
        asked: ``robots.txt``, ``the whole file``, or the bytes.
        status: HTTP status, 0 without an answer.
        bytes: of the body, as received.
        seconds: until it had come; None without an answer.
        waited: seconds that the site was left alone before.
        remark: what is unusual, or why it ended.
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
    """What a probe of one file came to.

    Attributes:
        target: the URL or path, as it was given.
        fetches: requests, in their order.
        stages: parts of the walk -> how each ended.
        notes: why the result is not complete.
        ranges: pieces of the file that were read: start and length.
        record: the record; None if there is none.
        why: why there is none.
    """

    target: str
    fetches: list[ProbeRequest] = field(default_factory=list)
    stages: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    record: dict[str, Any] | None = None
    why: str = ""

    def take(self, result: ProbeResult, probe: Probe) -> None:
        """Note what a finished probe found.

        Args:
            result: its result.
            probe: the probe.
        """
        self.stages, self.notes = probe.stages() if probe.head else {}, list(result.notes)
        self.ranges = [(start, len(data)) for start, data in probe.segments()]
        if result.container or result.encoding_format:
            self.why = f"it is {result.container or result.encoding_format}, no audio or video"
        elif not self.ranges and self.notes:
            self.why = self.notes[0]


def as_object(account: ProbeReport) -> dict[str, Any]:
    """Give an account the form that JSON has.

    Args:
        account: of one file.
    """
    return {
        "target": account.target,
        "requests": [
            {name: getattr(fetch, name) for name in ("url", "asked", "status", "bytes", "seconds", "waited", "remark")}
            for fetch in account.fetches
        ],
        "ranges": [{"start": start, "bytes": length} for start, length in account.ranges],
        "stages": account.stages,
        "notes": account.notes,
        "record": account.record,
        "why": (account.why or None) if account.record is None else None,
    }


def fetch_line(fetch: ProbeRequest) -> str:
    """Write one request on one line.

    Args:
        fetch: which has ended.
    """
    status = str(fetch.status) if fetch.status else "-"
    took = elapsed(fetch.seconds) if fetch.seconds is not None else "-"
    waited = f"  after {elapsed(fetch.waited)} of delay" if fetch.waited else ""
    remark = f"  {printable(cut(fetch.remark, _TEXT_SHOWN))}" if fetch.remark else ""
    return f"  {pad(fetch.asked, 28)} {status:>4} {size(fetch.bytes):>8} {took:>8}{waited}{remark}"


def lines(account: ProbeReport) -> Iterator[str]:
    """Write what was read of a file, and the evidence; the requests are told as they come.

    Args:
        account: of one file.
    """
    for start, length in account.ranges:
        yield _labelled("bytes read", f"{start:,} to {start + length - 1:,} ({size(length)})")
    for name, ended in account.stages.items():
        yield _labelled("stage", f"{printable(name)}: {printable(cut(ended, _TEXT_SHOWN))}")
    for note in account.notes:
        yield _labelled("not complete", printable(cut(note, _TEXT_SHOWN)))
    if account.record is None:
        yield _labelled("no record", printable(account.why or "nothing came"))
        return
    yield ""
    for name, value in account.record.items():
        if name not in _HIDDEN and value not in (None, "", []):
            yield f"  {pad(name, 22)}{printable(cut(_shown(name, value), _TEXT_SHOWN))}"
    for element in account.record["tags"]:
        yield ""
        yield from _evidence(element)


def _labelled(label: str, text: str) -> str:
    return f"  {pad(label, _LABEL)}{text}"


def _shown(name: str, value: Any) -> str:
    if name == "duration":
        return f"{value:.3f} s ({playing_time(value)})"
    return (
        f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) and "number" not in name else str(value)
    )


def _evidence(element: Mapping[str, Any]) -> Iterator[str]:
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


def _otherwise(element: Mapping[str, Any]) -> str:
    told = element.get("text_declared")
    return f", which would be: {printable(cut(told, _TEXT_SHOWN))}" if isinstance(told, str) else ""
