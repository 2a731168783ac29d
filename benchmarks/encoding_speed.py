"""The CPU time of a field, and the records a second that `scrapy demojibake` mends; each in a process of its own.

A field: every field of the titles once, in one of its encodings at random, after 200 others. Words that come again
(artists, ``the``) are remembered, as in any run over a library. All models are loaded before. Mediacrawl is timed as it
is installed, and without its C extension (`PURE`).

The records are made up: names and titles are words of the titles thrown together, ten tracks an album. Two in five are
clean, one in ten is ASCII, the others were read wrongly as cp1252: from another code page of the language (by the
weights of the benchmark), or from UTF-8. Their bytes are lost, so that they must be repaired; the same records with
their bytes, as a crawl of mediacrawl keeps them, are measured as well.
"""

from __future__ import annotations

import base64
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from encoding_damage import windows
from encoding_peers import OURS, load_all, readers
from encoding_units import ENCODINGS, WEIGHTS, encoded, one_encoding_each, texts_of
from shared import HERE, cpu_of_children, environment

PURE = f"{OURS}, without C"
BEFORE = 200

FIELDS = ("artist", "album", "title", "comment")
TRACKS = 10
KINDS = {"clean": 4, "ascii": 1, "code page": 3, "utf_8": 2}


def speed(name: str, rounds: int) -> float:
    """Return the CPU microseconds of a field, the median of some rounds, with the fields in another order each."""
    commands = [[sys.executable, str(HERE / "encoding_speed.py"), name, str(seed)] for seed in range(rounds)]
    run = [subprocess.run(one, stdout=subprocess.PIPE, text=True, check=True, env=environment()) for one in commands]
    return statistics.median(float(done.stdout.splitlines()[-1]) for done in run)


def time_here(name: str, seed: int) -> float:
    """Return the time of a field; for a process that has done nothing else."""
    read, fields = readers()[OURS if name == PURE else name], one_encoding_each(seed)
    load_all()
    for unit in fields[:BEFORE]:
        read(unit)
    began = time.process_time()
    for unit in fields[BEFORE:]:
        read(unit)
    return 1e6 * (time.process_time() - began) / len(fields[BEFORE:])


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
        pages = {name: weight for name, weight in WEIGHTS.items() if name != "utf_8"}
        encoding = rng.choices(list(pages), list(pages.values()))[0]
        return rng.choice([code for code, names in ENCODINGS.items() if encoding in names]), encoding, windows
    return rng.choice(list(ENCODINGS)), "utf_8", windows if kind == "utf_8" else lambda raw: raw.decode()


def _phrases(words: list[str], encoding: str, rng: random.Random) -> Callable[[], str]:
    known = [word for word in words if encoded(word, encoding) is not None]
    return lambda: " ".join(rng.sample(known, rng.choice((1, 2, 2, 3, 3, 4))))


def rerun(folder: Path, count: int, *, raw: bool) -> float:
    """Return the records a CPU second of the command over a file, as an operator would run it; its start counts."""
    path, output = folder / "items.jl", folder / "out.jl"
    with path.open("w", encoding="utf-8") as file:
        for record in records(count):
            kept = record if raw else {name: text for name, text in record.items() if not name.endswith("_raw")}
            file.write(json.dumps(kept, ensure_ascii=False) + "\n")
    raws = [f"--raw={name}={name}_raw" for name in FIELDS] if raw else []
    command = [sys.executable, "-m", "scrapy", "demojibake", str(path), "-o", str(output), "--jobs=1", *raws]
    output.unlink(missing_ok=True)
    before = cpu_of_children()
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), cwd=folder, check=False)
    if done.returncode or sum(1 for _ in output.open("rb")) != count:
        raise SystemExit(f"the re-run went wrong:\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}")
    return count / (cpu_of_children() - before)


if __name__ == "__main__":
    if sys.argv[1] == PURE:
        sys.modules["mediacrawl.encoding._native"] = None  # type: ignore[assignment]  # as if it had not been built
    print(time_here(sys.argv[1], int(sys.argv[2])))
