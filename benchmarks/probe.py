"""What a probe fetches and what it gets right, over HTTP, for more than a hundred made files of all formats.

Each file is made (`probe_samples`: ffmpeg, mutagen, and bytes by hand), served with Range on loopback and fetched the
way the crawl does it: `Session` says which range, its state is packed between two requests. What is right is what was
put in, never what our own reader makes of the whole file: a text counts if it is under its name in the record,
exactly, or byte for byte where it was written in another encoding than its container declares; a duration counts within
1 %, also where the probe says that it is estimated. Beside it: mutagen on the first 64 KB, and tinytag on the whole
file as a second opinion.

Run: ``make bench NAME=probe``, some minutes the first time, since ffmpeg makes the files; they are kept. Arguments:
``--samples DIR`` for where (900 MB; without it in ``mediacrawl-probe-samples`` of the temporary folder), ``--quick``
for shorter files, ``--only WORD`` for files with that in their name or group, ``--check`` to count each file's
duration with ffmpeg first.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import probe_samples_audio
import probe_samples_faults
import probe_samples_mpeg
import probe_samples_old
import probe_samples_rare
import probe_samples_video
from probe_peers import NOTHING, Said, mutagen_head, tinytag_whole
from probe_samples import Kitchen, MissingEncoderError, Sample, Text

from mediacrawl.demo.http import HttpServer, ServerExchange
from mediacrawl.demo.message import Resource, Response, respond, strong_etag
from mediacrawl.probe import Probe, ProbePolicy, ProbeResult
from mediacrawl.probe.claims import expected_by_name
from mediacrawl.probe.session import FirstAnswer, Reply, Session

KB = 1024
NEAR = 0.01
"""Of its length a duration may be wrong by this much."""
FACTS_NEAR = {"sample_rate": 0.0, "channels": 0.0, "bits_per_sample": 0.0, "bitrate": 0.05}
"""By how much we and tinytag may differ."""


@dataclass
class Row:
    """What was measured of one file.

    Attributes:
        sample: the file, and the truth.
        size: of the file, in bytes.
        requests: that the probe cost.
        fetched: bytes that it cost.
        cpu: seconds of processor time, all walks and the packing between them.
        result: what the probe found.
        head: what mutagen says of the first 64 KB.
        second: what tinytag says of the whole file.
    """

    sample: Sample
    size: int
    requests: int
    fetched: int
    cpu: float
    result: ProbeResult
    head: Said = NOTHING
    second: Said | None = None
    missing: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.missing = [f"{text.key or 'some'}={text.text[:20]}" for text in self.sample.texts if not self._has(text)]

    def _has(self, text: Text) -> bool:
        return any(
            (tag.key == text.key or not text.key)
            and (tag.text == text.text if text.raw is None else tag.raw == text.raw)
            for tag in self.result.tags
        )

    @property
    def lasts(self) -> bool:
        """Whether the duration is right."""
        return is_near(self.result.duration, self.sample.seconds)

    @property
    def right(self) -> bool:
        """Whether duration and texts are."""
        return self.lasts and not self.missing

    @property
    def wrong_facts(self) -> list[str]:
        """Facts that are not what was made, as ``name=what the probe says``."""
        truth = {"encoding_format": self.sample.mime or self.result.encoding_format, **self.sample.facts}
        found = {name: getattr(self.result, name) for name in truth}
        return [f"{name}={found[name]}" for name, value in truth.items() if not same(found[name], value)]


def is_near(found: float | None, truth: float | None, share: float = NEAR) -> bool:
    """Whether two numbers are; a number that nobody can know is rightly missing."""
    if found is None or truth is None:
        return found is truth
    return abs(found - truth) <= truth * share


def same(found: object, truth: object) -> bool:
    """Equality, but of a frame rate only within 1 %."""
    if isinstance(truth, float):
        return isinstance(found, float | int) and is_near(found, truth)
    return found == truth


# -- over HTTP ---------------------------------------------------------------------------------------------------------


class Shelf:
    """A server of one file at a time, as an honest server gives it."""

    def __init__(self) -> None:
        self._file = Resource()
        self._server = HttpServer(self._answer)
        self._connection: http.client.HTTPConnection | None = None

    async def _answer(self, exchange: ServerExchange) -> None:
        answer: Response = respond(self._file, exchange.request)
        await exchange.send(answer)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()
        self._server.stop()

    def put(self, data: bytes) -> None:
        """Serves this file from now on, over a connection of its own: making the next may take long."""
        self._close()
        self._file = Resource(data, "application/octet-stream", etag=strong_etag(data))
        self._connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=60)

    def _close(self) -> None:
        if self._connection:
            self._connection.close()

    def get(self, start: int, stop: int, first: FirstAnswer) -> tuple[http.client.HTTPResponse, bytes]:
        """Asks for a range, of the version that was first seen; answers the head and the body."""
        assert self._connection is not None
        headers = {"Range": f"bytes={start}-{stop - 1}", "Accept-Encoding": "identity"}
        if first.validator:
            headers["If-Range"] = first.validator
        self._connection.request("GET", "/file", headers=headers)
        answer = self._connection.getresponse()
        return answer, answer.read()


def fetch(shelf: Shelf, policy: ProbePolicy, name: str) -> tuple[Session, ProbeResult, float]:
    """Probes what is on the shelf under a name; answers the session, the result, and seconds of processor time."""
    session, cpu = Session(Probe(policy, expected=expected_by_name(name))), 0.0
    while (wanted := session.probe.next_range()) is not None:
        answer, body = shelf.get(*wanted, session.first)
        began = time.thread_time()
        session.take(reply_of(answer, body))
        session = Session.load(session.dump(), policy)
        cpu += time.thread_time() - began
    began = time.thread_time()
    result = session.probe.result()
    return session, result, cpu + time.thread_time() - began


def reply_of(answer: http.client.HTTPResponse, body: bytes) -> Reply:
    """An answer in the words of `Session`."""

    def header(name: str) -> str:
        return answer.getheader(name, "")

    return Reply(
        status=answer.status,
        body=body,
        at="2026-01-01T00:00:00Z",
        content_type=header("Content-Type"),
        content_range=header("Content-Range"),
        content_length=header("Content-Length"),
        etag=header("ETag"),
        date=header("Date"),
    )


def measure(sample: Sample, data: bytes, shelf: Shelf) -> Row:
    shelf.put(data)
    session, result, cpu = fetch(shelf, ProbePolicy(), sample.name)
    probe = session.probe
    peers = mutagen_head(sample.name, data), tinytag_whole(sample.name, data)
    return Row(sample, len(data), probe.requests, probe.bytes_fetched, cpu, result, *peers)


def measure_all(samples: Sequence[Sample], kitchen: Kitchen, *, check: bool) -> tuple[list[Row], list[str]]:
    """Answers what was measured, and a line for each file that could not be made as it was meant."""
    rows, faults = [], []
    with Shelf() as shelf:
        for sample in samples:
            try:
                data = sample.make()
            except MissingEncoderError as error:
                faults.append(f"{sample.name} was not made: {error}")
                continue
            counted = kitchen.count_seconds(sample.name, data) if check and sample.countable else sample.seconds
            if not is_near(counted, sample.seconds):
                faults.append(f"{sample.name} plays {counted} s by ffmpeg's count, and should {sample.seconds}")
            rows.append(measure(sample, data, shelf))
    return rows, faults


# -- printing ----------------------------------------------------------------------------------------------------------


def print_files(rows: Sequence[Row]) -> None:
    print(f"{'':33}{'MB':>7}{'req':>4}{'KB':>7}{'tags':>5}{'dur':>5}{'CPU ms':>8}  mutagen 64 KB")
    for row in rows:
        name, size, head = row.sample.name, row.size / 1e6, row.head
        duration = "ok" if row.lasts else "NO"
        duration += "~" if row.result.duration_estimated else ""
        print(
            f"{name:33}{size:>7.1f}{row.requests:>4}{row.fetched / KB:>7.1f}{'NO' if row.missing else 'ok':>5}"
            f"{duration:>5}{row.cpu * 1e3:>8.1f}  {yes(head.has(row.sample.texts)):3}{yes(head_lasts(row)):3}{why(row)}"
        )


def yes(holds: bool) -> str:
    return "ok" if holds else "-"


def head_lasts(row: Row) -> bool:
    return is_near(row.head.seconds, row.sample.seconds)


def head_right(row: Row) -> bool:
    return head_lasts(row) and row.head.has(row.sample.texts)


def why(row: Row) -> str:
    """What is not right with a file, in some words; empty if all is."""
    words = []
    if not row.lasts:
        words.append(f"duration {row.result.duration} of {row.sample.seconds}")
    words += [f"no {missing}" for missing in row.missing]
    words += row.wrong_facts
    if row.result.status != "complete":
        words.append(" ".join([row.result.status, *row.result.notes]))
    return "  " + "; ".join(words) if words else ""


def print_groups(rows: Sequence[Row]) -> None:
    print(
        f"\n{'':12}{'files':>6}{'requests':>10}{'KB':>8}{'tags':>7}{'duration':>10}{'facts':>7}  (requests, KB: median)"
    )
    for group in dict.fromkeys(row.sample.group for row in rows):
        some = [row for row in rows if row.sample.group == group]
        requests, size = median([row.requests for row in some]), median([row.fetched / KB for row in some])
        counts = [sum(not row.missing for row in some), sum(row.lasts for row in some)]
        facts = sum(not row.wrong_facts for row in some)
        print(f"{group:12}{len(some):>6}{requests:>10.1f}{size:>8.1f}{counts[0]:>7}{counts[1]:>10}{facts:>7}")


def print_second_opinion(rows: Sequence[Row]) -> None:
    lines = [f"{row.sample.name:33}{line}" for row in rows for line in disagreements(row)]
    read = sum(row.second is not None for row in rows)
    print(f"\ntinytag reads {read} of {len(rows)} files whole; where it says something else:")
    print("\n".join(lines) if lines else "nowhere")


def disagreements(row: Row) -> list[str]:
    """Where tinytag and the probe both say something, and not the same."""
    lines = []
    second = row.second or NOTHING
    ours = row.result
    if second.seconds and not is_near(second.seconds, ours.duration or 0):
        lines.append(f"duration {second.seconds:.1f}, we {ours.duration}; it is {row.sample.seconds}")
    for name, share in FACTS_NEAR.items():
        theirs, found = second.facts.get(name), getattr(ours, name)
        if theirs and found and not is_near(found, theirs, share):
            lines.append(f"{name} {theirs}, we {found}")
    for name in ("title", "artist", "album"):
        theirs, found = second.facts.get(name), [tag.text for tag in ours.tags if tag.key == name]
        if theirs and theirs not in found:
            lines.append(f"{name} {theirs!r}, we {found}")
    return lines


def median(values: Sequence[float]) -> float:
    return statistics.median(values) if values else 0.0


def highest_of_90(values: Sequence[float]) -> float:
    """The value that 90 % do not exceed."""
    return sorted(values)[-(-len(values) * 9 // 10) - 1]


def figures(rows: Sequence[Row], *, quick: bool) -> list[dict[str, object]]:
    requests, sizes = [row.requests for row in rows], [row.fetched / KB for row in rows]
    right = 100 * sum(row.right for row in rows) / len(rows)
    peer = 100 * sum(head_right(row) for row in rows) / len(rows)
    share = 100 * sum(row.fetched for row in rows) / sum(row.size for row in rows)
    facts = 100 * sum(not row.wrong_facts for row in rows) / len(rows)
    return [
        {**figure("probe_right", right, "%", 98, "more"), "peer": round(peer, 2)},
        figure("probe_requests_median", median(requests), "requests", 2, "less"),
        figure("probe_fetched_median", median(sizes), "KB", 24, "less"),
        figure("probe_requests_p90", highest_of_90(requests), "requests", 4, "less"),
        figure("probe_fetched_p90", highest_of_90(sizes), "KB", 128, "less"),
        # Short files have heads that are as long.
        figure("probe_share_fetched", None if quick else share, "%", 1, "less"),
        figure("probe_facts_right", facts, "%", 98, "more"),
        figure("probe_cpu_slowest", max(row.cpu for row in rows) * 1e3, "ms", 2000, "less"),
        figure("probe_files", len(rows), "files", 60, "more"),
    ]


def figure(name: str, value: float | None, unit: str, target: float, better: str) -> dict[str, object]:
    rounded = None if value is None else round(value, 2)
    return {"name": name, "value": rounded, "unit": unit, "target": target, "better": better}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=Path, default=Path(tempfile.gettempdir()) / "mediacrawl-probe-samples")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    kitchen = Kitchen(given.samples / ("quick" if given.quick else "full"), quick=given.quick)
    modules = (
        probe_samples_mpeg,
        probe_samples_audio,
        probe_samples_rare,
        probe_samples_video,
        probe_samples_old,
        probe_samples_faults,
    )
    everything = [sample for module in modules for sample in module.samples(kitchen)]
    samples = [one for one in everything if given.only.lower() in f"{one.name} {one.group}".lower()]
    if not samples:
        parser.error(f"no file has {given.only!r} in its name or group")
    rows, faults = measure_all(samples, kitchen, check=given.check)
    if not rows:
        raise SystemExit("\n".join(faults))
    print_files(rows)
    print_groups(rows)
    print_second_opinion(rows)
    print("\n" + "\n".join([*faults, *summary(rows)]))
    print(json.dumps({"bench": "probe", "figures": figures(rows, quick=given.quick)}))


def summary(rows: Sequence[Row]) -> list[str]:
    fetched, whole = sum(row.fetched for row in rows) / 1e6, sum(row.size for row in rows) / 1e6
    cpu = [row.cpu * 1e3 for row in rows]
    right, mutagen = sum(row.right for row in rows), sum(head_right(row) for row in rows)
    off = [row for row in rows if not row.lasts]
    estimated = sum(bool(row.result.duration_estimated) for row in off)
    return [
        f"fetched {fetched:.1f} MB to describe {whole:.0f} MB, {fetched / whole:.2%}, in {len(rows)} files",
        f"tags and duration right: {right} of {len(rows)}; mutagen on the first 64 KB: {mutagen}",
        f"durations wrong by more than 1 %, or missing: {len(off)}, of which {estimated} are said to be estimated",
        f"CPU ms of a file: median {median(cpu):.1f}, at most {max(cpu):.1f}",
    ]


if __name__ == "__main__":
    main()
