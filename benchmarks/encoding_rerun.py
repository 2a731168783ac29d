"""Stored records a second that `scrapy demojibake` mends, with one process and with two.

The records are made up: names and titles are words of the benchmark's titles thrown together, ten tracks an album. Two
in five are clean, one in ten is ASCII, the others were read wrongly as cp1252: from another code page of the language
(by the weights of the benchmark), or from UTF-8. Their bytes are lost, so that they must be repaired; the same records
with their bytes beside them, as a crawl of mediacrawl keeps them, are measured as well.
"""

from __future__ import annotations

import base64
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from encoding_damage import windows
from encoding_units import ENCODINGS, WEIGHTS, encoded, texts_of
from shared import cpu_of_children, environment

FIELDS = ("artist", "album", "title", "comment")
TRACKS = 10
PROBE = 300
"""Records that tell how long all would take."""
LONG = 30.0
"""Seconds."""
ENOUGH = 6_000
"""Records that tell the pace: the command takes a second to begin, and gives few records to one process only."""
KINDS = {"clean": 4, "ascii": 1, "code page": 3, "utf_8": 2}


@dataclass(frozen=True, slots=True)
class Pace:
    """How a run went.

    Attributes:
        records: in it.
        wall: seconds from the command's start to its end.
        cpu: seconds of all its processes.
    """

    records: int
    wall: float
    cpu: float


def records(count: int, seed: int = 4) -> Iterator[dict[str, str]]:
    """Made-up records; with each text its bytes, in base64."""
    rng = random.Random(seed)
    words: dict[str, list[str]] = {}
    for language, text in texts_of(None):
        words.setdefault(language, []).extend(text.split())
    for number in range(count):
        if number % TRACKS == 0:
            language, encoding, reading = _kind(rng)
            phrase = _phrases(words[language], encoding, rng)
            same = [phrase(), phrase(), phrase()]
        texts = dict(zip(FIELDS, (same[0], same[1], phrase(), same[2]), strict=True))
        record = {"url": f"http://media.example/{number // TRACKS}/{number % TRACKS}.mp3"}
        for name, text in texts.items():
            raw = encoded(text, encoding) or b""
            record[name] = reading(raw)
            record[f"{name}_raw"] = base64.b64encode(raw).decode()
        yield record


def _kind(rng: random.Random) -> tuple[str, str, Callable[[bytes], str]]:
    """A language, the encoding its texts are in, and how they were read."""
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    if kind == "ascii":
        return "en", "ascii", lambda raw: raw.decode()
    if kind == "code page":
        encoding = rng.choices(
            [name for name in WEIGHTS if name != "utf_8"], [w for n, w in WEIGHTS.items() if n != "utf_8"]
        )[0]
        return rng.choice([code for code, names in ENCODINGS.items() if encoding in names]), encoding, windows
    return rng.choice(list(ENCODINGS)), "utf_8", windows if kind == "utf_8" else lambda raw: raw.decode()


def _phrases(words: list[str], encoding: str, rng: random.Random) -> Callable[[], str]:
    known = [word for word in words if encoded(word, encoding) is not None]
    return lambda: " ".join(rng.sample(known, rng.choice((1, 2, 2, 3, 3, 4))))


def write(path: Path, count: int, *, raw: bool) -> None:
    with path.open("w", encoding="utf-8") as file:
        for record in records(count):
            kept = record if raw else {name: text for name, text in record.items() if not name.endswith("_raw")}
            file.write(json.dumps(kept, ensure_ascii=False) + "\n")


def run(path: Path, count: int, jobs: int, *, raw: bool) -> Pace:
    """Runs the command over a file as an operator would."""
    raws = [f"--raw={name}={name}_raw" for name in FIELDS] if raw else []
    output = path.with_name("out.jl")
    command = [
        sys.executable, "-m", "scrapy", "demojibake", str(path), "-o", str(output),
        f"--jobs={jobs}", *raws,
    ]  # fmt: skip
    output.unlink(missing_ok=True)
    before, began = cpu_of_children(), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=path.parent, check=False)
    wall = time.perf_counter() - began
    if done.returncode or sum(1 for _ in output.open("rb")) != count:
        raise SystemExit(f"the re-run went wrong:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return Pace(count, wall, cpu_of_children() - before)


def paces(folder: Path, count: int) -> dict[str, Pace]:
    """One process, two, and one with the bytes there; the first two the faster of two runs. First what beginning takes.

    Where a run would take longer than `LONG` seconds, a part of the records is run, once.

    Args:
        folder: for the files.
        count: of records.
    """
    path = folder / "items.jl"
    write(path, 1, raw=False)
    begin = run(path, 1, 1, raw=False)
    write(path, PROBE, raw=False)
    each = max(run(path, PROBE, 1, raw=False).cpu - begin.cpu, 0.001) / PROBE
    is_slow = each * count > LONG
    if is_slow:
        count = min(count, max(ENOUGH, round(LONG / each)))
    write(path, count, raw=False)
    runs = [(run(path, count, 1, raw=False), run(path, count, 2, raw=False)) for _ in range(1 if is_slow else 2)]
    one, two = (min(some, key=lambda pace: pace.wall) for some in zip(*runs, strict=True))
    write(path, count, raw=True)
    with_bytes = run(path, count, 1, raw=True)
    return {"begin": begin, "1 process": one, "2 processes": two, "1 process, bytes there": with_bytes}


def cores() -> int:
    """That this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
