"""What a decision costs: time of a field, of the first one, and memory; each in a process of its own.

Times are CPU time of the process, so that what else the machine does weighs little.

* In bulk: every field of the titles once, in one of its encodings at random, after 200 others; words that come again
  (artists, ``the``) are remembered, as in any run over a library.
* Alone: the same, but each call is timed by itself, and only the 200 fields that come next: in a process that has just
  begun, most words are new. All models are loaded before.

Mediacrawl is timed as it is installed, with the native part switched off (`PURE`), and with all fields of the bulk in
one call of `detect_many` (`BATCH`).
"""

from __future__ import annotations

import inspect
import json
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from encoding_readers import OURS, load_all, readers
from encoding_units import one_encoding_each

from mediacrawl.encoding import detect_many
from mediacrawl.encoding.native import SWITCH

HERE = Path(__file__).parent
PURE, BATCH = f"{OURS}, pure Python", f"{OURS}, in one call"
BEFORE = 200
ALONE = 200
IN_MEMORY = 2_000

LOAD_ALL = inspect.getsource(load_all)

LOAD = f"""{LOAD_ALL}
import sys, time
began = time.process_time()
import mediacrawl.encoding
imported = time.process_time()
if sys.argv[1] == "all":
    load_all()
loaded = time.process_time()
mediacrawl.encoding.detect([b"\\xc3\\xf0\\xf3\\xef\\xef\\xe0 \\xea\\xf0\\xee\\xe2\\xe8"])
decided = time.process_time()
print(imported - began, loaded - imported, decided - loaded)
"""

MEMORY = f"""{LOAD_ALL}
import gc, json, resource, sys
fields = [bytes.fromhex(text) for text in json.load(sys.stdin)]

def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

before = resident()
import mediacrawl.encoding
imported = resident()
load_all()
loaded = resident()
for field in fields:
    mediacrawl.encoding.detect([field])
print(imported - before, loaded - before, resident() - before)
"""


def environment() -> dict[str, str]:
    """For processes that import mediacrawl. This folder is never in it: `encodings.py` would hide Python's own."""
    return {**os.environ, "PYTHONPATH": str(HERE.parent)}


def printed_by(*arguments: str, text: str = "", **variables: str) -> list[float]:
    """The numbers that a fresh Python with these arguments prints; `variables` of the environment are set besides."""
    command = [sys.executable, *arguments]
    around = environment() | variables
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True, env=around)
    return [float(word) for word in done.stdout.split()]


@dataclass(frozen=True, slots=True)
class Load:
    """Milliseconds in a fresh process, the interpreter's own start not counted.

    Attributes:
        imported: ``import mediacrawl.encoding``.
        loaded: all models, after that.
        first: first decision, after that.
        lazy_first: first decision straight after the import, with only the models that it needs.
    """

    imported: float
    loaded: float
    first: float
    lazy_first: float


def load(rounds: int) -> Load:
    """Medians of some rounds."""
    eager = [printed_by("-c", LOAD, "all") for _ in range(rounds)]
    lazy = [printed_by("-c", LOAD, "none")[2] for _ in range(rounds)]
    imported, loaded, first = (1000 * statistics.median(column) for column in zip(*eager, strict=True))
    return Load(imported, loaded, first, 1000 * statistics.median(lazy))


def model_bytes() -> int:
    return (HERE.parent / "mediacrawl" / "encoding" / "models.bin").stat().st_size


@dataclass(frozen=True, slots=True)
class Memory:
    """Growth of the resident set of a fresh process, in bytes: after import, after loading all models, after use."""

    imported: float
    loaded: float
    used: float


def memory() -> Memory | None:
    """None where there is no /proc."""
    if not Path("/proc/self/statm").exists():
        return None
    fields = [unit.raws[0].hex() for unit in one_encoding_each(0)[:IN_MEMORY]]
    return Memory(*printed_by("-c", MEMORY, text=json.dumps(fields)))


class Speed(NamedTuple):
    """CPU microseconds of a field: in bulk; alone, the mean and the median of all calls."""

    bulk: float
    alone: float
    alone_median: float


def speed(name: str, rounds: int) -> Speed:
    """Medians of some rounds, each in a process of its own, with the fields in another order."""
    variables = {SWITCH: "0"} if name == PURE else {}
    found = [printed_by(str(HERE / "encoding_costs.py"), name, str(seed), **variables) for seed in range(rounds)]
    return Speed(*map(statistics.median, zip(*found, strict=True)))


def time_here(name: str, seed: int) -> Speed:
    """The times of one reader; for a process that has done nothing else."""
    read, fields = readers()[OURS if name in {PURE, BATCH} else name], one_encoding_each(seed)
    load_all()
    for unit in fields[:BEFORE]:
        read(unit)
    alone = []
    for unit in fields[BEFORE : BEFORE + ALONE]:
        began = time.process_time_ns()
        read(unit)
        alone.append((time.process_time_ns() - began) / 1000)
    rest = fields[BEFORE + ALONE :]
    began = time.process_time_ns()
    if name == BATCH:
        detect_many([unit.raws for unit in rest])
    else:
        for unit in rest:
            read(unit)
    bulk = (time.process_time_ns() - began) / 1000 / len(rest)
    return Speed(bulk, statistics.fmean(alone), statistics.median(alone))


if __name__ == "__main__":
    print(*time_here(sys.argv[1], int(sys.argv[2])))
