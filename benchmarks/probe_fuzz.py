"""Damaged media files by the million: does a probe always end, in time, in bounds, with a record that can be stored?

The cases are those of ``tests/fuzz``, which runs a few thousand of them with every test run: real samples of all
formats, damaged in one to four ways, from servers that are honest or lie. Each is probed to its end, its record is
built, and both are judged there. Here all cores work on them, each in a process of its own, which notes how long a case
took, what the largest did to the process's memory, and stops one that takes longer than `PATIENCE`. The record of
about every thousandth case is validated by the JSON Schema.

Run: ``make bench NAME=probe_fuzz``, 100,000 inputs, some minutes on two cores; ``ARGS="--inputs 1000000"`` for the long
form; ``--first N`` for other cases than the last time; ``--repeat N --save FILE`` to run one case alone, with its
traceback, and to keep its bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS / "fuzz"), str(TESTS / "probe")]

from fuzz_drive import Case, make_case, run_case  # noqa: E402
from fuzz_schema import validate  # noqa: E402
from fuzz_seeds import by_container, seeds  # noqa: E402

CHUNK = 1000
"""Cases that a process takes at a time."""
PATIENCE = 10.0
"""Seconds of processor time after which a case counts as one that hangs."""
MOST_SECONDS, MOST_MB = 2.0, 64.0
"""What one probe may take."""
SHOWN = 40
"""Kinds of faults that are printed."""
VALIDATED = 997
"""The record of one case of so many is validated by the schema, which takes some milliseconds. It is a prime, so that
all containers come in turn."""


class HangError(BaseException):
    """A case takes too long. Not an `Exception`, since a probe catches those."""


@dataclass
class Chunk:
    """What some cases gave.

    Attributes:
        cases: how many there were.
        faults: by kind, the number of the first case, and how often.
        slowest: seconds of processor time, and the case's number.
        memory: by how many bytes the largest case made the process grow, and its number.
        status: how often each came out.
        validated: how many records were compared with the schema.
    """

    cases: int = 0
    faults: dict[str, tuple[int, int]] = field(default_factory=dict)
    slowest: tuple[float, int] = (0.0, 0)
    memory: tuple[int, int] = (0, 0)
    status: Counter[str] = field(default_factory=Counter)
    validated: int = 0

    def fault(self, kind: str, number: int, times: int = 1) -> None:
        """Notes one, or several of a kind."""
        first, before = self.faults.get(kind, (number, 0))
        self.faults[kind] = min(first, number), before + times

    def add(self, other: Chunk) -> None:
        """Takes over what another one found."""
        self.cases += other.cases
        self.slowest, self.memory = max(self.slowest, other.slowest), max(self.memory, other.memory)
        self.status += other.status
        self.validated += other.validated
        for kind, (number, times) in other.faults.items():
            self.fault(kind, number, times)


def case_of(number: int) -> Case:
    """Each container in turn, so that all readers have as many cases."""
    groups = sorted(by_container().items())
    return make_case(number, groups[number % len(groups)][1])


def run_chunk(first: int, count: int) -> Chunk:
    signal.signal(signal.SIGPROF, _hang)
    chunk = Chunk(count)
    for number in range(first, first + count):
        case = case_of(number)
        before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        signal.setitimer(signal.ITIMER_PROF, PATIENCE)
        try:
            probe = run_case(case)
            chunk.status[probe.result().status.partition(":")[0]] += 1
            if number % VALIDATED == 0:
                chunk.validated += 1
                validate(probe)
        except BaseException as error:  # noqa: BLE001  (that is what is looked for)
            chunk.fault(kind_of(error), number)
        signal.setitimer(signal.ITIMER_PROF, 0)
        chunk.slowest = max(chunk.slowest, (time.process_time() - began, number))
        growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        chunk.memory = max(chunk.memory, (growth * 1024, number))
    return chunk


def _hang(*_: object) -> None:
    raise HangError


def kind_of(error: BaseException) -> str:
    """Class and message without numbers, and where in the project it was raised."""
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "mediacrawl" in one.filename]
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}" if frames else "?"
    message = "".join("#" if sign.isdigit() else sign for sign in str(error).partition("\n")[0])[:60]
    return f"{type(error).__name__} {message} at {place}"


def chunks(first: int, inputs: int) -> Iterator[tuple[int, int]]:
    for start in range(first, first + inputs, CHUNK):
        yield start, min(CHUNK, first + inputs - start)


def run_all(first: int, inputs: int, processes: int) -> Chunk:
    by_container()  # here, so that all processes inherit the same seeds
    whole, said = Chunk(), time.monotonic()
    with ProcessPoolExecutor(processes) as pool:
        for chunk in pool.map(run_chunk, *zip(*chunks(first, inputs), strict=True)):
            whole.add(chunk)
            if time.monotonic() - said > 60:
                said = time.monotonic()
                print(f"{whole.cases:,} inputs, {len(whole.faults)} kinds of faults", file=sys.stderr, flush=True)
    return whole


def repeat(number: int, save: Path | None) -> None:
    """Runs one case where everybody sees it."""
    case = case_of(number)
    print(f"case {number}: {case.seed}, {len(case.data)} bytes, {case.server} server")
    if save:
        save.write_bytes(case.data)
    began = time.process_time()
    probe = run_case(case)
    print(f"{probe.requests} requests, {probe.bytes_fetched} bytes, {time.process_time() - began:.3f} s of CPU")
    validate(probe)
    print(probe.result())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeat", type=int)
    parser.add_argument("--save", type=Path)
    given = parser.parse_args()
    if given.repeat is not None:
        repeat(given.repeat, given.save)
        return
    began = time.monotonic()
    whole = run_all(given.first, given.inputs, given.processes)
    print_result(whole, time.monotonic() - began)
    if whole.faults:
        raise SystemExit(1)


def print_result(whole: Chunk, wall: float) -> None:
    groups = ", ".join(f"{name} {len(names)}" for name, names in sorted(by_container().items()))
    print(f"{len(seeds())} seeds: {groups}")
    print(f"{whole.cases:,} inputs in {wall:.0f} s, {whole.cases / wall:,.0f} a second; status: {dict(whole.status)}")
    seconds, number = whole.slowest
    print(f"slowest: {seconds * 1e3:.0f} ms of CPU, case {number} ({case_of(number).seed})")
    print(f"records validated by the schema: {whole.validated:,}")
    print(f"most memory: a process grew by {whole.memory[0] / 1e6:.1f} MB in case {whole.memory[1]}")
    faults = sum(times for _, times in whole.faults.values())
    print(f"faults: {faults}")
    for kind, (number, times) in sorted(whole.faults.items(), key=lambda item: -item[1][1])[:SHOWN]:
        print(f"  {times:>7} times, first case {number} ({case_of(number).seed}): {kind}")
    figures = [
        figure("probe_fuzz_faults", faults, "inputs", 0, "less"),
        figure("probe_fuzz_slowest", round(seconds * 1e3), "ms", MOST_SECONDS * 1e3, "less"),
        figure("probe_fuzz_memory", round(whole.memory[0] / 1e6, 1), "MB", MOST_MB, "less"),
        figure("probe_fuzz_inputs", whole.cases, "inputs", 1_000_000, "more"),
    ]
    print(json.dumps({"bench": "probe_fuzz", "figures": figures}))


def figure(name: str, value: float, unit: str, target: float, better: str) -> dict[str, object]:
    return {"name": name, "value": value, "unit": unit, "target": target, "better": better}


if __name__ == "__main__":
    main()
