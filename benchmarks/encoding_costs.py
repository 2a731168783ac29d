"""The CPU time of a field; each reader in a process of its own.

* In bulk: every field of the titles once, in one of its encodings at random, after 200 others; words that come again
  (artists, ``the``) are remembered, as in any run over a library.
* Alone: the same, but each call is timed by itself, and only the 200 fields that come next: in a process that has just
  begun, most words are new. All models are loaded before.

Mediacrawl is timed as it is installed, and with the native part switched off (`PURE`).
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import NamedTuple

from encoding_peers import OURS, load_all, readers
from encoding_units import one_encoding_each
from shared import HERE, environment

from mediacrawl.encoding.native import SWITCH

PURE = f"{OURS}, pure Python"
BEFORE = 200
ALONE = 200


class Speed(NamedTuple):
    """CPU microseconds of a field: in bulk; alone, the mean."""

    bulk: float
    alone: float


def speed(name: str, rounds: int) -> Speed:
    """Return the medians of some rounds, each in a process of its own, with the fields in another order."""
    around = environment(**({SWITCH: "0"} if name == PURE else {}))
    commands = [[sys.executable, str(HERE / "encoding_costs.py"), name, str(seed)] for seed in range(rounds)]
    lines = [subprocess.run(one, stdout=subprocess.PIPE, text=True, check=True, env=around).stdout for one in commands]
    found = [map(float, line.splitlines()[-1].split()) for line in lines]
    return Speed(*map(statistics.median, zip(*found, strict=True)))


def time_here(name: str, seed: int) -> Speed:
    """Return the times of one reader; for a process that has done nothing else."""
    read, fields = readers()[OURS if name == PURE else name], one_encoding_each(seed)
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
    for unit in rest:
        read(unit)
    return Speed((time.process_time_ns() - began) / 1000 / len(rest), statistics.fmean(alone))


if __name__ == "__main__":
    print(*time_here(sys.argv[1], int(sys.argv[2])))
