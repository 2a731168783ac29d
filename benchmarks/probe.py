"""What a probe fetches and what of a record is right, over HTTP, for more than 160 made files of all formats.

Each file is made (`probe_samples`: ffmpeg, mutagen, and bytes by hand), served with Range on loopback and fetched the
way the crawl does it: `Session` says which range, its state is packed between two requests. What is right is what was
put in, never what our own reader makes of the whole file. It is counted by fields (`probe_truth`): a text counts if it
is under its name in the record, exactly, or byte for byte where it was written in another encoding than its container
declares; a duration counts within 1 %, also where the probe says that it is estimated. Beside it, on the whole files:
mutagen, tinytag, and ffprobe where there is one, each with the benefit of the doubt (`probe_said`); and mutagen on the
first 64 KB.

Run: ``make bench NAME=probe``, some minutes the first time, since ffmpeg makes the files; they are kept. Arguments:
``--samples DIR`` for where (1.5 GB; without it in ``mediacrawl-probe-samples`` of the temporary folder), ``--quick``
for shorter files, ``--only WORD`` for files with that in their name or group, ``--check`` to count each file's
duration with ffmpeg first.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from probe_http import Shelf, fetch
from probe_peers import ffprobe_whole, mutagen_head, mutagen_whole, tinytag_whole
from probe_samples import Kitchen, MissingEncoderError, Sample
from probe_samples_all import all_samples
from probe_tables import KB, Row, print_files, print_second_opinion, print_shares, share, surplus_lines
from probe_truth import KINDS, PROMISED, Recorded, is_near

from mediacrawl.probe import Probe
from mediacrawl.record import build_item

PEERS = {
    "mutagen": mutagen_whole,
    "tinytag": tinytag_whole,
    "ffprobe": ffprobe_whole,
    "mutagen 64 KB": mutagen_head,
}
LEAST_RIGHT = 98.5
"""Per cent of the fields that are to be right."""
_URL = "https://media.example/file"
"""Nothing of a file's truth is in its address."""


def measure(sample: Sample, data: bytes, shelf: Shelf, folder: Path) -> Row:
    """Probes one file, and asks the others about it.

    Args:
        sample: what is true of it.
        data: its bytes.
        shelf: serves it.
        folder: where it lies for the others while they read it.
    """
    shelf.put(data)
    session, result, cpu = fetch(shelf, Probe(names=[sample.name]))
    probe = session.probe
    item = build_item(result, probe, url=_URL, first=session.first)
    path = folder / sample.name
    path.write_bytes(data)
    said = {name: ask(path) for name, ask in PEERS.items()}
    path.unlink()
    return Row(sample, len(data), probe.requests, probe.bytes_fetched, cpu, result, Recorded(item), said)


def measure_all(samples: Sequence[Sample], kitchen: Kitchen, *, check: bool) -> tuple[list[Row], list[str]]:
    """Answers what was measured, and a line for each file that could not be made as it was meant."""
    rows, faults = [], []
    with Shelf() as shelf, tempfile.TemporaryDirectory() as folder:
        for sample in samples:
            try:
                data = sample.make()
            except MissingEncoderError as error:
                faults.append(f"{sample.name} was not made: {error}")
                continue
            if check and sample.countable and sample.seconds is not None:
                counted = kitchen.count_seconds(sample.name, data)
                if not is_near(counted, sample.seconds):
                    faults.append(f"{sample.name} plays {counted} s by ffmpeg's count, and should {sample.seconds}")
            rows.append(measure(sample, data, shelf, Path(folder)))
    return rows, faults


def highest_of_90(values: Sequence[float]) -> float:
    """The value that 90 % do not exceed."""
    return sorted(values)[-(-len(values) * 9 // 10) - 1]


def figures(rows: Sequence[Row], *, quick: bool) -> list[dict[str, object]]:
    requests, sizes = [row.requests for row in rows], [row.fetched / KB for row in rows]
    part = 100 * sum(row.fetched for row in rows) / sum(row.size for row in rows)
    peers = {name: share(rows, PROMISED, name) for name in PEERS if any(row.said[name] for row in rows)}
    fields = figure("probe_fields_right", share(rows, PROMISED), "%", LEAST_RIGHT, "more")
    return [
        {**fields, "peers": {name: None if right is None else round(right, 2) for name, right in peers.items()}},
        *(figure(f"probe_{kind}_right", share(rows, [kind]), "%", LEAST_RIGHT, "more") for kind in KINDS),
        figure("probe_requests_median", statistics.median(requests), "requests", 2, "less"),
        figure("probe_fetched_median", statistics.median(sizes), "KB", 24, "less"),
        figure("probe_requests_p90", highest_of_90(requests), "requests", 3, "less"),
        figure("probe_fetched_p90", highest_of_90(sizes), "KB", 64, "less"),
        # Short files have heads that are as long.
        figure("probe_share_fetched", None if quick else part, "%", 1, "less"),
        figure("probe_cpu_slowest", max(row.cpu for row in rows) * 1e3, "ms", 2000, "less"),
        figure("probe_files", len(rows), "files", 160, "more"),
    ]


def figure(name: str, value: float | None, unit: str, target: float, better: str) -> dict[str, object]:
    rounded = None if value is None else round(value, 2)
    return {"name": name, "value": rounded, "unit": unit, "target": target, "better": better}


def summary(rows: Sequence[Row]) -> list[str]:
    fetched, whole = sum(row.fetched for row in rows) / 1e6, sum(row.size for row in rows) / 1e6
    cpu = [row.cpu * 1e3 for row in rows]
    off = [row for row in rows if any(each.kind == "duration" for each in row.missing)]
    estimated = sum(bool(row.result.duration_estimated) for row in off)
    return [
        f"fetched {fetched:.1f} MB to describe {whole:.0f} MB, {fetched / whole:.2%}, in {len(rows)} files",
        f"files with all fields right: {sum(not row.missing for row in rows)} of {len(rows)}",
        f"durations wrong by more than 1 %, or missing: {len(off)}, of which {estimated} are said to be estimated",
        f"CPU ms of a file: median {statistics.median(cpu):.1f}, at most {max(cpu):.1f}",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=Path, default=Path(tempfile.gettempdir()) / "mediacrawl-probe-samples")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    kitchen = Kitchen(given.samples / ("quick" if given.quick else "full"), quick=given.quick)
    word = given.only.lower()
    samples = [one for one in all_samples(kitchen) if word in f"{one.name} {one.group}".lower()]
    if not samples:
        parser.error(f"no file has {given.only!r} in its name or group")
    rows, faults = measure_all(samples, kitchen, check=given.check)
    if not rows:
        raise SystemExit("\n".join(faults))
    print_files(rows)
    print_second_opinion(rows)
    print_shares(rows, list(PEERS))
    print("\n" + "\n".join([*faults, *surplus_lines(rows), *summary(rows)]))
    print(json.dumps({"bench": "probe", "figures": figures(rows, quick=given.quick)}))


if __name__ == "__main__":
    main()
